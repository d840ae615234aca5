// SPDX-License-Identifier: Apache-2.0
// GPUs train a head that shares its embedding's table as one processor does, in every precision, on every mesh.
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <string>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/device.hpp"
#include "tests/core/runtime/cuda/beside_one_processor.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"
#include "tests/support/repetitions.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;
using GpuPrecision = runtime::cuda::Precision;

namespace {

/// The degrees of all stages, and how they run.
struct Mesh {
  int stages = 1, data = 1, tensor = 1, chunks = 1;
  bool tokens = false;  ///< tensor ranks divide them
  int level = 0, group = 0;
  bool recompute = false;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  Overlap overlap = Overlap::none;
};

/// The head of Llama, whose words fill no whole rows of 16 bytes, or of a GPT with a table of positions.
ModelSpec tied(const QString& name) {
  ModelSpec model = name == "GPT" ? small_gpt(2, 8, 4, 10) : small_llama(16, 4, 13);
  for (ModelLayer& layer : model.layers) layer.sizes.erase("window");
  if (name != "GPT") model.layers.erase(model.layers.begin() + 2, model.layers.begin() + 4);  // one block
  ModelLayer& head = model.layers[model.layers.size() - 2];
  model.layers.front().sizes["tied"] = head.sizes["tied"] = 1;
  head.sizes["bias"] = 0;
  model.learning_rate = 0.05;
  return model;
}

Plan plan_of(const ModelSpec& model, const Mesh& mesh) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.data * mesh.tensor);
  Plan plan = placed_plan(model, mesh.schedule, devices, mesh.chunks, 4, mesh.chunks > 1 ? 4 : 3);
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = mesh.tensor, stage.degrees.sequence = mesh.tokens;
    stage.recompute.all = mesh.recompute;
  }
  plan.sharding.level = mesh.level, plan.sharding.group = mesh.group;
  plan.optimizer = Optimizer::sgd;
  return plan;
}

}  // namespace

Q_DECLARE_METATYPE(Mesh)

class TestCudaTiedEnds : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(2); }
  void init() { begin_on_eight_gpus(); }
  void cleanup() { end_on_gpus(); }
  void meshes_equal_one_processor_data() { every_mesh(); }
  void meshes_equal_one_processor();
  void rounded_values_are_near_one_processor_data() { every_mesh(); }
  void rounded_values_are_near_one_processor();
  void twenty_steps_equal_one_processor();
  void odd_widths_equal_one_processor();
  void two_runs_have_the_same_bits();
  void copies_have_the_same_bits();
  void another_mesh_goes_on_the_same();

 private:
  static void every_mesh();
};

void TestCudaTiedEnds::every_mesh() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](const char* model, const char* name, const Mesh& mesh) {
    QTest::addRow("%s, %s", model, name) << QString(model) << mesh;
  };
  row("GPT", "T 2", {.tensor = 2});
  row("Llama", "T 3, uneven words, tokens", {.tensor = 3, .tokens = true});
  row("GPT", "P 2", {.stages = 2});
  row("Llama", "P 3, D 2, recomputed", {.stages = 3, .data = 2, .recompute = true, .overlap = Overlap::layer});
  row("GPT", "P 2, T 2, D 2, sharded weights",
      {.stages = 2, .data = 2, .tensor = 2, .level = 3, .overlap = Overlap::layer});
  row("Llama", "v 2, P 2, D 2, in buckets",
      {.stages = 2, .data = 2, .chunks = 2, .schedule = ScheduleKind::interleaved, .overlap = Overlap::bucket});
  row("Llama", "both ends on one GPU, sharded states",
      {.stages = 2, .data = 2, .chunks = 2, .level = 1, .schedule = ScheduleKind::zb_v});
  row("Llama", "P 2, D 4 in groups of 2, sharded gradients", {.stages = 2, .data = 4, .level = 2, .group = 2});
  if (!nightly()) return;
  for (int level = 1; level <= 3; ++level) {
    row("Llama", qPrintable(QString("D 4 in groups of 2, level %1").arg(level)),
        {.data = 4, .level = level, .group = 2});
    row("Llama", qPrintable(QString("P 2, D 2, T 2, level %1").arg(level)),
        {.stages = 2, .data = 2, .tensor = 2, .tokens = true, .level = level});
    row("GPT", qPrintable(QString("P 2, D 2, level %1").arg(level)), {.stages = 2, .data = 2, .level = level});
  }
  row("Llama", "both directions", {.stages = 2, .chunks = 2, .schedule = ScheduleKind::dualpipe_v});
  row("Llama", "P 2, T 4", {.stages = 2, .tensor = 4});
}

void TestCudaTiedEnds::meshes_equal_one_processor() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = tied(model);
  const Plan plan = plan_of(spec, mesh);
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  verify_strictly(spec, plan, mesh.overlap);
}

void TestCudaTiedEnds::rounded_values_are_near_one_processor() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = tied(model);
  const Plan plan = plan_of(spec, mesh);
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  const double in_bf16 = strayed(spec, plan, GpuPrecision::bf16, mesh.overlap);
  VERIFY_BELOW(in_bf16, 2e-2);
  QVERIFY2(in_bf16 > 1e-4, qPrintable(QString::number(in_bf16)));  // 16 bits, not 32
}

void TestCudaTiedEnds::twenty_steps_equal_one_processor() {
  const ModelSpec spec = tied("GPT");
  const Plan one = plan_of(spec, {}), two = plan_of(spec, {.stages = 2, .tensor = 2});
  VERIFY_BELOW(strayed(spec, one, GpuPrecision::fp32, Overlap::none, 20), 1e-5);
  VERIFY_BELOW(strayed(spec, one, GpuPrecision::tf32), 1e-2);
  if (!enough_gpus(two)) QSKIP("too few GPUs");
  VERIFY_BELOW(strayed(spec, two, GpuPrecision::fp32, Overlap::none, 20), 1e-5);
  VERIFY_BELOW(strayed(spec, two, GpuPrecision::bf16, Overlap::none, 20), 3e-2);
}

/// Rows of the table do not begin at multiples of 16 bytes.
void TestCudaTiedEnds::odd_widths_equal_one_processor() {
  ModelSpec spec = tied("Llama");
  for (ModelLayer& layer : spec.layers)
    for (const char* size : {"hidden", "in"})
      if (layer.sizes.contains(size)) layer.sizes[size] = 17;
  const Plan plan = plan_of(spec, {.tensor = 2});
  VERIFY_BELOW(strayed(spec, plan, GpuPrecision::fp32), 1e-5);
  VERIFY_BELOW(strayed(spec, plan, GpuPrecision::bf16), 2e-2);
}

void TestCudaTiedEnds::two_runs_have_the_same_bits() {
  const ModelSpec spec = tied("GPT");
  const Plan plan = plan_of(spec, {.stages = 2, .data = 2, .tensor = 2, .level = 2});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  for (const GpuPrecision precision : {GpuPrecision::fp32, GpuPrecision::bf16}) QVERIFY(repeats(spec, plan, precision));
}

/// One GPU's passes are captured. A table of 16-bit values that stays behind the weights would be read then.
void TestCudaTiedEnds::copies_have_the_same_bits() {
  const ModelSpec spec = tied("GPT");
  for (const Mesh& mesh : {Mesh{}, Mesh{.stages = 2, .chunks = 2, .schedule = ScheduleKind::zb_v}}) {
    const Plan plan = plan_of(spec, mesh);
    const auto run = [&](bool graphs) {
      runtime::layers::Backend backend = by_nccl(plan, GpuPrecision::bf16);
      if (!graphs) backend.recorded.clear();
      return trained_on(backend, spec, plan, steps_of(6)).parameters.layers;
    };
    const auto captured = run(true);
    QVERIFY(!captured.empty() && captured == run(false));
  }
}

/// A checkpoint has the table once, whoever wrote it.
void TestCudaTiedEnds::another_mesh_goes_on_the_same() {
  const ModelSpec spec = tied("GPT");
  const std::vector<Plan> plans{plan_of(spec, {}), plan_of(spec, {.stages = 2, .data = 2, .tensor = 2, .level = 3})};
  const Trained whole = on_one_processor(spec, 6);
  for (const Plan& from : plans)
    for (const bool to_gpus : {true, false}) {
      const Plan& to = plans[&from == &plans[0] ? 1 : 0];
      if (!enough_gpus(to) || !enough_gpus(from)) QSKIP("too few GPUs");
      QTemporaryDir folder;
      runtime::train::TrainOptions first = steps_of(3), rest = steps_of(6);
      first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
      QVERIFY(trained_on(by_nccl(from), spec, from, first).parameters.layers.back().empty());  // the head has none
      auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
      QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
      rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
      const auto backend = to_gpus ? by_nccl(to) : runtime::cpu::cpu_backend();
      const Trained found = trained_on(backend, spec, to, rest);
      VERIFY_BELOW(parameter_difference(found.parameters, whole.parameters), 1e-5);
    }
}

QTEST_GUILESS_MAIN(TestCudaTiedEnds)
#include "tst_cuda_tied_ends.moc"
