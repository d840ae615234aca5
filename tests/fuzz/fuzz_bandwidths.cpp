// SPDX-License-Identifier: Apache-2.0
// Tables of bandwidths, made into a cluster.
#include "core/io/topology/bandwidth_matrix.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto found = io::topology::matrix_from_csv(fuzz::text_of(data, size), "fuzz");
  // Options may be missing, but nothing else may be wrong with what was read.
  if (fuzz::judged(found)) fuzz::judged(presets::cluster_of(*std::move(found)));
  return 0;
}
