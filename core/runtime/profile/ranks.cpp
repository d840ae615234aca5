// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/ranks.hpp"

#include <new>
#include <numeric>

#include "core/runtime/cores.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/transport/lone_collective.hpp"
#include "core/runtime/transport/timed_collective.hpp"
#include "core/runtime/transport/watched_collective.hpp"

namespace pipedeck {
namespace {

std::vector<DeviceId> devices(int count) {
  std::vector<DeviceId> ids;
  for (int i = 0; i < count; ++i) ids.emplace_back(std::int32_t{i});
  return ids;
}

std::vector<std::shared_ptr<DeviceMemory>> memories(int count) {
  std::vector<std::shared_ptr<DeviceMemory>> made;
  for (int i = 0; i < count; ++i) made.push_back(std::make_shared<DeviceMemory>());
  return made;
}

}  // namespace

Ranks::Ranks(int at_work)
    : at_work_(at_work), control_(std::chrono::hours(1), devices(at_work)), transport_(memories(at_work), control_) {
  control_.look_before_sleeping(static_cast<std::size_t>(at_work));
}

Result<std::unique_ptr<Ranks>> Ranks::of(const ModelSpec& model, const ModelParts& parts, int degree, int samples) {
  const bool fit = static_cast<std::size_t>(degree) <= usable_cores().size();
  std::unique_ptr<Ranks> ranks(new Ranks(fit ? degree : 1));
  for (int rank = 0; rank < ranks->at_work_; ++rank)
    if (auto added = ranks->add(model, parts, degree, samples); !added) return tl::unexpected(added.error());
  for (std::size_t rank = 1; rank < ranks->ranks_.size(); ++rank)
    ranks->others_.emplace_back([&control = ranks->control_, &timer = *ranks->ranks_[rank].timer, rank] {
      use_one_thread();
      stand_apart(rank);
      try {
        while (true) timer.warm_up();    // keeps no times
      } catch (const Interrupted&) {     // all is measured
      } catch (const std::bad_alloc&) {  // the first one's wait ends with it
        control.fail({ErrorCode::run_failed, "out of memory: the system has no more", {}, {}});
      }
    });
  return ranks;
}

Ranks::~Ranks() { control_.drop(); }

Result<void> Ranks::add(const ModelSpec& model, const ModelParts& parts, int degree, int samples) {
  const std::size_t number = ranks_.size();
  ranks_.emplace_back();
  Rank& rank = ranks_.back();
  rank.group = group_of(number, degree);
  auto made = make_sharded_layers(model, 0, plannable_layers(model), cpu_kernels(),
                                  {static_cast<int>(number), degree, {}}, rank.group);
  if (!made) return tl::unexpected(made.error());
  rank.part = std::move(*made);
  rank.loss = std::make_unique<SoftmaxCrossEntropy>(rank.part.loss ? parts.loss.over(*rank.part.loss) : parts.loss);
  rank.timer =
      std::make_unique<ChainTimer>(rank.part.layers, *rank.loss, *parts.source, model.seed, samples, rank.group.get());
  return {};
}

std::shared_ptr<CountedCollective> Ranks::group_of(std::size_t rank, int degree) {
  if (at_work_ < degree) return std::make_shared<LoneCollective>(0, degree);
  std::vector<std::size_t> all(static_cast<std::size_t>(degree));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return std::make_shared<TimedCollective>(
      std::make_unique<WatchedCollective>(transport_.join(all, rank), control_, rank));
}

}  // namespace pipedeck
