// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology_geometry.hpp"

#include <QTest>

#include "tests/app/models/samples.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

class TestTopologyGeometry : public QObject {
  Q_OBJECT

 private:
  static std::vector<QRectF> boxes(const TopologyLayout& layout) {
    std::vector<QRectF> result;
    for (const auto& node : layout.nodes) result.push_back(node.rect);
    for (const auto& s : layout.switches) result.push_back(s.rect);
    return result;
  }

 private slots:
  void boxes_never_overlap_or_leave_the_scene() {
    Cluster cluster = samples::cluster();
    for (int extra = 0; extra < 9; ++extra) {
      for (double width : {300.0, 700.0, 1280.0, 2560.0}) {
        const TopologyLayout layout = topology_layout(cluster, width);
        const QRectF scene(QPointF(0, 0), layout.size);
        const auto all = boxes(layout);
        for (std::size_t i = 0; i < all.size(); ++i) {
          QVERIFY(scene.contains(all[i]));
          for (std::size_t j = i + 1; j < all.size(); ++j) QVERIFY(!all[i].intersects(all[j]));
        }
      }
      Node node = cluster.nodes.front();
      node.name = "m" + std::to_string(extra);
      node.devices.front().count = extra + 1;
      cluster.nodes.push_back(node);
      cluster.links.push_back({node.name, "tor", {gigabytes_per_second(1), {}}});
    }
  }

  void everything_drawn_can_be_hit() {
    const Cluster cluster = samples::cluster();
    const TopologyLayout layout = topology_layout(cluster, 900);
    for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
      QCOMPARE(layout.hit(layout.nodes[n].header.center()).value(),
               (TopologyHit{TopologyHit::node, static_cast<int>(n)}));
      QCOMPARE(layout.nodes[n].devices.size(), std::size_t{8});
      for (const auto& device : layout.nodes[n].devices) {
        QVERIFY(layout.nodes[n].rect.contains(device.rect));
        QCOMPARE(layout.hit(device.rect.center()).value(), (TopologyHit{TopologyHit::device, device.device}));
      }
    }
    QCOMPARE(layout.hit(layout.switches[0].rect.center()).value(), (TopologyHit{TopologyHit::network_switch, 0}));
    for (const auto& link : layout.links) {
      QCOMPARE(layout.hit(link.label).value(), (TopologyHit{TopologyHit::link, link.link}));
      QCOMPARE(layout.hit(point_on(link, 0.4)).value(), (TopologyHit{TopologyHit::link, link.link}));
    }
    QVERIFY(!layout.hit({1, 1}));
  }

  void spines_are_above_leaves() {
    Cluster cluster = samples::cluster();
    cluster.switches.push_back({"spine"});
    cluster.links.push_back({"tor", "spine", {gigabytes_per_second(10), {}}});
    const TopologyLayout layout = topology_layout(cluster, 900);
    QVERIFY(layout.switches[1].rect.bottom() < layout.switches[0].rect.top());
    QVERIFY(layout.switches[0].rect.bottom() < layout.nodes[0].rect.top());
    QCOMPARE(layout.links.back().to.y(), layout.switches[0].rect.top());
  }

  void nodes_may_be_joined_directly() {
    Cluster cluster = samples::cluster();
    cluster.switches.clear();
    cluster.links = {{"n0", "n1", {gigabytes_per_second(3.125), {}}}};
    const TopologyLayout layout = topology_layout(cluster, 900);
    QVERIFY(layout.links[0].arc);
    QVERIFY(layout.links[0].label.y() < layout.nodes[0].rect.top());
    QVERIFY(layout.links[0].label.y() > 0);
  }

  void words() {
    const Cluster cluster = samples::cluster();
    QCOMPARE(network_text(gigabytes_per_second(3.125)), QStringLiteral("25 Gbit/s"));
    QCOMPARE(summary(cluster), QStringLiteral("2 nodes · 16 devices · 16 × V100-16GB"));
    QVERIFY(tool_tip(cluster, {TopologyHit::device, 9}).contains("n1"));
    QVERIFY(tool_tip(cluster, {TopologyHit::link, 0}).contains("25 Gbit/s"));
    QVERIFY(samples::plain(tool_tip(cluster, {TopologyHit::node, 0})).contains("130 GB/s"));
  }
};

QTEST_APPLESS_MAIN(TestTopologyGeometry)
#include "tst_topology_geometry.moc"
