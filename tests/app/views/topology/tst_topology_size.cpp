// SPDX-License-Identifier: GPL-3.0-or-later
// The topology page of a large cluster: 16,384 devices open fast enough, closed and open.
#include <QElapsedTimer>
#include <QTest>

#include "app/views/topology/view.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topology_size {

class TestTopologySize : public QObject {
  Q_OBJECT

 private:
  /// 2,048 nodes of eight devices on leaves below a spine; one leaf: no spine.
  static std::shared_ptr<const Cluster> cluster_of(int leaves) {
    Cluster cluster = samples::cluster();
    Node node = cluster.nodes.front();
    cluster.nodes.clear();
    cluster.links.clear();
    cluster.switches.clear();
    const Link link{gigabytes_per_second(50), microseconds(5)};
    for (int i = 0; i < leaves; ++i) cluster.switches.push_back({"leaf" + std::to_string(i)});
    if (leaves > 1) cluster.switches.push_back({"spine"});
    for (int i = 0; leaves > 1 && i < leaves; ++i) cluster.links.push_back({"leaf" + std::to_string(i), "spine", link});
    for (int i = 0; i < 2048; ++i) {
      node.name = "node" + std::to_string(i);
      cluster.nodes.push_back(node);
      cluster.links.push_back({node.name, "leaf" + std::to_string(i * leaves / 2048), link});
    }
    return std::make_shared<const Cluster>(std::move(cluster));
  }

 private slots:
  /// The aim is one second in a release build; the limit allows for other builds and for a busy machine.
  void sixteen_thousand_devices_open_fast() {
    constexpr qint64 limit_ms = 6000;
    for (const int leaves : {1, 64, 256}) {
      const auto cluster = cluster_of(leaves);
      views::topology::View view;
      view.resize(1680, 1050);
      view.show();
      QVERIFY(QTest::qWaitForWindowExposed(&view));
      QElapsedTimer timer;
      timer.start();
      view.set_cluster(cluster, {}, 1);
      view.grab();
      QVERIFY2(timer.elapsed() < limit_ms, qPrintable(QStringLiteral("%1 ms").arg(timer.elapsed())));
      QCOMPARE(view.scene().ends().size(), static_cast<std::size_t>(2 * leaves + (leaves > 1 ? 1 : 0)));
      view.canvas()->select_all();
      timer.restart();
      view.canvas()->set_groups_open(true);
      view.grab();
      QVERIFY2(timer.elapsed() < limit_ms, qPrintable(QStringLiteral("open: %1 ms").arg(timer.elapsed())));
      QCOMPARE(view.canvas()->selection().places.size(), std::size_t{2048} + cluster->switches.size());
    }
  }
};

PIPEDECK_WINDOW_TEST(TestTopologySize)

}  // namespace pipedeck::tst_topology_size

#include "tst_topology_size.moc"
