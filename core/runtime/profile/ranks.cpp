// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/ranks.hpp"

#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/machine/robust.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"
#include "core/runtime/transport/watched_collective.hpp"

namespace pipedeck::runtime::profile {
namespace {

constexpr std::size_t initial_barriers = 10, meetings = 50;

std::vector<DeviceId> devices(int count) {
  std::vector<DeviceId> ids;
  for (int i = 0; i < count; ++i) ids.emplace_back(std::int32_t{i});
  return ids;
}

std::vector<std::shared_ptr<tensor::DeviceMemory>> memories_of(const RankDevices& at_hand, int count) {
  std::vector<std::shared_ptr<tensor::DeviceMemory>> made;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    made.push_back(std::make_shared<tensor::DeviceMemory>(at_hand.devices[i]));
  return made;
}

std::vector<std::shared_ptr<tensor::DeviceMemory>> memories_of_hosts(int count) {
  std::vector<std::shared_ptr<tensor::DeviceMemory>> made;
  for (int i = 0; i < count; ++i) made.push_back(std::make_shared<tensor::DeviceMemory>());
  return made;
}

std::vector<std::size_t> all_ranks(int count) {
  std::vector<std::size_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Returns the transport of a run: the backend's own if it has one, else that of threads.
std::unique_ptr<transport::Transport> transport_of(const layers::Backend& backend,
                                                   const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                                   transport::RunControl& control) {
  const int count = static_cast<int>(memories.size());
  if (!backend.join || count < 2) return std::make_unique<transport::ThreadTransport>(memories, control);
  return backend.join(std::make_unique<transport::ThreadTransport>(memories_of_hosts(count), control), memories,
                      {{all_ranks(count)}, {}}, control);
}

}  // namespace

RankDevices cores_for_ranks() {
  return {cpu::cpu_backend(),
          std::vector<std::shared_ptr<tensor::ComputeDevice>>(machine::usable_cores().size(), tensor::cpu_device())};
}

Ranks::Ranks(const RankDevices& at_hand, int at_work)
    : at_work_(at_work),
      control_(std::chrono::hours(1), devices(at_work)),
      memories_(memories_of(at_hand, at_work)),
      hosts_(memories_of_hosts(at_work), control_),
      transport_(transport_of(at_hand.backend, memories_, control_)) {
  control_.enable_spin_wait(static_cast<std::size_t>(at_work));
}

Result<std::unique_ptr<Ranks>> Ranks::of(const RankDevices& at_hand, const ModelSpec& model,
                                         const exec::ModelParts& parts, int degree, int samples) {
  const bool fit = static_cast<std::size_t>(degree) <= at_hand.devices.size();
  std::unique_ptr<Ranks> ranks(new Ranks(at_hand, fit ? degree : 1));
  for (int rank = 0; rank < ranks->at_work_; ++rank)
    TRY_VOID(ranks->add(at_hand.backend, model, parts, degree, samples));
  for (std::size_t rank = 1; rank < ranks->ranks_.size(); ++rank)
    ranks->others_.emplace_back([&all = *ranks, rank] { all.run(rank); });
  return ranks;
}

Ranks::~Ranks() { control_.drop(); }

Result<void> Ranks::add(const layers::Backend& backend, const ModelSpec& model, const exec::ModelParts& parts,
                        int degree, int samples) {
  const std::size_t number = ranks_.size();
  ranks_.emplace_back();
  Rank& rank = ranks_.back();
  rank.group = group_of(number, degree);
  TRY(auto made, layers::make_sharded_layers(model, 0, layers::plannable_layers(model), backend.kernels,
                                             {static_cast<int>(number), degree, {}}, rank.group));
  rank.part = std::move(made);
  rank.loss =
      std::make_unique<layers::SoftmaxCrossEntropy>(rank.part.loss ? parts.loss.over(*rank.part.loss) : parts.loss);
  rank.timer =
      std::make_unique<LayerTimer>(rank.part.layers, *rank.loss, *parts.source, model.seed, samples, rank.group.get(),
                                   ChainEnds(), ChainDevice{memories_[number], backend.loss(*rank.loss)});
  return {};
}

std::shared_ptr<transport::CountingCollective> Ranks::group_of(std::size_t rank, int degree) {
  const std::shared_ptr<tensor::ComputeDevice>& device = memories_[rank]->device_shared();
  if (at_work_ < degree) return std::make_shared<transport::SingleRankCollective>(0, degree, device);
  const auto all = all_ranks(degree);
  auto group = std::make_unique<transport::MonitoredCollective>(transport_->join(all, rank), control_, rank);
  if (on_host()) return std::make_shared<transport::TimingCollective>(std::move(group));
  return std::make_shared<transport::TimingCollective>(std::move(group), device, hosts_.join(all, rank));
}

Seconds Ranks::start() { return start(0); }

Seconds Ranks::start(std::size_t rank) {
  transport_->connect(rank);
  if (on_host() || at_work_ < 2) return {};
  transport::CountingCollective& group = *ranks_[rank].group;
  tensor::Tensor nothing = tensor::Tensor::zeros(memories_[rank], 1, 1);
  for (std::size_t i = 0; i < meetings; ++i) group.all_reduce(nothing.values());
  memories_[rank]->device().synchronise();
  const std::vector<Seconds> moved = group.collective_durations();
  group.all_reduce_counts();
  std::vector<double> times;
  for (std::size_t i = initial_barriers; i < moved.size(); ++i) times.push_back(moved[i].count);
  return Seconds(machine::summary_of(std::move(times)).lower);
}

void Ranks::run(std::size_t rank) {
  if (on_host()) {
    cpu::use_one_thread();
    machine::pin_to_core(rank);
  }
  try {
    start(rank);
    while (true) ranks_[rank].timer->warm_up();  // stores no times
  } catch (const transport::Interrupted&) {      // the measurement has ended
  } catch (const std::exception& error) {        // ends the wait of the first rank
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    control_.fail({ErrorCode::run_failed, error.what(), {}, {}});
  }
}

void Ranks::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  const auto error = control_.failure();
  throw std::runtime_error(error ? error->message : "another rank has ended");
}

}  // namespace pipedeck::runtime::profile
