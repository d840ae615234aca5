// SPDX-License-Identifier: Apache-2.0
#include "core/io/json/value.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::io::json {
namespace {

constexpr std::size_t widest_line = 110;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
          out += c;
    }
  return out + '"';
}

bool is_plain(const Value& value) { return !value.as<List>() && !value.as<Members>(); }

class Printer {
 public:
  explicit Printer(bool indented) : indented_(indented) {}

  void print(const Value& value, std::size_t depth) {
    if (const List* list = value.as<List>()) return print_items(*list, '[', ']', depth);
    if (const Members* members = value.as<Members>()) return print_items(*members, '{', '}', depth);
    print_plain(value);
  }
  std::string take() { return std::move(out_); }

 private:
  void print_plain(const Value& value) {
    if (const bool* truth = value.as<bool>())
      out_ += *truth ? "true" : "false";
    else if (const Number* number = value.as<Number>())
      out_ += number->token;
    else if (const std::string* text = value.as<std::string>())
      out_ += in_quotes(*text);
    else
      out_ += "null";
  }

  void print_item(const Value& value, std::size_t depth) { print(value, depth); }
  void print_item(const std::pair<std::string, Value>& member, std::size_t depth) {
    out_ += in_quotes(member.first) + (indented_ ? ": " : ":");
    print(member.second, depth);
  }

  static const Value& value_of(const Value& value) { return value; }
  static const Value& value_of(const std::pair<std::string, Value>& member) { return member.second; }

  /// Leaves on one line where they fit: a list of devices, a link, a layer's figures.
  template <class Items>
  bool fits_on_a_line(const Items& items, std::size_t depth) {
    if (depth == 0) return false;
    for (const auto& item : items)
      if (!is_plain(value_of(item))) return false;
    Printer line(false);
    line.print_items(items, '[', ']', depth);
    return line.out_.size() + 2 * items.size() + 2 * depth <= widest_line;
  }

  template <class Items>
  void print_items(const Items& items, char open, char close, std::size_t depth) {
    const bool broken = indented_ && !items.empty() && !fits_on_a_line(items, depth);
    out_ += open;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += indented_ && !broken ? ", " : ",";
      if (broken) out_ += '\n' + std::string(2 * (depth + 1), ' ');
      print_item(item, depth + 1);
      first = false;
    }
    if (broken) out_ += '\n' + std::string(2 * depth, ' ');
    out_ += close;
  }

  bool indented_;
  std::string out_;
};

/// At most `most` bytes, cut between characters.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const Members* members = as<Members>();
  if (!members) return nullptr;
  for (const auto& [name, value] : *members)
    if (name == key) return &value;
  return nullptr;
}

std::string compact(const Value& value) {
  Printer printer(false);
  printer.print(value, 0);
  return printer.take();
}

std::string pretty(const Value& value) {
  Printer printer(true);
  printer.print(value, 0);
  return printer.take() + '\n';
}

std::string describe(const Value& value) {
  if (const List* list = value.as<List>()) return fmt::format("a list of {}", list->size());
  if (value.as<Members>()) return "an object";
  if (const std::string* text = value.as<std::string>()) return in_quotes(shortened(*text, 60));
  if (const Number* number = value.as<Number>()) return shortened(number->token, 40);
  return compact(value);
}

}  // namespace pipedeck::io::json
