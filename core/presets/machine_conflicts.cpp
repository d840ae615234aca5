// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_conflicts.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/presets/machine_outlines.hpp"
#include "core/presets/machine_types.hpp"

namespace pipedeck::presets {
namespace {

constexpr int max_conflicts = 4;  // reported per machine

bool from_nccl(const DetectedMachine& machine) { return machine.source.starts_with("NCCL"); }
bool from_smi(const DetectedMachine& machine) { return machine.source.starts_with("nvidia-smi"); }

std::string words_of(const Interconnect& joint) {
  switch (joint.kind) {
    case InterconnectKind::self:
      return "X";
    case InterconnectKind::nvlink:
      return fmt::format("NV{}", joint.lanes);
    case InterconnectKind::pcie_switch:
      return "PIX";
    case InterconnectKind::pcie_bridges:
      return "PXB";
    case InterconnectKind::host_bridge:
      return "PHB";
    case InterconnectKind::numa_node:
      return "NODE";
    case InterconnectKind::system:
      return "SYS";
    case InterconnectKind::unknown:
      break;
  }
  return "?";
}

/// NCCL does not tell host bridges of one socket apart, and counts bridges in its own way: only links, their lanes and
/// the border between sockets compare.
bool joints_alike(const Interconnect& a, const Interconnect& b) {
  if (a.kind == InterconnectKind::nvlink || b.kind == InterconnectKind::nvlink)
    return a.kind == b.kind && a.lanes == b.lanes;
  return (a.kind == InterconnectKind::system) == (b.kind == InterconnectKind::system);
}

void note_conflicts(const DetectedMachine& smi, const DetectedMachine& nccl, std::vector<std::string>& notes) {
  if (smi.gpus.size() != nccl.gpus.size()) {
    notes.push_back(fmt::format("{}: nvidia-smi reports {} GPUs, NCCL {}; NCCL's are used", nccl.name, smi.gpus.size(),
                                nccl.gpus.size()));
    return;
  }
  int told = 0, all = 0;
  for (std::size_t i = 0; i < smi.gpus.size(); ++i)
    for (std::size_t j = i + 1; j < smi.gpus.size(); ++j)
      if (!joints_alike(smi.joints[i][j], nccl.joints[i][j]) && ++all && told < max_conflicts) {
        ++told;
        notes.push_back(fmt::format("{}: between {} and {} nvidia-smi reports {}, NCCL {}; NCCL's is used", nccl.name,
                                    nccl.gpus[i].label, nccl.gpus[j].label, words_of(smi.joints[i][j]),
                                    words_of(nccl.joints[i][j])));
      }
  if (all > told) notes.push_back(fmt::format("{}: {} more pairs contradict alike", nccl.name, all - told));
}

/// Only nvidia-smi may have the names.
void take_names(const DetectedMachine& smi, DetectedMachine& nccl) {
  if (smi.gpus.size() != nccl.gpus.size()) return;
  for (std::size_t i = 0; i < smi.gpus.size(); ++i)
    if (nccl.gpus[i].name.empty()) nccl.gpus[i].name = smi.gpus[i].name;
}

bool is_measured(const DetectedMachine& machine) {
  return machine.fabric || std::ranges::any_of(machine.joints, [](const std::vector<Interconnect>& row) {
           return std::ranges::any_of(row, [](const Interconnect& joint) { return joint.measured.has_value(); });
         });
}

/// Names, too, where there are some: they are the driver's.
void take_measured(DetectedMachine& from, DetectedMachine& to) {
  for (std::size_t i = 0; i < to.gpus.size(); ++i) {
    if (!from.gpus[i].name.empty()) to.gpus[i].name = from.gpus[i].name;
    for (std::size_t j = 0; j < to.gpus.size(); ++j) to.joints[i][j].measured = from.joints[i][j].measured;
  }
  to.fabric = from.fabric;
  std::ranges::move(from.notes, std::back_inserter(to.notes));
}

/// Each goes into the first described machine that it may be of and that was not measured; the others stay.
void merge_measurements(std::vector<DetectedMachine>& machines, const MachineImport& how,
                        std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < machines.size();) {
    DetectedMachine& measured = machines[i];
    const std::vector<GpuKind> kinds = kinds_of(measured, how);
    const auto fits = [&](const DetectedMachine& other) {
      return !is_incomplete(other) && !is_measured(other) && may_be_alike(kinds_of(other, how), kinds);
    };
    const auto same =
        is_measured(measured) && !is_incomplete(measured) ? std::ranges::find_if(machines, fits) : machines.end();
    if (same == machines.end()) {
      ++i;
      continue;
    }
    notes.push_back(fmt::format("{} ({}) and {} ({}) are taken for one machine", same->name, same->source,
                                measured.name, measured.source));
    take_measured(measured, *same);
    machines.erase(machines.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool has_cards_alone(const DetectedMachine& machine) { return machine.source == "ibstat"; }

/// Gives a machine the rates of cards with its own names, or else all cards.
void take_cards(const DetectedMachine& cards, DetectedMachine& machine) {
  bool by_name = false;
  for (FoundNic& nic : machine.nics) {
    const auto same = std::ranges::find(cards.nics, nic.name, &FoundNic::name);
    if (same == cards.nics.end()) continue;
    nic.bandwidth = same->bandwidth;
    by_name = true;
  }
  if (!by_name) machine.nics = cards.nics;
}

/// Gives the cards of ibstat to the machine of that name, or else to all machines.
void merge_cards(std::vector<DetectedMachine>& machines, std::vector<std::string>& notes) {
  std::vector<DetectedMachine> cards;
  for (const DetectedMachine& machine : machines)
    if (has_cards_alone(machine)) cards.push_back(machine);
  if (cards.empty()) return;
  std::erase_if(machines, has_cards_alone);
  for (DetectedMachine& machine : machines) {
    const auto own = std::ranges::find(cards, machine.name, &DetectedMachine::name);
    take_cards(own == cards.end() ? cards.front() : *own, machine);
  }
  notes.push_back(cards.size() == 1
                      ? fmt::format("The network cards of {} (ibstat) are taken to be in every machine", cards[0].name)
                      : fmt::format("The network cards of {} descriptions (ibstat) go to the machines of their names",
                                    cards.size()));
  for (const DetectedMachine& one : cards) notes.insert(notes.end(), one.notes.begin(), one.notes.end());
}

}  // namespace

std::vector<DetectedMachine> merge_descriptions(std::vector<DetectedMachine> machines, const MachineImport& how,
                                                std::vector<std::string>& notes) {
  merge_cards(machines, notes);
  const auto nccl = std::stable_partition(machines.begin(), machines.end(), from_nccl);
  const auto smi_end = std::stable_partition(nccl, machines.end(), from_smi);
  const auto by_nccl = static_cast<std::size_t>(nccl - machines.begin());
  const std::size_t both = std::min(by_nccl, static_cast<std::size_t>(smi_end - nccl));
  for (std::size_t i = 0; i < both; ++i) {
    const DetectedMachine& smi = machines[by_nccl + i];
    notes.push_back(fmt::format("{} (nvidia-smi) and {} (NCCL) are taken for one machine", smi.name, machines[i].name));
    note_conflicts(smi, machines[i], notes);
    take_names(smi, machines[i]);
  }
  const auto first = machines.begin() + static_cast<std::ptrdiff_t>(by_nccl);
  machines.erase(first, first + static_cast<std::ptrdiff_t>(both));
  merge_measurements(machines, how, notes);
  complete_nodes(machines, how, notes);
  return machines;
}

}  // namespace pipedeck::presets
