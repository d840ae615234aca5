// SPDX-License-Identifier: Apache-2.0
// Finds the module that joins processes through MPI (wire.h): loaded when wanted, so that nothing else needs MPI.
#pragma once

#include <optional>
#include <string>

#include "core/domain/result.hpp"
#include "core/runtime/mpi/wire.h"

namespace pipedeck {

/// The module beside the program, or where packages put it; it stays loaded. bad_usage with the reason, and what to
/// install, where it is not there or can't be loaded.
Result<const PipedeckWire*> mpi_wire();

/// The same of a file.
Result<const PipedeckWire*> mpi_wire_in(const std::string& file);

/// "mpi: Open MPI v4.1.4 ...", or why there is none.
std::string describe_mpi();

/// This process's number where mpirun or srun started it (Open MPI, PMIx, MPICH and Slurm say so in the environment).
std::optional<int> launched_rank();

}  // namespace pipedeck
