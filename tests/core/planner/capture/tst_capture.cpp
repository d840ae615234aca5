// SPDX-License-Identifier: Apache-2.0
// CAPTURE's recommenders against an enumeration of their whole space.
#include <QtTest/QTest>

#include "core/planner/capture/gaussian_process.hpp"
#include "core/planner/capture/search.hpp"
#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/core/planner/capture/capture_enumeration.hpp"
#include "tests/core/planner/capture/capture_problems.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_capture {

using namespace pipedeck::test;

planner::PlannerOptions options_of(int seed, bool pipeline) {
  planner::PlannerOptions options;
  if (pipeline) options["pipeline-only"] = "true";
  if (seed % 4 == 0) options["ignore-memory"] = "true";
  if (seed % 5 == 0) options["paper-in-flight"] = "true";
  return options;
}

CaptureEnumeration enumeration_of(int seed, bool pipeline) {
  CaptureEnumeration all;
  all.evaluate.ignore_memory = seed % 4 == 0;
  all.evaluate.paper_in_flight = seed % 5 == 0;
  all.pipeline_only = pipeline;
  return all;
}

/// Returns the problem of this profile on alike devices, one sample per micro-batch.
Problem problem_of(Profile profile, int devices, int global_batch) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(devices));
  problem.workload.global_batch = global_batch;
  problem.workload.micro_batch = 1;
  return problem;
}

Result<planner::Ranking> answer(const Problem& problem, planner::PlannerOptions options,
                                const std::string& recommender = "exact", int top = 1) {
  options["recommender"] = recommender;
  planner::PlannerContext context;
  context.top = top;
  context.relax = false;
  return planner::run_planner(**planner::find_planner("capture"), problem, options, context);
}

/// Same objective, or none in both.
void same(const Result<planner::Ranking>& ranking, const std::optional<Plan>& expected) {
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY2(ranking->plans.empty() != expected.has_value(), expected ? "there is a plan" : "there is none");
  if (expected)
    QVERIFY2(*ranking->plans[0].objective->bytes == *expected->objective->bytes,
             qPrintable(QString("%1 (%2) against %3 (%4)")
                            .arg(ranking->plans[0].objective->bytes->count)
                            .arg(stage_shape_text(ranking->plans[0]).c_str())
                            .arg(expected->objective->bytes->count)
                            .arg(stage_shape_text(*expected).c_str())));
}

class TestCapture : public QObject {
  Q_OBJECT

 private slots:
  void pipelines_are_optimal_data();
  void pipelines_are_optimal();
  void hybrids_are_optimal_data();
  void hybrids_are_optimal();
  void pins_are_kept_data();
  void pins_are_kept();
  void bayes_is_near();
  void bayes_obeys_its_seed();
  void process_goes_through_its_points();
  void free_micro_batch_is_the_best_of_all();
  void certificates();
  void ties_are_quick();
  void answers_fit_in_simulation();
  void bayes_in_vain_names_the_exact_search();
  void text_names_the_items();
  void text_of_a_single_layer();
  void hurry_and_stop();
  void too_large();
  void contradictions();
  void large_pipelines_agree_with_the_relaxed_bound();
};

void seeds(int count) {
  QTest::addColumn<int>("seed");
  for (int seed = 0; seed < count; ++seed) QTest::addRow("%d", seed) << seed;
}

void TestCapture::pipelines_are_optimal_data() { seeds(random_problems()); }

void TestCapture::pipelines_are_optimal() {
  QFETCH(int, seed);
  const Problem problem = pipeline_problem(seed);
  const auto expected = enumerate_capture(problem, 2, enumeration_of(seed, true));
  const auto exact = answer(problem, options_of(seed, true), "exact", 50);
  same(exact, expected);
  const auto tried = answer(problem, options_of(seed, true), "bf", 50);
  same(tried, expected);
  if (exact->plans.empty()) return;
  const auto count = std::min(exact->plans.size(), tried->plans.size());
  QCOMPARE(exact->plans.size(), tried->plans.size());
  for (std::size_t i = 0; i < count; ++i) QVERIFY(exact->plans[i].stages == tried->plans[i].stages);
}

void TestCapture::hybrids_are_optimal_data() { seeds(random_problems()); }

void TestCapture::hybrids_are_optimal() {
  QFETCH(int, seed);
  const Problem problem = hybrid_problem(seed);
  const auto expected = enumerate_capture(problem, *problem.workload.micro_batch, enumeration_of(seed, false));
  same(answer(problem, options_of(seed, false)), expected);
  same(answer(problem, options_of(seed, false), "bf"), expected);
}

void TestCapture::pins_are_kept_data() { seeds(random_problems()); }

void TestCapture::pins_are_kept() {
  QFETCH(int, seed);
  Problem problem = seed % 2 ? hybrid_problem(seed) : pipeline_problem(seed);
  Random random(static_cast<std::uint64_t>(seed) + 5000);
  problem.pins = random_pins(random, problem);
  const bool pipeline = seed % 4 == 0;
  if (pipeline) problem.pins.replicas.reset();
  if (!check(problem.pins, *problem.profile, *problem.cluster)) return;
  if (problem.profile->layers.size() > 6 && !pipeline) return;  // too many to enumerate
  const int micro_batch = *problem.workload.micro_batch;
  const auto expected = enumerate_capture(problem, micro_batch, enumeration_of(seed, pipeline));
  same(answer(problem, options_of(seed, pipeline)), expected);
  same(answer(problem, options_of(seed, pipeline), "bf"), expected);
}

/// Never better than the optimum, rarely much worse.
void TestCapture::bayes_is_near() {
  int found = 0, optimal = 0;
  double worst = 1;
  for (int seed = 0; seed < random_problems(); ++seed)
    for (const bool pipeline : {true, false}) {
      const Problem problem = pipeline ? pipeline_problem(seed) : hybrid_problem(seed);
      const auto exact = answer(problem, options_of(seed, pipeline));
      const auto guessed = answer(problem, options_of(seed, pipeline), "bo");
      QVERIFY2(guessed.has_value(), guessed ? "" : guessed.error().text().c_str());
      if (exact->plans.empty()) QVERIFY(guessed->plans.empty());
      if (exact->plans.empty() || guessed->plans.empty()) continue;
      const auto least = static_cast<double>(exact->plans[0].objective->bytes->count);
      const double ratio = static_cast<double>(guessed->plans[0].objective->bytes->count) / least;
      QVERIFY(ratio >= 1);
      worst = std::max(worst, ratio);
      optimal += ratio == 1;
      ++found;
    }
  qInfo("%d of %d optimal, worst %.3f", optimal, found, worst);
  QVERIFY(found > random_problems() / 2);
  QVERIFY(optimal * 100 >= found * 95);
  QVERIFY(worst < 1.5);
}

void TestCapture::bayes_obeys_its_seed() {
  Random random(1);
  Problem problem = capture_problem(random, {.layers = 30, .devices = 8, .unlike = false, .tensor = true});
  problem.workload.global_batch = 16;
  problem.workload.micro_batch = 4;
  const auto with = [&](const char* seed, const char* evaluations) {
    return answer(problem, {{"seed", seed}, {"evaluations", evaluations}, {"ignore-memory", "true"}}, "bo")
        ->plans.at(0);
  };
  QVERIFY(with("7", "60") == with("7", "60"));
  QVERIFY(*with("7", "200").objective->bytes <= *with("7", "5").objective->bytes);
  bool differs = false;
  for (const char* seed : {"8", "9", "10"}) differs |= with(seed, "20").stages != with("7", "20").stages;
  QVERIFY(differs);
  QVERIFY(!with("7", "20").certificate->optimal_in.size());
}

void TestCapture::process_goes_through_its_points() {
  const planner::capture::GaussianProcess process({{0.0}, {1.0}, {2.0}}, {3, 5, 4}, 1);
  for (const auto& [x, y] : {std::pair{0.0, 3.0}, {1.0, 5.0}, {2.0, 4.0}}) {
    QVERIFY(std::abs(process.at({x}).mean - y) < 1e-3);
    QVERIFY(process.at({x}).deviation < 1e-2);
  }
  QVERIFY(process.at({1.5}).deviation > process.at({1.0}).deviation);
  QVERIFY(std::abs(process.at({50.0}).mean - 4) < 1e-6);  // far away: the values' mean and spread
  QVERIFY(std::abs(process.at({50.0}).deviation - std::sqrt(2.0 / 3)) < 1e-6);
}

void TestCapture::free_micro_batch_is_the_best_of_all() {
  for (int seed = 0; seed < 10; ++seed)
    for (const bool pipeline : {true, false}) {
      Problem problem = hybrid_problem(seed);
      problem.workload.global_batch = 12;
      std::optional<Bytes> least;
      for (const int size : {1, 2, 3, 4, 6, 12}) {
        problem.workload.micro_batch = size;
        const auto fixed = answer(problem, options_of(seed, pipeline));
        QVERIFY(fixed.has_value());
        if (fixed->plans.empty()) continue;
        least = least ? std::min(*least, *fixed->plans[0].objective->bytes) : *fixed->plans[0].objective->bytes;
      }
      problem.workload.micro_batch.reset();
      for (const int top : {1, 5}) {
        const auto free = answer(problem, options_of(seed, pipeline), "exact", top);
        QVERIFY2(free.has_value(), free ? "" : free.error().text().c_str());
        QCOMPARE(free->plans.empty(), !least.has_value());
        if (least) QCOMPARE(free->plans[0].objective->bytes->count, least->count);
      }
    }
}

void TestCapture::certificates() {
  const auto claim = [](const char* recommender, bool pipeline) {
    const auto ranking = answer(hybrid_problem(2), options_of(4, pipeline), recommender);
    return QString::fromStdString(ranking->plans.at(0).certificate->optimal_in);
  };
  QVERIFY(claim("exact", true).startsWith("pipelines of "));
  QVERIFY(claim("exact", false).contains("degrees of data and tensor parallelism"));
  QCOMPARE(claim("bf", false), claim("exact", false));
  QCOMPARE(claim("bo", false), QString());
}

/// Among plans of the least peak the answer is the quickest simulated one: never slower than the first one found.
void TestCapture::ties_are_quick() {
  for (int seed = 0; seed < 12; ++seed) {
    Problem problem = hybrid_problem(seed);
    problem.workload.global_batch = 12;
    problem.workload.micro_batch.reset();
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    planner::PlannerContext context;
    context.score = sim::score_of(simulator);
    const planner::PlannerInfo& capture = **planner::find_planner("capture");
    const auto judged = planner::run_planner(capture, problem, {}, context);
    context.top = 100;
    const auto all = planner::run_planner(capture, problem, {}, context);
    QVERIFY(judged.has_value() && all.has_value());
    if (judged->plans.empty()) continue;
    const auto time = [&](const Plan& plan) { return simulator.iteration_time(plan)->count; };
    QVERIFY(simulator.run(judged->plans[0])->fits);
    for (const Plan& plan : all->plans)
      if (*plan.objective->bytes == *judged->plans[0].objective->bytes)
        QVERIFY(time(judged->plans[0]) <= time(plan) * (1 + 1e-9));
  }
}

/// Plans that fit by the planner's estimate fit in simulation: uneven shares, split layers, different devices.
void TestCapture::answers_fit_in_simulation() {
  int answers = 0;
  for (int seed = 0; seed < random_problems(); ++seed)
    for (const bool pipeline : {true, false}) {
      const Problem problem = pipeline ? pipeline_problem(seed) : hybrid_problem(seed);
      const sim::Simulator simulator =
          *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
      planner::PlannerContext context;
      context.score = sim::score_of(simulator);
      context.top = 3;
      const planner::PlannerOptions options{{"pipeline-only", pipeline ? "true" : "false"}};
      const auto ranking = planner::run_planner(**planner::find_planner("capture"), problem, options, context);
      QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
      for (const Plan& plan : ranking->plans) {
        ++answers;
        QVERIFY2(simulator.run(plan)->fits, stage_shape_text(plan).c_str());
      }
    }
  QVERIFY(answers > random_problems());
}

/// Two predictions find no partition that fits if memory is scarce; the exact search does.
void TestCapture::bayes_in_vain_names_the_exact_search() {
  int told = 0;
  for (int seed = 0; seed < random_problems(); ++seed) {
    const Problem problem = pipeline_problem(seed);
    planner::PlannerContext context;
    const auto exact = answer(problem, {{"pipeline-only", "true"}});
    const auto few =
        planner::run_planner(**planner::find_planner("capture"), problem,
                             {{"pipeline-only", "true"}, {"recommender", "bo"}, {"evaluations", "2"}}, context);
    QVERIFY(exact.has_value() && few.has_value());
    if (!few->infeasible || exact->infeasible) continue;
    ++told;
    QVERIFY2(few->infeasible->relaxation.starts_with("--recommender exact"), few->infeasible->relaxation.c_str());
  }
  QVERIFY(told > 0);
}

void TestCapture::text_names_the_items() {
  Profile profile = test::uniform_profile(4, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) {
    layer.parameters = Bytes(std::int64_t{1} << 30);
    layer.saved = Bytes(std::int64_t{1} << 29);
    layer.workspace = Bytes(std::int64_t{1} << 28);
    layer.output = Bytes(std::int64_t{1} << 27);
  }
  const Problem problem = problem_of(std::move(profile), 2, 4);
  const auto ranking = answer(problem, {{"pipeline-only", "true"}});
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  const auto text = planner::objective_text(**planner::find_planner("capture"), problem, ranking->plans.at(0));
  QVERIFY(text.has_value());
  QCOMPARE(
      QString::fromStdString(*text),
      QString("highest peak 10.250 GiB on stage 0 of 2 (layers 0 to 1, 1 sample per replica) = weights 2.000 GiB + "
              "gradients 2.000 GiB + optimizer 4.000 GiB + activations of 2 micro-batches in flight 2.000 GiB + "
              "workspace 256 MiB. Its first layer alone on a device 5.250 GiB, added by the 1 behind it 5.000 GiB."));
  planner::evaluation::EvaluateOptions paper;
  paper.paper_in_flight = true;
  QVERIFY(planner::objective_text(**planner::find_planner("capture"), problem, ranking->plans[0], paper)
              ->find("of 1 micro-batch in flight") != std::string::npos);
}

/// One layer is no range, and none is behind it.
void TestCapture::text_of_a_single_layer() {
  const Problem problem = problem_of(test::uniform_profile(2, milliseconds(1), milliseconds(2)), 2, 4);
  const auto ranking = answer(problem, {{"pipeline-only", "true"}});
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  const auto text = planner::objective_text(**planner::find_planner("capture"), problem, ranking->plans.at(0));
  QVERIFY(text.has_value());
  QVERIFY2(text->find("(layer ") != std::string::npos && text->find("behind") == std::string::npos, text->c_str());
}

void TestCapture::hurry_and_stop() {
  const Problem problem = [] {
    Random random(2);
    Problem many = capture_problem(random, {.layers = 60, .devices = 16, .unlike = false, .tensor = true});
    many.workload.global_batch = 64;
    return many;
  }();
  std::stop_source asked;
  asked.request_stop();
  for (const char* recommender : {"exact", "bo"})
    for (const char* pipeline : {"true", "false"}) {
      planner::PlannerContext context;
      context.deadline_token = asked.get_token();
      const planner::PlannerOptions options{
          {"recommender", recommender}, {"pipeline-only", pipeline}, {"ignore-memory", "true"}};
      const auto hurried = planner::run_planner(**planner::find_planner("capture"), problem, options, context);
      QVERIFY2(hurried.has_value(), hurried ? "" : hurried.error().text().c_str());
      QVERIFY(hurried->plans.at(0).truncated);
      QVERIFY(hurried->plans[0].certificate->optimal_in.empty());
      context.stop = asked.get_token();
      QCOMPARE(planner::run_planner(**planner::find_planner("capture"), problem, options, context).error().code,
               ErrorCode::cancelled);
    }
}

void TestCapture::too_large() {
  const Problem problem = problem_of(test::uniform_profile(40000, milliseconds(1), milliseconds(2)), 20000, 20000);
  const auto ranking = answer(problem, {{"pipeline-only", "true"}});
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY(ranking->infeasible->reason.starts_with("too large: "));
  QCOMPARE(ranking->infeasible->relaxation, std::string("planner data-parallel can"));
}

void TestCapture::contradictions() {
  Problem problem = pipeline_problem(0);
  problem.pins.replicas = 1;
  QVERIFY(answer(problem, {{"pipeline-only", "true"}}).has_value());
  problem.pins.replicas = 2;
  if (devices_of(*problem.cluster).size() > 1)
    QCOMPARE(answer(problem, {{"pipeline-only", "true"}}).error().code, ErrorCode::bad_usage);
  QCOMPARE(answer(pipeline_problem(1), {{"evaluations", "0"}}, "bo").error().code, ErrorCode::bad_usage);
}

/// Without inputs and workspaces the relaxed problem is exact: the peak is within one layer of even shares.
void TestCapture::large_pipelines_agree_with_the_relaxed_bound() {
  Profile profile = test::uniform_profile(3000, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.parameters = Bytes(1000);
  const Problem problem = problem_of(std::move(profile), 700, 4);
  const auto ranking = answer(problem, {{"pipeline-only", "true"}});
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QCOMPARE(ranking->plans.at(0).objective->bytes->count, std::int64_t{5 * 4000});  // ceil(3000 / 700) layers
  QCOMPARE(ranking->plans[0].stages.size(), std::size_t{700});
}

PIPEDECK_TEST(TestCapture)

}  // namespace pipedeck::tst_capture

#include "tst_capture.moc"
