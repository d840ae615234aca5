// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/why.hpp"

#include <algorithm>
#include <cmath>
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

/// A mesh next to another one.
struct Step {
  std::string name;  ///< "TP 4"
  Point point;
};

class Neighbours {
 public:
  Neighbours(const Question& base, const Space& space, Costs& costs, const Simulated& mesh, const Simulate& simulate)
      : base_(base), space_(space), costs_(costs), mesh_(mesh), simulate_(simulate) {}

  Result<std::vector<std::string>> sentences() {
    const Point& here = mesh_.point;
    const auto degree = [&](std::string_view name, int Shard::*field, int most) -> Result<void> {
      std::vector<Step> steps;
      for (const int value : {here.shard.*field / 2, here.shard.*field * 2}) {
        if (value < 1 || value > most || (value * 2 != here.shard.*field && value != here.shard.*field * 2)) continue;
        Step step{fmt::format("{} {}", name, value), here};
        step.point.shard.*field = value;
        if (field == &Shard::tensor)
          step.point.shard.sequence = value > 1 && (here.shard.sequence || here.shard.tensor == 1);
        steps.push_back(std::move(step));
      }
      return add(steps);
    };
    TRY_VOID(degree("TP", &Shard::tensor, domain_devices(*base_.cluster)));
    TRY_VOID(degree("CP", &Shard::context, costs_.devices()));
    if (base_.config.experts) {
      TRY_VOID(degree("EP", &Shard::expert, base_.config.experts->count));
      TRY_VOID(degree("ETP", &Shard::expert_tensor, domain_devices(*base_.cluster)));
    }
    TRY_VOID(pipelines());
    TRY_VOID(states());
    return std::move(sentences_);
  }

 private:
  Result<void> pipelines() {
    const Point& here = mesh_.point;
    std::vector<Step> ranks, stages, samples;
    for (const int value : {here.pipeline / 2, here.pipeline * 2})
      if (value >= 1 && (value == here.pipeline * 2 || value * 2 == here.pipeline)) {
        ranks.push_back({fmt::format("PP {}", value), here});
        ranks.back().point.pipeline = value;
        if (value == 1) ranks.back().point.virtual_stages = 1;
      }
    TRY_VOID(add(ranks));
    const auto all = points_of(base_, space_, costs_.devices(), here.shard, here.micro_batch);
    for (const bool fewer : {true, false}) {
      std::optional<Point> next;
      for (const Point& point : all)
        if (point.pipeline == here.pipeline && !point.short_last &&
            (fewer ? point.virtual_stages < here.virtual_stages : point.virtual_stages > here.virtual_stages) &&
            (!next ||
             (fewer ? point.virtual_stages > next->virtual_stages : point.virtual_stages < next->virtual_stages)))
          next = point;
      if (!next) continue;
      next->sharding = here.sharding, next->recomputed = here.recomputed;
      stages.push_back({fmt::format("VP {}", next->virtual_stages), *next});
    }
    TRY_VOID(add(stages));
    for (const int value : {here.micro_batch / 2, here.micro_batch * 2})
      if (value >= 1 && (value == here.micro_batch * 2 || value * 2 == here.micro_batch)) {
        samples.push_back({"a micro-batch of " + counted(value, "sample"), here});
        samples.back().point.micro_batch = value;
      }
    return add(samples);
  }

  Result<void> states() {
    const Point& here = mesh_.point;
    std::vector<Step> levels, recomputed;
    for (const int level : {here.sharding.level - 1, here.sharding.level + 1}) {
      if (level < 0 || level > 3) continue;
      levels.push_back({fmt::format("sharding level {}", level), here});
      levels.back().point.sharding.level = level;
      if (level == 0) levels.back().point.sharding.group = 0;
    }
    TRY_VOID(add(levels));
    if (here.recomputed > 0) {
      const std::size_t less = here.recomputed - 1;
      const std::string text = recomputation_text(space_.recomputed[less]);
      recomputed.push_back({text.empty() ? "no recomputation" : "recomputing " + text, here});
      recomputed.back().point.recomputed = less;
    }
    return add(recomputed);
  }

  Result<void> add(std::vector<Step> steps) {
    std::string line;
    for (Step& step : steps) {
      TRY(const std::string text, outcome(step.point));
      if (!text.empty()) line += (line.empty() ? "" : "; ") + step.name + " " + text;
    }
    if (!line.empty()) sentences_.push_back(line + ".");
    return {};
  }

  /// Returns nothing for points that are not in the space.
  Result<std::string> outcome(Point& point) {
    const int devices = costs_.devices();
    const int others = point.shard.replica_devices() * point.pipeline;
    if (devices % others != 0) return std::string();
    point.data = devices / others;
    if (space_.global_batch % (std::int64_t{point.data} * point.micro_batch) != 0) return std::string();
    point.micro_batches = space_.global_batch / (point.data * point.micro_batch);
    const auto all = points_of(base_, space_, devices, point.shard, point.micro_batch);
    const auto same = std::ranges::find_if(all, [&](const Point& one) {
      return one.pipeline == point.pipeline && one.virtual_stages == point.virtual_stages;
    });
    if (same == all.end()) return std::string();
    point.short_last = false;
    if (point.sharding.group > 0 && point.data * point.shard.context % point.sharding.group != 0)
      point.sharding.group = 0;
    if (!is_admissible(base_, space_, point)) return std::string();
    TRY(const MeshMemory memory, costs_.memory(point));
    if (!memory.fits()) return fmt::format("lacks {:.1f} GiB", gib(memory.needed - memory.capacity));
    TRY(const Seconds time, simulate_(point));
    const double change = time.count / mesh_.time.count - 1;
    if (std::abs(change) < 5e-4) return std::string("takes the same time");
    return fmt::format("{} {:.1f} %", change < 0 ? "saves" : "costs", 100 * std::abs(change));
  }

  const Question& base_;
  const Space& space_;
  Costs& costs_;
  const Simulated& mesh_;
  const Simulate& simulate_;
  std::vector<std::string> sentences_;
};

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
  if (point.data > 1 || text.empty()) add(fmt::format("DP {}", point.data));
  if (point.sharding.level > 0) add(fmt::format("ZeRO-{}", point.sharding.level));
  if (point.sharding.group > 0) text += fmt::format(" over {}", point.sharding.group);
  if (const std::string again = recomputation_text(space.recomputed[point.recomputed]); !again.empty())
    add("recomputes " + again);
  return text;
}

Result<std::vector<std::string>> what_binds(const Question& base, const Space& space, Costs& costs,
                                            const Simulated& mesh) {
  TRY(const MeshParts parts, costs.parts(mesh.point, mesh.time));
  TRY(const MeshMemory memory, costs.memory(mesh.point));
  const auto of = [&](cost::PassPart part) { return parts.passes[static_cast<std::size_t>(part)]; };
  std::vector<std::pair<Seconds, std::string>> waits{
      {of(cost::PassPart::tensor), "TP communication"},
      {of(cost::PassPart::context), "CP communication"},
      {of(cost::PassPart::expert), "EP communication"},
      {of(cost::PassPart::gather) + of(cost::PassPart::scatter), "sharded weights"},
      {parts.bubble, "bubble and sends of the pipeline"},
      {parts.data, "DP communication"},
      {parts.recompute, "recomputation"}};
  std::ranges::stable_sort(waits, [](const auto& a, const auto& b) { return b.first < a.first; });
  const double step = mesh.time.count;
  const Seconds computing = of(cost::PassPart::compute) - parts.recompute;
  std::string line =
      fmt::format("{}: {} {} a micro-batch, {}. Compute is {:.1f} % of the step", name_of(space, mesh.point),
                  mesh.point.micro_batch, mesh.point.micro_batch == 1 ? "sample" : "samples",
                  counted(mesh.point.micro_batches, "micro-batch"), 100 * computing.count / step);
  for (std::size_t i = 0; i < 3; ++i)
    if (waits[i].first.count > 0.001 * step)
      line += fmt::format(", {} {:.1f} %", waits[i].second, 100 * waits[i].first.count / step);
  std::vector<std::string> sentences{line + "."};
  sentences.push_back(
      fmt::format("The fullest rank needs {:.1f} of {:.1f} GiB.", gib(memory.needed), gib(memory.capacity)));
  const int domain = domain_devices(*base.cluster);
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
  return sentences;
}

Result<std::vector<std::string>> neighbours(const Question& base, const Space& space, Costs& costs,
                                            const Simulated& mesh, const Simulate& simulate) {
  return Neighbours(base, space, costs, mesh, simulate).sentences();
}

std::string why_none(const Space& space, const Found& found, int devices) {
  if (found.work.shards == 0 || !found.least)
    return fmt::format("no mesh of {} divides the model and a global batch of {}", counted(devices, "device"),
                       counted(space.global_batch, "sample"));
  return fmt::format("no mesh fits: the least that one needs is {:.1f} GiB of {:.1f} GiB, {}", gib(found.least->needed),
                     gib(found.least->capacity), name_of(space, found.least_point));
}

}  // namespace pipedeck::planner::mesh
