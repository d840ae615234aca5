// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/pipeline_floor.hpp"

#include <algorithm>

namespace pipedeck::planner::mesh {

Seconds pipeline_floor(std::span<const FloorStage> stages, int ranks, int micro_batches) {
  const auto p = static_cast<std::size_t>(ranks), all = stages.size(), chunks = all / p;
  const double m = micro_batches;
  std::vector<Seconds> start(p), end(p);
  Seconds reached;  // by the first micro-batch
  for (std::size_t r = 0; r < p; ++r) {
    if (r > 0) reached += stages[r - 1].forward + stages[r - 1].send;
    reached = start[r] = std::max(reached, stages[r].begin);
    for (std::size_t s = r; s < all; s += p) end[r] += (stages[s].forward + stages[s].backward) * m;
    end[r] += start[r];
  }
  if (chunks == 1) {  // a rank has at most K micro-batches under way: each K-th one waits for the way there and back
    Seconds way;
    for (std::size_t r = p; r-- > 0;) {
      way += stages[r].forward + stages[r].backward + (r + 1 < p ? stages[r].send * 2 : Seconds());
      const int kept = std::min(ranks - static_cast<int>(r), micro_batches);
      const int rounds = (micro_batches - 1) / kept, others = (micro_batches - 1) % kept;
      end[r] = std::max(end[r], start[r] + stages[r].forward * others + way * (rounds + 1));
    }
  }
  Seconds last;
  for (std::size_t r = p; r-- > 0;) {
    if (r + 1 < p) end[r] = std::max(end[r], end[r + 1] + stages[r].send + stages[r].backward);
    Seconds optimizer, behind;  // backwards of the last group of micro-batches on earlier stages
    for (std::size_t s = r; s < all; s += p) {
      const Seconds begun = std::max(end[r] - behind, Seconds()) - stages[s].backward;
      Seconds lane;
      for (const auto& [ready, time] : stages[s].reductions) lane = std::max(lane, begun + ready) + time;
      last = std::max(last, lane + stages[s].optimizer);
      optimizer += stages[s].optimizer;
      behind += stages[s].backward *
                std::max(ranks, micro_batches >= 2 * ranks ? ranks + micro_batches % ranks : micro_batches);
    }
    last = std::max(last, end[r] + optimizer);
  }
  return last;
}

}  // namespace pipedeck::planner::mesh
