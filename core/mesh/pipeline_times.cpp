// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/pipeline_times.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/cost/measured_collectives.hpp"

namespace pipedeck::mesh {
namespace {

/// A number of consecutive ranks on devices of one kind.
struct KindRun {
  int kind = 0, type = 0, first = 0, count = 0;
  bool operator==(const KindRun&) const = default;
};
using KindRuns = std::vector<KindRun>;

class KindReader {
 public:
  KindReader(const Question& question, const Rates& rates, std::shared_ptr<KnownGroups> known)
      : question_(question), rates_(rates), known_(std::move(known)), kinds_(known_->kinds_of(*question.cluster)) {}

  Result<void> run(std::vector<int>& kind_of_rank, std::vector<std::vector<TypeTimes>>& times) {
    if (known_->network().device_count() < question_.devices())
      return fail(ErrorCode::bad_input, fmt::format("found a cluster of {} devices, expected the {} of all degrees",
                                                    known_->network().device_count(), question_.devices()));
    if (std::ranges::all_of(kinds_, [](int kind) { return kind == 0; })) {
      TRY(auto groups, GroupTimes::of(question_, rates_, known_));
      times.emplace_back().push_back({type_of(DeviceId(0)), &rates_, std::move(groups)});
      kind_of_rank = {0};
      return {};
    }
    if (question_.is_v_shaped())
      return fail(ErrorCode::bad_input, fmt::format("found devices of several kinds, expected one: the stages of '{}' "
                                                    "lie on both ways of a V",
                                                    name_of(question_.order)));
    for (int p = 0; p < question_.pipeline; ++p) runs_.push_back(runs_of(p));
    std::vector<std::pair<KindRuns, KindRuns>> seen;
    for (int p = 0; p < question_.pipeline; ++p) {
      std::pair own(runs_[static_cast<std::size_t>(p)], runs_[static_cast<std::size_t>(next(p))]);
      const auto known = std::ranges::find(seen, own);
      kind_of_rank.push_back(static_cast<int>(known - seen.begin()));
      if (known != seen.end()) continue;
      TRY(auto types, types_of(p));
      times.push_back(std::move(types));
      seen.push_back(std::move(own));
    }
    return {};
  }

 private:
  int next(int p) const { return (p + 1) % question_.pipeline; }
  DeviceId device(int p, int rank) const { return question_.device(p * question_.stage_devices() + rank); }
  int type_of(DeviceId device) const { return known_->network().device(device).type; }

  KindRuns runs_of(int p) const {
    KindRuns runs;
    for (int rank = 0; rank < question_.stage_devices(); ++rank) {
      const DeviceId own = device(p, rank);
      const int kind = kinds_[own.index()];
      if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, type_of(own), rank, 0});
      ++runs.back().count;
    }
    return runs;
  }

  /// Returns bad_input if ranks that share samples or experts are of several types.
  Result<void> check(int p) const {
    const Shard& shard = question_.shard();
    for (const int group : {shard.replica_devices(), shard.expert * shard.expert_tensor})
      for (int first = 0; first + group <= question_.stage_devices(); first += group)
        for (int rank = first + 1; rank < first + group; ++rank)
          if (type_of(device(p, rank)) != type_of(device(p, first)))
            return fail(ErrorCode::bad_input,
                        fmt::format("found devices {} and {} of two types in a group of {} ranks of pipeline rank {}, "
                                    "expected tensor, context and expert ranks of one type",
                                    device(p, first).value, device(p, rank).value, group, p));
    return {};
  }

  Result<std::vector<TypeTimes>> types_of(int p) const {
    TRY_VOID(check(p));
    std::map<int, std::vector<int>> ranks;  // by type: the first rank of each kind
    std::vector<int> seen;
    for (const KindRun& run : runs_[static_cast<std::size_t>(p)])
      if (std::ranges::find(seen, run.kind) == seen.end()) {
        seen.push_back(run.kind);
        ranks[run.type].push_back(run.first);
      }
    std::vector<TypeTimes> types;
    for (auto& [type, own] : ranks) {
      StagePlace place;
      for (int rank = 0; rank < question_.stage_devices(); ++rank) place.devices.push_back(device(p, rank));
      place.ranks = std::move(own);
      if (question_.pipeline > 1) place.sends = sends_of(p);
      const TypeRates& rates = rates_.of(type);
      TRY(auto groups, GroupTimes::of(question_, rates, std::move(place), known_));
      types.push_back({type, &rates, std::move(groups)});
    }
    return types;
  }

  /// Returns the messages of the first rank of each kind of the sender, and to that of each kind of the receiver.
  std::vector<StagePlace::Send> sends_of(int p) const {
    std::vector<StagePlace::Send> sends;
    for (const int end : {p, next(p)})
      for (const KindRun& run : runs_[static_cast<std::size_t>(end)]) {
        const DeviceId from = device(p, run.first), to = device(next(p), run.first);
        sends.push_back({from, to, &rates_.of(type_of(to)).reached});
      }
    return sends;
  }

  const Question& question_;
  const Rates& rates_;
  std::shared_ptr<KnownGroups> known_;
  const std::vector<int>& kinds_;
  std::vector<KindRuns> runs_;
};

/// Replaces `a` by `b` if that is longer in all.
void take_slower(cost::PassTime& a, const cost::PassTime& b) {
  if (a.duration() < b.duration()) a = b;
}

}  // namespace

Result<PipelineTimes> PipelineTimes::of(const Question& question, const Rates& rates,
                                        std::shared_ptr<KnownGroups> known) {
  if (!known) {
    TRY(auto network, cost::Network::of(*question.cluster));
    known = std::make_shared<KnownGroups>(std::move(network));
  }
  PipelineTimes made(question, std::move(known));
  TRY_VOID(KindReader(question, rates, made.known_).run(made.kinds_, made.times_));
  return made;
}

Result<StageCosts> PipelineTimes::costs(std::size_t stage, const StageLayers& layers, bool is_last,
                                        LayersTimedByKind& known) const {
  const int kind = kind_of(stage);
  std::optional<StageCosts> slowest;
  for (const TypeTimes& type : types_of(stage)) {
    TRY(StageCosts own, stage_costs_of(question_, *type.rates, type.groups, layers, is_last, known[{kind, type.type}]));
    slowest = slowest ? slower_of(std::move(own), *slowest) : std::move(own);
  }
  return *std::move(slowest);
}

/// The pairs of all ranks run at the same time. Pairs on devices of equal kinds are timed once.
Seconds PipelineTimes::between_ends(double bytes) const {
  Seconds slowest;
  if (bytes <= 0) return slowest;
  const cost::Network& network = known_->network();
  const std::vector<int>& kinds = known_->kinds_of(*question_.cluster);
  const int ranks = question_.stage_devices(), behind = ranks * (question_.pipeline - 1);
  const auto pair_of = [&](int rank) {
    return plan::RankGroup{question_.device(rank), question_.device(behind + rank)};
  };
  int beside = 1;  // cards belong to their device
  if (!network.nic(network.node_of(question_.device(0))) || !network.nic(network.node_of(question_.device(behind)))) {
    std::vector<plan::RankGroup> pairs;
    for (int rank = 0; rank < ranks; ++rank) pairs.push_back(pair_of(rank));
    beside = cost::groups_beside(network, pairs);
  }
  std::set<std::pair<int, int>> timed;
  for (int rank = 0; rank < ranks; ++rank) {
    const plan::RankGroup pair = pair_of(rank);
    if (!timed.emplace(kinds[pair.front().index()], kinds[pair.back().index()]).second) continue;
    const NodeId node = network.node_of(pair.front());
    const bool leaves = !network.in_one_domain(node, network.node_of(pair.back()));
    const bool measured = network.is_measured(node, leaves);
    const cost::Collective sum(network, pair, CollectiveKind::all_reduce, Collectives::best_ring, beside);
    const Seconds time = sum.time(Bytes(std::llround(bytes)));
    for (const int end : {0, question_.pipeline - 1})
      for (const TypeTimes& type : types_of(static_cast<std::size_t>(end)))
        slowest = std::max(slowest, cost::reached_time(time, leaves, measured, type.rates->reached));
  }
  return slowest;
}

StageCosts slower_of(StageCosts a, const StageCosts& b) {
  take_slower(a.forward, b.forward);
  take_slower(a.backward, b.backward);
  take_slower(a.input, b.input);
  take_slower(a.weight, b.weight);
  a.recompute = std::max(a.recompute, b.recompute);
  a.send = std::max(a.send, b.send);
  a.gather = std::max(a.gather, b.gather);
  for (std::size_t i = 0; i < std::min(a.reductions.size(), b.reductions.size()); ++i) {
    a.reductions[i].ready = std::max(a.reductions[i].ready, b.reductions[i].ready);
    a.reductions[i].time = std::max(a.reductions[i].time, b.reductions[i].time);
    a.reductions[i].ready_in_weight = std::max(a.reductions[i].ready_in_weight, b.reductions[i].ready_in_weight);
  }
  a.waiting = std::max(a.waiting, b.waiting);
  a.optimizer = std::max(a.optimizer, b.optimizer);
  return a;
}

DeviceId smallest_device(const Question& question, int pipeline_rank) {
  const int devices = question.stage_devices(), first = pipeline_rank * devices;
  DeviceId smallest = question.device(first);
  if (!question.cluster || question.cluster->device_types.size() < 2) return smallest;
  const std::vector<DeviceType>& types = question.cluster->device_types;
  const std::vector<Device> all = devices_of(*question.cluster);
  const auto memory = [&](DeviceId device) { return types[static_cast<std::size_t>(all[device.index()].type)].memory; };
  for (int rank = first; rank < first + devices; ++rank)
    if (memory(question.device(rank)) < memory(smallest)) smallest = question.device(rank);
  return smallest;
}

Bytes smallest_memory(const Question& question, const Rates& rates, int pipeline_rank) {
  if (rates.types.empty()) return rates.type.memory;
  const std::vector<Device> all = devices_of(*question.cluster);
  return rates.of(all[smallest_device(question, pipeline_rank).index()].type).type.memory;
}

}  // namespace pipedeck::mesh
