// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/run_checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::checkpoint {
namespace {

namespace fs = std::filesystem;

/// True if the device saves values of a seat. One of the devices with the same optimizer states does, the first copy.
/// Each rank of a tensor-parallel group saves its own shard, and each rank of a sharding group its own pieces.
bool writes(const exec::StateSeat& seat) { return seat.copy == 0 || seat.divides_copies(); }

bool writes(const exec::LocalStage& chunk) {
  return writes(chunk.states.dense) || (chunk.expert_ranks > 1 && writes(chunk.states.experts));
}

bool writes(const exec::LocalStage& chunk, const exec::StateSeat& seat, const layers::LayerKernel& layer) {
  return writes(seat) && (chunk.tensor_rank == 0 || layer.parameters() < layer.replicated_parameters());
}

std::vector<std::size_t> writers_of(const exec::Layout& layout) {
  std::vector<std::size_t> writers;
  for (std::size_t i = 0; i < layout.placements.size(); ++i)
    for (std::size_t m = 0; m < layout.placements[i].modules(); ++m)
      if (writes(layout.placements[i].chunk_of_module(m))) {
        writers.push_back(i);
        break;
      }
  return writers;
}

/// Returns the interval of steps after which no replica is within a round: the weights are those of whole updates.
std::uint64_t whole_rounds(const exec::Layout& layout) {
  if (!layout.staleness) return 1;
  std::int64_t round = 1;
  for (std::size_t stage = 0; stage < layout.staleness->replicas.size(); ++stage)
    round = std::lcm(round, std::int64_t{layout.staleness->round_size(stage)});
  return static_cast<std::uint64_t>(round / std::gcd(round, std::int64_t{layout.micro_batches}));
}

Origin origin_of(const ModelSpec& model, const Plan& plan, std::uint64_t seed, const Checkpoint* from) {
  Origin origin;
  origin.model = model.name;
  origin.layers = model.layers;
  origin.seed = seed;
  origin.data = model.data;
  origin.learning_rate = model.learning_rate;
  origin.plan = plan.name;
  origin.plan_hash = plan_hash(plan);
  origin.optimizer = plan.optimizer;
  origin.global_batch = plan.global_batch;
  if (from != nullptr) {
    origin.lineage = from->origin().lineage;
    origin.step = from->origin().step;
    origin.samples = from->origin().samples;
  }
  origin.lineage = hash_of(encode({origin, 0, DeviceId(0), {}}));
  return origin;
}

std::span<const float> slice(const tensor::Tensor& tensor, std::int64_t first, std::int64_t count) {
  return tensor.values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

std::span<float> slice(tensor::Tensor& tensor, std::int64_t first, std::int64_t count) {
  return tensor.values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// A list of values, and the device in whose memory it is.
struct KeptList {
  std::span<const float> values;
  tensor::ComputeDevice* device = nullptr;
};

/// The values that `worker` saves: one list per list of each layer, in the file's order.
struct Kept {
  std::vector<LayerPart> layers;
  std::vector<KeptList> lists;
};

KeptList kept_list(const tensor::Tensor& tensor, std::int64_t first, std::int64_t count) {
  return {slice(tensor, first, count), &tensor.memory()->device()};
}

/// Adds the part of a unit of layer `index` of the stage whose optimizer states the device has. `offset` is the layer's
/// position in a version of the weights, which is whole in asynchronous runs.
void add_unit(Kept& kept, const exec::WorkerStage& stage, std::size_t index, std::size_t unit, std::int64_t offset,
              bool with_older) {
  const layers::LayerKernel& kernel = *stage.module.kernels()[index];
  const exec::StatePieces& pieces = stage.module.exchange().pieces();
  const exec::ParameterRange range = pieces.updated(unit);
  const auto [layer, whole] = stage.module.stored_in(stage.first_layer, index);
  if (stage.module.borrows(index) || (range.count == 0 && kernel.parameters() > 0)) return;
  LayerPart part{layer, whole, stage.optimizer.steps(),
                 1,     0,     layers::blocks_in_range(kernel.blocks(), range.first, range.count)};
  const std::int64_t own_first = stage.module.own_range(unit).first;
  kept.lists.push_back(
      {stage.module.own_weights(index, unit)
           .subspan(static_cast<std::size_t>(range.first - own_first), static_cast<std::size_t>(range.count)),
       &stage.module.parameters().memory()->device()});
  for (const tensor::Tensor* moment : stage.optimizer.moments()) {
    kept.lists.push_back(kept_list(*moment, pieces.updated_offset(unit), range.count));
    ++part.states;
  }
  if (with_older)
    for (const auto& [version, weights] : stage.module.stashed_versions()) {
      kept.lists.push_back(kept_list(*weights, offset + range.first, range.count));
      ++part.older;
    }
  kept.layers.push_back(std::move(part));
}

Kept writer_of(const exec::Worker& worker, const exec::DeviceAssignment& placement, bool with_older) {
  Kept kept;
  for (std::size_t m = 0; m < worker.stages().size(); ++m) {
    const exec::WorkerStage& stage = worker.stages()[m];
    const exec::LocalStage& chunk = placement.chunk_of_module(m);
    for (std::size_t i = 0; i < stage.module.layers(); ++i) {
      const layers::LayerKernel& kernel = *stage.module.kernels()[i];
      const exec::StatePieces& pieces = stage.module.exchange().pieces();
      for (std::size_t unit = pieces.units(i).first; unit < pieces.units(i).last; ++unit)
        if (writes(chunk, pieces.seat(unit), kernel))
          add_unit(kept, stage, i, unit, pieces.layer_offset(i), with_older);
    }
  }
  return kept;
}

Result<void> restore_stage(const Checkpoint& from, exec::WorkerStage& stage, bool with_older) {
  const exec::StatePieces& pieces = stage.module.exchange().pieces();
  for (std::size_t i = 0; i < stage.module.layers(); ++i) {
    const layers::LayerKernel& kernel = *stage.module.kernels()[i];
    const auto stored = stage.module.stored_in(stage.first_layer, i);
    if (stage.module.borrows(i)) continue;  // the first module of the device has them
    const int layer = stored.layer;
    const std::int64_t whole = stored.whole;
    const auto read = [&](int list, tensor::Tensor& to, std::int64_t at, exec::ParameterRange range) {
      Result<std::uint64_t> updates = 0;
      to.memory()->device().upload(slice(to, at, range.count), [&](std::span<float> values) {
        const auto blocks = layers::blocks_in_range(kernel.blocks(), range.first, range.count);
        updates = from.read(layer, list, whole, blocks, values);
        if (updates && !tensor::cpu_device()->all_finite(values))
          updates =
              fail(ErrorCode::bad_input,
                   fmt::format("layer {}: found values that are not finite, expected numbers", layer), {}, from.path());
      });
      return updates;
    };
    for (std::size_t unit = pieces.units(i).first; unit < pieces.units(i).last; ++unit) {
      const exec::ParameterRange own = stage.module.own_range(unit);
      const std::int64_t offset = stage.module.own_offset(i, unit);
      TRY(auto updates, read(0, stage.module.parameters(), offset, own));
      stage.optimizer.set_steps(updates);
      int list = 1;
      for (tensor::Tensor* moment : stage.optimizer.moments())
        TRY_VOID(read(list++, *moment, pieces.updated_offset(unit), pieces.updated(unit)));
      const int older = with_older ? from.older(layer) : 0;
      for (int version = -older; version < 0; ++version)
        TRY_VOID(read(list++, stage.module.older_version(version), offset, own));
    }
  }
  return {};
}

}  // namespace

void set_older_versions(exec::Layout& layout, const Plan& plan, const Checkpoint& from) {
  if (!layout.staleness || from.origin().plan_hash != plan_hash(plan)) return;
  for (const Stage& stage : plan.stages) layout.staleness->older.push_back(from.older(stage.first));
}

Result<void> restore(const Checkpoint& from, const exec::Layout& layout, exec::Worker& worker) {
  const bool older = layout.staleness && !layout.staleness->older.empty();
  for (exec::WorkerStage& stage : worker.stages()) TRY_VOID(restore_stage(from, stage, older));
  return {};
}

RunCheckpoints::RunCheckpoints(const Options& options, Origin origin, const exec::Layout& layout)
    : options_(options),
      layout_(layout),
      origin_(std::move(origin)),
      whole_(whole_rounds(layout)),
      writers_(writers_of(layout)),
      taken_(layout.placements.size()),
      writer_(options.folder, layout.placements.size()) {}

Result<std::unique_ptr<RunCheckpoints>> RunCheckpoints::open(const Options& options, const ModelSpec& model,
                                                             const Plan& plan, std::uint64_t seed,
                                                             const exec::Layout& layout, const Checkpoint* from,
                                                             bool first) {
  std::unique_ptr<RunCheckpoints> made;
  try {
    made.reset(new RunCheckpoints(options, origin_of(model, plan, seed, from), layout));
  } catch (const std::system_error& error) {
    return fail(ErrorCode::run_failed, fmt::format("no thread can be started to write checkpoints: {}", error.what()));
  }
  made->first_ = first;
  if (!first) return made;
  TRY(auto lock, FolderLock::take(options.folder));
  made->lock_ = std::move(lock);
  return made->prepare_folder(from).map([&] { return std::move(made); });
}

/// Removes only unfinished files and steps that the resumed checkpoint replaces. No useful step is removed.
Result<void> RunCheckpoints::prepare_folder(const Checkpoint* from) {
  TRY(const auto steps, steps_in(options_.folder));
  std::error_code ignored;
  const bool own = from != nullptr && fs::equivalent(fs::path(from->path()).parent_path(), options_.folder, ignored);
  for (const StepFolder& step : steps) {
    const bool older = own && step.step <= origin_.step;
    if (older) complete_.push_back(step.step);
    if (older || step.parts.empty()) continue;
    if (!own || inspect(step, true).complete())
      return fail(
          ErrorCode::bad_input,
          fmt::format(
              "found a checkpoint of step {}, expected none {}: resume it with --resume, or choose another folder",
              step.step, own ? fmt::format("behind step {}", origin_.step) : "of another run"),
          {}, options_.folder);
  }
  std::sort(complete_.begin(), complete_.end());
  for (const StepFolder& step : steps) {
    StepFolder gone = step;
    if (own && step.step <= origin_.step) gone.parts.clear();
    TRY_VOID(gone.parts.empty() && gone.unfinished.empty() ? Result<void>() : remove_step(gone));
  }
  return {};
}

/// True if a checkpoint is due after `step`. If not all steps end rounds, it is the first that does after the due one.
bool RunCheckpoints::due(std::uint64_t step, bool last) const {
  const auto every = static_cast<std::uint64_t>(options_.every);
  const auto times = [&](std::uint64_t steps) { return steps / every; };
  return last || (every > 0 && whole(step) && times(step) > times(step - std::min(step, whole_)));
}

void RunCheckpoints::take(const exec::Worker& worker, std::uint64_t step, bool last, transport::RunControl& control) {
  const std::size_t index = worker.index();
  if (worker.diverged() || !due(step, last) || step <= origin_.step || taken_[index] == step) return;
  const exec::DeviceAssignment& placement = layout_.placements[index];
  if (std::ranges::find(writers_, index) == writers_.end()) return;
  Kept kept = writer_of(worker, placement, whole(step));
  const auto began = tensor::RunClock::now();
  std::vector<float>& buffer = writer_.buffer(index, control);
  Part part{origin_, static_cast<int>(index), placement.device, std::move(kept.layers)};
  part.origin.step = step;
  part.origin.samples = origin_.samples + (step - origin_.step) * static_cast<std::uint64_t>(origin_.global_batch);
  buffer.resize(static_cast<std::size_t>(part.floats()));
  std::span<float> to = buffer;
  for (const auto& [values, device] : kept.lists) {
    device->download(to.first(values.size()), values.data());
    to = to.subspan(values.size());
  }
  writer_.write(index, std::move(part), began);
  taken_[index] = step;
}

Result<std::vector<RunCheckpoint>> RunCheckpoints::completed(std::uint64_t step, bool last) {
  if (const auto failure = writer_.failure()) return tl::unexpected(*failure);
  if (first_ && due(step, last) && step > std::max(announced_, origin_.step)) {
    pending_.try_emplace(step);
    announced_ = step;
  }
  return noticed();
}

Result<std::vector<RunCheckpoint>> RunCheckpoints::finish(std::uint64_t step, bool last,
                                                          std::chrono::milliseconds timeout) {
  auto done = completed(step, last);
  if (!done) return done;
  TRY_VOID(writer_.wait(timeout));
  constexpr std::chrono::milliseconds look_up{10};
  const auto began = tensor::RunClock::now();
  while (true) {
    std::ranges::move(noticed(), std::back_inserter(*done));
    if (pending_.empty()) break;
    if (tensor::RunClock::now() - began > timeout)
      return fail(
          ErrorCode::run_failed,
          fmt::format("checkpoint of step {} in {}: the files of other devices have not come for {:.1f} s: all "
                      "processes of a run need one folder in common",
                      pending_.begin()->first, options_.folder, std::chrono::duration<double>(timeout).count()));
    std::this_thread::sleep_for(look_up);
  }
  TRY_VOID(writer_.wait(timeout));
  return done;
}

/// Adds the written parts. A worker may be ahead of the others: its parts wait until all have done the step.
std::vector<RunCheckpoint> RunCheckpoints::noticed() {
  for (const WrittenPart& part : writer_.consume_written()) {
    // Its file was found before its writer reported it: the step is complete already.
    if (!complete_.empty() && part.step <= complete_.back()) continue;
    Pending& pending = pending_[part.step];
    pending.bytes += part.bytes;
    pending.began = std::min(pending.began, part.began);
    pending.ended = std::max(pending.ended, part.ended);
    ++pending.written;
  }
  if (!first_) pending_.clear();
  std::vector<RunCheckpoint> done;
  while (!pending_.empty() && pending_.begin()->first <= announced_) {
    const auto& [step, pending] = *pending_.begin();
    const bool told = pending.written == writers_.size();
    if (!told && !all_there(step)) break;
    const double seconds = std::chrono::duration<double>(pending.ended - pending.began).count();
    done.push_back({static_cast<int>(step), step_folder(options_.folder, step),
                    told ? pending.bytes : bytes_there(step), Seconds(seconds)});
    remove_old(step);
    pending_.erase(pending_.begin());
  }
  return done;
}

bool RunCheckpoints::all_there(std::uint64_t step) const {
  return std::ranges::all_of(writers_, [&](std::size_t worker) {
    std::error_code ignored;
    return fs::exists(part_path(options_.folder, step, worker), ignored);
  });
}

Bytes RunCheckpoints::bytes_there(std::uint64_t step) const {
  Bytes bytes;
  for (const std::size_t worker : writers_) {
    std::error_code error;
    const auto size = fs::file_size(part_path(options_.folder, step, worker), error);
    if (!error) bytes += Bytes(static_cast<std::int64_t>(size));
  }
  return bytes;
}

void RunCheckpoints::remove_old(std::uint64_t step) {
  complete_.push_back(step);
  while (options_.keep > 0 && complete_.size() > static_cast<std::size_t>(options_.keep)) {
    const std::uint64_t old = complete_.front();
    complete_.erase(complete_.begin());
    writer_.later([folder = options_.folder, old]() -> Result<void> {
      const auto steps = steps_in(folder);
      if (!steps) return {};  // nothing to remove
      for (const StepFolder& found : *steps)
        if (found.step == old) return remove_step(found);
      return {};
    });
  }
}

}  // namespace pipedeck::runtime::checkpoint
