// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/device_blocks.hpp"

#include <algorithm>

namespace pipedeck::planner::search {

DeviceBlocks::DeviceBlocks(const cost::Network& network, const std::vector<DeviceId>& order, int devices)
    : devices_(devices) {
  const int count = static_cast<int>(order.size());
  std::map<int, int> inside;  // devices of each type in the current block
  std::map<std::vector<int>, int> numbers;
  int kind = -1;  // of the current block; -1: its types have changed
  const auto count_in = [&](int position, int change) {
    int& n = inside[network.device(order[at(position)]).type];
    if (n == 0 || n + change == 0) kind = -1;
    n += change;
  };
  kind_.reserve(order.size());
  for (int d = 0; d < count; ++d) {
    count_in(d, 1);
    if (d + 1 < devices) continue;
    if (kind < 0) {
      std::vector<int> types;
      for (const auto& [type, n] : inside)
        if (n > 0) types.push_back(type);
      const auto [number, added] = numbers.try_emplace(types, kinds());
      kind = number->second;
      if (added) {
        std::int64_t least = INT64_MAX;
        for (int i = d + 1 - devices; i <= d; ++i) least = std::min(least, network.type(order[at(i)]).memory.count);
        types_.push_back(std::move(types));
        capacity_.push_back(least);
      }
    }
    kind_.push_back(kind);
    count_in(d + 1 - devices, -1);
  }
  last_.assign(types_.size(), std::vector<int>(at(count) + 1, -1));
  for (int k = 0; k < kinds(); ++k)
    for (int end = devices; end <= count; ++end)
      last_[at(k)][at(end)] = kind_[at(end - devices)] == k ? end - devices : last_[at(k)][at(end) - 1];
}

namespace {

/// One number for each device; like devices have the same.
std::vector<int> device_class(const cost::Network& network, const std::vector<DeviceId>& apart) {
  std::vector<int> likes;
  for (int d = 0; d < network.device_count(); ++d) {
    const auto own = std::find(apart.begin(), apart.end(), DeviceId(d));
    const int types = network.device_count();  // more than the types in use
    likes.push_back(own == apart.end() ? network.device(DeviceId(d)).type : types + DeviceId(d).value);
  }
  return likes;
}

/// Returns the number of arrangements, at most `most` + 1.
std::size_t device_orderings(const std::vector<int>& likes, std::size_t most) {
  std::map<int, int> counts;
  for (const int like : likes) ++counts[like];
  double product = 1;
  int placed = 0;
  for (const auto& [like, count] : counts)
    for (int i = 1; i <= count; ++i) {
      product = product * ++placed / i;
      if (product > 2 * static_cast<double>(most)) return most + 1;
    }
  return static_cast<std::size_t>(product + 0.5);
}

/// Returns the devices in this sequence of numbers, equal ones by id.
std::vector<DeviceId> ordering(const std::vector<int>& likes, const std::vector<int>& sequence) {
  std::map<int, int> next;  // where the search for the next one starts
  std::vector<DeviceId> order;
  for (const int like : sequence) {
    int& d = next[like];
    while (likes[static_cast<std::size_t>(d)] != like) ++d;
    order.push_back(DeviceId(d++));
  }
  return order;
}

}  // namespace

DeviceOrders device_orders(const cost::Network& network, const std::vector<DeviceId>& apart, std::size_t most) {
  std::vector<DeviceId> own;
  for (int d = 0; d < network.device_count(); ++d) own.push_back(DeviceId(d));
  DeviceOrders result{{own}, true};
  const std::vector<int> likes = device_class(network, apart);
  if (device_orderings(likes, most) <= most) {
    std::vector<int> sequence = likes;
    std::sort(sequence.begin(), sequence.end());
    do
      if (sequence != likes) result.orders.push_back(ordering(likes, sequence));
    while (std::next_permutation(sequence.begin(), sequence.end()));
    return result;
  }
  result.all = false;
  std::vector<DeviceId> largest = own;
  std::stable_sort(largest.begin(), largest.end(),
                   [&](DeviceId a, DeviceId b) { return network.type(a).memory > network.type(b).memory; });
  if (largest != own) result.orders.push_back(std::move(largest));
  return result;
}

}  // namespace pipedeck::planner::search
