// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/runtime/data/image_file.hpp"
#include "core/runtime/data/images.hpp"

namespace pipedeck::runtime::data {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> bad_folder(const fs::path& file, std::string text) {
  return fail(ErrorCode::bad_input, std::move(text), {}, file.string());
}

/// Returns the entries in the order of their names, without hidden ones.
Result<std::vector<fs::path>> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (!at->path().filename().string().starts_with(".")) found.push_back(at->path());
  if (error) return bad_folder(folder, fmt::format("can't be listed: {}", error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<fs::path>> class_folders(const fs::path& folder, std::int64_t classes) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return bad_folder(folder, "found no folder, expected one with a folder a class");
  auto folders = entries(folder);
  if (!folders) return folders;
  for (const fs::path& path : *folders)
    if (!fs::is_directory(path, ignored))
      return bad_folder(path, "found a file among the classes, expected folders only");
  if (folders->empty() || static_cast<std::int64_t>(folders->size()) > classes)
    return bad_folder(
        folder, fmt::format("found {} class folders, expected 1 to {}, the model's classes", folders->size(), classes));
  return folders;
}

Result<void> add_image(ImageSet& images, const fs::path& path, std::size_t label, const SampleShape& shape) {
  TRY(const auto image, read_image(path.string()));
  if (images.labels.empty()) images.shape = image.shape;
  TRY_VOID(check_image_shape(image.shape, shape, path.string()));
  if (image.shape != images.shape)
    return bad_folder(path, fmt::format("found {} channels, expected {} as the images before it have",
                                        image.shape.channels, images.shape.channels));
  if (static_cast<std::int64_t>(images.pixels.size()) + image.shape.values() > max_pixels)
    return bad_folder(
        path, fmt::format("found more than {} bytes of pixels, expected less: they are kept in memory", max_pixels));
  images.pixels.insert(images.pixels.end(), image.pixels.begin(), image.pixels.end());
  images.labels.push_back(static_cast<std::uint32_t>(label));
  return {};
}

}  // namespace

Result<ImageSet> read_image_folder(const std::string& path, const SampleShape& shape) {
  TRY(const auto folders, class_folders(path, shape.classes));
  ImageSet images;
  for (std::size_t label = 0; label < folders.size(); ++label) {
    TRY(const auto files, entries(folders[label]));
    if (files.empty()) return bad_folder(folders[label], "found no image, expected at least one");
    for (const fs::path& file : files) TRY_VOID(add_image(images, file, label, shape));
  }
  return images;
}

}  // namespace pipedeck::runtime::data
