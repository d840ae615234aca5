// SPDX-License-Identifier: Apache-2.0
#include "core/io/utf8.hpp"

#include <cstdint>

namespace pipedeck {

namespace {

/// Bytes of the character that `text` begins with; 0 where it begins with none.
std::size_t leading_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead == 0) return 0;
  const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xe ? 3 : lead >> 3 == 0x1e ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t point = length == 1 ? lead : lead & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xc0) != 0x80) return 0;
    point = point << 6 | (next & 0x3fu);
  }
  const std::uint32_t least = length == 1 ? 0 : length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  return point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? 0 : length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = leading_character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = leading_character(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace pipedeck
