// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace pipedeck::runtime::data {
namespace {

tl::unexpected<Error> bad_file(std::string text, const std::string& path) {
  return fail(ErrorCode::bad_input, std::move(text), {}, path);
}

Result<std::string> read_all(int descriptor, const std::string& path, std::size_t limit) {
  const auto too_large = [&] {
    return bad_file(fmt::format("found more than {} bytes, expected at most that", limit), path);
  };
  struct ::stat about {};
  if (::fstat(descriptor, &about) == 0 && static_cast<std::uint64_t>(about.st_size) > limit) return too_large();
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(about.st_size));
  std::array<char, 1 << 16> piece;
  while (true) {
    const ssize_t read = ::read(descriptor, piece.data(), piece.size());
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return bad_file(fmt::format("can't be read: {}", std::strerror(errno)), path);
    if (read == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(read));
    if (bytes.size() > limit) return too_large();  // it grows
  }
}

}  // namespace

Result<int> open_plain_file(const std::string& path) {
  // Without O_NONBLOCK a pipe without a writer would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return bad_file(fmt::format("can't be opened: {}", std::strerror(errno)), path);
  struct ::stat about {};
  if (::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return descriptor;
  ::close(descriptor);
  return bad_file(
      S_ISDIR(about.st_mode) ? "found a folder, expected a file" : "found a pipe or a device, expected a file", path);
}

Result<std::string> file_bytes(const std::string& path, std::size_t limit) {
  TRY(const int descriptor, open_plain_file(path));
  auto bytes = read_all(descriptor, path, limit);
  ::close(descriptor);
  return bytes;
}

}  // namespace pipedeck::runtime::data
