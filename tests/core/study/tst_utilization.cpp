// SPDX-License-Identifier: Apache-2.0
// Operations of a token against what others printed for their trainings, in two conventions; rates against their
// definitions.
#include <QtTest/QTest>

#include <fstream>
#include <map>
#include <sstream>

#include "core/io/documents/transformer.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/utilization.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_utilization {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<Row> published_runs() {
  std::ifstream file(test::shared_data() + "/published-runs/train.csv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

int whole(const Row& row, const char* name, int otherwise = 0) {
  const std::string& text = row.at(name);
  return text.empty() ? otherwise : std::stoi(text);
}

/// Nothing for mixtures of experts, other attention, and shapes that are not printed.
std::optional<TransformerConfig> config_of(const Row& row) {
  if (!row.at("experts").empty() || !row.at("attention").empty()) return std::nullopt;
  for (const char* needed : {"layers", "hidden", "heads", "ffn", "vocab", "sequence"})
    if (row.at(needed).empty()) return std::nullopt;
  TransformerConfig config;
  config.name = row.at("model");
  config.hidden = whole(row, "hidden");
  config.layers = whole(row, "layers");
  config.heads = whole(row, "heads");
  config.key_value_heads = whole(row, "kv_heads", config.heads);
  config.head_width = whole(row, "head_dim", config.hidden / config.heads);
  config.feed_forward = whole(row, "ffn");
  config.gated = row.at("gated") == "1";
  config.vocabulary = whole(row, "vocab");
  config.longest = whole(row, "sequence");
  return config;
}

SampleWork work_of(const TransformerConfig& config, int sequence) {
  AnalyticOptions options;
  options.sequence = sequence;
  options.degrees.clear();
  const DeviceModel device = presets::catalogue_device("H100-SXM").value();
  return study::work_of(presets::computed_profile(ParsedTransformer{config, {}}, device, options)->profile).value();
}

struct Simulated {
  Problem problem;
  Plan plan;
  Simulation simulation;
};

/// Data parallel over the devices of one node.
Simulated llama_on(const std::string& type, int devices, bool recompute = false) {
  Simulated made;
  const DeviceModel model = presets::catalogue_device(type).value();
  Cluster cluster;
  cluster.device_types = {model.type};
  Node& node = cluster.nodes.emplace_back();
  node.name = "n0";
  node.devices = {{model.type.name, devices}};
  node.link = Link{gigabytes_per_second(400), microseconds(5)};
  made.problem.cluster = std::make_shared<const Cluster>(cluster);
  made.problem.profile = std::make_shared<const Profile>(presets::profile_preset("llama-3-8b", {}, type).value());
  Stage stage;
  stage.last = static_cast<int>(made.problem.profile->layers.size());
  for (int d = 0; d < devices; ++d) stage.devices.emplace_back(d);
  stage.recompute.all = recompute;
  made.plan.stages = {stage};
  made.plan.micro_batch = devices;
  made.plan.micro_batches = 4;
  made.plan.global_batch = 4 * devices;
  made.simulation = sim::Simulator::of(made.problem.profile, made.problem.cluster, {})->run(made.plan).value();
  return made;
}

Utilization rates_of(const Simulated& of) {
  return study::utilization_of(study::work_of(*of.problem.profile).value(), of.problem, of.plan,
                               of.simulation.samples_per_second, presets::device_catalogue());
}

class TestUtilization : public QObject {
  Q_OBJECT
 private slots:
  /// Megatron-Bridge halves attention for the causal mask; Megatron-LM's tables and NeMo's of 2024 count all pairs.
  /// Each prints operations and tokens per second.
  void operationsOfATokenAreThePublishedOnes() {
    if (test::shared_data().empty()) QSKIP("no shared data");
    const std::map<std::string, bool> halves{{"megatron-bridge", true},   {"nemo-automodel", true},
                                             {"megatron-lm-h100", false}, {"megatron-lm-llama", false},
                                             {"nemo-24.07", false},       {"nemo-long-sequence", false}};
    std::map<std::string, int> checked;
    for (const Row& row : published_runs()) {
      const auto convention = halves.find(row.at("source"));
      if (convention == halves.end() || row.at("task") != "pretrain" || row.at("tflops_kind") != "model") continue;
      if (row.at("tflops_per_gpu").empty() || row.at("tokens_per_s_per_gpu").empty()) continue;
      const auto config = config_of(row);
      if (!config) continue;
      const double printed = std::stod(row.at("tflops_per_gpu")) * 1e12 / std::stod(row.at("tokens_per_s_per_gpu"));
      const SampleWork work = work_of(*config, whole(row, "sequence"));
      const double counted = (work.products + (convention->second ? work.attention : work.all_pairs)) / work.tokens;
      QVERIFY2(
          std::abs(counted / printed - 1) < 0.002,
          qPrintable(
              QStringLiteral("%1: %2 of %3").arg(QString::fromStdString(row.at("row"))).arg(counted).arg(printed)));
      ++checked[convention->first];
    }
    QCOMPARE(checked.size(), halves.size());
    QVERIFY(checked["megatron-bridge"] >= 40);
  }

  /// 6 operations a weight and token, as in PaLM's appendix B, without the embedding's rows.
  void sixOperationsAWeight() {
    const auto parsed = presets::transformer_preset("llama-3-8b").value();
    const SampleWork work = work_of(parsed.config, 4096);
    const double weights = 32 * (4096. * (4096 + 2 * 1024) + 4096. * 4096 + 3. * 4096 * 14336) + 128256. * 4096;
    QCOMPARE(work.products, 6 * weights * 4096);
    QCOMPARE(work.all_pairs, 12. * 32 * 4096 * 4096 * 4096);
    QVERIFY(std::abs(work.attention / work.all_pairs - 0.5) < 0.001);
    QCOMPARE(work.tokens, 4096.);
  }

  void ratesAreTheirDefinitions() {
    const Simulated made = llama_on("H100-SXM", 8);
    const Utilization rates = rates_of(made);
    const SampleWork work = study::work_of(*made.problem.profile).value();
    const double seconds = to_seconds(made.simulation.iteration).count;
    QCOMPARE(rates.devices, 8);
    QCOMPARE(rates.precision, std::string("bf16"));
    QVERIFY(std::abs(rates.tokens_per_second * seconds / (32 * work.tokens) - 1) < 1e-9);
    QCOMPARE(rates.tokens_per_second_per_device * 8, rates.tokens_per_second);
    QVERIFY(std::abs(rates.mfu * 989.4e12 * 8 * seconds / (32 * (work.products + work.attention)) - 1) < 1e-9);
    QVERIFY(rates.mfu > 0.3 && rates.mfu < 0.77);  // no product reaches more than 77 % of the peak
    QVERIFY(rates.mfu < rates.mfu_all_pairs);
    QCOMPARE(rates.hfu, rates.mfu);
    QVERIFY(!rates.above_peak());
  }

  void recomputationCountsInHfuAlone() {
    const Utilization with = rates_of(llama_on("H100-SXM", 2, true));
    QVERIFY(std::abs(with.hfu / with.mfu - 4. / 3) < 0.01);  // one more forward of three
  }

  /// The backward of frozen weights has no products for their gradients: 4 operations of 6.
  void frozenWeightsHaveTwoPasses() {
    Simulated made = llama_on("H100-SXM", 2);
    const Utilization all = rates_of(made);
    made.plan.choices.emplace().training.adapters.rank = 8;
    const SampleWork work = study::work_of(*made.problem.profile).value();
    const double share = (work.products * 4 / 6 + work.attention) / (work.products + work.attention);
    QVERIFY(std::abs(rates_of(made).mfu / all.mfu - share) < 1e-9);
  }

  void moreThanThePeakIsAnAlarm() {
    Simulated made = llama_on("H100-SXM", 2);
    made.simulation.samples_per_second *= 3;
    const Utilization rates = rates_of(made);
    QVERIFY(rates.above_peak());
    QVERIFY(above_peak_reason(rates).find("of a dense bf16 peak of 989") != std::string::npos);
  }

  void unknownPeaksAndUnknownTokens() {
    Simulated made = llama_on("H100-SXM", 2);
    Cluster cluster = *made.problem.cluster;
    cluster.device_types.front().name = cluster.nodes.front().devices.front().type = "X800";
    made.problem.cluster = std::make_shared<const Cluster>(cluster);
    QVERIFY(rates_of(made).mfu > 0);  // its own peak_tflops
    cluster.device_types.front().peak_tflops.clear();
    made.problem.cluster = std::make_shared<const Cluster>(cluster);
    QCOMPARE(rates_of(made).unknown_peak, std::string("X800"));
    QCOMPARE(rates_of(made).mfu, 0.);
    QVERIFY(!study::work_of(presets::profile_preset("BERT-48").value()));
  }
};

PIPEDECK_TEST(TestUtilization)

}  // namespace pipedeck::tst_utilization

#include "tst_utilization.moc"
