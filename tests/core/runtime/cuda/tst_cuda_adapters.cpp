// SPDX-License-Identifier: Apache-2.0
// GPUs train low-rank adapters next to frozen weights (LoRA, arXiv 2106.09685) as one processor does, on every mesh.
#include <QTemporaryDir>
#include <QTest>

#include <memory>

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
  int stages = 1, data = 1, tensor = 1;
  bool tokens = false;  ///< tensor ranks divide them
  int level = 0;
  bool recompute = false;
  std::vector<std::string> modules = {};
  Overlap overlap = Overlap::none;
};

/// A block and the halves of another. Heads have biases and norms.
ModelSpec llama() {
  ModelSpec model = small_llama(8, 4, 10);
  for (ModelLayer& layer : model.layers) layer.sizes.erase("window");
  model.learning_rate = 0.05;
  return model;
}

Plan plan_of(const ModelSpec& model, const Mesh& mesh, const Adapters& adapters) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.data * mesh.tensor);
  Plan plan = plan_for(model, devices, 4, 3);
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = mesh.tensor, stage.degrees.sequence = mesh.tokens;
    stage.recompute.all = mesh.recompute, stage.recompute.modules = mesh.modules;
  }
  plan.sharding.level = mesh.level;
  plan.optimizer = Optimizer::sgd;
  plan.choices.emplace().training.adapters = adapters;
  return plan;
}

}  // namespace

Q_DECLARE_METATYPE(Mesh)
Q_DECLARE_METATYPE(pipedeck::AdapterTargets)

class TestCudaAdapters : public QObject {
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
  void frozen_weights_stay_bit_for_bit();
  void two_runs_have_the_same_bits();
  void recordings_have_the_same_bits();
  void another_mesh_goes_on_the_same();
  void tied_ends_have_a_frozen_table();
  void experts_are_frozen_or_refused();

 private:
  static void every_mesh();
};

void TestCudaAdapters::every_mesh() {
  using enum AdapterTargets;
  QTest::addColumn<AdapterTargets>("targets");
  QTest::addColumn<int>("rank");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](AdapterTargets targets, int rank, const char* name, const Mesh& mesh) {
    QTest::addRow("%s of rank %d, %s", std::string(name_of(targets)).c_str(), rank, name) << targets << rank << mesh;
  };
  row(linear, 4, "T 2", {.tensor = 2});
  row(linear, 3, "T 3, tokens, recomputed modules", {.tensor = 3, .tokens = true, .modules = {"mlp"}});
  row(query_value, 2, "P 2, D 2, in buckets", {.stages = 2, .data = 2, .overlap = Overlap::bucket});
  row(attention, 3, "P 2, T 2, D 2, sharded weights, recomputed",
      {.stages = 2, .data = 2, .tensor = 2, .level = 3, .recompute = true});
  row(linear, 8, "D 4, sharded gradients", {.data = 4, .level = 2, .overlap = Overlap::layer});
  if (!nightly()) return;
  for (const AdapterTargets targets : {linear, attention, query_value})
    for (int level = 0; level <= 3; ++level)
      for (const bool tokens : {false, true}) {
        const QByteArray name = QByteArray(tokens ? "tokens, " : "") + "level " + QByteArray::number(level);
        row(targets, 5, name.constData(), {.data = 2, .tensor = 2, .tokens = tokens, .level = level});
      }
}

void TestCudaAdapters::meshes_equal_one_processor() {
  QFETCH(AdapterTargets, targets);
  QFETCH(int, rank);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = llama();
  const Plan plan = plan_of(spec, mesh, {rank, targets});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  verify_strictly(spec, plan, mesh.overlap);
}

void TestCudaAdapters::rounded_values_are_near_one_processor() {
  QFETCH(AdapterTargets, targets);
  QFETCH(int, rank);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = llama();
  const Plan plan = plan_of(spec, mesh, {rank, targets});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  const double in_bf16 = strayed(spec, plan, GpuPrecision::bf16, mesh.overlap);
  VERIFY_BELOW(in_bf16, 3e-2);
  QVERIFY2(in_bf16 > 1e-4, qPrintable(QString::number(in_bf16)));  // 16 bits, not 32
}

void TestCudaAdapters::twenty_steps_equal_one_processor() {
  ModelSpec spec = llama();
  spec.layers.erase(spec.layers.begin() + 2, spec.layers.begin() + 4);  // one block
  const Plan plan = plan_of(spec, {.stages = 2}, {4, AdapterTargets::linear});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  const Trained expected = on_one_processor(spec, 20, plan.micro_batches, plan.choices),
                found = trained_on(by_nccl(plan), spec, plan, steps_of(20));
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), 1e-5);
  VERIFY_BELOW(loss_difference(found.log.losses(), expected.log.losses()), 1e-5);
  VERIFY_BELOW(strayed(spec, plan, GpuPrecision::bf16, Overlap::none, 20), 3e-2);
}

/// Only adapters move. Frozen weights are those that a run begins with.
void TestCudaAdapters::frozen_weights_stay_bit_for_bit() {
  const ModelSpec spec = llama();
  for (const int level : {0, 3}) {
    const Plan plan = plan_of(spec, {.data = 2, .tensor = 2, .level = level}, {3, AdapterTargets::attention});
    if (!enough_gpus(plan)) QSKIP("too few GPUs");
    const auto first = trained_on(by_nccl(plan), spec, plan, steps_of(0)).parameters,
               last = trained_on(by_nccl(plan), spec, plan, steps_of(2)).parameters;
    QVERIFY(!first.frozen.empty() && first.frozen == last.frozen);
    QVERIFY(!first.layers.empty() && first.layers != last.layers);
  }
}

void TestCudaAdapters::two_runs_have_the_same_bits() {
  const ModelSpec spec = llama();
  const Plan plan = plan_of(spec, {.data = 2, .tensor = 2, .tokens = true, .level = 1}, {3, AdapterTargets::linear});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  QVERIFY(repeats(spec, plan, GpuPrecision::bf16, 2));
}

/// One GPU's passes are captured.
void TestCudaAdapters::recordings_have_the_same_bits() {
  const ModelSpec spec = llama();
  const Plan plan = plan_of(spec, {.stages = 2}, {4, AdapterTargets::linear});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  const auto run = [&](bool graphs) {
    runtime::layers::Backend backend = by_nccl(plan, GpuPrecision::bf16);
    if (!graphs) backend.recorded.clear();
    return trained_on(backend, spec, plan, steps_of(4)).parameters.layers;
  };
  const auto captured = run(true);
  QVERIFY(!captured.empty() && captured == run(false));
}

void TestCudaAdapters::another_mesh_goes_on_the_same() {
  const ModelSpec spec = llama();
  const Adapters adapters{3, AdapterTargets::linear};
  const Plan from = plan_of(spec, {.data = 2, .tensor = 2, .level = 3}, adapters),
             to = plan_of(spec, {.stages = 2}, adapters);
  if (!enough_gpus(from)) QSKIP("too few GPUs");
  const Trained whole = trained_on(runtime::cpu::cpu_backend(), spec, to, steps_of(4));
  QTemporaryDir folder;
  runtime::train::TrainOptions first = steps_of(2), rest = steps_of(4);
  first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
  QVERIFY(!trained_on(by_nccl(from), spec, from, first).parameters.layers.empty());
  auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
  QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
  rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
  for (const auto& backend : {by_nccl(to), runtime::cpu::cpu_backend()}) {
    const Trained found = trained_on(backend, spec, to, rest);
    VERIFY_BELOW(parameter_difference(found.parameters, whole.parameters), 1e-5);
  }
}

/// The head takes the embedding's table on its own GPU, and has the words of it elsewhere.
void TestCudaAdapters::tied_ends_have_a_frozen_table() {
  ModelSpec spec = llama();
  ModelLayer& head = spec.layers[spec.layers.size() - 2];
  spec.layers.front().sizes["tied"] = head.sizes["tied"] = 1, head.sizes["bias"] = 0;
  for (const Mesh& mesh : {Mesh{.tensor = 2}, Mesh{.stages = 2, .data = 2, .tensor = 2, .level = 3},
                           Mesh{.stages = 2, .data = 2, .level = 1}}) {
    const Plan plan = plan_of(spec, mesh, {3, AdapterTargets::linear});
    if (!enough_gpus(plan)) QSKIP("too few GPUs");
    verify_strictly(spec, plan, Overlap::none);
    VERIFY_BELOW(strayed(spec, plan, GpuPrecision::bf16), 3e-2);
  }
}

/// Experts have no adapters on GPUs. Next to those of attention they are frozen.
void TestCudaAdapters::experts_are_frozen_or_refused() {
  ModelSpec spec = small_mixtral(1, 8, 4, 10);
  spec.learning_rate = 0.05;
  const Plan frozen = plan_of(spec, {.tensor = 2}, {2, AdapterTargets::attention}),
             refused = plan_of(spec, {.tensor = 2}, {2, AdapterTargets::linear});
  verify_strictly(spec, frozen, Overlap::none);
  const auto found = runtime::train_with(by_nccl(refused), spec, refused, built(refused), steps_of(1), {});
  QVERIFY(!found.has_value());
  QCOMPARE(found.error().code, ErrorCode::bad_input);
  QVERIFY2(found.error().message.find("GPUs have no adapters in experts") != std::string::npos,
           found.error().text().c_str());
}

QTEST_GUILESS_MAIN(TestCudaAdapters)
#include "tst_cuda_adapters.moc"
