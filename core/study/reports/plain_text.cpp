// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/plain_text.hpp"

#include <cctype>

#include <fmt/format.h>

#include "core/io/text/utf8.hpp"

namespace pipedeck::study::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// A colon that makes an address (://) or an emoji (:name:) of what follows.
bool begins_more(std::string_view text, std::size_t at) {
  if (text[at] != ':' || at + 1 >= text.size()) return false;
  if (text[at + 1] == '/') return true;
  const std::size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-", at + 1);
  return end != text.npos && end > at + 1 && text[end] == ':';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string plain_text(std::string_view text) {
  const std::string valid = io::text::to_utf8(text);
  std::string plain;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    const bool noncharacter = c == 0xEF && valid.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < valid.size() &&
                              static_cast<unsigned char>(valid[i + 2]) >= 0xBE;  // U+FFFE, U+FFFF
    if (noncharacter) {
      plain += replacement;
      i += 2;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      plain += ' ';
    } else if (c < ' ' || c == 0x7F) {
      plain += replacement;
    } else {
      plain += valid[i];
    }
  }
  return plain;
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  const std::string plain = plain_text(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (std::string_view("\\`*_[]#|~").find(c) != std::string_view::npos) {
      escaped += '\\';
      escaped += c;
    } else if (std::string_view("&<>@$").find(c) != std::string_view::npos || begins_more(plain, i)) {
      escaped += fmt::format("&#{};", static_cast<int>(c));  // also @mentions, $formulas$
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string markdown_line(std::string_view text) {
  std::string line = markdown_text(text);
  if (!line.empty() && std::string_view("-+=").find(line.front()) != std::string_view::npos) return '\\' + line;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  const bool point = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  if (point && (digits + 1 == line.size() || line[digits + 1] == ' ')) line.insert(digits, "\\");
  return line;
}

std::string url_text(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos);
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return escaped;
}

}  // namespace pipedeck::study::reports
