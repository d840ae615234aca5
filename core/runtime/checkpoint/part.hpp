// SPDX-License-Identifier: Apache-2.0
// One worker's part (shard) of a checkpoint: its layers, each with parameters, optimizer state and position in the
// whole layer. The parts of all stages supply any plan of the same model: with other stage boundaries, numbers of
// replicas or tensor-parallel degrees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::checkpoint {

/// A description that all parts of one step share.
struct Origin {
  std::uint64_t lineage = 0;  ///< hash of model, plan, data and initial checkpoint: lineages never mix
  std::string model;
  std::vector<ModelLayer> layers;  ///< of the model, including its loss
  std::uint64_t seed = 1;          ///< of the initial weights, or the hash of weights from a file
  DataSource data;
  double learning_rate = 0;
  std::string plan;
  std::uint64_t plan_hash = 0;  ///< older versions of the parameters are useful to the same plan only
  Optimizer optimizer = Optimizer::adam;
  int global_batch = 1;
  std::uint64_t step = 0;     ///< number of steps done
  std::uint64_t samples = 0;  ///< samples seen so far: index of the next one
  bool operator==(const Origin&) const = default;
};

/// A layer's values in a part, in this order: its parameters, then the optimizer's first moment (momentum's velocity,
/// RMSProp's squares, Adam's mean) and second (Adam's squares) if it has them. The older parameter versions that
/// asynchronous training still uses follow, oldest first.
struct LayerPart {
  int layer = 0;                               ///< index in the model
  std::int64_t whole = 0;                      ///< floats of the whole layer's parameters
  std::uint64_t updates = 0;                   ///< optimizer updates so far
  int states = 1;                              ///< 1 to 3: parameters and moments
  int older = 0;                               ///< number of older parameter versions, which follow the states
  std::vector<layers::ParameterBlock> blocks;  ///< which floats of the whole layer they are, in file order
  bool operator==(const LayerPart&) const = default;

  std::int64_t floats() const;  ///< of one state or version
  int lists() const { return states + older; }
};

struct Part {
  Origin origin;
  int worker = 0;
  DeviceId device;
  std::vector<LayerPart> layers;
  bool operator==(const Part&) const = default;

  std::int64_t floats() const;  ///< of all layers' lists, in file order
};

/// Returns the number of states that an optimizer stores per parameter, including the parameter.
int states_of(Optimizer optimizer);

/// Encodes everything except the values (docs/formats.md, "Checkpoint").
std::string encode(const Part& part);
/// Decodes a part. bad_input if it breaks the format's rules: blocks outside their layer, or unknown layers.
Result<Part> decode_part(std::string_view bytes);

/// Returns the FNV-1a hash of `bytes`, continued from `before`.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t before = 0xcbf29ce484222325u);
/// Returns a hash of the layers' kinds and sizes: models of equal hash can use each other's parameters.
std::uint64_t model_hash(const std::vector<ModelLayer>& layers);

/// Returns a hash of the assignment of computation to devices. Names, predictions and device identities do not count.
std::uint64_t plan_hash(const Plan& plan);

}  // namespace pipedeck::runtime::checkpoint
