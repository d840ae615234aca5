// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/writer.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/checkpoint/folder.hpp"

namespace pipedeck::runtime::checkpoint {
namespace {

/// The thread's scheduling priority ("nice" value): computing threads go first.
constexpr int politeness = 5;

Error failed(const Part& part, const std::string& why) {
  return {ErrorCode::run_failed,
          fmt::format("device {}: checkpoint of step {}: {}; make room, or name another folder with --checkpoint",
                      part.device.value, part.origin.step, why),
          {},
          {}};
}

}  // namespace

struct Writer::Shared {
  struct Slot {
    std::vector<float> values;
    bool free = true;
  };

  std::string folder;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Slot> slots;
  std::deque<std::function<Result<void>()>> jobs;
  std::vector<WrittenPart> written;
  std::optional<Error> failure;
  bool working = false, closing = false, ended = false;
  std::atomic<tensor::RunClock::rep> last_progress{tensor::RunClock::now().time_since_epoch().count()};

  void progressed() { last_progress = tensor::RunClock::now().time_since_epoch().count(); }
  tensor::RunClock::duration silent() const {
    return tensor::RunClock::now() - tensor::RunClock::time_point(tensor::RunClock::duration(last_progress.load()));
  }
  void add(std::function<Result<void>()> job) {
    {
      const std::lock_guard lock(mutex);
      if (jobs.empty() && !working) progressed();
      jobs.push_back(std::move(job));
    }
    changed.notify_all();
  }

  Result<void> write(std::size_t worker, const Part& part, tensor::RunClock::time_point began) {
    const std::string path = part_path(folder, part.origin.step, worker);
    std::error_code problem;
    std::filesystem::create_directories(step_folder(folder, part.origin.step), problem);
    const auto done = problem ? fail(ErrorCode::io, "can't be made: " + problem.message(), {}, path)
                              : write_part(path, part, slots[worker].values, [this] { progressed(); });
    if (!done) return tl::unexpected(failed(part, done.error().text()));
    const std::lock_guard lock(mutex);
    written.push_back({part.origin.step, worker, file_bytes(part), began, tensor::RunClock::now()});
    slots[worker].free = true;
    return {};
  }
};

Writer::Writer(std::string folder, std::size_t workers) : shared_(std::make_shared<Shared>()) {
  shared_->folder = std::move(folder);
  shared_->slots.resize(workers);
  std::thread(run, shared_).detach();
}

Writer::~Writer() {
  std::unique_lock lock(shared_->mutex);
  shared_->closing = true;
  shared_->jobs.clear();
  shared_->changed.notify_all();
  constexpr std::chrono::milliseconds grace{500};
  shared_->changed.wait_for(lock, grace, [&] { return shared_->ended; });
}

void Writer::run(const std::shared_ptr<Shared>& shared) {
  [[maybe_unused]] const int polite = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), politeness);
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->closing || !shared->jobs.empty(); });
    if (shared->closing) break;
    const auto job = std::move(shared->jobs.front());
    shared->jobs.pop_front();
    shared->working = true;
    lock.unlock();
    Result<void> done;
    try {
      done = job();
    } catch (const std::exception& error) {
      done = fail(ErrorCode::run_failed, fmt::format("a checkpoint can't be written: {}", error.what()));
    }
    shared->progressed();
    lock.lock();
    shared->working = false;
    if (!done && !shared->failure) shared->failure = done.error();
    shared->changed.notify_all();
  }
  shared->ended = true;
  shared->changed.notify_all();
}

std::vector<float>& Writer::buffer(std::size_t worker, transport::RunControl& control) {
  constexpr std::chrono::milliseconds look_up{20};
  std::unique_lock lock(shared_->mutex);
  auto& slot = shared_->slots[worker];
  while (!shared_->changed.wait_for(lock, look_up, [&] { return slot.free || shared_->failure; })) {
    control.throw_if_interrupted();
    control.check_progress_timeout();
    if (shared_->silent() < look_up) control.progressed();  // slow is not stuck
  }
  if (shared_->failure) {
    control.fail(*shared_->failure);
    throw transport::Interrupted{};
  }
  slot.free = false;
  return slot.values;
}

void Writer::write(std::size_t worker, Part part, tensor::RunClock::time_point began) {
  shared_->add(
      [shared = shared_.get(), worker, part = std::move(part), began] { return shared->write(worker, part, began); });
}

void Writer::later(std::function<Result<void>()> work) { shared_->add(std::move(work)); }

std::vector<WrittenPart> Writer::consume_written() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->written, {});
}

std::optional<Error> Writer::failure() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->failure;
}

Result<void> Writer::wait(std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds look_up{20};
  std::unique_lock lock(shared_->mutex);
  const auto done = [&] { return shared_->failure || (shared_->jobs.empty() && !shared_->working); };
  while (!shared_->changed.wait_for(lock, look_up, done))
    if (shared_->silent() > timeout)
      return fail(ErrorCode::run_failed,
                  fmt::format("the checkpoint in {} has not got on for {:.1f} s: the disk does not answer",
                              shared_->folder, std::chrono::duration<double>(timeout).count()));
  if (shared_->failure) return tl::unexpected(*shared_->failure);
  return {};
}

}  // namespace pipedeck::runtime::checkpoint
