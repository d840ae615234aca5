// SPDX-License-Identifier: Apache-2.0
// Layer graphs; what is read is written and read again.
#include "core/io/profiles/graph_text.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = io::profiles::profile_from_graph_text(fuzz::text_of(data, size), "fuzz", 4);
  if (fuzz::judged(profile))
    fuzz::judged(io::profiles::profile_from_graph_text(io::profiles::profile_to_graph_text(*profile), "fuzz", 4));
  return 0;
}
