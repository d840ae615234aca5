// SPDX-License-Identifier: Apache-2.0
// Training images: PGM, PPM, PNG, JPEG and IDX, plain and packed. An IDX file has the name of its labels.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "core/runtime/data/image_file.hpp"
#include "core/runtime/data/images.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

namespace {

void write(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  fuzz::require(file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0);
}

void read_set(const std::string& bytes) {
  static const std::string folder =
      (std::filesystem::temp_directory_path() / ("pipedeck-fuzz-images-" + std::to_string(::getpid()))).string();
  std::filesystem::create_directories(folder);
  write(folder + "/x-images", bytes);
  write(folder + "/x-labels", std::string_view("\0\0\x8\1\0\0\0\2\1\0", 10));
  runtime::data::SampleShape shape;
  shape.values = 6;
  shape.classes = 2;
  const auto images = runtime::data::read_idx(folder + "/x-images", shape);
  if (fuzz::judged(images)) fuzz::require(images->pixels.size() == 12 && images->labels.size() == 2);
  std::filesystem::remove_all(folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  using Decode = Result<runtime::data::Image> (*)(const std::string&);
  const Decode decode = bytes.starts_with("P5") || bytes.starts_with("P6") ? runtime::data::decode_pnm
                        : bytes.starts_with("\x89PNG")                     ? runtime::data::decode_png
                        : bytes.starts_with("\xff\xd8")                    ? runtime::data::decode_jpeg
                                                                           : Decode();
  if (!decode) return read_set(bytes), 0;
  const auto image = decode(bytes);
  if (fuzz::judged(image)) fuzz::require(image->pixels.size() == static_cast<std::size_t>(image->shape.values()));
  return 0;
}
