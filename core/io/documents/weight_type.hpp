// SPDX-License-Identifier: Apache-2.0
// The type of a computed profile's weights: the member "weights" of its file (formats.md, "Profile"). Training of
// 16-bit weights needs more memory per weight than its own bytes.
#pragma once

#include <string>

#include "core/model/profile.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::io::documents {

/// `type`: fp32, tf32, fp16 or bf16.
Profile with_weight_type(Profile profile, const std::string& type);

/// Returns the default precision of training: mixed-16 for 16-bit weights; fp32 for others, and for a profile without
/// the type.
Precision training_precision(const Profile& profile);

}  // namespace pipedeck::io::documents
