// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/xml_text.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "core/io/json/value.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::topology {

constexpr std::size_t max_text = std::size_t{16} << 20;  // dumps of the largest machines have a hundredth of it

Result<void> XmlText::load() {
  if (text_.size() > max_text)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes, expected at most {} of a topology", text_.size(), max_text));
  if (!text::is_utf8(text_)) return fail(ErrorCode::bad_input, "found bytes that are not UTF-8, expected text");
  const pugi::xml_parse_result parsed =
      document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) return bad(fmt::format("found no valid XML: {}", parsed.description()), parsed.offset);
  return {};
}

tl::unexpected<Error> XmlText::bad(std::string message, std::ptrdiff_t offset) const {
  const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_));
  return fail(ErrorCode::bad_input, std::move(message),
              fmt::format("line {}", 1 + std::count(text_.begin(), end, '\n')));
}

tl::unexpected<Error> XmlText::bad(std::string message, const pugi::xml_node& node) const {
  return bad(std::move(message), node.offset_debug());
}

std::optional<int> XmlText::number(const pugi::xml_node& node, const char* key, int least, int most,
                                   std::optional<Error>& problem) const {
  const pugi::xml_attribute attribute = node.attribute(key);
  if (!attribute) return std::nullopt;
  const std::string_view found = attribute.value();
  int value = 0;
  const auto [end, wrong] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (wrong == std::errc{} && end == found.data() + found.size() && value >= least && value <= most) return value;
  if (!problem)
    problem = bad(fmt::format("found {}={}, expected a whole number from {} to {}", key,
                              json::describe(json::Value(found)), least, most),
                  node)
                  .value();
  return std::nullopt;
}

}  // namespace pipedeck::io::topology
