// SPDX-License-Identifier: Apache-2.0
#include "core/io/json/writer.hpp"

#include <algorithm>

#include "core/io/text/decimal.hpp"

namespace pipedeck::io::json {
namespace {

void merge(Value& into, const Value& unknown);

void merge_members(Members& into, const Members& unknown) {
  for (const auto& [key, value] : unknown) {
    Value* known = nullptr;
    for (auto& [name, present] : into)
      if (name == key) known = &present;
    if (known)
      merge(*known, value);
    else
      into.emplace_back(key, value);
  }
}

/// If a known list has changed its length since, its unknown members can't be assigned to items.
void merge(Value& into, const Value& unknown) {
  const Members* members = unknown.as<Members>();
  if (members && into.as<Members>()) merge_members(*into.as<Members>(), *members);
  const List* list = unknown.as<List>();
  List* items = into.as<List>();
  if (!list || !items || list->size() != items->size()) return;
  for (std::size_t i = 0; i < list->size(); ++i) merge((*items)[i], (*list)[i]);
}

}  // namespace

Number number(double value) { return {text::double_to_decimal(value)}; }
Number integer(std::int64_t value) { return {std::to_string(value)}; }
Number milliseconds_of(Seconds value) { return {text::double_to_decimal(value.count, 3)}; }
Number milliseconds_of(Nanoseconds value) { return {text::integer_to_decimal(value.count, 6)}; }
Number microseconds_of(Seconds value) { return {text::double_to_decimal(value.count, 6)}; }
Number gigabytes_per_second_of(BytesPerSecond value) { return {text::double_to_decimal(value.count, -9)}; }

List integers(const std::vector<int>& values) {
  return list_of(values, [](int value) { return Value(integer(value)); });
}

List bytes_of(const std::vector<Bytes>& values) {
  return list_of(values, [](Bytes value) { return Value(integer(value.count)); });
}

ObjectWriter ObjectWriter::document(std::string_view format, int version) {
  ObjectWriter writer;
  writer.add("format", Value(format)).add("version", version);
  return writer;
}

ObjectWriter& ObjectWriter::add(std::string_view key, Value value) {
  members_.emplace_back(std::string(key), std::move(value));
  return *this;
}

ObjectWriter& ObjectWriter::leave_out(std::string_view key) {
  left_out_.emplace_back(key);
  return *this;
}

Value ObjectWriter::finish(const std::string& unknown) {
  if (!unknown.empty()) {
    Result<Value> kept = parse(unknown);
    ensure(kept && kept->as<Members>(), "unknown members are kept as a JSON object");
    std::erase_if(*kept->as<Members>(), [&](const auto& member) {
      return std::find(left_out_.begin(), left_out_.end(), member.first) != left_out_.end();
    });
    merge_members(members_, *kept->as<Members>());
  }
  return Value(std::move(members_));
}

}  // namespace pipedeck::io::json
