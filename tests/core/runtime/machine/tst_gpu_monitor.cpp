// SPDX-License-Identifier: Apache-2.0
// A driver's reports on GPUs, read during a training of one process and of several; a test library replaces the
// driver's.
#include <QElapsedTimer>
#include <QTest>

#include <ctime>
#include <deque>
#include <thread>

#include <dlfcn.h>

#include "core/runtime/train/run_gpus.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gpu_monitor {

using namespace std::chrono_literals;

/// Device `device` of the plan on GPU `place` of the machine, as CUDA names that.
runtime::machine::PlacedGpu placed(int device, int place) {
  const QString uuid = QStringLiteral("00000000-0000-0000-0000-%1").arg(place + 1, 12, 16, QLatin1Char('0'));
  const QString bus = QStringLiteral("00000000:%1:00.0").arg(place + 1, 2, 16, QLatin1Char('0'));
  return {device, "NVIDIA H200", uuid.toStdString(), bus.toStdString()};
}

/// Another process: what it gathers goes to the first one.
class Second : public runtime::transport::ProcessGroup {
 public:
  bool is_rank_zero() const override { return false; }
  std::vector<std::string> gather(std::string mine) override {
    told.push_back(std::move(mine));
    return {};
  }
  std::deque<std::string> told;
};

class First : public runtime::transport::ProcessGroup {
 public:
  explicit First(Second& second) : second_(second) {}
  std::vector<std::string> gather(std::string mine) override {
    std::vector<std::string> all{std::move(mine), second_.told.front()};
    second_.told.pop_front();
    return all;
  }

 private:
  Second& second_;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Environment variables of the stand-in, for as long as it lives.
class With {
 public:
  explicit With(const char* name, const char* value) : name_(name) { qputenv(name, value); }
  ~With() { qunsetenv(name_); }

 private:
  const char* name_;
};

class TestGpuWatch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY2(dlopen(PIPEDECK_FAKE_DRIVER "/libnvidia-ml.so.1", RTLD_NOW | RTLD_GLOBAL), dlerror());
  }

  void what_is_read_is_what_the_driver_says() {
    const With count("FAKE_GPUS", "4");
    const auto watch = runtime::machine::GpuMonitor::open({placed(0, 3), placed(1, 0)}, 20ms);
    QVERIFY(watch.has_value());
    QCOMPARE((*watch)->gpus().size(), std::size_t{2});
    QCOMPARE((*watch)->gpus()[0].devices, std::vector<int>{0});
    QCOMPARE(*(*watch)->latest()[0].power, 380.0);
    QCOMPARE((*watch)->latest()[0].memory->count, 1300ll << 20);
    QCOMPARE(*(*watch)->latest()[1].power, 350.0);
    std::this_thread::sleep_for(300ms);
    const runtime::machine::GpuMonitor::Sums sums = (*watch)->finish();
    QVERIFY(*sums.energy[0] >= 0.3 * 380 - 1);
    QVERIFY(*sums.energy[0] < 3 * 380);
    QVERIFY(sums.poll && sums.poll->count > 0);
  }

  void devices_that_share_a_gpu_have_one_row() {
    const auto watch = runtime::machine::GpuMonitor::open({placed(4, 0), placed(5, 1), placed(6, 0)}, 50ms);
    QVERIFY(watch.has_value());
    QCOMPARE((*watch)->gpus().size(), std::size_t{2});
    QCOMPARE((*watch)->gpus()[0].devices, (std::vector<int>{4, 6}));
    QCOMPARE((*watch)->gpus()[1].devices, std::vector<int>{5});
  }

  /// By its bus if the UUID is missing, and never by the bus of a slice's board.
  void gpus_without_a_uuid_are_found_by_their_bus() {
    runtime::machine::PlacedGpu whole = placed(0, 1), slice = placed(1, 0);
    whole.uuid = slice.uuid = "00000000-0000-0000-0000-000000000000";
    slice.name = "NVIDIA H200 MIG 1g.18gb";
    const auto watch = runtime::machine::GpuMonitor::open({whole, slice}, 50ms);
    QVERIFY(watch.has_value());
    QCOMPARE((*watch)->gpus().size(), std::size_t{1});
    QCOMPARE((*watch)->gpus()[0].uuid, std::string("GPU-00000000-0000-0000-0000-000000000002"));
    QCOMPARE(runtime::machine::GpuMonitor::open({slice}).error().message,
             std::string("NVML knows none of the run's GPUs"));
  }

  void the_first_process_has_the_gpus_of_all() {
    const With count("FAKE_GPUS", "3");
    Second theirs;
    First ours(theirs);
    runtime::train::RunGpus second({placed(2, 2)}, theirs);
    runtime::train::RunGpus first({placed(0, 0), placed(1, 1)}, ours);
    QCOMPARE(first.all().size(), std::size_t{3});
    QCOMPARE(first.all()[2].devices, std::vector<int>{2});
    QCOMPARE(first.all()[2].bus, std::string("00000000:03:00.0"));
    QCOMPARE(*first.all()[2].power_limit, 700.0);
    QCOMPARE(first.latest().size(), std::size_t{2});
    QVERIFY(first.warnings().empty());
    std::this_thread::sleep_for(50ms);
    second.end_steps();
    first.end_steps();
    RunFinished finished, unused;
    second.finish(unused);
    first.finish(finished);
    QCOMPARE(finished.gpu_energy.size(), std::size_t{3});
    QVERIFY(std::abs(*finished.gpu_energy[0] / 350 - *finished.gpu_energy[1] / 360) < 0.02);
    QVERIFY(*finished.gpu_energy[2] >= 370 * 0.05 - 1);
  }

  /// For this process at once, for another with its samples, or at the end of the run.
  void what_holds_clocks_back_is_told_once() {
    const With count("FAKE_GPUS", "2");
    const With reason("FAKE_THROTTLE", "0x4");
    const With which("FAKE_THROTTLED_GPU", "1");
    const With clock("FAKE_CLOCK", "1410");
    Second theirs;
    First ours(theirs);
    runtime::train::RunGpus second({placed(1, 1)}, theirs);
    runtime::train::RunGpus first({placed(0, 0)}, ours);
    QVERIFY(first.warnings().empty());
    RunSample sample;
    sample.gpus = {first.latest()[0], second.latest()[0]};
    first.take(sample);
    first.take(sample);
    const auto told = first.warnings();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].message, std::string("NVIDIA H200 at 00000000:02:00.0 (device 1): its power limit holds its "
                                          "clocks back (1410 of 1980 MHz)"));
    second.end_steps();
    first.end_steps();
    RunFinished finished, unused;
    second.finish(unused);
    first.finish(finished);
    QVERIFY(first.warnings().empty());
  }

  void a_process_without_nvml_is_told_of() {
    Second theirs;
    First ours(theirs);
    std::unique_ptr<runtime::train::RunGpus> second;
    {
      const With broken("FAKE_BROKEN", "1");
      second = std::make_unique<runtime::train::RunGpus>(std::vector{placed(1, 1)}, theirs);
    }
    runtime::train::RunGpus first({placed(0, 0)}, ours);
    QCOMPARE(first.all().size(), std::size_t{1});
    QCOMPARE(first.warnings().size(), std::size_t{1});
    QVERIFY(second->latest().empty());
    second->end_steps();
    first.end_steps();
    RunFinished finished, unused;
    second->finish(unused);
    first.finish(finished);
    QCOMPARE(finished.gpu_energy.size(), std::size_t{1});
  }

  /// All reasons that there are: one sentence for those that slow a training, none for those that somebody chose.
  void every_reason_has_its_words() {
    RunGpu gpu{{0}, "X", "", "bus", {}, {}, 2000};
    for (std::uint32_t limits = 0; limits < 0x200; ++limits) {
      const std::string words = runtime::train::throttle_message(gpu, {limits, 1000});
      QCOMPARE(words.empty(), (limits & 0xec) == 0);
      if ((limits & 0x60) != 0) QVERIFY(words.starts_with("X at bus (device 0): heat"));
      if (!words.empty()) QVERIFY(words.find("(1000 of 2000 MHz)") != std::string::npos);
    }
    gpu.devices = {1, 3};
    QCOMPARE(runtime::train::throttle_message(gpu, {0x4, {}}),
             std::string("X at bus (device 1, 3): its power limit holds its clocks back"));
  }

  void a_driver_that_hangs_is_left_behind() {
    const With hang("FAKE_HANG", "1000000");  // there from the start: threads read the environment meanwhile
    const auto watch = runtime::machine::GpuMonitor::open({placed(0, 0)}, 10ms);
    QVERIFY(watch.has_value());
    qputenv("FAKE_HANG", "0");
    std::this_thread::sleep_for(50ms);
    QElapsedTimer time;
    time.start();
    const runtime::machine::GpuMonitor::Sums sums = (*watch)->finish();
    QVERIFY(time.elapsed() < 4000);
    QVERIFY(!sums.energy[0]);
    QCOMPARE((*watch)->latest().size(), std::size_t{1});  // its last report
  }

  /// For this program's own part: each run on GPUs reports the driver's part.
  void looking_takes_next_to_nothing() {
    const With count("FAKE_GPUS", "8");
    std::vector<runtime::machine::PlacedGpu> all;
    for (int i = 0; i < 8; ++i) all.push_back(placed(i, i));
    const auto watch = runtime::machine::GpuMonitor::open(all);
    QVERIFY(watch.has_value());
    const double before = processor_seconds();
    std::this_thread::sleep_for(2s);
    const double share = (processor_seconds() - before) / 2;
    const auto look = (*watch)->finish().poll;
    qInfo("eight GPUs, five times a second: %.4f %% of a core, %.1f us a look", 100 * share, 1e6 * look->count);
    QVERIFY(share < 0.01);
  }
};

PIPEDECK_TEST(TestGpuWatch)

}  // namespace pipedeck::tst_gpu_monitor

#include "tst_gpu_monitor.moc"
