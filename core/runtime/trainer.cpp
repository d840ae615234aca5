// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trainer.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "core/runtime/run.hpp"
#include "core/runtime/train_with.hpp"

namespace pipedeck {
namespace {

class Training {
 public:
  Training(const Plan& plan, const TrainOptions& options, const EventSink& sink, std::shared_ptr<Run> run)
      : plan_(plan), options_(options), sink_(sink), run_(std::move(run)) {}

  Result<TrainedParameters> train(std::stop_token stop) {
    announce();
    {
      Crew crew(run_);
      const std::stop_callback drop_step(stop, [run = run_] { run->control->request_stop(); });
      run_steps(crew, stop);
    }
    if (const auto failure = run_->control->failure()) return tl::unexpected(*failure);
    finish();
    return parameters();
  }

 private:
  void announce() const {
    const auto devices = static_cast<int>(run_->workers.size());
    emit(RunStarted{plan_.name, run_->model.name, "cpu", options_.steps, devices});
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    if (cores > 0 && devices > cores)
      emit(RunWarning{
          fmt::format("{} devices share {} CPU cores: the results are the plan's, the times are not", devices, cores)});
  }

  void run_steps(Crew& crew, const std::stop_token& stop) {
    for (int step = 1; step <= options_.steps; ++step) {
      run_->control->begin_step();
      stopped_ = stop.stop_requested();
      if (stopped_) return;
      const Seconds duration = crew.step();
      stopped_ = run_->control->interrupted();
      if (stopped_) return;
      durations_.push_back(duration);
      report(step, duration);
    }
  }

  void report(int step, Seconds duration) {
    StepDone done;
    done.step = step;
    done.loss = loss_ = mean_loss();
    done.duration = duration;
    done.samples_per_second = plan_.global_batch / duration.count;
    for (const Worker& worker : run_->workers) {
      done.busy_fraction.push_back(to_seconds(worker.record().busy).count / duration.count);
      done.memory.push_back(worker.record().peak);
    }
    emit(done);
    const bool asked = options_.timeline_every > 0 && step % options_.timeline_every == 0;
    if (asked || step == options_.steps) emit(MeasuredTimeline{step, measured_timeline(*run_)});
  }

  /// Over the global batch and its positions, added in one fixed order.
  double mean_loss() const {
    double sum = 0;
    for (int micro_batch = 0; micro_batch < plan_.micro_batches; ++micro_batch)
      for (const std::size_t worker : run_->layout.replicas.back())
        sum += run_->workers[worker].module().loss(micro_batch);
    const double positions = static_cast<double>(run_->model.layers.back().size("sequence"));
    return sum / (plan_.global_batch * positions);
  }

  void finish() {
    RunFinished finished;
    finished.steps = static_cast<int>(durations_.size());
    finished.loss = loss_;
    for (const Seconds duration : durations_) finished.duration += duration;
    finished.stopped = stopped_;
    if (!durations_.empty()) {
      const auto middle = durations_.begin() + static_cast<std::ptrdiff_t>(durations_.size() / 2);
      std::nth_element(durations_.begin(), middle, durations_.end());
      finished.median_step = *middle;
    }
    emit(finished);
  }

  TrainedParameters parameters() const {
    TrainedParameters trained;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const Worker& first_replica = run_->workers[run_->layout.replicas[s].front()];
      const auto layers = static_cast<std::size_t>(plan_.stages[s].last - plan_.stages[s].first);
      for (std::size_t i = 0; i < layers; ++i) trained.layers.push_back(first_replica.module().layer_parameters(i));
    }
    return trained;
  }

  void emit(const RunEvent& event) const {
    if (sink_) sink_(event);
  }

  const Plan& plan_;
  const TrainOptions& options_;
  const EventSink& sink_;
  std::shared_ptr<Run> run_;
  std::vector<Seconds> durations_;
  double loss_ = 0;
  bool stopped_ = false;
};

Result<void> check_options(const ModelSpec& model, const TrainOptions& options) {
  if (options.steps < 0 || options.timeline_every < 0)
    return fail(ErrorCode::bad_usage, "steps and timeline_every are 0 or more");
  if (options.timeout.count() <= 0) return fail(ErrorCode::bad_usage, "the time-out is more than 0");
  if (model.layers.empty()) return fail(ErrorCode::bad_input, "the model has no layers", "/layers");
  return {};
}

}  // namespace

Result<TrainedParameters> train_with(const Kernels& kernels, const ModelSpec& model, const Plan& plan,
                                     const Schedule& schedule, const TrainOptions& options, const EventSink& sink,
                                     std::stop_token stop) {
  auto trained = check_options(model, options)
                     .and_then([&] { return make_run(model, plan, schedule, options, kernels); })
                     .and_then([&](std::shared_ptr<Run> run) {
                       return Training(plan, options, sink, std::move(run)).train(std::move(stop));
                     });
  if (!trained && sink) sink(RunFailed{trained.error().text()});
  return trained;
}

Result<TrainedParameters> train_on_cpu(const ModelSpec& model, const Plan& plan, const Schedule& schedule,
                                       const TrainOptions& options, const EventSink& sink, std::stop_token stop) {
  return train_with(cpu_kernels(), model, plan, schedule, options, sink, std::move(stop));
}

}  // namespace pipedeck
