// SPDX-License-Identifier: Apache-2.0
// Chrome traces of random plans of every schedule, in either network, by the rules of viewers: nothing is dropped,
// moved or merged.
#include <QtTest/QTest>

#include "core/io/trace.hpp"
#include "tests/core/io/trace_checker.hpp"
#include "tests/core/sim/every_schedule.hpp"

using namespace pipedeck;

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
    int at_once = 0;
    const test::Networks networks = shared ? test::Networks::shared : test::Networks::ideal;
    test::for_random_plans(3, test::problems_wanted(160), networks, [&](test::Random&, const test::Drawn& drawn) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      const std::string text = chrome_trace(simulation, drawn.plan.name, &drawn.plan);
      const std::string fault = test::trace_fault(text, &simulation.timeline, &simulation.devices);
      QVERIFY2(fault.empty(), fault.c_str());
      for (const TimelineLane& lane : simulation.timeline.lanes)
        for (std::size_t i = lane.begin + 1; i < lane.end; ++i)
          at_once += simulation.timeline.start[i] < simulation.timeline.row(i - 1).end().count;
    });
    QVERIFY2(at_once > 0, "all-reduces of several chunks of a device are to be among them");
  }

  void anyNameIsWrittenSafely() {
    Timeline timeline;
    const TimelineRow row{Nanoseconds(1), Nanoseconds(1), {OpKind::forward, StageId(0), 0}};
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0}, std::vector{row});
    for (const std::string& title :
         {std::string("a \"title\"\\"), std::string("line\nbreak\t\x01"), std::string("cut \xC3 short"),
          std::string("Ünïcødé 漢字 🚂"), std::string(1, '\0')})
      QVERIFY2(test::trace_fault(chrome_trace(timeline, title), &timeline).empty(), title.c_str());
  }

  void longRunsKeepTheirNanoseconds() {
    Timeline timeline;
    std::vector<TimelineRow> rows;
    for (std::int64_t start : {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{86'400'000'000'001},
                               std::int64_t{86'400'000'000'002}})
      rows.push_back({Nanoseconds(start), Nanoseconds(1), {OpKind::forward, StageId(0), 0}});
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0}, rows);
    QCOMPARE(test::trace_fault(chrome_trace(timeline, "a day"), &timeline), "");
  }

  void overlappingOperationsGetTracksOfTheirOwn() {
    Timeline timeline;
    std::vector<TimelineRow> rows;
    for (int i = 0; i < 3; ++i) rows.push_back({Nanoseconds(2 * i), Nanoseconds(5), {OpKind::send, StageId(0), i}});
    timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(1), 0, 0}, rows);
    QCOMPARE(test::trace_fault(chrome_trace(timeline, "three at once"), &timeline), "");
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

QTEST_APPLESS_MAIN(TestTrace)
#include "tst_trace.moc"
