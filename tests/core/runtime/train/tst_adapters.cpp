// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters next to frozen weights (LoRA, arXiv 2106.09685): every mesh trains what one device trains, whose
// gradients are central differences. Frozen weights stay bit for bit.
#include <QTemporaryDir>
#include <QTest>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/core/runtime/train/meshes.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_adapters {

using namespace pipedeck::test;

void add_adapters(Plan& plan, const Adapters& adapters) {
  plan.choices.emplace();
  plan.choices->training.adapters = adapters;
}

Plan plan_with(const ModelSpec& model, const Mesh& mesh, const Adapters& adapters) {
  Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(mesh.stages), mesh.devices()), 4, 4);
  shard(plan, mesh);
  add_adapters(plan, adapters);
  return plan;
}

/// Every kind that has adapters: grouped and latent attention, feed-forwards, experts with a shared part.
ModelSpec mixed_model(std::int64_t sequence = 8) {
  constexpr std::int64_t hidden = 8;
  ModelSpec model = small_mixtral(1, hidden, sequence, 10);
  model.layers[2].sizes["shared_feed_forward"] = 6, model.layers[2].sizes["capacity_percent"] = 75;
  const auto add = [&](std::size_t at, const char* kind, std::map<std::string, std::int64_t> sizes) {
    sizes["hidden"] = hidden, sizes["sequence"] = sequence;
    model.layers.insert(model.layers.begin() + static_cast<std::ptrdiff_t>(at),
                        {std::string(kind) + "_" + std::to_string(at), kind, std::move(sizes)});
  };
  add(1, "latent_decoder",
      {{"heads", 4},
       {"query_rank", 6},
       {"key_value_rank", 5},
       {"plain_width", 3},
       {"rotary_width", 2},
       {"value_width", 3},
       {"feed_forward", 12}});
  add(2, "latent_attention",
      {{"heads", 4},
       {"query_rank", 0},
       {"key_value_rank", 5},
       {"plain_width", 3},
       {"rotary_width", 2},
       {"value_width", 3}});
  add(3, "decoder",
      {{"heads", 8},
       {"key_value_heads", 4},
       {"head_width", 2},
       {"norm_heads", 1},
       {"bias_qkv", 1},
       {"feed_forward", 12}});
  return model;
}

class TestAdapters : public QObject {
  Q_OBJECT
 private slots:
  void meshes_equal_one_device_data();
  void meshes_equal_one_device();
  void random_meshes_equal_one_device_data();
  void random_meshes_equal_one_device();
  void gradients_are_central_differences_data();
  void gradients_are_central_differences();
  void training_begins_with_the_frozen_model();
  void frozen_weights_stay_bit_for_bit();
  void a_merged_layer_gives_the_same_output();
  void another_mesh_goes_on_the_same();
  void other_frozen_weights_are_refused();
  void wrong_adapters_are_refused();
};

void TestAdapters::meshes_equal_one_device_data() {
  QTest::addColumn<Mesh>("mesh");
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2},
                                            {.tensor = 2},
                                            {.tensor = 3, .tokens = true},
                                            {.context = 2},
                                            {.data = 2, .expert = 2},
                                            {.data = 2, .expert_tensor = 2},
                                            {.stages = 3},
                                            {.data = 2, .tensor = 2},
                                            {.data = 2, .context = 2},
                                            {.stages = 2, .data = 2},
                                            {.context = 2, .tensor = 2},
                                            {.context = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .tensor = 2},
                                            {.stages = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .context = 2},
                                            {.tensor = 2, .expert = 2},
                                            {.tensor = 2, .expert_tensor = 2},
                                            {.tensor = 2, .expert = 2, .tokens = true},
                                            {.tensor = 2, .expert_tensor = 2, .tokens = true},
                                            {.context = 2, .expert = 2},
                                            {.context = 2, .expert_tensor = 2},
                                            {.stages = 2, .data = 2, .expert = 2},
                                            {.stages = 2, .data = 2, .expert_tensor = 2},
                                            {.data = 4, .expert = 2, .expert_tensor = 2},
                                            {.data = 2, .context = 2, .tensor = 2, .expert = 4, .tokens = true}})
    QTest::newRow(qPrintable(text_of(mesh))) << mesh;
}

void TestAdapters::meshes_equal_one_device() {
  QFETCH(Mesh, mesh);
  const ModelSpec spec = mixed_model();
  for (const int level : {0, 1, 2, 3}) {
    if (level > 0 && (mesh.devices() == 1 || (level < 3 && !test::nightly()))) continue;
    Plan plan = plan_with(spec, mesh, {3, AdapterTargets::linear});
    plan.sharding.level = level;
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
  }
}

void TestAdapters::random_meshes_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleKind kind : schedules_of_random_plans)
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
}

/// Four for each schedule, ten in .ci/nightly: any degrees, cuts, shares, recomputation, sharding, targets and rank.
void TestAdapters::random_meshes_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= (test::nightly() ? 10u : 4u); ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    Mesh mesh{.stages = ranks, .context = random.integer(1, 2), .tensor = random.integer(1, 2)};
    mesh.data = ranks * mesh.context * mesh.tensor > 4 ? 1 : random.integer(1, 2);
    mesh.expert = mesh.devices() % 2 == 0 ? random.integer(1, 2) : 1;
    mesh.expert_tensor = mesh.devices() % (2 * mesh.expert) == 0 ? random.integer(1, 2) : 1;
    mesh.tokens = mesh.tensor > 1 && random.once_in(2);
    const ModelSpec spec = mixed_model();
    Plan plan = placed_plan(spec, schedule, std::vector<int>(static_cast<std::size_t>(ranks), mesh.devices()),
                            needs.chunks, mesh.data + random.integer(0, 3), std::max(needs.min_batches, 4));
    cut_anywhere(plan, random);
    shard(plan, mesh);
    for (Stage& stage : plan.stages)
      if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, stage.replicas());
    if (random.once_in(2)) recompute_some(plan, random);
    if (random.once_in(3)) plan.optimizer = Optimizer::momentum;
    add_adapters(plan, {random.integer(1, 5), static_cast<AdapterTargets>(random.integer(0, 2))});
    plan.choices->training.hidden.weights = random.once_in(2);
    plan.sharding.level = random.integer(0, bidirectional(schedule) ? 1 : 3);
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(
            QString("seed %1, %2, level %3: %4").arg(seed).arg(text_of(mesh)).arg(plan.sharding.level).arg(wrong)));
  }
}

/// A whole layer with random adapters, of which B is not zero.
struct AdaptedLayer {
  std::unique_ptr<runtime::layers::LayerKernel> kernel;
  std::vector<float> frozen, parameters, input, direction;

  explicit AdaptedLayer(const ModelLayer& layer, std::int64_t samples = 2) : samples_(samples) {
    kernel = runtime::layers::make_layer(layer, runtime::cpu::cpu_kernel_registry()).value();
    pipedeck::Random random(7);
    frozen.resize(static_cast<std::size_t>(kernel->frozen_parameters()));
    kernel->initialise_frozen(frozen, random);
    parameters.resize(static_cast<std::size_t>(kernel->parameters()));
    for (float& value : parameters) value = 0.3f * random.normal();
    input.resize(static_cast<std::size_t>(samples * kernel->input_width()));
    direction.resize(static_cast<std::size_t>(samples * kernel->output_width()));
    for (auto* values : {&input, &direction})
      for (float& value : *values) value = random.normal();
  }

  /// Returns the output for these adapters.
  runtime::tensor::Tensor forward(const std::vector<float>& adapters, runtime::layers::SavedTensors& saved) const {
    saved.frozen = frozen;
    return kernel->forward(tensor_of(input), adapters, saved);
  }
  /// Returns the sum of the output times the direction.
  double value(const std::vector<float>& adapters) const {
    runtime::layers::SavedTensors saved;
    const auto output = forward(adapters, saved);
    double sum = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) sum += double(output.values()[i]) * double(direction[i]);
    return sum;
  }
  std::vector<float> gradients() const {
    runtime::layers::SavedTensors saved;
    saved.loss_scale = 0;
    forward(parameters, saved);
    kernel->backward_input(tensor_of(direction), parameters, saved, true);
    std::vector<float> found(parameters.size());
    kernel->backward_weight(saved, found);
    return found;
  }

 private:
  runtime::tensor::Tensor tensor_of(const std::vector<float>& values) const {
    runtime::tensor::Tensor made(memory_, samples_, static_cast<std::int64_t>(values.size()) / samples_);
    std::ranges::copy(values, made.values().begin());
    return made;
  }

  std::int64_t samples_;
  std::shared_ptr<runtime::tensor::DeviceMemory> memory_ = std::make_shared<runtime::tensor::DeviceMemory>();
};

/// The layers of every kind that has adapters.
std::vector<ModelLayer> adapted_layers(AdapterTargets targets) {
  ModelSpec spec = mixed_model(4);
  spec.layers.insert(spec.layers.begin() + 1, small_gpt(1, 8, 4).layers[1]);
  for (ModelLayer& layer : spec.layers)  // choices of experts jump, so that no difference follows them
    if (layer.kind == "experts") layer.sizes["per_token"] = 4, layer.sizes["capacity_percent"] = 0;
  spec = runtime::layers::with_adapters(spec, {2, targets}, 3);
  return {spec.layers.begin() + 1, spec.layers.end() - 3};
}

void TestAdapters::gradients_are_central_differences_data() {
  QTest::addColumn<int>("targets");
  for (const AdapterTargets targets : {AdapterTargets::query_value, AdapterTargets::attention, AdapterTargets::linear})
    QTest::newRow(std::string(name_of(targets)).c_str()) << static_cast<int>(targets);
}

void TestAdapters::gradients_are_central_differences() {
  QFETCH(int, targets);
  int layers = 0;
  for (const ModelLayer& layer : adapted_layers(static_cast<AdapterTargets>(targets))) {
    const AdaptedLayer own(layer);
    if (own.parameters.empty()) continue;
    ++layers;
    const std::vector<float> found = own.gradients();
    const auto error = [&](float step) {
      double apart = 0, size = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        std::vector<float> more = own.parameters, less = own.parameters;
        more[i] += step, less[i] -= step;
        const double difference = (own.value(more) - own.value(less)) / (double(more[i]) - double(less[i]));
        apart += std::pow(difference - double(found[i]), 2), size += std::pow(difference, 2);
      }
      return size > 0 ? std::sqrt(apart / size) : 1;
    };
    // A norm of a head is curved where the head is short: there a smaller step is nearer.
    const double least = std::min({error(0x1p-7f), error(0x1p-9f), error(0x1p-11f)});
    QVERIFY2(least < 2e-3, qPrintable(QString("%1: %2").arg(QString::fromStdString(layer.kind)).arg(least)));
  }
  QVERIFY(layers >= 5);
}

void TestAdapters::training_begins_with_the_frozen_model() {
  const ModelSpec spec = mixed_model();
  const Plan adapted = plan_with(spec, {}, {4, AdapterTargets::linear});
  Plan plain = adapted;
  plain.choices->training.adapters = {};
  const auto losses = [&](const Plan& plan) { return trained_with(spec, plan, built(plan), 2).log.losses(); };
  const std::vector<double> with = losses(adapted), without = losses(plain);
  QCOMPARE(with[0], without[0]);
  QVERIFY(with[1] != without[1]);
}

void TestAdapters::frozen_weights_stay_bit_for_bit() {
  const ModelSpec spec = mixed_model();
  Plan plain = plan_with(spec, {}, {});
  const auto initial = runtime::train_on_cpu(spec, plain, built(plain), options_for(0), {}).value().layers;
  for (const Mesh& mesh :
       {Mesh{}, Mesh{.stages = 2, .data = 2, .tensor = 2, .expert = 4, .tokens = true}, Mesh{.data = 2, .context = 2}})
    for (const int level : {0, 3}) {
      Plan plan = plan_with(spec, mesh, {4, AdapterTargets::linear});
      if (mesh.devices() > 1) plan.sharding.level = level;
      const auto trained = runtime::train_on_cpu(spec, plan, built(plan), options_for(5), {}).value();
      QVERIFY(trained.frozen == initial);
      QVERIFY(!trained.layers[1].empty() && trained.layers[0].empty());
    }
}

/// W + s A B in the place of W computes the same.
void TestAdapters::a_merged_layer_gives_the_same_output() {
  for (const ModelLayer& layer : adapted_layers(AdapterTargets::linear)) {
    const AdaptedLayer own(layer);
    ModelLayer plain = layer;
    plain.sizes.erase("adapter_rank");
    AdaptedLayer merged(plain);
    merged.input = own.input, merged.direction = own.direction, merged.parameters = own.frozen;
    own.kernel->merge(own.parameters, merged.parameters);
    QVERIFY(merged.parameters != own.frozen);
    const double found = merged.value(merged.parameters), expected = own.value(own.parameters);
    QVERIFY2(std::abs(found - expected) < 1e-4 * (1 + std::abs(expected)),
             qPrintable(QString("%1: %2 and %3").arg(QString::fromStdString(layer.kind)).arg(found).arg(expected)));
  }
}

void TestAdapters::another_mesh_goes_on_the_same() {
  const ModelSpec spec = mixed_model();
  const Adapters adapters{4, AdapterTargets::linear};
  std::vector<Plan> plans;
  for (const Mesh& mesh : std::vector<Mesh>{{},
                                            {.data = 4, .expert = 2},
                                            {.context = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .data = 2, .tensor = 2, .expert = 2, .expert_tensor = 2}})
    for (const int level : {0, 3}) {
      if (mesh.devices() == 1 && level > 0) continue;
      plans.push_back(plan_with(spec, mesh, adapters));
      plans.back().sharding.level = level;
    }
  const QString wrong = difference_after_resuming(spec, plans);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// A checkpoint has no frozen weights, so that a run that resumes must begin with those of the first run.
void TestAdapters::other_frozen_weights_are_refused() {
  const ModelSpec spec = mixed_model();
  const Plan plan = plan_with(spec, {}, {4, AdapterTargets::linear});
  ModelSpec reseeded = spec;
  ++reseeded.seed;
  const auto weights = [&](float more) {
    const Plan all = plan_with(spec, {}, {});
    auto trained = runtime::train_on_cpu(spec, all, built(all), options_for(1), {}).value();
    trained.layers.front().front() += more;
    return std::make_shared<const runtime::train::Weights>(std::move(trained.layers));
  };
  const auto given = weights(0), changed = weights(1);
  for (const auto& begun : {std::shared_ptr<const runtime::train::Weights>(), given}) {
    QTemporaryDir folder;
    runtime::train::TrainOptions first = options_for(2);
    first.weights = begun;
    first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
    QVERIFY(runtime::train_on_cpu(spec, plan, built(plan), first, {}));
    const auto resumed = [&](const ModelSpec& model, std::shared_ptr<const runtime::train::Weights> with) {
      runtime::train::TrainOptions rest = options_for(3);
      rest.weights = std::move(with);
      rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(
          runtime::checkpoint::Checkpoint::open(folder.path().toStdString()).value());
      return runtime::train_on_cpu(model, plan, built(plan), rest, {});
    };
    const auto refused = [](const auto& result) {
      return !result && result.error().code == ErrorCode::bad_input && !result.error().file.empty() &&
             result.error().message.find("--weights") != std::string::npos;
    };
    QVERIFY(resumed(spec, begun).has_value());
    QVERIFY(refused(resumed(spec, begun ? nullptr : given)));
    QVERIFY(refused(resumed(spec, changed)));
    if (!begun) QVERIFY(refused(resumed(reseeded, nullptr)));
  }
}

void TestAdapters::wrong_adapters_are_refused() {
  const auto refused = [](const ModelSpec& spec, runtime::layers::KernelRegistry kernels, const char* text) {
    const Plan plan = plan_with(spec, {}, {4, AdapterTargets::linear});
    const auto result =
        runtime::train_with(runtime::cpu::cpu_backend(std::move(kernels)), spec, plan, built(plan), options_for(1), {});
    if (result) return false;
    const Error& error = result.error();
    if (error.message.find(text) == std::string::npos) qWarning("%s", error.text().c_str());
    return error.code == ErrorCode::bad_input && error.place == "/training/adapters" &&
           error.message.find(text) != std::string::npos;
  };
  QVERIFY(refused(small_mlp(), runtime::cpu::cpu_kernel_registry(), "no layer of the model has such products"));
  auto without = runtime::cpu::cpu_kernel_registry();
  without.adapters = false;
  QVERIFY(refused(mixed_model(), std::move(without), "found adapters of rank 4, expected none: a run on the CPU"));
}

PIPEDECK_TEST(TestAdapters)

}  // namespace pipedeck::tst_adapters

#include "tst_adapters.moc"
