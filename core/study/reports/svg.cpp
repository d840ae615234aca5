// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/svg.hpp"

#include <fmt/format.h>

#include "core/study/reports/plain_text.hpp"

namespace pipedeck::study::reports {
namespace {

/// "12.5", "12": two decimals are finer than any screen.
std::string length(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string fill(const ColorRole& ink) { return fmt::format("class=\"f-{}\" fill=\"{}\"", ink.name, ink.light); }

std::string_view word(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

Svg::Svg(std::string name, double width, std::string_view says) : name_(std::move(name)), says_(says), width_(width) {}

void Svg::rect(double x, double y, double width, double height, const ColorRole& ink, double radius) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{} {}/>\n", length(x), length(y), length(width),
                  length(height), radius > 0 ? fmt::format(" rx=\"{}\"", length(radius)) : "", fill(ink));
}

void Svg::line(double x1, double y1, double x2, double y2, const ColorRole& ink, double width, bool dashed) {
  body_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"s-{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
      length(x1), length(y1), length(x2), length(y2), ink.name, ink.light, length(width),
      dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::path(const std::string& data, const ColorRole& ink, double opacity) {
  if (data.empty()) return;
  body_ += fmt::format("<path d=\"{}\" {}{}/>\n", data, fill(ink),
                       opacity < 1 ? fmt::format(" fill-opacity=\"{}\"", length(opacity)) : "");
}

void Svg::hatch(const std::string& data) {
  if (data.empty()) return;
  hatched_ = true;
  body_ += fmt::format("<path d=\"{}\" fill=\"url(#{}-hatch)\"/>\n", data, name_);
}

void Svg::text(double x, double y, std::string_view words, const ColorRole& ink, Anchor anchor, double size,
               bool strong) {
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{} {}>{}</text>\n", length(x), length(y),
                  length(size), word(anchor), strong ? " font-weight=\"600\"" : "", fill(ink), xml_text(words));
}

std::string Svg::element(double height) const {
  const std::string patterns =
      hatched_ ? fmt::format(
                     "<defs><pattern id=\"{}-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path "
                     "d=\"M-1 6L6 -1M-1 1L1 -1M4 6L6 4\" stroke=\"#1d2026\" stroke-opacity=\"0.45\" stroke-width=\"1\" "
                     "fill=\"none\"/></pattern></defs>\n",
                     name_)
               : std::string();
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"'Noto Sans','DejaVu Sans',system-ui,sans-serif\">\n<title>{2}</title>\n{3}{4}</svg>\n",
      length(width_), length(height), xml_text(says_), patterns, body_);
}

void add_box(std::string& path, double x, double y, double width, double height) {
  path += fmt::format("M{} {}h{}v{}h-{}z", length(x), length(y), length(width), length(height), length(width));
}

std::string svg_file(const std::string& element) {
  const std::size_t end = element.find('>') + 1;
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element.substr(0, end) +
         "\n<style>@media (prefers-color-scheme:dark){" + dark_rules() + "}</style>" + element.substr(end);
}

}  // namespace pipedeck::study::reports
