// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pipedeck::io::text {

/// Returns the bytes of the character of UTF-8 that a text begins with; 0 where it begins with none, or with NUL.
std::size_t leading_character(std::string_view text);

/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) without NUL.
bool is_utf8(std::string_view text);

/// UTF-16 with a byte order mark, as spreadsheets and Windows' shells write texts, in UTF-8 and without the mark;
/// nothing where `bytes` begin otherwise, or are no UTF-16.
std::optional<std::string> from_utf16(std::string_view bytes);

/// Returns the text with U+FFFD in place of every byte that is not part of well-formed UTF-8.
std::string to_utf8(std::string_view text);

}  // namespace pipedeck::io::text
