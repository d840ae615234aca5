// SPDX-License-Identifier: Apache-2.0
// A capacity sweep's question as a checksum: saved points belong to one question.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/model/workload.hpp"

namespace pipedeck::io {

struct CapacityAsked {
  std::string program;  ///< its version: another one may plan otherwise
  Problem problem;      ///< its batches are the points' and do not count
  std::string model;    ///< what is computed for each type instead of the profile, as text; empty: the profile counts
  std::map<std::string, double> prices;  ///< an hour of a device, by type
};

/// Returns the SHA-256 of all inputs of planners except the points themselves.
std::string capacity_question_sha256(const CapacityAsked& asked, std::span<const std::string> planners);

}  // namespace pipedeck::io
