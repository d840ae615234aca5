// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/gpu_links.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/cli/text/profile_text.hpp"
#include "app/cli/text/table.hpp"
#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"
#include "core/runtime/machine/local_machine.hpp"

namespace pipedeck::cli::work {
namespace {

std::string microseconds(double seconds) { return fmt::format("{:.2f}", seconds * 1e6); }

cost::Network network_of(const std::string& gpu, std::size_t count, const Link& link) {
  Cluster cluster;
  cluster.name = "measured";
  cluster.device_types.push_back({gpu, Bytes(1), 1.0, {}, {}, {}, {}});
  cluster.nodes.push_back({"here", {{gpu, static_cast<int>(count)}}, link, false, {}});
  return cost::Network::of(cluster).value();
}

std::vector<std::size_t> groups_of(std::size_t gpus) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 2; count < gpus; count *= 2) counts.push_back(count);
  counts.push_back(gpus);
  return counts;
}

std::string group_text(const runtime::transport::AllReduceMeasurement& measured, const cost::Network& network,
                       std::size_t count) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < count; ++i) devices.emplace_back(static_cast<int>(i));
  const cost::AllReduce rings(network, devices, Collectives::best_ring), as_nccl(network, devices, Collectives::nccl);
  const auto us = [](Seconds time) { return microseconds(time.count); };
  text::Table table({{"bytes"},
                     {"predicted by rings us"},
                     {"predicted as nccl us"},
                     {"NCCL's own estimate us"},
                     {"measured us"},
                     {"quartiles"}});
  for (const runtime::transport::AllReduceTimes& times : measured.sizes)
    table.add({std::to_string(times.bytes.count), us(rings.time(times.bytes)), us(as_nccl.time(times.bytes)),
               times.estimated ? us(*times.estimated) : "-", microseconds(times.measured.median),
               fmt::format("{} to {}", microseconds(times.measured.lower), microseconds(times.measured.upper))});
  return fmt::format("\nAll-reduces among GPUs 0 to {}\n\n{}", count - 1, table.text());
}

/// Returns the first GPU of this name that NVML lists and that is not taken yet.
FoundGpu take_gpu(std::vector<FoundGpu>& known, const std::string& name) {
  const auto found = std::ranges::find(known, name, &FoundGpu::name);
  FoundGpu gpu;
  gpu.name = name;
  if (found == known.end()) return gpu;
  gpu = std::move(*found);
  known.erase(found);
  return gpu;
}

}  // namespace

DetectedMachine machine_of(const std::vector<std::string>& names, const std::vector<std::vector<Link>>& links) {
  runtime::machine::LocalMachine here = runtime::machine::local_machine();
  DetectedMachine machine = here.gpus ? *std::move(here.gpus) : DetectedMachine{};
  if (machine.name.empty()) machine.name = "this machine";
  machine.source = links.empty() ? "CUDA" : "CUDA, links measured";
  std::vector<FoundGpu> known = std::exchange(machine.gpus, {});
  machine.joints.assign(names.size(), std::vector<Interconnect>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    machine.gpus.push_back(take_gpu(known, names[i]));
    machine.gpus.back().label = fmt::format("GPU{}", i);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (i == j) continue;
      machine.joints[i][j].kind = InterconnectKind::unknown;
      if (!links.empty()) machine.joints[i][j].measured = links[i][j];
    }
  }
  return machine;
}

GpuLinks::GpuLinks(const runtime::cuda::GpusToMeasure& gpus) : gpus_(gpus) {
  for (std::size_t gpu = 0; gpu < gpus.names.size(); ++gpu)
    memories_.push_back(std::make_shared<runtime::tensor::DeviceMemory>(gpus.backend.device(gpu)));
  for (std::size_t from = 0; from < memories_.size(); ++from)
    for (std::size_t to = from + 1; to < memories_.size(); ++to)
      pairs_.push_back({from, to, runtime::profile::measure_copies(memories_[from], memories_[to])});
}

std::vector<std::vector<Link>> GpuLinks::links() const {
  std::vector<std::vector<Link>> all(memories_.size(), std::vector<Link>(memories_.size()));
  for (const Pair& pair : pairs_) all[pair.from][pair.to] = all[pair.to][pair.from] = pair.measured.link;
  return all;
}

/// Each pair's line; of the first one all sizes.
std::string GpuLinks::text() const {
  const Pair& first = pairs_.front();
  std::string text =
      fmt::format("\nGPU {} to GPU {}\n{}", first.from, first.to, text::measured_link_text(first.measured));
  if (pairs_.size() == 1) return text;
  text::Table table({{"from GPU"}, {"to GPU"}, {"GB/s"}, {"latency us"}});
  for (const Pair& pair : pairs_)
    table.add({std::to_string(pair.from), std::to_string(pair.to),
               fmt::format("{:.2f}", pair.measured.link.bandwidth.count / 1e9),
               microseconds(pair.measured.link.latency.count)});
  return text + "\nAll pairs\n\n" + table.text();
}

/// The least bandwidth and the largest latency among the first `count` GPUs, those of a ring's slowest hop.
Link GpuLinks::slowest_among(std::size_t count) const {
  Link slowest = pairs_.front().measured.link;
  for (const Pair& pair : pairs_) {
    if (pair.to >= count) continue;
    slowest.bandwidth = std::min(slowest.bandwidth, pair.measured.link.bandwidth);
    slowest.latency = std::max(slowest.latency, pair.measured.link.latency);
  }
  return slowest;
}

std::string GpuLinks::all_reduces_text(const runtime::cuda::Module& module, const std::vector<Bytes>& sizes) const {
  if (std::ranges::any_of(gpus_.names, [](const std::string& name) { return name.find(" MIG ") != name.npos; }))
    return "\nNo all-reduces: NCCL does not support MIG slices\n";
  std::string text, not_estimated;
  for (const std::size_t count : groups_of(memories_.size())) {
    const std::vector members(memories_.begin(), memories_.begin() + static_cast<std::ptrdiff_t>(count));
    const runtime::transport::AllReduceMeasurement measured = module.all_reduces(members, sizes);
    text += group_text(measured, network_of(gpus_.names.front(), count, slowest_among(count)), count);
    not_estimated = measured.not_estimated;
  }
  return not_estimated.empty() ? text : text + fmt::format("\nNo estimates of NCCL's own: {}\n", not_estimated);
}

std::vector<Bytes> all_reduce_sizes(Bytes gradients) {
  constexpr std::int64_t smallest = 1 << 10, growth = 32, ordinary = 1 << 25;
  std::set<Bytes> sizes;
  for (std::int64_t bytes = smallest; bytes <= ordinary; bytes *= growth) sizes.insert(Bytes(bytes));
  constexpr auto number = static_cast<std::int64_t>(sizeof(float));
  if (gradients.count >= number) sizes.insert(Bytes(gradients.count / number * number));
  return {sizes.begin(), sizes.end()};
}

}  // namespace pipedeck::cli::work
