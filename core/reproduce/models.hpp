// SPDX-License-Identifier: Apache-2.0
// The models of the papers: measured profiles where they are at hand, else computed from shapes.
#pragma once

#include <string>

#include "core/domain/profile.hpp"
#include "core/reproduce/reproduction.hpp"

namespace pipedeck {

/// By its name in the papers: "BERT-48", "GNMT-16", ... Of the samples that the paper profiled it with. The device type
/// is the one of the cluster presets.
Result<Profile> paper_model(const Bench& bench, const std::string& name);
/// The same, always computed from shapes: where memory counts, which the measured profiles do not tell.
Result<Profile> computed_model(const std::string& name, int micro_batch);

}  // namespace pipedeck
