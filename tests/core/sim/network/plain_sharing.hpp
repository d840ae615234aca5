// SPDX-License-Identifier: Apache-2.0
// Flows that share links max-min fairly, by the definition and without bookkeeping: at every start or end the rates of
// all flows are computed again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pipedeck::test {

/// A phase: bytes over links after a delay. A collective uses a link once for each hop over it.
struct PlainPhase {
  double delay = 0;                    ///< ns
  double bytes = 0, rate = 0;          ///< bytes; maximum bytes per second
  std::map<std::string, double> uses;  ///< by link
};

struct PlainFlow {
  std::vector<PlainPhase> phases;
  std::string queue;                   ///< flows of one queue go one at a time, in order of `ready`
  std::int64_t ready = 0;              ///< ns
  std::tuple<int, int, int, int> tie;  ///< order of flows that are ready at once
  std::int64_t start = 0, end = 0;     ///< the result
};

/// Computes start and end of all flows. `capacity`: bytes per second, by link.
void share_links(std::vector<PlainFlow>& flows, const std::map<std::string, double>& capacity);

}  // namespace pipedeck::test
