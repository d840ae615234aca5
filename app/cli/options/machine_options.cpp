// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/machine_options.hpp"

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/quantity_text.hpp"
#include "core/presets/instance_types.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/profile/profiler.hpp"

namespace pipedeck::cli::options {

namespace {

constexpr const char* machine_group =
    "Machines (nvidia-smi topo -m, rocm-smi, NCCL, lstopo, nvbandwidth, Slurm, tables of bandwidths, clouds)";

Result<std::optional<BytesPerSecond>> rate_of(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<BytesPerSecond>();
  auto rate = parse_bandwidth(text, "GB/s");
  if (!rate) return fail(ErrorCode::bad_usage, fmt::format("{}: {}", option, rate.error().message));
  return std::optional(*rate);
}

}  // namespace

void MachineOptions::declare(CLI::App& app) {
  const auto noticed = [this](CLI::Option* option) {
    option->group(machine_group)->each([this](const std::string&) { given_any_ = true; });
  };
  app.add_flag("--this-machine", this_machine_, "read this machine as a cluster, instead of a file")
      ->group(machine_group);
  app.add_option("--cloud", cloud_, "cloud machine type, instead of a file (pipedeck-cli list cloud-shapes)")
      ->type_name("NAME")
      ->group(machine_group);
  app.add_option("--device", device_,
                 "type of all GPUs, or of the device that a model runs on (pipedeck-cli list device-types)")
      ->type_name("TYPE");
  noticed(app.add_option("--copies", copies_, "copies of each machine")
              ->check(CLI::Range(1, static_cast<int>(limits::devices)))
              ->type_name("N"));
  noticed(app.add_option("--network", network_, "network bandwidth of each machine, each way: 100Gbit/s, 12.5GB/s")
              ->type_name("RATE"));
  noticed(app.add_option("--shape", shape_, "automatic, links (one per machine) or matrix (one bandwidth per pair)")
              ->check(CLI::IsMember({"automatic", "links", "matrix"}))
              ->type_name("SHAPE"));
  noticed(app.add_option("--partition", partition_, "Slurm partition whose machines are read")->type_name("NAME"));
  noticed(app.add_option("--uplink", uplink_, "bandwidth of each switch to the switch above it, each way: 400Gbit/s")
              ->type_name("RATE"));
  noticed(
      app.add_option("--unit", unit_, "unit of a table of bandwidths without units: GB/s, Gbit/s")->type_name("UNIT"));
  noticed(app.add_option("--name", name_, "name of the cluster")->type_name("NAME"));
}

Result<presets::MachineImport> MachineOptions::how() const {
  presets::MachineImport import;
  if (!device_.empty()) import.device = device_;
  import.copies = copies_;
  import.name = name_;
  import.shape = shape_ == "links"    ? presets::ClusterShape::links
                 : shape_ == "matrix" ? presets::ClusterShape::matrix
                                      : presets::ClusterShape::automatic;
  TRY(const auto network, rate_of("--network", network_), uplink = rate_of("--uplink", uplink_));
  if (!uplink) return tl::unexpected(uplink.error());
  import.network = network;
  import.uplink = *uplink;
  import.partition = partition_;
  import.unit = unit_;
  return import;
}

Result<presets::ImportedCluster> MachineOptions::cluster(FoundMachines found) const {
  TRY(const auto import, how());
  return presets::cluster_of(std::move(found), import);
}

Result<presets::ImportedCluster> MachineOptions::cluster_of_cloud() const {
  auto machine = presets::cloud_machine(cloud_);
  if (!machine) return fail(ErrorCode::bad_usage, "--cloud: " + machine.error().message);
  return cluster(*std::move(machine));
}

Result<presets::ImportedCluster> MachineOptions::cluster_here() const {
  runtime::machine::LocalMachine machine = runtime::machine::local_machine();
  presets::ImportedCluster made;
  if (machine.gpus) {
    auto found = cluster({.machines = {std::move(*machine.gpus)}});
    if (!found) return found;
    made = *std::move(found);
  } else {
    made.cluster = runtime::profile::cpu_cluster(machine.cores);
    if (!name_.empty()) made.cluster.name = name_;
    made.notes.push_back(
        fmt::format("No GPU: {} processor cores are the devices; link and memory were measured", machine.cores));
  }
  made.notes.insert(made.notes.begin(), machine.notes.begin(), machine.notes.end());
  return made;
}

}  // namespace pipedeck::cli::options
