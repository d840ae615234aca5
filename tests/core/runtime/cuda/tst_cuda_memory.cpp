// SPDX-License-Identifier: Apache-2.0
// Memory of runs on GPUs against its prediction from a profile of the same precision: the copies of weights alone, and
// all of it.
#include <QTest>

#include <map>
#include <memory>

#include "core/plan/layer_bytes.hpp"
#include "core/plan/run_prediction.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"
#include "tests/core/runtime/train/paced_layers.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;
using GpuPrecision = runtime::cuda::Precision;

namespace {

/// Models with weights of even and odd widths.
ModelSpec model_named(const QString& name) {
  ModelSpec model = name == "GPT"       ? small_gpt(2, 32, 16, 24)
                    : name == "odd GPT" ? small_gpt(2, 32, 16, 257)
                    : name == "odd MLP" ? small_mlp(97, 6, 63, 15)
                    : name == "Mixtral" ? small_mixtral(2, 32, 16, 24)
                    : name == "VGG"     ? small_cnn(false, 24, 16)
                    : name == "ResNet"  ? small_cnn(true, 24, 16)
                                        : small_lstm(2, 32, 12, 24);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  return model;
}

/// Measures each model once in each precision.
const Profile& profile_of(const QString& name, GpuPrecision precision) {
  static std::map<std::pair<QString, GpuPrecision>, Profile> known;
  const auto found = known.find({name, precision});
  if (found != known.end()) return found->second;
  const ModelSpec model = model_named(name);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), precision);
  if (!gpus) qFatal("%s", gpus.error().text().c_str());
  const runtime::profile::ProfileOptions options{{4}, {2}, {3, 3, 0, Seconds(20)}};
  auto profile = runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", 2}, model, options);
  if (!profile) qFatal("%s", profile.error().text().c_str());
  set_paced_times(*profile);
  return known[{name, precision}] = *std::move(profile);
}

Profile without_copies(Profile profile) {
  for (Layer& layer : profile.layers) {
    layer.memory->weight_copy = {};
    for (TensorParallelPoint& point : layer.tensor_parallel)
      for (ShardingCost& way : point.ways) way.memory.weight_copy = {};
  }
  return profile;
}

Simulation simulated(const Profile& profile, const Plan& plan) {
  const Problem problem{std::make_shared<const Profile>(profile), cluster_of(4), {}};
  auto simulation = sim::simulate(problem, plan);
  if (!simulation) qFatal("%s", simulation.error().text().c_str());
  return *std::move(simulation);
}

/// A run's bytes on each device.
struct Measured {
  std::vector<Bytes> peak, copies, workspace;
};

Measured measured(const ModelSpec& model, const Plan& plan, GpuPrecision precision) {
  runtime::layers::Backend backend = gpus_for(plan, precision);
  std::vector<std::shared_ptr<runtime::cuda::CudaDevice>> devices(devices_used(plan).size());
  backend.device = [make = backend.device, &devices](std::size_t worker) {
    auto made = make(worker);
    devices[worker] = std::dynamic_pointer_cast<runtime::cuda::CudaDevice>(made);
    return made;
  };
  Measured found;
  const auto take = [&](const RunEvent& event) {
    const auto* step = std::get_if<StepDone>(&event);
    if (!step) return;
    found = {step->memory, {}, {}};
    for (const auto& device : devices) {
      found.copies.push_back(device->weights().bytes());
      found.workspace.emplace_back(static_cast<std::int64_t>(device->context().workspace_bytes()));
    }
  };
  const auto trained = runtime::train_with(backend, model, plan, built(plan), steps_of(4), take);
  if (!trained) qFatal("%s", trained.error().text().c_str());
  return found;
}

/// Returns the bytes between layers in a run's lists of weights, gradients and Adam's two moments.
Bytes alignment_of(const Profile& profile) {
  constexpr std::int64_t lists = 4, layer_bytes = 64 * sizeof(float);
  Bytes between;
  for (const Layer& layer : profile.layers)
    between += Bytes(lists * ((layer_bytes - layer.parameters.count % layer_bytes) % layer_bytes));
  return between;
}

}  // namespace

class TestCudaMemory : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void init();
  void cleanup();
  void copiesArePredicted_data();
  void copiesArePredicted();
  void peaksArePredicted_data();
  void peaksArePredicted();
  void peaksWithOffloadArePredicted_data();
  void peaksWithOffloadArePredicted();
#ifdef PIPEDECK_CUDA_STAND_IN
  void offloadedActivationsAreOnTheHost();
#endif
};

void TestCudaMemory::init() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
#endif
}
void TestCudaMemory::cleanup() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  QTRY_VERIFY2_WITH_TIMEOUT(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str(), 20000);
#endif
}

void TestCudaMemory::copiesArePredicted_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("degree");
  QTest::addColumn<int>("level");
  QTest::addColumn<bool>("asynchronous");
  const auto row = [](const char* name, const char* model, QList<int> replicas, int degree = 1, int level = 0,
                      bool asynchronous = false) {
    QTest::addRow("%s, %s", model, name) << QString(model) << replicas << degree << level << asynchronous;
  };
  for (const char* model : {"GPT", "odd GPT", "odd MLP", "VGG", "LSTM", "Mixtral"}) {
    row("one GPU", model, {1});
    row("stages", model, {1, 1});
  }
  for (const char* model : {"odd GPT", "odd MLP"}) {
    row("cut over two", model, {1}, 2);
    row("optimizer states in pieces", model, {2}, 1, 1);
    row("weights in pieces", model, {2}, 1, 3);
    row("asynchronous stages", model, {1, 1}, 1, 0, true);
  }
}

/// Runs hold 2 bytes per parameter in bf16, rows of odd widths with a pitch, and none of gathered weights or several
/// versions.
void TestCudaMemory::copiesArePredicted() {
  QFETCH(QString, model);
  QFETCH(QList<int>, replicas);
  QFETCH(int, degree);
  QFETCH(int, level);
  QFETCH(bool, asynchronous);
  const ModelSpec spec = model_named(model);
  Plan plan = cut_plan(spec, {replicas.begin(), replicas.end()}, std::vector(std::size_t(replicas.size()), degree));
  plan.zero = level;
  if (asynchronous) plan.schedule = ScheduleKind::pipedream;
  for (const GpuPrecision precision : {GpuPrecision::fp32, GpuPrecision::bf16}) {
    const Profile& profile = profile_of(model, precision);
    const Simulation with = simulated(profile, plan), without = simulated(without_copies(profile), plan);
    const Measured run = measured(spec, plan, precision);
    Bytes all;
    for (std::size_t d = 0; d < run.copies.size(); ++d) {
      const std::size_t own = std::min(d, with.devices.size() - 1);  // replicas and ranks alike are simulated once
      const Bytes predicted = with.devices[own].peak_breakdown[MemoryItem::weights] -
                              without.devices[own].peak_breakdown[MemoryItem::weights];
      // The profile has the rank with the most columns.
      const bool right = degree > 1 && d > 0 ? predicted >= run.copies[d] : predicted == run.copies[d];
      QVERIFY2(right,
               qPrintable(
                   QString("device %1: predicted %2, found %3").arg(d).arg(predicted.count).arg(run.copies[d].count)));
      all += run.copies[d];
    }
    const bool wanted = level < 3 && (precision == GpuPrecision::bf16 || model.startsWith("odd"));
    QCOMPARE(all > Bytes(), wanted);
  }
}

void TestCudaMemory::peaksArePredicted_data() {
  QTest::addColumn<QString>("model");
  for (const char* model : {"GPT", "odd GPT", "odd MLP", "VGG", "ResNet", "LSTM", "Mixtral"})
    QTest::newRow(model) << QString(model);
}

/// Without the libraries' workspace, which a cluster's reserve includes, the gaps between layers, and the losses, which
/// stay on the device until the step ends.
void TestCudaMemory::peaksArePredicted() {
  QFETCH(QString, model);
  const ModelSpec spec = model_named(model);
  Plan plan = plan_for(spec, {1}, 4, 3);
  plan.optimizer = Optimizer::adam;
  for (const GpuPrecision precision : {GpuPrecision::fp32, GpuPrecision::tf32, GpuPrecision::bf16}) {
    const Profile& profile = profile_of(model, precision);
    const Measured run = measured(spec, plan, precision);
    const Bytes losses(plan.micro_batches * std::int64_t{sizeof(double)});
    const Bytes found = run.peak.front() - run.workspace.front() - alignment_of(profile) - losses,
                predicted = simulated(profile, plan).devices.front().peak;
    QVERIFY2(predicted >= found && predicted.count <= found.count + found.count / 20,
             qPrintable(QString("precision %1: predicted %2, found %3")
                            .arg(static_cast<int>(precision))
                            .arg(predicted.count)
                            .arg(found.count)));
  }
}

void TestCudaMemory::peaksWithOffloadArePredicted_data() {
  QTest::addColumn<QString>("model");
  for (const char* model : {"GPT", "odd MLP"}) QTest::newRow(model) << QString(model);
}

/// A plan whose optimizer is on the host has no states on the device. Without offload the prediction holds them.
void TestCudaMemory::peaksWithOffloadArePredicted() {
  QFETCH(QString, model);
  const ModelSpec spec = model_named(model);
  Plan plan = plan_for(spec, {1}, 4, 3);
  plan.optimizer = Optimizer::adam;
  plan.choices.emplace().training.products = "";
  for (const bool paged : {false, true}) {
    Plan offloaded = plan;
    Training& training = offloaded.choices->training;
    (paged ? training.pages_optimizer : training.offloads_optimizer) = true;
    const Profile& profile = profile_of(model, GpuPrecision::fp32);
    const auto peak = [&](bool offloads) {
      const auto same = plan::predicted_by(offloaded, profile, offloads);
      if (!same || !*same) qFatal("no prediction");
      return simulated(profile, **same).devices.front().peak;
    };
    const Measured run = measured(spec, offloaded, GpuPrecision::fp32);
    const Bytes losses(plan.micro_batches * std::int64_t{sizeof(double)}), gaps(alignment_of(profile).count / 2);
    const Bytes found = run.peak.front() - run.workspace.front() - gaps - losses, predicted = peak(true);
    QVERIFY2(predicted >= found && predicted.count <= found.count + found.count / 20,
             qPrintable(QString("predicted %1, found %2").arg(predicted.count).arg(found.count)));
    Bytes parameters;
    for (const Layer& layer : profile.layers) parameters += layer.parameters;
    QCOMPARE(peak(false) - peak(true), parameters * 2);
  }
}

#ifdef PIPEDECK_CUDA_STAND_IN

/// All four micro-batches of GPipe keep their blocks on the host, which pins as much. The device has one block that
/// computes, and one on its way.
void TestCudaMemory::offloadedActivationsAreOnTheHost() {
  ModelSpec spec = small_gpt(4, 32, 16, 24);
  Plan plan = plan_for(spec, {1}, 4, 4);
  plan.schedule = ScheduleKind::gpipe, plan.optimizer = Optimizer::sgd;
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), GpuPrecision::fp32);
  const runtime::profile::ProfileOptions options{{4}, {2}, {3, 3, 0, Seconds(20)}};
  const auto profile = runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", 2}, spec, options);
  QVERIFY(profile.has_value());
  Bytes kept, most;  // of a micro-batch
  for (std::size_t i = 0; i < profile->layers.size(); ++i)
    if (spec.layers[i].kind == "transformer")
      kept += plan::saved_bytes(profile->layers[i], 1), most = std::max(most, plan::saved_bytes(profile->layers[i], 1));
  Plan offloaded = plan;
  offloaded.choices.emplace().training = {.products = "", .offloaded_blocks = 4};
  const auto run = [&](const Plan& of) {
    cuda_stand_in::reset();
    const Bytes peak = measured(spec, of, GpuPrecision::fp32).peak.front();
    return std::pair(peak, cuda_stand_in::pinned_copies());
  };
  const auto [plain, without] = run(plan);
  const auto [peak, with] = run(offloaded);
  const auto more = static_cast<std::int64_t>(with.to_host - without.to_host);
  QCOMPARE(more, 4 * 4 * kept.count);  // four steps
  QCOMPARE(static_cast<std::int64_t>(with.to_device - without.to_device), more);
  const Bytes predicted = plain - kept * 4 + most * 2;
  QVERIFY2(
      predicted >= peak && predicted.count <= peak.count + peak.count / 20,
      qPrintable(QString("predicted %1, found %2, plainly %3").arg(predicted.count).arg(peak.count).arg(plain.count)));
}

#endif

QTEST_GUILESS_MAIN(TestCudaMemory)
#include "tst_cuda_memory.moc"
