// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B (Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", arXiv 2104.04473, section 2.2): v chunks per device, stage k on rank k mod P. Micro-batches form
// groups. A group passes through all chunks of a rank before the next group begins, forwards from the first chunk to
// the last, backwards in reverse. If P does not divide M, the last group has P + (M mod P) micro-batches, and its
// warm-up applies throughout. With the smaller groups' warm-up, the first backward of the last group would come too
// late.
#include "core/schedule/builders.hpp"
#include "core/schedule/round_robin_ranks.hpp"

namespace pipedeck::schedule {
namespace {

/// Half-open ranges of micro-batches.
std::vector<std::pair<int, int>> groups_of(int micro_batches, int ranks) {
  std::vector<std::pair<int, int>> groups;
  int begin = 0;
  for (; micro_batches - begin >= 2 * ranks; begin += ranks) groups.emplace_back(begin, begin + ranks);
  groups.emplace_back(begin, micro_batches);
  return groups;
}

std::vector<Operation> list_of(const Plan& plan, int ranks, int rank) {
  const int chunks = static_cast<int>(plan.stages.size()) / ranks;
  const auto groups = groups_of(plan.micro_batches, ranks);
  std::vector<Operation> forwards, backwards;
  for (const auto& [begin, end] : groups)
    for (int c = 0; c < chunks; ++c)
      for (int m = begin; m < end; ++m) {
        const std::int32_t down = c * ranks + rank, up = (chunks - 1 - c) * ranks + rank;
        forwards.push_back({OpKind::forward, StageId(down), m});
        backwards.push_back({OpKind::backward, StageId(up), m});
      }
  const int largest = groups.back().second - groups.back().first;
  const auto warmup = static_cast<std::size_t>(2 * (ranks - rank - 1) + (chunks - 1) * largest);
  std::vector<Operation> list;
  list.reserve(2 * forwards.size());
  for (std::size_t b = 0, f = 0; b < backwards.size(); ++b) {
    for (; f < std::min(forwards.size(), b + warmup + 1); ++f) list.push_back(forwards[f]);
    list.push_back(backwards[b]);
  }
  return list;
}

}  // namespace

Result<Schedule> interleaved(const Plan& plan) {
  const Result<int> ranks = round_robin_ranks(plan);
  if (!ranks) return tl::unexpected(ranks.error());
  std::vector<std::vector<Operation>> lists;
  for (int rank = 0; rank < *ranks; ++rank) lists.push_back(list_of(plan, *ranks, rank));
  return Schedule{plan.micro_batches, true, lanes_of_ranks(plan, std::move(lists))};
}

}  // namespace pipedeck::schedule
