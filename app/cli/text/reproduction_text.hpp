// SPDX-License-Identifier: Apache-2.0
// Reproduced tables for a terminal, for a page of Markdown and for programs.
#pragma once

#include <string>
#include <vector>

#include "core/reproduce/reproduction.hpp"

namespace pipedeck::cli::text {

std::string reproduction_text(const std::vector<reproduce::ReproducedTable>& tables);
/// docs/reproduction.md: the share of rows met, then every table.
std::string reproduction_markdown(const std::vector<reproduce::ReproducedTable>& tables);
std::string reproduction_json(const std::vector<reproduce::ReproducedTable>& tables);

}  // namespace pipedeck::cli::text
