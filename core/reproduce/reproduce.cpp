// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/reproduce/papers.hpp"
#include "core/reproduce/reproduction.hpp"

namespace pipedeck::reproduce {
namespace {

std::vector<PaperTable> all_tables() {
  std::vector<PaperTable> all{dapple_table_2(), dapple_table_3(), dapple_table_4(), dapple_table_5(),
                              dapple_table_6(), dapple_table_7(), dapple_table_8(), pipedream_table_1(),
                              amp_table_3(),    amp_table_4(),    amp_table_5()};
  for (PaperTable& table : amp_tables_6_to_11()) all.push_back(std::move(table));
  all.push_back(whale_figure_17());
  all.push_back(whale_figure_18());
  return all;
}

const std::vector<PaperTable>& tables() {
  static const std::vector<PaperTable> all = all_tables();
  return all;
}

}  // namespace

int ReproducedTable::met() const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const ReproducedRow& row) { return row.met; }));
}

std::vector<TableInfo> paper_tables() {
  std::vector<TableInfo> infos;
  for (const PaperTable& table : tables()) infos.push_back(table.info);
  return infos;
}

Result<ReproducedTable> reproduce(const std::string& name, const Bench& bench) {
  const auto table =
      std::find_if(tables().begin(), tables().end(), [&](const PaperTable& each) { return each.info.name == name; });
  if (table == tables().end()) {
    std::string known;
    for (const PaperTable& each : tables()) known += (known.empty() ? "" : ", ") + each.info.name;
    return fail(ErrorCode::bad_usage, fmt::format("found no table \"{}\", expected all or one of: {}", name, known));
  }
  TRY(auto rows, table->rows(bench));
  for (const ReproducedRow& row : rows)
    ensure(row.cells.size() == table->info.quantities.size(), "a row has a cell for each quantity of its table");
  return ReproducedTable{table->info, std::move(rows)};
}

}  // namespace pipedeck::reproduce
