// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/theme.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

namespace pipedeck::views::widgets {

namespace {

/// Returns the relative luminance of WCAG 2.
double luminance(const QColor& color) {
  const auto linear = [](double share) {
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor hex(QRgb value) { return QColor::fromRgb(value); }

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Theme)
};

Theme make_light() {
  Theme theme;
  theme.window = hex(0xf4f5f7);
  theme.panel = hex(0xffffff);
  theme.raised = hex(0xeceef2);
  theme.border = hex(0xdadde3);
  theme.grid = hex(0xeceef1);
  theme.text = hex(0x1b1f27);
  theme.muted = hex(0x5a6170);
  theme.impossible = hex(0x8a91a0);
  theme.accent = hex(0x4a48cc);
  theme.button = hex(0x4a48cc);
  theme.accent_soft = hex(0xe9e9fb);
  theme.good = hex(0x177441);
  theme.good_soft = hex(0xe4f3ea);
  theme.bad = hex(0xbf2f2a);
  theme.bad_soft = hex(0xfbe9e8);
  theme.warning = hex(0x8f5b00);
  theme.warning_soft = hex(0xfbf0d9);
  theme.cursor = hex(0x1b1f27);
  theme.card = hex(0xffffff);
  // Distinguishable without red, green or blue cones, or by a hatch (tst_colours).
  theme.operation = {hex(0x3b76b8), hex(0xe29a45), hex(0xa65410), hex(0xf0c78d), hex(0xa9c4e4),
                     hex(0x8f9415), hex(0x8f9415), hex(0x2aa08e), hex(0x565c69)};
  theme.tensor_parallel = hex(0xbc3f7c);
  theme.context_parallel = hex(0x1e93b4);
  theme.expert_parallel = hex(0x8a57b0);
  theme.data_parallel = hex(0x17766a);
  theme.pipeline_parallel = hex(0x7a7f12);
  theme.memory = {hex(0x3e5c68), hex(0x6e8f9b), hex(0xa3bbc2), hex(0x587a87), hex(0xc7ae7c),
                  hex(0xa98f5b), hex(0xd6c39c), hex(0xe0d4bc), hex(0xc5c9d1)};
  theme.group = {hex(0x7fa3d4), hex(0xcfa05a), hex(0x6bb09f), hex(0xa08bcb),
                 hex(0xa5a95c), hex(0xcb8f86), hex(0x6fa9bd)};
  theme.group_fill = {hex(0xdce8f8), hex(0xf8e7cf), hex(0xd8efe8), hex(0xe8e1f6),
                      hex(0xedefd0), hex(0xf5deda), hex(0xdaeef4)};
  return theme;
}

Theme make_night() {
  Theme theme;
  theme.dark = true;
  theme.window = hex(0x16181d);
  theme.panel = hex(0x1c1f25);
  theme.raised = hex(0x24282f);
  theme.border = hex(0x363b45);
  theme.grid = hex(0x282c34);
  theme.text = hex(0xe9ebef);
  theme.muted = hex(0xa4aab7);
  theme.impossible = hex(0x737a88);
  theme.accent = hex(0xa5a3fa);
  theme.button = hex(0x5f5ce0);
  theme.accent_soft = hex(0x2c2d57);
  theme.good = hex(0x62c486);
  theme.good_soft = hex(0x1d3327);
  theme.bad = hex(0xf2857e);
  theme.bad_soft = hex(0x3e2223);
  theme.warning = hex(0xe0ae4e);
  theme.warning_soft = hex(0x3a2f17);
  theme.cursor = hex(0xe9ebef);
  theme.card = hex(0x24282f);
  // Distinguishable without red, green or blue cones, or by a hatch (tst_colours).
  theme.operation = {hex(0x6aa3e0), hex(0xe8ac62), hex(0xc27a2e), hex(0xf2d3a2), hex(0x3e5f86),
                     hex(0xe0e36e), hex(0xe0e36e), hex(0x309c78), hex(0x8b92a0)};
  theme.tensor_parallel = hex(0xe072a8);
  theme.context_parallel = hex(0x5fc3df);
  theme.expert_parallel = hex(0xb68bdb);
  theme.data_parallel = hex(0x3fb39a);
  theme.pipeline_parallel = hex(0xc4c64f);
  theme.memory = {hex(0x7fa3b1), hex(0x587884), hex(0x43606b), hex(0x6b91a0), hex(0xb59b68),
                  hex(0x84703f), hex(0x7a6946), hex(0x6e6350), hex(0x4b515c)};
  theme.group = {hex(0x7fa3d4), hex(0xcfa05a), hex(0x6bb09f), hex(0xa08bcb),
                 hex(0xa5a95c), hex(0xcb8f86), hex(0x6fa9bd)};
  for (std::size_t i = 0; i < theme.group.size(); ++i) theme.group_fill[i] = blended(theme.group[i], theme.panel, 0.3);
  return theme;
}

QFont with_weight(QFont font, QFont::Weight weight) {
  font.setWeight(weight);
  return font;
}

}  // namespace

QColor Theme::of(TimePart part) const {
  switch (part) {
    case TimePart::compute:
      return of(OpKind::forward);
    case TimePart::recompute:
      return of(OpKind::recompute);
    case TimePart::tensor_parallel:
      return tensor_parallel;
    case TimePart::context_parallel:
      return context_parallel;
    case TimePart::expert_parallel:
      return expert_parallel;
    case TimePart::point_to_point:
      return of(OpKind::send);
    case TimePart::gather:
      return blended(of(OpKind::all_reduce), panel, 0.6);
    case TimePart::all_reduce:
      return of(OpKind::all_reduce);
    case TimePart::optimizer:
      return of(OpKind::optimizer);
    case TimePart::imbalance:
      return blended(muted, panel, 0.6);
    case TimePart::bubble:
      break;
  }
  return blended(muted, panel, 0.35);
}

QColor Theme::on(const QColor& background) {
  const QColor ink = hex(0x1b1f27), white(Qt::white);
  return contrast(background, white) >= contrast(background, ink) ? white : ink;
}

const Theme& Theme::light() {
  static const Theme theme = make_light();
  return theme;
}

const Theme& Theme::night() {
  static const Theme theme = make_night();
  return theme;
}

const Theme& Theme::of(const QPalette& palette) {
  // Widgets set their own Window and WindowText colours, but never Base. Only Base follows the application's change to
  // dark.
  return luminance(palette.color(QPalette::Base)) < luminance(palette.color(QPalette::Text)) ? night() : light();
}

QPalette Theme::palette() const {
  QPalette palette(raised, window);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, panel);
  palette.setColor(QPalette::AlternateBase, blended(window, panel, 0.5));
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::Button, raised);
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, bad);
  palette.setColor(QPalette::PlaceholderText, muted);
  palette.setColor(QPalette::ToolTipBase, card);
  palette.setColor(QPalette::ToolTipText, text);
  palette.setColor(QPalette::Highlight, accent_soft);
  palette.setColor(QPalette::HighlightedText, text);
  palette.setColor(QPalette::Link, accent);
  palette.setColor(QPalette::LinkVisited, accent);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, impossible);
  return palette;
}

QFont title_font(const QFont& base) { return with_weight(base, QFont::DemiBold); }

QFont caption_font(const QFont& base) {
  QFont font = base;
  if (font.pixelSize() > 0)
    font.setPixelSize(qMax(9, qRound(font.pixelSize() * 0.88)));
  else
    font.setPointSizeF(font.pointSizeF() * 0.88);
  return font;
}

QFont section_font(const QFont& base) { return with_weight(caption_font(base), QFont::DemiBold); }

QString kind_text(OpKind kind) {
  switch (kind) {
    case OpKind::forward:
      return Words::tr("forward");
    case OpKind::backward:
      return Words::tr("backward");
    case OpKind::backward_input:
      return Words::tr("input gradient");
    case OpKind::backward_weight:
      return Words::tr("weight gradient");
    case OpKind::recompute:
      return Words::tr("recompute");
    case OpKind::send:
    case OpKind::receive:
      return Words::tr("transfer");
    case OpKind::all_reduce:
      return Words::tr("all-reduce");
    case OpKind::optimizer:
      return Words::tr("optimizer");
  }
  return {};
}

QString item_text(MemoryItem item) {
  switch (item) {
    case MemoryItem::weights:
      return Words::tr("weights");
    case MemoryItem::gradients:
      return Words::tr("gradients");
    case MemoryItem::optimizer:
      return Words::tr("optimizer state");
    case MemoryItem::stashed_weights:
      return Words::tr("stashed weights");
    case MemoryItem::activations:
      return Words::tr("activations");
    case MemoryItem::boundary:
      return Words::tr("stage inputs and outputs");
    case MemoryItem::workspace:
      return Words::tr("workspace");
    case MemoryItem::communication:
      return Words::tr("communication buffers");
    case MemoryItem::reserve:
      return Words::tr("reserve");
  }
  return {};
}

QColor shade_of_chunk(const QColor& colour, int chunk, int chunks, const Theme& theme) {
  constexpr double palest = 0.5;
  if (chunk <= 0 || chunks < 2) return colour;
  return blended(colour, theme.panel, 1 - palest * chunk / (chunks - 1));
}

double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

QColor blended(const QColor& over, const QColor& under, double share) {
  const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue())};
}

}  // namespace pipedeck::views::widgets
