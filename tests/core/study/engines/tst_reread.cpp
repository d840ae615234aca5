// SPDX-License-Identifier: Apache-2.0
// Plans of format version 2 as configurations of torchtitan and DeepSpeed, and back.
#include <QTest>

#include <memory>
#include <string>
#include <vector>

#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/torchtitan.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/core/study/engines/megatron_questions.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_reread {

using mesh::Question;
using test::one_of;
using test::Random;
using test::yes;

Profile profile_of(const std::string& preset) {
  AnalyticOptions options;
  options.sequence = 4096, options.dropout = false, options.degrees = {2};
  const ParsedTransformer model = presets::transformer_preset(preset).value();
  return presets::computed_profile(model, presets::catalogue_device("H100-SXM").value(), options)->profile;
}

/// The habits of torchtitan at b5bcd76 (docs/accuracy.md), and one of its pipelines, shardings and numbers.
Question titan_question(Random& random) {
  Question q;
  Shard& shard = q.layer.shard;
  shard.tensor = one_of(random, {1, 2, 4, 8}), shard.sequence = shard.tensor > 1;
  shard.context = one_of(random, {1, 1, 2, 4});
  shard.context_kind = yes(random) || shard.context == 1 ? ContextKind::ring : ContextKind::gather;
  if (shard.context == 1) shard.context_kind = ContextKind::ring;
  q.data = one_of(random, {1, 2, 4});
  q.pipeline = one_of(random, {1, 1, 2, 4});
  if (q.pipeline > 1) q.virtual_stages = one_of(random, {1, 2, 3});
  q.layer.count.micro_batch = random.integer(1, 2);
  q.micro_batches = q.pipeline * random.integer(1, 3);
  const bool sharded = q.data * shard.context > 1 && (shard.context > 1 || yes(random));
  if (sharded) {
    q.sharding.level = 3;
    if (q.data > 1 && q.data * shard.context > 2 && yes(random)) {
      q.sharding.group = q.data * shard.context / 2;
      q.sharding.copies = CopySync::each_micro_batch;
    }
    if (yes(random)) q.sharding.reshard = q.pipeline > 1 ? Reshard::after_step : Reshard::after_backward;
  }
  Training& t = q.training;
  const char* const products[] = {"bf16", "fp8", "mxfp8"};
  t.products = products[random.integer(0, 2)];
  if (t.products == "fp8") t.recipe = yes(random) ? "rowwise" : "tensorwise";
  t.hidden = {.tensor = yes(random), .pipeline = q.pipeline == 1 || q.virtual_stages > 1};
  t.loss = LossKind::separate, t.forward_ahead = GatherAhead::two;
  t.fused_weight_gradients = false, t.cached = pytorch_cached;
  t.compiled = true;
  q.layer.keeps_gathered = true;
  q.states = {4, 4, 8}, q.wire = {2, yes(random) ? 2.0 : 4.0};
  const int recompute = random.integer(0, 2);
  q.layer.recomputed.blocks = recompute > 0, q.layer.recomputed.operations = recompute == 2;
  if (q.virtual_stages == 2 && recompute == 0 && yes(random)) {
    q.order = yes(random) ? ScheduleKind::zb_v : ScheduleKind::dualpipe_v;
    if (q.order == ScheduleKind::dualpipe_v) q.micro_batches += 2 * q.pipeline;
  }
  return q;
}

/// DeepSpeed: its states, its bucket, Ulysses in the place of context parallelism; or a pipeline without either.
Question deepspeed_question(Random& random) {
  Question q;
  Shard& shard = q.layer.shard;
  q.pipeline = one_of(random, {1, 1, 2, 4});
  shard.tensor = q.pipeline > 1 ? 1 : one_of(random, {1, 1, 2, 4});
  shard.context = q.pipeline > 1 ? 1 : one_of(random, {1, 1, 2, 4});
  if (shard.context > 1) shard.context_kind = ContextKind::heads;
  q.data = one_of(random, {2, 4, 8});
  q.layer.count.micro_batch = random.integer(1, 3), q.micro_batches = random.integer(1, 4);
  q.sharding.level = random.integer(0, q.pipeline > 1 ? 1 : 3);
  Training& t = q.training;
  t.products = yes(random) ? "bf16" : "fp16";
  t.hidden = {.gradients = yes(random), .weights = q.sharding.level == 3, .pipeline = q.pipeline == 1};
  t.keeps_stage_outputs = q.pipeline > 1;
  t.loss = LossKind::separate, t.fused_weight_gradients = false;
  if (q.sharding.level > 0) t.bucket = one_of(random, {100'000'000, 500'000'000});
  t.offloads_optimizer = q.sharding.level > 0 && yes(random);
  q.states = {2, 4, 12}, q.wire = {2, yes(random) ? 2.0 : 4.0};
  q.layer.recomputed.blocks = yes(random);
  return q;
}

void add_blocks(Random& random, Question& q) {
  const int stages = q.pipeline * q.virtual_stages, blocks = q.config.layers;
  const int split = stages == 1 ? 0 : random.integer(0, 2);
  q.blocks = split == 2 ? std::vector<int>(static_cast<std::size_t>(stages), 1)
                        : io::jobs::titan_blocks(stages, blocks, {split, split});
  for (int b = stages; split == 2 && b < blocks; ++b)
    ++q.blocks[static_cast<std::size_t>(random.integer(0, stages - 1))];
}

template <class Ask>
Question random_question(Random& random, const TransformerConfig& config, std::shared_ptr<const Cluster> cluster,
                         const char* engine, Ask ask) {
  while (true) {
    Question q = ask(random);
    q.config = config, q.cluster = cluster;
    add_blocks(random, q);
    plan::MeshQuestion rules;
    rules.model = &config, rules.shard = q.shard(), rules.sharding = q.sharding, rules.devices = q.devices();
    rules.pipeline = q.pipeline, rules.virtual_stages = q.virtual_stages, rules.sequence = 4096;
    rules.micro_batch = q.layer.count.micro_batch, rules.micro_batches = q.micro_batches, rules.even_blocks = false;
    rules.hides_pipeline = q.training.hidden.pipeline, rules.schedule = q.order;
    if (plan::broken_rules(rules, "").empty() && plan::broken_rules(rules, engine).empty() && q.devices() <= 256)
      return q;
  }
}

/// Returns the plan of version 2 of `model` on 8 devices that the question is.
struct Case {
  Profile profile;
  std::optional<TransformerOrigin> origin;
  std::shared_ptr<const Cluster> cluster = std::make_shared<const Cluster>(test::flat_cluster(256));

  explicit Case(const std::string& model)
      : profile(profile_of(model)), origin(io::documents::origin_of(profile).value()) {}
  Plan plan_of(Question question) const {
    question.config = origin->config, question.cluster = cluster;
    question.layer.count.sequence = 4096;
    Plan plan = mesh::plan_of(question, profile);
    plan.name = "job", plan.planner = "hand";
    return plan;
  }
  study::engines::EngineRequest request(const Plan& plan) const { return {plan, profile, *cluster, &*origin}; }
};

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) all += sentence + "\n";
  return all;
}

class TestReread : public QObject {
  Q_OBJECT
 private slots:
  /// The example of generate_llm_fqn_per_model_part, and splits added up by hand.
  void splits_of_torchtitan() {
    QCOMPARE(io::jobs::titan_blocks(2, 3, {2, 2}), (std::vector<int>{2, 1}));
    QCOMPARE(io::jobs::titan_blocks(4, 32, {}), (std::vector<int>{8, 9, 8, 7}));
    QCOMPARE(io::jobs::titan_blocks(4, 32, {0, 0}), (std::vector<int>{8, 8, 8, 8}));
    QCOMPARE(io::jobs::titan_blocks(1, 32, {}), (std::vector<int>{32}));
    QVERIFY(io::jobs::titan_blocks(4, 6, {3, 1}).empty());
    QVERIFY(io::jobs::titan_blocks(40, 32, {}).empty());
  }

  void plans_come_back_data() {
    QTest::addColumn<QString>("engine");
    QTest::addColumn<QString>("model");
    for (const char* const model : {"llama-3-8b", "qwen3-8b", "qwen3-30b-a3b", "llama-3-70b"})
      QTest::newRow(model) << "torchtitan" << model;
    QTest::newRow("llama-3-8b, DeepSpeed") << "deepspeed"
                                           << "llama-3-8b";
  }
  void plans_come_back() {
    QFETCH(QString, engine);
    QFETCH(QString, model);
    const Case asked(model.toStdString());
    const study::engines::NamedOutput output = study::engines::find_engine_output(engine.toStdString());
    Random random(31);
    for (int i = 0; i < 60; ++i) {
      const bool titan = engine == "torchtitan";
      const Question question =
          random_question(random, asked.origin->config, asked.cluster, titan ? "torchtitan" : "DeepSpeed",
                          titan ? titan_question : deepspeed_question);
      const Plan plan = asked.plan_of(question);
      QVERIFY(has_mesh(plan));
      const auto request = asked.request(plan);
      const auto lost = study::engines::unsupported_features(*output.engine, request);
      QVERIFY2(lost.empty(), (joined(lost) + output.output->text(request)).c_str());
      const auto again = output.engine->rules.plan_of_text(request);
      QVERIFY2(again, again ? "" : again.error().text().c_str());
      QVERIFY2(io::documents::plan_to_json(*again) == io::documents::plan_to_json(plan),
               (io::documents::plan_to_json(*again) + io::documents::plan_to_json(plan) + output.output->text(request))
                   .c_str());
    }
  }

  /// A choice that the engine does not have is named, and the nearest plan has another.
  void lost_choices_are_named_data() {
    QTest::addColumn<QString>("engine");
    QTest::addColumn<int>("choice");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("loss") << "torchtitan" << 0 << "loss: found the default, torchtitan has \"separate\"";
    QTest::newRow("graphs") << "torchtitan" << 1 << "graphs: found \"all\", torchtitan has the default";
    QTest::newRow("level") << "torchtitan" << 2
                           << "sharding level: found sharding level 1, expected 0 or 3 (torchtitan b5bcd76: ";
    QTest::newRow("modules") << "torchtitan" << 3 << "stage 0: recompute: found";
    QTest::newRow("heads")
        << "torchtitan" << 4
        << "context kind: found context parallelism by heads, expected gather or ring (torchtitan b5bcd76: "
           "config/job_config.py)";
    QTest::newRow("blocks") << "torchtitan" << 5 << "stage 0: recompute: found";
    QTest::newRow("pipeline") << "deepspeed" << 6
                              << "found 2 pipeline ranks at ZeRO 3, expected ZeRO 0 or 1 (DeepSpeed 0.17: ";
    QTest::newRow("tensor ranks in a pipeline")
        << "deepspeed" << 8
        << "tensor parallelism: found 2 ranks in a pipeline, expected 1: no setting divides the layers";
    QTest::newRow("virtual stages") << "deepspeed" << 9 << "schedule: found interleaved, DeepSpeed has 1f1b";
    QTest::newRow("fp8") << "deepspeed" << 7 << "products: found \"fp8\", DeepSpeed has \"bf16\"";
  }
  void lost_choices_are_named() {
    QFETCH(QString, engine);
    QFETCH(int, choice);
    QFETCH(QString, sentence);
    const Case asked("llama-3-8b");
    const study::engines::NamedOutput output = study::engines::find_engine_output(engine.toStdString());
    Random random(3);
    Question q = engine == "torchtitan" ? titan_question(random) : deepspeed_question(random);
    q.layer.shard = {.tensor = 2, .sequence = engine == "torchtitan"};
    q.data = 4, q.pipeline = q.virtual_stages = 1, q.micro_batches = 4, q.layer.count.micro_batch = 1;
    q.sharding = {.level = 3}, q.layer.recomputed = {}, q.training.hidden.pipeline = true, q.blocks.clear();
    q.training.hidden.weights = true, q.training.keeps_stage_outputs = false;
    if (engine == "deepspeed") q.training.bucket = 5e8;
    QVERIFY2(study::engines::unsupported_features(*output.engine, asked.request(asked.plan_of(q))).empty(),
             joined(study::engines::unsupported_features(*output.engine, asked.request(asked.plan_of(q)))).c_str());
    if (choice == 0) q.training.loss = LossKind::plain;
    if (choice == 1) q.training.graphs = Graphs::all;
    if (choice == 2) q.sharding.level = 1;
    if (choice == 3) q.layer.recomputed.parts = analytic::transformer::shards::parts_of_module("mlp").value();
    if (choice == 4) q.layer.shard.context = 2, q.layer.shard.context_kind = ContextKind::heads;
    if (choice == 5)
      q.layer.recomputed.blocks = true, q.layer.recomputed.count = 13;  // every n-th of 32 is 16, 11, ...
    if (choice == 6) q.layer.shard = {}, q.pipeline = 2, q.training.hidden.pipeline = false;
    if (choice == 8) q.pipeline = 2, q.sharding.level = 1, q.training.hidden.pipeline = false;
    if (choice == 9) q.layer.shard = {}, q.pipeline = q.virtual_stages = 2, q.sharding.level = 1;
    if (choice == 7) q.training.products = "fp8", q.training.recipe = "delayed";
    const Plan plan = asked.plan_of(q);
    const auto lost = study::engines::unsupported_features(*output.engine, asked.request(plan));
    QVERIFY2(joined(lost).find(sentence.toStdString()) != std::string::npos, joined(lost).c_str());
    QVERIFY(!study::engines::engine_text(output, asked.request(plan)));
    const std::vector<Plan> near = study::engines::closest_plans(*output.engine, asked.request(plan));
    QVERIFY(!near.empty());
    for (const Plan& one : near) {
      QVERIFY(study::engines::engine_text(output, asked.request(one)));
      QCOMPARE(one.global_batch, plan.global_batch);
      QCOMPARE(devices_used(one), devices_used(plan));
    }
  }

  void published_models_by_name() {
    const Case llama("llama-3-70b"), mixture("qwen3-30b-a3b");
    Random random(5);
    Question q = titan_question(random);
    const auto text = [&](const Case& asked) {
      return study::engines::find_engine_output("torchtitan").output->text(asked.request(asked.plan_of(q)));
    };
    QVERIFY(text(llama).find("name = \"llama3\"\nflavor = \"70B\"\n") != std::string::npos);
    QVERIFY(text(mixture).find("name = \"qwen3\"\n# No published flavor") != std::string::npos);
    const Case other("mixtral-8x7b");
    const auto lost = study::engines::unsupported_features(*study::engines::find_engine_output("torchtitan").engine,
                                                           other.request(other.plan_of(q)));
    QVERIFY2(joined(lost).find("model: found the family 'mixtral'") != std::string::npos, joined(lost).c_str());
  }

  /// The files of people: lists of modules, counts per stage, weights of the ends.
  void stages_of_configurations_data() {
    QTest::addColumn<QString>("options");
    QTest::addColumn<std::vector<int>>("blocks");
    QTest::addColumn<QString>("error");
    const QString interleaved = "pipeline_parallel_schedule = \"Interleaved1F1B\"\n";
    QTest::newRow("default") << "" << std::vector<int>{16, 16} << "";
    QTest::newRow("ends of no weight")
        << "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n"
        << std::vector<int>{16, 16} << "";
    QTest::newRow("interleaved") << interleaved << std::vector<int>{8, 9, 8, 7} << "";
    QTest::newRow("layers per stage") << interleaved + "pipeline_parallel_layers_per_stage = 5\n"
                                      << std::vector<int>{} << "found 7 stages of 5 layers";
    QTest::newRow("eight stages") << interleaved + "pipeline_parallel_layers_per_stage = 4\n"
                                  << std::vector<int>{} << "found 9 stages of 4 layers";
    QTest::newRow("six stages") << interleaved + "pipeline_parallel_layers_per_stage = 6\n"
                                << std::vector<int>{5, 6, 6, 6, 5, 4} << "";
  }
  void stages_of_configurations() {
    QFETCH(QString, options);
    QFETCH(std::vector<int>, blocks);
    QFETCH(QString, error);
    const std::string text =
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\nlocal_batch_size = 8\n"
        "[parallelism]\npipeline_parallel_degree = 2\ndata_parallel_shard_degree = 4\n" +
        options.toStdString();
    const auto job = io::jobs::job_from_torchtitan(text, "job");
    QVERIFY(job);
    if (!error.isEmpty()) {
      QVERIFY(!job->broken.empty());
      QVERIFY2(job->broken.front().message.find(error.toStdString()) != std::string::npos,
               job->broken.front().message.c_str());
      return;
    }
    QVERIFY(job->broken.empty());
    const Case asked("llama-3-8b");
    const auto plan = mesh::plan_of(mesh::completed(*job, 8), asked.profile, asked.cluster);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    const auto question = mesh::question_of(*plan, asked.profile, asked.cluster);
    QVERIFY(question);
    QCOMPARE(question->blocks, blocks);
  }

  void modules_out_of_order_are_refused() {
    const auto text = [](const std::string& list) {
      return "[model]\nname = \"llama3\"\n[training]\nseq_len = 4096\n[parallelism]\npipeline_parallel_degree = 2\n"
             "module_fqns_per_model_part = " +
             list + "\n";
    };
    const auto skipped =
        io::jobs::job_from_torchtitan(text("[[\"tok_embeddings\", \"layers.0\"], [\"layers.2\"]]"), "job");
    QVERIFY(!skipped);
    QVERIFY(skipped.error().message.find("found layers.2, expected layers.1") != std::string::npos);
    const auto odd = io::jobs::job_from_torchtitan(text("[[\"layers.0\"], [\"layers.1\"], [\"layers.2\"]]"), "job");
    QVERIFY(!odd);
    QVERIFY(odd.error().message.find("found 3 stages, expected a multiple of 2") != std::string::npos);
  }
};

PIPEDECK_TEST(TestReread)

}  // namespace pipedeck::tst_reread

#include "tst_reread.moc"
