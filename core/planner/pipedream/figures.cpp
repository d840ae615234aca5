// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/figures.hpp"

#include <algorithm>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr int max_saved_rows = 1500;     // of needs that are kept: 54 MB
constexpr double max_saved_needs = 4e6;  // with ZeRO, over all numbers of replicas: 96 MB

}  // namespace

Figures::Figures(search::Chain& chain, search::Ideals ideals, int micro_batch)
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
    double slowest = 0;  // the paper has one kind of device; T_l is the slowest type's
    for (const int type : types) {
      const cost::LayerTimes times = cost::layer_times(profile, layer, micro_batch, chain.cluster(),
                                                       chain.cluster().device_types[search::at(type)]);
      slowest = std::max(slowest, times.forward.count + times.backward.count);
    }
    time.push_back(slowest);
    parameters.push_back(layer.parameters.count);
    saved.push_back(cost::scale_bytes(layer.saved, micro_batch, profile.micro_batch).count);
    if (layer.workspace.count > 0)
      workspaces_.emplace_back(cost::scale_bytes(layer.workspace, micro_batch, profile.micro_batch),
                               LayerId(time.size() - 1));
  }
  std::sort(workspaces_.begin(), workspaces_.end(), std::greater<>());
  time_ = ideals_.sums(std::span<const double>(time));
  parameters_ = ideals_.sums(std::span<const std::int64_t>(parameters));
  saved_ = ideals_.sums(std::span<const std::int64_t>(saved));
  for (int i = 0; i < ideals_.count(); ++i) {
    weights_.push_back(static_cast<double>(parameters_[search::at(i)]));
    cut_bytes_.push_back(cost::scale_bytes(ideals_.cut(i), micro_batch, profile.micro_batch));
    cut_.push_back(static_cast<double>(cut_bytes_.back().count));
  }
}

search::StageBytes Figures::bytes(int inner, int outer) const {
  search::StageBytes bytes;
  bytes.weights = {Bytes(parameters_[search::at(outer)] - parameters_[search::at(inner)])};
  bytes.saved = Bytes(saved_[search::at(outer)] - saved_[search::at(inner)]);
  bytes.input = cut_bytes_[search::at(inner)];
  bytes.output = cut_bytes_[search::at(outer)];
  for (const auto& [workspace, layer] : workspaces_)
    if (ideals_.has(outer, layer) && !ideals_.has(inner, layer)) {
      bytes.workspace = workspace;
      break;
    }
  return bytes;
}

Figures::Need Figures::need_of(int inner, int outer, int replicas) const {
  const search::StageNeed one = search::stage_need(workload_, bytes(inner, outer), replicas, false, 1);
  const search::StageNeed two = search::stage_need(workload_, bytes(inner, outer), replicas, false, 2);
  return {(one.fixed + one.workspace).count, (two.fixed - one.fixed).count, one.kept.count};
}

Figures::Need Figures::known_need(int inner, int outer, int replicas) const {
  if (replicas_alike()) replicas = 1;
  const std::size_t count = search::at(ideals_.count());
  const auto found = needs_.find(replicas);
  // With ZeRO a table per number of replicas, as long as they are few and small.
  if (found == needs_.end() && !needs_.empty() &&
      static_cast<double>(needs_.size() + 1) * count * count > max_saved_needs)
    return need_of(inner, outer, replicas);
  Needs& known = found == needs_.end() ? needs_[replicas] : found->second;
  known.rows.resize(count);
  if (ideals_.count() > max_saved_rows && known.kept_row != inner) {
    if (known.kept_row >= 0) known.rows[search::at(known.kept_row)] = {};
    known.kept_row = inner;
  }
  std::vector<Need>& row = known.rows[search::at(inner)];
  row.resize(count);
  Need& need = row[search::at(outer)];
  if (need.fixed < 0) need = need_of(inner, outer, replicas);
  return need;
}

bool Figures::fits(int inner, int outer, Place place, int waiting) const {
  const std::int64_t versions = search::ceil_div(place.copies + place.behind, place.copies);
  const Need need = known_need(inner, outer, place.copies);
  const std::int64_t fixed = need.fixed + need.version * (versions - 1);
  if (fixed + need.kept * versions > capacity_.count) return false;
  if (waiting == 0) return true;
  const std::int64_t input = cut_bytes_[search::at(inner)].count, output = cut_bytes_[search::at(outer)].count;
  const auto with = [&](std::int64_t n) {  // memory_fit.hpp
    return (need.kept + output) * n + input * (std::max<std::int64_t>(waiting, n) - n + 1);
  };
  return fixed + std::max(with(1), with(versions)) <= capacity_.count;
}

int Figures::max_in_flight(Place place, int reach) const {
  if (reach == 0) return 0;
  int most = search::ceil_div(place.copies + place.behind, place.copies);
  const int front = std::min(devices_ - place.behind - place.copies, reach);
  for (int before = 1; before <= front; ++before) {
    const int kept = search::ceil_div(before + place.copies + place.behind, before);
    most = std::max(most, cost::pipedream_in_flight(before, kept, place.copies));
  }
  return most;
}

}  // namespace pipedeck::planner::pipedream
