// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/read_only_bar.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "app/views/theme.hpp"

namespace pipedeck::app {

ReadOnlyBar::ReadOnlyBar(QWidget* parent) : QFrame(parent), text_(new QLabel) {
  setObjectName(QStringLiteral("read_only_bar"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  text_->setObjectName(QStringLiteral("read_only_text"));
  auto* copy = new QPushButton(tr("Save a copy…"));
  copy->setObjectName(QStringLiteral("save_a_copy"));
  copy->setToolTip(tr("Keep the project under another name, where it can be saved"));
  connect(copy, &QPushButton::clicked, this, &ReadOnlyBar::save_copy_requested);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(ThemeSizes::margin, ThemeSizes::grid / 2, ThemeSizes::margin, ThemeSizes::grid / 2);
  row->setSpacing(ThemeSizes::margin);
  row->addWidget(text_);
  row->addWidget(copy);
  row->addStretch(1);
  hide();
}

void ReadOnlyBar::show_reason(const QString& why) {
  text_->setText(tr("Read-only: %1 What you change here is not written to the file.").arg(why));
  setVisible(!why.isEmpty());
}

}  // namespace pipedeck::app
