// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/run_gpus.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/runtime/transport/plain_bytes.hpp"

namespace pipedeck::runtime::train {
namespace {

void put_gpu(std::string& bytes, const RunGpu& gpu) {
  transport::put(bytes, gpu.devices);
  for (const std::string* text : {&gpu.name, &gpu.uuid, &gpu.bus}) transport::put(bytes, *text);
  transport::put(bytes, gpu.memory);
  for (const auto* figure : {&gpu.power_limit, &gpu.max_clock}) transport::put(bytes, *figure);
}

RunGpu parse_gpu(transport::ByteReader& reader) {
  RunGpu gpu;
  reader.get(gpu.devices);
  for (std::string* text : {&gpu.name, &gpu.uuid, &gpu.bus}) reader.get(*text);
  reader.get(gpu.memory);
  for (auto* figure : {&gpu.power_limit, &gpu.max_clock}) reader.get(*figure);
  return gpu;
}

/// Returns "the GPUs' power, clocks and memory are unknown: ..."; empty if they are known.
std::string unresponsive_reason(const Result<std::unique_ptr<machine::GpuMonitor>>& opened) {
  if (opened) return {};
  return fmt::format("the GPUs' power, clocks and memory are unknown: {}", opened.error().message);
}

std::string encode_initial_report(const machine::GpuMonitor* watch, const std::string& why) {
  std::string bytes;
  transport::put(bytes, why);
  const std::vector<RunGpu> gpus = watch ? watch->gpus() : std::vector<RunGpu>();
  transport::put(bytes, gpus.size());
  for (const RunGpu& gpu : gpus) put_gpu(bytes, gpu);
  return bytes;
}

}  // namespace

std::string throttle_message(const RunGpu& gpu, const machine::ThrottleState& held) {
  const auto any = [&](auto... limits) { return (holds(held.limits, limits) || ...); };
  const std::string devices = fmt::format("{}", fmt::join(gpu.devices, ", "));
  std::string figures;
  if (held.lowest_clock && gpu.max_clock)
    figures = fmt::format(" ({:.0f} of {:.0f} MHz)", *held.lowest_clock, *gpu.max_clock);
  if (any(ThrottleReason::sw_thermal_slowdown, ThrottleReason::hw_thermal_slowdown))
    return fmt::format("{} at {} (device {}): heat holds its clocks back{}: look at its cooling", gpu.name, gpu.bus,
                       devices, figures);
  if (any(ThrottleReason::hw_power_brake_slowdown))
    return fmt::format("{} at {} (device {}): the power supply brakes its clocks{}: look at the machine's supply",
                       gpu.name, gpu.bus, devices, figures);
  if (any(ThrottleReason::hw_slowdown))
    return fmt::format("{} at {} (device {}): its hardware holds its clocks back{}: heat or power", gpu.name, gpu.bus,
                       devices, figures);
  if (any(ThrottleReason::sw_power_cap))
    return fmt::format("{} at {} (device {}): its power limit holds its clocks back{}", gpu.name, gpu.bus, devices,
                       figures);
  return {};
}

RunGpus::RunGpus(const std::vector<machine::PlacedGpu>& here, transport::ProcessGroup& processes)
    : processes_(processes), none_(here.empty()) {
  if (none_) return;
  auto opened = machine::GpuMonitor::open(here);
  const std::string why = unresponsive_reason(opened);
  if (opened) watch_ = *std::move(opened);
  for (const std::string& process : processes_.gather(encode_initial_report(watch_.get(), why))) {
    transport::ByteReader reader(process);
    std::string silent;
    std::size_t count = 0;
    reader.get(silent);
    reader.get(count);
    if (!silent.empty()) untold_.push_back({silent});
    for (; count > 0; --count) all_.push_back(parse_gpu(reader));
  }
  told_.resize(all_.size());
}

std::vector<GpuSample> RunGpus::latest() const { return watch_ ? watch_->latest() : std::vector<GpuSample>(); }

void RunGpus::warn(std::size_t gpu, const machine::ThrottleState& held) {
  if (gpu >= all_.size()) return;
  std::string words = throttle_message(all_[gpu], {held.limits & ~told_[gpu], held.lowest_clock});
  told_[gpu] |= held.limits;
  if (!words.empty()) untold_.push_back({std::move(words)});
}

void RunGpus::take(const RunSample& sample) {
  for (std::size_t i = 0; i < sample.gpus.size(); ++i)
    warn(i, {sample.gpus[i].limits.value_or(0), sample.gpus[i].clock});
}

std::vector<RunWarning> RunGpus::warnings() {
  if (watch_ && processes_.is_rank_zero()) {
    const std::vector<machine::ThrottleState> held = watch_->throttle_state();
    for (std::size_t i = 0; i < held.size(); ++i) warn(i, held[i]);
  }
  return std::exchange(untold_, {});
}

void RunGpus::end_steps() {
  if (watch_) sums_ = watch_->finish();
}

void RunGpus::finish(RunFinished& finished) {
  if (none_) return;
  std::string mine;
  transport::put(mine, sums_.energy);
  transport::put(mine, sums_.poll);
  transport::put(mine, watch_ ? watch_->throttle_state() : std::vector<machine::ThrottleState>());
  for (const std::string& process : processes_.gather(mine)) {
    transport::ByteReader reader(process);
    std::vector<std::optional<double>> energy;
    std::optional<Seconds> look;
    std::vector<machine::ThrottleState> held;
    reader.get(energy);
    reader.get(look);
    reader.get(held);
    for (std::size_t i = 0; i < held.size(); ++i) warn(finished.gpu_energy.size() + i, held[i]);
    finished.gpu_energy.insert(finished.gpu_energy.end(), energy.begin(), energy.end());
    if (look) finished.gpu_look = Seconds(std::max(finished.gpu_look.value_or(Seconds()).count, look->count));
  }
}

}  // namespace pipedeck::runtime::train
