// SPDX-License-Identifier: Apache-2.0
// The parts of a plan that the trainer runs, ignores or refuses (runtime.md, "Plans of version 2").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/tensor/optimizer.hpp"

namespace pipedeck::runtime::exec {

/// Refuses a plan whose weights after training would not be those that it promises. bad_input with the value found and
/// the value expected.
Result<void> check_features(const Plan& plan, const Schedule& schedule);

/// Returns the plan for the model's plannable layers. A profile computed from a transformer ends in a layer for the
/// loss: a plan for it may end there, too.
Plan without_loss_layer(Plan plan, const ModelSpec& model);

/// Returns the model with the plan's capacity factor: the share of an even share of a sample's choices that an expert
/// takes.
ModelSpec with_capacity(ModelSpec model, const Plan& plan);

/// Returns the model with the plan's adapters (layers/adapters.hpp), unless it has some. `alpha` 0: their rank.
ModelSpec with_adapters(ModelSpec model, const Plan& plan, int alpha);
/// Refuses adapters that no layer takes, or whose kernels the backend lacks. bad_input.
Result<void> check_adapters(const ModelSpec& model, const layers::KernelRegistry& kernels);

/// Refuses a model whose head shares the embedding's table with stages that update apart. bad_input.
Result<void> check_tied_ends(const ModelSpec& model, const Plan& plan);

/// Returns the sharding that the trainer applies. `zero` of a plan of version 1 is a level over all replicas.
Sharding sharding_of(const Plan& plan);

/// Returns where the optimizer's states are. `offloads`: devices can have them on their hosts; else they are on the
/// devices, as on the CPU, whose memory is the host's.
tensor::StatePlace state_place(const Plan& plan, bool offloads);

/// Returns for each layer of a stage whether what it keeps is on the host: those of the stage's first blocks. Empty if
/// nothing is, also where devices do not offload.
std::vector<bool> offloaded_layers(const ModelSpec& model, const Plan& plan, std::size_t stage, bool offloads);

/// Returns remarks on parts of a plan that a run does in another way, without effect on the weights: sequence
/// parallelism, unless the backend `divides_tokens`, a precision other than `computed`, that of the run's products,
/// choices of other engines, and offload, unless the backend `offloads`.
std::vector<std::string> remarks_on(const Plan& plan, std::string_view computed, bool divides_tokens,
                                    bool offloads = false);

}  // namespace pipedeck::runtime::exec
