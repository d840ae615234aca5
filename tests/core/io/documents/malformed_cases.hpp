// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file, as an edit of a valid one, and what the error must say.
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

/// What any JSON text can have wrong with it; each format gets these as well as its own.
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
