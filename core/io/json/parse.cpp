// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::json {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t max_values = std::size_t{1} << 26;

/// Lists that no document has longer: what is refused anyway is not built first.
std::size_t max_in(std::string_view list) {
  if (list == "layers") return limits::layers;
  return list == "nodes" || list == "links" ? std::size_t{limits::layers} + limits::devices : max_values;
}

/// Builds the tree from the parser's events, and keeps the first error.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(const std::string& text) : text_(text) {}

  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(Value(value)); }
  bool number_integer(number_integer_t value) override { return add(Number{std::to_string(value)}); }
  bool number_unsigned(number_unsigned_t value) override { return add(Number{std::to_string(value)}); }
  bool number_float(number_float_t, const string_t& token) override { return add(Number{token}); }
  bool string(string_t& value) override { return add(Value(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value(Members{})); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Value(List{})); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second)
      return reject(place() + step(name), fmt::format("found the key '{}' a second time, expected it once", name));
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
    // 406 is the parser's "number overflow"; everything else is syntax.
    const bool overflow = problem.id == 406;
    return reject(line_and_column(position), overflow ? "found a number too large for any figure, expected a finite one"
                                                      : syntax_message(problem.what()));
  }

  Result<Value> finish(bool parsed) {
    if (error_) return tl::unexpected(*error_);
    ensure(parsed && levels_.empty(), "a JSON text that parsed gives one value");
    return std::move(root_);
  }

 private:
  struct Level {
    Value value;
    std::string key;                // of the member that is being read
    std::set<std::string> keys;     // those there already
    std::size_t most = max_values;  // of a list
  };

  bool reject(std::string place, std::string message) {
    if (!error_) error_ = Error{ErrorCode::bad_input, std::move(message), {}, std::move(place)};
    return false;
  }

  std::string place() const {
    std::string out;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) out += step_of(levels_[i]);
    return out;
  }

  static std::string step_of(const Level& level) {
    if (const List* list = level.value.as<List>()) return step(list->size());
    return step(level.key);
  }

  bool add(Value value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (++values_ > max_values)
      return reject(place(), fmt::format("found more than {} values, expected at most that", max_values));
    if (List* list = level.value.as<List>()) {
      if (list->size() >= level.most)
        return reject(place(), fmt::format("found more than {} in the list, expected at most that", level.most));
      list->push_back(std::move(value));
    } else {
      level.value.as<Members>()->emplace_back(std::move(level.key), std::move(value));
    }
    return true;
  }

  bool open(Value value) {
    if (levels_.size() == deepest)
      return reject(place(),
                    fmt::format("found nesting deeper than {} levels, expected a document of a known format", deepest));
    const std::size_t most = levels_.empty() ? max_values : max_in(levels_.back().key);
    levels_.push_back({std::move(value), {}, {}, most});
    return true;
  }

  bool close() {
    Value value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }

  std::string line_and_column(std::size_t position) const {
    const std::string_view before = std::string_view(text_).substr(0, position == 0 ? 0 : position - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == before.npos ? before.size() + 1 : before.size() - newline;
    return fmt::format("line {}, column {}", line, column);
  }

  /// The parser's words from "syntax error" on; what stands before is its own bookkeeping.
  static std::string syntax_message(std::string_view what) {
    const std::size_t start = what.find("syntax error");
    const std::size_t detail = start == what.npos ? what.npos : what.find(" - ", start);
    return "found no valid JSON: " + text::to_utf8(detail == what.npos ? what : what.substr(detail + 3));
  }

  const std::string& text_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
  Value root_;
  std::optional<Error> error_;
};

}  // namespace

Result<Value> parse(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return fail(ErrorCode::bad_input, "the text is empty, expected a JSON object");
  TreeBuilder builder(text);
  return builder.finish(nlohmann::json::sax_parse(text, &builder));
}

std::string step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string step(std::size_t index) { return "/" + std::to_string(index); }

}  // namespace pipedeck::io::json
