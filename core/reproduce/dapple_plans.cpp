// SPDX-License-Identifier: Apache-2.0
// DAPPLE (Fan et al., PPoPP 2021): the plans of its planner (Table V) and of PipeDream's on the same problems (VII).
#include <cstdlib>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/reproduce/ask.hpp"
#include "core/reproduce/models.hpp"
#include "core/reproduce/papers.hpp"

namespace pipedeck {
namespace {

/// Layers that a cut may be off by: what the papers count as layers is not always clear.
constexpr int off_by = 2;

struct Planned {
  const char* model;
  int batch;
  const char* config;
  const char *shape, *split;
  const char* why;  ///< where ours differs
};
constexpr const char* gnmt_measured =
    "The last rows of the released profile, an LSTM of 31.0 ms backward (the others take 8.5) and the classifier, "
    "weigh "
    "on the last stage; docs/planners.md has the times of both plans.";
constexpr const char* one_sample =
    "At one sample a device. The paper gives neither micro-batches nor this model's profile.";
constexpr Planned table_5[] = {
    {"ResNet-50", 2048, "A", "DP", "-", ""},
    {"ResNet-50", 2048, "B", "DP", "-", ""},
    {"ResNet-50", 2048, "C", "DP", "-", ""},
    {"VGG-19", 2048, "A", "DP", "-", ""},
    {"VGG-19", 2048, "B", "DP", "-", ""},
    {"VGG-19", 2048, "C", "15:1", "13:6",
     "The same 15:1, cut nearer to the fully connected layers: less crosses that cut, and the last convolutions' "
     "weights "
     "are small."},
    {"GNMT-16", 1024, "A", "8:8", "9:7", gnmt_measured},
    {"GNMT-16", 1024, "B", "8:8", "9:7", gnmt_measured},
    {"GNMT-16", 1024, "C", "straight", "-", gnmt_measured},
    {"BERT-48", 64, "A", "8:8", "23:25", ""},
    {"BERT-48", 64, "B", "straight", "-", ""},
    {"BERT-48", 64, "C", "straight", "-", ""},
    {"XLNet-36", 128, "A", "8:8", "18:18", one_sample},
    {"XLNet-36", 128, "B", "8:8", "18:18", one_sample},
    {"XLNet-36", 128, "C", "straight", "-", one_sample},
    {"AmoebaNet-36", 128, "A", "8:8", "24:12", one_sample},
    {"AmoebaNet-36", 128, "B", "11:5", "27:9", one_sample},
    {"AmoebaNet-36", 128, "C", "11:5", "27:9", one_sample},
};

/// Section VI-D: the smaller warm-up where transfers are cheap, to save memory, the larger elsewhere.
PlannerOptions dapple_options(const std::string& model) {
  const bool cheap = model.starts_with("BERT") || model == "XLNet-36";
  return {{"warmup", cheap ? "A" : "B"}};
}

Optimizer optimizer_of(const std::string& model) {  // section VI-A
  if (model.starts_with("VGG") || model == "ResNet-50") return Optimizer::sgd;
  return model == "AmoebaNet-36" ? Optimizer::rmsprop : Optimizer::adam;
}

Result<Problem> problem_of(const std::string& model, const std::string& config, int batch, const Bench& bench) {
  auto profile = paper_model(bench, model);
  auto cluster = cluster_preset(config);
  if (!profile) return tl::unexpected(profile.error());
  if (!cluster) return tl::unexpected(cluster.error());
  Problem problem = question(*std::move(profile), *std::move(cluster), batch);
  problem.workload.optimizer = optimizer_of(model);
  return problem;
}

/// "27:21" where a plan has two stages that are cut by layers, else "-".
std::string split_of(const Plan& plan, const Profile& profile) {
  const std::string shape = plan_shape(plan);
  return shape == "DP" || shape == "straight" ? "-" : joined(counted_layers(plan, profile));
}

/// Two-stage splits that differ by at most two layers.
bool same_split(const std::string& paper, const std::string& ours) {
  return paper == ours ||
         (paper != "-" && ours != "-" && std::abs(std::atoi(paper.c_str()) - std::atoi(ours.c_str())) <= off_by);
}

Result<ReproducedRow> planned_row(const Planned& paper, const Bench& bench) {
  const std::string preset = paper.config[0] == 'A' ? "dapple-a" : paper.config[0] == 'B' ? "dapple-b" : "dapple-c";
  const auto problem = problem_of(paper.model, preset, paper.batch, bench);
  if (!problem) return tl::unexpected(problem.error());
  const auto plan = answer("dapple", *problem, dapple_options(paper.model), bench);
  ReproducedRow row{fmt::format("{} ({}), config {}", paper.model, paper.batch, paper.config)};
  if (!plan && plan.error().code != ErrorCode::infeasible) return tl::unexpected(plan.error());
  if (!plan) {
    row.cells = {cell(paper.shape, "none fits"), cell(paper.split, "-")};
    row.note = plan.error().message;
    return row;
  }
  row.cells = {cell(paper.shape, plan_shape(*plan)), cell(paper.split, split_of(*plan, *problem->profile))};
  row.met = row.cells[0].paper == row.cells[0].ours && same_split(row.cells[1].paper, row.cells[1].ours);
  if (!row.met) row.note = paper.why;
  return row;
}

Result<std::vector<ReproducedRow>> rows_of_table_5(const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Planned& paper : table_5) {
    if (auto next = next_row(bench, rows.size(), std::size(table_5), paper.model); !next)
      return tl::unexpected(next.error());
    auto row = planned_row(paper, bench);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(*std::move(row));
  }
  return rows;
}

struct Compared {
  const char* model;
  int batch;
  const char *dapple, *dapple_split, *pipedream;
  const char* why;
};
/// Splits in counted layers: rows 17-25 of VGG-19 are conv5 and the fully connected layers; of AmoebaNet's 44 rows,
/// BERT's 27 and XLNet's 42, those in front and behind are taken as 4 and 4, 2 and 1, 5 and 1.
constexpr Compared table_7[] = {
    {"VGG-19", 1024, "14:2", "12:7", "8:6:1:1", ""},
    {"AmoebaNet-36", 128, "8:8", "27:9", "straight", ""},
    {"BERT-Large", 128, "8:8", "12:12", "2:6:2:2:2:2", ""},
    {"XLNet-36", 128, "8:8", "18:18", "straight", ""},
};

Result<ReproducedRow> compared_row(const Compared& paper, const Bench& bench) {
  const auto problem = problem_of(paper.model, "dapple-a", paper.batch, bench);
  if (!problem) return tl::unexpected(problem.error());
  const auto ours = answer("dapple", *problem, dapple_options(paper.model), bench);
  if (!ours) return tl::unexpected(ours.error());
  const auto theirs = answer("pipedream", *problem, {{"ignore-memory", "true"}}, bench);
  if (!theirs) return tl::unexpected(theirs.error());
  ReproducedRow row{
      fmt::format("{} ({})", paper.model, paper.batch),
      {cell(paper.dapple, plan_shape(*ours)), cell(paper.dapple_split, split_of(*ours, *problem->profile)),
       cell(paper.pipedream, plan_shape(*theirs))}};
  row.met = row.cells[0].paper == row.cells[0].ours && same_split(row.cells[1].paper, row.cells[1].ours) &&
            row.cells[2].paper == row.cells[2].ours;
  if (!row.met) row.note = paper.why;
  return row;
}

Result<std::vector<ReproducedRow>> rows_of_table_7(const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Compared& paper : table_7) {
    if (auto next = next_row(bench, rows.size(), std::size(table_7), paper.model); !next)
      return tl::unexpected(next.error());
    auto row = compared_row(paper, bench);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace

PaperTable dapple_table_5() {
  return {{"dapple-5",
           "DAPPLE, Table V: planning results",
           "`dapple` with the warm-up policy that section VI-D chose for the model (A for BERT-48 and XLNet-36, B "
           "elsewhere), presets dapple-a, -b, -c, the optimizers of section VI-A; the planner chooses the micro-batch, "
           "not below what was profiled on a device. Splits count blocks, recurrent layers, convolutions and fully "
           "connected layers.",
           "the same devices for each stage, the cut within two layers",
           "model (global batch)",
           {"plan", "split"}},
          rows_of_table_5};
}

PaperTable dapple_table_7() {
  return {{"dapple-7",
           "DAPPLE, Table VII: DAPPLE and PipeDream on two servers of config A",
           "`dapple` as for Table V, `pipedream --ignore-memory` on the same profile and cluster.",
           "the same devices for each stage of both, DAPPLE's cut within two layers",
           "model (global batch)",
           {"DAPPLE", "DAPPLE split", "PipeDream"}},
          rows_of_table_7};
}

}  // namespace pipedeck
