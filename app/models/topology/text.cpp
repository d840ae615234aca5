// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the topology view: tips, labels and the summary.
#include <algorithm>
#include <map>
#include <string>

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

namespace {

struct TopologyText {
  Q_DECLARE_TR_FUNCTIONS(Topology)
};

QString number(double value) { return QLocale().toString(value, 'g', 4); }

}  // namespace

QString network_text(BytesPerSecond bandwidth) {
  const double bits = bandwidth.count * 8 / 1e9;
  return bits >= 1 ? TopologyText::tr("%1 Gbit/s").arg(number(bits))
                   : TopologyText::tr("%1 Mbit/s").arg(number(bits * 1e3));
}

QString inside_text(BytesPerSecond bandwidth) { return format_rate(bandwidth); }

namespace {

QString device_tip(const Cluster& cluster, int index) {
  const Device device = devices_of(cluster)[static_cast<std::size_t>(index)];
  const DeviceType& type = cluster.device_types[static_cast<std::size_t>(device.type)];
  QStringList lines{TopologyText::tr("<b>G%1</b> · %2 in %3")
                        .arg(index)
                        .arg(QString::fromStdString(type.name).toHtmlEscaped(),
                             QString::fromStdString(cluster.nodes[device.node.index()].name).toHtmlEscaped()),
                    TopologyText::tr("memory %1 GiB · relative speed %2")
                        .arg(number(static_cast<double>(type.memory.count) / (1 << 30)), number(type.relative_speed))};
  QStringList peaks;
  for (const auto& [precision, tflops] : type.peak_tflops)
    peaks << TopologyText::tr("%1 TFLOP/s %2").arg(number(tflops), QString::fromStdString(precision));
  if (type.memory_bandwidth) peaks << TopologyText::tr("memory at %1").arg(inside_text(*type.memory_bandwidth));
  if (type.price_per_hour) peaks << TopologyText::tr("%1 per hour").arg(format_price(*type.price_per_hour));
  if (!peaks.isEmpty()) lines << peaks.join(QStringLiteral(" · "));
  return lines.join(QStringLiteral("<br>"));
}

QString node_tip(const Cluster& cluster, int index) {
  const Node& node = cluster.nodes[static_cast<std::size_t>(index)];
  QStringList groups;
  for (const DeviceGroup& group : node.devices)
    groups << QStringLiteral("%1 × %2").arg(group.count).arg(QString::fromStdString(group.type).toHtmlEscaped());
  QString tip =
      TopologyText::tr("<b>%1</b> · %2").arg(QString::fromStdString(node.name).toHtmlEscaped(), groups.join(", "));
  if (node.link)
    tip += TopologyText::tr("<br>inside: %1, latency %2 µs, %3")
               .arg(inside_text(node.link->bandwidth), number(in_microseconds(node.link->latency)),
                    node.bus ? TopologyText::tr("one bus for all") : TopologyText::tr("a full-duplex port each"));
  if (node.nic) tip += TopologyText::tr("<br>network card per device: %1").arg(network_text(*node.nic));
  if (!node.domain.empty())
    tip += TopologyText::tr("<br>joined to the nodes of %1").arg(QString::fromStdString(node.domain).toHtmlEscaped());
  return tip;
}

}  // namespace

QString tool_tip(const Cluster& cluster, const Hit& hit) {
  switch (hit.kind) {
    case Hit::device:
      return device_tip(cluster, hit.index);
    case Hit::node:
      return node_tip(cluster, hit.index);
    case Hit::network_switch:
      return TopologyText::tr("<b>%1</b> · switch")
          .arg(QString::fromStdString(cluster.switches[static_cast<std::size_t>(hit.index)].name).toHtmlEscaped());
    case Hit::rack:
    case Hit::label:
      return {};  // only in the drawing, which has the text
    case Hit::link:
      break;
  }
  const NetworkLink& link = cluster.links[static_cast<std::size_t>(hit.index)];
  return TopologyText::tr("<b>%1 – %2</b><br>%3 (%4) each way, latency %5 µs")
      .arg(QString::fromStdString(link.from).toHtmlEscaped(), QString::fromStdString(link.to).toHtmlEscaped(),
           network_text(link.link.bandwidth), inside_text(link.link.bandwidth),
           number(in_microseconds(link.link.latency)));
}

QString summary(const Cluster& cluster) {
  std::map<std::string, int> by_type;
  int devices = 0;
  for (const Node& node : cluster.nodes)
    for (const DeviceGroup& group : node.devices) by_type[group.type] += group.count, devices += group.count;
  const auto nodes = cluster.nodes.size();
  QStringList parts{nodes == 1 ? TopologyText::tr("1 node") : TopologyText::tr("%1 nodes").arg(nodes),
                    devices == 1 ? TopologyText::tr("1 device") : TopologyText::tr("%1 devices").arg(devices)};
  for (const auto& [type, count] : by_type)
    parts << QStringLiteral("%1 × %2").arg(count).arg(QString::fromStdString(type));
  return parts.join(QStringLiteral(" · "));
}

}  // namespace pipedeck::models::topology
