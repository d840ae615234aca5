// SPDX-License-Identifier: Apache-2.0
// Whole runs on several GPUs that NCCL joins, in one process and in one a GPU: what they train, and how they end when
// something breaks.
#include <QTest>

#include <atomic>
#include <cmath>
#include <deque>
#include <future>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/module.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/wires.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;
using namespace std::chrono_literals;

extern "C" const runtime::cuda::Module* pipedeck_cuda(const char* version);

namespace {

const runtime::cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

runtime::layers::Backend can_use_nccl(
    const Plan& plan, const runtime::transport::ProcessGroup& processes = runtime::transport::ProcessGroup()) {
  auto backend = runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, false, processes);
  if (!backend) qFatal("%s", backend.error().text().c_str());
  return *std::move(backend);
}

struct Outcome {
  runtime::train::TrainedParameters parameters;
  EventLog log;
  QString error;  ///< empty where it went well
  std::chrono::duration<double> took{};
};

Outcome run_of(const runtime::layers::Backend& backend, const ModelSpec& model, const Plan& plan,
               const runtime::train::TrainOptions& options, const std::function<void(const RunEvent&)>& also = {},
               const runtime::train::RunEnvironment& site = runtime::train::single_process()) {
  Outcome outcome;
  const auto sink = outcome.log.sink();
  const auto began = runtime::tensor::RunClock::now();
  auto trained = runtime::train_with(
      backend, model, plan, built(plan), options,
      [&](const RunEvent& event) {
        sink(event);
        if (also) also(event);
      },
      {}, site);
  outcome.took = runtime::tensor::RunClock::now() - began;
  if (trained)
    outcome.parameters = *std::move(trained);
  else
    outcome.error = QString::fromStdString(trained.error().text());
  return outcome;
}

runtime::train::TrainOptions steps_of(int steps, std::chrono::milliseconds timeout = 60s) {
  runtime::train::TrainOptions options;
  options.steps = steps;
  options.timeout = timeout;
  return options;
}

ModelSpec model_named(const QString& name) {
  ModelSpec model = name == "GPT"       ? small_gpt(1, 16, 4, 12)
                    : name == "VGG"     ? small_cnn()
                    : name == "Mixtral" ? small_mixtral()
                                        : small_mlp(9, 6, 7, 5);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  model.learning_rate = 0.05;
  return model;
}

/// Stage s on `replicas[s]` of `degrees[s]` devices each.
Plan plan_on(const ModelSpec& model, const QList<int>& replicas, const QList<int>& degrees, int micro_batches = 3) {
  std::vector<int> devices;
  for (qsizetype s = 0; s < replicas.size(); ++s) devices.push_back(replicas[s] * degrees[s]);
  Plan plan = plan_for(model, devices, 4, micro_batches);
  for (qsizetype s = 0; s < degrees.size(); ++s) plan.stages[static_cast<std::size_t>(s)].tensor_parallel = degrees[s];
  plan.optimizer = Optimizer::sgd;
  return plan;
}

int devices_of(const Plan& plan) { return static_cast<int>(devices_used(plan).size()); }

}  // namespace

class TestCudaRuns : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void init();
  void cleanup();
  void plansEqualOneDevice_data();
  void plansEqualOneDevice();
  void asynchronousPlansEqualTheProcessors();
  void copiesWhereDevicesShareGpus();
#ifdef PIPEDECK_CUDA_STAND_IN
  void strictGpus_data();
  void strictGpus();
  void driversReadTheirEnvironment();
  void streamsShareQueues();
  void oneProcessAGpu();
  void gpusOfProcesses();
  void aPeerIsLost_data();
  void aPeerIsLost();
  void aGpuIsLost_data();
  void aGpuIsLost();
  void aGpuHangs();
  void noMemory();
  void whatCannotBegin();
  void nobodyWaitsWithinAStep_data();
  void nobodyWaitsWithinAStep();
#endif
};

void TestCudaRuns::initTestCase() { SKIP_WITHOUT_GPU(2); }
void TestCudaRuns::init() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
#endif
}
void TestCudaRuns::cleanup() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  QTRY_VERIFY2_WITH_TIMEOUT(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str(), 20000);
#endif
}

void TestCudaRuns::plansEqualOneDevice_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<QList<int>>("degrees");
  QTest::addColumn<int>("overlap");
  QTest::addColumn<bool>("recompute");
  QTest::addColumn<int>("level");
  const auto row = [](const char* name, const char* model, QList<int> replicas, QList<int> degrees,
                      Overlap overlap = Overlap::none, bool recompute = false, int level = 0) {
    QTest::newRow(name) << QString(model) << replicas << degrees << static_cast<int>(overlap) << recompute << level;
  };
  row("two stages", "GPT", {1, 1}, {1, 1});
  row("two replicas", "MLP", {2}, {1});
  row("two replicas, reduced beside the passes", "MLP", {2}, {1}, Overlap::layer);
  row("tensor-parallel", "GPT", {1}, {2});
  row("replicas of unlike numbers", "MLP", {2, 1, 3}, {1, 1, 1});
  row("all of it, in buckets", "GPT", {2, 1}, {2, 2}, Overlap::bucket);
  row("stages, recomputed", "MLP", {1, 1, 1}, {1, 1, 1}, Overlap::none, true);
  row("optimizer states in pieces", "MLP", {3}, {1}, Overlap::none, false, 1);
  row("gradients in pieces, reduced beside the passes", "GPT", {3}, {1}, Overlap::layer, false, 2);
  row("weights in pieces, tensor-parallel", "GPT", {2}, {2}, Overlap::none, true, 3);
  row("weights in pieces, gathered ahead", "GPT", {3}, {1}, Overlap::layer, true, 3);
  row("experts, stages of replicas", "Mixtral", {2, 1}, {1, 1}, Overlap::layer, true);
  row("experts, tensor-parallel", "Mixtral", {2, 1}, {2, 2}, Overlap::bucket);
  row("experts, weights in pieces, gathered ahead", "Mixtral", {3}, {1}, Overlap::layer, false, 3);
}

void TestCudaRuns::plansEqualOneDevice() {
  QFETCH(QString, model);
  QFETCH(QList<int>, replicas);
  QFETCH(QList<int>, degrees);
  QFETCH(int, overlap);
  QFETCH(bool, recompute);
  QFETCH(int, level);
  const ModelSpec spec = model_named(model);
  Plan plan = plan_on(spec, replicas, degrees), single = plan_on(spec, {1}, {1}, 3);
  plan.sharding.level = level;
  if (level == 3 && static_cast<Overlap>(overlap) != Overlap::none) plan.choices.emplace();  // gathers weights ahead
  for (Stage& stage : plan.stages) stage.recompute.all = recompute;
  if (const QByteArray why = why_no_gpus(devices_of(plan)); !why.isEmpty()) QSKIP("too few GPUs");
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::set_delay(50);
#endif
  runtime::train::TrainOptions options = steps_of(3);
  const Outcome expected = run_of(runtime::cpu::cpu_backend(), spec, single, options);
  options.overlap = static_cast<Overlap>(overlap);
  const Outcome found = run_of(can_use_nccl(plan), spec, plan, options);
  QVERIFY2(found.error.isEmpty(), qPrintable(found.error));
  const double most = trained_within(spec, sums_here().front());
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), most);
  VERIFY_BELOW(loss_difference(found.log.losses(), expected.log.losses()), most);
  const auto started = found.log.of<RunStarted>();
  QVERIFY2(started.front().backend.starts_with("cuda, NCCL 2."), started.front().backend.c_str());
}

void TestCudaRuns::asynchronousPlansEqualTheProcessors() {
  const ModelSpec model = model_named("MLP");
  Plan plan = plan_for(model, {1, 1}, 4, 2);
  plan.schedule = ScheduleKind::pipedream;
  plan.optimizer = Optimizer::sgd;
  const Outcome expected = run_of(runtime::cpu::cpu_backend(), model, plan, steps_of(4));
  QVERIFY2(expected.error.isEmpty(), qPrintable(expected.error));
  const Outcome found = run_of(can_use_nccl(plan), model, plan, steps_of(4));
  QVERIFY2(found.error.isEmpty(), qPrintable(found.error));
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), trained_within(model, sums_here().front()));
}

void TestCudaRuns::copiesWhereDevicesShareGpus() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1}, {1, 1});
  const runtime::layers::Backend backend =
      runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, true).value();
  QVERIFY(!backend.join);
  const Outcome found = run_of(backend, model, plan, steps_of(1));
  const auto started = found.log.of<RunStarted>();
  QVERIFY2(started.front().backend.starts_with("cuda, copies"), started.front().backend.c_str());
  const Plan single = plan_on(model, {1}, {1});
  QVERIFY(runtime::cuda::cuda_backend(gpu_module(), single, runtime::cuda::Precision::fp32, false)->transport.empty());
}

#ifdef PIPEDECK_CUDA_STAND_IN

/// Whole trainings on GPUs that show all that the stand-in can ask for.
void TestCudaRuns::strictGpus_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<QList<int>>("degrees");
  QTest::addColumn<int>("schedule");
  QTest::addColumn<int>("overlap");
  const auto row = [](const char* name, const char* model, QList<int> replicas, QList<int> degrees,
                      ScheduleKind schedule, Overlap overlap) {
    QTest::newRow(name) << QString(model) << replicas << degrees << static_cast<int>(schedule)
                        << static_cast<int>(overlap);
  };
  row("GPipe", "MLP", {1, 1, 1}, {1, 1, 1}, ScheduleKind::gpipe, Overlap::none);
  row("convolutions", "VGG", {1, 1}, {1, 1}, ScheduleKind::one_f_one_b, Overlap::none);
  row("1F1B, replicas of unlike numbers", "MLP", {2, 1, 3}, {1, 1, 1}, ScheduleKind::one_f_one_b, Overlap::layer);
  row("tensor-parallel stages of replicas", "GPT", {2, 1}, {2, 2}, ScheduleKind::one_f_one_b, Overlap::none);
  // Blocks of the first step are allocated while gradients are reduced: if that waited for the GPU, four GPUs would
  // wait for each other.
  row("tensor-parallel stages of replicas, overlapped", "GPT", {2, 1}, {2, 2}, ScheduleKind::one_f_one_b,
      Overlap::bucket);
  row("tensor-parallel stages of replicas, layer by layer", "GPT", {2, 1}, {2, 2}, ScheduleKind::gpipe, Overlap::layer);
  // The host waits for the GPU in the midst of a pass.
  row("experts of tensor-parallel stages of replicas", "Mixtral", {2, 1}, {2, 2}, ScheduleKind::one_f_one_b,
      Overlap::bucket);
  row("experts, layer by layer", "Mixtral", {2, 2}, {1, 1}, ScheduleKind::one_f_one_b, Overlap::layer);
}

void TestCudaRuns::strictGpus() {
  QFETCH(QString, model);
  QFETCH(QList<int>, replicas);
  QFETCH(QList<int>, degrees);
  QFETCH(int, schedule);
  QFETCH(int, overlap);
  const ModelSpec spec = model_named(model);
  Plan plan = plan_on(spec, replicas, degrees);
  plan.schedule = static_cast<ScheduleKind>(schedule);
  runtime::train::TrainOptions options = steps_of(2, 20s);
  const Outcome expected = run_of(runtime::cpu::cpu_backend(), spec, plan_on(spec, {1}, {1}), options);
  cuda_stand_in::set_strictness(
      {.lazy_loading = true, .hardware_queues = true, .allocation_waits = true, .unsteady_convolutions = true});
  cuda_stand_in::set_delay(20);
  options.overlap = static_cast<Overlap>(overlap);
  const Outcome found = run_of(can_use_nccl(plan), spec, plan, options);
  QVERIFY2(found.error.isEmpty(), qPrintable(found.error));
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), trained_within(spec, sums_here().front()));
  QCOMPARE(cuda_stand_in::loading_waits(), 0);
}

/// The settings count only before the first call, and the user's own come first.
void TestCudaRuns::driversReadTheirEnvironment() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1}, {1, 1});
  for (const char* chosen : {"", "LAZY"}) {
    if (*chosen != '\0')
      qputenv("CUDA_MODULE_LOADING", chosen);
    else
      qunsetenv("CUDA_MODULE_LOADING");
    qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    cuda_stand_in::reset();
    cuda_stand_in::set_strictness({.lazy_loading = true});
    cuda_stand_in::set_delay(200);
    const Outcome found = run_of(can_use_nccl(plan), model, plan, steps_of(2));
    QVERIFY2(found.error.isEmpty(), qPrintable(found.error));
    QCOMPARE(qgetenv("CUDA_DEVICE_MAX_CONNECTIONS"), QByteArray("32"));
    QCOMPARE(cuda_stand_in::loading_waits() > 0, *chosen != '\0');
  }
  qunsetenv("CUDA_MODULE_LOADING");
}

/// With one queue, work of another stream waits behind a wait; with two it does not.
void TestCudaRuns::streamsShareQueues() {
  for (const char* queues : {"1", "2"}) {
    qputenv("CUDA_DEVICE_MAX_CONNECTIONS", queues);
    cuda_stand_in::reset();
    cuda_stand_in::set_strictness({.hardware_queues = true});
    cudaStream_t waits = nullptr, other = nullptr, late = nullptr;
    cudaEvent_t event = nullptr;
    QCOMPARE(cudaSetDevice(0), cudaSuccess);
    for (cudaStream_t* stream : {&waits, &other})
      QCOMPARE(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    QCOMPARE(cudaSetDevice(1), cudaSuccess);
    QCOMPARE(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking), cudaSuccess);
    QCOMPARE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    std::promise<void> go;
    QCOMPARE(cudaLaunchHostFunc(
                 late, [](void* data) { static_cast<std::promise<void>*>(data)->get_future().wait(); }, &go),
             cudaSuccess);
    QCOMPARE(cudaEventRecord(event, late), cudaSuccess);
    QCOMPARE(cudaSetDevice(0), cudaSuccess);
    QCOMPARE(cudaStreamWaitEvent(waits, event, 0), cudaSuccess);
    std::atomic<bool> done = false;
    QCOMPARE(cudaLaunchHostFunc(
                 other, [](void* data) { *static_cast<std::atomic<bool>*>(data) = true; }, &done),
             cudaSuccess);
    if (*queues == '2')
      QTRY_VERIFY(done);
    else
      QTest::qWait(50);
    QCOMPARE(done.load(), *queues == '2');
    go.set_value();
    QTRY_VERIFY(done);
    for (cudaStream_t stream : {waits, other, late}) QCOMPARE(cudaStreamDestroy(stream), cudaSuccess);
    QCOMPARE(cudaEventDestroy(event), cudaSuccess);
  }
  qunsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
}

/// Each process has one worker, its own control and its own part of NCCL's communicators; the first returns what all
/// have trained.
void TestCudaRuns::oneProcessAGpu() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {2, 1}, {1, 1});
  const Outcome expected = run_of(runtime::cpu::cpu_backend(), model, plan_on(model, {1}, {1}), steps_of(3));
  const auto processes = static_cast<std::size_t>(devices_of(plan));
  Wires wires(processes);
  Rounds rounds(processes);
  std::vector<Outcome> outcomes(processes);
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      const auto process = std::make_shared<ProcessOfOne>(rounds, p, 0);
      const runtime::train::RunEnvironment site{[&wires, p](const auto&, runtime::transport::RunControl& control) {
                                                  return std::make_unique<WireTransport>(wires, p, control);
                                                },
                                                process};
      outcomes[p] = run_of(can_use_nccl(plan, *process), model, plan, steps_of(3), {}, site);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) QVERIFY2(outcome.error.isEmpty(), qPrintable(outcome.error));
  VERIFY_BELOW(parameter_difference(outcomes[0].parameters, expected.parameters), 1e-5);
  VERIFY_BELOW(loss_difference(outcomes[0].log.losses(), expected.log.losses()), 1e-5);
}

/// Processes that see all GPUs of their machine take them in turn; those that see their own begin with the first.
void TestCudaRuns::gpusOfProcesses() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1, 1}, {1, 1, 1});
  Rounds rounds(3);
  const auto words = [&](std::size_t process, int gpus, bool apart) {
    cuda_stand_in::set_devices(gpus);
    const ProcessOfOne own(rounds, process, apart);
    const auto backend = runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, false, own);
    if (!backend) return QString::fromStdString(backend.error().text());
    cuda_stand_in::fail_call(1, "cudaMalloc", cudaErrorMemoryAllocation);
    try {
      backend->device(process)->allocate(4);
    } catch (const runtime::tensor::OutOfMemory& error) {
      return QString(error.what()).section(':', 0, 0);  // "GPU 1"
    }
    return QString("no error");
  };
  QCOMPARE(words(1, 3, false), QString("GPU 1"));
  QCOMPARE(words(2, 3, false), QString("GPU 2"));
  QCOMPARE(words(2, 1, false), QString("GPU 0"));
  QCOMPARE(words(2, 3, true), QString("GPU 0"));
  QVERIFY(words(2, 0, false).contains("cudaGetDeviceCount"));
}

void TestCudaRuns::aPeerIsLost_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<QList<int>>("degrees");
  QTest::newRow("stages") << QList<int>{1, 1} << QList<int>{1, 1};
  QTest::newRow("replicas") << QList<int>{2} << QList<int>{1};
  QTest::newRow("tensor-parallel") << QList<int>{1} << QList<int>{2};
}

void TestCudaRuns::aPeerIsLost() {
  QFETCH(QList<int>, replicas);
  QFETCH(QList<int>, degrees);
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, replicas, degrees);
  const Outcome outcome = run_of(can_use_nccl(plan), model, plan, steps_of(100000, 30s), [](const RunEvent& event) {
    if (const auto* step = std::get_if<StepDone>(&event); step && step->step == 2) cuda_stand_in::lose_peers();
  });
  QVERIFY2(outcome.error.contains("a peer was lost") && outcome.error.contains("(error 6)"), qPrintable(outcome.error));
  QVERIFY2(outcome.took < 30s, qPrintable(QString::number(outcome.took.count())));
  QCOMPARE(outcome.log.of<RunFailed>().size(), std::size_t{1});
}

void TestCudaRuns::aGpuIsLost_data() {
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("words");
  QTest::addColumn<QString>("joined");
  for (const char* joined : {"nccl", "copies", "alone"}) {
    QTest::addRow("ECC, %s", joined) << int(cudaErrorECCUncorrectable) << "the GPU's memory is damaged (ECC)" << joined;
    QTest::addRow("off the bus, %s", joined) << int(cudaErrorUnknown) << "the GPU fell off the bus" << joined;
  }
}

void TestCudaRuns::aGpuIsLost() {
  QFETCH(int, status);
  QFETCH(QString, words);
  QFETCH(QString, joined);
  const ModelSpec model = model_named("MLP");
  const Plan plan = joined == "alone" ? plan_on(model, {1}, {1}) : plan_on(model, {2, 1}, {1, 1});
  if (joined == "copies") cuda_stand_in::set_devices(2);
  const runtime::layers::Backend backend =
      runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, joined == "copies").value();
  const Outcome outcome = run_of(backend, model, plan, steps_of(100000, 30s), [&](const RunEvent& event) {
    if (const auto* step = std::get_if<StepDone>(&event); step && step->step == 2)
      cuda_stand_in::lose_devices(static_cast<cudaError_t>(status));
  });
  QVERIFY2(outcome.error.contains(words), qPrintable(outcome.error));
  QVERIFY(outcome.took < 30s);
}

/// A GPU that stops without an error: the time-out, from any waiting worker.
void TestCudaRuns::aGpuHangs() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1}, {1, 1});
  const Outcome outcome = run_of(can_use_nccl(plan), model, plan, steps_of(100000, 2s), [](const RunEvent& event) {
    if (const auto* step = std::get_if<StepDone>(&event); step && step->step == 2) cuda_stand_in::hang_device(1);
  });
  QVERIFY2(outcome.error.contains("device ") && outcome.error.contains("time-out 2.0 s"), qPrintable(outcome.error));
  QVERIFY2(outcome.took < 20s, qPrintable(QString::number(outcome.took.count())));
}

void TestCudaRuns::noMemory() {
  {
    const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
    cuda_stand_in::set_memory(1000);
    const auto profile = runtime::profile::profile_with(gpus->backend, {}, model_named("MLP"), {{2}, {}, {}});
    QVERIFY2(!profile && profile.error().code == ErrorCode::run_failed, "a profile that has no memory");
    QVERIFY2(profile.error().message.find("take a smaller micro-batch") != std::string::npos,
             profile.error().message.c_str());
  }
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1}, {1, 1});
  cuda_stand_in::set_memory(6000);
  const Outcome outcome = run_of(can_use_nccl(plan), model, plan, steps_of(2, 10s));
  QVERIFY2(outcome.error.contains("out of memory") && outcome.error.contains("take a smaller micro-batch"),
           qPrintable(outcome.error));
}

void TestCudaRuns::whatCannotBegin() {
  const ModelSpec model = model_named("MLP");
  const Plan plan = plan_on(model, {1, 1}, {1, 1});
  const auto words = [&](bool oversubscribe = false) {
    const auto backend = runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, oversubscribe);
    return QString::fromStdString(backend ? "warning: " + backend->warning : backend.error().text());
  };
  QCOMPARE(words(), QString("warning: "));
  cuda_stand_in::set_driver(11080);
  QVERIFY2(words().contains("expected one for CUDA") && words().contains("install a newer"), qPrintable(words()));
  cuda_stand_in::set_driver(CUDART_VERSION);
  cuda_stand_in::set_devices(1);
  QVERIFY2(words().contains("found 1 GPUs") && words().contains("--oversubscribe"), qPrintable(words()));
  cuda_stand_in::set_devices(2);
  cuda_stand_in::set_name(1, "A smaller GPU");
  QVERIFY2(words().contains("not alike") && words().contains("A smaller GPU"), qPrintable(words()));
  cuda_stand_in::set_name(1, "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  QVERIFY2(words().contains("MIG slice") && words().contains("expected whole GPUs"), qPrintable(words()));
  QVERIFY2(words(true).startsWith("warning: "), qPrintable(words(true)));
  // Lost between looking and beginning.
  cuda_stand_in::reset();
  const runtime::layers::Backend backend = can_use_nccl(plan);
  cuda_stand_in::lose_devices(cudaErrorECCUncorrectable);
  const Outcome outcome = run_of(backend, model, plan, steps_of(1));
  QVERIFY2(outcome.error.contains("(ECC)"), qPrintable(outcome.error));
}

void TestCudaRuns::nobodyWaitsWithinAStep_data() {
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<QList<int>>("degrees");
  QTest::addColumn<bool>("by_copies");
  QTest::newRow("one device") << QList<int>{1} << QList<int>{1} << false;
  QTest::newRow("stages") << QList<int>{1, 1} << QList<int>{1, 1} << false;
  QTest::newRow("replicas, beside the passes") << QList<int>{2, 2} << QList<int>{1, 1} << false;
  QTest::newRow("tensor-parallel") << QList<int>{1} << QList<int>{2} << false;
  QTest::newRow("copies") << QList<int>{2, 1} << QList<int>{1, 1} << true;
}

/// Calls that make the host wait for a device are those at a step's end: one for each loss, and a few a device. More
/// micro-batches make no more of them.
void TestCudaRuns::nobodyWaitsWithinAStep() {
  QFETCH(QList<int>, replicas);
  QFETCH(QList<int>, degrees);
  QFETCH(bool, by_copies);
  const ModelSpec model = model_named("MLP");
  const auto waits = [&](int micro_batches) {
    const Plan plan = plan_on(model, replicas, degrees, micro_batches);
    if (by_copies) cuda_stand_in::set_devices(2);
    const runtime::layers::Backend backend =
        runtime::cuda::cuda_backend(gpu_module(), plan, runtime::cuda::Precision::fp32, by_copies).value();
    constexpr int warm = 4, all = 8;
    runtime::train::TrainOptions options = steps_of(all);
    options.overlap = Overlap::layer;
    if (plan.stages.front().devices.size() == 1 || degrees.front() > 1) options.overlap = Overlap::none;
    int from = 0, until = 0;
    const Outcome outcome = run_of(backend, model, plan, options, [&](const RunEvent& event) {
      const auto* step = std::get_if<StepDone>(&event);
      if (step && step->step == warm) from = cuda_stand_in::waiting_calls();
      if (step && step->step == all) until = cuda_stand_in::waiting_calls();
    });
    if (!outcome.error.isEmpty()) qWarning("%s", qPrintable(outcome.error));
    const int losses = 2 * (all - warm) * micro_batches * replicas.back();  // a copy, and waiting for it
    return (until - from) - losses;
  };
  const int few = waits(2), many = waits(8);
  QVERIFY(few > 0);
  QVERIFY2(many <= few, qPrintable(QString("%1 with 2 micro-batches, %2 with 8").arg(few).arg(many)));
}
#endif

QTEST_GUILESS_MAIN(TestCudaRuns)
#include "tst_cuda_runs.moc"
