// SPDX-License-Identifier: Apache-2.0
// Files of other planners and simulators, of Kubernetes and of ibstat: models by their number of parameters, machines
// by their figures, and broken files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include <QTest>

#include "core/analytic/transformer/layers.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/support/changed_text.hpp"
#include "tests/support/places.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_simulator_files {

using test::replaced;

std::string fixture(const std::string& name) { return *io::read_file(std::string(PIPEDECK_FIXTURES "/") + name); }

const std::string galvatron_model = fixture("simulators/mixtral-8x7b.galvatron.yaml");
const std::string calculon_model = fixture("simulators/gpt3-175b.calculon.json");
const std::string calculon_system = fixture("simulators/8-gpus.calculon.json");
const std::string simumax_model = fixture("simulators/mixtral-8x7b.simumax.json");
const std::string simumax_latent = fixture("simulators/deepseek-v3.simumax.json");
const std::string simumax_system = fixture("simulators/8-gpus.simumax.json");
const std::string galvatron = fixture("simulators/8-gpus.galvatron.json");
const std::string nodes = fixture("topology/6.nodes.json");
const std::string nodes_yaml = fixture("topology/1.nodes.yaml");
const std::string ibstat = fixture("topology/3-cards.ibstat.txt");

template <class T>
T read(const std::string& text, const std::string& path = "folder/sample.json") {
  auto document = io::read_document(path, text, {});
  ensure(document.has_value(), document ? "" : document.error().text());
  ensure(std::holds_alternative<T>(*document), "of this kind");
  return std::get<T>(*std::move(document));
}

presets::ImportedCluster made_of(FoundMachines found, const presets::MachineImport& how = {}) {
  auto made = presets::cluster_of(std::move(found), how);
  ensure(made.has_value(), made ? "" : made.error().text());
  return *std::move(made);
}

double billions(const TransformerConfig& config) {
  return static_cast<double>(analytic::transformer::parameters_of(config)) / 1e9;
}

class TestSimulatorFiles : public QObject {
  Q_OBJECT

 private slots:
  /// Megatron-LM (arXiv 2104.04473, equation 2): P = 12 l h^2 (1 + 13 / (12 h) + (V + s) / (12 l h)), and the last
  /// norm.
  void calculon_models_are_gpt() {
    const ParsedTransformer model = read<ParsedTransformer>(calculon_model);
    const double l = 96, h = 12288, words = 51200, s = 2048;
    const double expected = 12 * l * h * h * (1 + 13 / (12 * h) + (words + s) / (12 * l * h)) + 2 * h;
    QCOMPARE(billions(model.config) * 1e9, expected);
    QCOMPARE(model.config.name, std::string("sample"));
    QCOMPARE(model.share.understood, 6);
    QVERIFY(model.share.left_out.empty() && model.share.assumed.size() == 2);
  }

  /// Published counts: Mixtral 8x7B, and DeepSeek-V3 without its block of further tokens.
  void simumax_models_are_llama() {
    QCOMPARE(analytic::transformer::parameters_of(read<ParsedTransformer>(simumax_model).config),
             std::int64_t{46702792704});
    const ParsedTransformer galvatron = read<ParsedTransformer>(galvatron_model);
    QCOMPARE(analytic::transformer::parameters_of(galvatron.config), std::int64_t{46702792704});
    QCOMPARE(galvatron.config.longest, 2048);  // as Megatron-LM has it
    QVERIFY(galvatron.share.left_out.empty());
    const double latent = billions(read<ParsedTransformer>(simumax_latent).config);
    QVERIFY2(std::abs(latent / 671.026 - 1) < 1e-4, qPrintable(QString::number(latent)));
  }

  void calculon_systems_are_machines() {
    presets::MachineImport how;
    how.copies = 4;
    const presets::ImportedCluster made = made_of(read<FoundMachines>(calculon_system), how);
    QCOMPARE(made.cluster.nodes.size(), std::size_t{4});
    const DeviceType& type = made.cluster.device_types.front();
    QCOMPARE(type.memory, Bytes(std::int64_t{80} << 30));
    QCOMPARE(type.peak_tflops, (std::map<std::string, double>{{"fp16", 1000}, {"fp32", 60}, {"fp8", 2000}}));
    QCOMPARE(type.relative_speed, 1000.0 / 125);
    QCOMPARE(*type.memory_bandwidth, gigabytes_per_second(3072));
    QCOMPARE(made.cluster.nodes[0].link->bandwidth, gigabytes_per_second(450));
    QVERIFY(!made.cluster.nodes[0].link->measured);
    QCOMPARE(*made.cluster.nodes[0].nic, gigabytes_per_second(50));
    QVERIFY(std::ranges::find(made.shares[0].left_out, "networks/0/efficiency") != made.shares[0].left_out.end());
  }

  void simumax_systems_are_machines() {
    const presets::ImportedCluster made = made_of(read<FoundMachines>(simumax_system));
    const DeviceType& type = made.cluster.device_types.front();
    QCOMPARE(type.name, std::string("one_system"));
    QCOMPARE(type.peak_tflops.at("bf16"), 312.0);
    QCOMPARE(*type.memory_bandwidth, gigabytes_per_second(1600));
    QCOMPARE(made.cluster.nodes[0].link->bandwidth, gigabytes_per_second(300));
    QVERIFY(!made.shares[0].left_out.empty());
  }

  void galvatron_s_hardware_is_measured() {
    presets::MachineImport how;
    how.device = "A100-40GB";
    const presets::ImportedCluster made = made_of(read<FoundMachines>(galvatron), how);
    QCOMPARE(device_count(made.cluster.nodes[0]), 8);
    QVERIFY(made.cluster.nodes[0].link->measured);
    QCOMPARE(made.collectives.size(), std::size_t{1});
    QCOMPARE(made.collectives[0].points[1].bytes, 1024.0 * 1048576);
    QCOMPARE(made.collectives[0].points[1].time.count, 12e-3);
    QCOMPARE(made.shares[0].left_out, std::vector<std::string>{"pp_size_2"});
    const auto two = read<FoundMachines>(R"({"allreduce_size_16_consec_1": 20.5, "allreduce_size_8_consec_1": 150})",
                                         "allreduce_bandwidth_2nodes_8gpus_per_node.json");
    const presets::ImportedCluster both = made_of(two, how);
    QCOMPARE(both.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(both.cluster.links[0].link.bandwidth, gigabytes_per_second(20.5));
    QVERIFY(both.cluster.links[0].link.measured);
  }

  void kubernetes_nodes_with_gpus_are_machines() {
    const FoundMachines found = read<FoundMachines>(nodes);
    QCOMPARE(found.machines.size(), std::size_t{2});
    QCOMPARE(found.machines[1].gpus[0].name, std::string("NVIDIA-H100-80GB-HBM3"));
    QCOMPARE(found.shares[0].without_effect, 1);
    QCOMPARE(found.shares[0].left_out.size(), std::size_t{3});
    const presets::ImportedCluster made = made_of(found);
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    QVERIFY(made.cluster.device_types[0].name.starts_with("H100"));
    QCOMPARE(made.cluster.device_types[0].memory, Bytes(std::int64_t{81559} << 20));
    QCOMPARE(read<FoundMachines>(nodes_yaml, "nodes.yaml").machines.front(), found.machines.front());
    QCOMPARE((*io::importer_of(nodes_yaml))->name, std::string_view("kubernetes"));
  }

  /// The links of nodes come from one of them.
  void a_description_of_a_node_stands_for_kubernetes_nodes() {
    FoundMachines all = read<FoundMachines>(nodes);
    auto document = io::read_document(PIPEDECK_FIXTURES "/topology/8xh100.nvbandwidth.txt");
    QVERIFY(document && presets::add_found(all, std::get<FoundMachines>(*document)));
    const presets::ImportedCluster made = made_of(std::move(all));
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    QVERIFY(std::ranges::any_of(made.notes,
                                [](const std::string& note) { return note.find("of Kubernetes") != note.npos; }));
  }

  void ibstat_gives_the_rates_of_cards() {
    const FoundMachines cards = read<FoundMachines>(ibstat, "node-7.ibstat.txt");
    QCOMPARE(cards.machines[0].nics.size(), std::size_t{2});
    QCOMPARE(cards.machines[0].nics[0].bandwidth->count, 50e9);
    QCOMPARE(cards.machines[0].nics[1].bandwidth->count, 25e9);
    QCOMPARE(cards.shares[0].left_out.size(), std::size_t{2});  // a port that is down, and Ethernet
    FoundMachines all = cards;
    auto document = io::read_document(PIPEDECK_FIXTURES "/topology/4xt4.topo.txt");
    QVERIFY(document && presets::add_found(all, std::get<FoundMachines>(*document)));
    presets::MachineImport how;
    how.copies = 2;
    how.device = "T4";
    const presets::ImportedCluster made = made_of(std::move(all), how);
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(made.cluster.links[0].link.bandwidth.count, 75e9);
    const auto alone = presets::cluster_of(cards);
    QVERIFY(!alone && alone.error().message.find("network cards alone") != std::string::npos);
  }

  void broken_files_are_refused_with_their_place_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("place");
    const auto row = [](const char* name, const std::string& text, const char* place) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(place);
    };
    row("no width", replaced(calculon_model, "\"hidden\": 12288", "\"hidden\": 0"), "/hidden");
    row("no heads", replaced(calculon_model, "\"attn_size\"", "\"size\""), "/attn_size");
    row("a text", replaced(calculon_model, "49152", "\"many\""), "/feedforward");
    row("no memory", replaced(calculon_system, "\"GiB\": 80", "\"GiB\": -80"), "/mem1/GiB");
    row("no networks", replaced(calculon_system, "\"networks\": [", "\"networks\": 3, \"x\": ["), "/networks");
    row("no rate", replaced(calculon_system, "\"bandwidth\": 450", "\"bandwidth\": 0"), "/networks/0/bandwidth");
    row("heads", replaced(simumax_model, "\"kv_head_num\": 8", "\"kv_head_num\": 7"), "/kv_head_num");
    row("experts", replaced(simumax_model, "\"topk\": 2", "\"topk\": 9"), "/topk");
    row("latent", replaced(simumax_latent, "\"kv_lora_rank\": 512", "\"kv_lora\": 512"), "/kv_lora_rank");
    row("devices", replaced(simumax_system, "\"num_per_node\": 8", "\"num_per_node\": 1.5"), "/num_per_node");
    row("rate", replaced(simumax_system, "\"gbps\": 300", "\"gbps\": \"300\""),
        "/networks/high_intra_node/bandwidth/gbps");
    row("bandwidth", replaced(galvatron, "154.203", "-1"), "/allreduce_size_8_consec_1");
    row("a list of nodes",
        replaced(nodes, "\"kind\": \"List\", \"items\": [", "\"kind\": \"NodeList\", \"items\": 5, \"x\": ["),
        "/items");
    row("nameless", replaced(nodes, "\"name\": \"gpu-2\"", "\"nam\": \"gpu-2\""), "/items/1/metadata/name");
    row("count",
        replaced(nodes, "\"nvidia.com/gpu.count\": \"8\", \"nvidia.com/gpu.memory\"",
                 "\"nvidia.com/gpu.count\": \"9999\", \"nvidia.com/gpu.memory\""),
        "/items/0/metadata/labels/nvidia.com~1gpu.count");
    row("capacity",
        replaced(nodes, "\"status\": {\"capacity\": {\"nvidia.com/gpu\": \"8\"}}",
                 "\"status\": {\"capacity\": {\"nvidia.com/gpu\": \"many\"}}"),
        "/items/1/status/capacity/nvidia.com~1gpu");
    row("card rate", replaced(ibstat, "Rate: 400", "Rate: fast"), "line 9");
    row("a port alone",
        replaced(ibstat,
                 "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.39.2048\n\tNode GUID: "
                 "0xa088c203002cf0e0\n\tPort 1:",
                 "Port 1:\nCA 'mlx5_0'\n\tCA type: M"),
        "line 1");
  }
  void broken_files_are_refused_with_their_place() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, place);
    const auto document = io::read_document("sample.json", text.toStdString(), {});
    QVERIFY(!document);
    QCOMPARE(document.error().code, ErrorCode::bad_input);
    QCOMPARE(QByteArray::fromStdString(document.error().place), place);
  }

  /// No change of bytes does more than fail.
  void any_change_gives_a_value_or_an_error() {
    std::mt19937 random(11);
    for (const std::string& good : {calculon_model, calculon_system, simumax_model, simumax_latent, simumax_system,
                                    galvatron, nodes, nodes_yaml, ibstat})
      for (int i = 0; i < 400; ++i) {
        std::string text = good;
        for (int k = 0; k < 2; ++k) text[random() % text.size()] = static_cast<char>(32 + random() % 95);
        auto document = io::read_document("sample.json", text, {});
        if (!document) {
          QVERIFY(!document.error().message.empty());
          continue;
        }
        if (auto* found = std::get_if<FoundMachines>(&*document))
          if (const auto made = presets::cluster_of(std::move(*found)); !made) QVERIFY(!made.error().message.empty());
      }
  }

  /// The authors' own files, where this checkout has them.
  void published_files_are_read() {
    const std::filesystem::path folder = std::filesystem::path(test::shared_data()) / "foreign";
    if (test::shared_data().empty() || !std::filesystem::exists(folder / "calculon")) QSKIP("no foreign files here");
    const auto billions_of = [&](const std::string& file) {
      const auto document = io::read_document((folder / file).string());
      ensure(document.has_value(), file);
      return billions(std::get<ParsedTransformer>(*document).config);
    };
    // Published sizes, the words' table of Megatron-LM among them.
    QVERIFY(std::abs(billions_of("calculon/calculon--models__gpt3-175B.json") / 174.6 - 1) < 0.01);
    QVERIFY(std::abs(billions_of("calculon/calculon--models__megatron-1T.json") / 1008 - 1) < 0.01);
    QVERIFY(std::abs(billions_of("other/SimuMax--configs__models__mixtral-8x7b.json") / 46.7028 - 1) < 1e-4);
    QVERIFY(std::abs(billions_of("other/SimuMax--configs__models__kimi-1T.json") / 1026.408209408 - 1) < 1e-12);
    const auto system = io::read_document((folder / "calculon/calculon--systems__h100_80g_nvl8.json").string());
    QVERIFY(system);
    QCOMPARE(std::get<FoundMachines>(*system).machines[0].gpus.size(), std::size_t{8});
  }
};

PIPEDECK_TEST(TestSimulatorFiles)

}  // namespace pipedeck::tst_simulator_files

#include "tst_simulator_files.moc"
