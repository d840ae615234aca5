// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/reproduction_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"

namespace pipedeck::cli::text {
namespace {

std::string deviation_text(const reproduce::ReproducedCell& cell) {
  return cell.deviation ? fmt::format("{:+.1f} %", *cell.deviation * 100) : "";
}

std::string verdict_text(const reproduce::ReproducedTable& table) {
  return fmt::format("{} of {} rows met ({})", table.met(), table.rows.size(), table.info.rule);
}

/// Does any row compare numbers here?
bool is_compared(const reproduce::ReproducedTable& table, std::size_t quantity) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const reproduce::ReproducedRow& row) { return row.cells[quantity].deviation.has_value(); });
}

std::string rows_text(const reproduce::ReproducedTable& table) {
  const std::vector<std::string>& quantities = table.info.quantities;
  std::vector<Table::Column> columns{{table.info.subject, Align::left}};
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    columns.insert(columns.end(), {{quantities[i] + ": paper"}, {"ours"}});
    if (is_compared(table, i)) columns.push_back({"differs by"});
  }
  columns.push_back({"met", Align::left});
  Table out(columns);
  for (const reproduce::ReproducedRow& row : table.rows) {
    std::vector<std::string> cells{row.subject};
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      cells.insert(cells.end(), {row.cells[i].paper, row.cells[i].ours});
      if (is_compared(table, i)) cells.push_back(deviation_text(row.cells[i]));
    }
    cells.emplace_back(row.met ? "yes" : "no");
    out.add(std::move(cells));
  }
  return out.text();
}

/// Prints the notes of all rows, each once.
std::vector<std::pair<std::string, std::string>> notes(const reproduce::ReproducedTable& table) {
  std::vector<std::pair<std::string, std::string>> out;  // subjects, text
  for (const reproduce::ReproducedRow& row : table.rows) {
    if (row.note.empty()) continue;
    auto same = std::find_if(out.begin(), out.end(), [&](const auto& note) { return note.second == row.note; });
    if (same == out.end())
      out.emplace_back(row.subject, row.note);
    else
      same->first += "; " + row.subject;
  }
  return out;
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

/// Held together where a line is broken.
std::string unbroken(std::string text) {
  for (std::size_t at = 0; (at = text.find(' ', at)) != text.npos;) text.replace(at, 1, "\u00a0");
  return text;
}

/// "0.95 s (-28 %)"
std::string markdown_ours(const reproduce::ReproducedCell& cell) {
  const std::string ours = unbroken(markdown_cell(cell.ours));
  return cell.deviation ? ours + " " + unbroken(fmt::format("({:+.0f} %)", *cell.deviation * 100)) : ours;
}

std::string markdown_of(const reproduce::ReproducedTable& table) {
  const reproduce::TableInfo& info = table.info;
  std::string text = fmt::format("## {}\n\n`pipedeck-cli reproduce {}`. {} A row is met: {}.\n\n", info.title,
                                 info.name, info.how, info.rule);
  std::string head = "| " + markdown_cell(info.subject), rule = "|---";
  for (const std::string& quantity : info.quantities) {
    head += fmt::format(" | {}: paper | ours", markdown_cell(quantity));
    rule += "|---|---";
  }
  text += head + " | met |\n" + rule + "|---|\n";
  for (const reproduce::ReproducedRow& row : table.rows) {
    text += "| " + markdown_cell(row.subject);
    for (const reproduce::ReproducedCell& cell : row.cells)
      text += fmt::format(" | {} | {}", markdown_cell(cell.paper), markdown_ours(cell));
    text += row.met ? " | yes |\n" : " | no |\n";
  }
  text += fmt::format("\n{} of {} rows are met.\n", table.met(), table.rows.size());
  for (const auto& [subjects, note] : notes(table)) text += fmt::format("\n- **{}**: {}", subjects, note);
  return text + (notes(table).empty() ? "" : "\n");
}

}  // namespace

std::string reproduction_text(const std::vector<reproduce::ReproducedTable>& tables) {
  std::string text;
  for (const reproduce::ReproducedTable& table : tables) {
    text += fmt::format("{}{}\n{}\n\n{}\n{}\n", text.empty() ? "" : "\n", table.info.title, table.info.how,
                        rows_text(table), verdict_text(table));
    for (const auto& [subjects, note] : notes(table)) text += fmt::format("  {}: {}\n", subjects, note);
  }
  return text;
}

std::string reproduction_markdown(const std::vector<reproduce::ReproducedTable>& tables) {
  std::size_t met = 0, rows = 0;
  std::string summary = "| table | rows met |\n|---|---|\n", body;
  for (const reproduce::ReproducedTable& table : tables) {
    met += static_cast<std::size_t>(table.met());
    rows += table.rows.size();
    summary += fmt::format("| {} | {} of {} |\n", table.info.title, table.met(), table.rows.size());
    body += "\n" + markdown_of(table);
  }
  return fmt::format(
      "# The papers' tables\n\nThe tables of the papers compared with Pipedeck's results. `pipedeck-cli reproduce` "
      "lists them, and `pipedeck-cli reproduce all --markdown` writes this page. Profiles that the authors published "
      "are used if available (`--data DIR`). All others are computed from published layer shapes, so that times are "
      "those of an ideal device and only ratios compare. In parentheses: ours relative to the paper's. **{} of {} rows "
      "are met** ({:.0f} %); the others are explained below their table.\n\n{}{}",
      met, rows, 100.0 * static_cast<double>(met) / static_cast<double>(std::max<std::size_t>(rows, 1)), summary, body);
}

std::string reproduction_json(const std::vector<reproduce::ReproducedTable>& tables) {
  auto all = nlohmann::ordered_json::array();
  for (const reproduce::ReproducedTable& table : tables) {
    nlohmann::ordered_json one{{"name", table.info.name},
                               {"title", table.info.title},
                               {"how", table.info.how},
                               {"rule", table.info.rule},
                               {"met", table.met()}};
    one["rows"] = nlohmann::ordered_json::array();
    for (const reproduce::ReproducedRow& row : table.rows) {
      nlohmann::ordered_json out{{"subject", row.subject}};
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        nlohmann::ordered_json cell{{"paper", row.cells[i].paper}, {"ours", row.cells[i].ours}};
        if (row.cells[i].deviation) cell["deviation"] = *row.cells[i].deviation;
        out["figures"][table.info.quantities[i]] = std::move(cell);
      }
      out["met"] = row.met;
      if (!row.note.empty()) out["note"] = row.note;
      one["rows"].push_back(std::move(out));
    }
    all.push_back(std::move(one));
  }
  return all.dump(2);
}

}  // namespace pipedeck::cli::text
