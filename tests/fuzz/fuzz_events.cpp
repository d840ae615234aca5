// SPDX-License-Identifier: Apache-2.0
// Events of runs, a JSON object a line.
#include "core/io/documents/formats.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto events = io::documents::events_from_lines(fuzz::text_of(data, size));
  if (fuzz::judged(events))
    for (const RunEvent& event : events->events)
      fuzz::judged(io::documents::event_from_json(io::documents::event_to_json(event)));
  return 0;
}
