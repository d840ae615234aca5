// SPDX-License-Identifier: Apache-2.0
// Models of the papers that no chain of layer shapes describes (model.hpp): profiles made of the papers' statements.
#pragma once

#include <span>
#include <string>

#include "core/model/profile.hpp"

namespace pipedeck::presets {

struct PaperProfile {
  const char *name, *alias;
  Profile (*of_one_sample)();
};
std::span<const PaperProfile> paper_profiles();

/// By name or alias in upper or lower case; nullptr: there is none of that name.
const PaperProfile* find_paper_profile(const std::string& name);

/// All figures grow with the samples of a micro-batch.
Profile profile_of(const PaperProfile& paper, int micro_batch);

/// DAPPLE's, from its description: its cells' times were not published.
Profile amoebanet_36();
/// The generator as AMP cuts it into 56 rows: 4-15 are transformers of hidden 1024, 42-53 of hidden 16.
Profile transgan();

/// Part of a V100's 16-bit peak that TransGAN reaches: its pictures are of 81 tokens, which leave the GPU waiting for
/// kernels to start. Such that AMP's quickest strategies take about what they took in the paper.
inline constexpr double transgan_efficiency = 0.006;

}  // namespace pipedeck::presets
