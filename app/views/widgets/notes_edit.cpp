// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/notes_edit.hpp"

#include <algorithm>

#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::widgets {

bool NotesField::event(QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return QPlainTextEdit::event(event);
  auto* key = static_cast<QKeyEvent*>(event);
  // With nothing left to undo here, the window's Undo applies.
  if (key->matches(QKeySequence::Undo) && !document()->isUndoAvailable()) return false;
  const bool handled = QPlainTextEdit::event(event);
  if (!event->isAccepted() && key->modifiers() != Qt::NoModifier) emit left();  // a shortcut may follow: Save
  return handled;
}

void NotesField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return emit cancelled();
  QPlainTextEdit::keyPressEvent(event);
}

void NotesField::focusInEvent(QFocusEvent* event) {
  QPlainTextEdit::focusInEvent(event);
  emit entered();
}

void NotesField::focusOutEvent(QFocusEvent* event) {
  QPlainTextEdit::focusOutEvent(event);
  emit left();
}

NotesEdit::NotesEdit(QWidget* parent) : QWidget(parent), title_(new QLabel(tr("Notes"))), field_(new NotesField) {
  setObjectName(QStringLiteral("notes"));
  field_->setObjectName(QStringLiteral("notes_field"));
  field_->setAccessibleName(tr("Notes about the plan"));
  field_->setPlaceholderText(tr("Notes about this plan"));
  field_->setTabChangesFocus(true);
  title_->setBuddy(field_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(ThemeSizes::margin, 6, ThemeSizes::margin, 10);
  column->setSpacing(4);
  column->addWidget(title_);
  column->addWidget(field_);
  connect(field_, &NotesField::left, this, &NotesEdit::commit);
  connect(field_, &NotesField::left, this, &NotesEdit::fit_height);
  connect(field_, &NotesField::entered, this, &NotesEdit::fit_height);
  connect(field_, &QPlainTextEdit::textChanged, this, &NotesEdit::fit_height);
  connect(field_, &NotesField::cancelled, this, [this] { field_->setPlainText(notes_); });
  apply_theme();
  hide();
}

void NotesEdit::show_notes(int id, const QString& notes) {
  if (id != id_) commit();
  if (id == id_ && notes == notes_) return;
  id_ = id;
  notes_ = notes;
  if (field_->toPlainText() != notes) field_->setPlainText(notes);
  setVisible(id != 0);
}

void NotesEdit::commit() {
  const QString typed = field_->toPlainText().trimmed();
  if (id_ == 0 || typed == notes_) return;
  notes_ = typed;
  emit edited(id_, typed);
}

/// Takes four lines while notes are written, otherwise as few as they need: the inspector has the room.
void NotesEdit::fit_height() {
  constexpr int most = 4, padding = 16;
  const int lines = field_->hasFocus() ? most : std::clamp(field_->blockCount(), 1, most);
  field_->setFixedHeight(QFontMetrics(font()).lineSpacing() * lines + padding);
}

void NotesEdit::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void NotesEdit::apply_theme() {
  const Theme& theme = Theme::of(palette());
  title_->setFont(title_font(font()));
  fit_height();
  set_text_colour(*title_, theme.text);
  field_->setStyleSheet(
      QStringLiteral("QPlainTextEdit { background: %1; color: %2; border: 1px solid %3; border-radius: %6px; padding: "
                     "2px 4px; selection-background-color: %5; } QPlainTextEdit:focus { border-color: %4; }")
          .arg(theme.panel.name(), theme.text.name(), theme.border.name(), theme.accent.name(),
               theme.accent_soft.name())
          .arg(ThemeSizes::radius));
  set_ground(*this, theme.panel);
}

}  // namespace pipedeck::views::widgets
