// SPDX-License-Identifier: Apache-2.0
// Whale (Jia et al., USENIX ATC 2022), Figures 17 and 18: what the hardware-aware balance gains over the even one.
#include <algorithm>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/reproduce/ask.hpp"
#include "core/reproduce/models.hpp"
#include "core/reproduce/papers.hpp"

namespace pipedeck::reproduce {
namespace {

struct Gained {
  const char* model;
  int samples;         ///< of a device: the paper does not give its batches
  double least, most;  ///< the gain, in section 5.2's words
};
constexpr Gained figure_17[] = {{"ResNet-50", 64, 1.3, 1.4}, {"BERT-Large", 8, 1.3, 1.4}, {"GNMT-16", 64, 1.3, 1.4}};
constexpr Gained figure_18[] = {{"BERT-Large", 8, 1.2, 1.2}, {"T5-Large", 8, 1.2, 1.2}};
constexpr double gains_within = 0.1;

Result<Seconds> balanced_time(const Problem& problem, planner::PlannerOptions options, const std::string& balance,
                              const Bench& bench) {
  options["balance"] = balance;
  TRY(const auto plan, answer("whale", problem, options, bench));
  return time_of(problem, plan);
}

Result<ReproducedRow> gained_row(const Gained& paper, const std::string& cluster_name,
                                 const planner::PlannerOptions& options, const Bench& bench) {
  auto profile = computed_model(paper.model, paper.samples);
  auto cluster = presets::cluster_preset(cluster_name);
  if (!profile) return tl::unexpected(profile.error());
  if (!cluster) return tl::unexpected(cluster.error());
  profile->device = "V100-32GB";
  const int devices = static_cast<int>(devices_of(*cluster).size());
  Problem problem = table_problem(*std::move(profile), *std::move(cluster), devices * paper.samples);
  if (options.at("strategy") == "replicate") problem.workload.micro_batch = problem.workload.global_batch;
  TRY(const auto even, balanced_time(problem, options, "even", bench));
  TRY(const auto aware, balanced_time(problem, options, "aware", bench));
  const double gain = even.count / aware.count, nearest = std::clamp(gain, paper.least, paper.most);
  ReproducedRow row;
  row.subject = fmt::format("{}, {} samples per device", paper.model, paper.samples);
  row.cells = {{"", fmt::format("{:.1f} ms", in_milliseconds(even)), {}},
               {"", fmt::format("{:.1f} ms", in_milliseconds(aware)), {}},
               {paper.least < paper.most ? fmt::format("{:.1f} to {:.1f}x", paper.least, paper.most)
                                         : fmt::format("about {:.1f}x", paper.least),
                fmt::format("{:.2f}x", gain), gain / nearest - 1}};
  row.met = near(row.cells.back(), gains_within);
  return row;
}

template <std::size_t n>
Result<std::vector<ReproducedRow>> gain_rows(const Gained (&figure)[n], const std::string& cluster,
                                             const planner::PlannerOptions& options, const std::string& why,
                                             const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Gained& paper : figure) {
    TRY_VOID(next_row(bench, rows.size(), n, paper.model));
    TRY(auto row, gained_row(paper, cluster, options, bench));
    if (!row.met) row.note = why;
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr const char* peaks =
    "By peak fp32 a P100 does 0.592 of a V100, so that even shares leave 1 / 0.796 = 1.26 to be gained; gradients "
    "crossing the network, the same with either balance, take from that.";

Result<std::vector<ReproducedRow>> rows_of_figure_17(const Bench& bench) {
  return gain_rows(figure_17, "whale-dp", {{"strategy", "replicate"}, {"min-slice", "1"}}, peaks, bench);
}
Result<std::vector<ReproducedRow>> rows_of_figure_18(const Bench& bench) {
  return gain_rows(figure_18, "whale-pipe", {{"strategy", "pipeline"}, {"task-graphs", "4"}, {"min-slice", "1"}}, peaks,
                   bench);
}

constexpr const char* gain_rule = "the gain within 10 % of section 5.2";

}  // namespace

PaperTable whale_figure_17() {
  return {{"whale-17",
           "Whale, Figure 17: hardware-aware data parallelism",
           "`whale --strategy replicate` with `--balance even` and `aware` on preset whale-dp (8 V100 of 32 GB, 8 "
           "P100), fp32, Adam, one micro-batch; profiles computed from shapes. The figure's bars are not in the text: "
           "the gains are those of section 5.2.",
           gain_rule,
           "model",
           {"even", "aware", "gain"}},
          rows_of_figure_17};
}

PaperTable whale_figure_18() {
  return {{"whale-18",
           "Whale, Figure 18: hardware-aware pipelines",
           "`whale --strategy pipeline --task-graphs 4` with `--balance even` and `aware` on preset whale-pipe (4 V100 "
           "of 32 GB, 4 P100), nested data parallelism of 2, fp32, Adam; each balance at its best micro-batch; "
           "profiles computed from shapes.",
           gain_rule,
           "model",
           {"even", "aware", "gain"}},
          rows_of_figure_18};
}

}  // namespace pipedeck::reproduce
