// SPDX-License-Identifier: Apache-2.0
// The words that formats.md lists, as error messages show them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::io::json {

inline constexpr std::string_view network_words = "\"ideal\", \"shared\"";
inline constexpr std::string_view overlap_words = "\"none\", \"layer\", \"bucket\"";
inline constexpr std::string_view collectives_words = "\"least\", \"ring\", \"hierarchical\", \"tree\", \"nccl\"";
inline constexpr std::string_view optimizer_words = "\"none\", \"sgd\", \"momentum\", \"adam\", \"rmsprop\"";
inline constexpr std::string_view precision_words = "\"fp32\", \"mixed-16\", \"mixed-18\", \"mixed-20\"";
inline constexpr std::string_view schedule_words =
    "\"gpipe\", \"1f1b\", \"interleaved\", \"zb-h1\", \"zb-h2\", \"zb-v\", \"v-half\", \"v-min\", \"dualpipe\", "
    "\"dualpipev\", \"chimera\", \"adaptive\", \"pipedream\", \"pipedream-vertical\", \"pipedream-2bw\", "
    "\"explicit\"";
inline constexpr std::string_view kind_words =
    "forward, backward, backward_input, backward_weight, recompute, send, receive, all_reduce, optimizer";

}  // namespace pipedeck::io::json
