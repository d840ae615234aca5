// SPDX-License-Identifier: GPL-3.0-or-later
// A drag in the real window, 64 devices x 512 micro-batches, cuts of 8 and of 64 stages and a device chip of 8 stages.
// Measures the time from the move of the mouse until the editor shows it, until charts, memory curves and figures show
// the dragged plan, and the processor time of the window's thread. Also the editor alone with 125 moves per second
// while charts are painted, and the `shared` network from the last of many moves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/plans/edits.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/split/editor.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Returns the processor time of this thread, independent of other programs.
double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// A detector of paints of the editor since its last query.
class Painted : public QObject {
 public:
  bool take() { return std::exchange(painted_, false); }
  bool eventFilter(QObject*, QEvent* event) override {
    painted_ |= event->type() == QEvent::Paint;
    return false;
  }

 private:
  bool painted_ = false;
};

Plan plan_of(int stages) {
  Plan plan;
  plan.name = "under the hand";
  plan.planner = "hand";
  plan.micro_batch = 16;
  plan.micro_batches = 512;
  plan.global_batch = 16 * 512;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = 256 / stages * s;
    stage.last = stage.first + 256 / stages;
    for (int r = 0; r < 64 / stages; ++r) stage.devices.push_back(DeviceId(std::int32_t{64 / stages * s + r}));
    plan.stages.push_back(stage);
  }
  return plan;
}

class Bench {
 public:
  explicit Bench(int stages, NetworkModel network)
      : settings_(directory_.filePath("settings.ini"), QSettings::IniFormat),
        window_(ui::window::WindowServices{{}, &settings_, {}, {}}) {
    session::Session& session = window_.session();
    Profile profile = test::uniform_profile(256, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers)
      layer.output = Bytes(1'000'000), layer.parameters = Bytes(10'000'000), layer.saved = Bytes(2'000'000);
    session::project::Added added = session::project::with_profile(session.state(), profile);
    added.state.question.profile = added.id;
    const int profile_id = added.id;
    added = session::project::with_cluster(std::move(added.state), test::servers(8, 8, Bytes(std::int64_t{80} << 30)));
    added.state.question.cluster = added.id;
    session::project::PlanEntry entry;
    entry.profile = profile_id;
    entry.cluster = added.id;
    entry.plan = std::make_shared<const Plan>(plan_of(stages));
    entry.edited = true;
    added.state.question.workload.global_batch = entry.plan->global_batch;
    added.state.question.workload.conventions.network = network;
    added = session::project::with_plan(std::move(added.state), entry);
    added.state.selected_plan = id_ = added.id;
    session.change("bench", std::move(added.state));
    window_.resize(1920, 1080);
    window_.show();
    window_.show_page(ui::window::Page::compare);
    const bool ready = QTest::qWaitFor(
        [&] { return !session.jobs().any_running() && page().row(id_) && page().row(id_)->simulation; }, 60000);
    if (!ready) qFatal("the plan was not simulated");
    QTest::qWait(200);
    split().installEventFilter(&painted_);
    QObject::connect(&session.live(), &session::plans::PreviewSimulator::simulated,
                     [this] { simulated_ = Clock::now(); });
    QObject::connect(&page().charts(), &views::compare::Pane::charts_changed, [this] { charted_ = Clock::now(); });
  }
  /// When the last simulation, and the last charts made of one, came to the window.
  Clock::time_point simulated() const { return simulated_; }
  Clock::time_point charted() const { return charted_; }

  views::split::Editor& split() { return page().split(); }
  void press(const QPoint& at) { QTest::mousePress(&split(), Qt::LeftButton, {}, at); }
  void escape() { QTest::keyClick(&split(), Qt::Key_Escape); }
  void send_move(const QPoint& at) {
    QMouseEvent event(QEvent::MouseMove, QPointF(at), split().mapToGlobal(QPointF(at)), Qt::NoButton, Qt::LeftButton,
                      {});
    QCoreApplication::sendEvent(&split(), &event);
  }
  /// Until the editor shows where the hand is.
  void show_editor() {
    painted_.take();
    split().update();
    while (!painted_.take()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  }
  /// Until what is under the hand is on the screen.
  void settle() {
    const auto shown = [&] {
      const models::compare::PlanRow* row = page().row(id_);
      if (!row || !row->simulation || row->plan != split().draft().shown()) return false;
      const views::compare::PlanPanel* panel = page().charts().panel(id_);
      return !window_.session().live().busy() && panel->row().simulation == row->simulation;
    };
    while (!shown()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }
  ui::pages::ComparePage& page() { return window_.compare_page(); }
  std::size_t operations() { return page().row(id_)->simulation->timeline.size(); }

 private:
  QTemporaryDir directory_;
  QSettings settings_;
  Painted painted_;
  Clock::time_point simulated_, charted_;
  ui::window::MainWindow window_;
  int id_ = 0;
};

double at(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(static_cast<double>(times.size() - 1) * share)];
}

void print(const char* what, const char* until, const std::vector<double>& times) {
  if (times.empty()) qFatal("%s: nothing was dragged", what);
  std::printf("%-24s %-34s %3zu steps  p50 %6.1f ms  p95 %6.1f ms\n", what, until, times.size(), at(times, 0.5),
              at(times, 0.95));
  std::fflush(stdout);
}

/// Where a drag begins and goes.
struct Path {
  QPoint from;
  std::vector<QPoint> places;
};

/// Every step is another plan, so that none is remembered.
void steps(const char* what, Bench& bench, const std::vector<Path>& paths) {
  std::vector<double> editor, simulated, charted, all, window;
  for (const Path& path : paths) {
    bench.press(path.from);
    for (const QPoint& at : path.places) {
      const Plan before = bench.split().draft().shown();
      const auto start = Clock::now();
      const double processor = processor_milliseconds();
      bench.send_move(at);
      bench.show_editor();
      const double seen = milliseconds_since(start);
      bench.settle();
      if (bench.split().draft().shown() == before) continue;
      const auto after = [&](Clock::time_point at) {
        return std::chrono::duration<double, std::milli>(at - start).count();
      };
      simulated.push_back(after(bench.simulated()));
      charted.push_back(after(bench.charted()));
      editor.push_back(seen);
      all.push_back(milliseconds_since(start));
      window.push_back(processor_milliseconds() - processor);
    }
    bench.escape();
    bench.settle();
  }
  print(what, "until the editor shows it", editor);
  print(what, "until it is simulated", simulated);
  print(what, "until its charts are made", charted);
  print(what, "until all shows it", all);
  print(what, "processor time of the window", window);
}

/// A move is due every 8 ms, whatever the window is at; of several that are due only the last is sent, as a mouse's
/// are.
void stream(const char* what, Bench& bench, const std::vector<Path>& paths) {
  constexpr double every = 8;  // ms
  std::vector<double> late;
  for (const Path& path : paths) {
    bench.press(path.from);
    const auto start = Clock::now();
    for (std::size_t next = 0; next < path.places.size();) {
      QCoreApplication::processEvents();
      const double now = milliseconds_since(start);
      if (now < static_cast<double>(next) * every) continue;
      next = std::min(path.places.size() - 1, static_cast<std::size_t>(now / every));
      bench.send_move(path.places[next]);
      bench.show_editor();
      late.push_back(milliseconds_since(start) - static_cast<double>(next) * every);
      ++next;
    }
    bench.escape();
    bench.settle();
  }
  print(what, "125 moves a second, the editor", late);
}

void last_of_many(const char* what, Bench& bench, const Path& drag) {
  const auto& [from, path] = drag;
  std::vector<double> times;
  for (int round = 0; round < 6; ++round) {
    bench.press(from);
    for (const QPoint& at : path) {
      bench.send_move(at);
      QTest::qWait(8);
    }
    bench.send_move(path.back() + QPoint(round + 1, 0) * 7);
    const auto start = Clock::now();
    bench.settle();
    times.push_back(milliseconds_since(start));
    bench.escape();
  }
  print(what, "all, from the last of many moves", times);
}

/// Returns a path over one stage after another, each without the chip so far.
Path path_of_chip(Bench& bench) {
  Path path{bench.split().chip_position(DeviceId(5)), {}};
  for (std::size_t stage = 1; stage < 8; ++stage)
    for (int device : {0, 3, 6})
      path.places.push_back(bench.split().chip_position(DeviceId(static_cast<std::int32_t>(8 * stage) + device)) +
                            QPoint(3, 0));
  return path;
}

Path path_of_cut(Bench& bench, int stage) {
  const models::split::Layout& layout = bench.split().layout_now();
  Path path{bench.split().handle_position(stage), {}};
  for (int cut = layout.firsts[static_cast<std::size_t>(stage) - 1] + 1;
       cut < layout.firsts[static_cast<std::size_t>(stage) + 1]; ++cut)
    path.places.push_back(QPointF(layout.strip.x_of(cut), layout.areas.strip.top() - 4).toPoint());
  return path;
}

/// A cut between close neighbours wants a closer look.
void zoom(Bench& bench) {
  for (int turn = 0; turn < 12; ++turn) {
    const QPointF at(500, 60);
    QWheelEvent wheel(at, bench.split().mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&bench.split(), &wheel);
  }
}

/// Returns paths of the cuts in view with both their neighbours.
std::vector<Path> paths_of_cuts(Bench& bench) {
  const models::split::Layout& layout = bench.split().layout_now();
  const auto in_view = [&](std::size_t stage) {
    constexpr double edge = 40;  // nearer to it a drag pans
    const double x = layout.strip.x_of(layout.firsts[stage]);
    return x > layout.areas.strip.left() + edge && x < layout.areas.strip.right() - edge;
  };
  std::vector<Path> paths;
  for (std::size_t stage = 1; stage + 1 < layout.firsts.size(); ++stage)
    if (in_view(stage - 1) && in_view(stage) && in_view(stage + 1))
      paths.push_back(path_of_cut(bench, static_cast<int>(stage)));
  return paths;
}

void drag_cuts(int stages, NetworkModel network) {
  Bench bench(stages, network);
  if (stages > 8) zoom(bench);
  const std::vector<Path> paths = paths_of_cuts(bench);
  if (paths.empty()) qFatal("no cut is in view");
  const std::string what = "cuts of " + std::to_string(stages) + " stages";
  std::printf("%zu operations\n", bench.operations());
  if (network == NetworkModel::shared) return last_of_many(what.c_str(), bench, paths[paths.size() / 2]);
  steps(what.c_str(), bench, paths);
}

/// Drags cuts of another project, so that no plan is cached.
void drag_cuts_in_a_stream(int stages) {
  Bench bench(stages, NetworkModel::ideal);
  if (stages > 8) zoom(bench);
  stream(("cuts of " + std::to_string(stages) + " stages").c_str(), bench, paths_of_cuts(bench));
}

void drag_chip(NetworkModel network) {
  Bench bench(8, network);
  const Path path = path_of_chip(bench);
  if (network == NetworkModel::shared) return last_of_many("chip of 8 stages", bench, path);
  steps("chip of 8 stages", bench, {path});
}

}  // namespace

/// "ideal" or "shared" alone, else both.
int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const QStringList wanted = QCoreApplication::arguments().mid(1);
  for (const auto& [name, network] : {std::pair("ideal", NetworkModel::ideal), {"shared", NetworkModel::shared}}) {
    if (!wanted.isEmpty() && !wanted.contains(QLatin1String(name))) continue;
    std::printf("-- %s\n", name);
    for (const int stages : {8, 64}) {
      drag_cuts(stages, network);
      if (network == NetworkModel::ideal) drag_cuts_in_a_stream(stages);
    }
    drag_chip(network);
  }
  return 0;
}
