// SPDX-License-Identifier: GPL-3.0-or-later
// The Run view during a long run: 16 devices, ten samples per second, an hour. Measures how long the window does not
// answer while all of it arrives at once, and while it arrives at its own rate with one computing thread per core. Also
// the time of a refresh of the charts, and that no sample is lost.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <QApplication>
#include <QTest>

#include "app/session/runs/event_reader.hpp"
#include "app/views/run/view.hpp"
#include "tests/app/ui/latency_probe.hpp"
#include "tests/app/ui/long_run.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

/// A background load of computing threads.
class Computing {
 public:
  explicit Computing(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        volatile double x = 1;
        while (!done_) x = x * 1.0000001 + 1e-9;
      });
  }
  ~Computing() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::vector<std::thread> threads_;
};

struct Scene {
  views::run::View view;
  session::runs::EventReader reader;
  int samples = 0;

  Scene() {
    view.resize(1920, 1080);
    view.show();
    QObject::connect(&reader, &session::runs::EventReader::read, &view,
                     [this](const std::vector<Result<RunEvent>>& events) {
                       for (const auto& event : events) {
                         samples += event && std::holds_alternative<RunSample>(*event);
                         if (event) view.append(*event);
                       }
                     });
  }
  bool settle() {
    return QTest::qWaitFor([this] { return reader.idle(); }, 600'000);
  }
};

void feed(session::runs::EventReader& reader, const LongRun& run, int first, int last) {
  for (int i = first; i <= last; ++i) {
    reader.take(run.sample(i));
    if (run.ends_step(i)) reader.take(run.step(i));
  }
}

void refreshes(Scene& scene) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    QElapsedTimer clock;
    clock.start();
    scene.view.refresh_now();
    QCoreApplication::processEvents();
    times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
  }
  std::ranges::sort(times);
  std::printf("a refresh of the charts, painted: median %.1f ms, longest %.1f ms\n", times[10], times[19]);
}

void at_its_rate(Scene& scene, const LongRun& run, int seconds) {
  const Computing training(std::thread::hardware_concurrency());
  const LatencyProbe probe;
  for (int i = 0; i < 10 * seconds; ++i) {
    feed(scene.reader, run, run.samples + i + 1, run.samples + i + 1);
    QTest::qWait(100);
  }
  std::printf(
      "ten samples a second for %d s while every core computes: longest without the event loop %.1f ms, own processor "
      "time %.1f ms\n",
      seconds, probe.longest_ms(), probe.longest_own_ms());
}

}  // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  LongRun run;
  if (argc > 1) run.devices = std::max(1, QString::fromLocal8Bit(argv[1]).toInt());
  Scene scene;
  scene.view.start_run(QStringLiteral("an hour"));
  scene.reader.take(run.start());
  std::vector<QByteArray> lines;
  for (int i = 1; i <= run.samples; ++i) {
    lines.push_back(run.sample(i));
    if (run.ends_step(i)) lines.push_back(run.step(i));
  }
  {
    QElapsedTimer clock;
    clock.start();
    const LatencyProbe probe;
    // As a pipe hands them on: 64 KiB at a time.
    for (std::size_t next = 0; next < lines.size();) {
      for (qsizetype bytes = 0; next < lines.size() && bytes < 65'536; ++next) {
        bytes += lines[next].size();
        scene.reader.take(lines[next]);
      }
      QCoreApplication::processEvents();
    }
    if (!scene.settle()) return 1;
    std::printf(
        "%d samples of %d devices and %d steps at once: %.1f s, longest without the event loop %.1f ms, "
        "own processor time %.1f ms\n",
        run.samples, run.devices, run.steps(), static_cast<double>(clock.elapsed()) / 1000, probe.longest_ms(),
        probe.longest_own_ms());
  }
  refreshes(scene);
  at_its_rate(scene, run, 20);
  if (!scene.settle()) return 1;
  const int wanted = run.samples + 200;
  std::printf("samples kept: %d of %d, points of device 0: %zu\n", scene.samples, wanted,
              scene.view.model().busy(0).size());
  return scene.samples == wanted && static_cast<int>(scene.view.model().busy(0).size()) == wanted ? 0 : 1;
}
