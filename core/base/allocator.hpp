// SPDX-License-Identifier: Apache-2.0
// The allocator's settings for a whole program.
#pragma once

#include <malloc.h>

namespace pipedeck {

/// Keeps freed memory in the process, up to 256 MiB. Searches allocate and free arrays of megabytes all the time. Each
/// return to the system costs page faults later, and they hold up the window's thread too. Call it once, first in main.
inline void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that glibc accepts
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace pipedeck
