// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of the Gantt chart at 1920 x 1080 over 64 lanes: how long one takes at several zooms, and how long a timeline
// takes to be made ready. Prints the median and the 95th percentile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <QApplication>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>

#include "app/models/gantt/preview.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/memory/view.hpp"
#include "tests/app/models/synthetic_simulation.hpp"

using namespace pipedeck;

namespace {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the processor time of this thread, so that other load counts less.
double processor_milliseconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double start = now();
  work();
  return now() - start;
}

void print(const char* what, std::size_t operations, double zoom, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("%-14s %9zu operations  zoom %8.0f  p50 %6.2f ms  p95 %6.2f ms\n", what, operations, zoom,
              times[times.size() / 2], times[times.size() * 95 / 100]);
}

struct FrameTimes {
  double median = 0, high = 0;
};

FrameTimes summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 95 / 100]};
}

/// Whole repaints at one zoom, panned and zoomed by a little each time.
FrameTimes frames(views::gantt::View& view, double zoom) {
  constexpr int count = 30;
  QImage picture(view.size(), QImage::Format_RGB32);
  views::gantt::TimeAxisController& link = view.link();
  link.fit();
  link.zoom(zoom, link.axis().full / 3);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    // Half a pixel at least, so that every frame is drawn anew.
    link.pan((i % 2 == 0 ? 1 : -1) * link.axis().span() * 0.01 * (1 + i % 7));
    link.zoom(i % 2 == 0 ? 1.01 : 1 / 1.01, link.axis().begin);
    times.push_back(processor_milliseconds_of([&] { view.render(&picture); }));
  }
  return summary(times);
}

/// The mouse over the chart: hover, card and cursor.
FrameTimes hovering(views::gantt::View& view) {
  QImage picture(view.size(), QImage::Format_RGB32);
  std::vector<double> times;
  for (int i = 0; i < 60; ++i) {
    const QPointF at(200 + 25 * i, 20 + 11 * i);
    times.push_back(processor_milliseconds_of([&] {
      QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
      QApplication::sendEvent(&view, &event);
      view.render(&picture);
    }));
  }
  return summary(times);
}

/// A path through as many operations as there are: lane after lane, each to its end.
std::shared_ptr<const CriticalPath> long_path(const models::gantt::Content& content, std::size_t links) {
  auto path = std::make_shared<CriticalPath>();
  const Timeline& timeline = *content.timeline;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < links; ++i) {
    const std::size_t lane = i / 50 % timeline.lanes.size();
    const std::size_t at =
        models::gantt::first_starting_from(timeline, timeline.lanes[lane], static_cast<double>(time));
    if (at >= timeline.lanes[lane].end) break;
    path->links.push_back({lane,
                           at,
                           LaneRole::compute,
                           timeline.lanes[lane].device,
                           {},
                           timeline.row(at).operation,
                           Nanoseconds(time),
                           timeline.row(at).end(),
                           {},
                           WaitCause::device});
    time = timeline.row(at).end().count;
  }
  path->end = Nanoseconds(time);
  return path;
}

/// The worst of many zooms, those where bins give way to boxes among them.
void all_zooms(views::gantt::View& view, const char* what, std::size_t operations) {
  FrameTimes worst;
  double at = 1;
  for (double zoom = 1; zoom < 4e6 && zoom * 40 < static_cast<double>(operations); zoom *= 2.1) {
    const FrameTimes times = frames(view, zoom);
    if (times.high > worst.high) worst = times, at = zoom;
  }
  std::printf("%-24s %9zu operations  p50 %6.2f ms  p95 %6.2f ms  (worst, at zoom %.0f)\n", what, operations,
              worst.median, worst.high, at);
}

std::size_t bytes_of(const models::gantt::Content& content) {
  std::size_t bytes = 0;
  for (const models::gantt::LanePyramid& pyramid : content.pyramids)
    for (const auto& level : pyramid.levels) bytes += level.capacity();
  for (const models::gantt::LaneSums& sums : content.sums)
    bytes += sums.before.capacity() * sizeof(models::gantt::KindTimes);
  return bytes;
}

/// One timeline over 64 lanes in a window of 1920 x 1080.
void charts(std::size_t operations, bool burst) {
  const auto timeline = app::random_timeline(operations, 64, 7, burst);
  std::shared_ptr<const models::gantt::Content> content;
  const double preview = milliseconds_of([&] { content = models::gantt::make_gantt_preview(*timeline); });
  const double ready = milliseconds_of([&] { content = models::gantt::make_gantt_content(timeline); });
  std::printf("%-24s %9zu operations  preview %.1f ms, made ready %.0f ms, %.1f MB beside the columns\n",
              burst ? "bursts" : "even", operations, preview, ready, static_cast<double>(bytes_of(*content)) / 1e6);
  views::gantt::TimeAxisController link;
  views::gantt::View view(&link);
  view.setFixedSize(1920, 1080);
  view.set_content(content);
  link.set_full(static_cast<double>(content->end));
  all_zooms(view, "frame", operations);
  if (burst) return;
  link.fit();
  const FrameTimes hover = hovering(view);
  std::printf("%-24s %9zu operations  p50 %6.2f ms  p95 %6.2f ms\n", "mouse moving", operations, hover.median,
              hover.high);
  view.set_critical(long_path(*content, 1'000'000));
  all_zooms(view, "frame, critical path", operations);
  view.set_critical(nullptr);
  std::shared_ptr<const models::gantt::Matches> matches;
  const double search = milliseconds_of(
      [&] { matches = models::gantt::find_matches(content, models::gantt::parse_gantt_query("B").query); });
  std::printf("%-24s %9zu operations  %.0f ms, %zu found\n", "search B", operations, search, matches->count());
  view.set_matches(matches);
  all_zooms(view, "frame, half are matches", operations);
}

/// Measures the cost of a cut's move in the charts: 64 devices x 512 micro-batches prepared and drawn.
void drag() {
  views::compare::Pane pane;
  pane.resize(1920, 1080);
  app::SyntheticPipeline pipeline{.stages = 64,
                                  .replicas = 1,
                                  .micro_batches = 512,
                                  .forward_ms = 4,
                                  .backward_ms = 8,
                                  .skew = 0,
                                  .transfer_ms = 0.5};
  models::compare::PlanRow row;
  row.id = 1;
  QImage picture(pane.size(), QImage::Format_RGB32);
  std::vector<double> times;
  for (int i = 0; i < 24; ++i) {
    pipeline.forward_ms = 4 + 0.1 * (i % 5);
    row.simulation = app::synthetic_simulation(pipeline);
    times.push_back(milliseconds_of([&] {
      pane.set_rows({row});
      pane.render(&picture);
    }));
  }
  print("drag", row.simulation->timeline.size(), 1, times);
}

/// Notches of the wheel over 256 devices x 1,024 micro-batches, all lanes open, and a span that is dragged on the time
/// scale, with its sums; processor time with the repaint of the whole pane.
void notches() {
  views::compare::Pane pane;
  pane.resize(1920, 1080);
  models::compare::PlanRow row;
  row.id = 1;
  row.simulation = app::synthetic_simulation({.stages = 256,
                                              .replicas = 1,
                                              .micro_batches = 1024,
                                              .forward_ms = 4,
                                              .backward_ms = 8,
                                              .skew = 0,
                                              .transfer_ms = 0.5});
  row.charts.gantt = models::gantt::make_gantt_content(row.simulation);
  pane.set_rows({row});
  pane.show();
  QApplication::processEvents();
  QWidget& view = pane.panels().front()->gantt();
  QScrollBar* bar = pane.findChild<QScrollArea*>(QStringLiteral("comparison_scroll"))->verticalScrollBar();
  QImage picture(pane.size(), QImage::Format_RGB32);
  const std::size_t operations = row.simulation->timeline.size();
  const auto measure = [&](const char* what, Qt::KeyboardModifiers modifiers) {
    for (const double zoom : {1.0, 20.0, 400.0}) {
      pane.link().fit();
      pane.link().zoom(zoom, pane.link().axis().full / 3);
      std::vector<double> times;
      for (int i = 0; i < 40; ++i)
        times.push_back(processor_milliseconds_of([&] {
          const QPointF at(900, 200);
          QWheelEvent event(at, view.mapToGlobal(at), {}, {0, i % 20 < 10 ? -120 : 120}, Qt::NoButton, modifiers,
                            Qt::NoScrollPhase, false);
          if (modifiers == Qt::NoModifier)  // as the scroll area does
            bar->setValue(bar->value() + (i % 20 < 10 ? 60 : -60));
          else
            QApplication::sendEvent(&view, &event);
          QApplication::processEvents();
          pane.render(&picture);
        }));
      print(what, operations, zoom, times);
    }
  };
  measure("wheel: scroll", {});
  measure("Ctrl: zoom", Qt::ControlModifier);
  measure("Shift: time", Qt::ShiftModifier);
  pane.link().fit();
  std::vector<double> times;
  for (int i = 1; i < 60; ++i)
    times.push_back(processor_milliseconds_of([&] {
      pane.link().set_measure(
          views::gantt::TimeMeasure{pane.link().axis().full * 0.2, pane.link().axis().full * (0.2 + 0.01 * i)});
      pane.render(&picture);
    }));
  print("span, dragged", operations, 1, times);
}

/// Memory by item of 64 devices x 512 micro-batches, every device a strip of its own, in a scrolled window of
/// 1920 x 1080: a whole repaint, zoomed and panned; processor time.
void memory_strips() {
  const auto simulation =
      app::synthetic_simulation({.stages = 64, .replicas = 1, .micro_batches = 512, .forward_ms = 4, .backward_ms = 8});
  views::gantt::TimeAxisController link;
  QScrollArea window;
  window.setFrameShape(QFrame::NoFrame);
  window.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  window.setFixedSize(1920, 1080);
  auto* shown = new views::memory::View(&link);
  views::memory::View& view = *shown;
  view.set_simulation(simulation);
  view.set_by_item(true);
  view.set_items(models::memory::make_memory_stacks(app::synthetic_items(*simulation)));
  view.setFixedSize(1920, view.sizeHint().height());
  window.setWidget(shown);
  window.show();
  link.set_full(static_cast<double>(simulation->timeline.makespan().count));
  std::size_t points = 0;
  for (const SimulatedDevice& device : simulation->devices) points += device.curve.size();
  QImage picture(window.size(), QImage::Format_RGB32);
  for (const double zoom : {1.0, 3.0, 10.0, 100.0, 1000.0}) {
    link.fit();
    link.zoom(zoom, link.axis().full / 3);
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
      link.pan((i % 2 == 0 ? 1 : -1) * link.axis().span() * 0.01 * (1 + i % 7));
      link.zoom(i % 2 == 0 ? 1.01 : 1 / 1.01, link.axis().begin);
      times.push_back(processor_milliseconds_of([&] { window.render(&picture); }));
    }
    print("memory strips", points, zoom, times);
  }
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // 100 million take 2.3 GB of columns: alone, and only where asked for.
  if (argc > 1 && std::string_view(argv[1]) == "--huge") {
    charts(100'000'000, false);
    return 0;
  }
  if (argc > 1 && std::string_view(argv[1]) == "--notches") {
    notches();
    return 0;
  }
  if (argc > 1) {  // only the given number of operations
    charts(std::stoull(argv[1]), false);
    return 0;
  }
  for (const std::size_t operations : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
    charts(operations, false);
    charts(operations, true);
  }
  drag();
  notches();
  memory_strips();
  return 0;
}
