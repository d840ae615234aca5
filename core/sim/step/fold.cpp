// SPDX-License-Identifier: Apache-2.0
#include "core/sim/step/fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/mesh/pipeline_times.hpp"
#include "core/mesh/stages.hpp"
#include "core/schedule/build.hpp"

namespace pipedeck::sim::step {
namespace {

std::int64_t nanoseconds(Seconds time) { return round_to_nanoseconds(time).count; }
Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(std::ceil(bytes))); }

class Folding {
 public:
  Folding(const mesh::Question& question, std::span<const mesh::StageCosts> stages,
          std::span<const mesh::StageMemory> memory, int samples)
      : question_(question),
        stages_(stages),
        memory_(memory),
        samples_(samples),
        ranks_(static_cast<std::size_t>(question.pipeline)) {
    for (int p = 0; p < question.pipeline; ++p) smallest_.push_back(mesh::smallest_device(question, p));
  }

  Result<FoldedStep> run() {
    add_plan();
    add_costs();
    add_channels();
    for (std::size_t p = 0; p < ranks_; ++p) folded_.pipeline.begin.push_back(nanoseconds(stages_[p].gather));
    std::vector<schedule::StageEstimates> estimates(stages_.size());
    // Memory shortens no warm-up, and does not hurry weight gradients.
    for (schedule::StageEstimates& one : estimates)
      one.max_in_flight = std::max(question_.micro_batches, 2 * question_.pipeline);
    TRY(folded_.schedule, schedule::build_schedule(folded_.pipeline.plan, estimates));
    return std::move(folded_);
  }

 private:
  std::size_t rank_of(std::size_t stage) const { return question_.rank_of_stage(stage); }

  /// Returns the device that stands for a pipeline rank: one with the least memory.
  DeviceId first_device(std::size_t rank) const { return smallest_[rank]; }

  void add_plan() {
    Plan& plan = folded_.pipeline.plan;
    plan.micro_batch = question_.layer.count.micro_batch;
    plan.micro_batches = question_.micro_batches;
    plan.global_batch = question_.global_batch();
    plan.schedule = question_.schedule();
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Stage stage;
      stage.first = static_cast<int>(s), stage.last = static_cast<int>(s) + 1;
      stage.devices = {first_device(rank_of(s))};
      plan.stages.push_back(std::move(stage));
    }
  }

  void add_costs() {
    costs::PlanCosts& costs = folded_.costs;
    costs.chunks = stage_copies(folded_.pipeline.plan);
    costs.lanes.resize(ranks_);
    costs.cuts.resize(stages_.size() + 1), costs.held_cuts.resize(stages_.size() + 1);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      costs::StageCosts stage;
      stage.first_worker = s;
      for (const mesh::StageReduction& one : stages_[s].reductions)
        stage.reductions.push_back({.duration = nanoseconds(one.time), .position = static_cast<int>(s)});
      stage.held.emplace_back();
      costs.workers.push_back(worker(s));
      if (!memory_.empty()) add_memory(stage, costs.workers.back(), memory_[s]);
      costs::LaneCosts& lane = costs.lanes[rank_of(s)];
      lane.devices = costs.chunks[rank_of(s)].devices;
      if (!memory_.empty() && s < ranks_) lane.twins = twins_of(s);  // times do not ask for them
      lane.workers.push_back(s);
      costs.stages.push_back(std::move(stage));
      costs.fitting.push_back(question_.micro_batches);
    }
    for (std::size_t p = 0; p < ranks_; ++p) {
      if (!memory_.empty()) add_memory_of_rank(p);
      costs.lanes[p].exposed_shares = exposed_shares(p);
    }
  }

  std::vector<DeviceId> twins_of(std::size_t rank) const {
    std::vector<DeviceId> twins;
    const int devices = question_.stage_devices(), first = static_cast<int>(rank) * devices;
    for (int d = first; d < first + devices; ++d)
      if (question_.device(d) != first_device(rank)) twins.push_back(question_.device(d));
    if (!std::ranges::is_sorted(twins)) std::ranges::sort(twins);
    return twins;
  }

  std::array<double, 3> exposed_shares(std::size_t rank) const {
    cost::PassTime passes;
    for (std::size_t s = 0; s < stages_.size(); ++s)
      if (rank_of(s) == rank) passes += stages_[s].forward, passes += stages_[s].backward;
    const double all = passes.exposed().count;
    if (all <= 0) return {};
    using cost::PassPart;
    return {passes[PassPart::context].count / all, passes[PassPart::expert].count / all,
            (passes[PassPart::gather] + passes[PassPart::scatter] + passes[PassPart::host]).count / all};
  }

  /// Without hidden sends, a pass ends when its output is sent.
  costs::StageReplicaCosts worker(std::size_t s) const {
    const mesh::StageCosts& stage = stages_[s];
    costs::StageReplicaCosts worker;
    worker.stage = static_cast<int>(s);
    worker.lane = rank_of(s);
    worker.devices = folded_.costs.chunks[s].devices;
    worker.high = samples_;
    const bool waits = !question_.training.hidden.pipeline;
    const auto set = [&](OpKind kind, const cost::PassTime& pass, Seconds send) {
      worker.duration[static_cast<std::size_t>(kind)] = nanoseconds(pass.duration() + (waits ? send : Seconds()));
      worker.tensor_parallel[static_cast<std::size_t>(kind)] = nanoseconds(pass.exposed());
    };
    const Seconds back = s > 0 ? mesh::send_behind(question_, stages_, s - 1) : Seconds();
    set(OpKind::forward, stage.forward, mesh::send_behind(question_, stages_, s));
    set(OpKind::backward, stage.backward, back);
    if (mesh::splits_backward(question_.order)) {
      set(OpKind::backward_input, stage.input, back);
      set(OpKind::backward_weight, stage.weight, Seconds());
    }
    for (const mesh::StageReduction& one : stage.reductions) {
      worker.ready_in_backward.push_back(nanoseconds(one.ready));
      worker.ready_in_weight.push_back(nanoseconds(one.ready_in_weight));
    }
    worker.optimizer = {nanoseconds(stage.optimizer)};
    return worker;
  }

  static void add_memory(costs::StageCosts& stage, costs::StageReplicaCosts& worker, const mesh::StageMemory& memory) {
    MemoryBreakdown& held = stage.held.front();
    held[MemoryItem::weights] = whole(memory.weights + memory.copies);
    held[MemoryItem::gradients] = whole(memory.gradients);
    held[MemoryItem::optimizer] = whole(memory.optimizer);
    stage.kept.before = stage.kept.full = whole(memory.kept);
    worker.memory.forward = whole(memory.peak_forward);
    worker.memory.backward = worker.memory.backward_input = whole(memory.peak_backward);
    worker.memory.input_in_place = true;
  }

  /// Adds what a rank holds once for all its stages. The reserve has the share that the driver takes: then the peak is
  /// compared with the whole capacity.
  void add_memory_of_rank(std::size_t rank) {
    const auto most = [&](double mesh::StageMemory::*item) {
      double bytes = 0;
      for (std::size_t s = 0; s < stages_.size(); ++s)
        if (rank_of(s) == rank) bytes = std::max(bytes, memory_[s].*item);
      return whole(bytes);
    };
    const auto capacity = static_cast<double>(memory_of(first_device(rank)).count);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (rank_of(s) != rank) continue;
      MemoryBreakdown& held = folded_.costs.stages[s].held.front();
      held[MemoryItem::communication] = most(&mesh::StageMemory::transfers);
      held[MemoryItem::reserve] =
          whole(mesh::fixed_bytes(question_) + (1 - mesh::usable_share) * capacity + question_.kept_for_others);
    }
    MemoryBreakdown& held = folded_.costs.stages[rank].held.front();
    held[MemoryItem::weights] += most(&mesh::StageMemory::gathered);
    held[MemoryItem::workspace] = whole(mesh::library_workspace);
  }

  Bytes memory_of(DeviceId device) const {
    const std::vector<DeviceType>& types = question_.cluster->device_types;
    if (types.size() < 2) return types.front().memory;
    if (devices_.empty()) devices_ = devices_of(*question_.cluster);
    return types[static_cast<std::size_t>(devices_[device.index()].type)].memory;
  }

  void add_channels() {
    costs::Channels& channels = folded_.channels;
    channels.activations.resize(stages_.size()), channels.gradients.resize(stages_.size());
    channels.awaited_activations.resize(stages_.size()), channels.awaited_gradients.resize(stages_.size());
    for (std::size_t s = 0; s + 1 < stages_.size(); ++s) {
      add_channel(s, s + 1, stages_[s].send);
      add_channel(s + 1, s, stages_[s].send);
    }
  }

  void add_channel(std::size_t from, std::size_t to, Seconds time) {
    costs::Channels& channels = folded_.channels;
    const std::size_t sender = rank_of(from), receiver = rank_of(to);
    costs::Channel channel;
    channel.stage = static_cast<int>(from);
    channel.gradient = to < from;
    if (sender != receiver) {
      const auto [found, fresh] =
          resources_.try_emplace({sender, receiver}, static_cast<int>(channels.resources.size()));
      if (fresh) channels.resources.push_back({first_device(sender), first_device(receiver)});
      channel.resource = found->second;
      if (question_.training.hidden.pipeline) channel.duration = nanoseconds(time);
    }
    channel.sources = {static_cast<int>(from)}, channel.targets = {static_cast<int>(to)};
    channel.sent = channel.received = {Bytes(0)};
    (channel.gradient ? channels.gradients : channels.activations)[from].turns = {
        {static_cast<int>(channels.all.size())}};
    ++(channel.gradient ? channels.awaited_gradients : channels.awaited_activations)[to];
    channels.all.push_back(std::move(channel));
  }

  const mesh::Question& question_;
  std::span<const mesh::StageCosts> stages_;
  std::span<const mesh::StageMemory> memory_;
  const int samples_;
  const std::size_t ranks_;
  std::vector<DeviceId> smallest_;       ///< of each pipeline rank
  mutable std::vector<Device> devices_;  ///< of the cluster, once they are asked for
  std::map<std::pair<std::size_t, std::size_t>, int> resources_;
  FoldedStep folded_;
};

}  // namespace

engine::EngineInput FoldedStep::input(bool record) const {
  engine::EngineInput input{pipeline.plan, schedule, costs, channels, Overlap::layer, record};
  input.begin = pipeline.begin;
  return input;
}

Result<FoldedStep> fold(const mesh::Question& question, std::span<const mesh::StageCosts> stages,
                        std::span<const mesh::StageMemory> memory, int samples) {
  return Folding(question, stages, memory, samples).run();
}

namespace {

Result<std::vector<mesh::StageMemory>> memory_of(const mesh::Question& question,
                                                 const std::vector<mesh::StageLayers>& layers) {
  std::vector<mesh::StageMemory> memory;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    TRY(const mesh::StageMemory stage,
        mesh::stage_memory(question, mesh::without_multi_token(layers[s]), s == 0, s + 1 == layers.size()));
    memory.push_back(stage);
  }
  return memory;
}

}  // namespace

Result<std::vector<mesh::StageMemory>> memory_of(const mesh::Question& question) {
  TRY(const std::vector<mesh::StageLayers> layers, mesh::stage_layers(question));
  return memory_of(question, layers);
}

Result<StepCosts> costs_of(const mesh::Question& question, const mesh::Rates& rates,
                           std::shared_ptr<mesh::KnownGroups> known) {
  TRY(const std::vector<mesh::StageLayers> layers, mesh::stage_layers(question));
  StepCosts costs;
  TRY(costs.stages, mesh::stage_costs(question, rates, layers, std::move(known)));
  TRY(costs.memory, memory_of(question, layers));
  return costs;
}

}  // namespace pipedeck::sim::step
