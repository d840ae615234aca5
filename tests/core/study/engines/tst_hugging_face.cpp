// SPDX-License-Identifier: Apache-2.0
// Plans of format version 2 as configurations of Accelerate with TRL and of Axolotl, and back.
#include <QTest>

#include <memory>
#include <string>
#include <vector>

#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/accelerate.hpp"
#include "core/io/jobs/axolotl.hpp"
#include "core/io/jobs/trl.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/core/study/engines/megatron_questions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_hugging_face {

using mesh::Question;
using test::one_of;
using test::Random;
using test::yes;

void add_sharding(Random& random, Question& q) {
  const int context = q.shard().context;
  q.sharding.level = context > 1 || yes(random) ? 3 : 0;
  if (q.sharding.level == 0) return;
  q.training.forward_ahead = GatherAhead::two;
  if (q.data % 2 == 0 && yes(random)) {
    q.sharding.group = q.data * context / 2;
    q.sharding.copies = CopySync::each_micro_batch;
  }
  if (yes(random)) q.sharding.reshard = Reshard::after_backward;
}

/// Returns a question of at most 64 devices that keeps the engine's rules.
Question random_question(Random& random, const TransformerConfig& config, std::shared_ptr<const Cluster> cluster,
                         const std::string& engine) {
  while (true) {
    Question q;
    q.config = config, q.cluster = cluster, q.layer.count.sequence = 4096;
    Shard& shard = q.layer.shard;
    shard.tensor = one_of(random, {1, 1, 2, 4}), shard.context = one_of(random, {1, 1, 2, 4});
    if (engine == "Accelerate" && shard.context > 1 && yes(random)) shard.context_kind = ContextKind::gather;
    q.data = one_of(random, {1, 2, 4, 8});
    q.layer.count.micro_batch = random.integer(1, 3), q.micro_batches = random.integer(1, 4);
    add_sharding(random, q);
    Training& t = q.training;
    t.products = yes(random) ? "bf16" : "fp16";
    t.loss = LossKind::separate, t.fused_weight_gradients = false;
    q.states = {4, 4, 8}, q.wire = {2, 4};
    q.layer.recomputed.blocks = yes(random);
    plan::MeshQuestion rules;
    rules.model = &config, rules.shard = shard, rules.sharding = q.sharding, rules.devices = q.devices();
    rules.sequence = 4096, rules.micro_batch = q.layer.count.micro_batch, rules.micro_batches = q.micro_batches;
    if (q.devices() <= 64 && plan::broken_rules(rules, engine).empty() && plan::broken_rules(rules, "").empty())
      return q;
  }
}

/// Returns the job of a text, and for Accelerate of TRL's next to it.
io::jobs::TrainingJob job_of(const std::string& engine, const study::engines::EngineRequest& request) {
  const auto text = [&](const char* output) {
    return study::engines::engine_text(study::engines::find_engine_output(output), request).value();
  };
  if (engine == "Axolotl") return io::jobs::job_from_axolotl(text("axolotl"), "job").value();
  auto job = io::jobs::job_from_accelerate(text("accelerate"), "job").value();
  const auto trainer = io::jobs::job_from_trl(text("trl"), "job").value();
  job.micro_batch = trainer.micro_batch, job.micro_batches = trainer.micro_batches;
  job.recompute.all = job.recompute.all || trainer.recompute.all;
  return job;
}

class TestHuggingFace : public QObject {
  Q_OBJECT
 private slots:
  void plans_come_back_data() {
    QTest::addColumn<QString>("engine");
    QTest::newRow("Accelerate") << "Accelerate";
    QTest::newRow("Axolotl") << "Axolotl";
  }
  void plans_come_back() {
    QFETCH(QString, engine);
    const Profile profile = test::computed_profile_of("llama-3-8b");
    const auto origin = io::documents::origin_of(profile).value();
    const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(64));
    Random random(23);
    for (int i = 0; i < 120; ++i) {
      const Question question = random_question(random, origin->config, cluster, engine.toStdString());
      Plan plan = mesh::plan_of(question, profile);
      plan.name = "job", plan.planner = "hand";
      const study::engines::EngineRequest request{plan, profile, *cluster, &*origin};
      const io::jobs::TrainingJob job = job_of(engine.toStdString(), request);
      QVERIFY2(job.broken.empty() && job.share.left_out.empty(),
               job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
      const auto again = mesh::plan_of(mesh::completed(job, question.devices()), profile, cluster);
      QVERIFY2(again, again ? "" : again.error().text().c_str());
      QVERIFY2(io::documents::plan_to_json(*again) == io::documents::plan_to_json(plan),
               (io::documents::plan_to_json(*again) + io::documents::plan_to_json(plan)).c_str());
    }
  }

  /// A refusal names rule, engine, version and source; the nearest plan is on the same devices.
  void refusals_data() {
    QTest::addColumn<QString>("output");
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("pipeline") << "accelerate" << 0 << "stages: found 2, Accelerate has one";
    QTest::newRow("copies") << "axolotl" << 1 << "copies: found 8 copies without shards";
    QTest::newRow("version") << "axolotl" << 1 << "(Axolotl 0.12: utils/distributed.py)";
    QTest::newRow("heads") << "accelerate" << 2 << "context kind: found context parallelism by heads";
    QTest::newRow("level") << "trl" << 3 << "sharding.level: found 1, Accelerate has 3";
    QTest::newRow("gather") << "axolotl" << 4 << "by gather, expected a ring";
  }
  void refusals() {
    QFETCH(QString, output);
    QFETCH(int, change);
    QFETCH(QString, sentence);
    const Profile profile = test::computed_profile_of("llama-3-8b");
    const auto origin = io::documents::origin_of(profile).value();
    Question q;
    q.config = origin->config, q.cluster = std::make_shared<const Cluster>(test::flat_cluster(64));
    q.layer.count.sequence = 4096, q.data = 8, q.micro_batches = 2;
    q.training.loss = LossKind::separate, q.training.fused_weight_gradients = false;
    q.training.forward_ahead = GatherAhead::two;
    q.states = {4, 4, 8}, q.wire = {2, 4}, q.sharding.level = 3;
    if (change == 0) q.pipeline = 2, q.sharding.level = 0, q.training.hidden.pipeline = false;
    if (change == 1) q.layer.shard.tensor = 2, q.sharding.level = 0, q.training.forward_ahead = GatherAhead::one;
    if (change == 2) q.layer.shard.context = 2, q.layer.shard.context_kind = ContextKind::heads;
    if (change == 3) q.sharding.level = 1;
    if (change == 4) q.layer.shard.context = 2, q.layer.shard.context_kind = ContextKind::gather;
    Plan plan = mesh::plan_of(q, profile);
    plan.name = "job", plan.planner = "hand";
    const study::engines::EngineRequest request{plan, profile, *q.cluster, &*origin};
    const study::engines::NamedOutput named = study::engines::find_engine_output(output.toStdString());
    const auto text = study::engines::engine_text(named, request);
    QVERIFY(!text);
    QVERIFY2(text.error().message.find(sentence.toStdString()) != std::string::npos, text.error().message.c_str());
    for (const Plan& near : study::engines::closest_plans(*named.engine, request)) {
      QVERIFY(study::engines::engine_text(named, {near, profile, *q.cluster, &*origin}));
      QCOMPARE(near.global_batch, plan.global_batch);
    }
  }
};

PIPEDECK_TEST(TestHuggingFace)

}  // namespace pipedeck::tst_hugging_face

#include "tst_hugging_face.moc"
