// SPDX-License-Identifier: Apache-2.0
// Plans of format version 2 to Megatron-LM's arguments and back, and as Megatron-Bridge and NeMo state them: the same
// plan, and the same model.
#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_bridge.hpp"
#include "core/io/jobs/megatron_states.hpp"
#include "core/io/jobs/nemo.hpp"
#include "core/io/jobs/nemo_recipe.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/core/study/engines/megatron_questions.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_megatron_import {

using mesh::Question;
using test::Random;

Result<io::jobs::TrainingJob> job_of(const std::string& output, const std::string& text) {
  if (output == "megatron-bridge") return io::jobs::job_from_bridge(text, "job");
  if (output == "nemo") return io::jobs::job_from_nemo(text, "job");
  if (output == "nemo-recipe") return io::jobs::job_from_nemo_recipe(text, "job");
  return io::jobs::job_from_megatron(text, "job");
}

/// Leaves out what neither NeMo 1 nor recipes of NeMo 2 have.
void in_choices_of_nemo(Question& q) {
  Training& t = q.training;
  const int stages = q.pipeline * q.virtual_stages;
  q.blocks.clear();
  if (q.config.layers % stages != 0) q.pipeline = q.virtual_stages = 1, t.hidden.pipeline = true;
  if (q.layer.shard.context_kind == ContextKind::heads_ring)
    q.layer.shard.context_kind = ContextKind::ring, q.layer.shard.context_heads = 1;
  q.sharding = {.level = std::min(q.sharding.level, 1)};
  t.hidden.weights = q.sharding.level == 0 || t.hidden.weights;
  t.hidden.gradients = t.hidden.gradients || (q.sharding.level > 0 && t.hidden.weights);
  if (t.products == "nvfp4") t.products = "bf16";
  t.optimizer_step = OptimizerStep::elementwise, t.graphs = Graphs::none;
  t.multi_token_blocks = 0, t.offloads_optimizer = t.hidden.expert = false;
  const bool narrow = q.wire.gradients == 2 && (q.sharding.level > 0 || t.products == "fp16");
  const bool wide = t.products == "fp16" && q.sharding.level == 0;
  q.wire.gradients = narrow || wide ? 2 : 4;
  q.states = io::jobs::state_bytes_of({.narrow_gradients = narrow || wide}, t);
  q.wire.weights = t.narrow_weights && t.products == "fp8" ? 1 : 2;
}

class TestMegatronImport : public QObject {
  Q_OBJECT
 private slots:
  void plans_come_back_data() {
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("model");
    for (const char* const output : {"megatron", "megatron-bridge"})
      for (const char* const model : {"llama-3-8b", "mixtral-8x7b", "qwen2-7b", "deepseek-v2-lite"})
        QTest::addRow("%s, %s", output, model) << output << model;
    for (const char* const model : {"llama-3-8b", "mixtral-8x7b", "qwen2-7b"})
      QTest::addRow("nemo, %s", model) << "nemo" << model;
    for (const char* const model : {"llama-3-8b", "mixtral-8x7b", "deepseek-v2-lite"})
      QTest::addRow("nemo-recipe, %s", model) << "nemo-recipe" << model;
  }
  void plans_come_back() {
    QFETCH(QString, output);
    QFETCH(QString, model);
    const Profile profile = test::computed_profile_of(model.toStdString());
    const auto origin = io::documents::origin_of(profile).value();
    const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(512));
    const study::engines::NamedOutput engine = study::engines::find_engine_output(output.toStdString());
    Random random(29);
    for (int i = 0; i < 100; ++i) {
      Question question = test::megatron_question(random, origin->config, cluster);
      if (output.startsWith("nemo")) in_choices_of_nemo(question);
      Plan plan = mesh::plan_of(question, profile);
      plan.name = "job", plan.planner = "hand";
      const study::engines::EngineRequest request{plan, profile, *cluster, &*origin};
      const auto text = study::engines::engine_text(engine, request);
      QVERIFY2(text, text ? "" : text.error().message.c_str());
      const auto job = job_of(output.toStdString(), *text);
      QVERIFY2(job, job ? "" : (job.error().text() + "\n" + *text).c_str());
      QVERIFY2(job->broken.empty(), job->broken.empty() ? "" : (job->broken.front().message + "\n" + *text).c_str());
      QVERIFY2(job->share.left_out.empty(), job->share.left_out.empty() ? "" : job->share.left_out.front().c_str());
      const io::jobs::TrainingJob complete = mesh::completed(*job, question.devices());
      const auto again = mesh::plan_of(complete, profile, cluster);
      QVERIFY2(again, again ? "" : (again.error().text() + "\n" + *text).c_str());
      const auto twice = study::engines::engine_text(engine, {*again, profile, *cluster, &*origin});
      QVERIFY(twice);
      QVERIFY2(*twice == *text, (*twice + "\n" + *text).c_str());
      QVERIFY2(io::documents::plan_to_json(*again) == io::documents::plan_to_json(plan),
               (io::documents::plan_to_json(*again) + io::documents::plan_to_json(plan) + *text).c_str());
      QVERIFY(*again == plan);
    }
  }

  /// The model's shape is in the arguments, but for its words.
  void models_come_back_data() { plans_come_back_data(); }
  void models_come_back() {
    QFETCH(QString, output);
    QFETCH(QString, model);
    const Profile profile = test::computed_profile_of(model.toStdString());
    const TransformerConfig config = io::documents::origin_of(profile).value()->config;
    const auto cluster = std::make_shared<const Cluster>(test::flat_cluster(8));
    Question question;
    question.config = config, question.cluster = cluster;
    question.layer.count.sequence = 4096;
    question.layer.weighs_activation = config.experts.has_value();
    const Plan plan = mesh::plan_of(question, profile);
    const auto origin = io::documents::origin_of(profile).value();
    const auto text = study::engines::engine_text(study::engines::find_engine_output(output.toStdString()),
                                                  {plan, profile, *cluster, &*origin});
    QVERIFY2(text, text ? "" : text.error().message.c_str());
    auto job = job_of(output.toStdString(), *text);
    QVERIFY(job && job->model);
    QCOMPARE(job->sequence, 4096);
    job->model->vocabulary = config.vocabulary, job->model->family = config.family;
    job->model->name = config.name, job->model->head_width = config.head_width;
    TransformerConfig expected = config;
    expected.dropout = expected.attention_dropout = 0;
    expected.longest = job->model->longest;
    QCOMPARE(job->model->experts, expected.experts);
    QCOMPARE(job->model->latent, expected.latent);
    QVERIFY2(*job->model == expected, text->c_str());
  }
};

PIPEDECK_TEST(TestMegatronImport)

}  // namespace pipedeck::tst_megatron_import

#include "tst_megatron_import.moc"
