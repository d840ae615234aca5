// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette: a field and the matching actions, plans, models, clusters and operations below it. It floats
// over the window. Enter runs the chosen line, Ctrl+Enter runs it and stays.
#pragma once

#include <functional>

#include <QFrame>
#include <QPointer>

#include "app/ui/palette/search.hpp"

class QLineEdit;
class QListView;
class QSettings;
class QStandardItemModel;

namespace pipedeck::ui::palette {

class Palette : public QFrame {
  Q_OBJECT

 public:
  struct Sources {
    std::function<Entries()> all;                             ///< asked when it opens and after each run
    std::function<Entries(const QString& query)> operations;  ///< asked for each text after "#"
  };
  Palette(QWidget* window, QSettings* settings, Sources sources);

  void open(const QString& text = {});
  void close_palette();
  /// Returns the listed texts in order, without headings.
  QStringList shown() const;
  QLineEdit& field() const { return *field_; }
  QListView& list() const { return *list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void search();
  void fill(const std::vector<Section>& sections);
  void step(int by);
  void run(bool stay);
  void place();
  void apply_theme();
  void remember(const QString& id);

  QSettings* settings_;
  Sources sources_;
  QLineEdit* field_ = nullptr;
  QListView* list_ = nullptr;
  QStandardItemModel* model_ = nullptr;
  Entries entries_;
  std::vector<Entry> listed_;  ///< by row of the model; a heading has no text
  QPointer<QWidget> focus_before_;
  bool running_ = false;
};

}  // namespace pipedeck::ui::palette
