// SPDX-License-Identifier: Apache-2.0
#include <cuda_on_host/kernel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cuda_on_host/fiber.hpp>
#include <cuda_on_host/races.hpp>

namespace cuda_on_host {
namespace {

// Limits of every GPU from compute capability 8.0 on (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"); shared memory of the smallest of them, 8.6 and 8.9.
constexpr unsigned max_threads = 1024, max_blocks_y = 65535;
constexpr std::size_t max_shared_bytes = 99 * 1024;
constexpr std::size_t guard_bytes = 64;
constexpr unsigned char guard_byte = 0xa5, poison_byte = 0xff;  // 0xffffffff is a NaN

std::atomic<Order> chosen_order{Order::forward};
std::atomic<std::uint64_t> chosen_seed{0};
std::atomic<Submit> chosen_submit{nullptr};

enum class State { ready, in_block_meeting, in_warp_meeting, ended };

struct Thread {
  Fiber fiber;
  State state = State::ended;
  uint3 index{};
  unsigned barriers = 0;  ///< of the block that it came to
};

struct WarpMeeting {
  unsigned lanes = 0, arrived = 0;
  WarpWork work = nullptr;
  std::array<void*, 32> brought{};
  std::size_t meetings = 0;
};

/// Indices 0 to count - 1 as the schedule has them.
class Orders {
 public:
  Orders() : order_(chosen_order), random_(chosen_seed) {}
  bool warp_by_warp() const { return order_ != Order::random; }
  void arrange(std::vector<std::uint32_t>& indices) {
    std::iota(indices.begin(), indices.end(), 0u);
    if (order_ == Order::reverse) std::reverse(indices.begin(), indices.end());
    if (order_ == Order::random) std::shuffle(indices.begin(), indices.end(), random_);
  }

 private:
  Order order_;
  std::mt19937_64 random_;
};

/// A block's shared memory between two guards.
class SharedMemory {
 public:
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes), whole_(rounded(bytes) + 2 * guard_bytes + 128) {
    const auto address = reinterpret_cast<std::uintptr_t>(whole_.data());
    begin_ = whole_.data() + (128 - address % 128) % 128 + guard_bytes;
  }
  void* begin() { return begin_; }
  void poison() {
    const Unobserved by_the_runner;
    std::memset(begin_ - guard_bytes, guard_byte, guard_bytes);
    std::memset(begin_, poison_byte, bytes_);
    std::memset(begin_ + bytes_, guard_byte, guard_bytes);
  }
  bool guards_stand() const {
    const auto stands = [](const unsigned char* at) {
      return std::all_of(at, at + guard_bytes, [](unsigned char byte) { return byte == guard_byte; });
    };
    return stands(begin_ - guard_bytes) && stands(begin_ + bytes_);
  }

 private:
  static std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  std::size_t bytes_;
  std::vector<unsigned char> whole_;
  unsigned char* begin_;
};

class Grid;
thread_local Grid* running = nullptr;

/// Threads of one block, and the places at which they publish to each other what they did.
struct ThreadSet {
  std::vector<std::unique_ptr<Thread>> threads;
  // In turn: a thread may be late to leave the last meeting.
  std::array<char, 2> barriers{};
  std::array<std::array<char, 64>, max_threads / 32> warps{};
  std::array<char, 2> ends{};
  std::size_t blocks = 0;  ///< that it was

  void grow(std::size_t count) {
    while (threads.size() < count) threads.push_back(std::make_unique<Thread>());
  }
  char* warp_place(unsigned warp, std::size_t meeting) { return &warps[warp][meeting % warps[warp].size()]; }
};
using ThreadSets = std::array<ThreadSet, sets_of_threads>;

/// The sets of a thread of the processor, kept for its next kernels.
ThreadSets& sets_of_processor() {
  thread_local ThreadSets sets;
  return sets;
}

class Grid {
 public:
  Grid(const Shape& shape, const std::function<void()>& work)
      : shape_(shape),
        thread_([this, &work] { run_thread(work); }),
        count_(shape.threads.x * shape.threads.y * shape.threads.z),
        sets_(sets_of_processor()),
        warps_((count_ + 31) / 32),
        turns_(count_) {
    for (ThreadSet& set : sets_) {
      memories_.emplace_back(shape.shared_bytes);
      set.grow(count_);
      for (unsigned i = 0; i < count_; ++i)
        set.threads[i]->index = {i % shape.threads.x, i / shape.threads.x % shape.threads.y,
                                 i / shape.threads.x / shape.threads.y};
    }
  }

  void run() {
    running = this;
    blockDim = shape_.threads;
    gridDim = shape_.blocks;
    std::vector<std::uint32_t> blocks(std::size_t{shape_.blocks.x} * shape_.blocks.y * shape_.blocks.z);
    orders_.arrange(blocks);
    publish(&begun_);
    std::size_t number = 0;
    for (const std::uint32_t block : blocks) {
      memory_ = &memories_[number % sets_.size()];
      set_ = &sets_[number++ % sets_.size()];
      ++set_->blocks;
      run_block(block);
    }
    for (ThreadSet& set : sets_)
      for (char& end : set.ends) observe(&end);
  }
  ~Grid() { running = nullptr; }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  void* shared_memory() { return memory_->begin(); }
  unsigned current() const { return current_; }

  void meet_in_block() {
    char* const place = &set_->barriers[thread(current_).barriers++ % 2];
    publish(place);
    pause_as(State::in_block_meeting);
    observe(place);
  }

  void sync_warp(unsigned lanes) {
    char* const place = set_->warp_place(current_ / 32, warps_[current_ / 32].meetings);
    publish(place);
    meet_in_warp(
        lanes, [](void* const*, unsigned) {}, nullptr);
    observe(place);
  }

  void meet_in_warp(unsigned lanes, WarpWork work, void* own) {
    WarpMeeting& meeting = warps_[current_ / 32];
    const unsigned bit = 1u << current_ % 32;
    if ((lanes & bit) == 0) throw Error("a lane calls what a warp does together and is not named in its mask");
    if (meeting.arrived == 0) meeting = {lanes, 0, work, {}, meeting.meetings};
    if (meeting.lanes != lanes || meeting.work != work)
      throw Error("the lanes of a warp meet at different operations or with different masks");
    meeting.arrived |= bit;
    // `arrived` distinguishes the null of __syncwarp from an absent lane.
    meeting.brought[current_ % 32] = own;
    if (meeting.arrived != lanes) return pause_as(State::in_warp_meeting);
    {
      const Unobserved exchange;
      work(meeting.brought.data(), lanes);
    }
    meeting.arrived = 0;
    ++meeting.meetings;
    const unsigned first = current_ / 32 * 32;
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1u) && first + lane != current_) thread(first + lane).state = State::ready;
  }

 private:
  Thread& thread(unsigned i) { return *set_->threads[i]; }

  /// A kernel sees all work before its launch. A block comes after the last one of its set.
  void run_thread(const std::function<void()>& work) {
    char* const last_end = &set_->ends[(set_->blocks + 1) % 2];
    char* const end = &set_->ends[set_->blocks % 2];
    observe(&begun_);
    observe(last_end);
    work();
    publish(end);
  }

  void run_block(std::uint32_t block) {
    blockIdx = {block % shape_.blocks.x, block / shape_.blocks.x % shape_.blocks.y,
                block / shape_.blocks.x / shape_.blocks.y};
    memory_->poison();
    for (WarpMeeting& warp : warps_) warp.arrived = 0;
    for (unsigned i = 0; i < count_; ++i) {
      thread(i).fiber.start(thread_);
      thread(i).state = State::ready;
      thread(i).barriers = 0;
    }
    while (!all(State::ended)) {
      const bool moved = take_turns();
      if (all(State::in_block_meeting))
        for (unsigned i = 0; i < count_; ++i) thread(i).state = State::ready;
      else if (!moved)
        throw Error(standstill());
    }
    if (!memory_->guards_stand()) throw Error("a kernel wrote outside its shared memory");
  }

  /// Forward and reverse, each warp runs as far as it comes without the others: what another warp may be late or early
  /// for is seen. At random, every thread that is ready runs to its next meeting.
  bool take_turns() {
    orders_.arrange(turns_);
    bool moved = false;
    for (unsigned first = 0; first < count_; first += 32) {
      bool warp_moved = false;
      do {
        warp_moved = run_ready(first, std::min(first + 32, count_));
        moved = moved || warp_moved;
      } while (warp_moved && orders_.warp_by_warp());
    }
    return moved;
  }

  bool run_ready(unsigned first, unsigned end) {
    bool moved = false;
    for (unsigned turn = first; turn < end; ++turn) {
      Thread& one = thread(turns_[turn]);
      if (one.state != State::ready) continue;
      moved = true;
      current_ = turns_[turn];
      threadIdx = one.index;
      one.fiber.resume();
      if (one.fiber.ended()) one.state = State::ended;
    }
    return moved;
  }

  void pause_as(State state) {
    Thread& one = thread(current_);
    one.state = state;
    one.fiber.pause();
  }

  unsigned count_in(State state) const {
    return static_cast<unsigned>(std::count_if(set_->threads.begin(), set_->threads.begin() + count_,
                                               [state](const auto& one) { return one->state == state; }));
  }
  bool all(State state) const { return count_in(state) == count_; }

  std::string standstill() const {
    return "a kernel stands still: of a block's " + std::to_string(count_) + " threads " +
           std::to_string(count_in(State::in_block_meeting)) + " wait at __syncthreads, " +
           std::to_string(count_in(State::in_warp_meeting)) + " for lanes of their warp, " +
           std::to_string(count_in(State::ended)) + " have ended";
  }

  Shape shape_;
  const std::function<void()> thread_;
  unsigned count_, current_ = 0;
  ThreadSets& sets_;
  ThreadSet* set_ = nullptr;  ///< of the block that runs
  char begun_ = 0;
  std::vector<WarpMeeting> warps_;
  std::deque<SharedMemory> memories_;  ///< of the sets
  SharedMemory* memory_ = nullptr;     ///< of the block that runs
  Orders orders_;
  std::vector<std::uint32_t> turns_;
};

void check_shape(const Shape& shape) {
  const dim3 &b = shape.blocks, &t = shape.threads;
  if (b.x == 0 || b.y == 0 || b.z == 0 || t.x == 0 || t.y == 0 || t.z == 0) throw Error("a kernel of no threads");
  if (b.x > 0x7fffffffu || b.y > max_blocks_y || b.z > max_blocks_y) throw Error("more blocks than a grid can have");
  if (t.x > max_threads || t.y > max_threads || t.z > 64 || t.x * t.y * t.z > max_threads)
    throw Error("more threads than a block can have");
  if (shape.shared_bytes > max_shared_bytes) throw Error("more shared memory than a block can have");
}

Grid& grid() {
  if (running == nullptr) throw Error("device code is called outside a kernel");
  return *running;
}

}  // namespace

void set_schedule(Schedule schedule) {
  chosen_order = schedule.order;
  chosen_seed = schedule.seed;
}

void set_submit(Submit submit) { chosen_submit = submit; }

void launch(const Shape& shape, cudaStream_t stream, std::function<void()> thread) {
  check_shape(shape);
  const std::size_t kernel = thread.target_type().hash_code();
  auto work = [shape, thread = std::move(thread)] { Grid(shape, thread).run(); };
  if (const Submit submit = chosen_submit)
    submit(stream, std::move(work), kernel);
  else
    work();
}

void* shared_memory() { return grid().shared_memory(); }

void check_aligned(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    throw Error("a vector aligned to " + std::to_string(bytes) + " bytes at an address that is no multiple of it");
}

void meet_in_warp(unsigned lanes, WarpWork work, void* own) { grid().meet_in_warp(lanes, work, own); }
void sync_warp(unsigned lanes) { grid().sync_warp(lanes); }
void meet_in_block() { grid().meet_in_block(); }
int own_lane() { return static_cast<int>(grid().current() % 32); }

}  // namespace cuda_on_host
