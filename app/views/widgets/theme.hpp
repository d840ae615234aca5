// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and sizes of all views, light and dark. A colour has one meaning: kinds of operations are saturated, memory
// is slate and sand, state is good, warning or bad, and the accent is choice and progress. Kinds differ in lightness as
// well as in hue. The two that could be confused with their neighbours are hatched, so that no reader depends on hue
// alone.
#pragma once

#include <array>

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include "core/model/schedule.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::views::widgets {

struct Theme {
  bool dark = false;
  QColor window;       ///< behind plots
  QColor panel;        ///< side panels, tables, the empty track of a lane
  QColor raised;       ///< tool bars, headers
  QColor border;       ///< hairlines around plots and panels
  QColor grid;         ///< lines inside plots
  QColor text;         ///< primary text
  QColor muted;        ///< secondary text
  QColor impossible;   ///< text of what cannot be chosen
  QColor accent;       ///< choice and progress, never data
  QColor button;       ///< ground of the primary button, which carries the accent
  QColor accent_soft;  ///< background of the selection
  QColor good, bad, warning;
  QColor good_soft, bad_soft, warning_soft;  ///< backgrounds of texts in these colours
  QColor cursor;                             ///< the time cursor, and the background of its bubble
  QColor card;                               ///< background of floating cards
  std::array<QColor, op_kind_count> operation;
  /// Communication by its dimension of parallelism; tensor_parallel also of all-reduces inside passes.
  QColor tensor_parallel, context_parallel, expert_parallel, data_parallel, pipeline_parallel;
  std::array<QColor, memory_item_count> memory;
  /// Colours of alike things that carry a number: stages, device types, series. Edges and lines, and pale fills.
  std::array<QColor, 7> group, group_fill;

  QColor of(OpKind kind) const { return operation[static_cast<std::size_t>(kind)]; }
  QColor of(MemoryItem item) const { return memory[static_cast<std::size_t>(item)]; }
  /// Returns the colour that the charts give the operations of this part.
  QColor of(TimePart part) const;
  QColor of_group(int number) const { return group[static_cast<std::size_t>(number < 0 ? 0 : number) % group.size()]; }
  /// Returns the text colour for a box of this colour: the one with more contrast.
  static QColor on(const QColor& background);

  /// Returns true for weight gradients and recomputation: a hatch distinguishes them from backward and forward.
  static bool hatched(OpKind kind) { return kind == OpKind::backward_weight || kind == OpKind::recompute; }

  static const Theme& light();
  static const Theme& night();
  /// Returns the theme that suits `palette`: dark if its base is darker than its text.
  static const Theme& of(const QPalette& palette);
  /// Returns a palette for the whole application in this theme's colours.
  QPalette palette() const;
};

/// A set of sizes in device-independent pixels. Text uses the application's font, so that a larger font enlarges the
/// views.
struct ThemeSizes {
  static constexpr int grid = 8;  ///< spacing is in multiples and halves of it
  static constexpr int margin = 14;
  static constexpr int radius = 4;
  static constexpr int box_radius = 2;
};

QFont title_font(const QFont& base);    ///< semi-bold
QFont caption_font(const QFont& base);  ///< small: labels of axes and lanes
QFont section_font(const QFont& base);  ///< small, semi-bold, for headings in capitals

/// Returns a translated name: "forward", "weight gradient", "all-reduce".
QString kind_text(OpKind kind);
/// Returns a translated name: "weights", "optimizer state".
QString item_text(MemoryItem item);

/// Returns the colour of a device's chunk: unchanged for the first, paler for each further one.
QColor shade_of_chunk(const QColor& colour, int chunk, int chunks, const Theme& theme);

/// Returns the contrast of two colours by WCAG 2, from 1 to 21. Text needs 4.5.
double contrast(const QColor& a, const QColor& b);

/// Returns `over` with weight `share` (0 to 1) on an opaque `under`.
QColor blended(const QColor& over, const QColor& under, double share);

}  // namespace pipedeck::views::widgets
