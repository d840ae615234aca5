// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/segment_switch.hpp"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace pipedeck::views::widgets {

SegmentSwitch::SegmentSwitch(const QStringList& texts, const QString& name, QWidget* parent)
    : QWidget(parent), buttons_(new QButtonGroup(this)) {
  setObjectName(name);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  for (qsizetype i = 0; i < texts.size(); ++i) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("%1_%2").arg(name).arg(i));
    button->setText(texts[i]);
    button->setCheckable(true);
    button->setChecked(i == 0);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setProperty("segment", i == 0 ? "first" : i + 1 == texts.size() ? "last" : "middle");  // of the style
    buttons_->addButton(button, static_cast<int>(i));
    row->addWidget(button);
  }
  connect(buttons_, &QButtonGroup::idToggled, this, [this](int segment, bool on) {
    if (on) emit chosen(segment);
  });
}

int SegmentSwitch::current() const { return buttons_->checkedId(); }

void SegmentSwitch::set_current(int segment) {
  const bool blocked = buttons_->blockSignals(true);
  if (QAbstractButton* button = buttons_->button(segment)) button->setChecked(true);
  buttons_->blockSignals(blocked);
}

void SegmentSwitch::set_enabled(int segment, bool on, const QString& tip) {
  QAbstractButton* button = buttons_->button(segment);
  if (!button) return;
  button->setEnabled(on);
  button->setToolTip(tip);
}

}  // namespace pipedeck::views::widgets
