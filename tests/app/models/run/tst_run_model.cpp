// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/format.hpp"
#include "app/models/run/run_model.hpp"
#include "tests/support/test_program.hpp"

#include <algorithm>
#include <random>

#include <QTest>

namespace pipedeck::tst_run_model {

StepDone step(int number, double loss) {
  return {number, loss, milliseconds(100), 160, {0.9, 0.8}, {Bytes(1 << 20), Bytes(2 << 20)}};
}

class TestRunModel : public QObject {
  Q_OBJECT

 private slots:
  void decimation_keeps_extremes_and_ends() {
    std::mt19937 random(3);
    std::normal_distribution<> noise;
    for (std::size_t count : {10u, 300u, 301u, 1000u, 9973u}) {
      std::vector<QPointF> points;
      for (std::size_t i = 0; i < count; ++i) points.emplace_back(static_cast<double>(i), noise(random));
      for (std::size_t limit : {4u, 50u, 300u}) {
        const QVector<QPointF> few = models::run::decimated(points, limit);
        QVERIFY(few.size() <= static_cast<qsizetype>(std::max<std::size_t>(limit, 4)));
        const auto lower = [](QPointF a, QPointF b) { return a.y() < b.y(); };
        QCOMPARE(std::ranges::min_element(few, lower)->y(), std::ranges::min_element(points, lower)->y());
        QCOMPARE(std::ranges::max_element(few, lower)->y(), std::ranges::max_element(points, lower)->y());
        QCOMPARE(few.front(), points.front());
        QCOMPARE(few.back(), points.back());
        QVERIFY(std::ranges::is_sorted(few, {}, [](QPointF p) { return p.x(); }));
        for (QPointF p : few) QVERIFY(points[static_cast<std::size_t>(p.x())] == p);
      }
    }
    QVERIFY(models::run::decimated({}, 300).isEmpty());
  }

  void a_run_from_start_to_end() {
    models::run::Model model;
    QCOMPARE(model.state(), models::run::State::idle);
    QCOMPARE(model.append(RunStarted{"DAPPLE 1:1", "gpt-tiny", "cpu", 40, 2}).size(), std::size_t{1});
    QCOMPARE(model.state(), models::run::State::running);
    QCOMPARE(model.devices(), 2);
    QVERIFY(!model.time_left());
    for (int i = 1; i <= 10; ++i) QVERIFY(model.append(step(i, 4.0 / i)).empty());
    QCOMPARE(model.steps_done(), 10);
    QVERIFY(std::abs(model.time_left()->count - 3.0) < 1e-9);
    QVERIFY(std::abs(model.mean_samples_per_second() - 160) < 1e-9);
    QCOMPARE(model.loss().back(), QPointF(10, 0.4));
    QCOMPARE(model.memory(1).back(), QPointF(10, 2.0));
    QCOMPARE(model.busy(0).size(), std::size_t{10});
    model.append(RunFinished{10, 0.4, Seconds(1), milliseconds(100), true});
    QCOMPARE(model.state(), models::run::State::stopped);
    QVERIFY(!model.time_left());
  }

  void a_failed_run_says_why() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cpu", 40, 2});
    const auto lines = model.append(RunFailed{"device 1 sent nothing for 30 s"});
    QCOMPARE(lines.front().level, models::run::LogLine::error);
    QVERIFY(lines.front().text.contains("device 1 sent nothing"));
    QCOMPARE(model.state(), models::run::State::failed);
    QCOMPARE(model.append(RunWarning{"careful"}).front(),
             (models::run::LogLine{models::run::LogLine::warning, "careful"}));
  }

  void samples_are_drawn_over_seconds() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cpu", 40, 2});
    model.append(step(1, 4));
    QVERIFY(!model.sampled());
    QCOMPARE(model.busy(1), (models::run::Model::Points{{1, 0.8}}));
    model.append(RunSample{Seconds(0.15), {0.5, 0.25}, {Bytes(3 << 20), Bytes(0)}});
    model.append(step(2, 3));
    model.append(RunSample{Seconds(0.25), {0.75, 0.5}, {Bytes(1 << 20), Bytes(0)}});
    QVERIFY(model.sampled());  // the points of steps have gone: they lay over steps
    QCOMPARE(model.busy(0), (models::run::Model::Points{{0.15, 0.5}, {0.25, 0.75}}));
    QCOMPARE(model.memory(0), (models::run::Model::Points{{0.15, 3}, {0.25, 1}}));
    QCOMPARE(model.peak_memory(1), 2.0);
    QCOMPARE(model.loss(models::run::Axis::time).back(), QPointF(0.2, 3));
    QCOMPARE(model.loss(models::run::Axis::step).back(), QPointF(2, 3));
  }

  void gpus_are_drawn_as_their_driver_tells() {
    models::run::Model model;
    RunStarted started{"p", "m", "cuda, NCCL 2.28.9", 40, 3};
    started.gpus = {{{0, 2}, "H200", "", "", {}, 700.0, 1980.0}, {{1}, "H200", "", "", {}, {}, {}}};
    model.append(started);
    QVERIFY(model.on_gpus());
    QCOMPARE(models::run::gpu_label(model.gpus()[0]), QStringLiteral("G0, G2"));
    RunSample sample{Seconds(0.2), {1, 1, 1}, {Bytes(0), Bytes(0), Bytes(0)}};
    sample.gpus = {{350.0, Bytes(3 << 20), 1980.0, 0.97, 54.0, 0x4}, {{}, Bytes(1 << 20), {}, {}, {}, {}}};
    model.append(sample);
    sample.time = Seconds(0.4);
    sample.gpus.resize(1);  // the second one's driver reports nothing any more
    sample.gpus[0].power = 360;
    model.append(sample);
    QCOMPARE(model.power(0), (models::run::Model::Points{{0.2, 350}, {0.4, 360}}));
    QCOMPARE(model.gpu_memory(1), (models::run::Model::Points{{0.2, 1}}));
    QVERIFY(model.clock(1).empty());
    QCOMPARE(models::run::throttle_text(model.readings()[0]), QStringLiteral("power limit"));
    QCOMPARE(models::run::throttle_text(model.readings()[1]), QString());
  }

  /// For all GPUs together, or not at all.
  void energy_is_shared_out_over_samples() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cuda", 2, 2});
    for (int i = 1; i <= 2; ++i) model.append(StepDone{i, 1, Seconds(0.5), 16, {1, 1}, {Bytes(0), Bytes(0)}});
    RunFinished finished{2, 1, Seconds(1), Seconds(0.5)};
    finished.gpu_energy = {300.0, 180.0};
    const auto lines = model.append(finished);
    QCOMPARE(*model.energy(), 480.0);
    QCOMPARE(*model.energy_a_sample(), 30.0);  // 16 samples
    QCOMPARE(lines.back().text, QStringLiteral("energy of the GPUs: 480 J (0.133 Wh), 30.0 J per sample"));
    finished.gpu_energy[1].reset();
    model.append(finished);
    QVERIFY(!model.energy());
    QCOMPARE(models::format_energy(12'500), QStringLiteral("12.5 kJ"));
    QCOMPARE(models::format_energy(3.6e6 * 2.5), QStringLiteral("2.50 kWh"));
  }

  void a_paused_run_goes_on() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cpu", 40, 2});
    model.append(step(1, 4));
    QCOMPARE(model.append(RunPaused{1}).size(), std::size_t{1});
    QCOMPARE(model.state(), models::run::State::paused);
    QVERIFY(!model.time_left());
    model.append(RunResumed{1});
    QCOMPARE(model.state(), models::run::State::running);
  }

  void a_resumed_run_counts_on() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cpu", 40, 2, 30});
    QCOMPARE(model.steps_done(), 30);
    for (int i = 31; i <= 34; ++i) model.append(step(i, 1));
    const double each = model.time_left()->count / 6;
    QVERIFY(std::abs(each - step(31, 1).duration.count) < 1e-9);
    const auto lines = model.append(RunCheckpoint{32, "c/step-0000000032", Bytes(3 << 20), milliseconds(12)});
    QVERIFY(lines.front().text.contains("step 32") && lines.front().text.contains("c/step-0000000032"));
    QCOMPARE(model.steps_done(), 34);
  }

  void a_second_start_begins_anew() {
    models::run::Model model;
    model.append(RunStarted{"p", "m", "cpu", 4, 1});
    model.append(step(1, 1));
    model.append(RunStarted{"p", "m", "cpu", 4, 1});
    QVERIFY(model.loss().empty());
    QCOMPARE(model.steps_done(), 0);
  }
};

PIPEDECK_TEST(TestRunModel)

}  // namespace pipedeck::tst_run_model

#include "tst_run_model.moc"
