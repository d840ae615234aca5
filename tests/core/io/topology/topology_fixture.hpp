// SPDX-License-Identifier: Apache-2.0
// The files of tests/fixtures/topology, and changed copies of them.
#pragma once

#include <string>

#include "core/base/checks.hpp"
#include "core/io/files.hpp"
#include "tests/support/places.hpp"

namespace pipedeck::test {

inline std::string fixture(const std::string& name) { return *io::read_file(PIPEDECK_FIXTURES "/topology/" + name); }

/// Replaces the first occurrence of `from`, which must exist.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ensure(at != text.npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace pipedeck::test
