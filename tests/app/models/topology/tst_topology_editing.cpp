// SPDX-License-Identifier: GPL-3.0-or-later
// The topology editor's computations without a window: snapping, alignment, the camera, problems, common values of a
// selection.
#include <QTest>

#include "app/models/topology/camera.hpp"
#include "app/models/topology/facts.hpp"
#include "app/models/topology/problems.hpp"
#include "app/models/topology/room.hpp"
#include "app/models/topology/snap.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topology_editing {

class TestTopologyEditing : public QObject {
  Q_OBJECT

 private:
  /// Ten nodes of four devices on a switch.
  static Cluster racked_cluster() {
    Cluster cluster;
    DeviceType type;
    type.name = "T4";
    type.memory = Bytes(std::int64_t{16} << 30);
    cluster.device_types.push_back(type);
    cluster.switches.push_back({"switch"});
    for (int i = 0; i < 10; ++i) {
      Node node;
      node.name = "n" + std::to_string(i);
      node.devices = {{"T4", 4}};
      node.link = Link{BytesPerSecond(1e10), Seconds(0)};
      cluster.nodes.push_back(node);
      cluster.links.push_back({node.name, "switch", {BytesPerSecond(1e9), Seconds(0)}});
    }
    return cluster;
  }
  static bool told(const Cluster& cluster, const QString& words) {
    for (const models::topology::TopologyProblem& problem : models::topology::topology_problems(cluster))
      if (problem.text.contains(words)) return true;
    return false;
  }

 private slots:
  void what_is_moved_comes_to_rest_on_the_grid() {
    const models::topology::Snap snap = models::topology::snapped({0, 0, 100, 50}, {33, 16}, {}, 6);
    QCOMPARE(snap.offset, QPointF(28, 14));
    QVERIFY(snap.guides.empty());
  }

  void an_opened_rack_pushes_its_neighbours_away() {
    Cluster cluster = racked_cluster();
    ClusterLayout layout;
    for (int i = 0; i < 8; ++i) {
      layout.racks["n" + std::to_string(i)] = i < 4 ? "rack 1" : "rack 2";
      layout.places["n" + std::to_string(i)] = {100.0 + i / 4 * 250 + i % 2 * 300, 300.0 + i % 4 / 2 * 250};
    }
    layout.places["n8"] = {420, 300};
    layout.places["n9"] = {100, 2000};
    layout.places["switch"] = {200, 0};
    layout.collapsed = {"rack 1", "rack 2"};
    const auto before = models::topology::topology_layout(cluster, layout);
    layout.collapsed = {"rack 2"};
    layout.places = models::topology::with_room_for(models::topology::topology_layout(cluster, layout), "rack 1");
    const auto after = models::topology::topology_layout(cluster, layout);
    std::vector<QRectF> boxes;
    for (const models::topology::Rack& rack : after.racks) boxes.push_back(rack.rect);
    for (const models::topology::TopologyNode& node : after.nodes)
      if (node.rack < 0) boxes.push_back(node.rect);
    for (const models::topology::TopologySwitch& one : after.switches) boxes.push_back(one.rect);
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) QVERIFY2(!boxes[i].intersects(boxes[j]), qPrintable(QString::number(i)));
    QCOMPARE(boxes.size(), std::size_t{5});
    for (const char* still : {"n0", "n1", "n2", "n3", "n9", "switch"})
      QVERIFY2(after.places.at(still) == before.places.at(still), still);
    QVERIFY(!(after.places.at("n8") == before.places.at("n8")));
    // The hidden members of the other rack went with it.
    QCOMPARE(after.places.at("n5").x - after.places.at("n4").x, 300.0);
  }

  void or_in_line_with_others() {
    const models::topology::Snap snap = models::topology::snapped({0, 0, 100, 50}, {33, 204}, {{37, 0, 100, 50}}, 6);
    QCOMPARE(snap.offset.x(), 37.0);  // left edges, not the grid's 28 or 42
    QCOMPARE(snap.guides.size(), std::size_t{1});
    QCOMPARE(snap.guides[0].from.x(), 37.0);
    QCOMPARE(snap.guides[0].from.y(), 0.0);
    QCOMPARE(snap.offset.y(), 210.0);
    // Middles count too: a narrow box under a wide one.
    const models::topology::Snap centred =
        models::topology::snapped({0, 0, 40, 20}, {131, 300}, {{100, 0, 100, 50}}, 6);
    QCOMPARE(centred.offset.x() + 20, 150.0);
  }

  void boxes_are_put_in_line_and_spread() {
    const std::map<std::string, QRectF> boxes{
        {"a", {0, 0, 100, 50}}, {"b", {130, 20, 60, 50}}, {"c", {400, 70, 100, 50}}};
    QCOMPARE(models::topology::aligned(boxes, models::topology::Alignment::left).at("c").x, 0.0);
    QCOMPARE(models::topology::aligned(boxes, models::topology::Alignment::right).at("b").x, 440.0);
    QCOMPARE(models::topology::aligned(boxes, models::topology::Alignment::top).at("c").y, 0.0);
    QCOMPARE(models::topology::aligned(boxes, models::topology::Alignment::bottom).at("a").y, 70.0);
    QCOMPARE(models::topology::aligned(boxes, models::topology::Alignment::middle).at("b").x, 220.0);
    const models::topology::Places spread =
        models::topology::aligned(boxes, models::topology::Alignment::spread_across);
    QCOMPARE(spread.at("a").x, 0.0);
    QCOMPARE(spread.at("b").x, 220.0);  // gaps of 120
    QCOMPARE(spread.at("c").x, 400.0);
    QCOMPARE(spread.at("b").y, 20.0);
  }

  void zoom_keeps_what_is_under_the_pointer() {
    models::topology::Camera camera;
    camera.fit({0, 0, 2000, 1000}, {1000, 600});
    QCOMPARE(camera.zoom, 0.5);
    QCOMPARE(camera.to_view(QPointF(1000, 500)), QPointF(500, 300));
    const QPointF under = camera.to_drawing({120, 340});
    camera.zoom_at({120, 340}, 1.7);
    const QPointF after = camera.to_drawing({120, 340});
    QVERIFY(std::abs(after.x() - under.x()) + std::abs(after.y() - under.y()) < 1e-9);
    camera.zoom_at({0, 0}, 1e9);
    QCOMPARE(camera.zoom, models::topology::Camera::nearest);
    camera.show({5000, 5000, 100, 100}, {1000, 600});
    QVERIFY(camera.to_drawing(QRectF(0, 0, 1000, 600)).contains(QRectF(5000, 5000, 100, 100)));
  }

  void a_sound_cluster_has_no_problems() { QVERIFY(models::topology::topology_problems(samples::cluster()).empty()); }

  void problems_are_told_where_they_are() {
    Cluster cluster = samples::cluster();
    cluster.links.pop_back();
    const auto problems = models::topology::topology_problems(cluster);
    QCOMPARE(problems.size(), std::size_t{2});  // n1 can't be reached, and tor has one link
    QCOMPARE(problems[0].at.places, (std::set<std::string>{"n1"}));
    QCOMPARE(problems[0].severity, models::topology::TopologyProblem::error);
    QCOMPARE(problems[1].severity, models::topology::TopologyProblem::warning);

    for (Node& node : cluster.nodes) node.domain = "rack";
    QVERIFY(!told(cluster, "cannot be reached"));  // their own switches join them

    cluster = samples::cluster();
    cluster.nodes[0].link.reset();
    QVERIFY(told(cluster, "inside n0"));
    cluster = samples::cluster();
    cluster.links[1].link.bandwidth = {};
    QVERIFY(told(cluster, "has no bandwidth"));
    cluster = samples::cluster();
    cluster.links[1].to = "nothing";
    QVERIFY(told(cluster, "has a missing end"));
    cluster = samples::cluster();
    cluster.device_types[0].memory = {};
    QVERIFY(told(cluster, "no memory"));
    cluster = samples::cluster();
    cluster.nodes[1].name = "n0";
    QVERIFY(told(cluster, "are named n0"));
    cluster = samples::cluster();
    cluster.nodes[1].devices[0].type = "T4";
    QVERIFY(told(cluster, "not defined"));
    cluster = samples::cluster();
    cluster.links.push_back(cluster.links[0]);
    QVERIFY(told(cluster, "linked twice"));
    cluster = samples::cluster();
    cluster.switches.push_back({"spare"});
    QVERIFY(told(cluster, "No link leads to switch spare"));
  }

  void what_is_selected_is_summed_up() {
    Cluster cluster = samples::cluster();
    models::topology::Facts facts = models::topology::topology_facts(cluster, {{"n0", "n1"}, {0}});
    QCOMPARE(facts.title, QStringLiteral("2 NODES, 1 LINK"));
    QVERIFY(facts.devices.value && !facts.devices.mixed);
    QCOMPARE(facts.inside.value.value(), 130e9);
    QCOMPARE(facts.bandwidth.value.value(), 3.125e9);
    cluster.nodes[1].link->bandwidth = gigabytes_per_second(64);
    cluster.nodes[1].devices[0].count = 4;
    facts = models::topology::topology_facts(cluster, {{"n0", "n1"}, {}});
    QVERIFY(facts.inside.mixed && !facts.inside.value && facts.devices.mixed);
    QCOMPARE(facts.inside_latency.value.value(), 5e-6);
    facts = models::topology::topology_facts(cluster, {});
    QCOMPARE(facts.title, QStringLiteral("CLUSTER"));
    QCOMPARE(facts.types, (std::vector<std::string>{"V100-16GB"}));
  }

  void a_selection_outlives_an_edit() {
    const Cluster before = samples::cluster();
    Cluster now = before;
    now.links.erase(now.links.begin());
    const models::topology::Selection kept = models::topology::remap_selection({{"n0", "tor"}, {0, 1}}, before, now);
    QCOMPARE(kept.places, (std::set<std::string>{"n0", "tor"}));
    QCOMPARE(kept.links, (std::set<int>{0}));  // the second one, which is the first now
  }
};

PIPEDECK_TEST(TestTopologyEditing)

}  // namespace pipedeck::tst_topology_editing

#include "tst_topology_editing.moc"
