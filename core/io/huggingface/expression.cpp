// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/result.hpp"
#include "core/io/text/decimal.hpp"

namespace pipedeck::io::huggingface {
namespace {

using Kind = Expression::Kind;

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression parse() {
    Expression whole = condition();
    skip_space();
    ensure(at_ == text_.size(), "an expression of architectures.json has an end");
    return whole;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (is_letter(word.front()) && end < text_.size() && is_letter(text_[end])) return false;
    at_ = end;
    return true;
  }
  void need(std::string_view word) { ensure(take(word), "an expression of architectures.json has balanced parts"); }
  std::string letters() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    ensure(at_ > begin, "an expression of architectures.json has a name here");
    return std::string(text_.substr(begin, at_ - begin));
  }

  Expression condition() {
    Expression test = binary(0);
    if (!take("?")) return test;
    Expression yes = condition();
    need(":");
    return {Kind::condition, "?", {}, {std::move(test), std::move(yes), condition()}};
  }

  /// Operators of a level bind closer than those of the levels before.
  Expression binary(std::size_t level) {
    static const std::array<std::vector<std::string_view>, 6> operators{
        {{"??"}, {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">", "in"}, {"+", "-"}, {"*", "/", "%"}}};
    if (level == operators.size()) return unary();
    Expression left = binary(level + 1);
    for (;;) {
      std::string_view found;
      for (const std::string_view word : operators.at(level))
        if (found.empty() && take(word)) found = word;
      if (found.empty()) return left;
      Expression right = binary(level + 1);
      left = {Kind::binary, std::string(found), {}, {std::move(left), std::move(right)}};
    }
  }

  Expression unary() {
    for (const char* word : {"!", "-"})
      if (take(word)) return {Kind::unary, word, {}, {unary()}};
    return postfix();
  }

  Expression postfix() {
    Expression inner = primary();
    for (;;) {
      if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        inner = {Kind::member, letters(), {}, {std::move(inner)}};
      } else if (at_ < text_.size() && text_[at_] == '[') {
        ++at_;
        Expression index = condition();
        need("]");
        inner = {Kind::element, "[]", {}, {std::move(inner), std::move(index)}};
      } else {
        return inner;
      }
    }
  }

  Expression primary() {
    if (take("(")) {
      Expression inner = condition();
      need(")");
      return inner;
    }
    if (take("$?")) return {Kind::has_key, letters()};
    if (take("$")) return {Kind::key, letters()};
    if (take("'")) {
      const std::size_t end = text_.find('\'', at_);
      ensure(end != text_.npos, "a text of architectures.json ends");
      Expression text{Kind::literal, {}, {std::string(text_.substr(at_, end - at_))}};
      at_ = end + 1;
      return text;
    }
    skip_space();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    const std::string name = letters();
    if (name == "null") return {};
    if (name == "true" || name == "false") return {Kind::literal, {}, {name == "true"}};
    if (!take("(")) return {Kind::name, name};
    Expression call{Kind::call, name};
    do call.parts.push_back(condition());
    while (take(","));
    need(")");
    return call;
  }

  Expression number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
      ++at_;
    const auto value = text::decimal_to_double(text_.substr(begin, at_ - begin), 0);
    ensure(value.has_value(), "a number of architectures.json is one");
    return {Kind::literal, {}, {*value}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Computes a value; what no operator takes is reported to the scope.
class Evaluator {
 public:
  explicit Evaluator(Scope& scope) : scope_(scope) {}

  Datum value(const Expression& e) {
    switch (e.kind) {
      case Kind::literal:
        return e.literal;
      case Kind::key:
        return datum_of(scope_.find(e.text), e.text);
      case Kind::has_key:
        return {scope_.find(e.text) != nullptr, e.text};
      case Kind::name:
        return e.text == "i" ? Datum{static_cast<double>(scope_.block)} : scope_.definition(e.text);
      case Kind::member: {
        const Datum of = value(e.parts[0]);
        return datum_of(of.tree() ? of.tree()->find(e.text) : nullptr, of.key);
      }
      case Kind::element:
        return element(value(e.parts[0]), value(e.parts[1]));
      case Kind::call:
        return call(e);
      case Kind::unary:
        return unary(e);
      case Kind::binary:
        return binary(e);
      case Kind::condition:
        return value(value(e.parts[0]).is_true() ? e.parts[1] : e.parts[2]);
    }
    return {};
  }

 private:
  /// Returns the number; 0 after a report.
  double number_of(const Datum& datum) {
    if (const double* number = datum.number()) return *number;
    if (const bool* flag = std::get_if<bool>(&datum.value)) return *flag ? 1 : 0;
    scope_.mistake(datum, "a number");
    return 0;
  }

  static Datum element(const Datum& of, const Datum& index) {
    if (!index.number() || *index.number() < 0) return {{}, of.key};
    const auto at = static_cast<std::size_t>(*index.number());
    if (const auto* text = std::get_if<std::string>(&of.value))
      return at < text->size() ? Datum{text->substr(at, 1), of.key} : Datum{{}, of.key};
    const auto* list = of.tree() ? of.tree()->as<json::List>() : nullptr;
    return datum_of(list && at < list->size() ? &(*list)[at] : nullptr, of.key);
  }

  static bool same(const Datum& a, const Datum& b) { return a.value == b.value; }

  static const json::List* list_of(const Datum& datum) {
    return datum.tree() ? datum.tree()->as<json::List>() : nullptr;
  }

  Datum call(const Expression& e) {
    std::vector<Datum> found;
    for (const Expression& part : e.parts) found.push_back(value(part));
    ensure(!found.empty(), "functions of architectures.json have arguments");
    Datum& first = found.front();
    if (e.text == "length") {
      if (const auto* text = std::get_if<std::string>(&first.value)) return {double(text->size()), first.key};
      const json::List* list = list_of(first);
      const auto* members = first.tree() ? first.tree()->as<json::Members>() : nullptr;
      return {double(list ? list->size() : members ? members->size() : 0), first.key};
    }
    ensure(found.size() == 2, "functions of architectures.json have two arguments");
    if (e.text == "count") {
      double count = 0;
      if (const json::List* list = list_of(first))
        for (const json::Value& value : *list) count += same(datum_of(&value, {}), found[1]) ? 1 : 0;
      return {count, first.key};
    }
    if (e.text == "starts") {
      const auto* text = std::get_if<std::string>(&first.value);
      const auto* begin = std::get_if<std::string>(&found[1].value);
      return {text && begin && text->starts_with(*begin), first.key};
    }
    ensure(e.text == "min" || e.text == "max", "functions of architectures.json are known");
    const double a = number_of(first), b = number_of(found[1]);
    return {e.text == "min" ? std::min(a, b) : std::max(a, b), first.key};
  }

  Datum unary(const Expression& e) {
    const Datum of = value(e.parts[0]);
    if (e.text == "!") return {!of.is_true(), of.key};
    return {-number_of(of), of.key};
  }

  Datum binary(const Expression& e) {
    Datum left = value(e.parts[0]);
    if (e.text == "??") {
      if (!left.is_null()) return left;
      Datum right = value(e.parts[1]);
      if (!left.key.empty() && right.key.empty() && right.is_true()) scope_.used_default(left.key);
      if (right.key.empty()) right.key = left.key;
      return right;
    }
    if (e.text == "||") return left.is_true() ? Datum{true, left.key} : Datum{value(e.parts[1]).is_true(), left.key};
    if (e.text == "&&") return left.is_true() ? Datum{value(e.parts[1]).is_true(), left.key} : Datum{false, left.key};
    const Datum right = value(e.parts[1]);
    if (e.text == "==") return {same(left, right), left.key};
    if (e.text == "!=") return {!same(left, right), left.key};
    if (e.text == "in") {
      const json::List* list = list_of(right);
      const auto is_left = [&](const json::Value& one) { return same(datum_of(&one, {}), left); };
      return {list != nullptr && std::ranges::any_of(*list, is_left), right.key};
    }
    const double a = number_of(left), b = number_of(right);
    const std::string key = left.key.empty() ? right.key : left.key;
    if (e.text == "<") return {a < b, key};
    if (e.text == "<=") return {a <= b, key};
    if (e.text == ">") return {a > b, key};
    if (e.text == ">=") return {a >= b, key};
    if (e.text == "+") return {a + b, key};
    if (e.text == "-") return {a - b, key};
    if (e.text == "*") return {a * b, key};
    if (b == 0) {
      scope_.mistake(right, "a number other than 0");
      return {0.0, key};
    }
    return {e.text == "/" ? std::floor(a / b) : a - b * std::floor(a / b), key};
  }

  Scope& scope_;
};

}  // namespace

bool Datum::is_true() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const double* of = number()) return *of != 0;
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  const json::List* list = tree() ? tree()->as<json::List>() : nullptr;
  return list ? !list->empty() : tree() != nullptr;
}

const json::Value* Datum::tree() const {
  const auto* found = std::get_if<const json::Value*>(&value);
  return found ? *found : nullptr;
}

Datum datum_of(const json::Value* value, std::string key) {
  Datum datum{{}, std::move(key), value};
  if (!value || value->is_null()) return datum;
  if (const bool* flag = value->as<bool>())
    datum.value = *flag;
  else if (const auto* text = value->as<std::string>())
    datum.value = *text;
  else if (const auto* number = value->as<json::Number>())
    datum.value = text::decimal_to_double(number->token).value_or(0);
  else
    datum.value = value;
  return datum;
}

Expression parse_expression(std::string_view text) { return Parser(text).parse(); }

Datum evaluate(const Expression& expression, Scope& scope) { return Evaluator(scope).value(expression); }

}  // namespace pipedeck::io::huggingface
