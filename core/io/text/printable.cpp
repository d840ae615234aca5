// SPDX-License-Identifier: Apache-2.0
#include "core/io/text/printable.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/io/text/utf8.hpp"

namespace pipedeck::io::text {
namespace {

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

/// `character`: of UTF-8.
bool is_harmless(std::string_view character) {
  const unsigned char first = byte(character[0]), last = byte(character.back());
  if (character.size() == 1) return first >= ' ' && first != 0x7F;
  if (first == 0xC2) return last >= 0xA0;                                    // C1 controls
  if (character.starts_with("\xE2\x80")) return last < 0xAA || last > 0xAE;  // U+202A to U+202E
  return !character.starts_with("\xE2\x81") || last < 0xA6 || last > 0xA9;   // U+2066 to U+2069
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte(c));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = leading_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && is_harmless(character))
      out += character;
    else
      append_escaped(out, character);
    text.remove_prefix(character.size());
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == text.npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace pipedeck::io::text
