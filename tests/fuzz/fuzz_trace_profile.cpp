// SPDX-License-Identifier: Apache-2.0
// Traces whose modules become a profile, its layers found and chosen by depth.
#include <sys/mman.h>
#include <unistd.h>

#include "core/analytic/recorded/profile.hpp"
#include "core/io/traces/recording.hpp"
#include "core/plan/validate.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", 0);
  fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
  auto recording = io::traces::read_recording("/proc/self/fd/" + std::to_string(file));
  if (fuzz::judged(recording)) {
    recording->title = "net";
    for (const int depth : {-1, 0, 2}) {
      analytic::recorded::Options options;
      if (depth >= 0) options.depth = depth;
      const auto made = analytic::recorded::recorded_profile(*recording, options);
      if (fuzz::judged(made)) fuzz::require(plan::validate(made->profile).has_value() && !made->notes.empty());
    }
  }
  ::close(file);
  return 0;
}
