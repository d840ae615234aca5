// SPDX-License-Identifier: Apache-2.0
// Tensor-parallel GPUs that divide the tokens between layers (sequence parallelism, arXiv 2205.05198) train what one
// processor trains, and hold what the formulas and a rank's profile predict.
#include <QTest>

#include <cmath>
#include <memory>

#include "core/plan/run_prediction.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/profile/rank_profile.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/runtime/cuda/beside_one_processor.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"
#include "tests/core/runtime/train/paced_layers.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;
using namespace std::chrono_literals;
using GpuPrecision = runtime::cuda::Precision;

namespace {

/// The degrees of all stages, and how they run.
struct Mesh {
  int stages = 1, data = 1, tensor = 2;
  int level = 0;
  bool recompute = false;
  std::vector<std::string> modules = {};
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  Overlap overlap = Overlap::none;
  bool gathered_ahead = false, uneven_columns = false;
};

/// All kinds that have some tokens, between kinds that have all.
ModelSpec mixed_model(std::int64_t sequence = 8) {
  constexpr std::int64_t hidden = 16;
  ModelSpec model = small_llama(hidden, sequence, 12);
  const auto insert = [&](std::ptrdiff_t at, const char* name, const char* kind,
                          std::map<std::string, std::int64_t> sizes) {
    sizes["sequence"] = sequence;
    model.layers.insert(model.layers.begin() + at, {name, kind, std::move(sizes)});
  };
  insert(1, "norm_0", "layer_norm", {{"hidden", hidden}});
  insert(2, "gpt_0", "transformer", {{"hidden", hidden}, {"heads", 4}, {"feed_forward", 24}, {"causal", 1}});
  insert(3, "product", "linear", {{"in", hidden}, {"out", hidden}, {"activation", 2}});
  for (ModelLayer& layer : model.layers) layer.sizes.erase("window");
  model.learning_rate = 0.05;
  return model;
}

ModelSpec model_named(const QString& name) { return name == "mixed" ? mixed_model() : models().at(name); }

Plan plan_of(const ModelSpec& model, const Mesh& mesh, bool divided = true) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.data * mesh.tensor);
  Plan plan = plan_for(model, devices, 4, 3);
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = mesh.tensor, stage.degrees.sequence = divided;
    stage.recompute.all = mesh.recompute, stage.recompute.modules = mesh.modules;
    if (mesh.uneven_columns) stage.shard_fractions = {{0.25, 0.75}};
  }
  plan.schedule = mesh.schedule, plan.sharding.level = mesh.level;
  if (mesh.gathered_ahead) plan.choices.emplace();
  plan.optimizer = Optimizer::sgd;
  return plan;
}

/// Returns the bytes between layers in a run's lists of weights and gradients.
std::int64_t gaps_in(const Profile& profile) {
  constexpr std::int64_t lists = 2, layer_bytes = 64 * sizeof(float);
  std::int64_t between = 0;
  for (const Layer& layer : profile.layers)
    between += lists * ((layer_bytes - layer.parameters.count % layer_bytes) % layer_bytes);
  return between;
}

std::int64_t largest(const std::vector<Bytes>& memory) { return std::ranges::max(memory).count; }

}  // namespace

Q_DECLARE_METATYPE(Mesh)

class TestCudaDividedTokens : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(2); }
  void init() { begin_on_eight_gpus(); }
  void cleanup() { end_on_gpus(); }
  void meshes_equal_one_processor_data() { every_mesh(); }
  void meshes_equal_one_processor();
  void sixteen_bits_are_near_one_processor_data() { every_mesh(); }
  void sixteen_bits_are_near_one_processor();
  void an_odd_width_travels_as_floats();
  void copies_equal_one_processor();
  void no_part_of_the_plan_is_left_out();
  void modules_are_recomputed();
  void a_rank_keeps_its_tokens_data();
  void a_rank_keeps_its_tokens();
  void peaks_are_predicted_data();
  void peaks_are_predicted();

 private:
  static void every_mesh();
};

void TestCudaDividedTokens::every_mesh() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](const char* model, const char* name, const Mesh& mesh) {
    QTest::addRow("%s, %s", model, name) << QString(model) << mesh;
  };
  row("Llama", "two ranks", {});
  row("Llama", "four ranks of stages, recomputed", {.stages = 2, .tensor = 4, .recompute = true});
  row("Llama", "replicas of stages, in buckets", {.stages = 2, .data = 2, .overlap = Overlap::bucket});
  row("Llama", "sharded weights", {.data = 2, .level = 3, .overlap = Overlap::layer, .gathered_ahead = true});
  row("GPT", "two ranks", {});
  row("GPT", "four ranks, recomputed modules", {.tensor = 4, .modules = {"core_attn", "mlp"}});
  row("GPT", "sharded weights of stages", {.stages = 2, .data = 2, .level = 3, .recompute = true});
  row("Mixtral", "two ranks, whole tokens of experts", {});
  row("mixed", "three ranks, uneven tokens", {.tensor = 3});
  row("mixed", "uneven columns, zero bubble", {.stages = 2, .schedule = ScheduleKind::zb_h1, .uneven_columns = true});
  row("mixed", "sharded states of replicas", {.data = 2, .tensor = 4, .level = 1});
  row("mixed", "sharded gradients, recomputed modules", {.data = 2, .level = 2, .modules = {"core_attn", "mlp"}});
}

void TestCudaDividedTokens::meshes_equal_one_processor() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = model_named(model);
  const Plan plan = plan_of(spec, mesh);
  if (const QByteArray why = why_no_gpus(static_cast<int>(devices_used(plan).size())); !why.isEmpty())
    QSKIP("too few GPUs");
  verify_strictly(spec, plan, mesh.overlap);
}

void TestCudaDividedTokens::sixteen_bits_are_near_one_processor() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = model_named(model);
  const Plan plan = plan_of(spec, mesh);
  if (const QByteArray why = why_no_gpus(static_cast<int>(devices_used(plan).size())); !why.isEmpty())
    QSKIP("too few GPUs");
  runtime::train::TrainOptions options = steps_of(3);
  options.overlap = mesh.overlap;
  const Trained expected = on_one_processor(spec), first = on_one_processor(spec, 0);
  const Trained found = trained_on(by_nccl(plan, GpuPrecision::bf16), spec, plan, options);
  const double strayed = apart(found.parameters, expected.parameters) / apart(first.parameters, expected.parameters);
  VERIFY_BELOW(strayed, 2e-2);
  QVERIFY2(strayed > 1e-4, qPrintable(QString::number(strayed)));  // 16 bits, not 32
  VERIFY_BELOW(loss_difference(found.log.losses(), expected.log.losses()), 1e-2);
}

/// Rows of an odd number of 16-bit values are not whole floats.
void TestCudaDividedTokens::an_odd_width_travels_as_floats() {
  ModelSpec spec = models().at("Llama");
  for (ModelLayer& layer : spec.layers)
    for (const char* size : {"hidden", "in"})
      if (layer.sizes.contains(size)) layer.sizes[size] = 17;
  const Trained expected = on_one_processor(spec), first = on_one_processor(spec, 0);
  for (const int tensor : {2, 3}) {
    const Plan plan = plan_of(spec, {.tensor = tensor});
    const Trained found = trained_on(gpus_for(plan, GpuPrecision::bf16), spec, plan, steps_of(3));
    VERIFY_BELOW(apart(found.parameters, expected.parameters) / apart(first.parameters, expected.parameters), 2e-2);
    const Trained floats = trained_on(gpus_for(plan), spec, plan, steps_of(3));
    VERIFY_BELOW(parameter_difference(floats.parameters, expected.parameters), trained_within(spec, Sums::exact));
  }
}

/// Devices that share GPUs are joined by copies.
void TestCudaDividedTokens::copies_equal_one_processor() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::set_devices(2);
#endif
  const ModelSpec spec = mixed_model();
  const Trained expected = on_one_processor(spec);
  const Plan plan = plan_of(spec, {.stages = 2, .tensor = 3});
  const Trained found = trained_on(gpus_for(plan), spec, plan, steps_of(3));
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), trained_within(spec, Sums::of_a_gpu));
}

void TestCudaDividedTokens::no_part_of_the_plan_is_left_out() {
  const ModelSpec spec = mixed_model();
  const Plan plan = plan_of(spec, {.modules = {"core_attn", "mlp"}});
  const Trained found = trained_on(by_nccl(plan), spec, plan, steps_of(1));
  QCOMPARE(found.log.losses().size(), std::size_t{1});
  for (const RunWarning& warning : found.log.of<RunWarning>())
    QVERIFY2(warning.message.find("the plan") == std::string::npos, warning.message.c_str());
}

/// Recomputed feed-forwards keep their input alone, with the same bits in the weights.
void TestCudaDividedTokens::modules_are_recomputed() {
  for (const QString& name : {QString("Llama"), QString("GPT")}) {
    const ModelSpec spec = model_named(name);
    for (const int tensor : {1, 2}) {  // one rank's passes are captured
      const GpuPrecision precision = tensor == 1 ? GpuPrecision::fp32 : GpuPrecision::bf16;
      const auto run = [&](const std::vector<std::string>& modules) {
        const Plan plan = plan_of(spec, {.tensor = tensor, .modules = modules, .schedule = ScheduleKind::gpipe});
        return trained_on(gpus_for(plan, precision), spec, plan, steps_of(4));
      };
      const Trained kept = run({}), again = run({"mlp"});
      QVERIFY(!kept.parameters.layers.empty() && kept.parameters.layers == again.parameters.layers);
      QVERIFY(largest(again.log.of<StepDone>().back().memory) < largest(kept.log.of<StepDone>().back().memory));
    }
  }
}

void TestCudaDividedTokens::a_rank_keeps_its_tokens_data() {
  QTest::addColumn<int>("tensor");
  QTest::addColumn<bool>("halves");
  QTest::newRow("T 4, fp32") << 4 << false;
  QTest::newRow("T 2, bf16") << 2 << true;
}

/// A half keeps its norm's input, in floats, the norm's output, in the products' type, and the norm's factor. With T
/// ranks these are divided by T; the rest is divided already.
void TestCudaDividedTokens::a_rank_keeps_its_tokens() {
  QFETCH(int, tensor);
  QFETCH(bool, halves);
  constexpr std::int64_t hidden = 32, sequence = 16;
  constexpr int blocks = 6, micro_batches = 8, samples = 2;
  ModelSpec spec = small_llama(hidden, sequence, 10);
  const ModelLayer half{"half", "feed_forward", {{"hidden", hidden}, {"feed_forward", 8}, {"sequence", sequence}}};
  spec.layers.erase(spec.layers.begin() + 1, spec.layers.begin() + 4);
  spec.layers.insert(spec.layers.begin() + 1, 2 * blocks, half);
  for (int i = 0; i < 2 * blocks; ++i) spec.layers[static_cast<std::size_t>(i + 1)].name += std::to_string(i);
  const auto peak = [&](bool divided) {
    Plan plan = plan_for(spec, {tensor}, samples, micro_batches);
    plan.schedule = ScheduleKind::gpipe;  // all micro-batches are kept
    plan.stages[0].tensor_parallel = tensor, plan.stages[0].degrees.sequence = divided;
    const auto backend = gpus_for(plan, halves ? GpuPrecision::bf16 : GpuPrecision::fp32);
    return static_cast<double>(largest(trained_on(backend, spec, plan, steps_of(2)).log.of<StepDone>().back().memory));
  };
  const double tokens = double{micro_batches} * samples * sequence, norms = (halves ? 6 : 8) * hidden + 4,
               kept = tokens * 2 * blocks * norms * (1 - 1.0 / tensor);
  const double less = peak(false) - peak(true);
  QVERIFY2(less > 0.95 * kept && less < 1.1 * kept,
           qPrintable(QString("%1 bytes less, expected %2").arg(less).arg(kept)));
}

void TestCudaDividedTokens::peaks_are_predicted_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  for (const char* model : {"Llama", "GPT"}) {
    QTest::addRow("%s, T 4", model) << QString(model) << Mesh{.tensor = 4};
    QTest::addRow("%s, recomputed modules", model) << QString(model) << Mesh{.modules = {"core_attn", "mlp"}};
  }
}

/// The profile has a rank's layers, measured on its GPUs. Without the libraries' workspace, the gaps between layers'
/// parameters and the losses, which stay on the device until the step ends, the peak is at most 5 % below the
/// prediction, and never above.
void TestCudaDividedTokens::peaks_are_predicted() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  ModelSpec spec = model == "GPT" ? small_gpt(2, 64, 32, 64) : small_llama(64, 32, 64);
  for (ModelLayer& layer : spec.layers) {
    layer.sizes.erase("window");
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  }
  const Plan plan = plan_of(spec, mesh);
  for (const GpuPrecision precision : {GpuPrecision::fp32, GpuPrecision::bf16}) {
    runtime::layers::Backend backend = gpus_for(plan, precision);
    auto profile = runtime::profile::profile_ranks_with(backend, spec, plan, {3, 3, 1, Seconds(0)});
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().text().c_str());
    set_paced_times(*profile);
    const auto same = plan::predicted_by(plan, *profile);
    QVERIFY2(same.has_value() && same->has_value(), same ? "" : same.error().text().c_str());
    const Problem problem{std::make_shared<const Profile>(*profile), cluster_of(8), {}};
    const auto simulation = sim::simulate(problem, **same);
    QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().text().c_str());

    std::vector<std::shared_ptr<runtime::cuda::CudaDevice>> devices(devices_used(plan).size());
    backend = gpus_for(plan, precision);
    backend.device = [make = backend.device, &devices](std::size_t worker) {
      auto made = make(worker);
      devices[worker] = std::dynamic_pointer_cast<runtime::cuda::CudaDevice>(made);
      return made;
    };
    std::vector<Bytes> peaks, workspaces;
    const auto take = [&](const RunEvent& event) {
      const auto* step = std::get_if<StepDone>(&event);
      if (!step) return;
      peaks = step->memory, workspaces.clear();
      for (const auto& device : devices)
        workspaces.emplace_back(static_cast<std::int64_t>(device->context().workspace_bytes()));
    };
    const auto trained = runtime::train_with(backend, spec, plan, built(plan), steps_of(3), take);
    QVERIFY2(trained.has_value(), trained ? "" : trained.error().text().c_str());
    const auto ranks = static_cast<std::size_t>(mesh.data * mesh.tensor);
    for (std::size_t d = 0; d < peaks.size(); ++d) {
      const std::int64_t losses = plan.micro_batches * std::int64_t{sizeof(double)},
                         found = peaks[d].count - workspaces[d].count - gaps_in(*profile) - losses,
                         predicted = simulation->devices[d / ranks * ranks].peak.count;
      QVERIFY2(predicted >= found && static_cast<double>(predicted) <= 1.05 * static_cast<double>(found),
               qPrintable(QString("precision %1, device %2: predicted %3, found %4")
                              .arg(static_cast<int>(precision))
                              .arg(d)
                              .arg(predicted)
                              .arg(found)));
    }
  }
}

QTEST_GUILESS_MAIN(TestCudaDividedTokens)
#include "tst_cuda_divided_tokens.moc"
