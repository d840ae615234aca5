// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/read_only_bar.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

ReadOnlyBar::ReadOnlyBar(QWidget* parent) : QFrame(parent), text_(new QLabel) {
  setObjectName(QStringLiteral("read_only_bar"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  text_->setObjectName(QStringLiteral("read_only_text"));
  auto* copy = new QPushButton(tr("Save a copy…"));
  copy->setObjectName(QStringLiteral("save_a_copy"));
  copy->setToolTip(tr("Save the project under another name"));
  connect(copy, &QPushButton::clicked, this, &ReadOnlyBar::save_copy_requested);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(views::widgets::ThemeSizes::margin, views::widgets::ThemeSizes::grid / 2,
                          views::widgets::ThemeSizes::margin, views::widgets::ThemeSizes::grid / 2);
  row->setSpacing(views::widgets::ThemeSizes::margin);
  row->addWidget(text_);
  row->addWidget(copy);
  row->addStretch(1);
  hide();
}

void ReadOnlyBar::show_reason(const QString& why) {
  text_->setText(tr("Read-only: %1 Changes are not written to the file.").arg(why));
  setVisible(!why.isEmpty());
}

}  // namespace pipedeck::ui::window
