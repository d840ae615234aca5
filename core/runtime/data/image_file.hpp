// SPDX-License-Identifier: Apache-2.0
// An image from a file: PGM, PPM (binary), PNG or JPEG, detected from its first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/runtime/data/sample_shape.hpp"

namespace pipedeck::runtime::data {

struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
};

/// Reads a gray or colour image, without transparency. bad_input if the file has another format or is truncated.
Result<Image> read_image(const std::string& path);

/// Checks the size that an image claims to have, before it gets memory.
bool is_readable(const ImageShape& shape);
Result<void> check_size(const ImageShape& shape);

/// Decode one format each. `bytes` are the file's content; the error's text describes the fault.
Result<Image> decode_pnm(const std::string& bytes);
Result<Image> decode_png(const std::string& bytes);
Result<Image> decode_jpeg(const std::string& bytes);

}  // namespace pipedeck::runtime::data
