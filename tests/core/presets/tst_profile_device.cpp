// SPDX-License-Identifier: Apache-2.0
// A profile of one device on a cluster of others: assumptions of the cost model are reported if the catalogue is more
// exact.
#include <QTest>

#include "core/cost/compute.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/presets/profile_device.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

namespace {

Profile profile_of(const std::string& device) {
  Layer layer;
  layer.name = "only";
  layer.forward = layer.backward = Seconds(1);
  Profile profile;
  profile.device = device;
  profile.micro_batch = 1;
  profile.layers = {layer};
  return profile;
}

DeviceType type_of(const std::string& name, double speed) {
  DeviceType type;
  type.name = name;
  type.memory = Bytes(1);
  type.relative_speed = speed;
  return type;
}

Cluster cluster_of(const std::string& type, double speed) {
  Cluster cluster;
  cluster.device_types = {type_of(type, speed)};
  Node& node = cluster.nodes.emplace_back();
  node.name = "n";
  node.devices = {{type, 2}};
  return cluster;
}

double speed_in_catalogue(const char* name) {
  return find_device_model(presets::device_catalogue(), name)->type.relative_speed;
}

std::string note(const Profile& profile, const Cluster& cluster) {
  return presets::profile_device_note(profile, cluster, presets::device_catalogue());
}

}  // namespace

class TestProfileDevice : public QObject {
  Q_OBJECT

 private slots:
  void what_is_assumed_is_told() {
    // An imported cluster's speeds are against the V100.
    const Cluster h100 = cluster_of("H100-SXM", speed_in_catalogue("H100-SXM"));
    const std::string told = note(profile_of("A100-80GB"), h100);
    QVERIFY2(told.starts_with("the profile is for A100-80GB, which the cluster does not list: H100-SXM counts as 7.92"),
             told.c_str());
    QVERIFY2(told.find("data sheets give 3.17") != std::string::npos, told.c_str());  // 989.4 / 312
    // And that is what the cost model does.
    const Profile profile = profile_of("A100-80GB");
    const double counted =
        1 / cost::layer_times(profile, profile.layers[0], 1, h100, h100.device_types[0]).forward.count;
    QCOMPARE(counted, speed_in_catalogue("H100-SXM"));
  }

  void what_is_right_is_not_worth_a_word() {
    const double speed = speed_in_catalogue("H100-SXM");
    QCOMPARE(note(profile_of("H100-SXM"), cluster_of("H100-SXM", speed)), std::string());
    QCOMPARE(note(profile_of("V100-16GB"), cluster_of("H100-SXM", speed)), std::string());
    QCOMPARE(note(profile_of("A100-40GB"), cluster_of("A100-80GB", 1)), std::string());
    QCOMPARE(note(profile_of("somebody's"), cluster_of("else", 1)), std::string());
    // The cluster lists the profile's device, though it has none.
    Cluster both = cluster_of("H100-SXM", 3);
    both.device_types.push_back(type_of("A100-80GB", 2));
    QCOMPARE(note(profile_of("A100-80GB"), both), std::string());
    // The profile has times for it.
    Profile measured = profile_of("A100-80GB");
    measured.layers[0].on["H100-SXM"] = {Seconds(1), Seconds(1)};
    QCOMPARE(note(measured, cluster_of("H100-SXM", speed)), std::string());
    // A type without devices is not planned for.
    Cluster unused = cluster_of("A100-80GB", 1);
    unused.device_types.push_back(type_of("H100-SXM", speed));
    QCOMPARE(note(profile_of("A100-40GB"), unused), std::string());
  }

  void devices_that_nobody_knows() {
    const Cluster cluster = cluster_of("H100-SXM", 7.9);
    QVERIFY(note(profile_of("TPU"), cluster).starts_with("the profile is for TPU, whose speed is unknown"));
    QVERIFY(note(profile_of(""), cluster).starts_with("the profile is for a device that it does not name"));
  }
};

PIPEDECK_TEST(TestProfileDevice)
#include "tst_profile_device.moc"
