// SPDX-License-Identifier: Apache-2.0
// Traces of a run's ranks as one timeline: what a random pipeline did comes back, whatever each rank's clock counts
// from; what does not belong together is refused.
#include <fstream>
#include <random>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include "core/io/traces/ranks.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trace_ranks {

constexpr std::int64_t base = 1'775'078'550'000'000'000;

struct Kernel {
  std::int64_t start = 0, duration = 0;  // ns, from the run's begin
  OpKind kind = OpKind::forward;
  int step = 0, micro_batch = 0;
};

std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

/// As Kineto writes the trace of a rank: its times count from `from`, and each process calls its GPU 0.
std::string trace_of(int rank, const std::vector<Kernel>& kernels, std::int64_t from, bool told = true) {
  std::string text = "{\"schemaVersion\":1,";
  if (told) text += fmt::format("\"distributedInfo\":{{\"backend\":\"nccl\",\"rank\":{},\"world_size\":8}},", rank);
  text += "\"traceEvents\":[";
  int step = 0;
  for (const Kernel& kernel : kernels) {
    const std::string ts = microseconds(base + kernel.start - from);
    if (kernel.step != step)
      text += fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":9,"tid":9,"ts":{},"dur":1}},)",
          step = kernel.step, ts);
    text += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"PP:{}{}{}","pid":0,"tid":7,"ts":{},"dur":{}}},)"
        R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0}}}},)",
        rank, kernel.kind == OpKind::forward ? 'F' : 'B', kernel.micro_batch, ts, microseconds(kernel.duration), ts,
        microseconds(kernel.duration));
  }
  return text + fmt::format(R"({{"ph":"i","ts":0}}],"baseTimeNanoseconds":{}}})", from);
}

class TestTraceRanks : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::vector<std::string> write(const std::vector<std::string>& texts) {
    std::vector<std::string> files;
    for (const std::string& text : texts) {
      files.push_back(folder_.filePath(QStringLiteral("rank%1.json").arg(files.size())).toStdString());
      std::ofstream(files.back(), std::ios::binary) << text;
    }
    return files;
  }
  std::string fault(const std::vector<std::string>& texts) {
    const auto read = io::traces::read_traces(write(texts));
    return read ? "" : read.error().text();
  }

 private slots:
  void a_pipeline_comes_back() {
    std::mt19937 random(11);
    for (int round = 0; round < 40; ++round) {
      const int ranks = 2 + static_cast<int>(random() % 5), steps = 1 + static_cast<int>(random() % 3);
      std::vector<std::vector<Kernel>> kernels(static_cast<std::size_t>(ranks));
      std::vector<std::int64_t> begin(static_cast<std::size_t>(steps), std::numeric_limits<std::int64_t>::max());
      for (auto& of_rank : kernels)
        for (int step = 1; step <= steps; ++step) {
          std::int64_t at = step * 10'000'000 + static_cast<std::int64_t>(random() % 50'000);
          auto& first = begin[static_cast<std::size_t>(step - 1)];
          first = std::min(first, at);
          for (int i = 0; i < 20; ++i) {
            const auto duration = static_cast<std::int64_t>(1 + random() % 20'000);
            of_rank.push_back({at, duration, random() % 2 ? OpKind::forward : OpKind::backward, step,
                               static_cast<int>(random() % 8)});
            at += duration + static_cast<std::int64_t>(random() % 3000);
          }
          of_rank.push_back({step * 10'000'000 + 1'000'000, 1, OpKind::forward, step, 0});  // all still run then
        }
      std::vector<std::string> texts;
      for (int rank = 0; rank < ranks; ++rank)
        texts.push_back(trace_of(rank, kernels[static_cast<std::size_t>(rank)],
                                 random() % 2 ? base - static_cast<std::int64_t>(random() % 1'000'000) * 1000 : 0));
      const auto order = random() % 2;
      if (order) std::ranges::reverse(texts);  // files come as the file system has them
      const auto read = io::traces::read_traces(write(texts));
      QVERIFY2(read, read ? "" : read.error().text().c_str());
      QCOMPARE(read->timelines.size(), static_cast<std::size_t>(steps));
      for (const MeasuredTimeline& step : read->timelines) {
        QCOMPARE(step.timeline.lanes.size(), static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank) {
          const TimelineLane& lane = step.timeline.lanes[static_cast<std::size_t>(rank)];
          QCOMPARE(lane.device, DeviceId(rank));
          std::size_t i = lane.begin;
          for (const Kernel& kernel : kernels[static_cast<std::size_t>(rank)]) {
            if (kernel.step != step.step) continue;
            const TimelineRow row = step.timeline.row(i++);
            QCOMPARE(row.start.count, kernel.start - begin[static_cast<std::size_t>(step.step - 1)]);
            QCOMPARE(row.duration.count, kernel.duration);
            QCOMPARE(row.operation.kind, kernel.kind);
            QCOMPARE(row.operation.stage, StageId(rank));
            QCOMPARE(row.operation.micro_batch, kernel.micro_batch);
          }
          QCOMPARE(i, lane.end);
        }
      }
    }
  }

  void clocks_of_hosts_that_differ_are_told() {
    const std::vector<Kernel> kernels{{1000, 500}, {2000, 500, OpKind::backward}};
    std::vector<Kernel> later = kernels;
    for (Kernel& kernel : later) kernel.start += 7'000'000;
    const auto read = io::traces::read_traces(write({trace_of(0, kernels, 0), trace_of(1, later, 0)}));
    QVERIFY(read);
    const Timeline& timeline = read->timelines[0].timeline;
    QCOMPARE(timeline.lanes.size(), std::size_t{2});
    QCOMPARE(timeline.row(timeline.lanes[0].begin).start, timeline.row(timeline.lanes[1].begin).start);
    QVERIFY(std::ranges::any_of(read->notes, [](const std::string& note) { return note.find("clocks") != note.npos; }));
  }

  void steps_that_a_rank_lacks_are_left_out() {
    const std::vector<Kernel> both{{1000, 500, OpKind::forward, 1}, {9000, 500, OpKind::forward, 2}};
    const auto read = io::traces::read_traces(write({trace_of(0, both, 0), trace_of(1, {both[1]}, 0)}));
    QVERIFY(read);
    QCOMPARE(read->timelines.size(), std::size_t{1});
    QCOMPARE(read->timelines[0].step, 2);
    const std::string text = fault({trace_of(0, {both[0]}, 0), trace_of(1, {both[1]}, 0)});
    QVERIFY2(text.find("no step that all ranks have") != text.npos, text.c_str());
  }

  void a_rank_without_gpu_has_its_device() {
    const auto annotated = [](int rank) {
      return fmt::format(
          R"({{"distributedInfo":{{"rank":{0}}},"traceEvents":[{{"ph":"X","cat":"user_annotation","name":"Forward 3","pid":77,"tid":1,"ts":5,"dur":4}}]}})",
          rank);
    };
    const auto read = io::traces::read_traces(write({annotated(4), annotated(2)}));
    QVERIFY(read);
    QCOMPARE(read->timelines[0].timeline.lanes.size(), std::size_t{2});
    QCOMPARE(read->timelines[0].timeline.lanes[0].device, DeviceId(2));
    QCOMPARE(read->timelines[0].timeline.lanes[1].device, DeviceId(4));
  }

  void a_program_of_a_plan_tells_its_device() {
    const std::vector<Kernel> kernels{{1000, 500}};
    std::string first = trace_of(0, kernels, 0);
    first.insert(1, "\"pipedeckDevice\":5,");
    const auto read = io::traces::read_traces(write({first, trace_of(1, kernels, 0)}));
    QVERIFY(read);
    QCOMPARE(read->timelines[0].timeline.lanes[0].device, DeviceId(1));
    QCOMPARE(read->timelines[0].timeline.lanes[1].device, DeviceId(5));
  }

  void what_does_not_belong_together_is_refused_data() {
    QTest::addColumn<QByteArrayList>("texts");
    QTest::addColumn<QByteArray>("says");
    const std::vector<Kernel> kernels{{1000, 500}};
    const auto row = [](const char* name, const std::string& first, const std::string& second, const char* says) {
      QTest::newRow(name) << QByteArrayList{QByteArray::fromStdString(first), QByteArray::fromStdString(second)}
                          << QByteArray(says);
    };
    row("a rank twice", trace_of(1, kernels, 0), trace_of(1, kernels, 0), "found rank 1 in");
    row("no rank", trace_of(1, kernels, 0), trace_of(1, kernels, 0, false), "no rank");
    row("broken", trace_of(1, kernels, 0), trace_of(2, kernels, 0).substr(0, 200), "cut off");
    const std::string two =
        R"({"distributedInfo":{"rank":0},"traceEvents":[{"ph":"X","cat":"kernel","name":"fwd","ts":1,"dur":1,"args":{"device":0}},{"ph":"X","cat":"kernel","name":"fwd","ts":1,"dur":1,"args":{"device":1}}]})";
    row("devices of two ranks", two, trace_of(1, kernels, 0), "found device 1 in");
  }
  void what_does_not_belong_together_is_refused() {
    QFETCH(QByteArrayList, texts);
    QFETCH(QByteArray, says);
    const std::string text = fault({texts[0].toStdString(), texts[1].toStdString()});
    QVERIFY2(QByteArray::fromStdString(text).contains(says), text.c_str());
    QVERIFY2(text.find("rank1.json") != text.npos, text.c_str());
  }

  void times_at_the_ends_of_the_range_never_overflow() {
    const auto far = [](int rank, const char* from) {
      return fmt::format(
          R"({{"distributedInfo":{{"rank":{}}},"baseTimeNanoseconds":{},"traceEvents":[{{"ph":"X","cat":"kernel","name":"fwd","ts":-2800000000000000,"dur":2800000000000000,"args":{{"device":0}}}},{{"ph":"X","cat":"kernel","name":"fwd","ts":2800000000000000,"dur":2800000000000000,"args":{{"device":0}}}}]}})",
          rank, from);
    };
    const std::string text = fault({far(0, "9223372036854775807"), far(1, "-5"), far(2, "7e18")});
    QVERIFY2(text.empty(), text.c_str());
  }
};

PIPEDECK_TEST(TestTraceRanks)

}  // namespace pipedeck::tst_trace_ranks

#include "tst_trace_ranks.moc"
