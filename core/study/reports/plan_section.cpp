// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/plan_section.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/checksum.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/study/reports/figures.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/reports/pictures.hpp"

namespace pipedeck::study::reports {
namespace {

std::string recompute_text(const Translator& words, const Stage& stage) {
  if (stage.recompute.all) return words("all layers");
  return stage.recompute.any() ? words.count(stage.recompute.layers.size(), "1 layer", "{} layers") : words("none");
}

/// "0 to 23: embedding ... block 22"
std::string layers_text(const Translator& words, const Plan& plan, const Stage& stage, const Profile& profile) {
  const std::vector<LayerId> order = order_of(plan, profile);
  const auto layer_name = [&](int position) {
    return profile.layers[order[static_cast<std::size_t>(position)].index()].name;
  };
  if (stage.last - stage.first == 1) return fmt::format("{}: {}", stage.first, layer_name(stage.first));
  return words("{} to {}: {} \u2026 {}", stage.first, stage.last - 1, layer_name(stage.first),
               layer_name(stage.last - 1));
}

/// Pictures and tables would not end; the plan itself has them all.
constexpr std::size_t max_stage_rows = 64;

Table stages_table(const Translator& words, const Plan& plan, const Profile& profile) {
  Table table{{{words("Stage"), true},
               {words("Layers")},
               {words("Count"), true},
               {words("Devices")},
               {words("Replicas"), true},
               {words("Tensor parallel"), true},
               {words("Recompute")}},
              {},
              false};
  for (std::size_t s = 0; s < std::min(plan.stages.size(), max_stage_rows); ++s) {
    const Stage& stage = plan.stages[s];
    table.rows.push_back({std::to_string(s), layers_text(words, plan, stage, profile),
                          std::to_string(stage.last - stage.first), devices_text(words, stage.devices),
                          std::to_string(stage.replicas()), std::to_string(stage.tensor_parallel),
                          recompute_text(words, stage)});
  }
  return table;
}

std::string workload_text(const Translator& words, const Plan& plan) {
  const std::string schedule = schedule_text(plan);
  const std::string_view optimizer = name_of(plan.optimizer), precision = name_of(plan.precision);
  std::string text = plan.micro_batches == 1
                         ? words("{}, 1 micro-batch of {} (global batch {}), optimizer {}, precision {}", schedule,
                                 plan.micro_batch, plan.global_batch, optimizer, precision)
                         : words("{}, {} micro-batches of {} (global batch {}), optimizer {}, precision {}", schedule,
                                 plan.micro_batches, plan.micro_batch, plan.global_batch, optimizer, precision);
  if (plan.zero > 0) text += words(", ZeRO stage {}", plan.zero);
  return text + '.';
}

/// Whole sentences, one after the other.
std::string facts_text(const Translator& words, const Plan& plan, const PlanFigures& figures) {
  const Simulation& simulation = figures.simulation;
  std::string text = workload_text(words, plan);
  const TimeBreakdown& parts = simulation.parts;
  text += ' ' + words("{} an iteration, {:.2f} samples/s, bubble {}, exposed communication {}.",
                      time_text(words, simulation.iteration), simulation.samples_per_second,
                      percent_text(words, simulation.bubble_fraction),
                      share_text(words, parts.communication(), parts.total()));
  if (figures.utilization)
    text += ' ' + words("{:.0f} tokens/s, {:.1f} per device.", figures.utilization->tokens_per_second,
                        figures.utilization->tokens_per_second_per_device);
  if (figures.utilization && figures.utilization->peak_per_device > 0)
    text += ' ' + words("MFU {}; {} over all pairs of tokens, {} with recomputation.",
                        percent_text(words, figures.utilization->mfu),
                        percent_text(words, figures.utilization->mfu_all_pairs),
                        percent_text(words, figures.utilization->hfu));
  if (plan.planner == "hand") return text + ' ' + words("Made by hand.");
  return plan.planner.empty() ? text : text + ' ' + words("Made by the planner {}.", plan.planner);
}

Table parts_table(const Translator& words, const TimeBreakdown& parts) {
  Table table{{{words("The iteration consists of")}, {"ms", true}, {words("Share"), true}}, {}, true};
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_of_all_plans(part) && parts[part].count == 0) continue;
    table.rows.push_back(
        {label_of(words, part), milliseconds_text(words, parts[part]), share_text(words, parts[part], parts.total())});
  }
  table.rows.push_back({words("in all"), milliseconds_text(words, parts.total()), ""});
  return table;
}

Table path_table(const Translator& words, const CriticalPath& path, const Plan& plan) {
  const Nanoseconds whole = path.end - path.begin;
  const CriticalShares shares = shares_of(path, plan.stages.size());
  Table table{{{words("The critical path is in")}, {"ms", true}, {words("Share"), true}}, {}, true};
  const auto add = [&](std::string name, Nanoseconds time) {
    if (time.count > 0)
      table.rows.push_back({std::move(name), milliseconds_text(words, time), share_text(words, time, whole)});
  };
  for (int kind = 0; kind < op_kind_count; ++kind)
    add(file_label(words, static_cast<OpKind>(kind)), shares.by_kind[static_cast<std::size_t>(kind)]);
  for (std::size_t s = 0; s < std::min(shares.by_stage.size(), max_stage_rows); ++s)
    add(words("stage {}", s), shares.by_stage[s]);
  add(words("slowed by others"), shares.slowed);
  return table;
}

/// One row for devices of which all of this is the same: replicas of a stage, mostly.
bool told_alike(const SimulatedDevice& a, const SimulatedDevice& b) {
  return a.busy == b.busy && a.peak == b.peak && a.peak_upper_bound == b.peak_upper_bound && a.capacity == b.capacity &&
         a.peak_micro_batches == b.peak_micro_batches && a.peak_breakdown == b.peak_breakdown;
}

struct DeviceGroupRow {
  std::vector<DeviceId> devices;
  const SimulatedDevice* first = nullptr;
};

std::vector<DeviceGroupRow> grouped(const Simulation& simulation) {
  std::vector<DeviceGroupRow> rows;
  for (const SimulatedDevice& device : simulation.devices) {
    if (rows.empty() || !told_alike(*rows.back().first, device)) rows.push_back({{}, &device});
    rows.back().devices.push_back(device.device);
  }
  if (rows.size() > max_stage_rows) rows.resize(max_stage_rows);
  return rows;
}

Table devices_table(const Translator& words, const Simulation& simulation) {
  Table table{{{words("Devices")},
               {words("Busy"), true},
               {words("Peak GiB"), true},
               {words("At most GiB"), true},
               {words("Capacity GiB"), true},
               {words("Micro-batches kept"), true},
               {words("Fits")}},
              {},
              true};
  for (const DeviceGroupRow& row : grouped(simulation)) {
    const SimulatedDevice& device = *row.first;
    table.rows.push_back({devices_text(words, row.devices), share_text(words, device.busy, simulation.iteration),
                          gib_text(words, device.peak), gib_text(words, device.peak_upper_bound),
                          gib_text(words, device.capacity), std::to_string(device.peak_micro_batches),
                          label_of(words, fit_of(device))});
  }
  return table;
}

Table items_table(const Translator& words, const Simulation& simulation) {
  std::vector<MemoryItem> items;  // that some device holds
  Table table{{{words("GiB at the peak of")}}, {}, true};
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    const auto holds = [item](const SimulatedDevice& device) { return device.peak_breakdown[item].count > 0; };
    if (std::ranges::none_of(simulation.devices, holds)) continue;
    items.push_back(item);
    table.columns.push_back({label_of(words, item), true});
  }
  for (const DeviceGroupRow& row : grouped(simulation)) {
    std::vector<std::string> cells{devices_text(words, row.devices)};
    for (const MemoryItem item : items) cells.push_back(gib_text(words, row.first->peak_breakdown[item]));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The stage that the critical path is longest in.
std::string path_text(const Translator& words, const PlanFigures& figures, const Plan& plan) {
  const Nanoseconds whole = figures.path.end - figures.path.begin;
  const CriticalShares shares = shares_of(figures.path, plan.stages.size());
  const std::size_t links = figures.path.links.size();
  const auto stage = std::ranges::max_element(shares.by_stage);
  if (stage == shares.by_stage.end() || stage->count <= 0)
    return words.count(links, "The critical path has 1 link.", "The critical path has {} links.");
  return words.count(links, "The critical path has 1 link; it is longest on stage {} ({}).",
                     "The critical path has {} links; it is longest on stage {} ({}).", stage - shares.by_stage.begin(),
                     share_text(words, *stage, whole));
}

/// The largest part of the iteration that is no computation.
std::string lost_text(const Translator& words, const TimeBreakdown& parts) {
  auto lost = TimePart::imbalance;
  for (int i = static_cast<int>(TimePart::imbalance); i < time_part_count; ++i)
    if (parts[static_cast<TimePart>(i)] > parts[lost]) lost = static_cast<TimePart>(i);
  if (parts[lost].count <= 0) return words("Nothing but computation takes time.");
  return words("Apart from computation, most time goes to {}: {} of the iteration.", label_of(words, lost),
               share_text(words, parts[lost], parts.total()));
}

bool made_for(const std::string& sha256, const std::string& here) { return sha256.empty() || sha256 == here; }

/// A planner's proofs and reasons hold for the profile and the cluster that it planned for.
bool is_outdated(const Plan& plan, const Problem& problem) {
  return !made_for(plan.profile_sha256, io::sha256_of(*problem.profile)) ||
         !made_for(plan.cluster_sha256, io::sha256_of(*problem.cluster));
}

std::vector<std::string> bounds_of(const Translator& words, const PlanFigures& figures, const Plan& plan,
                                   const Problem& problem) {
  std::vector<std::string> sentences{path_text(words, figures, plan) + ' ' +
                                     lost_text(words, figures.simulation.parts)};
  const double iteration = to_seconds(figures.simulation.iteration).count;
  const bool outdated = is_outdated(plan, problem), mesh = has_mesh(plan);
  if (const double bound = in_milliseconds(figures.lower_bound); bound > 0 && !(mesh && outdated)) {
    const std::string longer = percent_text(words, iteration / figures.lower_bound.count - 1);
    sentences.push_back(
        mesh ? words("No mesh of equal stages ends an iteration before {:.3f} ms; this one takes {} longer.", bound,
                     longer)
             : words("No plan of this problem ends an iteration before {:.3f} ms; this one takes {} longer.", bound,
                     longer));
  }
  if (outdated) return sentences;
  if (plan.certificate && !plan.certificate->optimal_in.empty())
    sentences.push_back(words("Proven best in its space: {}.", words.translate(plan.certificate->optimal_in)));
  for (const std::string& why : plan.rationale) sentences.push_back(words.translate(why));
  return sentences;
}

}  // namespace

std::vector<std::string> warnings_of(const Translator& words, const Plan& plan, const Simulation& simulation,
                                     const Problem& problem) {
  std::vector<std::string> warnings;
  switch (fit_of(simulation)) {
    case Fit::surely:
      break;
    case Fit::expected:
      warnings.push_back(words("{} fits in memory, but not by the upper estimate on {} of {} devices.", plan.name,
                               num_devices_over_capacity(simulation), num_devices(simulation)));
      break;
    case Fit::no:
      warnings.push_back(words("{} does not fit in memory.", plan.name));
      break;
  }
  if (!made_for(plan.profile_sha256, io::sha256_of(*problem.profile)))
    warnings.push_back(words("{} was made for another profile than the one it is simulated with.", plan.name));
  if (!made_for(plan.cluster_sha256, io::sha256_of(*problem.cluster)))
    warnings.push_back(words("{} was made for another cluster than the one it is simulated on.", plan.name));
  if (plan.truncated)
    warnings.push_back(words("A time limit cut the search for {} short: there may be a better one.", plan.name));
  if (!plan.synchronous())
    warnings.push_back(
        words("{} trains asynchronously, on several versions of the weights: its steps are not those of one device.",
              plan.name));
  return warnings;
}

std::vector<Block> plan_section(const Translator& words, const ReportedPlan& reported, const PlanFigures& figures,
                                const Problem& problem, const std::string& name) {
  const Plan& plan = *reported.plan;
  const Simulation& simulation = figures.simulation;
  std::vector<Block> blocks{Heading{2, plan.name}, Paragraph{facts_text(words, plan, figures)}};
  for (const std::string& warning : warnings_of(words, plan, simulation, problem)) blocks.push_back(Warning{warning});
  if (!reported.remarks.empty()) blocks.push_back(Paragraph{words("Remarks: {}", reported.remarks)});
  blocks.push_back(Heading{3, words("Stages")});
  blocks.push_back(stages_table(words, plan, *problem.profile));
  if (plan.stages.size() > max_stage_rows)
    blocks.push_back(Paragraph{words("The first {} of {} stages.", max_stage_rows, plan.stages.size())});
  blocks.push_back(Heading{3, words("Schedule")});
  blocks.push_back(gantt_picture(words, name + "-schedule", plan, simulation));
  blocks.push_back(Heading{3, words("Limits")});
  blocks.push_back(List{bounds_of(words, figures, plan, problem)});
  blocks.push_back(parts_table(words, figures.simulation.parts));
  blocks.push_back(path_table(words, figures.path, plan));
  blocks.push_back(Heading{3, words("Memory")});
  blocks.push_back(memory_picture(words, name + "-memory", plan, simulation));
  blocks.push_back(devices_table(words, simulation));
  blocks.push_back(items_table(words, simulation));
  return blocks;
}

}  // namespace pipedeck::study::reports
