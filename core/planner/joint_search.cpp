// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace pipedeck {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int every_device = 40;  // up to so many any number of replicas is considered

/// Stages from some layer to the last.
struct Suffix {
  JointSuffix cost;
  int stages = 0;
  int behind = -1;  // the suffix that it continues
  JointPart part;
};

class Search {
 public:
  Search(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const JointSearchOptions& options,
         const std::stop_token& stop, const std::stop_token& hurry)
      : costs_(costs),
        chain_(costs.chain()),
        order_(order),
        micro_batch_(micro_batch),
        options_(options),
        stop_(stop),
        hurry_(hurry),
        layers_(chain_.layers()),
        devices_(static_cast<int>(order.size())),
        count_(costs.micro_batches(micro_batch)),
        limit_(options.below),
        pins_(chain_.problem().pins) {
    choose_cuts();
    choose_marks();
    choose_shapes();
    measure();
    place_pins();
    most_stages_ = std::min(pins_.stages.value_or(layers_), pins_.max_stages.value_or(layers_));
  }

  JointFound run() {
    cells_.resize(cuts_.size() * (at(devices_) + 1));
    teams_.assign(shapes_.size() * (at(devices_) + 1), -2);
    for (int c = static_cast<int>(cuts_.size()) - 1; c > 0 && !done(); --c)
      for (int here = devices_; here > 0 && !done(); --here)
        if (c + 1 < static_cast<int>(cuts_.size()) ? !cell(c, here).empty() : may_begin(here)) extend(c, here);
    for (const auto& [bound, index] : complete_) found_.candidates.push_back({bound, parts_of(index)});
    found_.cut_short = done();
    found_.whole = layers_ <= options_.cuts && devices_ <= std::min(every_device, options_.marks);
    return std::move(found_);
  }

 private:
  /// Replicas and degree of tensor parallelism.
  struct Shape {
    int replicas, degree;
    int devices() const { return replicas * degree; }
  };
  /// Suffixes whose first stage is of one team.
  struct Group {
    int team;
    std::vector<int> suffixes;
  };
  struct Pin {
    int position, slot;  // of the layer, of the device in the order
  };

  bool done() const { return found_.cut_short || found_.effort > options_.effort; }

  void choose_cuts() {
    for (int c = 0; c <= layers_; ++c) cuts_.push_back(c);
    if (layers_ <= options_.cuts) return;
    // Of each run of as much work the cut with the fewest bytes.
    const PassTimes& times = chain_.times(chain_.profile().micro_batch, 0);
    const auto work = [&](int c) { return times.forward_of(0, c) + times.backward_of(0, c); };
    cuts_ = {0};
    for (int c = 1, run = 0; c < layers_; ++c) {
      const int now = static_cast<int>(work(c) / std::max(1e-300, work(layers_)) * options_.cuts);
      if (cuts_.back() == 0 || now > run)
        cuts_.push_back(c), run = now;
      else if (chain_.cut(c, 1) < chain_.cut(cuts_.back(), 1))
        cuts_.back() = c;
    }
    cuts_.push_back(layers_);
  }

  /// Where stages may begin and end: anywhere in a short order; in a long one at multiples of a power of two.
  void choose_marks() {
    int unit = 1;
    while (devices_ / unit > options_.marks && 2 * unit * costs_.slice() <= micro_batch_) unit *= 2;
    for (int p = 0; p <= devices_; ++p) marks_.push_back(unit == 1 || p % unit == 0 || p == devices_);
  }

  void choose_shapes() {
    std::set<int> degrees{1};
    for (const Layer& layer : chain_.profile().layers)
      for (const TensorParallelPoint& point : layer.tensor_parallel) degrees.insert(point.degree);
    const int most = std::min(devices_, micro_batch_ / std::max(1, costs_.slice()));
    for (const int degree : degrees) {
      if (pins_.tensor_parallel && degree != *pins_.tensor_parallel) continue;
      for (int replicas = 1; replicas <= most && replicas * degree <= devices_; ++replicas)
        if (pins_.replicas ? replicas == *pins_.replicas : plain(replicas)) shapes_.push_back({replicas, degree});
    }
  }

  /// Among many devices 1, 2, 3, 4, 6, 8, 12, 16, ... replicas.
  bool plain(int replicas) const {
    if (devices_ <= every_device) return true;
    while (replicas % 2 == 0) replicas /= 2;
    return replicas == 1 || replicas == 3;
  }

  /// What no stage can do better: least device-seconds of the quickest type, and least times from front to end.
  void measure() {
    std::set<int> types;
    for (const DeviceId device : order_) types.insert(chain_.network().device(device).type);
    const double none = std::numeric_limits<double>::infinity();
    std::map<int, std::vector<double>> work;  // by type
    std::vector<double> forward(at(layers_), none), both(at(layers_), none);
    for (const int type : types) {
      std::vector<double>& mine = work[type];
      mine.assign(at(layers_), none);
      for (const Shape& shape : shapes_) {
        const int even = (micro_batch_ + shape.replicas - 1) / shape.replicas;
        const int samples = types.size() > 1 ? costs_.slice() : even;
        add_least(type, shape, samples, mine, forward, both);
        if (types.size() > 1)  // uneven shares: any number of samples up to all
          for (int more = 2 * samples; more <= micro_batch_; more *= 2)
            add_least(type, shape, more, mine, forward, both);
      }
    }
    work_.assign(at(layers_) + 1, 0), forward_.assign(at(layers_) + 1, 0), both_.assign(at(layers_) + 1, 0);
    std::map<int, double> speed;
    for (int l = 0; l < layers_; ++l) {
      double least = none;
      for (const auto& [type, mine] : work) least = std::min(least, mine[at(l)]);
      if (least == none) least = 0;  // a degree that the layer has no times for
      for (const auto& [type, mine] : work)
        if (mine[at(l)] > 0 && mine[at(l)] < none) speed[type] = std::max(speed[type], least / mine[at(l)]);
      work_[at(l) + 1] = work_[at(l)] + least;
      forward_[at(l) + 1] = forward_[at(l)] + (forward[at(l)] == none ? 0 : forward[at(l)]);
      both_[at(l) + 1] = both_[at(l)] + (both[at(l)] == none ? 0 : both[at(l)]);
    }
    speed_ = {0};
    for (const DeviceId device : order_) speed_.push_back(speed_.back() + speed[chain_.network().device(device).type]);
  }

  /// `samples` of a micro-batch on each of so many devices of the type. Device-seconds are of the whole micro-batch.
  void add_least(int type, const Shape& shape, int samples, std::vector<double>& work, std::vector<double>& forward,
                 std::vector<double>& both) {
    for (int l = 0; l < layers_; ++l) {
      if (!costs_.splittable(shape.degree, l, l + 1)) continue;
      const JointCosts::Passes one = costs_.layer(type, shape.degree, samples, l);
      const double parts = static_cast<double>(micro_batch_) / samples;
      work[at(l)] = std::min(work[at(l)], (one.forward + one.backward) * shape.degree * parts);
      forward[at(l)] = std::min(forward[at(l)], one.forward);
      both[at(l)] = std::min(both[at(l)], one.forward + one.backward);
    }
  }

  void place_pins() {
    for (int p = 0; p < layers_; ++p)
      for (const auto& [layer, device] : pins_.layers)
        if (chain_.order()[at(p)] == layer)
          pinned_.push_back({p, static_cast<int>(std::find(order_.begin(), order_.end(), device) - order_.begin())});
  }

  bool honours_pins(int first, int last, int low, int high) const {
    return std::all_of(pinned_.begin(), pinned_.end(), [&](const Pin& pin) {
      return pin.position < first || pin.position >= last || (pin.slot >= low && pin.slot < high);
    });
  }

  // --- states

  std::vector<Group>& cell(int cut, int device) { return cells_[at(cut) * (at(devices_) + 1) + at(device)]; }

  /// The last stage may end before this device: behind the whole order, or behind the last device of a node.
  bool may_begin(int device) const {
    if (device == devices_) return true;
    const Network& network = chain_.network();
    return options_.any_end && marks_[at(device)] &&
           (network.node_of(order_[at(device) - 1]) != network.node_of(order_[at(device)]) ||
            network.device(order_[at(device) - 1]).type != network.device(order_[at(device)]).type);
  }

  /// The team of the shape on the devices in front of `end`, replicas without tensor parallelism in cluster order.
  int team(std::size_t shape, int end) {
    int& known = teams_[at(end) * shapes_.size() + shape];
    if (known != -2) return known;
    std::vector<DeviceId> devices(order_.begin() + (end - shapes_[shape].devices()), order_.begin() + end);
    if (shapes_[shape].degree == 1) std::sort(devices.begin(), devices.end());
    return known = costs_.team(devices, shapes_[shape].degree, micro_batch_);
  }

  // --- the programme

  /// Adds a stage in front of every suffix that begins at this cut and device.
  void extend(int cut, int device) {
    for (std::size_t s = 0; s < shapes_.size() && !done(); ++s) {
      const int low = device - shapes_[s].devices();
      if (low < 0 || !marks_[at(low)]) continue;
      const int here = team(s, device);
      if (here < 0) continue;
      behind_.clear();
      if (cuts_[at(cut)] == layers_)
        behind_.push_back({});
      else
        for (const Group& group : cell(cut, device)) pass(group, here, cut, device);
      if (!behind_.empty()) add_stages(cut, low, device, here, shapes_[s].degree);
    }
  }

  /// The transfer between the new stage and each suffix.
  void pass(const Group& group, int here, int cut, int device) {
    const JointCosts::Passes between = costs_.transfer(here, group.team, cuts_[at(cut)]);
    for (const int index : group.suffixes) {
      Suffix suffix = suffixes_[at(index)];
      suffix.behind = index;
      suffix.cost.add_transfer(between.forward, between.backward, count_ - 1);
      if (least(suffix.cost, cuts_[at(cut)], device) >= limit_) continue;
      if (std::any_of(behind_.begin(), behind_.end(), [&](const Suffix& o) { return dominates(o, suffix); })) continue;
      std::erase_if(behind_, [&](const Suffix& other) { return dominates(suffix, other); });
      behind_.push_back(suffix);
    }
  }

  /// Every length of the new stage.
  void add_stages(int cut, int low, int high, int here, int degree) {
    const int last = cuts_[at(cut)];
    for (int c = cut - 1; c >= 0; --c) {
      const int first = cuts_[at(c)];
      if (!costs_.splittable(degree, first, last)) return;
      const JointCosts::Passes one = costs_.passes(here, first, last);
      if (count_ * (one.forward + one.backward) >= limit_) return;  // it grows with the layers
      if (first > 0 && low == 0) continue;                          // nobody is left for the front
      if (!honours_pins(first, last, low, high)) continue;
      const double tail = costs_.tail(here, first, last);
      for (const bool recompute : {false, true}) {
        if (recompute && !options_.recompute) continue;
        const int room = costs_.most_kept(here, first, last, recompute);
        found_.memory_short |= room == 0;
        if (room == 0) continue;
        const double backward = one.backward + (recompute ? one.forward : 0);
        for (const Suffix& suffix : behind_)
          add(suffix, {first, last, here, recompute}, one.forward, backward, tail, room, c, low);
      }
    }
  }

  void add(Suffix suffix, const JointPart& part, double forward, double backward, double tail, int room, int cut,
           int low) {
    if (++found_.effort % 4096 == 0) found_.cut_short |= stop_.stop_requested() || hurry_.stop_requested();
    ++suffix.stages;
    if (suffix.stages > most_stages_) return;
    const bool tight = room < std::min(suffix.stages, count_);
    found_.memory_short |= tight;
    if (tight && options_.full_warmup) return;
    suffix.part = part;
    suffix.cost.add_stage(forward, backward, tail, count_ - 1);
    if (least(suffix.cost, part.first, low) >= limit_) return;
    if (part.first == 0)
      finish(suffix);
    else
      keep(suffix, cell(cut, low));
  }

  /// No pipeline with this suffix is better: `left` devices do the layers before `first`.
  double least(const JointSuffix& suffix, int first, int left) const {
    if (first == 0) return suffix.own;
    if (speed_[at(left)] <= 0) return std::numeric_limits<double>::infinity();
    const double busiest = count_ * work_[at(first)] / speed_[at(left)];
    return std::max({forward_[at(first)] + suffix.own, both_[at(first)] + suffix.base, busiest});
  }

  /// As good in every continuation.
  bool dominates(const Suffix& a, const Suffix& b) const {
    if (pins_.stages && a.stages != b.stages) return false;
    if ((options_.full_warmup || pins_.max_stages) && a.stages > b.stages) return false;
    return a.cost.own <= b.cost.own && a.cost.base <= b.cost.base;
  }

  void keep(const Suffix& suffix, std::vector<Group>& groups) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.team == suffix.part.team; });
    if (group == groups.end()) group = groups.insert(group, {suffix.part.team, {}});
    std::vector<int>& list = group->suffixes;
    if (std::any_of(list.begin(), list.end(), [&](int other) { return dominates(suffixes_[at(other)], suffix); }))
      return;
    std::erase_if(list, [&](int other) { return dominates(suffix, suffixes_[at(other)]); });
    list.push_back(static_cast<int>(suffixes_.size()));
    suffixes_.push_back(suffix);
  }

  /// Ties keep the one found first.
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

  std::vector<JointPart> parts_of(int index) const {
    std::vector<JointPart> parts;
    for (; index >= 0; index = suffixes_[at(index)].behind) parts.push_back(suffixes_[at(index)].part);
    return parts;
  }

  JointCosts& costs_;
  Chain& chain_;
  const std::vector<DeviceId>& order_;
  int micro_batch_;
  JointSearchOptions options_;
  std::stop_token stop_, hurry_;
  int layers_, devices_;
  int count_;  ///< micro-batches
  double limit_;
  const Pins& pins_;
  int most_stages_ = 1;
  std::vector<Pin> pinned_;
  std::vector<int> cuts_;
  std::vector<bool> marks_;
  std::vector<Shape> shapes_;
  std::vector<double> work_, forward_, both_;  ///< sums over the first layers
  std::vector<double> speed_;                  ///< sums over the first devices
  std::vector<Suffix> suffixes_;
  std::vector<std::vector<Group>> cells_;  ///< by cut and device
  std::vector<int> teams_;                 ///< by device and shape; -2: not known
  std::vector<Suffix> behind_;
  std::vector<std::pair<double, int>> complete_;
  JointFound found_;
};

}  // namespace

JointFound search_joint(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch,
                        const JointSearchOptions& options, const std::stop_token& stop, const std::stop_token& hurry) {
  return Search(costs, order, micro_batch, options, stop, hurry).run();
}

}  // namespace pipedeck
