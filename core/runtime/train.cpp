// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/plan_features.hpp"
#include "core/runtime/layers/shard.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/train/measured.hpp"
#include "core/runtime/train/run.hpp"
#include "core/runtime/train/run_gpus.hpp"
#include "core/runtime/train/sample_aggregator.hpp"
#include "core/runtime/train/step_times.hpp"

namespace pipedeck::runtime {
namespace {

/// Asks for a pause of an asynchronous run: its devices learn the step after which they wait. In a synchronous run the
/// first process waits between two steps.
class PauseListener {
 public:
  PauseListener(std::shared_ptr<machine::PauseGate> gate, const train::Run& run) : gate_(std::move(gate)) {
    if (gate_ && !run.layout.synchronous() && run.processes->is_rank_zero())
      gate_->listen([&admission = *run.admission] { admission.pause(); });
  }
  ~PauseListener() {
    if (gate_) gate_->listen(nullptr);
  }
  PauseListener(const PauseListener&) = delete;
  PauseListener& operator=(const PauseListener&) = delete;

 private:
  std::shared_ptr<machine::PauseGate> gate_;
};

class Training {
 public:
  Training(const Plan& plan, const train::TrainOptions& options, const train::EventSink& sink,
           std::shared_ptr<train::Run> run)
      : plan_(plan), options_(options), sink_(sink), run_(std::move(run)) {}

  Result<train::TrainedParameters> train(std::stop_token stop) {
    if (!open_gpus()) return tl::unexpected(run_->control->failure().value());
    announce();
    {
      train::WorkerThreads crew(run_);
      const std::stop_callback at_once(stop, [run = run_] { run->control->request_stop(); });
      const PauseListener listener(options_.pause, *run_);
      sampler_ = make_sampler();
      go_through(crew, stop);
      sampler_.reset();
    }
    gpus_->end_steps();
    if (const auto failure = run_->control->failure()) {
      constexpr std::chrono::milliseconds grace{5000};
      if (run_->checkpoints) run_->checkpoints->wait_for_writes(std::min(grace, options_.timeout));
      return tl::unexpected(*failure);
    }
    try {
      TRY_VOID(keep_last_step());
      report_samples(true);
      train::TrainedParameters trained = parameters();
      finish();
      return trained;
    } catch (const transport::Interrupted&) {  // caused by another process
      return tl::unexpected(run_->control->failure().value());
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::run_failed, "after the last step: out of memory: the system has no more");
    } catch (const std::exception& error) {  // a device that has failed since
      return fail(ErrorCode::run_failed, fmt::format("after the last step: {}", error.what()));
    }
  }

 private:
  /// Returns false if another process was lost meanwhile.
  bool open_gpus() {
    try {
      gpus_.emplace(run_->gpus, *run_->processes);
      return true;
    } catch (const transport::Interrupted&) {
      return false;
    }
  }

  void announce() {
    const auto devices = static_cast<int>(run_->layout.placements.size());
    emit(RunStarted{plan_.name, run_->model.name, run_->computed_by, options_.steps, devices, run_->from_step,
                    gpus_->all()});
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    const int machines = run_->processes->machines();
    if (!run_->warning.empty()) emit(RunWarning{run_->warning});
    if (run_->backend == "cpu" && cores > 0 && devices > cores * machines)
      emit(RunWarning{fmt::format("{} devices share {}: the results are the plan's, the times are not", devices,
                                  counted(cores * machines, "CPU core"))});
    warn_of_gpus();
  }

  void warn_of_gpus() {
    for (const RunWarning& warning : gpus_->warnings()) emit(warning);
  }

  /// Before processes report that they were stopped, they check for lost ones: mpirun also stops them if one is lost.
  void go_through(train::WorkerThreads& crew, const std::stop_token& stop) {
    try {
      run_steps(crew, stop);
    } catch (const transport::Interrupted&) {  // the interrupting thread has stored the reason
    }
    if (!stopped_ || run_->control->failure()) return;
    if (auto lost = run_->processes->agree_on_error(std::nullopt)) run_->control->fail(*std::move(lost));
  }

  std::unique_ptr<exec::Sampler> make_sampler() {
    if (options_.sample_every.count() == 0) return nullptr;
    std::vector<exec::SampledDevice> devices;
    for (const exec::Worker& worker : run_->workers) devices.push_back(worker.sampled());
    const auto sink = [this](const RunEvent& event) {
      all_here() ? emit(event) : samples_.add(std::get<RunSample>(event));
    };
    return std::make_unique<exec::Sampler>(options_.sample_every, std::move(devices), sink,
                                           [this] { return gpus_->latest(); });
  }

  bool all_here() const { return run_->workers.size() == run_->layout.placements.size(); }

  /// Merges the samples of several processes; every process calls it.
  void report_samples(bool last) {
    if (options_.sample_every.count() == 0 || all_here()) return;
    const auto told = run_->processes->gather(samples_.told());
    if (!run_->processes->is_rank_zero()) return;
    for (const RunSample& sample : samples_.together(told, last)) {
      gpus_->take(sample);
      emit(sample);
    }
  }

  /// Waits during a pause. Other processes wait for the first one before each step.
  void wait_while_paused(int steps_done, const std::stop_token& stop) const {
    if (!options_.pause || !options_.pause->paused()) return;
    emit(RunPaused{steps_done});
    options_.pause->wait(stop);
    emit(RunResumed{steps_done});
  }

  /// Waits during a pause of an asynchronous run, if it begins after this step: all devices wait by now.
  void pause_asynchronous(train::WorkerThreads& crew, int step, const std::stop_token& stop) const {
    if (!run_->processes->is_rank_zero() ||
        !run_->admission->pauses_after(steps_done_here() * run_->layout.micro_batches))
      return;
    wait_while_paused(step, stop);
    crew.reset_step_timer();
    run_->admission->resume();
  }
  int steps_done_here() const { return durations_.count(); }

  /// Runs the steps. A stopped asynchronous run continues to the end of the steps that it has begun.
  void run_steps(train::WorkerThreads& crew, const std::stop_token& stop) {
    for (int step = run_->from_step + 1; step <= options_.steps; ++step) {
      const bool begins = step == run_->from_step + 1 || run_->layout.synchronous();
      if (begins) wait_while_paused(step - 1, stop);
      if (begins) run_->control->begin_step();
      stopped_ = begins && run_->processes->any_of(stop.stop_requested());
      if (stopped_) return;
      const std::optional<train::StepResult> done = crew.step();
      stopped_ = !done;
      if (stopped_) return;
      if (step == options_.steps) sampler_.reset();  // the reports and the disk do not belong to it
      durations_.add(done->duration);
      report(step, *done);
      report_samples(false);
      warn_of_gpus();
      if (!report_checkpoints(step)) return;
      pause_asynchronous(crew, step, stop);
    }
  }

  int steps_done() const { return run_->from_step + durations_.count(); }

  /// Returns false if a checkpoint cannot be written, which fails the run.
  bool report_checkpoints(int step) {
    if (!run_->checkpoints) return true;
    const bool last = step == options_.steps && !diverged_;
    const auto written =
        run_->checkpoints->completed(static_cast<std::uint64_t>(diverged_ ? last_finite_step_ : step), last);
    if (!written) run_->control->fail(written.error());
    if (written)
      for (const RunCheckpoint& checkpoint : *written) emit(checkpoint);
    return written.has_value();
  }

  /// Saves the last step, also of a stopped run: no result is lost.
  Result<void> keep_last_step() {
    if (!run_->checkpoints || durations_.count() == 0) return {};
    const auto step = static_cast<std::uint64_t>(steps_done());
    run_->control->begin_step();  // waiting for the disk does not belong to the stopped step
    for (const exec::Worker& worker : run_->workers) run_->checkpoints->take(worker, step, !diverged_, *run_->control);
    TRY(const auto written, run_->checkpoints->finish(diverged_ ? static_cast<std::uint64_t>(last_finite_step_) : step,
                                                      !diverged_, options_.timeout));
    for (const RunCheckpoint& checkpoint : written) emit(checkpoint);
    return {};
  }

  void report(int step, const train::StepResult& crew_step) {
    const std::vector<exec::StepReport> reports = reports_of_all(crew_step.reports);
    if (!run_->processes->is_rank_zero()) return;
    for (std::size_t i = 0; i < reports.size(); ++i)
      if (!reports[i].warning.empty())
        emit(RunWarning{fmt::format("device {}: {}", run_->layout.placements[i].device.value, reports[i].warning)});
    note_divergence(step, reports);
    StepDone done;
    done.step = step;
    done.loss = loss_ = mean_loss(reports);
    done.duration = crew_step.duration;
    done.samples_per_second = plan_.global_batch / crew_step.duration.count;
    for (const exec::StepReport& worker : reports) {
      // Asynchronous devices end their steps at different times, each with its own duration.
      const Seconds time = run_->layout.synchronous() ? crew_step.duration : to_seconds(worker.span);
      done.busy_fraction.push_back(to_seconds(worker.busy).count / time.count);
      done.memory.push_back(worker.peak);
    }
    emit(done);
    const bool asked = options_.timeline_every > 0 && step % options_.timeline_every == 0;
    if (asked || step == options_.steps) emit(MeasuredTimeline{step, train::measured_timeline(run_->layout, reports)});
  }

  /// Warns once, of the first device.
  void note_divergence(int step, const std::vector<exec::StepReport>& reports) {
    const auto first = std::ranges::find_if(reports, [](const auto& report) { return !report.divergence.empty(); });
    if (first != reports.end() && !diverged_)
      emit(RunWarning{
          fmt::format("step {}, device {}: training diverged: {}{}", step,
                      run_->layout.placements[static_cast<std::size_t>(first - reports.begin())].device.value,
                      first->divergence, run_->checkpoints ? "; no checkpoint is kept from here on" : "")});
    diverged_ = diverged_ || first != reports.end();
    if (!diverged_) last_finite_step_ = step;
  }

  /// Returns the mean over the global batch and its positions, added in one fixed order.
  double mean_loss(const std::vector<exec::StepReport>& reports) const {
    std::vector<exec::MicroBatchLoss> losses;
    for (const exec::StepReport& worker : reports)
      losses.insert(losses.end(), worker.losses.begin(), worker.losses.end());
    std::ranges::stable_sort(losses, {}, &exec::MicroBatchLoss::micro_batch);
    double sum = 0;
    for (const exec::MicroBatchLoss& loss : losses) sum += loss.loss;
    if (std::isnan(sum)) return std::numeric_limits<double>::quiet_NaN();  // without a sign, which means nothing
    return sum / static_cast<double>(plan_.global_batch * run_->parts->loss.sequence());
  }

  void finish() {
    RunFinished finished;
    finished.steps = steps_done();
    finished.loss = loss_;
    finished.duration = durations_.sum();
    finished.stopped = stopped_;
    finished.median_step = durations_.median();
    gpus_->finish(finished);
    warn_of_gpus();
    emit(finished);
  }

  /// Returns the reports in worker order; those of other processes only on the first one.
  std::vector<exec::StepReport> reports_of_all(const std::vector<exec::StepReport>& here) const {
    if (all_here()) return here;
    std::vector<std::pair<std::size_t, exec::StepReport>> all;
    const tensor::RunClock::duration begin = run_->begin.time_since_epoch() + run_->processes->clock_offset();
    const auto processes = run_->processes->gather(exec::bytes_of(begin, worker_numbers(), here));
    for (const std::string& process : processes) exec::read_reports(process, begin, all);
    std::ranges::sort(all, {}, [](const auto& entry) { return entry.first; });
    std::vector<exec::StepReport> reports;
    for (auto& [worker, report] : all) reports.push_back(std::move(report));
    return reports;
  }

  std::vector<std::size_t> worker_numbers() const {
    std::vector<std::size_t> numbers;
    for (const exec::Worker& worker : run_->workers) numbers.push_back(worker.index());
    return numbers;
  }

  /// Returns each stage's parameters, from the first devices that have them.
  train::TrainedParameters parameters() const {
    std::vector<exec::LayerParameters> trained, frozen;
    for (const exec::Worker& worker : run_->workers)
      for (std::size_t m = 0; m < worker.stages().size(); ++m) {
        const exec::LocalStage& chunk = run_->layout.placements[worker.index()].chunk_of_module(m);
        const exec::StageModule& module = worker.stages()[m].module;
        const int first = plan_.stages[chunk.stage.index()].first;
        module.add_parameters(first, trained);
        if (module.frozen()) module.frozen()->add_parameters(first, frozen);
      }
    return {whole_layers(std::move(trained)), whole_layers(std::move(frozen))};
  }

  /// Returns whole layers from the parts of all processes.
  train::Weights whole_layers(std::vector<exec::LayerParameters> here) const {
    if (!all_here()) {
      const auto processes = run_->processes->gather(exec::bytes_of(here));
      here.clear();
      for (const std::string& process : processes) exec::read_parameters(process, here);
    }
    train::Weights all(here.empty() ? 0 : run_->parts->layers.size());
    for (const exec::LayerParameters& part : here) {
      const auto layer = static_cast<std::size_t>(part.layer);
      all[layer].resize(static_cast<std::size_t>(part.whole));
      layers::insert_blocks(part.blocks, part.values, all[layer]);
    }
    return all;
  }

  /// The sampler's thread emits events, too.
  void emit(const RunEvent& event) const {
    const std::lock_guard lock(emitting_);
    if (sink_ && run_->processes->is_rank_zero()) sink_(event);
  }

  const Plan& plan_;
  const train::TrainOptions& options_;
  const train::EventSink& sink_;
  std::shared_ptr<train::Run> run_;
  mutable std::mutex emitting_;
  train::SampleAggregator samples_{Seconds(std::chrono::duration<double>(options_.sample_every).count())};
  train::StepTimes durations_;
  double loss_ = 0;
  bool stopped_ = false;
  bool diverged_ = false;  ///< a device has; known to the first process
  int last_finite_step_ = 0;
  std::optional<train::RunGpus> gpus_;
  std::unique_ptr<exec::Sampler> sampler_;  ///< during the steps; its thread uses all of the above
};

Result<void> check_options(const ModelSpec& model, const train::TrainOptions& options) {
  if (options.steps < 0 || options.timeline_every < 0 || options.sample_every.count() < 0)
    return fail(ErrorCode::bad_usage, "steps, timeline_every and sample_every are 0 or more");
  if (options.timeout.count() <= 0) return fail(ErrorCode::bad_usage, "the time-out is more than 0");
  if (model.layers.empty()) return fail(ErrorCode::bad_input, "the model has no layers", "/layers");
  return {};
}

}  // namespace

Result<train::TrainedParameters> train_with(const layers::Backend& backend, const ModelSpec& model, const Plan& plan,
                                            const Schedule& schedule, const train::TrainOptions& options,
                                            const train::EventSink& sink, std::stop_token stop,
                                            const train::RunEnvironment& site) {
  const Plan ran = exec::without_loss_layer(plan, model);
  auto run = check_options(model, options)
                 .and_then([&] { return machine::check_cores(options.cores, devices_used(ran).size()); })
                 .and_then([&] { return train::make_run(model, ran, schedule, options, backend, site); });
  if (auto error = site.processes->agree_on_error(run ? std::nullopt : std::optional(run.error())))
    run = tl::unexpected(*std::move(error));
  auto trained = std::move(run).and_then([&](std::shared_ptr<train::Run> ready) {
    return Training(ran, options, sink, std::move(ready)).train(std::move(stop));
  });
  if (!trained && sink && site.processes->is_rank_zero()) sink(RunFailed{trained.error().text()});
  return trained;
}

Result<train::TrainedParameters> train_on_cpu(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                              const train::TrainOptions& options, const train::EventSink& sink,
                                              std::stop_token stop) {
  return train_with(cpu::cpu_backend(), model, plan, schedule, options, sink, std::move(stop));
}

}  // namespace pipedeck::runtime
