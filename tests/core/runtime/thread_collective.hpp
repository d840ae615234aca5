// SPDX-License-Identifier: Apache-2.0
// A group of threads for tests, as simple as can be: everybody shows what he has, all wait, everybody adds up by
// himself.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::test {

class ThreadCollective final : public runtime::transport::Collective {
 public:
  struct Meeting {
    explicit Meeting(int size) : shown(static_cast<std::size_t>(size)) {}
    void wait_for_all() {
      std::unique_lock lock(mutex);
      const unsigned now = meeting;
      if (++here == shown.size()) {
        here = 0, ++meeting;
        return changed.notify_all();
      }
      changed.wait(lock, [&] { return meeting != now; });
    }
    std::vector<std::vector<float>> shown;
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t here = 0;
    unsigned meeting = 0;
  };
  ThreadCollective(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_->shown.size()); }

  runtime::tensor::Completion all_reduce(std::span<float> values) override {
    return combine(values, [](float a, float b) { return a + b; });
  }
  runtime::tensor::Completion all_reduce_max(std::span<float> values) override {
    return combine(values, [](float a, float b) { return std::max(a, b); });
  }
  runtime::tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                         std::span<const std::size_t> counts) override {
    const auto began = show(mine);
    auto to = all.begin();
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (meeting_->shown[rank].size() != counts[rank]) qFatal("rank %zu shows something else", rank);
      to = std::copy(meeting_->shown[rank].begin(), meeting_->shown[rank].end(), to);
    }
    meeting_->wait_for_all();
    return began;
  }
  runtime::tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                             std::span<const std::size_t> counts) override {
    std::vector<float> sums(values.begin(), values.end());
    const auto began = all_reduce(sums);
    const auto own = runtime::transport::offset_of(counts, static_cast<std::size_t>(rank_));
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(own), mine.size(), mine.begin());
    return began;
  }
  /// Shows the number of values for each rank before the values.
  runtime::tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                         std::span<float> from, std::span<const std::size_t> from_counts) override {
    std::vector<float> shown(to_counts.begin(), to_counts.end());
    shown.insert(shown.end(), to.begin(), to.end());
    const auto began = show(shown);
    auto place = from.begin();
    for (std::size_t rank = 0; rank < from_counts.size(); ++rank) {
      auto theirs = meeting_->shown[rank].begin();
      auto values = theirs + static_cast<std::ptrdiff_t>(from_counts.size());
      for (int before = 0; before < rank_; ++before) values += static_cast<std::ptrdiff_t>(*theirs++);
      if (static_cast<std::size_t>(*theirs) != from_counts[rank]) qFatal("rank %zu sends something else", rank);
      place = std::copy_n(values, from_counts[rank], place);
    }
    meeting_->wait_for_all();
    return began;
  }
  runtime::tensor::Completion broadcast(int root, std::span<float> values) override {
    const auto began = show(values);
    std::copy_n(meeting_->shown[static_cast<std::size_t>(root)].begin(), values.size(), values.begin());
    meeting_->wait_for_all();
    return began;
  }

 private:
  runtime::tensor::Completion show(std::span<const float> values) {
    meeting_->shown[static_cast<std::size_t>(rank_)].assign(values.begin(), values.end());
    meeting_->wait_for_all();
    return runtime::tensor::RunClock::now();
  }

  template <class Combine>
  runtime::tensor::Completion combine(std::span<float> values, Combine combine) {
    const auto began = show(values);
    std::copy(meeting_->shown[0].begin(), meeting_->shown[0].end(), values.begin());
    for (std::size_t rank = 1; rank < meeting_->shown.size(); ++rank) {
      if (meeting_->shown[rank].size() != values.size()) qFatal("rank %zu shows something else", rank);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], meeting_->shown[rank][i]);
    }
    meeting_->wait_for_all();
    return began;
  }

  std::shared_ptr<Meeting> meeting_;
  int rank_;
};

/// Runs work(rank, collective) on a thread each.
template <class Work>
void as_a_group(int size, Work work) {
  const auto meeting = std::make_shared<ThreadCollective::Meeting>(size);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] { work(rank, std::make_shared<ThreadCollective>(meeting, rank)); });
}

}  // namespace pipedeck::test
