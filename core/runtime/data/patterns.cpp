// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/patterns.hpp"

#include <algorithm>
#include <vector>

#include "core/base/random.hpp"

namespace pipedeck::runtime::data {
namespace {

constexpr std::uint64_t pattern_stream = 0, first_pattern_stream = 1;

std::vector<float> class_patterns(std::uint64_t seed, std::int64_t values) {
  std::vector<float> patterns(static_cast<std::size_t>(values));
  Random random(seed, pattern_stream);
  for (float& value : patterns) value = 0.5f * random.normal();
  return patterns;
}

std::int64_t class_of(std::uint64_t seed, std::uint64_t sample, std::uint64_t position, std::int64_t classes) {
  const std::uint64_t bits = mix_bits(mix_bits(seed ^ 0xc1a55e5ULL) ^ mix_bits(sample * 0x10001 + position));
  return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(classes));
}

class PatternSource : public SampleSource {
 public:
  PatternSource(std::uint64_t seed, std::int64_t classes, std::int64_t width)
      : seed_(seed), classes_(classes), width_(width), patterns_(class_patterns(seed, classes * width)) {}

  void target(std::uint64_t sample, std::span<float> classes) const override {
    for (std::size_t position = 0; position < classes.size(); ++position)
      classes[position] = static_cast<float>(class_of(seed_, sample, position, classes_));
  }

 protected:
  Random noise(std::uint64_t sample) const { return Random(seed_, first_pattern_stream + sample); }
  const float* pattern(std::uint64_t sample, std::uint64_t position) const {
    return patterns_.data() + class_of(seed_, sample, position, classes_) * width_;
  }
  std::int64_t width() const { return width_; }

 private:
  std::uint64_t seed_;
  std::int64_t classes_, width_;  ///< of a pattern
  std::vector<float> patterns_;
};

class CentroidSource final : public PatternSource {
 public:
  using PatternSource::PatternSource;

  void input(std::uint64_t sample, std::span<float> values) const override {
    Random random = noise(sample);
    const auto wide = static_cast<std::size_t>(width());
    for (std::size_t position = 0; position * wide < values.size(); ++position) {
      const float* centroid = pattern(sample, position);
      for (std::size_t i = 0; i < wide; ++i) values[position * wide + i] = centroid[i] + random.normal();
    }
  }
};

/// Number of patches along a side with that many pixels, and the patch of a pixel.
constexpr std::int64_t max_patches = 8;
std::int64_t patches(std::int64_t side) { return std::min(side, max_patches); }
std::int64_t patch_of(std::int64_t pixel, std::int64_t side) { return pixel * patches(side) / side; }

class PatchSource final : public PatternSource {
 public:
  PatchSource(std::uint64_t seed, std::int64_t classes, const ImageShape& image)
      : PatternSource(seed, classes, patches(image.height) * patches(image.width) * image.channels), image_(image) {}

  void input(std::uint64_t sample, std::span<float> values) const override {
    Random random = noise(sample);
    const float* patch = pattern(sample, 0);
    float* to = values.data();
    for (std::int64_t y = 0; y < image_.height; ++y)
      for (std::int64_t x = 0; x < image_.width; ++x) {
        const std::int64_t at = patch_of(y, image_.height) * patches(image_.width) + patch_of(x, image_.width);
        for (std::int64_t c = 0; c < image_.channels; ++c) *to++ = patch[at * image_.channels + c] + random.normal();
      }
  }

 private:
  ImageShape image_;
};

}  // namespace

std::unique_ptr<SampleSource> make_centroid_source(const SampleShape& shape, std::uint64_t seed) {
  return std::make_unique<CentroidSource>(seed, shape.classes, shape.values / shape.positions);
}

std::unique_ptr<SampleSource> make_patch_source(const SampleShape& shape, std::uint64_t seed) {
  return std::make_unique<PatchSource>(seed, shape.classes, *shape.image);
}

}  // namespace pipedeck::runtime::data
