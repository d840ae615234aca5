// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/explanation_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/base/count_text.hpp"
#include "core/model/explanation.hpp"

namespace pipedeck::cli::text {
namespace {

using Json = nlohmann::ordered_json;

std::string milliseconds_text_of(Nanoseconds time) { return milliseconds_text(to_seconds(time)); }

std::string share_text(Nanoseconds part, Nanoseconds whole) {
  return percent_text(whole.count > 0 ? static_cast<double>(part.count) / static_cast<double>(whole.count) : 0);
}

std::string link_text(const SensitivityEntry& entry) {
  return entry.from == entry.to ? "inside " + entry.from : entry.from + " to " + entry.to;
}

/// "0 to 3, 6 to 7, 9" of ascending numbers.
std::string ranges_text(const std::vector<DeviceId>& devices) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < devices.size(); first = end) {
    for (end = first + 1; end < devices.size() && devices[end].value == devices[end - 1].value + 1;) ++end;
    if (!text.empty()) text += ", ";
    text += end - first == 1 ? fmt::format("{}", devices[first].value)
                             : fmt::format("{} to {}", devices[first].value, devices[end - 1].value);
  }
  return text;
}

/// "device 3", "devices 0 to 7, each", "n0 to s, n1 to s, each".
std::string subject(const SensitivityGroup& group) {
  const bool several = group.entries.size() > 1;
  if (group.first().kind != SensitivityKind::link_bandwidth)
    return fmt::format("device{} {}{}", several ? "s" : "", ranges_text(group.devices()), several ? ", each" : "");
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, group.entries.size()); ++i)
    text += (i ? ", " : "") + link_text(group.entries[i]);
  if (group.entries.size() > most) text += fmt::format(" and {} more", group.entries.size() - most);
  return text + (several ? ", each" : "");
}

/// "all devices", "links between nodes, 25 to 100 Gbit/s".
std::string lever_text(const SensitivityLever& lever) {
  const auto rates = [&] {
    return fmt::format("{:.4g} to {:.4g} Gbit/s", lever.before.count * 8 / 1e9, lever.after.count * 8 / 1e9);
  };
  switch (lever.kind) {
    case LeverKind::all_devices:
      return fmt::format("all devices {:.3g} times as fast", lever.factor);
    case LeverKind::device_type:
      return fmt::format("every {} {:.3g} times as fast", lever.type, lever.factor);
    case LeverKind::device_memory:
      return fmt::format("all devices with {:.3g} times the memory", lever.factor);
    case LeverKind::links_inside:
      return "links inside nodes, " + rates();
    case LeverKind::links_between:
      return "links between nodes, " + rates();
    case LeverKind::micro_batches:
      return fmt::format("{} (a larger global batch), for as many samples",
                         counted(lever.micro_batches, "more micro-batch"));
  }
  return {};
}

std::string levers_text(const Sensitivity& found) {
  Table table({{"largest levers", Align::left}, {"iteration ms"}, {"gain ms"}, {"gain"}});
  for (const SensitivityLever& lever : found.levers)
    table.add({lever_text(lever), milliseconds_text_of(lever.iteration), milliseconds_text_of(lever.gain),
               share_text(lever.gain, found.iteration)});
  return table.text();
}

}  // namespace

std::string critical_path_text(const CriticalPath& path, const Plan& plan) {
  const Nanoseconds whole = path.end - path.begin;
  const CriticalShares shares = shares_of(path, plan.stages.size());
  std::string text = fmt::format("critical path: {} links, {} ms\n", path.links.size(), milliseconds_text_of(whole));
  Table table({{"spent in", Align::left}, {"ms"}, {"share"}});
  const auto add = [&](const std::string& name, Nanoseconds time) {
    if (time.count > 0) table.add({name, milliseconds_text_of(time), share_text(time, whole)});
  };
  for (int kind = 0; kind < op_kind_count; ++kind)
    add(std::string(name_of(static_cast<OpKind>(kind))), shares.by_kind[static_cast<std::size_t>(kind)]);
  for (std::size_t s = 0; s < shares.by_stage.size(); ++s) add(fmt::format("stage {}", s), shares.by_stage[s]);
  add("slowed by others", shares.slowed);
  return text + table.text();
}

std::string idle_text(const Simulation& simulation) {
  Table table({{"idle ms of device"}, {"warm-up"}, {"drain"}, {"activation"}, {"gradient"}, {"all-reduce"}, {"all"}});
  for (const SimulatedDevice& device : simulation.devices) {
    const IdleBreakdown& idle = device.idle;
    table.add({std::to_string(device.device.value), milliseconds_text_of(idle.warmup), milliseconds_text_of(idle.drain),
               milliseconds_text_of(idle.waiting_activation), milliseconds_text_of(idle.waiting_gradient),
               milliseconds_text_of(idle.waiting_all_reduce), milliseconds_text_of(idle.total())});
  }
  return table.text();
}

std::string parts_text(const TimeBreakdown& parts) {
  Table table({{"the iteration consists of", Align::left}, {"ms"}, {"share"}});
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_of_all_plans(part) && parts[part].count == 0) continue;
    table.add({std::string(name_of(part)), milliseconds_text_of(parts[part]), share_text(parts[part], parts.total())});
  }
  table.add({"in all", milliseconds_text_of(parts.total()), ""});
  return table.text();
}

std::string sensitivity_text(const Sensitivity& found) {
  Table table({{fmt::format("{:g} times as much", found.factor), Align::left},
               {"of", Align::left},
               {"iteration ms"},
               {"gain ms"},
               {"gain"}});
  for (const SensitivityGroup& group : grouped(found)) {
    const SensitivityEntry& one = group.first();
    if (one.gain.count != 0)
      table.add({std::string(name_of(one.kind)), subject(group), milliseconds_text_of(one.iteration),
                 milliseconds_text_of(one.gain), share_text(one.gain, found.iteration)});
  }
  return levers_text(found) + "\n" + table.text() + "all other links and devices: nothing\n";
}

Json critical_path_json(const CriticalPath& path) {
  Json links = Json::array();
  for (const CriticalSegment& link : path.links) {
    Json one{{"device", link.device.value},
             {"kind", name_of(link.operation.kind)},
             {"stage", link.operation.stage.value},
             {"micro_batch", link.operation.micro_batch},
             {"begin_ms", in_milliseconds(link.begin)},
             {"end_ms", in_milliseconds(link.end)},
             {"waited_for", name_of(link.cause)}};
    if (link.role == LaneRole::link) one["to"] = link.to.value;
    if (link.slowed.count > 0) one["slowed_ms"] = in_milliseconds(link.slowed);
    links.push_back(std::move(one));
  }
  return {{"begin_ms", in_milliseconds(path.begin)}, {"end_ms", in_milliseconds(path.end)}, {"links", links}};
}

Json parts_json(const TimeBreakdown& parts) {
  Json json = Json::object();
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_of_all_plans(part) && parts[part].count == 0) continue;
    json[std::string(name_of(part)) + "_ms"] = in_milliseconds(parts[part]);
  }
  return json;
}

Json sensitivity_json(const Sensitivity& found) {
  Json entries = Json::array();
  for (const SensitivityEntry& entry : found.entries) {
    Json one{{"of", name_of(entry.kind)}};
    if (entry.kind == SensitivityKind::link_bandwidth)
      one.update({{"from", entry.from}, {"to", entry.to}});
    else
      one["device"] = entry.device.value;
    one.update({{"iteration_ms", in_milliseconds(entry.iteration)}, {"gain_ms", in_milliseconds(entry.gain)}});
    entries.push_back(std::move(one));
  }
  Json levers = Json::array();
  for (const SensitivityLever& lever : found.levers) {
    Json one{{"of", name_of(lever.kind)}, {"factor", lever.factor}};
    if (!lever.type.empty()) one["type"] = lever.type;
    if (lever.before.count > 0)
      one.update({{"before_gb_per_s", in_gigabytes_per_second(lever.before)},
                  {"after_gb_per_s", in_gigabytes_per_second(lever.after)}});
    if (lever.micro_batches > 0) one["micro_batches"] = lever.micro_batches;
    one.update({{"iteration_ms", in_milliseconds(lever.iteration)}, {"gain_ms", in_milliseconds(lever.gain)}});
    levers.push_back(std::move(one));
  }
  return {{"factor", found.factor}, {"entries", entries}, {"levers", levers}};
}

}  // namespace pipedeck::cli::text
