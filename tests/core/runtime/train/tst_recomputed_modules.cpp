// SPDX-License-Identifier: Apache-2.0
// Recomputation by module trains what one device trains that keeps everything, and keeps as many bytes less as the
// modules' tensors have.
#include <QTest>

#include "core/runtime/train.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_recomputed_modules {

using namespace pipedeck::test;

const std::vector<std::string> all_modules{"core_attn", "layernorm", "mla_up_proj",   "mlp",
                                           "moe",       "moe_act",   "shared_experts"};

/// Every kind of block that has modules: latent attention, experts with a shared part, dense blocks.
ModelSpec mixed_model(std::int64_t sequence = 8) {
  constexpr std::int64_t hidden = 8;
  ModelSpec model = small_mixtral(1, hidden, sequence, 10);
  model.layers[2].sizes["shared_feed_forward"] = 6;
  model.layers[2].sizes["capacity_percent"] = 75;
  const auto add = [&](std::size_t at, const char* kind, std::map<std::string, std::int64_t> sizes) {
    sizes["hidden"] = hidden, sizes["sequence"] = sequence;
    model.layers.insert(model.layers.begin() + static_cast<std::ptrdiff_t>(at),
                        {std::string(kind) + "_" + std::to_string(at), kind, std::move(sizes)});
  };
  add(1, "decoder", {{"heads", 4}, {"norm_heads", 1}, {"feed_forward", 12}});
  add(2, "latent_decoder",
      {{"heads", 4},
       {"query_rank", 6},
       {"key_value_rank", 5},
       {"plain_width", 3},
       {"rotary_width", 2},
       {"value_width", 3},
       {"feed_forward", 12}});
  return model;
}

/// The largest peak of any device in the last step.
double peak_of(const ModelSpec& model, const Plan& plan) {
  double most = 0;
  const StepDone last = trained_with(model, plan, built(plan), 3).log.of<StepDone>().back();
  for (const Bytes bytes : last.memory) most = std::max(most, static_cast<double>(bytes.count));
  return most;
}

class TestRecomputedModules : public QObject {
  Q_OBJECT
 private slots:
  void each_module_equals_one_device_data();
  void each_module_equals_one_device();
  void random_meshes_equal_one_device();
  void modules_of_a_transformer_equal_one_device();
  void kept_bytes_are_those_of_the_modules_data();
  void kept_bytes_are_those_of_the_modules();
  void unknown_modules_are_named();
};

void TestRecomputedModules::each_module_equals_one_device_data() {
  QTest::addColumn<QString>("module");
  for (const std::string& module : all_modules) QTest::newRow(module.c_str()) << QString::fromStdString(module);
}

void TestRecomputedModules::each_module_equals_one_device() {
  QFETCH(QString, module);
  const ModelSpec spec = mixed_model();
  for (const ContextKind kind : {ContextKind::ring, ContextKind::gather, ContextKind::heads}) {
    Plan plan = plan_for(spec, {4}, 4, 4);
    Stage& stage = plan.stages[0];
    stage.tensor_parallel = 2, stage.degrees = {.sequence = true, .context = 2, .context_kind = kind, .expert = 2};
    stage.recompute.modules = {module.toStdString()};
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }
}

/// Any modules, meshes, schedules and levels of sharding.
void TestRecomputedModules::random_meshes_equal_one_device() {
  for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
                                  ScheduleKind::zb_h1, ScheduleKind::chimera})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      Draw random(seed * 100 + static_cast<unsigned>(kind));
      const int ranks = bidirectional(kind) ? 2 : random.integer(1, 2);
      const Needs needs = needs_of(kind, ranks, random);
      const int context = random.integer(1, 2), tensor = random.integer(1, 2), data = random.integer(1, 2);
      const ModelSpec spec = mixed_model();
      Plan plan = placed_plan(spec, kind, std::vector<int>(static_cast<std::size_t>(ranks), data * context * tensor),
                              needs.chunks, data + random.integer(0, 3), std::max(needs.min_batches, 4));
      cut_anywhere(plan, random);
      std::vector<std::string> modules;
      for (const std::string& module : all_modules)
        if (random.once_in(2)) modules.push_back(module);
      for (Stage& stage : plan.stages) {
        stage.tensor_parallel = tensor;
        stage.degrees = {.sequence = tensor > 1, .context = context};
        stage.degrees.expert = data * context * tensor % 2 == 0 ? 2 : 1;
        stage.recompute.modules = modules;
      }
      plan.sharding.level = random.integer(0, bidirectional(kind) ? 1 : 3);
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(
          wrong.isEmpty(),
          qPrintable(
              QString("%1, seed %2: %3").arg(QString::fromStdString(std::string(name_of(kind)))).arg(seed).arg(wrong)));
    }
}

void TestRecomputedModules::modules_of_a_transformer_equal_one_device() {
  const ModelSpec spec = small_gpt(3, 8, 4, 10);
  for (const int tensor : {1, 2}) {
    Plan plan = plan_for(spec, {tensor, tensor}, 4, 4);
    for (Stage& stage : plan.stages) stage.tensor_parallel = tensor, stage.recompute.modules = {"core_attn", "mlp"};
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }
}

void TestRecomputedModules::kept_bytes_are_those_of_the_modules_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("module");
  QTest::addColumn<int>("numbers");  // of a token and block, with h 16, s 32, f 48
  QTest::newRow("softmaxes of 4 heads") << "attention"
                                        << "core_attn" << 4 * 32;
  QTest::newRow("norm with its factor, gates, activation") << "feed_forward"
                                                           << "mlp" << 16 + 1 + 2 * 48 + 48;
  QTest::newRow("activation of 2 of 4 experts") << "experts"
                                                << "moe_act" << 2 * 48;
  QTest::newRow("norm of experts") << "experts"
                                   << "layernorm" << 16;
  QTest::newRow("gates and activation of all tokens") << "experts"
                                                      << "shared_experts" << 3 * 24;
  // Norm with its factor, scores, choices, weights, and rows of gates and activations.
  QTest::newRow("all of experts") << "experts"
                                  << "moe" << 16 + 1 + 4 + 2 + 2 + 2 * 3 * 48 + 3 * 24;
}

/// All micro-batches are kept, and one block is restored at a time.
void TestRecomputedModules::kept_bytes_are_those_of_the_modules() {
  QFETCH(QString, kind);
  QFETCH(QString, module);
  QFETCH(int, numbers);
  constexpr int blocks = 6, micro_batches = 8, samples = 4;
  constexpr std::int64_t hidden = 16, sequence = 32;
  ModelSpec spec = small_llama(hidden, sequence, 10);
  spec.layers.erase(spec.layers.begin() + 1, spec.layers.begin() + 4);
  std::map<std::string, std::int64_t> sizes{{"hidden", hidden}, {"sequence", sequence}};
  if (kind == "attention") sizes["heads"] = 4;
  if (kind != "attention") sizes["feed_forward"] = 48;
  if (kind == "experts") sizes["experts"] = 4, sizes["per_token"] = 2, sizes["shared_feed_forward"] = 24;
  for (int i = 0; i < blocks; ++i)
    spec.layers.insert(spec.layers.begin() + 1, ModelLayer{"block_" + std::to_string(i), kind.toStdString(), sizes});
  Plan plan = plan_for(spec, {1}, samples, micro_batches);
  plan.schedule = ScheduleKind::gpipe;
  const double whole = peak_of(spec, plan);
  plan.stages[0].recompute.modules = {module.toStdString()};
  const double less = whole - peak_of(spec, plan);
  const double of_one = 4.0 * samples * sequence * numbers, all = of_one * micro_batches * blocks;
  QVERIFY2(less <= all && less >= all - 2 * of_one,
           qPrintable(QString("%1 bytes less, expected %2 but up to two blocks").arg(less).arg(all)));
}

void TestRecomputedModules::unknown_modules_are_named() {
  const ModelSpec spec = mixed_model();
  Plan plan = plan_for(spec, {1, 1}, 4, 4);
  plan.stages[1].recompute.modules = {"core_attn", "mpl"};
  const auto result = runtime::train_on_cpu(spec, plan, built(plan), {}, {});
  QVERIFY(!result);
  QCOMPARE(result.error().place, std::string("/stages/1/recompute/modules"));
  QVERIFY2(result.error().message.find("found module 'mpl', expected one of core_attn, layernorm, mla_up_proj, mlp, "
                                       "moe, moe_act, shared_experts") != std::string::npos,
           result.error().message.c_str());
}

PIPEDECK_TEST(TestRecomputedModules)

}  // namespace pipedeck::tst_recomputed_modules

#include "tst_recomputed_modules.moc"
