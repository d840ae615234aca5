// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/sample_aggregator.hpp"

#include <algorithm>
#include <utility>

#include "core/runtime/transport/plain_bytes.hpp"

namespace pipedeck::runtime::train {
namespace {

void read(const std::string& bytes, std::vector<RunSample>& samples) {
  transport::ByteReader reader(bytes);
  std::uint64_t count = 0;
  reader.get(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    RunSample sample;
    reader.get(sample.time);
    reader.get(sample.busy_fraction);
    reader.get(sample.memory);
    reader.get(sample.gpus);
    samples.push_back(std::move(sample));
  }
}

}  // namespace

void SampleAggregator::add(RunSample sample) {
  const std::lock_guard lock(mutex_);
  untold_.push_back(std::move(sample));
}

std::string SampleAggregator::told() {
  const std::lock_guard lock(mutex_);
  std::string bytes;
  transport::put(bytes, static_cast<std::uint64_t>(untold_.size()));
  for (const RunSample& sample : untold_) {
    transport::put(bytes, sample.time);
    transport::put(bytes, sample.busy_fraction);
    transport::put(bytes, sample.memory);
    transport::put(bytes, sample.gpus);
  }
  untold_.clear();
  return bytes;
}

/// A sample covers the time since the one before. Processes begin to sample at slightly different times.
const RunSample* SampleAggregator::covering(const std::vector<RunSample>& of_process, Seconds time, bool last) const {
  for (const RunSample& sample : of_process)
    if (sample.time.count >= time.count - every_.count / 2) return &sample;
  return last && !of_process.empty() ? &of_process.back() : nullptr;
}

std::vector<RunSample> SampleAggregator::together(const std::vector<std::string>& processes, bool last) {
  waiting_.resize(processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i) read(processes[i], waiting_[i]);
  std::vector<RunSample> all;
  while (!waiting_.empty() && !waiting_.front().empty()) {
    RunSample sample = waiting_.front().front();
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      const RunSample* other = covering(waiting_[i], sample.time, last);
      if (!other) return all;
      sample.busy_fraction.insert(sample.busy_fraction.end(), other->busy_fraction.begin(), other->busy_fraction.end());
      sample.memory.insert(sample.memory.end(), other->memory.begin(), other->memory.end());
      sample.gpus.insert(sample.gpus.end(), other->gpus.begin(), other->gpus.end());
      // One sample remains: it may cover the next time, too.
      waiting_[i].erase(waiting_[i].begin(), waiting_[i].begin() + (other - waiting_[i].data()));
    }
    waiting_.front().erase(waiting_.front().begin());
    all.push_back(std::move(sample));
  }
  return all;
}

}  // namespace pipedeck::runtime::train
