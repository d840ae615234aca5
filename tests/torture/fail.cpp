// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: makes an allocation or a system call fail, counted from the begin of its main function.
//   TORTURE_KIND=memory|calls   what fails
//   TORTURE_AT=N                the Nth one; 0: none
//   TORTURE_ALWAYS=1            and all that follow
//   TORTURE_COUNT=FILE          gets their number when the program ends
#include <dlfcn.h>
#include <errno.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

using Main = int (*)(int, char**, char**);

Main program = nullptr;
std::atomic<long> count{0};
std::atomic<bool> begun{false};
bool of_memory = false, always = false;
long at = 0;
int count_file = -1;

template <class Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool fails(bool memory, int error) {
  if (!begun || memory != of_memory) return false;
  const long number = ++count;
  if (at == 0 || (always ? number < at : number != at)) return false;
  errno = error;
  return true;
}

long number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : 0;
}

int counted_main(int arguments, char** values, char** environment) {
  begun = true;
  return program(arguments, values, environment);
}

struct AtEnd {
  ~AtEnd() {
    begun = false;
    if (count_file >= 0) dprintf(count_file, "%ld\n", count.load());
  }
} at_end;

}  // namespace

#define CALL(type, name, parameters, arguments, failed, error)                       \
  type name parameters {                                                             \
    static auto* const real = next(#name, static_cast<type(*) parameters>(nullptr)); \
    return fails(false, error) ? failed : real arguments;                            \
  }
#define EACH(CALL_OF, name) CALL_OF(name) CALL_OF(name##64)
#define OPEN(name) CALL(int, name, (const char* path, int flags, unsigned mode), (path, flags, mode), -1, EMFILE)
#define FOPEN(name) CALL(FILE*, name, (const char* path, const char* mode), (path, mode), nullptr, EMFILE)
#define PREAD(name) \
  CALL(long, name, (int file, void* to, std::size_t bytes, long place), (file, to, bytes, place), -1, EIO)
#define PWRITE(name) \
  CALL(long, name, (int file, const void* from, std::size_t bytes, long place), (file, from, bytes, place), -1, ENOSPC)
#define TRUNCATE(name) CALL(int, name, (int file, long bytes), (file, bytes), -1, EIO)

extern "C" {

int __libc_start_main(Main main_of_program, int arguments, char** values, void (*init)(), void (*fini)(),
                      void (*linker)(), void* stack) {
  program = main_of_program;
  of_memory = std::getenv("TORTURE_KIND") && std::strcmp(std::getenv("TORTURE_KIND"), "memory") == 0;
  always = number_in("TORTURE_ALWAYS") != 0;
  at = number_in("TORTURE_AT");
  using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  if (const char* path = std::getenv("TORTURE_COUNT"))
    count_file = next("creat", static_cast<int (*)(const char*, unsigned)>(nullptr))(path, 0600);
  return next("__libc_start_main", static_cast<Start*>(nullptr))(counted_main, arguments, values, init, fini, linker,
                                                                 stack);
}

void* malloc(std::size_t bytes) { return fails(true, ENOMEM) ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t number, std::size_t bytes) {
  return fails(true, ENOMEM) ? nullptr : __libc_calloc(number, bytes);
}
void* realloc(void* old, std::size_t bytes) { return fails(true, ENOMEM) ? nullptr : __libc_realloc(old, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails(true, ENOMEM) ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  void* const got = memalign(alignment, bytes);
  if (!got) return ENOMEM;
  *to = got;
  return 0;
}

EACH(OPEN, open)
EACH(FOPEN, fopen)
EACH(PREAD, pread)
EACH(PWRITE, pwrite)
EACH(TRUNCATE, ftruncate)
CALL(long, read, (int file, void* to, std::size_t bytes), (file, to, bytes), -1, EIO)
CALL(long, write, (int file, const void* from, std::size_t bytes), (file, from, bytes), -1, ENOSPC)
CALL(int, fsync, (int file), (file), -1, EIO)
CALL(int, fdatasync, (int file), (file), -1, EIO)
CALL(int, fflush, (FILE * file), (file), -1, ENOSPC)
CALL(int, rename, (const char* from, const char* to), (from, to), -1, EIO)
// oneDNN crashes where it gets no memory for its code.
void* mmap(void* place, std::size_t bytes, int protection, int flags, int file, long from) {
  static auto* const real = next("mmap", static_cast<void* (*)(void*, std::size_t, int, int, int, long)>(nullptr));
  Dl_info caller{};
  const bool counts = dladdr(__builtin_return_address(0), &caller) == 0 || !std::strstr(caller.dli_fname, "libdnnl");
  return counts && fails(false, ENOMEM) ? reinterpret_cast<void*>(-1)
                                        : real(place, bytes, protection, flags, file, from);
}
void* mmap64(void* place, std::size_t bytes, int protection, int flags, int file, long from)
    __attribute__((alias("mmap")));
int close(int file) {  // closed all the same
  static auto* const real = next("close", static_cast<int (*)(int)>(nullptr));
  const int closed = real(file);
  return fails(false, EIO) ? -1 : closed;
}
}
