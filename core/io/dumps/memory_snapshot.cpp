// SPDX-License-Identifier: Apache-2.0
#include "core/io/dumps/memory_snapshot.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/dumps/call_stacks.hpp"
#include "core/io/dumps/fields.hpp"

namespace pipedeck::io::dumps {
namespace {

constexpr std::int64_t most_bytes = limits::bytes;
constexpr std::int64_t any_address = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_devices = 1024;

/// The profiler's categories (torch/profiler/_memory_profiler.py).
constexpr std::array categories{
    std::pair<std::string_view, MemoryUse>{"parameter", MemoryUse::weights},
    std::pair<std::string_view, MemoryUse>{"gradient", MemoryUse::gradients},
    std::pair<std::string_view, MemoryUse>{"optimizer_state", MemoryUse::optimizer},
    std::pair<std::string_view, MemoryUse>{"activation", MemoryUse::activations},
    std::pair<std::string_view, MemoryUse>{"autograd_detail", MemoryUse::backward},
};

std::optional<MemoryAction> action_of(std::string_view word) {
  if (word == "alloc") return MemoryAction::allocated;
  if (word == "free_completed") return MemoryAction::freed;
  if (word == "segment_alloc" || word == "segment_map") return MemoryAction::reserved;
  if (word == "segment_free" || word == "segment_unmap") return MemoryAction::released;
  if (word == "oom") return MemoryAction::out_of_memory;
  return std::nullopt;
}

std::optional<MemoryUse> use_of_category(const std::string* word) {
  if (!word) return std::nullopt;
  for (const auto& [name, use] : categories)
    if (*word == name) return use;
  return MemoryUse::other;
}

class SnapshotReader {
 public:
  explicit SnapshotReader(const pickle::Tree& tree) : tree_(tree), stacks_(tree) {}

  Result<MemorySnapshot> read() {
    const pickle::Node root = tree_.root();
    const auto* segments = tree_.member<pickle::Items>(root, "segments");
    if (!segments) return fail(ErrorCode::bad_input, "found no list of segments, expected a snapshot", "/segments");
    for (std::size_t i = 0; i < segments->size(); ++i) TRY_VOID(read_segment((*segments)[i], i));
    const auto* traces = tree_.member<pickle::Items>(root, "device_traces");
    for (std::size_t i = 0; traces && i < traces->size(); ++i) TRY_VOID(read_trace((*traces)[i], i));
    for (auto& [number, device] : devices_)
      if (device.reserved.count > 0 || !device.events.empty()) snapshot_.devices.push_back(std::move(device));
    if (snapshot_.devices.empty())
      return fail(ErrorCode::bad_input,
                  "found no segment and no event, expected some; _record_memory_history() starts "
                  "the record");
    snapshot_.places = stacks_.take_places();
    return std::move(snapshot_);
  }

 private:
  DeviceMemory& device(std::int64_t number) {
    DeviceMemory& found = devices_[number];
    found.device = static_cast<int>(number);
    return found;
  }

  /// Refuses a file that names one list again and again: its values would be more than it has.
  Result<void> count(std::size_t more, const std::string& place) {
    counted_ += more;
    if (counted_ <= tree_.size()) return {};
    return fail(ErrorCode::bad_input, "found one list several times, expected blocks and events of their own", place);
  }

  Result<void> read_segment(pickle::Node node, std::size_t number) {
    const Entry segment{tree_, node, "/segments", number};
    TRY(const std::int64_t index, segment.integer_or("device", 0, 0, most_devices));
    TRY(const std::int64_t size, segment.integer("total_size", 0, most_bytes));
    TRY(const std::int64_t address, segment.integer("address", 0, any_address));
    TRY(const auto* blocks, segment.list("blocks"));
    TRY_VOID(count(blocks->size(), segment.place_of("blocks")));
    DeviceMemory& memory = device(index);
    memory.reserved += Bytes(size);
    auto next = static_cast<std::uint64_t>(address);  // blocks lie one behind another; old snapshots have no addresses
    const std::string place = fmt::format("/segments/{}/blocks", number);
    for (std::size_t i = 0; i < blocks->size(); ++i) {
      TRY(const MemoryBlock block, read_block(Entry{tree_, (*blocks)[i], place, i}, next));
      memory.blocks.push_back(block);
      next = block.address + static_cast<std::uint64_t>(block.size.count);
    }
    return {};
  }

  Result<MemoryBlock> read_block(const Entry& entry, std::uint64_t next) {
    TRY(const std::int64_t size, entry.integer("size", 0, most_bytes));
    TRY(const auto* state, entry.text("state"));
    TRY(const std::int64_t address,
        entry.integer_or("address", static_cast<std::int64_t>(next & any_address), 0, any_address));
    const CallStacks::Meaning meaning = stacks_.meaning_of(tree_.find(entry.node, "frames"));
    return MemoryBlock{static_cast<std::uint64_t>(address), Bytes(size), *state != "inactive", meaning.use,
                       meaning.place};
  }

  Result<void> read_trace(pickle::Node node, std::size_t number) {
    const std::string place = fmt::format("/device_traces/{}", number);
    const auto* events = tree_.as<pickle::Items>(node);
    if (!events || number > most_devices)
      return fail(ErrorCode::bad_input, fmt::format("found {}, expected a list of events", tree_.describe(node)),
                  place);
    TRY_VOID(count(events->size(), place));
    DeviceMemory& memory = device(static_cast<std::int64_t>(number));
    memory.events.reserve(events->size());
    for (std::size_t i = 0; i < events->size(); ++i) {
      const Entry entry{tree_, (*events)[i], place, i};
      TRY(const auto* word, entry.text("action"));
      if (const auto action = action_of(*word)) {
        TRY(const MemoryEvent event, read_event(entry, *action));
        memory.events.push_back(event);
      } else {
        ++snapshot_.unread;
      }
    }
    return {};
  }

  Result<MemoryEvent> read_event(const Entry& entry, MemoryAction action) {
    const bool failed = action == MemoryAction::out_of_memory;
    TRY(const std::int64_t size, entry.integer("size", 0, most_bytes));
    TRY(const std::int64_t address, failed ? Result<std::int64_t>(0) : entry.integer("addr", 0, any_address));
    TRY(const std::int64_t free, entry.integer_or("device_free", 0, 0, most_bytes));
    TRY(const std::int64_t time, entry.integer_or("time_us", 0, 0, any_address));
    MemoryEvent event{.action = action,
                      .address = static_cast<std::uint64_t>(address),
                      .size = Bytes(size),
                      .free = Bytes(free),
                      .time = time};
    if (action == MemoryAction::allocated || failed) {
      const CallStacks::Meaning meaning = stacks_.meaning_of(tree_.find(entry.node, "frames"));
      event.use = use_of_category(tree_.member<std::string>(entry.node, "category")).value_or(meaning.use);
      event.place = meaning.place;
    }
    return event;
  }

  const pickle::Tree& tree_;
  CallStacks stacks_;
  std::map<std::int64_t, DeviceMemory> devices_;
  MemorySnapshot snapshot_;
  std::size_t counted_ = 0;
};

}  // namespace

std::string_view name_of(MemoryUse use) {
  constexpr std::array<std::string_view, memory_use_count> names{
      "weights", "gradients", "optimizer", "activations", "backward", "communication", "other"};
  return names[static_cast<std::size_t>(use)];
}

bool looks_like_memory_snapshot(const pickle::Tree& tree) {
  return tree.member<pickle::Items>(tree.root(), "segments") != nullptr;
}

Result<MemorySnapshot> memory_snapshot_of(const pickle::Tree& tree) { return SnapshotReader(tree).read(); }

}  // namespace pipedeck::io::dumps
