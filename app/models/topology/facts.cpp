// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/facts.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::topology {

namespace {

struct FactText {
  Q_DECLARE_TR_FUNCTIONS(Facts)
};

QString device_count_text(int count) {
  return count == 1 ? FactText::tr("1 device") : FactText::tr("%1 devices").arg(count);
}

void take_node(Facts& facts, const Node& node) {
  const bool first = facts.nodes.empty();
  facts.nodes.push_back(node.name);
  facts.devices.take(node.devices, first);
  int devices = 0;
  for (const DeviceGroup& group : node.devices) {
    devices += group.count;
    if (std::ranges::find(facts.types, group.type) == facts.types.end()) facts.types.push_back(group.type);
  }
  facts.several_inside = facts.several_inside || devices > 1;
  facts.inside.take(node.link ? std::optional(node.link->bandwidth.count) : std::nullopt, first);
  facts.inside_latency.take(node.link ? std::optional(node.link->latency.count) : std::nullopt, first);
  facts.bus.take(node.bus, first);
  facts.nic.take(node.nic ? std::optional(node.nic->count) : std::nullopt, first);
}

void take_link(Facts& facts, const Cluster& cluster, int index) {
  const bool first = facts.links.empty();
  const Link& link = cluster.links[static_cast<std::size_t>(index)].link;
  facts.links.push_back(index);
  facts.bandwidth.take(link.bandwidth.count, first);
  facts.latency.take(link.latency.count, first);
}

QString title_of(const Facts& facts, const Cluster& cluster) {
  const auto n = facts.nodes.size(), s = facts.switches.size(), l = facts.links.size();
  if (n + s + l == 0) return FactText::tr("CLUSTER");
  if (n == 1 && s + l == 0) return FactText::tr("NODE %1").arg(text::to_qstring(facts.nodes.front()));
  if (s == 1 && n + l == 0) return FactText::tr("SWITCH %1").arg(text::to_qstring(facts.switches.front()));
  if (l == 1 && n + s == 0) {
    const NetworkLink& link = cluster.links[static_cast<std::size_t>(facts.links.front())];
    return FactText::tr("LINK %1 – %2").arg(text::to_qstring(link.from), text::to_qstring(link.to));
  }
  QStringList parts;
  if (n > 0) parts << (n == 1 ? FactText::tr("1 NODE") : FactText::tr("%1 NODES").arg(n));
  if (s > 0) parts << (s == 1 ? FactText::tr("1 SWITCH") : FactText::tr("%1 SWITCHES").arg(s));
  if (l > 0) parts << (l == 1 ? FactText::tr("1 LINK") : FactText::tr("%1 LINKS").arg(l));
  return parts.join(QStringLiteral(", "));
}

/// Describes the devices and their price, of the selected nodes or of all.
QString detail_of(const Facts& facts, const Cluster& cluster, const std::set<std::string>& chosen) {
  const bool all = facts.nodes.empty() && facts.switches.empty() && facts.links.empty();
  int devices = 0;
  double price = 0;
  bool priced = true;
  for (const Node& node : cluster.nodes) {
    if (!all && !chosen.contains(node.name)) continue;
    for (const DeviceGroup& group : node.devices) {
      const DeviceType* type = find_device_type(cluster, group.type);
      devices += group.count;
      priced = priced && type && type->price_per_hour;
      if (priced) price += *type->price_per_hour * group.count;
    }
  }
  if (devices == 0) return {};
  return priced ? FactText::tr("%1 · %2 per hour").arg(device_count_text(devices), format_price(price))
                : device_count_text(devices);
}

}  // namespace

Facts topology_facts(const Cluster& cluster, const Selection& selection) {
  Facts facts;
  for (const Node& node : cluster.nodes)
    if (selection.places.contains(node.name)) take_node(facts, node);
  for (const Switch& s : cluster.switches)
    if (selection.places.contains(s.name)) facts.switches.push_back(s.name);
  for (const int link : selection.links)
    if (link >= 0 && link < static_cast<int>(cluster.links.size())) take_link(facts, cluster, link);
  facts.title = title_of(facts, cluster);
  facts.detail = detail_of(facts, cluster, selection.places);
  if (selection.empty())
    for (const DeviceType& type : cluster.device_types) facts.types.push_back(type.name);
  return facts;
}

}  // namespace pipedeck::models::topology
