// SPDX-License-Identifier: Apache-2.0
#include "core/presets/published_runs.hpp"

#include "core/presets/embedded.hpp"

namespace pipedeck::presets {

const std::string& published_runs() { return embedded_published_runs().front(); }

}  // namespace pipedeck::presets
