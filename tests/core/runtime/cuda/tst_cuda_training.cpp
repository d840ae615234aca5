// SPDX-License-Identifier: Apache-2.0
// Whole trainings on GPUs, or their stand-in, give what one device gives on the processor.
#include <QTest>

#include <cmath>

#include "core/runtime/cuda/module.hpp"
#include "core/runtime/train_with.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/schedule_cases.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

extern "C" const cuda::Module* pipedeck_cuda(const char* version);

namespace {

const cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

double largest_difference(const TrainedParameters& found, const TrainedParameters& expected) {
  double most = found.layers.size() == expected.layers.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(found.layers.size(), expected.layers.size()); ++i) {
    if (found.layers[i].size() != expected.layers[i].size()) return INFINITY;
    for (std::size_t j = 0; j < found.layers[i].size(); ++j) {
      const double wanted = expected.layers[i][j], error = std::abs(double{found.layers[i][j]} - wanted);
      if (!(error / (1 + std::abs(wanted)) <= most)) most = error / (1 + std::abs(wanted));  // NaN, too
    }
  }
  return most;
}

Trained trained_on(const Backend& backend, const ModelSpec& model, const Plan& plan, const TrainOptions& options) {
  EventLog log;
  auto trained = train_with(backend, model, plan, built(plan), options, log.sink());
  if (!trained) qWarning("%s", trained.error().text().c_str());
  return {trained ? *std::move(trained) : TrainedParameters(), std::move(log)};
}

}  // namespace

class TestCudaTraining : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void plans_equal_one_processor_data();
  void plans_equal_one_processor();
  void the_same_run_gives_the_same_bits();
  void what_is_not_there_is_said();
};

void TestCudaTraining::plans_equal_one_processor_data() {
  QTest::addColumn<bool>("gpt");
  QTest::addColumn<int>("schedule");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<bool>("recompute");
  QTest::addColumn<int>("overlap");
  const auto row = [](const char* name, bool gpt, ScheduleKind schedule, QList<int> replicas, Optimizer optimizer,
                      bool recompute = false, Overlap overlap = Overlap::none) {
    QTest::newRow(name) << gpt << static_cast<int>(schedule) << replicas << static_cast<int>(optimizer) << recompute
                        << static_cast<int>(overlap);
  };
  using enum ScheduleKind;
  row("MLP, one device", false, one_f_one_b, {1}, Optimizer::rmsprop);
  row("MLP, stages", false, gpipe, {1, 1, 1}, Optimizer::momentum);
  row("MLP, replicas of unlike numbers", false, one_f_one_b, {2, 1, 3}, Optimizer::adam);
  row("MLP, zero bubble", false, zb_h1, {1, 1}, Optimizer::sgd);
  row("GPT, one device", true, one_f_one_b, {1}, Optimizer::adam);
  row("GPT, stages, recomputed", true, one_f_one_b, {1, 1}, Optimizer::sgd, true);
  row("GPT, replicas, reduced beside the passes", true, one_f_one_b, {2, 2}, Optimizer::momentum, false,
      Overlap::layer);
}

/// Devices share what GPUs there are, so that two are far from each other and two near.
void TestCudaTraining::plans_equal_one_processor() {
  QFETCH(bool, gpt);
  QFETCH(int, schedule);
  QFETCH(QList<int>, replicas);
  QFETCH(int, optimizer);
  QFETCH(bool, recompute);
  QFETCH(int, overlap);
  const ModelSpec model = gpt ? small_gpt() : small_mlp();
  Plan plan = plan_for(model, {replicas.begin(), replicas.end()}, 6, 2);
  plan.schedule = static_cast<ScheduleKind>(schedule);
  plan.optimizer = static_cast<Optimizer>(optimizer);
  for (Stage& stage : plan.stages) stage.recompute.all = recompute;
  Plan single = plan_for(model, {1}, 12, 1);
  single.optimizer = plan.optimizer;
  TrainOptions options;
  options.steps = 3;
  const Trained expected = trained_on(cpu_kernels(), model, single, options);
  options.overlap = static_cast<Overlap>(overlap);
  const auto backend = cuda_backend(gpu_module(), plan, cuda::Precision::fp32, true);
  QVERIFY2(backend.has_value(), backend ? "" : backend.error().text().c_str());
  const Trained found = trained_on(*backend, model, plan, options);
  const double difference = largest_difference(found.parameters, expected.parameters);
  // RMSProp's first step is ten times the learning rate in the gradient's direction: rounding of a gradient near zero
  // moves a weight ten times as far as with the others.
  const double allowed = plan.optimizer == Optimizer::rmsprop ? 1e-4 : 1e-5;
  QVERIFY2(difference < allowed, qPrintable(QString::number(difference)));
  QCOMPARE(found.log.losses().size(), std::size_t{3});
  for (std::size_t i = 0; i < 3; ++i) QVERIFY(std::abs(found.log.losses()[i] - expected.log.losses()[i]) < 1e-5);
  QCOMPARE(found.log.of<RunStarted>().front().backend, std::string("cuda"));
  for (const StepDone& step : found.log.of<StepDone>())
    for (const double busy : step.busy_fraction) QVERIFY(busy > 0 && busy <= 1);
}

void TestCudaTraining::the_same_run_gives_the_same_bits() {
  const ModelSpec model = small_gpt();
  Plan plan = plan_for(model, {2, 1}, 4, 2);
  plan.optimizer = Optimizer::adam;
  TrainOptions options;
  options.steps = 2;
  const auto once = [&] {
    return trained_on(cuda_backend(gpu_module(), plan, cuda::Precision::fp32, true).value(), model, plan, options);
  };
  const Trained first = once(), second = once();
  QVERIFY(!first.parameters.layers.empty());
  QVERIFY(first.parameters.layers == second.parameters.layers);
  QCOMPARE(first.log.losses(), second.log.losses());
}

void TestCudaTraining::what_is_not_there_is_said() {
  const auto said = [](const auto& result, const char* what) {
    return !result.has_value() && result.error().text().find(what) != std::string::npos;
  };
  QVERIFY(pipedeck_cuda("0.0.0-other") == nullptr);
  QVERIFY(said(cuda_module_in("/nowhere/pipedeck-cuda.so"), "/nowhere/pipedeck-cuda.so"));

  const std::size_t gpus = gpu_module().gpus().size();
  const ModelSpec model = small_mlp(24, 40);
  const Plan many = plan_for(model, std::vector<int>(gpus + 1, 1), 2, 2);
  const auto too_few = cuda_backend(gpu_module(), many, cuda::Precision::fp32, false);
  QVERIFY(said(too_few, "--oversubscribe"));
  QCOMPARE(too_few.error().code, ErrorCode::bad_usage);
  const auto shared = cuda_backend(gpu_module(), many, cuda::Precision::fp32, true);
  QVERIFY(shared.has_value() && shared->warning.find("share") != std::string::npos);

  Plan cut = plan_for(model, {2}, 2, 2);
  cut.stages.front().tensor_parallel = 2;
  const auto refused = cuda_backend(gpu_module(), cut, cuda::Precision::fp32, true);
  QVERIFY(said(refused, "found 2, expected 1"));
  QCOMPARE(refused.error().place, std::string("/stages/0/tensor_parallel"));

  const auto kinds = make_layers(small_cnn(), shared->kernels);
  QVERIFY(said(kinds, "can't be trained on GPUs"));
}

QTEST_GUILESS_MAIN(TestCudaTraining)
#include "tst_cuda_training.moc"
