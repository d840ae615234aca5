// SPDX-License-Identifier: Apache-2.0
// Chrome traces, plain and packed; their reader takes files.
#include <sys/mman.h>
#include <unistd.h>

#include "core/io/traces/reader.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", 0);
  fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
  fuzz::judged(io::traces::read_trace("/proc/self/fd/" + std::to_string(file)));
  ::close(file);
  return 0;
}
