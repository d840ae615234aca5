// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_outlines.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/presets/machine_types.hpp"

namespace pipedeck::presets {
namespace {

/// A description, and whose it turned out to be.
struct Pattern {
  DetectedMachine machine;
  std::vector<GpuKind> kinds;
  std::string first, source;  ///< of those that are like it
  int count = 0;
};

/// Only the outline may have the names.
void take_pattern(Pattern& pattern, DetectedMachine& outline) {
  DetectedMachine& from = pattern.machine;
  for (std::size_t i = 0; i < from.gpus.size(); ++i) {
    std::string name = std::move(outline.gpus[i].name);
    outline.gpus[i] = from.gpus[i];
    if (outline.gpus[i].name.empty()) outline.gpus[i].name = std::move(name);
  }
  outline.joints = from.joints;
  outline.nics = from.nics;
  outline.processor_vendor = from.processor_vendor;
  outline.shows_links = from.shows_links;
  if (pattern.count == 0) pattern.source = outline.source;
  outline.source += " and " + from.source;
  std::ranges::move(from.notes, std::back_inserter(outline.notes));
  from.notes.clear();
  if (pattern.count++ == 0) pattern.first = outline.name;
}

std::string words_of(const Pattern& pattern) {
  const DetectedMachine& machine = pattern.machine;
  if (pattern.count == 1)
    return fmt::format("{} of {} and {} ({}) are taken for one machine", pattern.first, pattern.source, machine.name,
                       machine.source);
  return fmt::format("{} of {} and {} more are taken to be like {} ({})", pattern.first, pattern.source,
                     pattern.count - 1, machine.name, machine.source);
}

}  // namespace

bool is_incomplete(const DetectedMachine& machine) {
  if (machine.source == "nccl-tests" || machine.source == "Galvatron")
    return machine.gpus.size() > 1 && !machine.joints[0][1].measured;
  return machine.source == "Slurm" || machine.source == "Kubernetes";
}

void complete_nodes(std::vector<DetectedMachine>& machines, const MachineImport& how, std::vector<std::string>& notes) {
  const auto outlines_end = std::stable_partition(machines.begin(), machines.end(), is_incomplete);
  if (outlines_end == machines.begin()) return;
  std::vector<Pattern> patterns;
  for (auto machine = outlines_end; machine != machines.end(); ++machine) {
    std::vector<GpuKind> kinds = kinds_of(*machine, how);
    patterns.push_back({std::move(*machine), std::move(kinds), {}, {}});
  }
  machines.erase(outlines_end, machines.end());
  std::map<std::string, Pattern*> by_name;
  for (Pattern& pattern : patterns) by_name.try_emplace(pattern.machine.name, &pattern);
  for (DetectedMachine& outline : machines) {
    const std::vector<GpuKind> kinds = kinds_of(outline, how);
    const auto fits = [&](const Pattern& pattern) { return may_be_alike(pattern.kinds, kinds); };
    const auto own = by_name.find(outline.name);
    if (own != by_name.end() && fits(*own->second))
      take_pattern(*own->second, outline);
    else if (const auto first = std::ranges::find_if(patterns, fits); first != patterns.end())
      take_pattern(*first, outline);
  }
  for (Pattern& pattern : patterns) {
    if (pattern.count > 0)
      notes.push_back(words_of(pattern));
    else
      machines.push_back(std::move(pattern.machine));
  }
}

}  // namespace pipedeck::presets
