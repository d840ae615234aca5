// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/written_note.hpp"

#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

namespace pipedeck::ui::actions {

namespace {

constexpr int note_shown_ms = 60'000;

}  // namespace

WrittenNote::WrittenNote(QWidget* parent) : QWidget(parent), text_(new QLabel), until_(new QTimer(this)) {
  setObjectName(QStringLiteral("written_note"));
  text_->setObjectName(QStringLiteral("written_file"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(text_);
  const auto go = [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); };
  connect(add_button(tr("Open"), "written_open", tr("Open the file with the system's program")), &QToolButton::clicked,
          this, [this, go] { go(file_); });
  connect(add_button(tr("Show in folder"), "written_folder", tr("Open the folder that the file is in")),
          &QToolButton::clicked, this, [this, go] { go(QFileInfo(file_).absolutePath()); });
  until_->setSingleShot(true);
  until_->setInterval(note_shown_ms);
  connect(until_, &QTimer::timeout, this, &QWidget::hide);
  hide();
}

QToolButton* WrittenNote::add_button(const QString& text, const char* name, const QString& tool_tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setObjectName(QLatin1String(name));
  button->setToolTip(tool_tip);
  button->setAutoRaise(true);
  layout()->addWidget(button);
  return button;
}

void WrittenNote::show_file(const QString& file) {
  file_ = file;
  text_->setText(tr("Wrote %1").arg(QFileInfo(file).fileName()));
  text_->setToolTip(QFileInfo(file).absoluteFilePath());
  show();
  until_->start();
}

}  // namespace pipedeck::ui::actions
