// SPDX-License-Identifier: Apache-2.0
// Names come from files that anybody may have written: what of them may stand in XML and in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace pipedeck::study::reports {

/// One line of well-formed UTF-8 that XML may hold: line ends and tabs become spaces, other control characters and what
/// is no UTF-8 become U+FFFD.
std::string plain_text(std::string_view text);

/// Returns the text with &, <, >, " and ' escaped, for use between tags and in attributes.
std::string xml_text(std::string_view text);

/// Returns Markdown that shows as the text itself, in a cell of a table too: no emphasis, link, mention, HTML.
std::string markdown_text(std::string_view text);
/// Returns such Markdown for the beginning of a line: no list, quotation or rule either.
std::string markdown_line(std::string_view text);

/// A relative address: all but letters, digits and "-._~/" as %XX.
std::string url_text(std::string_view path);

}  // namespace pipedeck::study::reports
