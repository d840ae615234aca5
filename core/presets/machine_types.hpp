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

/// As many GPUs that may be of the same types, one by one: PCI ids and the driver's names say which, short ones of
/// batch systems may leave several open, no name leaves all. Types that are `how`'s are all the same.
bool same_gpus(const FoundMachine& one, const FoundMachine& other, const MachineImport& how);

/// Each way between two GPUs of one machine: as it was measured, else at the peak of what joins them.
BytesPerSecond bandwidth_between(const Joint& joint, const DeviceModel& one, const DeviceModel& other,
                                 const FoundMachine& machine, ImportNotes& notes);

}  // namespace pipedeck
