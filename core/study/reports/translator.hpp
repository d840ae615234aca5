// SPDX-License-Identifier: Apache-2.0
// The texts of a report, in English or another language. A sentence is one pattern with places for its values and
// names, "{} of {:.2f} GiB". It is never put together from parts, so a translation can order it freely.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/result.hpp"

namespace pipedeck::study::reports {

/// A language other than English. May be asked from any thread.
class Translation {
 public:
  Translation() = default;
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;
  virtual ~Translation() = default;

  virtual std::string language() const = 0;      ///< "de", as HTML names it
  virtual std::string decimal_sign() const = 0;  ///< ","
  /// A pattern of this folder with its places as %1, %2 ...: "%1 of %2 each way".
  virtual std::string pattern(const std::string& english) const = 0;
  /// A finished sentence from elsewhere in the core: the reasons for a plan, the message of an error.
  virtual std::string translate(const std::string& english) const = 0;
  virtual std::string error(const Error& error) const = 0;
};

class Translator {
 public:
  /// Null: English. The translation must outlive the words.
  explicit Translator(const Translation* translation = nullptr) : translation_(translation) {}

  std::string language() const { return translation_ ? translation_->language() : "en"; }

  /// The pattern in the language, filled.
  template <class... T>
  std::string operator()(fmt::format_string<const T&...> english, const T&... filling) const {
    return message(english, fmt::make_format_args(filling...));
  }

  /// "1 stage", "{} stages": `many` takes the count before what fills both.
  template <class... T>
  std::string count(std::size_t number, fmt::format_string<const T&...> one,
                    fmt::format_string<const std::size_t&, const T&...> many, const T&... filling) const {
    return number == 1 ? message(one, fmt::make_format_args(filling...))
                       : message(many, fmt::make_format_args(number, filling...));
  }

  /// Figures and units, which are written alike everywhere but for the decimal sign: "{:.3f} ms".
  template <class... T>
  std::string figure(fmt::format_string<const T&...> format, const T&... filling) const {
    return figures(format, fmt::make_format_args(filling...));
  }

  /// A finished sentence from elsewhere in the core.
  std::string translate(const std::string& english) const;
  std::string error(const Error& error) const;

 private:
  std::string message(fmt::string_view english, fmt::format_args filling) const;
  std::string figures(fmt::string_view format, fmt::format_args filling) const;

  const Translation* translation_;
};

}  // namespace pipedeck::study::reports
