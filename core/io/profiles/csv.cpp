// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/csv/csv.hpp"
#include "core/io/json/value.hpp"
#include "core/io/profiles/headings.hpp"
#include "core/io/profiles/layer_kind_guess.hpp"
#include "core/io/text/printable.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::profiles {
namespace {

constexpr std::size_t csv_head = std::size_t{1} << 16;
constexpr std::size_t max_problems = 256;

std::string known_keys() {
  std::string known;
  for (const ProfileKey& key : column_keys()) known += fmt::format("{}{}", known.empty() ? "" : ", ", key.name);
  return known;
}

std::string quote(const std::string& text) { return json::describe(json::Value(text)); }

/// Markdown's line under a heading: |---|:--:|
bool is_rule(const csv::CsvRow& row) {
  return std::ranges::all_of(row.fields, [](const std::string& field) {
    return field.find_first_not_of("-: ") == field.npos && (field.empty() || field.find("--") != field.npos);
  });
}

/// Where a key's figures stand.
struct Place {
  std::optional<std::size_t> column;
  std::string unit;
};

class TableReader {
 public:
  TableReader(const std::vector<csv::CsvRow>& rows, const ProfileColumns& columns, bool search)
      : rows_(rows), columns_(columns), search_(search), keys_(column_keys()), places_(keys_.size()) {}

  ParsedTable read() {
    find_columns();
    const std::size_t first = rows_.size() > 1 && is_rule(rows_[1]) ? 2 : 1;
    for (std::size_t row = first; complete_ && row < rows_.size(); ++row)
      table_.layers.push_back(read_layer(rows_[row]));
    check_last_row();
    return std::move(table_);
  }

 private:
  void find_columns() {
    const csv::CsvRow& heading = rows_.front();
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const ProfileKey& key = keys_[k];
      const auto chosen = columns_.find(std::string(key.name));
      const bool told = chosen != columns_.end();
      const auto column = told ? declared_column(chosen->second) : search_ ? find_column(key) : std::nullopt;
      if (!column) {
        if (told || key.needed) report_missing(key, told ? chosen->second.heading : std::string(key.name));
        continue;
      }
      std::string unit = told ? chosen->second.unit : std::string();
      if (unit.empty()) unit = split_heading(heading.fields[*column], key).unit;
      if (unit.empty() && key.measure) {
        unit = key.unit;
        table_.unit_assumed.emplace_back(key.name);
      }
      places_[k] = {column, unit};
      table_.columns[std::string(key.name)] = {heading.fields[*column], unit, column};
    }
  }

  /// Two columns of one meaning are ambiguous.
  std::optional<std::size_t> find_column(const ProfileKey& key) {
    const std::vector<std::string>& headings = rows_.front().fields;
    const std::vector<std::size_t> found = columns_of(headings, key);
    if (found.size() > 1)
      bad(fmt::format("found the columns {} and {} for {}, expected one of them; --columns {}=HEADING chooses",
                      quote(headings[found[0]]), quote(headings[found[1]]), key.name, key.name),
          rows_.front().line, found[1]);
    return found.empty() ? std::nullopt : std::optional(found.front());
  }

  std::optional<std::size_t> declared_column(const TableColumn& told) const {
    const std::vector<std::string>& headings = rows_.front().fields;
    if (told.position) return *told.position < headings.size() ? told.position : std::nullopt;
    const auto found = std::ranges::find(headings, told.heading);
    if (found == headings.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headings.begin());
  }

  void report_missing(const ProfileKey& key, const std::string& heading) {
    complete_ = false;
    bad(fmt::format("found no column {}, expected it, or --columns {}=HEADING", quote(heading), key.name),
        rows_.front().line);
  }

  void bad(std::string message, int line, std::optional<std::size_t> column = {}) {
    if (table_.problems.size() < max_problems) table_.problems.push_back({std::move(message), line, column});
  }

  std::string field(const csv::CsvRow& row, std::size_t k) const {
    const auto& column = places_[k].column;
    return column && *column < row.fields.size() ? row.fields[*column] : std::string();
  }

  /// "2,500" is two thousand five hundred to some and two and a half to others, as "2.500" is: where figures above have
  /// the other sign, that one.
  std::optional<char> other_sign_above(const std::string& text) {
    const std::size_t sign = text.find_first_of(".,");
    if (sign == text.npos || text.find_first_of(".,", sign + 1) != text.npos) return std::nullopt;
    if (decimal_sign_ != 0 && decimal_sign_ != text[sign]) return decimal_sign_;
    decimal_sign_ = text[sign];
    return std::nullopt;
  }

  /// A figure in its base unit; nothing where an optional one is not there, or it is none.
  std::optional<double> figure(const csv::CsvRow& row, std::size_t k) {
    const std::string text = field(row, k);
    if (text.empty() && !keys_[k].needed) return std::nullopt;
    const bool time = keys_[k].measure == QuantityKind::time;
    if (const auto sign = other_sign_above(text)) {
      bad(fmt::format("found {} for {}, expected one decimal sign in all of the table, '{}' as above", quote(text),
                      keys_[k].name, *sign),
          row.line, places_[k].column);
      return std::nullopt;
    }
    const auto value = parse_quantity(*keys_[k].measure, text, places_[k].unit);
    if (!time && value && text.find(',') != text.npos && *value != std::floor(*value)) {
      bad(fmt::format("found {} for {}, expected whole bytes, without marks between thousands", quote(text),
                      keys_[k].name),
          row.line, places_[k].column);
      return std::nullopt;
    }
    const double most = time ? limits::seconds : static_cast<double>(limits::bytes);
    if (value && *value >= 0 && *value <= most) return value.value();
    const std::string found = quote(text);
    bad(time ? fmt::format("found {} for {}, expected a time from 0 to {:.3g} s", found, keys_[k].name, most)
             : fmt::format("found {} for {}, expected a size from 0 to {:.3g} bytes", found, keys_[k].name, most),
        row.line, places_[k].column);
    return std::nullopt;
  }
  std::optional<Seconds> time(const csv::CsvRow& row, std::size_t k) {
    const auto value = figure(row, k);
    return value ? std::optional(Seconds(*value)) : std::nullopt;
  }
  std::optional<Bytes> bytes(const csv::CsvRow& row, std::size_t k) {
    const auto value = figure(row, k);
    return value ? std::optional(Bytes(std::llround(*value))) : std::nullopt;
  }

  /// A comma that is decimal in other countries but stands between fields here may have been meant as either.
  void check_width(const csv::CsvRow& row) {
    const std::size_t headings = rows_.front().fields.size();
    for (std::size_t column = headings; column < row.fields.size(); ++column) {
      if (row.fields[column].empty()) continue;
      return bad(fmt::format("found {} fields, expected at most {}, as many as headings (figures with a decimal comma "
                             "stand in quotes, or between semicolons)",
                             row.fields.size(), headings),
                 row.line);
    }
  }

  /// Programs that measure layers like to end with what all of them take together.
  void check_last_row() {
    if (table_.layers.size() < 3) return;
    const Layer& last = table_.layers.back();
    if (last.name != "Total" && last.name != "total" && last.name != "TOTAL" && last.name != "Sum") return;
    Seconds others;
    for (const Layer& layer : table_.layers) others = others + layer.forward;
    others = others - last.forward;
    if (std::abs(others.count - last.forward.count) <= 1e-3 * others.count)
      bad(fmt::format("found the sum of all other rows in {}, expected layers alone", quote(last.name)),
          rows_.back().line);
  }

  Layer read_layer(const csv::CsvRow& row) {
    check_width(row);
    Layer layer;
    layer.name = csv::without_defusing(field(row, 0));
    if (layer.name.empty() || !names_.insert(layer.name).second)
      bad(fmt::format("found the layer {}, expected a name of its own", quote(layer.name)), row.line,
          places_[0].column);
    layer.kind = csv::without_defusing(field(row, 1));
    if (layer.kind.empty()) layer.kind = infer_layer_kind(layer.name);
    const std::size_t problems = table_.problems.size();
    layer.forward = time(row, 2).value_or(Seconds());
    layer.backward = time(row, 3).value_or(Seconds());
    const auto weight = time(row, 4);
    layer.output = bytes(row, 5).value_or(Bytes());
    layer.saved = bytes(row, 6).value_or(layer.output);
    layer.parameters = bytes(row, 7).value_or(Bytes());
    layer.workspace = bytes(row, 8).value_or(Bytes());
    layer.backward_weight = weight.value_or(layer.parameters.count > 0 ? layer.backward * 0.5 : Seconds());
    if (table_.problems.size() == problems && layer.backward_weight > layer.backward)
      bad("found backward_weight_ms above backward_ms, expected a part of it", row.line, places_[4].column);
    return layer;
  }

  const std::vector<csv::CsvRow>& rows_;
  const ProfileColumns& columns_;
  const bool search_;
  const std::span<const ProfileKey> keys_;
  std::vector<Place> places_;  ///< by key
  std::set<std::string> names_;
  bool complete_ = true;
  char decimal_sign_ = 0;  ///< of the figures so far; 0: they were whole
  ParsedTable table_;
};

/// That is no comment.
std::string first_line(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '#' || text[at] == '\n' || text[at] == '\r')) {
    const std::size_t end = text.find('\n', at);
    at = end == text.npos ? text.size() : end + 1;
  }
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

const csv::Limits layer_table_limits{static_cast<std::size_t>(limits::layers) + 1, 1024, std::size_t{1} << 24};

Error TableProblem::error() const {
  return {ErrorCode::bad_input,
          message,
          {},
          column ? fmt::format("line {}, column {}", line, *column + 1) : fmt::format("line {}", line)};
}

Result<ProfileColumns> profile_columns(const std::string& text) {
  const auto rows = csv::csv_rows(text);
  if (!rows || rows->size() != 1)
    return fail(ErrorCode::bad_usage, fmt::format("found the columns '{}', expected KEY=HEADING[:UNIT],...", text));
  ProfileColumns columns;
  for (const std::string& part : rows->front().fields) {
    const std::size_t equal = part.find('=');
    const std::string name = part.substr(0, equal);
    const ProfileKey* key = profile_key(name);
    if (equal == part.npos || !key)
      return fail(
          ErrorCode::bad_usage,
          fmt::format("found the column '{}', expected KEY=HEADING[:UNIT] with one of: {}", part, known_keys()));
    TableColumn column{part.substr(equal + 1), {}};
    if (const std::size_t colon = column.heading.rfind(':');
        colon != column.heading.npos && has_unit(*key, column.heading.substr(colon + 1))) {
      column.unit = column.heading.substr(colon + 1);
      column.heading.resize(colon);
    }
    columns[name] = std::move(column);
  }
  return columns;
}

bool looks_like_profile_csv(const std::string& text) {
  std::string start = text.substr(0, csv_head);
  if (const std::size_t end = start.rfind('\n'); start.size() < text.size() && end != start.npos) start.resize(end);
  auto rows = csv::csv_rows(start);
  if (!rows) rows = csv::csv_rows(first_line(start));  // errors below it are reported when everything is read
  if (!rows || rows->empty()) return false;
  return column_of(rows->front().fields, *profile_key("name")) &&
         column_of(rows->front().fields, *profile_key("forward_ms"));
}

std::optional<std::string> unrecognised_headings(const std::string& text) {
  const auto heading = csv::csv_rows(first_line(text.substr(0, csv_head)));
  if (!heading || heading->size() != 1 || heading->front().fields.size() < 3) return std::nullopt;
  std::string headings;
  for (const std::string& field : heading->front().fields) {
    if (field.empty()) return std::nullopt;
    headings += (headings.empty() ? "" : ", ") + quote(field);
  }
  return headings;
}

ParsedTable read_layer_rows(const std::vector<csv::CsvRow>& rows, const ProfileColumns& columns, bool search) {
  return TableReader(rows, columns, search).read();
}

ImportShare share_of(const ParsedTable& table, const std::vector<std::string>& headings) {
  ImportShare share{.unit = "column"};
  std::set<std::size_t> read;
  for (const auto& [key, column] : table.columns)
    if (column.position) read.insert(*column.position);
  share.understood = static_cast<int>(read.size());
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (!read.contains(i)) share.left_out.push_back(text::printable(headings[i]));
  for (const std::string& key : table.unit_assumed)
    share.assumed.push_back(fmt::format("{} in {}", key, table.columns.at(key).unit));
  if (!table.columns.contains("saved_bytes")) share.assumed.emplace_back("saved_bytes: as many as output_bytes");
  if (!table.columns.contains("backward_weight_ms"))
    share.assumed.emplace_back("backward_weight_ms: half of backward_ms, for layers with parameters");
  return share;
}

Result<Profile> profile_of_table(ParsedTable table, const std::string& name, int micro_batch) {
  if (!table.problems.empty()) return tl::unexpected(table.problems.front().error());
  Profile profile;
  profile.name = name;
  profile.source = "a table";
  profile.micro_batch = micro_batch;
  profile.layers = std::move(table.layers);
  TRY_VOID(plan::validate(profile));
  return profile;
}

Result<Profile> profile_from_csv(const std::string& text, const std::string& name, int micro_batch,
                                 const ProfileColumns& columns, ImportShare* share) {
  TRY(const auto rows, csv::csv_rows(text, layer_table_limits));
  if (rows.size() < 2) return fail(ErrorCode::bad_input, "found no layers, expected a heading and a row a layer");
  ParsedTable table = read_layer_rows(rows, columns);
  if (share) *share = share_of(table, rows.front().fields);
  return profile_of_table(std::move(table), name, micro_batch);
}

}  // namespace pipedeck::io::profiles
