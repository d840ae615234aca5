// SPDX-License-Identifier: Apache-2.0
// Slurm's nodes and switches, made into a cluster.
#include "core/io/topology/slurm.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto found = io::topology::machines_from_slurm(fuzz::text_of(data, size));
  // Options may be missing, but nothing else may be wrong with what was read.
  if (fuzz::judged(found)) fuzz::judged(presets::cluster_of(*std::move(found)));
  return 0;
}
