// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/module.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pipedeck::runtime::mpi {
namespace {

constexpr const char* module_name = "pipedeck-mpi.so";

/// Returns the module's paths in a build folder and in an installation, both relative to the program.
std::vector<std::filesystem::path> places() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {program / module_name, program / PIPEDECK_MODULES_FROM_PROGRAM / module_name};
}

}  // namespace

Result<const PipedeckWire*> wire_in(const std::string& file) {
  // Open MPI's own plug-ins search for its symbols in the global scope.
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (!module) return fail(ErrorCode::bad_usage, fmt::format("MPI can't be used: {}", dlerror()), {}, file);
  auto* factory = reinterpret_cast<PipedeckWireFactory*>(dlsym(module, "pipedeck_wire"));
  const PipedeckWire* wire = factory ? factory(PIPEDECK_WIRE_VERSION) : nullptr;
  if (!wire)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("found another version, expected version {}: install pipedeck-mpi of this program's version",
                    PIPEDECK_WIRE_VERSION),
        {}, file);
  return wire;
}

Result<const PipedeckWire*> mpi_wire() {
  for (const auto& place : places()) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return wire_in(place.string());
  }
  return fail(ErrorCode::bad_usage,
              "MPI can't be used: pipedeck-mpi.so is not there: install the package pipedeck-mpi, or build the program "
              "where libopenmpi-dev is installed");
}

machine::BackendReport report_on_mpi() {
  machine::BackendReport report{.name = "mpi", .lines = {}};
  const auto wire = mpi_wire();
  report.usable = wire.has_value();
  if (!wire) report.unavailable_reason = wire.error().text();
  report.lines.push_back(
      wire ? fmt::format("mpi: {} (transport mpi: one process or more, started by mpirun or srun)", (*wire)->library())
           : "mpi: none; " + report.unavailable_reason);
  return report;
}

std::optional<int> launched_rank() {
  constexpr std::array<const char*, 3> names{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  for (const char* name : names) {
    const char* text = std::getenv(name);
    if (!text) continue;
    const std::string_view digits(text);
    int rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0) return rank;
  }
  return std::nullopt;
}

}  // namespace pipedeck::runtime::mpi
