// SPDX-License-Identifier: Apache-2.0
// A part of a checkpoint on disk: written whole or not at all, read with every checksum looked at.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/runtime/checkpoint/part.hpp"

namespace pipedeck {

/// Whether a file that begins so means to be a part of a checkpoint.
bool looks_like_checkpoint(std::string_view content);

/// Bytes of the file that holds `part`.
Bytes file_bytes(const CheckpointPart& part);

/// `values`: part.floats(), in the order of its layers and their states. Into a temporary file beside `path`, flushed
/// to the disk and renamed, so that there is never half a part under its name, not even after a power cut. `progress`
/// is called now and then. io where the disk is full or can't be written; nothing stays behind then.
Result<void> write_part(const std::string& path, const CheckpointPart& part, std::span<const float> values,
                        const std::function<void()>& progress = {});

/// Ends the name of what write_part has not finished.
inline constexpr std::string_view unfinished_ending = ".tmp";

class PartFile {
 public:
  /// Looks at all but the values. bad_input says what is wrong: foreign, truncated, changed.
  static Result<PartFile> open(const std::string& path);
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&& other) noexcept;
  ~PartFile();

  const std::string& path() const { return path_; }
  const CheckpointPart& part() const { return part_; }
  Bytes bytes() const { return file_bytes(part_); }

  /// List `state` (parameters, moments, older versions) of part().layers[index] into `values`, as many as that layer's
  /// floats(). bad_input: the file changed.
  Result<void> read(std::size_t index, int state, std::span<float> values) const;
  /// All values against their checksums.
  Result<void> verify() const;

 private:
  PartFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Result<void> read_header();

  std::string path_;
  int descriptor_ = -1;
  CheckpointPart part_;
  std::uint64_t values_begin_ = 0;
};

}  // namespace pipedeck
