// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pipedeck {

/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) without NUL.
bool is_utf8(std::string_view text);

/// The same text with U+FFFD in place of every byte that is not part of well-formed UTF-8.
std::string to_utf8(std::string_view text);

}  // namespace pipedeck
