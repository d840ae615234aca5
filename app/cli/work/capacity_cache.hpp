// SPDX-License-Identifier: Apache-2.0
// --points FILE: the points of a sweep, saved so that the same or a larger sweep continues from them.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/documents/capacity.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::cli::work {

class CapacityCache {
 public:
  /// Reads the points of the question with this SHA-256. A missing file is empty. A file of another question, or with a
  /// plan that is none for it, is bad_input. With an empty path nothing is saved.
  static Result<CapacityCache> open(std::string path, std::string question,
                                    const study::capacity::ProblemAt& problem_at);

  /// Returns the known answer for each point.
  std::vector<std::optional<CapacityFound>> known(std::span<const CapacityPoint> points) const;
  std::size_t count() const { return points_.found.size(); }
  /// Keeps it; the file is written whole now and then.
  void add(const CapacityFound& found);
  Result<void> write();

 private:
  std::string path_;
  io::documents::CapacityPoints points_;
  std::chrono::steady_clock::time_point written_{};  ///< the first point is written at once
};

}  // namespace pipedeck::cli::work
