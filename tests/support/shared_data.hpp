// SPDX-License-Identifier: Apache-2.0
// Real profiles and test vectors are next to the repository (../shared/data) and not part of it: a test that needs them
// skips visibly without them (QSKIP).
#pragma once

#include <string>

namespace pipedeck::test {

/// Folder of this repository.
std::string source_dir();
/// Returns ../shared/data, or the value of PIPEDECK_SHARED_DATA; empty if it does not exist.
std::string shared_data();

}  // namespace pipedeck::test
