// SPDX-License-Identifier: GPL-3.0-or-later
// The colours and sizes of every view, light and dark. Kinds differ in lightness as well as in hue, and the two that
// could be mistaken for their neighbours carry a hatch, so that no reader depends on hue alone.
#pragma once

#include <array>

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include "core/domain/schedule.hpp"
#include "core/domain/simulation.hpp"

namespace pipedeck::app {

struct Theme {
  bool dark = false;
  QColor window;       ///< behind plots
  QColor panel;        ///< side panels, tables, the empty track of a lane
  QColor raised;       ///< tool bars, headers
  QColor border;       ///< hairlines around plots and panels
  QColor grid;         ///< lines inside plots
  QColor text;         ///< what is read first
  QColor muted;        ///< what is read second
  QColor accent;       ///< the one accent: buttons, selection
  QColor accent_soft;  ///< background of what is selected
  QColor good, bad, warning;
  QColor cursor;  ///< the time cursor, and the background of its bubble
  QColor card;    ///< background of what floats
  std::array<QColor, op_kind_count> operation;
  std::array<QColor, 8> stage;  ///< by stage number modulo their count
  std::array<QColor, memory_item_count> memory;

  QColor of(OpKind kind) const { return operation[static_cast<std::size_t>(kind)]; }
  QColor of(MemoryItem item) const { return memory[static_cast<std::size_t>(item)]; }
  QColor of_stage(int number) const { return stage[static_cast<std::size_t>(number < 0 ? 0 : number) % stage.size()]; }
  /// Text on a box of this colour.
  QColor on(const QColor& background) const;

  /// Weight gradients and recomputation are told apart from backward and forward by a hatch too.
  static bool hatched(OpKind kind) { return kind == OpKind::backward_weight || kind == OpKind::recompute; }

  static const Theme& light();
  static const Theme& night();
  /// The one that suits `palette`: dark where its base is darker than its text.
  static const Theme& of(const QPalette& palette);
  /// A palette for the whole application in this theme's colours.
  QPalette palette() const;
};

/// Sizes in device-independent pixels. Text follows the application's font, so that a larger one enlarges the views.
struct ThemeSizes {
  static constexpr int grid = 8;  ///< spacing is in multiples and halves of it
  static constexpr int margin = 14;
  static constexpr int radius = 4;
  static constexpr int box_radius = 2;
};

QFont title_font(const QFont& base);    ///< semi-bold
QFont caption_font(const QFont& base);  ///< small: labels of axes and lanes
QFont section_font(const QFont& base);  ///< small, semi-bold, for headings in capitals

/// Names for people, translated: "forward", "weight gradient", "all-reduce".
QString kind_text(OpKind kind);
/// "weights", "optimizer state".
QString item_text(MemoryItem item);

/// The colour of a device's chunk: the first as it is, the further ones paler, down to the last.
QColor shade_of_chunk(const QColor& colour, int chunk, int chunks, const Theme& theme);

/// `over` at `share` (0 to 1) on an opaque `under`.
QColor blended(const QColor& over, const QColor& under, double share);

}  // namespace pipedeck::app
