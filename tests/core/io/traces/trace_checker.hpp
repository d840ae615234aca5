// SPDX-License-Identifier: Apache-2.0
// What a Chrome trace must be so that Perfetto and chrome://tracing show all of it where it belongs. Reads the text by
// itself and shares nothing with what writes it.
#pragma once

#include <string>

#include "core/model/simulation.hpp"

namespace pipedeck::test {

/// The first rule that the text breaks; empty: none. `timeline`: its operations must be there, each once and to the
/// nanosecond. `devices`: the counters must be their memory curves.
std::string trace_fault(const std::string& text, const Timeline* timeline = nullptr,
                        const std::vector<DeviceVerdict>* devices = nullptr);

}  // namespace pipedeck::test
