// SPDX-License-Identifier: Apache-2.0
// Output of p2pBandwidthLatencyTest and nvbandwidth for copies between GPUs: samples of their formats, tables of random
// figures against their source, and broken output.
#include <QTest>

#include <random>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/topology/gpu_copies.hpp"
#include "core/io/topology/gpu_copies_json.hpp"
#include "tests/core/io/topology/topology_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_gpu_copies {

using test::fixture;
using test::replaced;

DetectedMachine machine_in(const std::string& text) {
  auto found = io::topology::machines_from_gpu_copies(text, "m");
  ensure(found.has_value(), found ? "" : found.error().text());
  ensure(found->machines.size() == 1, "one machine");
  return std::move(found->machines[0]);
}

using Table = std::vector<std::vector<double>>;

std::string printed(const std::string& title, const std::string& corner, const Table& table) {
  std::string text = title + "\n" + corner;
  for (std::size_t j = 0; j < table.size(); ++j) text += fmt::format(" {:6}", j);
  text += "\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += fmt::format("{:6}", i);
    for (const double value : table[i]) text += value > 0 ? fmt::format(" {:6.2f}", value) : std::string("   N/A");
    text += " \n";
  }
  return text + "\n";
}

/// As nvbandwidth --json has a test.
std::string json_test(const std::string& title, const Table& table) {
  std::string rows;
  for (const std::vector<double>& row : table) {
    std::string values;
    for (const double value : row)
      values += (values.empty() ? "" : ",") + (value > 0 ? fmt::format("\"{:.2f}\"", value) : std::string("\"N/A\""));
    rows += fmt::format("{}[{}]", rows.empty() ? "" : ",", values);
  }
  return "{\"bandwidth_description\": \"" + title + "\", \"bandwidth_matrix\": [" + rows + "]}";
}

std::string json_of(const std::string& tests, const std::string& devices = "[]") {
  return "{\"nvbandwidth\": {\"GPU Device list\": " + devices + ", \"testcases\": [" + tests + "]}}";
}

Result<FoundMachines> read_json(const std::string& text) {
  const auto document = io::json::parse(text);
  return document ? io::topology::machines_from_gpu_copies(*document, "m") : tl::unexpected(document.error());
}

const Table two{{1290, 20}, {21, 1290}};
const std::string enabled = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)";

class TestGpuCopies : public QObject {
  Q_OBJECT

 private slots:
  void the_cuda_sample() {
    const std::string text = fixture("4xa100-pcie.p2p.txt");
    QVERIFY(io::topology::looks_like_gpu_copies(text));
    QCOMPARE(*io::detect_file_kind(text), io::FileKind::machines);
    const DetectedMachine machine = machine_in(text);
    QCOMPARE(machine.source, std::string("p2pBandwidthLatencyTest"));
    QCOMPARE(machine.gpus.size(), std::size_t{4});
    for (const FoundGpu& gpu : machine.gpus) QCOMPARE(gpu.name, std::string("NVIDIA A100-PCIE-40GB"));
    QCOMPARE(machine.joints[0][1].measured->bandwidth, BytesPerSecond(242.19e9));  // of 242.80 and 242.19
    QCOMPARE(machine.joints[1][0], machine.joints[0][1]);
    QVERIFY(machine.joints[0][2].measured->bandwidth < BytesPerSecond(11e9));
    QVERIFY(machine.joints[0][1].measured->latency < Seconds(3e-6));
    QVERIFY(machine.joints[0][2].measured->latency > Seconds(17e-6));
    QCOMPARE(machine.joints[2][2], Interconnect());
    QVERIFY(machine.notes.empty());
  }

  void nvbandwidth() {
    const std::string text = fixture("8xh100.nvbandwidth.txt");
    QVERIFY(io::topology::looks_like_gpu_copies(text));
    const DetectedMachine machine = machine_in(text);
    QCOMPARE(machine.source, std::string("nvbandwidth"));
    QCOMPARE(machine.gpus.size(), std::size_t{8});
    QCOMPARE(machine.gpus[7].name, std::string("NVIDIA H100 80GB HBM3"));
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        if (i == j) continue;
        const Link& link = *machine.joints[i][j].measured;
        // Writes, which are faster than reads; not the sum of both directions, nor what the host or all others reach.
        QVERIFY(link.bandwidth >= BytesPerSecond(392.4e9) && link.bandwidth <= BytesPerSecond(392.9e9));
        QVERIFY(link.latency >= Seconds(1.06e-6) && link.latency <= Seconds(1.1e-6));
      }
  }

  void processes_name_their_own_gpus() {
    const DetectedMachine machine = machine_in(
        "      Process 0 (worker-0): device 0: HGX GB200 (00000008:01:00)\n"
        "      Process 1 (worker-0): device 1: HGX GB200 (00000009:01:00)\n" +
        printed("memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", "", {{0, 798}, {797, 0}}));
    QCOMPARE(machine.name, std::string("worker-0"));
    QCOMPARE(machine.gpus[0].name, std::string("HGX GB200"));
    QCOMPARE(machine.gpus[1].name, std::string("HGX GB200"));
    QCOMPARE(machine.joints[0][1].measured->latency, Seconds());
  }

  void gpus_of_several_hosts_are_no_machine() {
    const std::string title = "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)";
    const std::string processes =
        "      Process 0 (a): device 0: HGX GB200 (8:01:00)\n      Process 1 (a): device 1: HGX GB200 (9:01:00)\n"
        "      Process 2 (b): device 0: HGX GB200 (8:01:00)\n";
    const auto found = io::topology::machines_from_gpu_copies(
        processes + printed(title, "", {{0, 798, 90}, {797, 0, 91}, {92, 93, 0}}), "m");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QVERIFY(found->machines.empty() && found->matrix);
    QCOMPARE(found->matrix->devices, (std::vector<std::string>{"a/gpu0", "a/gpu1", "b/gpu0"}));
    QCOMPARE(found->matrix->values[2][1], 93.0);
    QCOMPARE(found->matrix->gpu, std::string("HGX GB200"));
    const auto holes = io::topology::machines_from_gpu_copies(
        processes + printed(title, "", {{0, 798, 0}, {797, 0, 91}, {92, 93, 0}}), "m");
    QVERIFY(!holes && holes.error().message.find("from GPU 0 to GPU 2") != std::string::npos);
  }

  void tables_come_back() {
    std::mt19937 random(7);
    const auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    for (int round = 0; round < 200; ++round) {
      const auto n = static_cast<std::size_t>(1 + below(9));
      const bool sample = below(2) == 0;
      Table fastest(n, std::vector<double>(n)), quickest = fastest;
      std::string text = sample ? "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n" : "nvbandwidth Version: v0.8\n";
      // Each value has two digits behind the point, so that it is printed as it is.
      const auto table = [&](int most, bool holes) {
        Table made(n, std::vector<double>(n));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            made[i][j] = !sample && (i == j || (holes && below(5) == 0)) ? 0 : (1 + below(most)) / 100.0;
        return made;
      };
      const auto keep = [&](Table& kept, const Table& from, bool greatest) {
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            if (i != j && from[i][j] > 0 && (kept[i][j] == 0 || (from[i][j] > kept[i][j]) == greatest))
              kept[i][j] = from[i][j];
      };
      for (int tables = 1 + below(3); tables > 0; --tables) {
        const Table rates = table(90000, true);
        keep(fastest, rates, true);
        text += printed(
            sample ? "Unidirectional P2P=" + std::string(below(2) ? "Enabled" : "Disabled") + " Bandwidth Matrix (GB/s)"
            : below(2) == 0 ? "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)"
                            : "memcpy SM GPU(row) <- GPU(column) bandwidth (GB/s)",
            sample ? "   D\\D" : "      ", rates);
        text += printed(sample ? "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)"
                               : "memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)",
                        sample ? "   D\\D" : "      ", table(200000, false));
      }
      const bool timed = below(2) == 0;
      if (timed) {
        const Table latencies = table(3000, false);
        keep(quickest, latencies, false);
        text += printed(sample ? "P2P=Enabled Latency (P2P Writes) Matrix (us)"
                               : "Device to Device Latency SM GPU(row) <-> GPU(column) latency (ns)",
                        sample ? "   GPU" : "      ", latencies);
        if (sample) text += printed("", "   CPU", table(3000, false));
      }
      const DetectedMachine machine = machine_in(text);
      QCOMPARE(machine.gpus.size(), n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (i == j) continue;
          const Interconnect& joint = machine.joints[i][j];
          const double rate = std::min(fastest[i][j], fastest[j][i]);
          QCOMPARE(joint.measured.has_value(), rate > 0);
          if (!joint.measured) continue;
          QCOMPARE(joint.measured->bandwidth.count, rate * 1e9);
          const double longest = std::max(quickest[i][j], quickest[j][i]) * (sample ? 1e-6 : 1e-9);
          QVERIFY(std::abs(joint.measured->latency.count - longest) < 1e-15);
        }
    }
  }

  /// The JSON and the printed output of one run.
  void json_has_the_same_tables() {
    std::mt19937 random(8);
    for (int round = 0; round < 50; ++round) {
      const std::size_t n = 1 + random() % 6;
      std::string text, tests = R"({"name": "a", "status": "Waived"})";
      for (const char* title : {"memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
                                "memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)",
                                "memcpy SM GPU(row) <- GPU(column) bandwidth (GB/s)",
                                "Device to Device Latency SM GPU(row) <-> GPU(column) latency (ns)"}) {
        Table table(n, std::vector<double>(n));
        for (auto& row : table)
          for (double& value : row) value = random() % 5 == 0 ? 0 : static_cast<double>(1 + random() % 90000) / 100;
        text += printed(title, "", table);
        tests += "," + json_test(title, table);
      }
      const auto found = read_json(json_of(tests));
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      QCOMPARE(found->machines[0], machine_in(text));
    }
  }

  void json_names_gpus_and_their_host() {
    const std::string test = json_test("memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", two);
    const auto named = read_json(json_of(
        test, "[\"0: NVIDIA H200 (00000000:19:00): (node-3)\", \"1: NVIDIA H200 (00000000:3B:00): (node-3)\"]"));
    QVERIFY2(named, named ? "" : named.error().text().c_str());
    QCOMPARE(named->machines[0].name, std::string("node-3"));
    QCOMPARE(named->machines[0].source, std::string("nvbandwidth"));
    for (const FoundGpu& gpu : named->machines[0].gpus) QCOMPARE(gpu.name, std::string("NVIDIA H200"));
    const auto two_hosts = read_json(
        json_of(test, "[\"0: NVIDIA H200 (00000000:19:00): (a)\", \"1: NVIDIA H200 (00000000:19:00): (b)\"]"));
    QVERIFY2(two_hosts, two_hosts ? "" : two_hosts.error().text().c_str());
    QCOMPARE(two_hosts->matrix->devices, (std::vector<std::string>{"a/gpu0", "b/gpu0"}));
    const auto unnamed = read_json(json_of(test, R"(["what is this", ""])"));
    QVERIFY(unnamed && unnamed->machines[0].gpus[0].name.empty() && unnamed->machines[0].name == "m");
    const auto document = io::read_document("x.json", json_of(test), {});
    QVERIFY(document && std::get<FoundMachines>(*document).machines[0].name == "x");
  }

  void a_document_of_nvbandwidth() {
    const auto document = io::read_document(PIPEDECK_FIXTURES "/topology/2xh200.nvbandwidth.json");
    QVERIFY2(document, document ? "" : document.error().text().c_str());
    const DetectedMachine& machine = std::get<FoundMachines>(*document).machines[0];
    QCOMPARE(machine.name, std::string("node-5"));
    QCOMPARE(machine.joints[0][1].measured->bandwidth, BytesPerSecond(392.48e9));
    QVERIFY(std::abs(machine.joints[0][1].measured->latency.count - 1072.31e-9) < 1e-15);
  }

  void broken_json_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& text, const char* place, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QString(place) << QString(words);
    };
    const std::string title = "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)";
    const std::string good = json_test(title, two), place = "/nvbandwidth/testcases/0/bandwidth_matrix";
    row("no tests", R"({"nvbandwidth": {"error": "no device"}})", "", "in one direction");
    row("no list", R"({"nvbandwidth": {"testcases": 3}})", "/nvbandwidth/testcases", "expected a list");
    row("no table", json_of("{\"bandwidth_description\": \"" + title + "\"}"), place.c_str(), "expected");
    row("empty table", json_of(json_test(title, {})), place.c_str(), "found 0 columns");
    row("not square", json_of(json_test(title, {{1, 2, 3}, {1, 2, 3}})), (place + "/0").c_str(), "found 3 values");
    row("two sizes", json_of(good + "," + json_test(title, {{1}})), "/nvbandwidth/testcases/1/bandwidth_matrix",
        "the 2 of the table before");
    row("negative", json_of(replaced(good, "20.00", "-2")), (place + "/0/1").c_str(), "a figure above 0");
    row("NaN", json_of(replaced(good, "20.00", "nan")), (place + "/0/1").c_str(), "a figure above 0");
    row("a number", json_of(replaced(good, "\"20.00\"", "20")), (place + "/0/1").c_str(), "expected");
    row("cut off", json_of(good).substr(0, 150), "line 1, column 151", "");
  }

  void broken_json() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto found = read_json(text.toStdString());
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(found.error().message).contains(words), found.error().text().c_str());
    QCOMPARE(QString::fromStdString(found.error().place), place);
    QVERIFY(!io::read_document("x.json", text.toStdString(), {}));
  }

  void cut_off_before_its_tables_it_is_known_still() {
    for (const char* name : {"4xa100-pcie.p2p.txt", "8xh100.nvbandwidth.txt"}) {
      const auto cut = io::read_document("cut.txt", fixture(name).substr(0, 200), {});
      QVERIFY(!cut);
      QVERIFY2(cut.error().message.starts_with("found no bandwidths of copies"), cut.error().message.c_str());
    }
  }

  void pairs_that_were_not_measured_are_told() {
    const DetectedMachine machine = machine_in(
        printed("memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", "", {{0, 20, 0}, {21, 0, 22}, {0, 22, 0}}));
    QVERIFY(!machine.joints[0][2].measured && machine.joints[1][2].measured);
    QCOMPARE(machine.notes, std::vector<std::string>{"nvbandwidth: 1 of 3 pairs were not measured"});
  }

  void broken_files_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& text, const char* place, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QString(place) << QString(words);
    };
    const std::string good = printed(enabled, "   D\\D", two);
    row("empty", "", "", "in one direction");
    row("both directions alone", printed("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)", "   D\\D", two), "",
        "in one direction");
    row("title alone", enabled + "\n", "line 1", "without a table");
    row("heading alone", enabled + "\n   D\\D 0 1\n", "line 1", "found 0 rows");
    row("a row missing", good.substr(0, good.find("     1 ")) + "\nSUM\n", "line 5", "row of");
    row("cut off", good.substr(0, good.find("     1 ")), "line 1", "found 1 rows");
    row("a value missing", replaced(good, " 1290.00", ""), "line 3", "found 1 values of GPU 0");
    row("NaN", replaced(good, "20.00", "nan"), "line 3", "a figure above 0");
    row("negative", replaced(good, "20.00", "-2"), "line 3", "a figure above 0");
    row("zero", replaced(good, "21.00", "0.00"), "line 4", "a figure above 0");
    row("huge", replaced(good, "20.00", "1e300"), "line 3", "a figure above 0");
    row("a long latency", good + printed("P2P=Enabled Latency Matrix (us)", "   GPU", {{1, 2e6}, {3, 1}}), "line 8",
        "a figure above 0");
    row("columns out of order", replaced(good, "0      1", "1      0"), "line 2", "above a column");
    row("tables of two sizes", good + printed(enabled, "   D\\D", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), "line 7",
        "the 2 of the table before");
    row("no UTF-8", replaced(good, "20.00", "\xff"), "line 3", "UTF-8");
    std::string wide = enabled + "\n";
    for (int i = 0; i < 2000; ++i) wide += fmt::format(" {}", i);
    row("wide", wide, "line 2", "from 1 to 1024");
    row("large", good + std::string(std::size_t{17} << 20, '\n'), "", "at most");
  }

  void broken_files() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto found = io::topology::machines_from_gpu_copies(text.toStdString(), "m");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(found.error().message).contains(words), found.error().text().c_str());
    QCOMPARE(QString::fromStdString(found.error().place), place);
  }
};

PIPEDECK_TEST(TestGpuCopies)

}  // namespace pipedeck::tst_gpu_copies

#include "tst_gpu_copies.moc"
