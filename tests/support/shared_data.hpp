// SPDX-License-Identifier: Apache-2.0
// Real profiles and test vectors lie beside the repository (../shared/data) and are not part of it: a test that needs
// them skips, visibly, where they are not (QSKIP).
#pragma once

#include <string>

namespace pipedeck::test {

/// Folder of this repository.
std::string source_dir();
/// ../shared/data, or what PIPEDECK_SHARED_DATA says; empty where it is not there.
std::string shared_data();

}  // namespace pipedeck::test
