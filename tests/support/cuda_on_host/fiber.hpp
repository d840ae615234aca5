// SPDX-License-Identifier: Apache-2.0
// A function with a stack of its own that runs in turns with its caller.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace cuda_on_host {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes ready to run `work` from its beginning; whatever ran before is forgotten.
  void start(const std::function<void()>& work);
  /// Runs until the fiber pauses or ends. Throws what `work` threw.
  void resume();
  /// Called from within: back to whoever resumed it.
  void pause();
  bool ended() const { return ended_; }

 private:
  struct Context;
  static void enter(Fiber* self);
  void body();
  void leave(bool for_good);

  std::unique_ptr<Context> context_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr failure_;
  bool ended_ = true;
};

}  // namespace cuda_on_host
