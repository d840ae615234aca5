// SPDX-License-Identifier: Apache-2.0
// Tables of efficiencies: what is written reads back equal, and what is wrong is refused with its place.
#include <QTest>

#include "core/io/documents/efficiency.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_efficiency {

DeviceEfficiency row(const std::string& device) {
  DeviceEfficiency row;
  row.device = device;
  row.products["bf16"] = {{0.75, 128, 96.5, 32}, {0.5, 256, 700, 1}, 0};
  row.products["fp8-delayed"] = {{0.625, 1, 2, 3}, {0.25, 4, 5, 6}, 3.5};
  row.attention["default"] = {0.5, 0.375, 16000, 32};
  row.attention["flash-2"] = {0.25, 0.125, 8000, 0};
  row.memory = 0.875;
  row.kernel = microseconds(2), row.launch = microseconds(5), row.layer = microseconds(64);
  row.expert_layer = microseconds(512);
  row.link = 0.7, row.network = 0.9, row.link_call = microseconds(16), row.network_call = microseconds(32);
  row.busy = 1.125;
  row.source = "made up";
  return row;
}

std::string text() { return io::documents::efficiency_to_json({{row("X1")}}); }

/// The text with one part changed, once.
std::string changed(const std::string& part, const std::string& to) {
  std::string result = text();
  const std::size_t at = result.find(part);
  ensure(at != std::string::npos, part.c_str());
  return result.replace(at, part.size(), to);
}

class TestEfficiency : public QObject {
  Q_OBJECT

 private slots:
  void round_trip() {
    EfficiencyTable table{{row("X1"), row("X2"), row("X3")}};
    table.devices[2].busy = 2;
    const std::string written = io::documents::efficiency_to_json(table);
    QVERIFY(io::documents::efficiency_from_json(written).value() == table);
    QCOMPARE(io::documents::efficiency_to_json(io::documents::efficiency_from_json(written).value()), written);
    QVERIFY(written.find("made up") != written.rfind("made up"));  // X1 and X2 share a row, X3 has its own
    QVERIFY(io::documents::efficiency_from_json(io::documents::efficiency_to_json({})).value() == EfficiencyTable());
  }

  void bad_values_have_places_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* part, const char* to, const char* place, const char* words) {
      QTest::addRow("%s", to) << part << to << place << words;
    };
    add("\"share\": 0.75", "\"share\": 1.01", "/rows/0/products/bf16/plain/share", "1.01");
    add("\"share\": 0.75", "\"share\": 0", "/rows/0/products/bf16/plain/share", "found 0");
    add("\"half_rows\": 128", "\"half_rows\": -1", "/rows/0/products/bf16/plain/half_rows", "-1");
    add("\"casts\": 3.5", "\"casts\": \"3\"", "/rows/0/products/fp8-delayed/casts", "expected a number");
    add("\"casts\": 3.5", "\"casts\": 3.5, \"casted\": 2", "/rows/0/products/fp8-delayed/casted", "unknown");
    add("\"half_width\": 32", "\"half_width\": 32, \"half_depth\": 1", "/rows/0/attention/default/half_depth",
        "unknown");
    add("\"default\":", "\"flash-3\":", "/rows/0/attention", "default");
    add("\"memory\": 0.875", "\"memory\": 2", "/rows/0/memory", "found 2");
    add("\"memory\": 0.875", "\"memories\": 0.875", "/rows/0", "memor");
    add("\"busy\": 1.125", "\"busy\": 0.5", "/rows/0/busy", "0.5");
    add("\"busy\": 1.125", "\"busy\": 1.125, \"idle\": 3", "/rows/0/idle", "unknown");
    add("\"kernel_us\": 2", "\"kernel_us\": -2", "/rows/0/kernel_us", "-2");
    add("\"X1\"", "\"X1\", \"X1\"", "/rows/0/devices/1", "second");
    add("\"version\": 1", "\"version\": 2", "/version", "expected 1");
    add("\"version\": 1", "\"version\": 1, \"row\": []", "/row", "unknown");
  }

  void bad_values_have_places() {
    QFETCH(QString, part);
    QFETCH(QString, to);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto read = io::documents::efficiency_from_json(changed(part.toStdString(), to.toStdString()));
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::bad_input);
    QVERIFY2(read.error().place.starts_with(place.toStdString()), read.error().place.c_str());
    QVERIFY2(read.error().message.find(words.toStdString()) != std::string::npos, read.error().message.c_str());
  }

  void rows_and_recipes_fall_back() {
    EfficiencyTable table{{row("default"), row("X1")}};
    QCOMPARE(find_efficiency(table, "X1"), &table.devices[1]);
    QCOMPARE(find_efficiency(table, "X9"), &table.devices[0]);
    QCOMPARE(find_efficiency({{row("X1")}}, "X9"), nullptr);
    DeviceEfficiency& device = table.devices[1];
    QCOMPARE(find_precision(device, "fp8", "delayed"), &device.products["fp8-delayed"]);
    QCOMPARE(find_precision(device, "bf16", "delayed"), &device.products["bf16"]);
    QCOMPARE(find_precision(device, "fp8", "current"), nullptr);
    QCOMPARE(find_attention(device, "flash-2"), &device.attention["flash-2"]);
    QCOMPARE(find_attention(device, {}), &device.attention["default"]);
  }
};

PIPEDECK_TEST(TestEfficiency)

}  // namespace pipedeck::tst_efficiency

#include "tst_efficiency.moc"
