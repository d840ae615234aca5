// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's dry run: the process that it starts, its arguments, and a log next to the prediction.
#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/rates.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/engines/dry_run.hpp"
#include "tests/core/study/engines/megatron_questions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_dry_run {

using mesh::Question;

/// Four pipeline ranks of two tensor and two data ranks.
Question question_of(const Profile& profile) {
  Question question;
  question.config = io::documents::origin_of(profile).value()->config;
  question.cluster = std::make_shared<const Cluster>(presets::cluster_preset("8x8-h100-sxm").value());
  question.layer.shard = {.tensor = 2, .sequence = true};
  question.layer.count.sequence = 4096;
  question.data = 2, question.pipeline = 4, question.micro_batches = 8;
  question.training.hidden.pipeline = false;
  question.sharding.level = 1;
  if (question.config.experts) question.layer.weighs_activation = true;
  return question;
}

class TestDryRun : public QObject {
  Q_OBJECT
 private slots:
  /// The fullest process has the prediction's peak, whatever the stages' blocks.
  void the_fullest_process() {
    const Profile profile = test::computed_profile_of("llama-3-8b");
    Question question = question_of(profile);
    const auto rates =
        mesh::rates_of(*question.cluster, question.devices(), presets::device_catalogue(), presets::efficiency())
            .value();
    for (const int fullest : {0, 1, 2, 3}) {
      question.blocks = {5, 5, 5, 5};
      question.blocks[static_cast<std::size_t>(fullest)] = 17;
      const auto found = study::engines::fullest_process(question);
      QVERIFY(found);
      QCOMPARE(found->process, fullest * 4);
      QCOMPARE(found->predicted, sim::step::predict_memory(question, rates)->peak);
    }
  }

  /// The script's job is the plan's, but for tokens that the flex dispatcher would move.
  void the_script() {
    const Profile profile = test::computed_profile_of("mixtral-8x7b");
    Question question = question_of(profile);
    question.layer.dispatcher = Dispatcher::flex;
    question.layer.shard.expert = 2;
    question.blocks = {9, 8, 8, 7};
    Plan plan = mesh::plan_of(question, profile);
    plan.name = "job", plan.planner = "hand";
    const auto origin = io::documents::origin_of(profile).value();
    const study::engines::EngineRequest request{plan, profile, *question.cluster, &*origin};
    const auto text = study::engines::engine_text(study::engines::find_engine_output("megatron-dry-run"), request);
    QVERIFY2(text, text ? "" : text.error().message.c_str());
    const auto fullest = study::engines::fullest_process(question);
    QVERIFY(text->find("export WORLD_SIZE=16 RANK=" + std::to_string(fullest->process) + " ") != std::string::npos);
    QVERIFY(text->find("--fake-process-group") != std::string::npos);
    const auto script = io::jobs::job_from_megatron(*text, "job");
    QVERIFY2(script, script ? "" : script.error().text().c_str());
    const auto whole = io::jobs::job_from_megatron(
        *study::engines::engine_text(study::engines::find_engine_output("megatron"), request), "job");
    QCOMPARE(script->blocks, question.blocks);
    QCOMPARE(script->shard, whole->shard);
    QCOMPARE(script->model->vocabulary, origin->config.vocabulary);
    QVERIFY(script->choices.layers.dispatcher == Dispatcher::all_to_all);
    QVERIFY(whole->choices.layers.dispatcher == Dispatcher::flex);
    QCOMPARE(script->share.left_out, std::vector<std::string>{"--fake-process-group"});
  }

  void a_log_next_to_the_prediction() {
    const Profile profile = test::computed_profile_of("llama-3-8b");
    Question question = question_of(profile);
    question.blocks = {8, 8, 8, 8};
    const std::vector<io::jobs::RankPeak> log{{0, 3e9}, {3, 4e9}, {12, 5e9}};
    const auto found = study::engines::next_to_log(question, log);
    QVERIFY(found);
    QCOMPARE(found->size(), std::size_t{3});
    QCOMPARE(found->at(0).predicted, found->at(1).predicted);  // of one pipeline rank
    QVERIFY(found->at(0).predicted.count != found->at(2).predicted.count);
    QCOMPARE(found->at(2).measured, Bytes(5'000'000'000));
    const auto fullest = study::engines::fullest_process(question);
    const std::vector<io::jobs::RankPeak> own{{fullest->process, 1e9}};
    QCOMPARE(study::engines::next_to_log(question, own)->front().predicted, fullest->predicted);
    const std::vector<io::jobs::RankPeak> other{{16, 1e9}};
    QVERIFY(!study::engines::next_to_log(question, other));
  }
};

PIPEDECK_TEST(TestDryRun)

}  // namespace pipedeck::tst_dry_run

#include "tst_dry_run.moc"
