// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters in the blocks of GPT-2, and next to a frozen table that both ends of a model share: every mesh
// trains what one device trains. tst_adapters has the kinds of Llama's blocks, and all gradients.
#include <QTest>

#include "core/runtime/exec/layout.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/core/runtime/train/meshes.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_adapted_models {

using namespace pipedeck::test;

Plan plan_with(const ModelSpec& model, const Mesh& mesh, int level = 0, const Adapters& adapters = {3}) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.devices());
  Plan plan = mesh.chunks > 1 ? placed_plan(model, ScheduleKind::zb_v, devices, mesh.chunks, 4, 4)
                              : plan_for(model, devices, 4, 4);
  shard(plan, mesh);
  plan.sharding.level = level;
  plan.choices.emplace().training.adapters = adapters;
  return plan;
}

ModelSpec gpt() { return small_gpt(2, 8, 8, 10); }
/// A model whose ends share a table: of Llama's blocks, or of GPT-2's, whose embedding has positions behind it.
ModelSpec with_tied_ends(bool llama) { return tied(llama ? small_llama(8, 8, 10) : gpt()); }

class TestAdaptedModels : public QObject {
  Q_OBJECT
 private slots:
  void meshes_equal_one_device_data();
  void meshes_equal_one_device();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void unequal_stages_equal_one_device();
  void frozen_weights_stay_bit_for_bit();
  void a_frozen_table_has_no_exchange();
  void another_mesh_goes_on_the_same();
  void given_weights_are_those_of_both_ends();
  void an_evaluation_merges_the_adapters();
};

void TestAdaptedModels::meshes_equal_one_device_data() {
  QTest::addColumn<Mesh>("mesh");
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2},
                                            {.tensor = 2},
                                            {.tensor = 2, .tokens = true},
                                            {.context = 2},
                                            {.stages = 2},
                                            {.stages = 3},
                                            {.stages = 2, .chunks = 2},
                                            {.stages = 2, .data = 2},
                                            {.data = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .tensor = 2},
                                            {.stages = 2, .data = 2, .chunks = 2},
                                            {.stages = 2, .context = 2},
                                            {.stages = 2, .data = 2, .tensor = 2, .tokens = true}})
    QTest::newRow(qPrintable(text_of(mesh))) << mesh;
}

void TestAdaptedModels::meshes_equal_one_device() {
  QFETCH(Mesh, mesh);
  for (const ModelSpec& spec : {gpt(), with_tied_ends(false), with_tied_ends(true)}) {
    if (mesh.context > 1 && spec.layers[1].kind == "transformer") continue;  // it has no context ranks
    for (const int level : {0, 1, 2, 3}) {
      if (level > 0 && (mesh.data * mesh.context == 1 || (level < 3 && !test::nightly()))) continue;
      const QString wrong = difference_from_one_device(spec, plan_with(spec, mesh, level), 20);
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("%1, level %2: %3").arg(QString::fromStdString(spec.name)).arg(level).arg(wrong)));
    }
  }
}

void TestAdaptedModels::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleKind kind : schedules_of_random_plans)
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
  QTest::newRow("dualpipe-v") << static_cast<int>(ScheduleKind::dualpipe_v);
}

/// Three for each schedule, ten in .ci/nightly: any degrees, cuts, shares, recomputation, sharding, targets and rank.
void TestAdaptedModels::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= (test::nightly() ? 10u : 3u); ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    Mesh mesh{.stages = ranks, .data = random.integer(1, 2), .tensor = random.integer(1, 2)};
    mesh.tokens = mesh.tensor > 1 && random.once_in(2);
    const ModelSpec spec = random.once_in(3) ? gpt() : with_tied_ends(random.once_in(3));
    Plan plan = placed_plan(spec, schedule, std::vector<int>(static_cast<std::size_t>(ranks), mesh.devices()),
                            needs.chunks, mesh.data + random.integer(0, 3), std::max(needs.min_batches, 4));
    cut_anywhere(plan, random);
    shard(plan, mesh);
    for (Stage& stage : plan.stages)
      if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, stage.replicas());
    if (random.once_in(2)) recompute_some(plan, random);
    if (random.once_in(3)) plan.optimizer = Optimizer::momentum;
    plan.choices.emplace().training.adapters = {random.integer(1, 5),
                                                static_cast<AdapterTargets>(random.integer(0, 2))};
    plan.choices->training.hidden.weights = random.once_in(2);
    plan.sharding.level = random.integer(0, bidirectional(schedule) ? 1 : 3);
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(
            QString("seed %1, %2, level %3: %4").arg(seed).arg(text_of(mesh)).arg(plan.sharding.level).arg(wrong)));
  }
}

/// Ends with other numbers of replicas, which a table with gradients has at level 0 alone.
void TestAdaptedModels::unequal_stages_equal_one_device() {
  const ModelSpec spec = with_tied_ends(false);
  for (const auto& replicas : {std::vector<int>{3, 1}, {1, 2}})
    for (const int level : {0, 1, 3}) {
      Plan plan = plan_for(spec, replicas, 6, 3);
      plan.sharding.level = level;
      plan.choices.emplace().training.adapters = {3};
      const QString wrong = difference_from_one_device(spec, plan, 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
    }
}

/// The frozen weights are those of a run without adapters before its first step, the table once.
void TestAdaptedModels::frozen_weights_stay_bit_for_bit() {
  for (const bool llama : {true, false}) {
    const ModelSpec spec = with_tied_ends(llama);
    Plan plain = plan_with(spec, {}, 0, {});
    const auto initial = runtime::train_on_cpu(spec, plain, built(plain), options_for(0), {}).value().layers;
    QVERIFY(initial.back().empty());
    for (const Mesh& mesh :
         {Mesh{}, Mesh{.stages = 2, .data = 2, .tensor = 2, .tokens = true}, Mesh{.stages = 2, .data = 2, .chunks = 2}})
      for (const int level : {0, 3}) {
        const Plan plan = plan_with(spec, mesh, mesh.data > 1 ? level : 0);
        const auto trained = runtime::train_on_cpu(spec, plan, built(plan), options_for(5), {}).value();
        QVERIFY(trained.frozen == initial);
        QVERIFY(trained.layers.front().empty() && !trained.layers[1].empty() && trained.layers.back().empty());
      }
  }
}

/// A device with both ends has the table once, and no devices sum gradients of it.
void TestAdaptedModels::a_frozen_table_has_no_exchange() {
  const ModelSpec spec = runtime::layers::with_adapters(with_tied_ends(true), {2}, 0);
  for (const Mesh& mesh :
       {Mesh{.data = 2}, Mesh{.stages = 2, .data = 2, .tensor = 2}, Mesh{.stages = 2, .chunks = 2}}) {
    const Plan plan = plan_with(spec, mesh);
    const auto layout = runtime::exec::lay_out(spec, plan, built(plan)).value();
    for (const auto& placement : layout.placements)
      for (const auto& chunk : placement.chunks) {
        QVERIFY(!chunk.states.table);
        QVERIFY(runtime::exec::table_members(layout, chunk).copies.empty());
      }
    QCOMPARE(layout.placements[0].chunks.back().borrows, mesh.stages == 1 || mesh.chunks > 1);
  }
}

void TestAdaptedModels::another_mesh_goes_on_the_same() {
  const ModelSpec spec = with_tied_ends(false);
  std::vector<Plan> plans;
  for (const auto& [mesh, level] :
       {std::pair(Mesh{}, 0), std::pair(Mesh{.stages = 2, .data = 2, .tensor = 2, .tokens = true}, 0),
        std::pair(Mesh{.stages = 2, .data = 2, .tensor = 2}, 3), std::pair(Mesh{.stages = 2, .chunks = 2}, 0)})
    plans.push_back(plan_with(spec, mesh, level));
  const QString wrong = difference_after_resuming(spec, plans);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// A run that begins with weights of a file trains next to these: the table of both ends is the file's.
void TestAdaptedModels::given_weights_are_those_of_both_ends() {
  const ModelSpec spec = with_tied_ends(true);
  const Plan all = plan_with(spec, {}, 0, {});
  const auto weights = std::make_shared<const runtime::train::Weights>(
      runtime::train_on_cpu(spec, all, built(all), options_for(3), {}).value().layers);
  runtime::train::TrainOptions options = options_for(4);
  options.weights = weights;
  std::vector<runtime::train::TrainedParameters> results;
  for (const auto& [mesh, level] : {std::pair(Mesh{}, 0), std::pair(Mesh{.stages = 2, .data = 2, .tensor = 2}, 3),
                                    std::pair(Mesh{.stages = 2}, 0)}) {
    const Plan plan = plan_with(spec, mesh, level);
    results.push_back(runtime::train_on_cpu(spec, plan, built(plan), options, {}).value());
    QVERIFY(results.back().frozen == *weights);
    const double apart = parameter_difference(results.back(), results.front());
    QVERIFY2(apart < 1e-5, qPrintable(QString::number(apart)));
  }
}

/// The loss of a run's next step is that of its merged weights, evaluated on the step's samples.
void TestAdaptedModels::an_evaluation_merges_the_adapters() {
  const ModelSpec spec = with_tied_ends(false);
  const Plan plan = plan_with(spec, {.stages = 2});
  constexpr int steps = 6;
  const auto trained = runtime::train_on_cpu(spec, plan, built(plan), options_for(steps), {}).value();
  const ModelSpec adapted = runtime::layers::with_adapters(spec, plan.choices->training.adapters, 0);
  const auto merged = runtime::train::merged_weights(adapted, trained).value();
  QVERIFY(merged != trained.frozen && merged.front() == trained.frozen.front());
  const Plan plain = plan_with(spec, {}, 0, {});
  runtime::train::TrainOptions next = options_for(1);
  next.weights = std::make_shared<const runtime::train::Weights>(merged);
  const auto score =
      runtime::train::evaluate_on_cpu(adapted, trained, 4, static_cast<std::uint64_t>(plan.global_batch));
  QVERIFY2(score.has_value(), score ? "" : score.error().text().c_str());
  EventLog log;
  QVERIFY(runtime::train_on_cpu(spec, plain, built(plain), next, log.sink()));
  const double expected = log.losses().front();
  QVERIFY2(std::abs(score->loss - expected) < 1e-5 * expected, qPrintable(QString::number(score->loss - expected)));
}

PIPEDECK_TEST(TestAdaptedModels)

}  // namespace pipedeck::tst_adapted_models

#include "tst_adapted_models.moc"
