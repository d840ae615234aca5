// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/bayesian.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/base/random.hpp"
#include "core/planner/capture/gaussian_process.hpp"

namespace pipedeck::planner::capture {

namespace {

constexpr std::size_t remembered = 256;  // latest partitions that the surrogate is fitted to
constexpr int random_candidates = 32, near_candidates = 32, climbing_candidates = 128;
constexpr int refit = 16;          // predictions between two choices of the kernel's length
constexpr double not_fitting = 1;  // added to the logarithm

class Optimiser {
 public:
  Optimiser(Space& space, const Budget& budget, const Watch& watch)
      : space_(space), budget_(budget), watch_(watch), random_(budget.seed) {}

  void run() {
    if (space_.ways() == 0 || space_.min_stages() > space_.max_stages()) return;
    const int first = std::max(4, budget_.evaluations / 5);
    for (int n = 0; n < budget_.evaluations && !ended(); ++n) {
      const auto next = n == 0 ? even() : n < first ? unseen() : most_promising(n);
      if (!next) break;  // all partitions are known
      evaluate(*next);
    }
  }

  std::vector<Partition> best(std::size_t most) const {
    std::vector<Partition> list;
    for (const auto& [stages, placed] : fitting_)
      if (list.size() < most && space_.highest_peak(placed) == least_) list.push_back(placed);
    return list;
  }

  bool truncated = false;

 private:
  bool ended() {
    if ((watch_.answered || !fitting_.empty()) && watch_.deadline_token.stop_requested()) truncated = true;
    return truncated || watch_.stop.stop_requested();
  }

  // --- partitions

  /// Returns false if a stage is empty or has no times, or the devices do not suffice.
  bool possible(const Partition& stages) const {
    int devices = 0;
    for (const StageChoice& stage : stages) {
      devices += space_.config(stage.config).devices();
      if (stage.last <= stage.first || stage.last > space_.tensor_end(stage.config, stage.first)) return false;
    }
    const int count = static_cast<int>(stages.size());
    return devices <= space_.devices() && count >= space_.min_stages() && count <= space_.max_stages();
  }

  std::optional<Partition> even() {
    const int stages = space_.max_stages(), layers = space_.layers();
    Partition partition;
    for (int s = 0; s < stages; ++s) partition.push_back({s * layers / stages, (s + 1) * layers / stages, 0, 0});
    return possible(partition) ? partition : unseen();
  }

  int below(int count) { return static_cast<int>(random_.uniform_int(static_cast<std::uint64_t>(count))); }

  Partition random_partition() {
    const int stages = space_.min_stages() + below(space_.max_stages() - space_.min_stages() + 1);
    Partition partition;
    int left = space_.devices();
    for (int s = 0, first = 0; s < stages; ++s) {
      const int behind = stages - s - 1;
      // Choose from the ways that leave a device for each stage behind.
      std::vector<int> ways;
      for (int w = 0; w < space_.ways(); ++w)
        if (space_.config(w).devices() <= left - behind) ways.push_back(w);
      const int w = ways.empty() ? 0 : ways[static_cast<std::size_t>(below(static_cast<int>(ways.size())))];
      left -= space_.config(w).devices();
      const int most = space_.layers() - behind;
      // Half of the draws are up to twice an even part of the rest, the others any length.
      const int longest = most - first, about = std::min(longest, 2 * longest / (behind + 1));
      const int width = 1 + below(below(2) ? longest : std::max(1, about));
      const int last = behind == 0 ? space_.layers() : std::min(most, first + width);
      partition.push_back({first, last, w, 0});
      first = last;
    }
    return partition;
  }

  /// Moves an end, changes the degrees, merges two stages or splits one.
  Partition changed(Partition stages) {
    const auto pick = [&](std::size_t count) {
      return static_cast<std::size_t>(below(static_cast<int>(std::max<std::size_t>(1, count))));
    };
    const std::size_t s = pick(stages.size() - 1);
    const bool counts_vary = space_.min_stages() < space_.max_stages();
    switch (below(counts_vary ? 8 : space_.ways() > 1 ? 6 : 4)) {
      case 4:
      case 5:
        stages[pick(stages.size())].config = below(space_.ways());
        break;
      case 6:
        if (stages.size() < 2) break;
        stages[s].last = stages[s + 1].last;
        stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(s) + 1);
        break;
      case 7: {
        StageChoice second = stages[s];
        second.first = stages[s].last = stages[s].first + (stages[s].last - stages[s].first) / 2;
        stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(s) + 1, second);
        break;
      }
      default: {
        if (stages.size() < 2) break;
        const int step = 1 + (below(2) ? below(1 + space_.layers() / 8) : 0);
        stages[s].last = stages[s + 1].first = stages[s].last + (below(2) ? step : -step);
      }
    }
    return stages;
  }

  std::optional<Partition> unseen() {
    for (int tries = 0; tries < 256; ++tries)
      if (Partition partition = random_partition(); possible(partition) && !seen_.contains(partition)) return partition;
    return {};
  }

  // --- the surrogate

  std::vector<double> point_of(const Partition& stages) const {
    constexpr int most = 32;
    const int layers = space_.layers(), sampled = std::min(layers, most);
    std::vector<double> point;
    std::size_t s = 0;
    for (int i = 0; i < sampled; ++i) {
      const int p = static_cast<int>(static_cast<std::int64_t>(i) * layers / sampled);
      while (stages[s].last <= p) ++s;
      const StageConfig& way = space_.config(stages[s].config);
      // Stages are counted from the back, as are the in-flight micro-batches.
      point.push_back(static_cast<double>(stages.size() - s));
      if (space_.ways() == 1) continue;
      point.push_back(std::log2(way.replicas));
      point.push_back(std::log2(way.tensor));
    }
    for (double& coordinate : point) coordinate /= std::sqrt(static_cast<double>(sampled));
    return point;
  }

  void evaluate(const Partition& stages) {
    const std::int64_t peak = space_.highest_peak(stages);
    const auto placed = space_.placed(stages, {});
    if (placed && peak <= least_) least_ = peak, fitting_[stages] = *placed;
    if (!fitting_.empty()) watch_.note_plan();
    const double value = std::log(static_cast<double>(std::max<std::int64_t>(1, peak))) + (placed ? 0 : not_fitting);
    if (seen_.empty() || value < best_value_) best_value_ = value, best_ = stages;
    seen_[stages] = value;
    points_.push_back(point_of(stages)), values_.push_back(value);
    if (points_.size() > remembered) points_.erase(points_.begin()), values_.erase(values_.begin());
  }

  /// Chooses the kernel length with the largest evidence.
  void choose_length() {
    double most = -INFINITY;
    for (const double length : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0})
      if (const double evidence = GaussianProcess(points_, values_, length).evidence(); evidence > most)
        most = evidence, length_ = length;
  }

  std::optional<Partition> most_promising(int n) {
    if (length_ == 0 || n % refit == 0) choose_length();
    const GaussianProcess surrogate(points_, values_, length_);
    std::optional<Partition> chosen;
    double most = -1;
    const auto consider = [&](Partition&& partition) {
      if (!possible(partition) || seen_.contains(partition)) return;
      const double improvement = expected_improvement(surrogate.at(point_of(partition)));
      if (improvement > most) most = improvement, chosen = std::move(partition);
    };
    for (int i = 0; i < near_candidates; ++i) {
      Partition near = best_;
      for (int changes = 1 + below(3); changes > 0; --changes)
        if (Partition next = changed(near); possible(next)) near = std::move(next);
      consider(std::move(near));
    }
    for (int i = 0; i < random_candidates; ++i) consider(random_partition());
    // Climbs from there by the surrogate's estimates.
    for (int i = 0; chosen && i < climbing_candidates; ++i) consider(changed(*chosen));
    return chosen ? chosen : unseen();
  }

  double expected_improvement(const GaussianProcess::GpPrediction& guess) const {
    if (guess.deviation <= 0) return std::max(0.0, best_value_ - guess.mean);
    const double z = (best_value_ - guess.mean) / guess.deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    return guess.deviation * (z * std::erfc(-z / std::numbers::sqrt2) / 2 + density);
  }

  Space& space_;
  const Budget& budget_;
  const Watch& watch_;
  Random random_;
  std::map<Partition, double> seen_;
  std::map<Partition, Partition> fitting_;  // placed partitions, by the partition tried
  std::int64_t least_ = INT64_MAX;
  Partition best_;
  double best_value_ = 0, length_ = 0;
  std::vector<std::vector<double>> points_;
  std::vector<double> values_;
};

}  // namespace

std::vector<Partition> optimised_partitions(Space& space, const Budget& budget, std::size_t most, const Watch& watch,
                                            bool& truncated) {
  Optimiser optimiser(space, budget, watch);
  optimiser.run();
  truncated |= optimiser.truncated;
  return optimiser.best(most);
}

}  // namespace pipedeck::planner::capture
