// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint_costs.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <set>

#include "core/cost/collective.hpp"
#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/planner/memory_fit.hpp"

namespace pipedeck {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t probe = std::int64_t{1} << 40;  // bytes, to read the slope of a line

/// The devices of replica r.
std::vector<DeviceId> replica(const std::vector<DeviceId>& devices, int degree, int r) {
  return {devices.begin() + r * degree, devices.begin() + (r + 1) * degree};
}

std::vector<int> even_samples(int replicas, int micro_batch) {
  std::vector<int> samples(at(replicas), micro_batch / replicas);
  for (int i = 0; i < micro_batch % replicas; ++i) ++samples[at(i)];
  return samples;
}

std::vector<int> key_of(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  std::vector<int> key{degree, micro_batch};
  for (const DeviceId device : devices) key.push_back(device.value);
  return key;
}

}  // namespace

JointCosts::JointCosts(Chain& chain, int slice, bool ignore_memory)
    : chain_(chain), slice_(slice), ignore_memory_(ignore_memory) {}

// --- teams

std::optional<std::vector<int>> JointCosts::shares(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  const int replicas = static_cast<int>(devices.size()) / degree;
  if (replicas < 2 || replicas * slice_ > micro_batch) return {};
  const auto type = [&](DeviceId device) { return chain_.network().device(device).type; };
  if (degree == 1 && std::all_of(devices.begin(), devices.end(),
                                 [&](DeviceId device) { return type(device) == type(devices.front()); }))
    return {};
  std::vector<Kind> kinds;
  for (int r = 0; r < replicas; ++r) {
    std::set<int> types;
    for (const DeviceId device : replica(devices, degree, r)) types.insert(chain_.network().device(device).type);
    kinds.push_back({slice_, degree, {types.begin(), types.end()}, {}});
    if (degree > 1) kinds.back().inside = line_of(replica(devices, degree, r));
  }
  if (std::all_of(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind == kinds.front(); })) return {};

  // A sample at a time to the replica that would end first with it. The whole model's time stands for any stage's.
  const auto time = [&](Kind kind, int samples) {
    kind.samples = samples;
    const PassTimes& passes = passes_of(kind);
    return passes.forward_of(0, chain_.layers()) + passes.backward_of(0, chain_.layers());
  };
  std::vector<int> samples(at(replicas), slice_);
  using Next = std::pair<double, int>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (int r = 0; r < replicas; ++r) next.push({time(kinds[at(r)], slice_ + 1), r});
  for (int left = micro_batch - replicas * slice_; left > 0; --left) {
    const int r = next.top().second;
    next.pop();
    ++samples[at(r)];
    next.push({time(kinds[at(r)], samples[at(r)] + 1), r});
  }
  if (samples == even_samples(replicas, micro_batch)) return {};
  return samples;
}

int JointCosts::team(const std::vector<DeviceId>& devices, int degree, int micro_batch) {
  const auto [found, added] = best_index_.try_emplace(key_of(devices, degree, micro_batch), -1);
  if (!added) return found->second;
  const int replicas = static_cast<int>(devices.size()) / degree;
  if (replicas * slice_ > micro_batch) return -1;
  const auto uneven = shares(devices, degree, micro_batch);
  return found->second = intern(devices, degree, micro_batch, uneven ? *uneven : even_samples(replicas, micro_batch));
}

int JointCosts::team_of(const Stage& stage, int micro_batch, bool synchronous) {
  if (!synchronous)  // mini-batches are not cut, but taken in turn
    return intern(stage.devices, stage.tensor_parallel, micro_batch,
                  std::vector<int>(at(stage.replicas()), micro_batch));
  return intern(stage.devices, stage.tensor_parallel, micro_batch, replica_samples(stage, micro_batch));
}

int JointCosts::intern(const std::vector<DeviceId>& devices, int degree, int micro_batch,
                       const std::vector<int>& samples) {
  std::vector<int> key = key_of(devices, degree, micro_batch);
  key.insert(key.end(), samples.begin(), samples.end());
  const auto [found, added] = team_index_.try_emplace(std::move(key), static_cast<int>(teams_.size()));
  if (!added) return found->second;
  JointTeam team{devices, degree, micro_batch, samples, false, 0};
  team.even = samples == even_samples(team.replicas(), micro_batch);
  team.cost = cost_of(team);
  teams_.push_back(std::move(team));
  return found->second;
}

int JointCosts::cost_of(const JointTeam& team) {
  const Network& network = chain_.network();
  CostKey key;
  key.replicas = team.replicas();
  key.degree = team.degree;
  std::set<Kind> kinds;
  std::set<std::pair<int, Bytes>> limits;
  for (int r = 0; r < team.replicas(); ++r) {
    const std::vector<DeviceId> devices = replica(team.devices, team.degree, r);
    std::set<int> types;
    for (const DeviceId device : devices) types.insert(network.device(device).type);
    kinds.insert(
        {team.samples[at(r)], team.degree, {types.begin(), types.end()}, team.degree > 1 ? line_of(devices) : Line()});
    limits.insert({team.samples[at(r)], capacity_of(network, devices)});
    for (const int type : types)
      key.step = std::max(key.step, optimizer_time(Bytes(probe), chain_.workload().optimizer,
                                                   chain_.workload().precision, chain_.cluster().device_types[at(type)])
                                            .count /
                                        static_cast<double>(probe));
  }
  key.kinds.assign(kinds.begin(), kinds.end());
  key.limits.assign(limits.begin(), limits.end());
  std::set<Line> lines;
  for (int rank = 0; rank < team.degree && team.replicas() > 1; ++rank) {
    std::vector<DeviceId> group;
    for (int r = 0; r < team.replicas(); ++r) group.push_back(team.devices[at(r * team.degree + rank)]);
    lines.insert(line_of(group));
  }
  key.lines.assign(lines.begin(), lines.end());

  const auto [found, added] = cost_index_.try_emplace(key, static_cast<int>(costs_.size()));
  if (!added) return found->second;
  Cost cost;
  for (const Kind& kind : key.kinds) cost.passes.push_back(&passes_of(kind));
  cost.tails.resize(at(chain_.layers()) + 1);
  for (auto& columns : cost.kept) columns.resize(at(chain_.layers()) + 1);
  cost.key = std::move(key);
  costs_.push_back(std::move(cost));
  return found->second;
}

const JointCosts::Line& JointCosts::line_of(const std::vector<DeviceId>& devices) {
  const auto [found, added] = lines_.try_emplace(devices);
  Line& line = found->second;
  if (!added || devices.size() < 2) return line;
  const auto read = [&](auto reduce, double& start, double& slope) {
    const double one = reduce(chain_.network(), devices, Bytes(1)).count;
    const double large = reduce(chain_.network(), devices, Bytes(probe)).count;
    slope = (large - one) / static_cast<double>(probe - 1);
    start = one - slope;
  };
  read(ring_all_reduce, line.ring, line.ring_slope);
  read(hierarchical_all_reduce, line.tree, line.tree_slope);
  return line;
}

/// The slowest type of the replica's devices counts, layer by layer, and what tensor parallelism all-reduces.
const PassTimes& JointCosts::passes_of(const Kind& kind) {
  if (kind.degree == 1) return chain_.times(kind.samples, kind.types.front());
  const auto [found, added] = split_.try_emplace(kind);
  PassTimes& sums = found->second;
  if (!added) return sums;
  sums.forward = sums.backward = {0};
  for (const LayerId id : chain_.order()) {
    const Layer& layer = chain_.profile().layers[id.index()];
    double forward = 0, backward = 0;
    for (const TensorParallelPoint& point : layer.tensor_parallel) {
      if (point.degree != kind.degree) continue;
      for (const int type : kind.types) {
        const LayerTimes times = layer_times(chain_.profile(), layer, kind.samples, chain_.cluster(),
                                             chain_.cluster().device_types[at(type)], kind.degree);
        forward = std::max(forward, times.forward.count);
        backward = std::max(backward, times.backward.count);
      }
      const auto reduce = [&](Bytes bytes) {
        return kind.inside.of(
            static_cast<double>(scale_bytes(bytes, kind.samples, chain_.profile().micro_batch).count));
      };
      forward += reduce(point.forward_allreduce);
      backward += reduce(point.backward_allreduce);
    }
    sums.forward.push_back(sums.forward.back() + forward);
    sums.backward.push_back(sums.backward.back() + backward);
  }
  return sums;
}

bool JointCosts::splittable(int degree, int first, int last) {
  if (degree == 1) return true;
  const auto [found, added] = unsplittable_.try_emplace(degree);
  std::vector<int>& count = found->second;  // layers before a position that can't be split so
  if (added) {
    count = {0};
    for (const LayerId id : chain_.order()) {
      const auto& points = chain_.profile().layers[id.index()].tensor_parallel;
      const bool has = std::any_of(points.begin(), points.end(),
                                   [&](const TensorParallelPoint& point) { return point.degree == degree; });
      count.push_back(count.back() + (has ? 0 : 1));
    }
  }
  return count[at(last)] == count[at(first)];
}

// --- stages

JointCosts::Passes JointCosts::passes(int team, int first, int last) const {
  Passes slowest{0, 0};
  for (const PassTimes* kind : costs_[at(teams_[at(team)].cost)].passes) {
    slowest.forward = std::max(slowest.forward, kind->forward_of(first, last));
    slowest.backward = std::max(slowest.backward, kind->backward_of(first, last));
  }
  return slowest;
}

double JointCosts::tail(int team, int first, int last) {
  Cost& cost = costs_[at(teams_[at(team)].cost)];
  if (cost.tails[at(last)].empty()) fill_tails(cost, last);
  return cost.tails[at(last)][at(first)];
}

/// By layer an all-reduce starts when the one before has ended and the layer's backward is done; else there is one
/// behind the last backward.
void JointCosts::fill_tails(Cost& cost, int last) {
  std::vector<double>& tails = cost.tails[at(last)];
  tails.assign(at(last) + 1, 0);
  const bool by_layer = chain_.workload().conventions.overlap == Overlap::layer;
  const auto reduce = [&](int first, int end) {
    const std::int64_t bytes = (chain_.parameters(first, end).count + cost.key.degree - 1) / cost.key.degree;
    double slowest = 0;
    for (const Line& line : cost.key.lines) slowest = std::max(slowest, line.of(static_cast<double>(bytes)));
    return slowest;
  };
  double free = 0;
  for (int first = last - 1; first >= 0; --first) {
    double done = 0;
    for (const PassTimes* kind : cost.passes) done = std::max(done, kind->backward_of(first, last));
    if (!by_layer)
      free = done + reduce(first, last);
    else if (chain_.parameters(first, first + 1).count > 0 && !cost.key.lines.empty())
      free = std::max(free, done) + reduce(first, first + 1);
    const double weights = static_cast<double>(chain_.parameters(first, last).count) / cost.key.degree;
    tails[at(first)] = std::max(0.0, free - done) + weights * cost.key.step;
  }
}

JointCosts::Passes JointCosts::layer(int type, int degree, int samples, int position) {
  const PassTimes& times = passes_of({samples, degree, {type}, {}});
  return {times.forward_of(position, position + 1), times.backward_of(position, position + 1)};
}

int JointCosts::most_kept(int team, int first, int last, bool recompute) {
  if (ignore_memory_) return unlimited;
  Cost& cost = costs_[at(teams_[at(team)].cost)];
  std::vector<int>& column = cost.kept[recompute ? 1 : 0][at(last)];
  if (column.empty()) column.assign(at(last) + 1, -1);
  int& known = column[at(first)];
  if (known < 0) known = count_kept(cost.key, first, last, recompute);
  return known;
}

/// Where the stage in front keeps one more. StageNeed::peak is linear in the count.
int JointCosts::count_kept(const CostKey& key, int first, int last, bool recompute) {
  std::int64_t most = unlimited;
  for (const auto& [samples, capacity] : key.limits) {
    const StageNeed need = stage_need(chain_, first, last, key.replicas, samples, recompute, 1, key.degree);
    if (need.peak(1, 1) > capacity) return 0;
    const std::int64_t room = (capacity - need.fixed - need.once - need.workspace).count;
    const std::int64_t each = (need.kept + need.output).count, input = need.input.count;
    if (each > 0) most = std::min(most, (room - 2 * input) / each);
    if (input > 0) most = std::min(most, (room - each) / input - 1);
  }
  return static_cast<int>(std::max<std::int64_t>(1, most));
}

// --- transfers

/// As in dapple_space.cpp: slices that cross the same pair of nodes are one transfer; inside a node the pair of devices
/// counts. A replica's first device sends and receives for all.
std::vector<JointCosts::Slice> JointCosts::slices(const JointTeam& from, const JointTeam& to) const {
  const Network& network = chain_.network();
  std::map<std::array<int, 3>, Slice> found;
  std::size_t a = 0, b = 0;
  for (int done = 0, a_end = from.samples[0], b_end = to.samples[0]; done < from.micro_batch;) {
    const int end = std::min(a_end, b_end);
    const DeviceId sender = from.devices[a * at(from.degree)], receiver = to.devices[b * at(to.degree)];
    const NodeId x = network.node_of(sender), y = network.node_of(receiver);
    const std::array<int, 3> key =
        x == y ? std::array{0, sender.value, receiver.value} : std::array{1, x.value, y.value};
    const Path &there = network.path(sender, receiver), &back = network.path(receiver, sender);
    Slice& slice = found.try_emplace(key, Slice{0, 0, 0, there.bandwidth.count, back.bandwidth.count}).first->second;
    slice.samples += end - done;
    slice.latency = std::max(slice.latency, there.latency.count);
    slice.back_latency = std::max(slice.back_latency, back.latency.count);
    slice.bandwidth = std::min(slice.bandwidth, there.bandwidth.count);
    slice.back_bandwidth = std::min(slice.back_bandwidth, back.bandwidth.count);
    done = end;
    if (done == a_end && done < from.micro_batch) a_end += from.samples[++a];
    if (done == b_end && done < from.micro_batch) b_end += to.samples[++b];
  }
  std::vector<Slice> all;
  for (const auto& [key, slice] : found) {
    const auto as_slow = [&s = slice](const Slice& o) {
      return o.samples >= s.samples && o.latency >= s.latency && o.back_latency >= s.back_latency &&
             o.bandwidth <= s.bandwidth && o.back_bandwidth <= s.back_bandwidth;
    };
    if (std::none_of(all.begin(), all.end(), as_slow)) all.push_back(slice);
  }
  return all;
}

JointCosts::Passes JointCosts::transfer(int from, int to, int cut) {
  const std::uint64_t key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  const auto [found, added] = slices_.try_emplace(key);
  if (added) found->second = slices(teams_[at(from)], teams_[at(to)]);
  Passes slowest{0, 0};
  for (const Slice& slice : found->second) {
    const double bytes = static_cast<double>(chain_.cut(cut, slice.samples).count);
    slowest.forward = std::max(slowest.forward, slice.latency + bytes / slice.bandwidth);
    slowest.backward = std::max(slowest.backward, slice.back_latency + bytes / slice.back_bandwidth);
  }
  return slowest;
}

// --- plans

double JointCosts::closed_form(const Plan& plan) {
  if (!plan.synchronous()) return asynchronous_form(plan);
  const int more = plan.micro_batches - 1;
  JointSuffix suffix;
  int behind = -1;
  for (auto stage = plan.stages.rbegin(); stage != plan.stages.rend(); ++stage) {
    const int here = team_of(*stage, plan.micro_batch, true);
    if (behind >= 0) {
      const Passes between = transfer(here, behind, stage->last);
      suffix.add_transfer(between.forward, between.backward, more);
    }
    const Passes one = passes(here, stage->first, stage->last);
    const double again = stage->recompute.all ? one.forward : 0;
    suffix.add_stage(one.forward, one.backward + again, tail(here, stage->first, stage->last), more);
    behind = here;
  }
  return suffix.own;
}

/// Mini-batches go round the replicas, so that each stage takes its time over its replicas for one.
double JointCosts::asynchronous_form(const Plan& plan) {
  double slowest = 0;
  for (const Stage& stage : plan.stages) {
    const Passes one = passes(team_of(stage, plan.micro_batch, false), stage.first, stage.last);
    slowest = std::max(slowest, (one.forward + one.backward) / stage.replicas());
  }
  return slowest * plan.micro_batches;
}

}  // namespace pipedeck
