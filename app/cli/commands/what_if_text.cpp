// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/what_if_text.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/rates_text.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/io/csv/what_if.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"
#include "core/study/planner_request.hpp"
#include "core/study/whatif/front.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_listed = 40;  ///< of a front, as text

std::string rate_text(BytesPerSecond rate) { return fmt::format("{:.4g} GB/s", in_gigabytes_per_second(rate)); }

std::string price_text(const std::optional<double>& price) { return price ? fmt::format("{:.2f}", *price) : "-"; }

// --- what is changed

std::string scale_text(const TimeScale& times, const Profile& profile) {
  switch (times.source) {
    case TimeScale::Source::same_device:
      return {};
    case TimeScale::Source::measured:
      return fmt::format("times as measured on {}", times.to);
    case TimeScale::Source::scaled:
      return fmt::format("times scaled: {} is {:.3g} x as fast as {} by its peaks{}", times.to, times.factor,
                         times.from,
                         study::is_language_model(profile) ? "; of plans in several dimensions computed" : "");
    case TimeScale::Source::unknown:
      return fmt::format("the relative speed of {} and {} is unknown: they count as equally fast", times.to,
                         times.from);
  }
  return {};
}

std::vector<std::string> change_lines(const WhatIfAnswer& answer) {
  const ClusterScales before = study::whatif::scales_of(*answer.asked.cluster),
                      after = study::whatif::scales_of(*answer.changed.cluster);
  std::vector<std::string> lines;
  const auto rate = [&](const char* what, const auto& from, const auto& to) {
    if (from != to && from && to) lines.push_back(fmt::format("{} {} -> {}", what, rate_text(*from), rate_text(*to)));
  };
  if (before.nodes != after.nodes) lines.push_back(fmt::format("nodes {} -> {}", before.nodes, after.nodes));
  if (before.type != after.type) lines.push_back(fmt::format("devices {} -> {}", before.type, after.type));
  rate("links inside nodes", before.inside, after.inside);
  rate("links between nodes", before.between, after.between);
  if (before.memory != after.memory)
    lines.push_back(fmt::format("memory {} -> {}", text::memory_text(before.memory), text::memory_text(after.memory)));
  const Workload &was = answer.asked.workload, &is = answer.changed.workload;
  if (was.global_batch != is.global_batch)
    lines.push_back(fmt::format("global batch {} -> {}", was.global_batch, is.global_batch));
  const auto size = [](const std::optional<int>& samples) { return samples ? std::to_string(*samples) : "any"; };
  if (was.micro_batch != is.micro_batch)
    lines.push_back(fmt::format("micro-batch {} -> {}", size(was.micro_batch), size(is.micro_batch)));
  if (answer.times && answer.times->source != TimeScale::Source::same_device)
    lines.push_back(scale_text(*answer.times, *answer.asked.profile));
  return lines;
}

std::string heading(const WhatIfAnswer& answer) {
  std::string text = fmt::format("{} on {}, global batch {}\n", io::text::printable(answer.asked.profile->name),
                                 io::text::printable(answer.asked.cluster->name), answer.asked.workload.global_batch);
  for (const std::string& line : change_lines(answer)) text += "  " + line + "\n";
  return text + "\n";
}

// --- plans

/// A table of plans. Tokens are columns if the profile knows them, and all peaks have the unit of the largest.
class PlanTable {
 public:
  PlanTable(const std::string& first, const std::string& currency, std::span<const PlanCandidate> plans)
      : rates_(std::ranges::any_of(plans, [](const PlanCandidate& plan) { return plan.utilization.has_value(); })),
        table_(work::joined(work::plan_columns({first, text::Align::left}), own_columns(currency))) {
    for (const PlanCandidate& plan : plans) largest_ = std::max(largest_, plan.largest_peak);
  }

  void add(std::string first, const PlanCandidate& found) {
    const Plan& plan = *found.plan;
    std::vector<std::string> cells;
    if (rates_) cells = {tokens_text(found.utilization), found.utilization ? text::mfu_text(*found.utilization) : "-"};
    cells = work::joined(
        std::move(cells),
        {text::memory_text(found.largest_peak, largest_), fmt::format("{} / {}", found.nodes, found.devices),
         price_text(found.price_per_hour), price_text(found.price_per_million_samples())});
    table_.add(work::joined(work::plan_cells(std::move(first), text::shortened(plan.name, 44), plan, found.iteration,
                                             found.samples_per_second),
                            std::move(cells)));
  }

  void add_change(const PlanCandidate& a, const PlanCandidate& b) {
    std::vector<std::string> cells{"change",
                                   "",
                                   "",
                                   "",
                                   "",
                                   text::change_text(a.iteration.count, b.iteration.count),
                                   text::change_text(a.samples_per_second, b.samples_per_second)};
    if (rates_) cells = work::joined(std::move(cells), {tokens_change(a.utilization, b.utilization), std::string()});
    table_.add(work::joined(
        std::move(cells),
        {text::change_text(static_cast<double>(a.largest_peak.count), static_cast<double>(b.largest_peak.count)),
         std::string(), change_of(a.price_per_hour, b.price_per_hour),
         change_of(a.price_per_million_samples(), b.price_per_million_samples())}));
  }

  std::string text() const { return table_.text(); }

 private:
  std::vector<text::Table::Column> own_columns(const std::string& currency) const {
    std::vector<text::Table::Column> columns;
    if (rates_) columns = {{"tokens/s"}, {"MFU"}};
    return work::joined(
        std::move(columns),
        {{"peak"}, {"nodes / devices"}, {fmt::format("{} / h", currency)}, {fmt::format("{} / 1M samples", currency)}});
  }
  static std::string tokens_text(const std::optional<Utilization>& rates) {
    return rates ? fmt::format("{:.0f}", rates->tokens_per_second) : "-";
  }
  static std::string tokens_change(const std::optional<Utilization>& a, const std::optional<Utilization>& b) {
    return a && b ? text::change_text(a->tokens_per_second, b->tokens_per_second) : "-";
  }
  static std::string change_of(const std::optional<double>& before, const std::optional<double>& after) {
    return before && after ? text::change_text(*before, *after) : std::string("-");
  }

  bool rates_;
  text::Table table_;
  Bytes largest_;
};

std::string best_text(const WhatIfAnswer& answer) {
  std::vector<PlanCandidate> plans;
  if (answer.current) plans.push_back(*answer.current);
  if (answer.now && answer.is_changed) plans.push_back(*answer.now);
  PlanTable table("", answer.currency, plans);
  if (answer.current) table.add("today", *answer.current);
  if (answer.now && answer.is_changed) table.add("then", *answer.now);
  if (answer.current && answer.now && answer.is_changed) table.add_change(*answer.current, *answer.now);
  return table.text();
}

/// The convention of MFU, and what is above the peak.
std::string rates_notes(const WhatIfAnswer& answer) {
  std::vector<std::pair<std::string, std::optional<Utilization>>> rates;
  if (answer.current) rates.emplace_back("today's plan", answer.current->utilization);
  if (answer.now && answer.is_changed) rates.emplace_back("the plan then", answer.now->utilization);
  return text::mfu_notes(rates);
}

/// The quickest first.
std::vector<PlanCandidate> front_plans(const std::vector<PlanCandidate>& plans) {
  std::vector<PlanCandidate> front;
  for (const std::size_t i : study::whatif::front_of(plans)) front.push_back(plans[i]);
  std::stable_sort(front.begin(), front.end(), [](const PlanCandidate& a, const PlanCandidate& b) {
    return a.samples_per_second > b.samples_per_second;
  });
  return front;
}

std::string front_text(const std::vector<PlanCandidate>& plans, const std::string& currency) {
  const std::vector<PlanCandidate> front = front_plans(plans);
  PlanTable table("#", currency, front);
  for (std::size_t i = 0; i < std::min(front.size(), max_listed); ++i) table.add(std::to_string(i + 1), front[i]);
  std::string text =
      fmt::format("\n{} of {} plans are Pareto-optimal in throughput, memory and price:\n", front.size(), plans.size());
  text += table.text();
  if (front.size() > max_listed)
    text += fmt::format("... and {} more: --csv or --json has all\n", front.size() - max_listed);
  return text;
}

// --- purchases

std::string purchases_text(const std::vector<PurchaseGain>& gains, const std::string& currency) {
  text::Table table({{"#"},
                     {"purchase", text::Align::left},
                     {"samples/s"},
                     {"gain"},
                     {fmt::format("{} / h", currency)},
                     {"gain / price"},
                     {"plan then", text::Align::left},
                     {"shape", text::Align::left}});
  std::size_t number = 0;
  std::string without;
  for (const PurchaseGain& gain : gains) {
    const std::string what = io::csv::purchase_text(gain.purchase);
    if (!gain.best) {
      without += fmt::format("{}: {}\n", what, gain.failure_reason);
      continue;
    }
    table.add({std::to_string(++number), what, fmt::format("{:.2f}", gain.best->samples_per_second),
               fmt::format("{:+.2f}", gain.gain), gain.price_change ? fmt::format("{:+.2f}", *gain.price_change) : "-",
               price_text(gain.gain_per_price()), text::shortened(gain.best->plan->name, 44),
               text::short_shape_text(*gain.best->plan)});
  }
  return "\nwhat to buy first, each with new plans:\n" + table.text() + without;
}

std::string prices_text(const WhatIfAnswer& answer) {
  std::vector<std::string> known;
  for (const DeviceType& type : answer.changed.cluster->device_types)
    if (type.price_per_hour) known.push_back(fmt::format("{} {:.2f}", type.name, *type.price_per_hour));
  if (known.empty()) return "\nno prices are known: set them with --price TYPE=PRICE\n";
  return fmt::format("\nprices per hour in {}: {}; the catalogue's are about those of {}\n", answer.currency,
                     fmt::join(known, ", "), answer.price_date);
}

// --- JSON

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json found_json(const PlanCandidate& found) {
  Json json{{"iteration_ms", in_milliseconds(found.iteration)},
            {"samples_per_s", found.samples_per_second},
            {"peak_memory_bytes", found.largest_peak.count},
            {"devices", found.devices},
            {"nodes", found.nodes},
            {"cluster_nodes", found.cluster->nodes.size()},
            {"price_per_hour", optional_number(found.price_per_hour)},
            {"price_per_million_samples", optional_number(found.price_per_million_samples())}};
  if (found.utilization) json["utilization"] = text::utilization_json(*found.utilization);
  json["plan"] = Json::parse(io::documents::plan_to_json(*found.plan));
  return json;
}

Json times_json(const TimeScale& times) {
  constexpr const char* sources[] = {"same", "measured", "scaled", "unknown"};
  return Json{{"source", sources[static_cast<int>(times.source)]},
              {"factor", times.factor},
              {"from", times.from},
              {"to", times.to}};
}

Json purchase_json(const PurchaseGain& gain) {
  Json json{{"kind", io::csv::name_of(gain.purchase.kind)}, {"what", io::csv::purchase_text(gain.purchase)}};
  if (!gain.purchase.places.empty()) json["places"] = gain.purchase.places;
  if (!gain.purchase.type.empty()) json["type"] = gain.purchase.type;
  if (gain.purchase.factor != 1) json["factor"] = gain.purchase.factor;
  if (!gain.best) {
    json["why_not"] = gain.failure_reason;
    return json;
  }
  json["gain_samples_per_s"] = gain.gain;
  json["price_change_per_hour"] = optional_number(gain.price_change);
  json["gain_per_price"] = optional_number(gain.gain_per_price());
  json["best"] = found_json(*gain.best);
  return json;
}

}  // namespace

std::string what_if_text(const WhatIfAnswer& answer) {
  std::string text = heading(answer) + best_text(answer) + rates_notes(answer);
  if (answer.plans) text += front_text(*answer.plans, answer.currency);
  if (answer.purchases) text += purchases_text(*answer.purchases, answer.currency);
  return text + prices_text(answer);
}

std::string what_if_json(const WhatIfAnswer& answer) {
  Json json{{"format", "pipedeck.what-if"},
            {"version", 1},
            {"profile", answer.asked.profile->name},
            {"cluster", Json::parse(io::documents::cluster_to_json(*answer.changed.cluster))},
            {"global_batch", answer.changed.workload.global_batch},
            {"changes", change_lines(answer)}};
  if (answer.times) json["times"] = times_json(*answer.times);
  json["prices"] = {{"currency", answer.currency}, {"date", answer.price_date}};
  json["today"] = answer.current ? found_json(*answer.current) : Json(nullptr);
  json["then"] = answer.now ? found_json(*answer.now) : Json(nullptr);
  if (!answer.now) json["why_none"] = answer.failure_reason;
  if (answer.plans) {
    json["plans"] = Json::array();
    const std::vector<std::size_t> front = study::whatif::front_of(*answer.plans);
    for (std::size_t i = 0; i < answer.plans->size(); ++i) {
      Json one = found_json((*answer.plans)[i]);
      one["front"] = std::binary_search(front.begin(), front.end(), i);
      json["plans"].push_back(std::move(one));
    }
  }
  if (answer.purchases) {
    json["buy_first"] = Json::array();
    for (const PurchaseGain& gain : *answer.purchases) json["buy_first"].push_back(purchase_json(gain));
  }
  return json.dump(2);
}

io::csv::CsvTable what_if_csv(const WhatIfAnswer& answer) {
  if (answer.purchases) return io::csv::purchases_csv(*answer.purchases);
  if (answer.plans) {
    const std::vector<std::size_t> front = study::whatif::front_of(*answer.plans);
    std::vector<bool> stands(answer.plans->size());
    for (const std::size_t i : front) stands[i] = true;
    return io::csv::found_plans_csv(*answer.plans, stands);
  }
  std::vector<PlanCandidate> both;
  if (answer.current) both.push_back(*answer.current);
  if (answer.now && answer.is_changed) both.push_back(*answer.now);
  io::csv::CsvTable plain = io::csv::found_plans_csv(both, std::vector<bool>(both.size()));
  std::vector<std::string> columns = plain.columns();
  columns.front() = "when";
  io::csv::CsvTable table(std::move(columns));
  for (std::size_t i = 0; i < plain.rows().size(); ++i) {
    std::vector<io::csv::CsvTable::Field> row = plain.rows()[i];
    row.front() = io::csv::CsvTable::Field(i == 0 && answer.current ? "today" : "then");
    table.add(std::move(row));
  }
  return table;
}

}  // namespace pipedeck::cli::commands
