// SPDX-License-Identifier: Apache-2.0
// How often tests repeat themselves.
#pragma once

#include <cstdlib>

namespace pipedeck::test {

/// Returns true in .ci/nightly, where tests repeat themselves more often.
inline bool nightly() { return std::getenv("PIPEDECK_NIGHTLY") != nullptr; }

/// Returns PIPEDECK_RANDOM_PROBLEMS if set, else `usual`: the random problems of each kind. From 500 on, tests include
/// larger problems.
inline int random_problems(int usual = 60) {
  const char* wanted = std::getenv("PIPEDECK_RANDOM_PROBLEMS");
  return wanted ? std::atoi(wanted) : usual;
}

}  // namespace pipedeck::test
