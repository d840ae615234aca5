// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of PyTorch's profiler comes into the window as a measured run, read in the background.
#include <QElapsedTimer>
#include <QFile>

#include <fmt/format.h>

#include "app/models/gantt_content.hpp"
#include "app/ui/run_page.hpp"
#include "app/views/gantt_view.hpp"
#include "tests/app/ui/latency_probe.hpp"
#include "tests/app/ui/window_fixture.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

namespace {

/// Forward and backward kernels of so many devices, each under its annotation.
void write_trace(const QString& path, int devices, int kernels) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("{\"schemaVersion\": 1, \"traceEvents\": [\n");
  for (int i = 0; i < kernels; ++i)
    file.write(QByteArray::fromStdString(fmt::format(
        R"({}{{"ph": "X", "cat": "kernel", "name": "gemm_{}", "pid": {}, "tid": 7, "ts": {}.{:03}, "dur": 0.9, "args": {{"device": {}, "correlation": {}}}}})",
        i == 0 ? "" : ",\n", i % 3 == 0 ? "fwd" : "bwd", i % devices, 1763760000000000 + i / devices, i % 1000,
        i % devices, i + 1)));
  file.write("]}\n");
}

}  // namespace

class TestTraceImport : public QObject {
  Q_OBJECT

 private slots:
  void it_is_drawn_over_the_prediction_of_the_selected_plan() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const PlanEntry* feasible = nullptr;
    for (const PlanEntry& entry : fixture.state().plans)
      if (entry.feasible()) feasible = &entry;
    QVERIFY(feasible);
    fixture.session().select_plan(feasible->id);
    const QString file = fixture.path("rank.pt.trace.json");
    write_trace(file, 2, 600);
    fixture.window->open_files({file});
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().runs.size(), std::size_t{1});
    const RunRecord& run = *fixture.state().runs[0].run;
    QCOMPARE(run.name, QString("rank"));
    QCOMPARE(run.state, RunOutcome::finished);
    QVERIFY(run.predicted != nullptr);
    QCOMPARE(fixture.window->page(), Page::run);
    QVERIFY(fixture.window->run_page().timeline()->content());
    QCOMPARE(fixture.session().undo_name(), QString("Import rank"));
    fixture.session().undo();
    QVERIFY(fixture.state().runs.empty());
  }

  void one_that_is_broken_says_where() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const QString file = fixture.path("broken.json");
    write_trace(file, 2, 600);
    QFile whole(file);
    QVERIFY(whole.resize(whole.size() / 2));
    fixture.window->open_files({file});
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.errors.size(), 1);
    QVERIFY2(fixture.errors[0].contains("cut off"), qPrintable(fixture.errors[0]));
    QVERIFY2(fixture.errors[0].contains("broken.json"), qPrintable(fixture.errors[0]));
    QVERIFY(fixture.state().runs.empty());
  }

  void a_large_one_can_be_stopped() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const QString file = fixture.path("large.json");
    write_trace(file, 8, 300'000);
    const std::size_t steps = fixture.session().undo_steps();
    QVERIFY(fixture.session().open_or_import(file));
    QVERIFY(fixture.session().jobs().any_running());
    fixture.session().jobs().cancel_all();
    QVERIFY(fixture.settle());
    QVERIFY(fixture.errors.isEmpty());
    QCOMPARE(fixture.session().undo_steps(), steps);
  }

  /// In processor time of the window's own thread, for other work on the machine may hold it up; and it does not wait
  /// for the reading either. The least of a few tries.
  void the_window_answers_while_it_is_read() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const QString file = fixture.path("large.json");
    write_trace(file, 8, 200'000);
    double own = 1e9, share = 1;
    for (int i = 0; i < 8 && (own >= 100 || share >= 0.5); ++i) {
      bool read = false;
      double longest = 0, longest_own = 0;
      LatencyProbe probe;
      const auto connection = QObject::connect(&fixture.session().jobs(), &Jobs::changed, [&] {
        if (read) return;
        longest = probe.longest_ms();
        longest_own = probe.longest_own_ms();
      });
      QElapsedTimer reading;
      reading.start();
      QVERIFY(fixture.session().open_or_import(file));
      QVERIFY(QTest::qWaitFor([&] { return fixture.state().runs.size() == static_cast<std::size_t>(i + 1); }, 60000));
      read = true;
      QObject::disconnect(connection);
      own = std::min(own, longest_own);
      share = std::min(share, longest / static_cast<double>(std::max<qint64>(1, reading.elapsed())));
    }
    QVERIFY2(own < 100, qPrintable(QString::number(own)));
    QVERIFY2(share < 0.5, qPrintable(QString::number(share)));
  }
};

QTEST_MAIN(TestTraceImport)
#include "tst_trace_import.moc"
