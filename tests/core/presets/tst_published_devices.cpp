// SPDX-License-Identifier: Apache-2.0
// Devices that published training runs name: each is found, and its figures are those of its data sheet.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <QTest>

#include "core/io/csv/reader.hpp"
#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_published_devices {

constexpr double mib = 1 << 20;

/// Returns a published run's fields by column.
std::map<std::string, std::string> fields_of(const io::csv::CsvRow& names, const io::csv::CsvRow& row) {
  std::map<std::string, std::string> fields;
  for (std::size_t i = 0; i < std::min(names.fields.size(), row.fields.size()); ++i)
    fields[names.fields[i]] = row.fields[i];
  return fields;
}

class TestPublishedDevices : public QObject {
  Q_OBJECT
 private slots:
  /// The table's memory is the sold one, in GB.
  void every_published_device_is_known() {
    if (test::shared_data().empty()) QSKIP("the published runs are not here");
    const auto text = io::read_file(test::shared_data() + "/published-runs/train.csv");
    if (!text) QSKIP("the published runs are not here");
    const auto rows = io::csv::csv_rows(*text);
    QVERIFY2(rows, rows ? "" : rows.error().message.c_str());
    std::set<std::string> seen;
    for (std::size_t i = 1; i < rows->size(); ++i) {
      const auto run = fields_of(rows->front(), (*rows)[i]);
      const auto device = presets::catalogue_device(run.at("gpu"));
      QVERIFY2(device, run.at("gpu").c_str());
      const double sold = std::stod(run.at("gpu_mem_gb"));
      const double gb = static_cast<double>(device->type.memory.count) / 1e9;
      QVERIFY2(gb > 0.98 * sold && gb < 1.08 * sold, (run.at("gpu") + " " + std::to_string(gb)).c_str());
      const std::string& precision = run.at("precision");
      if (precision.find("fp8") != precision.npos)
        QVERIFY2(device->type.peak_tflops.contains("fp8"), run.at("gpu").c_str());
      if (precision == "nvfp4") QVERIFY2(device->type.peak_tflops.contains("fp4"), run.at("gpu").c_str());
      seen.insert(device->type.name);
    }
    QVERIFY(seen.size() >= 10);
  }

  void drivers_names_are_known_data() {
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* found, const char* expected) { QTest::newRow(found) << QString(expected); };
    row("NVIDIA B300 SXM6 AC", "B300");
    row("NVIDIA GB200", "GB200");
    row("NVIDIA GB300", "GB300");
    row("GB200 NVL72", "GB200");
    row("HGX GB200", "GB200");
    row("NVIDIA H800", "H800");
    row("NVIDIA H20", "H20");
    row("NVIDIA GH200 480GB", "GH200-96GB");
    row("NVIDIA GH200 120GB", "GH200-96GB");
    row("NVIDIA GH200 144G HBM3e", "GH200-144GB");
    row("NVIDIA A800-SXM4-80GB", "A800-80GB");
    row("NVIDIA A800 80GB PCIe", "A800-80GB");
    row("NVIDIA A800-SXM4-40GB", "A800-40GB");
    row("AMD Instinct MI325X", "MI325X");
    row("AMD Instinct MI355X", "MI355X");
    row("H100-96GB-HBM2e", "H100-96GB");
    row("NVIDIA H800 PCIe", "");
  }
  void drivers_names_are_known() {
    QFETCH(QString, expected);
    const DeviceModel* found = find_device_model(presets::device_catalogue(), QTest::currentDataTag());
    QCOMPARE(found ? QString::fromStdString(found->type.name) : QString(), expected);
  }

  /// Dense bf16, fp8 and fp4 in TFLOP/s, memory in MiB and at GB/s, and the links' GB/s each way.
  void figures_are_those_of_data_sheets_data() {
    QTest::addColumn<double>("bf16");
    QTest::addColumn<double>("fp8");
    QTest::addColumn<double>("fp4");
    QTest::addColumn<double>("mebibytes");
    QTest::addColumn<double>("memory_rate");
    QTest::addColumn<double>("link_rate");
    QTest::newRow("H100-SXM") << 989.4 << 1978.9 << 0.0 << 81920.0 << 3350.0 << 450.0;
    QTest::newRow("H200") << 989.4 << 1978.9 << 0.0 << 143771.0 << 4800.0 << 450.0;
    QTest::newRow("H800") << 989.4 << 1978.9 << 0.0 << 81920.0 << 3350.0 << 200.0;
    QTest::newRow("H20") << 148.0 << 296.0 << 0.0 << 97871.0 << 4000.0 << 450.0;
    QTest::newRow("GH200") << 989.4 << 1978.9 << 0.0 << 97871.0 << 4000.0 << 450.0;
    QTest::newRow("B200") << 2250.0 << 4500.0 << 9000.0 << 183359.0 << 8000.0 << 900.0;
    QTest::newRow("B300") << 2250.0 << 4500.0 << 13500.0 << 275040.0 << 8000.0 << 900.0;
    QTest::newRow("GB200") << 2500.0 << 5000.0 << 10000.0 << 189471.0 << 8000.0 << 900.0;
    QTest::newRow("GB300") << 2500.0 << 5000.0 << 15000.0 << 284208.0 << 8000.0 << 900.0;
    QTest::newRow("A800") << 312.0 << 0.0 << 0.0 << 81920.0 << 2039.0 << 200.0;
    QTest::newRow("MI300X") << 1307.4 << 2614.9 << 0.0 << 196608.0 << 5300.0 << 448.0;
    QTest::newRow("MI325X") << 1307.4 << 2614.9 << 0.0 << 262144.0 << 6000.0 << 448.0;
    QTest::newRow("MI355X") << 2516.6 << 5033.2 << 10066.3 << 309220868096.0 / mib << 8000.0 << 537.6;
  }
  void figures_are_those_of_data_sheets() {
    QFETCH(double, bf16);
    QFETCH(double, fp8);
    QFETCH(double, fp4);
    QFETCH(double, mebibytes);
    QFETCH(double, memory_rate);
    QFETCH(double, link_rate);
    const DeviceModel device = *presets::catalogue_device(QTest::currentDataTag());
    const auto peak = [&](const char* precision) {
      const auto found = device.type.peak_tflops.find(precision);
      return found == device.type.peak_tflops.end() ? 0.0 : found->second;
    };
    QCOMPARE(peak("bf16"), bf16);
    QCOMPARE(peak("fp16"), bf16);
    QCOMPARE(peak("fp8"), fp8);
    QCOMPARE(peak("fp4"), fp4);
    QCOMPARE(static_cast<double>(device.type.memory.count) / mib, mebibytes);
    QCOMPARE(in_gigabytes_per_second(*device.type.memory_bandwidth), memory_rate);
    QVERIFY(std::abs(in_gigabytes_per_second(device_bandwidth(device)) - link_rate) < 1e-9);
  }

  /// A type without a list price has none, rather than 0.
  void unknown_prices_are_unknown() {
    const DeviceModel device = *presets::catalogue_device("GB300");
    QVERIFY(!device.price && !device.type.price_per_hour);
    QVERIFY(presets::device_summary(device).ends_with("; no known list price"));
    QVERIFY(presets::device_summary(device).find("fp8 5000, fp4 15000 TFLOP/s") != std::string::npos);
  }

  void pci_ids_are_unique() {
    std::set<std::string> seen;
    for (const DeviceModel& model : presets::device_catalogue())
      for (const std::string& id : model.pci_ids) QVERIFY2(seen.insert(id).second, id.c_str());
  }
};

PIPEDECK_TEST(TestPublishedDevices)

}  // namespace pipedeck::tst_published_devices

#include "tst_published_devices.moc"
