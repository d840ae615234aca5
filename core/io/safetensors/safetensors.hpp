// SPDX-License-Identifier: Apache-2.0
// Files of tensors in the format "safetensors": 8 bytes with the header's length, a JSON header with the type, shape
// and place of each tensor, then the values, all little-endian (https://github.com/huggingface/safetensors, "Format").
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::safetensors {

struct TensorEntry {
  std::string name;
  std::string type;  ///< "F32", "F16" or "BF16" can be read
  std::vector<std::int64_t> shape;
  std::uint64_t first = 0, bytes = 0;  ///< in the file
  std::int64_t count() const;          ///< of values
};

/// "[4096, 1024]"
std::string shape_text(const std::vector<std::int64_t>& shape);

/// A file, open for reading.
class TensorFile {
 public:
  /// Reads the header. bad_input, with `path` as its file, if the header's length, a tensor's place or its size is
  /// wrong. Tensors fill the file without gaps or overlaps.
  static Result<TensorFile> open(const std::string& path);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }  ///< in the order of their names
  const TensorEntry* find(const std::string& name) const;               ///< null: there is none

  /// Returns a tensor's values. bad_input if its type is none of those.
  Result<std::vector<float>> read(const TensorEntry& tensor);

 private:
  std::string path_;
  std::ifstream file_;
  std::vector<TensorEntry> tensors_;
};

/// A tensor to be written in 32 bits. `values` fills a buffer of its size.
struct WrittenTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::function<void(std::span<float>)> values;
};

/// Writes a file, or leaves it as it was.
Result<void> write(const std::string& path, const std::vector<WrittenTensor>& tensors);

}  // namespace pipedeck::io::safetensors
