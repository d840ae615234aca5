// SPDX-License-Identifier: Apache-2.0
// IDX: two zero bytes, the type of an element, the number of dimensions, each dimension in four bytes (big-endian),
// then the elements (yann.lecun.com/exdb/mnist). zlib reads files with and without gzip alike.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <zlib.h>

#include "core/runtime/data/file_bytes.hpp"
#include "core/runtime/data/images.hpp"

namespace pipedeck::runtime::data {
namespace {

constexpr std::uint8_t type_byte = 8;

tl::unexpected<Error> bad_idx(const std::string& file, std::string text) {
  return fail(ErrorCode::bad_input, std::move(text), {}, file);
}

class IdxFile {
 public:
  explicit IdxFile(std::string path) : path_(std::move(path)) {}
  ~IdxFile() {
    if (file_ != nullptr) gzclose(file_);
  }
  IdxFile(const IdxFile&) = delete;
  IdxFile& operator=(const IdxFile&) = delete;

  /// Reads the dimensions, whose number must be `least` to `most`. Their product can be counted.
  Result<std::vector<std::int64_t>> open(int least, int most) {
    TRY(const int descriptor, open_plain_file(path_));
    file_ = gzdopen(descriptor, "rb");
    if (file_ == nullptr) {
      ::close(descriptor);
      return bad_idx(path_, "can't be opened: out of memory");
    }
    std::array<std::uint8_t, 4> magic{};
    TRY_VOID(take(magic.data(), 4, "the head of an IDX file"));
    if (magic[0] != 0 || magic[1] != 0 || magic[2] != type_byte || magic[3] < least || magic[3] > most)
      return bad_idx(
          path_,
          fmt::format(
              "found {:02x} {:02x} {:02x} {:02x}, expected 00 00 08 {:02x}: an IDX file of bytes with {} dimensions",
              magic[0], magic[1], magic[2], magic[3], least, least));
    std::vector<std::int64_t> dimensions;
    for (int i = 0; i < magic[3]; ++i) {
      std::array<std::uint8_t, 4> bytes{};
      TRY_VOID(take(bytes.data(), 4, "a dimension"));
      dimensions.push_back(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
      if (dimensions.back() < 1)
        return bad_idx(path_, fmt::format("found a dimension of {}, expected 1 or more", dimensions.back()));
    }
    const double product = product_of(dimensions);
    if (product > static_cast<double>(max_pixels))
      return bad_idx(path_, fmt::format("found {:.3g} bytes, expected at most {:.3g}: they are kept in memory", product,
                                        static_cast<double>(max_pixels)));
    return dimensions;
  }

  /// Reads the elements, which must be the rest of the file.
  Result<std::vector<std::uint8_t>> elements(const std::vector<std::int64_t>& dimensions) {
    const double product = product_of(dimensions);
    TRY_VOID(check_ratio(product));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(product));
    TRY_VOID(take(bytes.data(), bytes.size(), "elements"));
    char more = 0;
    if (gzread(file_, &more, 1) > 0)
      return bad_idx(path_, fmt::format("found more than the {} bytes of its dimensions", bytes.size()));
    return bytes;
  }

 private:
  static double product_of(const std::vector<std::int64_t>& dimensions) {
    return std::accumulate(dimensions.begin(), dimensions.end(), 1.0, std::multiplies<>());
  }

  /// Refuses a small file that would fill the memory: images take a tenth of their bytes at least.
  Result<void> check_ratio(double bytes) const {
    constexpr double harmless = 1 << 28, most = 200;
    std::error_code ignored;
    const auto size = static_cast<double>(std::filesystem::file_size(path_, ignored));
    if (bytes <= harmless || bytes <= most * size) return {};
    return bad_idx(path_, fmt::format("found {:.3g} bytes out of {:.3g}, expected at most {:.0f} times as many", bytes,
                                      size, most));
  }

  Result<void> take(std::uint8_t* to, std::size_t count, const char* what) {
    constexpr std::size_t piece = std::size_t{1} << 30;  // gzread counts in int
    std::size_t done = 0;
    while (done < count) {
      const int read = gzread(file_, to + done, static_cast<unsigned>(std::min(piece, count - done)));
      int code = Z_OK;
      const char* reason = gzerror(file_, &code);
      if (read < 0 || code == Z_BUF_ERROR)
        return bad_idx(path_, fmt::format("can't be read: {}", code == Z_ERRNO ? std::strerror(errno) : reason));
      if (read == 0) return bad_idx(path_, fmt::format("ends after {} of the {} bytes of {}", done, count, what));
      done += static_cast<std::size_t>(read);
    }
    return {};
  }

  std::string path_;
  gzFile file_ = nullptr;
};

Result<std::string> labels_beside(const std::string& images) {
  namespace fs = std::filesystem;
  const fs::path path(images);
  std::string name = path.filename().string();
  const auto place = name.rfind("images");
  if (place == std::string::npos)
    return bad_idx(
        images,
        "found no 'images' in the file's name, expected it: the labels file has the same name with 'labels' instead");
  name.replace(place, 6, "labels");
  if (const auto kind = name.find("idx3"); kind != std::string::npos) name.replace(kind, 4, "idx1");
  const std::string labels = (path.parent_path() / name).string();
  const std::string other = labels.ends_with(".gz") ? labels.substr(0, labels.size() - 3) : labels + ".gz";
  std::error_code ignored;
  if (!fs::exists(labels, ignored) && fs::exists(other, ignored)) return other;
  return labels;
}

Result<std::vector<std::uint32_t>> read_labels(const std::string& path, std::size_t images, std::int64_t classes) {
  IdxFile file(path);
  TRY(const auto dimensions, file.open(1, 1));
  if (static_cast<std::size_t>(dimensions.front()) != images)
    return bad_idx(path, fmt::format("found {} labels, expected {}, one an image", dimensions.front(), images));
  TRY(const auto bytes, file.elements(dimensions));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] >= classes)
      return bad_idx(path, fmt::format("found label {} at place {}, expected less than {}, the model's classes",
                                       bytes[i], i, classes));
  return std::vector<std::uint32_t>(bytes.begin(), bytes.end());
}

}  // namespace

Result<ImageSet> read_idx(const std::string& path, const SampleShape& shape) {
  IdxFile file(path);
  TRY(const auto dimensions, file.open(3, 4));
  ImageSet images;
  images.shape = {dimensions.size() == 4 ? dimensions[3] : 1, dimensions[1], dimensions[2]};
  TRY_VOID(check_image_shape(images.shape, shape, path));
  TRY(auto pixels, file.elements(dimensions));
  images.pixels = std::move(pixels);
  TRY(const auto beside, labels_beside(path));
  TRY(auto labels, read_labels(beside, static_cast<std::size_t>(dimensions.front()), shape.classes));
  images.labels = std::move(labels);
  return images;
}

}  // namespace pipedeck::runtime::data
