// SPDX-License-Identifier: Apache-2.0
#include "core/io/json/reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/io/text/decimal.hpp"

namespace pipedeck::io::json {

namespace {

/// Returns the fewest letters to add, remove, replace or swap with the next one that make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

/// Allows one wrong letter in four.
bool is_misspelling(std::string_view found, std::string_view expected) {
  constexpr std::size_t letters_per_mistake = 4, longest = 64;
  if (found.size() > longest || expected.size() > longest) return false;
  return edit_distance(found, expected) <= std::max<std::size_t>(1, expected.size() / letters_per_mistake);
}

}  // namespace

void ErrorCollector::add(std::string place, std::string message) {
  if (!first) first = Error{ErrorCode::bad_input, std::move(message), {}, std::move(place)};
}

int shift_of(Unit unit) {
  switch (unit) {
    case Unit::plain:
      return 0;
    case Unit::milliseconds:
      return -3;
    case Unit::microseconds:
      return -6;
    case Unit::gigabytes_per_second:
      return 9;
  }
  return 0;
}

double read_number(const Value& value, Unit unit, double least, double most, const std::string& place,
                   ErrorCollector& problems) {
  const Number* number = value.as<Number>();
  if (!number) {
    problems.add(place, fmt::format("found {}, expected a number", describe(value)));
    return 0;
  }
  const std::optional<double> found = text::decimal_to_double(number->token, shift_of(unit));
  if (!found || *found < least || *found > most) {
    const double scale = std::pow(10.0, -shift_of(unit));
    problems.add(place, fmt::format("found {}, expected a finite number from {} to {}", describe(value), least * scale,
                                    most * scale));
    return 0;
  }
  return *found;
}

std::int64_t read_integer(const Value& value, std::int64_t least, std::int64_t most, const std::string& place,
                          ErrorCollector& problems) {
  const Number* number = value.as<Number>();
  const std::optional<std::int64_t> found = number ? text::decimal_to_integer(number->token) : std::nullopt;
  if (!found || *found < least || *found > most) {
    problems.add(place, fmt::format("found {}, expected a whole number from {} to {}", describe(value), least, most));
    return std::clamp<std::int64_t>(0, least, most);
  }
  return *found;
}

Nanoseconds read_nanoseconds(const Value& value, const std::string& place, ErrorCollector& problems) {
  constexpr double most = 9e6;  // seconds: 104 days; their nanoseconds are exact in a double
  const double seconds = read_number(value, Unit::milliseconds, 0, most, place, problems);
  if (problems) return {};
  return Nanoseconds(std::llround(text::decimal_to_double(value.as<Number>()->token, 6).value_or(seconds * 1e9)));
}

std::string read_text(const Value& value, const std::string& place, ErrorCollector& problems) {
  if (const std::string* text = value.as<std::string>()) return *text;
  problems.add(place, fmt::format("found {}, expected a text", describe(value)));
  return {};
}

bool read_bool(const Value& value, const std::string& place, ErrorCollector& problems) {
  if (const bool* truth = value.as<bool>()) return *truth;
  problems.add(place, fmt::format("found {}, expected true or false", describe(value)));
  return false;
}

const List* read_list(const Value& value, const std::string& place, ErrorCollector& problems) {
  const List* list = value.as<List>();
  if (!list) problems.add(place, fmt::format("found {}, expected a list", describe(value)));
  return list;
}

ObjectReader::ObjectReader(const Value& value, std::string place, ErrorCollector& problems)
    : members_(value.as<Members>()), place_(std::move(place)), problems_(problems) {
  if (members_)
    asked_.resize(members_->size(), false);
  else
    problems_.add(place_, fmt::format("found {}, expected an object", describe(value)));
}

bool ObjectReader::has(std::string_view key) {
  if (!members_) return false;
  for (std::size_t i = 0; i < members_->size(); ++i) {
    if ((*members_)[i].first != key) continue;
    asked_[i] = true;
    return !(null_is_absent_ && (*members_)[i].second.is_null());
  }
  return false;
}

ObjectReader::~ObjectReader() {
  if (missing_.empty() || !members_) return;
  for (std::size_t i = 0; i < members_->size(); ++i) {
    const std::string& name = (*members_)[i].first;
    if (asked_[i] || !is_misspelling(name, missing_)) continue;
    problems_.first->message = fmt::format("found unknown key '{}', expected '{}'", name, missing_);
    return;
  }
}

const Value* ObjectReader::get(std::string_view key) {
  if (!has(key)) {
    if (!problems_) missing_ = key;
    problems_.add(place_of(key), fmt::format("found no '{}', expected it", key));
    return nullptr;
  }
  for (const auto& [name, value] : *members_)
    if (name == key) return &value;
  return nullptr;
}

std::string ObjectReader::text(std::string_view key) {
  const Value* value = get(key);
  return value ? read_text(*value, place_of(key), problems_) : std::string();
}

std::string ObjectReader::text_or(std::string_view key, std::string otherwise) {
  return has(key) ? text(key) : std::move(otherwise);
}

bool ObjectReader::bool_or(std::string_view key, bool otherwise) {
  return has(key) ? read_bool(*get(key), place_of(key), problems_) : otherwise;
}

int ObjectReader::count(std::string_view key, std::int64_t least, std::int64_t most) {
  const Value* value = get(key);
  return static_cast<int>(value ? read_integer(*value, least, most, place_of(key), problems_) : least);
}

int ObjectReader::count_or(std::string_view key, int otherwise, std::int64_t least, std::int64_t most) {
  return has(key) ? count(key, least, most) : otherwise;
}

double ObjectReader::number(std::string_view key, double least, double most) {
  const Value* value = get(key);
  return value ? read_number(*value, Unit::plain, least, most, place_of(key), problems_) : least;
}

double ObjectReader::number_or(std::string_view key, double otherwise, double least, double most) {
  return has(key) ? number(key, least, most) : otherwise;
}

Seconds ObjectReader::time(std::string_view key) {
  const Value* value = get(key);
  return Seconds(value ? read_number(*value, Unit::milliseconds, 0, limits::seconds, place_of(key), problems_) : 0);
}

Seconds ObjectReader::long_time(std::string_view key) {
  const Value* value = get(key);
  return Seconds(value ? read_number(*value, Unit::milliseconds, 0, limits::total_seconds, place_of(key), problems_)
                       : 0);
}

Seconds ObjectReader::latency(std::string_view key) {
  const Value* value = get(key);
  return Seconds(value ? read_number(*value, Unit::microseconds, 0, limits::seconds, place_of(key), problems_) : 0);
}

BytesPerSecond ObjectReader::rate(std::string_view key) {
  const Value* value = get(key);
  return BytesPerSecond(
      value ? read_number(*value, Unit::gigabytes_per_second, 0, limits::bytes_per_second, place_of(key), problems_)
            : 0);
}

Bytes ObjectReader::bytes(std::string_view key) {
  const Value* value = get(key);
  return Bytes(value ? read_integer(*value, 0, limits::bytes, place_of(key), problems_) : 0);
}

Bytes ObjectReader::total_bytes(std::string_view key) {
  const Value* value = get(key);
  return Bytes(value ? read_integer(*value, 0, limits::total_bytes, place_of(key), problems_) : 0);
}

Bytes ObjectReader::bytes_or(std::string_view key, Bytes otherwise) { return has(key) ? bytes(key) : otherwise; }

Nanoseconds ObjectReader::nanoseconds(std::string_view key) {
  const Value* value = get(key);
  return value ? read_nanoseconds(*value, place_of(key), problems_) : Nanoseconds();
}

void ObjectReader::unknown_word(std::string_view key, const std::string& found, std::string_view words) {
  problems_.add(place_of(key), fmt::format("found {}, expected one of {}", describe(Value(found)), words));
}

void ObjectReader::object(std::string_view key, const ReadObject& read) {
  const Value* value = get(key);
  if (!value) return;
  ObjectReader reader(*value, place_of(key), problems_);
  if (!reader.members_) return;
  read(reader);
  if (Members unknown = reader.unknown_members(); !unknown.empty()) preserve_unknown(key, Value(std::move(unknown)));
}

void ObjectReader::objects(std::string_view key, const ReadObject& read) {
  List unknown;
  bool any = false;
  values(key, [&](const Value& value, const std::string& place) {
    ObjectReader reader(value, place, problems_);
    if (!reader.members_) return;
    read(reader);
    Members left = reader.unknown_members();
    any = any || !left.empty();
    unknown.push_back(left.empty() ? Value() : Value(std::move(left)));
  });
  if (any) preserve_unknown(key, Value(std::move(unknown)));
}

void ObjectReader::values(std::string_view key, const ReadValue& read) {
  const Value* value = get(key);
  const List* list = value ? read_list(*value, place_of(key), problems_) : nullptr;
  if (!list) return;
  for (std::size_t i = 0; i < list->size() && ok(); ++i) read((*list)[i], place_of(key) + step(i));
}

std::vector<int> ObjectReader::counts(std::string_view key, std::int64_t least, std::int64_t most) {
  std::vector<int> out;
  values(key, [&](const Value& value, const std::string& place) {
    out.push_back(static_cast<int>(read_integer(value, least, most, place, problems_)));
  });
  return out;
}

std::vector<std::string> ObjectReader::names() const {
  std::vector<std::string> out;
  if (members_)
    for (const auto& member : *members_) out.push_back(member.first);
  return out;
}

void ObjectReader::preserve_unknown(std::string_view key, Value unknown) {
  nested_.emplace_back(std::string(key), std::move(unknown));
}

Members ObjectReader::unknown_members() {
  Members out;
  if (taken_ || !members_) return out;
  for (std::size_t i = 0; i < members_->size(); ++i)
    if (!asked_[i]) out.push_back((*members_)[i]);
  out.insert(out.end(), nested_.begin(), nested_.end());
  return out;
}

std::string ObjectReader::preserve_unknown_members() {
  Members unknown = unknown_members();
  taken_ = true;
  return unknown.empty() ? std::string() : compact(Value(std::move(unknown)));
}

namespace {

void read_formatted(ObjectReader& reader, std::string_view format, const ObjectReader::ReadObject& read, int newest) {
  const ErrorCollector& problems = reader.problems();
  const std::string found = reader.text("format");
  if (!problems && found != format)
    reader.fail("format", fmt::format("found {}, expected \"{}\"", describe(Value(found)), format));
  const Value* version = reader.get("version");
  bool known = false;
  for (int readable = 1; version && readable <= newest; ++readable)
    known |= *version == Value(Number{std::to_string(readable)});
  if (!problems && !known)
    reader.fail("version", newest == 1 ? fmt::format("found {}, expected 1, the only version that this program reads",
                                                     describe(*version))
                                       : fmt::format("found {}, expected 1 to {}, the versions that this program reads",
                                                     describe(*version), newest));
  if (!problems) read(reader);
}

}  // namespace

Result<void> read_document(const std::string& text, std::string_view format, const ObjectReader::ReadObject& read,
                           int newest) {
  const Result<Value> value = parse(text);
  if (!value) return tl::unexpected(value.error());
  ErrorCollector problems;
  {
    ObjectReader reader(*value, "", problems);
    if (!problems) read_formatted(reader, format, read, newest);
  }
  if (problems) return tl::unexpected(*problems.first);
  return {};
}

}  // namespace pipedeck::io::json
