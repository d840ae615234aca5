// SPDX-License-Identifier: Apache-2.0
// AMP (Li et al., NeurIPS 2022), Tables 6-11: the strategies of Megatron's rules and of AMP with their measured
// seconds, next to the same strategies in our simulator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/reproduce/amp_models.hpp"
#include "core/reproduce/papers.hpp"

namespace pipedeck::reproduce {
namespace {

constexpr int devices = 16;

struct Strategy {
  int mbs;
  std::vector<int> assignment;
  int tensor_parallel;
  double seconds;
  int stages() const { return static_cast<int>(assignment.size()) - 1; }
  int replicas() const { return devices / stages() / tensor_parallel; }
};

struct StrategyTable {
  AmpSetup setup;
  std::vector<Strategy> strategies;
};

/// The number of stages is that of the assignment: Table 10 prints half of it in its column pp.
const StrategyTable& table(int number) {
  using enum AmpSetup;
  static const std::vector<StrategyTable> tables{
      {homogeneous,
       {{1, {0, 30}, 1, 1.32},
        {2, {0, 14, 30}, 1, 1.37},
        {2, {0, 30}, 2, 1.58},
        {4, {0, 14, 30}, 1, 1.63},
        {4, {0, 30}, 2, 1.53}}},
      {homogeneous,
       {{1, {0, 15, 30}, 1, 1.28},
        {1, {0, 9, 15, 21, 30}, 1, 1.20},
        {1, {0, 6, 9, 12, 15, 18, 21, 24, 30}, 1, 1.23},
        {2, {0, 15, 30}, 1, 1.38},
        {1, {0, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 25, 30}, 1, 1.55}}},
      {heterogeneous_cluster,
       {{2, {0, 14, 30}, 1, 2.27},
        {4, {0, 14, 30}, 1, 2.32},
        {8, {0, 8, 14, 20, 30}, 1, 1.97},
        {8, {0, 14, 30}, 2, 2.43},
        {16, {0, 8, 14, 20, 30}, 2, 2.34}}},
      {heterogeneous_cluster,
       {{1, {0, 7, 14, 20, 30}, 1, 1.47},
        {1, {0, 5, 9, 12, 15, 18, 21, 24, 30}, 1, 1.28},
        {1, {0, 3, 5, 7, 9, 11, 13, 15, 16, 17, 19, 20, 21, 22, 23, 25, 30}, 1, 1.52},
        {2, {0, 8, 14, 20, 30}, 1, 1.52},
        {2, {0, 5, 9, 12, 14, 17, 20, 23, 30}, 1, 1.54}}},
      {heterogeneous_model, {{1, {0, 41, 56}, 1, 1.89}, {2, {0, 9, 41, 47, 56}, 1, 1.99}}},
      {heterogeneous_model,
       {{1, {0, 12, 44, 48, 56}, 1, 1.07},
        {2, {0, 12, 44, 48, 56}, 1, 1.08},
        {2, {0, 5, 8, 11, 14, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 56}, 1, 1.13},
        {1, {0, 5, 8, 11, 14, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 56}, 1, 1.30},
        {2, {0, 7, 12, 42, 44, 47, 49, 51, 56}, 1, 1.39}}}};
  return tables[static_cast<std::size_t>(number - 6)];
}

constexpr double strategies_within = 0.25;

std::string subject_of(const Strategy& strategy) {
  const int stages = strategy.stages();
  return fmt::format("mbs {}, pp {}, dp {}, tmp {}, [{}]", strategy.mbs, stages, strategy.replicas(),
                     strategy.tensor_parallel, fmt::join(strategy.assignment, ", "));
}

ReproducedRow row_of(const Strategy& strategy, const AmpRun& run, double paper_mean, double our_mean) {
  ReproducedRow row{subject_of(strategy)};
  row.cells = {cell(strategy.seconds, run.time.count, "{:.2f} s"),
               cell(strategy.seconds / paper_mean, run.time.count / our_mean)};
  row.met = run.fits && near(row.cells[1], strategies_within);
  if (!run.fits) row.note = "Does not fit in 16 GiB by our memory model; the paper leaves memory out.";
  if (run.fits && !row.met)
    row.note =
        "Computed times are proportional to samples and layers. On a GPU larger micro-batches run better and small "
        "stages worse, so that the paper's seconds differ less from strategy to strategy.";
  return row;
}

Result<std::vector<ReproducedRow>> strategy_rows(int number, const Bench& bench) {
  const StrategyTable& paper = table(number);
  TRY(const auto problem, amp_problem(paper.setup));
  std::vector<AmpRun> runs;
  double paper_sum = 0, our_sum = 0;
  for (const Strategy& strategy : paper.strategies) {
    TRY_VOID(next_row(bench, runs.size(), paper.strategies.size(), "simulating"));
    TRY(const auto run,
        amp_run(problem,
                amp_plan(problem, strategy.mbs, strategy.assignment, strategy.tensor_parallel, strategy.replicas()),
                bench));
    runs.push_back(run);
    paper_sum += strategy.seconds;
    our_sum += run.time.count;
  }
  const double count = static_cast<double>(runs.size());
  std::vector<ReproducedRow> rows;
  for (std::size_t i = 0; i < runs.size(); ++i)
    rows.push_back(row_of(paper.strategies[i], runs[i], paper_sum / count, our_sum / count));
  return rows;
}

template <int number>
Result<std::vector<ReproducedRow>> rows(const Bench& bench) {
  return strategy_rows(number, bench);
}

TableInfo info(int number, const std::string& title, AmpSetup setup) {
  return {fmt::format("amp-{}", number),
          fmt::format("AMP, Table {}: {}", number, title),
          "The paper's strategies, simulated with the warm-up that is quicker; stages are those of the assignment "
          "(Table 10 prints half as many). " +
              amp_assumptions(setup),
          "the strategy is reachable, fits, and takes, relative to the table's mean, within 25 % of what it took there",
          "strategy",
          {"run time", "run time / mean of the table"}};
}

}  // namespace

std::vector<PaperTable> amp_tables_6_to_11() {
  using enum AmpSetup;
  return {{info(6, "candidates by Megatron, homogeneous", homogeneous), rows<6>},
          {info(7, "candidates by AMP, homogeneous", homogeneous), rows<7>},
          {info(8, "candidates by Megatron, heterogeneous cluster", heterogeneous_cluster), rows<8>},
          {info(9, "candidates by AMP, heterogeneous cluster", heterogeneous_cluster), rows<9>},
          {info(10, "candidates by Megatron, heterogeneous model", heterogeneous_model), rows<10>},
          {info(11, "candidates by AMP, heterogeneous model", heterogeneous_model), rows<11>}};
}

}  // namespace pipedeck::reproduce
