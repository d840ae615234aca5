// SPDX-License-Identifier: Apache-2.0
// Every device of the catalogue is whole and sane, is found by whatever name people and drivers use, and compares with
// the others by its data sheet.
#include <cmath>
#include <set>

#include <QTest>

#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_device_catalogue {

constexpr std::int64_t gib = std::int64_t{1} << 30;

bool sane(double value) { return std::isfinite(value) && value > 0; }

bool holds(double value, double expected) { return std::abs(value - expected) <= 1e-3 * expected; }

const DeviceModel& device(const char* name) {
  const DeviceModel* found = find_device_model(presets::device_catalogue(), name);
  ensure(found, name);
  return *found;
}

std::string entry(const char* changed = "", const char* to = "") {
  std::string text = R"({"format": "pipedeck.device", "version": 1, "name": "X1", "title": "X 1", "vendor": "X",
    "aliases": ["X-One"], "memory_bytes": 8589934592, "memory_gb_per_s": 1.5, "peak_tflops": {"fp32": 2, "fp16": 8},
    "compute_units": 7, "matrix_units": true, "device_link": {"kind": "XLink", "lanes": 2, "lane_gb_per_s": 10},
    "pcie": {"generation": 4, "lanes": 8},
    "price": {"per_hour": 0.5, "currency": "USD", "date": "2025-06", "source": "made up"}, "source": "a test"})";
  if (*changed) text.replace(text.find(changed), std::string(changed).size(), to);
  return text;
}

class TestDeviceCatalogue : public QObject {
  Q_OBJECT

 private slots:
  /// About 3 GiB and 3 % of an 80 GB card; types without an entry, or of other names, have none.
  void memory_defaults_have_sources() {
    int known = 0;
    for (const DeviceModel& model : presets::device_catalogue()) {
      if (!model.memory_defaults) continue;
      ++known;
      QVERIFY(!model.memory_defaults->source.empty());
      const Bytes all = model.memory_defaults->reserve + model.memory_defaults->communication * 4;
      QVERIFY2(all.count > 0 && all.count < model.type.memory.count / 8, model.type.name.c_str());
      QVERIFY(model.memory_defaults->fragmentation > 0 && model.memory_defaults->fragmentation < 0.1);
    }
    QCOMPARE(known, 25);
    const auto of = [](const std::vector<std::string>& types) {
      Cluster cluster;
      for (const std::string& name : types) cluster.device_types.push_back({name, Bytes(gib), 1.0, {}, {}, {}, {}});
      return presets::memory_defaults(cluster);
    };
    const MemoryDefaults h100 = of({"H100-SXM"});
    QVERIFY(holds(static_cast<double>((h100.reserve + h100.communication * 4).count), 3.027 * gib));
    QCOMPARE(h100.fragmentation, 0.03);
    QVERIFY(of({"V100-16GB", "my own"}) == MemoryDefaults());
    QVERIFY(of({"V100-16GB", "RTX-4090", "H100-SXM"}).reserve == h100.reserve);
  }

  void every_entry_is_whole_and_sane() {
    QCOMPARE(presets::device_catalogue().size(), std::size_t{32});
    for (const DeviceModel& model : presets::device_catalogue()) {
      const char* name = model.type.name.c_str();
      QVERIFY2(model.type.memory.count > gib && model.type.memory.count < 1024 * gib, name);
      QVERIFY2(sane(model.type.memory_bandwidth.value().count), name);
      QVERIFY2(sane(model.type.relative_speed), name);
      QCOMPARE(model.type.price_per_hour.has_value(), model.price.has_value());
      for (const auto& [precision, peak] : model.type.peak_tflops) QVERIFY2(sane(peak), precision.c_str());
      QVERIFY2(sane(device_bandwidth(model).count), name);
      if (model.link) QVERIFY2(device_bandwidth(model) > pcie_bandwidth({3, 16}), name);
      QVERIFY2(!model.source.empty() && !model.vendor.empty(), name);
      if (const auto& price = model.price) {
        QVERIFY2(sane(price->per_hour) && model.type.price_per_hour == price->per_hour, name);
        QVERIFY2(price->source.starts_with("approximate on-demand list price"), name);
        QVERIFY2(price->date.size() == 7 && price->currency == "USD", name);
      }
      const Cluster one{
          .name = "one",
          .device_types = {model.type},
          .nodes = {{.name = "n", .devices = {{model.type.name, 1}}, .link = {}, .bus = false, .extra = {}}},
          .switches = {},
          .links = {},
          .bandwidth_matrix = {},
          .assumptions = {},
          .extra = {}};
      QVERIFY2(plan::validate(one), name);
    }
  }

  void prices_are_of_a_month_or_a_span() {
    std::vector<DeviceModel> models(3);
    QCOMPARE(price_dates({}), std::string());
    QCOMPARE(price_currency(models), std::string());
    for (DeviceModel& model : models) model.price = ListPrice{1, "USD", "2026-03", ""};
    models.insert(models.begin(), DeviceModel());  // without a price
    QCOMPARE(price_currency(models), std::string("USD"));
    QCOMPARE(price_dates(models), std::string("2026-03"));
    models[1].price->date = "2025-06";
    QCOMPARE(price_dates(models), std::string("2025-06/2026-03"));
  }

  void lower_precision_is_never_slower() {
    for (const DeviceModel& model : presets::device_catalogue()) {
      double before = 0;
      for (const char* precision : {"fp32", "tf32", "fp16", "fp8", "fp4"})
        if (const auto peak = model.type.peak_tflops.find(precision); peak != model.type.peak_tflops.end()) {
          QVERIFY2(peak->second >= before, model.type.name.c_str());
          before = peak->second;
        }
    }
  }

  void names_and_aliases_are_unique() {
    std::set<std::string> seen;
    for (const DeviceModel& model : presets::device_catalogue()) {
      QVERIFY2(seen.insert(device_name_key(model.type.name)).second, model.type.name.c_str());
      for (const std::string& alias : model.aliases) {
        QCOMPARE(device_name_key(alias), alias);
        QVERIFY2(seen.insert(alias).second, alias.c_str());
      }
    }
  }

  void drivers_names_are_known_data() {
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* found, const char* expected) { QTest::newRow(found) << QString(expected); };
    row("Tesla V100-SXM2-16GB", "V100-16GB");
    row("Tesla V100-SXM2-32GB", "V100-32GB");
    row("Tesla P100-PCIE-16GB", "P100-16GB");
    row("Tesla T4", "T4");
    row("NVIDIA A100-SXM4-40GB", "A100-40GB");
    row("NVIDIA A100 80GB PCIe", "A100-80GB");
    row("NVIDIA H100 80GB HBM3", "H100-SXM");
    row("NVIDIA H100 PCIe", "H100-PCIe");
    row("NVIDIA H200", "H200");
    row("NVIDIA B200", "B200");
    row("NVIDIA L4", "L4");
    row("NVIDIA L40S", "L40S");
    row("NVIDIA GeForce RTX 3090", "RTX-3090");
    row("GeForce RTX 4090", "RTX-4090");
    row("AMD Instinct MI300X", "MI300X");
    row("h100", "H100-SXM");
    row("a100 80gb", "A100-80GB");
    row("NVIDIA L40", "L40");
    row("NVIDIA A40", "A40");
    row("NVIDIA RTX A6000", "RTX-A6000");
    row("NVIDIA H100 NVL", "H100-NVL");
    row("nvidia_h100_nvl", "H100-NVL");
    row("NVIDIA GeForce RTX 5090", "RTX-5090");
    row("NVIDIA RTX 6000 Ada Generation", "");
    row("NVIDIA GeForce RTX 5090 D", "");
    row("NVIDIA GeForce RTX 4090 D", "");
    row("NVIDIA", "");
  }
  void drivers_names_are_known() {
    QFETCH(QString, expected);
    const DeviceModel* found = find_device_model(presets::device_catalogue(), QTest::currentDataTag());
    QCOMPARE(found ? QString::fromStdString(found->type.name) : QString(), expected);
  }

  void speeds_are_ratios_of_peaks() {
    QCOMPARE(device("V100-16GB").type.relative_speed, 1.0);
    QVERIFY(holds(device("T4").type.relative_speed, 65 / 125.0));
    QVERIFY(holds(device("P100").type.relative_speed, 9.3 / 15.7));  // no matrix units: by fp32
    QVERIFY(holds(device("A100-80GB").type.relative_speed, 312 / 125.0));
    QVERIFY(holds(*relative_speed(device("H100"), device("A100"), "fp32"), 67 / 19.5));
    QVERIFY(holds(*relative_speed(device("H100"), device("L4"), "fp8"), 1978.9 / 242.5));
    QVERIFY(!relative_speed(device("H100"), device("A100"), "fp8"));
    QVERIFY(!relative_speed(device("H100"), device("A100"), "int4"));
    for (const DeviceModel& one : presets::device_catalogue())
      for (const DeviceModel& other : presets::device_catalogue())
        QVERIFY(holds(*relative_speed(one, other) * *relative_speed(other, one), 1));
  }

  /// A device means the same in the presets of clusters and in the catalogue.
  void presets_agree() {
    for (const std::string& name : presets::cluster_preset_names()) {
      const Cluster cluster = *presets::cluster_preset(name);
      for (const DeviceType& type : cluster.device_types)
        if (const DeviceModel* model = find_device_model(presets::device_catalogue(), type.name)) {
          QCOMPARE(type.name, model->type.name);
          QCOMPARE(type.memory, model->type.memory);
          QCOMPARE(type.peak_tflops.at("fp32"), model->type.peak_tflops.at("fp32"));
        }
    }
  }

  void bandwidths_are_those_of_the_standards() {
    QVERIFY(holds(pcie_bandwidth({3, 16}).count, 15.754e9));
    QVERIFY(holds(pcie_bandwidth({4, 8}).count, 15.754e9));
    QVERIFY(holds(pcie_bandwidth({5, 16}).count, 63.015e9));
    QVERIFY(holds(pcie_bandwidth({1, 1}).count, 0.25e9));
    QCOMPARE(device_bandwidth(device("A100-40GB")).count, 300e9);
    QCOMPARE(device_bandwidth(device("B200")).count, 900e9);
    QCOMPARE(device_bandwidth(device("MI300X")).count, 448e9);
    QVERIFY(holds(device_bandwidth(device("T4")).count, 15.754e9));
  }

  void entries_are_read() {
    const Result<DeviceModel> model = presets::device_model_from_json(entry());
    QVERIFY(model);
    QCOMPARE(model->aliases, std::vector<std::string>{"x-one"});
    QCOMPARE(model->link->bandwidth().count, 20e9);
    QCOMPARE(model->pcie, (PciExpress{4, 8}));
    QCOMPARE(presets::device_summary(*model),
             std::string("X 1; 8 GiB at 1.5 GB/s; fp32 2, fp16 8 TFLOP/s; XLink, 20 GB/s each way; "
                         "about 0.50 USD per hour (2025-06)"));
  }

  void broken_entries_name_their_place_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("place");
    const auto row = [](const char* name, const char* from, const char* to, const char* place) {
      QTest::newRow(name) << from << to << place;
    };
    row("no memory", R"("memory_bytes": 8589934592)", R"("memory_bytes": -1)", "/memory_bytes");
    row("no bandwidth", R"("memory_gb_per_s": 1.5)", R"("memory_gb_per_s": "fast")", "/memory_gb_per_s");
    row("a peak of nothing", R"("fp16": 8)", R"("fp16": 0)", "/peak_tflops/fp16");
    row("no fp32", R"("fp32": 2)", R"("fp31": 2)", "/peak_tflops");
    row("PCIe to come", R"("generation": 4)", R"("generation": 9)", "/pcie/generation");
    row("no lanes", R"("lanes": 2)", R"("lanes": 0)", "/device_link/lanes");
    row("a price below 0", R"("per_hour": 0.5)", R"("per_hour": -0.5)", "/price/per_hour");
    row("another format", R"(pipedeck.device)", R"(pipedeck.plan)", "/format");
  }
  void broken_entries_name_their_place() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, place);
    const auto model = presets::device_model_from_json(entry(qPrintable(from), qPrintable(to)));
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(model.error().place), place);
    QCOMPARE(model.error().code, ErrorCode::bad_input);
  }

  void unknown_names_list_the_known() {
    QCOMPARE(presets::catalogue_device("h100-sxm")->type.name, std::string("H100-SXM"));
    const auto unknown = presets::catalogue_device("abacus");
    QCOMPARE(unknown.error().code, ErrorCode::bad_usage);
    QVERIFY(unknown.error().message.find("V100-16GB, V100-32GB") != std::string::npos);
  }
};

PIPEDECK_TEST(TestDeviceCatalogue)

}  // namespace pipedeck::tst_device_catalogue

#include "tst_device_catalogue.moc"
