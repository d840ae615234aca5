// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/autopsy_text.hpp"

#include "app/cli/text/table.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::cli::text {
namespace {

using Json = nlohmann::ordered_json;
namespace autopsy = study::autopsy;

Json used_json(const autopsy::UsedBytes& used) {
  Json json;
  for (int i = 0; i < autopsy::memory_use_count; ++i)
    json[std::string(name_of(static_cast<autopsy::MemoryUse>(i))) + "_bytes"] =
        used[static_cast<autopsy::MemoryUse>(i)].count;
  return json;
}

/// Returns true for a cell that begins as a number, or has none.
bool is_figure(const std::string& cell) {
  return !cell.empty() && std::string_view("0123456789+-").find(cell.front()) != std::string_view::npos;
}

Json bytes_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count) : Json(); }

Json pile_json(const autopsy::MeasuredPile& pile, const SimulatedDevice* predicted, double fragmentation) {
  Json json{{"device", pile.device},
            {"events", pile.events},
            {"peak_bytes", pile.peak.live.total().count},
            {"peak_us", pile.timed ? Json(pile.peak.time) : Json()},
            {"at_peak", used_json(pile.peak.live)},
            {"reserved_at_peak_bytes", pile.peak.reserved.count},
            {"reserved_peak_bytes", pile.reserved_peak.count},
            {"live_at_end_bytes", pile.live_at_end.count},
            {"reserved_at_end_bytes", pile.reserved_at_end.count},
            {"largest_gap_bytes", pile.largest_gap.count}};
  json["places"] = Json::array();
  for (const autopsy::PlaceBytes& place : pile.places)
    json["places"].push_back({{"place", place.place}, {"bytes", place.bytes.count}});
  json["failed_requests"] = Json::array();
  for (const autopsy::FailedRequest& failed : pile.failed)
    json["failed_requests"].push_back({{"bytes", failed.size.count},
                                       {"free_bytes", failed.free.count},
                                       {"live_bytes", failed.live.count},
                                       {"reserved_bytes", failed.reserved.count}});
  json["findings"] = findings_of(pile);
  if (!predicted) return json;
  json["beside_prediction"] = Json::array();
  for (const autopsy::PileRow& row : beside_prediction(pile, *predicted, fragmentation))
    json["beside_prediction"].push_back({{"name", row.name},
                                         {"predicted_bytes", bytes_json(row.predicted)},
                                         {"measured_bytes", bytes_json(row.measured)}});
  return json;
}

Json collectives_json(const autopsy::CollectivesAutopsy& found, const autopsy::RankPlaces& places) {
  Json json{{"ranks", found.dumped},     {"ranks_without_dump", found.without_dump},
            {"groups", found.groups},    {"calls", found.calls},
            {"held_up_by", found.roots}, {"faults", Json::array()}};
  for (const autopsy::Stall& stall : found.stalls)
    json["faults"].push_back({{"fault", name_of(stall.kind)},
                              {"group", stall.group},
                              {"description", stall.description},
                              {"number", stall.sequence},
                              {"operation", stall.operation},
                              {"sizes", stall.sizes},
                              {"ranks", stall.ranks},
                              {"waiting", stall.waiting},
                              {"place", stall.place},
                              {"text", sentence_of(stall, places)}});
  json["findings"] = findings_of(found, places);
  return json;
}

Json late_json(const autopsy::LateRanks& late, const autopsy::RankPlaces& places) {
  const double steps = std::max(1, late.steps);
  Json json{{"steps", late.steps},
            {"step_ms", in_milliseconds(late.step)},
            {"matched", late.matched},
            {"unmatched", late.unmatched},
            {"spread_ms", in_milliseconds(late.spread)},
            {"latest", late.latest() ? Json(late.latest()->rank) : Json()},
            {"ranks", Json::array()},
            {"collectives", Json::array()}};
  for (const autopsy::RankLateness& one : late.ranks)
    json["ranks"].push_back({{"rank", one.rank},
                             {"aligned", one.aligned},
                             {"clock_ms", in_milliseconds(one.offset)},
                             {"collectives", one.collectives},
                             {"last", one.last},
                             {"late_ms_per_step", in_milliseconds(one.late) / steps},
                             {"waiting_ms_per_step", in_milliseconds(one.waiting) / steps},
                             {"transfer_ms_per_step", in_milliseconds(one.transfer) / steps}});
  for (const autopsy::KindLateness& one : late.kinds)
    json["collectives"].push_back({{"group", one.kind.group},
                                   {"operation", one.kind.operation},
                                   {"count", one.collectives},
                                   {"waiting_ms_per_step", in_milliseconds(one.waiting) / steps},
                                   {"transfer_ms_per_step", in_milliseconds(one.transfer) / steps}});
  json["findings"] = findings_of(late, places);
  return json;
}

}  // namespace

std::string autopsy_text(const std::vector<autopsy::Section>& report) {
  std::string text;
  for (const autopsy::Section& section : report) {
    text += (text.empty() ? "" : "\n") + io::text::printable(section.title) + "\n";
    for (const std::string& sentence : section.sentences) text += "  " + io::text::printable(sentence) + "\n";
    if (section.rows.empty()) continue;
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < section.headings.size(); ++i)
      columns.push_back({section.headings[i], is_figure(section.rows.front()[i]) ? Align::right : Align::left});
    Table table(std::move(columns));
    for (const auto& row : section.rows) table.add(row);
    text += table.text();
  }
  return text;
}

Json autopsy_json(const autopsy::Autopsy& found, const autopsy::RankPlaces& places,
                  const autopsy::Predicted& predicted) {
  Json json{{"format", "pipedeck.autopsy"}, {"version", 1}, {"files", Json::array()}};
  for (const autopsy::TakenFile& file : found.files)
    json["files"].push_back(
        {{"file", io::text::to_utf8(file.path)}, {"taken_for", file.what}, {"because_of", file.evidence}});
  if (found.collectives) json["collectives"] = collectives_json(*found.collectives, places);
  if (found.late) json["late_ranks"] = late_json(*found.late, places);
  for (const autopsy::RankMemory& memory : found.memory) {
    const SimulatedDevice* device = memory.rank ? device_of(predicted, *memory.rank) : nullptr;
    for (const autopsy::MeasuredPile& pile : memory.piles) {
      Json one = pile_json(pile, device, predicted.simulation ? predicted.simulation->fragmentation : 0);
      one["file"] = io::text::to_utf8(memory.path);
      one["rank"] = memory.rank ? Json(*memory.rank) : Json();
      json["memory"].push_back(std::move(one));
    }
  }
  return json;
}

}  // namespace pipedeck::cli::text
