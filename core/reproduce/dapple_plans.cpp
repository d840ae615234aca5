// SPDX-License-Identifier: Apache-2.0
// DAPPLE (Fan et al., PPoPP 2021): the plans of its planner (Table V) and of PipeDream's on the same problems (VII).
#include <cstdlib>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/reproduce/ask.hpp"
#include "core/reproduce/models.hpp"
#include "core/reproduce/papers.hpp"

namespace pipedeck::reproduce {
namespace {

/// Layers that a cut may be off by: what the papers count as layers is not always clear.
constexpr int off_by = 2;
/// A plan that is no more than so much slower is as good: which of the two wins is within what profiles tell.
constexpr double tie = 0.03;
/// Profiled at 128 images, of which 16 GiB hold no data-parallel pass by our memory model.
constexpr int resnet_slice = 32;

struct Planned {
  const char* model;
  int batch;
  const char* config;
  const char *shape, *split;
  const char* why;  ///< where ours differs
};
constexpr const char* gnmt_measured =
    "The last rows weigh on the last stage: the classifier and, in the released profile, an LSTM of 31.0 ms backward "
    "(the others take 8.5). The paper's cuts leave it more of the other layers; with 16 devices, stages of several "
    "replicas balance it better than one layer a device.";
constexpr const char* computed_times =
    "Neither this model's profile nor the micro-batch was published. With times from shapes, stages of one or two "
    "devices beat 8:8 on flat networks in the same simulator: they have less to all-reduce.";
constexpr const char* slow_half =
    "The paper's 24:12 gives the first stage 1.57 times the computation of the second, which has 73 % of the weights; "
    "in the same simulator that costs more than the smaller all-reduce saves. The profile is made of the paper's few "
    "figures.";
constexpr const char* eleven =
    "Eleven replicas share micro-batches of 16 (128 has no divisor of 11), so that some get two samples: more than 16 "
    "GiB without recompute. Pairs of devices are quicker here.";
constexpr Planned table_5[] = {
    {"ResNet-50", 2048, "A", "DP", "-", ""},
    {"ResNet-50", 2048, "B", "DP", "-", ""},
    {"ResNet-50", 2048, "C", "DP", "-", ""},
    {"VGG-19", 2048, "A", "DP", "-", ""},
    {"VGG-19", 2048, "B", "DP", "-", ""},
    {"VGG-19", 2048, "C", "15:1", "13:6",
     "With times from shapes a second device for the last layers pays; the cut is the paper's."},
    {"GNMT-16", 1024, "A", "8:8", "9:7", gnmt_measured},
    {"GNMT-16", 1024, "B", "8:8", "9:7", gnmt_measured},
    {"GNMT-16", 1024, "C", "straight", "-", gnmt_measured},
    {"BERT-48", 64, "A", "8:8", "23:25", ""},
    {"BERT-48", 64, "B", "straight", "-", ""},
    {"BERT-48", 64, "C", "straight", "-", ""},
    {"XLNet-36", 128, "A", "8:8", "18:18", computed_times},
    {"XLNet-36", 128, "B", "8:8", "18:18", computed_times},
    {"XLNet-36", 128, "C", "straight", "-", computed_times},
    {"AmoebaNet-36", 128, "A", "8:8", "24:12", slow_half},
    {"AmoebaNet-36", 128, "B", "11:5", "27:9", eleven},
    {"AmoebaNet-36", 128, "C", "11:5", "27:9", eleven},
};

/// Section VI-D on config A: the smaller warm-up for BERT and XLNet, whose transfers are cheap, to save memory.
planner::PlannerOptions dapple_options(const std::string& model, const std::string& config) {
  planner::PlannerOptions options;
  if (config == "dapple-a" && (model.starts_with("BERT") || model == "XLNet-36")) options["warmup"] = "A";
  if (model == "ResNet-50") options["min-slice"] = std::to_string(resnet_slice);
  return options;
}

/// Samples of a micro-batch that a device gets at least: those of the profile.
int min_samples(const std::string& model, const Profile& profile) {
  return model == "ResNet-50" ? resnet_slice : smallest_measured_micro_batch(profile);
}

Optimizer optimizer_of(const std::string& model) {  // section VI-A
  if (model.starts_with("VGG") || model == "ResNet-50") return Optimizer::sgd;
  return model == "AmoebaNet-36" ? Optimizer::rmsprop : Optimizer::adam;
}

Result<Problem> make_problem(const std::string& model, const std::string& config, int batch, const Bench& bench) {
  auto profile = paper_model(bench, model);
  auto cluster = presets::cluster_preset(config);
  if (!profile) return tl::unexpected(profile.error());
  if (!cluster) return tl::unexpected(cluster.error());
  Problem problem = table_problem(*std::move(profile), *std::move(cluster), batch);
  problem.workload.optimizer = optimizer_of(model);
  return problem;
}

/// "27:21" where a plan has two stages that are cut by layers, else "-".
std::string split_of(const Plan& plan, const Profile& profile) {
  const std::string shape = plan_shape(plan);
  return shape == "DP" || shape == "straight" ? "-" : joined(counted_layers(plan, profile));
}

/// Returns the paper's plan at its best: the fastest of all micro-batches and both warm-ups that fit, with the paper's
/// stage boundaries (straight: those with the fastest bottleneck stage). Nothing if none fits.
Result<std::optional<Seconds>> paper_time(const Problem& problem, const std::string& shape, const std::string& split,
                                          int least, const Bench& bench) {
  const planner::PlannerOptions slice{{"min-slice", std::to_string(least)}};
  if (shape == "DP" || shape == "straight") {
    const auto plan = answer(shape == "DP" ? "data-parallel" : "straight", problem, slice, bench);
    if (!plan && plan.error().code == ErrorCode::infeasible) return std::optional<Seconds>();
    if (!plan) return tl::unexpected(plan.error());
    const auto time = time_of(problem, *plan);
    return time ? Result<std::optional<Seconds>>(*time) : tl::unexpected(time.error());
  }
  const auto second = [](const std::string& pair) { return std::atoi(pair.c_str() + pair.find(':') + 1); };
  const std::vector<int> devices{std::atoi(shape.c_str()), second(shape)};
  const std::vector<int> ends{end_of_counted(*problem.profile, std::atoi(split.c_str())),
                              static_cast<int>(problem.profile->layers.size())};
  std::optional<Seconds> best;
  for (int micro_batch = 1; micro_batch <= problem.workload.global_batch; ++micro_batch) {
    if (problem.workload.global_batch % micro_batch != 0) continue;
    if (micro_batch < least * std::max(devices[0], devices[1])) continue;
    Problem fixed = problem;
    fixed.workload.micro_batch = micro_batch;
    Plan plan = pipeline(fixed, ends, devices);
    if (!problem.profile->is_chain()) plan.order = topological_order(*problem.profile);
    for (const Warmup warmup : {Warmup::A, Warmup::B}) {
      plan.warmup = warmup;
      TRY(const auto simulation, judged(fixed, plan, bench));
      const Seconds time = to_seconds(simulation.iteration);
      if (simulation.fits && (!best || time < *best)) best = time;
    }
  }
  return best;
}

/// Two-stage splits that differ by at most two layers.
bool same_split(const std::string& paper, const std::string& ours) {
  return paper == ours ||
         (paper != "-" && ours != "-" && std::abs(std::atoi(paper.c_str()) - std::atoi(ours.c_str())) <= off_by);
}

/// Returns DAPPLE's answer with all-reduces as in the paper: those of data parallelism overlap the backward, those of
/// pipelines do not.
Result<Plan> planned_as_in_paper(const Problem& problem, const planner::PlannerOptions& options, const Bench& bench) {
  Problem apart = problem, one_stage = problem;
  apart.workload.conventions.overlap = Overlap::none;
  one_stage.pins.stages = 1;
  auto pipeline = answer("dapple", apart, options, bench);
  auto data_parallel = answer("dapple", one_stage, options, bench);
  if (!pipeline || !data_parallel) return pipeline ? pipeline : data_parallel;
  TRY(const auto longer, time_of(apart, *pipeline));
  TRY(const auto shorter, time_of(problem, *data_parallel));
  return shorter < longer ? data_parallel : pipeline;
}

Result<ReproducedRow> planned_row(const Planned& paper, const Bench& bench) {
  const std::string preset = paper.config[0] == 'A' ? "dapple-a" : paper.config[0] == 'B' ? "dapple-b" : "dapple-c";
  TRY(const auto problem, make_problem(paper.model, preset, paper.batch, bench));
  const auto plan = planned_as_in_paper(problem, dapple_options(paper.model, preset), bench);
  ReproducedRow row{fmt::format("{} ({}), config {}", paper.model, paper.batch, paper.config)};
  if (!plan && plan.error().code != ErrorCode::infeasible) return tl::unexpected(plan.error());
  if (!plan) {
    row.cells = {cell(paper.shape, "none fits"), cell(paper.split, "-"), cell("-", "-")};
    row.note = plan.error().message;
    return row;
  }
  TRY(const auto ours, time_of(problem, *plan));
  const int least = min_samples(paper.model, *problem.profile);
  TRY(const auto theirs, paper_time(problem, paper.shape, paper.split, least, bench));
  row.cells = {cell(paper.shape, plan_shape(*plan)), cell(paper.split, split_of(*plan, *problem.profile)),
               theirs ? cell(in_milliseconds(*theirs), in_milliseconds(ours), "{:.1f} ms")
                      : cell("does not fit", fmt::format("{:.1f} ms", in_milliseconds(ours)))};
  const bool same = row.cells[0].paper == row.cells[0].ours && same_split(row.cells[1].paper, row.cells[1].ours);
  row.met = same || near(row.cells[2], tie);
  if (!row.met) row.note = paper.why;
  if (row.met && !same) row.note = "Another plan, as quick as the paper's within 3 %.";
  return row;
}

Result<std::vector<ReproducedRow>> dapple_table_5_rows(const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Planned& paper : table_5) {
    TRY_VOID(next_row(bench, rows.size(), std::size(table_5), paper.model));
    TRY(auto row, planned_row(paper, bench));
    rows.push_back(std::move(row));
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
    {"VGG-19", 1024, "14:2", "12:7", "8:6:1:1",
     "The fully connected layers need no second device here: 15:1 is quicker than 14:2. PipeDream's program answers "
     "the paper's plan with the released profile."},
    {"AmoebaNet-36", 128, "8:8", "27:9", "straight",
     "AmoebaNet's profile is made of the paper's few figures; its cut as in Table V."},
    {"BERT-Large", 128, "8:8", "12:12", "2:6:2:2:2:2", ""},
    {"XLNet-36", 128, "8:8", "18:18", "straight",
     "DAPPLE's plan is the paper's. PipeDream's program answers straight on one level (`--levels flat`), by two levels "
     "with times from shapes not quite; the paper's profile is not published."},
};

Result<ReproducedRow> compared_row(const Compared& paper, const Bench& bench) {
  TRY(const auto problem, make_problem(paper.model, "dapple-a", paper.batch, bench));
  Problem reduced_at_the_end = problem;
  reduced_at_the_end.workload.conventions.overlap = Overlap::none;
  TRY(const auto ours, answer("dapple", reduced_at_the_end, dapple_options(paper.model, "dapple-a"), bench));
  TRY(const auto theirs, answer("pipedream", problem, {{"as-released", "true"}}, bench));
  ReproducedRow row{fmt::format("{} ({})", paper.model, paper.batch),
                    {cell(paper.dapple, plan_shape(ours)), cell(paper.dapple_split, split_of(ours, *problem.profile)),
                     cell(paper.pipedream, plan_shape(theirs))}};
  row.met = row.cells[0].paper == row.cells[0].ours && same_split(row.cells[1].paper, row.cells[1].ours) &&
            row.cells[2].paper == row.cells[2].ours;
  if (!row.met) row.note = paper.why;
  return row;
}

Result<std::vector<ReproducedRow>> rows_of_table_7(const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Compared& paper : table_7) {
    TRY_VOID(next_row(bench, rows.size(), std::size(table_7), paper.model));
    TRY(auto row, compared_row(paper, bench));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

PaperTable dapple_table_5() {
  return {
      {"dapple-5",
       "DAPPLE, Table V: planning results",
       "`dapple` on the presets dapple-a, -b, -c with the optimizers of section VI-A; warm-up A for BERT-48 and "
       "XLNet-36 on A, as section VI-D has it. The planner chooses the micro-batch, not below what was profiled on a "
       "device (ResNet-50: 32 images). Splits count blocks, recurrent layers, convolutions and fully connected layers. "
       "All-reduces of data parallelism overlap the backward, those of pipelines do not, as in the paper. "
       "The last figures are the paper's plan, at its best micro-batch and warm-up, and ours in the same simulator.",
       "the same devices for each stage and the cut within two layers, or another plan that is as quick within 3 %",
       "model (global batch)",
       {"plan", "split", "iteration, each plan simulated"}},
      dapple_table_5_rows};
}

PaperTable dapple_table_7() {
  return {{"dapple-7",
           "DAPPLE, Table VII: DAPPLE and PipeDream on two servers of config A",
           "`dapple --overlap none` with the options of Table V (data parallelism with overlap is left out, as in the "
           "paper's comparison), `pipedream --as-released` (the program of PipeDream's authors) on the same profile "
           "and cluster.",
           "the same devices for each stage of both, DAPPLE's cut within two layers",
           "model (global batch)",
           {"DAPPLE", "DAPPLE split", "PipeDream"}},
          rows_of_table_7};
}

}  // namespace pipedeck::reproduce
