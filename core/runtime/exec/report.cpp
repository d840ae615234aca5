// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/report.hpp"

#include <algorithm>

#include "core/runtime/transport/plain_bytes.hpp"

namespace pipedeck::runtime::exec {

namespace {

/// Clocks of machines agree within some microseconds: nothing may start before the step does.
void move_on(TimelineRow& row, std::chrono::nanoseconds later) {
  row.start = std::max(Nanoseconds(), row.start + Nanoseconds(later.count()));
}

}  // namespace

std::string bytes_of(std::chrono::nanoseconds began, const std::vector<std::size_t>& workers,
                     const std::vector<StepReport>& reports) {
  std::string bytes;
  transport::put(bytes, began);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const StepReport& report = reports[i];
    transport::put(bytes, workers[i]);
    transport::put(bytes, report.compute);
    transport::put(bytes, report.all_reduces);
    transport::put(bytes, report.transfers);
    transport::put(bytes, report.losses);
    transport::put(bytes, report.busy);
    transport::put(bytes, report.span);
    transport::put(bytes, report.peak);
    transport::put(bytes, report.warning);
    transport::put(bytes, report.divergence);
  }
  return bytes;
}

void read_reports(const std::string& bytes, std::chrono::nanoseconds begin,
                  std::vector<std::pair<std::size_t, StepReport>>& into) {
  transport::ByteReader reader(bytes);
  std::chrono::nanoseconds began{};
  reader.get(began);
  while (!reader.at_end()) {
    auto& [worker, report] = into.emplace_back();
    reader.get(worker);
    reader.get(report.compute);
    reader.get(report.all_reduces);
    reader.get(report.transfers);
    reader.get(report.losses);
    reader.get(report.busy);
    reader.get(report.span);
    reader.get(report.peak);
    reader.get(report.warning);
    reader.get(report.divergence);
    for (TimelineRow& row : report.compute) move_on(row, began - begin);
    for (TimelineRow& row : report.all_reduces) move_on(row, began - begin);
    for (TransferRecord& transfer : report.transfers) move_on(transfer.row, began - begin);
  }
}

std::string bytes_of(const std::vector<LayerParameters>& parameters) {
  std::string bytes;
  for (const LayerParameters& layer : parameters) {
    transport::put(bytes, layer.layer);
    transport::put(bytes, layer.whole);
    transport::put(bytes, layer.blocks);
    transport::put(bytes, layer.values);
  }
  return bytes;
}

void read_parameters(const std::string& bytes, std::vector<LayerParameters>& into) {
  for (transport::ByteReader reader(bytes); !reader.at_end();) {
    LayerParameters& layer = into.emplace_back();
    reader.get(layer.layer);
    reader.get(layer.whole);
    reader.get(layer.blocks);
    reader.get(layer.values);
  }
}

}  // namespace pipedeck::runtime::exec
