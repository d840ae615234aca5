// SPDX-License-Identifier: Apache-2.0
// Runs on GPUs, from the command line to the events. The program uses its module on the stand-in for NVIDIA's
// libraries, and a library that replaces the driver's NVML. Reports of power, clocks, memory and energy; GPUs that
// report less, that CUDA counts in another order, that are shared; and the errors.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_gpus {

using namespace pipedeck::test;

const QString driver = QStringLiteral("LD_LIBRARY_PATH=" PIPEDECK_FAKE_DRIVER);

QList<QJsonObject> of_kind(const QByteArray& lines, const QString& kind) {
  QList<QJsonObject> events;
  for (const QByteArray& line : lines.split('\n')) {
    const QJsonObject event = QJsonDocument::fromJson(line).object();
    if (event["event"] == kind) events << event;
  }
  return events;
}

QJsonObject gpu(const QJsonObject& event, int place) { return event["gpus"].toArray()[place].toObject(); }

QStringList warnings_of(const QByteArray& lines) {
  QStringList warnings;
  for (const QJsonObject& event : of_kind(lines, QStringLiteral("warning"))) warnings << event["message"].toString();
  return warnings;
}

class TestCliGpus : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void samples_have_what_the_driver_tells();
  void the_processor_has_nothing_to_tell();
  void energy_is_what_was_drawn_in_that_time();
  void what_is_not_supported_is_left_out();
  void slices_have_memory_alone();
  void gpus_are_found_by_what_they_are_not_by_their_number();
  void a_shared_gpu_is_told_once();
  void clocks_that_are_held_back_are_warned_of_once();
  void clocks_that_somebody_set_are_no_warning();
  void without_nvml_a_run_says_so_and_trains();
  void a_driver_that_does_not_answer_holds_no_run();
  void samples_become_a_table();
  void bad_situations_say_what_to_do_data();
  void bad_situations_say_what_to_do();
  void memory_that_is_damaged_ends_the_run();
  void devices_are_told_as_runs_find_them();
  void devices_are_listed_as_json();

 private:
  /// Runs the program; `more` replaces these arguments.
  Answer run(const QStringList& more, const QStringList& environment = {}) const {
    QStringList arguments{"run", "--plan", "two.plan.json", "--model", "preset:mlp-small"};
    const std::pair<QString, QString> usual[] = {
        {"--backend", "cuda"}, {"--steps", "12"}, {"--events", "-"}, {"--sample-every", "50"}};
    for (const auto& [option, value] : usual)
      if (!more.contains(option)) arguments << option << value;
    return run_program(QStringLiteral(PIPEDECK_STAND_IN_CLI), arguments + more, problem_.folder(),
                       QStringList{driver} + environment);
  }
  SmallProblem problem_;
};

void TestCliGpus::initTestCase() {
  VERIFY_STATUS(problem_.run({"profile", "--model", "preset:mlp-small", "--backend", "cpu", "--micro-batch", "4", "-o",
                              "mlp.profile.json", "--cluster-out", "cpu.cluster.json", "--devices", "2"}),
                0);
  VERIFY_STATUS(
      problem_.run({"plan", "--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json", "--global-batch", "8",
                    "--micro-batch", "4", "--pp", "2", "--dp", "1", "--planner", "gpipe", "-o", "two.plan.json"}),
      0);
}

void TestCliGpus::samples_have_what_the_driver_tells() {
  const Answer answer = run({}, {"FAKE_CLOCK=1500"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject started = of_kind(answer.out, "started").value(0);
  QCOMPARE(started["gpus"].toArray().size(), 2);
  QCOMPARE(gpu(started, 1)["devices"].toArray(), QJsonArray{1});
  QCOMPARE(gpu(started, 1)["uuid"].toString(), QStringLiteral("GPU-00000000-0000-0000-0000-000000000002"));
  QCOMPARE(gpu(started, 1)["bus"].toString(), QStringLiteral("00000000:02:00.0"));
  QCOMPARE(gpu(started, 0)["power_limit_w"].toDouble(), 700.0);
  QCOMPARE(gpu(started, 0)["top_sm_clock_mhz"].toDouble(), 1980.0);
  QCOMPARE(gpu(started, 0)["memory_bytes"].toDouble(), std::ldexp(143771.0, 20));
  const auto samples = of_kind(answer.out, "sample");
  QVERIFY(!samples.isEmpty());
  for (const QJsonObject& sample : samples) {
    QCOMPARE(sample["gpus"].toArray().size(), 2);
    QCOMPARE(sample["memory_bytes"].toArray().size(), 2);  // next to the runtime's own figure
  }
  const QJsonObject reading = gpu(samples.front(), 1);
  QCOMPARE(reading["power_w"].toDouble(), 360.0);
  QCOMPARE(reading["memory_used_bytes"].toDouble(), std::ldexp(1100.0, 20));
  QCOMPARE(reading["sm_clock_mhz"].toDouble(), 1500.0);
  QCOMPARE(reading["utilization"].toDouble(), 0.96);
  QCOMPARE(reading["temperature_c"].toDouble(), 55.0);
  QVERIFY(reading["throttle"].isArray());
  QVERIFY(reading["throttle"].toArray().isEmpty());  // it idles, which holds nothing back
  QCOMPARE(warnings_of(answer.out), QStringList());
}

void TestCliGpus::the_processor_has_nothing_to_tell() {
  const Answer answer = run({"--backend", "cpu"});
  VERIFY_STATUS(answer, 0);
  for (const QByteArray& line : answer.out.split('\n')) QVERIFY2(!line.contains("gpu"), line);
}

void TestCliGpus::energy_is_what_was_drawn_in_that_time() {
  const Answer answer = run({"--steps", "60"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject finished = of_kind(answer.out, "finished").value(0);
  const auto energy = finished["gpu_energy_j"].toArray();
  QCOMPARE(energy.size(), 2);
  const double least = 1e-3 * finished["duration_ms"].toDouble();
  QVERIFY(energy[0].toDouble() >= 350 * least);
  QVERIFY2(energy[0].toDouble() <= 350 * (least + 3), qPrintable(QString::number(energy[0].toDouble() / least)));
  // Both were asked at about the same time.
  QVERIFY(std::abs(energy[1].toDouble() / energy[0].toDouble() - 360.0 / 350) < 0.02);
  QVERIFY(finished["gpu_look_ms"].toDouble() > 0);
  const Answer said = run({"--events", "run.jsonl"});
  QVERIFY2(said.out.contains("energy of the GPUs") && said.out.contains("J per sample"), said.out);
}

void TestCliGpus::what_is_not_supported_is_left_out() {
  const Answer answer = run({}, {"FAKE_SILENT=power,energy,throttle"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject reading = gpu(of_kind(answer.out, "sample").value(0), 0);
  QCOMPARE(reading.keys(), QStringList({"memory_used_bytes", "sm_clock_mhz", "temperature_c", "utilization"}));
  QVERIFY(!gpu(of_kind(answer.out, "started").value(0), 0).contains("power_limit_w"));
  QCOMPARE(of_kind(answer.out, "finished").value(0)["gpu_energy_j"].toArray(),
           QJsonArray({QJsonValue::Null, QJsonValue::Null}));
}

void TestCliGpus::slices_have_memory_alone() {
  const Answer answer =
      run({"--oversubscribe"}, {"FAKE_MIG=1", "FAKE_NAMES=NVIDIA H200 MIG 1g.18gb;NVIDIA H200 MIG 1g.18gb"});
  VERIFY_STATUS(answer, 0);
  QVERIFY(gpu(of_kind(answer.out, "started").value(0), 0)["uuid"].toString().startsWith("MIG-"));
  QCOMPARE(gpu(of_kind(answer.out, "sample").value(0), 0).keys(), QStringList({"memory_used_bytes"}));
}

/// Device 0 of CUDA is the second GPU of the machine, which draws 10 W more.
void TestCliGpus::gpus_are_found_by_what_they_are_not_by_their_number() {
  const Answer answer = run({}, {"CUDA_VISIBLE_DEVICES=1,0"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject started = of_kind(answer.out, "started").value(0);
  QCOMPARE(gpu(started, 0)["devices"].toArray(), QJsonArray{0});
  QCOMPARE(gpu(started, 0)["bus"].toString(), QStringLiteral("00000000:02:00.0"));
  const QJsonObject sample = of_kind(answer.out, "sample").value(0);
  QCOMPARE(gpu(sample, 0)["power_w"].toDouble(), 360.0);
  QCOMPARE(gpu(sample, 1)["power_w"].toDouble(), 350.0);
}

void TestCliGpus::a_shared_gpu_is_told_once() {
  const Answer answer = run({"--oversubscribe"}, {"FAKE_GPUS=1"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject started = of_kind(answer.out, "started").value(0);
  QCOMPARE(started["gpus"].toArray().size(), 1);
  QCOMPARE(gpu(started, 0)["devices"].toArray(), QJsonArray({0, 1}));
  QCOMPARE(of_kind(answer.out, "sample").value(0)["gpus"].toArray().size(), 1);
  QCOMPARE(of_kind(answer.out, "finished").value(0)["gpu_energy_j"].toArray().size(), 1);
}

void TestCliGpus::clocks_that_are_held_back_are_warned_of_once() {
  const Answer power = run({}, {"FAKE_THROTTLE=0x5", "FAKE_CLOCK=1200", "FAKE_THROTTLED_GPU=1"});
  VERIFY_STATUS(power, 0);
  QCOMPARE(gpu(of_kind(power.out, "sample").value(0), 1)["throttle"].toArray(), QJsonArray{"sw_power_cap"});
  QCOMPARE(warnings_of(power.out),
           QStringList{"Stand-in for a GPU at 00000000:02:00.0 (device 1): its power limit holds its clocks back "
                       "(1200 of 1980 MHz)"});
  const Answer heat = run({}, {"FAKE_THROTTLE=0x48"});
  QVERIFY2(warnings_of(heat.out).value(0).contains("heat holds its clocks back"), heat.out);
  QCOMPARE(warnings_of(heat.out).size(), 1);
  const Answer unsampled = run_program(
      PIPEDECK_STAND_IN_CLI,
      {"run", "--plan", "two.plan.json", "--model", "preset:mlp-small", "--backend", "cuda", "--steps", "5"},
      problem_.folder(), {driver, "FAKE_THROTTLE=0x80"});
  VERIFY_STATUS(unsampled, 0);
  QVERIFY2(unsampled.err.contains("the power supply brakes its clocks"), unsampled.err);
}

void TestCliGpus::clocks_that_somebody_set_are_no_warning() {
  const Answer answer = run({}, {"FAKE_THROTTLE=0x112"});
  VERIFY_STATUS(answer, 0);
  QCOMPARE(gpu(of_kind(answer.out, "sample").value(0), 0)["throttle"].toArray(),
           QJsonArray({"applications_clocks_setting", "sync_boost", "display_clock_setting"}));
  QCOMPARE(warnings_of(answer.out), QStringList());
}

void TestCliGpus::without_nvml_a_run_says_so_and_trains() {
  const Answer answer = run({}, {"FAKE_BROKEN=1"});
  VERIFY_STATUS(answer, 0);
  QCOMPARE(warnings_of(answer.out),
           QStringList{"the GPUs' power, clocks and memory are unknown: NVML does not answer: Driver Not Loaded"});
  QVERIFY(!answer.out.contains("\"gpus\""));
  QVERIFY(!answer.out.contains("gpu_energy"));
}

void TestCliGpus::a_driver_that_does_not_answer_holds_no_run() {
  const Answer never = run({}, {"FAKE_HANG=0"});
  VERIFY_STATUS(never, 0);
  QVERIFY2(warnings_of(never.out).value(0).contains("NVML does not answer within 2 s"), never.out);
  const Answer at_first = run({}, {"FAKE_HANG=2"});  // one look at the two GPUs, then none
  VERIFY_STATUS(at_first, 0);
  QCOMPARE(gpu(of_kind(at_first.out, "sample").value(0), 0)["power_w"].toDouble(), 350.0);
  QCOMPARE(of_kind(at_first.out, "finished").value(0)["gpu_energy_j"].toArray(),
           QJsonArray({QJsonValue::Null, QJsonValue::Null}));
}

void TestCliGpus::samples_become_a_table() {
  const Answer answer = run({"--events", "run.jsonl"}, {"FAKE_SILENT=temperature", "FAKE_THROTTLE=0x4"});
  VERIFY_STATUS(answer, 0);
  const Answer table = problem_.run({"export", "run.jsonl", "samples"});
  VERIFY_STATUS(table, 0);
  const QList<QByteArray> lines = table.out.split('\n');
  QCOMPARE(lines[0].trimmed(),
           QByteArray("time_ms,device_0_busy_fraction,device_1_busy_fraction,device_0_memory_bytes,"
                      "device_1_memory_bytes,gpu_0_power_w,gpu_0_memory_used_bytes,gpu_0_sm_clock_mhz,"
                      "gpu_0_utilization,gpu_0_temperature_c,gpu_0_throttle,gpu_1_power_w,gpu_1_memory_used_bytes,"
                      "gpu_1_sm_clock_mhz,gpu_1_utilization,gpu_1_temperature_c,gpu_1_throttle"));
  const QList<QByteArray> fields = lines[1].trimmed().split(',');
  QCOMPARE(fields[5], QByteArray("350.0"));
  QCOMPARE(fields[9], QByteArray());
  QCOMPARE(fields[10], QByteArray("sw_power_cap"));
  QCOMPARE(fields[11], QByteArray("360.0"));
  QCOMPARE(fields[16], QByteArray());
}

void TestCliGpus::bad_situations_say_what_to_do_data() {
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QStringList>("environment");
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("said");
  using L = QStringList;
  QTest::newRow("old driver") << L{} << L{"FAKE_DRIVER=11040"} << 2 << "driver";
  QTest::newRow("no GPU") << L{} << L{"FAKE_GPUS=0"} << 2 << "GPU";
  QTest::newRow("fewer GPUs") << L{} << L{"FAKE_GPUS=1"} << 2
                              << "--oversubscribe, which places several devices on a GPU";
  QTest::newRow("slices") << L{} << L{"FAKE_NAMES=NVIDIA A100 MIG 1g.5gb;NVIDIA A100 MIG 1g.5gb"} << 2
                          << "--oversubscribe joins devices by copies";
  QTest::newRow("fewer, shared") << L{"--oversubscribe"} << L{"FAKE_GPUS=1"} << 0 << "2 devices share one GPU";
  QTest::newRow("unlike") << L{} << L{"FAKE_NAMES=NVIDIA A100;NVIDIA H200"} << 0 << "the GPUs are not alike";
}

void TestCliGpus::bad_situations_say_what_to_do() {
  QFETCH(QStringList, more);
  QFETCH(QStringList, environment);
  QFETCH(int, status);
  QFETCH(QString, said);
  const Answer answer = run(more, environment);
  VERIFY_STATUS(answer, status);
  QVERIFY2((answer.err + answer.out).contains(said.toUtf8()), answer.err + answer.out);
}

void TestCliGpus::memory_that_is_damaged_ends_the_run() {
  const Answer answer = run({"--steps", "1000000"}, {"FAKE_LOST_AFTER=3000"});
  VERIFY_STATUS(answer, 4);
  QVERIFY2(answer.err.contains("ECC"), answer.err);
}

void TestCliGpus::devices_are_told_as_runs_find_them() {
  const auto list = [&](const QStringList& machine) {
    return run_program(QStringLiteral(PIPEDECK_STAND_IN_CLI), {"list", "devices"}, problem_.folder(),
                       QStringList{driver} + machine)
        .out;
  };
  const QByteArray unlike = list({"FAKE_GPUS=3", "FAKE_NAMES=NVIDIA A100;NVIDIA H200;NVIDIA A100"});
  QVERIFY2(unlike.contains("cuda: runs on 2 of NVIDIA A100, "), unlike);
  QVERIFY2(unlike.contains(" GiB and 1 of NVIDIA H200, "), unlike);
  QVERIFY2(list({"FAKE_GPUS=0"}).contains("cuda: no GPUs; "), list({"FAKE_GPUS=0"}));
  QVERIFY(list({"FAKE_DRIVER=11040"}).contains("found a driver for CUDA 11.4, expected one for CUDA 13.0 or later"));
}

/// The window reads these keys.
void TestCliGpus::devices_are_listed_as_json() {
  const auto cuda = [&](const QStringList& machine) {
    const QByteArray out = run_program(QStringLiteral(PIPEDECK_STAND_IN_CLI), {"list", "devices", "--json"},
                                       problem_.folder(), QStringList{driver} + machine)
                               .out;
    for (const QJsonValue& item : QJsonDocument::fromJson(out).array())
      if (item["backend"] == "cuda") return item.toObject();
    return QJsonObject();
  };
  const QJsonObject unlike = cuda({"FAKE_GPUS=3", "FAKE_NAMES=NVIDIA A100;NVIDIA H200;NVIDIA A100"});
  QCOMPARE(unlike["usable"], QJsonValue(true));
  QVERIFY(!unlike.contains("why_not"));
  const QJsonArray kinds{QJsonObject{{"count", 2}, {"name", "NVIDIA A100"}},
                         QJsonObject{{"count", 1}, {"name", "NVIDIA H200"}}};
  QCOMPARE(unlike["gpus"].toArray(), kinds);
  const QJsonObject old = cuda({"FAKE_DRIVER=11040"});
  QCOMPARE(old["usable"], QJsonValue(false));
  QVERIFY(!old.contains("gpus"));
  QVERIFY2(old["why_not"].toString().startsWith("GPUs can't be used: found a driver for CUDA 11.4"),
           qPrintable(old["why_not"].toString()));
}

PIPEDECK_TEST(TestCliGpus)

}  // namespace pipedeck::tst_cli_gpus

#include "tst_cli_gpus.moc"
