// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of links: over no box, in random clusters. Labels are on the ground. Alike nodes are one box.
#include <random>

#include <QTest>

#include "app/models/topology/alike.hpp"
#include "app/models/topology/geometry.hpp"
#include "app/models/topology/room.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_topology_routes {

using namespace pipedeck::models;

/// Alike nodes of eight devices with a card each, on one switch.
Cluster alike_cluster(int nodes, const std::string& stem) {
  Cluster cluster = samples::cluster();
  Node node = cluster.nodes.front();
  node.nic = gigabytes_per_second(50);
  cluster.nodes.clear();
  cluster.links.clear();
  for (int i = 0; i < nodes; ++i) {
    node.name = stem + std::to_string(i);
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "tor", {gigabytes_per_second(400), microseconds(5)}});
  }
  return cluster;
}

/// A cluster of random shape: leaves with nodes of random sizes, spines, nodes with two links, links between nodes.
class RandomCluster {
 public:
  explicit RandomCluster(unsigned seed) : random_(seed) {
    cluster = samples::cluster();
    first_ = cluster.nodes.front();
    cluster.nodes.clear();
    cluster.switches.clear();
    cluster.links.clear();
    const int leaves = 1 + below(5), spines = leaves > 1 ? 1 + below(3) : 0;
    for (int s = 0; s < leaves + spines; ++s) {
      cluster.switches.push_back({"s" + std::to_string(s)});
      for (int leaf = 0; s >= leaves && leaf < leaves; ++leaf)
        link("s" + std::to_string(leaf), "s" + std::to_string(s));
    }
    const int nodes = 1 + below(26);
    for (int n = 0; n < nodes; ++n) add_node(n, leaves);
    for (int i = below(4); i > 0 && nodes > 1; --i) {
      const int a = below(nodes), b = below(nodes);
      if (a != b) link("n" + std::to_string(a), "n" + std::to_string(b));
    }
  }

  /// Racks of some of the nodes and the leaves; some are closed.
  ClusterLayout racks() {
    ClusterLayout layout;
    for (const Node& node : cluster.nodes)
      if (below(2)) layout.racks[node.name] = "rack " + std::to_string(below(3));
    if (below(2)) layout.racks["s0"] = "rack 0";
    if (below(2)) layout.collapsed.insert("rack 1");
    return layout;
  }

  /// Places of all boxes in random order and with random gaps, as by hand.
  ClusterLayout by_hand() {
    ClusterLayout layout;
    std::vector<std::pair<std::string, QSizeF>> boxes;
    for (const Node& node : cluster.nodes) boxes.emplace_back(node.name, topology::topology_size(node));
    for (const Switch& s : cluster.switches) boxes.emplace_back(s.name, topology::switch_size());
    for (std::size_t i = boxes.size(); i > 1; --i)
      std::swap(boxes[i - 1], boxes[static_cast<std::size_t>(below(int(i)))]);
    double x = 0, y = 0, tallest = 0;
    for (const auto& [name, size] : boxes) {
      layout.places[name] = {x + 14 * below(3), y + 14 * below(4)};
      tallest = std::max(tallest, size.height());
      x += std::max(size.width(), topology::alike_size().width()) + 70;
      if (below(5) == 0) x = 14 * below(20), y += std::max(tallest, topology::alike_size().height()) + 100, tallest = 0;
    }
    return layout;
  }

  Cluster cluster;

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  void link(const std::string& from, const std::string& to) {
    cluster.links.push_back({from, to, {gigabytes_per_second(1 + below(3)), microseconds(5)}});
  }
  void add_node(int n, int leaves) {
    Node node = first_;
    node.name = "n" + std::to_string(n);
    node.devices.front().count = below(3) ? 8 : 1 + below(20);
    cluster.nodes.push_back(node);
    const int leaf = below(leaves);
    link(node.name, "s" + std::to_string(leaf));
    if (leaves > 1 && below(4) == 0) link(node.name, "s" + std::to_string((leaf + 1) % leaves));
  }

  std::mt19937 random_;
  Node first_;
};

/// Returns true if the inside of the box and the line from a to b have a point in common: a line in a convex box is
/// between its entry and its exit on both axes.
bool crosses(const QRectF& box, QPointF a, QPointF b) {
  double from = 0, to = 1;
  const auto clip = [&](double start, double step, double least, double most) {
    if (std::abs(step) < 1e-9) return start > least && start < most;
    const double one = (least - start) / step, other = (most - start) / step;
    from = std::max(from, std::min(one, other));
    to = std::min(to, std::max(one, other));
    return true;
  };
  const QRectF inside = box.adjusted(0.1, 0.1, -0.1, -0.1);
  return clip(a.x(), b.x() - a.x(), inside.left(), inside.right()) &&
         clip(a.y(), b.y() - a.y(), inside.top(), inside.bottom()) && from < to;
}

QString name(const topology::Layout& layout, std::size_t link) {
  return layout.name_of(layout.links[link].from_end) + " - " + layout.name_of(layout.links[link].to_end);
}

/// Returns the first fault of a drawing; empty if there is none.
QString fault_of(const topology::Layout& layout) {
  std::vector<QRectF> boxes;
  for (const topology::End& end : layout.solids()) boxes.push_back(layout.rect_of(end));
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (boxes[i].intersects(boxes[j])) return QStringLiteral("two boxes overlap");
  for (std::size_t l = 0; l < layout.links.size(); ++l) {
    const topology::TopologyLink& link = layout.links[l];
    if (link.path.size() < 2) return "no line: " + name(layout, l);
    const auto touches = [&](const topology::End& end, QPointF point) {
      const QRectF box = layout.rect_of(end);
      return (point.y() == box.top() || point.y() == box.bottom()) && point.x() > box.left() && point.x() < box.right();
    };
    if (!touches(link.from_end, link.path.front()) || !touches(link.to_end, link.path.back()))
      return "not from port to port: " + name(layout, l);
    for (std::size_t i = 1; i < link.path.size(); ++i) {
      const QPointF a = link.path[i - 1], b = link.path[i];
      if (a.x() != b.x() && a.y() != b.y()) return "oblique: " + name(layout, l);
      if (!layout.bounds.contains(a) || !layout.bounds.contains(b)) return "out of bounds: " + name(layout, l);
      for (const QRectF& box : boxes)
        if (crosses(box, a, b)) return "over a box: " + name(layout, l);
    }
  }
  for (std::size_t i = 0; i < layout.labels.size(); ++i) {
    const QRectF room = layout.labels[i].room.adjusted(0.1, 0.1, -0.1, -0.1);
    for (const QRectF& box : boxes)
      if (box.intersects(room)) return "label over a box: " + layout.labels[i].text;
    for (std::size_t j = 0; j < i; ++j)
      if (layout.labels[j].room.intersects(room)) return "label over a label: " + layout.labels[i].text;
  }
  return {};
}

class TestTopologyRoutes : public QObject {
  Q_OBJECT

 private:
  /// Returns the centre of eight nodes.
  static QPointF centre_of(const topology::Layout& layout, std::size_t first) {
    QRectF all = layout.nodes[first].rect;
    for (std::size_t i = first; i < first + 8; ++i) all = all.united(layout.nodes[i].rect);
    return all.center();
  }

 private slots:
  void no_line_crosses_a_box_and_no_label_covers_one() {
    for (unsigned seed = 0; seed < 150; ++seed) {
      RandomCluster random(seed);
      const auto check = [&](const ClusterLayout& layout, const std::set<std::string>& opened, const char* how) {
        const QString fault = fault_of(topology::topology_layout(random.cluster, layout, opened));
        QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("seed %1, %2: %3").arg(seed).arg(how, fault)));
      };
      std::set<std::string> all;
      for (const Node& node : random.cluster.nodes) all.insert(node.name);
      check({}, {}, "automatic");
      check({}, all, "automatic, open");
      check(random.racks(), {}, "racks");
      check(random.by_hand(), {}, "by hand");
    }
  }

  void a_line_over_a_box_is_found() {
    topology::Layout layout = topology::topology_layout(samples::cluster());
    QVERIFY(fault_of(layout).isEmpty());
    layout.links[0].path.insert(layout.links[0].path.end() - 1, layout.nodes[1].rect.center());
    QVERIFY(!fault_of(layout).isEmpty());
    layout = topology::topology_layout(samples::cluster());
    layout.labels[0].room.moveCenter(layout.switches[0].rect.center());
    QCOMPARE(fault_of(layout), "label over a box: " + layout.labels[0].text);
  }

  /// Links with different rates at one port are counted, others are multiplied.
  void links_at_one_port_share_a_label() {
    Cluster cluster = samples::cluster();
    cluster.switches.push_back({"other"});
    cluster.links.push_back({"n0", "other", {gigabytes_per_second(3.125), {}}});
    cluster.links.push_back({"n1", "other", {gigabytes_per_second(12.5), {}}});
    const topology::Layout layout = topology::topology_layout(cluster);
    QVERIFY(fault_of(layout).isEmpty());
    QCOMPARE(layout.labels.size(), std::size_t{2});
    QCOMPARE(layout.labels[0].text, QStringLiteral("2 × 25 Gbit/s"));
    QCOMPARE(layout.labels[1].text, QStringLiteral("2 links, 125 Gbit/s"));
    QCOMPARE(layout.hit(layout.labels[0].room.center()).value(), (topology::Hit{topology::Hit::label, 0}));
    // Two sources, two lanes: the lines meet nowhere.
    QVERIFY(layout.links[0].path.back() != layout.links[2].path.back());
  }

  void alike_nodes_are_one_box() {
    const Cluster cluster = alike_cluster(128, "p5.48xlarge-");
    const topology::Layout closed = topology::topology_layout(cluster);
    QCOMPARE(closed.ends().size(), std::size_t{2});
    QCOMPARE(closed.racks.front().name, QStringLiteral("128 × p5.48xlarge"));
    QCOMPARE(closed.racks.front().members.size(), std::size_t{128});
    QCOMPARE(closed.racks.front().lines.value(0), QStringLiteral("p5.48xlarge-0 to p5.48xlarge-127"));
    QCOMPARE(closed.racks.front().lines.value(1),
             QStringLiteral("8 × V100-16GB each, %1 in all").arg(QLocale().toString(1024)));
    QCOMPARE(samples::plain(closed.racks.front().lines.value(2)),
             QStringLiteral("130 GB/s inside, cards 8 × 400 Gbit/s"));
    QCOMPARE(closed.links.size(), std::size_t{1});
    QCOMPARE(closed.links.front().links.size(), std::size_t{128});
    QCOMPARE(closed.labels.front().text, "128 × " + topology::network_text(gigabytes_per_second(400)));

    const topology::Layout open = topology::topology_layout(cluster, {}, {"p5.48xlarge-7"});
    QCOMPARE(open.ends().size(), std::size_t{129});
    QVERIFY(fault_of(open).isEmpty());
    QCOMPARE(open.links.size(), std::size_t{1});
    for (const topology::TopologyNode& node : open.nodes) {
      QVERIFY(open.racks.front().rect.contains(node.rect));
      QCOMPARE(node.devices.size(), std::size_t{8});
      for (const topology::TopologyDevice& device : node.devices)
        QCOMPARE(open.hit(device.rect.center()).value(), (topology::Hit{topology::Hit::device, device.device}));
    }
    for (std::size_t i = 1; i < open.nodes.size(); ++i) QVERIFY(!open.nodes[i].rect.intersects(open.nodes[i - 1].rect));
  }

  void only_alike_nodes_are_in_a_group() {
    const auto groups = [](const Cluster& cluster, const ClusterLayout& layout = {}) {
      std::vector<std::size_t> sizes;
      for (const topology::AlikeNodes& group : topology::alike_nodes(cluster, layout, {}))
        sizes.push_back(group.nodes.size());
      return sizes;
    };
    using Sizes = std::vector<std::size_t>;
    QCOMPARE(groups(alike_cluster(8, "n")), Sizes());
    QCOMPARE(groups(alike_cluster(9, "n")), Sizes{9});
    Cluster cluster = alike_cluster(20, "n");
    cluster.nodes[3].devices.front().count = 4;
    cluster.nodes[4].nic.reset();
    cluster.nodes[5].link->bandwidth = gigabytes_per_second(64);
    cluster.links[6].link.bandwidth = gigabytes_per_second(100);
    cluster.links.push_back({"n7", "n8", cluster.links[0].link});
    QCOMPARE(groups(cluster), Sizes{14});
    ClusterLayout racks;
    racks.racks = {{"n0", "mine"}, {"n1", "mine"}};
    QCOMPARE(groups(cluster, racks), Sizes{12});
    cluster.bandwidth_matrix.emplace();
    QCOMPARE(groups(cluster), Sizes());
    // Pairs are groups only where there would be too many boxes.
    cluster = alike_cluster(60, "n");
    for (std::size_t i = 0; i < 60; ++i) cluster.nodes[i].devices.front().count = 1 + static_cast<int>(i / 2);
    QCOMPARE(groups(cluster), Sizes(30, 2));
  }

  void names_without_a_word_are_nodes() {
    QCOMPARE(topology::topology_layout(alike_cluster(16, "n")).racks.front().name, QStringLiteral("16 nodes"));
    QCOMPARE(topology::topology_layout(alike_cluster(16, "gpu2-")).racks.front().name, QStringLiteral("16 × gpu2"));
    QCOMPARE(topology::topology_layout(alike_cluster(16, "node")).racks.front().name, QStringLiteral("16 × node"));
  }

  /// The place of a closed group is kept, and so are its nodes' places in the open one.
  void a_group_moves_as_a_whole() {
    const Cluster cluster = alike_cluster(30, "n");
    ClusterLayout layout;
    layout.places = topology::topology_layout(cluster).places;
    for (auto& [place, at] : layout.places)
      if (place != "tor") at.x += 700, at.y += 140;
    const topology::Layout moved = topology::topology_layout(cluster, layout);
    QCOMPARE(moved.racks.front().rect.topLeft(),
             topology::topology_layout(cluster).racks.front().rect.topLeft() + QPointF(700, 140));
    QVERIFY(fault_of(moved).isEmpty());
    QVERIFY(fault_of(topology::topology_layout(cluster, layout, {"n0"})).isEmpty());
  }

  void a_new_box_finds_a_free_place() {
    const topology::Layout layout = topology::topology_layout(samples::cluster());
    const QSizeF size = topology::switch_size();
    for (const topology::End& end : layout.ends()) {
      const QPointF at = layout.rect_of(end).topLeft();
      const ClusterLayout::Place place = topology::free_place(layout, size, {at.x(), at.y()});
      for (const topology::End& other : layout.ends())
        QVERIFY(!layout.rect_of(other).intersects(QRectF(QPointF(place.x, place.y), size)));
      QVERIFY(std::hypot(place.x - at.x(), place.y - at.y()) < 500);
    }
    const ClusterLayout::Place far{5000, 5000};
    QCOMPARE(topology::free_place(layout, size, far), far);
  }

  void each_leaf_is_above_its_nodes() {
    Cluster cluster = alike_cluster(24, "n");
    cluster.switches = {{"leaf0"}, {"leaf1"}, {"leaf2"}, {"spine"}};
    for (std::size_t i = 0; i < 24; ++i) cluster.links[i].to = "leaf" + std::to_string(i / 8);
    for (const char* leaf : {"leaf0", "leaf1", "leaf2"})
      cluster.links.push_back({leaf, "spine", {gigabytes_per_second(100), {}}});
    const topology::Layout layout = topology::topology_layout(cluster);
    QVERIFY(fault_of(layout).isEmpty());
    for (std::size_t i = 0; i < 24; ++i) {
      const QRectF leaf = layout.switches[i / 8].rect;
      QVERIFY(leaf.bottom() < layout.nodes[i].rect.top());
      QVERIFY(std::abs(leaf.center().x() - centre_of(layout, i / 8 * 8).x()) <= topology::topology_grid);
      QVERIFY(layout.switches[3].rect.bottom() < leaf.top());
    }
  }
};

PIPEDECK_TEST(TestTopologyRoutes)

}  // namespace pipedeck::tst_topology_routes

#include "tst_topology_routes.moc"
