// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace pipedeck {

/// Called now and then by long work, from the thread that does it: done in [0, 1] and a few words on what is going on.
using Progress = std::function<void(double done, std::string_view what)>;

inline void report(const Progress& progress, double done, std::string_view what) {
  if (progress) progress(done, what);
}

}  // namespace pipedeck
