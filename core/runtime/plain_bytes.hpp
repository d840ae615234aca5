// SPDX-License-Identifier: Apache-2.0
// Values as bytes, for a process of the same program on a machine of the same kind.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/domain/result.hpp"

namespace pipedeck {

template <class Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
}

template <class Value>
void put(std::string& bytes, const std::vector<Value>& values) {
  put(bytes, values.size());
  for (const Value& value : values) put(bytes, value);
}

/// Reads what put() wrote, in the same order.
class PlainReader {
 public:
  explicit PlainReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }

  template <class Value>
  void get(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    ensure(bytes_.size() >= sizeof(Value), "bytes of another process are whole");
    std::memcpy(&value, bytes_.data(), sizeof(Value));
    bytes_.remove_prefix(sizeof(Value));
  }

  template <class Value>
  void get(std::vector<Value>& values) {
    std::size_t count = 0;
    get(count);
    values.resize(count);
    for (Value& value : values) get(value);
  }

 private:
  std::string_view bytes_;
};

}  // namespace pipedeck
