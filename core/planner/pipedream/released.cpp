// SPDX-License-Identifier: Apache-2.0
// The optimizer that PipeDream's authors released differs from their paper (section 3.1), and other papers compare with
// its answers. This file computes its figures:
//   - A stage of m replicas takes (C + 4 (m - 1) sum |w| / (m B)) / m: a sum instead of the paper's maximum, and twice
//     its bytes. For the first stage of a level the communication is also divided by the components of the level below.
//   - Transfers take 2 a / (B m') on both sides of a stage, with m' the replicas of the later stage.
//   - The bytes behind a set of layers are the outputs of each last layer l and of some dependencies of l. These are
//     the dependencies that feed a layer, inside or outside the set, on which l does not depend.
//   - Sources named Input... and sinks named __getitem__... are left out.
//   - States are the antichains grown from the first source: a set grows by a layer that one of its layers feeds, and
//     all its dependencies.
//   - Memory counts only with --released-memory: ceil((machines not yet used) / m') (activations + parameters).
//   - Levels are solved one after another, the lowest first, each with all machines of the one below.
// It also takes a difference of two states that are not nested, which is no stage. Here stages are differences of
// nested states only, as in its answers on its own profiles. Ties: the fewest stages, then the earliest boundary.
#include "core/planner/pipedream/released.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/planner/pipedream/levels.hpp"
#include "core/planner/pipedream/released_states.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr std::size_t max_states = 5000;
constexpr double max_released_effort = 1e11;
constexpr double max_cells = 3e7;  // of a level's table

class Released {
 public:
  Released(const ReleasedStates& states, const Topology& topology, std::optional<double> memory, std::stop_token stop)
      : states_(states), levels_(topology.levels), memory_(memory), stop_(std::move(stop)) {}

  struct LayerRange {
    int inner, outer;
    std::vector<int> devices;  ///< counted within the part
  };

  /// Returns the slowest stage's seconds on the highest level; infinite if memory admits none.
  double solve() {
    for (std::size_t level = 0; level < levels_.size() && !stop_.stop_requested(); ++level) solve(level);
    return value(levels_.size(), 0, states_.count() - 1, levels_.empty() ? 1 : levels_.back().components);
  }

  std::vector<LayerRange> pieces() const { return part(levels_.size(), 0, states_.count() - 1); }

 private:
  struct Cell {
    double slowest = search::never;
    int cut = 0, replicas = 0;  ///< of the last stage; a cut at the part's own first state: it is the only one
  };
  struct Table {
    std::vector<Cell> cells;  ///< [first][last][machines]
  };

  Cell& cell(std::size_t level, int first, int last, int machines) {
    return tables_[level - 1].cells[index(level, first, last, machines)];
  }
  const Cell& cell(std::size_t level, int first, int last, int machines) const {
    return tables_[level - 1].cells[index(level, first, last, machines)];
  }
  std::size_t index(std::size_t level, int first, int last, int machines) const {
    return (search::at(first) * states_.sets.size() + search::at(last)) *
               search::at(levels_[level - 1].components + 1) +
           search::at(machines);
  }

  /// Returns a stage's time without its own level's communication: the level below with all its machines.
  double value(std::size_t level, int first, int last, int machines) const {
    if (level == 0) return states_.time[search::at(last)] - states_.time[search::at(first)];
    return cell(level, first, last, machines).slowest;
  }
  double inside(std::size_t level, int first, int last) const {
    return value(level - 1, first, last, level > 1 ? levels_[level - 2].components : 1);
  }

  bool too_much(int first, int last, int unused, int replicas) const {
    if (!memory_) return false;
    const double bytes = states_.activations[search::at(last)] - states_.activations[search::at(first)] +
                         states_.weights[search::at(last)] - states_.weights[search::at(first)];
    return (unused + replicas - 1) / replicas * bytes > *memory_;
  }

  double stage_time(std::size_t level, int first, int last, double machines, double shared) const {
    const double weights = states_.weights[search::at(last)] - states_.weights[search::at(first)];
    const double synchronising = 4 * (machines - 1) * weights / (machines * levels_[level - 1].bandwidth) / shared;
    return (inside(level, first, last) + synchronising) / machines;
  }

  void solve(std::size_t below) {
    const std::size_t level = below + 1;
    const int components = levels_[below].components, count = states_.count();
    const double lower = below > 0 ? levels_[below - 1].components : 1;
    const bool highest = level == levels_.size();
    tables_.emplace_back().cells.resize((highest ? 1 : search::at(count)) * search::at(count) *
                                        search::at(components + 1));
    for (int last = 1; last < count && !stop_.stop_requested(); ++last) {
      for (const int first : states_.subsets[search::at(last)])
        for (int m = 1; m <= components && (first == 0 || !highest); ++m)
          if (!too_much(first, last, components - m, m))
            cell(level, first, last, m) = {stage_time(level, first, last, m, lower), first, m};
      for (const int cut : states_.subsets[search::at(last)])
        if (cut > 0) extend(level, cut, last);
    }
  }

  /// Adds last stages behind `cut`, for every first state and number of machines.
  void extend(std::size_t level, int cut, int last) {
    const int components = levels_[level - 1].components;
    const bool highest = level == levels_.size(), final = last == states_.count() - 1;
    for (int replicas = 1; replicas < components; ++replicas) {
      const double rate = levels_[level - 1].bandwidth * replicas;
      double here = std::max(stage_time(level, cut, last, replicas, 1), 2 * states_.output[search::at(cut)] / rate);
      if (!final) here = std::max(here, 2 * states_.output[search::at(last)] / rate);
      if (here == search::never) continue;
      const auto from = [&](int first) {
        for (int m = replicas + 1; m <= components; ++m) {
          if (too_much(cut, last, components - m, replicas)) continue;
          const double slowest = std::max(cell(level, first, cut, m - replicas).slowest, here);
          Cell& best = cell(level, first, last, m);
          if (slowest < best.slowest) best = {slowest, cut, replicas};
        }
      };
      if (highest)
        from(0);
      else
        for (const int first : states_.subsets[search::at(cut)]) from(first);
    }
  }

  std::vector<LayerRange> part(std::size_t level, int first, int last) const {
    if (level == 0) return {{first, last, {0}}};
    std::vector<LayerRange> all;
    for (int m = levels_[level - 1].components, end = last;;) {
      const Cell here = cell(level, first, end, m);
      std::vector<LayerRange> stage;
      for (LayerRange piece : part(level - 1, here.cut, end)) {
        std::vector<int> copies;
        for (int c = m - here.replicas; c < m; ++c)
          for (const int device : piece.devices) copies.push_back(c * levels_[level - 1].devices + device);
        piece.devices = std::move(copies);
        stage.push_back(std::move(piece));
      }
      all.insert(all.begin(), stage.begin(), stage.end());
      if (here.cut == first) return all;
      m -= here.replicas, end = here.cut;
    }
  }

  const ReleasedStates& states_;
  std::vector<Level> levels_;
  std::optional<double> memory_;
  std::stop_token stop_;
  std::vector<Table> tables_;
};

/// Returns the stage of each layer. Layers left out join the last layer that they use, or the first stage.
std::vector<int> stages_of_layers(const Profile& profile, const ReleasedStates& states,
                                  const std::vector<Released::LayerRange>& pieces) {
  std::vector<int> stage(profile.layers.size(), -1);
  for (std::size_t s = 0; s < pieces.size(); ++s)
    for (std::size_t i = 0; i < stage.size(); ++i)
      if (stage[i] < 0 && states.sets[search::at(pieces[s].outer)][i]) stage[i] = static_cast<int>(s);
  std::vector<bool> left_out(stage.size());
  for (std::size_t i = 0; i < stage.size(); ++i)
    if (stage[i] < 0) left_out[i] = true, stage[i] = 0;
  for (const Edge& edge : edges_of(profile))
    if (left_out[edge.to.index()]) stage[edge.to.index()] = std::max(stage[edge.to.index()], stage[edge.from.index()]);
  return stage;
}

Result<Plan> plan_of(const Problem& problem, const ReleasedStates& states, const Topology& topology,
                     const std::vector<Released::LayerRange>& pieces, double slowest, int micro_batch) {
  const std::vector<int> stage = stages_of_layers(*problem.profile, states, pieces);
  std::vector<LayerId> order = topological_order(*problem.profile);
  std::stable_sort(order.begin(), order.end(),
                   [&](LayerId a, LayerId b) { return stage[a.index()] < stage[b.index()]; });
  TRY(const auto chain, search::Chain::of(problem, std::move(order)));
  Plan plan = chain.plan_of("pipedream", micro_batch);
  plan.schedule = ScheduleKind::pipedream;
  int first = 0;
  for (std::size_t s = 0; s < pieces.size(); ++s) {
    const int last = first + static_cast<int>(std::count(stage.begin(), stage.end(), static_cast<int>(s)));
    std::vector<DeviceId> devices;
    for (const int position : pieces[s].devices) devices.push_back(topology.devices[search::at(position)]);
    plan.stages.push_back(search::stage_on(first, last, std::move(devices)));
    first = last;
  }
  plan.objective = Objective{"PipeDream slowest stage, as released", Seconds(slowest), {}};
  plan.name = "PipeDream as released " + stage_shape_text(plan);
  return plan;
}

bool too_large(const ReleasedStates& states, const Topology& topology) {
  const double count = states.count();
  double effort = 0, cells = 0;
  for (std::size_t k = 0; k < topology.levels.size(); ++k) {
    const double m = topology.levels[k].components;
    const bool highest = k + 1 == topology.levels.size();
    effort += (highest ? count * count / 2 : count * count * count / 6) * m * m / 2;
    cells = std::max(cells, count * m * (highest ? 1 : count));
  }
  return effort > max_released_effort || cells > max_cells;
}

}  // namespace

Result<Ranking> plan_pipedream_as_released(const Problem& problem, const ReleasedOptions& options,
                                           const PlannerContext& context) {
  TRY(const auto chain, search::Chain::of(problem));
  const ReleasedStates states = released_states(chain, options.micro_batch, max_states, context.stop);
  TRY_VOID(check_stop(context));
  if (states.sets.empty())
    return problem_too_large(fmt::format("the layer graph has no first source, or more than {} antichains", max_states),
                             problem, "--planner pipedream without --as-released");
  if (!states.whole)
    return Ranking{{},
                   Infeasible{"the first source and what it leads to leave layers out",
                              "--planner pipedream without --as-released"}};
  const Topology topology = pipedream_topology(chain.network(), options.flat);
  if (too_large(states, topology))
    return problem_too_large(fmt::format("{} antichains on {} devices", states.count() - 1, chain.devices()), problem,
                             "--planner pipedream without --as-released");
  std::optional<double> memory;
  for (const DeviceId device : topology.devices)
    if (const auto bytes = static_cast<double>(chain.network().type(device).memory.count); options.memory)
      memory = std::min(memory.value_or(bytes), bytes);

  Released released(states, topology, memory, context.stop);
  const double slowest = released.solve();
  TRY_VOID(check_stop(context));
  if (slowest == search::never)
    return Ranking{{}, Infeasible{"no partition fits by the released program's rule", "no --released-memory"}};
  TRY(auto plan, plan_of(problem, states, topology, released.pieces(), slowest, options.micro_batch));
  return Ranking{{std::move(plan)}, {}};
}

}  // namespace pipedeck::planner::pipedream
