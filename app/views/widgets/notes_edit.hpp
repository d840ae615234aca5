// SPDX-License-Identifier: GPL-3.0-or-later
// A field for the user's notes about the selected plan. The text is committed when the field loses the focus and before
// any shortcut runs. The notes are thus one edit, and nothing typed is lost. Esc discards it.
#pragma once

#include <QPlainTextEdit>
#include <QWidget>

class QLabel;

namespace pipedeck::views::widgets {

class NotesField : public QPlainTextEdit {
  Q_OBJECT

 public:
  using QPlainTextEdit::QPlainTextEdit;

 signals:
  void entered();
  void left();
  void cancelled();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
};

class NotesEdit : public QWidget {
  Q_OBJECT

 public:
  explicit NotesEdit(QWidget* parent = nullptr);

  /// Shows the notes of the plan with that id; 0: no plan and no field.
  void show_notes(int id, const QString& notes);
  /// Emits the typed text.
  void commit();
  NotesField& field() const { return *field_; }

 signals:
  void edited(int id, const QString& notes);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void apply_theme();
  void fit_height();

  QLabel* title_;
  NotesField* field_;
  int id_ = 0;
  QString notes_;
};

}  // namespace pipedeck::views::widgets
