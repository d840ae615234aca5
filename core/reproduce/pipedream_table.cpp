// SPDX-License-Identifier: Apache-2.0
// PipeDream (Narayanan et al., SOSP 2019), Table 1: the configurations of its optimizer and their speed-up over data
// parallelism.
#include <algorithm>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/reproduce/ask.hpp"
#include "core/reproduce/models.hpp"
#include "core/reproduce/papers.hpp"

namespace pipedeck::reproduce {
namespace {

struct Configured {
  const char* model;
  int mini_batch;  ///< samples per GPU: section 5.1
  int servers;
  const char* scale;   ///< servers x GPUs
  const char* preset;  ///< whose first servers are taken
  const char* config;
  double speedup;  ///< of an epoch's time over data parallelism
  const char* why;
};
constexpr const char* hidden =
    "By the text's recurrence gradients at the nominal bandwidth hide behind computation, so that replicas cost "
    "little; the paper's speed-ups show that they cost more on its servers. The released program adds them up and "
    "still keeps replicas of the stages that would be slowest.";
constexpr const char* mirrored =
    "By the shapes the classifier over the vocabulary takes longest and would be replicated (1-1-2, as released); the "
    "paper's first stage, which it replicates, must hold more than what Venugopalan et al. print.";
constexpr const char* nearly =
    "All stages but a few have one device. The recurrence replicates those that would be slowest, as LSTM layers, "
    "embeddings and classifier are not equally long.";
constexpr const char* no_profile = "No profile was published; the shapes' times make another stage the slowest.";
constexpr Configured table_1[] = {
    {"VGG-16", 64, 4, "4x4 (A)", "pipedream-a", "15-1", 5.28, ""},
    {"VGG-16", 64, 2, "2x8 (B)", "pipedream-b", "15-1", 2.98, hidden},
    {"ResNet-50", 128, 4, "4x4 (A)", "pipedream-a", "16", 1, ""},
    {"ResNet-50", 128, 2, "2x8 (B)", "pipedream-b", "16", 1, ""},
    {"AlexNet", 256, 4, "4x4 (A)", "pipedream-a", "15-1", 4.92, no_profile},
    {"AlexNet", 256, 2, "2x8 (B)", "pipedream-b", "15-1", 2.04, ""},
    {"GNMT-16", 64, 1, "1x4 (A)", "pipedream-a", "straight", 1.46, no_profile},
    {"GNMT-16", 64, 4, "4x4 (A)", "pipedream-a", "straight", 2.34, nearly},
    {"GNMT-16", 64, 2, "2x8 (B)", "pipedream-b", "straight", 3.14, hidden},
    {"GNMT-8", 64, 1, "1x4 (A)", "pipedream-a", "straight", 1.5, no_profile},
    {"GNMT-8", 64, 3, "3x4 (A)", "pipedream-a", "straight", 2.95, nearly},
    {"GNMT-8", 64, 2, "2x8 (B)", "pipedream-b", "16", 1, nearly},
    {"AWD-LM", 80, 1, "1x4 (A)", "pipedream-a", "straight", 4.25, hidden},
    {"S2VT", 80, 4, "4x1 (C)", "pipedream-c", "2-1-1", 3.01, mirrored},
};

/// The paper's way to write a plan: "15-1"; "16" is data parallelism.
std::string config_of(const Plan& plan) {
  if (plan.stages.size() == 1) return std::to_string(plan.stages.front().devices.size());
  std::string text = plan_shape(plan);
  std::replace(text.begin(), text.end(), ':', '-');
  return text;
}

/// Samples a second of each: one mini-batch a replica, asynchronous against all-reduced by layer.
Result<double> speedup_over_data_parallel(const Problem& problem, const Plan& plan, const Bench& bench) {
  TRY(const auto ours, judged(problem, plan, bench));
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  Problem whole = problem;
  whole.workload.global_batch = devices * *problem.workload.micro_batch;
  whole.workload.micro_batch = whole.workload.global_batch;
  TRY(const auto parallel,
      judged(whole, pipeline(whole, {static_cast<int>(problem.profile->layers.size())}, {devices}), bench));
  return ours.samples_per_second / parallel.samples_per_second;
}

Result<ReproducedRow> configured_row(const Configured& paper, const Bench& bench) {
  auto profile = paper_model(bench, paper.model);
  auto cluster = presets::cluster_preset(paper.preset);
  if (!profile) return tl::unexpected(profile.error());
  if (!cluster) return tl::unexpected(cluster.error());
  // A server's GPUs share the one PCIe tree (section 2), which the recurrences, where every device has the bandwidth of
  // its level, see as a fair share each.
  for (Node& node : cluster->nodes)
    if (node.bus) node.link->bandwidth = node.link->bandwidth / node.devices.front().count, node.bus = false;
  const std::string device = cluster->device_types.front().name;
  profile->device = device;
  const int mini_batch = paper.mini_batch;
  Problem problem =
      table_problem(*std::move(profile), first_nodes(*std::move(cluster), paper.servers), mini_batch * 128, mini_batch);
  problem.workload.optimizer = std::string(paper.model).starts_with("GNMT") ? Optimizer::adam : Optimizer::sgd;
  TRY(const auto plan, answer("pipedream", problem, {{"levels", "flat"}, {"ignore-memory", "true"}}, bench));
  TRY(const auto released, answer("pipedream", problem, {{"levels", "flat"}, {"as-released", "true"}}, bench));
  const bool text_met = config_of(plan) == paper.config, released_met = config_of(released) == paper.config;
  TRY(const auto speedup, speedup_over_data_parallel(problem, !text_met && released_met ? released : plan, bench));
  ReproducedRow row{fmt::format("{}, {}", paper.model, paper.scale),
                    {cell(paper.config, config_of(plan)), cell(paper.config, config_of(released)),
                     cell(paper.speedup, speedup, "{:.2f}x")}};
  row.met = text_met || released_met;
  if (!row.met) row.note = paper.why;
  return row;
}

Result<std::vector<ReproducedRow>> rows_of_table_1(const Bench& bench) {
  std::vector<ReproducedRow> rows;
  for (const Configured& paper : table_1) {
    TRY_VOID(next_row(bench, rows.size(), std::size(table_1), paper.model));
    TRY(auto row, configured_row(paper, bench));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

PaperTable pipedream_table_1() {
  return {{"pipedream-1",
           "PipeDream, Table 1: configurations and speed-up over data parallelism",
           "`pipedream --levels flat`, by the recurrence of the text (with `--ignore-memory`) and `--as-released`, as "
           "the authors' program computes, on the first servers of the presets pipedream-a, -b, -c; the mini-batches "
           "of section 5.1, a GPU's fair share of cluster A's PCIe tree (3 GB/s). The speed-up is the simulated "
           "samples per second of the configuration that is the paper's, else of the first, over data parallelism with "
           "one mini-batch a device and gradients reduced by layer.",
           "one of the two answers is the paper's configuration; speed-ups are shown, not counted: ours are those of "
           "nominal bandwidths",
           "model, servers x GPUs (cluster)",
           {"configuration, by the text", "as released", "epoch speed-up"}},
          rows_of_table_1};
}

}  // namespace pipedeck::reproduce
