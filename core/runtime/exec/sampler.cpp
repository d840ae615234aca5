// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/sampler.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck::runtime::exec {

Sampler::Sampler(std::chrono::milliseconds every, std::vector<SampledDevice> devices,
                 std::function<void(const RunEvent&)> sink, std::function<std::vector<GpuSample>()> gpus)
    : every_(every),
      devices_(std::move(devices)),
      sink_(std::move(sink)),
      gpus_(std::move(gpus)),
      begin_(Clock::now()),
      last_(begin_) {
  for (const SampledDevice& device : devices_) busy_.push_back(device.meter->busy(begin_));
  thread_ = std::thread([this] { watch(); });
}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

/// Samples at whole multiples of the interval, so that a late sample does not delay later ones. A short rest of the
/// last interval is dropped: some devices may be idle by then, so it is not representative.
void Sampler::watch() {
  std::unique_lock lock(mutex_);
  for (auto next = begin_ + every_;; next += every_) {
    const bool ending = ends_.wait_until(lock, next, [this] { return ending_; });
    const auto now = Clock::now();
    const bool first = last_ == begin_;
    if (now > last_ && (!ending || first || now - last_ >= every_ / 2)) sink_(look(now));
    if (ending) return;
    while (next + every_ <= now) next += every_;
  }
}

RunSample Sampler::look(Clock::time_point now) {
  RunSample sample;
  sample.time = Seconds(std::chrono::duration<double>(now - begin_).count());
  const double passed = std::chrono::duration<double, std::nano>(now - last_).count();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Nanoseconds busy = devices_[i].meter->busy(now);
    sample.busy_fraction.push_back(std::clamp(static_cast<double>((busy - busy_[i]).count) / passed, 0.0, 1.0));
    sample.memory.push_back(devices_[i].memory->in_use());
    busy_[i] = busy;
  }
  if (gpus_) sample.gpus = gpus_();
  last_ = now;
  return sample;
}

}  // namespace pipedeck::runtime::exec
