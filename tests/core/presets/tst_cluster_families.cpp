// SPDX-License-Identifier: Apache-2.0
// Families of clusters up to 16,384 devices: sizes, links, domains, and how quickly they are listed and built.
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include <QTest>

#include <fmt/format.h>

#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/cluster_families.hpp"
#include "core/presets/presets.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cluster_families {

std::vector<DeviceId> first_devices(int count) {
  std::vector<DeviceId> devices;
  for (int d = 0; d < count; ++d) devices.push_back(DeviceId(std::int32_t{d}));
  return devices;
}

class TestClusterFamilies : public QObject {
  Q_OBJECT
 private slots:
  /// Links inside and cards in GB/s.
  void sizes_go_up_to_16384_data() {
    QTest::addColumn<double>("inside");
    QTest::addColumn<double>("card");
    QTest::newRow("A100-40GB") << 300.0 << 25.0;
    QTest::newRow("A100-80GB") << 300.0 << 25.0;
    QTest::newRow("A800-80GB") << 200.0 << 25.0;
    QTest::newRow("H100-SXM") << 450.0 << 50.0;
    QTest::newRow("H200") << 450.0 << 50.0;
    QTest::newRow("H800") << 200.0 << 50.0;
    QTest::newRow("B200") << 900.0 << 50.0;
    QTest::newRow("B300") << 900.0 << 100.0;
    QTest::newRow("GB200") << 900.0 << 50.0;
    QTest::newRow("GB300") << 900.0 << 100.0;
    QTest::newRow("MI300X") << 448.0 << 50.0;
    QTest::newRow("MI325X") << 448.0 << 50.0;
    QTest::newRow("MI355X") << 537.6 << 50.0;
  }
  void sizes_go_up_to_16384() {
    QFETCH(double, inside);
    QFETCH(double, card);
    std::set<int> sizes;
    for (const presets::FamilyCluster& one : presets::family_clusters())
      if (one.model->type.name == QTest::currentDataTag()) sizes.insert(one.nodes * one.count);
    QVERIFY(sizes.contains(8) && sizes.contains(64) && sizes.contains(16'384));
    const auto found = presets::find_family_cluster(
        fmt::format("{}-{}", inside == 900 && QTest::currentDataTag()[0] == 'G' ? "4096x4" : "2048x8",
                    QString(QTest::currentDataTag()).toLower().toStdString()));
    QVERIFY(found);
    const Cluster cluster = found->build();
    QVERIFY(plan::validate(cluster));
    const cost::Network network = *cost::Network::of(cluster);
    QCOMPARE(network.device_count(), 16'384);
    const auto gigabytes = [&](int to) {
      return in_gigabytes_per_second(network.path(DeviceId(0), DeviceId(to)).bandwidth);
    };
    QVERIFY(std::abs(gigabytes(1) - inside) < 1e-9);
    QCOMPARE(gigabytes(16'383), card);
  }

  /// 18 nodes of 4 devices are one domain: as quick between nodes as inside, and 72 devices reduce in one ring.
  void nvl72_is_one_domain() {
    const Cluster rack = *presets::cluster_preset("18x4-gb200");
    const cost::Network network = *cost::Network::of(rack);
    QCOMPARE(network.device_count(), 72);
    QCOMPARE(network.node_count(), 18);
    QCOMPARE(network.path(DeviceId(0), DeviceId(71)), network.path(DeviceId(0), DeviceId(1)));
    const double expected = 2 * 71 * (5e-6 + 1e9 / (72 * 900e9));
    const double found = cost::all_reduce(network, first_devices(72), Bytes(1'000'000'000)).count;
    QVERIFY(std::abs(found - expected) < 1e-12 * expected);
    QCOMPARE(cost::Network::of(*presets::cluster_preset("4-gb200"))->device_count(), 4);
    const cost::Network two = *cost::Network::of(*presets::cluster_preset("36x4-gb200"));
    QCOMPARE(in_gigabytes_per_second(two.path(DeviceId(71), DeviceId(72)).bandwidth), 50.0);
    QCOMPARE(two.path(DeviceId(72), DeviceId(143)).bandwidth.count, 900e9);
  }

  void hosts_have_memory() {
    const Cluster rack = *presets::cluster_preset("18x4-gb200");
    for (const Node& node : rack.nodes) QCOMPARE(node.memory->count, std::int64_t{960} << 30);
    QVERIFY(std::abs(in_gigabytes_per_second(*rack.nodes[0].memory_bandwidth) * 18 / 14e3 - 1) < 1e-4);
    QVERIFY(!presets::cluster_preset("8-rtx-4090")->nodes[0].memory);
    QVERIFY(*io::documents::cluster_from_json(io::documents::cluster_to_json(rack)) == rack);
  }

  void domains_are_written_and_read() {
    const Cluster cluster = *presets::cluster_preset("20x4-gb300");
    QCOMPARE(cluster.nodes[18].domain, std::string("domain 1"));
    QVERIFY(*io::documents::cluster_from_json(io::documents::cluster_to_json(cluster)) == cluster);
  }

  /// Lists show a few sizes; a name may give any up to the family's largest.
  void any_number_of_nodes_is_built() {
    for (const char* name : {"48x8-a100-80gb", "48X8-A100-80GB", "48 × 8 A100-80GB", "48 × 8 a100-80gb"}) {
      const auto cluster = presets::cluster_preset(name);
      QVERIFY2(cluster, name);
      QCOMPARE(cluster->name, std::string("48 × 8 A100-80GB"));
      QCOMPARE(cluster->nodes.size(), std::size_t{48});
      QVERIFY(presets::is_cluster_preset(name));
      QCOMPARE(presets::cluster_preset_alias(name), std::string("48x8-a100-80gb"));
      QCOMPARE(presets::cluster_preset_group(name), std::string("Data centre"));
    }
    for (const char* name : {"2049x8-a100-80gb", "0x8-a100-80gb", "-2x8-a100-80gb", "2x7-a100-80gb", "x8-a100-80gb",
                             "2x4-rtx-4090", "99999999999999x8-h200"})
      QVERIFY2(!presets::cluster_preset(name), name);
    const auto unknown = presets::cluster_preset("no such cluster");
    QVERIFY(unknown.error().message.find("1 to 4096 × 4 GB200 (4-gb200, 2x4-gb200)") != std::string::npos);
  }

  void lists_are_short_and_sorted() {
    const auto& presets = presets::cluster_presets();
    QVERIFY(presets.size() < 140);
    std::set<std::string> names, aliases;
    for (const presets::ClusterPreset& preset : presets) {
      QVERIFY2(names.insert(preset.name).second && aliases.insert(preset.alias).second, preset.name.c_str());
      QVERIFY2(preset.devices > 0 && preset.nodes > 0 && !preset.types.empty(), preset.name.c_str());
    }
    const auto& families = presets::family_clusters();
    for (std::size_t i = 1; i < families.size(); ++i)
      if (families[i].model == families[i - 1].model)
        QVERIFY2(families[i].nodes * families[i].count > families[i - 1].nodes * families[i - 1].count,
                 families[i].name().c_str());
  }

  /// An entry has the figures of its cluster.
  void entries_are_of_their_clusters() {
    for (const presets::ClusterPreset& preset : presets::cluster_presets()) {
      if (preset.devices > 1024) continue;
      const Cluster cluster = *presets::cluster_preset(preset.name);
      QCOMPARE(cluster.name, preset.name);
      QCOMPARE(devices_of(cluster).size(), preset.devices);
      QCOMPARE(cluster.nodes.size(), preset.nodes);
      QCOMPARE(cluster.device_types.front().name, preset.types.front());
      QVERIFY(*presets::cluster_preset(preset.alias) == cluster);
    }
  }

  /// The limits are generous, for a busy machine.
  void listing_and_building_take_milliseconds() {
    using Clock = std::chrono::steady_clock;
    presets::cluster_presets();
    const auto begin = Clock::now();
    for (const std::string& name : presets::cluster_preset_names()) presets::cluster_preset_group(name);
    QVERIFY(Clock::now() - begin < std::chrono::milliseconds(200));
    const auto built = Clock::now();
    QCOMPARE(presets::cluster_preset("4096x4-gb200")->nodes.size(), std::size_t{4096});
    QVERIFY(Clock::now() - built < std::chrono::milliseconds(200));
  }

  void broken_families_name_their_place_data() {
    QTest::addColumn<QString>("members");
    QTest::addColumn<QString>("place");
    const auto row = [](const char* name, const char* members, const char* place) {
      QTest::newRow(name) << members << place;
    };
    row("domain without NVLink", R"("devices": ["T4"], "joined": "host", "domain_nodes": 2)",
        "/families/0/domain_nodes");
    row("mesh without links", R"("devices": ["T4"], "joined": "mesh")", "/families/0/devices");
    row("no domain", R"("devices": ["H200"], "joined": "nvlink", "domain_nodes": 0)", "/families/0/domain_nodes");
  }
  void broken_families_name_their_place() {
    QFETCH(QString, members);
    QFETCH(QString, place);
    const auto families = presets::cluster_families_from_json(
        fmt::format(R"({{"format": "pipedeck.cluster-families", "version": 1, "families": [{{"group": "x",
                        "counts": [2], "nodes": [1], "source": "x", {}}}]}})",
                    members.toStdString()));
    QVERIFY(!families);
    QCOMPARE(QString::fromStdString(families.error().place), place);
  }
};

PIPEDECK_TEST(TestClusterFamilies)

}  // namespace pipedeck::tst_cluster_families

#include "tst_cluster_families.moc"
