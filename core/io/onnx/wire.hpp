// SPDX-License-Identifier: Apache-2.0
// The fields of one protobuf message, one after the other, as views into the file's bytes: nothing is allocated, so
// that no file, however it nests or repeats, takes more memory than its reader keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::onnx {

struct Field {
  enum class Kind { varint, fixed_64, bytes, fixed_32 };
  int number = 0;
  Kind kind = Kind::varint;
  std::uint64_t value = 0;  ///< of all kinds but bytes
  std::string_view bytes;   ///< string, packed numbers or a message
};

class Fields {
 public:
  explicit Fields(std::string_view message) : message_(message) {}

  /// Nothing at the end. bad_input where the bytes are no message: cut off, or with groups.
  Result<std::optional<Field>> next();

 private:
  std::string_view message_;
  std::size_t at_ = 0;
};

/// Appends an integer field's numbers: one, or several that are packed. bad_input beyond `most` in all.
Result<void> append_integers(const Field& field, std::vector<std::int64_t>& numbers, std::size_t most);

}  // namespace pipedeck::io::onnx
