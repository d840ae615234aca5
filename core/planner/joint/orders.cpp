// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/orders.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::joint {

namespace {

using Order = std::vector<DeviceId>;

constexpr int all_orders_up_to = 8;     // devices
constexpr std::size_t max_orders = 36;  // if all orders are tried
constexpr int scattered_up_to = 256;    // devices
constexpr int compared_nodes = 128;     // beyond it, nodes count as different

class Orders {
 public:
  explicit Orders(search::Chain& chain) : chain_(chain), network_(chain.network()), count_(network_.device_count()) {
    for (int d = 0; d < count_; ++d) all_.push_back(DeviceId(d));
    classify_nodes();
  }

  std::vector<Order> run() {
    if (count_ <= all_orders_up_to && enumerate()) return std::move(orders_);
    orders_.clear(), seen_.clear();
    add_both(all_);
    add_both(sorted([&](DeviceId d) { return speed(network_.device(d).type); }));
    add_both(sorted([&](DeviceId d) { return static_cast<double>(network_.type(d).memory.count); }));
    if (count_ > scattered_up_to) return std::move(orders_);
    add_both(scattered(all_));
    add_both(scattered(sorted([&](DeviceId d) { return speed(network_.device(d).type); })));
    return std::move(orders_);
  }

 private:
  /// Returns a key by the time of the whole model: a higher value is faster.
  double speed(int type) {
    const search::PassTimes& times = chain_.times(chain_.profile().micro_batch, type);
    return -(times.forward_of(0, chain_.layers()) + times.backward_of(0, chain_.layers()));
  }

  // --- equal nodes and devices

  /// Assigns one class to nodes of the same devices, inside link and paths to all other nodes.
  void classify_nodes() {
    std::vector<std::vector<DeviceId>> nodes(search::at(network_.node_count()));
    for (const DeviceId device : all_) nodes[network_.node_of(device).index()].push_back(device);
    node_class_.resize(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      node_class_[n] = static_cast<int>(n);
      if (static_cast<int>(nodes.size()) > compared_nodes || chain_.cluster().bandwidth_matrix) continue;
      for (std::size_t m = 0; m < n; ++m)
        if (node_class_[m] == static_cast<int>(m) && alike(nodes, m, n)) {
          node_class_[n] = node_class_[m];
          break;
        }
    }
  }

  bool alike(const std::vector<std::vector<DeviceId>>& nodes, std::size_t a, std::size_t b) const {
    const auto same_type = [&](DeviceId x, DeviceId y) { return network_.device(x).type == network_.device(y).type; };
    if (!std::equal(nodes[a].begin(), nodes[a].end(), nodes[b].begin(), nodes[b].end(), same_type)) return false;
    const auto same = [](const cost::Path& x, const cost::Path& y) {
      return x.bandwidth == y.bandwidth && x.latency == y.latency;
    };
    if (nodes[a].empty()) return true;
    if (nodes[a].size() > 1 && !same(network_.path(nodes[a][0], nodes[a][1]), network_.path(nodes[b][0], nodes[b][1])))
      return false;
    for (std::size_t c = 0; c < nodes.size(); ++c) {
      if (c == a || c == b || nodes[c].empty()) continue;
      if (!same(network_.path(nodes[a][0], nodes[c][0]), network_.path(nodes[b][0], nodes[c][0])) ||
          !same(network_.widest_ring_path(nodes[a][0], nodes[c][0]),
                network_.widest_ring_path(nodes[b][0], nodes[c][0])))
        return false;
    }
    return true;
  }

  /// Returns a key, equal for orders in which only equal devices or nodes have changed places.
  std::vector<int> signature(const Order& order) const {
    std::vector<int> word;
    std::map<int, std::map<int, int>> rank;  // of a node within its class, by first use
    for (const DeviceId device : order) {
      if (is_pinned(device) || chain_.cluster().bandwidth_matrix) {
        word.insert(word.end(), {-1, device.value, 0});
        continue;
      }
      const int node = network_.node_of(device).value, kind = node_class_[search::at(node)];
      auto& ranks = rank[kind];
      const int mine = ranks.try_emplace(node, static_cast<int>(ranks.size())).first->second;
      word.insert(word.end(), {kind, mine, network_.device(device).type});
    }
    return word;
  }

  bool is_pinned(DeviceId device) const {
    const auto& pins = chain_.problem().pins.layers;
    return std::any_of(pins.begin(), pins.end(), [&](const auto& pin) { return pin.second == device; });
  }

  // --- all orders

  bool enumerate() {
    Order order;
    std::vector<bool> used(search::at(count_), false);
    return extend(order, used);
  }

  /// Extends the order in all ways. Returns false if there are too many.
  bool extend(Order& order, std::vector<bool>& used) {
    if (static_cast<int>(order.size()) == count_) {
      orders_.push_back(order);
      return orders_.size() <= max_orders;
    }
    std::set<std::vector<int>> tried;
    for (const DeviceId device : all_) {
      if (used[device.index()]) continue;
      order.push_back(device);
      used[device.index()] = true;
      const bool fine = !tried.insert(signature(order)).second || extend(order, used);
      used[device.index()] = false;
      order.pop_back();
      if (!fine) return false;
    }
    return true;
  }

  // --- some orders

  template <class Key>
  Order sorted(Key key) const {
    std::map<int, double> by_type;
    for (const DeviceId device : all_) by_type.try_emplace(network_.device(device).type, key(device));
    Order order = all_;
    std::stable_sort(order.begin(), order.end(), [&](DeviceId a, DeviceId b) {
      return by_type.at(network_.device(a).type) > by_type.at(network_.device(b).type);
    });
    return order;
  }

  /// Returns one device of each node in turn.
  Order scattered(const Order& order) const {
    std::vector<Order> nodes;
    std::map<int, std::size_t> index;
    for (const DeviceId device : order) {
      const auto place = index.try_emplace(network_.node_of(device).value, nodes.size()).first->second;
      if (place == nodes.size()) nodes.emplace_back();
      nodes[place].push_back(device);
    }
    Order out;
    for (std::size_t i = 0; out.size() < order.size(); ++i)
      for (const Order& node : nodes)
        if (i < node.size()) out.push_back(node[i]);
    return out;
  }

  void add_both(const Order& order) {
    add(order);
    add({order.rbegin(), order.rend()});
  }

  void add(Order order) {
    place_pinned(order);
    if (seen_.insert(signature(order)).second) orders_.push_back(std::move(order));
  }

  /// Moves the pinned devices to where their layers are expected; the others keep their order.
  void place_pinned(Order& order) const {
    const std::vector<LayerId>& layers = chain_.order();
    std::vector<std::pair<std::size_t, DeviceId>> wanted;  // by position of their first layer
    std::set<DeviceId> seen;
    for (std::size_t p = 0; p < layers.size(); ++p)
      for (const auto& [layer, device] : chain_.problem().pins.layers)
        if (layer == layers[p] && seen.insert(device).second) wanted.push_back({p, device});
    std::erase_if(order, [&](DeviceId device) { return seen.contains(device); });
    std::size_t slot = 0;
    for (const auto& [position, device] : wanted) {
      slot = std::min(std::max(slot, position * search::at(count_) / layers.size()), order.size());
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(slot++), device);
    }
  }

  search::Chain& chain_;
  const cost::Network& network_;
  int count_;
  Order all_;
  std::vector<int> node_class_;
  std::vector<Order> orders_;
  std::set<std::vector<int>> seen_;
};

}  // namespace

bool uniform_cluster(const cost::Network& network) {
  const int devices = network.device_count();
  if (devices > 256) return false;  // comparing every pair would take too long
  for (int a = 0; a < devices; ++a) {
    if (network.device(DeviceId(a)).type != network.device(DeviceId(0)).type) return false;
    for (int b = 0; b < devices; ++b) {
      if (a == b) continue;
      if (network.path(DeviceId(a), DeviceId(b)) != network.path(DeviceId(0), DeviceId(1)) ||
          network.widest_ring_path(DeviceId(a), DeviceId(b)) != network.widest_ring_path(DeviceId(0), DeviceId(1)))
        return false;
    }
  }
  return true;
}

std::vector<std::vector<DeviceId>> joint_orders(search::Chain& chain) { return Orders(chain).run(); }

}  // namespace pipedeck::planner::joint
