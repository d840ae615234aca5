// SPDX-License-Identifier: Apache-2.0
// Arguments for Megatron-LM, sourced by a shell and read by Megatron-LM's rules (megatron_rules.hpp): what they build
// must be the plan, for plans of every kind that fits.
#include <QTest>

#include <algorithm>
#include <set>

#include "tests/core/study/engines/engine_plans.hpp"
#include "tests/core/study/engines/engine_process.hpp"
#include "tests/core/study/engines/megatron_rules.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_megatron {

using namespace pipedeck::test;

struct Sourced {
  MegatronArguments arguments;
  std::string connections;
};

/// As a job script would read it: bash, unset variables and failures are errors.
Sourced sourced(const EngineFolder& folder, const std::string& script) {
  folder.write("plan.sh", QByteArray::fromStdString(script));
  const auto answer = folder.run("/bin/bash", {"-euc",
                                               "unset CUDA_DEVICE_MAX_CONNECTIONS; . ./plan.sh; "
                                               "printf '%s\\n' \"${CUDA_DEVICE_MAX_CONNECTIONS-}\" "
                                               "\"${PIPEDECK_ARGUMENTS[@]}\""});
  Sourced found;
  if (answer.status != 0) return {{{answer.error.toStdString(), ""}}, ""};
  const QList<QByteArray> lines = answer.out.split('\n');
  found.connections = lines.front().toStdString();
  std::string name;
  for (const QByteArray& line : lines.mid(1)) {
    if (line.startsWith("--")) {
      name = line.toStdString();
      found.arguments[name];
    } else if (!name.empty() && !line.isEmpty()) {
      std::string& value = found.arguments[name];
      value += (value.empty() ? "" : " ") + line.toStdString();
    }
  }
  return found;
}

/// Blocks of one or two layers (attention and experts), one embedding or two, with a head or without.
Profile random_model(Random& random) {
  const int blocks = random.integer(1, 24);
  const bool pairs = random.integer(0, 3) == 0;
  std::vector<std::string> kinds(static_cast<std::size_t>(random.integer(1, 2)), "embedding");
  for (int b = 0; b < blocks; ++b) {
    kinds.push_back(pairs ? "attention" : "transformer");
    if (pairs) kinds.push_back("experts");
  }
  const std::vector<std::string> tail{"layer_norm", "linear", "softmax_cross_entropy"};
  kinds.insert(kinds.end(), tail.begin(), tail.begin() + random.integer(0, 3));
  Profile profile = uniform_profile(static_cast<int>(kinds.size()), Seconds(1e-3), Seconds(2e-3));
  for (std::size_t l = 0; l < kinds.size(); ++l) profile.layers[l].kind = kinds[l];
  return profile;
}

/// Where the head begins; blocks begin where a layer of a block does that is no expert.
std::vector<int> cuts_between_blocks(const Profile& profile) {
  std::vector<int> cuts;
  for (std::size_t l = 1; l < profile.layers.size(); ++l) {
    const std::string &kind = profile.layers[l].kind, &before = profile.layers[l - 1].kind;
    const bool block = kind == "transformer" || kind == "attention";
    const bool behind = !block && (before == "transformer" || before == "experts");
    if (block || (behind && kind != "experts")) cuts.push_back(static_cast<int>(l));
  }
  return cuts;
}

/// Degrees and choices of format version 2 for a plan whose stages have equally many devices.
void add_dimensions(Random& random, Plan& plan) {
  const auto yes = [&] { return random.integer(0, 1) == 1; };
  const int devices = static_cast<int>(plan.stages.front().devices.size());
  const int context = devices / plan.stages.front().tensor_parallel % 2 == 0 && yes() ? 2 : 1;
  for (Stage& stage : plan.stages) {
    stage.degrees.sequence = stage.tensor_parallel > 1;
    stage.degrees.context = context;
    if (yes()) stage.recompute = {.modules = {"core_attn", "layernorm"}};
  }
  for (Stage& stage : plan.stages) stage.recompute = plan.stages.front().recompute;
  plan.zero = 0;
  plan.sharding.level = plan.stages.size() > 1 ? random.integer(0, 1) : random.integer(0, 3);
  plan.micro_batch = plan.stages.front().replicas();
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  StepChoices& choices = plan.choices.emplace();
  choices.training.products = yes() ? "mxfp8" : "";
  choices.training.hidden = {yes(), yes(), plan.stages.front().degrees.sequence && yes(), false, yes()};
  choices.training.loss = yes() ? LossKind::fused : LossKind::plain;
  choices.layers.vocabulary_multiple = 128;
}

Plan random_pipeline(Random& random, const Profile& profile) {
  const std::vector<int> all = cuts_between_blocks(profile);
  const int chunks = random.integer(1, 3), ranks = chunks == 1 ? random.integer(1, 6) : random.integer(2, 4);
  const std::size_t wanted = std::min(all.size(), static_cast<std::size_t>(ranks * chunks - 1));
  std::set<int> cuts;
  while (cuts.size() < wanted) cuts.insert(all[static_cast<std::size_t>(random.integer(0, int(all.size()) - 1))]);
  const int tensor = 1 << random.integer(0, 2);
  Plan plan = pipeline(profile, {cuts.begin(), cuts.end()}, random.integer(1, 3), tensor);
  plan.name = "it's a \"plan\" of $HOME `id`\nand two lines";
  if (chunks > 1 && cuts.size() + 1 == static_cast<std::size_t>(ranks * chunks)) {
    plan.schedule = ScheduleKind::interleaved;
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
      plan.stages[s].devices = plan.stages[s % static_cast<std::size_t>(ranks)].devices;
  }
  plan.micro_batch = plan.stages.front().replicas() * random.integer(1, 3);
  plan.micro_batches = static_cast<int>(pipeline_ranks(plan).size()) * random.integer(1, 4);
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  const Precision precisions[] = {Precision::fp32, Precision::mixed_16, Precision::mixed_18, Precision::mixed_20};
  const Optimizer optimizers[] = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none};
  plan.precision = precisions[random.integer(0, 3)];
  plan.optimizer = optimizers[random.integer(0, 3)];
  plan.zero = random.integer(0, 1);
  const bool recompute = random.integer(0, 1) == 1;
  for (Stage& stage : plan.stages) stage.recompute.all = recompute;
  return plan;
}

TransformerOrigin random_origin(Random& random, const Profile& profile) {
  TransformerOrigin origin;
  TransformerConfig& config = origin.config;
  config.name = "a model";
  config.layers = 0;
  for (const Layer& layer : profile.layers) config.layers += layer.kind == "transformer" || layer.kind == "attention";
  config.heads = 8 * random.integer(1, 4);
  config.key_value_heads = random.integer(0, 1) == 0 ? config.heads : 8;
  config.head_width = 64 * random.integer(1, 2);
  config.hidden = config.heads * 64;
  config.feed_forward = 4 * config.hidden;
  config.longest = 1 << random.integer(9, 14);
  config.positions = random.integer(0, 1) == 0 ? 0 : config.longest;
  config.norm = random.integer(0, 1) == 0 ? NormKind::layer : NormKind::rms;
  config.tied = random.integer(0, 1) == 1;
  config.gated = random.integer(0, 1) == 1;
  config.dropout = 0.1;
  if (std::ranges::any_of(profile.layers, [](const Layer& layer) { return layer.kind == "attention"; })) {
    config.experts.emplace();
    config.experts->count = 8, config.experts->per_token = 2, config.experts->feed_forward = 1024;
    config.experts->shared_feed_forward = 512 * random.integer(0, 1);
    if (config.layers > 1 && random.integer(0, 1) == 1) config.experts->dense = {0};
  }
  const AttentionMemory kinds[] = {AttentionMemory::fused, AttentionMemory::selective, AttentionMemory::stored};
  origin.options.attention = kinds[random.integer(0, 2)];
  origin.options.sequence = random.integer(0, 1) == 0 ? 0 : 1024;
  origin.options.sequence_parallel = random.integer(0, 1) == 1;
  return origin;
}

std::vector<MegatronPart> parts_of(const Plan& plan, const Profile& profile) {
  std::vector<MegatronPart> parts;
  for (const Stage& stage : plan.stages) {
    MegatronPart part;
    for (int l = stage.first; l < stage.last; ++l) {
      const std::string& kind = profile.layers[static_cast<std::size_t>(l)].kind;
      part.blocks += static_cast<int>(kind == "transformer" || kind == "attention");
      part.embedding = part.embedding || kind == "embedding";
    }
    part.loss = stage.last == static_cast<int>(profile.layers.size());
    parts.push_back(part);
  }
  return parts;
}

class TestMegatron : public QObject {
  Q_OBJECT
 private slots:
  void arguments_build_the_plan() {
    Random random(11);
    const EngineFolder folder;
    int layouts = 0, ends = 0, interleaved = 0, sized = 0;
    for (int i = 0; i < 400; ++i) {
      const Profile profile = random_model(random);
      const Plan plan = random_pipeline(random, profile);
      const int processes = static_cast<int>(devices_used(plan).size());
      const TransformerOrigin origin = random_origin(random, profile);
      const bool known = random.integer(0, 1) == 1;
      const Cluster cluster = flat_cluster(processes);
      const auto script = study::engines::engine_text(study::engines::find_engine_output("megatron"),
                                                      {plan, profile, cluster, known ? &origin : nullptr});
      QVERIFY2(script, script ? "" : script.error().message.c_str());
      const Sourced found = sourced(folder, *script);
      const MegatronRun run = megatron_run(found.arguments, processes, found.connections);
      QVERIFY2(run.broken.empty(), (run.broken + "\n" + *script).c_str());
      QVERIFY2(run.parts == parts_of(plan, profile), script->c_str());
      QCOMPARE(run.ranks, static_cast<int>(pipeline_ranks(plan).size()));
      QCOMPARE(run.replicas, plan.stages.front().replicas());
      QCOMPARE(run.micro_batches, plan.micro_batches);
      QCOMPARE(found.arguments.contains("--bf16"), plan.precision != Precision::fp32);
      QCOMPARE(found.arguments.contains("--use-distributed-optimizer"), plan.zero == 1);
      QCOMPARE(found.arguments.contains("--recompute-method"), plan.stages.front().recompute.all);
      QCOMPARE(found.arguments.contains("--hidden-size"), known);
      layouts += found.arguments.contains("--pipeline-model-parallel-layout");
      ends += found.arguments.contains("--decoder-first-pipeline-num-layers");
      interleaved += run.parts.size() > static_cast<std::size_t>(run.ranks);
      sized += known;
    }
    QVERIFY2(layouts > 50 && ends > 5 && interleaved > 50 && sized > 100,
             qPrintable(QString("%1 %2 %3 %4").arg(layouts).arg(ends).arg(interleaved).arg(sized)));
  }

  void degrees_and_choices_of_version_2() {
    Random random(12);
    const EngineFolder folder;
    int contexts = 0, sharded = 0;
    for (int i = 0; i < 200; ++i) {
      const Profile profile = random_model(random);
      Plan plan = random_pipeline(random, profile);
      add_dimensions(random, plan);
      const int processes = static_cast<int>(devices_used(plan).size());
      const TransformerOrigin origin = random_origin(random, profile);
      const Cluster cluster = flat_cluster(processes);
      const auto script = study::engines::engine_text(study::engines::find_engine_output("megatron"),
                                                      {plan, profile, cluster, &origin});
      QVERIFY2(script, script ? "" : script.error().message.c_str());
      Sourced found = sourced(folder, *script);
      const MegatronRun run = megatron_run(found.arguments, processes, found.connections);
      QVERIFY2(run.broken.empty(), (run.broken + "\n" + *script).c_str());
      QCOMPARE(run.replicas, plan.stages.front().replicas());
      QCOMPARE(run.micro_batches, plan.micro_batches);
      const int context = plan.stages.front().degrees.context;
      QCOMPARE(found.arguments.contains("--context-parallel-size"), context > 1);
      QCOMPARE(found.arguments.contains("--sequence-parallel"), plan.stages.front().degrees.sequence);
      QCOMPARE(found.arguments.contains("--use-distributed-optimizer"), plan.sharding.level > 0);
      QCOMPARE(found.arguments.contains("--use-megatron-fsdp"), plan.sharding.level > 1);
      QCOMPARE(found.arguments["--recompute-modules"],
               plan.stages.front().recompute.modules.empty() ? std::string() : std::string("core_attn layernorm"));
      QCOMPARE(found.arguments["--make-vocab-size-divisible-by"], std::string("128"));
      QCOMPARE(found.arguments.contains("--fp8-recipe"), plan.choices->training.products == "mxfp8");
      contexts += context > 1, sharded += plan.sharding.level > 1;
    }
    QVERIFY2(contexts > 10 && sharded > 4, qPrintable(QString("%1 %2").arg(contexts).arg(sharded)));
  }

  /// Each choice that Megatron-LM lacks is a sentence of its own.
  void choices_that_it_lacks() {
    const Profile profile = [] {
      Random random(3);
      return random_model(random);
    }();
    const auto sentences = [&](const auto& change) {
      Plan plan = pipeline(profile, {}, 2, 1);
      plan.micro_batch = 2, plan.micro_batches = 4, plan.global_batch = 8;
      plan.choices.emplace();
      change(plan);
      return study::engines::unsupported_features(*study::engines::find_engine_output("megatron").engine, plan,
                                                  profile);
    };
    QCOMPARE(sentences([](Plan&) {}).size(), std::size_t{0});
    const auto lacks = [&](const auto& change, const char* words) {
      const std::vector<std::string> found = sentences(change);
      QCOMPARE(found.size(), std::size_t{1});
      QVERIFY2(found.front().find(words) != std::string::npos, found.front().c_str());
    };
    lacks([](Plan& p) { p.choices->training.loss = LossKind::chunked; }, "loss: found chunked");
    lacks([](Plan& p) { p.choices->training.adapters.rank = 8; }, "adapters: found some");
    lacks([](Plan& p) { p.choices->training.recipe = "rowwise"; }, "scaling: found rowwise");
    lacks([](Plan& p) { p.choices->training.hidden.tensor = true; }, "sequence parallelism");
    lacks([](Plan& p) { p.choices->states = StateBytes{1, 2, 3}; }, "states: found 1 + 2 + 3 bytes per weight");
    lacks([](Plan& p) { p.sharding = {.level = 3, .reshard = Reshard::after_step}; }, "weights freed after-step");
    lacks([](Plan& p) { p.stages[0].recompute = {.all = true, .operations = true}; }, "by operation");
  }

  /// The reader of the rules itself: what Megatron-LM refuses is refused.
  void the_rules_refuse_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("broken");
    QTest::newRow("uneven") << "--num-layers"
                            << "13"
                            << "left over layers";
    QTest::newRow("unknown") << "--pipeline-layout"
                             << "E"
                             << "unrecognized";
    QTest::newRow("batch") << "--global-batch-size"
                           << "30"
                           << "not divisible";
    QTest::newRow("layout of another length") << "--pipeline-model-parallel-layout"
                                              << "Et*6|t*6L|"
                                              << "divisible";
    QTest::newRow("no loss") << "--pipeline-model-parallel-layout"
                             << "Et*3|t*3|t*3|t*3"
                             << "loss";
    QTest::newRow("too many blocks") << "--pipeline-model-parallel-layout"
                                     << "Et*3|t*3|t*3|t*4L"
                                     << "num_layers";
    QTest::newRow("tensor parallel") << "--tensor-model-parallel-size"
                                     << "2"
                                     << "CUDA_DEVICE_MAX_CONNECTIONS";
    QTest::newRow("half a recomputation") << "--recompute-granularity"
                                          << "full"
                                          << "method";
    QTest::newRow("no number") << "--num-layers"
                               << "12 # twelve"
                               << "no int";
  }

  void the_rules_refuse() {
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, broken);
    MegatronArguments arguments{{"--pipeline-model-parallel-size", "4"},
                                {"--num-layers", "12"},
                                {"--micro-batch-size", "2"},
                                {"--global-batch-size", "32"},
                                {"--optimizer", "adam"}};
    QCOMPARE(megatron_run(arguments, 8, "").broken, std::string());
    arguments[name.toStdString()] = value.toStdString();
    const std::string why = megatron_run(arguments, 8, "").broken;
    QVERIFY2(QString::fromStdString(why).contains(broken), why.c_str());
  }
};

PIPEDECK_TEST(TestMegatron)

}  // namespace pipedeck::tst_megatron

#include "tst_megatron.moc"
