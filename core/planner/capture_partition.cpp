// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture_partition.hpp"

#include <algorithm>

#include "core/planner/memory_fit.hpp"

namespace pipedeck {

namespace {

constexpr std::size_t most_ties = 4096;  // looked at, before the quickest are kept

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The ties with the least time on their slowest stage.
void keep_quickest(CapturePredictor& predictor, std::vector<Partition>& ties, std::size_t keep) {
  const auto slowest = [&](const Partition& ends) {
    double most = 0;
    for (int s = 0, first = 0; s < predictor.stages(); first = ends[at(s++)])
      most = std::max(most, predictor.seconds(s, first, ends[at(s)]));
    return most;
  };
  std::vector<std::pair<double, Partition>> timed;
  for (Partition& ends : ties) timed.push_back({slowest(ends), std::move(ends)});
  std::sort(timed.begin(), timed.end());
  ties.clear();
  for (auto& [time, ends] : timed)
    if (ties.size() < keep) ties.push_back(std::move(ends));
}

/// Peaks of every stage and range, and the least highest peak of stages s.. from every layer on.
class ExactTable {
 public:
  ExactTable(CapturePredictor& predictor, std::stop_token stop) : predictor_(predictor), stop_(std::move(stop)) {
    const int stages = predictor.stages(), layers = predictor.layers();
    rest_.assign(at(stages) + 1, std::vector<std::optional<Bytes>>(at(layers) + 1));
    rest_[at(stages)][at(layers)] = Bytes();
    for (int s = stages - 1; s >= 0; --s)
      for (int first = s; first <= layers - (stages - s) && !stop_.stop_requested(); ++first)
        rest_[at(s)][at(first)] = least(s, first);
  }

  std::optional<Bytes> highest() const { return rest_[0][0]; }

  /// Every partition whose highest peak is `most` at the most, in lexicographic order, up to most_ties.
  void collect(Bytes most, int stage, int first, Partition& ends, std::vector<Partition>& found) {
    if (stage == predictor_.stages()) return found.push_back(ends);
    for (int last = first + 1; last <= predictor_.layers(); ++last) {
      if (found.size() >= most_ties || stop_.stop_requested()) return;
      const auto behind = rest_[at(stage) + 1][at(last)];
      if (!behind || *behind > most) continue;
      const auto peak = predictor_.peak(stage, first, last);
      if (!peak || *peak > most) continue;
      ends.push_back(last);
      collect(most, stage + 1, last, ends, found);
      ends.pop_back();
    }
  }

 private:
  std::optional<Bytes> least(int stage, int first) {
    std::optional<Bytes> best;
    for (int last = first + 1; last <= predictor_.layers(); ++last) {
      const auto behind = rest_[at(stage) + 1][at(last)];
      if (!behind || (best && *behind >= *best)) continue;
      const auto peak = predictor_.peak(stage, first, last);
      if (!peak) continue;
      const Bytes highest = std::max(*peak, *behind);
      if (!best || highest < *best) best = highest;
    }
    return best;
  }

  CapturePredictor& predictor_;
  std::stop_token stop_;
  std::vector<std::vector<std::optional<Bytes>>> rest_;
};

class BruteForce {
 public:
  BruteForce(CapturePredictor& predictor, std::stop_token stop) : predictor_(predictor), stop_(std::move(stop)) {}

  void visit(int stage, int first, Bytes highest) {
    if (stop_.stop_requested()) return;
    const int left = predictor_.stages() - stage - 1;
    const int from = left == 0 ? predictor_.layers() : first + 1;
    for (int last = from; last <= predictor_.layers() - left; ++last) {
      const auto peak = predictor_.peak(stage, first, last);
      if (!peak) continue;
      ends_.push_back(last);
      if (left == 0)
        take(std::max(highest, *peak));
      else
        visit(stage + 1, last, std::max(highest, *peak));
      ends_.pop_back();
    }
  }

  std::optional<PeakAnswer> best;

 private:
  void take(Bytes peak) {
    if (!best || peak < best->peak) best = PeakAnswer{peak, {}};
    if (peak == best->peak && best->partitions.size() < most_ties) best->partitions.push_back(ends_);
  }

  CapturePredictor& predictor_;
  std::stop_token stop_;
  Partition ends_;
};

}  // namespace

CapturePredictor::CapturePredictor(Chain& chain, int micro_batch, int stages, const CaptureOptions& options)
    : chain_(chain),
      micro_batch_(micro_batch),
      micro_batches_(chain.workload().global_batch / micro_batch),
      stages_(stages),
      options_(options) {}

std::optional<Bytes> CapturePredictor::peak(int stage, int first, int last) {
  const StageNeed need = stage_need(chain_, first, last, 1, micro_batch_, false);
  const int kept = std::min(micro_batches_, stages_ - stage), before = std::min(micro_batches_, stages_ - stage + 1);
  if (!options_.ignore_memory && need.peak(kept, before) > chain_.network().type(DeviceId(stage)).memory) return {};
  // First layer: static + saved + input + workspace; each further one: static + saved. 1F1B keeps min(M, S - i).
  return need.fixed + need.kept * (options_.paper_in_flight ? 1 : kept) + need.input +
         chain_.workspace(first, first + 1, micro_batch_);
}

double CapturePredictor::seconds(int stage, int first, int last) {
  const PassTimes& times = chain_.times(micro_batch_, chain_.network().device(DeviceId(stage)).type);
  return times.forward_of(first, last) + times.backward_of(first, last);
}

std::optional<PeakAnswer> exact_partitions(CapturePredictor& predictor, std::size_t keep, std::stop_token stop) {
  ExactTable table(predictor, stop);
  if (!table.highest()) return {};
  PeakAnswer answer{*table.highest(), {}};
  Partition ends;
  table.collect(answer.peak, 0, 0, ends, answer.partitions);
  keep_quickest(predictor, answer.partitions, keep);
  return answer;
}

std::optional<PeakAnswer> brute_force_partitions(CapturePredictor& predictor, std::size_t keep, std::stop_token stop) {
  BruteForce search(predictor, stop);
  search.visit(0, 0, Bytes());
  if (search.best) keep_quickest(predictor, search.best->partitions, keep);
  return search.best;
}

double partition_count(int layers, int stages) {
  double count = 1;
  for (int i = 1; i < stages; ++i) count = count * (layers - i) / i;
  return count;
}

}  // namespace pipedeck
