// SPDX-License-Identifier: Apache-2.0
// The papers' tables next to this program's answers. One file per paper holds its values and the way to ours.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"

namespace pipedeck::reproduce {

/// One figure of the paper and ours, as text; both lengths of a comparison where they are numbers.
struct ReproducedCell {
  std::string paper, ours;
  std::optional<double> deviation;  ///< ours / paper - 1
  bool operator==(const ReproducedCell&) const = default;
};

struct ReproducedRow {
  std::string subject;                  ///< "BERT-48 (64), config A"
  std::vector<ReproducedCell> cells{};  ///< one for each of the table's quantities
  bool met = false;                     ///< by the table's rule
  std::string note{};                   ///< why not, or what to know
  bool operator==(const ReproducedRow&) const = default;
};

/// A table's description, known before anything is computed.
struct TableInfo {
  std::string name;                     ///< "dapple-5"
  std::string title;                    ///< "DAPPLE, Table V: planning results"
  std::string how;                      ///< planner, options, cluster, micro-batch
  std::string rule;                     ///< when a row counts as met
  std::string subject;                  ///< heading of the rows
  std::vector<std::string> quantities;  ///< headings of the cells
};

struct ReproducedTable {
  TableInfo info;
  std::vector<ReproducedRow> rows;
  int met() const;
};

/// The inputs of the tables' computation.
struct Bench {
  std::string data;  ///< folder of the measured profiles; where it lacks one, a preset's computed profile stands in
  std::stop_token stop{};
  Progress progress{};
};

/// In the order of the papers: dapple-2 ... dapple-8, pipedream-1, amp-3 ... amp-11, whale-17, whale-18.
std::vector<TableInfo> paper_tables();

/// bad_usage for an unknown name, listing the known ones.
Result<ReproducedTable> reproduce(const std::string& name, const Bench& bench);

}  // namespace pipedeck::reproduce
