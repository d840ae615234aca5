// SPDX-License-Identifier: Apache-2.0
// Labelled images. They are read from files, checked against the model's input before training, and shuffled for every
// epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/data/sample_shape.hpp"
#include "core/runtime/data/sample_source.hpp"

namespace pipedeck::runtime::data {

/// A set of images of one shape, one byte per value, row by row, pixel by pixel.
struct ImageSet {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint32_t> labels;  ///< one class per image
};

/// The maximum size of an image source in memory: larger sets are rejected, not swapped.
inline constexpr std::int64_t max_pixels = std::int64_t{1} << 32;

/// Checks that images of a shape fit the model's input. Gray images are accepted for three channels, and colour images
/// for one.
Result<void> check_image_shape(const ImageShape& found, const SampleShape& wanted, const std::string& file);

/// Returns a source of values from -1 (black) to 1. Each epoch visits every image once, in its own order.
std::unique_ptr<SampleSource> make_image_source(ImageSet images, const SampleShape& shape, std::uint64_t seed);

/// Reads an IDX file (MNIST's format, plain or gzip). `path` has "images" in its name. The file of its labels is in the
/// same folder, with "labels" instead (and idx1 for idx3).
Result<ImageSet> read_idx(const std::string& path, const SampleShape& shape);

/// Reads PGM, PPM, PNG or JPEG images from a folder of folders: one per class, in the order of their names.
Result<ImageSet> read_image_folder(const std::string& path, const SampleShape& shape);

}  // namespace pipedeck::runtime::data
