// SPDX-License-Identifier: Apache-2.0
// Exports for other engines, read back by their own rules; more in tst_megatron, tst_deepspeed, tst_pytorch.
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <map>

#include "core/plan/validate.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/core/study/engines/engine_plans.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_engines {

using test::engine;
using test::pipeline;
using test::text_of;
using test::transformer;

/// A shell's own reading of the arguments: --name value, or --name alone.
std::map<QString, QString> arguments_of(const std::string& script) {
  std::map<QString, QString> arguments;
  static const QRegularExpression line(QStringLiteral("^  (--[a-z0-9-]+)(?: \"?([^\"\\n]*)\"?)?$"),
                                       QRegularExpression::MultilineOption);
  auto matches = line.globalMatch(QString::fromStdString(script));
  while (matches.hasNext()) {
    const auto match = matches.next();
    arguments[match.captured(1)] = match.captured(2);
  }
  return arguments;
}

/// parse_str_to_list of pipeline_parallel_layer_layout.py: x*n is x n times, bars part the stages.
QStringList stages_of_layout(QString layout) {
  static const QRegularExpression times(QStringLiteral("(.)\\*(\\d+)"));
  for (auto match = times.match(layout); match.hasMatch(); match = times.match(layout))
    layout.replace(match.capturedStart(), match.capturedLength(),
                   match.captured(1).repeated(match.captured(2).toInt()));
  return layout.split('|');
}

/// Blocks of each stage as Megatron-LM would build them from the arguments.
std::vector<int> blocks_by_megatron(const std::map<QString, QString>& arguments) {
  const int layers = arguments.at("--num-layers").toInt(),
            ranks = arguments.at("--pipeline-model-parallel-size").toInt();
  std::vector<int> blocks;
  if (const auto layout = arguments.find("--pipeline-model-parallel-layout"); layout != arguments.end()) {
    for (const QString& stage : stages_of_layout(layout->second)) blocks.push_back(static_cast<int>(stage.count('t')));
    return blocks;
  }
  if (arguments.contains("--decoder-first-pipeline-num-layers")) {
    const int first = arguments.at("--decoder-first-pipeline-num-layers").toInt();
    const int last = arguments.at("--decoder-last-pipeline-num-layers").toInt();
    if ((layers - first - last) % (ranks - 2) != 0) return {};
    blocks.assign(static_cast<std::size_t>(ranks), (layers - first - last) / (ranks - 2));
    blocks.front() = first;
    blocks.back() = last;
    return blocks;
  }
  const auto chunk = arguments.find("--num-layers-per-virtual-pipeline-stage");
  const int each = chunk != arguments.end() ? chunk->second.toInt() : layers / ranks;
  if (each == 0 || layers % each != 0 || layers / each % ranks != 0) return {};
  return std::vector<int>(static_cast<std::size_t>(layers / each), each);
}

std::vector<int> blocks_of(const Plan& plan, const Profile& profile) {
  std::vector<int> blocks;
  for (const Stage& stage : plan.stages) {
    blocks.push_back(0);
    for (int p = stage.first; p < stage.last; ++p)
      if (profile.layers[static_cast<std::size_t>(p)].kind == "transformer") ++blocks.back();
  }
  return blocks;
}

class TestEngines : public QObject {
  Q_OBJECT
 private slots:
  void megatron_gets_the_plans_stages_data();
  void megatron_gets_the_plans_stages();
  void megatron_takes_no_other_models();
  void a_list_written_as_a_graph_is_a_list();
  void a_block_of_two_layers_stays_whole();
  void what_does_not_fit_is_named_data();
  void what_does_not_fit_is_named();
  void deepspeeds_batch_equation_holds();
  void a_warm_up_that_comes_to_the_same_fits();
  void nearest_plans_fit();
  void launchers_can_start_what_fits();
  void nearest_keeps_what_it_can();
};

void TestEngines::megatron_gets_the_plans_stages_data() {
  QTest::addColumn<std::vector<int>>("cuts");
  QTest::addColumn<QString>("split");
  using Cuts = std::vector<int>;
  QTest::newRow("one stage") << Cuts{} << "";
  QTest::newRow("even") << Cuts{4, 7, 10} << "";
  QTest::newRow("ends differ") << Cuts{3, 7, 11} << "--decoder-first-pipeline-num-layers";
  QTest::newRow("uneven") << Cuts{3, 8, 11} << "--pipeline-model-parallel-layout";
  QTest::newRow("embedding alone") << Cuts{1, 7} << "--pipeline-model-parallel-layout";
  QTest::newRow("head alone") << Cuts{7, 13} << "--pipeline-model-parallel-layout";
}

void TestEngines::megatron_gets_the_plans_stages() {
  QFETCH(std::vector<int>, cuts);
  QFETCH(QString, split);
  const Profile profile = test::transformer(12);
  for (const int replicas : {1, 2})
    for (const int tensor : {1, 2}) {
      const Plan plan = test::pipeline(profile, cuts, replicas, tensor);
      const std::string script = test::text_of("megatron", plan, profile, test::flat_cluster(16));
      const auto arguments = arguments_of(script);
      QVERIFY2(arguments.contains("--num-layers"), script.c_str());
      QCOMPARE(blocks_by_megatron(arguments), blocks_of(plan, profile));
      QCOMPARE(arguments.at("--num-layers").toInt(), 12);
      QCOMPARE(arguments.at("--tensor-model-parallel-size").toInt(), tensor);
      QCOMPARE(arguments.at("--pipeline-model-parallel-size").toInt(), static_cast<int>(cuts.size()) + 1);
      // Megatron-LM makes replicas of the processes that remain, and micro-batches of the batch.
      QCOMPARE(arguments.at("--global-batch-size").toInt() / (arguments.at("--micro-batch-size").toInt() * replicas),
               plan.micro_batches);
      if (!split.isEmpty()) QVERIFY2(arguments.contains(split), script.c_str());
      if (const auto layout = arguments.find("--pipeline-model-parallel-layout"); layout != arguments.end()) {
        const QString all = stages_of_layout(layout->second).join("");
        QVERIFY2(all.startsWith('E') && all.endsWith('L') && all.count('E') == 1 && all.count('L') == 1,
                 script.c_str());
      }
    }
}

void TestEngines::megatron_takes_no_other_models() {
  Profile profile = test::transformer(4);
  profile.layers[2].kind = "convolution";
  const Plan plan = test::pipeline(profile, {4});
  const auto parts = study::engines::unsupported_features(test::engine("megatron"), plan, profile);
  QVERIFY(!parts.empty());
  QVERIFY(parts.front().find("convolution") != std::string::npos);
  QVERIFY(study::engines::closest_plans(test::engine("megatron"), {plan, profile, test::flat_cluster(2)}).empty());
  // Nothing but an embedding is no model of blocks either.
  for (Layer& layer : profile.layers) layer.kind = "embedding";
  QVERIFY(!study::engines::unsupported_features(test::engine("megatron"), plan, profile).empty());
}

void TestEngines::a_list_written_as_a_graph_is_a_list() {
  Profile profile = test::transformer(4);
  profile.edges = edges_of(profile);
  const Plan plan = test::pipeline(profile, {4});
  for (const char* output : {"megatron", "deepspeed", "pytorch"})
    QCOMPARE(study::engines::unsupported_features(test::engine(output), plan, profile), std::vector<std::string>{});
  profile.edges.push_back({LayerId(std::int32_t{1}), LayerId(std::int32_t{3}), {}});
  profile.layers[1].name = "forks";
  for (const char* output : {"megatron", "deepspeed", "pytorch"}) {
    const auto parts = study::engines::unsupported_features(test::engine(output), plan, profile);
    QCOMPARE(parts.size(), std::size_t{1});
    QVERIFY2(parts.front().find("'forks' feeding") != std::string::npos, parts.front().c_str());
  }
}

void TestEngines::a_block_of_two_layers_stays_whole() {
  Profile profile = test::transformer(8);
  for (std::size_t l = 1; l <= 8; ++l) profile.layers[l].kind = l % 2 == 1 ? "attention" : "experts";
  QVERIFY(
      study::engines::unsupported_features(test::engine("megatron"), test::pipeline(profile, {5}), profile).empty());
  QVERIFY(
      !study::engines::unsupported_features(test::engine("megatron"), test::pipeline(profile, {4}), profile).empty());
  const auto arguments =
      arguments_of(test::text_of("megatron", test::pipeline(profile, {3}), profile, test::flat_cluster(2)));
  QCOMPARE(arguments.at("--num-layers").toInt(), 4);
  QCOMPARE(blocks_by_megatron(arguments), (std::vector<int>{1, 3}));
}

void TestEngines::what_does_not_fit_is_named_data() {
  QTest::addColumn<QString>("output");
  QTest::addColumn<int>("change");
  QTest::addColumn<QString>("names");
  const char* changes[] = {"schedule", "warm-up", "replicas", "shards", "recomputed", "samples", "cut", "zero"};
  for (const char* output : {"megatron", "deepspeed", "pytorch"})
    for (int change = 0; change < 8; ++change) {
      if (change == 6 && QByteArray(output) != "megatron") continue;  // the others cut anywhere
      QTest::addRow("%s, %s", output, changes[change]) << output << change << changes[change];
    }
}

void TestEngines::what_does_not_fit_is_named() {
  QFETCH(QString, output);
  QFETCH(int, change);
  QFETCH(QString, names);
  const Profile profile = test::transformer(12);
  Plan plan = test::pipeline(profile, {5, 9}, 2);
  const study::engines::Engine& wanted = test::engine(output.toStdString());
  QCOMPARE(study::engines::unsupported_features(wanted, plan, profile), std::vector<std::string>{});
  switch (change) {
    case 0:
      plan.schedule = ScheduleKind::chimera;
      break;
    case 1:
      plan.warmup = Warmup::B;
      break;
    case 2:
      plan.stages[1].devices.pop_back();
      break;
    case 3:
      plan.stages[1].shard_fractions = std::vector<double>{1.0};
      break;
    case 4:
      plan.stages[2].recompute.layers = {LayerId(std::int32_t{10})};
      break;
    case 5:
      plan.stages[0].samples_per_replica = std::vector<int>{1, 3};
      break;
    case 6:
      plan.stages[1].last = plan.stages[2].first = 15;
      break;
    default:
      plan.zero = 3;
      break;
  }
  const auto parts = study::engines::unsupported_features(wanted, plan, profile);
  QCOMPARE(parts.size(), std::size_t{1});
  QVERIFY2(parts.front().find(names.toStdString()) != std::string::npos, parts.front().c_str());
  const auto text = study::engines::engine_text(study::engines::find_engine_output(output.toStdString()),
                                                {plan, profile, test::flat_cluster(6)});
  QVERIFY(!text);
  QVERIFY(text.error().message.find(parts.front()) != std::string::npos);
}

void TestEngines::deepspeeds_batch_equation_holds() {
  const Profile profile = test::transformer(6);
  for (const int replicas : {1, 2, 4}) {
    const Plan plan = test::pipeline(profile, {5}, replicas);
    const auto json = QJsonDocument::fromJson(
                          QByteArray::fromStdString(test::text_of("deepspeed", plan, profile, test::flat_cluster(8))))
                          .object();
    QCOMPARE(json["train_batch_size"].toInt(),
             json["train_micro_batch_size_per_gpu"].toInt() * json["gradient_accumulation_steps"].toInt() * replicas);
    QCOMPARE(json["gradient_accumulation_steps"].toInt(), plan.micro_batches);
  }
  const std::string partition =
      test::text_of("deepspeed-partition", test::pipeline(profile, {5}), profile, test::flat_cluster(8));
  // The loss, the tenth layer, is no module of the list.
  QVERIFY2(partition.find("PARTS = [0, 5, 9]\n") != std::string::npos, partition.c_str());
}

void TestEngines::a_warm_up_that_comes_to_the_same_fits() {
  const Profile profile = test::transformer(12);
  Plan plan = test::pipeline(profile, {4, 7, 10});
  for (const char* output : {"megatron", "deepspeed"}) {
    plan.warmup_counts = std::vector<int>{4, 3, 2, 1};
    QVERIFY(study::engines::unsupported_features(test::engine(output), plan, profile).empty());
    plan.warmup_counts = std::vector<int>{5, 3, 2, 1};
    QCOMPARE(study::engines::unsupported_features(test::engine(output), plan, profile).size(), std::size_t{1});
    plan.warmup_counts.reset();
  }
  Plan one = test::pipeline(profile, {});
  one.warmup = Warmup::B;  // min(2 (S - i) - 1, D) is 1 of the last stage
  QVERIFY(study::engines::unsupported_features(test::engine("megatron"), one, profile).empty());
  Plan few = plan;
  few.warmup = Warmup::B;
  few.micro_batches = 1;
  few.micro_batch = few.global_batch;
  QVERIFY(study::engines::unsupported_features(test::engine("deepspeed"), few, profile).empty());
  few.micro_batches = 4;  // 4, 4, 3, 1 instead of 4, 3, 2, 1
  QCOMPARE(study::engines::unsupported_features(test::engine("deepspeed"), few, profile).size(), std::size_t{1});
}

void TestEngines::nearest_plans_fit() {
  test::Random random(7);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    Problem problem = test::random_rich_problem(random);
    const ScheduleKind kinds[] = {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
                                  ScheduleKind::zb_v,  ScheduleKind::chimera,     ScheduleKind::pipedream};
    const Plan plan = test::random_plan(random, problem, kinds[i % 6]);
    if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
    for (const char* output : {"deepspeed", "pytorch"}) {
      const study::engines::Engine& wanted = test::engine(output);
      const study::engines::EngineRequest question{plan, *problem.profile, *problem.cluster};
      const bool fits = study::engines::unsupported_features(wanted, question).empty();
      const std::vector<Plan> plans = study::engines::closest_plans(wanted, question);
      found += static_cast<int>(!plans.empty());
      for (const Plan& near : plans) {
        QVERIFY(study::engines::unsupported_features(wanted, {near, *problem.profile, *problem.cluster}).empty());
        const auto valid = plan::validate(near, *problem.profile, *problem.cluster);
        QVERIFY2(valid, valid ? "" : valid.error().message.c_str());
        QCOMPARE(near.global_batch, plan.global_batch);
        for (const DeviceId device : devices_used(near))
          QVERIFY(std::ranges::binary_search(devices_used(plan), device));
      }
      if (fits) QCOMPARE(plans, std::vector<Plan>{plan});
    }
  }
  QVERIFY2(found > 100, qPrintable(QString::number(found)));
}

/// A launcher gives consecutive numbers to the processes of a node. Other plans name the first process out of order.
/// The nearest plan has the same stages in launch order.
void TestEngines::launchers_can_start_what_fits() {
  const Profile profile = test::transformer(12);
  const Cluster cluster = test::servers(2, 4);
  const Plan plan = test::pipeline(profile, {7}, 4);
  for (const char* output : {"megatron", "deepspeed", "pytorch"})
    QCOMPARE(study::engines::unsupported_features(test::engine(output), {plan, profile, cluster}),
             std::vector<std::string>{});
  Plan apart = plan;
  std::swap(apart.stages[0].devices[2], apart.stages[1].devices[0]);  // 0, 1, 4, 3 and 2, 5, 6, 7
  for (const char* output : {"megatron", "deepspeed", "pytorch"}) {
    const study::engines::EngineRequest question{apart, profile, cluster};
    const auto parts = study::engines::unsupported_features(test::engine(output), question);
    QCOMPARE(parts.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(parts.front()),
             QString("devices: found process 3 on 3 of %1, expected the processes of a node one after another, as "
                     "launchers such as torchrun number them")
                 .arg(QString::fromStdString(cluster.nodes[0].name)));
    QVERIFY(!study::engines::engine_text(study::engines::find_engine_output(output), question));
    const auto near = study::engines::closest_plans(test::engine(output), question);
    QVERIFY(!near.empty());
    for (std::size_t s = 0; s < 2; ++s) QCOMPARE(near.front().stages[s].devices, plan.stages[s].devices);
  }
}

void TestEngines::nearest_keeps_what_it_can() {
  const Profile profile = test::transformer(12);
  const Cluster cluster = test::flat_cluster(6);
  Plan plan = test::pipeline(profile, {5, 15}, 2);  // in the middle of the head
  plan.warmup = Warmup::B;
  const auto plans = study::engines::closest_plans(test::engine("megatron"), {plan, profile, cluster});
  QVERIFY(!plans.empty());
  QCOMPARE(plans.front().stages[1].first, 5);
  QCOMPARE(plans.front().stages[2].first, 13);  // the head as a whole
  QCOMPARE(plans.front().stages[0].devices, plan.stages[0].devices);
  QCOMPARE(plans.front().micro_batch, plan.micro_batch);
  QCOMPARE(plans.front().warmup, Warmup::A);
}

PIPEDECK_TEST(TestEngines)

}  // namespace pipedeck::tst_engines

#include "tst_engines.moc"
