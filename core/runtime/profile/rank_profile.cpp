// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/rank_profile.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/plan/run_prediction.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/profile/background_load.hpp"
#include "core/runtime/profile/cut_ways.hpp"
#include "core/runtime/profile/layer_medians.hpp"
#include "core/runtime/train/run.hpp"

namespace pipedeck::runtime::profile {
namespace {

/// Returns a plan with all layers on the ranks of one stage, for one micro-batch.
Plan one_stage(const Plan& plan, int layers) {
  Plan one = plan;
  Stage stage = plan.stages.front();
  stage.first = 0, stage.last = layers;
  stage.recompute = {.modules = stage.recompute.modules};
  for (std::size_t i = 0; i < stage.devices.size(); ++i) stage.devices[i] = DeviceId(i);
  one.stages = {std::move(stage)};
  one.schedule = ScheduleKind::gpipe;
  one.chunks.reset(), one.operations.reset(), one.order.reset(), one.warmup_counts.reset();
  one.micro_batches = 1, one.global_batch = one.micro_batch;
  return one;
}

/// Returns a schedule of one forward and one backward on each device.
Schedule once(const Plan& one) {
  Schedule schedule;
  for (const DeviceId device : one.stages.front().devices)
    schedule.lanes.push_back({device, AlternatingOrder{StageId(0), 1, 0, 1, 1, false}});
  return schedule;
}

void take_larger(LayerMemory& memory, const LayerMemory& other) {
  for (Bytes LayerMemory::*const part :
       {&LayerMemory::input, &LayerMemory::forward, &LayerMemory::backward, &LayerMemory::forward_fixed,
        &LayerMemory::backward_fixed, &LayerMemory::weight_saved, &LayerMemory::recompute_saved,
        &LayerMemory::weight_copy})
    memory.*part = std::max(memory.*part, other.*part);
}

/// Takes the larger bytes of each layer.
void take_larger(std::vector<LayerSamples>& most, const std::vector<LayerSamples>& seen) {
  most.resize(seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    most[i].output = std::max(most[i].output, seen[i].output), most[i].saved = std::max(most[i].saved, seen[i].saved);
    take_larger(most[i].memory, seen[i].memory);
  }
}

/// A set of chains, one for each rank of a stage. They exchange values.
class RankChains {
 public:
  /// `micro_batch`: samples of all ranks.
  RankChains(train::Run& run, int samples, int micro_batch) : run_(run) {
    const std::int64_t sequence = run.parts->loss.sequence();
    for (exec::Worker& worker : run.workers) {
      exec::StageModule& module = worker.stages().front().module;
      const exec::LocalStage& chunk = run.layout.placements[worker.index()].chunks.front();
      losses_.push_back(run.parts->loss.of_positions(sequence / chunk.context));
      const ChainRank rank{layers::context_positions(sequence, chunk.context_rank, chunk.context),
                           sequence,
                           &module,
                           chunk.discarded,
                           static_cast<std::uint64_t>(chunk.first_sample),
                           static_cast<std::uint64_t>(micro_batch)};
      // The worker's own memory is what its groups know.
      timers_.emplace_back(module.kernels(), losses_.back(), *run.parts->source, run.model.seed, samples, nullptr,
                           ChainEnds(), ChainDevice{module.parameters().memory(), module.loss(), false, rank});
    }
  }

  std::size_t ranks() const { return timers_.size(); }
  const std::vector<LayerSamples>& seen(std::size_t rank) const { return timers_[rank].seen(); }
  /// Returns the largest bytes of a rank's layers in the micro-batches that all ranks ran.
  const std::vector<LayerSamples>& largest_seen(std::size_t rank) const { return largest_[rank]; }

  /// Runs the chains of all ranks over this many micro-batches.
  Result<void> run_together(int micro_batches) {
    largest_.resize(ranks());
    {
      std::vector<std::jthread> threads;
      for (std::size_t rank = 0; rank < ranks(); ++rank)
        threads.emplace_back([this, rank, micro_batches] {
          guarded(rank, [&] {
            for (int i = 0; i < micro_batches; ++i) {
              timers_[rank].run_once();
              take_larger(largest_[rank], timers_[rank].seen());
            }
          });
        });
    }
    return failure();
  }

  /// Times the first rank's chain while the others run theirs. It interrupts them: no chain runs again.
  Result<void> time_first(const Repetitions& how, const std::function<void(double)>& tell,
                          const std::stop_token& stop) {
    Result<void> timed;
    {
      std::vector<std::jthread> threads;
      threads.emplace_back([&] {
        guarded(0, [&] { timed = repeat(timers_.front(), how, tell, stop); });
        run_.control->drop();
      });
      for (std::size_t rank = 1; rank < ranks(); ++rank)
        threads.emplace_back([this, rank] {
          guarded(rank, [&] {
            while (!run_.control->interrupted()) timers_[rank].warm_up();  // stores no times
          });
        });
    }
    TRY_VOID(failure());
    return timed;
  }

 private:
  template <class Work>
  void guarded(std::size_t rank, const Work& work) {
    cpu::use_one_thread();
    machine::pin_to_core(rank);
    try {
      run_.transport->connect(run_.workers[rank].index());
      work();
    } catch (const transport::Interrupted&) {  // another rank has failed, or the measurement has ended
    } catch (const std::exception& error) {
      run_.control->fail({ErrorCode::run_failed, fmt::format("rank {}: {}", rank, error.what()), {}, {}});
    }
  }

  Result<void> failure() const {
    const auto error = run_.control->failure();
    return error ? tl::unexpected(*error) : Result<void>();
  }

  train::Run& run_;
  std::deque<layers::SoftmaxCrossEntropy> losses_;
  std::deque<LayerTimer> timers_;
  std::vector<std::vector<LayerSamples>> largest_;  ///< by rank
};

/// Returns the largest bytes of each layer on any rank.
std::vector<LayerSamples> largest_of_ranks(const RankChains& chains) {
  std::vector<LayerSamples> most;
  for (std::size_t rank = 0; rank < chains.ranks(); ++rank) take_larger(most, chains.largest_seen(rank));
  return most;
}

/// Returns the micro-batches whose bytes are measured: experts have other rows in each.
int measured_micro_batches(const ModelSpec& model) {
  constexpr int usual = 2, with_experts = 16;
  return std::ranges::any_of(model.layers, [](const ModelLayer& layer) { return layer.kind == "experts"; })
             ? with_experts
             : usual;
}

Bytes bytes_of(std::int64_t parameters) { return Bytes(parameters * static_cast<std::int64_t>(sizeof(float))); }

/// Returns the states of a layer on one rank.
RankStates states_on(const exec::StageModule& module, std::size_t layer) {
  const exec::StatePieces& pieces = module.exchange().pieces();
  const exec::StateSeat& seat = module.exchange().seat();
  const std::int64_t whole = pieces.parameters(layer);
  std::int64_t piece = 0, updated = 0, summed = 0;
  const auto [first, last] = pieces.units(layer);
  for (std::size_t unit = first; unit < last; ++unit) {
    piece += pieces.piece(unit).count, updated += pieces.updated(unit).count;
    const exec::StateGroups& groups = module.exchange().groups(unit);
    if (!groups.alone()) summed += pieces.whole(unit).count;
  }
  RankStates states{bytes_of(whole), bytes_of(whole), bytes_of(updated), bytes_of(summed)};
  if (module.sharded().gradients) {
    states.gradients = bytes_of(piece);
    // Passes sum these. An all-reduce sends twice what the gather behind the update does.
    states.reduced = module.sharded().weights ? Bytes() : bytes_of((summed + 1) / 2);
  }
  if (module.sharded().weights)  // those that stay while micro-batches are in flight count all the time
    states.weights = bytes_of(piece + (seat.sharding.reshard == Reshard::after_forward ? 0 : whole));
  if (const exec::FrozenParameters* const frozen = module.frozen()) {
    const bool stay = module.sharded().weights && seat.sharding.reshard != Reshard::after_forward;
    states.weights += bytes_of(frozen->held(layer) + (stay ? frozen->whole(layer) : 0));
  }
  return states;
}

/// Returns the largest states of a layer on any rank.
RankStates largest_states(const train::Run& run, std::size_t layer) {
  RankStates most;
  for (const exec::Worker& worker : run.workers) {
    const RankStates own = states_on(worker.stages().front().module, layer);
    for (Bytes RankStates::*const part :
         {&RankStates::weights, &RankStates::gradients, &RankStates::updated, &RankStates::reduced})
      most.*part = std::max(most.*part, own.*part);
  }
  return most;
}

/// Adds what the layer takes on each of T tensor-parallel ranks, which is what it takes on the profile's rank.
void add_tensor_parallel_point(Layer& layer, int degree) {
  TensorParallelPoint point{degree, layer.forward, layer.backward, {}, {}};
  point.details = layer.at.front().details;
  point.ways = {{{}, layer.parameters, layer.saved, layer.workspace, *layer.memory}};
  layer.tensor_parallel = {std::move(point)};
}

/// Returns a layer with the bytes of the largest rank, and no times yet.
Layer layer_of(const train::Run& run, std::size_t index, const LayerSamples& most) {
  Layer layer;
  layer.name = run.model.layers[index].name, layer.kind = run.model.layers[index].kind;
  for (const exec::Worker& worker : run.workers)
    layer.parameters = std::max(layer.parameters, parameter_bytes(*worker.stages().front().module.kernels()[index]));
  layer.replicated_parameters = layer.parameters;
  layer.output = most.output, layer.saved = most.saved;
  layer.memory = most.memory;
  layer.states = largest_states(run, index);
  return layer;
}

void add_times(Layer& layer, const LayerSamples& timed, int samples) {
  const LayerMedians medians = medians_of(timed);
  LayerPoint point{samples, Seconds(medians.forward.median), Seconds(medians.backward.median)};
  point.details = details_of(timed, medians);
  layer.workspace = std::max(layer.memory->forward, layer.memory->backward);
  point.details.saved = layer.saved, point.details.workspace = layer.workspace;
  layer.forward = point.forward, layer.backward = point.backward;
  layer.backward_weight = *point.details.backward_weight, layer.spread = point.details.spread;
  layer.at = {std::move(point)};
}

std::string source_text(const ProfiledRanks& ranks, std::size_t threads) {
  return fmt::format("measured on {} threads of this machine's CPU with {} cores, a rank of {}, fp32", threads,
                     machine::usable_cores().size(), text_of(ranks));
}

/// Measures bytes first: the last measurement is that of times.
Result<Profile> measure(train::Run& run, const ProfiledRanks& ranks, int samples, int micro_batch,
                        const Repetitions& repetitions, int busy_cores, const Progress& progress,
                        const std::stop_token& stop) {
  Profile profile;
  profile.name = run.model.name, profile.device = machine::cpu_device_type;
  profile.source = source_text(ranks, run.workers.size());
  profile.micro_batch = samples, profile.ranks = ranks;
  RankChains chains(run, samples, micro_batch);
  report(progress, 0, "measuring the memory of all ranks");
  const int measured = measured_micro_batches(run.model);
  TRY_VOID(chains.run_together(measured));
  const std::vector<LayerSamples> most = largest_of_ranks(chains);
  for (std::size_t i = 0; i < most.size(); ++i) profile.layers.push_back(layer_of(run, i, most[i]));
  if (samples > 1) {
    RankChains single(run, 1, micro_batch);
    TRY_VOID(single.run_together(measured));
    const std::vector<LayerSamples> of_one = largest_of_ranks(single);
    for (std::size_t i = 0; i < of_one.size(); ++i)
      add_fixed_bytes(*profile.layers[i].memory, of_one[i].memory, samples);
  }
  const int ranks_at_work = static_cast<int>(std::min(run.workers.size(), machine::usable_cores().size()));
  const BackgroundLoad company(run.model, samples, std::max(0, busy_cores - ranks_at_work),
                               static_cast<std::size_t>(ranks_at_work));
  const auto tell = [&](double part) { report(progress, std::min(part, 1.0), "timing the layers of a rank"); };
  TRY_VOID(chains.time_first(repetitions, tell, stop));
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    add_times(profile.layers[i], chains.seen(0)[i], samples);
    if (ranks.shard.tensor > 1) add_tensor_parallel_point(profile.layers[i], ranks.shard.tensor);
  }
  report(progress, 1, "done");
  return profile;
}

}  // namespace

Result<Profile> profile_ranks_with(const layers::Backend& backend, const ModelSpec& model, const Plan& plan,
                                   const Repetitions& repetitions, int busy_cores, const Progress& progress,
                                   std::stop_token stop) {
  if (plan.stages.empty()) return fail(ErrorCode::bad_input, "found no stages", "/stages");
  TRY(const ProfiledRanks ranks, plan::ranks_of(plan));
  const Plan one = one_stage(plan, layers::plannable_layers(model));
  train::TrainOptions options;
  options.timeout = std::chrono::hours(1);
  options.ends_apart = true;
  try {
    TRY(const auto run, train::make_run(model, one, once(one), options, backend));
    return measure(*run, ranks, std::ranges::max(replica_samples(one.stages.front(), one.micro_batch)), one.micro_batch,
                   repetitions, busy_cores, progress, stop);
  } catch (const std::runtime_error& error) {  // no memory
    return fail(ErrorCode::run_failed, error.what());
  }
}

Result<Profile> profile_ranks_on_cpu(const ModelSpec& model, const Plan& plan, const Repetitions& repetitions,
                                     int busy_cores, const Progress& progress, std::stop_token stop) {
  return profile_ranks_with(cpu::cpu_backend(), model, plan, repetitions, busy_cores, progress, std::move(stop));
}

}  // namespace pipedeck::runtime::profile
