#include "libjournal/io/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace saranga {
namespace {

ErrorCode code_of(int number) {
  if (number == ENOENT || number == ENOTDIR) return ErrorCode::kNotFound;
  return number == EEXIST ? ErrorCode::kExists : ErrorCode::kIo;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::unexpected<Error> system_error(int number, std::string_view doing, std::string path) {
  return fail(code_of(number), std::string(doing) + ": " + std::strerror(number), std::move(path));
}

}  // namespace saranga
