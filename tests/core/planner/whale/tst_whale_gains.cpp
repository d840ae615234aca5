// SPDX-License-Identifier: Apache-2.0
// Whale's gains over the even split, section 5.2 of its paper.
#include <QtTest/QTest>

#include "core/analytic/transformer/shapes.hpp"
#include "core/io/importers.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/presets.hpp"
#include "tests/core/planner/whale/whale_problems.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_whale_gains {

using namespace pipedeck::test::whale;

/// BERT-Large: the first 24 blocks of the preset.
Profile bert_large() {
  Profile profile = *presets::profile_preset("BERT-48");
  std::erase_if(profile.layers, [](const Layer& layer) {
    return layer.name.starts_with("block_") && std::stoi(layer.name.substr(6)) >= 24;
  });
  profile.name = "BERT-Large";
  return profile;
}

/// Returns T5-Large (Raffel et al., JMLR 2020: 24 + 24 blocks, hidden 1024, feed-forward 4096, vocabulary 32,128) with
/// sequences of 512. A decoder's attention to the encoder, of as many weights, is in its feed-forward part.
Profile t5_large() {
  ModelSpec model;
  model.name = "T5-Large";
  const auto add = [&](const std::string& name, const std::string& kind, std::map<std::string, std::int64_t> sizes) {
    sizes["sequence"] = 512;
    model.layers.push_back({name, kind, std::move(sizes)});
  };
  add("embedding", "embedding", {{"vocabulary", 32128}, {"hidden", 1024}});
  for (int i = 0; i < 48; ++i)
    add((i < 24 ? "encoder_" : "decoder_") + std::to_string(i % 24), "transformer",
        {{"hidden", 1024}, {"heads", 16}, {"feed_forward", i < 24 ? 4096 : 6144}, {"causal", i < 24 ? 0 : 1}});
  add("head", "linear", {{"in", 1024}, {"out", 32128}, {"activation", 0}});
  return *analytic::transformer::profile_from_shapes(model,
                                                     {"V100-32GB", 0.65 * 15.7e12, gigabytes_per_second(0.8 * 900)}, 2);
}

Problem on_preset(Profile profile, const std::string& cluster, int global_batch) {
  Problem problem{std::make_shared<const Profile>(std::move(profile)),
                  std::make_shared<const Cluster>(*presets::cluster_preset(cluster)),
                  {}};
  problem.workload.global_batch = global_batch;
  return problem;
}

/// How much sooner an iteration ends than with the even split.
double gain(const Problem& problem, planner::PlannerOptions options, const char* what) {
  const auto aware = answer(problem, options);
  options["balance"] = "even";
  const auto even = answer(problem, options);
  if (!aware || aware->plans.empty() || !even || even->plans.empty()) return 0;
  const double x = simulated(problem, aware->plans[0]).count, y = simulated(problem, even->plans[0]).count;
  qInfo("%s: %.1f ms (%s, %s), even split %.1f ms (%s): %.3f", what, x * 1e3, aware->plans[0].name.c_str(),
        stage_shape_text(aware->plans[0]).c_str(), y * 1e3, stage_shape_text(even->plans[0]).c_str(), y / x);
  return y / x;
}

class TestWhaleGains : public QObject {
  Q_OBJECT

 private slots:
  void even_split_is_the_baseline();
  void gains_of_data_parallelism();
  void gains_of_pipelines();
  void gains_of_gnmt();
};

/// Equal shares, and layers partitioned as if all devices were equal.
void TestWhaleGains::even_split_is_the_baseline() {
  Profile profile = test::uniform_profile(8, milliseconds(1), milliseconds(2));
  Problem problem{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(test::flat_cluster(4)), {}};
  problem = unlike(problem, 2, 2, 0.5, Bytes(std::int64_t{1} << 40), Bytes(std::int64_t{1} << 40));
  problem.workload.global_batch = 16;
  const planner::PlannerOptions pipeline{{"strategy", "pipeline"}, {"task-graphs", "4"}};
  planner::PlannerOptions even = pipeline;
  even["balance"] = "even";
  const auto lengths = [](const Plan& plan) {
    std::vector<int> list;
    for (const Stage& stage : plan.stages) list.push_back(stage.last - stage.first);
    return list;
  };
  QVERIFY(lengths(answer(problem, even)->plans[0]) == (std::vector<int>{2, 2, 2, 2}));
  // Two layers on the fast ones for each on the slow ones: 3 + 3 + 1 + 1 is balanced, 2 + 2 + 2 + 2 is slower.
  QCOMPARE(answer(problem, pipeline)->plans[0].objective->time->count * 1e3, 16 * 9.0);
  QCOMPARE(answer(problem, even)->plans[0].objective->time->count * 1e3, 16 * 12.0);
}

/// Figure 17: 1.3 to 1.4 on 8 V100 and 8 P100. Peak FLOP/s allow at most 1.24 (P100 SXM2) to 1.34 (PCIe).
void TestWhaleGains::gains_of_data_parallelism() {
  const planner::PlannerOptions replicate{{"strategy", "replicate"}};
  const double resnet =
      gain(on_preset(*presets::profile_preset("ResNet-50"), "whale-dp", 1024), replicate, "ResNet-50, 8 + 8");
  QVERIFY2(resnet >= 1.28 && resnet <= 1.35, qPrintable(QString::number(resnet)));
  Problem bert = on_preset(bert_large(), "whale-dp", 256);
  const double large = gain(bert, replicate, "BERT-Large, 8 + 8");
  QVERIFY2(large >= 1.28 && large <= 1.35, qPrintable(QString::number(large)));
}

/// Figure 18: about 1.2 on 4 V100 and 4 P100, 4 stages.
void TestWhaleGains::gains_of_pipelines() {
  const planner::PlannerOptions four{{"strategy", "pipeline"}, {"task-graphs", "4"}};
  const double gained = gain(on_preset(bert_large(), "whale-pipe", 64), four, "BERT-Large, 4 + 4");
  QVERIFY2(gained >= 1.15 && gained <= 1.35, qPrintable(QString::number(gained)));
  const double t5 = gain(on_preset(t5_large(), "whale-pipe", 64), four, "T5-Large, 4 + 4");
  QVERIFY2(t5 >= 1.15 && t5 <= 1.35, qPrintable(QString::number(t5)));
}

void TestWhaleGains::gains_of_gnmt() {
  if (test::shared_data().empty()) QSKIP("the measured profiles are not here");
  auto profile = io::read_profile(test::shared_data() + "/dapple/gnmt-16-pbs-64.txt", {.profile_micro_batch = 64});
  QVERIFY(profile.has_value());
  profile->device = "V100-32GB";
  const double gained = gain(on_preset(*profile, "whale-dp", 2048), {{"strategy", "replicate"}}, "GNMT-16, 8 + 8");
  QVERIFY2(gained >= 1.28 && gained <= 1.4, qPrintable(QString::number(gained)));
}

PIPEDECK_TEST(TestWhaleGains)

}  // namespace pipedeck::tst_whale_gains

#include "tst_whale_gains.moc"
