// SPDX-License-Identifier: GPL-3.0-or-later
// A project of 100 runs and 10 million operations: opened to the first picture, edited, saved; a run of a million
// measured and as many predicted operations taken into it.
#include <chrono>
#include <cstdio>

#include <QApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QSettings>
#include <QTemporaryDir>

#include "app/session/project/content.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "tests/app/ui/large_runs.hpp"
#include "tests/app/ui/latency_probe.hpp"

using namespace pipedeck;

namespace {

constexpr int runs = 100, operations = 100'000, operations_of_trace = 2'000'000;

class Watch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// As an import gives it.
std::shared_ptr<const session::project::RunRecord> trace(const session::project::State& state) {
  return std::make_shared<const session::project::RunRecord>(
      test::large_run(state.runs.front().run->plan, runs, operations_of_trace));
}

void say(const char* what, double ms) { std::printf("%-42s %8.1f ms\n", what, ms); }

}  // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  QTemporaryDir folder;
  const QString file = folder.filePath("large.pipedeck");
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  {
    session::Session session(session::SessionServices{});
    session.open_sample();
    const session::project::State state = test::with_large_runs(session.state(), runs, operations);
    const Watch watch;
    if (!store::write_project(file.toStdString(), session::project::content_of(state))) return 1;
    say("written whole", watch.ms());
    std::printf("%-42s %8.1f MB\n", "size of the file", static_cast<double>(QFileInfo(file).size()) / 1e6);
  }
  for (int round = 0; round < 5; ++round) {
    ui::window::MainWindow window({ui::dialogs::interactive_dialogs(), &settings, {}, folder.filePath("state")});
    window.show();
    QCoreApplication::processEvents();
    const Watch opening;
    window.open_files({file});
    (void)window.grab();
    say("opened to the first picture", opening.ms());
    const Watch showing;
    window.run_page().show_run(window.session().state().runs.front().id);
    window.show_page(ui::window::Page::run);
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
    test::LatencyProbe probe;
    const Watch saving;
    if (!window.session().start_save()) return 1;
    say("saving: the call", saving.ms());
    window.session().set_global_batch(3000);
    while (window.session().saver().busy()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    say("saved, on its thread", saving.ms());
    say("longest that the window did not answer", probe.longest_ms());
    session::project::State next =
        session::project::with_run(window.session().state(), trace(window.session().state())).state;
    test::LatencyProbe importing;
    const Watch taking;
    window.session().change("trace", std::move(next));
    say("a trace of a million events: the change", taking.ms());
    const Watch edit;
    window.session().set_global_batch(4000);
    say("the next edit, on disk", edit.ms());
    for (const Watch watch; watch.ms() < 1000;) QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    say("longest without an answer, one second", importing.longest_ms());
    say("of it processor time of the window", importing.longest_own_ms());
    const Watch undo;
    window.session().undo();
    say("taken back, on disk", undo.ms());
    const Watch save;
    if (!window.session().save()) return 1;
    say("saved, the copy removed", save.ms());
  }
  return 0;
}
