// SPDX-License-Identifier: Apache-2.0
#include "core/study/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::study {

std::string provenance_line(const Problem& problem) {
  std::string line = fmt::format("Simulated from {} layer times.", name_of(source_of_times(*problem.profile)));
  if (!problem.assumptions.empty()) line += fmt::format(" Assumed: {}.", fmt::join(problem.assumptions, "; "));
  return line;
}

}  // namespace pipedeck::study
