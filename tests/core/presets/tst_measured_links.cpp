// SPDX-License-Identifier: Apache-2.0
// Tables of nccl-tests as links: lines that are fitted back, clusters whose times are the measured ones, and no share
// of a data sheet on top of them.
#include <cmath>
#include <random>

#include <QTest>

#include "core/cost/measured_collectives.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/machine_import.hpp"
#include "core/presets/measured_links.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_measured_links {

FoundMachines found_in(std::initializer_list<const char*> names) {
  FoundMachines all;
  for (const char* name : names) {
    auto document = io::read_document(std::string(PIPEDECK_FIXTURES "/topology/") + name);
    ensure(document.has_value(), name);
    ensure(presets::add_found(all, std::get<FoundMachines>(*std::move(document))).has_value(), name);
  }
  return all;
}

presets::ImportedCluster imported(std::initializer_list<const char*> names, const presets::MachineImport& how = {}) {
  auto made = presets::cluster_of(found_in(names), how);
  ensure(made.has_value(), made ? "" : made.error().text());
  return *std::move(made);
}

bool near(double found, double expected, double within) { return std::abs(found / expected - 1) < within; }

/// A test whose times lie on a line.
MeasuredCollective line(std::optional<CollectiveKind> kind, int ranks, double latency, double bus, int sizes) {
  MeasuredCollective test{"a_perf", kind, ranks, {"m"}, {}};
  double bytes = 4096;
  for (int i = 0; i < sizes; ++i, bytes *= 4) {
    const double sent = kind ? bytes_sent(*kind, ranks, bytes) : bytes;
    const double time = latency + sent / bus;
    test.points.push_back({bytes, Seconds(time), BytesPerSecond(sent / time)});
  }
  return test;
}

class TestMeasuredLinks : public QObject {
  Q_OBJECT

 private slots:
  void a_line_is_fitted_back() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> exponent(0, 1);
    for (int i = 0; i < 200; ++i) {
      const double latency = 1e-6 * std::pow(100, exponent(random)), bus = 1e9 * std::pow(500, exponent(random));
      const int ranks = 2 + static_cast<int>(random() % 60), sizes = 2 + static_cast<int>(random() % 12);
      for (const std::optional<CollectiveKind> kind :
           {std::optional(CollectiveKind::all_reduce), std::optional(CollectiveKind::all_gather),
            std::optional<CollectiveKind>()}) {
        const cost::CollectiveFit fit = cost::fit_of(line(kind, ranks, latency, bus, sizes));
        QVERIFY(near(fit.latency.count, latency, 1e-6) && near(fit.bus.count, bus, 1e-6) && fit.error < 1e-6);
      }
    }
    const cost::CollectiveFit single = cost::fit_of(line(CollectiveKind::all_reduce, 8, 0, 2e11, 1));
    QCOMPARE(single.latency.count, 0.0);
    QVERIFY(near(single.bus.count, 2e11, 1e-9));
  }

  /// The model's ring with the fitted link takes the measured times, without a share on top.
  void the_cluster_takes_the_measured_times() {
    const presets::ImportedCluster made = imported({"8xh100.nccl-tests.txt"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{1});
    const Link& link = *made.cluster.nodes[0].link;
    QVERIFY(link.measured);
    QVERIFY(near(link.bandwidth.count, 420e9, 0.01));
    QVERIFY(near(link.latency.count, 30e-6 / 14, 0.01));
    const auto network = cost::Network::of(made.cluster);
    const auto* reached = find_efficiency(presets::efficiency(), "H100-SXM");
    QVERIFY(reached && reached->link < 1);
    const auto rows = cost::compared(made.collectives[0], *network, *reached);
    for (const cost::ComparedCollective& row : *rows)
      QVERIFY2(near(row.predicted.count, row.measured.count, 0.02), qPrintable(QString::number(row.bytes)));
    // By the data sheet, the share and the overhead of calls count.
    QVERIFY(made.by_data_sheet && !made.by_data_sheet->nodes[0].link->measured);
    const auto plain = cost::Network::of(*made.by_data_sheet);
    const auto by_sheet = cost::compared(made.collectives[0], *plain, *reached);
    const double ring = 14 * (5e-6 + by_sheet->back().bytes / 8 / made.by_data_sheet->nodes[0].link->bandwidth.count);
    QVERIFY(near(by_sheet->back().predicted.count, reached->link_call.count + ring / reached->link, 1e-9));
  }

  void hosts_together_give_the_network() {
    const presets::ImportedCluster made = imported({"2x8xh100.nccl-tests.txt"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(made.cluster.links.size(), std::size_t{2});
    for (const NetworkLink& network : made.cluster.links) QVERIFY(network.link.measured);
    QVERIFY(near(made.cluster.nodes[0].nic->count * 8, 330e9, 0.01));
    QVERIFY(!made.cluster.nodes[0].link->measured);  // inside, the type's link is assumed
    const auto network = cost::Network::of(made.cluster);
    QVERIFY(network->is_measured(NodeId(0), true) && !network->is_measured(NodeId(0), false));
  }

  /// A host alone and two hosts together are one cluster, whose large all-reduce takes the measured time.
  void both_tests_are_one_cluster() {
    const presets::ImportedCluster made = imported({"8xh100.nccl-tests.txt", "2x8xh100.nccl-tests.txt"});
    QCOMPARE(made.cluster.nodes.size(), std::size_t{2});
    for (const Node& node : made.cluster.nodes)
      QVERIFY(node.link->measured && near(node.link->bandwidth.count, 420e9, 0.01));
    const auto network = cost::Network::of(made.cluster);
    for (const MeasuredCollective& test : made.collectives) {
      if (test.kind != CollectiveKind::all_reduce) continue;
      const auto rows = cost::compared(test, *network, *find_efficiency(presets::efficiency(), "H100-SXM"));
      QVERIFY2(near(rows->back().predicted.count, rows->back().measured.count, 0.02), test.test.c_str());
      const std::string table = presets::comparison_table(test, made.cluster, made.by_data_sheet);
      QCOMPARE(std::ranges::count(table, '\n'), static_cast<std::ptrdiff_t>(test.points.size()) + 2);
    }
    QVERIFY(made.shares.size() == 2 && made.notes.back().starts_with("nccl-tests: understood "));
  }

  void a_description_and_slurm_go_with_it() {
    presets::MachineImport how;
    how.device = "A100-40GB";
    const presets::ImportedCluster described = imported({"dgx-a100.topo.txt", "8xh100.nccl-tests.txt"}, how);
    QCOMPARE(described.cluster.nodes.size(), std::size_t{1});
    QVERIFY(described.cluster.nodes[0].link->measured);
    const presets::ImportedCluster pattern = imported({"dgx-a100.topo.txt", "2x8xh100.nccl-tests.txt"}, how);
    QCOMPARE(pattern.cluster.nodes.size(), std::size_t{2});
    QCOMPARE(pattern.cluster.nodes[1].link->bandwidth, BytesPerSecond(300e9));
    QVERIFY(pattern.cluster.links[1].link.measured);
  }

  /// A network that the user gives is a data sheet's again.
  void a_given_network_is_not_measured() {
    presets::MachineImport how;
    how.network = BytesPerSecond(50e9);
    for (const NetworkLink& network : imported({"2x8xh100.nccl-tests.txt"}, how).cluster.links)
      QVERIFY(!network.link.measured);
  }

  void files_keep_the_mark() {
    const Cluster cluster = imported({"8xh100.nccl-tests.txt", "2x8xh100.nccl-tests.txt"}).cluster;
    const auto again = io::documents::cluster_from_json(io::documents::cluster_to_json(cluster));
    QVERIFY(again && again->nodes == cluster.nodes && again->links == cluster.links);
  }
};

PIPEDECK_TEST(TestMeasuredLinks)

}  // namespace pipedeck::tst_measured_links

#include "tst_measured_links.moc"
