// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/run.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/checkpoint/part.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/transport/threads.hpp"
#include "core/runtime/transport/watched_collective.hpp"

namespace pipedeck::runtime::train {
namespace {

/// Time for workers to notice that a run has ended before their threads are detached.
constexpr std::chrono::milliseconds grace{500};

constexpr const char* no_memory =
    "out of memory: the system has no more; a smaller micro-batch, recomputation or more stages take less";

/// Returns the kernels of a tensor-parallel, context or expert rank; none if a device has whole layers.
layers::ShardedLayers parts_of(Run& run, std::size_t worker, const exec::LocalStage& chunk, const Plan& plan,
                               const layers::KernelRegistry& kernels) {
  if (chunk.tensor_parallel == 1 && chunk.context == 1 && chunk.expert_ranks == 1) return {};
  const Stage& stage = plan.stages[chunk.stage.index()];
  const auto join = [&](int ranks, const std::vector<std::size_t>& members) {
    return ranks == 1 ? nullptr
                      : std::make_shared<transport::MonitoredCollective>(run.transport->join(members, worker),
                                                                         *run.control, worker);
  };
  auto group = join(chunk.tensor_parallel, run.layout.tensor_parallel_group(chunk));
  layers::ContextShard context = layers::context_of(stage, chunk.context_rank, run.parts->loss.sequence());
  context.group = join(chunk.context, run.layout.context_group(chunk));
  if (const auto both = run.layout.context_subgroups(chunk); !both.empty()) {
    context.heads_group = join(context.heads_ranks, both[0]);
    context.ring_group = join(context.degree / context.heads_ranks, both[1]);
  }
  layers::ExpertShard experts = layers::experts_of(stage, chunk.rank % chunk.expert_ranks);
  experts.group = join(chunk.expert_ranks, run.layout.expert_group(chunk));
  const layers::RankPlaces places{nullptr, chunk.context > 1 ? &context : nullptr,
                                  chunk.expert_ranks > 1 ? &experts : nullptr};
  const ModelSpec model = layers::context_model(run.model, chunk.context);
  if (chunk.tensor_parallel == 1)
    return {layers::make_rank_layers(model, stage.first, stage.last, kernels, places).value(), {}};
  return layers::make_sharded_layers(model, stage.first, stage.last, kernels,
                                     layers::shard_of(stage, chunk.tensor_rank), std::move(group),
                                     layers::uniform_shard_range(plan, chunk.stage.index()), places)
      .value();
}

exec::StageShape shape_of(const Run& run, const exec::LocalStage& chunk, const Plan& plan,
                          const layers::ShardedLayers& parts, const layers::Backend& backend) {
  const Stage& stage = plan.stages[chunk.stage.index()];
  const std::int64_t sequence = run.parts->loss.sequence();
  layers::SoftmaxCrossEntropy loss = run.parts->loss.of_positions(sequence / chunk.context);
  if (parts.loss) loss = loss.over(*parts.loss);
  exec::StageShape shape;
  shape.layers =
      std::span(run.parts->layers)
          .subspan(static_cast<std::size_t>(stage.first), static_cast<std::size_t>(stage.last - stage.first));
  if (!parts.layers.empty()) shape.layers = parts.layers;
  shape.recompute = chunk.recompute;
  shape.by_block = chunk.by_block;
  shape.discarded = chunk.discarded;
  shape.first = chunk.stage == StageId(0);
  if (chunk.stage.index() + 1 == plan.stages.size()) shape.loss = backend.loss(loss);
  if (chunk.has_head) shape.table = run.parts->layers.front().get();
  shape.borrows = chunk.borrows;
  // The mean over all samples of an update: of a mini-batch if stages update after different numbers of them.
  const int micro_batches = run.layout.synchronous() ? plan.micro_batches : 1;
  shape.loss_scale = 1.0f / static_cast<float>(std::int64_t{micro_batches} * plan.micro_batch * sequence);
  return shape;
}

bool offloads_activations(const layers::Backend& backend, const Plan& plan) {
  return backend.offloads && plan.choices && plan.choices->training.offloaded_blocks > 0;
}

/// Passes of sharded layers, gradients and weights wait for other devices in between, so they are not captured. Nor are
/// those whose tensors leave for the host.
bool recorded(const layers::Backend& backend, const exec::LocalStage& chunk, const Plan& plan) {
  return !backend.recorded.empty() && !offloads_activations(backend, plan) && chunk.tensor_parallel == 1 &&
         chunk.context == 1 && chunk.expert_ranks == 1 && chunk.states.dense.sharding.level < 2;
}

std::string captured_text(const layers::Backend& backend, const exec::Layout& layout, const Plan& plan) {
  if (backend.recorded.empty()) return {};
  std::ptrdiff_t count = 0, chunks = 0;
  for (const exec::DeviceAssignment& placement : layout.placements) {
    chunks += std::ssize(placement.chunks);
    count += std::ranges::count_if(placement.chunks, [&](const auto& chunk) { return recorded(backend, chunk, plan); });
  }
  if (offloads_activations(backend, plan)) return fmt::format("no {}, for activations are offloaded", backend.recorded);
  if (count == 0) return fmt::format("no {}, for all layers are cut over devices", backend.recorded);
  const bool all = count == chunks;
  return all ? backend.recorded : fmt::format("{} but of layers that are cut over devices", backend.recorded);
}

/// Returns where the optimizer is, with the pinned bytes of the host that the workers of this process hold.
std::string offload_text(const Run& run, const Plan& plan, const layers::Backend& backend) {
  const tensor::StatePlace place = exec::state_place(plan, backend.offloads);
  if (place == tensor::StatePlace::device || plan.optimizer == Optimizer::none) return {};
  Bytes pinned;
  for (const exec::Worker& worker : run.workers)
    for (const exec::WorkerStage& stage : worker.stages()) pinned += stage.optimizer.on_host();
  return fmt::format(", {} on the host ({:.4g} MB pinned)",
                     place == tensor::StatePlace::host ? "optimizer" : "optimizer states",
                     static_cast<double>(pinned.count) / 1e6);
}

/// Joins the groups of a stage's states, in one order on all workers (exec::worker_links).
exec::StateGroups join_states(Run& run, std::size_t worker, const exec::StateMembers& of) {
  const auto join = [&](const std::vector<std::size_t>& members) -> std::shared_ptr<transport::Collective> {
    if (members.size() < 2) return nullptr;
    return run.transport->join(members, worker);
  };
  exec::StateGroups groups;
  groups.ranks = join(of.ranks);
  groups.copies = join(of.copies);
  groups.gathers = join(of.gathers);
  return groups;
}

/// Returns a thread for collectives during the passes, or null.
std::unique_ptr<exec::CollectiveThread> thread_if(bool wanted, Run& run, tensor::ComputeDevice& device) {
  return wanted ? std::make_unique<exec::CollectiveThread>(*run.control, device) : nullptr;
}

exec::ShardedStates sharded_states(Run& run, std::size_t worker, const exec::StateSeat& seat, const Plan& plan,
                                   Overlap overlap, const std::shared_ptr<const exec::StateExchange>& exchange,
                                   const std::shared_ptr<tensor::DeviceMemory>& memory) {
  exec::ShardedStates sharded;
  const exec::WaitingWorker waiting{*run.control, worker};
  const bool ahead = plan.choices && plan.choices->training.hidden.weights;
  if (seat.shards_gradients())
    sharded.gradients = std::make_shared<exec::ScatteredGradients>(
        exchange, memory, waiting, thread_if(overlap != Overlap::none, run, memory->device()));
  if (seat.shards_weights())
    sharded.weights =
        std::make_shared<exec::GatheredWeights>(exchange, memory, waiting, thread_if(ahead, run, memory->device()));
  return sharded;
}

/// Returns the weights of a stage that are not trained, with groups of their own; null if there are none.
std::shared_ptr<exec::FrozenParameters> frozen_weights(Run& run, std::size_t worker, const exec::LocalStage& chunk,
                                                       const Plan& plan, const exec::StageShape& shape,
                                                       const std::shared_ptr<tensor::DeviceMemory>& memory) {
  std::vector<exec::LayerStates> states;
  std::int64_t all = 0;
  for (const auto& layer : shape.layers)
    states.push_back({layer->frozen_parameters(), layer->frozen_expert_parameters()});
  if (shape.borrows) states.back() = {};
  for (const exec::LayerStates& layer : states) all += layer.parameters;
  if (all == 0) return nullptr;
  exec::StateGroups dense, experts;
  if (exec::gathers_frozen_weights(run.layout, chunk)) {
    dense = join_states(run, worker, dense_members(run.layout, chunk));
    experts = join_states(run, worker, expert_members(run.layout, chunk));
  }
  auto exchange = std::make_shared<const exec::StateExchange>(
      exec::StatePieces(states, chunk.states, memory->device().parameter_alignment()), chunk.states.dense,
      std::move(dense), std::move(experts));
  std::shared_ptr<exec::GatheredWeights> gathered =
      sharded_states(run, worker, chunk.states.dense, plan, Overlap::none, exchange, memory).weights;
  return std::make_shared<exec::FrozenParameters>(shape.layers, shape.table, std::move(exchange), std::move(gathered),
                                                  memory);
}

/// Overlaps the reduction of whole gradients with the passes. An asynchronous round is reduced at once, before its
/// device continues: its staleness assumes this.
void add_reducer(exec::WorkerStage& stage, Run& run, const TrainOptions& options, tensor::ComputeDevice& device) {
  const bool whole = !stage.module.exchange().alone() && !stage.module.sharded().gradients;
  if (!whole || options.overlap == Overlap::none || !run.layout.synchronous()) return;
  std::vector<Bytes> bytes;
  for (std::size_t layer = 0; layer < stage.module.layers(); ++layer)
    bytes.emplace_back(static_cast<std::int64_t>(stage.module.gradients_of(layer, layer + 1).size_bytes()));
  stage.buckets = exec::gradient_buckets(bytes, options.overlap, options.bucket);
  stage.reducer = thread_if(true, run, device);
}

void add_worker(Run& run, std::size_t index, const Plan& plan, const TrainOptions& options,
                const layers::Backend& backend, const std::shared_ptr<tensor::DeviceMemory>& memory,
                std::uint64_t first_sample) {
  const exec::DeviceAssignment& placement = run.layout.placements[index];
  std::deque<exec::WorkerStage> stages;
  const auto of_passes = std::make_shared<tensor::DeviceMemory>(memory);
  for (std::size_t m = 0; m < placement.modules(); ++m) {
    const exec::LocalStage& chunk = placement.chunk_of_module(m);
    layers::ShardedLayers parts = parts_of(run, index, chunk, plan, backend.kernels);
    exec::StageShape shape = shape_of(run, chunk, plan, parts, backend);
    std::vector<exec::LayerStates> states;
    for (const auto& layer : shape.layers)
      states.push_back(
          {layer->parameters(), layer->expert_parameters(), chunk.states.table ? layer->table_parameters() : 0});
    if (shape.borrows) states.back() = {};
    exec::StateGroups dense = join_states(run, index, dense_members(run.layout, chunk));
    exec::StateGroups experts = join_states(run, index, expert_members(run.layout, chunk));
    exec::StateGroups table = join_states(run, index, table_members(run.layout, chunk));
    auto exchange = std::make_shared<const exec::StateExchange>(
        exec::StatePieces(states, chunk.states, memory->device().parameter_alignment()), chunk.states.dense,
        std::move(dense), std::move(experts), std::move(table));
    auto sharded = sharded_states(run, index, chunk.states.dense, plan, options.overlap, exchange, memory);
    auto frozen = frozen_weights(run, index, chunk, plan, shape, memory);
    exec::StageModule module(std::move(shape), exchange, std::move(sharded), memory, std::move(frozen));
    const int first_layer = plan.stages[chunk.stage.index()].first;
    if (options.weights)
      module.load(*options.weights, run.model.seed, first_layer);
    else
      module.initialise(run.model.seed, first_layer);
    if (recorded(backend, chunk, plan)) module.record_passes(of_passes);
    if (auto layers = exec::offloaded_layers(run.model, plan, chunk.stage.index(), backend.offloads); !layers.empty())
      module.offload(std::make_unique<exec::OffloadedTensors>(
          std::move(layers), std::make_shared<tensor::DeviceMemory>(tensor::pinned_host(memory->device_shared()))));
    tensor::OptimizerState optimizer(plan.optimizer, run.model.learning_rate, exchange->pieces().updated_size(), memory,
                                     exec::state_place(plan, backend.offloads));
    stages.push_back({std::move(module), std::move(optimizer), std::move(parts.layers), {}, nullptr, first_layer});
    if (chunk.borrows) stages.back().module.borrow_table(stages.front().module);
    add_reducer(stages.back(), run, options, memory->device());
  }
  const exec::WorkerContext context{run.layout,     *run.parts,       *run.control,
                                    *run.admission, plan.micro_batch, first_sample};
  run.workers.emplace_back(index, context, std::move(stages), run.transport->endpoint(index), memory);
}

/// Creates a worker with its initial weights.
Result<void> make_worker(Run& run, std::size_t index, const Plan& plan, const TrainOptions& options,
                         const layers::Backend& backend, const std::shared_ptr<tensor::DeviceMemory>& memory) {
  const checkpoint::Checkpoint* from = options.resume.get();
  const auto failed = [&](const char* what) {
    return fail(ErrorCode::run_failed,
                fmt::format("device {}: its parameters: {}", run.layout.placements[index].device.value, what));
  };
  try {
    add_worker(run, index, plan, options, backend, memory, from == nullptr ? 0 : from->origin().samples);
    return from == nullptr ? Result<void>() : checkpoint::restore(*from, run.layout, run.workers.back());
  } catch (const std::bad_alloc&) {
    return failed(no_memory);
  } catch (const std::runtime_error& error) {  // OutOfMemory, or the device fails
    return failed(error.what());
  }
}

/// Enables spinning if every working thread has its own core.
void enable_spin_wait(Run& run) {
  std::size_t threads = run.workers.size();
  for (const exec::Worker& worker : run.workers)
    for (const exec::WorkerStage& stage : worker.stages()) {
      const auto& [gradients, weights] = stage.module.sharded();
      threads += (stage.reducer ? 1 : 0) + (gradients && gradients->has_thread() ? 1 : 0) +
                 (weights && weights->has_thread() ? 1 : 0) +
                 (stage.module.frozen() && stage.module.frozen()->has_thread() ? 1 : 0);
    }
  const bool apart = std::set(run.cores.begin(), run.cores.end()).size() == run.cores.size();
  if (apart && run.workers.size() == run.layout.placements.size()) run.control->enable_spin_wait(threads);
}

/// Creates the run's transport and every worker's memory. If the backend joins the devices itself, workers of other
/// processes get host memory.
std::vector<std::shared_ptr<tensor::DeviceMemory>> join_devices(Run& run, const layers::Backend& backend,
                                                                const RunEnvironment& site) {
  const std::size_t workers = run.layout.placements.size();
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories(workers);
  if (!backend.join) {
    for (std::size_t i = 0; i < workers; ++i) memories[i] = std::make_shared<tensor::DeviceMemory>(backend.device(i));
    run.transport = site.transport(memories, *run.control);
    return memories;
  }
  for (auto& memory : memories) memory = std::make_shared<tensor::DeviceMemory>();
  auto hosts = site.transport(memories, *run.control);
  for (std::size_t i = 0; i < workers; ++i)
    if (hosts->is_local(i)) memories[i] = std::make_shared<tensor::DeviceMemory>(backend.device(i));
  run.transport = backend.join(std::move(hosts), memories, exec::worker_links(run.layout), *run.control);
  return memories;
}

/// Lists the GPUs of this process for the driver's library.
void name_gpus(Run& run, const layers::Backend& backend) {
  if (!backend.gpu) return;
  for (std::size_t i = 0; i < run.layout.placements.size(); ++i) {
    if (!run.transport->is_local(i)) continue;
    run.gpus.push_back(backend.gpu(i));
    run.gpus.back().device = run.layout.placements[i].device.value;
  }
}

/// Stores a worker's report and notifies the waiting thread.
void read_report(Run& run, std::size_t place, exec::StepReport report) {
  const std::lock_guard lock(run.mutex);
  run.reports[place].push_back(std::move(report));
  run.changed.notify_all();
}

/// Returns the number of mini-batches in the smallest number of whole steps that ends whole rounds of all replicas.
int mini_batches_of_whole_rounds(const exec::Layout& layout) {
  int whole = layout.micro_batches;
  for (std::size_t stage = 0; layout.staleness && stage < layout.staleness->replicas.size(); ++stage)
    whole = std::lcm(whole, layout.staleness->round_size(stage));
  return whole;
}

/// Runs one step on a worker's thread, or all steps of an asynchronous run. Failures end the run.
void guarded_work(Run& run, std::size_t place, std::uint64_t step, tensor::RunClock::time_point begin) {
  exec::Worker& worker = run.workers[place];
  const auto failed = [&](const char* what) {
    run.control->fail({ErrorCode::run_failed,
                       fmt::format("device {}: {}: {}", run.layout.placements[worker.index()].device.value,
                                   transport::text_of(worker.current()), what),
                       {},
                       {}});
  };
  std::uint64_t at = static_cast<std::uint64_t>(run.from_step) + step;
  const auto done = [&](exec::StepReport report) {
    ++at;
    if (!report.divergence.empty() && run.on_divergence == OnDivergence::stop) {
      run.control->fail({ErrorCode::run_failed,
                         fmt::format("step {}, device {}: training diverged: {}", at,
                                     run.layout.placements[worker.index()].device.value, report.divergence),
                         {},
                         {}});
      throw transport::Interrupted{};
    }
    if (run.checkpoints)
      run.checkpoints->take(worker, at, at == static_cast<std::uint64_t>(run.last_step), *run.control);
    read_report(run, place, std::move(report));
  };
  try {
    if (step == 0) {
      run.control->set_activity(worker.index(), {worker.current(), transport::WaitReason::connection, false, {}});
      run.transport->connect(worker.index());
    }
    if (run.layout.synchronous())
      done(worker.run_step(step, begin));
    else
      worker.run_all(begin, done);
  } catch (const transport::Interrupted&) {  // the interrupting thread has stored the reason
  } catch (const std::bad_alloc&) {
    failed(no_memory);
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("an unknown exception");
  }
  run.control->set_idle(worker.index());
}

void pin_to_core(Run& run, std::size_t worker) {
  if (run.cores.empty() || machine::pin_this_thread(run.cores[worker])) return;
  run.control->fail({ErrorCode::run_failed,
                     fmt::format("device {}: processor core {} is not to be had",
                                 run.layout.placements[worker].device.value, run.cores[worker]),
                     {},
                     {}});
}

void thread_main(const std::shared_ptr<Run>& run, std::size_t place) {
  cpu::use_one_thread();
  pin_to_core(*run, run->workers[place].index());
  std::uint64_t done = 0;
  std::unique_lock lock(run->mutex);
  while (true) {
    const auto called = [&] { return run->closing || run->steps_begun > done; };
    // Between two steps the counting thread briefly needs a core. A spinning worker that yields hands over its core at
    // once, without moving a thread to another core.
    lock.unlock();
    run->control->spin_until_yielding(called);
    lock.lock();
    run->changed.wait(lock, called);
    if (run->closing) break;
    const auto begin = run->begin;
    lock.unlock();
    guarded_work(*run, place, done, begin);
    lock.lock();
    ++done;
    --run->busy;
    run->changed.notify_all();
  }
  run->ended[place] = true;
  run->changed.notify_all();
}

/// Returns the seed of the initial weights, or the hash of those of a file.
std::uint64_t seed_of(const ModelSpec& model, const Weights* weights) {
  if (!weights) return model.seed;
  std::uint64_t hash = checkpoint::hash_of({});
  for (const std::vector<float>& layer : *weights)
    hash = checkpoint::hash_of({reinterpret_cast<const char*>(layer.data()), layer.size() * sizeof(float)}, hash);
  return hash;
}

}  // namespace

RunEnvironment single_process() {
  return {[](const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, transport::RunControl& control) {
            return std::make_unique<transport::ThreadTransport>(memories, control);
          },
          std::make_shared<transport::ProcessGroup>()};
}

Result<std::shared_ptr<Run>> make_run(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                      const TrainOptions& options, const layers::Backend& backend,
                                      const RunEnvironment& site) {
  auto run = std::make_shared<Run>();
  run->backend = backend.name;
  run->warning = backend.warning;
  for (const std::string& remark :
       exec::remarks_on(plan, backend.precision, !backend.kernels.tokens.empty(), backend.offloads))
    run->warning += (run->warning.empty() ? "" : "; ") + remark;
  run->computed_by = backend.name;
  run->model = exec::with_capacity(exec::with_adapters(model, plan, options.adapter_alpha), plan);
  TRY_VOID(exec::check_adapters(run->model, backend.kernels));
  TRY_VOID(exec::check_tied_ends(run->model, plan));
  const std::uint64_t seed = seed_of(run->model, options.weights.get());
  if (options.resume && layers::has_adapters(run->model)) TRY_VOID(options.resume->check_frozen_weights(seed));
  TRY(auto parts, exec::make_parts(run->model, backend.kernels));
  run->parts = std::move(parts);
  run->from_step = options.resume ? static_cast<int>(options.resume->origin().step) : 0;
  run->last_step = options.steps;
  run->on_divergence = options.on_divergence;
  TRY(auto layout, exec::lay_out(run->model, plan, schedule, options.steps - run->from_step, options.ends_apart));
  run->layout = std::move(layout);
  for (const std::string& more : {backend.transport, captured_text(backend, run->layout, plan)})
    if (!more.empty()) run->computed_by += ", " + more;
  TRY_VOID(layers::check_shards(run->model, plan, backend.kernels));
  try {
    cpu::write_product_kernels();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::run_failed, fmt::format("device {}: {}", devices_used(plan).front().value, no_memory));
  }
  if (options.resume) checkpoint::set_older_versions(run->layout, plan, *options.resume);

  std::vector<DeviceId> devices;
  for (const exec::DeviceAssignment& placement : run->layout.placements) devices.push_back(placement.device);
  run->processes = site.processes;
  run->cores = options.cores;
  run->control = std::make_unique<transport::RunControl>(options.timeout, devices);
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories;
  try {
    memories = join_devices(*run, backend, site);
    name_gpus(*run, backend);
  } catch (const std::runtime_error& error) {  // no driver, no memory, or a lost device
    return fail(ErrorCode::run_failed, error.what());
  }
  run->admission =
      std::make_unique<transport::Admission>(*run->control, run->layout.all_micro_batches, run->layout.micro_batches,
                                             mini_batches_of_whole_rounds(run->layout));
  if (!run->layout.synchronous()) run->control->join(*run->admission);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!run->transport->is_local(i)) continue;
    memories[i]->set_limit(options.memory_limit);
    TRY_VOID(make_worker(*run, i, plan, options, backend, memories[i]));
  }
  run->computed_by += offload_text(*run, plan, backend);
  enable_spin_wait(*run);
  if (options.checkpoint) {
    TRY(auto checkpoints, checkpoint::RunCheckpoints::open(*options.checkpoint, run->model, plan, seed, run->layout,
                                                           options.resume.get(), run->processes->is_rank_zero()));
    run->checkpoints = std::move(checkpoints);
  }
  run->ended.resize(run->workers.size());
  run->reports.resize(run->workers.size());
  return run;
}

WorkerThreads::WorkerThreads(std::shared_ptr<Run> run) : run_(std::move(run)) {
  try {
    for (std::size_t i = 0; i < run_->workers.size(); ++i) threads_.emplace_back(thread_main, run_, i);
  } catch (const std::exception& error) {  // threads that exist are joined when the run ends
    const std::size_t worker = run_->workers[threads_.size()].index();
    run_->control->fail({ErrorCode::run_failed,
                         fmt::format("device {}: its thread can't be started: {}",
                                     run_->layout.placements[worker].device.value, error.what()),
                         {},
                         {}});
  }
}

std::optional<StepResult> WorkerThreads::step() {
  std::unique_lock lock(run_->mutex);
  if (run_->control->interrupted()) return std::nullopt;
  if (run_->layout.synchronous() || run_->steps_begun == 0) open_gate();
  if (!wait_for_reports(lock)) return std::nullopt;
  StepResult step;
  for (auto& reports : run_->reports) {
    step.reports.push_back(std::move(reports.front()));
    reports.pop_front();
  }
  const auto now = tensor::RunClock::now();
  step.duration = Seconds(std::chrono::duration<double>(now - last_end_).count());
  last_end_ = now;
  return step;
}

void WorkerThreads::open_gate() {
  run_->busy = threads_.size();
  run_->begin = last_end_ = tensor::RunClock::now();
  ++run_->steps_begun;
  run_->changed.notify_all();
}

/// Waits for the reports of a step. Returns false if there will be none: the run failed or was stopped.
bool WorkerThreads::wait_for_reports(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds look_up{20};
  const auto all_told = [&] {
    return std::none_of(run_->reports.begin(), run_->reports.end(), [](const auto& r) { return r.empty(); });
  };
  const auto over = [&] { return run_->busy == 0; };
  const bool synchronous = run_->layout.synchronous();
  while (!run_->changed.wait_for(lock, look_up, [&] { return over() || (!synchronous && all_told()); })) {
    // A worker that waits for the end of a pause is not active.
    if (synchronous || run_->control->any_running()) run_->control->check_progress_timeout();
    if (!run_->control->interrupted()) continue;
    run_->changed.wait_for(lock, grace, over);
    return false;
  }
  return all_told() && !run_->control->interrupted();
}

WorkerThreads::~WorkerThreads() {
  std::unique_lock lock(run_->mutex);
  run_->closing = true;
  run_->changed.notify_all();
  const auto ended = [&] {
    return std::count(run_->ended.begin(), run_->ended.end(), true) == static_cast<std::ptrdiff_t>(threads_.size());
  };
  run_->changed.wait_for(lock, grace, ended);
  const std::vector<bool> can_join = run_->ended;
  lock.unlock();
  for (std::size_t i = 0; i < threads_.size(); ++i) can_join[i] ? threads_[i].join() : threads_[i].detach();
}

}  // namespace pipedeck::runtime::train
