// SPDX-License-Identifier: Apache-2.0
// Points of capacity sweeps; what is read is written and read again, and is the same text.
#include "core/io/documents/capacity.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto points = io::documents::capacity_points_from_json(fuzz::text_of(data, size));
  if (!fuzz::judged(points)) return 0;
  const std::string text = io::documents::capacity_points_to_json(*points);
  const auto again = io::documents::capacity_points_from_json(text);
  fuzz::require(fuzz::judged(again) && io::documents::capacity_points_to_json(*again) == text);
  return 0;
}
