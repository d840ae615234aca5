// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/machine_name.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace pipedeck::io::topology {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != 0 ? name.data() : "unknown";
}

std::string processor_line() {
  std::string name = "unknown processor", line;
  std::ifstream info("/proc/cpuinfo");
  while (std::getline(info, line)) {
    if (!line.starts_with("model name")) continue;
    if (const auto colon = line.find(": "); colon != line.npos) name = line.substr(colon + 2);
    break;
  }
  return fmt::format("cpu: {} cores, {}", std::thread::hardware_concurrency(), name);
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace pipedeck::io::topology
