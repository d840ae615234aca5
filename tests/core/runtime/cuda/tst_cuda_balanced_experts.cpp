// SPDX-License-Identifier: Apache-2.0
// GPUs balance experts by biases (DeepSeek-V3, arXiv 2412.19437, section 2.1.2) as one processor does, on every mesh.
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
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
  int stages = 1, data = 1, tensor = 1, expert = 1, expert_tensor = 1;
  bool tokens = false;  ///< tensor ranks divide them
  int level = 0;
  bool recompute = false;
  Overlap overlap = Overlap::none;
};

constexpr std::int64_t hidden = 8, experts = 4;
constexpr float rate = 0.01f;

/// Attention and experts, which drop choices if they are `limited`.
ModelSpec balanced(bool limited = false) {
  ModelSpec model = small_mixtral(1, hidden, 4, 10);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "experts") {
      layer.sizes["auxiliary_loss_permille"] = 0, layer.sizes["bias_rate_millionths"] = 10'000;
      if (limited) layer.sizes["capacity_percent"] = 75, layer.sizes["sigmoid"] = 1;
    }
  model.learning_rate = 0.05;
  return model;
}

Plan plan_of(const ModelSpec& model, const Mesh& mesh) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.data * mesh.tensor);
  Plan plan = plan_for(model, devices, 4, 3);
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = mesh.tensor, stage.degrees.sequence = mesh.tokens;
    stage.degrees.expert = mesh.expert, stage.degrees.expert_tensor = mesh.expert_tensor;
    stage.recompute.all = mesh.recompute;
  }
  plan.sharding.level = mesh.level;
  plan.optimizer = Optimizer::sgd;
  return plan;
}

/// Returns the biases of the experts' layer, behind the norm's gains and the router.
std::vector<float> biases_of(const runtime::train::TrainedParameters& trained) {
  const std::vector<float>& layer = trained.layers.at(2);
  const auto first = layer.begin() + hidden + hidden * experts;
  return {first, first + experts};
}

}  // namespace

Q_DECLARE_METATYPE(Mesh)

class TestCudaBalancedExperts : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(2); }
  void init() { begin_on_eight_gpus(); }
  void cleanup() { end_on_gpus(); }
  void meshes_equal_one_processor_data() { every_mesh(); }
  void meshes_equal_one_processor();
  void biases_are_the_processors_data();
  void biases_are_the_processors();
  void rounded_values_are_near_one_processor();
  void two_runs_have_the_same_bits();
  void another_mesh_goes_on_the_same();

 private:
  static void every_mesh();
};

void TestCudaBalancedExperts::every_mesh() {
  QTest::addColumn<bool>("limited");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](bool limited, const char* name, const Mesh& mesh) {
    QTest::addRow("%s, %s", limited ? "limited" : "free", name) << limited << mesh;
  };
  row(false, "P 2", {.stages = 2});
  row(true, "T 2", {.tensor = 2});
  row(true, "D 2, e 2, recomputed", {.data = 2, .expert = 2, .recompute = true});
  row(false, "T 2, e 2, tokens", {.tensor = 2, .expert = 2, .tokens = true});
  row(false, "P 2, D 2, sharded weights", {.stages = 2, .data = 2, .level = 3, .overlap = Overlap::layer});
  row(false, "D 2, T 2, e 2, x 2, sharded gradients",
      {.data = 2, .tensor = 2, .expert = 2, .expert_tensor = 2, .level = 2});
  if (!nightly()) return;
  for (const bool limited : {false, true})
    for (int level = 0; level <= 3; ++level) {
      const QByteArray sharded = "level " + QByteArray::number(level);
      row(limited, ("D 4, e 2, " + sharded).constData(), {.data = 4, .expert = 2, .level = level});
      row(limited, ("D 2, T 2, x 2, " + sharded).constData(),
          {.data = 2, .tensor = 2, .expert_tensor = 2, .tokens = true, .level = level});
    }
}

void TestCudaBalancedExperts::meshes_equal_one_processor() {
  QFETCH(bool, limited);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = balanced(limited);
  const Plan plan = plan_of(spec, mesh);
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  verify_strictly(spec, plan, mesh.overlap);
}

void TestCudaBalancedExperts::biases_are_the_processors_data() {
  QTest::addColumn<Mesh>("mesh");
  QTest::newRow("one GPU") << Mesh{};
  QTest::newRow("D 2, T 2, e 2, sharded states") << Mesh{.data = 2, .tensor = 2, .expert = 2, .level = 1};
}

/// Counts are whole numbers, so that biases have the processor's bits after 20 steps. Each step moves each of them by
/// the rate, or not at all.
void TestCudaBalancedExperts::biases_are_the_processors() {
  QFETCH(Mesh, mesh);
  const ModelSpec spec = balanced();
  const Plan plan = plan_of(spec, mesh);
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  const Trained expected = on_one_processor(spec, 20), found = trained_on(by_nccl(plan), spec, plan, steps_of(20));
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), 1e-5);
  const std::vector<float> biases = biases_of(found.parameters);
  QVERIFY(biases == biases_of(expected.parameters));
  QVERIFY(std::ranges::any_of(biases, [](float bias) { return std::abs(bias) > 1.5f * rate; }));
  for (const float bias : biases) QVERIFY(std::abs(bias) < 20.5f * rate);
}

/// In 16 bits a token may pick another expert, and so a bias may miss a move. Weights stay near.
void TestCudaBalancedExperts::rounded_values_are_near_one_processor() {
  const ModelSpec spec = balanced();
  for (const Mesh& mesh : {Mesh{.data = 2, .expert = 2}, Mesh{.stages = 2, .tensor = 2, .level = 1}}) {
    const Plan plan = plan_of(spec, mesh);
    if (!enough_gpus(plan)) QSKIP("too few GPUs");
    VERIFY_BELOW(strayed(spec, plan, GpuPrecision::bf16), 3e-2);
    VERIFY_BELOW(strayed(spec, plan, GpuPrecision::tf32), 1e-2);
  }
}

void TestCudaBalancedExperts::two_runs_have_the_same_bits() {
  const ModelSpec spec = balanced();
  const Plan plan = plan_of(spec, {.data = 2, .tensor = 2, .expert = 2});
  if (!enough_gpus(plan)) QSKIP("too few GPUs");
  QVERIFY(repeats(spec, plan, GpuPrecision::bf16));
}

/// A checkpoint has the biases.
void TestCudaBalancedExperts::another_mesh_goes_on_the_same() {
  const ModelSpec spec = balanced();
  const Plan from = plan_of(spec, {.data = 2, .expert = 2, .level = 2}), to = plan_of(spec, {.stages = 2});
  if (!enough_gpus(from)) QSKIP("too few GPUs");
  const Trained whole = on_one_processor(spec, 6);
  QTemporaryDir folder;
  runtime::train::TrainOptions first = steps_of(3), rest = steps_of(6);
  first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
  QVERIFY(!trained_on(by_nccl(from), spec, from, first).parameters.layers.empty());
  auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
  QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
  rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
  for (const auto& backend : {by_nccl(to), runtime::cpu::cpu_backend()}) {
    const Trained found = trained_on(backend, spec, to, rest);
    VERIFY_BELOW(parameter_difference(found.parameters, whole.parameters), 1e-5);
    QVERIFY(biases_of(found.parameters) == biases_of(whole.parameters));
  }
}

QTEST_GUILESS_MAIN(TestCudaBalancedExperts)
#include "tst_cuda_balanced_experts.moc"
