// SPDX-License-Identifier: Apache-2.0
// Biases that balance the load of experts without a loss (DeepSeek-V3, arXiv 2412.19437, section 2.1.2): each step
// moves them as a plain program does, on every mesh alike.
#include <QTest>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/layers/published_tensors.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/evaluate.hpp"
#include "tests/core/runtime/random_plans.hpp"
#include "tests/core/runtime/reference.hpp"
#include "tests/core/runtime/reference_experts.hpp"
#include "tests/core/runtime/train/meshes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_balanced_experts {

using namespace pipedeck::test;

constexpr std::int64_t rate = 10'000;  // 0.01

ModelSpec balanced_model(const std::map<std::string, std::int64_t>& more = {}) {
  ModelSpec model = small_mixtral(1, 8, 8, 10);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "experts") {
      layer.sizes["auxiliary_loss_permille"] = 0, layer.sizes["bias_rate_millionths"] = rate;
      for (const auto& [size, value] : more) layer.sizes[size] = value;
    }
  return model;
}

Plan plan_with(const ModelSpec& model, const Mesh& mesh, int level = 0) {
  Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(mesh.stages), mesh.devices()), 4, 4);
  shard(plan, mesh);
  plan.sharding.level = level;
  return plan;
}

class TestBalancedExperts : public QObject {
  Q_OBJECT
 private slots:
  void biases_follow_the_closed_form_data();
  void biases_follow_the_closed_form();
  void meshes_equal_one_device_data();
  void meshes_equal_one_device();
  void another_mesh_goes_on_the_same();
  void an_evaluation_chooses_by_the_biases();
  void published_models_have_none();
  void wrong_groups_are_refused();
};

/// Returns the number of choices of each expert among the tokens of some samples, by scores and biases.
std::vector<int> loads(const ModelSpec& model, const std::vector<Vector>& p, const Vector& biases, std::uint64_t first,
                       int samples) {
  const ModelLayer& layer = model.layers[1];
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  const std::size_t h = size("hidden"), e = size("experts");
  const auto source = runtime::data::make_source(model).value();
  std::vector<float> tokens(size("sequence"));
  std::vector<int> counts(e);
  for (int sample = 0; sample < samples; ++sample) {
    source->input(first + static_cast<std::uint64_t>(sample), tokens);
    const Vector x = reference_embedding(model.layers[0], {tokens.begin(), tokens.end()}, p[0]);
    const Vector normal = DecoderReference(layer, p[1]).norm(x, h, 0);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      Vector score(e);
      double sum = 0;
      for (std::size_t i = 0; i < e; ++i) {
        double logit = 0;
        for (std::size_t c = 0; c < h; ++c) logit += normal[row * h + c] * p[1][h + c * e + i];
        score[i] = size("sigmoid") == 1 ? 1 / (1 + std::exp(-logit)) : std::exp(logit);
        sum += score[i];
      }
      std::vector<std::size_t> order(e);
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = 0; i < e; ++i) score[i] = score[i] / (size("sigmoid") == 1 ? 1 : sum) + biases[i];
      const std::vector<bool> open = experts_of_best_groups(layer, score, true);
      std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return open[a] == open[b] ? score[a] > score[b] : static_cast<bool>(open[a]);
      });
      for (std::size_t j = 0; j < size("per_token"); ++j) ++counts[order[j]];
    }
  }
  return counts;
}

void TestBalancedExperts::biases_follow_the_closed_form_data() {
  QTest::addColumn<bool>("sigmoid");
  QTest::addColumn<int>("groups");
  QTest::newRow("softmax") << false << 1;
  QTest::newRow("sigmoid") << true << 1;
  QTest::newRow("sigmoid, two of three groups") << true << 3;
}

/// b(i) falls by the rate if the load of expert i is above the mean, rises if it is below (arXiv 2412.19437, section
/// 2.1.2). All other weights hardly move, so that the loads follow from the biases alone.
void TestBalancedExperts::biases_follow_the_closed_form() {
  QFETCH(bool, sigmoid);
  QFETCH(int, groups);
  constexpr std::int64_t slow = 1'000;  // of differences of scores
  ModelSpec spec = balanced_model({{"experts", groups == 1 ? 5 : 6},
                                   {"sigmoid", sigmoid ? 1 : 0},
                                   {"bias_rate_millionths", slow},
                                   {"groups", groups},
                                   {"groups_per_token", std::min(groups, 2)}});
  spec.layers.erase(spec.layers.begin() + 1);  // experts behind the embedding
  spec.learning_rate = 1e-12;
  Plan plan = plan_with(spec, {.data = 2});
  plan.optimizer = Optimizer::sgd;
  const auto trained = [&](int steps) {
    return runtime::train_on_cpu(spec, plan, built(plan), options_for(steps), {}).value().layers;
  };
  std::vector<Vector> parameters;
  for (const std::vector<float>& layer : trained(0)) parameters.emplace_back(layer.begin(), layer.end());
  const std::size_t h = 8, e = groups == 1 ? 5 : 6, at = h + h * e;
  Vector biases(e);
  double first = 0, last = 0;
  constexpr int steps = 16;
  for (int step = 0; step < steps; ++step) {
    const auto counts =
        loads(spec, parameters, biases, static_cast<std::uint64_t>(step * plan.global_batch), plan.global_batch);
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    last = static_cast<double>(std::ranges::max(counts)) * static_cast<double>(e) / all;
    if (step == 0) first = last;
    for (std::size_t i = 0; i < e; ++i) {
      const int excess = counts[i] * static_cast<int>(e) - all;
      biases[i] -= 1e-6 * slow * (excess > 0 ? 1 : excess < 0 ? -1 : 0);
    }
    const std::vector<float> found = trained(step + 1)[1];
    for (std::size_t i = 0; i < e; ++i)
      QVERIFY2(std::abs(double(found[at + i]) - biases[i]) < 1e-6,
               qPrintable(
                   QString("step %1, expert %2: %3, expected %4").arg(step).arg(i).arg(found[at + i]).arg(biases[i])));
  }
  QVERIFY2(last < first, qPrintable(QString("%1, then %2").arg(first).arg(last)));
}

void TestBalancedExperts::meshes_equal_one_device_data() {
  QTest::addColumn<Mesh>("mesh");
  for (const Mesh& mesh : std::vector<Mesh>{{.data = 2},
                                            {.tensor = 2},
                                            {.tensor = 2, .tokens = true},
                                            {.context = 2},
                                            {.stages = 2, .data = 2},
                                            {.data = 2, .expert = 2},
                                            {.data = 2, .expert_tensor = 2},
                                            {.tensor = 2, .expert = 2},
                                            {.tensor = 2, .expert = 2, .tokens = true},
                                            {.context = 2, .tensor = 2, .expert = 4, .tokens = true},
                                            {.stages = 2, .data = 2, .tensor = 2, .expert = 4, .tokens = true}})
    QTest::newRow(qPrintable(text_of(mesh))) << mesh;
}

void TestBalancedExperts::meshes_equal_one_device() {
  QFETCH(Mesh, mesh);
  for (const auto& more : {std::map<std::string, std::int64_t>{{"sigmoid", 1}, {"shared_feed_forward", 6}},
                           {{"capacity_percent", 75},
                            {"experts", 6},
                            {"auxiliary_loss_permille", 20},
                            {"groups", 3},
                            {"groups_per_token", 2}}}) {
    const ModelSpec spec = balanced_model(more);
    for (const int level : {0, 1, 2, 3}) {
      const QString wrong = difference_from_one_device(spec, plan_with(spec, mesh, level), 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("level %1: %2").arg(level).arg(wrong)));
    }
  }
}

void TestBalancedExperts::another_mesh_goes_on_the_same() {
  const ModelSpec spec = balanced_model({{"sigmoid", 1}});
  const std::vector<Plan> plans{plan_with(spec, {}), plan_with(spec, {.data = 2, .expert = 2}, 3),
                                plan_with(spec, {.stages = 2, .tensor = 2, .expert = 2, .tokens = true})};
  const QString wrong = difference_after_resuming(spec, plans);
  QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

/// Without biases tokens go to other experts.
void TestBalancedExperts::an_evaluation_chooses_by_the_biases() {
  ModelSpec spec = balanced_model({{"sigmoid", 1}, {"bias_rate_millionths", 300'000}});
  const Plan plan = plan_with(spec, {});
  auto trained = runtime::train_on_cpu(spec, plan, built(plan), options_for(5), {}).value();
  const auto score = [&](const ModelSpec& model) {
    return runtime::train::evaluate_on_cpu(model, trained, 4, static_cast<std::uint64_t>(6 * plan.global_batch))->loss;
  };
  const double all = score(spec);
  const ModelLayer& experts = spec.layers[2];
  QCOMPARE(experts.kind, std::string("experts"));
  const std::size_t at = 8 + 8 * static_cast<std::size_t>(experts.size("experts"));
  std::vector<float>& values = trained.layers[2];
  double moved = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(experts.size("experts")); ++i)
    moved += std::abs(double(std::exchange(values[at + i], 0.0f)));
  QVERIFY(moved > 0.1);
  QVERIFY(score(spec) != all);
}

void TestBalancedExperts::published_models_have_none() {
  const auto listed = runtime::layers::published_tensors(balanced_model(), runtime::layers::ExpertNames::mixtral);
  QVERIFY(!listed && listed.error().message.find("'experts'") != std::string::npos);
}

void TestBalancedExperts::wrong_groups_are_refused() {
  const auto refused = [](const std::map<std::string, std::int64_t>& sizes, const char* text) {
    const auto made = runtime::layers::make_layer(balanced_model(sizes).layers[2], runtime::cpu::cpu_kernel_registry());
    if (made) return false;
    return made.error().code == ErrorCode::bad_input && made.error().message.find(text) != std::string::npos;
  };
  QVERIFY(refused({{"groups", 3}}, "groups is 3, expected a divisor of the 4 experts, with 2 or more in a group"));
  QVERIFY(refused({{"groups", 4}}, "groups is 4, expected a divisor of the 4 experts, with 2 or more in a group"));
  QVERIFY(refused({{"groups", 2}, {"groups_per_token", 3}}, "groups_per_token is 3, expected at most the 2 groups"));
  QVERIFY(refused({{"groups", 2}, {"groups_per_token", 1}, {"per_token", 3}},
                  "per_token is 3, expected at most the 2 experts of a token's groups"));
}

PIPEDECK_TEST(TestBalancedExperts)

}  // namespace pipedeck::tst_balanced_experts

#include "tst_balanced_experts.moc"
