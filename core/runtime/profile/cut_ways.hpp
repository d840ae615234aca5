// SPDX-License-Identifier: Apache-2.0
// The memory that a device needs for a sharded layer, for each sharding of it. The stage's choice of shardings depends
// on the neighbouring layers (sharding.hpp, plan/sharding_path.hpp).
#pragma once

#include <vector>

#include "core/model/model.hpp"
#include "core/model/profile.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/layers/backend.hpp"

namespace pipedeck::runtime::profile {

/// Measures each layer on the first of `degree` ranks, with passes over `micro_batch` samples and over one. `device` is
/// the backend's. Fails like sharding_ways.
Result<std::vector<std::vector<ShardingCost>>> measure_sharding_memory(
    const ModelSpec& model, const exec::ModelParts& parts, int degree, int micro_batch, const layers::Backend& backend,
    const std::shared_ptr<tensor::ComputeDevice>& device);

/// Returns the bytes that a rank with `own` of `all` bytes holds in addition to an even share of the rest. For even
/// shards this is the replicated part. Otherwise it corrects the share of the rank with the most.
Bytes replicated_bytes(Bytes all, Bytes own, int degree);

/// Raises `memory`, measured with `samples`, so that it also suffices for fewer, by the measurement of one sample.
void add_fixed_bytes(LayerMemory& memory, const LayerMemory& of_one, int samples);

}  // namespace pipedeck::runtime::profile
