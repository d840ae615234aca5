// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pipedeck {

/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) without NUL.
bool is_utf8(std::string_view text);

}  // namespace pipedeck
