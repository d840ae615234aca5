// SPDX-License-Identifier: Apache-2.0
// Collectives in the traces of two ranks; their reader takes files.
#include <sys/mman.h>
#include <unistd.h>

#include "core/study/autopsy/late_ranks.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("fuzz", 0);
  fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
  auto read = io::traces::read_collectives("/proc/self/fd/" + std::to_string(file));
  ::close(file);
  if (!fuzz::judged(read)) return 0;
  auto other = *read;
  other.rank = read->rank + 1;
  if (!other.kernels.empty()) other.kernels.front().start += 1000;
  const auto late = study::autopsy::late_ranks({*read, other});
  if (fuzz::judged(late)) fuzz::require(!findings_of(*late, {}).empty());
  return 0;
}
