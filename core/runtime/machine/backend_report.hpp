// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pipedeck::runtime::machine {

/// A kind of GPU of this machine.
struct GpuKind {
  int count = 0;
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
};

/// A report on a way to train on this machine: "cpu", "cuda", or "mpi" for several processes.
struct BackendReport {
  std::string name;
  std::vector<std::string> lines;  ///< for people: "cuda: runs on 2 of NVIDIA H100, 79.6 GiB; ..."
  bool usable = false;
  std::string unavailable_reason{};  ///< reason; empty if it is usable
  std::vector<GpuKind> gpus{};       ///< of cuda
};

}  // namespace pipedeck::runtime::machine
