// SPDX-License-Identifier: Apache-2.0
#include "core/base/import_share.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/count_text.hpp"

namespace pipedeck {

void ImportShare::leave_out(std::string part) {
  if (left_out.size() < max_listed && std::ranges::find(left_out, part) == left_out.end())
    left_out.push_back(std::move(part));
  else
    ++unlisted;
}

std::string text_of(const ImportShare& share) {
  const std::int64_t known = std::int64_t{share.understood} + share.without_effect;
  const int lost = share.parts() - share.understood - share.without_effect;
  std::string text = "understood " + std::to_string(share.understood) + " of " + counted(share.parts(), share.unit);
  if (share.without_effect > 0)
    text += ", " + std::to_string(share.without_effect) + " without effect on time and memory";
  if (share.parts() > 0) text += " (" + std::to_string(100 * known / share.parts()) + " %)";
  text += share.assumed.empty() ? "; assumed nothing"
                                : "; assumed " + counted(static_cast<std::int64_t>(share.assumed.size()), "value");
  return text + ", left out " + (lost == 0 ? "nothing" : std::to_string(lost));
}

std::string line_of(const ImportShare& share) {
  return share.format.empty() ? text_of(share) : share.format + ": " + text_of(share);
}

}  // namespace pipedeck
