#include "saranga/message/large_file_writer.h"

#include <algorithm>
#include <utility>

namespace saranga::message {

LargeFileWriter::LargeFileWriter(WritableDirectory& folder, std::unique_ptr<WritableFile> file,
                                 const Names& names)
    : folder_(folder), file_(std::move(file)), names_(names) {}

Result<std::unique_ptr<LargeFileWriter>> LargeFileWriter::create(WritableDirectory& folder,
                                                                 std::int64_t message_id) {
  const std::string number = std::to_string(message_id);
  std::string name = number + ".msg";
  std::string temporary = number + ".tmp";
  // Renaming would replace it.
  auto there = folder.open(name);
  if (there) return fail(ErrorCode::kExists, "is there already", folder.path() + "/" + name);
  if (there.error().code != ErrorCode::kNotFound) return std::unexpected(there.error());
  auto file = folder.create(temporary);
  if (!file) return std::unexpected(file.error());
  Names names{.temporary = std::move(temporary), .body = std::move(name)};
  return std::unique_ptr<LargeFileWriter>(new LargeFileWriter(folder, std::move(*file), names));
}

// Whether it can be removed or not, nobody refers to it, and a broker removes it when it starts.
LargeFileWriter::~LargeFileWriter() {
  if (file_ == nullptr) return;
  file_.reset();
  (void)folder_.remove(names_.temporary);
}

Result<void> LargeFileWriter::append(Bytes bytes) {
  if (file_ == nullptr || failed_) {
    return fail(ErrorCode::kInvalidArgument, "the body is finished, or failed before", names_.body);
  }
  auto written = file_->write_at(size_bytes_, bytes);
  failed_ = !written;
  if (written) size_bytes_ += bytes.size();
  return written;
}

// The name comes last, so that whoever finds it finds all of the body.
Result<void> LargeFileWriter::finish() {
  if (file_ == nullptr || failed_) {
    return fail(ErrorCode::kInvalidArgument, "the body is finished, or failed before", names_.body);
  }
  failed_ = true;
  if (auto synced = file_->sync_data(); !synced) return synced;
  if (auto renamed = folder_.rename(names_.temporary, names_.body); !renamed) return renamed;
  file_.reset();
  return folder_.sync();
}

}  // namespace saranga::message
