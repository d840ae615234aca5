// SPDX-License-Identifier: Apache-2.0
// The efficiencies that come with the program: every data-centre device has them, for all its peaks, in plausible
// sizes.
#include <QTest>

#include <set>

#include "core/io/documents/efficiency.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_efficiency_preset {

const DeviceEfficiency& row(const char* device) {
  const DeviceEfficiency* const found = find_efficiency(presets::efficiency(), device);
  ensure(found, device);
  return *found;
}

/// Returns the precisions that a device can compute in for training, by the peaks of its data sheet.
std::set<std::string> precisions_of(const DeviceType& type) {
  std::set<std::string> found;
  for (const char* precision : {"bf16", "fp16", "fp8"})
    if (type.peak_tflops.contains(precision)) found.insert(precision);
  if (type.peak_tflops.contains("fp4")) found.insert({"mxfp8"});
  return found;
}

class TestEfficiencyPreset : public QObject {
  Q_OBJECT

 private slots:
  /// The devices and precisions of published runs.
  void published_devices_have_rows() {
    const std::vector<std::pair<const char*, std::vector<const char*>>> published{
        {"V100-32GB", {"fp16"}},
        {"A100-80GB", {"bf16", "fp16"}},
        {"A800-80GB", {"bf16"}},
        {"H100-SXM", {"bf16", "fp8-current", "fp8-delayed", "fp8-hybrid", "fp8-blockwise"}},
        {"H100-96GB", {"bf16", "fp8-rowwise", "fp8-tensorwise"}},
        {"H200", {"bf16"}},
        {"B200", {"bf16", "fp8-current", "fp8-delayed", "mxfp8", "nvfp4"}},
        {"B300", {"bf16", "mxfp8"}},
        {"GB200", {"bf16", "fp8-current", "mxfp8", "nvfp4"}},
        {"GB300", {"bf16", "fp8-current", "mxfp8", "nvfp4"}}};
    for (const auto& [device, precisions] : published) {
      QVERIFY(find_device_model(presets::device_catalogue(), device));
      QCOMPARE(row(device).device, std::string(device));
      for (const char* precision : precisions) QVERIFY2(row(device).products.contains(precision), device);
    }
  }

  void every_catalogued_device_has_its_peaks() {
    for (const DeviceModel& model : presets::device_catalogue())
      for (const std::string& precision : precisions_of(model.type))
        QVERIFY2(find_precision(row(model.type.name.c_str()), precision, {}), model.type.name.c_str());
    std::set<std::string> rows;
    for (const DeviceEfficiency& one : presets::efficiency().devices) {
      rows.insert(one.device);
      QVERIFY(one.device == default_efficiency || find_device_model(presets::device_catalogue(), one.device));
      QVERIFY2(!one.source.empty(), one.device.c_str());
    }
    QVERIFY(rows.contains(std::string(default_efficiency)));
  }

  /// Narrow products and grouped ones reach no more of their peak than plain ones in 16 bits, and fp8 with its casts is
  /// quicker than bf16 for large products.
  void values_are_plausible() {
    for (const DeviceEfficiency& device : presets::efficiency().devices) {
      const char* name = device.device.c_str();
      const PrecisionEfficiency& wide = *find_precision(device, device.products.contains("bf16") ? "bf16" : "fp16", {});
      QVERIFY2(wide.plain.of(8192, 8192, 8192) >= 0.4 && wide.plain.of(8192, 8192, 8192) <= 0.85, name);
      for (const auto& [precision, values] : device.products) {
        QVERIFY2(values.grouped.of(256, 4096, 4096) < values.plain.of(4096, 4096, 4096), name);
        if (!precision.starts_with("fp8")) continue;
        QVERIFY2(values.casts > 0 && values.plain.of(4096, 4096, 4096) > 0.55 * wide.plain.of(4096, 4096, 4096), name);
      }
      const AttentionEfficiency& attention = *find_attention(device, {});
      QVERIFY2(attention.of(true, 1e6, 128) < attention.of(false, 1e6, 128), name);
    }
  }

  /// Anchors of a B200 box: grouped products by rows of an expert, and attention of 8 and 128 heads at 4,096 tokens.
  /// Values that are fitted to whole runs stay near them.
  void anchors_of_b200() {
    const DeviceEfficiency& b200 = row("B200");
    const ProductEfficiency& grouped = b200.products.at("bf16").grouped;
    const auto within = [](double value, double least, double most) { return value >= least / 1.6 && value <= most; };
    QVERIFY(within(grouped.of(128, 7168, 4096), 0.16, 0.23));
    QVERIFY(within(grouped.of(308, 7168, 4096), 0.24, 0.39));
    QVERIFY(within(grouped.of(1232, 7168, 4096), 0.40, 0.51));
    QVERIFY(within(grouped.of(7168, 128, 4096), 0.06, 0.12));
    QVERIFY(within(grouped.of(7168, 308, 4096), 0.14, 0.21));
    QVERIFY(within(grouped.of(7168, 1232, 4096), 0.30, 0.42));
    const AttentionEfficiency& attention = *find_attention(b200, {});
    QVERIFY(within(attention.of(false, 8 * 4096 / 2.0, 128), 0.15, 0.25));
    QVERIFY(within(attention.of(false, 128 * 4096 / 2.0, 128), 0.45, 0.60));
    QVERIFY(within(attention.of(true, 128 * 32768 / 2.0, 128), 0.43, 0.53));
  }

  void table_reads_back_equal() {
    const EfficiencyTable& table = presets::efficiency();
    QVERIFY(io::documents::efficiency_from_json(io::documents::efficiency_to_json(table)).value() == table);
  }
};

PIPEDECK_TEST(TestEfficiencyPreset)

}  // namespace pipedeck::tst_efficiency_preset

#include "tst_efficiency_preset.moc"
