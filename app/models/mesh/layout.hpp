// SPDX-License-Identifier: GPL-3.0-or-later
// Where the mesh editor's rows, degrees and columns are. Columns that have no room are left out, the least needed ones
// first; if that is not enough, the view scrolls.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QRectF>
#include <QString>

#include "app/models/mesh/sheet.hpp"

namespace pipedeck::models::mesh {

/// The widths of texts in the view's fonts.
struct Fonts {
  std::function<double(const QString&)> title, caption;
  double title_height = 16, caption_height = 13;
};

struct RowPlace {
  QRectF whole, name, lock;
  std::vector<QRectF> degrees;
  QRectF note, bytes, bar, exposed, memory;  ///< null: left out
};

struct Layout {
  QRectF heading;
  std::vector<RowPlace> rows;
  double width = 0, height = 0;
  double least = 0;  ///< width without the columns that may be left out
};

Layout lay_out(const Sheet& sheet, double width, const Fonts& fonts, const std::vector<QString>& headings);

/// A degree of a row, or its lock.
struct Place {
  int row = 0;
  int degree = 0;  ///< -1: the lock
  bool operator==(const Place&) const = default;
};
std::optional<Place> place_at(const Layout& layout, const QPointF& at);

}  // namespace pipedeck::models::mesh
