// SPDX-License-Identifier: Apache-2.0
// Evaluates the formulas of times that profiles show, as a reader with a pocket calculator would: "412.3 G operations /
// (312 TFLOP/s x 77 % x 93.12 % of its shape) + 2 launches x 3 us" in seconds. Knows nothing of the code that wrote
// them.
#pragma once

#include <cctype>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace pipedeck::test {

class FormulaEvaluator {
 public:
  /// Not a number where the text is no formula.
  static double value_of(const std::string& text) {
    FormulaEvaluator reader(text);
    const double value = reader.sum();
    return reader.rest().empty() ? value : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  explicit FormulaEvaluator(const std::string& text) : text_(text) {}

  double sum() {
    double value = term();
    while (taken("+")) value += term();
    return value;
  }
  double term() {
    double value = factor();
    for (;;) {
      if (taken("x"))
        value *= factor();
      else if (taken("/"))
        value /= factor();
      else
        return value;
    }
  }
  double factor() {
    if (taken("(")) {
      const double inner = sum();
      return taken(")") ? inner : std::numeric_limits<double>::quiet_NaN();
    }
    const std::string digits(rest());
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str()) return std::numeric_limits<double>::quiet_NaN();
    at_ = text_.size() - digits.size() + static_cast<std::size_t>(end - digits.c_str());
    return number * unit();
  }
  double unit() {
    struct Unit {
      const char* name;
      double value;
    };
    for (const Unit& each : {Unit{"G operations", 1e9},
                             {"TFLOP/s", 1e12},
                             {"GB/s", 1e9},
                             {"MB", 1e6},
                             {"us", 1e-6},
                             {"launches", 1},
                             {"% of its shape", 1e-2},
                             {"%", 1e-2}})
      if (taken(each.name)) return each.value;
    return 1;
  }
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return std::string_view(text_).substr(at_);
  }
  bool taken(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace pipedeck::test
