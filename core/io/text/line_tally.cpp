// SPDX-License-Identifier: Apache-2.0
#include "core/io/text/line_tally.hpp"

#include <algorithm>
#include <string>

#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::text {

void LineTally::leave_out(std::string_view line, int number) {
  constexpr std::size_t longest = 60;
  const auto tells = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
  };
  if (!std::ranges::any_of(line, tells)) return;
  line = trimmed(line);
  std::string shown = printable(line.substr(0, longest));
  if (line.size() > longest) shown += " ...";
  share_.leave_out("line " + std::to_string(number) + ": " + shown);
}

}  // namespace pipedeck::io::text
