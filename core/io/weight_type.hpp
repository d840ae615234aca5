// SPDX-License-Identifier: Apache-2.0
// What a computed profile says of its weights: the member "weights" of its file (formats.md, "Profile"). Who trains
// weights of 16 bits keeps more of each than their own bytes tell.
#pragma once

#include <string>

#include "core/domain/profile.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// `type`: fp32, tf32, fp16 or bf16.
Profile with_weight_type(Profile profile, const std::string& type);

/// What training takes where nobody says otherwise: weights of 16 bits are trained in mixed precision (mixed-16),
/// others, and those of a profile that doesn't say, as fp32.
Precision training_precision(const Profile& profile);

}  // namespace pipedeck
