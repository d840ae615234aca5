// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/flag_editor.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/views/gantt/time_axis_controller.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

namespace {

Nanoseconds flag_time(double time) { return Nanoseconds(static_cast<std::int64_t>(time)); }

QString flag_time_text(const models::gantt::Flag& flag) {
  if (!flag.is_span()) return models::format_time(flag_time(flag.begin));
  return QStringLiteral("%1  (%2)")
      .arg(models::format_span(flag_time(flag.begin), flag_time(flag.end)),
           models::format_time(flag_time(flag.end - flag.begin)));
}

}  // namespace

FlagEditor::FlagEditor(TimeAxisController* link, std::size_t index, QWidget* parent)
    : QFrame(parent, Qt::Popup), link_(link), index_(index), flag_(link->flags()[index]), note_(new QLineEdit) {
  setObjectName(QStringLiteral("flag_editor"));
  setFrameShape(QFrame::StyledPanel);
  setAttribute(Qt::WA_DeleteOnClose);
  note_->setObjectName(QStringLiteral("flag_note"));
  note_->setAccessibleName(tr("Note"));
  note_->setPlaceholderText(tr("Note"));
  note_->setText(flag_.note);
  note_->setMinimumWidth(260);
  connect(note_, &QLineEdit::returnPressed, this, &QWidget::close);
  auto* title = new QLabel(flag_time_text(flag_));
  title->setFont(widgets::title_font(font()));
  const auto button = [this](const QString& text, const char* name) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setObjectName(QLatin1String(name));
    return made;
  };
  auto* row = new QHBoxLayout;
  row->addWidget(title, 1);
  if (flag_.is_span()) {
    QToolButton* zoom = button(tr("Zoom to it"), "flag_zoom");
    connect(zoom, &QToolButton::clicked, this, [this] {
      link_->zoom_to(flag_.begin, flag_.end);
      close();
    });
    row->addWidget(zoom);
  }
  QToolButton* remove = button(tr("Remove"), "flag_remove");
  connect(remove, &QToolButton::clicked, this, &FlagEditor::remove);
  row->addWidget(remove);
  auto* column = new QVBoxLayout(this);
  column->addLayout(row);
  column->addWidget(note_);
  note_->setFocus();
}

void FlagEditor::remove() {
  removed_ = true;
  close();
}

void FlagEditor::closeEvent(QCloseEvent* event) {
  QFrame::closeEvent(event);
  // The flags may have changed by undo while the panel was open.
  if (index_ >= link_->flags().size() || link_->flags()[index_] != flag_) return;
  if (removed_) return link_->change_flag(index_, std::nullopt);
  models::gantt::Flag noted = flag_;
  noted.note = note_->text().trimmed();
  link_->change_flag(index_, noted);
}

}  // namespace pipedeck::views::gantt
