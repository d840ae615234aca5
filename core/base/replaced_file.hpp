// SPDX-License-Identifier: Apache-2.0
// A file that is replaced by one written under another name in the same folder: its path, and what the new file keeps.
#pragma once

#include <sys/stat.h>

#include <string>

#include "core/base/result.hpp"

namespace pipedeck {

/// Returns the file at the end of a chain of links, which need not exist. io if the chain has no end.
Result<std::string> end_of_links(const std::string& path);

/// Returns a name for files that accompany one of this name, short enough for endings of 35 bytes. Long names keep
/// their begin and get a checksum.
std::string companion_name(const std::string& name);

/// Returns TARGET.PROCESS-ATTEMPT.tmp.
std::string temporary_path(const std::string& target, int attempt = 0);
/// Removes temporary files of `target` that killed processes of this machine left.
void remove_stale_temporaries(const std::string& target);

/// Gives a new file the owner and the permissions of the one that it replaces, without the set-uid bits.
void keep_owner(int descriptor, const struct ::stat& before);

}  // namespace pipedeck
