// SPDX-License-Identifier: Apache-2.0
#include "core/io/text/packed_stream.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace pipedeck::io::text {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 18;

}  // namespace

PackedStream::PackedStream(const std::string& path)
    : file_(gzopen(path.c_str(), "rbe")), piece_(piece_size + 1), at_(piece_.data()), end_(piece_.data()) {
  if (!file_) {
    problem_ = std::strerror(errno);
    return;
  }
  gzbuffer(file_.get(), piece_size);
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  size_ = none ? 0 : static_cast<double>(size);
  fill();
}

void PackedStream::fill() {
  before_ += static_cast<std::size_t>(end_ - piece_.data());
  const int read = problem_.empty() ? gzread(file_.get(), piece_.data(), piece_size) : 0;
  if (read <= 0) {
    int code = Z_OK;
    const char* const words = gzerror(file_.get(), &code);
    if (problem_.empty() && code == Z_ERRNO) problem_ = std::strerror(errno);
    if (problem_.empty() && code != Z_OK && code != Z_STREAM_END) problem_ = words;
  }
  const std::size_t size = read > 0 ? static_cast<std::size_t>(read) : 0;
  piece_[size] = '\0';  // the end, for RapidJSON
  at_ = piece_.data();
  end_ = piece_.data() + (size > 0 ? size : 1);  // the end may be taken once, and comes again
}

double PackedStream::progress() const {
  const auto read = gzoffset(file_.get());
  return size_ > 0 && read > 0 ? static_cast<double>(read) / size_ : 0;
}

}  // namespace pipedeck::io::text
