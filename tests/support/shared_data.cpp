// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <filesystem>

#include "tests/support/places.hpp"

namespace pipedeck::test {

std::string source_dir() { return PIPEDECK_SOURCES; }

std::string shared_data() {
  const char* given = std::getenv("PIPEDECK_SHARED_DATA");
  const std::filesystem::path folder =
      given ? std::filesystem::path(given) : std::filesystem::path(source_dir()) / ".." / "shared" / "data";
  return std::filesystem::is_directory(folder) ? std::filesystem::canonical(folder).string() : std::string();
}

}  // namespace pipedeck::test
