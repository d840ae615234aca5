// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/image_file.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <png.h>

#include "core/runtime/data/file_bytes.hpp"

namespace pipedeck::runtime::data {
namespace {

constexpr std::size_t max_image_file = std::size_t{1} << 28;  // bytes
constexpr std::int64_t max_side = 1 << 16, max_values = 1 << 28;

tl::unexpected<Error> bad_image(std::string text) { return fail(ErrorCode::bad_input, std::move(text)); }

/// Reads the numbers of a PNM header and skips spaces and comments.
class PnmHead {
 public:
  explicit PnmHead(const std::string& bytes) : bytes_(bytes) {}

  std::optional<std::int64_t> number() {
    skip();
    std::int64_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) != 0 && value < 1000000; ++at_)
      value = 10 * value + (bytes_[at_] - '0');
    return at_ == begin ? std::nullopt : std::optional(value);
  }
  /// Position of the pixels: one space after the header.
  std::size_t end() const { return at_ + 1; }

 private:
  void skip() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#')
        at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      else if (std::isspace(static_cast<unsigned char>(bytes_[at_])) != 0)
        ++at_;
      else
        return;
    }
  }
  const std::string& bytes_;
  std::size_t at_ = 2;
};

Result<Image> decode(const std::string& bytes) {
  if (bytes.starts_with("P5") || bytes.starts_with("P6")) return decode_pnm(bytes);
  if (bytes.starts_with("\x89PNG")) return decode_png(bytes);
  if (bytes.starts_with("\xff\xd8")) return decode_jpeg(bytes);
  return bad_image("found no image, expected a binary PGM or PPM, a PNG or a JPEG");
}

}  // namespace

bool is_readable(const ImageShape& shape) {
  return shape.width >= 1 && shape.height >= 1 && shape.width <= max_side && shape.height <= max_side &&
         shape.values() <= max_values;
}

Result<void> check_size(const ImageShape& shape) {
  if (is_readable(shape)) return {};
  return bad_image(fmt::format("found {} x {} pixels, expected 1 to {} each way and at most {} values", shape.width,
                               shape.height, max_side, max_values));
}

Result<Image> decode_pnm(const std::string& bytes) {
  PnmHead head(bytes);
  const auto width = head.number(), height = head.number(), most = head.number();
  if (!width || !height || !most) return bad_image("found a broken head, expected width, height and largest value");
  if (*most < 1 || *most > 255) return bad_image(fmt::format("found a largest value of {}, expected 1 to 255", *most));
  Image image{{bytes[1] == '6' ? 3 : 1, *height, *width}, {}};
  TRY_VOID(check_size(image.shape));
  const auto count = static_cast<std::size_t>(image.shape.values());
  if (bytes.size() < head.end() + count)
    return bad_image(fmt::format("found {} bytes of pixels, expected {}",
                                 bytes.size() > head.end() ? bytes.size() - head.end() : 0, count));
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[head.end() + i]);
    image.pixels.push_back(static_cast<std::uint8_t>(std::min<std::int64_t>(byte, *most) * 255 / *most));
  }
  return image;
}

Result<Image> decode_png(const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
    return bad_image(fmt::format("is no whole PNG: {}", png.message));
  const bool colour = (png.format & PNG_FORMAT_FLAG_COLOR) != 0;
  png.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  Image image{{colour ? 3 : 1, png.height, png.width}, {}};
  if (auto fine = check_size(image.shape); !fine) {
    png_image_free(&png);
    return tl::unexpected(fine.error());
  }
  image.pixels.resize(static_cast<std::size_t>(image.shape.values()));
  const png_color white{255, 255, 255};  // background of transparent pixels
  if (png_image_finish_read(&png, &white, image.pixels.data(), 0, nullptr) == 0)
    return bad_image(fmt::format("is no whole PNG: {}", png.message));
  return image;
}

Result<Image> read_image(const std::string& path) {
  auto image = file_bytes(path, max_image_file).and_then(decode);
  if (!image) image.error().file = path;
  return image;
}

}  // namespace pipedeck::runtime::data
