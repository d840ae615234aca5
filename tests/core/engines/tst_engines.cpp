// SPDX-License-Identifier: Apache-2.0
// What leaves for other engines is read back here by their own rules: Megatron-LM's layout grammar and argument checks,
// DeepSpeed's batch equation, and PyTorch itself where it is installed.
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>

#include "core/domain/reschedule.hpp"
#include "core/domain/validate.hpp"
#include "core/engines/engine.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

/// An embedding, blocks, a norm, a head and a loss.
Profile transformer(int blocks) {
  Profile profile = test::uniform_profile(blocks + 4, Seconds(1e-3), Seconds(2e-3));
  for (std::size_t l = 0; l < profile.layers.size(); ++l) profile.layers[l].kind = "transformer";
  profile.layers[0].kind = "embedding";
  const auto end = profile.layers.size();
  profile.layers[end - 3].kind = "layer_norm";
  profile.layers[end - 2].kind = "linear";
  profile.layers[end - 1].kind = "softmax_cross_entropy";
  return profile;
}

/// Stages that begin at `cuts`, on `width` devices each.
Plan pipeline(const Profile& profile, const std::vector<int>& cuts, int replicas = 1, int tensor = 1) {
  Plan plan;
  plan.name = "a plan";
  plan.planner = "hand";
  plan.global_batch = 32;
  plan.micro_batch = 2 * replicas;
  plan.micro_batches = plan.global_batch / plan.micro_batch;
  int device = 0;
  for (std::size_t s = 0; s <= cuts.size(); ++s) {
    Stage stage;
    stage.first = s == 0 ? 0 : cuts[s - 1];
    stage.last = s == cuts.size() ? static_cast<int>(profile.layers.size()) : cuts[s];
    stage.tensor_parallel = tensor;
    for (int d = 0; d < replicas * tensor; ++d) stage.devices.emplace_back(std::int32_t{device++});
    plan.stages.push_back(stage);
  }
  return plan;
}

const Engine& engine(std::string_view output) { return *engine_output_named(output).engine; }

std::string text_of(std::string_view output, const Plan& plan, const Profile& profile, const Cluster& cluster) {
  const auto text = engine_text(engine_output_named(output), {plan, profile, cluster});
  return text ? *text : "ERROR " + text.error().message;
}

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

}  // namespace

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
  void nearest_plans_fit();
  void nearest_keeps_what_it_can();
  void pytorch_computes_the_whole_models_gradients_data();
  void pytorch_computes_the_whole_models_gradients();
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
  const Profile profile = transformer(12);
  for (const int replicas : {1, 2})
    for (const int tensor : {1, 2}) {
      const Plan plan = pipeline(profile, cuts, replicas, tensor);
      const std::string script = text_of("megatron", plan, profile, test::flat_cluster(16));
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
  Profile profile = transformer(4);
  profile.layers[2].kind = "convolution";
  const Plan plan = pipeline(profile, {4});
  const auto parts = misfits(engine("megatron"), plan, profile);
  QVERIFY(!parts.empty());
  QVERIFY(parts.front().find("convolution") != std::string::npos);
  QVERIFY(nearest_plans(engine("megatron"), {plan, profile, test::flat_cluster(2)}).empty());
  // Nothing but an embedding is no model of blocks either.
  for (Layer& layer : profile.layers) layer.kind = "embedding";
  QVERIFY(!misfits(engine("megatron"), plan, profile).empty());
}

void TestEngines::a_list_written_as_a_graph_is_a_list() {
  Profile profile = transformer(4);
  profile.edges = edges_of(profile);
  const Plan plan = pipeline(profile, {4});
  for (const char* output : {"megatron", "deepspeed", "pytorch"})
    QCOMPARE(misfits(engine(output), plan, profile), std::vector<std::string>{});
  profile.edges.push_back({LayerId(std::int32_t{1}), LayerId(std::int32_t{3}), {}});
  profile.layers[1].name = "forks";
  for (const char* output : {"megatron", "deepspeed", "pytorch"}) {
    const auto parts = misfits(engine(output), plan, profile);
    QCOMPARE(parts.size(), std::size_t{1});
    QVERIFY2(parts.front().find("'forks' feeding") != std::string::npos, parts.front().c_str());
  }
}

void TestEngines::a_block_of_two_layers_stays_whole() {
  Profile profile = transformer(8);
  for (std::size_t l = 1; l <= 8; ++l) profile.layers[l].kind = l % 2 == 1 ? "attention" : "experts";
  QVERIFY(misfits(engine("megatron"), pipeline(profile, {5}), profile).empty());
  QVERIFY(!misfits(engine("megatron"), pipeline(profile, {4}), profile).empty());
  const auto arguments = arguments_of(text_of("megatron", pipeline(profile, {3}), profile, test::flat_cluster(2)));
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
  const Profile profile = transformer(12);
  Plan plan = pipeline(profile, {5, 9}, 2);
  const Engine& wanted = engine(output.toStdString());
  QCOMPARE(misfits(wanted, plan, profile), std::vector<std::string>{});
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
      plan.stages[1].shards = std::vector<double>{1.0};
      break;
    case 4:
      plan.stages[2].recompute.layers = {LayerId(std::int32_t{10})};
      break;
    case 5:
      plan.stages[0].shares = std::vector<int>{1, 3};
      break;
    case 6:
      plan.stages[1].last = plan.stages[2].first = 15;
      break;
    default:
      plan.zero = 3;
      break;
  }
  const auto parts = misfits(wanted, plan, profile);
  QCOMPARE(parts.size(), std::size_t{1});
  QVERIFY2(parts.front().find(names.toStdString()) != std::string::npos, parts.front().c_str());
  const auto text = engine_text(engine_output_named(output.toStdString()), {plan, profile, test::flat_cluster(6)});
  QVERIFY(!text);
  QVERIFY(text.error().message.find(parts.front()) != std::string::npos);
}

void TestEngines::deepspeeds_batch_equation_holds() {
  const Profile profile = transformer(6);
  for (const int replicas : {1, 2, 4}) {
    const Plan plan = pipeline(profile, {5}, replicas);
    const auto json =
        QJsonDocument::fromJson(QByteArray::fromStdString(text_of("deepspeed", plan, profile, test::flat_cluster(8))))
            .object();
    QCOMPARE(json["train_batch_size"].toInt(),
             json["train_micro_batch_size_per_gpu"].toInt() * json["gradient_accumulation_steps"].toInt() * replicas);
    QCOMPARE(json["gradient_accumulation_steps"].toInt(), plan.micro_batches);
  }
  const std::string partition = text_of("deepspeed-partition", pipeline(profile, {5}), profile, test::flat_cluster(8));
  // The loss, the tenth layer, is no module of the list.
  QVERIFY2(partition.find("PARTS = [0, 5, 9]\n") != std::string::npos, partition.c_str());
}

void TestEngines::nearest_plans_fit() {
  test::Random random(7);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    Problem problem = test::random_rich_problem(random);
    const ScheduleKind kinds[] = {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
                                  ScheduleKind::zb_v,  ScheduleKind::chimera,     ScheduleKind::pipedream};
    const Plan plan = test::random_plan(random, problem, kinds[i % 6]);
    if (!validate(plan, *problem.profile, *problem.cluster)) continue;
    for (const char* output : {"deepspeed", "pytorch"}) {
      const Engine& wanted = engine(output);
      const EngineQuestion question{plan, *problem.profile, *problem.cluster};
      const bool fits = misfits(wanted, plan, *problem.profile).empty();
      const std::vector<Plan> plans = nearest_plans(wanted, question);
      found += static_cast<int>(!plans.empty());
      for (const Plan& near : plans) {
        QVERIFY(misfits(wanted, near, *problem.profile).empty());
        const auto valid = validate(near, *problem.profile, *problem.cluster);
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

void TestEngines::nearest_keeps_what_it_can() {
  const Profile profile = transformer(12);
  const Cluster cluster = test::flat_cluster(6);
  Plan plan = pipeline(profile, {5, 15}, 2);  // in the middle of the head
  plan.warmup = Warmup::B;
  const auto plans = nearest_plans(engine("megatron"), {plan, profile, cluster});
  QVERIFY(!plans.empty());
  QCOMPARE(plans.front().stages[1].first, 5);
  QCOMPARE(plans.front().stages[2].first, 13);  // the head as a whole
  QCOMPARE(plans.front().stages[0].devices, plan.stages[0].devices);
  QCOMPARE(plans.front().micro_batch, plan.micro_batch);
  QCOMPARE(plans.front().warmup, Warmup::A);
}

void TestEngines::pytorch_computes_the_whole_models_gradients_data() {
  QTest::addColumn<QString>("schedule");
  QTest::addColumn<bool>("recompute");
  QTest::newRow("1f1b") << "1f1b" << false;
  QTest::newRow("interleaved, recomputed") << "interleaved" << true;
}

void TestEngines::pytorch_computes_the_whole_models_gradients() {
  QFETCH(QString, schedule);
  QFETCH(bool, recompute);
  QProcess probe;
  probe.start("/usr/bin/python3", {"-c", "import torch"});
  if (!probe.waitForFinished(120000) || probe.exitCode() != 0) QSKIP("python3 has no torch here");

  Profile profile = transformer(5);  // nine layers with a loss behind: eight modules
  Plan plan = pipeline(profile, {4});
  if (schedule == "interleaved") plan = *with_schedule(plan, profile, ScheduleKind::interleaved, 2);
  for (Stage& stage : plan.stages) stage.recompute.all = recompute;
  QTemporaryDir folder;
  const auto write = [&](const QString& name, const QByteArray& text) {
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  };
  write("planned.py", QByteArray::fromStdString(text_of("pytorch", plan, profile, test::flat_cluster(2))));
  write("net.py",
        "import torch\n"
        "def make():\n"
        "    torch.manual_seed(1)\n"
        "    layers = [torch.nn.Sequential(torch.nn.Linear(12, 12), torch.nn.GELU()) for _ in range(8)]\n"
        "    def batch(step, replica, samples):\n"
        "        return torch.randn(samples, 12), torch.randint(0, 12, (samples,))\n"
        "    return layers, torch.nn.functional.cross_entropy, batch\n"
        "def short():\n"
        "    layers, loss, batch = make()\n"
        "    return layers[:7], loss, batch\n");
  const auto run = [&](const QStringList& arguments) {
    auto python = std::make_unique<QProcess>();
    python->setWorkingDirectory(folder.path());
    python->start("/usr/bin/python3", QStringList{"planned.py"} + arguments);
    python->waitForFinished(120000);
    return python;
  };
  const auto good = run({"--model", "net:make", "--check"});
  const QByteArray out = good->readAllStandardOutput();
  QVERIFY2(good->exitCode() == 0, good->readAllStandardError() + out);
  QVERIFY2(out.contains("of " + QByteArray::number(static_cast<int>(plan.stages.size())) + " stages"), out);
  // A model of another length is refused with what was found and expected.
  const auto bad = run({"--model", "net:short", "--check"});
  const QByteArray why = bad->readAllStandardError();
  QVERIFY(bad->exitCode() != 0);
  QVERIFY2(why.contains("found 7 modules, expected 8"), why);
}

QTEST_APPLESS_MAIN(TestEngines)
#include "tst_engines.moc"
