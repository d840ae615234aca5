// SPDX-License-Identifier: Apache-2.0
// The bytes that cross a cut of the layer order: the sum of the outputs used after it. A skip connection over several
// stages counts at each cut that it crosses. Layers of kind "data" never cross.
#pragma once

#include <span>
#include <vector>

#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// Returns for each p in 0..N the bytes per profile micro-batch that cross between positions p-1 and p of `order`; 0 at
/// both ends.
std::vector<Bytes> boundary_bytes(const Profile& profile, std::span<const LayerId> order);

/// Returns the bytes per profile micro-batch that each position of `order` takes from other layers, each output once.
std::vector<Bytes> input_bytes(const Profile& profile, std::span<const LayerId> order);
/// Returns the bytes of the outputs that positions [first, first + n) take together, each output once, for n = 1, 2,
/// ...
std::vector<Bytes> joint_input_bytes(const Profile& profile, std::span<const LayerId> order, int first);
/// Returns the bytes of the outputs that at least one of these layers takes, each output once.
Bytes input_bytes_of(const Profile& profile, const std::vector<bool>& takes);

}  // namespace pipedeck::plan
