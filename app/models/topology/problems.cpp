// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/problems.hpp"

#include <algorithm>
#include <numeric>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"

namespace pipedeck::models::topology {

namespace {

struct ProblemText {
  Q_DECLARE_TR_FUNCTIONS(TopologyProblems)
};

class Search {
 public:
  explicit Search(const Cluster& cluster) : cluster_(cluster) {
    for (const Node& node : cluster.nodes) add_place(node.name);
    for (const Switch& s : cluster.switches) add_place(s.name);
    group_.resize(cluster.nodes.size() + cluster.switches.size());
    std::iota(group_.begin(), group_.end(), std::size_t{0});
  }

  std::vector<TopologyProblem> all() {
    if (cluster_.nodes.empty())
      say(TopologyProblem::error, ProblemText::tr("No nodes yet: add one from the palette"), {});
    inspect_types();
    inspect_names();
    inspect_nodes();
    if (!cluster_.bandwidth_matrix) {
      inspect_links();
      if (!is_one_domain(cluster_)) inspect_reach();
      inspect_switches();
    }
    std::ranges::stable_sort(found_, {}, &TopologyProblem::severity);
    return std::move(found_);
  }

 private:
  void say(TopologyProblem::Severity severity, const QString& text, Selection at) {
    found_.push_back({severity, text, std::move(at)});
  }

  void add_place(const std::string& name) { position_.emplace(name, position_.size()); }

  /// Returns the nodes with devices of the type.
  Selection nodes_with(const std::string& type) const {
    Selection at;
    for (const Node& node : cluster_.nodes)
      if (std::ranges::any_of(node.devices, [&](const DeviceGroup& group) { return group.type == type; }))
        at.places.insert(node.name);
    return at;
  }

  void inspect_types() {
    std::set<std::string> names;
    for (const DeviceType& type : cluster_.device_types) {
      if (type.memory.count <= 0)
        say(TopologyProblem::error, ProblemText::tr("Device type %1 has no memory").arg(text::to_qstring(type.name)),
            nodes_with(type.name));
      if (!names.insert(type.name).second)
        say(TopologyProblem::error, ProblemText::tr("Two device types are named %1").arg(text::to_qstring(type.name)),
            nodes_with(type.name));
    }
    for (const Node& node : cluster_.nodes)
      for (const DeviceGroup& group : node.devices)
        if (!names.contains(group.type))
          say(TopologyProblem::error,
              ProblemText::tr("%1 has devices of type %2, which is not defined")
                  .arg(text::to_qstring(node.name), text::to_qstring(group.type)),
              {{node.name}, {}});
  }

  void inspect_names() {
    std::set<std::string> names;
    const auto look = [&](const std::string& name) {
      if (!names.insert(name).second)
        say(TopologyProblem::error, ProblemText::tr("Two nodes or switches are named %1").arg(text::to_qstring(name)),
            {{name}, {}});
    };
    for (const Node& node : cluster_.nodes) look(node.name);
    for (const Switch& s : cluster_.switches) look(s.name);
  }

  void inspect_nodes() {
    for (const Node& node : cluster_.nodes) {
      const int devices = device_count(node);
      if (devices == 0)
        say(TopologyProblem::error, ProblemText::tr("%1 has no device").arg(text::to_qstring(node.name)),
            {{node.name}, {}});
      if (devices > 1 && !node.link && !cluster_.bandwidth_matrix)
        say(TopologyProblem::error,
            ProblemText::tr("The %1 devices inside %2 are not connected: set the bandwidth inside the node")
                .arg(devices)
                .arg(text::to_qstring(node.name)),
            {{node.name}, {}});
    }
  }

  void inspect_links() {
    std::map<std::pair<std::string, std::string>, int> first;
    for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
      const NetworkLink& link = cluster_.links[i];
      const int index = static_cast<int>(i);
      const QString title = ProblemText::tr("%1 – %2").arg(text::to_qstring(link.from), text::to_qstring(link.to));
      if (!(link.link.bandwidth.count > 0))
        say(TopologyProblem::error, ProblemText::tr("The link %1 has no bandwidth").arg(title), {{}, {index}});
      if (!position_.contains(link.from) || !position_.contains(link.to))
        say(TopologyProblem::error, ProblemText::tr("The link %1 has a missing end").arg(title), {{}, {index}});
      else if (link.from == link.to)
        say(TopologyProblem::error, ProblemText::tr("The link %1 joins a node to itself").arg(title), {{}, {index}});
      else
        join(position_[link.from], position_[link.to]);
      if (const auto [at, fresh] = first.try_emplace(std::minmax(link.from, link.to), index); !fresh)
        say(TopologyProblem::warning, ProblemText::tr("%1 are linked twice: paths use the wider link").arg(title),
            {{}, {at->second, index}});
    }
  }

  std::size_t root(std::size_t place) {
    while (group_[place] != place) place = group_[place] = group_[group_[place]];
    return place;
  }
  void join(std::size_t a, std::size_t b) { group_[root(a)] = root(b); }

  /// Compares with the largest group of connected nodes.
  void inspect_reach() {
    std::map<std::size_t, int> sizes;
    for (const Node& node : cluster_.nodes) ++sizes[root(position_[node.name])];
    if (sizes.size() < 2) return;
    std::size_t largest = root(position_[cluster_.nodes.front().name]);
    for (const Node& node : cluster_.nodes)
      if (const std::size_t group = root(position_[node.name]); sizes[group] > sizes[largest]) largest = group;
    const auto some =
        std::ranges::find_if(cluster_.nodes, [&](const Node& n) { return root(position_[n.name]) == largest; });
    for (const Node& node : cluster_.nodes)
      if (root(position_[node.name]) != largest)
        say(TopologyProblem::error,
            ProblemText::tr("%1 cannot be reached from %2: link them, or link both to a switch")
                .arg(text::to_qstring(node.name), text::to_qstring(some->name)),
            {{node.name}, {}});
  }

  void inspect_switches() {
    std::map<std::string, int> links;
    for (const NetworkLink& link : cluster_.links) ++links[link.from], ++links[link.to];
    for (const Switch& s : cluster_.switches) {
      if (links[s.name] == 0)
        say(TopologyProblem::warning, ProblemText::tr("No link leads to switch %1").arg(text::to_qstring(s.name)),
            {{s.name}, {}});
      if (links[s.name] == 1)
        say(TopologyProblem::warning, ProblemText::tr("Only one link leads to switch %1").arg(text::to_qstring(s.name)),
            {{s.name}, {}});
    }
  }

  const Cluster& cluster_;
  std::map<std::string, std::size_t> position_;
  std::vector<std::size_t> group_;
  std::vector<TopologyProblem> found_;
};

}  // namespace

std::vector<TopologyProblem> topology_problems(const Cluster& cluster) { return Search(cluster).all(); }

}  // namespace pipedeck::models::topology
