// SPDX-License-Identifier: Apache-2.0
#include "core/study/autopsy/autopsy.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/io/dumps/files.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/traces/events.hpp"
#include "core/plan/launch_order.hpp"

namespace pipedeck::study::autopsy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 65'536;  // of a folder

/// Reads files of all kinds one after another, and compares those of a kind at the end.
class FileReader {
 public:
  FileReader(std::optional<int> rank, const std::stop_token& stop) : rank_(rank), stop_(stop) {}

  Result<void> take(const std::string& path, const Progress& progress) {
    if (io::traces::looks_like_trace(path)) {
      TRY(auto collectives, io::traces::read_collectives(path, stop_, progress));
      note(path, fmt::format("the trace of rank {}", collectives.rank), "events of a Chrome trace, and its rank");
      traces_.push_back(std::move(collectives));
      return {};
    }
    TRY(auto dump, io::dumps::read_dump(path, stop_, progress));
    if (const auto* snapshot = std::get_if<io::dumps::MemorySnapshot>(&dump)) {
      note(path, "a memory snapshot of PyTorch", "a pickle with a list of segments");
      const auto rank = rank_ ? rank_ : io::dumps::rank_in_file_name(path);
      autopsy_.memory.push_back({path, rank, measured_piles(*snapshot)});
      return {};
    }
    auto& flight = std::get<io::dumps::FlightDump>(dump);
    note(path, fmt::format("the flight recorder's dump of rank {}", flight.rank), "entries of collectives");
    flights_.push_back(std::move(flight));
    return {};
  }

  Result<Autopsy> finish() {
    if (!flights_.empty()) {
      TRY(autopsy_.collectives, collectives_autopsy(flights_));
    }
    if (!traces_.empty()) {
      TRY(autopsy_.late, late_ranks(traces_));
    }
    return std::move(autopsy_);
  }

 private:
  void note(const std::string& path, std::string what, std::string evidence) {
    autopsy_.files.push_back({path, std::move(what), std::move(evidence)});
  }

  std::optional<int> rank_;
  std::stop_token stop_;
  Autopsy autopsy_;
  std::vector<io::dumps::FlightDump> flights_;
  std::vector<io::traces::RankCollectives> traces_;
};

std::string optional_bytes(const std::optional<Bytes>& bytes) { return bytes ? bytes_text(*bytes) : "-"; }

std::string difference_text(const PileRow& row) {
  if (!row.predicted || !row.measured) return "";
  const std::int64_t more = row.measured->count - row.predicted->count;
  return (more < 0 ? "-" : "+") + bytes_text(Bytes(std::abs(more)));
}

Section memory_section(const RankMemory& memory, const MeasuredPile& pile, const RankPlaces& places,
                       const Predicted& predicted) {
  const std::string name = io::text::to_utf8(fs::path(memory.path).filename().string());
  Section section;
  section.title = fmt::format("Memory of {}, device {} of {}", memory.rank ? places.text(*memory.rank) : "a rank",
                              pile.device, name);
  section.sentences = findings_of(pile);
  const SimulatedDevice* device = memory.rank ? device_of(predicted, *memory.rank) : nullptr;
  if (device) {
    const auto rows = beside_prediction(pile, *device, predicted.simulation->fragmentation);
    section.sentences.push_back(verdict_of(rows));
    section.headings = {"at the peak", "predicted", "measured", "difference"};
    for (const PileRow& row : rows)
      section.rows.push_back(
          {row.name, optional_bytes(row.predicted), optional_bytes(row.measured), difference_text(row)});
    return section;
  }
  section.headings = {"at the peak", "measured"};
  for (int i = 0; i < memory_use_count; ++i) {
    const auto use = static_cast<MemoryUse>(i);
    if (pile.peak.live[use].count > 0)
      section.rows.push_back(
          {use == MemoryUse::other ? "of unknown use" : std::string(name_of(use)), bytes_text(pile.peak.live[use])});
  }
  return section;
}

Section places_section(const MeasuredPile& pile) {
  Section section{.title = "Lines that asked for the memory at the peak", .headings = {"line", "bytes"}};
  for (const PlaceBytes& place : pile.places)
    section.rows.push_back({place.place.empty() ? "no line recorded" : place.place, bytes_text(place.bytes)});
  return section;
}

std::string milliseconds_of(Nanoseconds time, int steps) {
  return fmt::format("{:.3f}", in_milliseconds(time) / std::max(1, steps));
}

Section late_section(const LateRanks& late, const RankPlaces& places) {
  Section section{
      .title = "Ranks in their collectives",
      .sentences = findings_of(late, places),
      .headings = {"rank", "clock ms", "collectives", "last", "late ms/step", "waiting ms/step", "transfer ms/step"}};
  for (const RankLateness& one : late.ranks)
    section.rows.push_back({places.text(one.rank), one.aligned ? milliseconds_of(one.offset, 1) : "-",
                            std::to_string(one.collectives), std::to_string(one.last),
                            milliseconds_of(one.late, late.steps), milliseconds_of(one.waiting, late.steps),
                            milliseconds_of(one.transfer, late.steps)});
  return section;
}

Section kinds_section(const LateRanks& late) {
  Section section{.title = "Collectives, mean of the ranks",
                  .headings = {"group", "operation", "collectives", "waiting ms/step", "transfer ms/step"}};
  for (const KindLateness& one : late.kinds)
    section.rows.push_back({one.kind.group.empty() ? "not named" : one.kind.group + " " + one.kind.ranks.substr(0, 40),
                            one.kind.operation, std::to_string(one.collectives),
                            milliseconds_of(one.waiting, late.steps), milliseconds_of(one.transfer, late.steps)});
  return section;
}

Section collectives_section(const CollectivesAutopsy& collectives, const RankPlaces& places) {
  Section section{
      .title = fmt::format("Collectives of {} ranks in {} groups", collectives.dumped.size(), collectives.groups),
      .sentences = findings_of(collectives, places),
      .headings = {"fault", "group", "collective", "number", "ranks", "waiting"}};
  for (const Stall& stall : collectives.stalls)
    section.rows.push_back({std::string(name_of(stall.kind)),
                            stall.description.empty() ? stall.group : stall.group + " " + stall.description,
                            stall.operation, std::to_string(stall.sequence), number_list(stall.ranks),
                            number_list(stall.waiting)});
  return section;
}

}  // namespace

bool is_autopsy_file(const std::string& path) {
  return io::dumps::looks_like_dump(path) || io::traces::looks_like_trace(path);
}

std::vector<std::string> autopsy_files_in(const std::string& path) {
  std::error_code none;
  if (!fs::is_directory(path, none)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, none), end; !none && at != end && files.size() < most_files; at.increment(none))
    if (is_autopsy_file(at->path().string())) files.push_back(at->path().string());
  std::ranges::sort(files);
  return files;
}

Result<Autopsy> read_autopsy(const std::vector<std::string>& files, std::optional<int> rank,
                             const std::stop_token& stop, const Progress& progress) {
  FileReader reader(rank, stop);
  for (std::size_t i = 0; i < files.size(); ++i)
    TRY_VOID(reader.take(files[i], [&](double part, std::string_view what) {
      report(progress, (static_cast<double>(i) + part) / static_cast<double>(files.size()), what);
    }));
  return reader.finish();
}

const SimulatedDevice* device_of(const Predicted& predicted, int rank) {
  if (!predicted.plan || !predicted.simulation || rank < 0) return nullptr;
  const std::vector<DeviceId> devices = plan::devices_by_process(*predicted.plan);
  if (static_cast<std::size_t>(rank) >= devices.size()) return nullptr;
  const DeviceId wanted = devices[static_cast<std::size_t>(rank)];
  for (const SimulatedDevice& device : predicted.simulation->devices)
    if (device.device == wanted || std::ranges::binary_search(device.twins, wanted)) return &device;
  return nullptr;
}

std::vector<Section> report_of(const Autopsy& autopsy, const RankPlaces& places, const Predicted& predicted) {
  std::vector<Section> report(1);
  report.front().title = "Files";
  report.front().headings = {"file", "taken for", "because of"};
  for (const TakenFile& file : autopsy.files) report.front().rows.push_back({file.path, file.what, file.evidence});
  if (autopsy.collectives) report.push_back(collectives_section(*autopsy.collectives, places));
  if (autopsy.late) {
    report.push_back(late_section(*autopsy.late, places));
    report.push_back(kinds_section(*autopsy.late));
  }
  for (const RankMemory& memory : autopsy.memory)
    for (const MeasuredPile& pile : memory.piles) {
      report.push_back(memory_section(memory, pile, places, predicted));
      report.push_back(places_section(pile));
    }
  return report;
}

}  // namespace pipedeck::study::autopsy
