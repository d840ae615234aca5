// SPDX-License-Identifier: Apache-2.0
// The models of the papers: measured profiles if they are available, else computed from shapes.
#pragma once

#include <string>

#include "core/model/profile.hpp"
#include "core/reproduce/reproduction.hpp"

namespace pipedeck::reproduce {

/// Returns a model by its name in the papers: "BERT-48", "GNMT-16", ... Its profile has the paper's micro-batch. The
/// device type is the one of the cluster presets.
Result<Profile> paper_model(const Bench& bench, const std::string& name);
/// As above, but always computed from shapes: for memory, which the measured profiles lack.
Result<Profile> computed_model(const std::string& name, int micro_batch);

}  // namespace pipedeck::reproduce
