// SPDX-License-Identifier: Apache-2.0
// The files of tests/fixtures/topology, and changed copies of them.
#pragma once

#include <string>

#include "core/io/files.hpp"
#include "tests/support/changed_text.hpp"
#include "tests/support/places.hpp"

namespace pipedeck::test {

inline std::string fixture(const std::string& name) { return *io::read_file(PIPEDECK_FIXTURES "/topology/" + name); }

}  // namespace pipedeck::test
