// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/efficiency_file.hpp"

#include "app/cli/text/console.hpp"
#include "core/io/documents/efficiency.hpp"
#include "core/io/files.hpp"
#include "core/presets/efficiency.hpp"

namespace pipedeck::cli::work {

Result<EfficiencyTable> read_efficiency(const std::string& file) {
  if (file.empty()) return presets::efficiency();
  TRY(const std::string text, io::read_file(file));
  auto table = io::documents::efficiency_from_json(text);
  if (!table) return tl::unexpected(text::in_file(std::move(table.error()), file));
  return table;
}

}  // namespace pipedeck::cli::work
