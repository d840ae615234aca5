// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of a file as a profile in an import dialog: totals in a line, the table of layers, notes on results and
// assumptions.
#pragma once

#include <string>
#include <vector>

#include <QWidget>

#include "core/model/profile.hpp"

class QLabel;
class QListWidget;
class QTableWidget;

namespace pipedeck::ui::dialogs {

class ProfilePreview : public QWidget {
  Q_OBJECT

 public:
  /// Takes a prefix of object names: "trace" gives trace_summary, trace_layers, trace_notes. The widget `beside` is at
  /// the right of the table.
  explicit ProfilePreview(const QString& dialog, QWidget* beside = nullptr);

  void show_profile(const Profile& profile, const std::vector<std::string>& notes);
  /// Shows why there is no profile.
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

/// Returns the number of layers, weights, bytes saved for backward, and the time of a micro-batch.
QString profile_sum(const Profile& profile);

/// Adds lines in the window's language, without breaks inside numbers. With `tips` each item has its full line as
/// tooltip: names from files may be too long for the list.
void add_lines(QListWidget& list, const std::vector<std::string>& lines, bool tips);

}  // namespace pipedeck::ui::dialogs
