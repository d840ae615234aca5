// SPDX-License-Identifier: Apache-2.0
// Synthetic samples that a model can learn: a pattern for each class, and noise.
#pragma once

#include <memory>

#include "core/runtime/data/sample_shape.hpp"
#include "core/runtime/data/sample_source.hpp"

namespace pipedeck::runtime::data {

/// Returns vectors around class centroids. The noise is as strong as the distance of the centroids in each coordinate:
/// single coordinates carry little information, and all together nearly all.
std::unique_ptr<SampleSource> make_centroid_source(const SampleShape& shape, std::uint64_t seed);

/// Returns images of equally strong noise over coarse patterns, one per class, at most 8 patches wide and high.
std::unique_ptr<SampleSource> make_patch_source(const SampleShape& shape, std::uint64_t seed);

}  // namespace pipedeck::runtime::data
