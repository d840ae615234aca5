// SPDX-License-Identifier: GPL-3.0-or-later
// A page of help: Markdown set in the theme's colours, its pictures no wider than the window.
#pragma once

#include <map>
#include <utility>

#include <QImage>
#include <QTextBrowser>
#include <QTimer>

namespace pipedeck::app {

class HelpBrowser : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HelpBrowser(QWidget* parent = nullptr);

  void show_markdown(const QString& markdown);
  /// What stands at the top, as a position in the document.
  int top_position() const;
  /// Brings a position to the top.
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
  void dress();
  int picture_width() const;

  QString markdown_;
  int set_width_ = 0;
  int wanted_ = 0;  ///< the place that was gone to, until the reader scrolls; -1: none
  std::map<std::pair<QString, int>, QImage> pictures_;  ///< by name and room
  QTimer later_;
};

}  // namespace pipedeck::app
