// SPDX-License-Identifier: GPL-3.0-or-later
// Choice of the runs that the accuracy page shows, and the number of runs behind each choice.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <QSet>
#include <QString>

#include "app/models/accuracy/run_row.hpp"

namespace pipedeck::models::accuracy {

/// A heading of the filter. Runs without a ticked value are left out; ticked uses are required.
enum class Section { gpu, source, precision, use };
inline constexpr int section_count = 4;
QString section_text(Section section);  ///< "Source"

struct RunFilter {
  QString words;                                     ///< all of them occur in the run's texts
  std::array<QSet<QString>, section_count> toggled;  ///< keys: left out, for uses: required

  QSet<QString>& of(Section section) { return toggled[static_cast<std::size_t>(section)]; }
  const QSet<QString>& of(Section section) const { return toggled[static_cast<std::size_t>(section)]; }
  bool operator==(const RunFilter&) const = default;
};

struct FilterChoice {
  QString key, text;
  int count = 0;  ///< runs with it that pass the rest of the filter
  bool on = true;
  bool operator==(const FilterChoice&) const = default;
};

/// A filter over rows. Sources after the most frequent ones share a choice.
class RunChoices {
 public:
  explicit RunChoices(std::span<const RunRow> rows = {});

  /// Returns the indices of the rows in the chart, in their order.
  std::vector<std::size_t> shown(const RunFilter& filter) const;
  std::vector<FilterChoice> choices(Section section, const RunFilter& filter) const;

 private:
  struct Keys {
    std::size_t row;
    std::array<QString, section_count> of;  ///< without uses
    QString text;
  };
  bool passes(const Keys& keys, const RunFilter& filter, std::optional<Section> except = {}) const;

  std::span<const RunRow> rows_;
  std::vector<Keys> keys_;  ///< of the rows that can be shown
  std::array<std::vector<FilterChoice>, section_count> choices_;
};

}  // namespace pipedeck::models::accuracy
