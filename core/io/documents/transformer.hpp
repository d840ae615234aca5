// SPDX-License-Identifier: Apache-2.0
// A computed profile's transformer: the member "transformer" of its file (formats.md, "Profile"), stored among the
// members that other readers need not know.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::io::documents {

/// Replaces the profile's previous one, and the type of its weights (weight_type.hpp).
Profile with_origin(Profile profile, const TransformerOrigin& origin);

/// Nothing: the profile was measured, or computed from something else. bad_input if the member is no transformer.
Result<std::optional<TransformerOrigin>> origin_of(const Profile& profile);

}  // namespace pipedeck::io::documents
