// SPDX-License-Identifier: Apache-2.0
#include "core/presets/efficiency.hpp"

#include "core/base/checks.hpp"
#include "core/io/documents/efficiency.hpp"
#include "core/presets/embedded.hpp"

namespace pipedeck::presets {

const EfficiencyTable& efficiency() {
  static const EfficiencyTable table = [] {
    const Result<EfficiencyTable> read = io::documents::efficiency_from_json(embedded_efficiency().front());
    ensure(read.has_value(), "the efficiencies that come with the program are valid");
    return *read;
  }();
  return table;
}

}  // namespace pipedeck::presets
