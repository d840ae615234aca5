// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/theme.hpp"

#include <QCoreApplication>

namespace pipedeck::views::widgets {

namespace {

double luminance(const QColor& color) {
  return 0.2126 * color.redF() + 0.7152 * color.greenF() + 0.0722 * color.blueF();
}

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Theme)
};

Theme make_light() {
  Theme theme;
  theme.window = QColor(0xf3, 0xf4, 0xf6);
  theme.panel = QColor(0xff, 0xff, 0xff);
  theme.raised = QColor(0xec, 0xed, 0xf1);
  theme.border = QColor(0xdd, 0xdf, 0xe4);
  theme.grid = QColor(0xed, 0xee, 0xf1);
  theme.text = QColor(0x1d, 0x20, 0x26);
  theme.muted = QColor(0x68, 0x6d, 0x79);
  theme.accent = QColor(0x2b, 0x6c, 0xb8);
  theme.accent_soft = QColor(0xdc, 0xe8, 0xfa);
  theme.good = QColor(0x2b, 0x8a, 0x4b);
  theme.bad = QColor(0xc9, 0x36, 0x36);
  theme.warning = QColor(0xa8, 0x6b, 0x00);
  theme.cursor = QColor(0x1d, 0x20, 0x26);
  theme.card = QColor(0xff, 0xff, 0xff);
  const QColor blue(0x3d, 0x7f, 0xc6), orange(0xdd, 0x8a, 0x2b), pale_orange(0xee, 0xbe, 0x78);
  const QColor dark_orange(0xa6, 0x54, 0x10), deep_purple(0x6b, 0x47, 0x9c), dark_grey(0x58, 0x5d, 0x6a),
      purple(0x8d, 0x6e, 0xbb), teal(0x2f, 0x9d, 0x89), grey(0x76, 0x7b, 0x88), pale_blue(0x9c, 0xbf, 0xe6);
  // Distinguishable without red, green or blue cones, or by a hatch (tst_colours).
  theme.operation = {blue, orange, dark_orange, pale_orange, pale_blue, deep_purple, deep_purple, teal, dark_grey};
  theme.stage = {blue,
                 orange,
                 teal,
                 purple,
                 QColor(0xc4, 0x4e, 0x6c),
                 QColor(0x8a, 0x8d, 0x2f),
                 QColor(0x4f, 0x9f, 0xbf),
                 QColor(0x8c, 0x5a, 0x3c)};
  theme.memory = {
      teal, orange, grey, pale_orange, blue, QColor(0x4f, 0x9f, 0xbf), pale_blue, purple, QColor(0xc4, 0xc8, 0xd0)};
  return theme;
}

Theme make_night() {
  Theme theme;
  theme.dark = true;
  theme.window = QColor(0x23, 0x26, 0x2c);
  theme.panel = QColor(0x1b, 0x1d, 0x21);
  theme.raised = QColor(0x2b, 0x2f, 0x37);
  theme.border = QColor(0x3a, 0x3e, 0x47);
  theme.grid = QColor(0x2e, 0x32, 0x39);
  theme.text = QColor(0xec, 0xee, 0xf2);
  theme.muted = QColor(0x9b, 0xa1, 0xad);
  theme.accent = QColor(0x5b, 0x9d, 0xdd);
  theme.accent_soft = QColor(0x2d, 0x46, 0x6b);
  theme.good = QColor(0x5c, 0xb8, 0x76);
  theme.bad = QColor(0xe4, 0x6a, 0x6a);
  theme.warning = QColor(0xe0, 0xb0, 0x50);
  theme.cursor = QColor(0xec, 0xee, 0xf2);
  theme.card = QColor(0x30, 0x34, 0x3c);
  const QColor blue(0x58, 0x9b, 0xdb), orange(0xe6, 0x9b, 0x47), pale_orange(0xf1, 0xc9, 0x8d);
  const QColor dark_orange(0xb5, 0x66, 0x1c), deep_purple(0x7f, 0x5f, 0xb5), pale_teal(0x5c, 0xc4, 0xb0),
      dark_grey(0x75, 0x7b, 0x88), purple(0x9f, 0x85, 0xca), teal(0x4d, 0xb5, 0xa2), grey(0x8e, 0x94, 0xa0),
      pale_blue(0xa9, 0xc8, 0xea);
  // Distinguishable without red, green or blue cones, or by a hatch (tst_colours).
  theme.operation = {blue, orange, dark_orange, pale_orange, pale_blue, deep_purple, deep_purple, pale_teal, dark_grey};
  theme.stage = {blue,
                 orange,
                 teal,
                 purple,
                 QColor(0xdb, 0x76, 0x90),
                 QColor(0xb0, 0xb3, 0x55),
                 QColor(0x74, 0xbd, 0xd8),
                 QColor(0xb5, 0x80, 0x60)};
  theme.memory = {
      teal, orange, grey, pale_orange, blue, QColor(0x74, 0xbd, 0xd8), pale_blue, purple, QColor(0x55, 0x5a, 0x64)};
  return theme;
}

QFont with_weight(QFont font, QFont::Weight weight) {
  font.setWeight(weight);
  return font;
}

}  // namespace

QColor Theme::on(const QColor& background) const {
  return luminance(background) > 0.7 ? QColor(0x1d, 0x20, 0x26) : QColor(0xff, 0xff, 0xff);
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
    palette.setColor(QPalette::Disabled, role, blended(muted, window, 0.7));
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

QColor blended(const QColor& over, const QColor& under, double share) {
  const auto mix = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {mix(over.red(), under.red()), mix(over.green(), under.green()), mix(over.blue(), under.blue())};
}

}  // namespace pipedeck::views::widgets
