// SPDX-License-Identifier: Apache-2.0
// Asynchronous training equals the papers' update formulas, run plainly: one mini-batch after another, every version of
// every stage's weights kept, no pipeline. PipeDream (SOSP 2019), section 3.3; PipeDream-2BW (ICML 2021), section 3.1.
#include <QTest>

#include <chrono>
#include <functional>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/run.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_stale_weights {

using namespace pipedeck::test;

using Weights = std::vector<std::vector<float>>;  // a layer of a stage

/// The version of the weights of `stage` that mini-batch t meets: one that came out of as many updates.
using MetVersion = std::function<int(int stage, int t)>;

/// Sequential gradient descent on stale weights.
class PlainProgram {
 public:
  PlainProgram(const ModelSpec& model, const Plan& plan, int update_every_batches)
      : plan_(plan),
        parts_(std::move(runtime::exec::make_parts(model, runtime::cpu::cpu_kernel_registry()).value())),
        rate_(model.learning_rate) {
    for (const Stage& stage : plan.stages) {
      Weights weights;
      for (int layer = stage.first; layer < stage.last; ++layer) {
        weights.emplace_back(static_cast<std::size_t>(parts_.layers[at(layer)]->parameters()));
        parts_.layers[at(layer)]->initialise(weights.back(), Random(model.seed, at(layer)));
      }
      versions_.push_back({weights});
      round_.push_back(update_every_batches > 0 ? update_every_batches : stage.replicas());
      gradients_.push_back(zeros_like(weights));
      velocity_.push_back(zeros_like(weights));
    }
  }

  void train(int t, const MetVersion& met) {
    std::vector<const std::vector<float>*> weights;
    for (std::size_t s = 0; s < versions_.size(); ++s)
      for (const auto& layer : versions_[s].at(at(met(static_cast<int>(s), t)))) weights.push_back(&layer);
    const std::vector<std::vector<float>> gradient = gradient_of(t, weights);
    for (std::size_t s = 0; s < versions_.size(); ++s) add(s, t, gradient);
  }

  runtime::train::TrainedParameters latest() const {
    runtime::train::TrainedParameters parameters;
    for (const auto& versions : versions_)
      parameters.layers.insert(parameters.layers.end(), versions.back().begin(), versions.back().end());
    return parameters;
  }
  const std::vector<double>& losses() const { return losses_; }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static std::vector<std::vector<double>> zeros_like(const Weights& weights) {
    std::vector<std::vector<double>> zeros;
    for (const auto& layer : weights) zeros.emplace_back(layer.size(), 0.0);
    return zeros;
  }

  std::vector<std::vector<float>> gradient_of(int t, const std::vector<const std::vector<float>*>& weights) {
    const int samples = plan_.micro_batch;
    runtime::tensor::Tensor value(memory_, samples, parts_.layers.front()->input_width()),
        targets(memory_, samples, parts_.loss.sequence());
    for (int i = 0; i < samples; ++i) {
      const auto sample = static_cast<std::uint64_t>(t * samples + i);
      parts_.source->input(sample, value.values().subspan(at(i) * at(static_cast<int>(value.width())),
                                                          at(static_cast<int>(value.width()))));
      parts_.source->target(sample, targets.values().subspan(at(i) * at(static_cast<int>(targets.width())),
                                                             at(static_cast<int>(targets.width()))));
    }
    const auto& layers = parts_.layers;
    std::vector<runtime::layers::SavedTensors> saved(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) value = layers[i]->forward(std::move(value), *weights[i], saved[i]);
    const double positions = double(samples) * double(parts_.loss.sequence());
    losses_.push_back(runtime::cpu::cross_entropy(parts_.loss, value, targets) / positions);
    value = runtime::cpu::cross_entropy_gradient(std::move(value), static_cast<float>(1 / positions));
    std::vector<std::vector<float>> gradients(layers.size());
    for (std::size_t i = layers.size(); i-- > 0;) {
      value = layers[i]->backward_input(std::move(value), *weights[i], saved[i], i > 0);
      gradients[i].resize(weights[i]->size());
      layers[i]->backward_weight(saved[i], gradients[i]);
    }
    return gradients;
  }

  /// The mean over a round; then w(t+1) from w(t).
  void add(std::size_t s, int t, const std::vector<std::vector<float>>& gradient) {
    const auto first = at(plan_.stages[s].first);
    for (std::size_t i = 0; i < gradients_[s].size(); ++i)
      for (std::size_t j = 0; j < gradients_[s][i].size(); ++j)
        gradients_[s][i][j] += double(gradient[first + i][j]) / round_[s];
    if ((t + 1) % round_[s] != 0) return;
    Weights next = versions_[s].back();
    for (std::size_t i = 0; i < next.size(); ++i)
      for (std::size_t j = 0; j < next[i].size(); ++j) {
        double& v = velocity_[s][i][j];
        v = (plan_.optimizer == Optimizer::momentum ? 0.9 * v : 0) + gradients_[s][i][j];
        next[i][j] = static_cast<float>(next[i][j] - rate_ * v);
        gradients_[s][i][j] = 0;
      }
    versions_[s].push_back(std::move(next));
  }

  const Plan& plan_;
  runtime::exec::ModelParts parts_;
  double rate_;
  std::shared_ptr<runtime::tensor::DeviceMemory> memory_ = std::make_shared<runtime::tensor::DeviceMemory>();
  std::vector<std::vector<Weights>> versions_;                          // a stage, from w(0) on
  std::vector<int> round_;                                              // a stage: mini-batches an update
  std::vector<std::vector<std::vector<double>>> gradients_, velocity_;  // a stage, a layer
  std::vector<double> losses_;
};

/// NOAM of every stage: K_s = ceil(workers from stage s on / replicas of s).
int depth(const Plan& plan, int stage) {
  int workers = 0;
  for (std::size_t s = static_cast<std::size_t>(stage); s < plan.stages.size(); ++s)
    workers += plan.stages[s].replicas();
  const int replicas = plan.stages[static_cast<std::size_t>(stage)].replicas();
  return (workers + replicas - 1) / replicas;
}

MetVersion met_by(const Plan& plan) {
  const auto replicas = [&plan](int s) { return plan.stages[static_cast<std::size_t>(s)].replicas(); };
  const int n = static_cast<int>(plan.stages.size());
  bool straight = true;
  for (int s = 0; s < n; ++s) straight = straight && replicas(s) == 1;
  switch (plan.schedule) {
    case ScheduleKind::pipedream_2bw:
      // w(t+1) = w(t) - nu * gradient of f(w(t-1)), t counting batches
      return [&plan](int, int t) { return std::max(0, t / plan.micro_batches - 1); };
    case ScheduleKind::pipedream_vertical:
      // w(t+1) = w(t) - nu * gradient of f(w_1(t-n+1), ..., w_n(t-n+1))
      if (straight) return [n](int, int t) { return std::max(0, t - n + 1); };
      // The updates in the input stage's weights when t enters, in whole rounds of this stage.
      return [&plan, replicas](int s, int t) {
        const int rounds = std::max(0, t / replicas(0) - depth(plan, 0) + 1);
        return rounds * replicas(0) / replicas(s);
      };
    default:
      // w(t+1) = w(t) - nu * gradient of f(w_1(t-n+1), w_2(t-n+2), ..., w_n(t)), stages counting from 0 here
      if (straight) return [n](int s, int t) { return std::max(0, t - n + 1 + s); };
      return [&plan, replicas](int s, int t) { return std::max(0, t / replicas(s) - depth(plan, s) + 1); };
  }
}

Plan asynchronous_plan(const ModelSpec& model, ScheduleKind kind, const std::vector<int>& replicas, int micro_batches) {
  Plan plan = placed_plan(model, kind, replicas, 1, 3, micro_batches);
  plan.optimizer = Optimizer::sgd;
  return plan;
}

PlainProgram plainly(const ModelSpec& model, const Plan& plan, int steps) {
  const bool batches = plan.schedule == ScheduleKind::pipedream_2bw;
  PlainProgram program(model, plan, batches ? plan.micro_batches : 0);
  const MetVersion met = met_by(plan);
  for (int t = 0; t < steps * plan.micro_batches; ++t) program.train(t, met);
  return program;
}

std::vector<double> step_means(const std::vector<double>& losses, int each) {
  std::vector<double> means;
  for (std::size_t i = 0; i < losses.size(); i += static_cast<std::size_t>(each)) {
    double sum = 0;
    for (int j = 0; j < each; ++j) sum += losses[i + static_cast<std::size_t>(j)];
    means.push_back(sum / each);
  }
  return means;
}

ModelSpec lively(ModelSpec model) {
  model.learning_rate = 0.05;  // so that stale weights tell from fresh ones
  return model;
}

/// Passes its input on, after a while.
class Slow final : public runtime::layers::LayerKernel {
 public:
  Slow(std::int64_t width, std::chrono::milliseconds pass)
      : runtime::layers::LayerKernel(width, width, 0), pass_(pass) {}
  void initialise(std::span<float>, Random) const override {}
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                  runtime::layers::SavedTensors&) const override {
    std::this_thread::sleep_for(pass_);
    return input;
  }
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                         runtime::layers::SavedTensors&, bool) const override {
    return gradient;
  }
  void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}

 private:
  std::chrono::milliseconds pass_;
};

class TestStaleWeights : public QObject {
  Q_OBJECT
 private slots:
  void equals_the_formula_version_by_version_data();
  void equals_the_formula_version_by_version();
  void staleness_matters();
  void timeline_has_the_schedule_in_its_order_data();
  void timeline_has_the_schedule_in_its_order();
  void weight_versions_are_memory_data();
  void weight_versions_are_memory();
  void stopping_ends_whole_steps();
  void a_pause_changes_nothing_data();
  void a_pause_changes_nothing();
  void a_paused_run_can_be_stopped();
  void a_throwing_worker_fails_the_run();
  void small_batches_for_two_versions_are_refused();
  void no_flush_between_steps();
};

void TestStaleWeights::equals_the_formula_version_by_version_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("micro_batches");
  const auto row = [](const char* name, ScheduleKind kind, QList<int> replicas, int micro_batches) {
    QTest::newRow(name) << static_cast<int>(kind) << replicas << micro_batches;
  };
  using enum ScheduleKind;
  row("stashing, 1 stage", pipedream, {1}, 2);
  row("stashing, 2 stages", pipedream, {1, 1}, 2);
  row("stashing, 4 stages", pipedream, {1, 1, 1, 1}, 3);
  row("stashing, 2:1", pipedream, {2, 1}, 2);
  row("stashing, 2:2", pipedream, {2, 2}, 4);
  row("stashing, 1:2", pipedream, {1, 2}, 4);
  row("stashing, 3:2:1", pipedream, {3, 2, 1}, 6);
  row("stashing, 1:3, steps that end within a round", pipedream, {1, 3}, 2);
  row("stashing, data parallel", pipedream, {3}, 3);
  row("vertical sync, 2 stages", pipedream_vertical, {1, 1}, 2);
  row("vertical sync, 4 stages", pipedream_vertical, {1, 1, 1, 1}, 3);
  row("vertical sync, 2:1", pipedream_vertical, {2, 1}, 2);
  row("vertical sync, 1:2", pipedream_vertical, {1, 2}, 2);
  row("vertical sync, 3:2:1", pipedream_vertical, {3, 2, 1}, 6);
  row("2BW, 1 stage", pipedream_2bw, {1}, 2);
  row("2BW, 2 stages", pipedream_2bw, {1, 1}, 2);
  row("2BW, 4 stages", pipedream_2bw, {1, 1, 1, 1}, 6);
  row("2BW, 2:1", pipedream_2bw, {2, 1}, 4);
  row("2BW, 1:2:1", pipedream_2bw, {1, 2, 1}, 4);
}

void TestStaleWeights::equals_the_formula_version_by_version() {
  QFETCH(int, kind);
  QFETCH(QList<int>, replicas);
  QFETCH(int, micro_batches);
  for (const ModelSpec& model : {lively(small_mlp()), lively(small_gpt())})
    for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::momentum}) {
      Plan plan =
          asynchronous_plan(model, static_cast<ScheduleKind>(kind), {replicas.begin(), replicas.end()}, micro_batches);
      plan.optimizer = optimizer;
      if (optimizer == Optimizer::momentum) plan.stages.front().recompute.all = true;
      const Schedule schedule = built(plan);
      for (int steps = 1; steps <= 7; ++steps) {
        const Trained found = trained_with(model, plan, schedule, steps);
        const PlainProgram expected = plainly(model, plan, steps);
        const double apart = parameter_difference(found.parameters, expected.latest());
        QVERIFY2(apart < 1e-5 * steps, qPrintable(QString("after %1 steps: %2").arg(steps).arg(apart)));
        QVERIFY(loss_difference(found.log.losses(), step_means(expected.losses(), micro_batches)) < 1e-5 * steps);
      }
    }
}

/// Formulas of other kinds give other weights: the tests above would tell.
void TestStaleWeights::staleness_matters() {
  const ModelSpec model = lively(small_mlp());
  std::vector<runtime::train::TrainedParameters> found;
  for (const ScheduleKind kind :
       {ScheduleKind::pipedream, ScheduleKind::pipedream_vertical, ScheduleKind::pipedream_2bw}) {
    const Plan plan = asynchronous_plan(model, kind, {1, 1, 1}, 3);
    found.push_back(trained_with(model, plan, built(plan), 6).parameters);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) QVERIFY(parameter_difference(found[i], found[j]) > 1e-3);
}

void TestStaleWeights::timeline_has_the_schedule_in_its_order_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("replicas");
  for (const ScheduleKind kind :
       {ScheduleKind::pipedream, ScheduleKind::pipedream_vertical, ScheduleKind::pipedream_2bw})
    for (const QList<int>& replicas : {QList<int>{1, 1, 1}, {2, 1}, {2, 3, 1}})
      QTest::addRow("%s, %d stages", std::string(name_of(kind)).c_str(), static_cast<int>(replicas.size()))
          << static_cast<int>(kind) << replicas;
}

void TestStaleWeights::timeline_has_the_schedule_in_its_order() {
  QFETCH(int, kind);
  QFETCH(QList<int>, replicas);
  const ModelSpec model = small_gpt();
  const Plan plan = asynchronous_plan(model, static_cast<ScheduleKind>(kind), {replicas.begin(), replicas.end()}, 6);
  const Schedule schedule = built(plan);
  const int steps = schedule.micro_batches / plan.micro_batches, mini_batches = steps * plan.micro_batches;
  const Trained found = trained_with(model, plan, schedule, steps, 1);
  const auto lanes = lanes_run(found.log);
  QCOMPARE(lanes.size(), schedule.lanes.size());
  for (const DeviceLane& lane : schedule.lanes) {
    std::vector<Operation> expected;
    for (int i = 0; i < operation_count(lane.order); ++i)
      if (operation_at(lane.order, i).micro_batch < mini_batches) expected.push_back(operation_at(lane.order, i));
    QVERIFY(lanes.at(lane.device).passes == expected);
    const auto& order = std::get<AlternatingOrder>(lane.order);
    const int round = plan.schedule == ScheduleKind::pipedream_2bw ? plan.micro_batches : order.stride;
    const auto& updates = lanes.at(lane.device).updates;
    QCOMPARE(static_cast<int>(updates.size()), mini_batches / round);
    for (std::size_t i = 0; i < updates.size(); ++i) QCOMPARE(updates[i].micro_batch, static_cast<int>(i));
  }
  for (const MeasuredTimeline& measured : found.log.of<MeasuredTimeline>())
    for (const TimelineLane& lane : measured.timeline.lanes)
      for (std::size_t i = lane.begin; i < lane.end; ++i) {
        QVERIFY(measured.timeline.start[i] >= 0);
        if (i > lane.begin) QVERIFY(measured.timeline.start[i] >= measured.timeline.row(i - 1).end().count);
      }
}

void TestStaleWeights::weight_versions_are_memory_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("versions");
  QTest::newRow("stashing") << static_cast<int>(ScheduleKind::pipedream) << QList<int>{4, 3, 2, 1};
  QTest::newRow("vertical sync") << static_cast<int>(ScheduleKind::pipedream_vertical) << QList<int>{4, 4, 4, 4};
  QTest::newRow("2BW") << static_cast<int>(ScheduleKind::pipedream_2bw) << QList<int>{2, 2, 2, 2};
}

/// Weights that dominate all other memory: the memory in use shows the number of versions.
void TestStaleWeights::weight_versions_are_memory() {
  QFETCH(int, kind);
  QFETCH(QList<int>, versions);
  const ModelSpec model = small_mlp(256, 4, 256, 256);
  Plan plan = asynchronous_plan(model, static_cast<ScheduleKind>(kind), {1, 1, 1, 1}, 6);
  const Trained found = trained_with(model, plan, built(plan), 5);
  const double weights = 257.0 * 256 * sizeof(float);
  for (const StepDone& step : found.log.of<StepDone>()) {
    if (step.step < 3) continue;  // versions are yet to come
    for (std::size_t d = 0; d < 4; ++d) {
      const double held = static_cast<double>(step.memory[d].count) / weights - 1;  // less the gradients
      const double expected = versions[static_cast<qsizetype>(d)];
      QVERIFY2(held >= expected && held < expected + 0.5,
               qPrintable(QString("device %1 holds %2 versions").arg(d).arg(held)));
    }
  }
}

void TestStaleWeights::stopping_ends_whole_steps() {
  const ModelSpec model = lively(small_mlp());
  for (const ScheduleKind kind :
       {ScheduleKind::pipedream, ScheduleKind::pipedream_vertical, ScheduleKind::pipedream_2bw}) {
    const Plan plan = asynchronous_plan(model, kind, {2, 1}, 4);
    std::stop_source stop;
    EventLog log;
    const auto sink = [&](const RunEvent& event) {
      log.events.push_back(event);
      if (const auto* done = std::get_if<StepDone>(&event); done != nullptr && done->step == 5) stop.request_stop();
    };
    runtime::train::TrainOptions options;
    options.steps = 1000000;
    const auto found = runtime::train_on_cpu(model, plan, built(plan), options, sink, stop.get_token());
    QVERIFY(found.has_value());
    const auto finished = std::get<RunFinished>(log.events.back());
    QVERIFY(finished.stopped);
    QVERIFY(finished.steps >= 5 && finished.steps < 1000000);
    QVERIFY(parameter_difference(*found, plainly(model, plan, finished.steps).latest()) < 1e-5);
  }
}

void TestStaleWeights::a_pause_changes_nothing_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("micro_batches");
  using enum ScheduleKind;
  for (const ScheduleKind kind : {pipedream, pipedream_vertical, pipedream_2bw}) {
    const std::string_view name = name_of(kind);
    QTest::addRow("%s, straight", name.data()) << static_cast<int>(kind) << QList<int>{1, 1, 1} << 3;
    QTest::addRow("%s, replicas", name.data()) << static_cast<int>(kind) << QList<int>{2, 1} << 4;
  }
  QTest::newRow("steps that end within a round") << static_cast<int>(pipedream) << QList<int>{1, 3} << 2;
}

/// Paused behind several steps: nothing is done meanwhile, however long it takes, and the parameters are the same bits.
void TestStaleWeights::a_pause_changes_nothing() {
  QFETCH(int, kind);
  QFETCH(QList<int>, replicas);
  QFETCH(int, micro_batches);
  const ModelSpec model = lively(small_mlp());
  const Plan plan = asynchronous_plan(model, static_cast<ScheduleKind>(kind),
                                      std::vector<int>(replicas.begin(), replicas.end()), micro_batches);
  runtime::train::TrainOptions options;
  options.steps = 300;  // workers are ahead of their reports: on a busy machine by dozens of steps
  const auto whole = runtime::train_on_cpu(model, plan, built(plan), options, {});
  QVERIFY(whole.has_value());

  options.pause = std::make_shared<runtime::machine::PauseGate>();
  options.timeout = std::chrono::milliseconds(150);  // less than a pause
  int last = 0, asked = 0, pauses = 0, done_while_paused = 0;
  bool paused = false;
  std::vector<std::jthread> resuming;
  const auto sink = [&](const RunEvent& event) {
    if (const auto* done = std::get_if<StepDone>(&event)) {
      done_while_paused += paused;
      last = done->step;
      if (asked == pauses && asked < 3 && last >= 3 + 6 * asked) {
        options.pause->pause();
        ++asked;
      }
    }
    if (const auto* begun = std::get_if<RunPaused>(&event)) {
      paused = true;
      ++pauses;
      QCOMPARE(begun->step, last);
      resuming.emplace_back([gate = options.pause] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        gate->resume();
      });
    }
    if (std::holds_alternative<RunResumed>(event)) paused = false;
  };
  const auto found = runtime::train_on_cpu(model, plan, built(plan), options, sink);
  QVERIFY2(found.has_value(), found ? "" : found.error().message.c_str());
  QVERIFY2(pauses >= 2, qPrintable(QString::number(pauses)));
  QCOMPARE(done_while_paused, 0);
  QCOMPARE(last, 300);
  QVERIFY(found->layers == whole->layers);
}

void TestStaleWeights::a_paused_run_can_be_stopped() {
  const ModelSpec model = lively(small_mlp());
  const Plan plan = asynchronous_plan(model, ScheduleKind::pipedream, {2, 1}, 4);
  std::stop_source stop;
  runtime::train::TrainOptions options;
  options.steps = 1000000;
  options.pause = std::make_shared<runtime::machine::PauseGate>();
  RunFinished finished;
  int paused_behind = 0;
  const auto sink = [&](const RunEvent& event) {
    if (const auto* done = std::get_if<StepDone>(&event); done != nullptr && done->step == 5) options.pause->pause();
    if (const auto* paused = std::get_if<RunPaused>(&event)) {
      paused_behind = paused->step;
      stop.request_stop();
    }
    if (const auto* ended = std::get_if<RunFinished>(&event)) finished = *ended;
  };
  const auto found = runtime::train_on_cpu(model, plan, built(plan), options, sink, stop.get_token());
  QVERIFY(found.has_value());
  QVERIFY(finished.stopped);
  QCOMPARE(finished.steps, paused_behind);
  QVERIFY(parameter_difference(*found, plainly(model, plan, finished.steps).latest()) < 1e-5);
}

void TestStaleWeights::a_throwing_worker_fails_the_run() {
  ModelSpec model = small_mlp(24, 4);
  model.layers[2] = {"bad one", "broken", {{"hidden", 24}}};
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  class Broken final : public runtime::layers::LayerKernel {
   public:
    Broken() : runtime::layers::LayerKernel(24, 24, 0) {}
    void initialise(std::span<float>, Random) const override {}
    runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                    runtime::layers::SavedTensors&) const override {
      if (++calls_ == 9) throw std::runtime_error("out of luck");
      return input;
    }
    runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                           runtime::layers::SavedTensors&, bool) const override {
      return gradient;
    }
    void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}
    mutable std::atomic<int> calls_{0};
  };
  kernels.layers["broken"] = [](const ModelLayer&) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
    return std::make_unique<Broken>();
  };
  const Plan plan = asynchronous_plan(model, ScheduleKind::pipedream, {1, 1, 1, 1}, 2);
  runtime::train::TrainOptions options;
  options.steps = 1000000;
  const auto found = runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, built(plan), options, {});
  QVERIFY(!found);
  QCOMPARE(found.error().code, ErrorCode::run_failed);
  QCOMPARE(found.error().message, std::string("device 2: forward of micro-batch 8 on stage 2: out of luck"));
}

void TestStaleWeights::small_batches_for_two_versions_are_refused() {
  const ModelSpec model = small_mlp();
  Plan plan = asynchronous_plan(model, ScheduleKind::pipedream_2bw, {1, 1, 1}, 3);
  const Schedule schedule = built(plan);
  plan.micro_batches = 2, plan.global_batch = 6;  // three are under way
  const auto found = runtime::train_on_cpu(model, plan, schedule, {}, {});
  QVERIFY(!found);
  QCOMPARE(found.error().code, ErrorCode::bad_input);
  QCOMPARE(found.error().place, std::string("/micro_batches"));
}

/// Two stages of which each takes a while: in the steady state both work at once, over the ends of steps too.
void TestStaleWeights::no_flush_between_steps() {
  ModelSpec model = small_mlp(24, 4);
  model.layers[1] = {"slow 0", "slow", {{"hidden", 24}}};
  model.layers[2] = {"slow 1", "slow", {{"hidden", 24}}};
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  kernels.layers["slow"] = [](const ModelLayer&) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
    return std::make_unique<Slow>(24, std::chrono::milliseconds(20));
  };
  const Plan plan = asynchronous_plan(model, ScheduleKind::pipedream, {1, 1}, 1);
  EventLog log;
  runtime::train::TrainOptions options;
  options.steps = 20;
  options.timeline_every = 1;
  QVERIFY(runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan, built(plan), options, log.sink())
              .has_value());
  const auto finished = std::get<RunFinished>(log.events.back());
  // One after the other: 20 x 40 ms. Side by side 21 x 20 ms, with room for a busy machine.
  QVERIFY2(finished.median_step.count < 0.037, qPrintable(QString::number(finished.median_step.count)));
}

PIPEDECK_TEST(TestStaleWeights)

}  // namespace pipedeck::tst_stale_weights

#include "tst_stale_weights.moc"
