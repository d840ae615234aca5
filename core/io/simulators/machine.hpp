// SPDX-License-Identifier: Apache-2.0
// A machine that a simulator's file describes by its figures, instead of by the names of its devices.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::simulators {

struct DescribedMachine {
  std::string source;  ///< "Calculon"
  DeviceType type;
  int devices = 1;
  BytesPerSecond link;                 ///< of each device to the others
  std::optional<BytesPerSecond> card;  ///< to other machines, of each device
};

/// Returns the machine with its share. bad_input if it has no memory, or too many devices.
Result<FoundMachines> machine_of(const DescribedMachine& described, ImportShare share);

Bytes gibibytes(double count);

}  // namespace pipedeck::io::simulators
