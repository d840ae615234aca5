// SPDX-License-Identifier: Apache-2.0
// A file as a stream of characters for RapidJSON, a piece at a time, unpacked on the way where gzip packed it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <zlib.h>

namespace pipedeck::io::text {

class PackedStream {
 public:
  using Ch = char;  // RapidJSON's names, here and below

  explicit PackedStream(const std::string& path);
  bool open() const { return file_ != nullptr; }

  Ch Peek() const { return *at_; }
  Ch Take() {
    const Ch taken = *at_;
    if (++at_ == end_) fill();
    return taken;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - piece_.data()); }
  // For output streams; never called.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

  /// Why there was no more to read before the end: damaged packing, a disk that fails. Empty: there was.
  const std::string& problem() const { return problem_; }
  /// Share of the file that was read, in [0, 1].
  double progress() const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  void fill();

  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> piece_;
  const char* at_;
  const char* end_;
  std::size_t before_ = 0;  ///< characters in the pieces before this one
  double size_ = 0;
  std::string problem_;
};

}  // namespace pipedeck::io::text
