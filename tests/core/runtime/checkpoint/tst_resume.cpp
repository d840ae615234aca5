// SPDX-License-Identifier: Apache-2.0
// Runs that go on from a checkpoint: the same parameters, bit for bit, as runs that were never interrupted; on another
// plan the same to rounding.
#include <signal.h>
#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/train.hpp"
#include "core/schedule/build.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_resume {

using namespace pipedeck::test;

using Layers = std::vector<std::vector<float>>;

Schedule built(const Plan& plan) {
  schedule::StageEstimates figures;
  figures.max_in_flight = plan.micro_batches;
  auto schedule = schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size(), figures));
  return schedule ? *std::move(schedule) : Schedule{};
}

struct Trained {
  Result<runtime::train::TrainedParameters> result;
  EventLog log;
};

Trained train(const ModelSpec& model, const Plan& plan, const runtime::train::TrainOptions& options,
              std::stop_token stop = {}) {
  EventLog log;
  auto result = runtime::train_on_cpu(model, plan, built(plan), options, log.sink(), std::move(stop));
  return {std::move(result), std::move(log)};
}

runtime::train::TrainOptions steps(int count) {
  runtime::train::TrainOptions options;
  options.steps = count;
  return options;
}

runtime::train::TrainOptions kept_in(const QTemporaryDir& folder, int count, int every, int keep = 0) {
  runtime::train::TrainOptions options = steps(count);
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), every, keep};
  return options;
}

runtime::train::TrainOptions going_on(const QString& folder, int count) {
  runtime::train::TrainOptions options = steps(count);
  auto checkpoint = runtime::checkpoint::Checkpoint::open(folder.toStdString());
  if (checkpoint) options.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(checkpoint));
  return options;
}

QString step_path(const QTemporaryDir& folder, int step) {
  return QString::fromStdString(
      runtime::checkpoint::step_folder(folder.path().toStdString(), static_cast<std::uint64_t>(step)));
}

double largest_difference(const Layers& a, const Layers& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j)
      most = std::max(most, std::abs(double{a[i][j]} - double{b[i][j]}) / (1 + std::abs(double{a[i][j]})));
  return most;
}

Plan plan_of(const ModelSpec& model, ScheduleKind schedule, const std::vector<int>& replicas, int micro_batch = 6,
             int micro_batches = 4) {
  Plan plan = plan_for(model, replicas, micro_batch, micro_batches);
  plan.schedule = schedule;
  return plan;
}

#define VERIFY_TRAINED(trained) \
  QVERIFY2((trained).result.has_value(), (trained).result ? "" : (trained).result.error().text().c_str())

class TestResume : public QObject {
  Q_OBJECT
 private slots:
  void going_on_is_as_if_nothing_had_happened_data();
  void going_on_is_as_if_nothing_had_happened();
  void checkpoints_change_nothing();
  void another_plan_goes_on_the_same_data();
  void another_plan_goes_on_the_same();
  void another_batch_goes_on_behind_the_samples_seen();
  void steps_and_events_count_on();
  void a_stopped_run_keeps_its_last_step();
  void the_last_ones_are_kept();
  void a_damaged_step_costs_the_steps_since_the_one_before();
  void checkpoints_of_another_run_are_not_touched();
  void what_was_left_unfinished_is_removed();
  void a_full_disk_names_device_and_step();
};

void TestResume::going_on_is_as_if_nothing_had_happened_data() {
  QTest::addColumn<int>("model");
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<int>("schedule");
  QTest::addColumn<QList<int>>("replicas");
  const auto row = [](const char* name, int model, Optimizer optimizer, ScheduleKind schedule, QList<int> replicas) {
    QTest::newRow(name) << model << static_cast<int>(optimizer) << static_cast<int>(schedule) << replicas;
  };
  row("adam, 1f1b", 0, Optimizer::adam, ScheduleKind::one_f_one_b, {1, 1});
  row("momentum, gpipe, replicas", 0, Optimizer::momentum, ScheduleKind::gpipe, {2, 1});
  row("rmsprop, zero bubble", 1, Optimizer::rmsprop, ScheduleKind::zb_h1, {1, 1, 1});
  row("sgd, one device", 1, Optimizer::sgd, ScheduleKind::one_f_one_b, {1});
  row("batch norm", 2, Optimizer::adam, ScheduleKind::one_f_one_b, {1, 1});
  row("weight stashing", 0, Optimizer::adam, ScheduleKind::pipedream, {1, 1, 1});
  row("weight stashing, replicas", 1, Optimizer::momentum, ScheduleKind::pipedream, {2, 1});
  row("vertical sync", 0, Optimizer::adam, ScheduleKind::pipedream_vertical, {1, 1, 1});
  row("two versions", 0, Optimizer::momentum, ScheduleKind::pipedream_2bw, {1, 1});
}

/// Steps 1 to 8 in one go, and 4 of them from a checkpoint on.
void TestResume::going_on_is_as_if_nothing_had_happened() {
  QFETCH(int, model);
  QFETCH(int, optimizer);
  QFETCH(int, schedule);
  QFETCH(QList<int>, replicas);
  const ModelSpec spec = model == 0 ? small_gpt() : model == 1 ? small_mlp() : small_cnn(true);
  Plan plan = plan_of(spec, static_cast<ScheduleKind>(schedule), {replicas.begin(), replicas.end()});
  plan.optimizer = static_cast<Optimizer>(optimizer);
  const Trained unbroken = train(spec, plan, steps(8));
  VERIFY_TRAINED(unbroken);
  QTemporaryDir folder;
  const Trained first = train(spec, plan, kept_in(folder, 4, 4));
  VERIFY_TRAINED(first);
  const runtime::train::TrainOptions options = going_on(folder.path(), 8);
  QVERIFY(options.resume);
  const Trained second = train(spec, plan, options);
  VERIFY_TRAINED(second);
  QVERIFY2(second.result->layers == unbroken.result->layers,
           qPrintable(QString::number(largest_difference(second.result->layers, unbroken.result->layers))));
  // The losses of the steps, too.
  const auto all = unbroken.log.losses(), later = second.log.losses();
  QCOMPARE(later.size(), std::size_t{4});
  QVERIFY(std::equal(later.begin(), later.end(), all.begin() + 4));
}

void TestResume::checkpoints_change_nothing() {
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::pipedream}) {
    const ModelSpec model = small_gpt();
    const Plan plan = plan_of(model, kind, {1, 1, 1});
    QTemporaryDir folder;
    const Trained with = train(model, plan, kept_in(folder, 7, 1));
    const Trained without = train(model, plan, steps(7));
    VERIFY_TRAINED(with);
    QVERIFY(with.result->layers == without.result->layers);
    // From any of them on.
    for (const int step : {1, 2, 5}) {
      const Trained on = train(model, plan, going_on(step_path(folder, step), 7));
      VERIFY_TRAINED(on);
      QVERIFY2(on.result->layers == without.result->layers, qPrintable(QString::number(step)));
    }
    QVERIFY(runtime::checkpoint::Checkpoint::open(folder.path().toStdString())->parameters() == with.result->layers);
  }
}

void TestResume::another_plan_goes_on_the_same_data() {
  QTest::addColumn<QList<int>>("before");
  QTest::addColumn<QList<int>>("after");
  QTest::addColumn<int>("degree_before");  // of tensor parallelism, of the first stage
  QTest::addColumn<int>("degree_after");
  QTest::newRow("joined") << QList<int>{1, 1, 1} << QList<int>{1} << 1 << 1;
  QTest::newRow("cut elsewhere") << QList<int>{1, 1} << QList<int>{1, 1, 1} << 1 << 1;
  QTest::newRow("replicated") << QList<int>{1} << QList<int>{2, 3} << 1 << 1;
  QTest::newRow("no replicas any more") << QList<int>{3, 2} << QList<int>{1, 1} << 1 << 1;
  QTest::newRow("layers cut") << QList<int>{1, 1} << QList<int>{2} << 1 << 2;
  QTest::newRow("layers joined") << QList<int>{2, 1} << QList<int>{1, 1} << 2 << 1;
  QTest::newRow("layers cut, replicated") << QList<int>{4, 1} << QList<int>{2, 2} << 2 << 1;
}

void TestResume::another_plan_goes_on_the_same() {
  QFETCH(QList<int>, before);
  QFETCH(QList<int>, after);
  QFETCH(int, degree_before);
  QFETCH(int, degree_after);
  const ModelSpec model = small_gpt();
  const Trained one = train(model, plan_of(model, ScheduleKind::one_f_one_b, {1}), steps(6));
  QTemporaryDir folder;
  Plan first = plan_of(model, ScheduleKind::one_f_one_b, {before.begin(), before.end()});
  first.stages[0].tensor_parallel = degree_before;
  VERIFY_TRAINED(train(model, first, kept_in(folder, 3, 0)));
  Plan second = plan_of(model, ScheduleKind::gpipe, {after.begin(), after.end()}, 12, 2);
  second.stages[0].tensor_parallel = degree_after;
  const Trained on = train(model, second, going_on(folder.path(), 6));
  VERIFY_TRAINED(on);
  const double difference = largest_difference(on.result->layers, one.result->layers);
  QVERIFY2(difference < 6e-5, qPrintable(QString::number(difference)));
}

void TestResume::another_batch_goes_on_behind_the_samples_seen() {
  ModelSpec model = small_mlp();
  QTemporaryDir folder;
  VERIFY_TRAINED(train(model, plan_of(model, ScheduleKind::gpipe, {1}, 6, 4), kept_in(folder, 3, 0)));
  QCOMPARE(runtime::checkpoint::Checkpoint::open(folder.path().toStdString())->origin().samples, 72u);
  QTemporaryDir next;
  runtime::train::TrainOptions options = going_on(folder.path(), 5);
  options.checkpoint = runtime::checkpoint::Options{next.path().toStdString(), 1, 0};
  VERIFY_TRAINED(train(model, plan_of(model, ScheduleKind::gpipe, {1}, 10, 1), options));
  QCOMPARE(runtime::checkpoint::Checkpoint::open(next.path().toStdString())->origin().samples, 92u);
  QCOMPARE(runtime::checkpoint::Checkpoint::open(next.path().toStdString())->origin().step, 5u);
}

void TestResume::steps_and_events_count_on() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  QTemporaryDir folder;
  const Trained first = train(model, plan, kept_in(folder, 5, 2));
  VERIFY_TRAINED(first);
  const auto written = first.log.of<RunCheckpoint>();
  QCOMPARE(written.size(), std::size_t{3});
  for (std::size_t i = 0; i < 3; ++i) {
    const int step = i == 2 ? 5 : 2 * static_cast<int>(i) + 2;
    QCOMPARE(written[i].step, step);
    QCOMPARE(QString::fromStdString(written[i].path), step_path(folder, step));
    qint64 bytes = 0;
    for (const auto& file : QDir(step_path(folder, step)).entryInfoList(QDir::Files)) bytes += file.size();
    QCOMPARE(written[i].bytes.count, bytes);
    QVERIFY(written[i].duration.count > 0);
  }
  runtime::train::TrainOptions options = going_on(folder.path(), 7);
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 2, 0};
  const Trained second = train(model, plan, options);
  VERIFY_TRAINED(second);
  QCOMPARE(std::get<RunStarted>(second.log.events.front()).from_step, 5);
  QCOMPARE(second.log.of<StepDone>().front().step, 6);
  QCOMPARE(second.log.of<RunCheckpoint>().front().step, 6);
  QCOMPARE(std::get<RunFinished>(second.log.events.back()).steps, 7);
}

void TestResume::a_stopped_run_keeps_its_last_step() {
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::pipedream}) {
    const ModelSpec model = small_gpt();
    const Plan plan = plan_of(model, kind, {1, 1});
    QTemporaryDir folder;
    std::stop_source stop;
    EventLog log;
    const auto sink = [&](const RunEvent& event) {
      log.events.push_back(event);
      if (const auto* done = std::get_if<StepDone>(&event); done && done->step == 3) stop.request_stop();
    };
    const auto stopped =
        runtime::train_on_cpu(model, plan, built(plan), kept_in(folder, 4000, 1000), sink, stop.get_token());
    QVERIFY2(stopped.has_value(), stopped ? "" : stopped.error().text().c_str());
    const int last = std::get<RunFinished>(log.events.back()).steps;
    QVERIFY(last >= 3 && last < 4000);
    QCOMPARE(log.of<RunCheckpoint>().back().step, last);
    const Trained on = train(model, plan, going_on(folder.path(), last + 4));
    VERIFY_TRAINED(on);
    QVERIFY(on.result->layers == train(model, plan, steps(last + 4)).result->layers);
  }
}

void TestResume::the_last_ones_are_kept() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  // Files of a step may be visible before their writers have reported them: once in a few runs.
  for (int i = 0; i < 40; ++i) {
    QTemporaryDir folder;
    const Trained trained = train(model, plan, kept_in(folder, 9, 2, 3));
    VERIFY_TRAINED(trained);
    QCOMPARE(QDir(folder.path()).entryList({"step-*"}),
             (QStringList{"step-0000000006", "step-0000000008", "step-0000000009"}));
    std::vector<int> told;
    for (const RunCheckpoint& checkpoint : trained.log.of<RunCheckpoint>()) {
      told.push_back(checkpoint.step);
      QCOMPARE(checkpoint.bytes, trained.log.of<RunCheckpoint>().front().bytes);
    }
    QCOMPARE(told, (std::vector<int>{2, 4, 6, 8, 9}));
  }
  QTemporaryDir folder;
  VERIFY_TRAINED(train(model, plan, kept_in(folder, 9, 2, 3)));
  runtime::train::TrainOptions options = going_on(folder.path(), 10);
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 1, 2};
  VERIFY_TRAINED(train(model, plan, options));
  QCOMPARE(QDir(folder.path()).entryList({"step-*"}), (QStringList{"step-0000000009", "step-0000000010"}));
}

void TestResume::a_damaged_step_costs_the_steps_since_the_one_before() {
  const ModelSpec model = small_gpt();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  QTemporaryDir folder;
  const Trained whole = train(model, plan, kept_in(folder, 6, 2));
  VERIFY_TRAINED(whole);
  QFile damaged(step_path(folder, 6) + "/worker-1.pdck");
  QVERIFY(damaged.resize(damaged.size() - 1));
  runtime::train::TrainOptions options = going_on(folder.path(), 6);
  QCOMPARE(options.resume->origin().step, 4u);
  QCOMPARE(options.resume->warnings().size(), std::size_t{1});
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 2, 0};
  const Trained on = train(model, plan, options);
  VERIFY_TRAINED(on);
  QVERIFY(on.result->layers == whole.result->layers);
  QCOMPARE(runtime::checkpoint::Checkpoint::open(folder.path().toStdString())->origin().step, 6u);
  QVERIFY(runtime::checkpoint::Checkpoint::open(folder.path().toStdString())->warnings().empty());
}

void TestResume::checkpoints_of_another_run_are_not_touched() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  QTemporaryDir folder;
  VERIFY_TRAINED(train(model, plan, kept_in(folder, 4, 2)));
  const auto files = [&] { return QDir(folder.path()).entryList({"step-*"}); };
  const QStringList before = files();
  const Trained anew = train(model, plan, kept_in(folder, 4, 2));
  QVERIFY(!anew.result);
  QCOMPARE(anew.result.error().code, ErrorCode::bad_input);
  QVERIFY2(anew.result.error().message.find("found a checkpoint of step 4, expected none of another run") == 0,
           anew.result.error().message.c_str());
  runtime::train::TrainOptions back = going_on(step_path(folder, 2), 4);
  back.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 2, 0};
  const Trained again = train(model, plan, back);
  QVERIFY(!again.result);
  QVERIFY(again.result.error().message.find("expected none behind step 2") != std::string::npos);
  QCOMPARE(files(), before);
  QVERIFY(anew.log.of<StepDone>().empty() && again.log.of<StepDone>().empty());
}

void TestResume::what_was_left_unfinished_is_removed() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  QTemporaryDir folder;
  VERIFY_TRAINED(train(model, plan, kept_in(folder, 4, 2)));
  // As after a kill: one file whole, the other half.
  QVERIFY(QDir().mkpath(step_path(folder, 6)));
  QFile half(step_path(folder, 6) + "/worker-1.pdck.tmp");
  QVERIFY(half.open(QIODevice::WriteOnly) && half.write("half") == 4);
  half.close();
  runtime::train::TrainOptions options = going_on(folder.path(), 5);
  QCOMPARE(options.resume->origin().step, 4u);
  options.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
  VERIFY_TRAINED(train(model, plan, options));
  QVERIFY(!QDir(step_path(folder, 6)).exists());
  QVERIFY(QDir(step_path(folder, 5)).exists());
}

void TestResume::a_full_disk_names_device_and_step() {
  const ModelSpec model = small_mlp();
  const Plan plan = plan_of(model, ScheduleKind::one_f_one_b, {1, 1});
  QTemporaryDir folder;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Trained failed = train(model, plan, kept_in(folder, 100000, 2));
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
  QVERIFY(!failed.result);
  QCOMPARE(failed.result.error().code, ErrorCode::run_failed);
  const QString said = QString::fromStdString(failed.result.error().message);
  QVERIFY2(said.startsWith("device ") && said.contains(": checkpoint of step 2: ") && said.contains("File too large"),
           qPrintable(said));
  QVERIFY(QDir(step_path(folder, 2)).entryList(QDir::Files).isEmpty());
}

PIPEDECK_TEST(TestResume)

}  // namespace pipedeck::tst_resume

#include "tst_resume.moc"
