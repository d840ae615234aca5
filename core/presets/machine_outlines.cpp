// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_outlines.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/presets/machine_types.hpp"

namespace pipedeck {
namespace {

/// A description, and whose it turned out to be.
struct Pattern {
  FoundMachine machine;
  std::string first;  ///< of those that are like it
  int count = 0;
};

/// Only Slurm may have the names.
void take_pattern(Pattern& pattern, FoundMachine& outline) {
  FoundMachine& from = pattern.machine;
  for (std::size_t i = 0; i < from.gpus.size(); ++i) {
    std::string name = std::move(outline.gpus[i].name);
    outline.gpus[i] = from.gpus[i];
    if (outline.gpus[i].name.empty()) outline.gpus[i].name = std::move(name);
  }
  outline.joints = from.joints;
  outline.nics = from.nics;
  outline.processor_vendor = from.processor_vendor;
  outline.source += " and " + from.source;
  std::ranges::move(from.notes, std::back_inserter(outline.notes));
  from.notes.clear();
  if (pattern.count++ == 0) pattern.first = outline.name;
}

std::string words_of(const Pattern& pattern) {
  const FoundMachine& machine = pattern.machine;
  if (pattern.count == 1)
    return fmt::format("{} of Slurm and {} ({}) are taken for one machine", pattern.first, machine.name,
                       machine.source);
  return fmt::format("{} of Slurm and {} more are taken to be like {} ({})", pattern.first, pattern.count - 1,
                     machine.name, machine.source);
}

}  // namespace

bool is_outline(const FoundMachine& machine) { return machine.source == "Slurm"; }

void complete_outlines(std::vector<FoundMachine>& machines, const MachineImport& how, std::vector<std::string>& notes) {
  const auto outlines_end = std::stable_partition(machines.begin(), machines.end(), is_outline);
  if (outlines_end == machines.begin()) return;
  std::vector<Pattern> patterns;
  for (auto machine = outlines_end; machine != machines.end(); ++machine) patterns.push_back({std::move(*machine), {}});
  machines.erase(outlines_end, machines.end());
  for (FoundMachine& outline : machines) {
    const auto fits = [&](const Pattern& pattern) { return same_gpus(pattern.machine, outline, how); };
    const auto its_own = std::ranges::find_if(
        patterns, [&](const Pattern& pattern) { return pattern.machine.name == outline.name && fits(pattern); });
    const auto pattern = its_own != patterns.end() ? its_own : std::ranges::find_if(patterns, fits);
    if (pattern != patterns.end()) take_pattern(*pattern, outline);
  }
  for (Pattern& pattern : patterns) {
    if (pattern.count > 0)
      notes.push_back(words_of(pattern));
    else
      machines.push_back(std::move(pattern.machine));
  }
}

}  // namespace pipedeck
