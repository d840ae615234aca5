// SPDX-License-Identifier: Apache-2.0
#include "tests/core/runtime/cuda/kernel_case.hpp"

#include <algorithm>
#include <cstdlib>

namespace pipedeck::test {
namespace {

/// Drawn values are about 1: a single gelu(-5) consists of the rounding of such numbers.
constexpr double least = 0.5;

std::uint64_t chosen_seed() {
  if (const char* given = std::getenv("PIPEDECK_TEST_SEED")) return std::strtoull(given, nullptr, 10);
  return std::random_device{}();
}

}  // namespace

Fresh::Fresh() : seed_(chosen_seed()), engine_(seed_) {}

std::string difference(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  if (found.size() != expected.size()) return "found " + std::to_string(found.size()) + " values";
  double squares = 0;
  for (const double value : expected) squares += value * value;
  const double typical =
      expected.empty() ? least : std::max(least, std::sqrt(squares / static_cast<double>(expected.size())));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= tolerance * std::max(std::abs(expected[i]), typical)))
      return "value " + std::to_string(i) + " of " + std::to_string(found.size()) + ": found " +
             std::to_string(found[i]) + ", expected " + std::to_string(expected[i]) + " (typical " +
             std::to_string(typical) + ")";
  return {};
}

double distance(const std::vector<double>& found, const std::vector<double>& expected) {
  double apart = 0, all = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    apart += (found[i] - expected[i]) * (found[i] - expected[i]);
    all += expected[i] * expected[i];
  }
  return std::sqrt(apart / all);
}

void same_in_every_order(const std::function<Bytes()>& run) {
  Bytes first;
  bool any = false;
  in_every_order([&] {
    Bytes bytes = run();
    if (any && bytes != first) throw std::runtime_error("another order of the threads gives other bits");
    any = true;
    first = std::move(bytes);
  });
}

}  // namespace pipedeck::test
