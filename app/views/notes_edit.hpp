// SPDX-License-Identifier: GPL-3.0-or-later
// What a person notes about the plan that is selected. The text is handed on when the field is left, and before any
// shortcut is obeyed, so that a plan's notes are one edit and nothing typed is lost; Esc gives it up.
#pragma once

#include <QPlainTextEdit>
#include <QWidget>

class QLabel;

namespace pipedeck::app {

class NotesField : public QPlainTextEdit {
  Q_OBJECT

 public:
  using QPlainTextEdit::QPlainTextEdit;

 signals:
  void left();
  void given_up();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
};

class NotesEdit : public QWidget {
  Q_OBJECT

 public:
  explicit NotesEdit(QWidget* parent = nullptr);

  /// The notes of the plan of that id; 0: there is none, and no field.
  void show_notes(int id, const QString& notes);
  /// Hands on what was typed.
  void commit();
  NotesField& field() const { return *field_; }

 signals:
  void edited(int id, const QString& notes);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void apply_theme();

  QLabel* title_;
  NotesField* field_;
  int id_ = 0;
  QString notes_;
};

}  // namespace pipedeck::app
