// SPDX-License-Identifier: Apache-2.0
// The rules with which Perfetto and chrome://tracing show all of a Chrome trace in place. Reads the text itself and
// shares no code with its writer.
#pragma once

#include <string>

#include "core/model/simulation.hpp"

namespace pipedeck::test {

/// The first rule that the text breaks; empty: none. `timeline`: its operations must be there, each once and to the
/// nanosecond. `devices`: the counters must be their memory curves.
std::string trace_fault(const std::string& text, const Timeline* timeline = nullptr,
                        const std::vector<SimulatedDevice>* devices = nullptr);

}  // namespace pipedeck::test
