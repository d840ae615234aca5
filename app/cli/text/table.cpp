// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

/// Code points of UTF-8: every byte that does not continue one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = io::text::printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool headed =
      std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); });
  if (headed) lines.push_back(std::move(titles));
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));

  std::string out;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row += (i ? "  " : "") + padded(line[i], widths[i], columns_[i].align);
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

std::string shortened(std::string text, std::size_t most) {
  if (width_of(text) <= most) return text;
  while (width_of(text) >= most) text.pop_back();  // of a character of several bytes the first one last
  return text + "…";
}

std::string milliseconds_text(Seconds time) { return fmt::format("{:.3f}", in_milliseconds(time)); }

std::string memory_text(Bytes bytes) { return memory_text(bytes, bytes); }

std::string memory_text(Bytes bytes, Bytes largest) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes.count), most = static_cast<double>(largest.count);
  std::size_t unit = 0;
  for (; most >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024, most /= 1024;
  constexpr double rounds_to_zero = 0.005;
  if (bytes.count > 0 && value < rounds_to_zero) return memory_text(bytes);
  return unit == 0 ? fmt::format("{} B", bytes.count) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string change_text(double before, double after) {
  return before == 0 ? "-" : fmt::format("{:+.2f} %", (after / before - 1) * 100);
}

std::string short_shape_text(const Plan& plan) {
  constexpr std::size_t widest = 32;
  std::string shape = stage_shape_text(plan);
  return width_of(shape) <= widest ? shape : fmt::format("{} stages", plan.stages.size());
}

}  // namespace pipedeck::cli::text
