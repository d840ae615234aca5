// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/ideals.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <set>

namespace pipedeck::planner::search {

namespace {

using Bits = std::vector<std::uint64_t>;

bool has_bit(const std::uint64_t* bits, std::size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
void set_bit(std::uint64_t* bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

std::vector<std::vector<LayerId>> users_of(const Profile& profile) {
  std::vector<std::vector<LayerId>> users(profile.layers.size());
  for (const Edge& edge : edges_of(profile)) users[edge.from.index()].push_back(edge.to);
  return users;
}

/// Returns the layers without time, weights and users, by the one layer that each uses.
std::vector<std::vector<LayerId>> idle_ends(const Profile& profile) {
  const std::size_t count = profile.layers.size();
  std::vector<std::set<LayerId>> used(count);
  std::vector<bool> end(count, true);
  for (const Edge& edge : edges_of(profile)) used[edge.to.index()].insert(edge.from), end[edge.from.index()] = false;
  std::vector<std::vector<LayerId>> beside(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = profile.layers[i];
    const bool idle = layer.forward + layer.backward == Seconds() && layer.parameters == Bytes() && layer.on.empty() &&
                      layer.at.empty() && layer.tensor_parallel.empty();
    if (end[i] && idle && used[i].size() == 1) beside[used[i].begin()->index()].push_back(LayerId(i));
  }
  return beside;
}

/// An order of sets of one size: the set with the lowest position that the other lacks comes first.
struct LowestFirst {
  bool operator()(const Bits& a, const Bits& b) const {
    for (std::size_t w = 0; w < a.size(); ++w)
      if (const std::uint64_t differ = a[w] ^ b[w]; differ != 0) return (a[w] >> std::countr_zero(differ) & 1) != 0;
    return false;
  }
};

}  // namespace

/// A partial ideal during the search of its size.
struct Ideals::Found {
  std::vector<Parent> parents;
  std::vector<LayerId> ready;  ///< layers whose predecessors are all in it, ascending
};

void Ideals::add(const std::vector<std::uint64_t>& bits, Parent parent) {
  bits_.insert(bits_.end(), bits.begin(), bits.end());
  parent_.push_back(parent);
  steps_.emplace_back();
  cuts_.emplace_back();
}

/// A search by ascending size, since an ideal is a smaller one and a ready layer.
class Ideals::Finder {
 public:
  explicit Finder(const Profile& profile) : missing_(profile.layers.size()) {
    ideals_.layers_ = static_cast<int>(profile.layers.size());
    ideals_.words_ = (profile.layers.size() + 63) / 64;
    ideals_.feeds_ = users_of(profile);
    for (const Edge& edge : edges_of(profile)) missing_[edge.to.index()].push_back(edge.from);
    ideals_.beside_ = idle_ends(profile);
  }

  std::optional<Ideals> find(const Profile& profile, int limit, const std::stop_token& stop) {
    Found empty;
    for (std::size_t i = 0; i < missing_.size(); ++i)
      if (missing_[i].empty()) empty.ready.push_back(LayerId(i));
    std::map<int, Sized> open;  // by size
    open[0].emplace(Bits(ideals_.words_), std::move(empty));
    for (std::size_t all = 1; !open.empty(); open.erase(open.begin()))
      for (const auto& [bits, found] : open.begin()->second) {
        const auto ideal = ideals_.cuts_.size();
        ideals_.add(bits, found.parents.empty() ? Parent() : found.parents.front());
        for (const Parent& one : found.parents)
          ideals_.steps_[one.ideal].push_back({LayerId(one.layer), static_cast<int>(ideal)});
        all += grow(bits, found.ready, ideal, open.begin()->first, open);
        if (all > static_cast<std::size_t>(limit) || stop.stop_requested()) return {};
      }
    for (std::vector<Step>& steps : ideals_.steps_)
      std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.layer < b.layer; });
    ideals_.relate(stop);
    ideals_.find_cuts(profile, stop);
    if (stop.stop_requested()) return {};
    return std::move(ideals_);
  }

 private:
  using Sized = std::map<Bits, Found, LowestFirst>;

  /// Adds new ideals, each with a ready layer and the idle layers that stay with it.
  std::size_t grow(const Bits& bits, const std::vector<LayerId>& ready, std::size_t ideal, int size,
                   std::map<int, Sized>& all) {
    std::size_t count = 0;
    for (const LayerId layer : ready) {
      Bits with = bits;
      set_bit(with.data(), layer.index());
      const std::vector<LayerId>& beside = ideals_.beside_[layer.index()];
      for (const LayerId end : beside) set_bit(with.data(), end.index());
      const auto [found, added] = all[size + 1 + static_cast<int>(beside.size())].try_emplace(std::move(with));
      found->second.parents.push_back({ideal, layer.index()});
      if (!added) continue;
      ++count;
      std::vector<LayerId>& open = found->second.ready;
      for (const LayerId other : ready)
        if (other != layer) open.push_back(other);
      for (const LayerId next : ideals_.feeds_[layer.index()])
        if (!has_bit(found->first.data(), next.index()) && all_in(found->first, missing_[next.index()]) &&
            std::find(open.begin(), open.end(), next) == open.end())
          open.push_back(next);
      std::sort(open.begin(), open.end());
    }
    return count;
  }

  static bool all_in(const Bits& bits, const std::vector<LayerId>& layers) {
    return std::all_of(layers.begin(), layers.end(),
                       [&](LayerId layer) { return has_bit(bits.data(), layer.index()); });
  }

  Ideals ideals_;
  std::vector<std::vector<LayerId>> missing_;  ///< by layer: its inputs
};

std::optional<Ideals> Ideals::of(const Profile& profile, int limit, const std::stop_token& stop) {
  return Finder(profile).find(profile, limit, stop);
}

Ideals Ideals::of_order(const Profile& profile, std::span<const LayerId> order) {
  Ideals ideals;
  ideals.layers_ = static_cast<int>(profile.layers.size());
  ideals.words_ = (profile.layers.size() + 63) / 64;
  ideals.feeds_ = users_of(profile);
  ideals.beside_.resize(profile.layers.size());
  Bits bits(ideals.words_);
  ideals.add(bits, {});
  for (std::size_t p = 0; p < order.size(); ++p) {
    set_bit(bits.data(), order[p].index());
    ideals.add(bits, {p, order[p].index()});
    ideals.steps_[p] = {{order[p], static_cast<int>(p) + 1}};
  }
  ideals.relate();
  ideals.find_cuts(profile);
  return ideals;
}

int Ideals::size(int ideal) const {
  int size = 0;
  for (std::size_t w = 0; w < words_; ++w) size += std::popcount(bits_[static_cast<std::size_t>(ideal) * words_ + w]);
  return size;
}

bool Ideals::has(int ideal, LayerId layer) const {
  return has_bit(&bits_[static_cast<std::size_t>(ideal) * words_], layer.index());
}

bool Ideals::within(int inner, int outer) const {
  if (inner >= outer) return false;
  const std::uint64_t* in = &bits_[static_cast<std::size_t>(inner) * words_];
  const std::uint64_t* out = &bits_[static_cast<std::size_t>(outer) * words_];
  for (std::size_t w = 0; w < words_; ++w)
    if ((in[w] & ~out[w]) != 0) return false;
  return true;
}

std::span<const std::int32_t> Ideals::subsets(int ideal) const {
  const auto i = static_cast<std::size_t>(ideal);
  const std::size_t begin = i == 0 ? 0 : subsets_end_[i - 1];
  return {subsets_.data() + begin, subsets_end_[i] - begin};
}

void Ideals::relate(const std::stop_token& stop) {
  for (int outer = 0; outer < count() && !stop.stop_requested(); ++outer) {
    for (int inner = 0; inner < outer; ++inner)
      if (within(inner, outer)) subsets_.push_back(inner);
    subsets_end_.push_back(subsets_.size());
  }
}

void Ideals::find_cuts(const Profile& profile, const std::stop_token& stop) {
  struct Output {
    std::size_t layer;
    Bytes bytes;
    std::vector<LayerId> users;
  };
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const Layer& layer = profile.layers[i];
    if (layer.kind == data_kind) continue;
    for (const Bytes bytes : layer.outputs.empty() ? std::vector{layer.output} : layer.outputs)
      outputs.push_back({i, bytes, {}});
  }
  std::vector<std::size_t> first(profile.layers.size(), outputs.size());  // of the layer's outputs
  for (std::size_t k = outputs.size(); k-- > 0;) first[outputs[k].layer] = k;
  for (const Edge& edge : edges_of(profile)) {
    const std::size_t several = profile.layers[edge.from.index()].outputs.size();
    for (std::size_t k = 0; k < std::max<std::size_t>(1, several) && first[edge.from.index()] < outputs.size(); ++k)
      if (several < 2 || !edge.output || static_cast<std::size_t>(*edge.output) == k)
        outputs[first[edge.from.index()] + k].users.push_back(edge.to);
  }
  for (int ideal = 0; ideal < count() && !stop.stop_requested(); ++ideal)
    for (const Output& output : outputs)
      if (has(ideal, LayerId(output.layer)) &&
          std::any_of(output.users.begin(), output.users.end(), [&](LayerId user) { return !has(ideal, user); }))
        cuts_[static_cast<std::size_t>(ideal)] += output.bytes;
}

std::vector<LayerId> Ideals::between(int inner, int outer) const {
  std::map<LayerId, int> missing;  // of the layers between: their predecessors not yet placed
  for (std::size_t i = 0; i < feeds_.size(); ++i)
    if (has(outer, LayerId(i)) && !has(inner, LayerId(i))) missing.emplace(LayerId(i), 0);
  for (const auto& [layer, none] : missing)
    for (const LayerId user : feeds_[layer.index()])
      if (const auto found = missing.find(user); found != missing.end()) ++found->second;
  std::priority_queue<LayerId, std::vector<LayerId>, std::greater<>> ready;
  for (const auto& [layer, count] : missing)
    if (count == 0) ready.push(layer);
  std::vector<LayerId> order;
  while (!ready.empty()) {
    const LayerId layer = ready.top();
    ready.pop();
    order.push_back(layer);
    for (const LayerId user : feeds_[layer.index()])
      if (const auto found = missing.find(user); found != missing.end() && --found->second == 0) ready.push(user);
  }
  return order;
}

std::optional<std::vector<LayerId>> Ideals::order(std::span<const int> nested) const {
  std::vector<LayerId> order;
  for (std::size_t i = 1; i < nested.size(); ++i) {
    const std::vector<LayerId> part = between(nested[i - 1], nested[i]);
    order.insert(order.end(), part.begin(), part.end());
  }
  bool listed = true;
  for (std::size_t p = 0; p < order.size(); ++p) listed &= order[p] == LayerId(p);
  if (listed) return {};
  return order;
}

}  // namespace pipedeck::planner::search
