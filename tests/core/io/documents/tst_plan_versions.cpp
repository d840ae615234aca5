// SPDX-License-Identifier: Apache-2.0
// Both versions of the plan's format: plans without the degrees of version 2 keep the bytes of version 1, others read
// back equal.
#include <QTest>

#include "core/io/checksum.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/job_script.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/changed_text.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_versions {

using namespace pipedeck::test;

/// A stage of all degrees on 16 devices.
const char* const meshed = R"({"format": "pipedeck.plan", "version": 2, "name": "m", "planner": "hand",
 "global_batch": 8, "micro_batch": 4, "schedule": "1f1b", "optimizer": "adam", "precision": "mixed-16",
 "sharding": {"level": 3, "group": 4, "reshard": "after-backward", "copies": "each-micro-batch"},
 "stages": [{"layers": [0, 3], "devices": "0-11,20,22,24-25", "tensor_parallel": 2, "sequence_parallel": true,
             "context_parallel": 4, "context_kind": "heads+ring", "context_heads": 2, "expert_parallel": 2,
             "expert_tensor_parallel": 2, "recompute": true, "note": "x"},
            {"layers": [3, 4], "devices": [30, 32, 34, 36], "tensor_parallel": 1}]})";

StepChoices random_choices(Random& random) {
  const auto yes = [&] { return random.integer(0, 1) == 1; };
  StepChoices choices;
  Training& t = choices.training;
  t.products = yes() ? "mxfp8" : "";
  if (yes()) t.recipe = "blockwise", t.attention = "flash-2";
  t.hidden = {yes(), yes(), yes(), yes(), yes()};
  t.graphs = static_cast<Graphs>(random.integer(0, 2));
  t.loss = static_cast<LossKind>(random.integer(0, 4));
  t.loss_chunks = random.integer(1, 9), t.multi_token_blocks = random.integer(0, 2);
  if (yes())
    t.adapters = {random.integer(1, 64), static_cast<AdapterTargets>(random.integer(0, 2)),
                  static_cast<FrozenWeights>(random.integer(0, 2))};
  t.optimizer_step = static_cast<OptimizerStep>(random.integer(0, 1));
  t.forward_ahead = yes() ? GatherAhead::two : GatherAhead::one;
  t.waits_for_input_gradients = yes(), t.scatters_sends = yes(), t.owned_tensors = random.integer(0, 9);
  if (yes()) t.sample_lengths = {{512, 0.25}, {4096, 0.75}};
  t.fused_weight_gradients = yes(), t.narrow_weights = yes(), t.keeps_stage_outputs = yes();
  t.offloaded_blocks = random.integer(0, 2), t.offloads_optimizer = yes(), t.pages_optimizer = yes();
  t.bucket = yes() ? 5e8 : 0, t.cached = yes() ? 0.05 : 0;
  t.context = yes() ? 1.6e9 : t.context, t.own_groups = yes(), t.compiled = yes();
  choices.layers = {static_cast<Dispatcher>(random.integer(0, 2)),
                    1.5,
                    1.25,
                    random.integer(0, 4),
                    1.03,
                    yes(),
                    yes(),
                    yes(),
                    yes(),
                    random.integer(0, 128)};
  if (yes()) choices.states = StateBytes{2, 4, 6, random.integer(0, 4) * 1.0, random.integer(0, 6) * 1.0};
  if (yes()) choices.wire = WireBytes{1, 2};
  return choices;
}

Plan with_random_mesh(Random& random) {
  Plan plan = random_plan(random);
  for (Stage& stage : plan.stages) {
    const int devices = static_cast<int>(stage.devices.size());
    if (random.integer(0, 1)) stage.degrees.expert = devices;
    if (random.integer(0, 1)) stage.degrees.sequence = true;
    stage.degrees.context_kind = static_cast<ContextKind>(random.integer(0, 3));
    if (!stage.samples_per_replica) stage.degrees.context = devices / stage.tensor_parallel;
  }
  plan.sharding.level = plan.zero;
  plan.sharding.reshard = static_cast<Reshard>(random.integer(0, 2));
  plan.sharding.copies = static_cast<CopySync>(random.integer(0, 2));
  if (random.integer(0, 1)) plan.choices = random_choices(random);
  if (random.integer(0, 3) == 0) plan.stages[0].recompute = {.all = true, .blocks = random.integer(0, 3)};
  if (random.integer(0, 3) == 0) plan.stages[0].recompute = {.modules = {"core_attn", "mlp"}};
  return plan;
}

class TestPlanVersions : public QObject {
  Q_OBJECT

 private slots:
  /// The checksum is that of the texts which the program wrote when there was no version 2.
  void version_1_is_byte_for_byte_as_it_was() {
    Random random(28);
    std::string all;
    for (int i = 0; i < 300; ++i) all += io::documents::plan_to_json(random_plan(random));
    QCOMPARE(io::sha256(all), std::string("c65cf4194d33d0c137bfa7620bdc656a9c1bbc3520b755e0292dc5b2764ee977"));
  }

  void every_degree_is_read() {
    const auto plan = io::documents::plan_from_json(meshed);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    const Stage& stage = plan->stages.front();
    QCOMPARE(stage.shard(), (Shard{.tensor = 2,
                                   .sequence = true,
                                   .context = 4,
                                   .context_kind = ContextKind::heads_ring,
                                   .context_heads = 2,
                                   .expert = 2,
                                   .expert_tensor = 2}));
    QCOMPARE(stage.devices.size(), std::size_t{16});
    QCOMPARE(stage.devices[12].value, 20);
    QCOMPARE(stage.devices[15].value, 25);
    QCOMPARE(stage.replicas(), 2);
    QCOMPARE(plan->sharding, (Sharding{3, 4, Reshard::after_backward, CopySync::each_micro_batch}));
    QCOMPARE(plan->stages[1].devices.size(), std::size_t{4});  // a list, as in version 1
    const std::string text = io::documents::plan_to_json(*plan);
    QVERIFY(text.find("\"version\": 2") != text.npos && text.find(R"("0-11,20,22,24-25")") != text.npos);
    QVERIFY(text.find(R"("30,32,34,36")") != text.npos && text.find(R"("note": "x")") != text.npos);
    QCOMPARE(io::documents::plan_from_json(text).value(), *plan);
  }

  void random_plans_read_back() {
    Random random(29);
    int meshes = 0;
    for (int i = 0; i < 300; ++i) {
      const Plan plan = with_random_mesh(random);
      const std::string text = io::documents::plan_to_json(plan);
      const auto again = io::documents::plan_from_json(text);
      QVERIFY2(again.has_value(), again ? "" : (again.error().text() + text).c_str());
      QVERIFY2(*again == plan, text.c_str());
      QCOMPARE(io::documents::plan_to_json(*again), text);
      QCOMPARE(text.find("\"version\": 2") != text.npos, has_mesh(plan));
      meshes += has_mesh(plan);
    }
    QVERIFY(meshes > 200);
  }

  /// A plan of version 2 without its degrees becomes one of version 1.
  void version_2_is_written_where_it_is_needed() {
    Plan plan = io::documents::plan_from_json(meshed).value();
    for (Stage& stage : plan.stages) stage.degrees = {};
    plan.sharding = {};
    plan.choices.emplace();
    QVERIFY(io::documents::plan_to_json(plan).find("\"version\": 2") != std::string::npos);
    plan.choices.reset();
    const std::string text = io::documents::plan_to_json(plan);
    QVERIFY(text.find("\"version\": 1") != text.npos && text.find("sharding") == text.npos);
    QVERIFY(text.find("\"devices\": [") != text.npos);
  }

  /// Version 1 has neither ranges nor degrees: it keeps unknown keys, as it did.
  void version_1_does_not_know_degrees() {
    const std::string first = replaced(meshed, "\"version\": 2", "\"version\": 1");
    QCOMPARE(QString::fromStdString(io::documents::plan_from_json(first).error().place), "/stages/0/devices");
    const auto plan =
        io::documents::plan_from_json(replaced(first, R"("0-11,20,22,24-25")", "[0, 1, 2, 3, 4, 5, 6, 7]"));
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    QVERIFY(!has_mesh(*plan));
    QVERIFY(plan->stages.front().extra.find("context_parallel") != std::string::npos);
  }

  /// A job holds the plan with its degrees. None is written for GPUs, where the trainer would refuse it.
  void jobs_are_of_processors() {
    const Plan plan = io::documents::plan_from_json(meshed).value();
    ModelSpec model;
    model.layers.resize(static_cast<std::size_t>(plan.stages.back().last));
    const auto job = io::documents::job_script({.steps = 3}, plan, model);
    QVERIFY2(job.has_value(), job ? "" : job.error().text().c_str());
    QVERIFY(job->find(io::documents::plan_to_json(plan)) != std::string::npos);
    const auto on_gpus = io::documents::job_script({.steps = 3, .backend = {.gpus = true}}, plan, model);
    QVERIFY(!on_gpus.has_value());
    QCOMPARE(QString::fromStdString(on_gpus.error().place), "/stages/0/sequence_parallel");
    model.layers.resize(model.layers.size() + 2);  // a plan may end before the loss, but not before another layer
    QCOMPARE(io::documents::job_script({.steps = 3}, plan, model).error().code, ErrorCode::bad_input);
  }

  void malformed_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* place, const char* message) {
      QTest::newRow(name) << from << to << place << message;
    };
    row("version", "\"version\": 2", "\"version\": 3", "/version", "found 3, expected 1 to 2");
    for (const char* ranges : {"0-", "-3", "3-1", "a", "0,", "", "0 - 3", "0-99999999999", "65536", "0-65535,1"})
      QTest::addRow("ranges '%s'", ranges)
          << R"("0-11,20,22,24-25")" << QString("\"%1\"").arg(ranges) << "/stages/0/devices"
          << "expected ranges of up to 65536 devices";
    row("device twice", "24-25", "0-1", "/stages/0/devices/14", "device 0 a second time");
    row("context of 0", "\"context_parallel\": 4", "\"context_parallel\": 0", "/stages/0/context_parallel", "found 0");
    row("context", "\"context_parallel\": 4", "\"context_parallel\": 3", "/stages/0/devices", "divisor of all 3");
    row("huge degrees", R"("context_parallel": 4, "context_kind": "heads+ring", "context_heads": 2)",
        R"("context_parallel": 65536)", "/stages/0/devices", "expected a multiple of 2 tensor x 65536 context ranks");
    row("kind", "heads+ring", "tree", "/stages/0/context_kind", "\"ring\", \"gather\", \"heads\", \"heads+ring\"");
    row("experts", "\"expert_parallel\": 2", "\"expert_parallel\": 3", "/stages/0/devices", "of 3 expert x 2");
    row("level", "\"level\": 3", "\"level\": 4", "/sharding/level", "found 4");
    row("group", "\"group\": 4", "\"group\": 3", "/stages/0/devices", "found a sharding group of 3 ranks");
    row("reshard", "after-backward", "never", "/sharding/reshard", "\"never\", expected one of \"after-forward\"");
    row("copies", "each-micro-batch", "all", "/sharding/copies", "\"all\", expected one of \"each-step\"");
    row("zero", "\"precision\": \"mixed-16\"", "\"precision\": \"mixed-16\", \"zero\": 1", "/sharding/level",
        "found 3, expected 1 as `zero`, or no `zero`");
    const auto choice = [&](const char* object, const char* place, const char* message) {
      QTest::newRow(object) << "\"sharding\":" << QString(R"("training": %1, "sharding":)").arg(object) << place
                            << message;
    };
    choice(R"({"products": "int4"})", "/training/products", "\"int4\", expected one of \"bf16\", \"fp16\"");
    choice(R"({"scaling": "none"})", "/training/scaling", "expected one of \"delayed\"");
    choice(R"({"hidden": ["data"]})", "/training/hidden/0", "expected \"gradients\", \"weights\"");
    choice(R"({"loss": "cut"})", "/training/loss", "expected one of \"plain\"");
    choice(R"({"adapters": {"rank": 0}})", "/training/adapters/rank", "found 0");
    choice(R"({"adapters": {"rank": 8, "frozen": "int4"}})", "/training/adapters/frozen",
           "\"same\", \"int8\", \"nf4\"");
    choice(R"({"imbalance": 0.5})", "/training/imbalance", "found 0.5");
    choice(R"({"states": {"weights": 2}})", "/training/states/gradients", "found no 'gradients'");
    choice(R"({"wire": {"weights": -1, "gradients": 2}})", "/training/wire/weights", "found -1");
    choice(R"({"sample_lengths": [{"tokens": 512, "share": 0.5}]})", "/training/sample_lengths", "the sum 0.5");
    choice(R"({"offload": {"blocks": -1}})", "/training/offload/blocks", "found -1");
    choice("7", "/training", "found");
    row("sequence", "\"sequence_parallel\": true", "\"sequence_parallel\": 1", "/stages/0/sequence_parallel",
        "found 1");
  }
  void malformed() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, place);
    QFETCH(QString, message);
    const auto plan = io::documents::plan_from_json(replaced(meshed, from.toStdString(), to.toStdString()));
    QVERIFY(!plan.has_value());
    QCOMPARE(QString::fromStdString(plan.error().place), place);
    QVERIFY2(QString::fromStdString(plan.error().message).contains(message), plan.error().message.c_str());
  }
};

PIPEDECK_TEST(TestPlanVersions)

}  // namespace pipedeck::tst_plan_versions

#include "tst_plan_versions.moc"
