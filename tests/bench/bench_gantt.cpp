// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of the Gantt chart at 1920 x 1080 over 64 lanes: how long one takes at several zooms, and how long a timeline
// takes to be made ready. Prints the median and the 95th percentile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include <QApplication>
#include <QScrollArea>

#include "app/views/comparison_pane.hpp"
#include "app/views/gantt_view.hpp"
#include "app/views/memory_view.hpp"
#include "tests/app/models/synthetic_simulation.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Of this thread alone, so that other work on the machine counts less.
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

void frames(GanttView& view, std::size_t operations, double zoom) {
  constexpr int count = 60;
  QImage picture(view.size(), QImage::Format_RGB32);
  TimeLink& link = view.link();
  link.fit();
  link.zoom(zoom, link.axis().full / 3);
  std::vector<double> times, cursor_times;
  for (int i = 0; i < count; ++i) {
    // Half a pixel at least, so that every frame is drawn anew.
    link.pan((i % 2 == 0 ? 1 : -1) * link.axis().span() * 0.01 * (1 + i % 7));
    link.zoom(i % 2 == 0 ? 1.01 : 1 / 1.01, link.axis().begin);
    times.push_back(milliseconds_of([&] { view.render(&picture); }));
    link.set_cursor(link.axis().begin + link.axis().span() * i / count);
    cursor_times.push_back(milliseconds_of([&] { view.render(&picture); }));
  }
  print("frame", operations, zoom, times);
  if (zoom == 1) print("cursor only", operations, zoom, cursor_times);
}

/// What a move of a cut costs the charts: 64 devices x 512 micro-batches made ready and drawn.
void drag() {
  ComparisonPane pane;
  pane.resize(1920, 1080);
  SyntheticPipeline pipeline{.stages = 64,
                             .replicas = 1,
                             .micro_batches = 512,
                             .forward_ms = 4,
                             .backward_ms = 8,
                             .skew = 0,
                             .transfer_ms = 0.5};
  PlanRow row;
  row.id = 1;
  QImage picture(pane.size(), QImage::Format_RGB32);
  std::vector<double> times;
  for (int i = 0; i < 24; ++i) {
    pipeline.forward_ms = 4 + 0.1 * (i % 5);
    row.simulation = synthetic_simulation(pipeline);
    times.push_back(milliseconds_of([&] {
      pane.set_rows({row});
      pane.render(&picture);
    }));
  }
  print("drag", row.simulation->timeline.size(), 1, times);
}

/// Memory by item of 64 devices x 512 micro-batches, every device a strip of its own, in a scrolled window of
/// 1920 x 1080: a whole repaint, zoomed and panned; processor time.
void memory_strips() {
  const auto simulation =
      synthetic_simulation({.stages = 64, .replicas = 1, .micro_batches = 512, .forward_ms = 4, .backward_ms = 8});
  TimeLink link;
  QScrollArea window;
  window.setFrameShape(QFrame::NoFrame);
  window.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  window.setFixedSize(1920, 1080);
  auto* shown = new MemoryView(&link);
  MemoryView& view = *shown;
  view.set_simulation(simulation);
  view.set_by_item(true);
  view.set_items(make_memory_stacks(synthetic_items(*simulation)));
  view.setFixedSize(1920, view.sizeHint().height());
  window.setWidget(shown);
  window.show();
  link.set_full(static_cast<double>(simulation->timeline.makespan().count));
  std::size_t points = 0;
  for (const DeviceVerdict& device : simulation->devices) points += device.curve.size();
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
  for (const std::size_t operations : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
    const auto timeline = random_timeline(operations, 64, 7);
    std::shared_ptr<const GanttContent> content;
    const double ready = milliseconds_of([&] { content = make_gantt_content(timeline); });
    std::printf("%-14s %9zu operations  %.1f ms\n", "made ready", operations, ready);
    TimeLink link;
    GanttView view(&link);
    view.setFixedSize(1920, 1080);
    view.set_content(content);
    link.set_full(static_cast<double>(content->end));
    for (const double zoom : {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10'000.0, 100'000.0})
      frames(view, operations, zoom);
  }
  drag();
  memory_strips();
  return 0;
}
