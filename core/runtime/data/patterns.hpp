// SPDX-License-Identifier: Apache-2.0
// Made-up samples that have something to learn: a pattern for each class, and noise.
#pragma once

#include <memory>

#include "core/runtime/data_source.hpp"
#include "core/runtime/sample_shape.hpp"

namespace pipedeck {

/// Vectors around class centroids: noise as strong as the centroids are apart in each coordinate, so that single
/// coordinates say little and all together nearly everything.
std::unique_ptr<SampleSource> make_centroid_source(const SampleShape& shape, std::uint64_t seed);

/// Images of as strong a noise over coarse patterns, at most 8 patches wide and high, one a class.
std::unique_ptr<SampleSource> make_patch_source(const SampleShape& shape, std::uint64_t seed);

}  // namespace pipedeck
