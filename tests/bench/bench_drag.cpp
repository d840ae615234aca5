// SPDX-License-Identifier: GPL-3.0-or-later
// A drag in the real window: from the move of the mouse until charts, memory curves and figures show the plan under the
// hand. 64 devices x 512 micro-batches, a cut of 64 stages and a device chip of 8 stages; in the `shared` network from
// the last of many moves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/plan_edits.hpp"
#include "app/ui/compare_page.hpp"
#include "app/ui/main_window.hpp"
#include "app/views/split_editor.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

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
        window_(WindowSeams{{}, &settings_, {}, {}}) {
    Session& session = window_.session();
    Profile profile = test::uniform_profile(256, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers)
      layer.output = Bytes(1'000'000), layer.parameters = Bytes(10'000'000), layer.saved = Bytes(2'000'000);
    Added added = with_profile(session.state(), profile);
    added.state.question.profile = added.id;
    const int profile_id = added.id;
    added = with_cluster(std::move(added.state), test::servers(8, 8, Bytes(std::int64_t{80} << 30)));
    added.state.question.cluster = added.id;
    PlanEntry entry;
    entry.profile = profile_id;
    entry.cluster = added.id;
    entry.plan = std::make_shared<const Plan>(plan_of(stages));
    entry.edited = true;
    added.state.question.workload.global_batch = entry.plan->global_batch;
    added.state.question.workload.conventions.network = network;
    added = with_plan(std::move(added.state), entry);
    added.state.selected_plan = id_ = added.id;
    session.change("bench", std::move(added.state));
    window_.resize(1920, 1080);
    window_.show();
    window_.show_page(Page::compare);
    const bool ready = QTest::qWaitFor(
        [&] { return !session.jobs().any_running() && page().row(id_) && page().row(id_)->simulation; }, 60000);
    if (!ready) qFatal("the plan was not simulated");
    QTest::qWait(200);
  }

  SplitEditor& split() { return page().split(); }
  void press(const QPoint& at) { QTest::mousePress(&split(), Qt::LeftButton, {}, at); }
  void escape() { QTest::keyClick(&split(), Qt::Key_Escape); }
  void send_move(const QPoint& at) {
    QMouseEvent event(QEvent::MouseMove, QPointF(at), split().mapToGlobal(QPointF(at)), Qt::NoButton, Qt::LeftButton,
                      {});
    QCoreApplication::sendEvent(&split(), &event);
  }
  /// Until what is under the hand is on the screen.
  void settle() {
    const auto shown = [&] {
      const PlanRow* row = page().row(id_);
      return row && row->simulation && row->plan == split().draft().shown() && !window_.session().live().busy();
    };
    while (!shown()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }
  ComparePage& page() { return window_.compare_page(); }
  std::size_t operations() { return page().row(id_)->simulation->timeline.size(); }

 private:
  QTemporaryDir directory_;
  QSettings settings_;
  MainWindow window_;
  int id_ = 0;
};

void print(const char* what, std::size_t operations, std::vector<double> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::printf("%-34s %7zu operations  %3zu steps  p50 %6.1f ms  p95 %6.1f ms\n", what, operations, times.size(),
              times[times.size() / 2], times[times.size() * 95 / 100]);
  std::fflush(stdout);
}

/// Every step is another plan, so that none is remembered.
void steps(const char* what, Bench& bench, const QPoint& from, const std::vector<QPoint>& path) {
  bench.press(from);
  std::vector<double> times;
  for (const QPoint& at : path) {
    const Plan before = bench.split().draft().shown();
    const auto start = Clock::now();
    bench.send_move(at);
    bench.settle();
    if (bench.split().draft().shown() != before) times.push_back(milliseconds_since(start));
  }
  print(what, bench.operations(), times);
  bench.escape();
}

void last_of_many(const char* what, Bench& bench, const QPoint& from, const std::vector<QPoint>& path) {
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
  print(what, bench.operations(), times);
}

/// Of one stage after the other, each to where none was before.
std::vector<QPoint> places_of_chip(Bench& bench) {
  std::vector<QPoint> path;
  for (std::size_t stage = 1; stage < 8; ++stage)
    for (int device : {0, 3, 6})
      path.push_back(bench.split().chip_position(DeviceId(static_cast<std::int32_t>(8 * stage) + device)) +
                     QPoint(3, 0));
  return path;
}

std::vector<QPoint> places_of_cut(Bench& bench, int stage) {
  const SplitLayout& layout = bench.split().layout_now();
  std::vector<QPoint> path;
  for (int cut = layout.firsts[static_cast<std::size_t>(stage) - 1] + 1;
       cut < layout.firsts[static_cast<std::size_t>(stage) + 1]; ++cut)
    path.push_back(QPointF(layout.strip.x_of(cut), layout.areas.strip.top() - 4).toPoint());
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared}) {
    const bool ideal = network == NetworkModel::ideal;
    {
      Bench bench(8, network);
      const QPoint cut = bench.split().handle_position(4);
      if (ideal)
        steps("ideal, cut of 8 stages", bench, cut, places_of_cut(bench, 4));
      else
        last_of_many("shared, cut of 8 stages, last move", bench, cut, places_of_cut(bench, 4));
      const QPoint chip = bench.split().chip_position(DeviceId(5));
      if (ideal)
        steps("ideal, chip of 8 stages", bench, chip, places_of_chip(bench));
      else
        last_of_many("shared, chip of 8 stages, last move", bench, chip, places_of_chip(bench));
    }
    Bench bench(64, network);
    for (int turn = 0; turn < 12; ++turn) {  // a cut between close neighbours wants a closer look
      const QPointF at(500, 60);
      QWheelEvent wheel(at, bench.split().mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                        Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(&bench.split(), &wheel);
    }
    const int stage = bench.split().layout_now().stage_at(700).value_or(32);
    const QPoint cut = bench.split().handle_position(stage);
    if (ideal)
      steps("ideal, cut of 64 stages", bench, cut, places_of_cut(bench, stage));
    else
      last_of_many("shared, cut of 64 stages, last move", bench, cut, places_of_cut(bench, stage));
  }
  return 0;
}
