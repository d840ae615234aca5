// SPDX-License-Identifier: Apache-2.0
// A head that shares its embedding's table: every mesh trains what one device trains, whose gradients are central
// differences of a plain program. The table is there once, in memory and in checkpoints.
#include <QTest>

#include "core/plan/validate.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/layout.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/core/runtime/reference.hpp"
#include "tests/core/runtime/train/meshes.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_tied_ends {

using namespace pipedeck::test;

Plan plan_with(const ModelSpec& model, const Mesh& mesh, int level = 0) {
  const std::vector<int> devices(static_cast<std::size_t>(mesh.stages), mesh.devices());
  Plan plan = mesh.chunks > 1 ? placed_plan(model, ScheduleKind::interleaved, devices, mesh.chunks, 4, 4)
                              : plan_for(model, devices, 4, 4);
  shard(plan, mesh);
  plan.sharding.level = level;
  return plan;
}

bool refused(const Result<void>& result, const char* place, const char* text) {
  if (result) return qWarning("it was not refused"), false;
  const Error& error = result.error();
  const bool named =
      error.code == ErrorCode::bad_input && error.place == place && error.message.find(text) != std::string::npos;
  if (!named) qWarning("%s", error.text().c_str());
  return named;
}

Result<void> trained(const ModelSpec& model, const Plan& plan,
                     runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry()) {
  TRY_VOID(runtime::train_with(runtime::cpu::cpu_backend(std::move(kernels)), model, plan, built(plan), {}, {}));
  return {};
}

class TestTiedEnds : public QObject {
  Q_OBJECT
 private slots:
  void meshes_equal_one_device_data();
  void meshes_equal_one_device();
  void choices_of_sharding_equal_one_device();
  void random_plans_equal_one_device_data();
  void random_plans_equal_one_device();
  void unequal_stages_equal_one_device();
  void gradients_are_central_differences();
  void overlapped_reductions_have_the_same_bits();
  void a_device_has_the_table_once();
  void another_mesh_goes_on_the_same();
  void an_evaluation_uses_the_table();
  void wrong_ends_are_refused();
};

void TestTiedEnds::meshes_equal_one_device_data() {
  QTest::addColumn<Mesh>("mesh");
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2},
                                            {.tensor = 2},
                                            {.context = 2},
                                            {.stages = 2},
                                            {.stages = 3},
                                            {.stages = 2, .chunks = 2},
                                            {.stages = 2, .data = 2},
                                            {.stages = 2, .data = 3},
                                            {.stages = 2, .tensor = 2},
                                            {.stages = 2, .tensor = 3},
                                            {.stages = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .context = 2},
                                            {.stages = 2, .context = 2, .tensor = 2, .tokens = true},
                                            {.stages = 2, .data = 2, .tensor = 2},
                                            {.stages = 2, .data = 2, .context = 2},
                                            {.data = 2, .tensor = 2},
                                            {.stages = 2, .data = 2, .chunks = 2},
                                            {.stages = 2, .data = 2, .context = 2, .tensor = 2, .tokens = true}})
    QTest::newRow(qPrintable(text_of(mesh))) << mesh;
}

void TestTiedEnds::meshes_equal_one_device() {
  QFETCH(Mesh, mesh);
  for (const bool llama : {true, false}) {
    const ModelSpec spec = tied(llama ? small_llama(8, 8, 10) : small_gpt(2, 8, 8, 10));
    if (!llama && (mesh.context > 1 || mesh.tensor > 2)) continue;  // its blocks need whole samples, and two heads
    for (const int level : {0, 1, 2, 3}) {
      if (level > 0 && mesh.data * mesh.context == 1) continue;
      const QString wrong = difference_from_one_device(spec, plan_with(spec, mesh, level), 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
    }
  }
}

void TestTiedEnds::choices_of_sharding_equal_one_device() {
  const ModelSpec spec = tied(small_llama(8, 8, 10));
  for (const int stages : {1, 2})
    for (const int level : {1, 2, 3})
      for (const CopySync copies : {CopySync::each_step, CopySync::each_micro_batch, CopySync::shard_optimizer}) {
        Plan plan = plan_with(spec, {.stages = stages, .data = 4}, level);
        plan.sharding.group = 2, plan.sharding.copies = copies;
        const QString wrong = difference_from_one_device(spec, plan, 8);
        QVERIFY2(
            wrong.isEmpty(),
            qPrintable(QString("P %1, level %2, copies %3: %4").arg(stages).arg(level).arg(int(copies)).arg(wrong)));
      }
  for (const Reshard reshard : {Reshard::after_backward, Reshard::after_step})
    for (const bool ahead : {false, true})
      for (const int stages : {1, 2}) {
        Plan plan = plan_with(spec, {.stages = stages, .data = 2}, 3);
        plan.sharding.reshard = reshard;
        plan.choices.emplace().training.hidden.weights = ahead;
        const QString wrong = difference_from_one_device(spec, plan, 8);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
      }
}

void TestTiedEnds::random_plans_equal_one_device_data() {
  QTest::addColumn<int>("kind");
  for (const ScheduleKind kind : schedules_of_random_plans)
    QTest::newRow(std::string(name_of(kind)).c_str()) << static_cast<int>(kind);
  QTest::newRow("dualpipe-v") << static_cast<int>(ScheduleKind::dualpipe_v);
}

/// Three for each schedule, ten in .ci/nightly: any degrees, cuts, shares, recomputation, sharding and overlap.
void TestTiedEnds::random_plans_equal_one_device() {
  QFETCH(int, kind);
  const auto schedule = static_cast<ScheduleKind>(kind);
  for (unsigned seed = 1; seed <= (test::nightly() ? 10u : 3u); ++seed) {
    Draw random(seed * 100 + static_cast<unsigned>(kind));
    const int ranks = bidirectional(schedule) ? 2 : random.integer(1, 2);
    const Needs needs = needs_of(schedule, ranks, random);
    Mesh mesh{.stages = ranks, .context = random.integer(1, 2), .tensor = random.integer(1, 2)};
    mesh.data = ranks * mesh.context * mesh.tensor > 4 ? 1 : random.integer(1, 2);
    mesh.tokens = mesh.tensor > 1 && random.once_in(2);
    const ModelSpec spec = tied(small_llama(8, 8, 10));
    Plan plan = placed_plan(spec, schedule, std::vector<int>(static_cast<std::size_t>(ranks), mesh.devices()),
                            needs.chunks, mesh.data + random.integer(0, 3), std::max(needs.min_batches, 4));
    cut_anywhere(plan, random);
    shard(plan, mesh);
    for (Stage& stage : plan.stages)
      if (random.once_in(2)) stage.samples_per_replica = random.shares(plan.micro_batch, stage.replicas());
    if (random.once_in(2)) recompute_some(plan, random);
    if (random.once_in(3)) plan.optimizer = Optimizer::momentum;
    plan.choices.emplace().training.hidden.weights = random.once_in(2);
    plan.sharding.level = random.integer(0, bidirectional(schedule) ? 1 : 3);
    const QString wrong = difference_from_one_device(spec, plan, 20);
    QVERIFY2(
        wrong.isEmpty(),
        qPrintable(
            QString("seed %1, %2, level %3: %4").arg(seed).arg(text_of(mesh)).arg(plan.sharding.level).arg(wrong)));
  }
}

/// Stages with other numbers of replicas sum over all of both ends.
void TestTiedEnds::unequal_stages_equal_one_device() {
  const ModelSpec spec = tied(small_gpt(2, 8, 8, 10));
  for (const auto& replicas : {std::vector<int>{3, 1}, {1, 2}, {2, 1, 3}}) {
    const QString wrong = difference_from_one_device(spec, plan_for(spec, replicas, 6, 3), 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }
}

/// Returns the mean loss of the run's first batch, in double precision, for these parameters of all layers.
double plain_loss(const ModelSpec& model, const std::vector<Vector>& parameters, int samples) {
  const auto source = runtime::data::make_source(model).value();
  const auto sequence = static_cast<std::size_t>(model.layers.front().size("sequence"));
  Vector x, targets;
  std::vector<float> sample(sequence);
  for (int i = 0; i < samples; ++i) {
    source->input(static_cast<std::uint64_t>(i), sample);
    x.insert(x.end(), sample.begin(), sample.end());
    source->target(static_cast<std::uint64_t>(i), sample);
    targets.insert(targets.end(), sample.begin(), sample.end());
  }
  for (std::size_t i = 0; i + 2 < model.layers.size(); ++i) x = reference_forward(model.layers[i], x, parameters[i]);
  const auto h = static_cast<std::size_t>(model.layers.front().size("hidden")),
             words = static_cast<std::size_t>(model.layers.front().size("vocabulary"));
  Vector logits(x.size() / h * words);
  for (std::size_t i = 0; i < logits.size(); ++i)
    for (std::size_t j = 0; j < h; ++j) logits[i] += x[i / words * h + j] * parameters[0][i % words * h + j];
  return reference_cross_entropy(logits, targets) / static_cast<double>(targets.size());
}

/// A step of gradient descent changes each weight by the learning rate times its gradient.
void TestTiedEnds::gradients_are_central_differences() {
  for (const bool llama : {true, false}) {
    ModelSpec spec = tied(llama ? small_llama(8, 4, 10) : small_gpt(1, 8, 4, 10));
    spec.learning_rate = 0.25;
    Plan plan = plan_with(spec, {.stages = 2});
    plan.optimizer = Optimizer::sgd;
    runtime::train::TrainOptions none;
    none.steps = 0;
    const auto before = runtime::train_on_cpu(spec, plan, built(plan), none, {}).value().layers;
    const auto after = trained_with(spec, plan, built(plan), 1).parameters.layers;
    std::vector<Vector> at;
    for (const std::vector<float>& layer : before) at.emplace_back(layer.begin(), layer.end());
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < before[0].size(); ++i) {
      const double own = at[0][i], step = 1e-4;
      at[0][i] = own + step;
      const double more = plain_loss(spec, at, plan.global_batch);
      at[0][i] = own - step;
      const double less = plain_loss(spec, at, plan.global_batch);
      at[0][i] = own;
      const double expected = (more - less) / (2 * step);
      const double found = (double(before[0][i]) - double(after[0][i])) / spec.learning_rate;
      apart += std::pow(found - expected, 2), size += std::pow(expected, 2);
    }
    QVERIFY(size > 0);
    QVERIFY2(std::sqrt(apart / size) < 1e-4, qPrintable(QString::number(std::sqrt(apart / size))));
  }
}

/// Overlapped reductions have the bits of those at the end of a step.
void TestTiedEnds::overlapped_reductions_have_the_same_bits() {
  const ModelSpec spec = tied(small_llama(8, 8, 10));
  const Plan plan = plan_with(spec, {.stages = 2, .data = 2, .tensor = 2});
  const auto bits = [&](int level, Overlap overlap) {
    Plan own = plan;
    own.sharding.level = level;
    runtime::train::TrainOptions options;
    options.steps = 5, options.overlap = overlap;
    return runtime::train_on_cpu(spec, own, built(own), options, {}).value().layers;
  };
  for (const int level : {0, 1, 2, 3}) {
    const auto expected = bits(level, Overlap::none);
    QVERIFY(expected.back().empty());  // the head has none
    for (const Overlap overlap : {Overlap::layer, Overlap::bucket}) QVERIFY(bits(level, overlap) == expected);
  }
}

void TestTiedEnds::a_device_has_the_table_once() {
  const ModelSpec spec = tied(small_llama(8, 8, 10));
  const auto seats = [&](const Plan& plan) { return runtime::exec::lay_out(spec, plan, built(plan)).value(); };
  // One stage has no exchange of its own; two stages sum over both ends, the first stage's devices first.
  const auto one = seats(plan_with(spec, {.data = 2}));
  QVERIFY(one.placements[0].chunks[0].borrows && !one.placements[0].chunks[0].states.table);
  const auto two = seats(plan_with(spec, {.stages = 2, .data = 2, .tensor = 2}, 1));
  const auto members = runtime::exec::table_members(two, two.placements[5].chunks[0]);
  QCOMPARE(members.ranks, (std::vector<std::size_t>{5, 7}));   // the sharding group of its stage
  QCOMPARE(members.copies, (std::vector<std::size_t>{1, 5}));  // the same piece at both ends
  // A device with both ends has the table in its first module alone.
  Plan folded = placed_plan(spec, ScheduleKind::zb_v, {1, 1}, 2, 4, 4);
  const auto v = seats(folded);
  QVERIFY(v.placements[0].chunks[1].borrows && v.placements[0].chunks[0].states.table);
  QVERIFY(!v.placements[0].chunks[1].states.table);
  const auto links = runtime::exec::worker_links(two);
  QVERIFY(std::ranges::find(links.groups, members.copies) != links.groups.end());
}

void TestTiedEnds::another_mesh_goes_on_the_same() {
  const ModelSpec spec = tied(small_llama(8, 8, 10));
  std::vector<Plan> plans;
  for (const auto& [mesh, level] :
       {std::pair(Mesh{}, 0), std::pair(Mesh{.stages = 2}, 0), std::pair(Mesh{.stages = 2, .data = 2, .tensor = 2}, 0),
        std::pair(Mesh{.stages = 2, .data = 2, .tensor = 2}, 3), std::pair(Mesh{.data = 2, .context = 2}, 1),
        std::pair(Mesh{.stages = 3, .data = 2}, 2)})
    plans.push_back(plan_with(spec, mesh, level));
  plans.push_back(placed_plan(spec, ScheduleKind::zb_v, {1, 1}, 2, 4, 4));
  plans.push_back(plan_for(spec, {1, 1}, 4, 4));
  plans.back().stages[0].last = plans.back().stages[1].first = plans.back().stages[1].last - 1;  // the head alone
  const QString wrong = difference_after_resuming(spec, plans);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// The loss of a run's next step is that of its weights, evaluated on the step's samples.
void TestTiedEnds::an_evaluation_uses_the_table() {
  const ModelSpec spec = tied(small_gpt(1, 8, 8, 10));
  const Plan plan = plan_with(spec, {.stages = 2});
  runtime::train::TrainOptions none;
  none.steps = 0;
  const auto initial = runtime::train_on_cpu(spec, plan, built(plan), none, {}).value();
  const auto score = runtime::train::evaluate_on_cpu(spec, initial, 4, static_cast<std::uint64_t>(plan.global_batch));
  QVERIFY2(score.has_value(), score ? "" : score.error().text().c_str());
  const double expected = trained_with(spec, plan, built(plan), 1).log.losses().front();
  QVERIFY(std::abs(score->loss - expected) < 1e-5 * expected);
}

void TestTiedEnds::wrong_ends_are_refused() {
  const ModelSpec spec = tied(small_gpt(1, 8, 8, 10));
  const auto changed = [&](std::size_t layer, const char* size, std::int64_t value) {
    ModelSpec other = spec;
    other.layers[layer].sizes[size] = value;
    return plan::validate(other);
  };
  QVERIFY(plan::validate(spec).has_value());
  QVERIFY(refused(changed(0, "tied", 0), "/layers/0/tied", "found 0, expected 1 as in layer 'head'"));
  QVERIFY(refused(changed(3, "tied", 0), "/layers/3/tied", "found 0, expected 1 as in layer 'tokens'"));
  QVERIFY(refused(changed(3, "bias", 1), "/layers/3/bias", "found 1, expected 0"));
  QVERIFY(refused(changed(0, "vocabulary", 11), "/layers/3/out", "found 10, expected 11"));
  ModelSpec inside = spec;
  inside.layers.insert(inside.layers.begin() + 1, {"in", "linear", {{"in", 8}, {"out", 8}, {"tied", 1}}});
  QVERIFY(refused(plan::validate(inside), "/layers/1/tied", "found 1, expected 0"));

  auto kernels = runtime::cpu::cpu_kernel_registry();
  kernels.tied_ends = false;
  QVERIFY(refused(trained(spec, plan_with(spec, {}), kernels), "/layers/3/tied", "found 1, expected 0: on the CPU"));
  Plan asynchronous = plan_with(spec, {.stages = 2});
  asynchronous.schedule = ScheduleKind::pipedream;
  QVERIFY(refused(trained(spec, asynchronous), "/schedule", "found the asynchronous schedule 'pipedream'"));
  Plan uneven = plan_for(spec, {1, 2}, 4, 2);
  uneven.stages[1].tensor_parallel = 2;
  QVERIFY(refused(trained(spec, uneven), "/stages/1/tensor_parallel", "found 2 tensor-parallel ranks, expected 1"));
  Plan sharded = plan_for(spec, {2, 1}, 4, 2);
  sharded.sharding.level = 1;
  QVERIFY(refused(trained(spec, sharded), "/sharding/level", "found sharding level 1, expected 0"));
}

PIPEDECK_TEST(TestTiedEnds)

}  // namespace pipedeck::tst_tied_ends

#include "tst_tied_ends.moc"
