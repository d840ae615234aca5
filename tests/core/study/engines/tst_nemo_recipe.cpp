// SPDX-License-Identifier: Apache-2.0
// Settings of a NeMo 2 recipe, run by Python over stand-ins: what the recipe then has is the plan's.
#include <QTest>

#include <memory>
#include <string>

#include "core/io/documents/transformer.hpp"
#include "core/io/importers.hpp"
#include "core/io/jobs/nemo_recipe.hpp"
#include "core/mesh/plan_question.hpp"
#include "tests/core/study/engines/engine_plans.hpp"
#include "tests/core/study/engines/engine_process.hpp"
#include "tests/core/study/engines/megatron_questions.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_nemo_recipe {

using namespace pipedeck::test;

class TestNemoRecipe : public QObject {
  Q_OBJECT
 private slots:
  void recipes_have_the_settings_of_the_plan() {
    const Profile profile = computed_profile_of("llama-3-8b");
    const auto origin = io::documents::origin_of(profile).value();
    const auto cluster = std::make_shared<const Cluster>(flat_cluster(64));
    for (const int virtual_stages : {1, 2}) {
      mesh::Question question;
      question.config = origin->config, question.cluster = cluster;
      question.layer.shard = {.tensor = 2, .sequence = true, .context = 2};
      question.layer.count.sequence = 4096, question.layer.count.micro_batch = 2;
      question.layer.vocabulary_multiple = 128;
      question.data = 2, question.pipeline = 2, question.virtual_stages = virtual_stages, question.micro_batches = 8;
      question.sharding.level = 1, question.training.hidden.pipeline = virtual_stages > 1;
      question.layer.recomputed.blocks = virtual_stages == 1;
      Plan plan = mesh::plan_of(question, profile);
      plan.name = "job", plan.planner = "hand";
      const auto text = study::engines::engine_text(study::engines::find_engine_output("nemo-recipe"),
                                                    {plan, profile, *cluster, &*origin});
      QVERIFY2(text, text ? "" : text.error().message.c_str());
      const EngineFolder folder;
      folder.write("planned.py", QByteArray::fromStdString(*text));
      const auto answer = folder.run(
          "/usr/bin/python3",
          {QStringLiteral(PIPEDECK_SOURCES "/tests/core/study/engines/stand_ins") + "/nemo_recipe.py", "planned.py"});
      QVERIFY2(answer.status == 0, answer.error + QByteArray::fromStdString(*text));
      const QList<QByteArray> rows = answer.out.split('\n');
      for (const char* row :
           {"recipe.trainer.devices 16", "recipe.trainer.num_nodes 1",
            "recipe.trainer.strategy.tensor_model_parallel_size 2",
            "recipe.trainer.strategy.pipeline_model_parallel_size 2", "recipe.trainer.strategy.context_parallel_size 2",
            "recipe.trainer.strategy.sequence_parallel True",
            virtual_stages > 1 ? "recipe.trainer.strategy.virtual_pipeline_model_parallel_size 2"
                               : "recipe.trainer.strategy.virtual_pipeline_model_parallel_size None",
            "recipe.trainer.strategy.ddp.use_distributed_optimizer True",
            "recipe.trainer.strategy.ddp.overlap_grad_reduce True", "recipe.data.seq_length 4096",
            "recipe.data.micro_batch_size 2", "recipe.data.global_batch_size 32",
            virtual_stages > 1 ? "recipe.model.config.recompute_granularity None"
                               : "recipe.model.config.recompute_granularity 'full'",
            "recipe.optim.config.use_distributed_optimizer True", "recipe.optim.config.main_grads_dtype 'float32'",
            "recipe.trainer.plugins.fp8 None", "recipe.trainer.plugins.grad_reduce_in_fp32 True",
            "overlap.overlap_param_gather True"})
        QVERIFY2(rows.contains(row), QByteArray(row) + '\n' + answer.out);
    }
  }

  /// Choices that no recipe has are named, and a layout is one of them.
  void what_no_recipe_has_is_refused() {
    const Profile profile = computed_profile_of("llama-3-8b");
    const auto origin = io::documents::origin_of(profile).value();
    const auto cluster = std::make_shared<const Cluster>(flat_cluster(8));
    mesh::Question question;
    question.config = origin->config, question.cluster = cluster;
    question.layer.count.sequence = 4096;
    question.pipeline = 4, question.data = 2, question.micro_batches = 8;
    question.training.hidden.pipeline = false;
    question.blocks = {6, 10, 9, 7};
    Plan plan = mesh::plan_of(question, profile);
    plan.name = "job", plan.planner = "hand";
    const auto text = study::engines::engine_text(study::engines::find_engine_output("nemo-recipe"),
                                                  {plan, profile, *cluster, &*origin});
    QVERIFY(!text);
    QVERIFY2(text.error().message.find("NeMo 2 has") != std::string::npos, text.error().message.c_str());
  }

  /// A user's own recipe: assignments are read, other lines are not, and devices are those of all nodes.
  void a_recipe_of_ones_own_is_read() {
    const auto job = io::jobs::job_from_nemo_recipe(
        "recipe = llm.llama3_8b.pretrain_recipe(num_nodes=2)\n"
        "recipe.trainer.num_nodes = 2\n"
        "recipe.trainer.devices = 8\n"
        "recipe.trainer.strategy.tensor_model_parallel_size = 4  # in a node\n"
        "recipe.trainer.strategy.sequence_parallel = True\n"
        "recipe.data.global_batch_size = 64\n"
        "recipe.data.micro_batch_size = 1\n"
        "recipe.trainer.max_steps = 100\n",
        "own");
    QVERIFY2(job, job ? "" : job.error().text().c_str());
    QCOMPARE(job->devices, 16);
    QCOMPARE(job->shard.tensor, 4);
    QVERIFY(job->shard.sequence);
    QCOMPARE(job->global_batch, 64);
    QCOMPARE(job->micro_batch, 1);
    const auto wrong =
        io::jobs::job_from_nemo_recipe("recipe.trainer.strategy.tensor_model_parallel_size = many\n", "");
    QVERIFY(!wrong);
    QVERIFY(
        !io::jobs::job_from_nemo_recipe("recipe.trainer.devices = 4000000\nrecipe.trainer.num_nodes = 4000000\n"
                                        "recipe.trainer.strategy.tensor_model_parallel_size = 1\n",
                                        ""));
  }
};

PIPEDECK_TEST(TestNemoRecipe)

}  // namespace pipedeck::tst_nemo_recipe

#include "tst_nemo_recipe.moc"
