// SPDX-License-Identifier: Apache-2.0
#include "core/planner/amp/tiling.hpp"

#include <algorithm>
#include <set>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::amp {

namespace {

constexpr int max_steps = 20000;

/// A backtracking search that covers the first free cell in every possible way.
class Tiler {
 public:
  Tiler(const Mesh& mesh, const Strategy& strategy, const std::function<bool()>& coin)
      : mesh_(mesh), strategy_(strategy), coin_(coin), covered_(search::at(mesh.rows * mesh.columns), false) {}

  std::optional<Placement> run() {
    if (!fill()) return {};
    return std::move(placement_);
  }

 private:
  bool fill() {
    const auto free = std::find(covered_.begin(), covered_.end(), false);
    if (free == covered_.end()) return true;
    if (++steps_ > max_steps) return false;
    const auto cell = static_cast<int>(free - covered_.begin());
    const bool first = coin_();
    const bool square = strategy_.tensor_parallel == 1 && strategy_.replicas == 1;
    for (const bool turned : {first, !first}) {
      if (square && turned) continue;
      if (!put(cell % mesh_.rows, cell / mesh_.rows, turned)) continue;
      if (fill()) return true;
      take_back();
    }
    return false;
  }

  int device(int row, int column, int replica, int rank, bool turned) const {
    return (column + (turned ? rank : replica)) * mesh_.rows + row + (turned ? replica : rank);
  }

  bool put(int row, int column, bool turned) {
    const int height = turned ? strategy_.replicas : strategy_.tensor_parallel;
    const int width = turned ? strategy_.tensor_parallel : strategy_.replicas;
    if (row + height > mesh_.rows || column + width > mesh_.columns) return false;
    Placement stage;
    for (int r = 0; r < strategy_.replicas; ++r)
      for (int t = 0; t < strategy_.tensor_parallel; ++t) {
        const int id = device(row, column, r, t, turned);
        if (covered_[search::at(id)]) return false;
        stage.push_back(DeviceId(id));
      }
    for (const DeviceId id : stage) covered_[id.index()] = true;
    placement_.insert(placement_.end(), stage.begin(), stage.end());
    return true;
  }

  void take_back() {
    for (int i = 0; i < strategy_.replicas * strategy_.tensor_parallel; ++i) {
      covered_[placement_.back().index()] = false;
      placement_.pop_back();
    }
  }

  const Mesh& mesh_;
  const Strategy& strategy_;
  const std::function<bool()>& coin_;
  std::vector<bool> covered_;
  Placement placement_;
  int steps_ = 0;
};

}  // namespace

Mesh amp_mesh(const cost::Network& network) {
  const int devices = network.device_count(), nodes = network.node_count();
  std::vector<int> sizes(search::at(nodes), 0);
  for (int d = 0; d < devices; ++d) ++sizes[network.node_of(DeviceId(d)).index()];
  if (nodes > 1 && std::set(sizes.begin(), sizes.end()).size() == 1) return {sizes.front(), nodes};
  int rows = 1;
  for (int side = 1; side * side <= devices; ++side)
    if (devices % side == 0) rows = side;
  return {rows, devices / rows};
}

std::optional<Placement> random_tiling(const Mesh& mesh, const Strategy& strategy, const std::function<bool()>& coin) {
  if (strategy.devices() != mesh.rows * mesh.columns) return {};
  return Tiler(mesh, strategy, coin).run();
}

}  // namespace pipedeck::planner::amp
