// SPDX-License-Identifier: Apache-2.0
// A part of a checkpoint on disk. It is written atomically and checked against every checksum when read.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/runtime/checkpoint/part.hpp"

namespace pipedeck::runtime::checkpoint {

/// True if a file with this beginning claims to be a part of a checkpoint.
bool looks_like_checkpoint(std::string_view content);

/// Returns the size of the file that holds `part`.
Bytes file_bytes(const Part& part);

/// Writes a part atomically: into a temporary file next to `path`, flushed to the disk and renamed. Not even a power
/// cut leaves half a part under its name. `values` has part.floats() values, in the order of its layers and their
/// states. `progress` is called now and then. io if the disk is full or not writable; no file stays behind then.
Result<void> write_part(const std::string& path, const Part& part, std::span<const float> values,
                        const std::function<void()>& progress = {});

/// File name suffix of a part that write_part has not finished.
inline constexpr std::string_view unfinished_ending = ".tmp";

class ShardFile {
 public:
  /// Opens a part and checks all but the values. bad_input names the fault: another format, truncated or changed.
  static Result<ShardFile> open(const std::string& path);
  ShardFile(ShardFile&& other) noexcept;
  ShardFile& operator=(ShardFile&& other) noexcept;
  ~ShardFile();

  const std::string& path() const { return path_; }
  const Part& part() const { return part_; }
  Bytes bytes() const { return file_bytes(part_); }

  /// Reads list `state` (parameters, moments, older versions) of part().layers[index] into `values`, which has that
  /// layer's floats(). bad_input: the file changed.
  Result<void> read(std::size_t index, int state, std::span<float> values) const;
  /// Checks all values against their checksums.
  Result<void> verify() const;

 private:
  ShardFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Result<void> read_header();

  std::string path_;
  int descriptor_ = -1;
  Part part_;
  std::uint64_t values_begin_ = 0;
};

}  // namespace pipedeck::runtime::checkpoint
