// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/runs_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/io/csv/csv.hpp"
#include "core/io/csv/reader.hpp"

namespace pipedeck::study::accuracy {
namespace {

using Member = std::variant<std::string PublishedRun::*, std::optional<int> PublishedRun::*,
                            std::optional<double> PublishedRun::*, bool PublishedRun::*>;

struct Column {
  std::string_view name;
  Member member;
  bool required = false;
  double least = 1;  ///< of numbers
};

using Run = PublishedRun;
constexpr double most_whole = 2e9;

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"row", &Run::row, true},
      {"source", &Run::source},
      {"source_ref", &Run::reference},
      {"task", &Run::task},
      {"model", &Run::model, true},
      {"params_total_b", &Run::parameters, false, 0},
      {"layers", &Run::layers, true},
      {"hidden", &Run::hidden, true},
      {"heads", &Run::heads, true},
      {"kv_heads", &Run::key_value_heads},
      {"head_dim", &Run::head_width},
      {"ffn", &Run::feed_forward, true},
      {"gated", &Run::gated, false, 0},
      {"experts", &Run::experts},
      {"topk", &Run::experts_per_token},
      {"moe_ffn", &Run::expert_feed_forward},
      {"shared_ffn", &Run::shared_feed_forward, false, 0},
      {"dense_layers", &Run::dense_layers, false, 0},
      {"vocab", &Run::vocabulary, true},
      {"attention", &Run::attention},
      {"gpu", &Run::gpu, true},
      {"gpu_mem_gb", &Run::gpu_memory_gb, false, 0},
      {"gpus_per_node", &Run::gpus_per_node},
      {"nvlink_domain", &Run::domain_gpus},
      {"network_gbps_per_gpu", &Run::network_gbps, false, 0},
      {"gpus", &Run::gpus, true},
      {"precision", &Run::precision, true},
      {"sequence", &Run::sequence, true},
      {"global_batch", &Run::global_batch, true},
      {"micro_batch", &Run::micro_batch},
      {"tp", &Run::tensor},
      {"sp", &Run::sequence_parallel, false, 0},
      {"pp", &Run::pipeline},
      {"vp", &Run::virtual_stages},
      {"cp", &Run::context},
      {"ep", &Run::expert},
      {"etp", &Run::expert_tensor},
      {"dp", &Run::data},
      {"sharding", &Run::sharding},
      {"recompute", &Run::recompute},
      {"overlap", &Run::overlap},
      {"schedule", &Run::schedule},
      {"software", &Run::software},
      {"newest", &Run::newest},
      {"tokens_per_s_per_gpu", &Run::tokens_per_second, false, 0},
      {"tflops_per_gpu", &Run::printed_tflops, false, 0},
      {"iteration_s", &Run::iteration_seconds, false, 0},
      {"memory_gib", &Run::memory_gib, false, 0},
      {"memory_kind", &Run::memory_kind},
      {"notes", &Run::notes},
  };
  return all;
}

std::string place_of(int line, std::string_view column) { return fmt::format("line {}, column {}", line, column); }

Result<double> number_of(const std::string& field, const Column& column, int line, bool whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool is_number = error == std::errc() && end == field.data() + field.size() && std::isfinite(value);
  if (!is_number || value < column.least || (whole && (value != std::floor(value) || value > most_whole)))
    return fail(ErrorCode::bad_input,
                fmt::format("found '{}', expected a {}number of {} or more, or nothing", field, whole ? "whole " : "",
                            column.least),
                place_of(line, column.name));
  return value;
}

Result<void> read_field(PublishedRun& run, const Column& column, const std::string& field) {
  if (const auto* const text = std::get_if<std::string Run::*>(&column.member)) {
    run.*(*text) = field;
    return {};
  }
  if (const auto* const flag = std::get_if<bool Run::*>(&column.member)) {
    if (field != "0" && field != "1" && !field.empty())
      return fail(ErrorCode::bad_input, fmt::format("found '{}', expected 0 or 1", field),
                  place_of(run.line, column.name));
    run.*(*flag) = field != "0";
    return {};
  }
  if (field.empty()) return {};
  const auto* const whole = std::get_if<std::optional<int> Run::*>(&column.member);
  TRY(const double value, number_of(field, column, run.line, whole != nullptr));
  if (whole)
    run.*(*whole) = static_cast<int>(value);
  else
    run.*std::get<std::optional<double> Run::*>(column.member) = value;
  return {};
}

io::csv::CsvTable::Field field_of(const PublishedRun& run, const Column& column) {
  return std::visit(
      [&](auto member) -> io::csv::CsvTable::Field {
        const auto& value = run.*member;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>)
          return value;
        else if constexpr (std::is_same_v<Value, bool>)
          return value ? 1 : 0;
        else
          return value ? io::csv::CsvTable::Field(*value) : io::csv::CsvTable::Field();
      },
      column.member);
}

/// Returns the position of each known column in the header; -1: it has none.
Result<std::vector<int>> positions_in(const io::csv::CsvRow& header) {
  std::vector<int> positions(columns().size(), -1);
  std::string missing;
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const auto found = std::ranges::find(header.fields, columns()[c].name);
    if (found != header.fields.end()) {
      if (std::find(found + 1, header.fields.end(), columns()[c].name) != header.fields.end())
        return fail(ErrorCode::bad_input, "found two columns of this name, expected one",
                    place_of(header.line, columns()[c].name));
      positions[c] = static_cast<int>(found - header.fields.begin());
    } else if (columns()[c].required) {
      missing += (missing.empty() ? "" : ", ") + std::string(columns()[c].name);
    }
  }
  if (!missing.empty())
    return fail(ErrorCode::bad_input, fmt::format("found no column {}, expected one", missing),
                fmt::format("line {}", header.line));
  return positions;
}

}  // namespace

std::optional<double> PublishedRun::measured_seconds() const {
  if (iteration_seconds) return iteration_seconds;
  if (!tokens_per_second || *tokens_per_second <= 0 || !sequence || !global_batch || !gpus) return std::nullopt;
  return double(*sequence) * *global_batch / *gpus / *tokens_per_second;
}

Result<std::vector<PublishedRun>> runs_from_csv(const std::string& text) {
  TRY(const auto rows, io::csv::csv_rows(text));
  if (rows.empty()) return fail(ErrorCode::bad_input, "found no line, expected a header", "line 1");
  TRY(const auto positions, positions_in(rows.front()));
  if (rows.size() == 1)
    return fail(ErrorCode::bad_input, "found no run, expected at least one", fmt::format("line {}", rows[0].line + 1));
  std::vector<PublishedRun> runs;
  for (const io::csv::CsvRow& row : std::span(rows).subspan(1)) {
    if (row.fields.size() != rows.front().fields.size())
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {} fields, expected {} as in the header", row.fields.size(), rows.front().fields.size()),
          fmt::format("line {}", row.line));
    PublishedRun& run = runs.emplace_back();
    run.line = row.line;
    for (std::size_t c = 0; c < columns().size(); ++c)
      if (positions[c] >= 0)
        TRY_VOID(read_field(run, columns()[c], row.fields[static_cast<std::size_t>(positions[c])]));
    if (run.row.empty()) run.row = fmt::format("line {}", row.line);
  }
  return runs;
}

Result<std::string> with_run(const std::string& table, const PublishedRun& run) {
  std::vector<std::string> header;
  if (table.empty()) {
    for (const Column& column : columns()) header.emplace_back(column.name);
  } else {
    TRY(const auto runs, runs_from_csv(table));
    if (std::ranges::find(runs, run.row, &Run::row) != runs.end())
      return fail(ErrorCode::bad_input, fmt::format("found a row '{}', expected none of this name", run.row));
    TRY(const auto rows, io::csv::csv_rows(table));
    header = rows.front().fields;
    if (io::csv::csv_separator(table) != ',')
      return fail(ErrorCode::bad_input, "found a table without commas, expected them between columns", "line 1");
  }
  std::vector<io::csv::CsvTable::Field> fields;
  for (const std::string& name : header) {
    const auto column = std::ranges::find(columns(), name, &Column::name);
    fields.push_back(column == columns().end() ? io::csv::CsvTable::Field() : field_of(run, *column));
  }
  io::csv::CsvTable last(header);
  last.add(std::move(fields));
  const std::string text = last.text();
  if (table.empty()) return text;
  return table + (table.ends_with('\n') ? "" : "\r\n") + text.substr(text.find('\n') + 1);
}

}  // namespace pipedeck::study::accuracy
