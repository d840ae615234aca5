// SPDX-License-Identifier: Apache-2.0
#include "core/study/bandwidths.hpp"

#include <algorithm>

#include "core/cost/node_paths.hpp"

namespace pipedeck::study {
namespace {

BytesPerSecond inside(const Node& node) { return node.link ? node.link->bandwidth : BytesPerSecond(); }

/// Calls rate(i, j) once for each pair, i < j.
template <class Rate>
std::vector<std::vector<BytesPerSecond>> table_of(std::size_t size, const Rate& rate) {
  std::vector<std::vector<BytesPerSecond>> rows(size, std::vector<BytesPerSecond>(size));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i + 1; j < size; ++j) rows[i][j] = rows[j][i] = rate(i, j);
  return rows;
}

/// Returns the least of the given bandwidths between any two nodes, and inside each.
std::vector<std::vector<BytesPerSecond>> min_by_node(const Cluster& cluster, const std::vector<Device>& devices) {
  const std::size_t count = cluster.nodes.size();
  std::vector<std::vector<BytesPerSecond>> least(count, std::vector<BytesPerSecond>(count));
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i == j) continue;
      BytesPerSecond& there = least[devices[i].node.index()][devices[j].node.index()];
      const BytesPerSecond rate = (*cluster.bandwidth_matrix)[i][j];
      there = there.count == 0 ? rate : std::min(there, rate);
    }
  return least;
}

}  // namespace

Result<Bandwidths> bandwidths_of(const Cluster& cluster) {
  const std::vector<Device> devices = devices_of(cluster);
  const bool by_node = devices.size() > max_device_rows;
  const std::size_t size = by_node ? cluster.nodes.size() : devices.size();
  Bandwidths table;
  if (size < 2 || size > (by_node ? max_node_rows : max_device_rows)) return table;
  if (by_node)
    for (const Node& node : cluster.nodes) table.nodes.push_back(node.name);
  if (cluster.bandwidth_matrix) {
    table.rows = by_node ? min_by_node(cluster, devices) : *cluster.bandwidth_matrix;
    if (!by_node)
      for (std::size_t i = 0; i < size; ++i) table.rows[i][i] = {};
    return table;
  }
  const auto paths = cost::WidestPaths::of_parts(cluster);
  if (!paths) return tl::unexpected(paths.error());
  const auto node_of = [&](std::size_t row) { return by_node ? row : devices[row].node.index(); };
  table.rows = table_of(size, [&](std::size_t i, std::size_t j) {
    const std::size_t a = node_of(i), b = node_of(j);
    const Node &one = cluster.nodes[a], &other = cluster.nodes[b];
    const bool joined = a == b || (!one.domain.empty() && one.domain == other.domain);
    return joined ? std::min(inside(one), inside(other)) : (*paths)->between(a, b).bandwidth;
  });
  if (by_node)
    for (std::size_t n = 0; n < size; ++n) table.rows[n][n] = inside(cluster.nodes[n]);
  return table;
}

}  // namespace pipedeck::study
