// SPDX-License-Identifier: Apache-2.0
#include "core/study/autopsy/memory.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "core/model/memory_verdict.hpp"

namespace pipedeck::study::autopsy {
namespace {

using io::dumps::DeviceMemory;
using io::dumps::MemoryAction;
using io::dumps::MemoryBlock;
using io::dumps::MemoryEvent;

struct Held {
  Bytes size;
  MemoryUse use = MemoryUse::other;
  std::uint32_t place = 0;
};
using Live = std::unordered_map<std::uint64_t, Held>;

/// A device's state when the record begins: what must have been there for its end to be as it is.
struct Begin {
  Live live;
  Bytes reserved;
};

Begin begin_of(const DeviceMemory& memory) {
  Begin begin;
  Live now;
  Bytes grown;
  for (const MemoryEvent& event : memory.events) {
    if (event.action == MemoryAction::allocated) now[event.address] = {event.size, event.use, event.place};
    if (event.action == MemoryAction::freed && now.erase(event.address) == 0)
      begin.live.try_emplace(event.address, Held{event.size});
    if (event.action == MemoryAction::reserved) grown += event.size;
    if (event.action == MemoryAction::released) grown -= event.size;
  }
  for (const MemoryBlock& block : memory.blocks)
    if (block.active && !now.contains(block.address))
      begin.live.try_emplace(block.address, Held{block.size, block.use, block.place});
  begin.reserved = std::max(Bytes(), memory.reserved - grown);
  return begin;
}

/// Plays the events. A block that is asked for at an address in use replaces the one there.
class Play {
 public:
  Play(const Begin& begin, bool timed, std::int64_t first) : live_(begin.live), timed_(timed), first_(first) {
    now_.reserved = begin.reserved;
    for (const auto& [address, held] : live_) now_.live[held.use] += held.size;
  }
  void take(const MemoryEvent& event, std::size_t number) {
    now_.time = timed_ ? std::max(now_.time, event.time - first_) : static_cast<std::int64_t>(number);
    if (event.action == MemoryAction::allocated) {
      remove(event.address);
      live_[event.address] = {event.size, event.use, event.place};
      now_.live[event.use] += event.size;
    }
    if (event.action == MemoryAction::freed) remove(event.address);
    if (event.action == MemoryAction::reserved) now_.reserved += event.size;
    if (event.action == MemoryAction::released) now_.reserved -= event.size;
  }
  const PilePoint& now() const { return now_; }
  const Live& live() const { return live_; }

 private:
  void remove(std::uint64_t address) {
    const auto found = live_.find(address);
    if (found == live_.end()) return;
    now_.live[found->second.use] -= found->second.size;
    live_.erase(found);
  }
  Live live_;
  PilePoint now_;
  bool timed_;
  std::int64_t first_;
};

/// Keeps one point of every run of neighbours: the one with the most live bytes.
class Thinned {
 public:
  Thinned(std::size_t count) : run_(count / most_points + 1) {}
  void add(const PilePoint& point) {
    if (number_++ % run_ == 0)
      points_.push_back(point);
    else if (point.live.total() > points_.back().live.total())
      points_.back() = point;
  }
  std::vector<PilePoint> take() { return std::move(points_); }

 private:
  std::size_t run_, number_ = 0;
  std::vector<PilePoint> points_;
};

std::vector<PlaceBytes> places_in(const Live& live, const std::vector<std::string>& names) {
  std::map<std::uint32_t, Bytes> sums;
  for (const auto& [address, held] : live) sums[held.place] += held.size;
  std::vector<PlaceBytes> places;
  for (const auto& [place, bytes] : sums) places.push_back({names[place], bytes});
  std::ranges::stable_sort(places, std::greater(), &PlaceBytes::bytes);
  if (places.size() > most_places) places.resize(most_places);
  return places;
}

MeasuredPile pile_of(const DeviceMemory& memory, const std::vector<std::string>& names) {
  MeasuredPile pile{.device = memory.device, .events = memory.events.size()};
  const Begin begin = begin_of(memory);
  const auto timed = std::ranges::find_if(memory.events, [](const MemoryEvent& event) { return event.time > 0; });
  pile.timed = timed != memory.events.end();
  const std::int64_t first = pile.timed ? timed->time : 0;
  Play play(begin, pile.timed, first);
  Thinned thinned(memory.events.size() + 1);
  std::size_t at_peak = 0;  // events before the peak
  const auto look = [&](std::size_t events) {
    thinned.add(play.now());
    if (events > 0 && play.now().live.total() <= pile.peak.live.total()) return;
    pile.peak = play.now();
    at_peak = events;
  };
  look(0);
  pile.reserved_peak = begin.reserved;
  for (std::size_t i = 0; i < memory.events.size(); ++i) {
    const MemoryEvent& event = memory.events[i];
    play.take(event, i);
    look(i + 1);
    pile.reserved_peak = std::max(pile.reserved_peak, play.now().reserved);
    if (event.action == MemoryAction::out_of_memory && pile.failed.size() < most_failed)
      pile.failed.push_back({play.now().time, event.size, event.free, play.now().live.total(), play.now().reserved});
  }
  pile.points = thinned.take();
  Play again(begin, pile.timed, first);
  for (std::size_t i = 0; i < at_peak; ++i) again.take(memory.events[i], i);
  pile.places = places_in(again.live(), names);
  pile.reserved_at_end = memory.reserved;
  for (const MemoryBlock& block : memory.blocks) {
    if (block.active)
      pile.live_at_end += block.size;
    else
      pile.largest_gap = std::max(pile.largest_gap, block.size);
  }
  return pile;
}

double share(Bytes part, Bytes whole) {
  return whole.count > 0 ? static_cast<double>(part.count) / static_cast<double>(whole.count) : 0;
}

std::string peak_sentence(const MeasuredPile& pile) {
  const std::string when =
      pile.events == 0 ? ""
      : pile.timed     ? fmt::format(", {:.1f} ms after the record began", static_cast<double>(pile.peak.time) / 1e3)
                       : fmt::format(", at event {}", pile.peak.time);
  return fmt::format("Live bytes peak at {}{}; the allocator reserves {} then and {} at most.",
                     bytes_text(pile.peak.live.total()), when, bytes_text(pile.peak.reserved),
                     bytes_text(pile.reserved_peak));
}

std::string failure_sentence(const FailedRequest& failed, Bytes largest_gap) {
  std::string text = fmt::format("A request for {} failed with {} free on the device and {} free in the allocator",
                                 bytes_text(failed.size), bytes_text(failed.free),
                                 bytes_text(std::max(Bytes(), failed.reserved - failed.live)));
  if (failed.reserved - failed.live >= failed.size)
    text += fmt::format(": gaps, of which the largest has {} at the end", bytes_text(largest_gap));
  return text + ".";
}

}  // namespace

std::string bytes_text(Bytes bytes) {
  const auto in = [&](std::int64_t unit) { return static_cast<double>(bytes.count) / static_cast<double>(unit); };
  if (bytes.count == 0) return "0 B";
  if (bytes.count < 1 << 20) return fmt::format("{:.1f} KiB", in(1 << 10));
  if (bytes.count < 1 << 30) return fmt::format("{:.1f} MiB", in(1 << 20));
  return fmt::format("{:.2f} GiB", in(1 << 30));
}

Bytes UsedBytes::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), Bytes(), [](Bytes sum, Bytes one) { return sum + one; });
}

double MeasuredPile::gaps() const { return share(std::max(Bytes(), reserved_at_end - live_at_end), reserved_at_end); }

std::vector<MeasuredPile> measured_piles(const io::dumps::MemorySnapshot& snapshot) {
  std::vector<MeasuredPile> piles;
  for (const DeviceMemory& device : snapshot.devices) piles.push_back(pile_of(device, snapshot.places));
  return piles;
}

std::vector<PileRow> beside_prediction(const MeasuredPile& pile, const SimulatedDevice& predicted,
                                       double fragmentation) {
  const MemoryBreakdown& items = predicted.peak_breakdown;
  const UsedBytes& live = pile.peak.live;
  const MemoryMarks marks = memory_marks(predicted, fragmentation);
  return {
      {"weights", items[MemoryItem::weights] + items[MemoryItem::stashed_weights], live[MemoryUse::weights]},
      {"optimizer", items[MemoryItem::optimizer], live[MemoryUse::optimizer]},
      {"activations", items[MemoryItem::activations] + items[MemoryItem::boundary], live[MemoryUse::activations]},
      {"gradients and workspace", items[MemoryItem::gradients] + items[MemoryItem::workspace],
       live[MemoryUse::gradients] + live[MemoryUse::backward]},
      {"collectives' buffers", std::nullopt, live[MemoryUse::communication]},
      {"of unknown use", std::nullopt, live[MemoryUse::other]},
      {"allocated at the peak", marks.allocated, live.total()},
      {"reserved at most", marks.reserved, pile.reserved_peak},
  };
}

std::vector<std::string> findings_of(const MeasuredPile& pile) {
  std::vector<std::string> found{peak_sentence(pile)};
  if (pile.events == 0) found.push_back("The snapshot has no record of events: it shows its own moment alone.");
  const Bytes untold = pile.peak.live[MemoryUse::other];
  if (share(untold, pile.peak.live.total()) > 0.1)
    found.push_back(
        fmt::format("Call stacks do not tell the use of {} ({:.0f} %) at the peak; _record_memory_history("
                    "stacks=\"all\") before the model is made records more.",
                    bytes_text(untold), 100 * share(untold, pile.peak.live.total())));
  if (pile.reserved_at_end.count > 0)
    found.push_back(fmt::format("At the end {} of {} reserved are gaps between blocks ({:.0f} %), the largest {}.",
                                bytes_text(std::max(Bytes(), pile.reserved_at_end - pile.live_at_end)),
                                bytes_text(pile.reserved_at_end), 100 * pile.gaps(), bytes_text(pile.largest_gap)));
  for (const FailedRequest& failed : pile.failed) found.push_back(failure_sentence(failed, pile.largest_gap));
  return found;
}

std::string verdict_of(const std::vector<PileRow>& rows) {
  const PileRow *sum = nullptr, *most = nullptr;
  const auto difference = [](const PileRow& row) { return row.measured->count - row.predicted->count; };
  for (const PileRow& row : rows) {
    if (!row.predicted || !row.measured) continue;
    if (row.name == "allocated at the peak") sum = &row;
    if (sum) continue;
    if (!most || std::abs(difference(row)) > std::abs(difference(*most))) most = &row;
  }
  if (!sum || !most) return {};
  const std::int64_t more = difference(*sum), part = difference(*most);
  return fmt::format("The measured peak is {} ({:.0f} %) {} the predicted one; most of the difference is in {}: {} {}.",
                     bytes_text(Bytes(std::abs(more))), 100 * std::abs(share(Bytes(more), *sum->predicted)),
                     more < 0 ? "below" : "above", most->name, bytes_text(Bytes(std::abs(part))),
                     part < 0 ? "less" : "more");
}

}  // namespace pipedeck::study::autopsy
