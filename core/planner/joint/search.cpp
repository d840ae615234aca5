// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/search.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::joint {

namespace {

/// A suffix: stages from some layer to the last.
struct Suffix {
  JointSuffix cost;
  int stages = 0;
  int behind = -1;  // the suffix that it continues
  TeamRange part;
};

class Search {
 public:
  Search(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const SearchOptions& options,
         const std::stop_token& stop, const std::stop_token& hurry)
      : costs_(costs),
        space_(costs, order, micro_batch, options.detail),
        order_(order),
        micro_batch_(micro_batch),
        options_(options),
        stop_(stop),
        hurry_(hurry),
        devices_(static_cast<int>(order.size())),
        count_(costs.micro_batches(micro_batch)),
        limit_(options.below),
        pins_(costs.chain().problem().pins) {
    const int layers = costs.chain().layers();
    max_stages_ = std::min(pins_.stages.value_or(layers), pins_.max_stages.value_or(layers));
  }

  Found run() {
    const int last = static_cast<int>(space_.cuts().size()) - 1;
    cells_.resize(space_.cuts().size() * (search::at(devices_) + 1));
    teams_.assign(space_.shapes().size() * (search::at(devices_) + 1), -2);
    for (int c = last; c > 0 && !done(); --c)
      for (int here = devices_; here > 0 && !done(); --here)
        if (c < last ? !cell(c, here).empty() : may_begin(here)) extend(c, here);
    for (const auto& [bound, index] : complete_) found_.candidates.push_back({bound, parts_of(index)});
    found_.cut_short = done();
    found_.whole = space_.whole();
    return std::move(found_);
  }

 private:
  /// A group of suffixes whose first stage is of one team.
  struct Group {
    int team;
    std::vector<int> suffixes;
  };

  struct StageCost {
    double forward = 0, backward = 0, again = 0, tail = 0;  ///< `again`: recomputation
    int room = 0;                                           ///< micro-batches that it may hold
  };

  bool done() const { return found_.cut_short || found_.effort > options_.search_budget; }

  // --- states

  std::vector<Group>& cell(int cut, int device) {
    return cells_[search::at(cut) * (search::at(devices_) + 1) + search::at(device)];
  }

  /// Returns true if the last stage may end before this device: after the whole order, or between two nodes or device
  /// types.
  bool may_begin(int device) const {
    if (device == devices_) return true;
    const cost::Network& network = costs_.chain().network();
    return options_.any_end && space_.may_start_at(device) &&
           (network.node_of(order_[search::at(device) - 1]) != network.node_of(order_[search::at(device)]) ||
            network.device(order_[search::at(device) - 1]).type != network.device(order_[search::at(device)]).type);
  }

  /// Returns the team of the shape on the devices before `end`, with replicas without tensor parallelism in cluster
  /// order.
  int team(std::size_t shape, int end) {
    int& known = teams_[search::at(end) * space_.shapes().size() + shape];
    if (known != -2) return known;
    const auto [replicas, degree] = space_.shapes()[shape];
    std::vector<DeviceId> devices(order_.begin() + (end - replicas * degree), order_.begin() + end);
    if (degree == 1) std::sort(devices.begin(), devices.end());
    return known = costs_.stage_devices(devices, degree, micro_batch_);
  }

  // --- the programme

  /// Adds a stage in front of every suffix that begins at this boundary and device.
  void extend(int cut, int device) {
    for (std::size_t s = 0; s < space_.shapes().size() && !done(); ++s) {
      const int low = device - space_.shapes()[s].devices();
      if (low < 0 || !space_.may_start_at(low)) continue;
      const int here = team(s, device);
      if (here < 0) continue;
      find_begins(cut, low, device, here, space_.shapes()[s].degree);
      if (begins_.empty()) continue;
      behind_.clear();
      if (space_.cuts()[search::at(cut)] == costs_.layers().whole())
        behind_.push_back({});
      else
        for (const Group& group : cell(cut, device)) pass(group, here, cut, device);
      if (!behind_.empty()) add_stages(cut, low, here);
    }
  }

  /// Finds the boundaries where the new stage may begin: neither it nor the rest on the devices in front takes too
  /// long.
  void find_begins(int cut, int low, int high, int here, int degree) {
    begins_.clear();
    const int last = space_.cuts()[search::at(cut)];
    std::size_t seen = 0;
    for (const int c : space_.before(cut)) {
      if (++seen % 64 == 0) note_effort();
      const int first = space_.cuts()[search::at(c)];
      const JointCosts::Passes one = costs_.passes(here, first, last);
      if (!costs_.splittable(degree, first, last) || count_ * (one.forward + one.backward) >= limit_) {
        if (space_.nested()) return;  // all others have these layers, too
        continue;
      }
      if (first > 0 && count_ * space_.busiest(first, low) >= limit_) continue;
      if (space_.satisfies_constraints(first, last, low, high)) begins_.push_back(c);
    }
  }

  /// Adds the transfer between the new stage and each suffix.
  void pass(const Group& group, int here, int cut, int device) {
    const int place = space_.cuts()[search::at(cut)];
    const JointCosts::Passes between = costs_.transfer(here, group.team, place);
    for (const int index : group.suffixes) {
      Suffix suffix = suffixes_[search::at(index)];
      suffix.behind = index;
      suffix.cost.add_transfer(between.forward, between.backward, count_ - 1);
      if (least(suffix.cost, place, device) >= limit_) continue;
      if (std::any_of(behind_.begin(), behind_.end(), [&](const Suffix& o) { return dominates(o, suffix); })) continue;
      std::erase_if(behind_, [&](const Suffix& other) { return dominates(suffix, other); });
      behind_.push_back(suffix);
    }
  }

  /// Adds the new stage with every possible set of layers.
  void add_stages(int cut, int low, int here) {
    const int last = space_.cuts()[search::at(cut)];
    for (const int c : begins_) {
      const int first = space_.cuts()[search::at(c)];
      const JointCosts::Passes one = costs_.passes(here, first, last);
      const double tail = costs_.epilogue(here, first, last);
      for (const bool recompute : {false, true}) {
        if (recompute && !options_.recompute) continue;
        const int room = costs_.max_in_flight(here, first, last, recompute,
                                              options_.every ? JointCosts::Room::possible : JointCosts::Room::sure);
        found_.memory_short |= room == 0;
        if (room == 0) continue;
        const StageCost stage{one.forward, one.backward, recompute ? one.forward : 0, tail, room};
        for (const Suffix& suffix : behind_) add(suffix, {first, last, here, recompute}, stage, c, low);
      }
    }
  }

  void note_effort() {
    if (++found_.effort % 4096 == 0) found_.cut_short |= stop_.stop_requested() || hurry_.stop_requested();
  }

  void add(Suffix suffix, const TeamRange& part, const StageCost& stage, int cut, int low) {
    note_effort();
    ++suffix.stages;
    if (suffix.stages > max_stages_) return;
    const bool tight = stage.room < std::min(suffix.stages, count_);
    found_.memory_short |= tight;
    if (tight && (options_.full_warmup || options_.every)) return;
    suffix.part = part;
    if (options_.every)
      suffix.cost.add_stage(stage.forward, stage.backward, stage.tail, count_ - 1, stage.again);
    else
      suffix.cost.add_stage(stage.forward, stage.backward + stage.again, stage.tail, count_ - 1);
    if (least(suffix.cost, part.first, low) >= limit_) return;
    if (part.first == 0)
      finish(suffix);
    else
      keep(suffix, cell(cut, low));
  }

  /// Returns a lower bound of all pipelines with this suffix; `left` devices have the layers before `first`.
  double least(const JointSuffix& suffix, int first, int left) const {
    if (first == 0) return suffix.own;
    return std::max({space_.forward(first) + suffix.own, space_.forward_backward(first) + suffix.base,
                     count_ * space_.busiest(first, left)});
  }

  /// Returns true if `a` is as good as `b` in every continuation.
  bool dominates(const Suffix& a, const Suffix& b) const {
    if (options_.every || (pins_.stages && a.stages != b.stages)) return false;
    if ((options_.full_warmup || pins_.max_stages) && a.stages > b.stages) return false;
    return a.cost.own <= b.cost.own && a.cost.base <= b.cost.base;
  }

  void keep(const Suffix& suffix, std::vector<Group>& groups) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.team == suffix.part.team; });
    if (group == groups.end()) group = groups.insert(group, {suffix.part.team, {}});
    std::vector<int>& list = group->suffixes;
    if (std::any_of(list.begin(), list.end(),
                    [&](int other) { return dominates(suffixes_[search::at(other)], suffix); }))
      return;
    std::erase_if(list, [&](int other) { return dominates(suffix, suffixes_[search::at(other)]); });
    list.push_back(static_cast<int>(suffixes_.size()));
    suffixes_.push_back(suffix);
  }

  /// Inserts a complete pipeline; ties keep the one found first.
  void finish(const Suffix& suffix) {
    if (pins_.stages && suffix.stages != *pins_.stages) return;
    const double bound = suffix.cost.own;
    const auto place = std::upper_bound(complete_.begin(), complete_.end(), bound,
                                        [](double value, const auto& other) { return value < other.first; });
    complete_.insert(place, {bound, static_cast<int>(suffixes_.size())});
    suffixes_.push_back(suffix);
    if (complete_.size() > options_.keep) complete_.pop_back();
    if (complete_.size() == options_.keep) limit_ = std::min(limit_, complete_.back().first);
  }

  std::vector<TeamRange> parts_of(int index) const {
    std::vector<TeamRange> parts;
    for (; index >= 0; index = suffixes_[search::at(index)].behind) parts.push_back(suffixes_[search::at(index)].part);
    return parts;
  }

  JointCosts& costs_;
  Space space_;
  const std::vector<DeviceId>& order_;
  int micro_batch_;
  SearchOptions options_;
  std::stop_token stop_, hurry_;
  int devices_;
  int count_;  ///< micro-batches
  double limit_;
  const PlanConstraints& pins_;
  int max_stages_ = 1;
  std::vector<Suffix> suffixes_;
  std::vector<std::vector<Group>> cells_;  ///< by boundary and device
  std::vector<int> teams_;                 ///< by device and shape; -2: unknown
  std::vector<int> begins_;                ///< of the new stage; buffer, as the next two
  std::vector<Suffix> behind_;
  std::vector<std::pair<double, int>> complete_;
  Found found_;
};

}  // namespace

Found search_joint(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const SearchOptions& options,
                   const std::stop_token& stop, const std::stop_token& hurry) {
  return Search(costs, order, micro_batch, options, stop, hurry).run();
}

}  // namespace pipedeck::planner::joint
