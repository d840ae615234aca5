// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/pools.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/mesh/kinds.hpp"
#include "core/mesh/stages.hpp"

namespace pipedeck::planner::mesh {
namespace {

/// A division of kinds into pools, in order: the kinds of each.
using Division = std::vector<std::vector<int>>;

/// Adds every way to put kind `kind` and those behind it into `division`, or to leave them out.
void add_divisions(int kind, int kinds, const Division& division, std::vector<Division>& all) {
  if (kind == kinds) {
    if (!division.empty()) all.push_back(division);
    return;
  }
  add_divisions(kind + 1, kinds, division, all);
  for (std::size_t i = 0; i < division.size(); ++i) {
    Division joined = division;
    joined[i].push_back(kind);
    add_divisions(kind + 1, kinds, joined, all);
  }
  for (std::size_t i = 0; i <= division.size(); ++i) {
    Division more = division;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), std::vector{kind});
    add_divisions(kind + 1, kinds, more, all);
  }
}

std::vector<Division> divisions_of(int kinds) {
  std::vector<Division> all;
  if (kinds <= most_arranged_kinds) {
    add_divisions(0, kinds, {}, all);
    return all;
  }
  Division together(1), apart;
  for (int kind = 0; kind < kinds; ++kind) {
    together.front().push_back(kind);
    apart.push_back({kind});
    all.push_back({{kind}});
  }
  all.push_back(std::move(together));
  all.push_back(apart);
  std::ranges::reverse(apart);
  all.push_back(std::move(apart));
  return all;
}

/// A kind of device with its name.
struct NamedKind {
  std::vector<DeviceId> devices;
  std::string name;  ///< its type's; of several kinds of a type, with the first node's
  int domain = 0;
};

std::vector<NamedKind> named_kinds(const Cluster& cluster) {
  const std::vector<int> kinds = pipedeck::mesh::kinds_of(cluster);
  const std::vector<Device> devices = devices_of(cluster);
  const std::vector<int> domains = pipedeck::mesh::domain_sizes(cluster);
  std::vector<NamedKind> all;
  const auto type_name = [&](DeviceId device) {
    return cluster.device_types[static_cast<std::size_t>(devices[device.index()].type)].name;
  };
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const auto kind = static_cast<std::size_t>(kinds[d]);
    const int domain = domains[devices[d].node.index()];
    if (kind == all.size()) all.push_back({{}, type_name(DeviceId(d)), domain});
    all[kind].devices.emplace_back(d);
    all[kind].domain = std::min(all[kind].domain, domain);
  }
  for (NamedKind& kind : all)
    if (std::ranges::count_if(all, [&](const NamedKind& one) {
          return type_name(one.devices.front()) == type_name(kind.devices.front());
        }) > 1)
      kind.name += fmt::format(" ({})", cluster.nodes[devices[kind.devices.front().index()].node.index()].name);
  return all;
}

Arrangement arrangement_of(const Division& division, const std::vector<NamedKind>& kinds) {
  Arrangement arrangement;
  arrangement.domain = std::numeric_limits<int>::max();
  for (const std::vector<int>& own : division) {
    Pool& pool = arrangement.pools.emplace_back();
    for (const int kind : own) {
      const NamedKind& named = kinds[static_cast<std::size_t>(kind)];
      pool.kinds.push_back(named.devices);
      pool.name += (pool.name.empty() ? "" : " with ") + named.name;
      arrangement.domain = std::min(arrangement.domain, named.domain);
    }
  }
  return arrangement;
}

}  // namespace

int Pool::devices() const {
  std::size_t all = 0;
  for (const std::vector<DeviceId>& kind : kinds) all += kind.size();
  return static_cast<int>(all);
}

int Arrangement::devices() const {
  int all = 0;
  for (const Pool& pool : pools) all += pool.devices();
  return all;
}

std::vector<Arrangement> arrangements_of(const Cluster& cluster) {
  const std::vector<NamedKind> kinds = named_kinds(cluster);
  if (kinds.size() < 2) return {{}};
  std::vector<Arrangement> all;
  for (const Division& division : divisions_of(static_cast<int>(kinds.size())))
    all.push_back(arrangement_of(division, kinds));
  return all;
}

Arrangement all_together(const Cluster& cluster) {
  const std::vector<NamedKind> kinds = named_kinds(cluster);
  if (kinds.size() < 2) return {};
  Division together(1);
  for (int kind = 0; kind < static_cast<int>(kinds.size()); ++kind) together.front().push_back(kind);
  return arrangement_of(together, kinds);
}

double operations_per_second(const DeviceType& type) {
  const auto peak = type.peak_tflops.find("bf16");
  return peak == type.peak_tflops.end() ? type.relative_speed : 1e12 * peak->second;
}

std::vector<int> ranks_of_pools(const Arrangement& arrangement, int stage_devices, const std::vector<int>& multiples) {
  std::vector<int> all;
  for (const Pool& pool : arrangement.pools) {
    if (pool.devices() % stage_devices != 0) return {};
    const int ranks = pool.devices() / stage_devices;
    for (const std::vector<DeviceId>& kind : pool.kinds) {
      const auto devices = static_cast<int>(kind.size());
      if (devices % ranks != 0) return {};
      if (std::ranges::any_of(multiples, [&](int one) { return devices / ranks % one != 0; })) return {};
    }
    all.push_back(ranks);
  }
  return all;
}

std::vector<DeviceId> placement_of(const Arrangement& arrangement, const std::vector<int>& ranks) {
  std::vector<DeviceId> placement;
  for (std::size_t p = 0; p < arrangement.pools.size(); ++p)
    for (int rank = 0; rank < ranks[p]; ++rank)
      for (const std::vector<DeviceId>& kind : arrangement.pools[p].kinds) {
        const auto own = static_cast<std::ptrdiff_t>(kind.size()) / ranks[p];
        placement.insert(placement.end(), kind.begin() + rank * own, kind.begin() + (rank + 1) * own);
      }
  return placement;
}

}  // namespace pipedeck::planner::mesh
