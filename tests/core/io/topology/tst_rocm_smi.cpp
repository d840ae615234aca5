// SPDX-License-Identifier: Apache-2.0
// Machines as rocm-smi describes them.
#include <QTest>

#include <random>
#include <string>

#include "core/io/topology/rocm_smi.hpp"
#include "tests/core/io/topology/topology_fixture.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_rocm_smi {

using test::fixture;
using test::replaced;

FoundMachines machines(const std::string& text) {
  auto found = io::topology::machines_from_rocm_smi(text, "m");
  if (!found) qFatal("%s", found.error().text().c_str());
  return *std::move(found);
}

QString error_of(const std::string& text) {
  const auto found = io::topology::machines_from_rocm_smi(text, "m");
  return found ? QString("none") : QString::fromStdString(found.error().text());
}

class TestRocmSmi : public QObject {
  Q_OBJECT
 private slots:
  void a_full_mesh() {
    const FoundMachines found = machines(fixture("8xmi300x.rocm.txt"));
    QCOMPARE(found.machines.size(), std::size_t{1});
    const DetectedMachine& machine = found.machines[0];
    QCOMPARE(machine.gpus.size(), std::size_t{8});
    QCOMPARE(machine.gpus[5].name, std::string("AMD Instinct MI300X OAM"));
    QCOMPARE(*machine.gpus[5].numa, 1);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j)
        QCOMPARE(machine.joints[i][j].kind, i == j ? InterconnectKind::self : InterconnectKind::unknown);
  }

  void pairs_without_a_link() {
    const DetectedMachine machine = machines(fixture("4xmi210.rocm.txt")).machines[0];
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::unknown);
    QCOMPARE(machine.joints[0][2].kind, InterconnectKind::system);
    QVERIFY(machine.gpus[0].name.empty());
    const std::string near = replaced(fixture("4xmi210.rocm.txt"), "GPU[2]\t\t: (Topology) Numa Node: 1",
                                      "GPU[2]\t\t: (Topology) Numa Node: 0");
    QCOMPARE(machines(near).machines[0].joints[0][2].kind, InterconnectKind::numa_node);
  }

  void several_machines() {
    const FoundMachines found = machines(fixture("8xmi300x.rocm.txt") + "node-2:\n" + fixture("4xmi210.rocm.txt"));
    QCOMPARE(found.machines.size(), std::size_t{2});
    QCOMPARE(found.machines[1].gpus.size(), std::size_t{4});
    QVERIFY(found.machines[1].gpus[0].name.empty());
  }

  void damaged_text() {
    const std::string good = fixture("4xmi210.rocm.txt");
    QVERIFY(error_of("").contains("found no matrix of links"));
    const std::size_t links = good.find("Link Type");
    const std::string before = good.substr(0, links), after = good.substr(links);
    QVERIFY2(error_of(before + replaced(after, "GPU1   XGMI", "GPU1   PCIE")).contains("line "),
             qPrintable(error_of(before + replaced(after, "GPU1   XGMI", "GPU1   PCIE"))));
    QVERIFY(
        error_of(before + replaced(after, "GPU2   PCIE", "GPU2   CXL ")).contains("found CXL between GPU2 and GPU0"));
    QVERIFY(error_of(before + replaced(after, "\nGPU2   ", "\nGPU7   ")).contains("found a row of GPU7"));
    QVERIFY(error_of(before + after.substr(0, after.find("\nGPU3   "))).contains("found 3 rows"));
    std::mt19937 random(7);
    for (int run = 0; run < (test::nightly() ? 20000 : 500); ++run) {
      std::string text = good;
      for (int i = 0; i < 5; ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
      const auto found = io::topology::machines_from_rocm_smi(text, "m");
      if (!found) QVERIFY(!found.error().message.empty());
    }
  }
};

PIPEDECK_TEST(TestRocmSmi)

}  // namespace pipedeck::tst_rocm_smi

#include "tst_rocm_smi.moc"
