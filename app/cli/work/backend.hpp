// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::work {

void declare_backend(CLI::App& app, std::string& backend);

/// bad_usage, with the reason, for a backend that this program can't run on.
Result<void> check_backend(const std::string& backend);

}  // namespace pipedeck::cli::work
