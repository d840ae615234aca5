// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/report.hpp"

#include "core/runtime/plain_bytes.hpp"

namespace pipedeck {

std::string bytes_of(const std::vector<std::size_t>& workers, const std::vector<StepReport>& reports) {
  std::string bytes;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const StepReport& report = reports[i];
    put(bytes, workers[i]);
    put(bytes, report.compute);
    put(bytes, report.all_reduces);
    put(bytes, report.transfers);
    put(bytes, report.losses);
    put(bytes, report.busy);
    put(bytes, report.span);
    put(bytes, report.peak);
  }
  return bytes;
}

void read_reports(const std::string& bytes, std::vector<std::pair<std::size_t, StepReport>>& into) {
  for (PlainReader reader(bytes); !reader.at_end();) {
    auto& [worker, report] = into.emplace_back();
    reader.get(worker);
    reader.get(report.compute);
    reader.get(report.all_reduces);
    reader.get(report.transfers);
    reader.get(report.losses);
    reader.get(report.busy);
    reader.get(report.span);
    reader.get(report.peak);
  }
}

std::string bytes_of(const std::vector<LayerParameters>& parameters) {
  std::string bytes;
  for (const LayerParameters& layer : parameters) {
    put(bytes, layer.layer);
    put(bytes, layer.whole);
    put(bytes, layer.blocks);
    put(bytes, layer.values);
  }
  return bytes;
}

void read_parameters(const std::string& bytes, std::vector<LayerParameters>& into) {
  for (PlainReader reader(bytes); !reader.at_end();) {
    LayerParameters& layer = into.emplace_back();
    reader.get(layer.layer);
    reader.get(layer.whole);
    reader.get(layer.blocks);
    reader.get(layer.values);
  }
}

}  // namespace pipedeck
