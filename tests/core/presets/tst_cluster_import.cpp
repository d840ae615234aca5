// SPDX-License-Identifier: Apache-2.0
// Clusters from files of Slurm, lstopo, tables of bandwidths and the catalogue of clouds: switches, partitions, pairs,
// and the notes on assumptions.
#include <cmath>
#include <set>

#include <QTest>

#include "core/cost/network.hpp"
#include "core/io/importers.hpp"
#include "core/io/topology/slurm.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/instance_types.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cluster_import {

FoundMachines found_in(const std::vector<const char*>& files) {
  FoundMachines all;
  for (const char* file : files) {
    auto document = io::read_document(std::string(PIPEDECK_FIXTURES "/topology/") + file);
    ensure(document.has_value(), document ? "" : document.error().text());
    const auto added = presets::add_found(all, std::get<FoundMachines>(*std::move(document)));
    ensure(added.has_value(), added ? "" : added.error().text());
  }
  return all;
}

presets::ImportedCluster imported(const std::vector<const char*>& files, const presets::MachineImport& how = {}) {
  auto made = presets::cluster_of(found_in(files), how);
  ensure(made.has_value(), made ? "" : made.error().text());
  return *std::move(made);
}

std::string refused(const std::vector<const char*>& files, const presets::MachineImport& how) {
  const auto made = presets::cluster_of(found_in(files), how);
  return made ? std::string() : made.error().message;
}

bool says(const presets::ImportedCluster& made, const std::string& words) {
  return std::ranges::any_of(made.notes, [&](const std::string& note) { return note.find(words) != note.npos; });
}

double between(const presets::ImportedCluster& made, int a, int b) {
  return in_gigabytes_per_second(cost::Network::of(made.cluster)->path(DeviceId(a), DeviceId(b)).bandwidth);
}

class TestClusterImport : public QObject {
  Q_OBJECT

 private slots:
  void nodes_of_slurm_join_one_network() {
    const presets::ImportedCluster made = imported({"site.slurm.txt"});
    QCOMPARE(devices_of(made.cluster).size(), std::size_t{36});
    QCOMPARE(made.cluster.nodes[0].link->bandwidth, BytesPerSecond(300e9));  // NVLink 3, which A100s usually have
    QCOMPARE(made.cluster.nodes[4].devices[0].type, std::string("H100-SXM"));
    QVERIFY(says(made, "node01 and 3 more: 8 × A100-40GB each, from Slurm"));
    QVERIFY(says(made, "Slurm has no bandwidth between the GPUs of a machine: NVLink 3 between A100-40GB, 300 GB/s"));
    QVERIFY(says(made, "All partitions are taken, with their machines: gpu (4), h100 (1), long (4)"));
    QVERIFY(says(made, "down or drained were left out: 1"));
  }

  void a_partition_alone() {
    presets::MachineImport how;
    how.partition = "long";
    how.device = "a100-80gb";
    const presets::ImportedCluster made = imported({"site.slurm.txt"}, how);
    QCOMPARE(made.cluster.name, std::string("4 × 8 A100-80GB"));
    how.partition = "short";
    QVERIFY(refused({"site.slurm.txt"}, how).find("gpu (4), h100 (1), long (4)") != std::string::npos);
    QVERIFY(refused({"dgx-a100.topo.txt"}, how).find("the machines have no partitions") != std::string::npos);
  }

  void switches_stand_as_in_the_tree() {
    presets::MachineImport how;
    how.network = gigabytes_per_second(25);
    const presets::ImportedCluster made = imported({"site.slurm.txt", "site.topology.conf"}, how);
    QCOMPARE(made.cluster.switches.size(), std::size_t{4});
    QCOMPARE(made.cluster.links.size(), std::size_t{8});
    QCOMPARE(between(made, 0, 8), 25.0);
    QCOMPARE(between(made, 0, 35), 25.0);
    QVERIFY(says(made, "assumed to carry everything below them at once"));
    for (const NetworkLink& link : made.cluster.links)
      if (link.from == "leaf1") QCOMPARE(link.link.bandwidth, BytesPerSecond(50e9));
    how.uplink = gigabytes_per_second(10);
    const presets::ImportedCluster narrow = imported({"site.topology.conf", "site.slurm.txt"}, how);
    QCOMPARE(between(narrow, 0, 8), 25.0);
    QCOMPARE(between(narrow, 0, 35), 10.0);
    QVERIFY(plan::validate(narrow.cluster).has_value());
  }

  /// One machine's own tools describe the links between GPUs of all equal machines, and of no others.
  void machines_of_slurm_are_like_the_one_described() {
    const presets::ImportedCluster made = imported({"site.slurm.txt", "dgx-a100.topo.txt"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{5});
    QCOMPARE(made.cluster.nodes[0].name, std::string("node01"));
    QVERIFY(says(made, "node01 of Slurm and 3 more are taken to be like dgx-a100 (nvidia-smi topo -m)"));
    QVERIFY(says(made, "node01 and 3 more: 8 × A100-40GB each, from Slurm and nvidia-smi topo -m"));
    QVERIFY(says(made, "the speed of 8 network cards is unknown"));
    QVERIFY(says(made, "Slurm has no bandwidth between the GPUs of a machine: NVLink 4 between H100-SXM"));
    QVERIFY(!says(made, "between A100"));

    // A file of other machines changes nothing; and switches stand as before.
    const presets::ImportedCluster tree = imported({"site.topology.conf", "8xh100.nvbandwidth.txt", "site.slurm.txt"});
    QCOMPARE(tree.cluster.switches.size(), std::size_t{4});
    QCOMPARE(tree.cluster.nodes.size(), std::size_t{5});
    QCOMPARE(tree.cluster.nodes[0].link->bandwidth, BytesPerSecond(300e9));
  }

  void a_machine_of_slurm_has_its_own_description_first() {
    FoundMachines found = found_in({"dgx-a100.topo.txt", "dgx-a100.topo.txt", "site.slurm.txt"});
    found.machines[1].name = "node03";
    found.machines[1].nics.resize(2);
    const auto made = presets::cluster_of(found);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QCOMPARE(made->cluster.nodes.size(), std::size_t{5});
    QVERIFY(says(*made, "node01 of Slurm and 2 more are taken to be like dgx-a100"));
    QVERIFY(says(*made, "node03 of Slurm and node03 (nvidia-smi topo -m) are taken for one machine"));
    for (const NetworkLink& link : made->cluster.links) {
      const double gigabits = link.from == "node03" ? 200 : link.from == "node06" ? 25 : 800;
      if (link.from.starts_with("node")) QCOMPARE(link.link.bandwidth, BytesPerSecond(gigabits * 1e9 / 8));
    }
  }

  /// Slurm's "a100" may be of 80 GB too; "h100" never is an A100; a type that is asked for is that of all.
  void short_names_leave_types_open() {
    FoundMachines found = found_in({"dgx-a100.topo.txt", "site.slurm.txt"});
    for (FoundGpu& gpu : found.machines[0].gpus) gpu.name = "NVIDIA A100-SXM4-80GB";
    const auto larger = presets::cluster_of(found);
    QCOMPARE(larger->cluster.nodes.size(), std::size_t{5});
    QCOMPARE(larger->cluster.device_types[0].name, std::string("A100-80GB"));
    QVERIFY(!says(*larger, "'a100'") && says(*larger, "'h100' is taken for"));
    for (FoundGpu& gpu : found.machines[0].gpus) gpu.name = "NVIDIA H200";
    QCOMPARE(presets::cluster_of(found)->cluster.nodes.size(), std::size_t{6});
    for (FoundGpu& gpu : found.machines[0].gpus) gpu.name.clear();  // as nvidia-smi alone has them
    const auto named = presets::cluster_of(found);
    QCOMPARE(named->cluster.nodes.size(), std::size_t{5});
    QCOMPARE(named->cluster.device_types[0].name, std::string("A100-40GB"));
    for (DetectedMachine& machine : found.machines)
      for (FoundGpu& gpu : machine.gpus) gpu.name = "of machine " + machine.name;
    presets::MachineImport how;
    how.device = "B200";
    QCOMPARE(presets::cluster_of(found, how)->cluster.nodes.size(), std::size_t{5});
  }

  void what_is_below_no_switch_is_left_out() {
    FoundMachines found = found_in({"site.slurm.txt", "site.topology.conf"});
    std::erase_if(found.switches, [](const FoundSwitch& one) { return one.name == "leaf3"; });
    std::erase(found.switches.back().switches, "leaf3");
    const auto made = presets::cluster_of(found);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QCOMPARE(made->cluster.nodes.size(), std::size_t{4});
    QVERIFY(says(*made, "below no switch were left out: 1"));
    found.switches.pop_back();
    QVERIFY(says(*presets::cluster_of(found), "2 trees that nothing joins"));
  }

  void a_machine_of_lstopo() {
    const presets::ImportedCluster made = imported({"4xa100.lstopo.xml"});
    QCOMPARE(made.cluster.nodes[0].name, std::string("a100-01"));
    QCOMPARE(made.cluster.device_types[0].name, std::string("A100-80GB"));
    QCOMPARE(between(made, 0, 1), 100.0);
    QCOMPARE(between(made, 0, 2), 10.0);
    QVERIFY(says(made, "a100-01: 4 × A100-80GB, from lstopo"));
  }

  /// hwloc without NVML writes no table of NVLink, and POWER's processors have a share of a GPU's lanes.
  void links_that_lstopo_does_not_show() {
    DetectedMachine machine;
    machine.name = "m";
    machine.source = "lstopo";
    machine.shows_links = false;
    const auto joint = [](int a, int b) {
      return a == b           ? Interconnect{}
             : a / 2 == b / 2 ? Interconnect{InterconnectKind::host_bridge, 0, gigabytes_per_second(1.969)}
                              : Interconnect{InterconnectKind::system, 0, gigabytes_per_second(1.969)};
    };
    for (int a = 0; a < 4; ++a) {
      machine.gpus.emplace_back().pci_id = "10de:1db1";  // V100 SXM2: 6 lanes of 25 GB/s
      machine.joints.emplace_back();
      for (int b = 0; b < 4; ++b) machine.joints.back().push_back(joint(a, b));
    }
    const auto imported_as = [&](const std::string& processor) {
      machine.processor_vendor = processor;
      auto made = presets::cluster_of({machine}, {});
      ensure(made.has_value(), made ? "" : made.error().text());
      return *std::move(made);
    };
    const presets::ImportedCluster intel = imported_as("GenuineIntel"), power = imported_as("IBM");
    QCOMPARE(between(intel, 0, 1), 150.0);
    QCOMPARE(between(intel, 0, 2), 150.0);
    QVERIFY(says(intel, "lstopo does not show NVLink 2: 150 GB/s each way are assumed between V100-16GB"));
    QCOMPARE(between(power, 0, 1), 75.0);  // two of three parts are for the processor and for others
    QCOMPARE(between(power, 0, 2), 32.0);
  }

  void cards_of_pci_express_have_no_link_of_their_own() {
    const auto found = io::topology::machines_from_slurm("NodeName=n0 Gres=gpu:nvidia_a100-pcie-40gb:2 State=IDLE\n");
    QVERIFY2(found, found ? "" : found.error().text().c_str());
    const auto made = presets::cluster_of(*found, {});
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QCOMPARE(made->cluster.device_types[0].name, std::string("A100-40GB"));
    QVERIFY(std::abs(between(*made, 0, 1) - 31.51) < 0.01);
    QVERIFY(says(*made, "PCI Express between A100-40GB"));
  }

  void resting_links_are_read_as_the_types() {
    DetectedMachine machine;
    machine.name = "m";
    machine.source = "lstopo";
    machine.gpus.resize(2);
    const Interconnect joint{InterconnectKind::host_bridge, 0, gigabytes_per_second(4)};
    machine.joints = {{Interconnect{}, joint}, {joint, Interconnect{}}};
    for (FoundGpu& gpu : machine.gpus) gpu.pci_id = "10de:1eb8";  // T4, PCI Express 3
    const auto made = presets::cluster_of({machine}, {});
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QVERIFY(std::abs(between(*made, 0, 1) - 15.754) < 0.01);
    QVERIFY(says(*made, "PCI Express of the GPUs is at rest (4 GB/s): generation 3 with 16 lanes is assumed"));
  }

  void the_slower_way_of_a_table_is_kept() {
    const presets::ImportedCluster made = imported({"4-devices.bandwidths.csv"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(made.cluster.nodes[1].devices[0].count, 2);
    QCOMPARE(between(made, 0, 1), 233.9);
    QCOMPARE(between(made, 0, 3), 11.8);
    QVERIFY(says(made, "A100-80GB is assumed") && says(made, "the slower one is kept"));
  }

  void a_table_needs_its_unit() {
    FoundMachines found = found_in({"4-devices.bandwidths.csv"});
    found.matrix->unit.clear();
    QVERIFY(presets::cluster_of(found).error().message.find("--unit") != std::string::npos);
    presets::MachineImport how;
    how.unit = "Gbit/s";
    how.device = "T4";
    QCOMPARE(between(*presets::cluster_of(found, how), 0, 1), 233.9 / 8);
    how.unit = "furlongs";
    QCOMPARE(presets::cluster_of(found, how).error().code, ErrorCode::bad_usage);
    found.matrix->devices = {"a/0", "b/0", "a/1", "b/1"};
    how.unit = "GB/s";
    QVERIFY(presets::cluster_of(found, how).error().message.find("side by side") != std::string::npos);
  }

  void what_says_nothing_is_refused() {
    presets::MachineImport copies, uplink, unit;
    copies.copies = 2;
    uplink.uplink = gigabytes_per_second(1);
    unit.unit = "GB/s";
    QVERIFY(!refused({"site.slurm.txt", "site.topology.conf"}, copies).empty());
    QVERIFY(!refused({"4-devices.bandwidths.csv"}, copies).empty());
    QVERIFY(!refused({"site.slurm.txt"}, uplink).empty());
    QVERIFY(!refused({"4xa100.lstopo.xml"}, unit).empty());
    QVERIFY(refused({"site.topology.conf"}, {}).find("scontrol") != std::string::npos);
    FoundMachines table = found_in({"4-devices.bandwidths.csv"});
    QVERIFY(!presets::add_found(table, found_in({"site.slurm.txt"})));
    FoundMachines tree = found_in({"site.topology.conf"});
    QVERIFY(!presets::add_found(tree, found_in({"site.topology.conf"})));
  }

  void shapes_of_clouds_are_clusters() {
    QVERIFY(presets::instance_types().size() > 30);
    std::set<std::string> names;
    for (const presets::InstanceType& shape : presets::instance_types()) {
      QVERIFY2(names.insert(shape.name).second, shape.name.c_str());
      QVERIFY(!shape.source.empty() && shape.date.size() == 7 && !presets::cloud_shape_summary(shape).empty());
      presets::MachineImport how;
      how.copies = 2;
      const auto made = presets::cluster_of(*presets::cloud_machine(shape.name), how);
      QVERIFY2(made, made ? "" : made.error().text().c_str());
      QCOMPARE(devices_of(made->cluster).size(), static_cast<std::size_t>(2 * shape.count));
      const int last = 2 * shape.count - 1;
      const int cards = shape.nics >= shape.count ? shape.count : 1;  // a pair has one, a ring of all has all
      QVERIFY(std::abs(between(*made, 0, last) * 8e9 * cards - shape.network.count * 8) < 1);
      const cost::Path ring = cost::Network::of(made->cluster)->widest_ring_path(DeviceId(0), DeviceId(last));
      QVERIFY(std::abs(ring.bandwidth.count - shape.network.count) < 1);
      QVERIFY(says(*made, "figures as published in " + shape.date));
    }
    const auto p4d = presets::cluster_of(*presets::cloud_machine("P4D.24xlarge"));
    QCOMPARE(p4d->cluster.nodes[0].link->bandwidth, BytesPerSecond(300e9));
    const auto p3 = presets::cluster_of(*presets::cloud_machine("p3.16xlarge"));
    QCOMPARE(between(*p3, 0, 3), 50.0);
    QCOMPARE(between(*p3, 0, 5), 10.0);
    QVERIFY(presets::cloud_machine("p0.tiny").error().message.find("p4d.24xlarge") != std::string::npos);
  }

  /// Slurm's "a100" does not determine the memory.
  void names_of_several_types_are_told() {
    const auto notes_of = [](const char* type) {
      const auto found =
          io::topology::machines_from_slurm(std::string("NodeName=n1 State=IDLE Gres=gpu:") + type + ":8\n").value();
      return presets::cluster_of(found).value();
    };
    QVERIFY(says(notes_of("a100"), "'a100' is taken for A100-40GB, and may be A100-80GB (--device TYPE)"));
    QVERIFY(says(notes_of("v100"), "'v100' is taken for V100-16GB, and may be V100-32GB (--device TYPE)"));
    for (const char* whole : {"t4", "nvidia_a100-sxm4-80gb", "mi300x"}) {
      const presets::ImportedCluster made = notes_of(whole);
      QVERIFY2(
          std::ranges::none_of(made.notes, [](const std::string& note) { return note.find("may be") != note.npos; }),
          whole);
    }
  }

  /// As people call them: a family of one shape, what several begin with, Azure's own prefix.
  void shapes_of_clouds_by_family() {
    const auto named = [](const char* name) { return presets::cloud_machine(name).value().machines.front().name; };
    QCOMPARE(named("p4d"), std::string("p4d.24xlarge"));  // not p4de
    QCOMPARE(named("p5"), std::string("p5.48xlarge"));
    QCOMPARE(named("a3-highgpu"), std::string("a3-highgpu-8g"));
    QCOMPARE(named("Standard_ND96isr_H100_v5"), std::string("ND96isr_H100_v5"));
    QCOMPARE(named("nd96isr_h200"), std::string("ND96isr_H200_v5"));
    const auto listed = [](const char* name) {
      const std::string message = presets::cloud_machine(name).error().message;
      return message.substr(message.rfind(": ") + 2);
    };
    QCOMPARE(listed("p3"), std::string("p3.2xlarge, p3.8xlarge, p3.16xlarge"));
    QVERIFY(QString::fromStdString(listed("NC")).startsWith("NC6s_v3, NC24s_v3"));
    QVERIFY(!QString::fromStdString(listed("nc")).contains("ND"));
    QVERIFY(QString::fromStdString(listed("a2")).count("a2-") == 9);
    for (const char* unknown : {"", "Standard_", "q9"})
      QVERIFY2(QString::fromStdString(listed(unknown)).contains("p3dn.24xlarge, p4d.24xlarge"), unknown);
  }

  void a_wrong_shape_names_its_place() {
    const std::string good =
        R"({"format": "pipedeck.cloud", "version": 1, "provider": "P", "date": "2025-06", "source": "s",
            "shapes": [{"name": "a", "device": "T4", "count": 2, "joined": "pcie", "network_gbit_per_s": 10}]})";
    QVERIFY(presets::cloud_shapes_from_json(good).has_value());
    const auto changed = [&](const std::string& from, const std::string& to) {
      std::string text = good;
      text.replace(text.find(from), from.size(), to);
      const auto read = presets::cloud_shapes_from_json(text);
      return read ? std::string() : read.error().place;
    };
    QCOMPARE(changed("\"T4\"", "\"T1000\""), std::string("/shapes/0/device"));
    QCOMPARE(changed("\"pcie\"", "\"nvlink\""), std::string("/shapes/0/joined"));
    QCOMPARE(changed("10}", "-1}"), std::string("/shapes/0/network_gbit_per_s"));
    QCOMPARE(changed("\"joined\": \"pcie\"", "\"nvlink_lanes\": [[0, 1], [2, 0]]"),
             std::string("/shapes/0/nvlink_lanes"));
  }
};

PIPEDECK_TEST(TestClusterImport)

}  // namespace pipedeck::tst_cluster_import

#include "tst_cluster_import.moc"
