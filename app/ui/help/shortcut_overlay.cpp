// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/shortcut_overlay.hpp"

#include <algorithm>

#include <QApplication>
#include <QFrame>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::help {

namespace {

constexpr int column_width = 330;
constexpr int longest_key_row = 14;  // characters: more keys stand below one another
constexpr int widest = 3 * column_width + 4 * views::widgets::ThemeSizes::margin;
const QSize min_beside(64, 48);  // part of the window that stays visible around the card

QLabel* key_cap(const QString& text, const views::widgets::Theme& theme) {
  auto* cap = new QLabel(text);
  cap->setFont(views::widgets::caption_font(cap->font()));
  cap->setStyleSheet(
      QStringLiteral("color: %1; background: %2; border: 1px solid %3; border-radius: 4px; padding: 1px 6px;")
          .arg(theme.text.name(), theme.raised.name(), theme.border.name()));
  return cap;
}

QWidget* shown_group(const ShortcutGroup& group, const views::widgets::Theme& theme) {
  auto* box = new QWidget;
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 12);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(5);
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(0, box->fontMetrics().horizontalAdvance(QStringLiteral("Ctrl+Shift+WW")));
  auto* title = new QLabel(group.title);
  title->setFont(views::widgets::title_font(title->font()));
  views::widgets::set_text_colour(*title, theme.accent);
  grid->addWidget(title, 0, 0, 1, 2);
  int row = 1;
  for (const Shortcut& shortcut : group.shortcuts) {
    const bool below = shortcut.keys.size() > 1 && shortcut.keys.join(QString()).size() > longest_key_row;
    auto* caps = new QBoxLayout(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    caps->setSpacing(4);
    for (const QString& key : shortcut.keys) caps->addWidget(key_cap(key, theme), 0, Qt::AlignLeft);
    if (!below) caps->addStretch();
    grid->addLayout(caps, row, 0, Qt::AlignTop);
    auto* what = new QLabel(shortcut.what);
    what->setWordWrap(true);
    what->setAccessibleName(ShortcutOverlay::tr("%1: %2").arg(shortcut.keys.join(QStringLiteral(", ")), shortcut.what));
    views::widgets::set_text_colour(*what, theme.text);
    grid->addWidget(what, row++, 1, below ? Qt::AlignTop : Qt::AlignVCenter);
  }
  return box;
}

}  // namespace

ShortcutOverlay::ShortcutOverlay(QWidget* window)
    : QWidget(window), card_(new QFrame(this)), field_(new QLineEdit), list_(new QScrollArea) {
  setObjectName(QStringLiteral("shortcut_overlay"));
  setAccessibleName(tr("Shortcuts"));
  setFocusPolicy(Qt::StrongFocus);
  card_->setObjectName(QStringLiteral("shortcut_card"));
  auto* title = new QLabel(tr("Shortcuts"));
  QFont large = views::widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.3);
  title->setFont(large);
  field_->setObjectName(QStringLiteral("shortcut_search"));
  field_->setAccessibleName(tr("Search shortcuts"));
  field_->setPlaceholderText(tr("Search, e.g. zoom"));
  field_->setClearButtonEnabled(true);
  field_->setMaximumWidth(280);
  list_->setObjectName(QStringLiteral("shortcut_groups"));
  list_->setAccessibleName(tr("Shortcuts"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setWidgetResizable(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addStretch();
  head->addWidget(field_);
  auto* column = new QVBoxLayout(card_);
  column->setContentsMargins(22, 18, 22, 18);
  column->setSpacing(14);
  column->addLayout(head);
  column->addWidget(list_, 1);
  connect(field_, &QLineEdit::textChanged, this, &ShortcutOverlay::search);
  hide();
}

void ShortcutOverlay::open() {
  if (isVisible()) return close_overlay();
  focus_before_ = QApplication::focusWidget();
  all_ = shortcuts_of(*window());
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  card_->setStyleSheet(QStringLiteral("#shortcut_card { background: %1; border: 1px solid %2; border-radius: 8px; }")
                           .arg(theme.panel.name(), theme.border.name()));
  field_->clear();
  place();
  search({});
  window()->installEventFilter(this);
  show();
  raise();
  field_->setFocus();
}

void ShortcutOverlay::close_overlay() {
  window()->removeEventFilter(this);
  hide();
  if (focus_before_) focus_before_->setFocus();
}

void ShortcutOverlay::place() {
  setGeometry(window()->rect());
  const QSize room = size() - min_beside;
  card_->resize(std::min(widest, room.width()), std::min(720, room.height()));
  card_->move((width() - card_->width()) / 2, (height() - card_->height()) / 2);
}

void ShortcutOverlay::search(const QString& wanted) {
  shown_ = matching(all_, wanted);
  list_->setWidget(page());
}

/// Places the groups in as many columns as fit, broken so that the columns have similar heights.
QWidget* ShortcutOverlay::page() const {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  auto* page = new QWidget;
  views::widgets::set_ground(*page, theme.panel);
  auto* columns = new QHBoxLayout(page);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(24);
  if (shown_.empty()) {
    auto* none = new QLabel(tr("No shortcut matches. Try another word, or clear the field to see all."));
    none->setWordWrap(true);
    views::widgets::set_text_colour(*none, theme.muted);
    columns->addWidget(none, 0, Qt::AlignTop);
    return page;
  }
  const int count = std::clamp(card_->width() / column_width, 1, 3);
  std::size_t lines = 0;
  for (const ShortcutGroup& group : shown_) lines += group.shortcuts.size() + 2;
  const std::size_t a_column = (lines + static_cast<std::size_t>(count) - 1) / static_cast<std::size_t>(count);
  std::size_t taken = 0;
  QVBoxLayout* column = nullptr;
  for (const ShortcutGroup& group : shown_) {
    const std::size_t size = group.shortcuts.size() + 2;
    const bool full = column && taken + size / 2 > a_column && columns->count() < count;
    if (!column || full) {
      column = new QVBoxLayout;
      column->setSpacing(4);
      columns->addLayout(column, 1);
      taken = 0;
    }
    column->addWidget(shown_group(group, theme));
    taken += size;
  }
  for (int i = 0; i < columns->count(); ++i) static_cast<QVBoxLayout*>(columns->itemAt(i)->layout())->addStretch();
  return page;
}

bool ShortcutOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    place();
    list_->setWidget(page());
  }
  return QWidget::eventFilter(watched, event);
}

void ShortcutOverlay::paintEvent(QPaintEvent*) {
  constexpr int dimmed = 110;
  QPainter(this).fillRect(rect(), QColor(0, 0, 0, dimmed));
}

void ShortcutOverlay::mousePressEvent(QMouseEvent* event) {
  if (!card_->geometry().contains(event->pos())) close_overlay();
}

void ShortcutOverlay::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return close_overlay();
  QWidget::keyPressEvent(event);
}

}  // namespace pipedeck::ui::help
