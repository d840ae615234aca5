// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/what_if.hpp"

#include <fmt/format.h>

namespace pipedeck::io::csv {
namespace {

constexpr std::size_t max_places = 4;  ///< named in a row

CsvTable::Field field(const std::optional<double>& value) {
  return value ? CsvTable::Field(*value) : CsvTable::Field();
}

/// "n0, n1, n2, n3 and 12 more".
std::string places_text(const std::vector<std::string>& places) {
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), max_places); ++i) text += (i > 0 ? ", " : "") + places[i];
  if (places.size() > max_places) text += fmt::format(" and {} more", places.size() - max_places);
  return text;
}

std::vector<CsvTable::Field> fields_of(const PlanCandidate& found) {
  const Plan& plan = *found.plan;
  const std::optional<Utilization>& rates = found.utilization;
  return {plan.name,
          plan.planner,
          stage_shape_text(plan),
          pipedeck::name_of(plan.schedule),
          plan.micro_batch,
          CsvTable::milliseconds(found.iteration),
          found.samples_per_second,
          found.largest_peak,
          static_cast<std::int64_t>(found.cluster->nodes.size()),
          found.nodes,
          found.devices,
          field(found.price_per_hour),
          field(found.price_per_million_samples()),
          rates ? CsvTable::Field(rates->tokens_per_second) : CsvTable::Field(),
          rates && rates->peak_per_device > 0 ? CsvTable::Field(rates->mfu) : CsvTable::Field()};
}

}  // namespace

std::string_view name_of(UpgradeKind kind) {
  switch (kind) {
    case UpgradeKind::links_inside:
      return "links-inside";
    case UpgradeKind::links_between:
      return "links-between";
    case UpgradeKind::links:
      return "links";
    case UpgradeKind::node:
      return "node";
    case UpgradeKind::every_device:
      return "every-device";
    case UpgradeKind::node_devices:
      return "node-devices";
    case UpgradeKind::one_device:
      return "one-device";
    case UpgradeKind::memory:
      return "memory";
  }
  return {};
}

std::string purchase_text(const Purchase& purchase) {
  const std::string places = places_text(purchase.places);
  switch (purchase.kind) {
    case UpgradeKind::links_inside:
      return fmt::format("{} x the bandwidth inside nodes", purchase.factor);
    case UpgradeKind::links_between:
      return fmt::format("{} x the bandwidth between nodes", purchase.factor);
    case UpgradeKind::links:
      return fmt::format("{} x the bandwidth of {}", purchase.factor, places);
    case UpgradeKind::node:
      return fmt::format("one more node like {}", places);
    case UpgradeKind::every_device:
      return fmt::format("{} for every device", purchase.type);
    case UpgradeKind::node_devices:
      return fmt::format("{} for the devices of {}", purchase.type, places);
    case UpgradeKind::one_device:
      return fmt::format("{} for device {}", purchase.type, places);
    case UpgradeKind::memory:
      return fmt::format("{} x the memory of every device", purchase.factor);
  }
  return {};
}

CsvTable found_plans_csv(std::span<const PlanCandidate> plans, const std::vector<bool>& on_front) {
  CsvTable table({"front", "plan", "planner", "shape", "schedule", "micro_batch", "iteration_ms", "samples_per_s",
                  "peak_memory_bytes", "cluster_nodes", "nodes", "devices", "price_per_hour",
                  "price_per_million_samples", "tokens_per_s", "mfu"});
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::vector<CsvTable::Field> fields = fields_of(plans[i]);
    fields.insert(fields.begin(), CsvTable::Field(static_cast<bool>(on_front[i])));
    table.add(std::move(fields));
  }
  return table;
}

CsvTable purchases_csv(std::span<const PurchaseGain> gains) {
  CsvTable table({"purchase", "kind", "samples_per_s", "gain_samples_per_s", "price_change_per_hour", "gain_per_price",
                  "plan", "shape", "note"});
  for (const PurchaseGain& gain : gains) {
    const std::string what = purchase_text(gain.purchase);
    if (gain.best)
      table.add({what,
                 name_of(gain.purchase.kind),
                 gain.best->samples_per_second,
                 gain.gain,
                 field(gain.price_change),
                 field(gain.gain_per_price()),
                 gain.best->plan->name,
                 stage_shape_text(*gain.best->plan),
                 {}});
    else
      table.add({what, name_of(gain.purchase.kind), {}, {}, {}, {}, {}, {}, gain.failure_reason});
  }
  return table;
}

}  // namespace pipedeck::io::csv
