// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/brute.hpp"

#include <algorithm>

namespace pipedeck::planner::capture {

namespace {

class BruteForce {
 public:
  BruteForce(Space& space, std::size_t most, const Watch& watch) : space_(space), most_(most), watch_(watch) {}

  void run() {
    for (int stages = space_.min_stages(); stages <= space_.max_stages() && !ended(); ++stages) visit(stages - 1, 0, 0);
  }

  std::vector<Partition> found;
  bool truncated = false;

 private:
  bool ended() {
    if ((watch_.answered || !found.empty()) && watch_.deadline_token.stop_requested()) truncated = true;
    return truncated || watch_.stop.stop_requested();
  }

  /// Enumerates the stages from layer `first` on, with `behind` stages behind and `used` devices taken.
  void visit(int behind, int first, int used) {
    if (ended()) return;
    const int layers = space_.layers();
    for (int last = behind == 0 ? layers : first + 1; last <= layers - behind; ++last)
      for (int w = 0; w < space_.ways(); ++w) {
        const int now = used + space_.config(w).devices();
        if (now + behind > space_.devices() || last > space_.tensor_end(w, first)) continue;
        if (space_.peak(w, first, last, behind) > peak_) continue;
        if (space_.need(w, first, last, behind) > space_.largest_capacity(w)) continue;
        stages_.push_back({first, last, w, 0});
        if (behind == 0)
          take();
        else
          visit(behind - 1, last, now);
        stages_.pop_back();
      }
  }

  void take() {
    const auto placed = space_.placed(stages_, {});
    if (!placed) return;
    const std::int64_t peak = space_.highest_peak(*placed);
    if (peak < peak_) found.clear();
    peak_ = peak;
    if (found.size() < most_) found.push_back(*placed);
    watch_.note_plan();
  }

  Space& space_;
  std::size_t most_;
  const Watch& watch_;
  std::int64_t peak_ = INT64_MAX;
  Partition stages_;
};

}  // namespace

double partition_count(const Space& space) {
  const std::size_t devices = static_cast<std::size_t>(space.devices());
  std::vector<double> choices(devices + 1, 0);  // number of choices of degrees so far, by devices taken
  choices[0] = 1;
  double cuts = 1, sum = 0;
  for (int stages = 1; stages <= space.max_stages(); ++stages) {
    if (stages > 1) cuts = cuts * (space.layers() - stages + 1) / (stages - 1);
    std::vector<double> more(devices + 1, 0);
    for (int w = 0; w < space.ways(); ++w)
      for (std::size_t d = static_cast<std::size_t>(space.config(w).devices()); d <= devices; ++d)
        more[d] += choices[d - static_cast<std::size_t>(space.config(w).devices())];
    choices = std::move(more);
    if (stages < space.min_stages()) continue;
    for (const double count : choices) sum += cuts * count;
    if (sum > 1e18) break;
  }
  return sum;
}

std::vector<Partition> brute_force_partitions(Space& space, std::size_t most, const Watch& watch, bool& truncated) {
  BruteForce search(space, most, watch);
  search.run();
  truncated |= search.truncated;
  return search.found;
}

}  // namespace pipedeck::planner::capture
