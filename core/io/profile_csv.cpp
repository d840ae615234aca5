// SPDX-License-Identifier: Apache-2.0
#include "core/io/profile_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/domain/limits.hpp"
#include "core/domain/unit_text.hpp"
#include "core/domain/validate.hpp"
#include "core/io/csv_reader.hpp"
#include "core/io/json_value.hpp"
#include "core/io/layer_kind_guess.hpp"

namespace pipedeck {
namespace {

constexpr std::size_t looked_at = std::size_t{1} << 16;
constexpr CsvLimits table_limits{static_cast<std::size_t>(limits::layers) + 1, 1024, std::size_t{1} << 24};

enum class Figure { text, time, bytes };

struct Key {
  std::string_view name, unit;
  Figure figure;
  bool needed;
};
constexpr std::array<Key, 9> keys{{{"name", "", Figure::text, true},
                                   {"kind", "", Figure::text, false},
                                   {"forward_ms", "ms", Figure::time, true},
                                   {"backward_ms", "ms", Figure::time, true},
                                   {"backward_weight_ms", "ms", Figure::time, false},
                                   {"output_bytes", "B", Figure::bytes, true},
                                   {"saved_bytes", "B", Figure::bytes, false},
                                   {"parameter_bytes", "B", Figure::bytes, true},
                                   {"workspace_bytes", "B", Figure::bytes, false}}};

/// The key without its unit: "forward" of "forward_ms".
std::string_view stem_of(std::string_view key) {
  const std::size_t end = key.rfind('_');
  return end == key.npos ? key : key.substr(0, end);
}

bool has_unit(Figure figure, const std::string& text) {
  return figure != Figure::text && is_unit(figure == Figure::time ? Measure::time : Measure::bytes, text);
}

/// "Fwd (us)" and "fwd [us]" and "fwd_us": what stands before the unit, and the unit.
TableColumn split_heading(const std::string& heading, Figure figure) {
  if (figure == Figure::text) return {heading, {}};
  std::size_t open = heading.find_last_of("([");
  const bool closed = open != heading.npos && (heading.back() == ')' || heading.back() == ']');
  if (!closed) open = heading.rfind('_');
  if (open == heading.npos) return {heading, {}};
  std::string unit = heading.substr(open + 1, heading.size() - open - (closed ? 2 : 1));
  if (unit == "bytes") unit = "B";
  if (!has_unit(figure, unit)) return {heading, {}};
  std::string stem = heading.substr(0, open);
  stem.erase(stem.find_last_not_of(' ') + 1);
  return {stem, unit};
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text;
}

std::string known_keys() {
  std::string known;
  for (const Key& key : keys) known += fmt::format("{}{}", known.empty() ? "" : ", ", key.name);
  return known;
}

/// Where a key's figures stand.
struct Place {
  std::optional<std::size_t> column;
  std::string unit;
};

tl::unexpected<Error> bad(std::string message, int line, std::optional<std::size_t> column = {}) {
  return fail(ErrorCode::bad_input, std::move(message),
              column ? fmt::format("line {}, column {}", line, *column + 1) : fmt::format("line {}", line));
}

/// By the heading that was chosen, else by the key, in capital or small letters, with or without its unit.
std::optional<std::size_t> column_of(const std::vector<std::string>& headings, const Key& key,
                                     const ProfileColumns& columns) {
  const auto chosen = columns.find(std::string(key.name));
  for (std::size_t i = 0; i < headings.size(); ++i) {
    if (chosen != columns.end()) {
      if (headings[i] == chosen->second.heading) return i;
      continue;
    }
    if (lower(headings[i]) == key.name ||
        (key.figure != Figure::text && lower(split_heading(headings[i], key.figure).heading) == stem_of(key.name)))
      return i;
  }
  return std::nullopt;
}

class TableReader {
 public:
  TableReader(const std::vector<CsvRow>& rows, const ProfileColumns& columns) : rows_(rows), columns_(columns) {}

  Result<std::vector<Layer>> read() {
    if (auto found = find_columns(); !found) return tl::unexpected(found.error());
    std::vector<Layer> layers;
    for (const CsvRow& row : std::vector<CsvRow>(rows_.begin() + 1, rows_.end())) {
      auto layer = read_layer(row);
      if (!layer) return tl::unexpected(layer.error());
      layers.push_back(*std::move(layer));
    }
    return layers;
  }

 private:
  Result<void> find_columns() {
    const CsvRow& heading = rows_.front();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const Key& key = keys[k];
      const auto chosen = columns_.find(std::string(key.name));
      places_[k].column = column_of(heading.fields, key, columns_);
      if (!places_[k].column) {
        if (!key.needed && chosen == columns_.end()) continue;
        return bad(fmt::format("found no column {}, expected it, or --columns {}=HEADING",
                               json::describe(json::Value(chosen == columns_.end() ? std::string(key.name)
                                                                                   : chosen->second.heading)),
                               key.name),
                   heading.line);
      }
      places_[k].unit = split_heading(heading.fields[*places_[k].column], key.figure).unit;
      if (chosen != columns_.end() && !chosen->second.unit.empty()) places_[k].unit = chosen->second.unit;
      if (places_[k].unit.empty()) places_[k].unit = key.unit;
    }
    return {};
  }

  std::string field(const CsvRow& row, std::size_t k) const {
    const auto& column = places_[k].column;
    return column && *column < row.fields.size() ? row.fields[*column] : std::string();
  }

  /// A figure in its base unit; nothing where an optional one is not there. The first error stays.
  std::optional<double> figure(const CsvRow& row, std::size_t k) {
    const std::string text = field(row, k);
    if (text.empty() && !keys[k].needed) return std::nullopt;
    const bool time = keys[k].figure == Figure::time;
    const auto value = parse_quantity(time ? Measure::time : Measure::bytes, text, places_[k].unit);
    const double most = time ? limits::seconds : static_cast<double>(limits::bytes);
    if (value && *value >= 0 && *value <= most) return value.value();
    const std::string found = json::describe(json::Value(text));
    if (!problem_)
      problem_ =
          bad(time ? fmt::format("found {} for {}, expected a time from 0 to {:.3g} s", found, keys[k].name, most)
                   : fmt::format("found {} for {}, expected a size from 0 to {:.3g} bytes", found, keys[k].name, most),
              row.line, places_[k].column)
              .value();
    return std::nullopt;
  }
  std::optional<Seconds> time(const CsvRow& row, std::size_t k) {
    const auto value = figure(row, k);
    return value ? std::optional(Seconds(*value)) : std::nullopt;
  }
  std::optional<Bytes> bytes(const CsvRow& row, std::size_t k) {
    const auto value = figure(row, k);
    return value ? std::optional(Bytes(std::llround(*value))) : std::nullopt;
  }

  Result<Layer> read_layer(const CsvRow& row) {
    Layer layer;
    layer.name = field(row, 0);
    if (layer.name.empty() || !names_.insert(layer.name).second)
      return bad(fmt::format("found the layer {}, expected a name of its own", json::describe(json::Value(layer.name))),
                 row.line, places_[0].column);
    layer.kind = field(row, 1);
    if (layer.kind.empty()) layer.kind = guess_layer_kind(layer.name);
    layer.forward = time(row, 2).value_or(Seconds());
    layer.backward = time(row, 3).value_or(Seconds());
    const auto weight = time(row, 4);
    layer.output = bytes(row, 5).value_or(Bytes());
    layer.saved = bytes(row, 6).value_or(layer.output);
    layer.parameters = bytes(row, 7).value_or(Bytes());
    layer.workspace = bytes(row, 8).value_or(Bytes());
    layer.backward_weight = weight.value_or(layer.parameters.count > 0 ? layer.backward * 0.5 : Seconds());
    if (problem_) return tl::unexpected(*problem_);
    if (layer.backward_weight > layer.backward)
      return bad("found backward_weight_ms above backward_ms, expected a part of it", row.line, places_[4].column);
    return layer;
  }

  const std::vector<CsvRow>& rows_;
  const ProfileColumns& columns_;
  std::array<Place, keys.size()> places_;
  std::set<std::string> names_;
  std::optional<Error> problem_;
};

}  // namespace

Result<ProfileColumns> profile_columns(const std::string& text) {
  const auto rows = csv_rows(text);
  if (!rows || rows->size() != 1)
    return fail(ErrorCode::bad_usage, fmt::format("found the columns '{}', expected KEY=HEADING[:UNIT],...", text));
  ProfileColumns columns;
  for (const std::string& part : rows->front().fields) {
    const std::size_t equal = part.find('=');
    const std::string name = part.substr(0, equal);
    const auto key = std::ranges::find(keys, std::string_view(name), &Key::name);
    if (equal == part.npos || key == keys.end())
      return fail(
          ErrorCode::bad_usage,
          fmt::format("found the column '{}', expected KEY=HEADING[:UNIT] with one of: {}", part, known_keys()));
    TableColumn column{part.substr(equal + 1), {}};
    if (const std::size_t colon = column.heading.rfind(':');
        colon != column.heading.npos && has_unit(key->figure, column.heading.substr(colon + 1))) {
      column.unit = column.heading.substr(colon + 1);
      column.heading.resize(colon);
    }
    columns[name] = std::move(column);
  }
  return columns;
}

bool looks_like_profile_csv(const std::string& text) {
  std::string start = text.substr(0, looked_at);
  if (const std::size_t end = start.rfind('\n'); start.size() < text.size() && end != start.npos) start.resize(end);
  const auto rows = csv_rows(start);
  if (!rows || rows->empty()) return false;
  return column_of(rows->front().fields, keys[0], {}) && column_of(rows->front().fields, keys[2], {});
}

Result<Profile> profile_from_csv(const std::string& text, const std::string& name, int micro_batch,
                                 const ProfileColumns& columns) {
  const auto rows = csv_rows(text, table_limits);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->size() < 2) return fail(ErrorCode::bad_input, "found no layers, expected a heading and a row a layer");
  auto layers = TableReader(*rows, columns).read();
  if (!layers) return tl::unexpected(layers.error());
  Profile profile;
  profile.name = name;
  profile.source = "a table";
  profile.micro_batch = micro_batch;
  profile.layers = *std::move(layers);
  if (auto valid = validate(profile); !valid) return tl::unexpected(valid.error());
  return profile;
}

}  // namespace pipedeck
