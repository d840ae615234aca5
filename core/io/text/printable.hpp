// SPDX-License-Identifier: Apache-2.0
// Names from files, as a terminal may show them.
#pragma once

#include <string>
#include <string_view>

namespace pipedeck::io::text {

/// Returns the text in one line. Control characters, line ends, characters that change the direction of what follows
/// and bytes that are no UTF-8 are written as in C: \n, \x1b.
std::string printable(std::string_view text);

/// Returns printable(line) of each line of a text.
std::string printable_lines(std::string_view text);

}  // namespace pipedeck::io::text
