// SPDX-License-Identifier: Apache-2.0
// Training that diverges: it stops and names step and device, or continues with a warning; checkpoints stay finite.
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/step_times.hpp"
#include "core/schedule/build.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_divergence {

using namespace pipedeck::test;
using runtime::train::OnDivergence;

constexpr int steps = 60;

/// A model that diverges after a few updates, of which an asynchronous step has several.
ModelSpec diverging_model(const Plan& plan) {
  ModelSpec model = small_mlp();
  model.learning_rate = plan.synchronous() ? 1000 : 1;
  return model;
}

struct Trained {
  Result<runtime::train::TrainedParameters> result;
  EventLog log;
};

Trained train(const ModelSpec& model, Plan plan, OnDivergence answer, const QTemporaryDir& folder) {
  plan.optimizer = Optimizer::sgd;
  schedule::StageEstimates figures;
  figures.max_in_flight = plan.micro_batches;
  const auto schedule =
      schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size(), figures));
  runtime::train::TrainOptions options;
  options.steps = steps;
  options.on_divergence = answer;
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 1, 3};
  EventLog log;
  auto result = runtime::train_on_cpu(model, plan, *schedule, options, log.sink());
  return {std::move(result), std::move(log)};
}

/// Opens the newest complete checkpoint: its values are checked when it is resumed.
std::optional<runtime::checkpoint::Checkpoint> newest(const QTemporaryDir& folder) {
  auto found = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
  return found ? std::optional(*std::move(found)) : std::nullopt;
}

Plan plan_of(const ModelSpec& model, const std::vector<int>& replicas, ScheduleKind schedule) {
  Plan plan = plan_for(model, replicas, 6, 4);
  plan.schedule = schedule;
  return plan;
}

class TestDivergence : public QObject {
  Q_OBJECT

 private slots:
  void stops_and_names_step_and_device_data() { plans(); }
  void stops_and_names_step_and_device() {
    const Plan plan = fetched();
    QTemporaryDir folder;
    const Trained trained = train(diverging_model(plan), plan, OnDivergence::stop, folder);
    QVERIFY(!trained.result);
    const Error& error = trained.result.error();
    QCOMPARE(error.code, ErrorCode::run_failed);
    const QString text = QString::fromStdString(error.message);
    const QRegularExpression named("^step (\\d+), device \\d+: training diverged: (the loss is|weights of stage \\d)");
    const auto match = named.match(text);
    QVERIFY2(match.hasMatch(), qPrintable(text));
    for (const double loss : trained.log.losses()) QVERIFY(std::isfinite(loss));
    const auto kept = newest(folder);
    QVERIFY(kept);
    QVERIFY(kept->origin().step + 1 <= match.captured(1).toUInt());
  }

  void warns_and_keeps_the_last_finite_checkpoints_data() { plans(); }
  void warns_and_keeps_the_last_finite_checkpoints() {
    const Plan plan = fetched();
    QTemporaryDir folder;
    const Trained trained = train(diverging_model(plan), plan, OnDivergence::warn, folder);
    QVERIFY2(trained.result, trained.result ? "" : trained.result.error().text().c_str());
    const std::vector<double> losses = trained.log.losses();
    QCOMPARE(losses.size(), std::size_t{steps});
    QVERIFY(std::isfinite(losses.front()) && !std::isfinite(losses.back()));
    int warnings = 0;
    for (const RunWarning& warning : trained.log.of<RunWarning>())
      warnings += warning.message.find("training diverged") != std::string::npos;
    QCOMPARE(warnings, 1);
    const auto kept = newest(folder);
    QVERIFY(kept);
    QVERIFY(kept->origin().step < steps / 2);
    QCOMPARE(static_cast<std::uint64_t>(trained.log.of<RunCheckpoint>().back().step), kept->origin().step);
    for (const RunCheckpoint& checkpoint : trained.log.of<RunCheckpoint>())
      QVERIFY(std::isfinite(losses[static_cast<std::size_t>(checkpoint.step) - 1]));
  }

  void a_value_that_is_not_finite_is_found_wherever_it_is() {
    constexpr float inf = std::numeric_limits<float>::infinity();
    for (const std::int64_t count : {1, 7, 64, 1000})
      for (const float bad : {inf, -inf, std::numeric_limits<float>::quiet_NaN(), -std::nanf("")}) {
        std::vector<float> values(static_cast<std::size_t>(count), std::numeric_limits<float>::max());
        QVERIFY(runtime::cpu::all_finite(values.data(), count));
        for (std::int64_t i = 0; i < count; i += 1 + count / 37) {
          const float before = std::exchange(values[static_cast<std::size_t>(i)], bad);
          QVERIFY(!runtime::cpu::all_finite(values.data(), count));
          values[static_cast<std::size_t>(i)] = before;
        }
      }
    QVERIFY(runtime::cpu::all_finite(nullptr, 0));
  }

  void step_times_take_bounded_memory() {
    runtime::train::StepTimes times;
    QCOMPARE(times.median(), Seconds());
    std::mt19937 random(3);
    std::vector<double> all;
    for (int i = 0; i < 300'000; ++i) {
      all.push_back(1 + 1e-6 * static_cast<double>(random() % 1'000'000));
      times.add(Seconds(all.back()));
      if (i != 1000 && i != 299'999) continue;
      std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
      const double median = all[all.size() / 2];
      QVERIFY(std::abs(times.median().count - median) <= (i == 1000 ? 0 : 0.01));
      QCOMPARE(times.count(), i + 1);
    }
    QVERIFY(std::abs(times.sum().count - std::accumulate(all.begin(), all.end(), 0.0)) < 1e-3);
  }

 private:
  static void plans() {
    QTest::addColumn<QList<int>>("replicas");
    QTest::addColumn<int>("schedule");
    QTest::newRow("one device") << QList<int>{1} << static_cast<int>(ScheduleKind::one_f_one_b);
    QTest::newRow("three stages") << QList<int>{1, 1, 1} << static_cast<int>(ScheduleKind::one_f_one_b);
    QTest::newRow("replicas") << QList<int>{2, 1} << static_cast<int>(ScheduleKind::gpipe);
    QTest::newRow("asynchronous") << QList<int>{1, 1} << static_cast<int>(ScheduleKind::pipedream);
  }
  static Plan fetched() {
    QFETCH(QList<int>, replicas);
    QFETCH(int, schedule);
    return plan_of(small_mlp(), {replicas.begin(), replicas.end()}, static_cast<ScheduleKind>(schedule));
  }
};

PIPEDECK_TEST(TestDivergence)

}  // namespace pipedeck::tst_divergence

#include "tst_divergence.moc"
