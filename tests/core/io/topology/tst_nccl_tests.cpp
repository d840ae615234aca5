// SPDX-License-Identifier: Apache-2.0
// Output of nccl-tests: samples of its formats, tables of random lines against their source, and broken output.
#include <QTest>

#include <random>

#include <fmt/format.h>

#include "core/io/importers.hpp"
#include "core/io/topology/nccl_tests.hpp"
#include "tests/core/io/topology/topology_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_nccl_tests {

using test::fixture;
using test::replaced;

Result<FoundMachines> read(const std::string& text, const std::string& path = "a.txt") {
  return io::topology::machines_from_nccl_tests(text, "m", path);
}

FoundMachines found_in(const std::string& text, const std::string& path = "a.txt") {
  auto found = read(text, path);
  ensure(found.has_value(), found ? "" : found.error().text());
  return *std::move(found);
}

/// A table without the lines that name its test and ranks.
std::string bare(double ratio, bool twice = true, const std::string& operation = "sum      -1") {
  std::string text = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
  for (const double bytes : {1e6, 1e8}) {
    const double us = bytes / 1e5;
    const std::string figures = fmt::format("{:.2f} {:.2f} {:.2f} 0", us, bytes / us / 1e3, ratio * bytes / us / 1e3);
    text +=
        fmt::format(" {:.0f} {:.0f} half {} {}{}\n", bytes, bytes / 2, operation, figures, twice ? " " + figures : "");
  }
  return text + "# Out of bounds values : 0 OK\n";
}

class TestNcclTests : public QObject {
  Q_OBJECT

 private slots:
  void hosts_and_tests_are_read() {
    const FoundMachines found = found_in(fixture("2x8xh100.nccl-tests.txt"));
    QCOMPARE(found.machines.size(), std::size_t{2});
    QCOMPARE(found.machines[1].name, std::string("node-2"));
    QCOMPARE(found.machines[1].gpus.size(), std::size_t{8});
    QCOMPARE(found.machines[1].gpus[7].name, std::string("NVIDIA H100 80GB HBM3"));
    QCOMPARE(found.collectives.size(), std::size_t{2});
    const MeasuredCollective& all_reduce = found.collectives[0];
    QCOMPARE(all_reduce.test, std::string("all_reduce_perf"));
    QCOMPARE(all_reduce.kind, std::optional(CollectiveKind::all_reduce));
    QCOMPARE(all_reduce.ranks, 16);
    QCOMPARE(all_reduce.machines, (std::vector<std::string>{"node-1", "node-2"}));
    QCOMPARE(all_reduce.points.size(), std::size_t{8});
    QCOMPARE(all_reduce.points.front().bytes, 1024.0);
    // busbw of nccl-tests (doc/PERFORMANCE.md): 2 (n - 1) / n of the bytes over the time.
    const MeasuredCollective::Point& last = all_reduce.points.back();
    QCOMPARE(last.bus.count, 2 * 15.0 / 16 * last.bytes / last.time.count);
    QCOMPARE(found.collectives[1].kind, std::optional(CollectiveKind::all_to_all));
    const ImportShare& share = found.shares.front();
    QCOMPARE(share.left_out.size(), std::size_t{0});
    QVERIFY(share.understood > 16);
    QCOMPARE(found_in(fixture("8xh100.nccl-tests.txt")).collectives[1].kind, std::optional<CollectiveKind>());
  }

  void the_importer_knows_it() {
    for (const char* file : {"2x8xh100.nccl-tests.txt", "8xh100.nccl-tests.txt"})
      QCOMPARE((*io::importer_of(fixture(file)))->name, std::string_view("nccl-tests"));
    std::string prefixed;
    for (const char* line : {"# nThread 1 nGpus 8 minBytes 8", ""})
      prefixed += std::string("[1,0]<stdout>:") + line + "\n";
    for (const std::string_view line : {std::string_view("# size count type redop root time algbw busbw #wrong")})
      prefixed += "[1,0]<stdout>:" + std::string(line) + "\n";
    prefixed += "[1,0]<stdout>: 1000000 500000 half sum -1 10.00 100.00 175.00 0\n";
    QCOMPARE((*io::importer_of(prefixed))->name, std::string_view("nccl-tests"));
    QCOMPARE(found_in(prefixed).collectives.front().ranks, 8);
    QCOMPARE(found_in(prefixed).collectives.front().kind, std::optional(CollectiveKind::all_reduce));
  }

  /// The test's name stands in a line before, in the file's name, or follows from the bus bandwidth.
  void a_test_is_known_by_its_name_or_bandwidth() {
    const std::string header = "# nThread 2 nGpus 4 minBytes 8\n";
    QCOMPARE(found_in(header + bare(1.75)).collectives[0].kind, std::optional(CollectiveKind::all_reduce));
    QCOMPARE(
        found_in("run ./build/all_gather_perf -g 8\n" + header + bare(0.875, false, "none -1")).collectives[0].kind,
        std::optional(CollectiveKind::all_gather));
    QCOMPARE(found_in(header + bare(0.875), "logs/reduce_scatter-8.txt").collectives[0].kind,
             std::optional(CollectiveKind::reduce_scatter));
    // Without any line on ranks, those of an all-reduce follow from 2 (n - 1) / n.
    QCOMPARE(found_in("all_reduce_perf\n" + bare(1.75)).collectives[0].ranks, 8);
    QCOMPARE(found_in("all_reduce_perf\n" + bare(1.75)).machines[0].name, std::string("m"));
    const auto skipped = found_in("broadcast_perf\n" + header + bare(1) + "all_gather_perf\n" + header + bare(0.875));
    QCOMPARE(skipped.collectives.size(), std::size_t{1});
    QCOMPARE(skipped.notes.front(), std::string("broadcast_perf is left out"));
  }

  void lines_of_others_are_left_out_by_name() {
    const FoundMachines found = found_in("+ date\n" + fixture("8xh100.nccl-tests.txt") + "Beginning trial 1 of 1\n");
    QCOMPARE(found.shares[0].left_out, (std::vector<std::string>{"line 1: + date", found.shares[0].left_out.back()}));
    QVERIFY(found.shares[0].left_out.back().ends_with("Beginning trial 1 of 1"));
  }

  void broken_output_is_refused_with_its_line_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const std::string good = fixture("8xh100.nccl-tests.txt");
    const auto row = [](const char* name, const std::string& text, const char* expected) {
      QTest::newRow(name) << QString::fromStdString(text) << QString(expected);
    };
    const std::string first = "        1024           512      half     sum      -1    30.00    0.03    0.06       0";
    row("no row", "# nThread 1 nGpus 8\n# size count time algbw busbw\n", "found no row below the heading");
    row("columns", replaced(good, "0.06       0    30.30", "0.06"), "found 11 columns");
    row("no time", replaced(good, "    30.00    0.03", "     0.00    0.03"), "time or bandwidth that is none");
    row("negative", replaced(good, "    30.00    0.03", "   -30.00    0.03"), "time or bandwidth that is none");
    row("bytes", replaced(good, "        1024 ", "        1e99 "), "1e99 bytes");
    row("another unit", replaced(good, "8977.8  239.20", "8977.8  239200"), "expected 239.2");
    row("ranks",
        replaced(good, "#  Rank  7 Group  0 Pid 4007 on   node-1 device  7", "#  Rnk  7 on   node-1 device  7"),
        "for all_reduce_perf of 7 ranks");
    row("no ranks", "all_gather_perf\n" + bare(0.875), "without its ranks");
    row("no name", "# nThread 1 nGpus 8\n" + bare(0.875), "without the name of its test");
    row("one rank", "all_reduce_perf\n#  Rank 0 on h device 0 [0x1] NVIDIA H200\n" + bare(0), "one rank");
    row("others alone", "broadcast_perf\n# nThread 1 nGpus 8\n" + bare(1), "found broadcast_perf alone");
    row("bytes of another text", replaced(good, "# Using", "# \xff sing"), "not UTF-8");
    QVERIFY(good.find(first) != good.npos);
  }
  void broken_output_is_refused_with_its_line() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    std::string broken = text.toStdString();
    if (QString(QTest::currentDataTag()) == "bytes of another text")
      broken = replaced(fixture("8xh100.nccl-tests.txt"), "# Using", "# \xff");
    const auto found = read(broken);
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(found.error().text().find(expected.toStdString()) != std::string::npos, found.error().text().c_str());
  }

  /// No prefix of the text and no change of a byte does more than fail.
  void any_change_gives_a_value_or_an_error() {
    const std::string good = fixture("2x8xh100.nccl-tests.txt");
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
      std::string text = good;
      for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 128);
      if (i % 3 == 0) text.resize(random() % text.size());
      const auto found = read(text);
      if (!found) QVERIFY(!found.error().message.empty());
    }
  }

  void bounds_hold() {
    std::string many = "all_reduce_perf\n# nThread 1 nGpus 8\n# size count type redop root time algbw busbw #wrong\n";
    for (int i = 0; i < 5000; ++i) many += "8 4 half sum -1 10.0 0.00 0.00 0\n";
    QVERIFY(read(many).error().text().find("more than 4096 sizes") != std::string::npos);
    QVERIFY(!read(std::string((std::size_t{16} << 20) + 1, ' ')));
  }
};

PIPEDECK_TEST(TestNcclTests)

}  // namespace pipedeck::tst_nccl_tests

#include "tst_nccl_tests.moc"
