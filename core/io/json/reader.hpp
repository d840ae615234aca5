// SPDX-License-Identifier: Apache-2.0
// Reads the members of a JSON object one by one and stores the first error, so that a format's reader is a list of its
// fields. Members that were not read are stored (`unknown`): they are written again with the value.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/limits.hpp"
#include "core/base/units.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::json {

/// The first error of a document.
struct ErrorCollector {
  std::optional<Error> first;
  void add(std::string place, std::string message);
  explicit operator bool() const { return first.has_value(); }
};

/// A number's unit, as the power of ten between the file's and the program's.
enum class Unit { plain, milliseconds, microseconds, gigabytes_per_second };
int shift_of(Unit unit);

// One value at a place. All report to `problems` and give 0 or the like on error.
double read_number(const Value& value, Unit unit, double least, double most, const std::string& place,
                   ErrorCollector& problems);
std::int64_t read_integer(const Value& value, std::int64_t least, std::int64_t most, const std::string& place,
                          ErrorCollector& problems);
/// Milliseconds in the file; whole nanoseconds, as the simulator writes them.
Nanoseconds read_nanoseconds(const Value& value, const std::string& place, ErrorCollector& problems);
std::string read_text(const Value& value, const std::string& place, ErrorCollector& problems);
bool read_bool(const Value& value, const std::string& place, ErrorCollector& problems);
const List* read_list(const Value& value, const std::string& place, ErrorCollector& problems);

class ObjectReader {
 public:
  /// `value` must outlive the reader. Reports when it is no object.
  ObjectReader(const Value& value, std::string place, ErrorCollector& problems);
  /// Adds to the report of a missing member the unknown one that is nearly its name: a misspelling.
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  bool ok() const { return !problems_.first; }
  ErrorCollector& problems() { return problems_; }
  std::string place_of(std::string_view key) const { return place_ + step(key); }
  void fail(std::string_view key, std::string message) { problems_.add(place_of(key), std::move(message)); }

  /// Returns true if the member exists; with `null_is_absent`, null counts as missing.
  bool has(std::string_view key);
  void treat_null_as_absent() { null_is_absent_ = true; }
  /// The member, reported when missing.
  const Value* get(std::string_view key);

  std::string text(std::string_view key);
  std::string text_or(std::string_view key, std::string otherwise);
  bool bool_or(std::string_view key, bool otherwise);
  int count(std::string_view key, std::int64_t least = 1, std::int64_t most = limits::samples);
  int count_or(std::string_view key, int otherwise, std::int64_t least = 1, std::int64_t most = limits::samples);
  double number(std::string_view key, double least, double most);
  double number_or(std::string_view key, double otherwise, double least, double most);
  Seconds time(std::string_view key);         ///< milliseconds in the file
  Seconds long_time(std::string_view key);    ///< of a whole iteration: milliseconds in the file
  Seconds latency(std::string_view key);      ///< microseconds in the file
  BytesPerSecond rate(std::string_view key);  ///< 10^9 bytes/s in the file
  Bytes bytes(std::string_view key);
  Bytes total_bytes(std::string_view key);  ///< a sum over layers or devices
  Bytes bytes_or(std::string_view key, Bytes otherwise);
  Nanoseconds nanoseconds(std::string_view key);

  /// A word of a fixed list; `named` gives nothing for the others, `words` names them all.
  template <class E>
  E word_or(std::string_view key, E otherwise, std::optional<E> (*named)(std::string_view), std::string_view words) {
    if (!has(key)) return otherwise;
    const std::string found = text(key);
    const std::optional<E> value = named(found);
    if (!value) unknown_word(key, found, words);
    return value.value_or(otherwise);
  }

  /// As above, for a required member.
  template <class E>
  E word(std::string_view key, std::optional<E> (*named)(std::string_view), std::string_view words) {
    if (!has(key)) return text(key), E{};  // reports it
    return word_or(key, E{}, named, words);
  }

  using ReadObject = std::function<void(ObjectReader&)>;
  using ReadValue = std::function<void(const Value&, const std::string& place)>;
  /// The member, an object; absent ones are reported. Its unknown members are kept with this object's.
  void object(std::string_view key, const ReadObject& read);
  /// Every object of the member, a list.
  void objects(std::string_view key, const ReadObject& read);
  /// Every value of the member, a list.
  void values(std::string_view key, const ReadValue& read);
  std::vector<int> counts(std::string_view key, std::int64_t least, std::int64_t most);
  /// The names of all members, for objects that are maps.
  std::vector<std::string> names() const;

  /// Keeps unknown members of what stands under `key`; for values that are not kept by object() and objects().
  void preserve_unknown(std::string_view key, Value unknown);
  /// Returns the members that were not read, as compact JSON; empty if there are none. Taken once.
  std::string preserve_unknown_members();

 private:
  Members unknown_members();
  void unknown_word(std::string_view key, const std::string& found, std::string_view words);

  const Members* members_ = nullptr;
  std::string place_;
  ErrorCollector& problems_;
  std::vector<bool> asked_;
  std::string missing_;  // the reported member
  Members nested_;       // unknown members of objects below that have no place of their own for them
  bool taken_ = false;
  bool null_is_absent_ = false;
};

/// Checks "format" and "version", then hands the object to `read`. Versions 1 to `newest` are read.
Result<void> read_document(const std::string& text, std::string_view format, const ObjectReader::ReadObject& read,
                           int newest = 1);

}  // namespace pipedeck::io::json
