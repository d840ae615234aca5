// SPDX-License-Identifier: GPL-3.0-or-later
// A page of help: Markdown in the theme's colours, with pictures no wider than the window.
#pragma once

#include <map>
#include <utility>

#include <QImage>
#include <QTextBrowser>
#include <QTimer>

namespace pipedeck::ui::help {

class HelpBrowser : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HelpBrowser(QWidget* parent = nullptr);

  void show_markdown(const QString& markdown);
  /// Returns the document position of the top line.
  int top_position() const;
  /// Scrolls a position to the top.
  void scroll_to(int position);

  QVariant loadResource(int type, const QUrl& name) override;

 signals:
  void scrolled();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void set_out();
  void apply_style(QTextDocument& page) const;
  int picture_width() const;

  QString markdown_;
  int set_width_ = 0;
  int wanted_ = 0;                                      ///< requested position, until the user scrolls; -1: none
  std::map<std::pair<QString, int>, QImage> pictures_;  ///< by name and available width
  QTimer later_;
};

}  // namespace pipedeck::ui::help
