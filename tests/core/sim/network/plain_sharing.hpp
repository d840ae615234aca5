// SPDX-License-Identifier: Apache-2.0
// Flows that share links max-min fairly, by the definition and without any bookkeeping: at every instant at which
// something begins or ends, the rates of all flows are found anew.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pipedeck::test {

/// Bytes over links after a delay. A collective passes a link several times where several of its hops do.
struct PlainPhase {
  double delay = 0;                    ///< ns
  double bytes = 0, rate = 0;          ///< bytes, and the most bytes a second
  std::map<std::string, double> uses;  ///< by link
};

struct PlainFlow {
  std::vector<PlainPhase> phases;
  std::string queue;                   ///< flows of one queue go one at a time, as they get ready
  std::int64_t ready = 0;              ///< ns
  std::tuple<int, int, int, int> tie;  ///< among those ready at once
  std::int64_t start = 0, end = 0;     ///< the answer
};

/// `capacity`: bytes a second, by link.
void share_links(std::vector<PlainFlow>& flows, const std::map<std::string, double>& capacity);

}  // namespace pipedeck::test
