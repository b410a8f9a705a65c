#include "tools/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace saranga::cli {
namespace {
constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
}

Result<Output> Output::to_file(const std::string& path) {
  auto file = Replacer::create(path, true);
  if (!file) return std::unexpected(file.error());
  Output output(-1);
  output.file_ = std::move(*file);
  if (path.ends_with(".gz")) {
    output.packer_ = std::make_unique<Packer>(
        [to = output.file_.get()](std::string_view packed) { return to->write(packed); });
  }
  return output;
}

void Output::put(std::string_view text) {
  if (pending_.size() + text.size() < kFlushBytes) return pending_.put(text);
  flush();
  write(text);
}

void Output::flush() {
  if (!pending_.empty()) write(pending_.view());
  pending_.clear();
}

void Output::write(std::string_view text) {
  if (error_) return;
  if (file_) {
    auto written = packer_ ? packer_->put(text) : file_->write(text);
    if (!written) error_ = written.error();
    return;
  }
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      error_ = Error{.code = ErrorCode::kIo,
                     .text = std::string("cannot write the output: ") + std::strerror(errno)};
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

Result<void> Output::finish() {
  flush();
  if (error_) return std::unexpected(*error_);
  if (packer_) {
    if (auto packed = packer_->finish(); !packed) return packed;
  }
  if (file_) return file_->commit();
  return {};
}

}  // namespace saranga::cli
