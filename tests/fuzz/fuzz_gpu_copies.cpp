// SPDX-License-Identifier: Apache-2.0
// What p2pBandwidthLatencyTest and nvbandwidth print, made into a cluster.
#include "core/io/topology/gpu_copies.hpp"
#include "core/io/topology/gpu_copies_json.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  io::topology::looks_like_gpu_copies(text);
  const auto document = io::json::parse(text);
  auto found = document ? io::topology::machines_from_gpu_copies(*document, "fuzz")
                        : io::topology::machines_from_gpu_copies(text, "fuzz");
  // Options may be missing, but nothing else may be wrong with what was read.
  if (fuzz::judged(found)) fuzz::judged(presets::cluster_of(*std::move(found)));
  return 0;
}
