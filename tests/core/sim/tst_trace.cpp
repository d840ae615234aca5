// SPDX-License-Identifier: Apache-2.0
// Chrome traces of random plans of every schedule, in either network, by the rules of viewers: nothing is dropped,
// moved or merged.
#include <QtTest/QTest>

#include "core/io/traces/trace.hpp"
#include "tests/core/io/traces/trace_checker.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trace {

class TestTrace : public QObject {
  Q_OBJECT
 private slots:
  void tracesOfAllSchedules_data() {
    QTest::addColumn<bool>("shared");
    QTest::newRow("ideal") << false;
    QTest::newRow("shared") << true;
  }
  void tracesOfAllSchedules() {
    QFETCH(bool, shared);
    int at_once = 0, arrows = 0;
    const test::Networks networks = shared ? test::Networks::shared : test::Networks::ideal;
    test::for_random_plans(3, test::random_problems(160), networks, [&](test::Random&, const test::Drawn& drawn) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      const std::string text = io::traces::chrome_trace(simulation, drawn.plan.name, &drawn.plan);
      const std::string fault = test::trace_fault(text, &simulation.timeline, &simulation.devices);
      QVERIFY2(fault.empty(), fault.c_str());
      arrows += text.find("\"ph\":\"f\"") != std::string::npos;
      for (const TimelineLane& lane : simulation.timeline.lanes)
        for (std::size_t i = lane.begin + 1; i < lane.end; ++i)
          at_once += simulation.timeline.start[i] < simulation.timeline.row(i - 1).end().count;
    });
    QVERIFY(arrows > 100);
    QVERIFY2(at_once > 0, "all-reduces of several chunks of a device are to be among them");
  }

  /// Two stages, two micro-batches: an arrow leads from the sender of each activation and gradient to its receiver.
  void transfersHaveArrows() {
    Timeline timeline;
    const auto row = [](int start, int length, OpKind kind, int stage, int micro_batch) {
      return TimelineRow{Nanoseconds(start), Nanoseconds(length), {kind, StageId(stage), micro_batch}};
    };
    using enum OpKind;
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0},
                         std::vector{row(0, 10, forward, 0, 0), row(10, 10, forward, 0, 1), row(50, 20, backward, 0, 0),
                                     row(90, 20, backward, 0, 1)});
    timeline.append_lane({LaneRole::compute, DeviceId(1), DeviceId(1), 0, 0},
                         std::vector{row(12, 10, forward, 1, 0), row(22, 20, backward, 1, 0),
                                     row(42, 10, forward, 1, 1), row(52, 20, backward, 1, 1)});
    timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(1), 0, 0},
                         std::vector{row(10, 2, send, 0, 0), row(20, 2, send, 0, 1)});
    timeline.append_lane({LaneRole::link, DeviceId(1), DeviceId(0), 0, 0},
                         std::vector{row(42, 2, send, 1, 0), row(72, 2, send, 1, 1)});
    const std::string text = io::traces::chrome_trace(timeline, "arrows");
    QCOMPARE(test::trace_fault(text, &timeline), "");
    const auto points = [&](const std::string& phase) {
      std::vector<std::string> found;
      const std::string key = "\"ph\":\"" + phase + "\"", time = "\"ts\":";
      for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        const std::size_t begin = text.find(time, at) + time.size();
        found.push_back(text.substr(begin, text.find(',', begin) - begin));
      }
      return found;
    };
    using Times = std::vector<std::string>;
    QCOMPARE(points("s"), (Times{"0.009", "0.019", "0.041", "0.071"}));
    QCOMPARE(points("t"), (Times{"0.01", "0.02", "0.042", "0.072"}));
    QCOMPARE(points("f"), (Times{"0.012", "0.042", "0.05", "0.09"}));
  }

  void anyNameIsWrittenSafely() {
    Timeline timeline;
    const TimelineRow row{Nanoseconds(1), Nanoseconds(1), {OpKind::forward, StageId(0), 0}};
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0}, std::vector{row});
    for (const std::string& title :
         {std::string("a \"title\"\\"), std::string("line\nbreak\t\x01"), std::string("cut \xC3 short"),
          std::string("Ünïcødé 漢字 🚂"), std::string(1, '\0')})
      QVERIFY2(test::trace_fault(io::traces::chrome_trace(timeline, title), &timeline).empty(), title.c_str());
  }

  void longRunsKeepTheirNanoseconds() {
    Timeline timeline;
    std::vector<TimelineRow> rows;
    for (std::int64_t start : {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{86'400'000'000'001},
                               std::int64_t{86'400'000'000'002}})
      rows.push_back({Nanoseconds(start), Nanoseconds(1), {OpKind::forward, StageId(0), 0}});
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0}, rows);
    QCOMPARE(test::trace_fault(io::traces::chrome_trace(timeline, "a day"), &timeline), "");
  }

  void overlappingOperationsGetTracksOfTheirOwn() {
    Timeline timeline;
    std::vector<TimelineRow> rows;
    for (int i = 0; i < 3; ++i) rows.push_back({Nanoseconds(2 * i), Nanoseconds(5), {OpKind::send, StageId(0), i}});
    timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(1), 0, 0}, rows);
    QCOMPARE(test::trace_fault(io::traces::chrome_trace(timeline, "three at once"), &timeline), "");
  }

  void theCheckerFindsWhatIsWrong() {
    const auto fault = [](const std::string& events) {
      return test::trace_fault(R"({"otherData":{"title":""},"traceEvents":[)" + events + "]}");
    };
    const std::string named =
        R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},{"ph":"M","name":"process_sort_index","pid":1},)"
        R"({"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"t"}},)"
        R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":7})";
    const auto slice = [](const std::string& ts, const std::string& dur, int tid = 7) {
      return R"(,{"ph":"X","name":"f","cat":"f","pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" + ts +
             R"(,"dur":)" + dur + R"(,"args":{"stage":0,"micro_batch":0}})";
    };
    QCOMPARE(fault(named + slice("0", "2") + slice("2", "1")), "");
    QCOMPARE(fault(named + slice("0", "9") + slice("2", "1")), "");
    QVERIFY(fault(named + slice("0", "2.001") + slice("2", "1")).find("overlaps") != std::string::npos);
    QVERIFY(fault(named + slice("0.0001", "1")).find("whole number") != std::string::npos);
    QVERIFY(fault(named + slice("0", "1", 8)).find("without name") != std::string::npos);
    QVERIFY(fault(named + slice("0", "1", 1)).find("main thread") != std::string::npos);
    QVERIFY(!fault(named + ",").empty());
  }
};

PIPEDECK_TEST(TestTrace)

}  // namespace pipedeck::tst_trace

#include "tst_trace.moc"
