// SPDX-License-Identifier: Apache-2.0
// The time and memory of a training step in several dimensions of parallelism.
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"

namespace pipedeck::sim::step {

/// Returns time and memory of a step. bad_input if the degrees divide neither model nor devices.
Result<mesh::Prediction> predict_step(const mesh::Question& question, const mesh::Rates& rates);

/// Returns its memory alone.
Result<mesh::Prediction> predict_memory(const mesh::Question& question, const mesh::Rates& rates);
/// Returns the memory of a step whose P v stages take that memory.
mesh::Prediction memory_prediction(const mesh::Question& question, const mesh::Rates& rates,
                                   std::span<const mesh::StageMemory> memory);

}  // namespace pipedeck::sim::step
