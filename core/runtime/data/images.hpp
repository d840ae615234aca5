// SPDX-License-Identifier: Apache-2.0
// Labelled images: read from files, checked against what the model takes before anything is trained, shuffled anew for
// every pass over them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/data_source.hpp"
#include "core/runtime/sample_shape.hpp"

namespace pipedeck {

/// Images of one shape, a byte a value, row by row, pixel by pixel.
struct ImageSet {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint32_t> labels;  ///< a class an image
};

/// What all image sources keep in memory: a set larger than this is refused, not swapped.
inline constexpr std::int64_t most_pixels = std::int64_t{1} << 32;

/// Whether images of a shape are what the model takes. Gray ones serve where it takes three channels and the other way
/// round.
Result<void> check_image_shape(const ImageShape& found, const SampleShape& wanted, const std::string& file);

/// Values from -1 (black) to 1. In each pass over the images each is seen once, in an order of its own.
std::unique_ptr<SampleSource> make_image_source(ImageSet images, const SampleShape& shape, std::uint64_t seed);

/// An IDX file (MNIST's format, plain or gzip): `path` has "images" in its name, and its labels lie beside it under the
/// same name with "labels" instead (and idx1 for idx3).
Result<ImageSet> read_idx(const std::string& path, const SampleShape& shape);

/// A folder of folders, one a class in the order of their names, of PGM, PPM, PNG or JPEG images.
Result<ImageSet> read_image_folder(const std::string& path, const SampleShape& shape);

}  // namespace pipedeck
