// SPDX-License-Identifier: Apache-2.0
// A JSON document as a tree that keeps every number as it is written, so that a time in milliseconds is read in
// seconds, and written again, without the rounding of a second conversion.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::json {

struct Number {
  std::string token;  ///< as in the text: "8.070"
  bool operator==(const Number&) const = default;
};

class Value;
using List = std::vector<Value>;
using Members = std::vector<std::pair<std::string, Value>>;  ///< in the order of the file

class Value {
 public:
  Value() = default;  // null
  Value(bool value) : content_(value) {}
  Value(Number value) : content_(std::move(value)) {}
  Value(std::string value) : content_(std::move(value)) {}
  Value(std::string_view value) : content_(std::string(value)) {}
  Value(const char* value) : content_(std::string(value)) {}
  Value(List value) : content_(std::move(value)) {}
  Value(Members value) : content_(std::move(value)) {}
  bool operator==(const Value&) const = default;

  bool is_null() const { return std::holds_alternative<std::monostate>(content_); }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&content_);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&content_);
  }
  /// nullptr where this is no object or has no such member.
  const Value* find(std::string_view key) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, List, Members> content_;
};

/// Errors: syntax ("line 3, column 7"), text that is not UTF-8, trailing text, duplicate keys (JSON pointer), numbers
/// too large for a double, nesting deeper than any format needs.
Result<Value> parse(const std::string& text);

/// One line, as events are.
std::string compact(const Value& value);
/// Indented; lists of plain values and objects of few plain values stay on one line, as people write them.
std::string pretty(const Value& value);

/// Returns a short description of the found value: "\"abc\"", "a list of 3", "null".
std::string describe(const Value& value);

/// A JSON pointer's step: "~" and "/" escaped (RFC 6901).
std::string step(std::string_view key);
std::string step(std::size_t index);

}  // namespace pipedeck::io::json
