// SPDX-License-Identifier: GPL-3.0-or-later
// A project of 100 runs and 10 million operations: opened to the first picture, edited, saved.
#include <chrono>
#include <cstdio>

#include <QApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QSettings>
#include <QTemporaryDir>

#include "app/session/project_content.hpp"
#include "app/ui/main_window.hpp"
#include "app/ui/run_page.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

constexpr int runs = 100, operations = 100'000, devices = 64;

/// A run of that many operations, half measured and half predicted.
RunRecord run_of(const Plan& plan, int number) {
  RunRecord run;
  run.name = QStringLiteral("run %1").arg(number);
  run.model = QStringLiteral("model");
  run.when = QDateTime::currentDateTime();
  run.state = RunOutcome::finished;
  run.plan = plan;
  Timeline timeline;
  const int each = operations / 2 / devices;
  for (int d = 0; d < devices; ++d) {
    std::vector<TimelineRow> rows;
    for (int i = 0; i < each; ++i)
      rows.push_back({Nanoseconds(i * 1000 + number),
                      Nanoseconds(900),
                      {i % 2 == 0 ? OpKind::forward : OpKind::backward, StageId(d), i / 2}});
    timeline.append_lane({LaneRole::compute, DeviceId(d), {}, 0, 0}, rows);
  }
  Simulation predicted;
  predicted.iteration = timeline.makespan();
  predicted.timeline = timeline;
  run.predicted = std::make_shared<const Simulation>(std::move(predicted));
  run.events = {RunStarted{}, MeasuredTimeline{1, std::move(timeline)}, StepDone{1, 0, Seconds(1), 1, {}, {}}};
  run.samples_per_second = 1;
  return run;
}

class Watch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void say(const char* what, double ms) { std::printf("%-42s %8.1f ms\n", what, ms); }

}  // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  QTemporaryDir folder;
  const QString file = folder.filePath("large.pipedeck");
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  {
    Session session(SessionSeams{});
    session.open_sample();
    ProjectState state = session.state();
    Plan plan;
    plan.stages.push_back(
        {.first = 0, .last = 1, .devices = {DeviceId(0)}, .shares = {}, .recompute = {}, .extra = {}});
    for (int i = 0; i < runs; ++i)
      state = with_run(std::move(state), std::make_shared<const RunRecord>(run_of(plan, i))).state;
    const Watch watch;
    if (!write_project(file.toStdString(), content_of(state))) return 1;
    say("written whole", watch.ms());
    std::printf("%-42s %8.1f MB\n", "size of the file", static_cast<double>(QFileInfo(file).size()) / 1e6);
  }
  for (int round = 0; round < 5; ++round) {
    MainWindow window({real_dialogs(), &settings, {}, folder.filePath("state")});
    window.show();
    QCoreApplication::processEvents();
    const Watch opening;
    window.open_files({file});
    (void)window.grab();
    say("opened to the first picture", opening.ms());
    const Watch showing;
    window.run_page().show_run(window.session().state().runs.front().id);
    window.show_page(Page::run);
    (void)window.grab();
    say("a run of 100 000 operations shown", showing.ms());
    const Watch first;
    window.session().set_global_batch(1000 + round);
    say("first edit, on disk", first.ms());
    double most = 0;
    for (int i = 0; i < 20; ++i) {
      const Watch watch;
      window.session().set_global_batch(2000 + i);
      most = std::max(most, watch.ms());
    }
    say("a further edit, on disk, slowest of 20", most);
    const Watch saving;
    if (!window.session().save()) return 1;
    say("saved", saving.ms());
  }
  return 0;
}
