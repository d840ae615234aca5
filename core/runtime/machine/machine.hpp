// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pipedeck::runtime::machine {

/// The device type of profiles measured here and of cpu_cluster: one thread of this machine's CPU.
inline constexpr const char* cpu_device_type = "CPU-core";

}  // namespace pipedeck::runtime::machine
