// SPDX-License-Identifier: Apache-2.0
// What a computed profile says of the transformer that it was computed from: the member "transformer" of its file
// (formats.md, "Profile"), kept among the members that other readers need not know.
#pragma once

#include <optional>

#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"
#include "core/domain/transformer_origin.hpp"

namespace pipedeck {

/// In place of what the profile said before; the type of its weights (weight_type.hpp), too.
Profile with_origin(Profile profile, const TransformerOrigin& origin);

/// Nothing: the profile was measured, or computed from something else. bad_input where what it says is no transformer.
Result<std::optional<TransformerOrigin>> origin_of(const Profile& profile);

}  // namespace pipedeck
