// SPDX-License-Identifier: Apache-2.0
#include "core/presets/matrix_import.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/checks.hpp"
#include "core/base/limits.hpp"
#include "core/base/quantity_text.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::presets {
namespace {

std::string node_of(const std::string& device) {
  const std::size_t end = device.find_last_of("/:");
  return end == device.npos ? std::string("machine") : device.substr(0, end);
}

Result<std::vector<Node>> nodes_of(const FoundMatrix& matrix, const std::string& type) {
  std::vector<Node> nodes;
  std::set<std::string> names;
  for (const std::string& device : matrix.devices) {
    const std::string name = node_of(device);
    if (!nodes.empty() && nodes.back().name == name) {
      ++nodes.back().devices[0].count;
      continue;
    }
    if (!names.insert(name).second)
      return fail(ErrorCode::bad_input,
                  fmt::format("found {} apart from other devices of {}, expected them side by side", device, name));
    Node& node = nodes.emplace_back();
    node.name = name;
    node.devices.push_back({type, 1});
  }
  return nodes;
}

Result<void> check_matrix(const FoundMatrix& matrix, const MachineImport& how) {
  if (how.copies > 1 || how.network || how.shape == ClusterShape::links || !how.partition.empty())
    return fail(ErrorCode::bad_usage,
                "found copies, a network, links or a partition with a table, which has all pairs");
  if (matrix.unit.empty() && how.unit.empty())
    return fail(ErrorCode::bad_input,
                "found no unit of the bandwidths, expected GB/s or the like in the table's corner, or --unit");
  return {};
}

}  // namespace

Result<ImportedCluster> cluster_of_matrix(const FoundMatrix& matrix, const MachineImport& how) {
  TRY_VOID(check_matrix(matrix, how));
  const std::string& unit = how.unit.empty() ? matrix.unit : how.unit;
  if (!is_unit(QuantityKind::rate, unit))
    return fail(ErrorCode::bad_usage, fmt::format("found the unit '{}', expected GB/s, Gbit/s or the like", unit));
  const auto scale = parse_bandwidth("1" + unit);
  const bool named = !how.device && !matrix.gpu.empty();
  if (named && !find_device_model(device_catalogue(), matrix.gpu))
    return fail(
        ErrorCode::bad_input,
        fmt::format("found '{}', which is not in the catalogue, expected a type of it: --device TYPE", matrix.gpu));
  TRY(const auto device, catalogue_device(how.device.value_or(named ? matrix.gpu : std::string(assumed_device_type))));
  TRY(auto nodes, nodes_of(matrix, device.type.name));

  ImportedCluster made;
  made.cluster.name = how.name.empty() ? matrix.name : how.name;
  made.cluster.device_types.push_back(device.type);
  made.cluster.nodes = std::move(nodes);
  const std::size_t n = matrix.devices.size();
  std::vector<std::vector<BytesPerSecond>> rates(n, std::vector<BytesPerSecond>(n));
  double widest = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto [slow, fast] = std::minmax(matrix.values[i][j], matrix.values[j][i]);
      widest = std::max(widest, fast / slow);
      rates[i][j] = rates[j][i] = BytesPerSecond(slow * scale->count);
      if (!checks::is_bandwidth(rates[i][j]))
        return fail(
            ErrorCode::bad_input,
            fmt::format("found {} {} between {} and {}, expected from {:.0e} to {:.0e} bytes per second", slow, unit,
                        matrix.devices[i], matrix.devices[j], limits::min_bytes_per_second, limits::bytes_per_second));
    }
  made.cluster.bandwidth_matrix = std::move(rates);
  made.notes.push_back(fmt::format("{} devices in {} {}, bandwidths in {}", n, made.cluster.nodes.size(),
                                   made.cluster.nodes.size() == 1 ? "machine" : "machines", unit));
  if (!how.device && !named) {
    made.notes.push_back(fmt::format("The device type is unknown: {} is assumed", device.type.name));
    made.cluster.assumptions.push_back(made.notes.back());
  }
  if (widest > 1.001)
    made.notes.push_back(
        fmt::format("Two ways between devices differ by up to {:.3g} times: the slower one is kept for both", widest));
  made.notes.push_back("The cluster keeps a bandwidth for every pair, without latencies");
  if (auto valid = plan::validate(made.cluster); !valid) return tl::unexpected(std::move(valid.error()));
  return made;
}

}  // namespace pipedeck::presets
