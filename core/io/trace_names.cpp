// SPDX-License-Identifier: Apache-2.0
// What names in traces say.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "core/io/trace_reader.hpp"

namespace pipedeck {
namespace {

struct Word {
  std::string_view word;
  OpKind kind;
};

/// In this order: a "send_forward" is a transfer, a "recomputed forward" no forward.
constexpr std::array words{
    Word{"optimizer", OpKind::optimizer},
    Word{"allreduce", OpKind::all_reduce},
    Word{"all_reduce", OpKind::all_reduce},
    Word{"all-reduce", OpKind::all_reduce},
    Word{"reducescatter", OpKind::all_reduce},
    Word{"reduce_scatter", OpKind::all_reduce},
    Word{"allgather", OpKind::all_reduce},
    Word{"all_gather", OpKind::all_reduce},
    Word{"sendrecv", OpKind::send},
    Word{"nccl:send", OpKind::send},
    Word{"send_", OpKind::send},
    Word{"send ", OpKind::send},
    Word{"nccl:recv", OpKind::receive},
    Word{"recv_", OpKind::receive},
    Word{"recompute", OpKind::recompute},
    Word{"wgrad", OpKind::backward_weight},
    Word{"backward_weight", OpKind::backward_weight},
    Word{"dgrad", OpKind::backward_input},
    Word{"backward_input", OpKind::backward_input},
    Word{"backward", OpKind::backward},
    Word{"bwd", OpKind::backward},
    Word{"forward", OpKind::forward},
    Word{"fwd", OpKind::forward},
};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<OpKind> kind_in_name(std::string_view name) {
  const std::string lower = in_lower_case(name);
  for (const Word& word : words)
    if (lower.find(word.word) != lower.npos) return word.kind;
  return std::nullopt;
}

int micro_batch_in_name(std::string_view name) {
  for (std::size_t end = name.size(); end > 0;) {
    while (end > 0 && !is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    if (begin == end) return 0;
    std::string_view before = name.substr(0, begin);
    while (!before.empty() && !std::isalpha(static_cast<unsigned char>(before.back()))) before.remove_suffix(1);
    const bool of_stage = in_lower_case(before).ends_with("stage");
    if (!of_stage && end - begin <= 9) return std::stoi(std::string(name.substr(begin, end - begin)));
    end = begin;
  }
  return 0;
}

}  // namespace pipedeck
