// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/translator.hpp"

#include <type_traits>
#include <vector>

namespace pipedeck::study::reports {
namespace {

/// The content of a place in an fmt pattern, "1:.2f", the `nth` from 0. Only a number's own point becomes the decimal
/// sign.
std::string place_text(std::string_view place, std::size_t nth, fmt::format_args filling,
                       const std::string& decimal_sign) {
  const std::string number(place.substr(0, place.find(':')));
  const std::string spec(place.substr(number.size()));
  const int index = number.empty() ? static_cast<int>(nth) : std::stoi(number);
  std::string text = fmt::vformat("{" + std::to_string(index) + spec + "}", filling);
  const bool is_figure =
      fmt::visit_format_arg([](auto value) { return std::is_floating_point_v<decltype(value)>; }, filling.get(index));
  if (const std::size_t point = text.find('.'); is_figure && point != text.npos) text.replace(point, 1, decimal_sign);
  return text;
}

/// An fmt pattern taken apart: "%1 of %2" and what stands in its places, in the order of the English.
struct Taken {
  std::string pattern;
  std::vector<std::string> places;
};

Taken taken_apart(std::string_view english, fmt::format_args filling, const std::string& decimal_sign) {
  Taken taken;
  for (std::size_t at = 0; at < english.size(); ++at) {
    const char letter = english[at];
    if (letter != '{' && letter != '}') {
      taken.pattern += letter;
      continue;
    }
    if (at + 1 < english.size() && english[at + 1] == letter) {  // "{{" prints "{"
      taken.pattern += letter;
      ++at;
      continue;
    }
    const std::size_t end = english.find('}', at);
    taken.places.push_back(
        place_text(english.substr(at + 1, end - at - 1), taken.places.size(), filling, decimal_sign));
    taken.pattern += '%' + std::to_string(taken.places.size());
    at = end;
  }
  return taken;
}

bool is_place_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// The content of a place is never searched for places.
std::string filled(std::string_view pattern, const std::vector<std::string>& places) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    std::size_t end = at + 1, place = 0;
    if (pattern[at] == '%')
      for (; end < pattern.size() && is_place_digit(pattern[end]); ++end)
        place = 10 * place + static_cast<std::size_t>(pattern[end] - '0');
    if (place >= 1 && place <= places.size())
      text += places[place - 1];
    else
      text += pattern.substr(at, end - at);
    at = end;
  }
  return text;
}

}  // namespace

std::string Translator::message(fmt::string_view english, fmt::format_args filling) const {
  if (!translation_) return fmt::vformat(english, filling);
  const Taken taken = taken_apart({english.data(), english.size()}, filling, translation_->decimal_sign());
  return filled(translation_->pattern(taken.pattern), taken.places);
}

std::string Translator::figures(fmt::string_view format, fmt::format_args filling) const {
  if (!translation_) return fmt::vformat(format, filling);
  const Taken taken = taken_apart({format.data(), format.size()}, filling, translation_->decimal_sign());
  return filled(taken.pattern, taken.places);
}

std::string Translator::translate(const std::string& english) const {
  return translation_ ? translation_->translate(english) : english;
}

std::string Translator::error(const Error& error) const {
  return translation_ ? translation_->error(error) : error.text();
}

}  // namespace pipedeck::study::reports
