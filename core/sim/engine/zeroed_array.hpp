// SPDX-License-Identifier: Apache-2.0
// Arrays for the engine's counts by worker and micro-batch, of which a cancelled run touches few.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace pipedeck::sim::engine {

/// An array of zeros. The system gives a large one its memory page by page at the first use, so making it costs
/// nothing, and a run can be stopped meanwhile.
template <class Number>
class ZeroedArray {
  static_assert(std::is_arithmetic_v<Number>);

 public:
  explicit ZeroedArray(std::size_t size) : numbers_(static_cast<Number*>(std::calloc(size + 1, sizeof(Number)))) {
    if (!numbers_) throw std::bad_alloc();
  }
  Number& operator[](std::size_t i) { return numbers_[i]; }
  const Number& operator[](std::size_t i) const { return numbers_[i]; }

 private:
  struct Free {
    void operator()(Number* numbers) const { std::free(numbers); }
  };
  std::unique_ptr<Number[], Free> numbers_;
};

}  // namespace pipedeck::sim::engine
