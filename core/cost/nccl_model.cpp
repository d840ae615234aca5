// SPDX-License-Identifier: Apache-2.0
// References such as [tuning.cc baseLat] are to NVIDIA/nccl, src/graph/tuning.cc as of 2026 (5067397c), [search.cc] and
// [topo.h] to the files next to it. Protocols are always in the order LL, LL128, Simple.
#include "core/cost/nccl_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pipedeck::cost {
namespace {

using ByProtocol = std::array<double, 3>;
using ByNodes = std::array<double, 3>;  // one node, two, more

constexpr double gigabyte = 1e9, microsecond = 1e-6;

// [tuning.cc baseLatencies], us
constexpr ByProtocol tree_base{6.8, 14.0, 8.4};
constexpr ByProtocol ring_base{6.6, 14.0, 8.4};
constexpr double pat_base = 8.0;

// [tuning.cc hwLatencies], us
struct HopLatencies {
  ByProtocol tree, ring;
};
constexpr HopLatencies nvlink_hops{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}};
constexpr HopLatencies pci_hops{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}};
constexpr HopLatencies net_hops{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}};
constexpr double nvls_latency = 25.0;
constexpr double net_pat_latency = 14.0;

// [tuning.cc getNetOverhead], us: Intel, AMD; three times this in Simple
constexpr double net_overhead_intel = 1.0, net_overhead_amd = 2.0;

// Tables by generation: Volta, Ampere, Hopper, Blackwell; GB/s [tuning.cc llMaxBws]. With several nodes, the row
// depends on the CPU instead of the generation: 1 for AMD, otherwise 0.
constexpr std::array<ByNodes, 4> ll_most{{{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282, 90, 70}}};
// [tuning.cc perChMaxRingLL128Bws], identical for any number of nodes
constexpr std::array<double, 4> ring_ll128_channel{20.0, 20.0, 36.7, 40.0};
// [tuning.cc perChMaxTreeLL128Bws]
constexpr std::array<ByNodes, 4> tree_ll128_channel{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};
// [tuning.cc perChMaxTreeBws]
constexpr std::array<ByNodes, 4> tree_channel{
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
// [tuning.cc nvlsEfficiency]
constexpr std::array<double, 4> nvls_efficiency{0, 0, 0.85, 0.74};
// [topo.h SM70_NVLINK_BW ...] times the links of V100, A100, H100, B200
constexpr std::array<double, 4> nvlink_most{6 * 20.0, 12 * 20.0, 18 * 20.6, 18 * 40.1};
// Assumed: the speed per channel with which [search.cc] fills these NVLinks. It determines the number of channels.
constexpr std::array<double, 4> channel_speed{20, 20, 40, 90};
constexpr double min_channels = 2;
// [search.cc sm90SpeedArrayIntra, sm100SpeedArrayIntra]: possible speeds of an NVLS channel, one per device
constexpr std::array<double, 11> hopper_speeds{60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr std::array<double, 11> blackwell_speeds{90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
// Assumed: links inside a node with at least this bandwidth are NVLinks; 16 lanes of PCIe 5 have 63.
constexpr double min_nvlink = 64;

// [tuning.cc treeCorrectionFactor], by log2(bytes / 64)
constexpr std::size_t corrections = 23;
constexpr std::array<std::array<double, corrections>, 3> tree_correction{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

constexpr std::array all_algorithms{NcclAlgorithm::ring, NcclAlgorithm::tree, NcclAlgorithm::nvls, NcclAlgorithm::pat};
constexpr std::array all_protocols{NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple};

int floor_log2(std::int64_t number) { return std::bit_width(static_cast<std::uint64_t>(number)) - 1; }

/// A line of NCCL's table, in us and GB/s as in its source.
class Tuning {
 public:
  Tuning(const NcclGroup& group, NcclCollective collective, NcclProtocol protocol, Bytes bytes)
      : group_(group),
        collective_(collective),
        protocol_(protocol),
        bytes_(bytes),
        p_(static_cast<std::size_t>(protocol)),
        generation_(static_cast<std::size_t>(group.generation)),
        scale_(static_cast<std::size_t>(std::min(group.nodes, 3) - 1)) {
    bus_ = group.bandwidth.count / gigabyte;
    if (group.nvlink) bus_ = std::min(bus_, nvlink_most[generation_]);
    channels_ = std::max(min_channels, std::floor(bus_ / channel_speed[generation_]));
  }

  std::optional<NcclCost> cost(NcclAlgorithm algorithm) const {
    if (protocol_ == NcclProtocol::ll128 && !group_.is_uniform) return {};
    switch (algorithm) {
      case NcclAlgorithm::ring:
        return made(algorithm, ring_latency(), ring_bandwidth());
      case NcclAlgorithm::tree:
        if (collective_ != NcclCollective::all_reduce) return {};
        return made(algorithm, tree_latency(), tree_bandwidth());
      case NcclAlgorithm::nvls:
        if (!has_nvls()) return {};
        return made(algorithm, std::max(nvls_latency, inside()), nvls_bandwidth());
      case NcclAlgorithm::pat:
        if (!has_pat()) return {};
        return made(algorithm, pat_latency(), .75 * bus_);
    }
    return {};
  }

 private:
  NcclCost made(NcclAlgorithm algorithm, double latency, double bandwidth) const {
    return {algorithm, protocol_, Seconds(latency * microsecond), BytesPerSecond(bandwidth * gigabyte)};
  }

  bool simple() const { return protocol_ == NcclProtocol::simple; }
  double ranks() const { return group_.ranks; }

  /// Returns the number of parts that a ring sends; the bytes are divided into one part per rank.
  double steps() const {
    if (collective_ == NcclCollective::broadcast) return ranks();
    return collective_ == NcclCollective::all_reduce ? 2 * (ranks() - 1) : ranks() - 1;
  }
  double steps_between() const {
    if (group_.nodes == 1) return 0;
    return collective_ == NcclCollective::all_reduce ? 2 * (group_.nodes - 1) : group_.nodes - 1;
  }

  // --- hops

  double inside() const { return in_microseconds(group_.inside); }
  double between() const { return in_microseconds(group_.between); }
  const HopLatencies& inner() const { return group_.nvlink ? nvlink_hops : pci_hops; }
  double inner_hop(bool tree) const { return std::max(tree ? inner().tree[p_] : inner().ring[p_], inside()); }
  /// With one rank per node, latencies are fully exposed: the tree's.
  double outer_hop(bool tree) const {
    return std::max(tree || group_.ranks == group_.nodes ? net_hops.tree[p_] : net_hops.ring[p_], between());
  }

  // --- ring

  double ring_latency() const {
    if (collective_ == NcclCollective::broadcast) {  // the same channels in both directions: bandwidth of one hop
      const double hop = group_.nodes == 1 ? inner_hop(false) : std::max(net_hops.ring[p_], between());
      return ring_base[p_] + hop;
    }
    double launched = 0;  // rings between nodes still launch every step
    if (group_.nodes > 1) launched = (group_.amd_cpu ? net_overhead_amd : net_overhead_intel) * (simple() ? 3 : 1);
    const double sum = ring_base[p_] + (steps() - steps_between()) * std::max(inner_hop(false), launched) +
                       steps_between() * outer_hop(false);
    return on_plateau() ? sum * (group_.generation == GpuGeneration::volta ? 1.9 : 1.4) : sum;
  }

  /// "Plateau effect of ring".
  bool on_plateau() const {
    return simple() && group_.nodes > 1 && collective_ == NcclCollective::all_reduce &&
           static_cast<double>(bytes_.count) / (channels_ * ranks()) >= 64;
  }

  double ring_bandwidth() const {
    double bus = bus_;
    if (protocol_ == NcclProtocol::ll) bus = std::min(ll_limit(), .5 * bus);
    if (protocol_ == NcclProtocol::ll128) bus = std::min(.92 * bus, channels_ * ring_ll128_channel[generation_]);
    return bus * ranks() / steps();
  }

  double ll_limit() const { return ll_most[group_.nodes == 1 ? generation_ : group_.amd_cpu ? 1 : 0][scale_]; }

  // --- tree

  double tree_latency() const {
    const double in_node = group_.ranks / group_.nodes - 1;  // integer division, as in NCCL
    return tree_base[p_] + 2 * (in_node * inner_hop(true) + floor_log2(group_.nodes) * outer_hop(true));
  }

  double tree_bandwidth() const {
    double bus = std::min(.92 * bus_, channels_ * tree_channel[generation_][scale_]);
    if (protocol_ == NcclProtocol::ll) bus = std::min(bus / 3.8, ll_limit());
    if (protocol_ == NcclProtocol::ll128)
      bus = std::min(bus * (group_.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                     channels_ * tree_ll128_channel[generation_][scale_]);
    // Assumed: from Hopper on, the graph found has the plain tree's pattern.
    if (group_.generation >= GpuGeneration::hopper) bus *= .85;
    return .5 * bus * correction();
  }

  double correction() const {
    if (bytes_.count < 64) return 1;
    const auto size = static_cast<std::size_t>(floor_log2(bytes_.count / 64));
    return size < corrections ? tree_correction[p_][size] : 1;
  }

  // --- NVLink SHARP; between nodes it needs CollNet, which is off by default

  bool has_nvls() const {
    return simple() && group_.nodes == 1 && group_.ranks > 2 && group_.nvlink && nvls_efficiency[generation_] > 0 &&
           collective_ != NcclCollective::broadcast;
  }

  /// [nvls.cc] efficiency x (channels - 1) / channels x 2 for an all-reduce, with one channel per device.
  double nvls_bandwidth() const {
    const double bus = nvls_channel() * ranks() * nvls_efficiency[generation_] * (ranks() - 1) / ranks();
    return (collective_ == NcclCollective::all_reduce ? 2 * bus : bus * (ranks() - 1) / ranks()) * ranks() / steps();
  }

  double nvls_channel() const {
    const auto& speeds = group_.generation == GpuGeneration::hopper ? hopper_speeds : blackwell_speeds;
    const double share = bus_ / ranks();
    const auto fits = std::find_if(speeds.begin(), speeds.end(), [&](double speed) { return speed <= share; });
    return fits == speeds.end() ? share : *fits;
  }

  // --- parallel aggregated trees: one rank per node

  bool has_pat() const {
    return simple() && group_.nodes == group_.ranks &&
           (collective_ == NcclCollective::all_gather || collective_ == NcclCollective::reduce_scatter);
  }

  double pat_latency() const {
    return pat_base + floor_log2(group_.nodes) * (std::max(net_pat_latency, between()) / 3.5) + ranks() * 2.8;
  }

  const NcclGroup& group_;
  NcclCollective collective_;
  NcclProtocol protocol_;
  Bytes bytes_;
  std::size_t p_, generation_, scale_;
  double bus_ = 0, channels_ = 0;
};

}  // namespace

GpuGeneration generation_of(std::string_view device_type) {
  using Name = std::pair<std::string_view, GpuGeneration>;
  constexpr std::array names{Name{"V100", GpuGeneration::volta},     Name{"T4", GpuGeneration::volta},
                             Name{"A100", GpuGeneration::ampere},    Name{"H100", GpuGeneration::hopper},
                             Name{"H200", GpuGeneration::hopper},    Name{"H800", GpuGeneration::hopper},
                             Name{"H20", GpuGeneration::hopper},     Name{"B100", GpuGeneration::blackwell},
                             Name{"B200", GpuGeneration::blackwell}, Name{"B300", GpuGeneration::blackwell}};
  for (const auto& [name, generation] : names)
    if (device_type.find(name) != device_type.npos) return generation;
  return GpuGeneration::ampere;
}

NcclGroup nccl_group(const Network& network, std::span<const DeviceId> devices, const GroupRings& rings) {
  NcclGroup group;
  group.ranks = static_cast<int>(devices.size());
  group.nodes = static_cast<int>(std::max<std::size_t>(rings.nodes, 1));
  group.generation = GpuGeneration::blackwell;
  GpuGeneration newest = GpuGeneration::volta;
  for (const DeviceId device : devices) {
    const GpuGeneration own = generation_of(network.type(device).name);
    group.generation = std::min(group.generation, own);
    newest = std::max(newest, own);
  }
  group.is_uniform = group.generation == newest;
  group.nvlink = rings.most < 2 || rings.inside.beta >= min_nvlink * gigabyte;
  group.bandwidth = BytesPerSecond(rings.flat.beta);
  group.inside = Seconds(rings.inside.alpha);
  group.between = Seconds(rings.between.alpha);
  return group;
}

std::optional<NcclCost> nccl_cost(const NcclGroup& group, NcclCollective collective, NcclAlgorithm algorithm,
                                  NcclProtocol protocol, Bytes bytes) {
  return Tuning(group, collective, protocol, bytes).cost(algorithm);
}

NcclCost nccl_choice(const NcclGroup& group, NcclCollective collective, Bytes bytes) {
  NcclCost best = *Tuning(group, collective, NcclProtocol::simple, bytes).cost(NcclAlgorithm::ring);
  for (const NcclProtocol protocol : all_protocols) {
    const Tuning tuning(group, collective, protocol, bytes);
    for (const NcclAlgorithm algorithm : all_algorithms)
      if (const auto cost = tuning.cost(algorithm); cost && cost->time(bytes) < best.time(bytes)) best = *cost;
  }
  return best;
}

}  // namespace pipedeck::cost
