// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_import.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/base/checks.hpp"
#include "core/base/limits.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/machine_conflicts.hpp"
#include "core/presets/machine_tree.hpp"
#include "core/presets/machine_types.hpp"
#include "core/presets/matrix_import.hpp"
#include "core/presets/measured_links.hpp"

namespace pipedeck::presets {
namespace {

// Assumed if none is given: the papers' clusters have the same latencies.
const Seconds inside_latency(5e-6), network_latency(10e-6);
constexpr double alike_within = 1.001, measured_alike = 1.1;  // the widest pair over the narrowest
constexpr double card_gigabits = 100, no_card_gigabits = 25;
constexpr std::size_t max_lines = 20;         // of notes of a kind
constexpr std::size_t most_of_matrix = 1024;  // devices; a matrix of more takes longer to read than to measure

std::string number_text(double value) { return fmt::format("{:.4g}", value); }
std::string gigabytes(BytesPerSecond rate) { return number_text(in_gigabytes_per_second(rate)) + " GB/s"; }
std::string gigabits(BytesPerSecond rate) { return number_text(rate.count * 8 / 1e9) + " Gbit/s"; }

/// A machine with its types and bandwidths decided.
struct Decided {
  DetectedMachine found;
  std::vector<DeviceModel> models;                      ///< of each GPU
  std::vector<std::vector<BytesPerSecond>> bandwidths;  ///< GPU x GPU; 0 on the diagonal
  BytesPerSecond narrowest, widest;
  bool measured = false;           ///< every pair
  std::optional<Seconds> latency;  ///< of the slowest pair, where it was measured
};

void find_extremes(Decided& machine) {
  const std::size_t n = machine.models.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const BytesPerSecond here = machine.bandwidths[i][j];
      if (machine.narrowest.count == 0 || here < machine.narrowest) machine.narrowest = here;
      machine.widest = std::max(machine.widest, here);
    }
}

/// The longest of all pairs, each of which was measured; nothing where bandwidths alone were.
std::optional<Seconds> measured_latency(const DetectedMachine& machine) {
  Seconds longest;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    for (std::size_t j = i + 1; j < machine.gpus.size(); ++j)
      longest = std::max(longest, machine.joints[i][j].measured->latency);
  return longest.count > 0 ? std::optional(longest) : std::nullopt;
}

bool all_measured(const DetectedMachine& machine) {
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    for (std::size_t j = i + 1; j < machine.gpus.size(); ++j)
      if (!machine.joints[i][j].measured) return false;
  return true;
}

Result<Decided> decide(DetectedMachine found, const MachineImport& how, ImportMessages& notes) {
  Decided machine;
  for (std::size_t gpu = 0; gpu < found.gpus.size(); ++gpu) {
    auto model = model_of(found, gpu, how, notes);
    if (!model) return tl::unexpected(std::move(model.error()));
    machine.models.push_back(*std::move(model));
  }
  const std::size_t n = found.gpus.size();
  machine.bandwidths.assign(n, std::vector<BytesPerSecond>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      machine.bandwidths[i][j] = machine.bandwidths[j][i] =
          bandwidth_between(found.joints[i][j], machine.models[i], machine.models[j], found, notes);
  find_extremes(machine);
  machine.measured = all_measured(found);
  if (machine.measured) machine.latency = measured_latency(found);
  for (std::string& note : found.notes) notes.add(std::move(note));
  machine.found = std::move(found);
  return machine;
}

bool uniform(const Decided& machine) {
  return machine.widest.count <= machine.narrowest.count * (machine.measured ? measured_alike : alike_within);
}

class Builder {
 public:
  Builder(std::vector<Decided> machines, const std::vector<FoundSwitch>& tree, const MachineImport& how,
          ImportMessages& notes)
      : machines_(std::move(machines)), tree_(tree), how_(how), notes_(notes) {}

  Result<Cluster> build() {
    const std::size_t devices = count_devices();
    if (devices > static_cast<std::size_t>(limits::devices))
      return fail(ErrorCode::bad_usage, fmt::format("found {} devices, expected at most {}", devices, limits::devices));
    nodes_ = machines_.size() * static_cast<std::size_t>(how_.copies);
    for (int copy = 0; copy < how_.copies; ++copy)
      for (const Decided& machine : machines_) add_node(machine);
    cluster_.name = how_.name.empty() ? made_name(devices) : how_.name;
    if (as_matrix(devices))
      add_matrix();
    else
      add_links();
    if (auto valid = plan::validate(cluster_); !valid) return tl::unexpected(std::move(valid.error()));
    return std::move(cluster_);
  }

 private:
  std::size_t count_devices() const {
    std::size_t sum = 0;
    for (const Decided& machine : machines_) sum += machine.models.size();
    return sum * static_cast<std::size_t>(how_.copies);
  }

  std::string made_name(std::size_t devices) const {
    const std::string& type = cluster_.device_types.front().name;
    if (cluster_.device_types.size() > 1) return fmt::format("{} GPUs in {} machines", devices, nodes_);
    return nodes_ == 1             ? fmt::format("{} × {}", devices, type)
           : devices % nodes_ == 0 ? fmt::format("{} × {} {}", nodes_, devices / nodes_, type)
                                   : fmt::format("{} {} in {} machines", devices, type, nodes_);
  }

  std::string free_name(std::string wanted) {
    if (wanted.empty()) wanted = "machine";
    const int times = ++taken_[wanted];
    if (times == 1) return wanted;
    return free_name(fmt::format("{}-{}", wanted, times));
  }

  void add_type(const DeviceType& type) {
    if (!find_device_type(cluster_, type.name)) cluster_.device_types.push_back(type);
  }

  void add_node(const Decided& machine) {
    Node node;
    node.name = free_name(machine.found.name);
    for (const DeviceModel& model : machine.models) {
      add_type(model.type);
      if (node.devices.empty() || node.devices.back().type != model.type.name)
        node.devices.push_back({model.type.name, 1});
      else
        ++node.devices.back().count;
    }
    cluster_.nodes.push_back(std::move(node));
  }

  // -- inside of machines
  bool as_matrix(std::size_t devices) {
    const bool wanted = how_.shape == ClusterShape::matrix || (tree_.empty() && how_.shape == ClusterShape::automatic &&
                                                               !std::ranges::all_of(machines_, uniform));
    if (!wanted || devices < 2) return false;
    if (devices <= most_of_matrix) return true;
    notes_.add(fmt::format("A matrix of {} devices would be too large: links are used", devices));
    return false;
  }

  /// Notes the latencies of several machines that were not measured.
  void assume_latencies() {
    const bool inside =
        std::ranges::all_of(machines_, [](const Decided& machine) { return machine.latency.has_value(); });
    const bool between = tree_.empty() && !how_.network && std::ranges::all_of(machines_, [](const Decided& one) {
                           return one.found.fabric.has_value();
                         });
    if (inside && between) return;
    notes_.assume(
        inside    ? fmt::format("A latency of {:.0f} µs to the network is assumed", in_microseconds(network_latency))
        : between ? fmt::format("A latency of {:.0f} µs is assumed inside of machines", in_microseconds(inside_latency))
                  : fmt::format("Latencies are assumed: {:.0f} µs inside of machines, {:.0f} µs to the network",
                                in_microseconds(inside_latency), in_microseconds(network_latency)));
  }

  void add_links() {
    for (std::size_t n = 0; n < nodes_; ++n) {
      const Decided& machine = machine_of(n);
      if (machine.models.size() < 2) continue;
      cluster_.nodes[n].link =
          Link{machine.narrowest, machine.latency.value_or(inside_latency), by_collectives(machine)};
      if (!uniform(machine))
        notes_.add(fmt::format("{}: pairs reach from {} to {}; its one link has the narrowest", who(machine),
                               gigabytes(machine.narrowest), gigabytes(machine.widest)));
    }
    if (nodes_ < 2) {
      if (cluster_.nodes[0].link && !machine_of(0).latency)
        notes_.assume(
            fmt::format("A latency of {:.0f} µs is assumed inside of the machine", in_microseconds(inside_latency)));
      return;
    }
    assume_latencies();
    std::vector<BytesPerSecond> networks;
    for (std::size_t n = 0; n < nodes_; ++n) {
      networks.push_back(network_of(machine_of(n)));
      const std::size_t gpus = machine_of(n).models.size();
      const bool cards = machine_of(n).found.nics.size() >= gpus || machine_of(n).found.fabric;
      if (!how_.network && cards) cluster_.nodes[n].nic = networks[n] / static_cast<double>(gpus);
    }
    if (!tree_.empty()) return add_switch_tree(cluster_, tree_, networks, network_latency, how_.uplink, notes_);
    cluster_.switches.push_back({free_name("network")});
    for (std::size_t n = 0; n < nodes_; ++n)
      cluster_.links.push_back(
          {cluster_.nodes[n].name, cluster_.switches[0].name, uplink_of(machine_of(n), networks[n])});
  }

  void add_matrix() {
    std::vector<std::vector<BytesPerSecond>> matrix;
    for (std::size_t a = 0; a < nodes_; ++a)
      for (std::size_t i = 0; i < machine_of(a).models.size(); ++i) {
        std::vector<BytesPerSecond>& row = matrix.emplace_back();
        for (std::size_t b = 0; b < nodes_; ++b) {
          const Decided& other = machine_of(b);
          if (a == b)
            row.insert(row.end(), other.bandwidths[i].begin(), other.bandwidths[i].end());
          else
            row.insert(row.end(), other.models.size(), std::min(network_of(machine_of(a)), network_of(other)));
        }
      }
    cluster_.bandwidth_matrix = std::move(matrix);
    notes_.add("Pairs of GPUs differ: the cluster keeps a bandwidth for every pair, without latencies");
  }

  static bool by_collectives(const Decided& machine) {
    return machine.measured && machine.models.size() > 1 && machine.found.joints[0][1].measured->measured;
  }

  /// Returns the link to the network. A path passes two of them: each has half of a measured latency.
  Link uplink_of(const Decided& machine, BytesPerSecond rate) const {
    if (how_.network || !machine.found.fabric) return {rate, network_latency};
    return {rate, machine.found.fabric->latency / 2, true};
  }

  // -- between machines
  const Decided& machine_of(std::size_t node) const { return machines_[node % machines_.size()]; }

  /// Returns the machine's name in notes: its source if there are many machines.
  const std::string& who(const Decided& machine) const {
    constexpr std::size_t few = 4;
    return machines_.size() > few ? machine.found.source : machine.found.name;
  }

  BytesPerSecond network_of(const Decided& machine) {
    if (how_.network) return *how_.network;
    if (machine.found.fabric) return machine.found.fabric->bandwidth;
    const std::vector<FoundNic>& nics = machine.found.nics;
    BytesPerSecond told;
    for (const FoundNic& nic : nics) told += nic.bandwidth.value_or(BytesPerSecond());
    if (told.count > 0) {
      notes_.add(fmt::format("{}: {} network {} with {} together", who(machine), nics.size(),
                             nics.size() == 1 ? "card" : "cards", gigabits(told)));
      return told;
    }
    const double each = nics.empty() ? no_card_gigabits : card_gigabits * static_cast<double>(nics.size());
    const BytesPerSecond assumed(each * 1e9 / 8);
    notes_.assume(nics.empty()
                      ? fmt::format("{}: the network is unknown: {} are assumed", who(machine), gigabits(assumed))
                      : fmt::format("{}: the speed of {} network cards is unknown: {} each are assumed", who(machine),
                                    nics.size(), gigabits(BytesPerSecond(card_gigabits * 1e9 / 8))));
    return assumed;
  }

  std::vector<Decided> machines_;
  const std::vector<FoundSwitch>& tree_;
  const MachineImport& how_;
  ImportMessages& notes_;
  Cluster cluster_;
  std::size_t nodes_ = 0;
  std::map<std::string, int> taken_;
};

std::string types_of(const Decided& machine) {
  std::map<std::string, int> counts;
  for (const DeviceModel& model : machine.models) ++counts[model.type.name];
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} × {}", text.empty() ? "" : " and ", count, name);
  return text;
}

/// A line for each machine, or for each row of machines alike.
std::vector<std::string> lines_of(const std::vector<Decided>& machines) {
  std::vector<std::string> lines;
  for (std::size_t first = 0, end = 0; first < machines.size(); first = end) {
    const std::string types = types_of(machines[first]), &source = machines[first].found.source;
    while (end < machines.size() && machines[end].found.source == source && types_of(machines[end]) == types) ++end;
    const std::string& name = machines[first].found.name;
    lines.push_back(end - first > 2
                        ? fmt::format("{} and {} more: {} each, from {}", name, end - first - 1, types, source)
                        : fmt::format("{}: {}, from {}", name, types, source));
    if (end - first == 2) end = first + 1;
  }
  return lines;
}

/// As many as people read, and how many more there are.
void shorten(std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  const std::size_t left = lines.size() - most;
  lines.resize(most);
  lines.push_back(fmt::format("... and {} more", left));
}

}  // namespace

namespace {

Result<void> check_machines(const FoundMachines& found, const MachineImport& how) {
  if (how.copies < 1 || how.copies > limits::devices)
    return fail(ErrorCode::bad_usage,
                fmt::format("found {} copies, expected from 1 to {}", how.copies, limits::devices));
  for (const auto& rate : {how.network, how.uplink})
    if (rate && !checks::is_bandwidth(*rate))
      return fail(ErrorCode::bad_usage, "found a network that moves less than 1 kB/s, expected more");
  const bool tree = !found.switches.empty();
  if (tree && found.machines.empty())
    return fail(ErrorCode::bad_input,
                "found switches without machines, expected the output of scontrol show nodes as well");
  if (tree && (how.copies > 1 || how.shape == ClusterShape::matrix))
    return fail(ErrorCode::bad_usage, "found copies or a matrix of machines in a tree of switches, expected neither");
  const auto cards_alone = [](const DetectedMachine& machine) { return machine.gpus.empty(); };
  if (!found.machines.empty() && std::ranges::all_of(found.machines, cards_alone))
    return fail(ErrorCode::bad_input,
                "found network cards alone, expected another description of the machine as well, with its GPUs");
  if (how.uplink && !tree)
    return fail(ErrorCode::bad_usage,
                "found a bandwidth of uplinks without a tree of switches, expected topology.conf");
  if (!how.unit.empty() && !found.matrix)
    return fail(ErrorCode::bad_usage, "found a unit without a table of bandwidths, expected one");
  return {};
}

void end_with_shares(ImportedCluster& made, std::vector<ImportShare> shares) {
  made.shares = std::move(shares);
  if (!made.shares.empty())
    made.shares.back().assumed.insert(made.shares.back().assumed.end(), made.cluster.assumptions.begin(),
                                      made.cluster.assumptions.end());
  for (const ImportShare& share : made.shares) made.notes.push_back(line_of(share));
}

/// Machines below some switch, and in the requested partition.
Result<std::vector<DetectedMachine>> wanted(const FoundMachines& found, std::vector<DetectedMachine> machines,
                                            const MachineImport& how, ImportMessages& notes) {
  if (!how.partition.empty()) {
    auto kept = machines_of_partition(std::move(machines), how.partition);
    if (!kept) return kept;
    machines = *std::move(kept);
  } else if (std::string listed = partitions_text(machines); !listed.empty()) {
    notes.add(std::move(listed));
  }
  if (found.switches.empty()) return machines;
  return machines_of_tree(std::move(machines), found.switches, notes);
}

}  // namespace

Result<ImportedCluster> cluster_of(FoundMachines found, const MachineImport& how) {
  ImportMessages notes;
  TRY_VOID(check_machines(found, how));
  ImportedCluster made;
  if (found.matrix) {
    TRY(made, cluster_of_matrix(*found.matrix, how));
    made.notes.insert(made.notes.begin(), found.notes.begin(), found.notes.end());
    end_with_shares(made, std::move(found.shares));
    return made;
  }
  std::vector<std::string> conflicts;
  if (!found.collectives.empty()) {
    FoundMachines plain = found;
    plain.collectives.clear();
    if (auto cluster = cluster_of(std::move(plain), how)) made.by_data_sheet = std::move(cluster->cluster);
    measure_links(found, found.notes);
    made.collectives = found.collectives;
  }
  for (std::string& note : found.notes) notes.add(std::move(note));
  auto machines = wanted(found, merge_descriptions(std::move(found.machines), how, conflicts), how, notes);
  if (!machines) return tl::unexpected(std::move(machines.error()));
  if (machines->empty()) return fail(ErrorCode::bad_input, "found no machine");
  std::vector<Decided> decided;
  for (DetectedMachine& machine : *machines) {
    auto one = decide(std::move(machine), how, notes);
    if (!one) return tl::unexpected(std::move(one.error()));
    decided.push_back(*std::move(one));
  }
  made.notes = lines_of(decided);
  auto cluster = Builder(std::move(decided), found.switches, how, notes).build();
  if (!cluster) return tl::unexpected(std::move(cluster.error()));
  made.cluster = *std::move(cluster);
  made.cluster.assumptions = notes.take_assumptions();
  shorten(made.cluster.assumptions, max_lines);
  for (std::vector<std::string> part : {conflicts, notes.take()}) {
    shorten(made.notes, max_lines);
    shorten(part, max_lines);
    made.notes.insert(made.notes.end(), part.begin(), part.end());
  }
  end_with_shares(made, std::move(found.shares));
  return made;
}

Result<ImportedCluster> cluster_of(std::vector<DetectedMachine> machines, const MachineImport& how) {
  FoundMachines found;
  found.machines = std::move(machines);
  return cluster_of(std::move(found), how);
}

Result<void> add_found(FoundMachines& all, FoundMachines more) {
  const auto nothing = [](const FoundMachines& found) {
    return found.machines.empty() && found.switches.empty() && !found.matrix;
  };
  if ((all.matrix && !nothing(more)) || (more.matrix && !nothing(all)))
    return fail(ErrorCode::bad_input, "found a table of bandwidths with other files, expected it alone");
  if (!all.switches.empty() && !more.switches.empty())
    return fail(ErrorCode::bad_input, "found two trees of switches, expected one");
  std::ranges::move(more.machines, std::back_inserter(all.machines));
  std::ranges::move(more.switches, std::back_inserter(all.switches));
  std::ranges::move(more.notes, std::back_inserter(all.notes));
  std::ranges::move(more.shares, std::back_inserter(all.shares));
  std::ranges::move(more.collectives, std::back_inserter(all.collectives));
  if (more.matrix) all.matrix = std::move(more.matrix);
  return {};
}

std::string summary_of(const FoundMachines& found) {
  if (found.matrix) return fmt::format("bandwidths between {} devices", found.matrix->devices.size());
  if (found.machines.empty()) return fmt::format("{} switches", found.switches.size());
  std::size_t gpus = 0;
  for (const DetectedMachine& machine : found.machines) gpus += machine.gpus.size();
  const std::size_t machines = found.machines.size();
  if (machines > 1) return fmt::format("{} GPUs in {} machines", gpus, machines);
  return gpus == 1 ? std::string("1 GPU in 1 machine") : fmt::format("{} GPUs in 1 machine", gpus);
}

}  // namespace pipedeck::presets
