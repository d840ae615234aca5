// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/launch.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include <QFutureWatcher>
#include <QtConcurrentRun>

#include "app/session/project/backend_choice.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/plan/run_prediction.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::session::runs {

namespace {

using Simulated = Result<std::shared_ptr<const Simulation>>;

int highest_device(const Plan& plan) {
  const auto devices = devices_used(plan);
  return devices.empty() ? 0 : devices.back().value;
}

/// Returns the last messages of a process, which contain the cause of its failure.
QString reason(const work::ProcessEnd& end) {
  if (!end.started) return end.messages;
  const QString last = end.messages.section(QLatin1Char('\n'), -3);
  if (end.crashed)
    return Launch::tr("the process was killed by signal %1. %2").arg(end.exit_status).arg(last).trimmed();
  return last.isEmpty() ? Launch::tr("the process ended with status %1").arg(end.exit_status) : last;
}

/// Returns the tensor-parallel degrees for which the plan needs times.
QStringList measured_degrees(const Plan& plan) {
  std::set<int> degrees;
  for (const Stage& stage : plan.stages) degrees.insert(stage.tensor_parallel);
  degrees.erase(1);
  if (degrees.empty()) return {};
  QStringList numbers;
  for (const int degree : degrees) numbers << QString::number(degree);
  return {"--tensor-parallel", numbers.join(QLatin1Char(','))};
}

}  // namespace

QString too_large_reason(const ModelSpec& model) {
  if (model.trainable_here) return {};
  return Launch::tr("%1 is too large to train on this machine's processor. Choose a model such as gpt-tiny")
      .arg(text::to_qstring(model.name));
}

QString not_launchable_reason(const Plan& plan, const ModelSpec* model, const RunBackend& backend) {
  if (!model)
    return Launch::tr(
        "The runtime has no layers for this model. It trains the small presets, models like Llama, Mixtral, Qwen and "
        "DeepSeek, and model files.");
  if (const QString why = backend.gpus ? QString() : too_large_reason(*model); !why.isEmpty()) return why;
  if (plan.stages.empty()) return Launch::tr("There is no plan.");
  return {};
}

Result<std::shared_ptr<const ModelSpec>> model_from_file(const QString& path) {
  TRY(auto model, presets::open_model(path.toStdString()));
  return std::make_shared<const ModelSpec>(std::move(model));
}

std::vector<int> measured_micro_batches(const Plan& plan) {
  std::set<int> sizes;
  if (!plan.synchronous()) return {plan.micro_batch};  // replicas process whole mini-batches
  for (const Stage& stage : plan.stages) {
    for (const int samples : replica_samples(stage, plan.micro_batch)) sizes.insert(samples);
  }
  sizes.erase(0);
  return {sizes.begin(), sizes.end()};
}

Launch::Launch(LaunchSpec spec, study::PlanSimulator& plan_simulator, QObject* parent)
    : QObject(parent), spec_(std::move(spec)), simulator_(plan_simulator), process_(this) {
  record_.name = text::to_qstring(spec_.plan.name);
  record_.model = text::to_qstring(spec_.model->name);
  record_.when = QDateTime::currentDateTime();
  record_.steps = spec_.settings.steps;
  record_.plan = spec_.plan;
  connect(&process_, &work::ChildProcess::output_line, this, [this](const QByteArray& line) {
    if (phase_ == Phase::training) reader_.take(line);
  });
  connect(&reader_, &EventReader::read, this, &Launch::receive_events);
  connect(&reader_, &EventReader::became_idle, this, [this] {
    if (trained_) end_training();
  });
  connect(&process_, &work::ChildProcess::message_line, this, &Launch::message);
  connect(&process_, &work::ChildProcess::ended, this, [this](const work::ProcessEnd& end) {
    if (phase_ == Phase::measuring) return measuring_ended(end);
    trained_ = end;
    if (reader_.idle()) end_training();
  });
}

Launch::~Launch() {
  process_.disconnect(this);
  prediction_.waitForFinished();
}

void Launch::start() {
  if (!directory_.isValid()) {
    end(project::RunOutcome::failed, tr("a temporary folder could not be created: %1").arg(directory_.errorString()));
    return;
  }
  const auto written = io::write_file(file("model.json").toStdString(),
                                      io::documents::model_to_json(with_settings(*spec_.model, spec_.settings)));
  if (!written) {
    end(project::RunOutcome::failed, text::to_qstring(written.error()));
    return;
  }
  if (!spec_.settings.backend.gpus) return measure();
  if (const auto kept = write_problem(); !kept) return end(project::RunOutcome::failed, text::to_qstring(kept.error()));
  predict();
}

/// Writes the reference of the run if nothing is measured.
Result<void> Launch::write_problem() const {
  if (auto written =
          io::write_file(file("profile.json").toStdString(), io::documents::profile_to_json(*spec_.problem.profile));
      !written)
    return written;
  return io::write_file(file("cluster.json").toStdString(), io::documents::cluster_to_json(*spec_.problem.cluster));
}

void Launch::measure() {
  emit progress(-1, tr("measuring the layers of %1 on this machine").arg(record_.model));
  QStringList arguments{"profile",
                        "--model",
                        file("model.json"),
                        "--backend",
                        "cpu",
                        "-o",
                        file("profile.json"),
                        "--cluster-out",
                        file("cluster.json"),
                        "--devices",
                        QString::number(highest_device(spec_.plan) + 1)};
  if (has_mesh(spec_.plan) && plan::ranks_of(spec_.plan)) {
    const auto written = io::write_file(file("plan.json").toStdString(), io::documents::plan_to_json(spec_.plan));
    if (!written) return end(project::RunOutcome::failed, text::to_qstring(written.error()));
    arguments << "--plan" << file("plan.json");
  } else {
    QStringList sizes;
    for (const int size : measured_micro_batches(spec_.plan)) sizes << QString::number(size);
    arguments << "--micro-batch" << sizes.join(QLatin1Char(',')) << measured_degrees(spec_.plan);
  }
  process_.start(spec_.program, arguments);
}

void Launch::stop() {
  if (phase_ == Phase::ended) return;
  stop_requested_ = true;
  process_.stop();
}

void Launch::pause(bool paused) {
  if (phase_ == Phase::training) process_.write(paused ? "pause\n" : "resume\n");
}

void Launch::measuring_ended(const work::ProcessEnd& process) {
  if (stop_requested_) {
    end(project::RunOutcome::stopped, tr("stopped while measuring"));
    return;
  }
  if (!process.started || process.crashed || process.exit_status != 0) {
    end(project::RunOutcome::failed, tr("Measuring the layers failed: %1").arg(reason(process)));
    return;
  }
  if (auto taken = receive_measurements(); !taken) {
    end(project::RunOutcome::failed, tr("Measuring the layers failed: %1").arg(text::to_qstring(taken.error())));
    return;
  }
  emit measured(spec_.problem.profile, spec_.problem.cluster);
  predict();
}

/// Replaces the problem by the measured layers and this machine.
Result<void> Launch::receive_measurements() {
  TRY(auto profile, io::read_profile(file("profile.json").toStdString()));
  TRY(auto machine, io::read_cluster(file("cluster.json").toStdString()));
  const QString name = text::to_qstring(spec_.model->name);
  profile.name =
      (profile.ranks ? tr("%1 (a rank of %2, measured here)").arg(name, text::to_qstring(text_of(*profile.ranks)))
                     : tr("%1 (measured here)").arg(name))
          .toStdString();
  TRY(const auto same, plan::predicted_by(spec_.plan, profile));
  if (same) {
    TRY_VOID(plan::validate(*same, profile, machine));
    TRY_VOID(plan::validate_covered(*same));
  }
  // Write it again with its name, so that the file matches the plan's hash.
  if (auto written = io::write_file(file("profile.json").toStdString(), io::documents::profile_to_json(profile));
      !written) {
    return written;
  }
  // Drivers of the planned devices keep memory that this machine does not.
  SimulationOptions& conventions = spec_.problem.workload.conventions;
  const MemoryDefaults memory = presets::memory_defaults(machine);
  conventions.network = default_network(machine);
  conventions.reserve = memory.reserve, conventions.communication = memory.communication;
  conventions.fragmentation = memory.fragmentation;
  spec_.problem.profile = std::make_shared<const Profile>(std::move(profile));
  spec_.problem.cluster = std::make_shared<const Cluster>(std::move(machine));
  return {};
}

void Launch::predict() {
  phase_ = Phase::predicting;
  const auto same = spec_.settings.backend.gpus ? Result<std::optional<Plan>>(spec_.plan)
                                                : plan::predicted_by(spec_.plan, *spec_.problem.profile);
  if (!same) return train(tl::unexpected(same.error()));
  if (!*same) {
    emit message(
        tr("The run is not compared with a prediction: context ranks divide samples, and its stages differ, so that no "
           "one rank's layers could be measured."));
    return train(std::shared_ptr<const Simulation>());
  }
  emit progress(-1, spec_.settings.backend.gpus ? tr("predicting with the planned times")
                                                : tr("predicting with the measured times"));
  auto* watcher = new QFutureWatcher<Simulated>(this);
  connect(watcher, &QFutureWatcher<Simulated>::finished, this, [this, watcher] {
    watcher->deleteLater();
    train(watcher->result());
  });
  spec_.problem.workload.conventions.overlap = runtime::train::trainer_overlap;
  prediction_ = QtConcurrent::run(
      [plan_simulator = &simulator_, problem = spec_.problem, own = spec_.plan, plan = **same]() -> Simulated {
        try {
          TRY(const auto simulated, plan_simulator->simulation(problem, plan));
          auto of_run = std::make_shared<Simulation>(*simulated);
          sim::take_sample_rate(own, plan, *of_run);
          return of_run;
        } catch (const std::exception& error) {
          return fail(ErrorCode::internal, error.what());
        }
      });
  watcher->setFuture(prediction_);
}

void Launch::train(const Simulated& simulation) {
  if (stop_requested_) {
    end(project::RunOutcome::stopped, tr("stopped before the first step"));
    return;
  }
  if (!simulation) {
    end(project::RunOutcome::failed,
        spec_.settings.backend.gpus
            ? tr("The plan could not be predicted: %1").arg(text::to_qstring(simulation.error()))
            : tr("The plan could not be predicted with the measured profile: %1")
                  .arg(text::to_qstring(simulation.error())));
    return;
  }
  record_.predicted = *simulation;
  Plan& plan = record_.plan;
  plan = study::with_origin(std::move(plan), study::origin_of(*spec_.problem.profile, *spec_.problem.cluster));
  if (*simulation) {
    plan = sim::with_prediction(std::move(plan), **simulation, Seconds{});
    emit predicted(*simulation);
  }
  const auto written = io::write_file(file("plan.json").toStdString(), io::documents::plan_to_json(plan));
  if (!written) {
    end(project::RunOutcome::failed, text::to_qstring(written.error()));
    return;
  }
  phase_ = Phase::training;
  emit progress(0, tr("starting"));
  const RunFiles files{file("plan.json"), file("model.json"), file("profile.json"), file("cluster.json")};
  const Command command = run_command(spec_.program, files, spec_.settings);
  emit message(shell_text(command.program, command.arguments));
  process_.start(command.program, command.arguments);
}

void Launch::receive_events(const std::vector<Result<RunEvent>>& events) {
  for (const Result<RunEvent>& parsed : events) {
    if (parsed) {
      receive_event(*parsed);
    } else {
      emit message(tr("not understood: %1").arg(text::to_qstring(parsed.error())));
    }
  }
  if (phase_ == Phase::training && steps_done_ > 0) {
    emit progress(static_cast<double>(steps_done_) / spec_.settings.steps,
                  tr("step %1 of %2").arg(steps_done_).arg(spec_.settings.steps));
  }
}

void Launch::receive_event(const RunEvent& read) {
  if (const auto* step = std::get_if<StepDone>(&read)) steps_done_ = step->step;
  record_.events.push_back(read);
  emit event(read);
}

QString Launch::crash_text(const work::ProcessEnd& process) const {
  return tr("%1 It happened after step %2. If the machine ran out of memory, choose a smaller micro-batch or a plan "
            "with less memory per device. The measurements so far are saved.")
      .arg(reason(process))
      .arg(steps_done_);
}

/// Adds a remedy on a separate line.
QString Launch::failure_text(const std::string& failure) const {
  const QString step = spec_.settings.backend.gpus ? project::gpu_error_hint(failure) : QString();
  return step.isEmpty() ? text::to_qstring(failure) : text::to_qstring(failure) + QLatin1Char('\n') + step;
}

void Launch::end_training() {
  const work::ProcessEnd process = *trained_;
  trained_.reset();
  QString failure;
  bool finished = false;
  bool stopped = stop_requested_;
  for (const RunEvent& event : record_.events) {
    if (const auto* failed = std::get_if<RunFailed>(&event)) failure = failure_text(failed->message);
    if (const auto* done = std::get_if<RunFinished>(&event)) {
      finished = true;
      stopped = stopped || done->stopped;
    }
  }
  if (finished && !stopped) {
    end(project::RunOutcome::finished, {});
  } else if (stopped) {
    end(project::RunOutcome::stopped, tr("stopped"));
  } else {
    if (failure.isEmpty()) failure = process.crashed ? crash_text(process) : reason(process);
    end(project::RunOutcome::failed, failure);
  }
}

void Launch::end(project::RunOutcome outcome, const QString& why) {
  phase_ = Phase::ended;
  record_.state = outcome;
  record_.message = why;
  project::sum_up(record_);
  emit ended(std::make_shared<const project::RunRecord>(record_));
}

}  // namespace pipedeck::session::runs
