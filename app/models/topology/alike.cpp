// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/alike.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <QCoreApplication>
#include <QLocale>

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

namespace {

struct AlikeText {
  Q_DECLARE_TR_FUNCTIONS(Topology)
};

constexpr std::size_t most_single = 8;      ///< alike nodes that are drawn one by one
constexpr std::size_t readable_boxes = 48;  ///< in a drawing of more boxes, any two alike nodes are a group
constexpr double open_aspect = 1.7;
constexpr std::size_t max_columns = 16;
constexpr double node_gap = 10, node_side = 14, node_top = 54, node_bottom = 14;  ///< between nodes, and around them

/// Returns a text that is equal for alike nodes, without the links.
std::string inner_key(const Node& node) {
  std::string key = node.bus ? "bus" : "ports";
  const auto add = [&](double value) { key += ' ' + std::to_string(value); };
  for (const DeviceGroup& group : node.devices) key += '\n' + group.type + ' ' + std::to_string(group.count);
  key += '\n';
  if (node.link) add(node.link->bandwidth.count), add(node.link->latency.count * 1e9);
  key += '\n';
  if (node.nic) add(node.nic->count);
  key += '\n' + node.domain;
  return key;
}

/// Returns a text for each node that is equal for alike ones.
std::vector<std::string> keys_of(const Cluster& cluster) {
  std::map<std::string, std::size_t> position;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) position.emplace(cluster.nodes[i].name, i);
  std::vector<std::vector<std::string>> links(cluster.nodes.size());
  const auto add = [&](const std::string& at, const std::string& other, const Link& link) {
    if (const auto node = position.find(at); node != position.end())
      links[node->second].push_back(other + ' ' + std::to_string(link.bandwidth.count) + ' ' +
                                    std::to_string(link.latency.count * 1e9));
  };
  for (const NetworkLink& link : cluster.links) {
    add(link.from, link.to, link.link);
    add(link.to, link.from, link.link);
  }
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    keys.push_back(inner_key(cluster.nodes[i]));
    std::ranges::sort(links[i]);
    for (const std::string& link : links[i]) keys.back() += '\n' + link;
  }
  return keys;
}

std::string common_stem(const Cluster& cluster, const std::vector<std::size_t>& nodes) {
  std::string stem = cluster.nodes[nodes.front()].name;
  bool digits_differ = false;
  for (const std::size_t n : nodes) {
    const std::string& name = cluster.nodes[n].name;
    const auto [ours, theirs] = std::ranges::mismatch(stem, name);
    const auto digit = [](auto at, auto end) { return at != end && *at >= '0' && *at <= '9'; };
    digits_differ = digits_differ || digit(ours, stem.end()) || digit(theirs, name.end());
    stem.erase(ours, stem.end());
  }
  while (digits_differ && !stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
  while (!stem.empty() && std::string("-_. ").find(stem.back()) != std::string::npos) stem.pop_back();
  return stem;
}

QString counted(int count, const QString& words) { return QStringLiteral("%1 × %2").arg(count).arg(words); }

QString devices_text(const Node& node) {
  QStringList parts;
  for (const DeviceGroup& group : node.devices) parts << counted(group.count, QString::fromStdString(group.type));
  return parts.join(QStringLiteral(", "));
}

QString inside_words(const Node& node) {
  const QString rate = inside_text(node.link->bandwidth);
  return node.bus ? AlikeText::tr("bus %1").arg(rate) : AlikeText::tr("%1 inside").arg(rate);
}

}  // namespace

std::size_t AlikeNodes::columns(const Cluster& cluster) const {
  const QSizeF one = compact_size(cluster.nodes[nodes.front()]);
  const double wide = one.width() + node_gap, high = one.height() + node_gap;
  const auto wanted = std::llround(std::sqrt(static_cast<double>(nodes.size()) * open_aspect * high / wide));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 2, max_columns);
}

QPointF AlikeNodes::corner(const Cluster& cluster, std::size_t n) const {
  const QSizeF one = compact_size(cluster.nodes[nodes.front()]);
  const std::size_t in_row = columns(cluster), column = n % in_row, row = n / in_row;
  return {node_side + static_cast<double>(column) * (one.width() + node_gap),
          node_top + static_cast<double>(row) * (one.height() + node_gap)};
}

QSizeF AlikeNodes::size(const Cluster& cluster) const {
  if (!open) return alike_size();
  const QSizeF one = compact_size(cluster.nodes[nodes.front()]);
  const std::size_t in_row = std::min(columns(cluster), nodes.size());
  const QPointF right = corner(cluster, in_row - 1), last = corner(cluster, nodes.size() - 1);
  return {std::max(alike_size().width(), right.x() + one.width() + node_side), last.y() + one.height() + node_bottom};
}

std::vector<AlikeNodes> alike_nodes(const Cluster& cluster, const ClusterLayout& layout,
                                    const std::set<std::string>& opened) {
  if (cluster.bandwidth_matrix || cluster.nodes.size() <= most_single) return {};
  const std::vector<std::string> keys = keys_of(cluster);
  std::map<std::string, std::size_t> position;
  std::vector<AlikeNodes> all;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    if (layout.racks.contains(cluster.nodes[i].name)) continue;
    const auto [at, fresh] = position.emplace(keys[i], all.size());
    if (fresh) all.emplace_back();
    all[at->second].nodes.push_back(i);
  }
  std::size_t boxes = 0;
  for (const AlikeNodes& group : all) boxes += group.nodes.size() > most_single ? 1 : group.nodes.size();
  const std::size_t least = boxes > readable_boxes ? 2 : most_single + 1;
  std::erase_if(all, [&](const AlikeNodes& group) { return group.nodes.size() < least; });
  for (AlikeNodes& group : all)
    group.open = !opened.empty() && std::ranges::any_of(group.nodes, [&](std::size_t n) {
      return opened.contains(cluster.nodes[n].name);
    });
  return all;
}

QString alike_title(const Cluster& cluster, const AlikeNodes& group) {
  constexpr std::size_t shortest_word = 3;
  const QString count = QLocale().toString(static_cast<qlonglong>(group.nodes.size()));
  const std::string stem = common_stem(cluster, group.nodes);
  return stem.size() < shortest_word ? AlikeText::tr("%1 nodes").arg(count)
                                     : QStringLiteral("%1 × %2").arg(count, QString::fromStdString(stem));
}

QStringList node_details(const Node& node) {
  const int devices = device_count(node);
  QStringList details{devices_text(node)};
  if (node.link && devices > 1) details << inside_words(node);
  if (node.nic) details << counted(devices, network_text(*node.nic));
  return details;
}

QStringList alike_lines(const Cluster& cluster, const AlikeNodes& group) {
  const Node &first = cluster.nodes[group.nodes.front()], &last = cluster.nodes[group.nodes.back()];
  const int devices = device_count(first);
  const auto all = static_cast<qlonglong>(group.nodes.size()) * devices;
  QStringList lines{
      AlikeText::tr("%1 to %2").arg(QString::fromStdString(first.name), QString::fromStdString(last.name)),
      AlikeText::tr("%1 each, %2 in all").arg(devices_text(first), QLocale().toString(all))};
  QStringList rates;
  if (first.link && devices > 1) rates << inside_words(first);
  if (first.nic) rates << AlikeText::tr("cards %1").arg(counted(devices, network_text(*first.nic)));
  if (!rates.isEmpty()) lines << rates.join(QStringLiteral(", "));
  if (!first.domain.empty()) lines << AlikeText::tr("joined by their links");
  return lines;
}

}  // namespace pipedeck::models::topology
