// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/profile_text.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

/// Returns "0.91 to 0.95"; empty if it was not measured.
std::string quartiles_text(const std::optional<TimeSpread>& spread, Quartiles TimeSpread::*of) {
  if (!spread) return {};
  const Quartiles& quartiles = *spread.*of;
  return fmt::format("{} to {}", milliseconds_text(quartiles.lower), milliseconds_text(quartiles.upper));
}

/// The whole model at one size or degree.
struct Sum {
  Seconds forward, backward, weight;
  Bytes saved, workspace;
  int repetitions = 0;
};

template <class Point>
void add_to(Sum& sum, const Point& point) {
  const PointDetails& details = point.details;
  sum.forward += point.forward, sum.backward += point.backward;
  sum.weight += details.backward_weight.value_or(Seconds());
  sum.saved += details.saved.value_or(Bytes());
  sum.workspace = std::max(sum.workspace, details.workspace.value_or(Bytes()));
  if (!details.spread) return;
  const int times = details.spread->repetitions;
  sum.repetitions = sum.repetitions == 0 ? times : std::min(sum.repetitions, times);
}

void add_row(Table& table, const std::string& what, const Sum& sum) {
  table.add({what, milliseconds_text(sum.forward), milliseconds_text(sum.backward), milliseconds_text(sum.weight),
             memory_text(sum.saved), memory_text(sum.workspace), std::to_string(sum.repetitions)});
}

std::string sums_table(const Profile& profile) {
  Table table({{"all layers", Align::left},
               {"forward ms"},
               {"backward ms"},
               {"weight part ms"},
               {"saved"},
               {"workspace"},
               {"repetitions"}});
  std::map<int, Sum> sizes, degrees;
  std::map<int, std::size_t> cut;
  for (const Layer& layer : profile.layers) {
    for (const LayerPoint& point : layer.at) add_to(sizes[point.micro_batch], point);
    for (const TensorParallelPoint& point : layer.tensor_parallel) {
      add_to(degrees[point.degree], point);
      ++cut[point.degree];
    }
  }
  for (const auto& [size, sum] : sizes) add_row(table, fmt::format("micro-batch {}", size), sum);
  for (const auto& [degree, sum] : degrees)
    if (cut[degree] == profile.layers.size())
      add_row(table, fmt::format("micro-batch {}, on each of {} devices", profile.micro_batch, degree), sum);
  return table.text();
}

}  // namespace

std::string layers_table(const Profile& profile) {
  std::vector<Table::Column> columns{
      {"layer", Align::left}, {"kind", Align::left}, {"forward ms"}, {"quartiles"}, {"backward ms"},
      {"quartiles"},          {"weight part ms"},    {"output"},     {"saved"},     {"parameters"}};
  const bool cut =
      std::ranges::any_of(profile.layers, [](const Layer& layer) { return layer.replicated_parameters.count > 0; });
  if (cut) columns.push_back({"of them whole"});
  Table table(std::move(columns));
  for (const Layer& layer : profile.layers) {
    std::vector<std::string> row{layer.name,
                                 layer.kind,
                                 milliseconds_text(layer.forward),
                                 quartiles_text(layer.spread, &TimeSpread::forward),
                                 milliseconds_text(layer.backward),
                                 quartiles_text(layer.spread, &TimeSpread::backward),
                                 milliseconds_text(layer.backward_weight),
                                 memory_text(layer.output),
                                 memory_text(layer.saved),
                                 memory_text(layer.parameters)};
    if (cut) row.push_back(memory_text(layer.replicated_parameters));
    table.add(std::move(row));
  }
  return table.text();
}

std::string measured_profile_text(const Profile& profile) {
  return fmt::format("{} on {}, micro-batch {}\n\n{}\n{}", io::text::printable(profile.name),
                     io::text::printable(profile.device), profile.micro_batch, layers_table(profile),
                     sums_table(profile));
}

std::string measured_link_text(const runtime::profile::LinkMeasurement& measured) {
  Table table({{"bytes"}, {"one way us"}, {"quartiles"}, {"by the link us"}});
  const auto us = [](double seconds) { return fmt::format("{:.2f}", seconds * 1e6); };
  for (const runtime::profile::TransferPoint& point : measured.points) {
    const double fitted = (measured.link.latency + point.bytes / measured.link.bandwidth).count;
    table.add({std::to_string(point.bytes.count), us(point.seconds.median),
               fmt::format("{} to {}", us(point.seconds.lower), us(point.seconds.upper)), us(fitted)});
  }
  return fmt::format("Transfers between two devices: {:.2f} GB/s, latency {:.2f} us\n\n{}",
                     measured.link.bandwidth.count / 1e9, measured.link.latency.count * 1e6, table.text());
}

}  // namespace pipedeck::cli::text
