// SPDX-License-Identifier: Apache-2.0
// The types of a found machine's GPUs, and the bandwidth between any two of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck::presets {

/// Lines for people, each once, in the order they came up.
class ImportMessages {
 public:
  void add(std::string line) {
    if (seen_.insert(line).second) lines_.push_back(std::move(line));
  }
  /// Adds a line on a value that the description does not have.
  void assume(std::string line) {
    if (!seen_.contains(line)) assumptions_.push_back(line);
    add(std::move(line));
  }
  std::vector<std::string> take() { return std::move(lines_); }
  std::vector<std::string> take_assumptions() { return std::move(assumptions_); }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> lines_, assumptions_;
};

/// Returns the catalogue's entry, or one made of the driver's values for a GPU that is not in it. A GPU with too few
/// values is bad_input with advice.
Result<DeviceModel> model_of(const DetectedMachine& machine, std::size_t gpu, const MachineImport& how,
                             ImportMessages& notes);

/// Returns a GPU's possible types: PCI ids and the driver's names decide, short names of batch systems may leave
/// several, no name leaves all.
struct GpuKind {
  bool told = false;
  std::string name;
  std::vector<const DeviceModel*> types;  ///< of the catalogue; none where it does not have it
};

/// For each GPU; all are unknown if `how` has the type.
std::vector<GpuKind> kinds_of(const DetectedMachine& machine, const MachineImport& how);

/// As many GPUs that may be of the same types, one by one.
bool may_be_alike(const std::vector<GpuKind>& one, const std::vector<GpuKind>& other);

/// Each way between two GPUs of one machine: as it was measured, else at the peak of what joins them.
BytesPerSecond bandwidth_between(const Interconnect& joint, const DeviceModel& one, const DeviceModel& other,
                                 const DetectedMachine& machine, ImportMessages& notes);

}  // namespace pipedeck::presets
