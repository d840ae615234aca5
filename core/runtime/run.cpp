// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/run.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck {
namespace {

/// How long workers may take to notice that a run has ended before they are left behind.
constexpr std::chrono::milliseconds grace{500};

void add_worker(Run& run, std::size_t index, const Plan& plan, const SoftmaxCrossEntropy& loss) {
  const Placement& placement = run.layout.placements[index];
  const Stage& stage = plan.stages[placement.stage.index()];
  StageShape shape;
  shape.layers = std::span(run.layers).subspan(static_cast<std::size_t>(stage.first), placement.recompute.size());
  shape.recompute = placement.recompute;
  shape.first = placement.stage == StageId(0);
  if (placement.next.empty()) shape.loss = loss;
  shape.loss_scale = 1.0f / static_cast<float>(plan.global_batch * loss.sequence());

  const auto& memory = run.mailboxes[index].memory();
  StageModule module(std::move(shape), memory);
  OptimizerState optimizer(plan.optimizer, run.model.learning_rate, module.parameters().size(), memory);
  const WorkerContext context{run.layout, *run.source,      *run.control,      run.mailboxes,
                              run.groups, plan.micro_batch, plan.micro_batches};
  run.workers.emplace_back(index, context, std::move(module), std::move(optimizer), memory,
                           run.layers.front()->input_width(), loss.sequence());
  run.workers.back().module().initialise(run.model.seed, stage.first);
}

/// What the thread of worker `index` does with one step; failures end the run.
void guarded_step(Run& run, std::size_t index, std::uint64_t step, RunClock::time_point begin) {
  Worker& worker = run.workers[index];
  const auto failed = [&](const char* what) {
    run.control->fail(
        {ErrorCode::run_failed,
         fmt::format("device {}: {}: {}", run.layout.placements[index].device.value, text_of(worker.current()), what),
         {},
         {}});
  };
  try {
    worker.run_step(step, begin);
  } catch (const Interrupted&) {  // whoever interrupted knows why
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("an unknown exception");
  }
  run.control->now_idle(index);
}

void thread_main(const std::shared_ptr<Run>& run, std::size_t index) {
  use_one_thread();
  std::uint64_t done = 0;
  std::unique_lock lock(run->mutex);
  while (true) {
    run->changed.wait(lock, [&] { return run->closing || run->steps_begun > done; });
    if (run->closing) break;
    const auto begin = run->begin;
    lock.unlock();
    guarded_step(*run, index, done, begin);
    lock.lock();
    ++done;
    --run->busy;
    run->changed.notify_all();
  }
  run->ended[index] = true;
  run->changed.notify_all();
}

}  // namespace

Result<std::shared_ptr<Run>> make_run(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                      const TrainOptions& options, const Kernels& kernels) {
  auto run = std::make_shared<Run>();
  run->model = model;
  auto layers = make_layers(model, kernels);
  if (!layers) return tl::unexpected(layers.error());
  run->layers = std::move(*layers);
  const auto loss = SoftmaxCrossEntropy::of(model, run->layers.back()->output_width());
  if (!loss) return tl::unexpected(loss.error());
  auto source = make_source(model);
  if (!source) return tl::unexpected(source.error());
  run->source = std::move(*source);
  auto layout = lay_out(model, plan, schedule);
  if (!layout) return tl::unexpected(layout.error());
  run->layout = std::move(*layout);

  std::vector<DeviceId> devices;
  for (const Placement& placement : run->layout.placements) devices.push_back(placement.device);
  run->control = std::make_unique<RunControl>(options.timeout, devices);
  run->ended.resize(devices.size());
  for (const auto& replicas : run->layout.replicas) run->groups.emplace_back(static_cast<int>(replicas.size()));
  for (std::size_t i = 0; i < devices.size(); ++i) run->mailboxes.emplace_back(std::make_shared<DeviceMemory>());
  for (std::size_t i = 0; i < devices.size(); ++i) add_worker(*run, i, plan, *loss);
  return run;
}

Crew::Crew(std::shared_ptr<Run> run) : run_(std::move(run)) {
  try {
    for (std::size_t i = 0; i < run_->workers.size(); ++i) threads_.emplace_back(thread_main, run_, i);
  } catch (const std::system_error& error) {
    run_->control->fail({ErrorCode::run_failed,
                         fmt::format("device {}: its thread can't be started: {}",
                                     run_->layout.placements[threads_.size()].device.value, error.what()),
                         {},
                         {}});
  }
}

Seconds Crew::step() {
  std::unique_lock lock(run_->mutex);
  if (run_->control->interrupted()) return {};
  run_->busy = threads_.size();
  run_->begin = RunClock::now();
  ++run_->steps_begun;
  run_->changed.notify_all();
  wait_for_workers(lock);
  return Seconds(std::chrono::duration<double>(RunClock::now() - run_->begin).count());
}

void Crew::wait_for_workers(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds look_up{20};
  const auto all_done = [&] { return run_->busy == 0; };
  while (!run_->changed.wait_for(lock, look_up, all_done)) {
    run_->control->fail_if_stuck();
    if (!run_->control->interrupted()) continue;
    run_->changed.wait_for(lock, grace, all_done);
    return;
  }
}

Crew::~Crew() {
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

}  // namespace pipedeck
