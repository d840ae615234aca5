// SPDX-License-Identifier: Apache-2.0
// Calibrations; what is read is written and read again, and is the same text.
#include "core/io/documents/calibration.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = io::documents::calibration_from_json(fuzz::text_of(data, size));
  if (!fuzz::judged(record)) return 0;
  const std::string text = io::documents::calibration_to_json(*record);
  const auto again = io::documents::calibration_from_json(text);
  fuzz::require(fuzz::judged(again) && io::documents::calibration_to_json(*again) == text);
  return 0;
}
