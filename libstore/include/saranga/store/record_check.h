// Looking at every record more closely than the live state needs it, in the same pass: each window
// of records is decoded once, on whatever thread.
#pragma once

#include <cstddef>
#include <memory>

#include "saranga/journal/folder.h"
#include "saranga/journal/format.h"
#include "saranga/store/fact.h"

namespace saranga::store {

/// Looks at the records of one window.
class SARANGA_API WindowCheck {
 public:
  virtual ~WindowCheck() = default;
  /// One record, in the order of the file. On any thread, at the same time as other windows.
  /// `decoded` is filled when the record holds a message. Views hold until it returns.
  virtual void record(const journal::Record& record, const DecodedMessage& decoded) = 0;
  /// Behind the last record of the window. On the thread that loads, in load order.
  virtual void deliver() = 0;
};

/// Makes the checks of windows; a loader asks for one a window, on its own thread.
class SARANGA_API RecordCheck {
 public:
  virtual ~RecordCheck() = default;
  /// `label` is the file's name in findings and outlives the window.
  [[nodiscard]] virtual std::unique_ptr<WindowCheck> begin_window(journal::JournalKind journal,
                                                                  const std::string& label) = 0;
};

}  // namespace saranga::store
