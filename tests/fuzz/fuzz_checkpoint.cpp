// SPDX-License-Identifier: Apache-2.0
// Parts of checkpoints: the whole file, and the header alone, which no checksum protects here.
#include <sys/mman.h>
#include <unistd.h>

#include "core/runtime/checkpoint/shard_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto part = runtime::checkpoint::decode_part(fuzz::text_of(data, size));
  if (fuzz::judged(part)) {
    const auto again = runtime::checkpoint::decode_part(runtime::checkpoint::encode(*part));
    fuzz::require(fuzz::judged(again) && runtime::checkpoint::encode(*again) == runtime::checkpoint::encode(*part));
  }
  const int file = ::memfd_create("fuzz", 0);
  fuzz::require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
  const auto shard = runtime::checkpoint::ShardFile::open("/proc/self/fd/" + std::to_string(file));
  if (fuzz::judged(shard)) fuzz::judged(shard->verify());
  ::close(file);
  return 0;
}
