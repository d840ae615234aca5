// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/capacity_cache.hpp"

#include <filesystem>

#include "app/cli/text/console.hpp"
#include "core/io/files.hpp"

namespace pipedeck::cli::work {
namespace {

constexpr std::chrono::seconds between_writes{2};

}  // namespace

Result<CapacityCache> CapacityCache::open(std::string path, std::string question,
                                          const study::capacity::ProblemAt& problem_at) {
  CapacityCache kept;
  kept.path_ = std::move(path);
  kept.points_.question = std::move(question);
  if (kept.path_.empty()) return kept;
  if (!std::filesystem::exists(kept.path_)) {
    // A file that can't be written is reported now, not after the sweep.
    TRY_VOID(kept.write());
    return kept;
  }
  const auto text = io::read_file(kept.path_);
  if (!text) return tl::unexpected(text.error());
  auto points = io::documents::capacity_points_from_json(*text);
  if (!points) return tl::unexpected(text::in_file(points.error(), kept.path_));
  if (points->question != kept.points_.question)
    return fail(ErrorCode::bad_input,
                "found points of another question (model, cluster, conventions, planners, prices or program version), "
                "expected those of this one, or a new file",
                "/question_sha256", kept.path_);
  if (auto restored = study::capacity::restore_clusters(points->found, problem_at); !restored)
    return tl::unexpected(text::in_file(restored.error(), kept.path_));
  kept.points_ = *std::move(points);
  return kept;
}

std::vector<std::optional<CapacityFound>> CapacityCache::known(std::span<const CapacityPoint> points) const {
  std::vector<std::optional<CapacityFound>> known;
  for (const CapacityPoint& point : points) {
    const auto found = points_.found.find(point);
    known.push_back(found == points_.found.end() ? std::nullopt : std::optional(found->second));
  }
  return known;
}

void CapacityCache::add(const CapacityFound& found) {
  if (path_.empty()) return;
  points_.found.insert_or_assign(found.point, found);
  if (std::chrono::steady_clock::now() - written_ < between_writes) return;
  (void)write();  // the last write reports failures
  written_ = std::chrono::steady_clock::now();
}

Result<void> CapacityCache::write() {
  return path_.empty() ? Result<void>() : io::write_file(path_, io::documents::capacity_points_to_json(points_));
}

}  // namespace pipedeck::cli::work
