// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/file_bytes.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace pipedeck::runtime::data {

Result<std::string> file_bytes(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::bad_input, "found a folder, expected a file", {}, path);
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorCode::bad_input, fmt::format("can't be opened: {}", std::strerror(errno)), {}, path);
  std::string bytes;
  std::array<char, 1 << 16> piece{};
  while (const std::size_t read = std::fread(piece.data(), 1, piece.size(), file.get()))
    bytes.append(piece.data(), read);
  if (std::ferror(file.get()) != 0)
    return fail(ErrorCode::bad_input, fmt::format("can't be read: {}", std::strerror(errno)), {}, path);
  return bytes;
}

}  // namespace pipedeck::runtime::data
