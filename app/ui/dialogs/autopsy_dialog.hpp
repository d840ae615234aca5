// SPDX-License-Identifier: GPL-3.0-or-later
// The report on the files that a run left behind: what each is taken for, who is missing or late, and measured memory
// over time next to the selected plan's. It stays open next to the window.
#pragma once

#include <memory>

#include <QDialog>

#include "app/session/autopsy/report.hpp"

class QComboBox;
class QTextBrowser;

namespace pipedeck::views::memory {
class PileChart;
}

namespace pipedeck::ui::dialogs {

class AutopsyDialog : public QDialog {
  Q_OBJECT

 public:
  explicit AutopsyDialog(std::shared_ptr<const session::autopsy::Report> report, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_pile(int number);
  void write();
  QString html() const;

  std::shared_ptr<const session::autopsy::Report> report_;
  QComboBox* piles_;
  views::memory::PileChart* chart_;
  QTextBrowser* text_;
};

}  // namespace pipedeck::ui::dialogs
