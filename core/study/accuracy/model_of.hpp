// SPDX-License-Identifier: Apache-2.0
// The model of a published run as a transformer's shape.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/transformer_config.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

/// Returns bad_input with a reason if the columns do not give a transformer. Adds what is assumed to `notes`.
Result<TransformerConfig> model_of(const PublishedRun& run, std::vector<std::string>& notes);

}  // namespace pipedeck::study::accuracy
