// SPDX-License-Identifier: Apache-2.0
// The words that formats.md lists, as error messages show them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/domain/plan.hpp"
#include "core/io/json_reader.hpp"

namespace pipedeck::json {

inline constexpr std::string_view network_words = "\"ideal\", \"shared\"";
inline constexpr std::string_view overlap_words = "\"none\", \"layer\"";
inline constexpr std::string_view optimizer_words = "\"none\", \"sgd\", \"momentum\", \"adam\", \"rmsprop\"";
inline constexpr std::string_view precision_words = "\"fp32\", \"mixed-16\", \"mixed-18\", \"mixed-20\"";
inline constexpr std::string_view schedule_words = "\"gpipe\", \"1f1b\", \"pipedream\", \"explicit\"";
inline constexpr std::string_view kind_words =
    "forward, backward, backward_input, backward_weight, recompute, send, receive, all_reduce, optimizer";

/// Words of the format that this version has no schedule for are told from mere misspellings.
inline ScheduleKind schedule_from(ObjectReader& in) {
  constexpr std::array<std::string_view, 5> listed{"interleaved", "zb-h1", "zb-h2", "zb-v", "pipedream-vertical"};
  const std::string found = in.text("schedule");
  const std::optional<ScheduleKind> kind = schedule_named(found);
  if (kind) return *kind;
  const bool known = std::find(listed.begin(), listed.end(), found) != listed.end();
  in.fail("schedule", fmt::format("found {}, {}expected one of {}", describe(Value(found)),
                                  known ? "which this version does not offer; " : "", schedule_words));
  return ScheduleKind::one_f_one_b;
}

}  // namespace pipedeck::json
