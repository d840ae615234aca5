// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/checks.hpp"
#include "core/plan/groups.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/plan/stages_alike.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::plan {
namespace {

using checks::bad;

std::string stage_place(std::size_t index, std::string_view key) { return fmt::format("/stages/{}/{}", index, key); }

Result<void> check_batches(const Plan& plan) {
  TRY_VOID(checks::integer("/global_batch", plan.global_batch, 1, limits::samples));
  TRY_VOID(checks::integer("/micro_batch", plan.micro_batch, 1, limits::samples));
  if (plan.global_batch % plan.micro_batch != 0)
    return checks::bad("/micro_batch", fmt::format("found {}, expected a divisor of global_batch, {}", plan.micro_batch,
                                                   plan.global_batch));
  if (plan.micro_batches != plan.global_batch / plan.micro_batch)
    return checks::bad("/micro_batches", fmt::format("found {}, expected global_batch / micro_batch = {}",
                                                     plan.micro_batches, plan.global_batch / plan.micro_batch));
  return checks::integer("/zero", plan.zero, 0, 3);
}

Result<void> check_range(const Stage& stage, std::size_t index, int begin) {
  if (stage.first != begin)
    return checks::bad(stage_place(index, "layers"),
                       fmt::format("found [{}, {}], expected a range that begins at {}, where the one before ends",
                                   stage.first, stage.last, begin));
  if (stage.last <= stage.first)
    return checks::bad(stage_place(index, "layers"),
                       fmt::format("found [{}, {}], expected at least one layer", stage.first, stage.last));
  return {};
}

/// The devices of the previous stages, each with the stage that named it first.
using Held = std::map<DeviceId, std::size_t>;

/// Checks that chunks on a common device have all devices in common, so that each replica uses the same devices in all
/// of them.
Result<void> check_common(const Plan& plan, std::size_t index, std::size_t other) {
  const Stage &stage = plan.stages[index], &before = plan.stages[other];
  if (stage.devices == before.devices && stage.shard() == before.shard()) return {};
  return checks::bad(stage_place(index, "devices"),
                     fmt::format("found a device of stage {} among others than that stage's, expected the same devices "
                                 "in the same order and the same degrees in all stages that share a device",
                                 other));
}

Result<void> check_devices(const Plan& plan, std::size_t index, Held& held) {
  const Stage& stage = plan.stages[index];
  if (stage.devices.empty())
    return checks::bad(stage_place(index, "devices"), "found no devices, expected at least one");
  std::set<DeviceId> once;
  const auto before = held.find(stage.devices.front());
  const bool repeats = before != held.end() && is_interleaved_on_device(plan.schedule) &&
                       plan.stages[before->second].devices == stage.devices;  // they were looked at there
  if (repeats) TRY_VOID(check_common(plan, index, before->second));
  for (std::size_t i = 0; i < stage.devices.size() && !repeats; ++i) {
    const auto place = [&] { return stage_place(index, fmt::format("devices/{}", i)); };
    if (stage.devices[i].value < 0 || stage.devices[i].value >= limits::devices)
      return checks::integer(place(), stage.devices[i].value, 0, limits::devices - 1);
    const auto [first, fresh] = held.try_emplace(stage.devices[i], index);
    if (!once.insert(stage.devices[i]).second || (!fresh && !is_interleaved_on_device(plan.schedule)))
      return checks::bad(place(), fmt::format("found device {} a second time, expected each in one stage only",
                                              stage.devices[i].value));
    if (!fresh) TRY_VOID(check_common(plan, index, first->second));
  }
  const auto count = static_cast<int>(stage.devices.size());
  if (stage.tensor_parallel < 1 || count % stage.tensor_parallel != 0)
    return checks::bad(
        stage_place(index, "tensor_parallel"),
        fmt::format("found {}, expected a divisor of the stage's {} devices", stage.tensor_parallel, count));
  if (const auto degrees = degrees_of(count, stage.shard(), plan.sharding); !degrees)
    return checks::bad(stage_place(index, "devices"), degrees.error().message);
  return {};
}

Result<void> check_sharding(const Plan& plan) {
  TRY_VOID(checks::integer("/sharding/level", plan.sharding.level, 0, 3));
  if (plan.zero == 0 || plan.sharding.level == 0 || plan.zero == plan.sharding.level) return {};
  return checks::bad("/sharding/level",
                     fmt::format("found {}, expected {} as `zero`, or no `zero`", plan.sharding.level, plan.zero));
}

Result<void> check_shares(const Plan& plan, const Stage& stage, std::size_t index) {
  if (!plan.synchronous()) {
    // formats.md: asynchronous schedules never split a micro-batch; replicas take mini-batches in turn.
    if (stage.samples_per_replica)
      return checks::bad(stage_place(index, "shares"),
                         "found shares, expected none: this schedule never cuts a micro-batch");
    return {};
  }
  if (plan.micro_batch < stage.replicas())
    return checks::bad(stage_place(index, "devices"),
                       fmt::format("found {} replicas for a micro-batch of {}, expected a sample for each at least",
                                   stage.replicas(), plan.micro_batch));
  if (!stage.samples_per_replica) return {};
  if (static_cast<int>(stage.samples_per_replica->size()) != stage.replicas())
    return checks::bad(stage_place(index, "shares"),
                       fmt::format("found {} shares, expected one for each of the {} replicas",
                                   stage.samples_per_replica->size(), stage.replicas()));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < stage.samples_per_replica->size(); ++i) {
    TRY_VOID(checks::integer(stage_place(index, fmt::format("shares/{}", i)), (*stage.samples_per_replica)[i], 1,
                             plan.micro_batch));
    sum += (*stage.samples_per_replica)[i];
  }
  if (sum != plan.micro_batch)
    return checks::bad(stage_place(index, "shares"),
                       fmt::format("found shares of {} in all, expected micro_batch, {}", sum, plan.micro_batch));
  return {};
}

Result<void> check_shards(const Stage& stage, std::size_t index) {
  if (!stage.shard_fractions) return {};
  if (stage.tensor_parallel == 1)
    return checks::bad(stage_place(index, "shards"),
                       "found shards, expected none: tensor_parallel is 1, no layer is split");
  if (static_cast<int>(stage.shard_fractions->size()) != stage.tensor_parallel)
    return checks::bad(stage_place(index, "shards"),
                       fmt::format("found {} shards, expected one for each of the {} ranks",
                                   stage.shard_fractions->size(), stage.tensor_parallel));
  for (std::size_t i = 0; i < stage.shard_fractions->size(); ++i)
    TRY_VOID(checks::positive(stage_place(index, fmt::format("shards/{}", i)), (*stage.shard_fractions)[i], 1));
  const double sum = std::accumulate(stage.shard_fractions->begin(), stage.shard_fractions->end(), 0.0);
  if (std::abs(sum - 1) > 1e-9)
    return checks::bad(stage_place(index, "shards"), fmt::format("found shards of {} in all, expected 1", sum));
  return {};
}

Result<void> check_recompute(const Stage& stage, std::size_t index) {
  for (std::size_t i = 0; i < stage.recompute.layers.size(); ++i)
    TRY_VOID(checks::integer(stage_place(index, fmt::format("recompute/{}", i)), stage.recompute.layers[i].value,
                             stage.first, stage.last - 1));
  std::set<LayerId> once(stage.recompute.layers.begin(), stage.recompute.layers.end());
  if (once.size() != stage.recompute.layers.size())
    return checks::bad(stage_place(index, "recompute"), "found a layer twice, expected each once");
  return {};
}

/// Checks that each copy of each stage is there once: the first on the stage's own devices, the others on groups of
/// them.
Result<void> check_chunks(const Plan& plan) {
  if (!plan.chunks) return {};
  if (!is_interleaved_on_device(plan.schedule))
    return checks::bad("/chunks", fmt::format("found chunks, expected none: '{}' has one chunk a stage, on its devices",
                                              name_of(plan.schedule)));
  const int copies = num_stage_copies(plan);
  if (copies > 1 && !bidirectional(plan.schedule) && plan.schedule != ScheduleKind::explicit_order)
    return checks::bad("/chunks", fmt::format("found {} copies, expected one: '{}' goes in one direction", copies,
                                              name_of(plan.schedule)));
  if (copies == 1 && bidirectional(plan.schedule))
    return checks::bad("/chunks",
                       fmt::format("found one copy of every stage, expected two: '{}' goes in both directions",
                                   name_of(plan.schedule)));
  std::set<std::vector<DeviceId>> groups;
  for (const Stage& stage : plan.stages) groups.insert(stage.devices);
  std::set<std::pair<StageId, int>> seen;
  for (std::size_t c = 0; c < plan.chunks->size(); ++c) {
    const StageCopy& chunk = (*plan.chunks)[c];
    const auto place = [&](std::string_view key) { return fmt::format("/chunks/{}/{}", c, key); };
    TRY_VOID(checks::integer(place("stage"), chunk.stage.value, 0, static_cast<std::int64_t>(plan.stages.size()) - 1));
    TRY_VOID(checks::integer(place("copy"), chunk.copy, 0, limits::layers));
    if (!seen.emplace(chunk.stage, chunk.copy).second)
      return checks::bad(place("copy"), fmt::format("found copy {} of stage {} a second time, expected each once",
                                                    chunk.copy, chunk.stage.value));
    const Stage& stage = plan.stages[chunk.stage.index()];
    if (chunk.copy == 0 && chunk.devices != stage.devices)
      return checks::bad(place("devices"), "found other devices than the stage's own, expected these for copy 0");
    if (groups.count(chunk.devices) == 0 || chunk.devices.size() != stage.devices.size())
      return checks::bad(
          place("devices"),
          fmt::format("found devices that are no stage's, expected all {} of one stage", stage.devices.size()));
  }
  if (seen.size() != plan.stages.size() * static_cast<std::size_t>(copies))
    return checks::bad("/chunks", fmt::format("found {} chunks, expected {} of each of the {} stages", seen.size(),
                                              copies, plan.stages.size()));
  return {};
}

/// Checks that micro-batches can be divided over both directions, and that stages with copies on each other's devices
/// have the same number of devices.
Result<void> check_directions(const Plan& plan) {
  if (!bidirectional(plan.schedule)) return {};
  if (plan.micro_batches % 2 != 0)
    return checks::bad("/micro_batches",
                       fmt::format("found {}, expected an even number: '{}' runs half of them in each direction",
                                   plan.micro_batches, name_of(plan.schedule)));
  for (std::size_t s = 0; s < plan.stages.size() && !plan.chunks; ++s) {
    const Stage &stage = plan.stages[s], &other = plan.stages[plan.stages.size() - 1 - s];
    if (stage.devices.size() != other.devices.size() || stage.shard() != other.shard())
      return checks::bad(stage_place(s, "devices"),
                         fmt::format("found {} devices, expected as many as stage {} has, whose copy is on them",
                                     stage.devices.size(), plan.stages.size() - 1 - s));
  }
  return {};
}

Result<void> check_warmup_counts(const Plan& plan) {
  if (!plan.warmup_counts) return {};
  if (plan.warmup_counts->size() != plan.stages.size())
    return checks::bad("/warmup_counts", fmt::format("found {} counts, expected one for each of the {} stages",
                                                     plan.warmup_counts->size(), plan.stages.size()));
  for (std::size_t i = 0; i < plan.warmup_counts->size(); ++i)
    TRY_VOID(checks::integer(fmt::format("/warmup_counts/{}", i), (*plan.warmup_counts)[i], 1, limits::samples));
  return {};
}

Result<void> check_order(const Plan& plan, int layers) {
  if (!plan.order) return {};
  if (static_cast<int>(plan.order->size()) != layers)
    return checks::bad("/order", fmt::format("found {} layers, expected {}", plan.order->size(), layers));
  std::vector<bool> seen(static_cast<std::size_t>(layers), false);
  for (std::size_t i = 0; i < plan.order->size(); ++i) {
    const LayerId layer = (*plan.order)[i];
    TRY_VOID(checks::integer(fmt::format("/order/{}", i), layer.value, 0, layers - 1));
    if (seen[layer.index()])
      return checks::bad(fmt::format("/order/{}", i),
                         fmt::format("found layer {} a second time, expected each once", layer.value));
    seen[layer.index()] = true;
  }
  return {};
}

bool offered_in_lists(OpKind kind) {
  return kind == OpKind::forward || kind == OpKind::backward || kind == OpKind::backward_input ||
         kind == OpKind::backward_weight || kind == OpKind::recompute;
}

Result<void> check_operations(const Plan& plan) {
  if (plan.schedule != ScheduleKind::explicit_order) {
    if (plan.operations)
      return checks::bad(
          "/operations",
          fmt::format("found a list with the schedule '{}', expected it only with 'explicit'", name_of(plan.schedule)));
    return {};
  }
  if (!plan.operations)
    return checks::bad("/operations", "found none, expected a list a device with the schedule 'explicit'");
  const std::size_t devices = devices_used(plan).size();
  if (plan.operations->size() != devices)
    return checks::bad("/operations", fmt::format("found {} lists, expected one for each of the {} devices used",
                                                  plan.operations->size(), devices));
  for (std::size_t d = 0; d < devices; ++d)
    for (std::size_t i = 0; i < (*plan.operations)[d].size(); ++i) {
      const Operation& operation = (*plan.operations)[d][i];
      const std::string place = fmt::format("/operations/{}/{}", d, i);
      if (!offered_in_lists(operation.kind))
        return checks::bad(place + "/0", fmt::format("found '{}', expected F, B, I, W or R", name_of(operation.kind)));
      TRY_VOID(
          checks::integer(place + "/1", operation.stage.value, 0, static_cast<std::int64_t>(plan.stages.size()) - 1));
      TRY_VOID(checks::integer(place + "/2", operation.micro_batch, 0, plan.micro_batches - 1));
    }
  return {};
}

Result<void> check_against_layers(const Plan& plan, const Profile& profile) {
  const auto count = static_cast<int>(profile.layers.size());
  const std::size_t last = plan.stages.size() - 1;
  if (plan.stages[last].last != count)
    return checks::bad(stage_place(last, "layers"),
                       fmt::format("found the last range to end at {}, expected {}, the layers of profile '{}'",
                                   plan.stages[last].last, count, profile.name));
  std::vector<int> position(profile.layers.size());
  const std::vector<LayerId> order = order_of(plan, profile);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i].index()] = static_cast<int>(i);
  for (const Edge& edge : edges_of(profile))
    if (position[edge.from.index()] > position[edge.to.index()])
      return checks::bad("/order",
                         fmt::format("found '{}' before '{}', which feeds it; expected a topological order",
                                     profile.layers[edge.to.index()].name, profile.layers[edge.from.index()].name));
  return {};
}

/// Checks that the shardings match for the stages with the same sharding as `s`, which is the first of them. Applies if
/// the profile lists the shardings of all their layers. As in the runtime, the output must be able to be replicated
/// after any layer.
Result<void> check_ways(const Plan& plan, const Profile& profile, std::span<const LayerId> order, std::size_t s) {
  const std::span<const Stage> alike = uniformly_sharded_stages(plan, StageId(s));
  ShardingPath path;
  for (int p = alike.front().first; p < alike.back().last; ++p) {
    const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
    std::vector<ShardingStep> steps;
    for (const ShardingCost& way : point_of_degree(layer, alike.front().tensor_parallel)->ways)
      steps.push_back(way.step);
    if (steps.empty()) return {};
    if (path.add(steps)) continue;
    const auto own = std::ranges::find_if(alike, [&](const Stage& stage) { return p < stage.last; });
    return checks::bad(stage_place(s + static_cast<std::size_t>(own - alike.begin()), "tensor_parallel"),
                       fmt::format("found {}, expected a degree in which layer '{}' can be cut where it stands: none "
                                   "of the profile's ways leads to a whole output",
                                   own->tensor_parallel, layer.name));
  }
  return {};
}

Result<void> check_splittable(const Plan& plan, const Profile& profile) {
  const std::vector<LayerId> order = order_of(plan, profile);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    if (stage.tensor_parallel == 1) continue;
    for (int p = stage.first; p < stage.last; ++p) {
      const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
      if (std::none_of(layer.tensor_parallel.begin(), layer.tensor_parallel.end(),
                       [&](const TensorParallelPoint& point) { return point.degree == stage.tensor_parallel; }))
        return checks::bad(stage_place(s, "tensor_parallel"),
                           fmt::format("found {}, expected a degree that layer '{}' has times for",
                                       stage.tensor_parallel, layer.name));
    }
  }
  if (!profile.is_chain()) return {};
  for (std::size_t s = 0; s < plan.stages.size(); s += uniformly_sharded_stages(plan, StageId(s)).size())
    if (plan.stages[s].tensor_parallel > 1) TRY_VOID(check_ways(plan, profile, order, s));
  return {};
}

Result<void> check_against_devices(const Plan& plan, const Cluster& cluster) {
  const auto count = static_cast<std::int64_t>(devices_of(cluster).size());
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (std::size_t i = 0; i < plan.stages[s].devices.size(); ++i)
      if (plan.stages[s].devices[i].value >= count)
        return checks::bad(stage_place(s, fmt::format("devices/{}", i)),
                           fmt::format("found device {}, expected 0 to {}, the devices of cluster '{}'",
                                       plan.stages[s].devices[i].value, count - 1, cluster.name));
  return {};
}

}  // namespace

Result<void> validate(const Plan& plan) {
  TRY_VOID(check_batches(plan));
  TRY_VOID(check_sharding(plan));
  if (plan.stages.empty()) return checks::bad("/stages", "found no stages, expected at least one");
  Held held;
  int begin = 0;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Stage& stage = plan.stages[i];
    TRY_VOID(check_range(stage, i, begin));
    TRY_VOID(check_devices(plan, i, held));
    TRY_VOID(check_shares(plan, stage, i));
    TRY_VOID(check_shards(stage, i));
    TRY_VOID(check_recompute(stage, i));
    begin = stage.last;
  }
  TRY_VOID(checks::integer("/stages", begin, 1, limits::layers));
  TRY_VOID(check_chunks(plan));
  TRY_VOID(check_directions(plan));
  TRY_VOID(check_warmup_counts(plan));
  TRY_VOID(check_order(plan, begin));
  return check_operations(plan);
}

Result<void> validate_covered(const Plan& plan) {
  const auto refuse = [](std::string place, auto found, std::string_view what) {
    return checks::bad(
        std::move(place),
        fmt::format("found {} of {}, expected none: only simulate, compare and run have it", what, found));
  };
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Shard& degrees = plan.stages[s].degrees;
    if (degrees.sequence)
      return checks::bad(stage_place(s, "sequence_parallel"),
                         "found true, expected false: a profile has it in its tensor-parallel times");
    if (plan.stages[s].recompute.partly())
      return checks::bad(stage_place(s, "recompute"),
                         "found parts of blocks, expected whole layers: only simulate, compare and run have parts");
    for (const auto& [key, degree, what] :
         {std::tuple{"context_parallel", degrees.context, "context parallelism"},
          {"expert_parallel", degrees.expert, "expert parallelism"},
          {"expert_tensor_parallel", degrees.expert_tensor, "expert-tensor parallelism"}})
      if (degree > 1) return refuse(stage_place(s, key), degree, what);
  }
  if (plan.sharding != Sharding{}) return refuse("/sharding/level", plan.sharding.level, "a sharding");
  if (plan.choices)
    return checks::bad("/training",
                       "found choices of engine and run, expected none: only simulate, compare and run "
                       "have them");
  return {};
}

namespace {

/// Checks that a plan has the ranks of which a profile has one. predicted_by() turns context ranks into replicas.
Result<void> check_against_ranks(const Plan& plan, const ProfiledRanks& ranks) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const int replicas = ranks.data * ranks.shard.context;
    if (stage.tensor_parallel != ranks.shard.tensor || stage.replicas() * stage.degrees.context != replicas)
      return checks::bad(
          stage_place(s, "devices"),
          fmt::format("found {} tensor-parallel ranks and {} replicas, expected {} and {}: the "
                      "profile has a rank of {}",
                      stage.tensor_parallel, stage.replicas(), ranks.shard.tensor, replicas, text_of(ranks)));
  }
  return {};
}

}  // namespace

Result<void> validate(const Plan& plan, const Profile& profile, const Cluster& cluster) {
  TRY_VOID(validate(plan));
  if (profile.ranks) TRY_VOID(check_against_ranks(plan, *profile.ranks));
  TRY_VOID(check_against_layers(plan, profile));
  if (!has_mesh(plan)) TRY_VOID(check_splittable(plan, profile));
  TRY_VOID(check_against_devices(plan, cluster));
  return validate_amounts(profile, cluster, plan.global_batch);
}

}  // namespace pipedeck::plan
