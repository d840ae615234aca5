// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/why.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/count_text.hpp"

namespace pipedeck::planner::mesh {
namespace {

double gib(double bytes) { return bytes / 0x1p30; }

std::string recomputation_text(const Recomputed& recomputed) {
  if (recomputed.blocks) return "all blocks";
  std::string text;
  for (const std::string& module : analytic::transformer::shards::modules_of_parts(recomputed.parts))
    text += (text.empty() ? "" : "+") + module;
  return text;
}

/// A part of a step that one more or one less of a degree can shorten.
enum class Part { tensor, context, expert, sharding, bubble, data, recompute, compute };

/// A mesh next to another one.
struct Step {
  std::string name;  ///< "TP 4"
  Point point;
  std::optional<Part> relieves{};  ///< the part that it shortens by its nature
};

/// The result of a step along one dimension.
struct Outcome {
  std::string name;
  std::optional<Part> relieves;
  double change = 0;  ///< of the time, relative
  double lacks = 0;   ///< bytes; 0: it fits
};

std::string change_text(double change) {
  return fmt::format("{} {:.1f} %", change < 0 ? "saves" : "costs", 100 * std::abs(change));
}

/// Returns "TP 1 saves 4.0 %, but lacks 42.1 GiB", without the name.
std::string outcome_text(const Outcome& outcome) {
  constexpr double same = 5e-4;
  if (outcome.lacks > 0)
    return (outcome.change < -same ? fmt::format("would save {:.1f} %, but ", -100 * outcome.change) : std::string()) +
           fmt::format("lacks {:.1f} GiB", gib(outcome.lacks));
  return std::abs(outcome.change) < same ? "takes the same time" : change_text(outcome.change);
}

class Neighbours {
 public:
  Neighbours(const Question& base, const Space& space, Costs& costs, const Simulated& mesh, const Simulate& simulate)
      : base_(base), space_(space), costs_(costs), mesh_(mesh), simulate_(simulate) {}

  /// Looks at the next degrees of every dimension.
  Result<void> look() {
    const Point& here = mesh_.point;
    const auto degree = [&](std::string_view name, int Shard::*field, int most, Part part) -> Result<void> {
      std::vector<Step> steps;
      for (const int value : {here.shard.*field / 2, here.shard.*field * 2}) {
        if (value < 1 || value > most || (value * 2 != here.shard.*field && value != here.shard.*field * 2)) continue;
        Step step{fmt::format("{} {}", name, value), here, {}};
        if (value < here.shard.*field) step.relieves = part;
        step.point.shard.*field = value;
        if (field == &Shard::context && here.shard.context_kind == ContextKind::heads_ring && value > 1)
          step.point.shard.context_heads =
              ranks_that_exchange_heads(base_.config, step.point.shard, domain_devices(base_, space_));
        if (field == &Shard::tensor)
          step.point.shard.sequence = value > 1 && (here.shard.sequence || here.shard.tensor == 1);
        steps.push_back(std::move(step));
      }
      return add(steps);
    };
    TRY_VOID(degree("TP", &Shard::tensor, domain_devices(base_, space_), Part::tensor));
    TRY_VOID(degree("CP", &Shard::context, costs_.devices(), Part::context));
    if (base_.config.experts) {
      TRY_VOID(degree("EP", &Shard::expert, base_.config.experts->count, Part::expert));
      TRY_VOID(degree("ETP", &Shard::expert_tensor, domain_devices(base_, space_), Part::expert));
    }
    TRY_VOID(pipelines());
    return states();
  }

  const std::vector<std::string>& sentences() const { return sentences_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  Result<void> pipelines() {
    const Point& here = mesh_.point;
    std::vector<Step> ranks, stages, samples;
    for (const int value : {here.pipeline / 2, here.pipeline * 2})
      if (value >= 1 && (value == here.pipeline * 2 || value * 2 == here.pipeline)) {
        ranks.push_back({fmt::format("PP {}", value), here, {}});
        if (value < here.pipeline) ranks.back().relieves = Part::bubble;
        ranks.back().point.pipeline = value;
        if (value == 1) ranks.back().point.virtual_stages = 1, ranks.back().point.order = ScheduleKind::one_f_one_b;
      }
    TRY_VOID(add(ranks));
    const auto all = points_of(base_, space_, costs_.devices(), here.shard, here.micro_batch);
    for (const bool fewer : {true, false}) {
      std::optional<Point> next;
      for (const Point& point : all)
        if (point.pipeline == here.pipeline && !point.short_last && point.order == here.order &&
            (fewer ? point.virtual_stages < here.virtual_stages : point.virtual_stages > here.virtual_stages) &&
            (!next ||
             (fewer ? point.virtual_stages > next->virtual_stages : point.virtual_stages < next->virtual_stages)))
          next = point;
      if (!next) continue;
      next->sharding = here.sharding, next->recomputed = here.recomputed;
      stages.push_back({fmt::format("VP {}", next->virtual_stages), *next, {}});
      if (!fewer) stages.back().relieves = Part::bubble;
    }
    TRY_VOID(add(stages));
    for (const int value : {here.micro_batch / 2, here.micro_batch * 2})
      if (value >= 1 && (value == here.micro_batch * 2 || value * 2 == here.micro_batch)) {
        samples.push_back({fmt::format("a micro-batch of {} per replica", value), here, {}});
        if (value > here.micro_batch) samples.back().relieves = Part::compute;
        samples.back().point.micro_batch = value;
      }
    return add(samples);
  }

  Result<void> states() {
    const Point& here = mesh_.point;
    std::vector<Step> levels, recomputed;
    for (const int level : {here.sharding.level - 1, here.sharding.level + 1}) {
      if (level < 0 || level > 3) continue;
      levels.push_back({fmt::format("sharding level {}", level), here, {}});
      if (level < here.sharding.level) levels.back().relieves = Part::sharding;
      levels.back().point.sharding.level = level;
      if (level == 0) levels.back().point.sharding.group = 0;
    }
    for (Step& step : levels) {  // with the resharding that the space has for the level
      const std::vector<Sharding> all = shardings_of(base_, space_, step.point);
      const auto found = std::ranges::find_if(all, [&](const Sharding& one) {
        return one.level == step.point.sharding.level && one.group == step.point.sharding.group;
      });
      if (found != all.end()) step.point.sharding = *found;
    }
    TRY_VOID(add(levels));
    if (here.recomputed > 0) {
      const std::size_t less = here.recomputed - 1;
      const std::string text = recomputation_text(space_.recomputed[less]);
      recomputed.push_back({text.empty() ? "no recomputation" : "recomputing " + text, here, Part::recompute});
      recomputed.back().point.recomputed = less;
    }
    return add(recomputed);
  }

  Result<void> add(std::vector<Step> steps) {
    std::string line;
    for (Step& step : steps) {
      TRY(auto found, outcome(step));
      const Sharding& own = mesh_.point.sharding;
      if (!found && step.point.pipeline > 1 && own.level > 1 && step.point.sharding.level == own.level) {
        step.point.sharding = own, step.point.sharding.level = 1;  // engines have it in pipelines
        TRY(found, outcome(step));
      }
      if (!found) continue;
      line += (line.empty() ? "" : "; ") + found->name + " " + outcome_text(*found);
      outcomes_.push_back(*found);
    }
    if (line.empty()) return {};
    line.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(line.front())));
    sentences_.push_back(line + ".");
    return {};
  }

  /// Returns what a step changes in addition to its own dimension and D: " with ZeRO-1".
  std::string also_changed(const Step& step) const {
    const Point &here = mesh_.point, &there = step.point;
    std::string text;
    const auto add = [&](std::string part) { text += (text.empty() ? " with " : ", ") + std::move(part); };
    if (there.sharding.level != here.sharding.level && !step.name.starts_with("sharding"))
      add(fmt::format("ZeRO-{}", there.sharding.level));
    if (there.sharding.group != here.sharding.group && there.sharding.level > 0)
      add(there.sharding.group > 0 ? fmt::format("states over {}", there.sharding.group) : "states over all ranks");
    if (there.shard.sequence && !here.shard.sequence) add("SP");
    if (there.virtual_stages != here.virtual_stages && !step.name.starts_with("VP"))
      add(fmt::format("VP {}", there.virtual_stages));
    if (there.order != here.order) add(std::string(traits_of(there.order).title));
    return text;
  }

  /// Keeps a layout as it is; if other stages lack one block, the last one has one less.
  void lay_out_evenly(Point& point) const {
    const Point& here = mesh_.point;
    if (point.pipeline == here.pipeline && point.virtual_stages == here.virtual_stages) {
      point.short_last = here.short_last;
      return;
    }
    const int stages = point.pipeline * point.virtual_stages;
    const int blocks = base_.config.layers + base_.config.decoder_layers;
    point.short_last = point.pool_ranks.size() < 2 && stages > 1 && (blocks + 1) % stages == 0;
  }

  /// Returns nothing for points that are not in the space.
  Result<std::optional<Outcome>> outcome(Step& step) {
    Point& point = step.point;
    const int devices = costs_.devices();
    const int others = point.shard.replica_devices() * point.pipeline;
    if (devices % others != 0) return std::nullopt;
    point.data = devices / others;
    if (space_.global_batch % (std::int64_t{point.data} * point.micro_batch) != 0) return std::nullopt;
    point.micro_batches = space_.global_batch / (point.data * point.micro_batch);
    const auto all = points_of(base_, space_, devices, point.shard, point.micro_batch);
    const auto same = std::ranges::find_if(all, [&](const Point& one) {
      return one.pipeline == point.pipeline && one.virtual_stages == point.virtual_stages && one.order == point.order;
    });
    if (same == all.end()) return std::nullopt;
    lay_out_evenly(point);
    if (point.pool_ranks.size() > 1) {
      point.pool_ranks = same->pool_ranks;
      TRY(const bool laid, lay_out(point));
      if (!laid) return std::nullopt;
    }
    if (point.sharding.group > 0)
      point.sharding.group = group_within(point.sharding.group, point.data * point.shard.context);
    if (!is_admissible(base_, space_, point)) return std::nullopt;
    TRY(const MeshMemory memory, costs_.memory(point));
    TRY(const Seconds time, simulate_(point));
    return Outcome{step.name + also_changed(step), step.relieves, time.count / mesh_.time.count - 1,
                   memory.fits() ? 0 : memory.fullest - memory.capacity};
  }

  /// Gives pools the blocks with the smallest bound that fit. Returns false if there are none.
  Result<bool> lay_out(Point& point) {
    TRY(const ShardCosts parts, costs_.shard_costs(point));
    std::optional<std::pair<Seconds, Point>> best;
    for (const Point& one : costs_.layouts(parts, point, Seconds(std::numeric_limits<double>::infinity()))) {
      const Seconds bound = costs_.floor_of_pipeline(parts, one);
      if (best && bound >= best->first) continue;
      TRY(const MeshMemory memory, costs_.memory(one));
      if (memory.fits() || !best) best.emplace(bound, one);
    }
    if (best) point = best->second;
    return best.has_value();
  }

  const Question& base_;
  const Space& space_;
  Costs& costs_;
  const Simulated& mesh_;
  const Simulate& simulate_;
  std::vector<std::string> sentences_;
  std::vector<Outcome> outcomes_;
};

/// A part of a step and its share.
struct Wait {
  Part part;
  std::string_view name;
  double share;
};

std::vector<Wait> waits_of(const MeshParts& parts, Seconds step) {
  const auto of = [&](cost::PassPart part) { return parts.passes[static_cast<std::size_t>(part)]; };
  const std::array<std::pair<std::pair<Part, std::string_view>, Seconds>, 7> all{
      {{{Part::tensor, "TP communication"}, of(cost::PassPart::tensor)},
       {{Part::context, "CP communication"}, of(cost::PassPart::context)},
       {{Part::expert, "EP communication"}, of(cost::PassPart::expert)},
       {{Part::sharding, "sharded weights"}, of(cost::PassPart::gather) + of(cost::PassPart::scatter)},
       {{Part::bubble, "bubble and sends of the pipeline"}, parts.bubble},
       {{Part::data, "DP communication"}, parts.data},
       {{Part::recompute, "recomputation"}, parts.recompute}}};
  std::vector<Wait> waits;
  for (const auto& [part, time] : all)
    if (time.count > 0.001 * step.count) waits.push_back({part.first, part.second, time.count / step.count});
  std::ranges::stable_sort(waits, std::greater(), &Wait::share);
  return waits;
}

/// Returns "; TP 1 lacks 42.1 GiB": the step that shortens a part and changes the time most, or needs least memory.
std::string relief_text(const std::vector<Outcome>& outcomes, Part part) {
  const Outcome* best = nullptr;
  for (const Outcome& one : outcomes)
    if (one.relieves == part && (!best || std::pair(one.lacks, one.change) < std::pair(best->lacks, best->change)))
      best = &one;
  return best ? "; " + best->name + " " + outcome_text(*best) : std::string();
}

/// Returns the limit of a mesh with the single step that would move it, and the limit that comes next. Memory binds if
/// a step that does not fit would save more than any other part takes.
std::vector<std::string> limits_of(const std::vector<Wait>& waits, const std::vector<Outcome>& outcomes) {
  constexpr double least = 0.005;  // of the step
  const Outcome* roomy = nullptr;
  for (const Outcome& one : outcomes)
    if (one.lacks > 0 && (!roomy || one.change < roomy->change)) roomy = &one;
  std::vector<std::pair<double, std::string>> limits;
  if (roomy && roomy->change < -least)
    limits.emplace_back(-roomy->change, fmt::format("memory: with {:.1f} GiB more, {} would save {:.1f} %",
                                                    gib(roomy->lacks), roomy->name, -100 * roomy->change));
  for (const Wait& wait : waits)
    if (wait.share > least)
      limits.emplace_back(wait.share, fmt::format("{}, {:.1f} % of the step{}", wait.name, 100 * wait.share,
                                                  relief_text(outcomes, wait.part)));
  std::ranges::stable_sort(limits, std::greater(), &std::pair<double, std::string>::first);
  if (limits.size() < 2) limits.emplace_back(0, "compute" + relief_text(outcomes, Part::compute));
  return {"Limit: " + limits[0].second + ".",
          limits.size() > 1 ? "Next limit: " + limits[1].second + "." : std::string()};
}

}  // namespace

std::string name_of(const Space& space, const Point& point) {
  std::string text;
  const auto add = [&](std::string_view part) { text += (text.empty() ? "" : " · ") + std::string(part); };
  const auto add_degree = [&](std::string_view name, int degree) {
    if (degree > 1) add(fmt::format("{} {}", name, degree));
  };
  const Shard& s = point.shard;
  add_degree("TP", s.tensor);
  add_degree("CP", s.context);
  add_degree("EP", s.expert);
  add_degree("ETP", s.expert_tensor);
  add_degree("PP", point.pipeline);
  if (point.virtual_stages > 1) text += fmt::format(" × {}", point.virtual_stages);
  if (point.order != ScheduleKind::one_f_one_b) add(traits_of(point.order).title);
  if (point.data > 1 || text.empty()) add(fmt::format("DP {}", point.data));
  if (point.sharding.level > 0) add(fmt::format("ZeRO-{}", point.sharding.level));
  if (point.sharding.group > 0) text += fmt::format(" over {}", point.sharding.group);
  if (const std::string again = recomputation_text(space.recomputed[point.recomputed]); !again.empty())
    add("recomputes " + again);
  const std::vector<Pool>& pools = space.arrangements[point.arrangement].pools;
  std::string devices;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    devices += (p > 0 ? " + " : "") + pools[p].name;
    if (!point.pool_blocks.empty()) devices += fmt::format(" {}", counted(point.pool_blocks[p], "block"));
  }
  if (!devices.empty()) add(devices);
  return text;
}

Result<std::vector<std::string>> why(const Question& base, const Space& space, Costs& costs, const Simulated& mesh,
                                     const Simulate& simulate) {
  TRY(const MeshParts parts, costs.parts(mesh.point, mesh.time));
  TRY(const MeshMemory memory, costs.memory(mesh.point));
  const std::vector<Wait> waits = waits_of(parts, mesh.time);
  const Seconds computing = parts.passes[static_cast<std::size_t>(cost::PassPart::compute)] - parts.recompute;
  std::string line = fmt::format("{}: {} of {} per replica. Compute is {:.1f} % of the step",
                                 name_of(space, mesh.point), counted(mesh.point.micro_batches, "micro-batch"),
                                 counted(mesh.point.micro_batch, "sample"), 100 * computing.count / mesh.time.count);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, waits.size()); ++i)
    line += fmt::format(", {} {:.1f} %", waits[i].name, 100 * waits[i].share);
  std::vector<std::string> sentences{line + "."};
  sentences.push_back(
      fmt::format("The fullest rank needs {:.1f} of {:.1f} GiB.", gib(memory.with_driver()), gib(memory.device())));
  sentences.push_back(engines_text(base, space, mesh.point));
  Neighbours next(base, space, costs, mesh, simulate);
  TRY_VOID(next.look());
  for (std::string& limit : limits_of(waits, next.outcomes()))
    if (!limit.empty()) sentences.push_back(std::move(limit));
  const int domain = domain_devices(base, space);
  const Shard& s = mesh.point.shard;
  if (s.tensor > 1)
    sentences.push_back(
        s.tensor <= domain ? fmt::format("TP {} stays in an NVLink domain of {}.", s.tensor, counted(domain, "device"))
                           : fmt::format("TP {} leaves the NVLink domain of {}.", s.tensor, counted(domain, "device")));
  if (s.expert > 1) {
    const int domains = (s.expert * s.expert_tensor + domain - 1) / domain;
    sentences.push_back(domains == 1 ? fmt::format("EP {} stays in an NVLink domain.", s.expert)
                                     : fmt::format("EP {} is spread over {} NVLink domains.", s.expert, domains));
  }
  sentences.insert(sentences.end(), next.sentences().begin(), next.sentences().end());
  return sentences;
}

std::string why_none(const Space& space, const Found& found, int devices) {
  if (found.work.shards == 0 || !found.least)
    return fmt::format("no mesh of {} divides the model and a global batch of {}", counted(devices, "device"),
                       counted(space.global_batch, "sample"));
  return fmt::format("no mesh fits: the least that one needs is {:.1f} GiB of {:.1f} GiB, {}",
                     gib(found.least->with_driver()), gib(found.least->device()), name_of(space, found.least_point));
}

}  // namespace pipedeck::planner::mesh
