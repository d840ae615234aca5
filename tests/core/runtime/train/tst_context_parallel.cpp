// SPDX-License-Identifier: Apache-2.0
// Context ranks, each with some positions of every sample, train what one device trains, together with tensor, data and
// pipeline parallelism and sharded states.
#include <array>

#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/context.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/transport/transport.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_context_parallel {

using namespace pipedeck::test;

/// Adds the mean over all positions of a sample to each position. With a group the ranks have a part of them.
class Mixer final : public runtime::layers::LayerKernel {
 public:
  Mixer(std::int64_t hidden, std::int64_t own, std::int64_t all, std::shared_ptr<runtime::transport::Collective> group)
      : runtime::layers::LayerKernel(hidden * own, hidden * own, 0),
        hidden_(hidden),
        own_(own),
        all_(all),
        group_(std::move(group)) {}
  void initialise(std::span<float>, Random) const override {}
  runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                  runtime::layers::SavedTensors& saved) const override {
    runtime::tensor::Tensor output = mixed(input);
    saved.tensors.push_back(std::move(input));
    return output;
  }
  /// The mean's derivative is symmetric.
  runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                         runtime::layers::SavedTensors& saved, bool) const override {
    saved.tensors.clear();
    return mixed(gradient);
  }
  void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}

 private:
  runtime::tensor::Tensor mixed(const runtime::tensor::Tensor& input) const {
    std::vector<float> sums(static_cast<std::size_t>(input.samples() * hidden_), 0);
    const auto sum = [&](int sample, std::int64_t i) -> float& {
      return sums[static_cast<std::size_t>(sample * hidden_ + i % hidden_)];
    };
    for (int sample = 0; sample < input.samples(); ++sample)
      for (std::int64_t i = 0; i < own_ * hidden_; ++i) sum(sample, i) += input.data()[sample * input.width() + i];
    if (group_) group_->all_reduce(sums);
    runtime::tensor::Tensor output = input.slice(0, input.samples(), input.memory());
    for (int sample = 0; sample < input.samples(); ++sample)
      for (std::int64_t i = 0; i < own_ * hidden_; ++i)
        output.data()[sample * input.width() + i] += sum(sample, i) / static_cast<float>(all_);
    return output;
  }

  std::int64_t hidden_, own_, all_;
  std::shared_ptr<runtime::transport::Collective> group_;
};

runtime::layers::KernelRegistry kernels_with_mixer() {
  runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
  using Made = Result<std::unique_ptr<runtime::layers::LayerKernel>>;
  kernels.layers["mixer"] = [](const ModelLayer& layer) -> Made {
    return std::make_unique<Mixer>(layer.size("hidden"), layer.size("sequence"), layer.size("sequence"), nullptr);
  };
  kernels.context["mixer"] = [](const ModelLayer& layer, const runtime::layers::ContextShard& context,
                                const runtime::layers::LayerSharding*) -> Made {
    return std::make_unique<Mixer>(layer.size("hidden"), layer.size("sequence"), context.sequence, context.group);
  };
  return kernels;
}

/// Products, norms and mixers of `sequence` positions.
ModelSpec model_of(std::int64_t sequence, int blocks = 2, bool mixes = false) {
  constexpr std::int64_t hidden = 8;
  ModelSpec model;
  model.name = "positions";
  const auto linear = [&](std::int64_t in, std::int64_t out, std::int64_t activation) {
    model.layers.push_back({"linear_" + std::to_string(model.layers.size()),
                            "linear",
                            {{"in", in}, {"out", out}, {"sequence", sequence}, {"activation", activation}}});
  };
  linear(5, hidden, 2);
  for (int i = 0; i < blocks; ++i) {
    if (mixes) model.layers.push_back({"mixer", "mixer", {{"hidden", hidden}, {"sequence", sequence}}});
    model.layers.push_back({"norm", "layer_norm", {{"hidden", hidden}, {"sequence", sequence}}});
    linear(hidden, hidden, 2);
  }
  linear(hidden, 6, 0);
  model.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", 6}, {"sequence", sequence}}});
  model.learning_rate = 3e-3;
  model.seed = 5;
  return model;
}

Plan plan_with(const ModelSpec& model, int stages, int data, int context, int tensor, int micro_batch = 4) {
  Plan plan =
      plan_for(model, std::vector<int>(static_cast<std::size_t>(stages), data * context * tensor), micro_batch, 4);
  for (Stage& stage : plan.stages) stage.tensor_parallel = tensor, stage.degrees.context = context;
  return plan;
}

/// Trains with a plan that must be refused, and compares the error.
bool refused(const ModelSpec& spec, const Plan& plan, const char* place, const char* text) {
  const auto result = runtime::train_on_cpu(spec, plan, built(plan), {}, {});
  if (result) return qWarning("it was not refused"), false;
  const Error& error = result.error();
  const bool named =
      error.code == ErrorCode::bad_input && error.place == place && error.message.find(text) != std::string::npos;
  if (!named) qWarning("%s", error.text().c_str());
  return named;
}

constexpr std::array attention_kinds{ContextKind::ring, ContextKind::gather, ContextKind::heads};

/// The halves of blocks that treat each position by itself, between two tables of an embedding and a loss.
ModelSpec halves_of(std::int64_t sequence) {
  ModelSpec model = small_llama(8, sequence, 10);
  model.layers[0].sizes["positions"] = 1;
  std::erase_if(model.layers, [](const ModelLayer& layer) { return layer.kind == "decoder"; });
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "attention")
      layer = {"experts",
               "experts",
               {{"hidden", 8}, {"experts", 4}, {"per_token", 2}, {"feed_forward", 12}, {"sequence", sequence}}};
  return model;
}

/// Attention with a window, biases and norms of heads.
ModelSpec attention_of(std::int64_t sequence, int blocks = 1) {
  ModelSpec model = small_llama(8, sequence, 10);
  const ModelLayer block = model.layers[1];
  for (int i = 1; i < blocks; ++i) {
    model.layers.insert(model.layers.begin() + 1, block);
    model.layers[1].name = "block_" + std::to_string(i + 1);
  }
  return model;
}

/// Latent attention, with a narrow vector of queries and without.
ModelSpec latent_of(std::int64_t sequence) {
  ModelSpec model = attention_of(sequence);
  std::map<std::string, std::int64_t> sizes{{"hidden", 8},      {"heads", 6},         {"key_value_rank", 5},
                                            {"plain_width", 3}, {"rotary_width", 2},  {"value_width", 3},
                                            {"query_rank", 4},  {"feed_forward", 12}, {"sequence", sequence}};
  model.layers[1] = {"block_0", "latent_decoder", sizes};
  sizes["query_rank"] = 0, sizes.erase("feed_forward");
  model.layers[2] = {"block_1.attention", "latent_attention", sizes};
  return model;
}

class TestContextParallel : public QObject {
  Q_OBJECT
 private slots:
  void ranks_have_the_positions_of_two_chunks();
  void ranks_equal_one_device_data();
  void ranks_equal_one_device();
  void random_plans_equal_one_device();
  void layers_reach_the_other_positions();
  void positions_of_language_models_equal_one_device();
  void attention_equals_one_device_data();
  void attention_equals_one_device();
  void random_attention_equals_one_device();
  void heads_and_ring_equal_one_device();
  void attention_without_a_way_to_the_other_positions_is_named();
  void what_needs_all_positions_is_named();
};

void TestContextParallel::ranks_have_the_positions_of_two_chunks() {
  for (const int degree : {1, 2, 3, 4})
    for (const std::int64_t chunk : {1, 3}) {
      const std::int64_t sequence = degree == 1 ? chunk : 2 * degree * chunk;
      std::vector<int> owner(static_cast<std::size_t>(sequence), -1);
      for (int rank = 0; rank < degree; ++rank) {
        std::int64_t before = -1;
        for (const auto& range : runtime::layers::context_positions(sequence, rank, degree))
          for (std::int64_t i = range.first; i < range.first + range.count; ++i) {
            QVERIFY(i > before);
            QCOMPARE(owner[static_cast<std::size_t>(i)], -1);
            owner[static_cast<std::size_t>(before = i)] = rank;
          }
      }
      for (std::int64_t i = 0; i < sequence; ++i) {
        const int position = static_cast<int>(i / chunk);
        QCOMPARE(owner[static_cast<std::size_t>(i)], degree == 1 ? 0 : std::min(position, 2 * degree - 1 - position));
      }
    }
}

void TestContextParallel::ranks_equal_one_device_data() {
  QTest::addColumn<int>("stages");
  QTest::addColumn<int>("data");
  QTest::addColumn<int>("context");
  QTest::addColumn<int>("tensor");
  QTest::newRow("two context ranks") << 1 << 1 << 2 << 1;
  QTest::newRow("three context ranks, stages") << 2 << 1 << 3 << 1;
  QTest::newRow("context and data ranks") << 1 << 2 << 2 << 1;
  QTest::newRow("context and tensor ranks") << 1 << 1 << 2 << 2;
  QTest::newRow("all of them") << 2 << 2 << 2 << 2;
}

void TestContextParallel::ranks_equal_one_device() {
  QFETCH(int, stages);
  QFETCH(int, data);
  QFETCH(int, context);
  QFETCH(int, tensor);
  const ModelSpec spec = model_of(12);
  for (const int level : {0, 1, 2, 3}) {
    Plan plan = plan_with(spec, stages, data, context, tensor);
    plan.sharding.level = level;
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
  }
}

void TestContextParallel::random_plans_equal_one_device() {
  for (const ScheduleKind kind : schedules_of_random_plans)
    for (unsigned seed = 1; seed <= 4; ++seed) {
      Draw random(seed * 100 + static_cast<unsigned>(kind));
      const int ranks = bidirectional(kind) ? 2 : random.integer(1, 2);
      const Needs needs = needs_of(kind, ranks, random);
      const int context = 2, tensor = random.integer(1, 2), data = ranks * tensor == 4 ? 1 : random.integer(1, 2);
      const ModelSpec spec = model_of(4 * random.integer(1, 3), ranks * needs.chunks + random.integer(0, 2));
      Plan plan = placed_plan(spec, kind, std::vector<int>(static_cast<std::size_t>(ranks), data * context * tensor),
                              needs.chunks, data + random.integer(0, 3), std::max(needs.min_batches, 4));
      cut_anywhere(plan, random);
      for (Stage& stage : plan.stages) {
        stage.tensor_parallel = tensor, stage.degrees.context = context;
        if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, data);
      }
      if (random.once_in(2)) recompute_some(plan, random);
      plan.sharding.level = random.integer(0, bidirectional(kind) ? 1 : 3);
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(
          wrong.isEmpty(),
          qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(stage_shape_text(plan)), wrong)));
    }
}

/// A factory of a kind that mixes positions receives the group of the ranks that have the others.
void TestContextParallel::layers_reach_the_other_positions() {
  const ModelSpec spec = model_of(12, 2, true);
  const runtime::layers::Backend backend = runtime::cpu::cpu_backend(kernels_with_mixer());
  const auto trained = [&](const Plan& plan) {
    runtime::train::TrainOptions options;
    options.steps = 10;
    auto result = runtime::train_with(backend, spec, plan, built(plan), options, {});
    if (!result) qFatal("%s", result.error().text().c_str());
    return *std::move(result);
  };
  const auto expected = trained(plan_with(spec, 1, 1, 1, 1));
  for (const auto& [data, context] : {std::pair{1, 2}, {2, 3}, {2, 2}}) {
    const double apart = parameter_difference(trained(plan_with(spec, 1, data, context, 1)), expected);
    QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
  }
}

void TestContextParallel::positions_of_language_models_equal_one_device() {
  const ModelSpec spec = halves_of(12);
  for (const auto& [stages, data, context, tensor] :
       {std::tuple{1, 1, 2, 1}, {1, 1, 3, 2}, {2, 2, 2, 1}, {2, 1, 2, 2}}) {
    const QString wrong = difference_from_one_device(spec, plan_with(spec, stages, data, context, tensor), 20);
    QVERIFY2(wrong.isEmpty(),
             qPrintable(QString("%1 x %2 x %3 x %4: %5").arg(stages).arg(data).arg(context).arg(tensor).arg(wrong)));
  }
}

void TestContextParallel::attention_equals_one_device_data() {
  QTest::addColumn<ContextKind>("kind");
  QTest::addColumn<int>("stages");
  QTest::addColumn<int>("data");
  QTest::addColumn<int>("context");
  QTest::addColumn<int>("tensor");
  for (const ContextKind kind : attention_kinds) {
    const std::string name(name_of(kind));
    QTest::addRow("%s, two ranks", name.c_str()) << kind << 1 << 1 << 2 << 1;
    QTest::addRow("%s, three ranks, stages", name.c_str()) << kind << 2 << 1 << 3 << 1;
    QTest::addRow("%s, four ranks", name.c_str()) << kind << 1 << 1 << 4 << 1;
    QTest::addRow("%s, with data ranks", name.c_str()) << kind << 1 << 2 << 2 << 1;
    QTest::addRow("%s, with tensor ranks", name.c_str()) << kind << 1 << 1 << 2 << 2;
    QTest::addRow("%s, with all of them", name.c_str()) << kind << 2 << 2 << 2 << 2;
  }
}

void TestContextParallel::attention_equals_one_device() {
  QFETCH(ContextKind, kind);
  QFETCH(int, stages);
  QFETCH(int, data);
  QFETCH(int, context);
  QFETCH(int, tensor);
  for (const ModelSpec& spec : {attention_of(24), latent_of(24)})
    for (const int level : {0, 3}) {
      Plan plan = plan_with(spec, stages, data, context, tensor);
      plan.sharding.level = level;
      for (Stage& stage : plan.stages) stage.degrees.context_kind = kind;
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
    }
}

void TestContextParallel::random_attention_equals_one_device() {
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_h1,
                                  ScheduleKind::zb_v, ScheduleKind::chimera})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Draw random(seed * 1000 + static_cast<unsigned>(kind));
      const int ranks = bidirectional(kind) ? 2 : random.integer(1, 2);
      const Needs needs = needs_of(kind, ranks, random);
      const int context = random.integer(2, 3), tensor = context == 3 ? 1 : random.integer(1, 2);
      const int data = ranks * tensor == 4 ? 1 : random.integer(1, 2);
      const ModelSpec spec = attention_of(2 * context * random.integer(1, 3),
                                          std::max(1, ranks * needs.chunks - 4) + random.integer(0, 1));
      Plan plan = placed_plan(spec, kind, std::vector<int>(static_cast<std::size_t>(ranks), data * context * tensor),
                              needs.chunks, data + random.integer(0, 2), std::max(needs.min_batches, 4));
      cut_anywhere(plan, random);
      const auto drawn_kind = [&] {
        return attention_kinds[static_cast<std::size_t>(random.integer(0, int{attention_kinds.size()} - 1))];
      };
      const ContextKind exchange = drawn_kind();  // of stages that share a device
      for (Stage& stage : plan.stages) {
        stage.tensor_parallel = tensor, stage.degrees.context = context;
        stage.degrees.context_kind = needs.chunks == 1 && !bidirectional(kind) ? drawn_kind() : exchange;
        if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, data);
      }
      if (random.once_in(2)) recompute_some(plan, random);
      plan.sharding.level = random.integer(0, bidirectional(kind) ? 1 : 3);
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(
          wrong.isEmpty(),
          qPrintable(QString("seed %1, %2: %3").arg(seed).arg(QString::fromStdString(stage_shape_text(plan)), wrong)));
    }
}

/// Two or three ranks exchange heads, and blocks of them pass keys and values on.
void TestContextParallel::heads_and_ring_equal_one_device() {
  for (const auto& [stages, data, context, heads, tensor, level] :
       {std::tuple{1, 1, 4, 2, 1, 0}, {2, 1, 4, 2, 2, 0}, {1, 2, 4, 2, 1, 3}, {1, 1, 6, 3, 1, 0}, {1, 1, 6, 2, 1, 1}})
    for (const ModelSpec& spec : {attention_of(24), latent_of(24)}) {
      Plan plan = plan_with(spec, stages, data, context, tensor);
      plan.sharding.level = level;
      for (Stage& stage : plan.stages)
        stage.degrees.context_kind = ContextKind::heads_ring, stage.degrees.context_heads = heads;
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("C %1 of %2, T %3: %4").arg(heads).arg(context).arg(tensor).arg(wrong)));
      if (stages == 2)
        QVERIFY(trained_with(spec, plan, built(plan), 3).parameters.layers ==
                trained_with(spec, plan, built(plan), 3).parameters.layers);
    }
}

void TestContextParallel::attention_without_a_way_to_the_other_positions_is_named() {
  const ModelSpec llama = attention_of(24);
  Plan plan = plan_with(llama, 1, 1, 6, 1);
  plan.stages[0].degrees.context_kind = ContextKind::heads;
  QVERIFY(refused(llama, plan, "/layers/1", "found 4 key-value heads on a tensor-parallel rank, expected 6 or more"));
  plan = plan_with(llama, 1, 1, 3, 2);
  plan.stages[0].degrees.context_kind = ContextKind::heads;
  QVERIFY(refused(llama, plan, "/stages/0/tensor_parallel",
                  "found 2 key-value heads on a tensor-parallel rank, expected 3 or more"));
}

void TestContextParallel::what_needs_all_positions_is_named() {
  const ModelSpec gpt = small_gpt();
  QVERIFY(refused(gpt, plan_with(gpt, 1, 1, 2, 1), "/layers/1",
                  "(transformer) needs all positions of a sample on the CPU: found 2 context ranks"));
  const ModelSpec odd = model_of(6);
  QVERIFY(refused(odd, plan_with(odd, 1, 1, 2, 1), "/layers/0", "found 6 positions, expected a multiple of 4"));
  const ModelSpec spec = model_of(12);
  Plan plan = plan_with(spec, 2, 1, 2, 1);
  plan.stages[1].degrees.context = 1;
  QVERIFY(refused(spec, plan, "/stages/1/context_parallel", "found 1, expected 2, as stage 0 has"));
  plan = plan_with(spec, 2, 1, 2, 1);
  plan.schedule = ScheduleKind::pipedream;
  QVERIFY(refused(spec, plan, "/stages/0/context_parallel", "expected 1 with the asynchronous schedule 'pipedream'"));
}

PIPEDECK_TEST(TestContextParallel)

}  // namespace pipedeck::tst_context_parallel

#include "tst_context_parallel.moc"
