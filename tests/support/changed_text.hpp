// SPDX-License-Identifier: Apache-2.0
// Changed copies of texts.
#pragma once

#include <string>

#include "core/base/checks.hpp"

namespace pipedeck::test {

/// Replaces the first occurrence of `from`, which must exist.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ensure(at != text.npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace pipedeck::test
