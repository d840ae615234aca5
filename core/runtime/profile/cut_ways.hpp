// SPDX-License-Identifier: Apache-2.0
// What a device needs of a layer that is cut over several, for each way to cut it: which one a stage takes depends on
// the layers around it (sharding.hpp, cut_path.hpp).
#pragma once

#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/profile.hpp"
#include "core/runtime/backend.hpp"
#include "core/runtime/model_parts.hpp"

namespace pipedeck {

/// Of each layer, on the first of `degree` ranks, from passes over `micro_batch` samples and over one, on `device`,
/// which is the backend's. Errors as of sharding_ways.
Result<std::vector<std::vector<CutWay>>> measure_cut_ways(const ModelSpec& model, const ModelParts& parts, int degree,
                                                          int micro_batch, const Backend& backend,
                                                          const std::shared_ptr<ComputeDevice>& device);

/// Of `all` bytes what a rank that has `own` of them holds beyond an even part of the rest: what every rank holds
/// whole, where parts are even; else, of the rank with the most, so much more that its share is right.
Bytes held_whole(Bytes all, Bytes own, int degree);

/// Makes `memory`, measured with `samples`, never too small for fewer of them, by what was measured with one.
void add_fixed_parts(LayerMemory& memory, const LayerMemory& of_one, int samples);

}  // namespace pipedeck
