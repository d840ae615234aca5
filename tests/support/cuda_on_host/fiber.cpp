// SPDX-License-Identifier: Apache-2.0
#include <cuda_on_host/fiber.hpp>

#include <cstdint>
#include <stdexcept>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cuda_on_host/races.hpp>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_on_host {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

/// A stack with an inaccessible page below it.
class Stack {
 public:
  Stack() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    whole_ = mmap(nullptr, stack_bytes + page_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (whole_ == MAP_FAILED) throw std::runtime_error("no memory for the stack of a fiber");
    mprotect(whole_, page_, PROT_NONE);
  }
  ~Stack() { munmap(whole_, stack_bytes + page_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* begin() const { return static_cast<char*>(whole_) + page_; }
  void* end() const { return static_cast<char*>(begin()) + stack_bytes; }

 private:
  std::size_t page_;
  void* whole_;
};

}  // namespace

#if defined(__x86_64__)

// Saves the registers that a function must preserve by the System V ABI (rbx, rbp, r12 to r15) on the old stack, and
// restores them from the new one. It takes a few nanoseconds; swapcontext calls the kernel for the signal mask.
extern "C" void cuda_on_host_switch_stack(void** old_top, void* new_top);
asm(R"(
.text
.globl cuda_on_host_switch_stack
.hidden cuda_on_host_switch_stack
.type cuda_on_host_switch_stack, @function
cuda_on_host_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_on_host_switch_stack, .-cuda_on_host_switch_stack
)");

#endif

struct Fiber::Context {
  Stack stack;
#if defined(__x86_64__)
  void *own_top = nullptr, *caller_top = nullptr;
#else
  ucontext_t own{}, caller{};
#endif
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  const void* caller_stack = nullptr;
  std::size_t caller_bytes = 0;
#endif
#ifdef CUDA_ON_HOST_RACES
  void *thread = __tsan_create_fiber(0), *calling_thread = nullptr;

  ~Context() { __tsan_destroy_fiber(thread); }
  /// Forgets the functions that a fiber was in when it was given up.
  void renew_thread() {
    __tsan_destroy_fiber(thread);
    thread = __tsan_create_fiber(0);
  }
  void switch_in() {
    calling_thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread, __tsan_switch_to_fiber_no_sync);
  }
  void switch_out() { __tsan_switch_to_fiber(calling_thread, __tsan_switch_to_fiber_no_sync); }
#else
  void renew_thread() {}
  void switch_in() {}
  void switch_out() {}
#endif
};

namespace {
thread_local Fiber* entering = nullptr;
}

Fiber::Fiber() : context_(std::make_unique<Context>()) {}
Fiber::~Fiber() = default;

void Fiber::enter(Fiber* self) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &self->context_->caller_stack, &self->context_->caller_bytes);
#endif
  self->body();
}

void Fiber::body() {
  try {
    (*work_)();
  } catch (...) {
    failure_ = std::current_exception();
  }
  ended_ = true;
  leave(true);
}

void Fiber::start(const std::function<void()>& work) {
  Context& c = *context_;
  if (!ended_) c.renew_thread();
  work_ = &work;
  failure_ = nullptr;
  ended_ = false;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(c.stack.begin(), stack_bytes);  // what a fiber that never ended left there
#endif
  void (*const begin)() = [] { enter(entering); };
#if defined(__x86_64__)
  // From the top: an unused return address, the entry point, six registers. The first aligns the stack as after a call.
  auto* top = static_cast<std::uintptr_t*>(c.stack.end()) - 8;
  for (int i = 0; i < 8; ++i) top[i] = 0;
  top[6] = reinterpret_cast<std::uintptr_t>(begin);
  c.own_top = top;
#else
  getcontext(&c.own);
  c.own.uc_stack.ss_sp = c.stack.begin();
  c.own.uc_stack.ss_size = stack_bytes;
  c.own.uc_link = nullptr;
  makecontext(&c.own, begin, 0);
#endif
}

void Fiber::resume() {
  entering = this;
  Context& c = *context_;
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, c.stack.begin(), stack_bytes);
#endif
  c.switch_in();
#if defined(__x86_64__)
  cuda_on_host_switch_stack(&c.caller_top, c.own_top);
#else
  swapcontext(&c.caller, &c.own);
#endif
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  if (failure_) std::rethrow_exception(failure_);
}

void Fiber::leave([[maybe_unused]] bool for_good) {
  Context& c = *context_;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(for_good ? nullptr : &c.fake_stack, c.caller_stack, c.caller_bytes);
#endif
  c.switch_out();
#if defined(__x86_64__)
  cuda_on_host_switch_stack(&c.own_top, c.caller_top);
#else
  swapcontext(&c.own, &c.caller);
#endif
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(c.fake_stack, &c.caller_stack, &c.caller_bytes);
#endif
}

void Fiber::pause() { leave(false); }

}  // namespace cuda_on_host
