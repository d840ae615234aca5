// SPDX-License-Identifier: Apache-2.0
// Writes an SVG picture in the palette's colours: light ones in the elements, dark ones through their classes.
#pragma once

#include <string>
#include <string_view>

#include "core/study/reports/palette.hpp"

namespace pipedeck::study::reports {

enum class Anchor { start, middle, end };

/// Lengths in pixels, y downwards. Text is escaped here.
class Svg {
 public:
  /// `name`: of the picture, unique in a page; `says`: for who does not see it.
  Svg(std::string name, double width, std::string_view says);

  void rect(double x, double y, double width, double height, const ColorRole& ink, double radius = 0);
  void line(double x1, double y1, double x2, double y2, const ColorRole& ink, double width = 1, bool dashed = false);
  /// Filled; `data` as boxes() and the like write it.
  void path(const std::string& data, const ColorRole& ink, double opacity = 1);
  /// Diagonal strokes over the area.
  void hatch(const std::string& data);
  void text(double x, double y, std::string_view words, const ColorRole& ink, Anchor anchor = Anchor::start,
            double size = 11, bool strong = false);

  /// The element, as high as was drawn on.
  std::string element(double height) const;

 private:
  std::string name_, says_, body_;
  double width_;
  bool hatched_ = false;
};

/// A rectangle as part of a path: many of one colour make one element.
void add_box(std::string& path, double x, double y, double width, double height);

/// The element as a file of its own: it brings the rules that turn it dark.
std::string svg_file(const std::string& element);

}  // namespace pipedeck::study::reports
