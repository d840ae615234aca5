// SPDX-License-Identifier: Apache-2.0
#include "core/plan/reschedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/plan/balance_chunks.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::plan {
namespace {

tl::unexpected<Error> impossible(std::string message, std::string place) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

bool v_shaped(ScheduleKind kind) { return traits_of(kind).placement == StagePlacement::v_shaped; }

/// Returns the rank of every stage.
std::vector<std::size_t> places_of(ScheduleKind kind, std::size_t ranks, std::size_t chunks) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < ranks * chunks; ++k)
    places.push_back(v_shaped(kind) && k >= ranks ? 2 * ranks - 1 - k : k % ranks);
  return places;
}

/// A rank of the old plan, represented by its first stage.
struct Rank {
  const Stage* like = nullptr;
  bool recomputes_all = true;
};

class Rescheduler {
 public:
  Rescheduler(const Plan& plan, const Profile& profile, ScheduleKind schedule, StageCuts cuts)
      : plan_(plan), profile_(profile), schedule_(schedule), cuts_(cuts), old_rank_(plan.stages.size()) {
    std::map<DeviceId, std::size_t> known;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      const Stage& stage = plan.stages[s];
      const auto [rank, fresh] = known.try_emplace(stage.devices.front(), ranks_.size());
      if (fresh) ranks_.push_back({&stage});
      ranks_[rank->second].recomputes_all = ranks_[rank->second].recomputes_all && stage.recompute.all;
      old_rank_[s] = rank->second;
    }
    note_recomputed();
  }

  Result<Plan> run(int chunks) {
    if (Result<void> possible = check(chunks); !possible) return tl::unexpected(possible.error());
    Plan out = plan_;
    out.schedule = schedule_;
    if (schedule_ != ScheduleKind::adaptive) place(out, static_cast<std::size_t>(chunks));
    if (out.synchronous() != plan_.synchronous())
      if (Result<void> resized = resize(out); !resized) return tl::unexpected(resized.error());
    if (!out.synchronous())
      for (Stage& stage : out.stages) stage.samples_per_replica.reset();
    forget(out);
    if (Result<void> valid = validate(out); !valid) return tl::unexpected(valid.error());
    return out;
  }

 private:
  int layers() const { return plan_.stages.back().last; }

  Result<void> check(int chunks) const {
    const int ranks = static_cast<int>(ranks_.size());
    if (layers() != static_cast<int>(profile_.layers.size()))
      return impossible(fmt::format("found stages of {} layers, expected {}, the layers of profile '{}'", layers(),
                                    profile_.layers.size(), profile_.name),
                        "/stages");
    if (schedule_ == ScheduleKind::explicit_order)
      return impossible("found 'explicit', expected a schedule that makes its own lists", "/schedule");
    if (chunks < 1) return impossible(fmt::format("found {} chunks a device, expected at least 1", chunks), "/stages");
    if (layers() < chunks * ranks)
      return impossible(
          fmt::format("found {} layers, expected at least {}: '{}' has {} stages on each of {} groups of devices",
                      layers(), chunks * ranks, name_of(schedule_), chunks, ranks),
          "/stages");
    if (bidirectional(schedule_) && ranks % 2 != 0)
      return impossible(fmt::format("found {} stages, expected an even number: '{}' puts each with the one opposite",
                                    ranks, name_of(schedule_)),
                        "/stages");
    return {};
  }

  void place(Plan& out, std::size_t chunks) const {
    const std::vector<std::size_t> places = places_of(schedule_, ranks_.size(), chunks);
    if (places == old_rank_) return;  // already split and placed like that
    const std::vector<int> cuts =
        cuts_ == StageCuts::balanced ? balanced_boundaries(costs(), places) : equal_boundaries(costs(), places);
    out.stages.clear();
    for (std::size_t k = 0; k < places.size(); ++k) {
      Stage stage = *ranks_[places[k]].like;
      stage.first = k == 0 ? 0 : cuts[k - 1];
      stage.last = k + 1 == places.size() ? layers() : cuts[k];
      stage.recompute = recompute_of(places[k], stage);
      out.stages.push_back(std::move(stage));
    }
  }

  /// Returns the forward and backward time of every layer on each rank, for a replica's share.
  std::vector<std::vector<double>> costs() const {
    const std::vector<LayerId> order = order_of(plan_, profile_);
    std::vector<std::vector<double>> costs;
    for (const Rank& rank : ranks_) {
      costs.emplace_back();
      for (int p = 0; p < layers(); ++p) {
        const Layer& layer = profile_.layers[order[static_cast<std::size_t>(p)].index()];
        costs.back().push_back(time_of(layer, rank.like->tensor_parallel) / rank.like->replicas());
      }
    }
    return costs;
  }
  static double time_of(const Layer& layer, int degree) {
    const TensorParallelPoint* point = point_of_degree(layer, degree);
    return point ? point->forward.count + point->backward.count : layer.forward.count + layer.backward.count;
  }

  void note_recomputed() {
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Stage& stage = plan_.stages[s];
      recomputed_.insert(stage.recompute.layers.begin(), stage.recompute.layers.end());
      if (stage.recompute.all && !ranks_[old_rank_[s]].recomputes_all)
        for (int p = stage.first; p < stage.last; ++p) recomputed_.insert(LayerId(std::int32_t{p}));
    }
  }
  Recompute recompute_of(std::size_t rank, const Stage& stage) const {
    const RecomputeUnit each = ranks_[rank].like->recompute.each;
    if (ranks_[rank].recomputes_all) return {true, {}, each};
    Recompute recompute;
    for (int p = stage.first; p < stage.last; ++p)
      if (recomputed_.count(LayerId(std::int32_t{p}))) recompute.layers.push_back(LayerId(std::int32_t{p}));
    if (recompute.any()) recompute.each = each;
    return recompute;
  }

  /// A synchronous micro-batch is divided over the replicas; an asynchronous one is processed whole by one of them.
  Result<void> resize(Plan& out) const {
    int replicas = 1;
    for (const Stage& stage : out.stages) replicas = std::max(replicas, stage.replicas());
    const std::int64_t wanted =
        out.synchronous() ? std::int64_t{plan_.micro_batch} * replicas : std::max(1, plan_.micro_batch / replicas);
    int size = static_cast<int>(std::min<std::int64_t>(wanted, plan_.global_batch));
    while (plan_.global_batch % size != 0) --size;
    if (out.synchronous() && size < replicas)
      return impossible(fmt::format("found no divisor of global_batch, {}, from {} to {}, expected one: '{}' cuts each "
                                    "micro-batch over {} replicas",
                                    plan_.global_batch, replicas, wanted, name_of(schedule_), replicas),
                        "/micro_batch");
    out.micro_batch = size;
    out.micro_batches = plan_.global_batch / size;
    return {};
  }

  static void forget(Plan& out) {
    out.warmup_counts.reset();
    out.chunks.reset();
    out.operations.reset();
    out.objective.reset();
    out.predicted.reset();
    out.certificate.reset();
    out.rationale.clear();
    out.merits.clear();
  }

  const Plan& plan_;
  const Profile& profile_;
  ScheduleKind schedule_;
  StageCuts cuts_;
  std::vector<std::size_t> old_rank_;  // by stage
  std::vector<Rank> ranks_;
  std::set<LayerId> recomputed_;
};

}  // namespace

Result<Plan> with_schedule(const Plan& plan, const Profile& profile, ScheduleKind schedule, int chunks,
                           StageCuts cuts) {
  const int stages = v_shaped(schedule) ? 2 : traits_of(schedule).placement == StagePlacement::in_turn ? chunks : 1;
  return Rescheduler(plan, profile, schedule, cuts).run(stages);
}

}  // namespace pipedeck::plan
