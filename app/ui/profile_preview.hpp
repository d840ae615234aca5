// SPDX-License-Identifier: GPL-3.0-or-later
// What a file would be as a profile, below the questions of an import's dialog: the sum of its layers in a line, their
// table, and what was understood and assumed.
#pragma once

#include <string>
#include <vector>

#include <QWidget>

#include "core/domain/profile.hpp"

class QLabel;
class QListWidget;
class QTableWidget;

namespace pipedeck::app {

class ProfilePreview : public QWidget {
  Q_OBJECT

 public:
  /// `dialog` begins the names of the parts: "trace" has trace_summary, trace_layers, trace_notes. `beside` stands at
  /// the right of the table.
  explicit ProfilePreview(const QString& dialog, QWidget* beside = nullptr);

  void show_profile(const Profile& profile, const std::vector<std::string>& notes);
  /// Why there is none.
  void show_error(const Error& error);

  QTableWidget& layers() const { return *layers_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_table(const QString& dialog);
  QWidget* make_notes(const QString& dialog);
  void colour_summary();

  bool wrong_ = false;
  QLabel* summary_;
  QTableWidget* layers_;
  QListWidget* notes_;
};

/// Layers, weights, what is kept for the backward pass and the time of a micro-batch.
QString profile_sum(const Profile& profile);

/// In the window's language; figures of several groups of digits stay on one line. With `tips` an item tells its whole
/// line, for those that are elided: names of a file may be too long for the list.
void add_lines(QListWidget& list, const std::vector<std::string>& lines, bool tips);

}  // namespace pipedeck::app
