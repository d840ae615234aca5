// SPDX-License-Identifier: Apache-2.0
#include "core/io/text/utf8.hpp"

#include <cstdint>

namespace pipedeck::io::text {

namespace {

void append_point(std::string& out, std::uint32_t point) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  const auto next = [&](int shift) { byte(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xc0 | point >> 6), next(0);
  if (point < 0x10000) return byte(0xe0 | point >> 12), next(6), next(0);
  byte(0xf0 | point >> 18), next(12), next(6), next(0);
}

}  // namespace

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

std::optional<std::string> from_utf16(std::string_view bytes) {
  const bool little = bytes.starts_with("\xFF\xFE");
  if ((!little && !bytes.starts_with("\xFE\xFF")) || bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(little ? second << 8 | first : first << 8 | second);
  };
  std::string out;
  for (std::size_t at = 2; at < bytes.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (point >= 0xdc00 && point <= 0xdfff) return std::nullopt;
    if (point >= 0xd800 && point <= 0xdbff) {
      at += 2;
      const std::uint32_t low = at < bytes.size() ? unit(at) : 0;
      if (low < 0xdc00 || low > 0xdfff) return std::nullopt;
      point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
    }
    append_point(out, point);
  }
  return out;
}

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

}  // namespace pipedeck::io::text
