// SPDX-License-Identifier: Apache-2.0
// Described machines as clusters: types, bandwidths, notes on assumptions, contradictions.
#include <cmath>
#include <set>

#include <QTest>

#include "core/cost/network.hpp"
#include "core/io/importers.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_machine_import {

std::vector<DetectedMachine> machines(std::initializer_list<const char*> names) {
  std::vector<DetectedMachine> all;
  for (const char* name : names) {
    auto document = io::read_document(std::string(PIPEDECK_FIXTURES "/topology/") + name);
    for (DetectedMachine& machine : std::get<FoundMachines>(*document).machines) all.push_back(std::move(machine));
  }
  return all;
}

presets::ImportedCluster imported(std::initializer_list<const char*> names, const presets::MachineImport& how = {}) {
  auto made = presets::cluster_of(machines(names), how);
  ensure(made.has_value(), made ? "" : made.error().text());
  ensure(plan::validate(made->cluster).has_value(), "valid");
  ensure(cost::Network::of(made->cluster).has_value(), "can be planned on");
  return *std::move(made);
}

bool says(const presets::ImportedCluster& made, std::string_view words) {
  return std::ranges::any_of(made.notes, [&](const std::string& note) { return note.find(words) != note.npos; });
}

double between(const presets::ImportedCluster& made, int a, int b) {
  return in_gigabytes_per_second(cost::Network::of(made.cluster)->path(DeviceId(a), DeviceId(b)).bandwidth);
}

presets::MachineImport of_device(const char* name) {
  presets::MachineImport how;
  how.device = name;
  return how;
}

presets::MachineImport shaped(presets::ClusterShape shape) {
  presets::MachineImport how;
  how.shape = shape;
  return how;
}

class TestMachineImport : public QObject {
  Q_OBJECT

 private slots:
  void a_dgx_a100_is_one_link() {
    for (const char* file : {"dgx-a100.xml", "dgx-a100.topo.txt"}) {
      const presets::ImportedCluster made = imported({file});
      QCOMPARE(made.cluster.name, std::string("8 × A100-40GB"));
      QCOMPARE(made.cluster.nodes[0].name, std::string("dgx-a100"));
      QCOMPARE(made.cluster.nodes[0].link->bandwidth, BytesPerSecond(300e9));
      QVERIFY(!made.cluster.bandwidth_matrix && made.cluster.links.empty());
      QCOMPARE(made.cluster.device_types[0], presets::catalogue_device("a100-40gb")->type);
      QVERIFY(says(made, "dgx-a100: 8 × A100-40GB, from"));
      QVERIFY(says(made, "12 lanes of 25 GB/s are 300 GB/s"));
      QVERIFY(says(made, "latency of 5 µs is assumed"));
    }
  }

  /// Measured bandwidths replace those from the links' kind and lanes.
  void measured_links_are_kept() {
    std::vector<DetectedMachine> timed = machines({"dgx-a100.xml"});
    std::vector<std::vector<Interconnect>>& joints = timed[0].joints;
    const auto measure = [&](std::size_t i, std::size_t j, const Link& link) {
      joints[i][j].measured = joints[j][i].measured = link;
    };
    for (std::size_t i = 0; i < joints.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) measure(i, j, {BytesPerSecond(250e9), Seconds(2e-6)});
    measure(3, 5, {BytesPerSecond(235e9), Seconds(3e-6)});
    const presets::ImportedCluster alike = presets::cluster_of(timed).value();
    QVERIFY(!alike.cluster.bandwidth_matrix);
    QCOMPARE(alike.cluster.nodes[0].link, (Link{BytesPerSecond(235e9), Seconds(3e-6)}));
    QVERIFY(!says(alike, "assumed") && !says(alike, "lanes of"));
    measure(3, 5, {BytesPerSecond(100e9), Seconds(3e-6)});
    const presets::ImportedCluster unlike = presets::cluster_of(timed).value();
    QCOMPARE(between(unlike, 3, 5), 100.0);
    QCOMPARE(between(unlike, 0, 1), 250.0);
  }

  void a_dgx_1_keeps_its_mesh() {
    for (const char* file : {"dgx1-v100.xml", "dgx1-v100.topo.txt"}) {
      const presets::ImportedCluster made = imported({file});
      QCOMPARE(made.cluster.device_types[0].name, std::string("V100-16GB"));
      QVERIFY(made.cluster.bandwidth_matrix.has_value());
      QCOMPARE(between(made, 0, 3), 50.0);
      QCOMPARE(between(made, 0, 1), 25.0);
      QCOMPARE(between(made, 0, 5), 10.0);
      QVERIFY(says(made, "does not name the GPUs"));
      QVERIFY(says(made, "Between sockets 10 GB/s are assumed"));
    }
    const presets::ImportedCluster links = imported({"dgx1-v100.xml"}, shaped(presets::ClusterShape::links));
    QVERIFY(!links.cluster.bandwidth_matrix);
    QCOMPARE(between(links, 0, 3), 10.0);  // never too good
    QVERIFY(says(links, "pairs reach from 10 GB/s to 50 GB/s"));
  }

  void pci_express_by_generation_and_lanes() {
    QVERIFY(std::abs(between(imported({"4xt4.topo.txt"}), 0, 1) - 15.754) < 0.001);
    QVERIFY(says(imported({"4xt4.topo.txt"}), "generation 3 with 16 lanes is assumed"));
    const presets::ImportedCluster told = imported({"4xt4.xml"});
    QVERIFY(std::abs(between(told, 0, 3) - 7.877) < 0.001);
    QVERIFY(!says(told, "generation"));
    const presets::ImportedCluster numa = imported({"8xl40s-numa.xml"});
    QVERIFY(std::abs(between(numa, 0, 2) - 31.508) < 0.001);
    QCOMPARE(between(numa, 0, 4), 10.0);
  }

  void machines_are_joined_by_their_cards() {
    presets::MachineImport how;
    how.copies = 3;
    const presets::ImportedCluster made = imported({"dgx-a100.xml"}, how);
    QCOMPARE(made.cluster.name, std::string("3 × 8 A100-40GB"));
    QCOMPARE(made.cluster.nodes[2].name, std::string("dgx-a100-3"));
    QCOMPARE(between(made, 0, 23), 25.0);                                       // a card of 200 Gbit/s
    QCOMPARE(made.cluster.links[0].link.bandwidth, gigabytes_per_second(200));  // eight of them
    how.network = gigabytes_per_second(12.5);
    QCOMPARE(between(imported({"dgx-a100.xml"}, how), 0, 23), 12.5);
    how.network.reset();
    QCOMPARE(between(imported({"dgx-a100.topo.txt"}, how), 0, 23), 12.5);
    QVERIFY(says(imported({"dgx-a100.topo.txt"}, how), "100 Gbit/s each are assumed"));
    QVERIFY(says(imported({"4xt4.topo.txt"}, how), "the network is unknown: 25 Gbit/s are assumed"));
    const presets::ImportedCluster mixed = imported({"dgx-a100.xml", "4xt4.xml"});
    QCOMPARE(mixed.cluster.name, std::string("12 GPUs in 2 machines"));
    QCOMPARE(mixed.cluster.device_types.size(), std::size_t{2});
    QCOMPARE(between(mixed, 0, 11), 6.25);
  }

  void both_descriptions_of_a_machine_are_one() {
    const presets::ImportedCluster made = imported({"dgx1-v100.topo.txt", "dgx1-v100.xml"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{1});
    QVERIFY(says(made, "are taken for one machine"));
    QVERIFY(!says(made, "NCCL's is used"));
    // Two of the one and one of the other: the third stays by itself.
    QCOMPARE(imported({"dgx-a100.xml", "dgx-a100.xml", "dgx-a100.topo.txt"}).cluster.nodes.size(), std::size_t{2});
  }

  void contradictions_are_told() {
    std::vector<DetectedMachine> both = machines({"dgx-a100.topo.txt", "dgx-a100.xml"});
    both[0].joints[0][1].lanes = both[0].joints[1][0].lanes = 4;
    both[0].joints[2][3] = both[0].joints[3][2] = {InterconnectKind::system, 0, {}};
    const auto made = presets::cluster_of(both);
    QVERIFY(made && says(*made, "between GPU0 and GPU1 nvidia-smi reports NV4, NCCL NV12; NCCL's is used"));
    QVERIFY(says(*made, "between GPU2 and GPU3 nvidia-smi reports SYS, NCCL NV12"));
    QCOMPARE(made->cluster.nodes[0].link->bandwidth, BytesPerSecond(300e9));
    const auto other = presets::cluster_of(machines({"4xt4.topo.txt", "dgx-a100.xml"}));
    QVERIFY(other && says(*other, "nvidia-smi reports 4 GPUs, NCCL 8; NCCL's are used"));
    std::vector<DetectedMachine> all = machines({"8xl40s-numa.topo.txt", "dgx-a100.xml"});
    const auto many = presets::cluster_of(all);
    QVERIFY(many && says(*many, "more pairs contradict alike"));
    QVERIFY(many->notes.size() < 15);
  }

  void types_are_looked_up_or_asked_for() {
    QCOMPARE(imported({"dgx1-v100.topo.txt"}, of_device("v100-32gb")).cluster.device_types[0].name,
             std::string("V100-32GB"));
    const auto unknown = presets::cluster_of(machines({"4xt4.topo.txt"}), of_device("abacus"));
    QCOMPARE(unknown.error().code, ErrorCode::bad_usage);
    std::vector<DetectedMachine> nameless = machines({"4xt4.topo.txt"});
    for (FoundGpu& gpu : nameless[0].gpus) gpu.name.clear();
    const auto asked = presets::cluster_of(nameless);
    QCOMPARE(asked.error().code, ErrorCode::bad_input);
    QVERIFY(asked.error().message.find("--device TYPE") != std::string::npos);
    nameless[0].gpus[0].name = "NVIDIA Graphics Device";
    QVERIFY(presets::cluster_of(nameless).error().message.find(
                "'NVIDIA Graphics Device', which is not in the catalogue") != std::string::npos);
    QVERIFY(presets::cluster_of(nameless, of_device("L4")));
  }

  void what_the_driver_tells_of_an_unknown_gpu_is_enough() {
    std::vector<DetectedMachine> machine = machines({"4xt4.topo.txt"});
    for (FoundGpu& gpu : machine[0].gpus) {
      gpu.name = "NVIDIA X9";
      gpu.memory = Bytes(std::int64_t{99} << 30);
      gpu.pcie = PciExpress{5, 8};
    }
    const auto made = presets::cluster_of(machine);
    QVERIFY(made);
    QCOMPARE(made->cluster.device_types[0].name, std::string("NVIDIA X9"));
    QCOMPARE(made->cluster.device_types[0].memory, Bytes(std::int64_t{99} << 30));
    QCOMPARE(made->cluster.nodes[0].link->bandwidth, pcie_bandwidth({5, 8}));
    QVERIFY(says(*made, "as fast as a V100-16GB"));
  }

  void told_memory_goes_before_the_data_sheet() {
    std::vector<DetectedMachine> machine = machines({"dgx-a100.xml"});
    for (FoundGpu& gpu : machine[0].gpus) gpu.memory = Bytes(42'000'000'000);
    QCOMPARE(presets::cluster_of(machine)->cluster.device_types[0].memory, Bytes(42'000'000'000));
  }

  void sizes_are_bounded() {
    presets::MachineImport how;
    how.copies = 1'000'000'000;
    QCOMPARE(presets::cluster_of(machines({"dgx-a100.xml"}), how).error().code, ErrorCode::bad_usage);
    how.copies = 65'536;
    QVERIFY(presets::cluster_of(machines({"dgx-a100.xml"}), how).error().message.find("524288 devices") !=
            std::string::npos);
    how.copies = 0;
    QVERIFY(!presets::cluster_of(machines({"dgx-a100.xml"}), how));
    how.copies = 200;  // 1,600 devices of a mesh: links
    const presets::ImportedCluster many = imported({"dgx1-v100.xml"}, how);
    QVERIFY(!many.cluster.bandwidth_matrix && says(many, "would be too large"));
    how.copies = 1;
    how.network = BytesPerSecond(std::nan(""));
    QVERIFY(!presets::cluster_of(machines({"dgx-a100.xml"}), how));
    QVERIFY(!presets::cluster_of(FoundMachines{}));
  }

  void measured_copies_make_the_links() {
    const presets::ImportedCluster alike = imported({"8xh100.nvbandwidth.txt"});
    QCOMPARE(alike.cluster.device_types[0].name, std::string("H100-SXM"));
    QCOMPARE(alike.cluster.nodes[0].link->bandwidth, BytesPerSecond(392.4e9));  // the slowest pair
    QVERIFY(alike.cluster.nodes[0].link->latency < Seconds(1.2e-6));
    QVERIFY(!says(alike, "latency") && !says(alike, "assumed"));
    const presets::ImportedCluster pairs = imported({"4xa100-pcie.p2p.txt"});
    QCOMPARE(between(pairs, 0, 1), 242.19);
    QCOMPARE(between(pairs, 0, 2), 10.63);
    // Without latencies that were measured those that are usual.
    DetectedMachine copies = machines({"8xh100.nvbandwidth.txt"})[0];
    for (auto& row : copies.joints)
      for (Interconnect& joint : row)
        if (joint.measured) joint.measured->latency = Seconds();
    const auto made = presets::cluster_of({copies});
    QVERIFY(made && says(*made, "A latency of 5 µs is assumed"));
    QCOMPARE(made->cluster.nodes[0].link->latency, Seconds(5e-6));
  }

  /// With other descriptions of the machine they belong to it; for other GPUs they are another machine.
  void measured_copies_complete_a_machine() {
    std::vector<DetectedMachine> both = machines({"8xh100.nvbandwidth.txt", "dgx-a100.topo.txt"});
    QCOMPARE(presets::cluster_of(both)->cluster.nodes.size(), std::size_t{2});
    for (FoundGpu& gpu : both[0].gpus) gpu.name = both[1].gpus[0].name;
    const auto made = presets::cluster_of(both);
    QVERIFY(made && says(*made, "dgx-a100 (nvidia-smi topo -m) and 8xh100 (nvbandwidth) are taken for one machine"));
    QCOMPARE(made->cluster.nodes.size(), std::size_t{1});
    QCOMPARE(made->cluster.nodes[0].name, std::string("dgx-a100"));
    QCOMPARE(made->cluster.nodes[0].link->bandwidth, BytesPerSecond(392.4e9));
    presets::MachineImport several;
    several.copies = 4;
    const auto four = presets::cluster_of(both, several);
    QVERIFY(says(*four, "network cards"));  // which nvidia-smi has
    QVERIFY(says(*four, "A latency of 10 µs to the network") && !says(*four, "inside of machines"));
    // Batch systems call them by a short name.
    for (FoundGpu& gpu : both[1].gpus) gpu.name = "a100";
    for (FoundGpu& gpu : both[0].gpus) gpu.name = "NVIDIA A100-SXM4-40GB";
    QCOMPARE(presets::cluster_of(both)->cluster.nodes.size(), std::size_t{1});
    QVERIFY(!says(*presets::cluster_of(both), "may be"));  // the driver's name identifies it
  }

  void names_are_given_and_unique() {
    presets::MachineImport how;
    how.copies = 2;
    how.name = "the lab";
    const presets::ImportedCluster made = imported({"4xt4.xml", "4xt4.xml"}, how);
    QCOMPARE(made.cluster.name, std::string("the lab"));
    std::set<std::string> names;
    for (const Node& node : made.cluster.nodes) names.insert(node.name);
    QCOMPARE(names.size(), std::size_t{4});
  }
};

PIPEDECK_TEST(TestMachineImport)

}  // namespace pipedeck::tst_machine_import

#include "tst_machine_import.moc"
