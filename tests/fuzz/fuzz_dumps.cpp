// SPDX-License-Identifier: Apache-2.0
// Dumps of PyTorch: pickles, memory snapshots, the flight recorder. Each one that is read can be analysed.
#include "core/io/dumps/files.hpp"
#include "core/study/autopsy/autopsy.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

namespace {

void check(const io::dumps::MemorySnapshot& snapshot) {
  for (const study::autopsy::MeasuredPile& pile : study::autopsy::measured_piles(snapshot)) {
    fuzz::require(!pile.points.empty() && pile.points.size() <= study::autopsy::most_points);
    fuzz::require(!findings_of(pile).empty());
  }
}

void check(const io::dumps::FlightDump& dump) {
  io::dumps::FlightDump other = dump;
  other.rank = dump.rank + 1;
  if (!other.entries.empty()) other.entries.pop_back();
  const auto found = study::autopsy::collectives_autopsy({dump, other});
  if (fuzz::judged(found)) fuzz::require(!findings_of(*found, {}).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto dump = io::dumps::dump_of("nccl_trace_rank_0", fuzz::text_of(data, size));
  if (fuzz::judged(dump)) std::visit([](const auto& value) { check(value); }, *dump);
  return 0;
}
