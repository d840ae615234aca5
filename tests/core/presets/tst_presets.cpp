// SPDX-License-Identifier: Apache-2.0
// The presets match their sources: devices and bandwidths of the papers' tables, published parameter counts.
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/analytic/transformer/layers.hpp"
#include "core/analytic/transformer/shapes.hpp"
#include "core/cost/network.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/io/files.hpp"
#include "core/io/json/value.hpp"
#include "core/model/device_model.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/cluster_families.hpp"
#include "core/presets/presets.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_presets {

double parameters_in_millions(const Profile& profile) {
  Bytes bytes;
  for (const Layer& layer : profile.layers) bytes += layer.parameters;
  return static_cast<double>(bytes.count) / 4e6;
}

ModelLayer layer(const std::string& kind, std::map<std::string, std::int64_t> sizes) {
  return {"x", kind, std::move(sizes)};
}

class TestPresets : public QObject {
  Q_OBJECT

 private slots:
  void every_cluster_can_be_planned_on() {
    QCOMPARE(presets::cluster_preset_names().front(), std::string("DAPPLE config A, 2 × 8 V100"));
    for (const std::string& name : presets::cluster_preset_names()) {
      const auto cluster = presets::cluster_preset(name);
      QVERIFY(cluster && plan::validate(*cluster));
      QVERIFY(cost::Network::of(*cluster));
      const auto by_alias =
          presets::cluster_preset(QString::fromStdString(presets::cluster_preset_alias(name)).toUpper().toStdString());
      QVERIFY(by_alias && *by_alias == *cluster);
    }
  }

  void config_a_is_table_iii() {
    const Cluster cluster = *presets::cluster_preset("dapple-a");
    const cost::Network network = *cost::Network::of(cluster);
    QCOMPARE(network.device_count(), 16);
    QCOMPARE(network.node_count(), 2);
    QCOMPARE(network.path(DeviceId(0), DeviceId(7)).bandwidth.count, 130e9);
    QCOMPARE(network.path(DeviceId(0), DeviceId(8)).bandwidth.count, 25e9 / 8);  // 25 Gbit/s
    QCOMPARE(network.type(DeviceId(0)).memory.count, std::int64_t{16} << 30);
    const cost::Network slow = *cost::Network::of(*presets::cluster_preset("DAPPLE config C, 16 × 1 V100"));
    QCOMPARE(slow.device_count(), 16);
    QCOMPARE(slow.path(DeviceId(0), DeviceId(1)).bandwidth.count, 10e9 / 8);
  }

  /// Clusters of one device type are the same in every size: nodes of eight with NVLink, a card per GPU between them.
  void families_have_all_sizes() {
    for (const auto& [type, inside, gigabits] : {std::tuple{"H100-SXM", 450e9, 400.0},
                                                 {"H200", 450e9, 400.0},
                                                 {"B200", 900e9, 400.0},
                                                 {"A100-80GB", 300e9, 200.0}})
      for (const int nodes : {1, 2, 4, 8, 16, 32, 64, 128}) {
        const std::string name = nodes == 1 ? fmt::format("8 × {}", type) : fmt::format("{} × 8 {}", nodes, type);
        const auto cluster = presets::cluster_preset(name);
        QVERIFY2(cluster, name.c_str());
        QCOMPARE(presets::cluster_preset_group(name), std::string("Data centre"));
        const cost::Network network = *cost::Network::of(*cluster);
        QCOMPARE(network.device_count(), 8 * nodes);
        QCOMPARE(network.path(DeviceId(0), DeviceId(7)).bandwidth.count, inside);
        if (nodes == 1) continue;
        QCOMPARE(network.path(DeviceId(0), DeviceId(8)).bandwidth.count, gigabits * 1e9 / 8);
        QCOMPARE(network.widest_ring_path(DeviceId(0), DeviceId(8)).bandwidth.count, gigabits * 1e9);  // eight cards
        QCOMPARE(default_network(*cluster), NetworkModel::shared);
      }
    QCOMPARE(presets::cluster_preset_alias("8 × 8 H100-SXM"), std::string("8x8-h100-sxm"));
  }

  /// Cards of small labs reach each other through the host: half of PCI Express' rate.
  void labs_have_no_peer_to_peer() {
    for (const auto& [type, generation] :
         {std::pair{"RTX-3090", 4}, {"RTX-4090", 4}, {"RTX-5090", 5}, {"RTX-A6000", 4}, {"L40S", 4}})
      for (const int count : {1, 2, 4, 8}) {
        const std::string name = fmt::format("{} × {}", count, type);
        const auto cluster = presets::cluster_preset(name);
        QVERIFY2(cluster, name.c_str());
        QCOMPARE(presets::cluster_preset_group(name), std::string("Lab"));
        const cost::Network network = *cost::Network::of(*cluster);
        QCOMPARE(network.device_count(), count);
        if (count == 1) continue;
        QCOMPARE(network.path(DeviceId(0), DeviceId(1)).bandwidth.count, pcie_bandwidth({generation, 16}).count / 2);
      }
    QCOMPARE(presets::cluster_preset_group("DAPPLE config A, 2 × 8 V100"), std::string("Papers"));
    QCOMPARE(presets::cluster_preset_group("2 CPU threads"), std::string("Processor cores"));
    QCOMPARE(presets::cluster_preset_group("no such cluster"), std::string());
  }

  /// A cluster of a family is a cluster file like any other.
  void families_are_written_and_read() {
    const Cluster cluster = *presets::cluster_preset("2x8-h100-sxm");
    QVERIFY(*io::documents::cluster_from_json(io::documents::cluster_to_json(cluster)) == cluster);
  }

  void broken_families_name_their_place() {
    const auto text = [](const char* devices, const char* joined) {
      return fmt::format(
          R"({{"format": "pipedeck.cluster-families", "version": 1, "families": [{{"group": "x", "devices": ["{}"],
              "counts": [2], "nodes": [1], "joined": "{}", "source": "x"}}]}})",
          devices, joined);
    };
    QVERIFY(presets::cluster_families_from_json(text("T4", "host")));
    QCOMPARE(presets::cluster_families_from_json(text("T5", "host")).error().place, std::string("/families/0/devices"));
    QCOMPARE(presets::cluster_families_from_json(text("T4", "nvlink")).error().place,
             std::string("/families/0/devices"));
    QCOMPARE(presets::cluster_families_from_json(text("T4", "rope")).error().place, std::string("/families/0/joined"));
  }

  /// Whale, section 5.2: 32-GB V100 and 16-GB P100 in equal numbers, 50 Gbit/s between servers.
  void whale_clusters_are_section_5_2() {
    for (const auto& [name, each] : {std::pair{"whale-dp", 8}, std::pair{"whale-pipe", 4}}) {
      const cost::Network network = *cost::Network::of(*presets::cluster_preset(name));
      QCOMPARE(network.device_count(), 2 * each);
      QCOMPARE(network.type(DeviceId(each - 1)).memory.count, std::int64_t{32} << 30);
      QCOMPARE(network.type(DeviceId(each)).memory.count, std::int64_t{16} << 30);
      QCOMPARE(network.path(DeviceId(0), DeviceId(each)).bandwidth.count, 50e9 / 8);
      const double speed = network.type(DeviceId(each)).relative_speed;
      QVERIFY(std::abs(speed - 9.3 / 15.7) < 0.001);  // by peak FLOP/s, fp32
      QVERIFY((1 + speed) / (2 * speed) > 1.24 && (1 + speed) / (2 * speed) < 1.35);
    }
  }

  void parameters_are_the_published_ones_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("millions");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("BERT-48") << "BERT-48" << 640.0 << 5.0;          // DAPPLE, Table II
    QTest::newRow("GPT-2") << "GPT-2 124M" << 124.4 + 38.6 << 0.2;  // head of its own
    QTest::newRow("VGG-19") << "VGG-19" << 143.67 << 0.01;          // Simonyan and Zisserman: 144 M
    QTest::newRow("ResNet-50") << "ResNet-50" << 25.557 << 0.005;   // He et al.: 25.6 M
  }
  void parameters_are_the_published_ones_of_the_papers_data() { parameters_of_the_papers(); }
  void parameters_are_the_published_ones_of_the_papers() { parameters_are_the_published_ones(); }
  void parameters_are_the_published_ones() {
    QFETCH(QString, name);
    QFETCH(double, millions);
    QFETCH(double, tolerance);
    const Profile profile = *presets::profile_preset(name.toStdString());
    QVERIFY(plan::validate(profile));
    QVERIFY2(std::abs(parameters_in_millions(profile) - millions) < tolerance,
             qPrintable(QString::number(parameters_in_millions(profile))));
  }

  // The published operations of a forward pass: 19.6 billion multiply-adds for VGG-19, 4.1 for ResNet-50 (v1.5).
  void operations_are_the_published_ones() {
    for (const auto& [name, billions] : {std::pair{"VGG-19", 19.6}, std::pair{"ResNet-50", 4.09}}) {
      double flops = 0;
      const ModelSpec model = *presets::model_preset(name);
      for (const ModelLayer& each : model.layers) flops += analytic::transformer::shape_of(each)->forward_flops;
      QVERIFY2(std::abs(flops / 2e9 - billions) < 0.1, qPrintable(QString::number(flops / 2e9)));
    }
  }

  // By hand: a transformer block of hidden 2, feed-forward 8, sequence 3, 1 head.
  void a_transformer_block_by_hand() {
    const analytic::transformer::LayerShape shape = *analytic::transformer::shape_of(
        layer("transformer", {{"hidden", 2}, {"heads", 1}, {"feed_forward", 8}, {"sequence", 3}, {"causal", 0}}));
    QCOMPARE(shape.forward_flops, 24.0 * 3 * 4 + 4.0 * 9 * 2);              // 24 s h^2 + 4 s^2 h
    QCOMPARE(shape.backward_flops, 2 * shape.forward_flops - 4.0 * 9 * 2);  // attention has no weights
    QCOMPARE(shape.output.count, 4 * 6);
    QCOMPARE(shape.saved.count, 4 * (16 * 6 + 9));            // 16 sh + a s^2 numbers
    QCOMPARE(shape.parameters.count, 4 * (12 * 4 + 13 * 2));  // 12 h^2 + 13 h
  }

  // By hand: both directions of an LSTM of input 2 and hidden 3 over 5 steps, four gates with two biases each.
  void an_lstm_by_hand() {
    const analytic::transformer::LayerShape shape =
        *analytic::transformer::shape_of(layer("lstm", {{"in", 2}, {"hidden", 3}, {"sequence", 5}, {"directions", 2}}));
    QCOMPARE(shape.forward_flops, 2.0 * (2 * 5 * (2 + 3) * 12));
    QCOMPARE(shape.backward_flops, 2 * shape.forward_flops);
    QCOMPARE(shape.output.count, 4 * 2 * 5 * 3);
    QCOMPARE(shape.saved.count, 4 * (5 * 2 + 2 * 5 * 6 * 3));
    QCOMPARE(shape.parameters.count, 4 * 2 * 12 * (2 + 3 + 2));
  }

  void a_loss_has_no_stage_of_its_own() {
    const ModelSpec model = *presets::model_preset("mlp-small");
    const Profile profile = *presets::profile_preset("mlp-small");
    QCOMPARE(profile.layers.size() + 1, model.layers.size());
    QVERIFY(model.trainable_here);
    QCOMPARE(profile.device, std::string("CPU-core"));
  }

  void arguments_name_presets_or_files() {
    QVERIFY(presets::open_profile("preset:bert-48"));
    QVERIFY(presets::open_cluster("preset:cpu-2"));
    QVERIFY(presets::open_model("preset:GPT-TINY"));
    QCOMPARE(presets::open_profile("preset:nothing").error().code, ErrorCode::bad_usage);
    QVERIFY(presets::open_cluster("preset:nothing").error().message.find("DAPPLE config A") != std::string::npos);
    QCOMPARE(presets::open_cluster("nothing").error().code, ErrorCode::bad_input);
  }

  void transformers_have_their_published_sizes_data() {
    QTest::addColumn<double>("billions");
    QTest::newRow("llama-2-7b") << 6.738;  // arXiv 2307.09288 and the weights' cards for all that follow
    QTest::newRow("llama-3-8b") << 8.030;
    QTest::newRow("mistral-7b") << 7.242;
    QTest::newRow("mixtral-8x7b") << 46.703;
    QTest::newRow("qwen2-7b") << 7.616;
    QTest::newRow("qwen3-8b") << 8.191;
    QTest::newRow("qwen1.5-moe-a2.7b") << 14.316;
    QTest::newRow("qwen3-30b-a3b") << 30.532;
    QTest::newRow("deepseek-v2-lite") << 15.706;
    QTest::newRow("deepseek-v3") << 671.026;  // without its layer that predicts one more token
  }
  void transformers_have_their_published_sizes() {
    QFETCH(double, billions);
    const auto transformer = presets::transformer_preset(QTest::currentDataTag());
    QVERIFY(transformer.has_value());
    QVERIFY2(std::abs(analytic::transformer::parameters_of(transformer->config) / 1e9 - billions) < 5e-4 * billions,
             std::to_string(analytic::transformer::parameters_of(transformer->config)).c_str());
  }

  /// Whale (USENIX ATC 2022, section 5.3) gives M6's totals, in round figures; its widths are chosen for them.
  void m6_has_the_published_totals() {
    const std::pair<const char*, double> billions[] = {
        {"m6-10b", 10}, {"m6-moe-100b", 100}, {"m6-moe-1t", 1000}, {"m6-moe-10t", 10000}};
    for (const auto& [name, published] : billions) {
      const auto transformer = presets::transformer_preset(name);
      QVERIFY2(transformer &&
                   std::abs(analytic::transformer::parameters_of(transformer->config) / 1e9 / published - 1) < 0.04,
               name);
    }
  }

  void transformers_become_profiles_that_say_so() {
    QCOMPARE(presets::transformer_preset_names().size(), std::size_t{16});
    for (const std::string& name : presets::transformer_preset_names()) {
      QVERIFY(presets::is_transformer_preset(name));
      const auto by_alias = presets::transformer_preset(presets::model_preset_alias(name));
      QVERIFY(by_alias && *by_alias == *presets::transformer_preset(name));
      const auto profile = presets::profile_preset(name, 2, "H100-SXM");
      QVERIFY2(profile && plan::validate(*profile), name.c_str());
      QCOMPARE(profile->name, name);
      QCOMPARE(profile->device, std::string("H100-SXM"));
      QCOMPARE(profile->micro_batch, 2);
      const auto origin = io::documents::origin_of(*profile);
      QVERIFY(origin && *origin && (*origin)->config == by_alias->config);
    }
    QVERIFY(!presets::is_transformer_preset("BERT-48") && !presets::transformer_preset("BERT-48"));
    const auto unknown = presets::profile_preset("nothing");
    QVERIFY(!unknown && QByteArray::fromStdString(unknown.error().message).contains("Llama 3 8B"));
    QCOMPARE(presets::profile_preset("llama-3-8b", {}, "nothing").error().code, ErrorCode::bad_usage);
  }

  /// A plan for the profile of a transformer preset can be launched: the model has its layers, with its parameters.
  void transformers_are_models_to_train() {
    int trained = 0;
    for (const std::string& name : presets::transformer_preset_names()) {
      const auto model = presets::open_model("preset:" + presets::model_preset_alias(name), 512);
      if (!model) {
        QVERIFY2(!model.error().message.empty(), name.c_str());
        continue;
      }
      ++trained;
      QCOMPARE(model->name, name);
      QVERIFY(!model->trainable_here);                                                // on a processor
      const Profile profile = presets::profile_preset(name, {}, "H100-SXM").value();  // 16 bits a parameter
      const Profile own =
          analytic::transformer::profile_from_shapes(*model, {"any", 1e12, gigabytes_per_second(100)}, 1).value();
      QVERIFY2(io::documents::origin_of(profile).has_value(), name.c_str());
      std::vector<std::string> names, expected;
      for (const ModelLayer& layer : model->layers) names.push_back(layer.name);
      for (const Layer& layer : profile.layers) expected.push_back(layer.name);
      QVERIFY2(names == expected,
               fmt::format("{}: {} instead of {}", name, fmt::join(names, " "), fmt::join(expected, " ")).c_str());
      QCOMPARE(parameters_in_millions(own), 2 * parameters_in_millions(profile));
    }
    QVERIFY2(trained >= 6, QByteArray::number(trained));
    QCOMPARE(presets::open_model("preset:m6-moe-100b").error().code, ErrorCode::bad_usage);
  }

  // Every model of the papers' evaluations by the name of its preset (docs/planners.md lists the papers).
  void models_of_the_papers_are_presets_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"GNMT-16",
                             "BERT-48",
                             "XLNet-36",
                             "ResNet-50",
                             "VGG-19",
                             "AmoebaNet-36",
                             "BERT-Large",
                             "BERT-106",
                             "BERT-215",
                             "BERT-428",
                             "VGG-16",
                             "AlexNet",
                             "GNMT-8",
                             "AWD-LM",
                             "S2VT",
                             "GPT-2 345M",
                             "TransGAN",
                             "T5-Large",
                             "Whale classifier 100K",
                             "Whale classifier 1M",
                             "M6 10B",
                             "M6 MoE 100B",
                             "M6 MoE 1T",
                             "M6 MoE 10T"})
      QTest::newRow(name) << name;
  }
  void models_of_the_papers_are_presets() {
    QFETCH(QString, name);
    const std::vector<std::string> names = presets::profile_preset_names();
    QCOMPARE(std::ranges::count(names, name.toStdString()), 1);
    const auto profile = presets::open_profile("preset:" + presets::model_preset_alias(name.toStdString()));
    QVERIFY(profile && plan::validate(profile->profile));
    QCOMPARE(profile->profile.name, name.toStdString());
    QVERIFY(!profile->profile.source.empty());
  }

  void deeper_berts_have_dapples_sizes_data() {
    QTest::addColumn<double>("billions");
    QTest::newRow("BERT-106") << 21.9 / 16;  // DAPPLE, Table VIII: GB at 16 bytes a parameter
    QTest::newRow("BERT-215") << 43.8 / 16;
    QTest::newRow("BERT-428") << 88.2 / 16;
  }
  void deeper_berts_have_dapples_sizes() {
    QFETCH(double, billions);
    const std::string name = QTest::currentDataTag();
    const ModelSpec model = *presets::model_preset(name);
    QVERIFY(plan::validate(model));
    const auto blocks = std::ranges::count(model.layers, "transformer", &ModelLayer::kind);
    QCOMPARE("BERT-" + std::to_string(blocks), name);
    QVERIFY(std::abs(parameters_in_millions(*presets::profile_preset(name)) / 1e3 / billions - 1) < 0.02);
  }

  // Jia et al., section 5: the features have 90 MB, and 782 MB are the weights of 100,000 classes.
  void ten_times_the_classes_are_ten_times_the_classifier() {
    const auto millions = [](const char* name) { return parameters_in_millions(*presets::profile_preset(name)); };
    const double classifier = 1e5 * (2048 + 1) / 1e6;
    QVERIFY(std::abs(millions("whale-classifier-1m") - millions("whale-classifier-100k") - 9 * classifier) < 1e-6);
  }

  // DAPPLE: Tables I, II and V, section VI-C.
  void amoebanet_has_dapples_figures() {
    const Profile profile = *presets::profile_preset("AmoebaNet-36");
    QCOMPARE(profile.layers.size(), std::size_t{36});
    QVERIFY(std::abs(parameters_in_millions(profile) - 933) < 1e-3);
    double last_third = 0, seconds = 0, saved = 0;
    for (std::size_t i = 0; i < 36; ++i) {
      const Layer& cell = profile.layers[i];
      if (i >= 24) last_third += static_cast<double>(cell.parameters.count) / 4e6;
      seconds += cell.forward.count + cell.backward.count;
      saved += static_cast<double>(cell.saved.count);
      QCOMPARE(cell.output.count, 11'200'000);
    }
    QVERIFY(std::abs(last_third / 933 - 0.73) < 1e-6);
    QVERIFY(std::abs(profile.layers.back().forward.count / profile.layers.front().forward.count - 1.4) < 1e-9);
    QVERIFY(std::abs(saved + 3 * 933e6 * 4 - 20e9) < 100);        // RMSProp keeps 12 bytes a parameter
    const double transfers = 8 * 2 * 11.2e6 / (25e9 / 8);         // eight samples both ways over 25 Gbit/s
    QVERIFY(std::abs(transfers / (seconds / 2) - 0.18) < 0.001);  // of half of the model
  }

  // AMP, section 6.5.3: 56 rows, of which 4-15 and 42-53 are transformers; hidden 1024 and 12 h^2 + 13 h weights each.
  void transgan_has_amps_rows() {
    const Profile profile = *presets::profile_preset("transgan");
    QCOMPARE(profile.layers.size(), std::size_t{56});
    for (std::size_t i = 0; i < 56; ++i) {
      const bool wide = i >= 4 && i <= 15, narrow = i >= 42 && i <= 53;
      const std::int64_t hidden = wide ? 1024 : 16;
      QCOMPARE(profile.layers[i].parameters.count, wide || narrow ? 2 * (12 * hidden * hidden + 13 * hidden) : 0);
      QCOMPARE(profile.layers[i].forward.count > 0, wide || narrow);
    }
    QCOMPARE(profile.layers[4].output.count, 2 * 81 * 1024);        // 9 x 9 tokens of 16 bits
    QCOMPARE(profile.layers[42].output.count, 2 * 288 * 288 * 16);  // five times upsampled
    QCOMPARE(io::documents::training_precision(profile), Precision::mixed_16);
    const Seconds whole = profile.layers[4].forward, fourth = profile.layers[4].tensor_parallel[1].forward;
    QCOMPARE(profile.layers[4].tensor_parallel[1].degree, 4);
    QVERIFY(std::abs(fourth.count * 4 / whole.count - 1) < 1e-12);
  }

  void profiles_without_layers_grow_with_their_samples() {
    for (const std::string& name : presets::paper_profile_names()) {
      const Profile one = *presets::profile_preset(name), three = *presets::profile_preset(name, 3);
      QVERIFY(plan::validate(three));
      QCOMPARE(three.micro_batch, 3);
      for (std::size_t i = 0; i < one.layers.size(); ++i) {
        const Layer &a = one.layers[i], &b = three.layers[i];
        QCOMPARE(b.backward.count, 3 * a.backward.count);
        QCOMPARE(b.saved.count, 3 * a.saved.count);
        QCOMPARE(b.parameters.count, a.parameters.count);
        for (std::size_t k = 0; k < a.tensor_parallel.size(); ++k)
          QCOMPARE(b.tensor_parallel[k].forward_allreduce.count, 3 * a.tensor_parallel[k].forward_allreduce.count);
      }
      const auto model = presets::open_model("preset:" + name);
      QVERIFY(!model && model.error().code == ErrorCode::bad_usage);
      QVERIFY(QByteArray::fromStdString(model.error().message).contains("which is a profile"));
    }
  }

  /// Their config.json describes the layers that are trained: names and parameters are the same, and plans fit.
  void small_transformers_have_their_configuration() {
    for (const char* const name : {"llama-tiny", "mixtral-tiny", "deepseek-tiny"}) {
      const auto computed = presets::profile_preset(name, {}, "H100-SXM"), trained = presets::profile_preset(name);
      QVERIFY2(computed && trained && plan::validate(*computed), name);
      QCOMPARE(computed->name, std::string(name));
      QCOMPARE(computed->device, std::string("H100-SXM"));
      QVERIFY(*io::documents::origin_of(*computed) && !*io::documents::origin_of(*trained));
      QCOMPARE(computed->layers.size(), trained->layers.size() + 1);  // and the loss
      for (std::size_t i = 0; i < trained->layers.size(); ++i) {
        QCOMPARE(computed->layers[i].name, trained->layers[i].name);
        QCOMPARE(computed->layers[i].parameters.count * 2, trained->layers[i].parameters.count);  // 16 and 32 bits
      }
    }
  }

  /// The layers in the file are those that a run makes of its config.json.
  void small_transformers_train_as_their_configuration() {
    QTemporaryDir folder;
    for (const char* const name : {"llama-tiny", "mixtral-tiny", "deepseek-tiny"}) {
      const ModelSpec model = *presets::model_preset(name);
      const auto extra = io::json::parse(model.extra);
      QVERIFY2(extra && extra->find("config"), name);
      const std::string path = folder.path().toStdString() + "/config.json";
      QVERIFY(io::write_file(path, io::json::compact(*extra->find("config"))));
      const auto made = presets::open_model(path);
      QVERIFY2(made.has_value(), made ? "" : made.error().text().c_str());
      QCOMPARE(made->layers.size(), model.layers.size());
      for (std::size_t i = 0; i < model.layers.size(); ++i) {
        QCOMPARE(made->layers[i].kind, model.layers[i].kind);
        for (const SizeRule& rule : parse_layer_kind(model.layers[i].kind)->sizes) {
          const std::string size(rule.name);
          if (size == "head_width" || size == "key_value_heads") continue;  // 0 stands for what follows from the others
          QVERIFY2(made->layers[i].size(size) == model.layers[i].size(size), (name + (": " + size)).c_str());
        }
      }
    }
  }

  void a_configuration_is_small_enough_or_not() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/config.json";
    for (const int hidden : {64, 4096}) {
      QVERIFY(io::write_file(path, fmt::format(R"({{"model_type": "llama", "hidden_size": {}, "intermediate_size": {},
          "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 256, "max_position_embeddings": 128}})",
                                               hidden, 3 * hidden)));
      const auto model = presets::open_model(path);
      QVERIFY(model);
      QCOMPARE(model->trainable_here, hidden == 64);
    }
  }

  void text_lies_beside_its_model() {
    QTemporaryDir folder;
    ModelSpec model = *presets::model_preset("gpt-tiny");
    model.data = {"text", "book.txt", 1};
    const std::string path = folder.path().toStdString() + "/m.model.json";
    QVERIFY(io::write_file(path, io::documents::model_to_json(model)));
    QCOMPARE(presets::open_model(path)->data.path, folder.path().toStdString() + "/book.txt");
  }

 private:
  static void parameters_of_the_papers() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("millions");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("BERT-Large") << "BERT-Large" << 335.0 << 2.0;     // Devlin et al.: 340 M with the pooler
    QTest::newRow("XLNet-36") << "XLNet-36" << 500.0 << 15.0;        // DAPPLE, Table II
    QTest::newRow("VGG-16") << "VGG-16" << 138.36 << 0.01;           // Simonyan and Zisserman: 138 M
    QTest::newRow("AlexNet") << "AlexNet" << 61.1 << 0.01;           // Krizhevsky, one tower: 61.1 M
    QTest::newRow("GNMT-16") << "GNMT-16" << 291.0 << 1.0;           // DAPPLE, Table II
    QTest::newRow("AWD-LM") << "AWD-LM" << 0.41e3 / 4 << 3.0;        // PipeDream, section 5.2: 0.41 GB
    QTest::newRow("GPT-2") << "GPT-2 345M" << 355.0 + 53.5 << 3.0;   // head of its own
    QTest::newRow("T5-Large") << "T5-Large" << 737.0 + 32.9 << 5.0;  // Raffel et al.: 737 M with a shared head
  }
};

PIPEDECK_TEST(TestPresets)

}  // namespace pipedeck::tst_presets

#include "tst_presets.moc"
