// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "core/presets/paper_profiles.hpp"

namespace pipedeck::presets {

// DAPPLE: 933 M parameters, 20 GB at 1 sample (Table II), 11.2 MB cross a cut (Table I); the last third of the cells
// holds 73 % of the parameters, the time of a cell grows by at most 40 % towards the end (section VI-C). The time of it
// all is such that transfers take 0.18 of a stage's computation on config A (Table V): eight samples of 11.2 MB both
// ways over 25 Gbit/s are 57.3 ms, a stage of half the model so 319 ms.
Profile amoebanet_36() {
  constexpr int cells = 36, light = 24;
  constexpr double parameters = 933e6 * 4, total_seconds = 2 * 0.319,
                   saved = 20e9 - 3 * parameters;  // RMSProp: 3 x 4 B
  Profile profile;
  profile.name = "AmoebaNet-36";
  profile.source = "made of the figures that DAPPLE (PPoPP 2021) gives: Tables I, II and V, section VI-C";
  profile.device = "V100-16GB";
  profile.micro_batch = 1;
  double weight = 0;
  for (int i = 0; i < cells; ++i) weight += 1 + 0.4 * i / (cells - 1);
  for (int i = 0; i < cells; ++i) {
    const Seconds both(total_seconds * (1 + 0.4 * i / (cells - 1)) / weight);
    const double share = i < light ? 0.27 / light : 0.73 / (cells - light);
    Layer cell;
    cell.name = fmt::format("cell_{}", i);
    cell.kind = "cell";
    cell.forward = both / 3;
    cell.backward = both * (2.0 / 3);
    cell.backward_weight = both / 3;
    cell.output = Bytes(11'200'000);
    cell.saved = Bytes(std::llround(saved / cells));
    cell.parameters = Bytes(std::llround(parameters * share));
    profile.layers.push_back(std::move(cell));
  }
  return profile;
}

}  // namespace pipedeck::presets
