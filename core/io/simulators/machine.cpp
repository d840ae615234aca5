// SPDX-License-Identifier: Apache-2.0
#include "core/io/simulators/machine.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::io::simulators {

Result<FoundMachines> machine_of(const DescribedMachine& described, ImportShare share) {
  constexpr int max_devices = 1024;
  if (described.devices > max_devices)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} devices, expected at most {} in a machine", described.devices, max_devices));
  if (described.type.memory.count <= 0)
    return fail(ErrorCode::bad_input, "found a device without memory, expected more than 0 bytes");
  DetectedMachine machine;
  machine.name = described.type.name;
  machine.source = described.source;
  const auto n = static_cast<std::size_t>(described.devices);
  Interconnect joint{InterconnectKind::nvlink, 1, {}, described.link, {}};
  machine.joints.assign(n, std::vector<Interconnect>(n, joint));
  for (std::size_t i = 0; i < n; ++i) {
    FoundGpu& gpu = machine.gpus.emplace_back();
    gpu.label = fmt::format("GPU{}", i);
    gpu.name = described.type.name;
    gpu.type = described.type;
    machine.joints[i][i] = Interconnect{};
    if (described.card) machine.nics.push_back({fmt::format("NIC{}", i), *described.card});
  }
  FoundMachines found;
  found.machines.push_back(std::move(machine));
  found.shares.push_back(std::move(share));
  return found;
}

Bytes gibibytes(double count) {
  constexpr double gibibyte = 1 << 30;
  return Bytes(std::llround(count * gibibyte));
}

}  // namespace pipedeck::io::simulators
