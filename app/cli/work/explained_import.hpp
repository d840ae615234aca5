// SPDX-License-Identifier: Apache-2.0
// A file of any format with the account of its import.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "app/cli/options/machine_options.hpp"
#include "app/cli/options/model_options.hpp"
#include "core/base/result.hpp"
#include "core/io/importers.hpp"

namespace pipedeck::cli::work {

struct ExplainedImport {
  ImportShare share;
  std::string_view evidence;  ///< by which the format is recognised
  std::string open;           ///< why nothing is made of the file yet: "expected a type: --device TYPE"; may be empty
};

/// Reads a file and makes of it what `convert` makes, as far as the options go. Errors of reading name the file.
Result<ExplainedImport> explained_import(const std::string& path, io::ReadOptions how,
                                         const options::MachineOptions& machines, const options::ModelOptions& models,
                                         const std::stop_token& stop);

}  // namespace pipedeck::cli::work
