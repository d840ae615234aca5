// SPDX-License-Identifier: Apache-2.0
#include "core/presets/measured_links.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/cost/measured_collectives.hpp"
#include "core/presets/efficiency.hpp"

namespace pipedeck::presets {
namespace {

/// Sources of hosts with measured collectives.
bool is_tested(const DetectedMachine& machine) {
  return machine.source == "nccl-tests" || machine.source == "Galvatron";
}

/// Returns how well a test shows a link: the kind of ring first, then the ranks. 0: not at all.
int worth(const MeasuredCollective& test) {
  constexpr std::array kinds{CollectiveKind::reduce_scatter, CollectiveKind::all_gather, CollectiveKind::all_reduce};
  constexpr int most_ranks = 1 << 20;
  const auto kind = test.kind ? std::ranges::find(kinds, *test.kind) : kinds.end();
  return kind == kinds.end() ? 0 : static_cast<int>(kind - kinds.begin()) * most_ranks + test.ranks;
}

/// Returns the best test that has this machine, inside of it or with others; null: none.
const MeasuredCollective* best_of(const FoundMachines& found, const DetectedMachine& machine, bool alone) {
  const MeasuredCollective* best = nullptr;
  for (const MeasuredCollective& test : found.collectives) {
    const bool has = std::ranges::find(test.machines, machine.name) != test.machines.end();
    if (!has || (test.machines.size() == 1) != alone || worth(test) == 0) continue;
    if (alone && std::cmp_not_equal(test.ranks, machine.gpus.size())) continue;
    if (!best || worth(test) > worth(*best)) best = &test;
  }
  return best;
}

bool measured_inside(const DetectedMachine& machine) {
  return machine.gpus.size() > 1 && machine.joints[0][1].measured.has_value();
}

void join_inside(DetectedMachine& machine, const Link& link) {
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    for (std::size_t j = 0; j < machine.gpus.size(); ++j)
      if (i != j) machine.joints[i][j].measured = link;
}

std::string text_of(const MeasuredCollective& test) {
  const cost::CollectiveFit fit = cost::fit_of(test);
  return fmt::format(
      "{} of {} ranks on {} {}: {} sizes, bus bandwidth {:.4g} GB/s and {:.4g} µs fit them (median "
      "difference {:.1f} %)",
      test.test, test.ranks, test.machines.size(), test.machines.size() == 1 ? "host" : "hosts", test.points.size(),
      in_gigabytes_per_second(fit.bus), in_microseconds(fit.latency), 100 * fit.error);
}

/// Returns the model's times of a test; none if the cluster lacks its ranks.
std::vector<Seconds> times_of(const MeasuredCollective& test, const Cluster& cluster) {
  std::vector<Seconds> times;
  const auto network = cost::Network::of(cluster);
  if (!network) return times;
  const DeviceEfficiency* const reached = find_efficiency(efficiency(), network->type(DeviceId(0)).name);
  const auto rows = cost::compared(test, *network, reached ? *reached : DeviceEfficiency());
  if (!rows) return times;
  for (const cost::ComparedCollective& row : *rows) times.push_back(row.predicted);
  return times;
}

/// Gives the links of a host that was tested alone to hosts alike, and leaves out hosts that were never tested with
/// others if there are some.
void spread_inside(FoundMachines& found, std::vector<std::string>& notes) {
  const auto is_inside = [](const DetectedMachine& machine) { return is_tested(machine) && measured_inside(machine); };
  const auto one = std::ranges::find_if(found.machines, is_inside);
  if (one == found.machines.end()) return;
  int alike = 0;
  for (DetectedMachine& other : found.machines) {
    if (!is_tested(other) || !other.fabric || other.gpus.size() != one->gpus.size()) continue;
    ++alike;
    if (!measured_inside(other)) join_inside(other, *one->joints[0][1].measured);
  }
  if (alike == 0) return;
  notes.push_back(fmt::format(
      "{} was tested alone: its links stand for those of the {} hosts that were tested together", one->name, alike));
  std::erase_if(found.machines, [&](const DetectedMachine& machine) { return is_inside(machine) && !machine.fabric; });
}

/// Gives what hosts have to nodes of Slurm or Kubernetes with as many GPUs, which the hosts are among.
void spread_over_nodes(FoundMachines& found, std::vector<std::string>& notes) {
  const auto is_host = [](const DetectedMachine& machine) { return is_tested(machine) && machine.fabric; };
  const auto host = std::ranges::find_if(found.machines, is_host);
  if (host == found.machines.end()) return;
  int alike = 0;
  for (DetectedMachine& other : found.machines) {
    if ((other.source != "Slurm" && other.source != "Kubernetes") || other.gpus.size() != host->gpus.size()) continue;
    ++alike;
    other.fabric = host->fabric;
    if (measured_inside(*host)) join_inside(other, *host->joints[0][1].measured);
  }
  if (alike == 0) return;
  notes.push_back(fmt::format("The measured links stand for those of {} nodes of the list", alike));
  std::erase_if(found.machines, is_host);
}

}  // namespace

void measure_links(FoundMachines& found, std::vector<std::string>& notes) {
  if (found.collectives.empty()) return;
  for (const MeasuredCollective& test : found.collectives) notes.push_back(text_of(test));
  for (DetectedMachine& machine : found.machines) {
    if (!is_tested(machine)) continue;
    if (const MeasuredCollective* test = best_of(found, machine, true)) join_inside(machine, cost::link_of(*test));
    if (const MeasuredCollective* test = best_of(found, machine, false)) machine.fabric = cost::link_of(*test);
  }
  // A file of several hosts and one of a single host may name the same host twice.
  for (std::size_t i = 0; i < found.machines.size(); ++i)
    for (std::size_t j = found.machines.size(); j-- > i + 1;)
      if (is_tested(found.machines[i]) && is_tested(found.machines[j]) &&
          found.machines[i].name == found.machines[j].name)
        found.machines.erase(found.machines.begin() + static_cast<std::ptrdiff_t>(j));
  spread_inside(found, notes);
  spread_over_nodes(found, notes);
  notes.push_back("Measured links count whole: the share of the data sheet that types reach is in them");
}

std::string comparison_table(const MeasuredCollective& test, const Cluster& measured,
                             const std::optional<Cluster>& by_data_sheet) {
  const auto fitted = times_of(test, measured);
  const auto plain = by_data_sheet ? times_of(test, *by_data_sheet) : std::vector<Seconds>();
  const auto column = [](const std::vector<Seconds>& times, std::size_t i) {
    return i < times.size() ? fmt::format("{:.1f}", in_microseconds(times[i])) : std::string("-");
  };
  std::string text = text_of(test) + "\n" +
                     fmt::format("{:>14}{:>14}{:>12}{:>14}{:>16}\n", "bytes", "measured us", "bus GB/s",
                                 "by the fit us", "data sheets us");
  for (std::size_t i = 0; i < test.points.size(); ++i)
    text += fmt::format("{:>14.0f}{:>14.1f}{:>12.2f}{:>14}{:>16}\n", test.points[i].bytes,
                        in_microseconds(test.points[i].time), in_gigabytes_per_second(test.points[i].bus),
                        column(fitted, i), column(plain, i));
  return text;
}

}  // namespace pipedeck::presets
