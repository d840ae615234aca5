// SPDX-License-Identifier: Apache-2.0
// What crosses a cut of the layer order: the sum of the outputs used behind it. A skip connection over several stages
// counts at each cut that it crosses; layers of kind "data" never cross.
#pragma once

#include <span>
#include <vector>

#include "core/domain/profile.hpp"

namespace pipedeck {

/// Entry p (0..N): bytes for one profile micro-batch that cross between positions p-1 and p of `order`; 0 at both ends.
std::vector<Bytes> cut_bytes(const Profile& profile, std::span<const LayerId> order);

}  // namespace pipedeck
