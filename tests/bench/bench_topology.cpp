// SPDX-License-Identifier: GPL-3.0-or-later
// How long the topology page takes for a step of a drag, frame included: 64 nodes of 8 devices in 1920 x 1080. And how
// long it takes to open a cluster of 2,048 nodes.
// usage: bench_topology
#include <algorithm>
#include <cstdio>
#include <ctime>

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>

#include "app/views/topology/view.hpp"

using namespace pipedeck;

namespace {

/// `racks` racks of nodes on a switch each, the switches on a spine; one rack: all on one switch.
Cluster cluster_of(int nodes, int devices, int racks) {
  Cluster cluster;
  cluster.name = "bench";
  DeviceType type;
  type.name = "H100-SXM";
  type.memory = Bytes(std::int64_t{80} << 30);
  cluster.device_types = {type};
  const Link link{gigabytes_per_second(50), microseconds(5)};
  for (int r = 0; r < racks; ++r) {
    cluster.switches.push_back({"leaf" + std::to_string(r)});
    if (racks > 1) cluster.links.push_back({cluster.switches.back().name, "spine", link});
  }
  if (racks > 1) cluster.switches.push_back({"spine"});
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "node" + std::to_string(i);
    cluster.nodes.push_back({name, {{type.name, devices}}, link, false, {}});
    cluster.links.push_back({name, cluster.switches[static_cast<std::size_t>(i % racks)].name, link});
  }
  return cluster;
}

ClusterLayout racks_of(const Cluster& cluster, int racks) {
  ClusterLayout layout;
  for (std::size_t i = 0; racks > 1 && i < cluster.nodes.size(); ++i)
    layout.racks[cluster.nodes[i].name] = "rack " + std::to_string(static_cast<int>(i) % racks);
  return layout;
}

/// Processor time besides: other programs on the machine do not count in it.
double cpu_ms() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

class Steps {
 public:
  template <class Step>
  void time(const Step& step) {
    QElapsedTimer timer;
    const double before = cpu_ms();
    timer.start();
    step();
    wall_.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    cpu_.push_back(cpu_ms() - before);
  }
  void print(const char* name) {
    std::printf("%-34s wall p50 %5.1f p95 %5.1f most %5.1f ms, processor p95 %5.1f ms\n", name, at(wall_, 0.5),
                at(wall_, 0.95), at(wall_, 1), at(cpu_, 0.95));
  }

 private:
  static double at(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  }
  std::vector<double> wall_, cpu_;
};

void measure(const char* name, views::topology::View& view, QPoint from, int steps = 200) {
  views::topology::Canvas& canvas = *view.canvas();
  QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
  QTest::mouseMove(&canvas, from + QPoint(6, 6));
  canvas.repaint();
  Steps times;
  for (int i = 0; i < steps; ++i)
    times.time([&] {
      QTest::mouseMove(&canvas, from + QPoint(10 + i % 120, 8 + i * 7 % 90));
      canvas.repaint();
    });
  canvas.cancel();
  QTest::mouseRelease(&canvas, Qt::LeftButton, {}, from);
  times.print(name);
}

void measure_all(const char* shape, int racks) {
  std::printf("%s\n", shape);
  const Cluster cluster = cluster_of(64, 8, racks);
  views::topology::View view;
  view.resize(1920, 1080);
  view.show();
  (void)QTest::qWaitForWindowExposed(&view);
  Steps opening;
  opening.time([&] {
    view.set_cluster(std::make_shared<const Cluster>(cluster), racks_of(cluster, racks), 1);
    view.grab();
  });
  opening.print("  opening the page");
  const auto seen = [&](const QRectF& rect) { return view.canvas()->camera().to_view(rect.center()).toPoint(); };
  const auto header = [&](std::size_t i) { return seen(view.scene().nodes[i].header); };
  measure("  drag a node, all in sight", view, header(20));
  measure("  drag a switch of all", view, seen(view.scene().switches.back().rect));
  view.canvas()->select_all();
  measure("  drag everything", view, header(20));
  view.canvas()->select({});
  measure("  draw a link", view, seen(QRectF(view.scene().nodes[20].port, QSizeF(0, 0))));
  Steps panning;
  QTest::mousePress(view.canvas(), Qt::MiddleButton, {}, {400, 300});
  for (int i = 0; i < 100; ++i)
    panning.time([&] {
      QTest::mouseMove(view.canvas(), QPoint(400 + 3 * i % 200, 300 + 5 * i % 90));
      view.canvas()->repaint();
    });
  QTest::mouseRelease(view.canvas(), Qt::MiddleButton, {}, {400, 300});
  panning.print("  pan, all in sight");
  view.canvas()->zoom_by(0.56 / view.canvas()->camera().zoom);
  measure("  drag a node, devices drawn", view, view.canvas()->rect().center());
  Steps close;
  for (int i = 0; i < 60; ++i)
    close.time([&] {
      view.canvas()->zoom_by(i % 2 ? 1.01 : 1 / 1.01);
      view.canvas()->repaint();
    });
  close.print("  zoom, devices drawn");
}

/// 16,384 devices: opening the page, opening the nodes of a group, closing them.
void measure_opening(const char* shape, int leaves) {
  const auto cluster = std::make_shared<const Cluster>(cluster_of(2048, 8, leaves));
  Steps opening, nodes, closing;
  for (int i = 0; i < 5; ++i) {
    views::topology::View view;
    view.resize(1680, 1050);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
    opening.time([&] {
      view.set_cluster(cluster, {}, 1);
      view.grab();
    });
    view.canvas()->select_all();
    const auto toggle = [&](bool open) {
      view.canvas()->set_groups_open(open);
      view.grab();
    };
    nodes.time([&] { toggle(true); });
    closing.time([&] { toggle(false); });
  }
  std::printf("%s\n", shape);
  opening.print("  opening the page");
  nodes.print("  opening all groups");
  closing.print("  closing all groups");
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  measure_opening("2,048 nodes x 8 devices on one switch", 1);
  measure_opening("2,048 nodes x 8 devices on 64 leaves", 64);
  measure_opening("2,048 nodes x 8 devices on 256 leaves", 256);
  measure_all("64 nodes x 8 devices on one switch", 1);
  measure_all("64 nodes x 8 devices in 8 racks", 8);
  return 0;
}
