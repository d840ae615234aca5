// SPDX-License-Identifier: Apache-2.0
// Values as bytes, for a process of the same program on a machine of the same architecture.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::runtime::transport {

template <class Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
}

template <class Value>
void put(std::string& bytes, const std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  put(bytes, values.size());
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

inline void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

/// A reader for the output of put(), in the same order.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
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
    ensure(bytes_.size() / sizeof(Value) >= count, "bytes of another process are whole");
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes_.data(), count * sizeof(Value));
    bytes_.remove_prefix(count * sizeof(Value));
  }

  void get(std::string& text) {
    std::size_t count = 0;
    get(count);
    ensure(bytes_.size() >= count, "bytes of another process are whole");
    text = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
  }

 private:
  std::string_view bytes_;
};

}  // namespace pipedeck::runtime::transport
