// SPDX-License-Identifier: Apache-2.0
// Dumps of the flight recorder of a job that hangs: the rank that make_dumps.py leaves out is named, in its group.
#include <random>

#include <QTest>

#include "core/io/dumps/files.hpp"
#include "core/study/autopsy/collectives.hpp"
#include "core/study/autopsy/memory.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_collectives_autopsy {

using io::dumps::CollectiveState;
using io::dumps::FlightDump;
using io::dumps::FlightEntry;
using study::autopsy::CollectivesAutopsy;
using study::autopsy::Stall;
using study::autopsy::StallKind;

/// A job of ranks in one group, by the calls of each.
class Job {
 public:
  explicit Job(int ranks) {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    for (int rank = 0; rank < ranks; ++rank)
      dumps.push_back({rank,
                       "2.10",
                       {{"0", "default_pg", all}},
                       {{}},
                       {},
                       {"", "[[8]]", "[[4,2]]", "Float"},
                       {"", "train.py:44 main"}});
  }
  void call(int rank, std::int64_t number, CollectiveState state, const std::string& name = "all_reduce",
            std::uint32_t sizes = 1) {
    FlightEntry entry;
    entry.sequence = number, entry.operation = name, entry.state = state, entry.place = 1;
    entry.input_sizes = entry.output_sizes = sizes, entry.input_types = entry.output_types = 3;
    dumps[static_cast<std::size_t>(rank)].entries.push_back(entry);
  }
  void transfer(int rank, const std::string& name, int source, int target, CollectiveState state) {
    call(rank, 0, state, name);
    FlightEntry& entry = dumps[static_cast<std::size_t>(rank)].entries.back();
    entry.source = source, entry.target = target;
  }
  CollectivesAutopsy look() const { return study::autopsy::collectives_autopsy(dumps).value(); }
  /// Returns the sentences without places.
  QStringList text() const {
    QStringList lines;
    for (const std::string& line : findings_of(look(), {})) lines << QString::fromStdString(line);
    return lines;
  }

  std::vector<FlightDump> dumps;
};

class TestCollectivesAutopsy : public QObject {
  Q_OBJECT

 private slots:
  void the_rank_that_is_missing_is_named() {
    if (!test::has_python()) QSKIP("no python3 here");
    for (int seed = 1; seed <= 12; ++seed) {
      const test::MadeDumps made(QStringLiteral("flight"), seed);
      QVERIFY(made.ok());
      std::vector<FlightDump> dumps;
      for (int rank = 0; rank < 4; ++rank) {
        const QString name = QStringLiteral("nccl_trace_rank_%1%2").arg(rank).arg(rank == 3 ? ".json" : "");
        auto dump = io::dumps::read_dump(made.file(name));
        QVERIFY2(dump, dump ? "" : dump.error().text().c_str());
        dumps.push_back(std::get<FlightDump>(*std::move(dump)));
      }
      const CollectivesAutopsy found = study::autopsy::collectives_autopsy(dumps).value();
      const int missing = made.truth()[QStringLiteral("missing")].toInt();
      QCOMPARE(found.roots, std::vector<int>{missing});
      const std::string group = made.truth()[QStringLiteral("group")].toString().toStdString();
      const auto stall = std::ranges::find(found.stalls, group, &Stall::group);
      QVERIFY(stall != found.stalls.end() && stall->kind == StallKind::missing);
      QCOMPARE(stall->sequence, made.truth()[QStringLiteral("sequence")].toInteger());
      QCOMPARE(stall->ranks, std::vector<int>{missing});
      QCOMPARE(stall->waiting, std::vector<int>{missing ^ 1});
      QCOMPARE(found.groups, 3U);
      QCOMPARE(found.stalls.size(), 2U);  // all others wait in the group of all
    }
  }

  void a_job_that_runs_has_no_fault() {
    Job job(3);
    for (int rank = 0; rank < 3; ++rank)
      for (int number = 1; number < 5; ++number) job.call(rank, number, CollectiveState::completed);
    job.call(0, 5, CollectiveState::completed);  // its dump was written last
    QCOMPARE(job.text(), QStringList{"Every recorded collective of all groups has ended on all ranks."});
  }

  void different_calls() {
    Job job(4);
    for (int rank = 0; rank < 4; ++rank) {
      job.call(rank, 1, CollectiveState::completed);
      job.call(rank, 2, CollectiveState::started, rank == 2 ? "broadcast" : "all_reduce");
    }
    const Stall stall = job.look().stalls.front();
    QCOMPARE(stall.kind, StallKind::different);
    QCOMPARE(stall.ranks, std::vector<int>{2});
    QCOMPARE(job.text().front(), QStringLiteral("Rank 2 called broadcast of [[8]] Float as number 2 of group 0 "
                                                "(default_pg); ranks 0, 1 and 3 called all_reduce 2 of [[8]] Float, "
                                                "called at train.py:44 main."));
    Job sizes(2);
    sizes.call(0, 7, CollectiveState::started);
    sizes.call(1, 7, CollectiveState::started, "all_reduce", 2);
    QCOMPARE(sizes.look().stalls.front().kind, StallKind::different);
    Job uneven(2);  // ranks of an all-to-all have parts of their own
    uneven.call(0, 7, CollectiveState::completed, "all_to_all");
    uneven.call(1, 7, CollectiveState::completed, "all_to_all", 2);
    QVERIFY(uneven.look().stalls.empty());
  }

  void a_gpu_that_has_not_come_to_it() {
    Job job(3);
    for (int rank = 0; rank < 3; ++rank)
      job.call(rank, 4, rank == 1 ? CollectiveState::scheduled : CollectiveState::started);
    const Stall stall = job.look().stalls.front();
    QCOMPARE(stall.kind, StallKind::unstarted);
    QCOMPARE(stall.ranks, std::vector<int>{1});
    Job all(2);
    all.call(0, 4, CollectiveState::started);
    all.call(1, 4, CollectiveState::started);
    QCOMPARE(all.look().stalls.front().kind, StallKind::unfinished);
    QVERIFY(all.look().roots.empty());
  }

  void a_send_without_its_receive() {
    Job job(3);
    job.transfer(0, "send", 0, 1, CollectiveState::completed);
    job.transfer(0, "send", 0, 1, CollectiveState::started);
    job.transfer(0, "send", 0, 1, CollectiveState::scheduled);
    job.transfer(1, "recv", 0, 1, CollectiveState::completed);
    job.transfer(1, "recv", 0, 1, CollectiveState::started);
    const CollectivesAutopsy found = job.look();
    QCOMPARE(found.stalls.size(), 1U);
    QCOMPARE(found.stalls.front().kind, StallKind::unmatched);
    QCOMPARE(found.stalls.front().ranks, std::vector<int>{1});
    QCOMPARE(found.stalls.front().waiting, std::vector<int>{0});
    QCOMPARE(found.stalls.front().sequence, 2);  // of those that wait, the first has its receive
  }

  void counters_go_on_where_calls_are_not_recorded() {
    Job job(3);
    for (FlightDump& dump : job.dumps) dump.status.front().enqueued = dump.rank == 1 ? 20 : 21;
    const Stall stall = job.look().stalls.front();
    QCOMPARE(stall.kind, StallKind::missing);
    QCOMPARE(stall.sequence, 21);
    QCOMPARE(stall.ranks, std::vector<int>{1});
  }

  void ranks_without_a_dump() {
    Job job(4);
    job.dumps.erase(job.dumps.begin() + 2);
    QCOMPARE(job.look().without_dump, std::vector<int>{2});
    QCOMPARE(job.text().back(), QStringLiteral("No dump was given of rank 2, which groups have."));
    job.dumps.push_back(job.dumps.front());
    QVERIFY(!study::autopsy::collectives_autopsy(job.dumps));
  }

  /// Bytes of dumps that are changed at random: each is refused with a place, or analysed.
  void changed_anywhere_a_dump_is_analysed_or_refused() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps ranks(QStringLiteral("flight"), 7), memory(QStringLiteral("snapshot"), 7);
    std::mt19937 random(9);
    int refused = 0, analysed = 0;
    for (int round = 0; round < 240; ++round) {
      std::string bytes = round % 3 == 0   ? memory.bytes(QStringLiteral("snapshot.pickle"))
                          : round % 3 == 1 ? ranks.bytes(QStringLiteral("nccl_trace_rank_1"))
                                           : ranks.bytes(QStringLiteral("nccl_trace_rank_3.json"));
      for (int i = 0; i < 1 + round % 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
      const auto dump = io::dumps::dump_of("nccl_trace_rank_0", bytes);
      if (!dump) {
        ++refused;
        QVERIFY(dump.error().code == ErrorCode::bad_input && !dump.error().message.empty());
        continue;
      }
      ++analysed;
      if (const auto* snapshot = std::get_if<io::dumps::MemorySnapshot>(&*dump))
        for (const auto& pile : study::autopsy::measured_piles(*snapshot)) QVERIFY(!findings_of(pile).empty());
      if (const auto* flight = std::get_if<FlightDump>(&*dump))
        QVERIFY(!findings_of(study::autopsy::collectives_autopsy({*flight}).value(), {}).empty());
    }
    QVERIFY(refused > 20 && analysed > 20);
  }

  void places_in_a_plan() {
    Plan plan;
    for (int stage = 0; stage < 2; ++stage) {
      Stage one;
      one.first = stage, one.last = stage + 1, one.tensor_parallel = 2;
      for (int i = 0; i < 4; ++i) one.devices.emplace_back(4 * stage + i);
      plan.stages.push_back(one);
    }
    Cluster cluster;
    cluster.device_types.resize(1);
    cluster.device_types.front().name = "T";
    for (const char* const name : {"n0", "n1"}) {
      Node node;
      node.name = name, node.devices = {{"T", 4}};
      cluster.nodes.push_back(node);
    }
    const auto places = study::autopsy::RankPlaces::of(plan, &cluster);
    QVERIFY(places && places->size() == 8);
    QCOMPARE(QString::fromStdString(places->text(6)), QStringLiteral("rank 6 (stage 1, TP 0, DP 1, n1)"));
    QCOMPARE(QString::fromStdString(places->text(9)), QStringLiteral("rank 9"));
    const std::vector<int> many{0, 1, 2, 5, 7};
    QCOMPARE(QString::fromStdString(places->text(many)), QStringLiteral("ranks 0 to 2, 5 and 7"));
  }
};

PIPEDECK_TEST(TestCollectivesAutopsy)

}  // namespace pipedeck::tst_collectives_autopsy

#include "tst_collectives_autopsy.moc"
