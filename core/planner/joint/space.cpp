// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::joint {

namespace {

constexpr int every_device = 40;  // up to this many devices, every number of replicas is considered
constexpr double none = std::numeric_limits<double>::infinity();

}  // namespace

Space::Space(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const Detail& detail)
    : costs_(costs),
      layers_(costs.layers()),
      order_(order),
      micro_batch_(micro_batch),
      detail_(detail),
      devices_(static_cast<int>(order.size())),
      nested_(layers_.ideals().is_chain()) {
  choose_start_positions();
  choose_shapes();
  choose_cuts();
  measure();
  for (const auto& [layer, device] : costs.chain().problem().pins.layers)
    pinned_.push_back({layer, static_cast<int>(std::find(order.begin(), order.end(), device) - order.begin())});
  whole_ = static_cast<int>(cuts_.size()) == layers_.whole() + 1 &&
           devices_ <= std::min(every_device, detail_.start_positions);
}

/// Anywhere in a short order; in a long one at multiples of a power of two.
void Space::choose_start_positions() {
  int unit = 1;
  while (devices_ / unit > detail_.start_positions && 2 * unit * costs_.slice() <= micro_batch_) unit *= 2;
  for (int p = 0; p <= devices_; ++p) marks_.push_back(unit == 1 || p % unit == 0 || p == devices_);
}

void Space::choose_shapes() {
  const PlanConstraints& pins = costs_.chain().problem().pins;
  std::set<int> degrees{1};
  for (const Layer& layer : costs_.chain().profile().layers)
    for (const TensorParallelPoint& point : layer.tensor_parallel) degrees.insert(point.degree);
  const int most = std::min(devices_, micro_batch_ / std::max(1, costs_.slice()));
  for (const int degree : degrees) {
    if (pins.tensor_parallel && degree != *pins.tensor_parallel) continue;
    for (int replicas = 1; replicas <= most && replicas * degree <= devices_; ++replicas)
      if (pins.replicas ? replicas == *pins.replicas : plain(replicas)) shapes_.push_back({replicas, degree});
  }
}

/// Among many devices 1, 2, 3, 4, 6, 8, 12, 16, ... replicas.
bool Space::plain(int replicas) const {
  if (devices_ <= every_device) return true;
  while (replicas % 2 == 0) replicas /= 2;
  return replicas == 1 || replicas == 3;
}

/// Chooses the boundaries; for a layer graph as many as let the programme end in time.
void Space::choose_cuts() {
  int most = detail_.cuts;
  if (!nested_) {
    const auto marked = std::count(marks_.begin(), marks_.end(), true);
    const double each = static_cast<double>(marked) * static_cast<double>(std::max<std::size_t>(1, shapes_.size()));
    most = std::max(most, static_cast<int>(std::sqrt(2 * detail_.pairs / each)));
  }
  cuts_ = cheapest(most);
  before_.resize(cuts_.size());
  for (std::size_t c = 1; c < cuts_.size(); ++c)
    for (std::size_t b = c; b-- > 0;)
      if (nested_ || layers_.ideals().within(cuts_[b], cuts_[c])) before_[c].push_back(static_cast<int>(b));
}

/// Returns the boundaries of fewest bytes in each range of equal work. A graph, where many boundaries have equal work
/// before them, has several per range.
std::vector<int> Space::cheapest(int most) const {
  const int whole = layers_.whole();
  std::vector<int> cuts;
  for (int place = 0; place <= whole; ++place) cuts.push_back(place);
  if (whole <= most) return cuts;
  const int runs = nested_ ? most : std::max(1, std::min(most / 4, costs_.chain().layers()));
  const search::PassTimes& times = costs_.layers().times(costs_.chain().profile().micro_batch, 0);
  const auto work = [&](int place) { return times.forward_of(0, place) + times.backward_of(0, place); };
  std::vector<std::vector<int>> by_run(search::at(runs) + 1);
  for (int place = 1; place < whole; ++place)
    by_run[search::at(std::min(runs, static_cast<int>(work(place) / std::max(1e-300, work(whole)) * runs)))].push_back(
        place);
  cuts = {0, whole};
  for (std::vector<int>& run : by_run) {
    std::stable_sort(run.begin(), run.end(), [&](int a, int b) { return layers_.cut(a, 1) < layers_.cut(b, 1); });
    run.resize(std::min(run.size(), search::at(most / runs)));
    cuts.insert(cuts.end(), run.begin(), run.end());
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// Computes the lower bounds of all stages: device-seconds on the fastest type, and times from front to end.
void Space::measure() {
  std::set<int> types;
  for (const DeviceId device : order_) types.insert(costs_.chain().network().device(device).type);
  const std::size_t layers = search::at(costs_.chain().layers());
  std::map<int, std::vector<double>> work;  // by type, layer
  std::vector<double> forward(layers, none), both(layers, none);
  for (const int type : types) {
    std::vector<double>& mine = work[type];
    mine.assign(layers, none);
    for (const Shape& shape : shapes_) {
      const int even = (micro_batch_ + shape.replicas - 1) / shape.replicas;
      const int samples = types.size() > 1 ? costs_.slice() : even;
      add_least(type, shape, samples, mine, forward, both);
      if (types.size() > 1)  // uneven shares: any number of samples up to all
        for (int more = 2 * samples; more <= micro_batch_; more *= 2) add_least(type, shape, more, mine, forward, both);
    }
  }
  std::vector<double> least(layers, none);
  std::map<int, double> speed;
  for (std::size_t l = 0; l < layers; ++l) {
    for (const auto& [type, mine] : work) least[l] = std::min(least[l], mine[l]);
    for (double* figure : {&least[l], &forward[l], &both[l]})
      if (*figure == none) *figure = 0;  // the layer has no times for the degree, or computes nothing
    for (const auto& [type, mine] : work)
      if (mine[l] > 0 && mine[l] < none) speed[type] = std::max(speed[type], least[l] / mine[l]);
  }
  work_ = layers_.ideals().sums(std::span<const double>(least));
  forward_ = layers_.ideals().sums(std::span<const double>(forward));
  both_ = layers_.ideals().sums(std::span<const double>(both));
  speed_ = {0};
  for (const DeviceId device : order_)
    speed_.push_back(speed_.back() + speed[costs_.chain().network().device(device).type]);
}

/// Lowers the bounds with `samples` of a micro-batch on each device of the type. Device-seconds cover the whole
/// micro-batch.
void Space::add_least(int type, const Shape& shape, int samples, std::vector<double>& work,
                      std::vector<double>& forward, std::vector<double>& both) {
  for (const auto& [layer, first, last] : layers_.isolated_layers()) {
    if (!costs_.splittable(shape.degree, first, last)) continue;
    const JointCosts::Passes one = costs_.on_type(type, shape.degree, samples, first, last);
    const double parts = static_cast<double>(micro_batch_) / samples;
    const std::size_t l = layer.index();
    work[l] = std::min(work[l], (one.forward + one.backward) * shape.degree * parts);
    forward[l] = std::min(forward[l], one.forward);
    both[l] = std::min(both[l], one.forward + one.backward);
  }
}

double Space::busiest(int place, int devices) const {
  return speed_[search::at(devices)] <= 0 ? none : work_[search::at(place)] / speed_[search::at(devices)];
}

bool Space::satisfies_constraints(int first, int last, int low, int high) const {
  return std::all_of(pinned_.begin(), pinned_.end(), [&](const Pin& pin) {
    return !layers_.has(last, pin.layer) || layers_.has(first, pin.layer) || (pin.slot >= low && pin.slot < high);
  });
}

}  // namespace pipedeck::planner::joint
