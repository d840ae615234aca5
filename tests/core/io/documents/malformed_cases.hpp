// SPDX-License-Identifier: Apache-2.0
// Faults of a file, as edits of a valid one, and the expected errors.
#pragma once

#include <string>
#include <vector>

namespace pipedeck::test {

struct MalformedCase {
  const char* name;
  std::string from, to;  ///< the first `from` of the sample becomes `to`; an empty `from`: `to` is the whole text
  std::string place;     ///< exactly
  std::string words;     ///< some of the message
};

using MalformedCases = std::vector<MalformedCase>;

/// Returns the faults of any JSON text; each format gets these and its own.
MalformedCases malformed_json(const std::string& format);
MalformedCases malformed_profiles();
MalformedCases malformed_profile_memory();  ///< of a layer's needs pass by pass
MalformedCases malformed_clusters();
MalformedCases malformed_plans();
MalformedCases malformed_models();
MalformedCases malformed_simulations();
MalformedCases malformed_events();
MalformedCases malformed_calibrations();
MalformedCases malformed_graphs();

}  // namespace pipedeck::test
