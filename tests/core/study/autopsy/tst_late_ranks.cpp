// SPDX-License-Identifier: Apache-2.0
// Traces of ranks with clocks of their own: the clocks, waiting, transfer and lateness that a random run had come back,
// and a rank that is made late is named. Genuine traces of five ranks of one host agree with their common clock.
#include <fstream>
#include <random>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include "core/io/traces/ranks.hpp"
#include "core/study/autopsy/autopsy.hpp"
#include "core/study/autopsy/late_ranks.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_late_ranks {

using io::traces::RankCollectives;
using study::autopsy::LateRanks;

std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

/// A rank's trace as Kineto writes it, on its own clock.
struct Written {
  std::int64_t clock = 0;
  std::string events;
  int launches = 0;

  void step(int number, std::int64_t start, std::int64_t duration) {
    events += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":9,"tid":9,"ts":{},"dur":{}}},)", number,
        microseconds(start + clock), microseconds(duration));
  }
  void collective(const std::string& group, const std::string& ranks, std::int64_t launch, std::int64_t start,
                  std::int64_t end) {
    ++launches;
    events += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":1,"args":{{"correlation":{}}}}},)"
        R"({{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":20,"ts":{},"dur":{},)"
        R"("args":{{"correlation":{},"Collective name":"allreduce","Process Group Name":"{}","Process Group Ranks":"{}",)"
        R"("In msg nelems":64}}}},)",
        microseconds(launch + clock), launches, microseconds(start + clock), microseconds(end - start), launches, group,
        ranks);
  }
  std::string text(int rank) const {
    return fmt::format(R"({{"distributedInfo":{{"rank":{}}},"traceEvents":[{}{{"ph":"i","ts":0}}]}})", rank, events);
  }
};

class TestLateRanks : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::vector<std::string> write(const std::vector<Written>& ranks) {
    std::vector<std::string> files;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      files.push_back(folder_.filePath(QStringLiteral("trace%1.json").arg(rank)).toStdString());
      std::ofstream(files.back(), std::ios::binary) << ranks[rank].text(static_cast<int>(rank));
    }
    return files;
  }

 private slots:
  void what_a_random_run_did_comes_back() {
    std::mt19937 random(7);
    const auto up_to = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most));
    };
    for (int round = 0; round < 20; ++round) {
      const int pairs = 1 + static_cast<int>(random() % 3), steps = 1 + static_cast<int>(random() % 3);
      const auto ranks = static_cast<std::size_t>(2 * pairs);
      std::vector<Written> written(ranks);
      for (Written& one : written) one.clock = 1'000'000'000 + up_to(900'000'000);
      std::vector<std::int64_t> waiting(ranks), transfer(ranks), late(ranks), last(ranks);
      std::int64_t now = 1'000'000;
      const auto collective = [&](std::size_t first, std::size_t count, const std::string& group) {
        std::vector<std::int64_t> starts(count);
        for (std::int64_t& start : starts) start = now + up_to(50'000);
        const std::size_t latest = static_cast<std::size_t>(std::ranges::max_element(starts) - starts.begin());
        const std::int64_t begin = starts[latest], end = begin + 1000 + up_to(20'000);
        std::string list;
        for (std::size_t i = 0; i < count; ++i) list += fmt::format("{}{}", i ? ", " : "", first + i);
        for (std::size_t i = 0; i < count; ++i) {
          written[first + i].collective(group, "[" + list + "]", now, starts[i], end);
          waiting[first + i] += begin - starts[i], transfer[first + i] += end - begin;
        }
        std::vector<std::int64_t> sorted = starts;
        std::ranges::sort(sorted);
        late[first + latest] += begin - sorted[count - 2], ++last[first + latest];
        now = end + 1000;
      };
      for (int step = 1; step <= steps; ++step) {
        const std::int64_t begin = now;
        for (int k = 0; k < 5; ++k) {
          collective(0, ranks, "0");
          for (int pair = 0; pair < pairs; ++pair) collective(static_cast<std::size_t>(2 * pair), 2, "tp");
        }
        for (Written& one : written) one.step(step, begin - 500, now - begin + 400);
      }
      const auto found = study::autopsy::read_autopsy(write(written));
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      const LateRanks& read = *found->late;
      QCOMPARE(read.steps, steps);
      QCOMPARE(read.unmatched, 0);
      QCOMPARE(read.spread, Nanoseconds(0));
      QVERIFY(read.step.count > 0);
      for (std::size_t i = 0; i < ranks; ++i) {
        const study::autopsy::RankLateness& rank = read.ranks[i];
        QCOMPARE(rank.offset.count, written[i].clock - written[0].clock);
        QCOMPARE(rank.waiting.count, waiting[i]);
        QCOMPARE(rank.transfer.count, transfer[i]);
        QCOMPARE(rank.late.count, late[i]);
        QCOMPARE(rank.last, static_cast<int>(last[i]));
      }
      QCOMPARE(read.kinds.size(), static_cast<std::size_t>(1 + pairs));
    }
  }

  /// Rank 2 comes 3 ms late to each of ten collectives of two steps.
  void a_late_rank_is_named_with_its_cost() {
    std::vector<Written> written(4);
    for (std::size_t i = 0; i < 4; ++i) written[i].clock = static_cast<std::int64_t>(i) * 5'000'000'000;
    for (int step = 1; step <= 2; ++step) {
      const std::int64_t begin = step * 1'000'000'000;
      for (std::size_t i = 0; i < 4; ++i) {
        written[i].step(step, begin, 100'000'000);
        for (int k = 0; k < 5; ++k) {
          const std::int64_t at = begin + 1'000'000 + k * 10'000'000;
          written[i].collective("0", "[0, 1, 2, 3]", at, at + (i == 2 ? 3'000'000 : 0), at + 4'000'000);
        }
      }
    }
    const auto found = study::autopsy::read_autopsy(write(written));
    QVERIFY(found.has_value());
    QCOMPARE(found->late->latest()->rank, 2);
    const auto text = findings_of(*found->late, {});
    QCOMPARE(QString::fromStdString(text[0]), QStringLiteral("Rank 2 comes last to 10 of its 10 collectives, and 15.00 "
                                                             "ms a step after the last but one (15.0 % of a step)."));
    QCOMPARE(QString::fromStdString(text[1]), QStringLiteral("A rank's collectives take 11.25 ms a step of waiting for "
                                                             "the last rank, and 5.00 ms of transfer."));
  }

  void steps_that_differ_are_left_out() {
    std::vector<Written> written(2);
    for (std::size_t i = 0; i < 2; ++i) {
      written[i].step(1, 0, 1'000'000), written[i].step(2, 1'000'000, 1'000'000);
      written[i].collective("0", "", 10'000, 20'000, 30'000);
      written[i].collective("0", "", 1'010'000, 1'020'000, 1'030'000);
    }
    written[1].collective("0", "", 1'040'000, 1'050'000, 1'060'000);
    const auto found = study::autopsy::read_autopsy(write(written));
    QVERIFY(found.has_value());
    QCOMPARE(found->late->matched, 1);
    QCOMPARE(found->late->unmatched, 2);
  }

  void a_joined_run_is_on_one_clock() {
    std::vector<Written> written(2);
    for (std::size_t i = 0; i < 2; ++i) {
      written[i].clock = static_cast<std::int64_t>(i) * 7'000'000'000;
      written[i].step(1, 0, 1'000'000);
      for (const int k : {1, 2, 3}) {
        const std::int64_t at = 200'000 * k;
        written[i].collective("0", "[0, 1]", at, at + 10'000 * static_cast<std::int64_t>(i), at + 50'000);
      }
    }
    const auto files = write(written);
    auto traces = io::traces::read_each_trace(files);
    QVERIFY(traces.has_value());
    const auto joined = study::autopsy::join_aligned(*std::move(traces), files);
    QVERIFY2(joined, joined ? "" : joined.error().text().c_str());
    const Timeline& timeline = joined->timelines.front().timeline;
    QCOMPARE(timeline.lanes.size(), 2U);
    for (std::size_t lane = 0; lane < 2; ++lane)
      for (std::size_t k = 0; k < 3; ++k) {
        const TimelineRow row = timeline.row(timeline.lanes[lane].begin + k);
        QCOMPARE(row.start.count, static_cast<std::int64_t>(200'000 * k + 10'000 * lane));
      }
    QVERIFY(std::ranges::any_of(joined->notes, [](const std::string& note) {
      return note.starts_with("Rank 1 comes last to 3 of its 3 collectives, and 30.0 µs a step");
    }));
  }

  void what_does_not_belong_together_is_refused() {
    RankCollectives one{.rank = 1, .kinds = {{"allreduce", "0", ""}}, .kernels = {{}}, .steps = {}}, two = one;
    QVERIFY(!study::autopsy::late_ranks({one}));
    QVERIFY(study::autopsy::late_ranks({one, two}).error().message.starts_with("found two traces of rank 1"));
    two.rank = 2, two.kinds.front().group = "1";
    QVERIFY(study::autopsy::late_ranks({one, two}).error().message.starts_with("found no collective"));
  }

  /// Rank 7 comes last to the first four all-to-alls, rank 5 to the all-reduce of 112 values, by the host's own clock.
  void genuine_traces_of_one_host() {
    std::vector<std::string> files;
    for (const char* const name :
         {"worker0_step_12.1694128201545", "worker1_step_12.1694128201556", "worker4_step_12.1694128201547",
          "worker5_step_12.1694128201549", "worker7_step_12.1694128201553"})
      files.push_back(test::shared_data() + "/foreign/kineto/param--dlrm_kineto_" + name + ".pt.trace.json");
    if (!std::ifstream(files.front())) QSKIP("the shared data are not here");
    const auto found = study::autopsy::read_autopsy(files);
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    const LateRanks& late = *found->late;
    QCOMPARE(late.matched, 8);
    QCOMPARE(late.unmatched, 0);
    for (const study::autopsy::RankLateness& rank : late.ranks) {
      QVERIFY(std::abs(rank.offset.count) <= 3000);  // one clock, to the microseconds of the files
      QCOMPARE(rank.collectives, 8);
    }
    QVERIFY(late.spread.count <= 10'000);
    QCOMPARE(late.ranks[4].rank, 7);
    QVERIFY(late.ranks[4].last >= 4);
    QVERIFY(late.ranks[4].waiting < late.ranks[1].waiting);  // rank 1 came 7.6 ms before it
    QVERIFY(late.ranks[1].waiting.count > 7'600'000);
    QCOMPARE(late.latest()->rank, 7);
  }
};

PIPEDECK_TEST(TestLateRanks)

}  // namespace pipedeck::tst_late_ranks

#include "tst_late_ranks.moc"
