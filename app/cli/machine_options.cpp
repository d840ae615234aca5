// SPDX-License-Identifier: Apache-2.0
#include "app/cli/machine_options.hpp"

#include <fmt/format.h>

#include "core/domain/limits.hpp"
#include "core/domain/quantity_text.hpp"
#include "core/runtime/profiler.hpp"
#include "core/runtime/this_machine.hpp"

namespace pipedeck::cli {

void MachineOptions::declare(CLI::App& app) {
  const auto noticed = [this](CLI::Option* option) {
    option->group("Machines (nvidia-smi topo -m, NCCL topology)")->each([this](const std::string&) {
      given_any_ = true;
    });
  };
  app.add_flag("--this-machine", this_machine_, "this machine as a cluster instead of a file")
      ->group("Machines (nvidia-smi topo -m, NCCL topology)");
  app.add_option("--device", device_, "what all GPUs are, or what a model runs on: a name of list device-types")
      ->type_name("TYPE");
  noticed(app.add_option("--copies", copies_, "that many of each machine")
              ->check(CLI::Range(1, static_cast<int>(limits::devices)))
              ->type_name("N"));
  noticed(
      app.add_option("--network", network_, "what joins machines, each way: 100Gbit/s, 12.5GB/s")->type_name("RATE"));
  noticed(app.add_option("--shape", shape_, "automatic, links or matrix: one link a machine, or every pair its own")
              ->check(CLI::IsMember({"automatic", "links", "matrix"}))
              ->type_name("SHAPE"));
  noticed(app.add_option("--name", name_, "of the cluster")->type_name("NAME"));
}

Result<MachineImport> MachineOptions::how() const {
  MachineImport import;
  if (!device_.empty()) import.device = device_;
  import.copies = copies_;
  import.name = name_;
  import.shape = shape_ == "links"    ? ClusterShape::links
                 : shape_ == "matrix" ? ClusterShape::matrix
                                      : ClusterShape::automatic;
  if (!network_.empty()) {
    auto rate = parse_rate(network_, "GB/s");
    if (!rate) return fail(ErrorCode::bad_usage, "--network: " + rate.error().message);
    import.network = *rate;
  }
  return import;
}

Result<ImportedCluster> MachineOptions::cluster(std::vector<FoundMachine> machines) const {
  const auto import = how();
  if (!import) return tl::unexpected(import.error());
  return cluster_of(std::move(machines), *import);
}

Result<ImportedCluster> MachineOptions::cluster_here() const {
  ThisMachine machine = pipedeck::this_machine();
  ImportedCluster made;
  if (machine.gpus) {
    auto found = cluster({std::move(*machine.gpus)});
    if (!found) return found;
    made = *std::move(found);
  } else {
    made.cluster = cpu_cluster(machine.cores);
    if (!name_.empty()) made.cluster.name = name_;
    made.notes.push_back(
        fmt::format("No GPU: {} processor cores stand for devices; link and memory were measured", machine.cores));
  }
  made.notes.insert(made.notes.begin(), machine.notes.begin(), machine.notes.end());
  return made;
}

}  // namespace pipedeck::cli
