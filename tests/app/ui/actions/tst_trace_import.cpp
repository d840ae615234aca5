// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of PyTorch's profiler comes into the window as a measured run, or its modules as a profile; read in the
// background.
#include <QComboBox>
#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include <fmt/format.h>

#include "app/models/gantt/content.hpp"
#include "app/session/runs/run_report.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/gantt/view.hpp"
#include "tests/app/ui/latency_probe.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trace_import {

using namespace pipedeck::test;

const QString modules_file = QStringLiteral(PIPEDECK_FIXTURES "/traces/transformer.trace.json.gz");

/// Writes forward and backward kernels of `devices` devices, each under its annotation.
void write_trace(const QString& path, int devices, int kernels, const char* head = "") {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray("{\"schemaVersion\": 1,") + head + "\"traceEvents\": [\n");
  for (int i = 0; i < kernels; ++i)
    file.write(QByteArray::fromStdString(fmt::format(
        R"({}{{"ph": "X", "cat": "kernel", "name": "gemm_{}", "pid": {}, "tid": 7, "ts": {}.{:03}, "dur": 0.9, "args": {{"device": {}, "correlation": {}}}}})",
        i == 0 ? "" : ",\n", i % 3 == 0 ? "fwd" : "bwd", i % devices, 1763760000000000 + i / devices, i % 1000,
        i % devices, i + 1)));
  file.write("]}\n");
}

class TestTraceImport : public QObject {
  Q_OBJECT

 private slots:
  void it_is_drawn_over_the_prediction_of_the_selected_plan() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const session::project::PlanEntry* feasible = nullptr;
    for (const session::project::PlanEntry& entry : fixture.state().plans)
      if (entry.feasible()) feasible = &entry;
    QVERIFY(feasible);
    fixture.session().select_plan(feasible->id);
    const QString file = fixture.path("rank.pt.trace.json");
    write_trace(file, 2, 600);
    fixture.window->open_files({file});
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().runs.size(), std::size_t{1});
    const session::project::RunRecord& run = *fixture.state().runs[0].run;
    QCOMPARE(run.name, QString("rank"));
    QCOMPARE(run.state, session::project::RunOutcome::finished);
    QVERIFY(run.predicted != nullptr);
    QCOMPARE(fixture.window->page(), ui::window::Page::run);
    QVERIFY(fixture.window->run_page().timeline()->content());
    QCOMPARE(fixture.session().undo_name(), QString("Import rank"));
    fixture.session().undo();
    QVERIFY(fixture.state().runs.empty());
  }

  /// One GPU's trace over a plan of many devices: lanes, sums and memory are those of the measured device.
  void one_gpu_compares_with_one_device_of_the_plan() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const auto feasible = std::ranges::find_if(fixture.state().plans, &session::project::PlanEntry::feasible);
    fixture.session().select_plan(feasible->id);
    const QString file = fixture.path("one.pt.trace.json");
    write_trace(file, 1, 300);
    fixture.window->open_files({file});
    QVERIFY(fixture.settle());
    const session::project::RunRecord& run = *fixture.state().runs[0].run;
    QVERIFY(run.predicted && run.predicted->devices.size() == 16);
    const auto part = session::runs::on_measured_devices(run.predicted, run.events);
    QCOMPARE(part->devices.size(), std::size_t{1});
    QCOMPARE(part->devices[0].device, DeviceId(0));
    for (const TimelineLane& lane : part->timeline.lanes) QCOMPARE(lane.device, DeviceId(0));
    // The sums are those of this device's lanes in the whole prediction.
    const auto sums = session::runs::differences_of(part.get(), run.events);
    QVERIFY(sums);
    std::int64_t forwards = 0, forward_time = 0;
    for (const TimelineLane& lane : run.predicted->timeline.lanes)
      for (std::size_t i = lane.begin; lane.role == LaneRole::compute && lane.device == DeviceId(0) && i < lane.end;
           ++i)
        if (run.predicted->timeline.kind[i] == OpKind::forward) {
          ++forwards;
          forward_time += run.predicted->timeline.duration[i];
        }
    const auto forward = std::ranges::find(sums->kinds, OpKind::forward, &sim::KindDifference::kind);
    QVERIFY(forward != sums->kinds.end());
    const double per_operation = static_cast<double>(forward_time) / static_cast<double>(forwards) / 1e9;
    QVERIFY(std::abs(forward->predicted.count / forward->predicted_count - per_operation) < 1e-9);
    QVERIFY(sums->predicted_idle.count <= sums->predicted_iteration.count * (1 + 1e-9));  // one device
    // Nothing changes if every device was measured.
    QCOMPARE(session::runs::on_measured_devices(run.predicted, {}), run.predicted);
  }

  void those_of_a_run_s_ranks_are_one_run() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const auto feasible = std::ranges::find_if(fixture.state().plans, &session::project::PlanEntry::feasible);
    QVERIFY(feasible != fixture.state().plans.end());
    fixture.session().select_plan(feasible->id);
    const QString first = fixture.path("rank0.pt.trace.json"), second = fixture.path("rank1.pt.trace.json");
    write_trace(first, 1, 300, "\"distributedInfo\": {\"rank\": 0}, ");
    write_trace(second, 1, 300, "\"distributedInfo\": {\"rank\": 1}, ");
    const std::size_t steps = fixture.session().undo_steps();
    fixture.window->open_files({first, second});
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().runs.size(), std::size_t{1});
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    const session::project::RunRecord& run = *fixture.state().runs[0].run;
    const auto shown = [&](const char* label) { return fixture.window->run_page().findChild<QLabel*>(label)->text(); };
    QCOMPARE(shown("run_progress_text"), QStringLiteral("finished"));
    QVERIFY2(shown("run_title").endsWith(QStringLiteral(" · rank0")) && !shown("run_title").contains("·  ·"),
             qPrintable(shown("run_title")));
    QVERIFY2(run.message.contains("rank0.pt.trace.json and 1 more"), qPrintable(run.message));
    QVERIFY(run.predicted != nullptr);
    QCOMPARE(std::get<RunStarted>(run.events.front()).devices, 2);
    fixture.trigger("action_page_run");
    QTest::qWait(500);  // charts are laid out when they are shown
    QVERIFY(fixture.window->run_page().grab().save(pictures_folder() + "trace-ranks.png"));

    write_trace(second, 1, 300, "\"distributedInfo\": {\"rank\": 0}, ");  // of another run
    fixture.window->open_files({first, second});
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().runs.size(), std::size_t{3});
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

  /// Recorded of a transformer of six blocks on a processor; each answer is one step of undo.
  void modules_become_what_is_chosen() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const std::size_t profiles = fixture.state().profiles.size(), steps = fixture.session().undo_steps();
    fixture.window->open_files({modules_file});
    QVERIFY(QTest::qWaitFor([&] { return fixture.state().profiles.size() == profiles + 1; }, 20000));
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    QCOMPARE(fixture.session().undo_name(), QStringLiteral("Import transformer"));
    const Profile& profile =
        *session::project::find_profile(fixture.state(), fixture.state().question.profile)->profile;
    QCOMPARE(profile.layers.size(), std::size_t{9});
    QCOMPARE(profile.micro_batch, 8);
    QVERIFY(fixture.state().runs.empty());
    fixture.trigger("action_undo");
    QCOMPARE(fixture.state().profiles.size(), profiles);

    fixture.answers.trace = false;
    fixture.window->open_files({modules_file});
    QVERIFY(QTest::qWaitFor([&] { return fixture.state().runs.size() == 1; }, 20000));
    QCOMPARE(fixture.state().profiles.size(), profiles);
    QCOMPARE(fixture.session().undo_name(), QStringLiteral("Import transformer"));
    QCOMPARE(fixture.window->page(), ui::window::Page::run);
  }

  void the_dialog_follows_its_answers() {
    const auto preview = session::profile::traced_modules_in(modules_file, {}, {});
    QVERIFY(preview && *preview);
    ui::dialogs::TraceDialog dialog(**preview);
    const auto profile = [&] { return *dialog.answer()->profile; };
    auto& layers = *dialog.findChild<QTableWidget*>("trace_layers");
    auto& depth = *dialog.findChild<QSpinBox*>("trace_depth");
    auto& notes = *dialog.findChild<QListWidget*>("trace_notes");
    QCOMPARE(layers.rowCount(), 9);
    QCOMPARE(layers.item(1, 0)->text(), QStringLiteral("Block_0"));
    QVERIFY(!notes.findItems("9 layers of 70 modules", Qt::MatchContains).isEmpty());
    depth.setValue(0);
    QCOMPARE(layers.rowCount(), 1);
    depth.setValue(depth.maximum());
    QVERIFY(layers.rowCount() > 40);
    depth.setValue(depth.minimum());
    QCOMPARE(layers.rowCount(), 9);
    QVERIFY(!notes.findItems("8 samples per micro-batch", Qt::MatchContains).isEmpty());
    dialog.findChild<QSpinBox*>("trace_micro_batch")->setValue(4);
    QCOMPARE(profile().micro_batch, 4);
    QVERIFY(notes.findItems("samples per micro-batch", Qt::MatchContains).isEmpty());
    QCOMPARE(profile().device, std::string("CPU"));
    dialog.findChild<QComboBox*>("trace_device")->setCurrentText("T4");
    QCOMPARE(profile().device, std::string("T4"));
    QCOMPARE(profile().name, std::string("transformer"));
    dialog.findChild<QLineEdit*>("trace_name")->setText("mine");
    QCOMPARE(profile().name, std::string("mine"));
    dialog.findChild<QPushButton*>("trace_timeline")->click();
    QVERIFY(dialog.answer() && !dialog.answer()->profile);
    QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
  }

  void pictures() {
    WindowFixture fixture;
    const auto preview = session::profile::traced_modules_in(modules_file, {}, {});
    QVERIFY(preview && *preview);
    for (const char* appearance : {"light", "dark"}) {
      fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
      ui::dialogs::TraceDialog dialog(**preview, fixture.window.get());
      dialog.show();
      QTest::qWait(200);
      QVERIFY(dialog.grab().save(pictures_folder() + QString("trace-profile-%1.png").arg(appearance)));
    }
    fixture.trigger("action_appearance_light");
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
      const auto connection = QObject::connect(&fixture.session().jobs(), &session::work::Jobs::changed, [&] {
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

PIPEDECK_WINDOW_TEST(TestTraceImport)

}  // namespace pipedeck::tst_trace_import

#include "tst_trace_import.moc"
