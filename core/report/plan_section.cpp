// SPDX-License-Identifier: Apache-2.0
#include "core/report/plan_section.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/domain/memory_verdict.hpp"
#include "core/io/files.hpp"
#include "core/report/figures.hpp"
#include "core/report/palette.hpp"
#include "core/report/pictures.hpp"

namespace pipedeck::reports {
namespace {

std::string fit_word(Fit fit) { return fit == Fit::surely ? "yes" : fit == Fit::expected ? "yes (at most: no)" : "no"; }

std::string recompute_text(const Stage& stage) {
  if (stage.recompute.all) return "all layers";
  return stage.recompute.any() ? count_of(stage.recompute.layers.size(), "layer") : "none";
}

/// "0 to 23: embedding ... block 22"
std::string layers_text(const Plan& plan, const Stage& stage, const Profile& profile) {
  const std::vector<LayerId> order = order_of(plan, profile);
  const auto layer_name = [&](int position) {
    return profile.layers[order[static_cast<std::size_t>(position)].index()].name;
  };
  if (stage.last - stage.first == 1) return fmt::format("{}: {}", stage.first, layer_name(stage.first));
  return fmt::format("{} to {}: {} \u2026 {}", stage.first, stage.last - 1, layer_name(stage.first),
                     layer_name(stage.last - 1));
}

/// Pictures and tables would not end; the plan itself has them all.
constexpr std::size_t most_rows = 64;

Table stages_table(const Plan& plan, const Profile& profile) {
  Table table{{{"Stage", true},
               {"Layers"},
               {"Count", true},
               {"Devices"},
               {"Replicas", true},
               {"Tensor parallel", true},
               {"Recompute"}},
              {},
              false};
  for (std::size_t s = 0; s < std::min(plan.stages.size(), most_rows); ++s) {
    const Stage& stage = plan.stages[s];
    table.rows.push_back({std::to_string(s), layers_text(plan, stage, profile),
                          std::to_string(stage.last - stage.first), devices_text(stage.devices),
                          std::to_string(stage.replicas()), std::to_string(stage.tensor_parallel),
                          recompute_text(stage)});
  }
  return table;
}

std::string facts_text(const Plan& plan, const Simulation& simulation) {
  std::string text = fmt::format(
      "{}, {} micro-batches of {} (global batch {}), optimizer {}, precision {}{}. {} an iteration, {:.2f} samples/s, "
      "bubble {}, exposed communication {}.",
      schedule_text(plan), plan.micro_batches, plan.micro_batch, plan.global_batch, name_of(plan.optimizer),
      name_of(plan.precision), plan.zero > 0 ? fmt::format(", ZeRO stage {}", plan.zero) : "",
      time_text(simulation.iteration), simulation.samples_per_second, percent_text(simulation.bubble_fraction),
      percent_text(simulation.communication_fraction));
  if (!plan.planner.empty())
    text += plan.planner == "hand" ? " Made by hand." : fmt::format(" Made by the planner {}.", plan.planner);
  return text;
}

Table parts_table(const TimeParts& parts) {
  Table table{{{"The iteration consists of"}, {"ms", true}, {"Share", true}}, {}, true};
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    std::string name(name_of(part));
    std::ranges::replace(name, '_', ' ');
    table.rows.push_back({std::move(name), milliseconds_text(parts[part]), share_text(parts[part], parts.total())});
  }
  table.rows.push_back({"in all", milliseconds_text(parts.total()), ""});
  return table;
}

Table path_table(const CriticalPath& path, const Plan& plan) {
  const Nanoseconds whole = path.end - path.begin;
  const CriticalShares shares = shares_of(path, plan.stages.size());
  Table table{{{"The critical path is in"}, {"ms", true}, {"Share", true}}, {}, true};
  const auto add = [&](std::string name, Nanoseconds time) {
    if (time.count > 0) table.rows.push_back({std::move(name), milliseconds_text(time), share_text(time, whole)});
  };
  for (int kind = 0; kind < op_kind_count; ++kind) {
    std::string name(name_of(static_cast<OpKind>(kind)));
    std::ranges::replace(name, '_', ' ');
    add(std::move(name), shares.by_kind[static_cast<std::size_t>(kind)]);
  }
  for (std::size_t s = 0; s < std::min(shares.by_stage.size(), most_rows); ++s)
    add(fmt::format("stage {}", s), shares.by_stage[s]);
  add("slowed by others", shares.slowed);
  return table;
}

/// One row for devices of which all of this is the same: replicas of a stage, mostly.
bool told_alike(const DeviceVerdict& a, const DeviceVerdict& b) {
  return a.busy == b.busy && a.peak == b.peak && a.peak_upper == b.peak_upper && a.capacity == b.capacity &&
         a.peak_micro_batches == b.peak_micro_batches && a.peak_parts == b.peak_parts;
}

struct DeviceGroupRow {
  std::vector<DeviceId> devices;
  const DeviceVerdict* first = nullptr;
};

std::vector<DeviceGroupRow> grouped(const Simulation& simulation) {
  std::vector<DeviceGroupRow> rows;
  for (const DeviceVerdict& device : simulation.devices) {
    if (rows.empty() || !told_alike(*rows.back().first, device)) rows.push_back({{}, &device});
    rows.back().devices.push_back(device.device);
  }
  if (rows.size() > most_rows) rows.resize(most_rows);
  return rows;
}

Table devices_table(const Simulation& simulation) {
  Table table{{{"Devices"},
               {"Busy", true},
               {"Peak GiB", true},
               {"At most GiB", true},
               {"Of GiB", true},
               {"Micro-batches kept", true},
               {"Fits"}},
              {},
              true};
  for (const DeviceGroupRow& row : grouped(simulation)) {
    const DeviceVerdict& device = *row.first;
    table.rows.push_back({devices_text(row.devices), share_text(device.busy, simulation.iteration),
                          gib_text(device.peak), gib_text(device.peak_upper), gib_text(device.capacity),
                          std::to_string(device.peak_micro_batches), fit_word(fit_of(device))});
  }
  return table;
}

Table items_table(const Simulation& simulation) {
  std::vector<MemoryItem> items;  // that some device holds
  Table table{{{"GiB at the peak of"}}, {}, true};
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    const auto holds = [item](const DeviceVerdict& device) { return device.peak_parts[item].count > 0; };
    if (std::ranges::none_of(simulation.devices, holds)) continue;
    items.push_back(item);
    table.columns.push_back({std::string(words_of(item)), true});
  }
  for (const DeviceGroupRow& row : grouped(simulation)) {
    std::vector<std::string> cells{devices_text(row.devices)};
    for (const MemoryItem item : items) cells.push_back(gib_text(row.first->peak_parts[item]));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The largest part of the iteration that is no computation, and the stage that the critical path is longest in.
std::string bound_sentence(const JudgedPlan& judged, const Plan& plan) {
  const Nanoseconds whole = judged.path.end - judged.path.begin;
  const CriticalShares shares = shares_of(judged.path, plan.stages.size());
  const auto stage = std::ranges::max_element(shares.by_stage);
  std::string text = fmt::format("The critical path has {}", count_of(judged.path.links.size(), "link"));
  if (stage != shares.by_stage.end() && stage->count > 0)
    text += fmt::format("; it is longest on stage {} ({})", stage - shares.by_stage.begin(), share_text(*stage, whole));
  auto lost = TimePart::imbalance;
  for (int i = static_cast<int>(TimePart::imbalance); i < time_part_count; ++i)
    if (judged.parts[static_cast<TimePart>(i)] > judged.parts[lost]) lost = static_cast<TimePart>(i);
  if (judged.parts[lost].count <= 0) return text + ". Nothing but computation takes time.";
  std::string name(name_of(lost));
  std::ranges::replace(name, '_', ' ');
  return text + fmt::format(". Beside computation most time goes to {}: {} of the iteration.", name,
                            share_text(judged.parts[lost], judged.parts.total()));
}

std::vector<std::string> bounds_of(const JudgedPlan& judged, const Plan& plan) {
  std::vector<std::string> sentences{bound_sentence(judged, plan)};
  const double iteration = to_seconds(judged.simulation.iteration).count;
  if (judged.lower_bound.count > 0)
    sentences.push_back(
        fmt::format("No plan of this problem ends an iteration before {:.3f} ms; this one takes {} "
                    "longer.",
                    in_milliseconds(judged.lower_bound), percent_text(iteration / judged.lower_bound.count - 1)));
  if (plan.certificate && !plan.certificate->optimal_in.empty())
    sentences.push_back(fmt::format("Proven best in its space: {}.", plan.certificate->optimal_in));
  sentences.insert(sentences.end(), plan.why.begin(), plan.why.end());
  return sentences;
}

}  // namespace

std::vector<std::string> warnings_of(const Plan& plan, const Simulation& simulation, const Problem& problem) {
  std::vector<std::string> warnings;
  switch (fit_of(simulation)) {
    case Fit::surely:
      break;
    case Fit::expected:
      warnings.push_back(fmt::format("{} fits in memory, but not by the upper estimate on {} of {} devices.", plan.name,
                                     devices_beyond(simulation), simulation.devices.size()));
      break;
    case Fit::no:
      warnings.push_back(fmt::format("{} does not fit in memory.", plan.name));
      break;
  }
  if (!plan.profile_sha256.empty() && plan.profile_sha256 != sha256_of(*problem.profile))
    warnings.push_back(fmt::format("{} was made for another profile than the one that it is judged by.", plan.name));
  if (!plan.cluster_sha256.empty() && plan.cluster_sha256 != sha256_of(*problem.cluster))
    warnings.push_back(fmt::format("{} was made for another cluster than the one that it is judged on.", plan.name));
  if (plan.truncated)
    warnings.push_back(fmt::format("A time limit cut the search for {} short: there may be a better one.", plan.name));
  if (!plan.synchronous())
    warnings.push_back(
        fmt::format("{} trains asynchronously, on several versions of the weights: its steps are not "
                    "those of one device.",
                    plan.name));
  return warnings;
}

std::vector<Block> plan_section(const ReportedPlan& reported, const JudgedPlan& judged, const Problem& problem,
                                const std::string& name) {
  const Plan& plan = *reported.plan;
  const Simulation& simulation = judged.simulation;
  std::vector<Block> blocks{Heading{2, plan.name}, Paragraph{facts_text(plan, simulation)}};
  for (const std::string& warning : warnings_of(plan, simulation, problem)) blocks.push_back(Warning{warning});
  if (!reported.remarks.empty()) blocks.push_back(Paragraph{"Remarks: " + reported.remarks});
  blocks.push_back(Heading{3, "Stages"});
  blocks.push_back(stages_table(plan, *problem.profile));
  if (plan.stages.size() > most_rows)
    blocks.push_back(Paragraph{fmt::format("The first {} of {} stages.", most_rows, plan.stages.size())});
  blocks.push_back(Heading{3, "Schedule"});
  blocks.push_back(gantt_picture(name + "-schedule", plan, simulation));
  blocks.push_back(Heading{3, "What bounds it"});
  blocks.push_back(List{bounds_of(judged, plan)});
  blocks.push_back(parts_table(judged.parts));
  blocks.push_back(path_table(judged.path, plan));
  blocks.push_back(Heading{3, "Memory"});
  blocks.push_back(memory_picture(name + "-memory", plan, simulation));
  blocks.push_back(devices_table(simulation));
  blocks.push_back(items_table(simulation));
  return blocks;
}

}  // namespace pipedeck::reports
