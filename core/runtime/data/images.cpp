// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/images.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "core/base/random.hpp"

namespace pipedeck::runtime::data {
namespace {

/// A permutation of `count` elements: a Feistel network over the next power of four, iterated until the result is in
/// range (Black and Rogaway, 2002). Any element is computed without storing the permutation.
std::uint64_t shuffled(std::uint64_t place, std::uint64_t count, std::uint64_t key) {
  const auto half = static_cast<unsigned>((std::bit_width(count - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = place >> half, right = place & mask;
    for (std::uint64_t round = 0; round < 4; ++round)
      left = std::exchange(right, left ^ (mix_bits(right ^ mix_bits(key + round)) & mask));
    place = left << half | right;
  } while (place >= count);
  return place;
}

class ImageSource final : public SampleSource {
 public:
  ImageSource(ImageSet images, const SampleShape& shape, std::uint64_t seed)
      : images_(std::move(images)),
        wanted_channels_(shape.image ? shape.image->channels : images_.shape.channels),
        seed_(seed) {}

  std::uint64_t count() const override { return images_.labels.size(); }

  void input(std::uint64_t sample, std::span<float> values) const override {
    const std::uint8_t* pixel =
        images_.pixels.data() + place(sample) * static_cast<std::uint64_t>(images_.shape.values());
    const std::int64_t channels = images_.shape.channels;
    for (std::size_t i = 0; i < values.size(); pixel += channels)
      for (std::int64_t c = 0; c < wanted_channels_; ++c) values[i++] = value_of(pixel, c);
  }
  void target(std::uint64_t sample, std::span<float> classes) const override {
    classes[0] = static_cast<float>(images_.labels[place(sample)]);
  }

 private:
  std::uint64_t place(std::uint64_t sample) const {
    return shuffled(sample % count(), count(), mix_bits(seed_) ^ mix_bits(sample / count()));
  }

  /// Copies gray to all channels, or reduces a colour to its brightness (ITU-R BT.601).
  float value_of(const std::uint8_t* pixel, std::int64_t channel) const {
    float byte = pixel[images_.shape.channels == wanted_channels_ ? channel : 0];
    if (wanted_channels_ == 1 && images_.shape.channels == 3)
      byte = 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
    return byte / 127.5f - 1.0f;
  }

  ImageSet images_;
  std::int64_t wanted_channels_;
  std::uint64_t seed_;
};

std::string text_of(const ImageShape& shape) {
  return fmt::format("{} x {} pixels of {} {}", shape.width, shape.height, shape.channels,
                     shape.channels == 1 ? "channel" : "channels");
}

bool convertible(std::int64_t found, std::int64_t wanted) {
  return found == wanted || (found == 1 && wanted == 3) || (found == 3 && wanted == 1);
}

}  // namespace

Result<void> check_image_shape(const ImageShape& found, const SampleShape& wanted, const std::string& file) {
  if (wanted.image) {
    const ImageShape& image = *wanted.image;
    if (found.height == image.height && found.width == image.width && convertible(found.channels, image.channels))
      return {};
    return fail(ErrorCode::bad_input,
                fmt::format("found images of {}, expected {}: what the model takes", text_of(found), text_of(image)),
                {}, file);
  }
  if (found.values() == wanted.values) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("found images of {}, {} values; expected {} values: what the model takes", text_of(found),
                          found.values(), wanted.values),
              {}, file);
}

std::unique_ptr<SampleSource> make_image_source(ImageSet images, const SampleShape& shape, std::uint64_t seed) {
  return std::make_unique<ImageSource>(std::move(images), shape, seed);
}

}  // namespace pipedeck::runtime::data
