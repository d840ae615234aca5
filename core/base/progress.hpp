// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace pipedeck {

/// A callback of long work, called on its thread: the fraction done in [0, 1] and a short description of the current
/// step.
using Progress = std::function<void(double done, std::string_view what)>;

inline void report(const Progress& progress, double done, std::string_view what) {
  if (progress) progress(done, what);
}

}  // namespace pipedeck
