// SPDX-License-Identifier: Apache-2.0
// The plain choices next to which answers stand, against loops over what their rules allow.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/analytic/analytic_profile.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plain_choices {

constexpr double never = std::numeric_limits<double>::infinity();

Problem problem_of(const TransformerConfig& config, const std::string& cluster, int batch) {
  const AnalyticOptions options{.sequence = 2048};
  const DeviceModel device = *presets::catalogue_device("H100-SXM");
  auto computed = analytic::analytic_profile({config, {}}, device, options);
  if (!computed) qFatal("%s", computed.error().text().c_str());
  Problem problem;
  problem.profile = std::make_shared<const Profile>(
      io::documents::with_origin(std::move(computed->profile), {config, device.type.name, options}));
  problem.cluster = std::make_shared<const Cluster>(presets::open_cluster(cluster).value());
  problem.workload.global_batch = batch;
  problem.workload.precision = Precision::mixed_18;
  return problem;
}

planner::Ranking ranking_of(const Problem& problem, const std::string& planner) {
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(*simulator);
  context.fits = sim::fits_of(*simulator);
  auto ranking = planner::run_planner(**planner::find_planner(planner), problem, {}, context);
  if (!ranking) qFatal("%s", ranking.error().text().c_str());
  return *std::move(ranking);
}

/// The best of a rule's steps: its least time with room, and the least bytes of any.
struct Best {
  double time = never, least = never;
};

/// Returns the best of all micro-batches, with blocks recomputed or not.
Best best_of(mesh::Question question, const mesh::Rates& rates, int batch, const std::vector<bool>& recomputed) {
  Best best;
  for (const bool again : recomputed)
    for (int b = 1; b * question.data <= batch; ++b) {
      if (batch % (b * question.data) != 0) continue;
      question.layer.count.micro_batch = b, question.micro_batches = batch / (b * question.data);
      question.layer.recomputed = {.blocks = again};
      const auto step = sim::step::predict_step(question, rates);
      if (!step) qFatal("%s", step.error().text().c_str());
      best.least = std::min(best.least, static_cast<double>(step->needed.count));
      if (step->fits) best.time = std::min(best.time, step->iteration.count);
    }
  return best;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

class TestPlainChoices : public QObject {
  Q_OBJECT

  struct Asked {
    Problem problem;
    mesh::Question base;  ///< of one device, with the choices of the engine
    mesh::Rates rates;
    int devices = 1;
  };

  static Asked asked(const TransformerConfig& config, const std::string& cluster, int batch) {
    Asked made{problem_of(config, cluster, batch), {}, {}, 1};
    const Plan any = ranking_of(made.problem, "mesh").plans.front();
    made.base = mesh::question_of(any, *made.problem.profile, made.problem.cluster).value();
    made.base.layer.shard = {}, made.base.blocks.clear();
    made.base.pipeline = made.base.virtual_stages = 1;
    made.base.training.hidden.pipeline = false;
    made.base.sharding.level = made.base.sharding.group = 0;
    made.devices = static_cast<int>(devices_of(*made.problem.cluster).size());
    made.base.data = made.devices;
    made.rates =
        mesh::rates_of(*made.problem.cluster, made.devices, presets::device_catalogue(), presets::efficiency()).value();
    return made;
  }

  /// Checks the answer of a rule whose best step has this time, or which has no step with room.
  static void check(const Asked& asked, const std::string& planner, const Best& best) {
    const auto ranking = ranking_of(asked.problem, planner);
    QCOMPARE(ranking.plans.empty(), std::isinf(best.time));
    if (ranking.plans.empty()) {
      const auto device = static_cast<double>(asked.rates.type.memory.count);
      const std::string needs = fmt::format("needs at least {:.1f} of {:.1f} GiB",
                                            (best.least + (1 - mesh::usable_share) * device) / 0x1p30, device / 0x1p30);
      QVERIFY2(has(ranking.infeasible->reason, needs), (ranking.infeasible->reason + " without " + needs).c_str());
      QVERIFY(has(ranking.infeasible->relaxation, "GiB more memory on every device"));
      return;
    }
    const Plan& plan = ranking.plans.front();
    QCOMPARE(plan.planner, planner);
    QVERIFY2(std::abs(plan.objective->time->count - best.time) <= 1e-9 * best.time,
             fmt::format("{}: {} against {}", planner, plan.objective->time->count, best.time).c_str());
    QVERIFY(plan.name.starts_with(planner::find_planner(planner).value()->title));
    QVERIFY(!plan.rationale.empty());
  }

 private slots:
  void all_choices_data() {
    QTest::addColumn<int>("model");
    QTest::addColumn<int>("tensor_pipeline");  // of megatron-usual
    QTest::newRow("0.5B: one device has room") << 0 << 1;
    QTest::newRow("7B: with sharded states") << 1 << 1;
    QTest::newRow("34B: with tensor ranks") << 2 << 8;
    QTest::newRow("70B on little memory: with pipelines") << 3 << 32;
  }
  void all_choices() {
    QFETCH(int, model);
    QFETCH(int, tensor_pipeline);
    const Asked one = model == 0   ? asked(test::llama(2048, 8, 16, 16, 5504, 32000), "preset:2x8-h100-sxm", 32)
                      : model == 1 ? asked(test::llama(4096, 32, 32, 32, 11008, 32000), "preset:2x8-h100-sxm", 64)
                      : model == 2 ? asked(test::llama(8192, 40, 64, 8, 28672, 32000), "preset:2x8-h100-sxm", 64)
                                   : asked(test::llama(8192, 160, 64, 8, 28672, 32000), "preset:8x8-h100-sxm", 64);
    const int batch = one.problem.workload.global_batch;
    check(one, "ddp", best_of(one.base, one.rates, batch, {false, true}));
    mesh::Question sharded = one.base;
    sharded.sharding.level = 3;
    check(one, "fsdp", best_of(sharded, one.rates, batch, {false, true}));

    // The first T P in the order of the rule with room for a micro-batch.
    Best usual;
    int degrees = 0;
    for (const bool again : {false, true})
      for (int product = 1; product <= one.devices && std::isinf(usual.time); product *= 2) {
        mesh::Question question = one.base;
        question.layer.shard.tensor = std::min(8, product), question.layer.shard.sequence = product > 1;
        question.pipeline = product / question.layer.shard.tensor, question.data = one.devices / product;
        question.sharding.level = 1;
        const Best found = best_of(question, one.rates, batch, {again});
        usual.time = found.time, usual.least = std::min(usual.least, found.least), degrees = product;
      }
    check(one, "megatron-usual", usual);
    QCOMPARE(degrees, tensor_pipeline);
    const auto ranking = ranking_of(one.problem, "megatron-usual");
    const auto found = mesh::question_of(ranking.plans.front(), *one.problem.profile, one.problem.cluster).value();
    QCOMPARE(found.shard().tensor * found.pipeline, degrees);
    QCOMPARE(found.sharding.level, 1);
  }

  /// A mesh is never slower than a plain choice: all of them are meshes.
  void mesh_is_no_slower() {
    const Problem problem = problem_of(test::llama(2048, 8, 16, 16, 5504, 32000), "preset:2x8-h100-sxm", 32);
    const Seconds best = *ranking_of(problem, "mesh").plans.front().objective->time;
    for (const char* plain : {"ddp", "fsdp", "megatron-usual"})
      QVERIFY(best.count <= ranking_of(problem, plain).plans.front().objective->time->count * (1 + 1e-9));
  }

  void answers_without_a_plan_have_a_reason() {
    test::Random random(3);
    const Problem other = test::random_problem(random, {.layers = 4, .nodes = {2}});
    Problem zero = problem_of(test::llama(2048, 8, 16, 16, 5504, 32000), "preset:8-h100-sxm", 32);
    Problem odd = zero, pinned = zero;
    zero.workload.zero = 2, odd.workload.global_batch = 3, pinned.pins.tensor_parallel = 2;
    for (const char* plain : {"ddp", "fsdp", "megatron-usual"}) {
      QVERIFY(has(ranking_of(other, plain).infeasible->reason, "were not computed from one"));
      QVERIFY(has(ranking_of(zero, plain).infeasible->reason, "--zero 2 was asked"));
    }
    QCOMPARE(ranking_of(odd, "ddp").infeasible->reason,
             std::string("a global batch of 3 samples is no multiple of 8 devices"));
    QCOMPARE(ranking_of(odd, "ddp").infeasible->relaxation, std::string("a global batch of 8"));
    QVERIFY(has(ranking_of(pinned, "fsdp").infeasible->reason, "keep the pins"));
    QCOMPARE(ranking_of(pinned, "megatron-usual").plans.front().stages.front().tensor_parallel, 2);
  }
};

PIPEDECK_TEST(TestPlainChoices)

}  // namespace pipedeck::tst_plain_choices

#include "tst_plain_choices.moc"
