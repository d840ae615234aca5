// SPDX-License-Identifier: Apache-2.0
// The largest that fits against looking at every size; models made larger.
#include <QtTest/QTest>

#include <algorithm>

#include "core/plan/validate.hpp"
#include "core/study/capacity/size_candidates.hpp"
#include "core/study/capacity/sweep.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_largest {

using pipedeck::test::Random;

constexpr std::int64_t mebi = std::int64_t{1} << 20;

/// Equal layers of 10 MiB of weights, on two nodes of two devices.
study::capacity::Request layered(Bytes memory) {
  study::capacity::Request question;
  Profile profile = test::uniform_profile(3, Seconds(0.01), Seconds(0.02));
  for (Layer& layer : profile.layers) {
    layer.kind = "block";
    layer.parameters = Bytes(10 * mebi);
    layer.saved = Bytes(4 * mebi);
    layer.output = Bytes(mebi);
  }
  Random random(1);
  question.problem = test::random_problem(random, {.nodes = {2, 2}, .memory = memory});
  profile.device = question.problem.cluster->device_types.front().name;
  question.problem.profile = std::make_shared<const Profile>(std::move(profile));
  return question;
}

TransformerConfig small_transformer() {
  TransformerConfig config;
  config.name = "small", config.family = "gpt2";
  config.hidden = 512, config.layers = 4, config.feed_forward = 2048;
  config.heads = 8, config.key_value_heads = 2, config.head_width = 64;
  config.vocabulary = 1000, config.positions = config.longest = 512;
  return config;
}

class TestLargest : public QObject {
  Q_OBJECT

 private slots:
  void layers_by_looking_at_each();
  void infeasible_by_memory();
  void everything_fits();
  void states_alone_are_a_proof();
  void batches();
  void a_stop_cancels();
  void sizes();
  void profiles_with_more_layers();
  void profiles_without_a_row_are_refused();
  void transformers_in_proportion();
  void measured_profiles_have_no_hidden_size();
};

void TestLargest::layers_by_looking_at_each() {
  for (const std::int64_t memory : {300, 500, 650}) {
    const study::capacity::Request question = layered(Bytes(memory * mebi));
    const CapacityPoint point{"", 2, 8, 1};
    const auto ladder =
        study::capacity::size_candidates(question, point, study::capacity::SizeKind::layers, {1, 60}, {});
    QVERIFY(ladder);
    std::vector<bool> fits;
    for (const std::int64_t size : ladder->sizes)
      fits.push_back(
          study::capacity::find_capacity(*ladder->make_problem(size), point, study::capacity::capacity_planners())
              ->fits());
    QVERIFY(std::ranges::is_sorted(fits, std::greater()));  // else there is no one answer to compare with
    const auto answer = study::capacity::find_largest(*ladder, point, study::capacity::capacity_planners(), {});
    QVERIFY(answer && answer->size && answer->next);
    QCOMPARE(*answer->size, std::ranges::count(fits, true));
    QCOMPARE(*answer->next, *answer->size + 1);
    QVERIFY(answer->found->fits() && !answer->next_found->fits());
    QVERIFY(missing_memory(*answer->next_found).count > 0);
    QVERIFY(std::ranges::count(answer->tried, study::capacity::SizeTrial{*answer->next, false}) == 1);
    QVERIFY(answer->tried.size() < 15);
    QCOMPARE(ladder->make_problem(7)->profile->layers.size(), std::size_t{7});
  }
}

void TestLargest::infeasible_by_memory() {
  const study::capacity::Request question = layered(Bytes(10 * mebi));
  const CapacityPoint point{"", 2, 8, 1};
  const auto answer = study::capacity::find_largest(
      *study::capacity::size_candidates(question, point, study::capacity::SizeKind::layers, {}, {}), point,
      study::capacity::capacity_planners(), {});
  QVERIFY(answer && !answer->size && !answer->found);
  QCOMPARE(*answer->next, std::int64_t{1});
  QVERIFY(!answer->next_found->fits());
}

void TestLargest::everything_fits() {
  const study::capacity::Request question = layered(Bytes(std::int64_t{1} << 40));
  const CapacityPoint point{"", 2, 8, 1};
  const auto answer = study::capacity::find_largest(
      *study::capacity::size_candidates(question, point, study::capacity::SizeKind::layers, {2, 11}, {}), point,
      study::capacity::capacity_planners(), {});
  QCOMPARE(*answer->size, std::int64_t{10});
  QVERIFY(!answer->next);
  QCOMPARE(answer->proof, study::capacity::LargestProof::limit_reached);
}

/// 4 x 40 MiB (weights, gradients, Adam) a layer: 12 layers are 1.9 GiB, whatever the plan.
void TestLargest::states_alone_are_a_proof() {
  const study::capacity::Request question = layered(Bytes(450 * mebi));
  const CapacityPoint point{"", 2, 8, 1};
  const auto coarse = study::capacity::find_largest(
      *study::capacity::size_candidates(question, point, study::capacity::SizeKind::layers, {100, 1000}, {}), point,
      study::capacity::capacity_planners(), {});
  QVERIFY(!coarse->size);
  QCOMPARE(coarse->proof, study::capacity::LargestProof::states_exceed_memory);
  QCOMPARE(coarse->next_states.count, 100 * 4 * 10 * mebi);
  QCOMPARE(coarse->devices_hold.count, 4 * 450 * mebi);
}

void TestLargest::batches() {
  const study::capacity::Request question = layered(Bytes(150 * mebi));
  const CapacityPoint point{"", 2, 48, 0};
  const auto micro = study::capacity::size_candidates(question, point, study::capacity::SizeKind::micro_batch, {}, {});
  QCOMPARE(micro->sizes, (std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 12, 16, 24, 48}));
  const auto answer = study::capacity::find_largest(*micro, point, study::capacity::capacity_planners(), {});
  QVERIFY(answer->size && answer->next);
  QCOMPARE(answer->found->plan->plan->micro_batch, static_cast<int>(*answer->size));
  QCOMPARE(answer->found->point.micro_batch, static_cast<int>(*answer->size));
  const auto global =
      study::capacity::size_candidates(question, {"", 2, 48, 4}, study::capacity::SizeKind::global_batch, {0, 41}, {});
  QCOMPARE(global->sizes, (std::vector<std::int64_t>{4, 8, 12, 16, 20, 24, 28, 32, 36, 40}));
  QCOMPARE(global->make_problem(12)->workload.global_batch, 12);
}

void TestLargest::a_stop_cancels() {
  std::stop_source stop;
  stop.request_stop();
  const CapacityPoint point{"", 2, 8, 1};
  const auto answer = study::capacity::find_largest(
      *study::capacity::size_candidates(layered(Bytes(mebi)), point, study::capacity::SizeKind::layers, {}, {}), point,
      study::capacity::capacity_planners(), {.stop = stop.get_token()});
  QVERIFY(!answer);
  QCOMPARE(answer.error().code, ErrorCode::cancelled);
}

void TestLargest::sizes() {
  QCOMPARE(study::capacity::sizes_by_step(3, 10), (std::vector<std::int64_t>{3, 6, 9}));
  QCOMPARE(study::capacity::divisors(36), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  for (const study::capacity::SizeKind kind :
       {study::capacity::SizeKind::layers, study::capacity::SizeKind::hidden, study::capacity::SizeKind::sequence,
        study::capacity::SizeKind::micro_batch, study::capacity::SizeKind::global_batch})
    QCOMPARE(*study::capacity::parse_size_kind(study::capacity::name_of(kind)), kind);
  QVERIFY(!study::capacity::parse_size_kind("width"));
  const auto none = study::capacity::size_candidates(layered(Bytes(mebi)), {"", 1, 8, 0},
                                                     study::capacity::SizeKind::layers, {10, 5}, {});
  QVERIFY(!none);
  QCOMPARE(none.error().code, ErrorCode::bad_usage);
}

void TestLargest::profiles_with_more_layers() {
  Profile profile = test::uniform_profile(5, Seconds(1), Seconds(2));
  profile.layers[0].kind = "embedding";
  for (std::size_t i = 1; i < 4; ++i) profile.layers[i].kind = "block";
  profile.layers[4].kind = "head";
  QCOMPARE(study::capacity::longest_run(profile), (study::capacity::LayerRun{1, 3}));
  for (const int count : {1, 2, 3, 4, 9}) {
    const auto resized = study::capacity::with_layers(profile, count);
    QVERIFY(resized);
    QVERIFY(plan::validate(*resized));
    QCOMPARE(resized->layers.size(), static_cast<std::size_t>(count + 2));
    QCOMPARE(resized->layers.front().kind, std::string("embedding"));
    QCOMPARE(resized->layers.back().kind, std::string("head"));
    QCOMPARE(std::ranges::count(resized->layers, "block", &Layer::kind), count);
  }
  QCOMPARE(*study::capacity::with_layers(profile, 3), profile);
}

void TestLargest::profiles_without_a_row_are_refused() {
  Profile profile = test::uniform_profile(3, Seconds(1), Seconds(2));
  for (Layer& layer : profile.layers) layer.kind = layer.name;
  const auto resized = study::capacity::with_layers(profile, 4);
  QVERIFY(!resized);
  QCOMPARE(resized.error().code, ErrorCode::bad_usage);
}

void TestLargest::transformers_in_proportion() {
  const TransformerConfig config = small_transformer();
  QCOMPARE(study::capacity::hidden_step(config), std::int64_t{256});
  const TransformerConfig wide = study::capacity::with_hidden(config, 768);
  QCOMPARE(wide.heads, 12);
  QCOMPARE(wide.key_value_heads, 3);
  QCOMPARE(wide.feed_forward, 3072);
  QCOMPARE(wide.head_width, 64);
  QCOMPARE(study::capacity::with_layers(config, 9).layers, 9);
  QCOMPARE(study::capacity::with_sequence(config, 2048).positions, 2048);
  QCOMPARE(study::capacity::with_sequence(config, 128).positions, 512);
  QCOMPARE(study::capacity::with_hidden(config, config.hidden), config);
  TransformerConfig experts = config;
  experts.experts = Experts{.count = 8, .per_token = 2, .feed_forward = 100, .dense = {0, 3}};
  QCOMPARE(study::capacity::with_layers(experts, 2).experts->dense, std::vector<int>{0});
  QCOMPARE(study::capacity::with_hidden(experts, 1024).experts->feed_forward, 200);
}

void TestLargest::measured_profiles_have_no_hidden_size() {
  for (const study::capacity::SizeKind kind :
       {study::capacity::SizeKind::hidden, study::capacity::SizeKind::sequence}) {
    const auto ladder = study::capacity::size_candidates(layered(Bytes(mebi)), {"", 1, 8, 0}, kind, {}, {});
    QVERIFY(!ladder);
    QCOMPARE(ladder.error().code, ErrorCode::bad_usage);
    QVERIFY(ladder.error().message.find("config.json") != std::string::npos);
  }
}

PIPEDECK_TEST(TestLargest)

}  // namespace pipedeck::tst_largest

#include "tst_largest.moc"
