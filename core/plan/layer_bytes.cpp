// SPDX-License-Identifier: Apache-2.0
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::plan {
namespace {

Bytes of_degree(const Layer& layer, int degree, Bytes whole, std::optional<Bytes> PointDetails::*figure) {
  const TensorParallelPoint* point = degree > 1 ? point_of_degree(layer, degree) : nullptr;
  return point ? (point->details.*figure).value_or(whole) : whole;
}

}  // namespace

Weights& Weights::operator+=(const Weights& other) {
  all += other.all, whole += other.whole, states += other.states, copies += other.copies;
  return *this;
}

Weights weights_of(const Layer& layer) {
  return {layer.parameters, layer.replicated_parameters, layer.states.value_or(RankStates()),
          layer.memory ? layer.memory->weight_copy : Bytes()};
}

Weights reduced_weights(const Layer& layer) {
  if (!layer.states) return weights_of(layer);
  return {layer.states->reduced, layer.states->reduced, *layer.states};
}

Weights updated_weights(const Weights& weights) {
  if (weights.states.weights == Bytes()) return weights;
  return {weights.states.updated, weights.states.updated, weights.states};
}

Bytes share_of(const Weights& weights, int degree) {
  return weights.whole + Bytes(((weights.all - weights.whole).count + degree - 1) / degree);
}

Bytes share_of(const Weights& weights, const Stage& stage, int rank) {
  return weights.whole + shard_bytes(stage, weights.all - weights.whole, rank);
}

const TensorParallelPoint* point_of_degree(const Layer& layer, int degree) {
  for (const TensorParallelPoint& point : layer.tensor_parallel)
    if (point.degree == degree) return &point;
  return nullptr;
}

Bytes saved_bytes(const Layer& layer, int degree) {
  return of_degree(layer, degree, layer.saved, &PointDetails::saved);
}

Bytes workspace_bytes(const Layer& layer, int degree) {
  return of_degree(layer, degree, layer.workspace, &PointDetails::workspace);
}

bool output_in_columns(const Layer& layer, int degree) {
  const TensorParallelPoint* point = degree > 1 ? point_of_degree(layer, degree) : nullptr;
  if (!point || !point->details.saved || !point->details.workspace || point->forward_allreduce.count > 0) return false;
  return *point->details.saved != layer.saved || *point->details.workspace != layer.workspace;
}

int even_parts(const Stage& stage) { return stage.shard_fractions ? 1 : stage.tensor_parallel; }

}  // namespace pipedeck::plan
