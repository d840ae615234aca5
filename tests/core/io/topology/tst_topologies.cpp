// SPDX-License-Identifier: Apache-2.0
// Machines as nvidia-smi and NCCL describe them: real-looking dumps are understood, broken and hostile ones are refused
// with their line, in little time and memory.
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/topology/nccl.hpp"
#include "core/io/topology/nvidia_smi.hpp"
#include "tests/core/io/topology/topology_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topologies {

using test::fixture;
using test::replaced;

DetectedMachine only(const Result<FoundMachines>& found) {
  ensure(found.has_value(), found ? "" : found.error().text());
  ensure(found->machines.size() == 1, "one machine");
  return found->machines[0];
}

std::string nvlink_to(const std::string& bus) { return "<nvlink target=\"0000:" + bus + ":00.0\""; }
std::string xgmi_to(const std::string& bus) { return "<xgmi target=\"0000:" + bus + ":00.0\""; }

DetectedMachine smi(const std::string& text) { return only(io::topology::machines_from_nvidia_smi(text, "m")); }
DetectedMachine nccl(const std::string& text) { return only(io::topology::machines_from_nccl(text, "m")); }

const char* const two_gpus =
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV2\tPIX\t0-23\t0\n"
    "GPU1\tNV2\t X \tSYS\t24-47\t1\n"
    "NIC0\tPIX\tSYS\t X \t\t\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";

const char* const two_in_xml = R"(<system version="1">
  <cpu numaid="0" vendor="GenuineIntel">
    <pci busid="0000:04:00.0" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:06:00.0" vendor="0x10de" device="0x20b0" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80" rank="0"><nvlink target="0000:07:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
      <pci busid="0000:07:00.0" vendor="0x10de" device="0x20b0" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="80" rank="1"><nvlink target="0000:06:00.0" count="4" tclass="0x030200"/></gpu>
      </pci>
    </pci>
    <nic><net name="eth0" dev="0" speed="25000" guid="0x0"/></nic>
  </cpu>
</system>
)";

class TestTopologies : public QObject {
  Q_OBJECT

 private slots:
  void files_are_told_by_content_data() {
    QTest::addColumn<int>("gpus");
    QTest::addColumn<int>("nics");
    for (const char* name : {"dgx1-v100.topo.txt", "dgx1-v100.xml"}) QTest::newRow(name) << 8 << 4;
    for (const char* name : {"dgx-a100.topo.txt", "dgx-a100.xml"}) QTest::newRow(name) << 8 << 8;
    for (const char* name : {"8xl40s-numa.topo.txt", "8xl40s-numa.xml"}) QTest::newRow(name) << 8 << 2;
    QTest::newRow("4xt4.topo.txt") << 4 << 0;
    QTest::newRow("4xt4.xml") << 4 << 1;
  }
  void files_are_told_by_content() {
    QFETCH(int, gpus);
    QFETCH(int, nics);
    const std::string text = fixture(QTest::currentDataTag());
    QCOMPARE(*io::detect_file_kind(text), io::FileKind::machines);
    const auto document = io::read_document(std::string(PIPEDECK_FIXTURES "/topology/") + QTest::currentDataTag());
    QVERIFY2(document, document ? "" : document.error().text().c_str());
    const auto* found = std::get_if<FoundMachines>(&*document);
    QVERIFY(found && found->machines.size() == 1);
    const DetectedMachine& machine = found->machines[0];
    QCOMPARE(machine.gpus.size(), static_cast<std::size_t>(gpus));
    QCOMPARE(machine.nics.size(), static_cast<std::size_t>(nics));
    QVERIFY(!QByteArray(QTest::currentDataTag()).startsWith("dgx1") || machine.name == "dgx1-v100");
    for (std::size_t i = 0; i < machine.gpus.size(); ++i)
      for (std::size_t j = 0; j < machine.gpus.size(); ++j) {
        QCOMPARE(machine.joints[i][j], machine.joints[j][i]);
        QCOMPARE(machine.joints[i][j].kind == InterconnectKind::self, i == j);
      }
  }

  /// Both tools tell the same of the mesh of a DGX-1.
  void both_tell_the_same_mesh() {
    const DetectedMachine one = smi(fixture("dgx1-v100.topo.txt")), other = nccl(fixture("dgx1-v100.xml"));
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) QCOMPARE(one.joints[i][j].lanes, other.joints[i][j].lanes);
    QCOMPARE(one.joints[0][3], (Interconnect{InterconnectKind::nvlink, 2, {}}));
    QCOMPARE(one.joints[0][5].kind, InterconnectKind::system);
    QCOMPARE(other.joints[0][5].kind, InterconnectKind::system);
    QCOMPARE(other.gpus[0].architecture, 70);
    QVERIFY(other.gpus[0].pci_id.empty());  // an old dump
    QCOMPARE(*other.nics[0].bandwidth, BytesPerSecond(12.5e9));
  }

  void lanes_of_switches_add_up() {
    const DetectedMachine machine = nccl(fixture("dgx-a100.xml"));
    QCOMPARE(machine.joints[0][7].lanes, 12);
    QCOMPARE(machine.gpus[0].pci_id, std::string("10de:20b0"));
    QCOMPARE(machine.gpus[2].numa, std::optional(1));
    QCOMPARE(machine.processor_vendor, std::string("AuthenticAMD"));
  }

  void trees_tell_what_lies_between() {
    const DetectedMachine machine = nccl(fixture("8xl40s-numa.xml"));
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::pcie_switch);
    QCOMPARE(machine.joints[0][2].kind, InterconnectKind::host_bridge);
    QCOMPARE(machine.joints[0][4].kind, InterconnectKind::system);
    QCOMPARE(*machine.joints[0][1].pcie, pcie_bandwidth({4, 16}));
    // One of four has half the lanes, and its pairs with it.
    const DetectedMachine t4 = nccl(fixture("4xt4.xml"));
    QCOMPARE(*t4.joints[0][3].pcie, pcie_bandwidth({3, 8}));
    QCOMPARE(*t4.joints[0][1].pcie, pcie_bandwidth({3, 16}));
    QVERIFY(!t4.gpus[0].numa);  // -1: a virtual machine does not know
  }

  void matrices_as_people_have_them_data() {
    QTest::addColumn<QString>("text");
    const QString text = two_gpus;
    QTest::newRow("plain") << text;
    QTest::newRow("escapes") << QString(text)
                                    .replace("\tGPU0\tGPU1", "\t\x1b[4mGPU0\tGPU1")
                                    .replace("NUMA Affinity\n", "NUMA Affinity\x1b[0m\n");
    QTest::newRow("escapes before the heading")
        << "\x1b[4m" + QString(text).replace("NUMA Affinity\n", "NUMA Affinity\x1b[0m\n");
    QTest::newRow("escapes without their first byte") << "[4m" + QString(text);
    QTest::newRow("blanks") << QString(text).replace("\t", "    ");
    QTest::newRow("Windows") << QString(text).replace("\n", "\r\n");
    QTest::newRow("in a log") << "$ nvidia-smi topo -m\n" + text + "\n$ GPU0 is fine\nGPU memory -- 12\n";
    QTest::newRow("no newline at the end") << text.trimmed();
    QTest::newRow("another column") << QString(text).replace("Affinity\n", "Affinity\tGPU NUMA ID\n");
    QTest::newRow("own names of cards") << QString(text).replace("\tNIC0\tCPU", "\tmlx5_0\tCPU");
    QTest::newRow("names of cards without an underscore")
        << QString(text).replace("\tNIC0\tCPU", "\tmlx5_0\tCPU").replace("NIC0\tPIX", "rocep1s0f0\tPIX");
    QTest::newRow("prose behind") << text + "\nGPU0 and GPU1 share a board.\nGPU1 is quick\n";
    QTest::newRow("a matrix of statuses behind")
        << text +
               "\n \tGPU0\tGPU1\t\n GPU0\tX\tGNS\t\n GPU1\tGNS\tX\t\n\nLegend:\n\n  X    = Self\n  OK   = Status Ok\n";
    QTest::newRow("a matrix of statuses before") << "\tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n\n" + text;
    QTest::newRow("cards run together") << QString(text).replace("\tPIX\t0-23", "\tPIXPIX\t0-23");
  }
  void matrices_as_people_have_them() {
    QFETCH(QString, text);
    const std::string content = text.toStdString();
    QCOMPARE(*io::detect_file_kind(content), io::FileKind::machines);
    const DetectedMachine machine = smi(content);
    QCOMPARE(machine.gpus.size(), std::size_t{2});
    QCOMPARE(machine.joints[0][1], (Interconnect{InterconnectKind::nvlink, 2, {}}));
    QCOMPARE(machine.gpus[1].numa, std::optional(1));
    QCOMPARE(machine.nics.size(), std::size_t{1});
    QCOMPARE(machine.nics[0].name, std::string("mlx5_0"));
  }

  void one_gpu_is_a_machine() {
    const DetectedMachine machine = smi("\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tPHB\t0-251\nNIC0\tPHB\t X\n");
    QCOMPARE(machine.gpus.size(), std::size_t{1});
  }

  void several_matrices_are_several_machines() {
    const std::string list = "GPU 0: Tesla T4 (UUID: GPU-1)\nGPU 1: Tesla T4 (UUID: GPU-2)\n";
    const auto found = io::topology::machines_from_nvidia_smi(list + two_gpus + two_gpus, "log");
    QVERIFY(found);
    QCOMPARE(found->machines.size(), std::size_t{2});
    QCOMPARE(found->machines[0].gpus[1].name, std::string("Tesla T4"));
    QVERIFY(found->machines[1].gpus[1].name.empty());
    // Names after their matrix belong to it.
    QCOMPARE(smi(two_gpus + list).gpus[0].name, std::string("Tesla T4"));
  }

  void cards_have_any_name() {
    const DetectedMachine machine =
        smi("\tGPU0\tGPU1\trocep1s0f0\tirdma0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\tPIX\tSYS\t0-31\t0\n"
            "GPU1\tNV12\t X \tPIX\tSYS\t0-31\t0\nrocep1s0f0\tPIX\tPIX\t X \tSYS\n");
    QCOMPARE(machine.gpus.size(), std::size_t{2});
    QCOMPARE(machine.nics.size(), std::size_t{2});
    QCOMPARE(machine.nics[0].name, std::string("rocep1s0f0"));
  }

  void tables_under_other_titles_are_mentioned() {
    const std::string table =
        "P2P bandwidth with NVLink\n   D\\D     0      1\n     0 700.1  52.3\n     1  52.4 701.0\n";
    const auto found = io::topology::machines_from_nvidia_smi(std::string(two_gpus) + "\n" + table, "m");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->notes.size(), std::size_t{1});
    QVERIFY2(found->notes[0].starts_with("A table of figures between GPUs"), found->notes[0].c_str());
    QVERIFY(io::topology::machines_from_nvidia_smi(two_gpus, "m")->notes.empty());
  }

  /// Reports on an environment name GPUs in their own way, one or several a line.
  void names_of_reports_data() {
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("first");
    QTest::newRow("nvidia-smi -L") << "GPU 0: NVIDIA L4 (UUID: GPU-1)\nGPU 1: NVIDIA L4 (UUID: GPU-2)\n"
                                   << "NVIDIA L4";
    QTest::newRow("each") << "GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3\n"
                          << "NVIDIA H100 80GB HBM3";
    QTest::newRow("together") << "GPU 0,1: NVIDIA H100 PCIe\r\nGPU 0,1 Compute Capability: 9.0\n"
                              << "NVIDIA H100 PCIe";
    QTest::newRow("--query-gpu") << "index, name, memory.total [MiB]\n0, NVIDIA A100-SXM4-80GB, 81920 MiB\n"
                                    "1, NVIDIA A100-SXM4-80GB, 81920 MiB\n"
                                 << "NVIDIA A100-SXM4-80GB";
    QTest::newRow("nvidia-smi") << "|   0  NVIDIA H200            On  |   00000000:8F:00.0 Off |       0 |\n"
                                   "|   1  NVIDIA H200            On  |   00000000:90:00.0 Off |       0 |\n"
                                << "NVIDIA H200";
    QTest::newRow("a name cut short") << "|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |       0 |\n"
                                      << "";
    QTest::newRow("nccl-tests") << "#  Rank  0 Group  0 Pid 4758 on host-7 device  0 [0x8f] NVIDIA H200\n"
                                   "#  Rank  1 Group  0 Pid 4759 on host-7 device  1 [0x90] NVIDIA H200\n"
                                << "NVIDIA H200";
    QTest::newRow("other figures") << "GPU 0: 62 W\nGPU 1: Link 3 is up\nGPU 0,: NVIDIA\nGPU : NVIDIA L4\n"
                                   << "";
    QTest::newRow("more than there are") << "GPU 0,1,2,3: NVIDIA L4\nGPU 99999999999999999999: NVIDIA T4\n"
                                         << "NVIDIA L4";
  }
  void names_of_reports() {
    QFETCH(QString, lines);
    QFETCH(QString, first);
    for (const QString& text : {lines + two_gpus, two_gpus + lines}) {
      const DetectedMachine machine = smi(text.toStdString());
      QCOMPARE(QString::fromStdString(machine.gpus[0].name), first);
      QCOMPARE(QString::fromStdString(machine.gpus[1].name), first);
    }
  }

  void statuses_alone_are_no_topology() {
    const auto found = io::topology::machines_from_nvidia_smi("\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n", "m");
    QVERIFY(!found);
    QVERIFY2(found.error().message.find("nvidia-smi topo -m") != std::string::npos, found.error().text().c_str());
  }

  // -- NCCL's relatives
  /// RCCL's dumps are of version 2; the numbers that it has for sm are none of NVIDIA's.
  void dumps_of_rccl() {
    std::string text = replaced(two_in_xml, "version=\"1\"", "version=\"2\"");
    for (const char* rank : {"rank=\"0\">", "rank=\"1\">"})
      text = replaced(text, rank, std::string("gcn=\"910\" ") + rank);
    for (const char* bus : {"06", "07"}) {
      text = replaced(text, nvlink_to(bus), xgmi_to(bus));
      text = replaced(text, "vendor=\"0x10de\" device=\"0x20b0\"", "vendor=\"0x1002\" device=\"0x7408\"");
    }
    const DetectedMachine machine = nccl(text);
    QCOMPARE(machine.joints[0][1], (Interconnect{InterconnectKind::nvlink, 4, machine.joints[0][1].pcie}));
    QCOMPARE(machine.gpus[0].architecture, 0);
    QCOMPARE(machine.gpus[0].pci_id, std::string("1002:7408"));
    QCOMPARE(machine.gpus[0].name, std::string("AMD gfx90a"));  // never an NVIDIA GPU of as many lanes
  }

  /// The files of clouds for NCCL_TOPO_FILE: only the tree of PCI Express.
  void trees_without_gpus() {
    const std::string tree =
        "<system version=\"1\"><cpu numaid=\"0\" vendor=\"GenuineIntel\"><pci busid=\"ffff:ff:01.0\" "
        "class=\"0x060400\" "
        "vendor=\"0x0000\" device=\"0x0000\"><pci busid=\"10:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" "
        "link_width=\"16\"/><pci busid=\"11:00.0\" class=\"0x030200\"/><pci busid=\"12:00.0\" "
        "class=\"0x020700\"/></pci>"
        "<pci busid=\"13:00.0\" class=\"0x030000\"/></cpu></system>";
    const DetectedMachine machine = nccl(tree);
    QCOMPARE(machine.gpus.size(), std::size_t{2});
    QCOMPARE(machine.gpus[0].pcie, (std::optional(PciExpress{3, 16})));
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::unknown);
    QCOMPARE(machine.joints[1][1].kind, InterconnectKind::self);
    QCOMPARE(machine.nics.size(), std::size_t{1});
    QVERIFY(machine.notes.at(0).find("2 count as GPUs") != std::string::npos);
    // No machine has this many, in one host or in all.
    const auto leaves = [](int hosts, int each) {
      std::string text = "<system version=\"1\">";
      for (int host = 0; host < hosts; ++host) {
        text += "<cpu host_hash=\"" + std::to_string(host) + "\">";
        for (int i = 0; i < each; ++i) text += "<pci busid=\"a\" class=\"0x030200\"/>";
        text += "</cpu>";
      }
      return io::topology::machines_from_nccl(text + "</system>", "m");
    };
    QCOMPARE(leaves(16, 256)->machines.size(), std::size_t{16});
    for (const auto& found : {leaves(1, 257), leaves(17, 256)})
      QVERIFY(!found && found.error().message.starts_with("found more GPUs, expected at most 256 of a host"));
    // With GPUs in the file such devices are not ours.
    QCOMPARE(nccl(replaced(two_in_xml, "</cpu>", "<pci busid=\"99:00.0\" class=\"0x030200\"/></cpu>")).gpus.size(),
             std::size_t{2});
  }

  /// Virtual machines do not know their lanes, and report 0, nothing, or all bits set.
  void widths_that_nobody_knows_data() {
    QTest::addColumn<QString>("width");
    for (const char* width : {"0", "", "63", "255"}) QTest::newRow(width) << width;
  }
  void widths_that_nobody_knows() {
    QFETCH(QString, width);
    const std::string known = "device=\"0x20b0\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"";
    const DetectedMachine machine =
        nccl(replaced(two_in_xml, known,
                      "device=\"0x20b0\" link_speed=\"16.0 GT/s PCIe\" link_width=\"" + width.toStdString() + "\""));
    QVERIFY(!machine.gpus[0].pcie);
    QVERIFY(machine.gpus[1].pcie.has_value());
  }

  void hosts_of_one_dump_are_several_machines() {
    std::string both = replaced(two_in_xml, "<cpu numaid=\"0\"", "<cpu host_hash=\"b\" numaid=\"0\"");
    const std::string more = replaced(two_in_xml, "<cpu numaid=\"0\"", "<cpu host_hash=\"a\" numaid=\"0\"");
    const std::size_t begin = more.find("  <cpu"), end = more.find("</system>");
    both.insert(both.find("</system>"), more.substr(begin, end - begin));
    const auto found = io::topology::machines_from_nccl(both, "dump");
    QVERIFY(found);
    QCOMPARE(found->machines.size(), std::size_t{2});
    QCOMPARE(found->machines[1].gpus.size(), std::size_t{2});
  }

  void links_to_gpus_that_are_not_there_are_told() {
    const DetectedMachine machine = nccl(replaced(two_in_xml, "target=\"0000:07:00.0\"", "target=\"0000:99:00.0\""));
    QCOMPARE(machine.notes.size(), std::size_t{1});
    QVERIFY(machine.notes[0].starts_with("1 links lead to GPUs"));
  }

  void broken_matrices_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* from, const char* to, const char* place, const char* words) {
      QTest::newRow(name) << from << QByteArray(to) << place << words;
    };
    row("an unknown word", "GPU0\t X \tNV2", "GPU0\t X \tWARP", "line 2", "\"WARP\" between GPU0 and GPU1");
    row("no lanes", "GPU0\t X \tNV2", "GPU0\t X \tNV0", "line 2", "\"NV0\"");
    row("lanes below 0", "GPU0\t X \tNV2", "GPU0\t X \tNV-2", "line 2", "\"NV-2\"");
    row("a thousand million lanes", "GPU0\t X \tNV2", "GPU0\t X \tNV1000000000", "line 2", "\"NV1000000000\"");
    row("lanes that are no number", "GPU0\t X \tNV2", "GPU0\t X \tNVnan", "line 2", "\"NVnan\"");
    row("lanes beyond 64 bits", "GPU0\t X \tNV2", "GPU0\t X \tNV99999999999999999999", "line 2", "expected X, NV#");
    row("fractional lanes", "GPU0\t X \tNV2", "GPU0\t X \tNV2.5", "line 2", "\"NV2.5\"");
    row("nothing between", "GPU0\t X \tNV2", "GPU0\t X \t-", "line 2", "\"-\"");
    row("a row too short", "GPU0\t X \tNV2\tPIX\t0-23\t0", "GPU0\t X ", "line 2", "found 1 entries of GPU0");
    row("a row missing", "GPU1\tNV2\t X \tSYS\t24-47\t1\n", "", "line 1", "found 1 rows");
    row("no rows", "GPU0\t X \tNV2\tPIX\t0-23\t0\nGPU1\tNV2\t X \tSYS\t24-47\t1\n", "", "line 1", "found 0 rows");
    row("a row twice", "NIC0\tPIX", "GPU1\tPIX", "line 4", "a row of GPU1");
    row("rows out of order", "GPU0\t X", "GPU1\t X", "line 2", "a row of GPU1, expected that of GPU0");
    row("a row of nobody", "GPU1\tNV2", "GPU7\tNV2", "line 3", "a row of GPU7");
    row("no diagonal", "GPU0\t X \tNV2", "GPU0\tNV2\tNV2", "line 2", "X for a GPU and itself alone");
    row("a second diagonal", "GPU0\t X \tNV2", "GPU0\t X \tX", "line 2", "X for a GPU and itself alone");
    row("another the other way", "GPU1\tNV2", "GPU1\tNV4", "line 3", "what the other's row has");
    row("a column missing", "\tGPU0\tGPU1", "\tGPU0\tGPU2", "line 1", "found the column GPU2, expected GPU1");
    row("a column twice", "\tGPU0\tGPU1", "\tGPU0\tGPU0", "line 1", "found the column GPU0, expected GPU1");
    row("a huge column", "\tGPU0\tGPU1", "\tGPU0\tGPU1000000000", "line 1", "expected GPU1");
    row("not UTF-8", "NIC0\tPIX", "GPU\xff", "line 4", "UTF-8");
  }
  void broken_matrices() {
    QFETCH(QString, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto found =
        io::topology::machines_from_nvidia_smi(replaced(two_gpus, from.toStdString(), to.toStdString()), "m");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(found.error().place), place);
    QVERIFY2(QString::fromStdString(found.error().message).contains(words), found.error().text().c_str());
  }

  void broken_dumps_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* from, const char* to, const char* place, const char* words) {
      QTest::newRow(name) << from << to << place << words;
    };
    row("no XML", "</system>", "</sys>", "line 13", "no valid XML");
    row("another document", "<system version=\"1\">", "<plan version=\"1\">", "line 13", "no valid XML");
    row("a newer version", "version=\"1\"", "version=\"3\"", "line 1", "found version \"3\", expected 1 or 2");
    row("a version that is no number", "version=\"1\"", "version=\"one\"", "line 1", "expected 1");
    row("no lanes", "count=\"4\"", "count=\"0\"", "line 5", "count=\"0\", expected a whole number from 1");
    row("lanes below 0", "count=\"4\"", "count=\"-4\"", "line 5", "count=\"-4\"");
    row("lanes that are no number", "count=\"4\"", "count=\"nan\"", "line 5", "count=\"nan\"");
    row("a thousand million lanes", "count=\"4\"", "count=\"1000000000\"", "line 5", "to 1024");
    row("fractional lanes", "count=\"4\"", "count=\"4.5\"", "line 5", "count=\"4.5\"");
    row("a link to nowhere", "target=\"0000:07:00.0\" ", "", "line 5", "without a target");
    row("speed of another unit", "16.0 GT/s PCIe\" link_width=\"16\">\n      <pci",
        "16 GB/s\" link_width=\"16\">\n      <pci", "line 3", "link_speed=\"16 GB/s\"");
    row("speed below 0", "16.0 GT/s", "-16.0 GT/s", "line 3", "link_speed=\"-16.0 GT/s");
    row("speed that is no number", "16.0 GT/s", "nan GT/s", "line 3", "link_speed=\"nan GT/s");
    row("infinite speed", "16.0 GT/s", "inf GT/s", "line 3", "link_speed");
    row("huge speed", "16.0 GT/s", "1e300 GT/s", "line 3", "link_speed");
    row("a width below 0", "link_width=\"16\"", "link_width=\"-1\"", "line 3", "link_width=\"-1\"");
    row("a huge width", "link_width=\"16\"", "link_width=\"99999999999999999999\"", "line 3", "link_width");
    row("a width that is no number", "link_width=\"16\"", "link_width=\"x16\"", "line 3", "\"x16\"");
    row("a GPU of no bus", "busid=\"0000:06:00.0\" ", "", "line 5", "outside of a pci");
    row("a capability below 0", "sm=\"80\"", "sm=\"-1\"", "line 5", "sm=\"-1\"");
    row("a rank that is no number", "rank=\"0\"", "rank=\"first\"", "line 5", "rank=\"first\"");
    row("a card of a speed below 0", "speed=\"25000\"", "speed=\"-1\"", "line 11", "speed=\"-1\"");
    row("a card of infinite speed", "speed=\"25000\"", "speed=\"inf\"", "line 11", "speed=\"inf\"");
    row("a NUMA node that is no number", "numaid=\"0\"", "numaid=\"zero\"", "line 2", "numaid");
    row("truncated", "</gpu>\n      </pci>\n      <pci", "", "line 7", "no valid XML");
  }
  void broken_dumps() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto found =
        io::topology::machines_from_nccl(replaced(two_in_xml, from.toStdString(), to.toStdString()), "m");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(found.error().message).contains(words), found.error().text().c_str());
    QCOMPARE(QString::fromStdString(found.error().place), place);
  }

  void hostile_texts_end_soon_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("xml");
    const auto both = [](const char* name, const QByteArray& text) {
      QTest::addRow("%s, matrix", name) << text << false;
      QTest::addRow("%s, XML", name) << text << true;
    };
    both("empty", "");
    both("blank", " \n\t\n");
    both("zeros", QByteArray(1000, '\0'));
    both("binary", QByteArray("\x89PNG\r\n\x1a\n\0\0\0", 11));
    both("huge", QByteArray(17 << 20, 'x'));
    QTest::newRow("deep") << "<system>" + QByteArray("<pci>").repeated(200'000) << true;
    QTest::newRow("deep and closed") << "<system><cpu>" + QByteArray("<pci>").repeated(200'000) +
                                            QByteArray("</pci>").repeated(200'000) + "</cpu></system>"
                                     << true;
    QByteArray laughs = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\">";
    for (int i = 1; i < 10; ++i)
      laughs += "<!ENTITY lol" + QByteArray::number(i) + " \"" +
                ("&lol" + QByteArray(i > 1 ? QByteArray::number(i - 1) : "") + ";").repeated(10) + "\">";
    QTest::newRow("a thousand million laughs") << laughs + "]><system>&lol9;</system>" << true;
    QTest::newRow("a file of the system")
        << QByteArray("<!DOCTYPE s [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><system version=\"&x;\"></system>")
        << true;
    QByteArray crowd = "<system><cpu>";
    for (int i = 0; i < 100'000; ++i) crowd += "<pci busid=\"" + QByteArray::number(i) + "\"><gpu/></pci>";
    QTest::newRow("a crowd of GPUs") << crowd + "</cpu></system>" << true;
    QByteArray hosts = "<system>";
    for (int i = 0; i < 100'000; ++i)
      hosts += "<cpu host_hash=\"" + QByteArray::number(i) + "\"><pci busid=\"a\"><gpu/></pci></cpu>";
    QTest::newRow("a crowd of hosts") << hosts + "</system>" << true;
    QTest::newRow("a crowd of links") << "<system><cpu><pci busid=\"a\"><gpu>" +
                                             QByteArray("<nvlink target=\"b\" count=\"1\"/>").repeated(100'000) +
                                             "</gpu></pci></cpu></system>"
                                      << true;
    QTest::newRow("a crowd of cards") << [] {
      QByteArray cards = "<system><cpu><nic>";
      for (int i = 0; i < 100'000; ++i) cards += "<net name=\"" + QByteArray::number(i) + "\"/>";
      return cards + "</nic></cpu></system>";
    }() << true;
    QByteArray wide = "\t";
    for (int i = 0; i < 100'000; ++i) wide += "GPU" + QByteArray::number(i) + "\t";
    QTest::newRow("a heading of a crowd") << wide + "CPU Affinity\n" << false;
    QTest::newRow("headings alone") << QByteArray("\tGPU0\tGPU1\tCPU Affinity\n").repeated(100'000) << false;
    QTest::newRow("escapes without end") << QByteArray("\x1b[").repeated(1'000'000) + "GPU0" << false;
  }
  void hostile_texts_end_soon() {
    QFETCH(QByteArray, text);
    QFETCH(bool, xml);
    QElapsedTimer clock;
    clock.start();
    const std::string content = text.toStdString();
    (void)io::detect_file_kind(content);
    const auto found =
        xml ? io::topology::machines_from_nccl(content, "m") : io::topology::machines_from_nvidia_smi(content, "m");
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
  }

  void damaged_texts_never_crash() {
    for (std::size_t length = 0; length < std::string(two_gpus).size(); ++length) {
      std::string text = std::string(two_gpus).substr(0, length);
      (void)io::topology::machines_from_nvidia_smi(text, "m");
      text = two_gpus;
      text[length] = static_cast<char>(text[length] ^ 0x15);
      (void)io::topology::machines_from_nvidia_smi(text, "m");
    }
    for (std::size_t length = 0; length < std::string(two_in_xml).size(); ++length) {
      std::string text = std::string(two_in_xml).substr(0, length);
      QVERIFY(!io::topology::machines_from_nccl(text, "m") || length > std::string(two_in_xml).size() - 3);
      text = two_in_xml;
      text[length] = static_cast<char>(text[length] ^ 0x15);
      (void)io::topology::machines_from_nccl(text, "m");
    }
  }

  void what_is_something_else_stays_so() {
    QCOMPARE(io::detect_file_kind("hello GPU0 GPU1 CPU").error().code, ErrorCode::bad_input);
    QCOMPARE(io::detect_file_kind("<html><body>404</body></html>").value(), io::FileKind::machines);
    const auto page = io::topology::machines_from_nccl("<html><body>404</body></html>", "m");
    QVERIFY(page.error().message.find("NCCL_TOPO_DUMP_FILE") != std::string::npos);
    const auto cluster = io::read_cluster(PIPEDECK_FIXTURES "/topology/4xt4.xml");
    QVERIFY(cluster.error().message.find("pipedeck-cli convert") != std::string::npos);
  }
};

PIPEDECK_TEST(TestTopologies)

}  // namespace pipedeck::tst_topologies

#include "tst_topologies.moc"
