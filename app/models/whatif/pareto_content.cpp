// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/pareto_content.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "app/models/format.hpp"
#include "app/models/rates.hpp"
#include "core/base/pareto.hpp"

namespace pipedeck::models::whatif {

namespace {

struct FrontText {
  Q_DECLARE_TR_FUNCTIONS(Front)
};

std::vector<bool> three_way_front(const std::vector<PlanCandidate>& plans) {
  const bool priced =
      std::ranges::all_of(plans, [](const PlanCandidate& plan) { return plan.price_per_hour.has_value(); });
  std::vector<ObjectiveVector> costs;
  for (const PlanCandidate& plan : plans)
    costs.push_back(
        {-plan.samples_per_second, static_cast<double>(plan.largest_peak.count), priced ? *plan.price_per_hour : 0});
  return non_dominated(costs);
}

std::vector<std::size_t> line_of(const ParetoContent& content) {
  std::vector<std::size_t> known;
  std::vector<ObjectiveVector> costs;
  for (std::size_t i = 0; i < content.plans.size(); ++i)
    if (const auto x = measure_of(content.plans[i], content.x)) {
      known.push_back(i);
      costs.push_back({-content.plans[i].samples_per_second, *x, 0});
    }
  const std::vector<bool> stands = non_dominated(costs);
  std::vector<std::size_t> line;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const bool there = stands[k] && std::ranges::none_of(line, [&](std::size_t other) {
                         return content.plans[other].samples_per_second == content.plans[known[k]].samples_per_second &&
                                measure_of(content.plans[other], content.x) == costs[k][1];
                       });
    if (there) line.push_back(known[k]);
  }
  std::ranges::sort(line, {}, [&](std::size_t i) { return *measure_of(content.plans[i], content.x); });
  return line;
}

}  // namespace

QString measure_title(FrontMeasure measure) {
  switch (measure) {
    case FrontMeasure::memory:
      return FrontText::tr("Peak memory");
    case FrontMeasure::price:
      return FrontText::tr("Price per hour");
    case FrontMeasure::devices:
      return FrontText::tr("Devices");
    case FrontMeasure::price_per_million:
      return FrontText::tr("Price per 1 M samples");
  }
  return {};
}

std::optional<double> measure_of(const PlanCandidate& plan, FrontMeasure measure) {
  switch (measure) {
    case FrontMeasure::memory:
      return static_cast<double>(plan.largest_peak.count);
    case FrontMeasure::price:
      return plan.price_per_hour;
    case FrontMeasure::devices:
      return plan.devices;
    case FrontMeasure::price_per_million:
      return plan.price_per_million_samples();
  }
  return {};
}

QString price_text(const std::optional<double>& price) {
  return price ? format_price(*price) : FrontText::tr("unknown");
}

QString measure_value_text(double value, FrontMeasure measure) {
  if (measure == FrontMeasure::memory) return format_bytes(Bytes(static_cast<std::int64_t>(value)));
  if (measure == FrontMeasure::devices) return QString::number(static_cast<int>(value + 0.5));
  return FrontText::tr("%1 USD").arg(format_number(value));
}

QString measure_text(const PlanCandidate& plan, FrontMeasure measure) {
  const auto value = measure_of(plan, measure);
  if (measure == FrontMeasure::price || measure == FrontMeasure::price_per_million) return price_text(value);
  return value ? measure_value_text(*value, measure) : FrontText::tr("unknown");
}

ParetoContent make_front_content(std::vector<PlanCandidate> plans, FrontMeasure x, FrontMeasure size) {
  ParetoContent content;
  content.plans = std::move(plans);
  content.x = x;
  content.size = size;
  content.on_front = three_way_front(content.plans);
  content.line = line_of(content);
  return content;
}

std::optional<std::size_t> next_on_front(const ParetoContent& content, std::optional<std::size_t> from, int direction) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < content.plans.size(); ++i)
    if ((content.on_front[i] || i == from) && measure_of(content.plans[i], content.x)) order.push_back(i);
  if (order.empty()) return {};
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(*measure_of(content.plans[i], content.x), content.plans[i].samples_per_second);
  });
  const auto at = from ? std::ranges::find(order, *from) : order.end();
  if (at == order.end()) return direction < 0 ? order.back() : order.front();
  const auto position = (at - order.begin()) + direction;
  return order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(position, 0, std::ssize(order) - 1))];
}

QStringList describe_point(const PlanCandidate& plan, bool on_front) {
  QStringList lines{QString::fromStdString(plan.plan->name)};
  lines << FrontText::tr("%1 samples/s · %2 per iteration")
               .arg(format_number(plan.samples_per_second), format_time(plan.iteration));
  if (const auto share = mfu_of(plan.utilization))
    lines << FrontText::tr("%1 tokens/s · MFU %2")
                 .arg(format_number(plan.utilization->tokens_per_second, 4), mfu_text(*share));
  lines << FrontText::tr("peak memory %1 of %2").arg(format_bytes(plan.largest_peak), format_bytes(plan.capacity));
  lines << FrontText::tr("devices: %1 · nodes: %2").arg(plan.devices).arg(plan.nodes);
  lines << FrontText::tr("price %1 per hour, %2 per 1 M samples")
               .arg(price_text(plan.price_per_hour), price_text(plan.price_per_million_samples()));
  if (!plan.plan->synchronous()) lines << FrontText::tr("asynchronous: several weight versions");
  if (on_front) lines << FrontText::tr("Pareto-optimal in throughput, memory and price");
  return lines;
}

}  // namespace pipedeck::models::whatif
