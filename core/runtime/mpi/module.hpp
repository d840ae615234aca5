// SPDX-License-Identifier: Apache-2.0
// The module that joins processes through MPI (wire.h). It is loaded on demand, so that only the module needs MPI.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "core/runtime/machine/backend_report.hpp"
#include "core/runtime/mpi/wire.h"

namespace pipedeck::runtime::mpi {

/// Returns the module next to the program or at its installed location; it stays loaded. bad_usage with the reason and
/// the packages to install if it is missing or cannot be loaded.
Result<const PipedeckWire*> mpi_wire();

/// Returns the module in `file`. Fails like mpi_wire().
Result<const PipedeckWire*> wire_in(const std::string& file);

/// Reports the MPI library, with the line "mpi: Open MPI v4.1.4 ...", or the reason for none.
machine::BackendReport report_on_mpi();

/// Returns this process's rank if mpirun or srun started it: Open MPI, PMIx, MPICH and Slurm set environment variables.
std::optional<int> launched_rank();

}  // namespace pipedeck::runtime::mpi
