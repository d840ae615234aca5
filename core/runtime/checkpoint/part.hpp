// SPDX-License-Identifier: Apache-2.0
// What one worker writes of a checkpoint: the layers it is to keep, each with its parameters and what the optimizer
// remembers of them, and where they lie in the whole layer. From the parts of all stages any plan of the same model can
// be supplied: other cuts, other numbers of replicas, other tensor-parallel degrees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/domain/ids.hpp"
#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

/// What all parts of one step have alike.
struct CheckpointOrigin {
  std::uint64_t lineage = 0;  ///< of model, plan, data and the checkpoint begun from: parts of other ones never mix
  std::string model;
  std::vector<ModelLayer> layers;  ///< of the model, its loss too
  std::uint64_t seed = 1;          ///< of the initial weights
  DataSource data;
  double learning_rate = 0;
  std::string plan;
  std::uint64_t plan_hash = 0;  ///< older versions of the parameters are of use to the same plan only
  Optimizer optimizer = Optimizer::adam;
  int global_batch = 1;
  std::uint64_t step = 0;     ///< steps done
  std::uint64_t samples = 0;  ///< seen in them: the next one's first
  bool operator==(const CheckpointOrigin&) const = default;
};

/// The values that are kept of a layer, in this order: its parameters, then the optimizer's first moment (momentum's
/// velocity, RMSProp's squares, Adam's mean) and second (Adam's squares) where it has them, then the older versions of
/// the parameters that asynchronous training still works with, oldest first.
struct LayerPart {
  int layer = 0;                       ///< of the model
  std::int64_t whole = 0;              ///< floats of the whole layer's parameters
  std::uint64_t updates = 0;           ///< of the optimizer so far
  int states = 1;                      ///< 1 to 3: parameters and moments
  int older = 0;                       ///< versions of the parameters behind them
  std::vector<ParameterBlock> blocks;  ///< which floats of the whole layer they are, in the order in which they follow
  bool operator==(const LayerPart&) const = default;

  std::int64_t floats() const;  ///< of one state or version
  int lists() const { return states + older; }
};

struct CheckpointPart {
  CheckpointOrigin origin;
  int worker = 0;
  DeviceId device;
  std::vector<LayerPart> layers;
  bool operator==(const CheckpointPart&) const = default;

  std::int64_t floats() const;  ///< of all layers' lists, which follow each other in the file
};

/// States that an optimizer keeps of a parameter, itself included.
int states_of(Optimizer optimizer);

/// Everything but the values, as bytes (docs/formats.md, "Checkpoint").
std::string encode(const CheckpointPart& part);
/// bad_input where it breaks the format's rules: blocks beyond their layer, layers that there are not.
Result<CheckpointPart> decode_part(std::string_view bytes);

/// FNV-1a of `bytes`, going on from `before`.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t before = 0xcbf29ce484222325u);
/// Of the layers' kinds and sizes: two models of one hash can use each other's parameters.
std::uint64_t model_hash(const std::vector<ModelLayer>& layers);

/// Of what decides which device computes what: not of names, predictions, or which devices they are.
std::uint64_t plan_hash(const Plan& plan);

}  // namespace pipedeck
