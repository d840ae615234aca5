// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/copy_tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/decimal.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr double max_seconds = 1;  // of a latency

}  // namespace

std::optional<P2pMatrixTitle> copy_title_in(std::string_view line) {
  const auto has = [&](std::string_view part) { return line.find(part) != line.npos; };
  const bool rows = has("GPU(row)") && has("GPU(column)");
  if ((has("Unidirectional P2P=") && has("Bandwidth")) || (rows && !has("<->") && has("bandwidth") && has("(GB/s)")))
    return P2pMatrixTitle{P2pMatrixTitle::MatrixMetric::bandwidth, 9};
  if (has("P2P=") && has("Latency") && has("(us)")) return P2pMatrixTitle{P2pMatrixTitle::MatrixMetric::latency, -6};
  if (rows && has("latency") && has("(ns)")) return P2pMatrixTitle{P2pMatrixTitle::MatrixMetric::latency, -9};
  return std::nullopt;
}

std::optional<std::string> P2pMatrices::set_size(std::size_t gpus) {
  if (gpus == 0 || gpus > max_gpus) return fmt::format("found {} columns, expected from 1 to {}", gpus, max_gpus);
  if (!bandwidths_.empty() && gpus != bandwidths_.size())
    return fmt::format("found {} columns, expected the {} of the table before", gpus, bandwidths_.size());
  if (bandwidths_.empty())
    for (auto* table : {&bandwidths_, &latencies_}) table->assign(gpus, std::vector<double>(gpus));
  return std::nullopt;
}

std::optional<std::string> P2pMatrices::put(const P2pMatrixTitle& title, std::size_t row, std::size_t column,
                                            std::string_view word) {
  if (row == column || word == "N/A") return std::nullopt;
  const bool latency = title.shown == P2pMatrixTitle::MatrixMetric::latency;
  const auto value = text::decimal_to_double(word, title.shift);
  const double most = latency ? max_seconds : static_cast<double>(limits::bytes_per_second);
  if (!value || !(*value > 0) || *value > most)
    return fmt::format("found {} between GPU {} and GPU {}, expected a figure above 0",
                       json::describe(json::Value(word)), row, column);
  double& kept = (latency ? latencies_ : bandwidths_)[row][column];
  kept = kept == 0 ? *value : latency ? std::min(kept, *value) : std::max(kept, *value);
  return std::nullopt;
}

bool P2pMatrices::of_several_hosts() const {
  return std::ranges::any_of(hosts_, [&](const auto& host) { return host.second != hosts_.begin()->second; });
}

Result<FoundMachines> P2pMatrices::table(const std::string& name, const std::string& source) const {
  constexpr double giga = 1e9;
  FoundMatrix matrix;
  matrix.name = name;
  matrix.unit = "GB/s";
  matrix.values = bandwidths_;
  matrix.gpu = names_.empty() ? "" : names_.begin()->second;
  for (const auto& [gpu, other] : names_)
    if (other != matrix.gpu)
      return fail(ErrorCode::bad_input, fmt::format("found GPU {} '{}' and GPU {} '{}' of several hosts, expected one "
                                                    "type of GPU",
                                                    names_.begin()->first, matrix.gpu, gpu, other));
  std::map<std::string, int> of_host;
  for (std::size_t i = 0; i < bandwidths_.size(); ++i) {
    const auto host = hosts_.find(i);
    if (host == hosts_.end())
      return fail(ErrorCode::bad_input, fmt::format("found GPU {} without its host, expected one as for others", i));
    matrix.devices.push_back(fmt::format("{}/gpu{}", host->second, of_host[host->second]++));
    for (std::size_t j = 0; j < bandwidths_.size(); ++j) {
      if (i != j && bandwidths_[i][j] == 0)
        return fail(ErrorCode::bad_input, fmt::format("found no bandwidth from GPU {} to GPU {} among those of several "
                                                      "hosts, expected one of every pair",
                                                      i, j));
      matrix.values[i][j] /= giga;
    }
  }
  FoundMachines found;
  found.notes.push_back(fmt::format("{} of {} hosts", source, of_host.size()));
  found.matrix = std::move(matrix);
  return found;
}

Result<FoundMachines> P2pMatrices::machines(const std::string& name, std::string source, ImportShare share) const {
  const std::size_t size = bandwidths_.size();
  if (size == 0)
    return fail(ErrorCode::bad_input,
                "found no bandwidths of copies in one direction, expected what p2pBandwidthLatencyTest or nvbandwidth "
                "prints between GPUs");
  if (of_several_hosts()) {
    auto found = table(name, source);
    if (found) found->shares.push_back(std::move(share));
    return found;
  }
  DetectedMachine machine;
  machine.name = hosts_.size() == size ? hosts_.begin()->second : name;
  machine.source = std::move(source);
  machine.joints.assign(size, std::vector<Interconnect>(size));
  std::size_t apart = 0;
  for (std::size_t i = 0; i < size; ++i) {
    FoundGpu& gpu = machine.gpus.emplace_back();
    gpu.label = fmt::format("GPU{}", i);
    if (const auto named = names_.find(i); named != names_.end()) gpu.name = named->second;
    for (std::size_t j = i + 1; j < size; ++j) {
      Interconnect joint{InterconnectKind::unknown, 0, {}};
      const double slower = std::min(bandwidths_[i][j], bandwidths_[j][i]);
      if (slower > 0)
        joint.measured = Link{BytesPerSecond(slower), Seconds(std::max(latencies_[i][j], latencies_[j][i]))};
      else
        ++apart;
      machine.joints[i][j] = machine.joints[j][i] = joint;
    }
  }
  if (apart > 0)
    machine.notes.push_back(
        fmt::format("{}: {} of {} pairs were not measured", machine.source, apart, size * (size - 1) / 2));
  FoundMachines found;
  found.machines.push_back(std::move(machine));
  found.shares.push_back(std::move(share));
  return found;
}

}  // namespace pipedeck::io::topology
