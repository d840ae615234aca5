// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/tensor/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::tensor {
namespace {

/// Chunks of gradients that are on their way to the host while it updates one.
constexpr std::size_t copies_ahead = 4;

/// Returns the floats of a list that are copied at a time: a 32nd, so that small lists overlap, too, and pages take
/// little of a device's memory. Copies of fewer than 4096 cost more than their bytes.
std::int64_t at_a_time(std::int64_t parameters, std::int64_t most) {
  constexpr std::int64_t parts = 32, least = 4096, line = 64;
  return std::min(most, std::max(least, (parameters / parts + line - 1) / line * line));
}

int moments_of(Optimizer kind) {
  return kind == Optimizer::adam ? 2 : kind == Optimizer::momentum || kind == Optimizer::rmsprop ? 1 : 0;
}

/// Returns the memory of the host for states, or null.
std::shared_ptr<DeviceMemory> host_memory(StatePlace place, const DeviceMemory& memory) {
  if (place == StatePlace::device) return nullptr;
  ensure(memory.device().host_link() != nullptr, "states are offloaded by devices that can");
  return std::make_shared<DeviceMemory>(pinned_host(memory.device_shared()));
}

}  // namespace

OptimizerState::OptimizerState(Optimizer kind, double learning_rate, std::int64_t parameters,
                               std::shared_ptr<DeviceMemory> memory, StatePlace place, std::int64_t copied)
    : kind_(kind),
      learning_rate_(learning_rate),
      place_(kind == Optimizer::none ? StatePlace::device : place),
      copied_(at_a_time(parameters, copied)),
      memory_(std::move(memory)),
      host_(host_memory(place_, *memory_)) {
  const std::shared_ptr<DeviceMemory>& states = host_ ? host_ : memory_;
  try {
    if (moments_of(kind) > 0) first_ = Tensor::zeros(states, 1, parameters);
    if (moments_of(kind) > 1) second_ = Tensor::zeros(states, 1, parameters);
    if (place_ != StatePlace::host) return;
    weights_ = Tensor(host_, 1, parameters), gradients_ = Tensor(host_, 1, parameters);
  } catch (const OutOfMemory& error) {
    if (!host_) throw;
    const std::int64_t lists = moments_of(kind) + (place_ == StatePlace::host ? 2 : 0);
    throw OutOfMemory(fmt::format("the plan's offload: found no {} bytes of host memory to pin for the optimizer: {}",
                                  lists * parameters * static_cast<std::int64_t>(sizeof(float)), error.what()));
  }
}

void OptimizerState::update(Tensor& weights, Tensor& gradients) {
  begin_step();
  update(weights.values(), gradients.values(), 0);
  end_step();
}

UpdateRule OptimizerState::rule() const {
  UpdateRule rule{kind_, static_cast<float>(learning_rate_), 1};
  if (kind_ == Optimizer::adam) {
    rule.rate = static_cast<float>(learning_rate_ / (1 - std::pow(0.9, steps_)));
    rule.second_correction = static_cast<float>(1 / (1 - std::pow(0.999, steps_)));
  }
  return rule;
}

void OptimizerState::update(std::span<float> weights, std::span<float> gradients, std::int64_t first) {
  const auto count = static_cast<std::int64_t>(weights.size());
  if (place_ != StatePlace::device) return ranges_.push_back({weights.data(), gradients.data(), first, count});
  const auto from = [&](Tensor& moment) { return moment.empty() ? nullptr : moment.data() + first; };
  memory_->device().update(rule(), {weights.data(), gradients.data(), from(first_), from(second_), count});
}

void OptimizerState::end_step() {
  if (place_ == StatePlace::device) return;
  place_ == StatePlace::host ? step_on_host() : step_in_pages();
  ranges_.clear();
}

/// Returns the ranges of the step in pieces that are copied at a time.
std::vector<OptimizerState::Range> OptimizerState::chunks() const {
  std::vector<Range> chunks;
  for (const Range& range : ranges_)
    for (std::int64_t at = 0; at < range.count; at += copied_)
      chunks.push_back(
          {range.weights + at, range.gradients + at, range.first + at, std::min(copied_, range.count - at)});
  return chunks;
}

void OptimizerState::weights_changed(std::int64_t first, std::int64_t count) {
  if (place_ == StatePlace::host && count > 0) changed_.emplace_back(first, first + count);
}

/// Copies the weights of a chunk to the host that it does not have.
void OptimizerState::fetch_weights(const Range& chunk, const Completion& ready) {
  HostLink& link = *memory_->device().host_link();
  const auto fetch = [&](std::int64_t first, std::int64_t end) {
    if (first < end) link.to_host(weights_.data() + first, chunk.weights + (first - chunk.first), end - first, ready);
  };
  const std::int64_t all = chunk.first + chunk.count;
  if (!has_weights_) return fetch(chunk.first, all);
  for (const auto& [first, end] : changed_) fetch(std::max(first, chunk.first), std::min(end, all));
}

/// Copies gradients down, updates on this thread, and copies weights up, chunk by chunk: the three overlap. The first
/// step also copies the weights down.
void OptimizerState::step_on_host() {
  ComputeDevice& device = memory_->device();
  HostLink& link = *device.host_link();
  const std::vector<Range> all = chunks();
  const Completion ready = device.now();
  std::vector<Completion> down;
  const auto send = [&](const Range& chunk) {
    fetch_weights(chunk, ready);
    down.push_back(link.to_host(gradients_.data() + chunk.first, chunk.gradients, chunk.count, ready));
  };
  Completion up;
  for (std::size_t i = 0; i < all.size(); ++i) {
    while (down.size() < std::min(all.size(), i + 1 + copies_ahead)) send(all[down.size()]);
    const auto& [weights, gradients, first, count] = all[i];
    down[i].time();  // waits for this copy alone
    const auto from = [at = first](Tensor& list) { return list.empty() ? nullptr : list.data() + at; };
    host_->device().update(rule(), {from(weights_), from(gradients_), from(first_), from(second_), count});
    up = link.to_device(weights, from(weights_), count, {});
  }
  has_weights_ = true;
  changed_.clear();
  for (const Range& range : ranges_) device.zero({range.gradients, static_cast<std::size_t>(range.count)});
  device.wait(up);
}

/// Copies states in, updates on the device, and copies states out, chunk by chunk, in two buffers by turns.
void OptimizerState::step_in_pages() {
  struct Page {
    Tensor first, second;
    Completion free;
  };
  ComputeDevice& device = memory_->device();
  HostLink& link = *device.host_link();
  const std::vector<Range> all = chunks();
  std::int64_t most = 0;
  for (const Range& chunk : all) most = std::max(most, chunk.count);
  std::array<Page, 2> pages;
  for (Page& page : pages) {
    if (!first_.empty()) page.first = Tensor(memory_, 1, most);
    if (!second_.empty()) page.second = Tensor(memory_, 1, most);
    page.free = device.now();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [weights, gradients, first, count] = all[i];
    Page& page = pages[i % pages.size()];
    const std::pair<Tensor*, Tensor*> lists[] = {{&first_, &page.first}, {&second_, &page.second}};
    Completion there;
    for (const auto& [states, own] : lists)
      if (!own->empty()) there = link.to_device(own->data(), states->data() + first, count, page.free);
    device.wait(there);
    device.update(rule(), {weights, gradients, page.first.data(), page.second.data(), count});
    const Completion updated = device.now();
    for (const auto& [states, own] : lists)
      if (!own->empty()) page.free = link.to_host(states->data() + first, own->data(), count, updated);
  }
  for (const Page& page : pages) device.wait(page.free);
}

std::vector<Tensor*> OptimizerState::moments() {
  std::vector<Tensor*> lists;
  for (Tensor* list : {&first_, &second_})
    if (!list->empty()) lists.push_back(list);
  return lists;
}

std::vector<const Tensor*> OptimizerState::moments() const {
  std::vector<const Tensor*> lists;
  for (const Tensor* list : {&first_, &second_})
    if (!list->empty()) lists.push_back(list);
  return lists;
}

}  // namespace pipedeck::runtime::tensor
