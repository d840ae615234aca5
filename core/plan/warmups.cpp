// SPDX-License-Identifier: Apache-2.0
#include "core/plan/warmups.hpp"

#include <algorithm>

namespace pipedeck::plan {

std::vector<int> policy_warmups(int stages, int micro_batches, Warmup policy) {
  std::vector<int> counts;
  for (int i = 0; i < stages; ++i) {
    const int wanted = policy == Warmup::A ? stages - i : 2 * (stages - i) - 1;
    counts.push_back(std::min(wanted, micro_batches));
  }
  return counts;
}

}  // namespace pipedeck::plan
