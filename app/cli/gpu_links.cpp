// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_links.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/cli/profile_text.hpp"
#include "app/cli/table.hpp"
#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"

namespace pipedeck::cli {
namespace {

using Memories = std::vector<std::shared_ptr<DeviceMemory>>;

struct MeasuredPair {
  std::size_t from, to;
  LinkMeasurement measured;
};

std::string microseconds(double seconds) { return fmt::format("{:.2f}", seconds * 1e6); }

std::vector<MeasuredPair> measure_pairs(const Memories& memories) {
  std::vector<MeasuredPair> pairs;
  for (std::size_t from = 0; from < memories.size(); ++from)
    for (std::size_t to = from + 1; to < memories.size(); ++to)
      pairs.push_back({from, to, measure_copies(memories[from], memories[to])});
  return pairs;
}

/// Each pair's line; of the first one all sizes.
std::string pairs_text(const std::vector<MeasuredPair>& pairs) {
  const MeasuredPair& first = pairs.front();
  std::string text = fmt::format("\nGPU {} to GPU {}\n{}", first.from, first.to, measured_link_text(first.measured));
  if (pairs.size() == 1) return text;
  Table table({{"from GPU"}, {"to GPU"}, {"GB/s"}, {"latency us"}});
  for (const MeasuredPair& pair : pairs)
    table.add({std::to_string(pair.from), std::to_string(pair.to),
               fmt::format("{:.2f}", pair.measured.link.bandwidth.count / 1e9),
               microseconds(pair.measured.link.latency.count)});
  return text + "\nAll pairs\n\n" + table.text();
}

/// The least bandwidth and the largest latency among the first `count` GPUs, as a ring's slowest hop is reckoned.
Link slowest_among(const std::vector<MeasuredPair>& pairs, std::size_t count) {
  Link slowest = pairs.front().measured.link;
  for (const MeasuredPair& pair : pairs) {
    if (pair.to >= count) continue;
    slowest.bandwidth = std::min(slowest.bandwidth, pair.measured.link.bandwidth);
    slowest.latency = std::max(slowest.latency, pair.measured.link.latency);
  }
  return slowest;
}

Network network_of(const std::string& gpu, std::size_t count, const Link& link) {
  Cluster cluster;
  cluster.name = "measured";
  cluster.device_types.push_back({gpu, Bytes(1), 1.0, {}, {}, {}, {}});
  cluster.nodes.push_back({"here", {{gpu, static_cast<int>(count)}}, link, false, {}});
  return Network::of(cluster).value();
}

std::vector<std::size_t> groups_of(std::size_t gpus) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 2; count < gpus; count *= 2) counts.push_back(count);
  counts.push_back(gpus);
  return counts;
}

std::string group_text(const AllReduceMeasurement& measured, const Network& network, std::size_t count) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < count; ++i) devices.emplace_back(static_cast<int>(i));
  const AllReduce rings(network, devices, Collectives::least), as_nccl(network, devices, Collectives::nccl);
  const auto us = [](Seconds time) { return microseconds(time.count); };
  Table table({{"bytes"},
               {"predicted by rings us"},
               {"predicted as nccl us"},
               {"NCCL's own estimate us"},
               {"measured us"},
               {"quartiles"}});
  for (const AllReduceTimes& times : measured.sizes)
    table.add({std::to_string(times.bytes.count), us(rings.time(times.bytes)), us(as_nccl.time(times.bytes)),
               times.estimated ? us(*times.estimated) : "-", microseconds(times.measured.median),
               fmt::format("{} to {}", microseconds(times.measured.lower), microseconds(times.measured.upper))});
  return fmt::format("\nAll-reduces among GPUs 0 to {}\n\n{}", count - 1, table.text());
}

}  // namespace

std::vector<Bytes> all_reduce_sizes(Bytes gradients) {
  constexpr std::int64_t smallest = 1 << 10, growth = 32, ordinary = 1 << 25;
  std::set<Bytes> sizes;
  for (std::int64_t bytes = smallest; bytes <= ordinary; bytes *= growth) sizes.insert(Bytes(bytes));
  constexpr auto number = static_cast<std::int64_t>(sizeof(float));
  if (gradients.count >= number) sizes.insert(Bytes(gradients.count / number * number));
  return {sizes.begin(), sizes.end()};
}

std::string gpu_links_text(const cuda::Module& module, const GpusToMeasure& gpus, const std::vector<Bytes>& sizes) {
  Memories memories;
  for (std::size_t gpu = 0; gpu < gpus.names.size(); ++gpu)
    memories.push_back(std::make_shared<DeviceMemory>(gpus.backend.device(gpu)));
  const std::vector<MeasuredPair> pairs = measure_pairs(memories);
  std::string text = pairs_text(pairs);
  if (std::ranges::any_of(gpus.names, [](const std::string& name) { return name.find(" MIG ") != name.npos; }))
    return text + "\nNo all-reduces: NCCL joins no MIG slices\n";
  std::string not_estimated;
  for (const std::size_t count : groups_of(memories.size())) {
    const Memories members(memories.begin(), memories.begin() + static_cast<std::ptrdiff_t>(count));
    const AllReduceMeasurement measured = module.all_reduces(members, sizes);
    text += group_text(measured, network_of(gpus.names.front(), count, slowest_among(pairs, count)), count);
    not_estimated = measured.not_estimated;
  }
  return not_estimated.empty() ? text : text + fmt::format("\nNo estimates of NCCL's own: {}\n", not_estimated);
}

}  // namespace pipedeck::cli
