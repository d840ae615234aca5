// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/fused/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::runtime::cuda::fused {
namespace {

std::vector<Descriptor> configurations(const OperationGraph& graph, cudnnBackendHeurMode_t mode, const Target& target) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.get());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (target.described) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, target.described);
  heuristics.finalise();
  return heuristics.copies(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
}

bool is_deterministic(const Descriptor& configuration) {
  for (const Descriptor& engine : configuration.copies(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR)) {
    const auto notes = engine.notes(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    if (std::ranges::find(notes, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) != notes.end()) return false;
  }
  return true;
}

Descriptor plan_of(const Descriptor& configuration, const Target& target) {
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (target.handle) plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, target.handle);
  if (target.described) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, target.described);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration.get());
  plan.finalise();
  return plan;
}

}  // namespace

Plan::Plan(OperationGraph graph, const Target& target, std::size_t most_workspace) : graph_(std::move(graph)) {
  std::string reason = "its heuristics offer nothing";
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
    if (try_mode(mode, target, most_workspace, reason)) return;
  throw Unavailable(reason);
}

bool Plan::try_mode(cudnnBackendHeurMode_t mode, const Target& target, std::size_t most_workspace,
                    std::string& reason) {
  try {
    for (Descriptor& configuration : configurations(graph_, mode, target)) try {
        if (!is_deterministic(configuration)) {
          reason = "an engine adds in no fixed order";
          continue;
        }
        Descriptor plan = plan_of(configuration, target);
        const auto bytes = static_cast<std::size_t>(plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
        if (bytes > most_workspace) {
          reason = fmt::format("found a workspace of {} MiB, expected {} at most", bytes >> 20, most_workspace >> 20);
          continue;
        }
        workspace_ = bytes;
        parts_.push_back(std::move(configuration));
        parts_.push_back(std::move(plan));
        return true;
      } catch (const Failure& failure) {
        if (!failure.refuses()) throw;
        reason = failure.what();
      }
  } catch (const Failure& failure) {
    if (!failure.refuses()) throw;
    reason = failure.what();
  }
  return false;
}

void Plan::execute(cudnnHandle_t handle, const std::map<std::int64_t, void*>& addresses, void* workspace) const {
  std::vector<std::int64_t> ids;
  std::vector<void*> bound;
  for (const auto& [id, address] : addresses) ids.push_back(id), bound.push_back(address);
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const std::int64_t>(ids));
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, std::span<void* const>(bound), CUDNN_TYPE_VOID_PTR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::span<void* const>(&workspace, 1), CUDNN_TYPE_VOID_PTR);
  pack.finalise();
  check(cudnnBackendExecute(handle, parts_.back().get(), pack.get()), "cudnnBackendExecute");
}

}  // namespace pipedeck::runtime::cuda::fused
