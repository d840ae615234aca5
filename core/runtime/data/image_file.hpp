// SPDX-License-Identifier: Apache-2.0
// One image from a file: PGM, PPM (binary), PNG or JPEG, whichever its first bytes say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/domain/result.hpp"
#include "core/runtime/sample_shape.hpp"

namespace pipedeck {

struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
};

/// Gray or colour, without transparency. bad_input where the file is no such image, or cut off.
Result<Image> read_image(const std::string& path);

/// The parts of it, by format. `bytes` are the file's; the error's text says what is wrong with them.
Result<Image> decode_pnm(const std::string& bytes);
Result<Image> decode_png(const std::string& bytes);
Result<Image> decode_jpeg(const std::string& bytes);

}  // namespace pipedeck
