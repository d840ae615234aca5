// SPDX-License-Identifier: Apache-2.0
// A profile of one device on a cluster of others: computed anew, by data sheets, by peaks, or refused.
#include <QTest>

#include "core/cost/compute.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/presets/profile_device.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_profile_device {

std::shared_ptr<const Profile> profile_of(const std::string& device) {
  Layer layer;
  layer.name = "only";
  layer.forward = layer.backward = Seconds(1);
  Profile profile;
  profile.device = device;
  profile.micro_batch = 1;
  profile.layers = {layer};
  return std::make_shared<const Profile>(profile);
}

DeviceType type_of(const std::string& name, double speed, std::map<std::string, double> peaks = {}) {
  DeviceType type;
  type.name = name;
  type.memory = Bytes(1);
  type.relative_speed = speed;
  type.peak_tflops = std::move(peaks);
  return type;
}

Cluster cluster_of(std::vector<DeviceType> types) {
  Cluster cluster;
  Node& node = cluster.nodes.emplace_back();
  node.name = "n";
  for (const DeviceType& type : types) node.devices.push_back({type.name, 2});
  cluster.device_types = std::move(types);
  return cluster;
}

double speed_in_catalogue(const char* name) {
  return find_device_model(presets::device_catalogue(), name)->type.relative_speed;
}

presets::FittedProfile fitted(const std::shared_ptr<const Profile>& profile, const Cluster& cluster) {
  return presets::profile_on_cluster(profile, cluster, presets::device_catalogue()).value();
}

/// How many times as fast the cost model takes a type, relative to the profile's own times.
double speed(const Profile& profile, const Cluster& cluster, std::size_t type) {
  const Layer& layer = profile.layers.back();
  return layer.forward.count /
         cost::layer_times(profile, layer, profile.micro_batch, cluster, cluster.device_types[type]).forward.count;
}

class TestProfileDevice : public QObject {
  Q_OBJECT

 private slots:
  void typesOfTheCatalogueTakeTheRatioOfDataSheets() {
    const Cluster h100 = cluster_of({type_of("H100-SXM", speed_in_catalogue("H100-SXM"))});
    const auto made = fitted(profile_of("A100-80GB"), h100);
    QVERIFY(std::abs(speed(*made.profile, h100, 0) / (989.4 / 312) - 1) < 1e-9);
    QCOMPARE(made.notes.size(), std::size_t{1});
    QVERIFY2(made.notes[0].starts_with("H100-SXM is 3.17 times as fast as A100-80GB"), made.notes[0].c_str());
    QCOMPARE(made.assumptions, made.notes);
  }

  void whatFitsIsShared() {
    const auto same = [](const std::shared_ptr<const Profile>& profile, const Cluster& cluster) {
      const auto made = fitted(profile, cluster);
      return made.profile == profile && made.notes.empty();
    };
    const double h100 = speed_in_catalogue("H100-SXM");
    QVERIFY(same(profile_of("H100-SXM"), cluster_of({type_of("H100-SXM", h100)})));
    QVERIFY(same(profile_of("V100-16GB"), cluster_of({type_of("H100-SXM", h100)})));
    QVERIFY(same(profile_of("A100-40GB"), cluster_of({type_of("A100-80GB", 1)})));
    // The cluster relates its types to the profile's device, though it has none of them.
    Cluster both = cluster_of({type_of("H100-SXM", 3)});
    both.device_types.push_back(type_of("A100-80GB", 2));
    QVERIFY(same(profile_of("A100-80GB"), both));
    Profile measured = *profile_of("A100-80GB");
    measured.layers[0].on["H100-SXM"] = {Seconds(1), Seconds(1)};
    QVERIFY(same(std::make_shared<const Profile>(measured), cluster_of({type_of("H100-SXM", h100)})));
    // A type without devices is not planned for.
    Cluster unused = cluster_of({type_of("A100-80GB", 1)});
    unused.device_types.push_back(type_of("X800", 7.9));
    QVERIFY(same(profile_of("A100-40GB"), unused));
  }

  /// An H100 under another name counts as fast as its peaks are, whatever speed the file has from another cluster.
  void renamedTypesTakeTheRatioOfPeaks() {
    const Cluster renamed = cluster_of({type_of("X800", 7.9152, {{"fp16", 989.4}, {"fp32", 67}})});
    const auto made = fitted(profile_of("H100-SXM"), renamed);
    QVERIFY(std::abs(speed(*made.profile, renamed, 0) - 1) < 1e-12);
    const Cluster half = cluster_of({type_of("half", 7.9152, {{"bf16", 494.7}})});
    QVERIFY(std::abs(speed(*fitted(profile_of("H100-SXM"), half).profile, half, 0) - 0.5) < 1e-12);
  }

  void unknownTypesOfAnotherSpeedAreRefused() {
    for (const auto& [profile, type] : {std::pair("H100-SXM", "X800"), std::pair("TPU", "H100-SXM")}) {
      const auto made = presets::profile_on_cluster(profile_of(profile), cluster_of({type_of(type, 7.9152)}),
                                                    presets::device_catalogue());
      QVERIFY(!made);
      QVERIFY(made.error().code == ErrorCode::bad_input);
      QVERIFY2(made.error().message.find(std::string("peak_tflops of ") + type) != std::string::npos,
               made.error().message.c_str());
    }
  }

  void equallyFastIsAssumed() {
    const auto made = fitted(profile_of("somebody's"), cluster_of({type_of("else", 1)}));
    QVERIFY2(made.assumptions.front().starts_with("else is as fast as somebody's"), made.assumptions.front().c_str());
    QVERIFY(fitted(profile_of(""), cluster_of({type_of("else", 1)})).assumptions.empty());
    // By formats.md the speed is relative to the profile's device, which has no name.
    QVERIFY(
        fitted(profile_of(""), cluster_of({type_of("else", 2)})).assumptions.front().starts_with("else is 2 times"));
  }

  /// As if the preset were computed for that device from the beginning.
  void transformersAreComputedAnew() {
    const auto before = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b").value());
    QCOMPARE(before->device, std::string(presets::assumed_device_type));
    const Cluster h100 = cluster_of({type_of("H100-SXM", speed_in_catalogue("H100-SXM"))});
    const auto made = fitted(before, h100);
    QVERIFY(*made.profile == presets::profile_preset("llama-3-8b", {}, "H100-SXM").value());
    QVERIFY2(made.notes.front().starts_with("layer times are computed for H100-SXM"), made.notes.front().c_str());
    QVERIFY2(made.assumptions.front().starts_with("layers, memory and links reach what is known of H100-SXM"),
             made.assumptions.front().c_str());
    const auto& of_type = find_device_model(presets::device_catalogue(), "H100-SXM")->efficiency;
    QVERIFY(made.efficiency.at("H100-SXM") == hardware_efficiency(*of_type));
    QVERIFY(made.efficiency.at("H100-SXM").link < 1);
    QVERIFY(fitted(profile_of("A100-80GB"), h100).efficiency.empty());
    // Its data sheets alone would take another time.
    const double ratio = speed_in_catalogue("H100-SXM") / speed_in_catalogue("A100-80GB");
    QVERIFY(std::abs(before->layers[1].forward.count / ratio / made.profile->layers[1].forward.count - 1) > 0.01);
  }

  void everyTypeOfAMixedClusterIsComputed() {
    const auto before = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b").value());
    const Cluster mixed = cluster_of(
        {type_of("H100-SXM", speed_in_catalogue("H100-SXM")), type_of("A100-80GB", speed_in_catalogue("A100-80GB"))});
    const auto made = fitted(before, mixed);
    QCOMPARE(made.profile->device, std::string("A100-80GB"));
    const Profile h100 = presets::profile_preset("llama-3-8b", {}, "H100-SXM").value();
    for (std::size_t i = 0; i < h100.layers.size(); ++i) {
      const double forward =
          cost::layer_times(*made.profile, made.profile->layers[i], 1, mixed, mixed.device_types[0]).forward.count;
      QVERIFY(std::abs(forward / h100.layers[i].forward.count - 1) < 1e-12);
    }
  }

  void editedTransformersTakeTheRatio() {
    Profile edited = presets::profile_preset("llama-3-8b").value();
    edited.layers[1].forward = Seconds(1);
    const Cluster h100 = cluster_of({type_of("H100-SXM", speed_in_catalogue("H100-SXM"))});
    const auto made = fitted(std::make_shared<const Profile>(edited), h100);
    QVERIFY(made.profile->layers[1].forward == Seconds(1));
    QVERIFY(std::abs(speed(*made.profile, h100, 0) / (989.4 / 312) - 1) < 1e-9);
  }

  void aProfileOfOneSizeGuessesTheOthers() {
    Profile profile = *profile_of("X");
    profile.micro_batch = 4;
    const auto guess = presets::guess_of_sizes(profile);
    QVERIFY(guess && guess->find("4 samples") != std::string::npos &&
            guess->find("in proportion") != std::string::npos);
    const Layer& layer = profile.layers.front();
    const Cluster cluster = cluster_of({type_of("X", 1)});
    const auto time = [&](int samples) {
      return cost::layer_times(profile, layer, samples, cluster, cluster.device_types.front()).forward.count;
    };
    QCOMPARE(time(8), 2 * time(4));
    QCOMPARE(time(1), time(4) / 4);
    profile.layers.front().at = {{4, Seconds(1), Seconds(1)}, {8, Seconds(1.5), Seconds(1.5)}};
    QVERIFY(!presets::guess_of_sizes(profile));
  }

  void assumptionsOfTheClusterAreNamed() {
    Cluster cluster = cluster_of({type_of("A100-80GB", 1)});
    cluster.assumptions = {"n: the network is unknown: 25 Gbit/s are assumed"};
    QCOMPARE(fitted(profile_of("A100-80GB"), cluster).assumptions, cluster.assumptions);
  }
};

PIPEDECK_TEST(TestProfileDevice)

}  // namespace pipedeck::tst_profile_device

#include "tst_profile_device.moc"
