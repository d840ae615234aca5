// SPDX-License-Identifier: Apache-2.0
// The planner `mesh` next to published mappings: both simulated, for the same model, machine, batch and engine choices.
// usage: bench_published_meshes RUNS.csv > table.md
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/planner/mesh/why.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/question_of.hpp"

using namespace pipedeck;

namespace {

using planner::mesh::Point;
using planner::mesh::Space;

Point point_of(const mesh::Question& question) {
  Point point;
  point.shard = question.shard(), point.sharding = question.sharding;
  point.micro_batch = question.layer.count.micro_batch, point.data = question.data;
  point.pipeline = question.pipeline, point.virtual_stages = question.virtual_stages;
  point.micro_batches = question.micro_batches;
  return point;
}

/// Returns all meshes that the planner has, and the published choices that it would not try by itself.
Space space_around(const mesh::Question& published) {
  Space space;
  space.global_batch = published.global_batch();
  space.engines = {};
  space.recomputed = planner::mesh::recomputations_of(published).value();
  const auto& own = published.layer.recomputed;
  const bool known = std::ranges::any_of(
      space.recomputed, [&](const auto& one) { return one.blocks == own.blocks && one.parts == own.parts; });
  if (!known && own.count < 0 && !own.operations) space.recomputed.push_back(own);
  if (published.sharding.group > 0)
    space.shardings.push_back({published.sharding.level, planner::mesh::ShardingGroup::all, published.sharding.group});
  const int widest = std::max(published.shard().tensor, planner::mesh::domain_devices(*published.cluster));
  for (const int degree : planner::mesh::divisors_of(published.devices()))
    if (degree <= widest) space.tensor.push_back(degree);
  return space;
}

struct Row {
  double published = 0, planned = 0;
  bool published_fits = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_published_meshes RUNS.csv\n");
    return 2;
  }
  const auto text = io::read_file(argv[1]);
  const auto runs = text ? study::accuracy::runs_from_csv(*text) : tl::unexpected(text.error());
  if (!runs) {
    fmt::print(stderr, "{}\n", runs.error().text());
    return 2;
  }
  fmt::print("| run | published mapping | s | mesh | s | change | search |\n|---|---|---|---|---|---|---|\n");
  std::vector<Row> rows;
  int none = 0;
  double longest = 0;
  for (const study::accuracy::PublishedRun& run : *runs) {
    if (!run.newest || !run.has_shape()) continue;
    const auto expressed = study::accuracy::question_of(run, presets::device_catalogue());
    const DeviceEfficiency* const reached = find_efficiency(presets::efficiency(), expressed.type.name);
    if (!expressed.question || !reached) continue;
    const mesh::Rates rates{expressed.type, *reached};
    const auto published = sim::step::predict_step(*expressed.question, rates);
    if (!published) continue;
    mesh::Question base = *expressed.question;
    base.blocks.clear(), base.layer.recomputed = {};
    base.training.hidden.pipeline |= base.training.hidden.gradients;
    const Space space = space_around(*expressed.question);
    auto costs = planner::mesh::Costs::of(base, space, rates);
    const planner::mesh::Simulate simulate = [&](const Point& point) -> Result<Seconds> {
      TRY(const auto step, sim::step::predict_step(planner::mesh::question_of(base, space, point), rates));
      return step.iteration;
    };
    const auto before = std::chrono::steady_clock::now();
    const auto found = costs ? planner::mesh::search(base, space, *costs, simulate, {})
                             : Result<planner::mesh::Found>(tl::unexpected(costs.error()));
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    longest = std::max(longest, took);
    if (!found || found->simulated.empty()) {
      ++none;
      fmt::print("| {} | {} | {:.4g} | {} | | | {:.2f} s |\n", run.row,
                 planner::mesh::name_of(space, point_of(*expressed.question)), published->iteration.count,
                 found ? "none fits" : found.error().message, took);
      continue;
    }
    const auto& best = found->simulated.front();
    rows.push_back({published->iteration.count, best.time.count, published->fits});
    fmt::print("| {} | {}{} | {:.4g} | {}{} | {:.4g} | {:+.1f} % | {:.2f} s |\n", run.row,
               planner::mesh::name_of(space, point_of(*expressed.question)), published->fits ? "" : ", does not fit",
               published->iteration.count, planner::mesh::name_of(space, best.point),
               found->proven ? "" : ", not proven", best.time.count,
               100 * (best.time.count / published->iteration.count - 1), took);
    std::fflush(stdout);
  }
  const auto share = [&](auto holds) {
    return rows.empty()
               ? 0
               : 100. * static_cast<double>(std::ranges::count_if(rows, holds)) / static_cast<double>(rows.size());
  };
  fmt::print(
      "\n{} rows: at least as fast in {:.1f} %, slower by more than 2 % in {:.1f} %; no mesh fits in {} others; "
      "longest search {:.1f} s\n",
      rows.size(), share([](const Row& row) { return row.planned <= row.published * (1 + 1e-6); }),
      share([](const Row& row) { return row.planned > 1.02 * row.published; }), none, longest);
  std::erase_if(rows, [](const Row& row) { return !row.published_fits; });
  fmt::print("{} of them fit as published: at least as fast in {:.1f} %, slower by more than 2 % in {:.1f} %\n",
             rows.size(), share([](const Row& row) { return row.planned <= row.published * (1 + 1e-6); }),
             share([](const Row& row) { return row.planned > 1.02 * row.published; }));
}
