// SPDX-License-Identifier: Apache-2.0
// Builds JSON objects with the keys in the order of docs/formats.md, units as the formats have them, and the unknown
// members of the file that a value came from at the end.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::json {

Number number(double value);
Number integer(std::int64_t value);
Number milliseconds_of(Seconds value);
Number milliseconds_of(Nanoseconds value);
Number microseconds_of(Seconds value);
Number gigabytes_per_second_of(BytesPerSecond value);

template <class Items, class ToValue>
List list_of(const Items& items, ToValue to_value) {
  List list;
  list.reserve(items.size());
  for (const auto& item : items) list.push_back(to_value(item));
  return list;
}
List integers(const std::vector<int>& values);
List bytes_of(const std::vector<Bytes>& values);

class ObjectWriter {
 public:
  ObjectWriter() = default;
  static ObjectWriter document(std::string_view format, int version = 1);

  ObjectWriter& add(std::string_view key, Value value);
  ObjectWriter& add(std::string_view key, Bytes value) { return add(key, Value(integer(value.count))); }
  template <std::same_as<int> T>  // so that a truth is not taken for a number
  ObjectWriter& add(std::string_view key, T value) {
    return add(key, Value(integer(value)));
  }
  /// A known member that this text has not: unknown members that stood in it go with it.
  ObjectWriter& leave_out(std::string_view key);
  /// Writes the result of preserve_unknown_members(): own members come last, those of known members return to their
  /// places.
  Value finish(const std::string& unknown = {});

 private:
  Members members_;
  std::vector<std::string> left_out_;
};

}  // namespace pipedeck::io::json
