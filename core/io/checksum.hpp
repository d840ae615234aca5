// SPDX-License-Identifier: Apache-2.0
// SHA-256 checksums in lower-case hexadecimal.
#pragma once

#include <string>

#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io {

std::string sha256(const std::string& bytes);
/// Returns the checksum of the canonical JSON text, so that formatting and the order of unknown keys do not matter.
std::string sha256_of(const Profile& profile);
std::string sha256_of(const Cluster& cluster);

}  // namespace pipedeck::io
