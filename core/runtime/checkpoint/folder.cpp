// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/folder.hpp"
#include "core/model/layer_kinds.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"

namespace pipedeck::runtime::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view step_prefix = "step-", part_ending = ".pdck";

std::optional<std::uint64_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(step_prefix)) return std::nullopt;
  std::uint64_t step = 0;
  const char* end = name.data() + name.size();
  const auto [rest, problem] = std::from_chars(name.data() + step_prefix.size(), end, step);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return step;
}

StepFolder listed(const fs::path& path, std::uint64_t step) {
  StepFolder folder{step, path.string(), {}, {}};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(part_ending)) folder.parts.push_back(entry.path().string());
    if (name.ends_with(unfinished_ending)) folder.unfinished.push_back(entry.path().string());
  }
  std::sort(folder.parts.begin(), folder.parts.end());
  std::sort(folder.unfinished.begin(), folder.unfinished.end());
  return folder;
}

/// True if the blocks of `parts` together are [0, whole).
bool covers(const std::vector<const LayerPart*>& parts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // begin, end
  for (const LayerPart* part : parts)
    for (const layers::ParameterBlock& block : part->blocks)
      for (std::int64_t row = 0; row < block.rows; ++row) {
        const std::int64_t begin = block.first + row * block.stride;
        runs.emplace_back(begin, begin + block.columns);
      }
  std::sort(runs.begin(), runs.end());
  std::int64_t end = 0;
  for (const auto& run : runs) {
    if (run.first > end) return false;
    end = std::max(end, run.second);
  }
  return end == parts.front()->whole;
}

/// The loss has no parameters, and no part.
std::size_t layers_kept(const Origin& origin) {
  const bool loss = !origin.layers.empty() && origin.layers.back().kind == "softmax_cross_entropy";
  return origin.layers.size() - (loss ? 1 : 0);
}

std::vector<std::size_t> missing_layers(const std::vector<ShardFile>& files) {
  std::map<int, std::vector<const LayerPart*>> kept;
  for (const ShardFile& file : files)
    for (const LayerPart& layer : file.part().layers) kept[layer.layer].push_back(&layer);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < layers_kept(files.front().part().origin); ++i) {
    const ModelLayer& layer = files.front().part().origin.layers[i];
    if (i > 0 && is_tied(layer)) continue;  // its weights are in the first layer
    const auto found = kept.find(static_cast<int>(i));
    if (found == kept.end() || !covers(found->second)) missing.push_back(i);
  }
  return missing;
}

std::string text_of(const std::vector<std::size_t>& missing, const Origin& origin) {
  std::string text;
  for (std::size_t i = 0; i < missing.size();) {
    std::size_t end = i + 1;
    while (end < missing.size() && missing[end] == missing[end - 1] + 1) ++end;
    const std::size_t first = missing[i], last = missing[end - 1];
    text += text.empty() ? "" : ", ";
    text += first == last ? fmt::format("layer {} ('{}')", first, origin.layers[first].name)
                          : fmt::format("layers {} to {} ('{}' to '{}')", first, last, origin.layers[first].name,
                                        origin.layers[last].name);
    i = end;
  }
  return text;
}

std::size_t layers_in(const std::vector<ShardFile>& files) {
  return std::accumulate(files.begin(), files.end(), std::size_t{0},
                         [](std::size_t sum, const ShardFile& file) { return sum + file.part().layers.size(); });
}

Result<ShardFile> opened(const std::string& path, std::uint64_t step, bool verified) {
  auto file = ShardFile::open(path);
  if (!file) return file;
  if (file->part().origin.step != step)
    return fail(ErrorCode::bad_input,
                fmt::format("found step {}, expected {}, its folder's", file->part().origin.step, step), {}, path);
  if (verified) TRY_VOID(file->verify());
  return file;
}

}  // namespace

std::string step_folder(const std::string& folder, std::uint64_t step) {
  return (fs::path(folder) / fmt::format("{}{:010}", step_prefix, step)).string();
}

std::string part_path(const std::string& folder, std::uint64_t step, std::size_t worker) {
  return (fs::path(step_folder(folder, step)) / fmt::format("worker-{}{}", worker, part_ending)).string();
}

Result<std::vector<StepFolder>> steps_in(const std::string& folder) {
  std::error_code problem;
  if (!fs::exists(folder, problem)) return fail(ErrorCode::bad_input, "found no such folder", {}, folder);
  if (!fs::is_directory(folder, problem))
    return fail(ErrorCode::bad_input, "found a file, expected a folder of checkpoints", {}, folder);
  std::vector<StepFolder> steps;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    if (const auto step = step_of(entry->path()); step && entry->is_directory(problem))
      steps.push_back(listed(entry->path(), *step));
  if (problem) return fail(ErrorCode::bad_input, fmt::format("can't be read: {}", problem.message()), {}, folder);
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  return steps;
}

Bytes StepContent::bytes() const {
  Bytes sum;
  for (const ShardFile& part : parts) sum += part.bytes();
  return sum;
}

StepContent inspect(const StepFolder& folder, bool verified) {
  StepContent content{folder, {}, {}, {}};
  std::map<std::uint64_t, std::vector<ShardFile>> lineages;
  for (const std::string& path : folder.parts) {
    auto file = opened(path, folder.step, verified);
    if (!file) {
      content.problems.push_back(file.error());
      continue;
    }
    lineages[file->part().origin.lineage].push_back(*std::move(file));
  }
  const auto most = std::max_element(lineages.begin(), lineages.end(), [](const auto& a, const auto& b) {
    return layers_in(a.second) < layers_in(b.second);
  });
  if (most == lineages.end()) {
    content.missing = "all layers";
    return content;
  }
  content.parts = std::move(most->second);
  content.missing = text_of(missing_layers(content.parts), content.parts.front().part().origin);
  return content;
}

Result<void> remove_step(const StepFolder& folder) {
  std::error_code problem;
  for (const auto* files : {&folder.parts, &folder.unfinished})
    for (const std::string& path : *files)
      if (!fs::remove(path, problem) && problem)
        return fail(ErrorCode::io, fmt::format("can't be removed: {}", problem.message()), {}, path);
  fs::remove(folder.path, problem);  // stays if it holds other files
  return {};
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem && !fs::is_directory(folder))
    return fail(ErrorCode::bad_input, fmt::format("can't be made: {}", problem.message()), {}, folder);
  const std::string path = (fs::path(folder) / ".lock").string();
  const auto not_ours = [&] {
    return fail(ErrorCode::bad_input, "found a link, expected a run's lock: remove it", {}, path);
  };
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0 && errno == ELOOP) return not_ours();
  if (descriptor < 0)
    return fail(ErrorCode::bad_input, fmt::format("the folder can't be written: {}", std::strerror(errno)), {}, folder);
  FolderLock lock(descriptor);
  struct ::stat about {};
  if (::fstat(descriptor, &about) == 0 && about.st_nlink > 1) return not_ours();  // another name of a user's file
  std::array<char, 32> owner{};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const ssize_t got = ::pread(descriptor, owner.data(), owner.size() - 1, 0);
    return fail(ErrorCode::bad_input,
                fmt::format("found the checkpoints of a run that is under way (process {}), expected a folder that no "
                            "other run writes into: wait for it, stop it, or name another folder",
                            got > 0 ? owner.data() : "unknown"),
                {}, folder);
  }  // on a file system without locks the run continues without one
  const std::string me = std::to_string(::getpid());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, me.data(), me.size(), 0) < 0)
    return fail(ErrorCode::bad_input, fmt::format("the folder can't be written: {}", std::strerror(errno)), {}, folder);
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace pipedeck::runtime::checkpoint
