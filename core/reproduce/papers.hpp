// SPDX-License-Identifier: Apache-2.0
// The tables of each paper; reproduce.cpp puts them together.
#pragma once

#include <vector>

#include "core/reproduce/reproduction.hpp"

namespace pipedeck::reproduce {

struct PaperTable {
  TableInfo info;
  Result<std::vector<ReproducedRow>> (*rows)(const Bench&) = nullptr;
};

PaperTable dapple_table_2();
PaperTable dapple_table_3();
PaperTable dapple_table_4();
PaperTable dapple_table_5();
PaperTable dapple_table_6();
PaperTable dapple_table_7();
PaperTable dapple_table_8();
PaperTable pipedream_table_1();
PaperTable amp_table_3();
PaperTable amp_table_4();
PaperTable amp_table_5();
std::vector<PaperTable> amp_tables_6_to_11();
PaperTable whale_figure_17();
PaperTable whale_figure_18();

}  // namespace pipedeck::reproduce
