// SPDX-License-Identifier: GPL-3.0-or-later
// Help > User guide: pages with pictures, a table of contents, full-text search and links. Nothing is downloaded;
// external links open in the browser.
#pragma once

#include <functional>

#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;
class QUrl;

namespace pipedeck::ui::help {

class HelpBrowser;

class HelpWindow : public QWidget {
  Q_OBJECT

 public:
  /// Calls `open_outside` with addresses that are not pages.
  explicit HelpWindow(std::function<void(const QUrl&)> open_outside, QWidget* parent = nullptr);

  /// Shows a page at the heading with that slug; an unknown slug shows the beginning.
  void show_page(const QString& file, const QString& slug = {});
  const QString& file() const { return file_; }
  /// Returns the heading at the top of the visible part.
  QString heading() const;
  HelpBrowser& browser() const { return *browser_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Place {
    QString file;
    int position = 0;
  };

  QWidget* make_side();
  QWidget* make_bar();
  void load(const QString& file);
  void fill_contents();
  void follow(const QUrl& link);
  void go_to(const Place& place);
  void remember();
  void find(bool backward);
  bool find_in_page(const QString& words, bool backward, bool from_edge);
  void mark_current();
  void update_history();

  std::function<void(const QUrl&)> open_outside_;
  HelpBrowser* browser_;
  QTreeWidget* contents_ = nullptr;
  QLineEdit* search_ = nullptr;
  QLabel* found_ = nullptr;
  QAction* back_ = nullptr;
  QAction* forward_ = nullptr;
  QString file_;
  std::vector<Place> past_, future_;
};

}  // namespace pipedeck::ui::help
