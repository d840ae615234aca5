// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/mesh/rates.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_rates {

class TestRates : public QObject {
  Q_OBJECT

  static Cluster two_nodes() {
    Cluster cluster;
    cluster.device_types.resize(2);
    cluster.device_types[0].name = "own", cluster.device_types[1].name = "other";
    cluster.device_types[0].memory = Bytes(80);
    cluster.device_types[0].peak_tflops = {{"bf16", 300}};
    cluster.nodes.resize(2);
    cluster.nodes[0].devices = {{"own", 2}};
    cluster.nodes[1].devices = {{"own", 1}, {"other", 1}};
    return cluster;
  }
  std::vector<DeviceModel> catalogue_;
  EfficiencyTable table_;

 private slots:
  void initTestCase() {
    DeviceModel& fast = catalogue_.emplace_back();
    fast.type.name = "fast", fast.aliases = {"own"};
    fast.type.peak_tflops = {{"bf16", 900}, {"fp8", 1800}};
    fast.type.memory_bandwidth = BytesPerSecond(3e12);
    table_.devices.resize(2);
    table_.devices[0].device = "default", table_.devices[0].memory = 0.5;
    table_.devices[1].device = "fast", table_.devices[1].memory = 0.9;
  }

  void own_figures_come_first() {
    const auto rates = mesh::rates_of(two_nodes(), 3, catalogue_, table_);
    QVERIFY2(rates, rates ? "" : rates.error().text().c_str());
    QCOMPARE(rates->type.name, std::string("own"));
    QCOMPARE(rates->type.peak_tflops, (std::map<std::string, double>{{"bf16", 300}, {"fp8", 1800}}));
    QCOMPARE(rates->type.memory_bandwidth->count, 3e12);
    QCOMPARE(rates->type.memory, Bytes(80));
    QCOMPARE(rates->reached.memory, 0.9);
  }

  void unknown_types_have_the_default_row() {
    const auto rates = mesh::rates_of(two_nodes(), 2, {}, table_);
    QVERIFY(!rates->type.memory_bandwidth);
    QCOMPARE(rates->reached.memory, 0.5);
  }

  void all_types_of_a_cluster_have_rates() {
    const auto rates = mesh::rates_of(two_nodes(), 4, catalogue_, table_);
    QCOMPARE(rates->type.name, std::string("own"));
    QCOMPARE(rates->types.size(), std::size_t{2});
    QCOMPARE(rates->of(0).type.name, std::string("own"));
    QCOMPARE(rates->of(0).reached.memory, 0.9);
    QCOMPARE(rates->of(1).type.name, std::string("other"));
    QCOMPARE(rates->of(1).reached.memory, 0.5);
    Cluster alike = two_nodes();
    alike.nodes[1].devices = {{"own", 2}};
    const auto one = mesh::rates_of(alike, 4, catalogue_, table_);
    QVERIFY(one->types.empty());
    QCOMPARE(one->of(0).type.name, std::string("own"));
  }

  void refusals() {
    QCOMPARE(mesh::rates_of(two_nodes(), 5, catalogue_, table_).error().message,
             std::string("found a cluster of 4 devices, expected the 5 of the plan"));
  }
};

PIPEDECK_TEST(TestRates)

}  // namespace pipedeck::tst_rates

#include "tst_rates.moc"
