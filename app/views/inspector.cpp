// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/inspector.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/views/stacked_bar.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

namespace {

QLabel* text_label(const QString& text, const QColor& colour, const QString& name = {}) {
  auto* label = new QLabel(text);
  label->setObjectName(name);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  QPalette palette = label->palette();
  palette.setColor(QPalette::WindowText, colour);
  label->setPalette(palette);
  return label;
}

/// Builds the page top to bottom.
class Page {
 public:
  Page(const InspectorContent& content, const Theme& theme, const QFont& font)
      : page_(new QWidget), column_(new QVBoxLayout(page_)), content_(content), theme_(theme), font_(font) {
    page_->setObjectName(QStringLiteral("inspector_page"));
    column_->setContentsMargins(ThemeSizes::margin, 12, ThemeSizes::margin, ThemeSizes::margin);
    column_->setSpacing(4);
  }

  QWidget* empty(const QString& hint) {
    column_->addWidget(text_label(hint, theme_.muted, QStringLiteral("inspector_hint")));
    column_->addStretch();
    return page_;
  }

  QWidget* full() {
    head();
    sentences(Inspector::tr("Why this plan"), content_.why, QStringLiteral("inspector_why"));
    parts(Inspector::tr("Where the iteration goes"), {}, content_.iteration, 1);
    parts(Inspector::tr("Memory"), content_.memory_sentence, content_.memory, content_.capacity_share);
    sentences(Inspector::tr("Certificate"), content_.certificate, QStringLiteral("inspector_certificate"));
    facts(Inspector::tr("Figures"), content_.figures);
    facts(Inspector::tr("Conventions in force"), content_.conventions);
    column_->addStretch();
    return page_;
  }

 private:
  void head() {
    QLabel* title = text_label(content_.title, theme_.text, QStringLiteral("inspector_title"));
    QFont large = title_font(font_);
    large.setPointSizeF(large.pointSizeF() * 1.15);
    title->setFont(large);
    column_->addWidget(title);
    if (!content_.subtitle.isEmpty()) column_->addWidget(text_label(content_.subtitle, theme_.muted));
  }

  void heading(const QString& text) {
    column_->addSpacing(10);
    QLabel* label = text_label(text, theme_.text);
    label->setFont(title_font(font_));
    column_->addWidget(label);
  }

  void sentences(const QString& title, const std::vector<QString>& lines, const QString& name) {
    if (lines.empty()) return;
    heading(title);
    auto* group = new QWidget;
    group->setObjectName(name);
    auto* column = new QVBoxLayout(group);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    for (const QString& line : lines) column->addWidget(text_label(line, theme_.text));
    column_->addWidget(group);
  }

  void parts(const QString& title, const QString& sentence, const std::vector<InspectorPart>& parts, double mark) {
    if (parts.empty()) return;
    heading(title);
    if (!sentence.isEmpty())
      column_->addWidget(
          text_label(sentence, content_.fits ? theme_.text : theme_.bad, QStringLiteral("inspector_memory")));
    column_->addWidget(new StackedBar(parts, mark));
    for (const InspectorPart& part : parts) column_->addWidget(new LegendRow(part));
  }

  void facts(const QString& title, const std::vector<InspectorFact>& facts) {
    if (facts.empty()) return;
    heading(title);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    for (const auto& [name, value] : facts) {
      const int row = grid->rowCount();
      QLabel* left = text_label(name, theme_.muted);
      left->setWordWrap(false);
      QLabel* right = text_label(value, theme_.text);
      right->setWordWrap(value.size() > 22);
      right->setAlignment(Qt::AlignRight | Qt::AlignTop);
      grid->addWidget(left, row, 0, Qt::AlignTop);
      grid->addWidget(right, row, 1);
    }
    column_->addLayout(grid);
  }

  QWidget* page_;
  QVBoxLayout* column_;
  const InspectorContent& content_;
  const Theme& theme_;
  QFont font_;
};

}  // namespace

Inspector::Inspector(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("inspector"));
  setAccessibleName(tr("Inspector"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(240);
  clear();
}

void Inspector::set_content(const InspectorContent& content) {
  if (!empty_ && content == content_) return;
  content_ = content;
  empty_ = false;
  rebuild();
}

void Inspector::clear(const QString& hint) {
  content_ = {};
  empty_ = true;
  hint_ = hint.isEmpty() ? tr("Select a plan to see its figures and the reasons for them.") : hint;
  rebuild();
}

void Inspector::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
  QScrollArea::changeEvent(event);
}

void Inspector::rebuild() {
  const Theme& theme = Theme::of(palette());
  Page page(content_, theme, font());
  QWidget* widget = empty_ ? page.empty(hint_) : page.full();
  QPalette ground = palette();
  ground.setColor(QPalette::Window, theme.panel);
  widget->setPalette(ground);
  widget->setAutoFillBackground(true);
  setWidget(widget);
}

}  // namespace pipedeck::app
