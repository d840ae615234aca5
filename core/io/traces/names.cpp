// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace pipedeck::io::traces {
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

/// At a name's end; as in PyTorch's actions I is for the gradient of the input alone.
constexpr std::array brackets{Word{"(F)", OpKind::forward}, Word{"(B)", OpKind::backward},
                              Word{"(I)", OpKind::backward_input}, Word{"(W)", OpKind::backward_weight}};

constexpr std::string_view lightning = "[pl]", lightning_module = "[pl][module]";
constexpr std::string_view action_prefix = "PP:";
/// Actions of torch.distributed.pipelining; RESHARD takes no time, OVERLAP_F_B has its two actions within it.
constexpr std::array actions{Word{"F", OpKind::forward},          Word{"B", OpKind::backward},
                             Word{"I", OpKind::backward_input},   Word{"W", OpKind::backward_weight},
                             Word{"SEND_F", OpKind::send},        Word{"SEND_B", OpKind::send},
                             Word{"RECV_F", OpKind::receive},     Word{"RECV_B", OpKind::receive},
                             Word{"UNSHARD", OpKind::all_reduce}, Word{"REDUCE_GRAD", OpKind::all_reduce}};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

constexpr std::string_view digits = "0123456789";

/// 0 for no digits, or for more than a count has.
int number_of(std::string_view text) {
  int number = 0;
  if (text.size() <= 9) std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "2F0", "3SEND_B1", "0UNSHARD".
std::optional<NamedPass> pass_of_action(std::string_view action) {
  const std::size_t word = std::min(action.find_first_not_of(digits), action.size());
  const std::size_t last = std::min(action.find_first_of(digits, word), action.size());
  const auto found = std::ranges::find(actions, action.substr(word, last - word), &Word::word);
  if (found == actions.end() || action.find_first_not_of(digits, last) != action.npos) return std::nullopt;
  return NamedPass{found->kind, number_of(action.substr(last)), number_of(action.substr(0, word))};
}

void take_numbers(std::string_view lower, NamedPass& pass) {
  std::size_t letters = 0;  // where the last word ends
  for (std::size_t at = 0; at < lower.size(); ++at) {
    if (lower[at] >= 'a' && lower[at] <= 'z') letters = at + 1;
    if (digits.find(lower[at]) == digits.npos) continue;
    const std::size_t end = std::min(lower.find_first_not_of(digits, at), lower.size());
    const bool of_stage = lower.substr(0, letters).ends_with("stage");
    if (end - at <= 9) (of_stage ? pass.stage : pass.micro_batch) = number_of(lower.substr(at, end - at));
    at = end - 1;
  }
}

std::optional<OpKind> kind_from_name(std::string_view name, std::string_view lower) {
  for (const Word& bracket : brackets)
    if (name.ends_with(bracket.word)) return bracket.kind;
  for (const Word& word : words)
    if (lower.find(word.word) != lower.npos) return word.kind;
  return std::nullopt;
}

}  // namespace

bool is_kernel(std::string_view category) {
  return category == "kernel" || category == "Kernel" || is_copy(category) || category == "gpu_memset" ||
         category == "Memset" || category == "mtia_ccp_events";
}
bool is_copy(std::string_view category) { return category == "gpu_memcpy" || category == "Memcpy"; }
bool is_launch(std::string_view category) {
  return category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime";
}
bool is_operator(std::string_view category) { return category == "cpu_op" || category == "Operator"; }

bool is_communication(std::string_view kernel) {
  constexpr std::array<std::string_view, 5> parts{"::internode", "::intranode", "InterNode", "IntraNode", "nvshmem"};
  return kernel.starts_with("nccl") || kernel.starts_with("rccl") ||
         std::ranges::any_of(parts, [&](std::string_view part) { return kernel.find(part) != kernel.npos; });
}

std::optional<NamedPass> pass_in_name(std::string_view name) {
  if (name.starts_with(action_prefix)) return pass_of_action(name.substr(action_prefix.size()));
  if (name.starts_with("FSDP::")) return std::nullopt;  // "pre_forward (layers.3)": the pass is that around it
  if (name.starts_with(lightning))
    return name.starts_with(lightning_module) || name.ends_with("training_step") ? std::optional(NamedPass{})
                                                                                 : std::nullopt;
  const std::string lower = in_lower_case(name);
  const auto kind = kind_from_name(name, lower);
  if (!kind) return std::nullopt;
  NamedPass pass{.kind = *kind};
  take_numbers(lower, pass);
  return pass;
}

std::string_view strip_decoration(std::string_view annotation) {
  if (!annotation.starts_with(lightning_module)) return annotation;
  annotation.remove_prefix(lightning_module.size());
  const std::size_t folder = annotation.substr(0, annotation.find(':')).rfind('.');
  return folder == annotation.npos ? annotation : annotation.substr(folder + 1);
}

}  // namespace pipedeck::io::traces
