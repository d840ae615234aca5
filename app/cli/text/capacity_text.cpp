// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/capacity_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/rates_text.hpp"
#include "app/cli/text/table.hpp"
#include "core/base/count_text.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_listed = 40;  ///< points, as text

std::string days_text(Seconds time) {
  if (time.count < 60) return fmt::format("{:.2f} s", time.count);
  if (time.count < 3600) return fmt::format("{:.2f} min", time.count / 60);
  if (time.count < 86400) return fmt::format("{:.2f} h", time.count / 3600);
  return fmt::format("{:.2f} d", time.count / 86400);
}

std::string money_text(const std::optional<double>& money) { return money ? fmt::format("{:.2f}", *money) : "-"; }

std::string goal_text(const CapacityAnswer& answer) {
  const CapacityGoal& goal = answer.goal;
  std::string text = goal.sample_tokens
                         ? fmt::format("{} tokens, {} per sample", format_count(goal.samples * *goal.sample_tokens),
                                       *goal.sample_tokens)
                         : fmt::format("{} samples", format_count(goal.samples));
  if (goal.within) text += ", within " + days_text(*goal.within);
  if (goal.budget) text += fmt::format(", for at most {:.2f} {}", *goal.budget, answer.currency);
  return text;
}

std::string type_of(const CapacityFound& found) { return found.point.type.empty() ? "as it is" : found.point.type; }

/// Why a point is not the answer, with the figure that is too large.
std::string verdict_text(const CapacityAnswer& answer, const CapacityFound& found) {
  const auto cost = capacity_cost(answer.goal, found);
  switch (capacity_verdict(answer.goal, found)) {
    case CapacityStatus::meets:
      return {};
    case CapacityStatus::memory:
      return fmt::format("{} too little memory", memory_text(missing_memory(found)));
    case CapacityStatus::no_plan:
      return found.failure_reason.empty() ? "no plan" : shortened(found.failure_reason, 60);
    case CapacityStatus::time:
      return days_text(cost->time - *answer.goal.within) + " too long";
    case CapacityStatus::money:
      return fmt::format("{:.2f} {} too much", *cost->money - *answer.goal.budget, answer.currency);
    case CapacityStatus::no_price:
      return "no price is known";
  }
  return {};
}

bool has_rates(const CapacityAnswer& answer) {
  return std::ranges::any_of(answer.found,
                             [](const CapacityFound& found) { return found.plan && found.plan->utilization; });
}

Bytes largest_peak(const CapacityAnswer& answer) {
  Bytes largest;
  for (const CapacityFound& found : answer.found)
    if (found.plan) largest = std::max(largest, found.plan->largest_peak);
  return largest;
}

/// `rates`: the table has a column of MFU. `largest`: the peak whose unit all peaks have.
void add_row(Table& table, const CapacityAnswer& answer, std::size_t index, bool rates, Bytes largest) {
  const CapacityFound& found = answer.found[index];
  const auto cost = capacity_cost(answer.goal, found);
  const CapacityPoint& point = found.point;
  std::vector<std::string> cells{&found == answer.best() ? "*" : "", type_of(found), std::to_string(point.nodes),
                                 found.plan ? std::to_string(rented_devices(*found.plan)) : "-",
                                 fmt::format("{} / {}", point.global_batch,
                                             point.micro_batch > 0 ? std::to_string(point.micro_batch)
                                             : found.plan          ? fmt::format("({})", found.plan->plan->micro_batch)
                                                                   : "-")};
  if (found.plan) {
    cells.push_back(found.plan->plan->planner);
    cells.push_back(short_shape_text(*found.plan->plan));
    cells.push_back(memory_text(found.plan->largest_peak, largest));
  } else {
    cells.insert(cells.end(), {"-", "-", "-"});
  }
  if (cost) {
    cells.push_back(format_count(cost->tokens_per_second.value_or(cost->samples_per_second)));
    if (rates) cells.push_back(found.plan->utilization ? mfu_text(*found.plan->utilization) : "-");
    cells.push_back(std::to_string(cost->iterations));
    cells.push_back(days_text(cost->time));
    cells.push_back(fmt::format("{:.1f}", cost->device_hours));
    cells.push_back(money_text(cost->money));
  } else {
    cells.insert(cells.end(), rates ? 6 : 5, "-");
  }
  cells.push_back(verdict_text(answer, found));
  table.add(std::move(cells));
}

std::string where_text(const CapacityFound& found) {
  const CapacityPoint& point = found.point;
  return fmt::format("{}{}{}, global batch {}", point.type, point.type.empty() ? "" : ", ",
                     counted(point.nodes, "node"), point.global_batch);
}

/// A grid is read in its own order; of a large one those to take first are shown.
std::string points_text(const CapacityAnswer& answer) {
  std::vector<Table::Column> columns{{"", Align::left},
                                     {"device type", Align::left},
                                     {"nodes"},
                                     {"devices"},
                                     {"batch / micro"},
                                     {"planner", Align::left},
                                     {"shape", Align::left},
                                     {"peak"},
                                     {answer.goal.sample_tokens ? "tokens/s" : "samples/s"}};
  const bool with_rates = has_rates(answer);
  if (with_rates) columns.push_back({"MFU"});
  for (const char* title : {"iterations", "time", "device-hours"}) columns.push_back({title});
  columns.push_back({answer.currency});
  columns.push_back({"ruled out by", Align::left});
  Table table(std::move(columns));
  std::vector<std::size_t> shown = answer.ranked;
  if (shown.size() > max_listed)
    shown.resize(max_listed);
  else
    std::ranges::sort(shown);
  const Bytes largest = largest_peak(answer);
  for (const std::size_t i : shown) add_row(table, answer, i, with_rates, largest);
  std::string text = table.text();
  if (answer.found.size() > shown.size())
    text += fmt::format("... and {} more: --csv or --json has all\n", answer.found.size() - shown.size());
  std::vector<std::pair<std::string, std::optional<Utilization>>> rates;
  for (const std::size_t i : shown)
    if (answer.found[i].fits()) rates.emplace_back(where_text(answer.found[i]), answer.found[i].plan->utilization);
  return text + mfu_notes(rates);
}

// --- JSON

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json plan_json(const CapacityFound& found) {
  const PlanCandidate& plan = *found.plan;
  Json json{{"fits", plan.fits},
            {"planner", plan.plan->planner},
            {"iteration_ms", in_milliseconds(plan.iteration)},
            {"peak_memory_bytes", plan.largest_peak.count},
            {"missing_memory_bytes", missing_memory(found).count},
            {"devices", rented_devices(plan)},
            {"devices_used", plan.devices},
            {"price_per_hour", optional_number(plan.price_per_hour)}};
  if (plan.utilization) json["utilization"] = utilization_json(*plan.utilization);
  json["plan"] = Json::parse(io::documents::plan_to_json(*plan.plan));
  return json;
}

Json point_json(const CapacityFound& found) {
  Json json{{"device_type", found.point.type.empty() ? Json(nullptr) : Json(found.point.type)},
            {"nodes", found.point.nodes},
            {"global_batch", found.point.global_batch},
            {"micro_batch", found.point.micro_batch > 0 ? Json(found.point.micro_batch) : Json(nullptr)}};
  if (!found.failure_reason.empty()) json["why_not"] = found.failure_reason;
  json["best"] = found.plan ? plan_json(found) : Json(nullptr);
  return json;
}

Json cost_json(const CapacityCost& cost) {
  return Json{{"iterations", cost.iterations},
              {"samples_per_s", cost.samples_per_second},
              {"tokens_per_s", optional_number(cost.tokens_per_second)},
              {"seconds", cost.time.count},
              {"device_hours", cost.device_hours},
              {"money", optional_number(cost.money)}};
}

Json point_json(const CapacityAnswer& answer, const CapacityFound& found) {
  Json json = point_json(found);
  json["verdict"] = name_of(capacity_verdict(answer.goal, found));
  const auto cost = capacity_cost(answer.goal, found);
  json["cost"] = cost ? cost_json(*cost) : Json(nullptr);
  return json;
}

Json index_of(const CapacityAnswer& answer, const CapacityFound* found) {
  return found ? Json(found - answer.found.data()) : Json(nullptr);
}

std::string size_title(study::capacity::SizeKind kind) {
  switch (kind) {
    case study::capacity::SizeKind::layers:
      return "number of layers";
    case study::capacity::SizeKind::hidden:
      return "hidden size";
    case study::capacity::SizeKind::sequence:
      return "sequence";
    case study::capacity::SizeKind::micro_batch:
      return "micro-batch";
    case study::capacity::SizeKind::global_batch:
      return "global batch";
  }
  return {};
}

std::string next_text(const study::capacity::LargestAnswer& answer) {
  const CapacityFound& next = *answer.next_found;
  std::string text = fmt::format("the next, {}, does not fit: ", *answer.next);
  if (answer.proof == study::capacity::LargestProof::states_exceed_memory)
    text += fmt::format("weights, gradients and optimizer alone are {}, all devices hold {}",
                        memory_text(answer.next_states), memory_text(answer.devices_hold));
  else if (next.plan)
    text += fmt::format("the nearest plan ({}) has {} too little memory; {}", next.plan->plan->name,
                        memory_text(missing_memory(next)), next.failure_reason);
  else
    text += next.failure_reason;
  return text + "\n";
}

}  // namespace

const CapacityFound* CapacityAnswer::best() const {
  if (ranked.empty() || capacity_verdict(goal, found[ranked.front()]) != CapacityStatus::meets) return nullptr;
  return &found[ranked.front()];
}

const CapacityFound* CapacityAnswer::nearest() const {
  return best() || ranked.empty() || !found[ranked.front()].plan ? nullptr : &found[ranked.front()];
}

std::string capacity_point_text(const CapacityAnswer& answer, const CapacityFound& found) {
  const auto cost = capacity_cost(answer.goal, found);
  const std::string why = verdict_text(answer, found);
  std::string text = where_text(found);
  if (found.plan) text += fmt::format(", {} devices, {}", rented_devices(*found.plan), found.plan->plan->name);
  if (cost) text += ": " + days_text(cost->time);
  if (cost && cost->money) text += fmt::format(", {:.2f} {}", *cost->money, answer.currency);
  return why.empty() ? text : text + "; " + why;
}

std::string capacity_text(const CapacityAnswer& answer) {
  std::string text = fmt::format("{} on {}: {}\n", io::text::printable(answer.model),
                                 io::text::printable(answer.cluster), goal_text(answer)) +
                     points_text(answer);
  if (const CapacityFound* best = answer.best()) text += "\nbest: " + capacity_point_text(answer, *best) + "\n";
  if (const CapacityFound* nearest = answer.nearest())
    text += "\nno cluster meets these limits; nearest: " + capacity_point_text(answer, *nearest) + "\n";
  return text + fmt::format("prices without --price are the catalogue's, in {}, about those of {}\n", answer.currency,
                            answer.price_date);
}

std::string capacity_json(const CapacityAnswer& answer) {
  const CapacityGoal& goal = answer.goal;
  Json json{{"format", "pipedeck.capacity"},
            {"version", 1},
            {"model", answer.model},
            {"cluster", answer.cluster},
            {"goal",
             {{"samples", goal.samples},
              {"sample_tokens", goal.sample_tokens ? Json(*goal.sample_tokens) : Json(nullptr)},
              {"within_s", goal.within ? Json(goal.within->count) : Json(nullptr)},
              {"budget", optional_number(goal.budget)}}},
            {"prices", {{"currency", answer.currency}, {"date", answer.price_date}}},
            {"best", index_of(answer, answer.best())},
            {"nearest", index_of(answer, answer.nearest())}};
  json["points"] = Json::array();
  for (const CapacityFound& found : answer.found) json["points"].push_back(point_json(answer, found));
  return json.dump(2);
}

std::string largest_text(const LargestText& found) {
  const study::capacity::LargestAnswer& answer = found.answer;
  std::string text = fmt::format("{} on {}\n", io::text::printable(found.model), io::text::printable(found.cluster));
  std::string sizes;
  for (const study::capacity::SizeTrial& tried : answer.tried)
    sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", tried.size, tried.fits ? "fits" : "does not");
  if (!answer.size) return text + "no " + size_title(found.kind) + " fits\n" + next_text(answer);
  const PlanCandidate& plan = *answer.found->plan;
  text += fmt::format("largest {} that fits: {}\n  {}: {}, {:.2f} samples/s, peak {} of {}\n", size_title(found.kind),
                      *answer.size, where_text(*answer.found), plan.plan->name, plan.samples_per_second,
                      memory_text(plan.peak), memory_text(plan.capacity));
  if (plan.utilization)
    text +=
        fmt::format("  {:.0f} tokens/s, MFU {}\n", plan.utilization->tokens_per_second, mfu_text(*plan.utilization));
  text += answer.next ? next_text(answer) : "larger sizes were not tried: raise --most\n";
  return text + "planned for: " + sizes + "\n";
}

std::string largest_json(const LargestText& found) {
  const study::capacity::LargestAnswer& answer = found.answer;
  const auto size = [](const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); };
  Json json{{"format", "pipedeck.largest"},
            {"version", 1},
            {"model", found.model},
            {"cluster", found.cluster},
            {"of", study::capacity::name_of(found.kind)},
            {"size", size(answer.size)},
            {"found", answer.found ? point_json(*answer.found) : Json(nullptr)},
            {"next", size(answer.next)},
            {"next_found", answer.next_found ? point_json(*answer.next_found) : Json(nullptr)},
            {"proof", study::capacity::name_of(answer.proof)}};
  if (answer.next) {
    json["next_states_bytes"] = answer.next_states.count;
    json["devices_hold_bytes"] = answer.devices_hold.count;
  }
  json["tried"] = Json::array();
  for (const study::capacity::SizeTrial& tried : answer.tried)
    json["tried"].push_back({{"size", tried.size}, {"fits", tried.fits}});
  return json.dump(2);
}

}  // namespace pipedeck::cli::text
