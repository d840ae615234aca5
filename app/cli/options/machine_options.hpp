// SPDX-License-Identifier: Apache-2.0
// Machines into clusters: the options for what their descriptions leave open, and the one way that files of them, or
// this machine, become a cluster with its notes.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/options/command.hpp"
#include "core/presets/machine_import.hpp"

namespace pipedeck::cli::options {

class MachineOptions {
 public:
  void declare(CLI::App& app);
  const std::string& device() const { return device_; }  ///< which models are computed for, too
  /// Returns true if any other of the options was given.
  bool given() const { return given_any_ || this_machine_ || !cloud_.empty(); }
  bool local_machine() const { return this_machine_; }
  /// A name of `list cloud-shapes`; empty: none was given.
  const std::string& cloud() const { return cloud_; }
  Result<presets::ImportedCluster> cluster(FoundMachines found) const;
  Result<presets::ImportedCluster> cluster_of_cloud() const;
  /// Returns the driver's GPUs, else threads of the CPU, measured.
  Result<presets::ImportedCluster> cluster_here() const;

 private:
  Result<presets::MachineImport> how() const;

  std::string device_, network_, shape_ = "automatic", name_, cloud_, partition_, uplink_, unit_;
  int copies_ = 1;
  bool this_machine_ = false, given_any_ = false;
};

}  // namespace pipedeck::cli::options
