// SPDX-License-Identifier: Apache-2.0
// What the GPUs of a found machine are, and how fast any two of them reach each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck {

/// Lines for people, each once, in the order they came up.
class ImportNotes {
 public:
  void add(std::string line) {
    if (seen_.insert(line).second) lines_.push_back(std::move(line));
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> lines_;
};

/// The catalogue's entry, or one made of what the driver tells of a GPU that is not in it; a GPU of which too little is
/// told is bad_input, saying what would help.
Result<DeviceModel> model_of(const FoundMachine& machine, std::size_t gpu, const MachineImport& how,
                             ImportNotes& notes);

/// What a GPU may be: PCI ids and the driver's names say which type, short names of batch systems may leave several
/// open, no name leaves all.
struct GpuKind {
  bool told = false;
  std::string name;
  std::vector<const DeviceModel*> types;  ///< of the catalogue; none where it does not have it
};

/// Of each GPU; all are untold where `how` has the type.
std::vector<GpuKind> kinds_of(const FoundMachine& machine, const MachineImport& how);

/// As many GPUs that may be of the same types, one by one.
bool may_be_alike(const std::vector<GpuKind>& one, const std::vector<GpuKind>& other);

/// Each way between two GPUs of one machine: as it was measured, else at the peak of what joins them.
BytesPerSecond bandwidth_between(const Joint& joint, const DeviceModel& one, const DeviceModel& other,
                                 const FoundMachine& machine, ImportNotes& notes);

}  // namespace pipedeck
