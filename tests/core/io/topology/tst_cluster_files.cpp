// SPDX-License-Identifier: Apache-2.0
// Clusters as lstopo, Slurm and tables of bandwidths describe them: samples true to the formats are understood (hwloc's
// manual, "Importing and exporting topologies from/to XML files"; scontrol(1), slurm.conf(5) and topology.conf(5)),
// broken and hostile ones are refused with their place, in little time and memory.
#include <cmath>

#include <QElapsedTimer>
#include <QTest>

#include "core/io/csv/reader.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/topology/bandwidth_matrix.hpp"
#include "core/io/topology/host_list.hpp"
#include "core/io/topology/hwloc.hpp"
#include "core/io/topology/slurm.hpp"
#include "tests/core/io/topology/topology_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cluster_files {

using test::fixture;
using test::replaced;

using Reader = Result<FoundMachines> (*)(const std::string&);
const Reader lstopo = [](const std::string& text) { return io::topology::machines_from_hwloc(text, "m"); };
const Reader slurm = [](const std::string& text) { return io::topology::machines_from_slurm(text); };
const Reader matrix = [](const std::string& text) { return io::topology::matrix_from_csv(text, "m"); };

Reader reader_named(const QString& name) {
  return name.startsWith("lstopo") ? lstopo : name.startsWith("slurm") ? slurm : matrix;
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

std::string names_text(std::string_view list) {
  const auto names = io::topology::expand_hostlist(list, 1000);
  if (!names) return "!";
  std::string text;
  for (const std::string& name : *names) text += name + " ";
  return text;
}

const std::string tiny_lstopo =
    R"(<topology version="2.0"><object type="Machine"><object type="Bridge" bridge_type="0-1">)"
    R"(<object type="PCIDev" pci_type="0302 [10de:1eb8] [10de:12a2] a1" pci_link_speed="15.75"/></object></object></topology>)";

class TestClusterFiles : public QObject {
  Q_OBJECT

 private slots:
  void files_are_told_by_content() {
    for (const char* name : {"4xa100.lstopo.xml", "site.slurm.txt", "site.topology.conf", "4-devices.bandwidths.csv"}) {
      QCOMPARE(*io::detect_file_kind(fixture(name)), io::FileKind::machines);
      const auto read = io::read_document(std::string(PIPEDECK_FIXTURES "/topology/") + name);
      QVERIFY2(read && std::holds_alternative<FoundMachines>(*read), read ? name : read.error().text().c_str());
    }
  }

  // -- lstopo
  void a_machine_of_lstopo() {
    const auto found = lstopo(fixture("4xa100.lstopo.xml"));
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    const DetectedMachine& machine = found->machines.at(0);
    QCOMPARE(machine.name, std::string("a100-01"));
    QCOMPARE(machine.processor_vendor, std::string("GenuineIntel"));
    QCOMPARE(machine.gpus.size(), std::size_t{4});
    QCOMPARE(machine.gpus[3].pci_id, std::string("10de:20b2"));
    QCOMPARE(machine.gpus[3].name, std::string("NVIDIA A100-SXM4-80GB"));
    QCOMPARE(machine.gpus[0].memory->count, std::int64_t{83048384} * 1024);
    QCOMPARE(*machine.gpus[0].numa, 0);
    QCOMPARE(*machine.gpus[2].numa, 1);
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::nvlink);
    QCOMPARE(machine.joints[0][1].lanes, 4);
    QCOMPARE(machine.joints[1][2].kind, InterconnectKind::system);
    QCOMPARE(machine.joints[2][1], machine.joints[1][2]);
    QCOMPARE(machine.nics.size(), std::size_t{2});  // of InfiniBand alone
    QCOMPARE(machine.nics[1].name, std::string("mlx5_1"));
    QVERIFY(machine.notes.at(0).find("1a03:2000") != std::string::npos);
  }

  void pci_express_where_no_link_is_told() {
    std::string text = fixture("4xa100.lstopo.xml");
    text.erase(text.find("  <distances2"), text.find("  <support") - text.find("  <distances2"));
    const DetectedMachine machine = lstopo(text)->machines[0];
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::pcie_switch);
    QVERIFY(std::abs(in_gigabytes_per_second(*machine.joints[0][1].pcie) - 31.507692) < 1e-9);
    QCOMPARE(lstopo(tiny_lstopo)->machines[0].gpus.size(), std::size_t{1});
  }

  /// hwloc writes the speed of bridges at rest (2.5 GT/s: 0.25 GB/s a lane), and that of GPUs at work, from NVML.
  void links_at_rest_data() {
    QTest::addColumn<double>("port");
    QTest::addColumn<double>("gpu");
    QTest::addColumn<double>("expected");  // 0: unknown
    QTest::newRow("16 lanes at rest") << 4.0 << 15.753846 << 15.753846;
    QTest::newRow("8 lanes at rest, AWS's g4dn.metal") << 2.0 << 15.753846 << 7.876923;
    QTest::newRow("fewer lanes at rest, as Vega has") << 1.0 << 31.507692 << 0.0;
    QTest::newRow("8 lanes at work, POWER8") << 7.876923 << 15.753846 << 7.876923;
    QTest::newRow("an old one") << 4.0 << 4.0 << 4.0;
    QTest::newRow("a port without speed") << 0.0 << 15.753846 << 15.753846;
    QTest::newRow("a GPU without speed") << 7.876923 << 0.0 << 7.876923;
    QTest::newRow("neither") << 0.0 << 0.0 << 0.0;
  }
  void links_at_rest() {
    QFETCH(double, port);
    QFETCH(double, gpu);
    QFETCH(double, expected);
    std::string text =
        "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Bridge\" bridge_type=\"0-1\">";
    for (int i = 0; i < 2; ++i)
      text += "<object type=\"Bridge\" bridge_type=\"1-1\" pci_link_speed=\"" + std::to_string(port) +
              "\"><object type=\"PCIDev\" pci_type=\"0302 [10de:1eb8] [10de:12a2] a1\" pci_link_speed=\"" +
              std::to_string(gpu) + "\"/></object>";
    const auto found = lstopo(text + "</object></object></topology>");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    const auto speed = found->machines[0].joints[0][1].pcie;
    QCOMPARE(speed.has_value(), expected > 0);
    if (speed) QVERIFY(std::abs(in_gigabytes_per_second(*speed) - expected) < 1e-5);
  }

  void xgmi_between_gpus() {
    const auto gpu = [](int index) {
      return "<object type=\"PCIDev\" pci_type=\"0380 [1002:7408] [1002:0b0c] 00\"><object type=\"OSDev\" gp_index=\"" +
             std::to_string(index) + "\" subtype=\"RSMI\"/></object>";
    };
    const auto found = lstopo("<topology version=\"2.0\"><object type=\"Machine\">" + gpu(7) + gpu(8) + gpu(9) +
                              "</object><distances2 name=\"XGMIBandwidth\"><indexes>7 8 9</indexes><u64values>1000000 "
                              "100000 0 50000 1000000 100000 0 100000 1000000</u64values></distances2></topology>");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    const DetectedMachine& machine = found->machines[0];
    QCOMPARE(machine.joints[0][1].kind, InterconnectKind::nvlink);
    QCOMPARE(*machine.joints[0][1].link, BytesPerSecond(50e9));  // the slower direction
    QCOMPARE(*machine.joints[2][1].link, BytesPerSecond(100e9));
    QVERIFY(machine.joints[0][2].kind != InterconnectKind::nvlink);
  }

  void graphics_of_servers_are_no_gpus() {
    const std::string es1000 = "<object type=\"PCIDev\" pci_type=\"0300 [1002:515e] [1028:0235] 02\"/>";
    QVERIFY(!lstopo("<topology version=\"2.0\"><object type=\"Machine\">" + es1000 + "</object></topology>"));
    const auto beside = lstopo(replaced(tiny_lstopo, "<object type=\"PCIDev\"", es1000 + "<object type=\"PCIDev\""));
    QCOMPARE(beside->machines[0].gpus.size(), std::size_t{1});
    QVERIFY(beside->machines[0].notes.at(0).find("1002:515e") != std::string::npos);
    // The old Radeon cards have that class, too: one that runs kernels counts.
    const std::string vega = replaced(es1000, "515e] [1028:0235] 02\"/>",
                                      "66a1] [1002:0834] 00\"><object type=\"OSDev\" subtype=\"RSMI\"/></object>");
    QCOMPARE(lstopo("<topology version=\"2.0\"><object type=\"Machine\">" + vega + "</object></topology>")
                 ->machines[0]
                 .gpus.size(),
             std::size_t{1});
  }

  /// For NVSwitches hwloc has its own kind of table with the lanes between GPU and switch; processors with NVLink are
  /// none.
  void lanes_of_nvswitches() {
    const auto device = [](int index, const char* type, const char* inner) {
      return "<object type=\"PCIDev\" gp_index=\"" + std::to_string(index) + "\" pci_type=\"" + type + "\">" + inner +
             "</object>";
    };
    const std::string devices =
        device(10, "0302 [10de:20b0] [10de:134f] a1", "<object type=\"OSDev\" gp_index=\"11\" subtype=\"NVML\"/>") +
        device(20, "0302 [10de:20b0] [10de:134f] a1", "<object type=\"OSDev\" gp_index=\"21\" subtype=\"NVML\"/>") +
        device(30, "0680 [10de:1af1] [10de:0000] a1", "") + device(40, "0680 [10de:1af1] [10de:0000] a1", "") +
        device(50, "0680 [1014:04ea] [1014:0000] 01", "");
    const auto with = [&](const std::string& values) {
      return lstopo("<topology version=\"2.0\"><object type=\"Machine\">" + devices +
                    "</object><distances2hetero nbobjs=\"5\" kind=\"21\" name=\"NVLinkBandwidth\"><indexes "
                    "length=\"45\">OSDev:11 OSDev:21 PCIDev:30 PCIDev:40 PCIDev:50 </indexes><u64values length=\"9\">" +
                    values + "</u64values></distances2hetero></topology>");
    };
    const auto found = with(
        "0 0 150000 150000 50000 0 0 150000 100000 50000 150000 150000 0 0 0 150000 100000 0 0 0 50000 50000 0 0 0");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->machines[0].gpus.size(), std::size_t{2});
    QCOMPARE(found->machines[0].joints[0][1].kind, InterconnectKind::nvlink);
    QCOMPARE(found->machines[0].joints[0][1].lanes, 10);  // the fewer, and none through the processor
    QCOMPARE(found->machines[0].joints[1][0].lanes, 10);
    QVERIFY(!with("0 0 1"));
  }

  // -- Slurm
  /// The example of Slurm's topology guide: each of four spines is above each of four leaves.
  void spines_of_a_fat_tree() {
    const auto found = slurm(
        "SwitchName=s8 Switches=s4,s5\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n"
        "SwitchName=s4 Switches=s0,s1\nSwitchName=s5 Switches=s[1,0]\n");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->switches.size(), std::size_t{4});
    QCOMPARE(found->switches[0].switches, (std::vector<std::string>{"s4"}));
    QCOMPARE(found->switches[3].switches, (std::vector<std::string>{"s0", "s1"}));
    QVERIFY(found->notes[0].find("s5 with s4") != std::string::npos);
    // Other children: no tree.
    QVERIFY(
        !slurm("SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\nSwitchName=s2 Switches=s0,s1\n"
               "SwitchName=s3 Switches=s1\n"));
  }

  void host_lists() {
    QCOMPARE(names_text("n1"), std::string("n1 "));
    QCOMPARE(names_text("node[01-03,20],login"), std::string("node01 node02 node03 node20 login "));
    QCOMPARE(names_text("r[0-1]n[8-10]x"), std::string("r0n8x r0n9x r0n10x r1n8x r1n9x r1n10x "));
    QCOMPARE(names_text("node[098-101]"), std::string("node098 node099 node100 node101 "));
    for (const char* wrong : {"n[", "n]", "n[1", "n[1-]", "n[-1]", "n[3-1]", "n[a-b]", "n[]", "n[1,]", "n[0-999999999]",
                              "n[0-99]x[0-99]", "n[99999999999999999999]", "n[1-2]]"})
      QCOMPARE(names_text(wrong), std::string("!"));
  }

  void nodes_of_slurm() {
    const auto found = slurm(fixture("site.slurm.txt"));
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->machines.size(), std::size_t{5});
    const DetectedMachine& first = found->machines[0];
    QCOMPARE(first.name, std::string("node01"));
    QCOMPARE(first.gpus.size(), std::size_t{8});
    QCOMPARE(first.gpus[7].name, std::string("a100"));
    QCOMPARE(first.joints[0][1].kind, InterconnectKind::unknown);
    QCOMPARE(first.partitions, (std::vector<std::string>{"gpu", "long"}));
    QCOMPARE(found->machines[4].name, std::string("node06"));
    QCOMPARE(found->notes.size(), std::size_t{2});  // one without GPUs, one drained
  }

  void switches_of_slurm() {
    const auto found = slurm(fixture("site.topology.conf"));
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->switches.size(), std::size_t{4});
    QCOMPARE(found->switches[2].machines, (std::vector<std::string>{"node05", "node06", "login1"}));
    QCOMPARE(found->switches[3].switches, (std::vector<std::string>{"leaf1", "leaf2", "leaf3"}));
  }

  void lines_of_slurm_conf() {
    const auto found = slurm(
        "NodeName=DEFAULT Sockets=2\nNodeName=g[1-3] CPUs=64 \\\n  Gres=gpu:tesla_t4:2,gpu:l4:1 State=UNKNOWN\n"
        "PartitionName=gpu Nodes=g[1-3] Default=YES State=DOWN\nnodename=h1 gres=gpu:4");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->machines.size(), std::size_t{4});
    QCOMPARE(found->machines[0].gpus[2].name, std::string("l4"));
    QCOMPARE(found->machines[3].gpus.size(), std::size_t{4});
    QVERIFY(found->machines[3].gpus[0].name.empty());
  }

  /// "scontrol -o show nodes": a node a line, in which the system's own text has a '#' before the state stands.
  void nodes_a_line() {
    const auto line = [](const std::string& name, const std::string& state) {
      return "NodeName=" + name +
             " Arch=x86_64 CPUTot=48 Gres=gpu:a100:8(S:0-1) NodeAddr=n OS=Linux 5.14.0-1.el9.x86_64 #1 SMP "
             "PREEMPT_DYNAMIC Fri Aug 25 RealMemory=515000 State=" +
             state + " Owner=N/A Partitions=gpu,long BootTime=2024-01-01T00:00:00 Reason=a # State=IDLE [root]\n";
    };
    const auto found = slurm(line("up", "MIXED+PLANNED") + line("gone", "DOWN*+DRAIN") + line("off", "IDLE+DRAIN") +
                             line("wrong", "INVAL"));
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->machines.size(), std::size_t{1});
    QCOMPARE(found->machines[0].name, std::string("up"));
    QCOMPARE(found->machines[0].partitions, (std::vector<std::string>{"gpu", "long"}));
    const auto none = slurm(line("gone", "DOWN"));
    QVERIFY(!none);
    QVERIFY2(none.error().message.find("down or drained") != std::string::npos, none.error().text().c_str());
  }

  /// Lines of slurm.conf inherit missing values from NodeName=DEFAULT above them; the later one of two counts.
  void defaults_of_slurm_conf() {
    const auto found = slurm(
        "NodeName=before CPUs=4\nNodeName=DEFAULT Gres=gpu:a100:4 State=UNKNOWN # all of them\nNodeName=a CPUs=64\n"
        "NodeName=b Gres=gpu:l4:2\nNodeName=default Gres=gpu:t4:1\nNodeName=c");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->machines.size(), std::size_t{3});
    QCOMPARE(found->machines[0].gpus.size(), std::size_t{4});
    QCOMPARE(found->machines[1].gpus[0].name, std::string("l4"));
    QCOMPARE(found->machines[2].gpus[0].name, std::string("t4"));
  }

  /// The plugin topology/block, as its file and as "scontrol show topology" has it.
  void blocks_of_slurm() {
    for (const char* text :
         {"BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2\n",
          "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b2 BlockIndex=1 Nodes=n[3-4] "
          "BlockSize=2\nAggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n"}) {
      QCOMPARE(*io::detect_file_kind(text), io::FileKind::machines);
      const auto found = slurm(text);
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      QCOMPARE(found->switches.size(), std::size_t{3});
      QCOMPARE(found->switches[2].switches, (std::vector<std::string>{"b1", "b2"}));  // jobs go over several
      QCOMPARE(found->switches[1].name, std::string("b2"));
      QCOMPARE(found->switches[1].machines, (std::vector<std::string>{"n3", "n4"}));
    }
  }

  void a_block_alone_needs_nothing_above() {
    QCOMPARE(slurm("BlockName=b1 Nodes=n[1-2]\n")->switches.size(), std::size_t{1});
    QCOMPARE(slurm("BlockName=b1 Nodes=n1\nSwitchName=s Nodes=n2\n")->switches.size(), std::size_t{2});
  }

  /// "scontrol show topology" repeats the nodes of the lower switches at the upper ones.
  void switches_as_slurm_shows_them() {
    const auto found = slurm(
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=c[1-2]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=c3\n"
        "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=c[1-3] Switches=s[0-1]\n");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->switches.size(), std::size_t{3});
    QVERIFY(found->switches[2].machines.empty());
    QCOMPARE(found->switches[2].switches, (std::vector<std::string>{"s0", "s1"}));
    // Without it both of one switch stay a mistake.
    QVERIFY(!slurm("SwitchName=s0 Nodes=c1\nSwitchName=s2 Nodes=c1 Switches=s0\n"));
  }

  // -- tables
  void a_table_of_bandwidths() {
    const auto found = matrix(fixture("4-devices.bandwidths.csv"));
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    QCOMPARE(found->matrix->unit, std::string("GB/s"));
    QCOMPARE(found->matrix->devices[2], std::string("n1/gpu0"));
    QCOMPARE(found->matrix->values[0][1], 235.1);
    QCOMPARE(found->matrix->values[1][0], 233.9);
    QCOMPARE(found->matrix->values[3][3], 0.0);
    const auto semicolons = matrix(";a;b\r\na;-;3,5\r\nb;4;x\r\n");
    QVERIFY2(semicolons, semicolons ? "" : semicolons.error().text().c_str());
    QCOMPARE(semicolons->matrix->values[0][1], 3.5);
    QVERIFY(semicolons->matrix->unit.empty());
    for (const char* corner : {"0", "1e9", "e3", "from/to", "devices (all)", "(", ")"})
      QCOMPARE(matrix(std::string(corner) + ",a,b\na,0,1\nb,1,0\n")->matrix->unit, std::string());
    QCOMPARE(matrix("Gbit/s,a,b\na,0,1\nb,1,0\n")->matrix->unit, std::string("Gbit/s"));
  }

  void fields_of_tables() {
    const auto rows = io::csv::csv_rows("# first\n\"a, b\",\"say \"\"x\"\"\" , c \r\n\n1,\"two\nlines\",\n");
    QVERIFY2(rows, rows ? "" : rows.error().text().c_str());
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[0].fields, (std::vector<std::string>{"a, b", "say \"x\"", "c"}));
    QCOMPARE((*rows)[1].fields, (std::vector<std::string>{"1", "two\nlines", ""}));
    QCOMPARE((*rows)[1].line, 4);
    QCOMPARE(io::csv::csv_rows("a,\"b\nc").error().place, std::string("line 1"));
    QVERIFY(!io::csv::csv_rows("a,\"b\"c\n"));
    QCOMPARE(io::csv::csv_rows("a\nb\n\xff\n").error().place, std::string("line 3"));
  }

  // -- what is wrong
  void broken_files_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& text, const char* place, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QString(place) << QString(words);
    };
    const std::string good = fixture("4xa100.lstopo.xml");
    row("lstopo empty", "", "line 1", "XML");
    row("lstopo truncated", good.substr(0, good.size() / 2), "line", "XML");
    row("lstopo without GPUs", "<topology version=\"2.0\"/>", "", "no GPU");
    row("lstopo of hwloc 1", replaced(good, "version=\"2.0\"", "version=\"1.0\""), "line 3", "expected 2");
    row("lstopo class", replaced(tiny_lstopo, "0302 [10de:1eb8]", "gpu"), "line 1", "pci_type");
    row("lstopo speed", replaced(tiny_lstopo, "15.75", "nan"), "line 1", "pci_link_speed");
    row("lstopo negative speed", replaced(tiny_lstopo, "15.75", "-1"), "line 1", "pci_link_speed");
    row("lstopo deep",
        "<topology version=\"2.0\">" + repeated("<object type=\"Group\">", 9000) + repeated("</object>", 9000) +
            "</topology>",
        "line 1", "nesting");
    row("lstopo many GPUs",
        "<topology version=\"2.0\">" +
            repeated("<object type=\"PCIDev\" pci_type=\"0302 [10de:1eb8] [0:0] a1\"/>", 300) + "</topology>",
        "line 1", "256");
    row("lstopo no UTF-8", replaced(good, "a100-01", "a\xff"), "", "UTF-8");
    row("lstopo no square", replaced(good, "1000000 100000", "1000000"), "line", "square");
    row("lstopo no number", replaced(good, "1000000 100000", "1000000 -5"), "line", "megabytes");
    row("lstopo another root", "<system version=\"1\"/>", "", "topology");
    // The library leaves entities alone, so that what they stand for is never made.
    row("lstopo laughs",
        "<!DOCTYPE topology [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><topology version=\"2.0\"><object "
        "type=\"Machine\"><info name=\"HostName\" value=\"&b;\"/></object></topology>",
        "", "no GPU");
    row("slurm empty", "", "", "no GPU");
    row("slurm without a name", "NodeName=\n", "line 1", "without a name");
    row("slurm twice", "NodeName=a Gres=gpu:1\n\nNodeName=a Gres=gpu:1\n", "line 3", "twice");
    row("slurm many hosts", "NodeName=n[0-999999999] Gres=gpu:8", "line 1", "65536");
    row("slurm many GPUs", "NodeName=n[1-60000] Gres=gpu:8", "line 1", "65536");
    row("slurm GPUs of a node", "NodeName=a Gres=gpu:a100:1000000000", "line 1", "from 0 to 256");
    row("slurm negative", "NodeName=a Gres=gpu:a100:-1", "line 1", "from 0 to 256");
    row("slurm NaN", "NodeName=a Gres=gpu:a100:nan", "line 1", "from 0 to 256");
    row("slurm open bracket", "\nNodeName=n[1 Gres=gpu:8", "line 2", "list of hosts");
    row("slurm no UTF-8", "NodeName=a\n Gres=gpu:\xff:8", "line 2", "UTF-8");
    row("slurm cycle", "SwitchName=a Switches=b\nSwitchName=b Switches=a", "line 1", "above itself");
    row("slurm itself", "SwitchName=a Switches=a", "line 1", "above itself");
    row("slurm missing switch", "SwitchName=a Switches=b", "line 1", "SwitchName=b");
    row("slurm two switches above", "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "line 2", "one switch above");
    row("slurm switch twice", "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "line 2", "twice");
    row("slurm nothing below", "SwitchName=a", "line 1", "Nodes or Switches");
    row("table empty", "", "", "heading");
    row("table of one", "GB/s,a\na,1\n", "line 1, column 1", "fewer than two");
    row("table twice", "GB/s,a,a\na,1,1\na,1,1\n", "line 1, column 3", "name of its own");
    row("table without a name", "GB/s,a,\na,1,1\n", "line 1, column 3", "name of its own");
    row("table short", "GB/s,a,b\na,0,1\n", "line 2, column 1", "found 1 rows");
    row("table other row", "GB/s,a,b\na,0,1\nc,1,0\n", "line 3, column 1", "row of");
    row("table missing value", "GB/s,a,b\na,0,1\nb,1\n", "line 3, column 2", "found 1 values");
    row("table NaN", "GB/s,a,b\na,0,nan\nb,1,0\n", "line 2, column 3", "above 0");
    row("table negative", "GB/s,a,b\na,0,-3\nb,1,0\n", "line 2, column 3", "above 0");
    row("table zero", "GB/s,a,b\na,0,1\nb,0,0\n", "line 3, column 2", "above 0");
    row("table huge", "GB/s,a,b\na,0,1e300\nb,1,0\n", "line 2, column 3", "above 0");
    row("table wide", "GB/s" + repeated(",x", 5000) + "\n", "line 1", "columns");
    row("table long", "GB/s,a,b\n" + repeated("a,0,1\n", 5000), "line 1026", "rows");
    row("table no UTF-8", "GB/s,a,b\na,0,1\nb,\xff,0\n", "line 3", "UTF-8");
  }
  void broken_files() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto found = reader_named(QTest::currentDataTag())(text.toStdString());
    QVERIFY(!found);
    QCOMPARE(found.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(found.error().message).contains(words), found.error().text().c_str());
    const QString where = QString::fromStdString(found.error().place);
    QVERIFY2(place == "line" ? where.startsWith("line ") : where == place, found.error().text().c_str());
  }

  void damaged_files_never_crash() {
    QElapsedTimer clock;
    clock.start();
    unsigned state = 1;
    const auto random = [&state](std::size_t below) { return (state = state * 1664525u + 1013904223u) / 7 % below; };
    for (const char* name : {"lstopo", "slurm", "slurm tree", "table"}) {
      const std::string good = fixture(QByteArray(name) == "lstopo"       ? "4xa100.lstopo.xml"
                                       : QByteArray(name) == "slurm"      ? "site.slurm.txt"
                                       : QByteArray(name) == "slurm tree" ? "site.topology.conf"
                                                                          : "4-devices.bandwidths.csv");
      int refused = 0;
      for (int i = 0; i < 400; ++i) {
        std::string text = good;
        for (std::size_t k = 0; k <= random(4); ++k) text[random(text.size())] = static_cast<char>(random(256));
        if (random(4) == 0) text.resize(random(text.size()));
        refused += !reader_named(name)(text);
      }
      QVERIFY(refused > 20);
    }
    QVERIFY2(clock.elapsed() < 20'000, "damaged files take too long");
  }
};

PIPEDECK_TEST(TestClusterFiles)

}  // namespace pipedeck::tst_cluster_files

#include "tst_cluster_files.moc"
