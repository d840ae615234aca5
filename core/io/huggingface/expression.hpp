// SPDX-License-Identifier: Apache-2.0
// The small language of presets/architectures.json, in which a family's sizes are written as functions of the keys of a
// config.json: "$n_inner ?? 4 * hidden".
//   $key           the file's member; $key.name and $key[i] go into objects, lists and words
//   $?key          whether the file has the member, even as null
//   name           another definition of the family; i is the block's number
//   a ?? b         b if a is missing or null
//   a ? b : c      also ! && || == != < <= > >= in + - * / % and parentheses; / rounds down
//   'text' 12 0.5 true false null
//   min(a, b) max(a, b) count(list, value) starts(text, text) length(list, text or object)
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/io/json/value.hpp"

namespace pipedeck::io::huggingface {

/// A value of an expression: nothing, a plain one, or a list or object of the file.
struct Datum {
  std::variant<std::monostate, bool, double, std::string, const json::Value*> value;
  std::string key{};                 ///< of the file, from which the value comes; empty: computed
  const json::Value* raw = nullptr;  ///< the file's member, if the value is that alone

  bool is_null() const { return std::holds_alternative<std::monostate>(value); }
  bool is_true() const;
  const double* number() const { return std::get_if<double>(&value); }
  const json::Value* tree() const;
};
Datum datum_of(const json::Value* value, std::string key);

/// A parsed expression.
struct Expression {
  enum class Kind { literal, key, has_key, name, member, element, call, unary, binary, condition };
  Kind kind = Kind::literal;
  std::string text;  ///< key, name, operator
  Datum literal{};
  std::vector<Expression> parts{};
};

/// `text` is one of the program's own: a mistake in it ends the program.
Expression parse_expression(std::string_view text);

/// The keys and definitions that an expression refers to.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual const json::Value* find(std::string_view key) = 0;  ///< null: missing
  virtual Datum definition(const std::string& name) = 0;
  virtual void used_default(const std::string& key) = 0;  ///< in place of the key's value
  /// Reports a value that no operator takes.
  virtual void mistake(const Datum& found, std::string_view expected) = 0;
  int block = 0;
};
Datum evaluate(const Expression& expression, Scope& scope);

}  // namespace pipedeck::io::huggingface
