// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/import_text.hpp"

#include <fmt/format.h>

#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {

std::string import_text(const std::string& file, const ImportShare& share, std::string_view evidence,
                        const std::string& open) {
  std::string text = fmt::format("{}: taken for {}: {}\n", io::text::printable(file), share.format, evidence);
  for (const std::string& assumed : share.assumed) text += fmt::format("  assumed: {}\n", io::text::printable(assumed));
  for (const std::string& part : share.left_out) text += fmt::format("  left out: {}\n", io::text::printable(part));
  if (share.unlisted > 0) text += fmt::format("  left out: {} more\n", share.unlisted);
  if (!open.empty()) text += fmt::format("  open: {}\n", io::text::printable(open));
  return text + line_of(share) + "\n";
}

}  // namespace pipedeck::cli::text
