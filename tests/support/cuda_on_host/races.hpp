// SPDX-License-Identifier: Apache-2.0
// States to ThreadSanitizer the guarantees of CUDA of a kernel's threads, in builds with it. Each thread of a kernel is
// a fiber of ThreadSanitizer, and switches order nothing. Only barriers, and a kernel's begin and end, do. The runner
// is compiled without instrumentation, kernels with it. Elsewhere these functions do nothing.
#pragma once

#ifdef CUDA_ON_HOST_RACES
#include <sanitizer/tsan_interface.h>

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace cuda_on_host {

#ifdef CUDA_ON_HOST_RACES

inline constexpr unsigned sets_of_threads = 2;

/// Later observe(at) of other threads see what this thread did before.
inline void publish(void* at) { __tsan_release(at); }
inline void observe(void* at) { __tsan_acquire(at); }

/// A scope whose accesses are the runner's, such as a warp's exchange of registers.
class Unobserved {
 public:
  Unobserved() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~Unobserved() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;
};

#else

inline constexpr unsigned sets_of_threads = 1;
inline void publish(void*) {}
inline void observe(void*) {}
class Unobserved {
 public:
  Unobserved() {}
};

#endif

}  // namespace cuda_on_host
