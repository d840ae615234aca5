// SPDX-License-Identifier: Apache-2.0
// Processes that are threads of a test: they share nothing but mailboxes, and each sees its own workers only.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/train.hpp"
#include "core/runtime/transport/mailbox.hpp"

namespace pipedeck::test {

/// The links between hosts of processes that are threads of this test: each sees only its own workers.
struct Wires {
  explicit Wires(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) mailboxes.emplace_back(std::make_shared<runtime::tensor::DeviceMemory>());
  }
  std::deque<runtime::transport::Mailbox> mailboxes;
};

class WireEnd final : public runtime::transport::Endpoint {
 public:
  WireEnd(Wires& wires, std::size_t worker, runtime::transport::RunControl& control)
      : wires_(wires), worker_(worker), control_(control) {}
  void send(std::size_t peer, runtime::transport::MessageKey key, runtime::tensor::Tensor tensor) override {
    wires_.mailboxes[peer].post(worker_, key, {std::move(tensor), runtime::tensor::RunClock::now()});
  }
  runtime::transport::Message receive(std::size_t peer, runtime::transport::MessageKey key, int,
                                      std::int64_t) override {
    return wires_.mailboxes[worker_].take(peer, key, control_);
  }
  std::optional<runtime::transport::Message> receive_within(std::size_t peer, runtime::transport::MessageKey key,
                                                            std::chrono::milliseconds patience) override {
    return wires_.mailboxes[worker_].receive_within(peer, key, patience);
  }

 private:
  Wires& wires_;
  std::size_t worker_;
  runtime::transport::RunControl& control_;
};

/// All that NCCL's transport asks of the host's groups is sent by one rank to the others.
class Telling final : public runtime::transport::Collective {
 public:
  Telling(WireEnd& end, std::vector<std::size_t> members, std::size_t worker)
      : end_(end), members_(std::move(members)), worker_(worker) {}
  int rank() const override { return static_cast<int>(std::ranges::find(members_, worker_) - members_.begin()); }
  int size() const override { return static_cast<int>(members_.size()); }
  runtime::tensor::Completion all_reduce(std::span<float>) override { throw std::logic_error("not through the host"); }
  runtime::tensor::Completion all_reduce_max(std::span<float>) override {
    throw std::logic_error("not through the host");
  }
  runtime::tensor::Completion all_gather(std::span<const float>, std::span<float>,
                                         std::span<const std::size_t>) override {
    throw std::logic_error("not through the host");
  }
  runtime::tensor::Completion reduce_scatter(std::span<const float>, std::span<float>,
                                             std::span<const std::size_t>) override {
    throw std::logic_error("not through the host");
  }
  runtime::tensor::Completion all_to_all(std::span<const float>, std::span<const std::size_t>, std::span<float>,
                                         std::span<const std::size_t>) override {
    throw std::logic_error("not through the host");
  }
  runtime::tensor::Completion broadcast(int root, std::span<float> values) override {
    const std::size_t from = members_[static_cast<std::size_t>(root)];
    const runtime::transport::MessageKey key{true, StageId(7), 0};
    const auto width = static_cast<std::int64_t>(values.size());
    if (from != worker_) {
      const runtime::transport::Message told = end_.receive(from, key, 1, width);
      std::ranges::copy(told.tensor.values(), values.begin());
      return runtime::tensor::RunClock::now();
    }
    for (const std::size_t member : members_) {
      if (member == worker_) continue;
      runtime::tensor::Tensor carried(std::make_shared<runtime::tensor::DeviceMemory>(), 1, width);
      std::ranges::copy(values, carried.values().begin());
      end_.send(member, key, std::move(carried));
    }
    return runtime::tensor::RunClock::now();
  }

 private:
  WireEnd& end_;
  std::vector<std::size_t> members_;
  std::size_t worker_;
};

class WireTransport final : public runtime::transport::Transport {
 public:
  WireTransport(Wires& wires, std::size_t own, runtime::transport::RunControl& control)
      : own_(own), end_(wires, own, control) {}
  bool is_local(std::size_t worker) const override { return worker == own_; }
  runtime::transport::Endpoint& endpoint(std::size_t) override { return end_; }
  std::unique_ptr<runtime::transport::Collective> join(const std::vector<std::size_t>& members,
                                                       std::size_t worker) override {
    return std::make_unique<Telling>(end_, members, worker);
  }

 private:
  std::size_t own_;
  WireEnd end_;
};

/// Processes of one worker each, which send equal messages one after another.
class Rounds {
 public:
  explicit Rounds(std::size_t processes) : said_(processes) {}
  std::vector<std::string> all(std::size_t process, std::string mine) {
    std::unique_lock lock(mutex_);
    said_[process] = std::move(mine);
    const unsigned round = round_;
    if (++here_ == said_.size()) {
      here_ = 0, ++round_, told_ = said_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return round_ != round; });
    }
    return told_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> said_, told_;
  std::size_t here_ = 0;
  unsigned round_ = 0;
};

class ProcessOfOne final : public runtime::transport::ProcessGroup {
 public:
  ProcessOfOne(Rounds& rounds, std::size_t process, std::size_t machine_of_its_own)
      : rounds_(rounds), process_(process), apart_(machine_of_its_own != 0) {}
  bool is_rank_zero() const override { return process_ == 0; }
  std::vector<std::string> gather(std::string mine) override {
    auto all = rounds_.all(process_, std::move(mine));
    return is_rank_zero() ? all : std::vector<std::string>();
  }
  std::optional<Error> agree_on_error(std::optional<Error> mine) override {
    for (const std::string& one : rounds_.all(process_, mine ? mine->message : std::string()))
      if (!one.empty()) return Error{ErrorCode::run_failed, one, {}, {}};
    return std::nullopt;
  }
  bool any_of(bool stopping) override {
    const auto all = rounds_.all(process_, stopping ? "stop" : "");
    return std::ranges::find(all, "stop") != all.end();
  }
  LocalWorkers workers_here(std::size_t) const override { return {process_, process_ + 1, apart_ ? 0 : process_}; }
  bool alone() const override { return false; }

 private:
  Rounds& rounds_;
  std::size_t process_;
  bool apart_;
};

}  // namespace pipedeck::test
