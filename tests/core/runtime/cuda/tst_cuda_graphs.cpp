// SPDX-License-Identifier: Apache-2.0
// Passes that are recorded as CUDA graphs and done again give the bits of passes that are not.
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>
#include <thread>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

runtime::layers::Backend with_graphs(const Plan& plan,
                                     runtime::cuda::Precision precision = runtime::cuda::Precision::fp32) {
  return gpus_for(plan, precision);
}

runtime::layers::Backend without_graphs(const Plan& plan,
                                        runtime::cuda::Precision precision = runtime::cuda::Precision::fp32) {
  runtime::layers::Backend backend = gpus_for(plan, precision);
  backend.recorded.clear();
  return backend;
}

bool same_bits(const runtime::train::TrainedParameters& a, const runtime::train::TrainedParameters& b) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  const auto same = [&](const auto& x, const auto& y) { return std::ranges::equal(x, y, {}, bits, bits); };
  return !a.layers.empty() && std::ranges::equal(a.layers, b.layers, same);
}

QByteArray difference(const Trained& found, const Trained& expected) {
  if (!same_bits(found.parameters, expected.parameters)) return "other parameters";
  if (found.log.losses() != expected.log.losses()) return "other losses";
  return {};
}

std::string warnings(const EventLog& log) {
  std::string all;
  for (const RunWarning& warning : log.of<RunWarning>()) all += warning.message + "\n";
  return all;
}

std::string started_on(const EventLog& log) { return log.of<RunStarted>().front().backend; }

}  // namespace

#define SAME_BITS(found, expected)                          \
  do {                                                      \
    const QByteArray differs = difference(found, expected); \
    QVERIFY2(differs.isEmpty(), differs);                   \
  } while (false)

class TestCudaGraphs : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void cleanup();

  void a_graph_does_what_was_recorded();
  void what_cannot_be_recorded_is_said();
  void a_graph_is_not_valid_once_the_workspace_has_moved();
  void every_kind_gives_the_same_bits_data();
  void every_kind_gives_the_same_bits();
  void every_schedule_gives_the_same_bits_data();
  void every_schedule_gives_the_same_bits();
  void layers_cut_over_devices_are_computed_plainly();
  void replicas_give_the_same_bits();
  void a_run_goes_on_from_a_checkpoint();
  void memory_is_that_of_plain_passes();
#ifdef PIPEDECK_CUDA_STAND_IN
  void later_steps_record_nothing();
  void a_library_that_cannot_be_captured_is_called_plainly();
  void a_call_that_fails_once_is_made_up_for_data();
  void a_call_that_fails_once_is_made_up_for();
  void memory_that_was_freed_is_found();
  void other_threads_do_as_they_like();
#endif
};

void TestCudaGraphs::cleanup() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
#endif
}

void TestCudaGraphs::a_graph_does_what_was_recorded() {
  runtime::cuda::Context context(0, runtime::cuda::Precision::fp32);
  OnDevice values(context, {1, 2, 3});
  float factor = 2;
  const runtime::cuda::Graph graph =
      context.record([&] { runtime::cuda::scale(context.stream(), values.floats(), factor, std::int64_t{3}); });
  QCOMPARE(values.read(), (std::vector<float>{1, 2, 3}));  // recorded, not done
  factor = 100;
  for (int i = 0; i < 3; ++i) graph.launch(context.stream());
  QCOMPARE(values.read(), (std::vector<float>{8, 16, 24}));  // with the number of then
}

/// A capturing thread must not wait; earlier work is not done, and everything continues.
void TestCudaGraphs::what_cannot_be_recorded_is_said() {
  runtime::cuda::CudaDevice device(0, runtime::cuda::Precision::fp32);
  OnDevice values(device.context(), {1, 2, 3});
  const auto refused = [&](const std::function<void()>& work) -> std::string {
    try {
      device.record([&] {
        device.scale({values.floats(), 3}, 5);
        work();
      });
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "recorded";
  };
  using Words = std::string;
  QVERIFY(refused([&] { device.now(); }).find("another device waits") != Words::npos);
  QVERIFY(refused([&] { device.synchronise(); }).find("the host waits") != Words::npos);
  QVERIFY(refused([&] { device.allocate(8); }).find("a block of memory more") != Words::npos);
  QVERIFY(refused([&] { device.context().workspace(1 << 20); }).find("has to grow") != Words::npos);
  QVERIFY(refused([&] {
            runtime::cuda::check(cudaStreamSynchronize(device.stream()), "cudaStreamSynchronize");
          }).find("cudaStreamSynchronize: operation not permitted when stream is capturing") != Words::npos);
  QVERIFY(refused([&] {
            const runtime::cuda::Event event = runtime::cuda::make_event();
            runtime::cuda::check(cudaEventRecord(event.get(), device.stream()), "cudaEventRecord");
            runtime::cuda::check(cudaEventQuery(event.get()), "cudaEventQuery");
          }).find("cudaEventQuery") != Words::npos);
  // The error is reported at the end, too.
  QVERIFY(refused([&] { static_cast<void>(cudaStreamSynchronize(device.stream())); }).find("cudaStreamEndCapture") !=
          Words::npos);
  QCOMPARE(values.read(), (std::vector<float>{1, 2, 3}));
  device.record([&] { device.scale({values.floats(), 3}, 5); })->launch();
  QCOMPARE(values.read(), (std::vector<float>{5, 10, 15}));
}

void TestCudaGraphs::a_graph_is_not_valid_once_the_workspace_has_moved() {
  runtime::cuda::CudaDevice device(0, runtime::cuda::Precision::fp32);
  OnDevice values(device.context(), {1, 2, 3});
  device.context().workspace(1 << 10);
  const auto work = device.record([&] {
    device.context().workspace(1 << 10);
    device.scale({values.floats(), 3}, 5);
  });
  device.context().workspace(1 << 9);
  QVERIFY(work->valid());
  device.context().workspace(1 << 20);
  QVERIFY(!work->valid());
}

void TestCudaGraphs::every_kind_gives_the_same_bits_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<bool>("halves");
  for (const auto& [name, model] : models())
    for (const bool halves : {false, true})
      QTest::addRow("%s%s", qPrintable(name), halves ? ", bf16" : "") << name << halves;
}

/// Adam divides by what depends on the number of the step.
void TestCudaGraphs::every_kind_gives_the_same_bits() {
  QFETCH(QString, model);
  QFETCH(bool, halves);
  const auto precision = halves ? runtime::cuda::Precision::bf16 : runtime::cuda::Precision::fp32;
  const ModelSpec spec = models().at(model);
  for (const bool recompute : {false, true}) {
    Plan plan = plan_for(spec, {1, 1}, 2, 3);
    plan.optimizer = Optimizer::adam;
    for (Stage& stage : plan.stages) stage.recompute.all = recompute;
    const Trained expected = trained_on(without_graphs(plan, precision), spec, plan, steps_of(4)),
                  found = trained_on(with_graphs(plan, precision), spec, plan, steps_of(4));
    SAME_BITS(found, expected);
    QCOMPARE(started_on(found.log), started_on(expected.log) + ", CUDA graphs");
    const bool experts = model == "Mixtral";  // their numbers of rows differ from step to step
    if (experts)
      QVERIFY2(warnings(found.log).find("passes are not recorded: the host reads values") != std::string::npos,
               warnings(found.log).c_str());
    else
      QCOMPARE(warnings(found.log), warnings(expected.log));
#ifdef PIPEDECK_CUDA_STAND_IN
    QCOMPARE(cuda_stand_in::graphs_launched() > cuda_stand_in::graphs_made(), !experts);
    cuda_stand_in::reset();
#endif
  }
}

void TestCudaGraphs::every_schedule_gives_the_same_bits_data() {
  QTest::addColumn<int>("schedule");
  QTest::addColumn<int>("chunks");
  using enum ScheduleKind;
  const auto row = [](const char* name, ScheduleKind kind, int chunks) {
    QTest::newRow(name) << static_cast<int>(kind) << chunks;
  };
  row("GPipe", gpipe, 1);
  row("1F1B", one_f_one_b, 1);
  row("interleaved", interleaved, 2);
  row("ZB-H1", zb_h1, 1);
  row("ZB-V", zb_v, 2);
  row("PipeDream", pipedream, 1);
  row("PipeDream-2BW", pipedream_2bw, 1);
}

void TestCudaGraphs::every_schedule_gives_the_same_bits() {
  QFETCH(int, schedule);
  QFETCH(int, chunks);
  const ModelSpec spec = small_gpt(4);
  Plan plan = placed_plan(spec, static_cast<ScheduleKind>(schedule), {1, 1}, chunks, 2, 4);
  plan.optimizer = Optimizer::momentum;
  const Trained expected = trained_on(without_graphs(plan), spec, plan, steps_of(4)),
                found = trained_on(with_graphs(plan), spec, plan, steps_of(4));
  SAME_BITS(found, expected);
#ifdef PIPEDECK_CUDA_STAND_IN
  QVERIFY(cuda_stand_in::graphs_launched() > cuda_stand_in::graphs_made());
#endif
}

/// They wait for each other within a pass.
void TestCudaGraphs::layers_cut_over_devices_are_computed_plainly() {
  const ModelSpec spec = models().at("GPT");
  for (const std::vector<int>& degrees : {std::vector{2, 1}, {2, 2}}) {
    Plan plan = cut_plan(spec, {1, 1}, degrees);
    plan.optimizer = Optimizer::adam;
    const Trained expected = trained_on(without_graphs(plan), spec, plan, steps_of(4)),
                  found = trained_on(with_graphs(plan), spec, plan, steps_of(4));
    SAME_BITS(found, expected);
    QCOMPARE(started_on(found.log),
             started_on(expected.log) + (degrees[1] == 1 ? ", CUDA graphs but of layers that are cut over devices"
                                                         : ", no CUDA graphs, for all layers are cut over devices"));
  }
}

/// Gradients are reduced after the passes, and during the last of them, which is not captured.
void TestCudaGraphs::replicas_give_the_same_bits() {
  const ModelSpec spec = small_gpt();
  for (const Overlap overlap : {Overlap::none, Overlap::layer}) {
    Plan plan = plan_for(spec, {2, 3}, 6, 3);
    plan.optimizer = Optimizer::adam;
    runtime::train::TrainOptions options = steps_of(4);
    options.overlap = overlap;
    const Trained expected = trained_on(without_graphs(plan), spec, plan, options),
                  found = trained_on(with_graphs(plan), spec, plan, options);
    SAME_BITS(found, expected);
  }
}

void TestCudaGraphs::a_run_goes_on_from_a_checkpoint() {
  const ModelSpec spec = small_gpt();
  Plan plan = plan_for(spec, {1, 1}, 2, 4);
  plan.optimizer = Optimizer::adam;
  const QTemporaryDir folder;
  const Trained whole = trained_on(without_graphs(plan), spec, plan, steps_of(6));
  runtime::train::TrainOptions first = steps_of(3), second = steps_of(6);
  first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
  trained_on(with_graphs(plan), spec, plan, first);
  auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
  QVERIFY(kept.has_value());
  second.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
  const Trained rest = trained_on(with_graphs(plan), spec, plan, second);
  QVERIFY(same_bits(rest.parameters, whole.parameters));
}

/// But for the copies of what comes to a pass and of what leaves it.
void TestCudaGraphs::memory_is_that_of_plain_passes() {
  for (const auto& [name, spec] : models()) {
    Plan plan = plan_for(spec, {1}, 2, 3);
    plan.optimizer = Optimizer::adam;
    const Trained plain = trained_on(without_graphs(plan), spec, plan, steps_of(5)),
                  graphs = trained_on(with_graphs(plan), spec, plan, steps_of(5));
    const std::int64_t expected = plain.log.of<StepDone>().back().memory.front().count;
    for (const StepDone& step : graphs.log.of<StepDone>()) {
      if (step.step == 1) continue;  // the workspace grows in the midst of it
      const std::int64_t found = step.memory.front().count;
      QVERIFY2(found >= expected && found <= expected + expected / 50 + 4096,
               qPrintable(QString("%1: %2, plainly %3").arg(name).arg(found).arg(expected)));
    }
  }
}

#ifdef PIPEDECK_CUDA_STAND_IN

/// The second step records all that there is, whatever the steps that follow.
void TestCudaGraphs::later_steps_record_nothing() {
  const ModelSpec spec = small_gpt(4);
  for (const ScheduleKind schedule : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::zb_h1}) {
    Plan plan = placed_plan(spec, schedule, {1, 1, 1}, 1, 2, 8);
    plan.optimizer = Optimizer::sgd;
    std::vector<int> made, launched;
    for (const int steps : {1, 2, 6}) {
      cuda_stand_in::reset();
      trained_on(with_graphs(plan), spec, plan, steps_of(steps));
      made.push_back(cuda_stand_in::graphs_made());
      launched.push_back(cuda_stand_in::graphs_launched());
    }
    const int passes = schedule == ScheduleKind::zb_h1 ? 3 * 3 * 8 : 2 * 3 * 8;
    QCOMPARE(made[0], 0);
    QVERIFY(made[1] > 0 && made[1] <= passes);
    QCOMPARE(made[2], made[1]);
    QCOMPARE(launched[1], passes);
    QCOMPARE(launched[2], 5 * passes);
    // As many as there are micro-batches under way at once, not as many as there are micro-batches.
    if (schedule == ScheduleKind::one_f_one_b)
      QVERIFY2(made[1] <= 2 * (3 + 2 + 1) + 6, qPrintable(QString::number(made[1])));
  }
}

void TestCudaGraphs::a_library_that_cannot_be_captured_is_called_plainly() {
  for (const auto& [model, function] :
       std::vector<std::pair<QString, std::string>>{{"MLP", "cublasLtMatmul"},
                                                    {"VGG", "cudnnConvolutionForward"},
                                                    {"VGG", "cudnnPoolingBackward"},
                                                    {"LSTM", "cudnnRNNForward"},
                                                    {"ResNet", "cudnnBatchNormalizationBackward"}}) {
    const ModelSpec spec = models().at(model);
    Plan plan = plan_for(spec, {1, 1}, 2, 3);
    plan.optimizer = Optimizer::adam;
    const Trained expected = trained_on(without_graphs(plan), spec, plan, steps_of(4));
    const int before = cuda_stand_in::alive();
    cuda_stand_in::refuse_in_captures(function);
    const Trained found = trained_on(with_graphs(plan), spec, plan, steps_of(4));
    cuda_stand_in::reset();
    SAME_BITS(found, expected);
    const std::string said = warnings(found.log);
    QVERIFY2(said.find("are not recorded: GPU ") != std::string::npos, said.c_str());
    QVERIFY2(said.find(function) != std::string::npos, said.c_str());
    QCOMPARE(cuda_stand_in::alive(), before);
  }
}

void TestCudaGraphs::a_call_that_fails_once_is_made_up_for_data() {
  QTest::addColumn<QString>("function");
  for (const char* name : {"cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate", "cudaGraphLaunch"})
    QTest::newRow(name) << name;
}

void TestCudaGraphs::a_call_that_fails_once_is_made_up_for() {
  QFETCH(QString, function);
  const ModelSpec spec = small_gpt();
  Plan plan = plan_for(spec, {1, 1}, 2, 3);
  plan.optimizer = Optimizer::adam;
  const Trained expected = trained_on(without_graphs(plan), spec, plan, steps_of(4));
  const int before = cuda_stand_in::alive();
  for (const int nth : {1, 2, 5}) {
    cuda_stand_in::fail_call(nth, function.toStdString(), cudaErrorMemoryAllocation);
    const Trained found = trained_on(with_graphs(plan), spec, plan, steps_of(4));
    QVERIFY(cuda_stand_in::failed());
    cuda_stand_in::reset();
    SAME_BITS(found, expected);
    QCOMPARE(warnings(found.log), warnings(expected.log));
    QCOMPARE(cuda_stand_in::alive(), before);
  }
}

void TestCudaGraphs::memory_that_was_freed_is_found() {
  runtime::cuda::Context context(0, runtime::cuda::Precision::fp32);
  auto values = std::make_unique<OnDevice>(context, std::vector<float>{1, 2, 3});
  const runtime::cuda::Graph graph = context.record([&] {
    runtime::cuda::check(cudaMemsetAsync(values->data(), 0, 3 * sizeof(float), context.stream()), "cudaMemsetAsync");
  });
  graph.launch(context.stream());
  QCOMPARE(values->read(), (std::vector<float>{0, 0, 0}));
  values.reset();
  QVERIFY_EXCEPTION_THROWN(graph.launch(context.stream()), runtime::cuda::CudaError);
}

/// As the threads of NCCL do, which give work to the stream that computes and ask for memory.
void TestCudaGraphs::other_threads_do_as_they_like() {
  runtime::cuda::CudaDevice device(0, runtime::cuda::Precision::fp32);
  OnDevice mine(device.context(), {1, 2, 3}), others(device.context(), {1, 2, 3});
  const auto work = device.record([&] {
    device.scale({mine.floats(), 3}, 2);
    std::thread([&] {
      device.deallocate(device.allocate(8));
      device.scale({others.floats(), 3}, 10);
      device.synchronise();
    }).join();
    device.scale({mine.floats(), 3}, 2);
  });
  QCOMPARE(others.read(), (std::vector<float>{10, 20, 30}));
  QCOMPARE(mine.read(), (std::vector<float>{1, 2, 3}));
  work->launch();
  QCOMPARE(mine.read(), (std::vector<float>{4, 8, 12}));
  QCOMPARE(others.read(), (std::vector<float>{10, 20, 30}));
}

#endif

QTEST_GUILESS_MAIN(TestCudaGraphs)
#include "tst_cuda_graphs.moc"
