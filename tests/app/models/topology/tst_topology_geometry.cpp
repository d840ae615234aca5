// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/geometry.hpp"

#include <QTest>

#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topology_geometry {

class TestTopologyGeometry : public QObject {
  Q_OBJECT

 private:
  static std::vector<QRectF> boxes(const models::topology::Layout& layout) {
    std::vector<QRectF> result;
    for (const models::topology::End& end : layout.ends()) result.push_back(layout.rect_of(end));
    return result;
  }

 private slots:
  void boxes_never_overlap_or_leave_the_scene() {
    Cluster cluster = samples::cluster();
    for (int extra = 0; extra < 24; ++extra) {
      ClusterLayout racks;
      for (int variant = 0; variant < 3; ++variant) {
        if (variant > 0)
          for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
            racks.racks[cluster.nodes[i].name] = "r" + std::to_string(i / 3);
        if (variant == 2) racks.collapsed.insert("r0");
        const models::topology::Layout layout = models::topology::topology_layout(cluster, racks);
        const auto all = boxes(layout);
        for (std::size_t i = 0; i < all.size(); ++i) {
          QVERIFY(layout.bounds.contains(all[i]));
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

  /// Placed items stay in place; the others are placed next to them without overlap.
  void what_has_no_place_is_put_beside_what_has_one() {
    Cluster cluster = samples::cluster();
    ClusterLayout drawn;
    drawn.places = {{"n0", {100, 100}}, {"tor", {420, 20}}};
    const models::topology::Layout layout = models::topology::topology_layout(cluster, drawn);
    QCOMPARE(layout.nodes[0].rect.topLeft(), QPointF(100, 100));
    QCOMPARE(layout.switches[0].rect.topLeft(), QPointF(420, 20));
    QVERIFY(!layout.nodes[1].rect.intersects(layout.nodes[0].rect));
    QVERIFY(!layout.nodes[1].rect.intersects(layout.switches[0].rect));
    QCOMPARE(layout.places.size(), std::size_t{3});
  }

  void a_collapsed_rack_is_one_box_with_its_sum_and_its_uplinks() {
    Cluster cluster = samples::cluster();
    Node third = cluster.nodes.front();
    third.name = "n2";
    cluster.nodes.push_back(third);
    cluster.links.push_back({"n2", "tor", {gigabytes_per_second(3.125), {}}});
    ClusterLayout layout;
    layout.racks = {{"n0", "rack 1"}, {"n1", "rack 1"}};
    const models::topology::Layout open = models::topology::topology_layout(cluster, layout);
    QVERIFY(open.racks[0].rect.contains(open.nodes[0].rect) && open.racks[0].rect.contains(open.nodes[1].rect));
    QVERIFY(!open.racks[0].rect.intersects(open.nodes[2].rect));
    QCOMPARE(open.links.size(), std::size_t{3});
    QCOMPARE(open.hit(open.racks[0].header.center()).value(), (models::topology::Hit{models::topology::Hit::rack, 0}));
    QCOMPARE(open.toggle_at(open.racks[0].toggle.center()).value(), 0);

    layout.collapsed = {"rack 1"};
    const models::topology::Layout shut = models::topology::topology_layout(cluster, layout);
    QVERIFY(shut.nodes[0].hidden && shut.nodes[1].hidden && !shut.nodes[2].hidden);
    QCOMPARE(shut.racks[0].shares.front().count, 16);
    QCOMPARE(shut.racks[0].detail, QStringLiteral("2 nodes · 16 devices"));
    QCOMPARE(shut.racks[0].uplinks, QStringLiteral("2 uplinks · 50 Gbit/s"));
    QCOMPARE(shut.links.size(), std::size_t{2});
    QCOMPARE(shut.links[0].text, QStringLiteral("2 × 25 Gbit/s"));
    QCOMPARE(shut.links[0].links, (std::vector<int>{0, 1}));
    QCOMPARE(shut.ends().size(), std::size_t{3});
    QCOMPARE(shut.find_end("n1").value(), (models::topology::End{models::topology::End::rack, 0}));
    QCOMPARE(models::topology::in_rectangle(shut, shut.racks[0].rect).places, (std::set<std::string>{"n0", "n1"}));
  }

  void ports_catch_what_comes_near() {
    const models::topology::Layout layout = models::topology::topology_layout(samples::cluster());
    const models::topology::End node{models::topology::End::node, 1};
    QCOMPARE(layout.port_at(layout.ports_of(node)[0] + QPointF(3, 4), 9).value(), node);
    QVERIFY(!layout.port_at(layout.ports_of(node)[0] + QPointF(30, 40), 9));
    QCOMPARE(layout.box_at(layout.nodes[1].rect.center()).value(), node);
  }

  void everything_drawn_can_be_hit() {
    const Cluster cluster = samples::cluster();
    const models::topology::Layout layout = models::topology::topology_layout(cluster);
    for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
      QCOMPARE(layout.hit(layout.nodes[n].header.center()).value(),
               (models::topology::Hit{models::topology::Hit::node, static_cast<int>(n)}));
      QCOMPARE(layout.nodes[n].devices.size(), std::size_t{8});
      for (const auto& device : layout.nodes[n].devices) {
        QVERIFY(layout.nodes[n].rect.contains(device.rect));
        QCOMPARE(layout.hit(device.rect.center()).value(),
                 (models::topology::Hit{models::topology::Hit::device, device.device}));
      }
    }
    QCOMPARE(layout.hit(layout.switches[0].rect.center()).value(),
             (models::topology::Hit{models::topology::Hit::network_switch, 0}));
    for (const auto& link : layout.links) {
      QCOMPARE(layout.hit(link.label).value(), (models::topology::Hit{models::topology::Hit::link, link.link}));
      QCOMPARE(layout.hit(models::topology::point_on(link, 0.4)).value(),
               (models::topology::Hit{models::topology::Hit::link, link.link}));
    }
    QVERIFY(!layout.hit(layout.bounds.topLeft() + QPointF(1, 1)));
  }

  void spines_are_above_leaves() {
    Cluster cluster = samples::cluster();
    cluster.switches.push_back({"spine"});
    cluster.links.push_back({"tor", "spine", {gigabytes_per_second(10), {}}});
    const models::topology::Layout layout = models::topology::topology_layout(cluster);
    QVERIFY(layout.switches[1].rect.bottom() < layout.switches[0].rect.top());
    QVERIFY(layout.switches[0].rect.bottom() < layout.nodes[0].rect.top());
    QCOMPARE(layout.links.back().path.back().y(), layout.switches[0].rect.top());
  }

  void nodes_may_be_joined_directly() {
    Cluster cluster = samples::cluster();
    cluster.switches.clear();
    cluster.links = {{"n0", "n1", {gigabytes_per_second(3.125), {}}}};
    const models::topology::Layout layout = models::topology::topology_layout(cluster);
    for (const QPointF& point : layout.links[0].path) QVERIFY(point.y() <= layout.nodes[0].rect.top());
    QVERIFY(layout.links[0].label.y() < layout.nodes[0].rect.top());
    QVERIFY(layout.bounds.contains(layout.links[0].label));
  }

  void words() {
    const Cluster cluster = samples::cluster();
    QCOMPARE(models::topology::network_text(gigabytes_per_second(3.125)), QStringLiteral("25 Gbit/s"));
    QCOMPARE(models::topology::summary(cluster), QStringLiteral("2 nodes · 16 devices · 16 × V100-16GB"));
    QVERIFY(models::topology::tool_tip(cluster, {models::topology::Hit::device, 9}).contains("n1"));
    QVERIFY(models::topology::tool_tip(cluster, {models::topology::Hit::link, 0}).contains("25 Gbit/s"));
    QVERIFY(samples::plain(models::topology::tool_tip(cluster, {models::topology::Hit::node, 0})).contains("130 GB/s"));
  }
};

PIPEDECK_TEST(TestTopologyGeometry)

}  // namespace pipedeck::tst_topology_geometry

#include "tst_topology_geometry.moc"
