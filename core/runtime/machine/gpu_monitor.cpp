// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/gpu_monitor.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/machine/nvml_library.hpp"

namespace pipedeck::runtime::machine {
namespace {

using WatchClock = std::chrono::steady_clock;
using Nvml = machine::Library;

constexpr unsigned of_multiprocessors = 1;  // nvmlClockType_t
constexpr unsigned of_the_chip = 0;         // nvmlTemperatureSensors_t

std::optional<double> scaled(std::optional<unsigned> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

std::optional<std::uint32_t> limits_of(const Nvml& driver, GpuHandle* gpu) {
  auto bits = driver.told<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", gpu);
  if (!bits) bits = driver.told<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu);
  if (!bits) return std::nullopt;
  std::uint32_t known = 0;
  for (const NamedClockLimit& named : clock_limits)
    if (holds(static_cast<std::uint32_t>(*bits), named.limit)) known |= static_cast<std::uint32_t>(named.limit);
  return known;
}

GpuSample reading_of(const Nvml& driver, GpuHandle* gpu) {
  GpuSample reading;
  reading.power = scaled(driver.told<unsigned>("nvmlDeviceGetPowerUsage", gpu), 1e-3);
  if (const auto memory = driver.told<machine::MemoryInfo>("nvmlDeviceGetMemoryInfo", gpu))
    reading.memory = Bytes(static_cast<std::int64_t>(memory->used));
  reading.clock = scaled(driver.told<unsigned>("nvmlDeviceGetClockInfo", gpu, of_multiprocessors), 1);
  if (const auto used = driver.told<machine::Utilization>("nvmlDeviceGetUtilizationRates", gpu))
    reading.utilization = used->gpu / 100.0;
  reading.temperature = scaled(driver.told<unsigned>("nvmlDeviceGetTemperature", gpu, of_the_chip), 1);
  reading.limits = limits_of(driver, gpu);
  return reading;
}

/// Returns the joules since the driver was loaded.
std::optional<double> energy_of(const Nvml& driver, GpuHandle* gpu) {
  const auto millijoules = driver.told<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", gpu);
  return millijoules ? std::optional(static_cast<double>(*millijoules) * 1e-3) : std::nullopt;
}

/// A MIG slice has no power, clock or energy of its own; the values of its board must not be used for it.
GpuHandle* found(const Nvml& driver, const PlacedGpu& placed) {
  GpuHandle* gpu = nullptr;
  for (const char* kind : {"GPU-", "MIG-"})
    if (driver.ask("nvmlDeviceGetHandleByUUID", (kind + placed.uuid).c_str(), &gpu)) return gpu;
  const bool slice = placed.name.find(" MIG ") != std::string::npos;
  return !slice && driver.ask("nvmlDeviceGetHandleByPciBusId_v2", placed.bus.c_str(), &gpu) ? gpu : nullptr;
}

RunGpu described(const Nvml& driver, GpuHandle* gpu, const PlacedGpu& placed) {
  RunGpu about{{}, placed.name, placed.uuid, placed.bus, {}, {}, {}};
  std::array<char, 96> uuid{};
  if (driver.ask("nvmlDeviceGetUUID", gpu, uuid.data(), static_cast<unsigned>(uuid.size() - 1)))
    about.uuid = uuid.data();
  if (const auto memory = driver.told<machine::MemoryInfo>("nvmlDeviceGetMemoryInfo", gpu))
    about.memory = Bytes(static_cast<std::int64_t>(memory->total));
  about.power_limit = scaled(driver.told<unsigned>("nvmlDeviceGetEnforcedPowerLimit", gpu), 1e-3);
  about.max_clock = scaled(driver.told<unsigned>("nvmlDeviceGetMaxClockInfo", gpu, of_multiprocessors), 1);
  return about;
}

}  // namespace

/// State shared with the thread. `mutex` protects everything except `driver` and `handles`.
struct GpuMonitor::State {
  std::vector<PlacedGpu> placed;
  std::chrono::milliseconds every{};
  std::unique_ptr<Nvml> driver;  ///< used by the thread
  std::vector<GpuHandle*> handles;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Error> error;
  bool opened = false, ending = false, ended = false;
  std::vector<RunGpu> gpus;
  std::vector<GpuSample> latest;
  std::vector<ThrottleState> throttle_state;
  std::vector<std::optional<double>> first_energy, last_energy;
  std::chrono::duration<double> looked{};  ///< in total
  int looks = 0;

  void run();
  Result<void> find();
  void poll();
};

/// Devices that share a GPU have the same handle.
Result<void> GpuMonitor::State::find() {
  TRY(auto library, Nvml::open());
  driver = std::move(library);
  std::vector<RunGpu> about;
  for (const PlacedGpu& one : placed) {
    GpuHandle* handle = found(*driver, one);
    if (!handle) continue;
    const auto known = std::ranges::find(handles, handle);
    const auto place = static_cast<std::size_t>(known - handles.begin());
    if (known == handles.end()) {
      handles.push_back(handle);
      about.push_back(described(*driver, handle, one));
    }
    about[place].devices.push_back(one.device);
  }
  if (handles.empty()) return fail(ErrorCode::io, "NVML knows none of the run's GPUs");
  const std::lock_guard lock(mutex);
  gpus = std::move(about);
  throttle_state.resize(handles.size());
  return {};
}

void GpuMonitor::State::poll() {
  const auto begin = WatchClock::now();
  std::vector<GpuSample> readings;
  std::vector<std::optional<double>> energy;
  for (GpuHandle* handle : handles) {
    readings.push_back(reading_of(*driver, handle));
    energy.push_back(energy_of(*driver, handle));
  }
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const GpuSample& reading = readings[i];
    ThrottleState& held = throttle_state[i];
    const std::uint32_t limits = reading.limits.value_or(0);
    held.limits |= limits;
    if (limits != 0 && reading.clock) held.lowest_clock = std::min(held.lowest_clock.value_or(1e9), *reading.clock);
  }
  if (looks == 0) first_energy = energy;
  last_energy = std::move(energy);
  latest = std::move(readings);
  looked += WatchClock::now() - begin;
  ++looks;
}

void GpuMonitor::State::run() {
  const auto there = find();
  if (there) poll();
  std::unique_lock lock(mutex);
  if (!there) error = there.error();
  opened = true;
  changed.notify_all();
  for (auto next = WatchClock::now() + every; there && !ending; next = std::max(next + every, WatchClock::now())) {
    changed.wait_until(lock, next, [this] { return ending; });
    lock.unlock();
    poll();
    lock.lock();
  }
  ended = true;
  changed.notify_all();
}

GpuMonitor::GpuMonitor(std::shared_ptr<State> state) : state_(std::move(state)), gpus_(state_->gpus) {}

Result<std::unique_ptr<GpuMonitor>> GpuMonitor::open(const std::vector<PlacedGpu>& placed,
                                                     std::chrono::milliseconds every) {
  auto state = std::make_shared<State>();
  state->placed = placed;
  state->every = every;
  std::thread([state] { state->run(); }).detach();
  std::unique_lock lock(state->mutex);
  if (!state->changed.wait_for(lock, patience, [&] { return state->opened; })) {
    state->ending = true;
    return fail(ErrorCode::io, fmt::format("NVML does not answer within {} s", patience.count() / 1000));
  }
  if (state->error) return tl::unexpected(*state->error);
  return std::unique_ptr<GpuMonitor>(new GpuMonitor(state));
}

GpuMonitor::~GpuMonitor() { finish(); }

std::vector<GpuSample> GpuMonitor::latest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->latest;
}

std::vector<ThrottleState> GpuMonitor::throttle_state() const {
  const std::lock_guard lock(state_->mutex);
  return state_->throttle_state;
}

GpuMonitor::Sums GpuMonitor::finish() {
  std::unique_lock lock(state_->mutex);
  const bool first = !std::exchange(state_->ending, true);
  state_->changed.notify_all();
  if (first) state_->changed.wait_for(lock, patience, [this] { return state_->ended; });
  Sums sums;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto &begin = state_->first_energy[i], &end = state_->last_energy[i];
    sums.energy.push_back(state_->ended && begin && end && *end >= *begin ? std::optional(*end - *begin)
                                                                          : std::nullopt);
  }
  if (state_->looks > 0) sums.poll = Seconds(state_->looked.count() / state_->looks);
  return sums;
}

}  // namespace pipedeck::runtime::machine
