// The folder that a command writes a store, or a part of one, into.
#pragma once

#include <memory>
#include <string>

#include "saranga/io/new_folder.h"

namespace saranga::cli {

/// Starts a folder beside `path`. What is there already is only replaced with `force`, only when it
/// holds nothing but what a broker puts into its folders, and never while a broker runs on it
/// (kBusy). Nor is it when `input`, what the command reads, lies in it. A path among the files of a
/// store is kInvalidArgument.
[[nodiscard]] Result<std::unique_ptr<NewFolder>> begin_new_folder(const std::string& path,
                                                                  bool force,
                                                                  const std::string& input = {});

/// Puts it in place. With `force` what is there is looked at again, as a broker may have been
/// started on it meanwhile (kBusy), and its locks are held until it is gone.
[[nodiscard]] Result<void> commit_new_folder(NewFolder& folder, const std::string& path,
                                             bool force);

/// Whether begin_new_folder() would find its place; makes nothing.
[[nodiscard]] Result<void> check_new_folder(const std::string& path, bool force);

}  // namespace saranga::cli
