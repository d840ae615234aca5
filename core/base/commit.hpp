// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pipedeck {

/// The commit that a program was built from, with a plus if its files differ; empty if it is not known. Programs alone
/// link it (pipedeck_commit), so that a commit compiles nothing else anew.
extern const char* const commit;

}  // namespace pipedeck
