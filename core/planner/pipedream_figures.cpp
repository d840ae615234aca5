// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream_figures.hpp"

#include <algorithm>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/planner/arithmetic.hpp"

namespace pipedeck {

namespace {

constexpr int most_rows = 1500;  // of needs that are kept: 54 MB

}  // namespace

PipedreamFigures::PipedreamFigures(Chain& chain, Ideals ideals, int micro_batch)
    : ideals_(std::move(ideals)), workload_(chain.workload()), devices_(chain.devices()) {
  std::vector<int> types;  // in use
  capacity_ = chain.network().type(DeviceId(0)).memory;
  for (int d = 0; d < devices_; ++d) {
    types.push_back(chain.network().device(DeviceId(d)).type);
    capacity_ = std::min(capacity_, chain.network().type(DeviceId(d)).memory);
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());

  const Profile& profile = chain.profile();
  std::vector<double> time;
  std::vector<std::int64_t> parameters, saved;
  for (const Layer& layer : profile.layers) {
    double slowest = 0;  // the paper has one kind of device: of several, T_l is the slowest one's
    for (const int type : types) {
      const LayerTimes times =
          layer_times(profile, layer, micro_batch, chain.cluster(), chain.cluster().device_types[at(type)]);
      slowest = std::max(slowest, times.forward.count + times.backward.count);
    }
    time.push_back(slowest);
    parameters.push_back(layer.parameters.count);
    saved.push_back(scale_bytes(layer.saved, micro_batch, profile.micro_batch).count);
    if (layer.workspace.count > 0)
      workspaces_.emplace_back(scale_bytes(layer.workspace, micro_batch, profile.micro_batch),
                               LayerId(time.size() - 1));
  }
  std::sort(workspaces_.begin(), workspaces_.end(), std::greater<>());
  time_ = ideals_.sums(std::span<const double>(time));
  parameters_ = ideals_.sums(std::span<const std::int64_t>(parameters));
  saved_ = ideals_.sums(std::span<const std::int64_t>(saved));
  for (int i = 0; i < ideals_.count(); ++i) {
    weights_.push_back(static_cast<double>(parameters_[at(i)]));
    cut_bytes_.push_back(scale_bytes(ideals_.cut(i), micro_batch, profile.micro_batch));
    cut_.push_back(static_cast<double>(cut_bytes_.back().count));
  }
}

StageBytes PipedreamFigures::bytes(int inner, int outer) const {
  StageBytes bytes;
  bytes.weights = {Bytes(parameters_[at(outer)] - parameters_[at(inner)])};
  bytes.saved = Bytes(saved_[at(outer)] - saved_[at(inner)]);
  bytes.input = cut_bytes_[at(inner)];
  bytes.output = cut_bytes_[at(outer)];
  for (const auto& [workspace, layer] : workspaces_)
    if (ideals_.has(outer, layer) && !ideals_.has(inner, layer)) {
      bytes.workspace = workspace;
      break;
    }
  return bytes;
}

PipedreamFigures::Need PipedreamFigures::need_of(int inner, int outer, int replicas) const {
  const StageNeed one = stage_need(workload_, bytes(inner, outer), replicas, false, 1);
  const StageNeed two = stage_need(workload_, bytes(inner, outer), replicas, false, 2);
  return {(one.fixed + one.workspace).count, (two.fixed - one.fixed).count, one.kept.count};
}

const PipedreamFigures::Need& PipedreamFigures::known_need(int inner, int outer) const {
  needs_.resize(at(ideals_.count()));
  if (ideals_.count() > most_rows && kept_row_ != inner) {
    if (kept_row_ >= 0) needs_[at(kept_row_)] = {};
    kept_row_ = inner;
  }
  std::vector<Need>& row = needs_[at(inner)];
  row.resize(at(ideals_.count()));
  Need& need = row[at(outer)];
  if (need.fixed < 0) need = need_of(inner, outer, 1);
  return need;
}

bool PipedreamFigures::fits(int inner, int outer, PipedreamPlace place, int waiting) const {
  const std::int64_t versions = ceil_div(place.copies + place.behind, place.copies);
  const Need need = replicas_alike() ? known_need(inner, outer) : need_of(inner, outer, place.copies);
  const std::int64_t fixed = need.fixed + need.version * (versions - 1);
  if (fixed + need.kept * versions > capacity_.count) return false;
  if (waiting == 0) return true;
  const std::int64_t input = cut_bytes_[at(inner)].count, output = cut_bytes_[at(outer)].count;
  const auto with = [&](std::int64_t n) {  // memory_fit.hpp
    return (need.kept + output) * n + input * (std::max<std::int64_t>(waiting, n) - n + 1);
  };
  return fixed + std::max(with(1), with(versions)) <= capacity_.count;
}

int PipedreamFigures::most_waiting(PipedreamPlace place, int reach) const {
  if (reach == 0) return 0;
  int most = ceil_div(place.copies + place.behind, place.copies);
  const int front = std::min(devices_ - place.behind - place.copies, reach);
  for (int before = 1; before <= front; ++before) {
    const int kept = ceil_div(before + place.copies + place.behind, before);
    most = std::max(most, pipedream_outstanding(before, kept, place.copies));
  }
  return most;
}

}  // namespace pipedeck
