// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/mesh/editor.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/mesh/degrees.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/wrapping_row.hpp"

namespace pipedeck::views::mesh {

Editor::Editor(QWidget* parent)
    : QWidget(parent),
      product_(new QLabel),
      verdict_(new QLabel),
      reason_(new QLabel),
      uneven_(new QToolButton),
      search_(new QPushButton(tr("Search the unlocked"))),
      scroll_(new QScrollArea),
      degrees_(new Degrees) {
  setObjectName(QStringLiteral("mesh_editor"));
  product_->setObjectName(QStringLiteral("mesh_product"));
  product_->setTextFormat(Qt::RichText);
  verdict_->setObjectName(QStringLiteral("mesh_verdict"));
  reason_->setObjectName(QStringLiteral("mesh_reason"));
  reason_->setWordWrap(true);
  reason_->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                              widgets::ThemeSizes::grid);
  reason_->hide();
  uneven_->setObjectName(QStringLiteral("mesh_uneven"));
  uneven_->setText(tr("Uneven stages"));
  uneven_->setCheckable(true);
  uneven_->setToolTip(tr("Edit the stages one by one"));
  search_->setObjectName(QStringLiteral("mesh_search"));
  search_->setAutoDefault(false);
  search_->setToolTip(tr("Ask the planner mesh for the best degrees; locked dimensions stay as they are"));
  scroll_->setObjectName(QStringLiteral("mesh_scroll"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setWidget(degrees_);
  auto* header = new widgets::WrappingRow;
  header->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid / 2, widgets::ThemeSizes::margin,
                             widgets::ThemeSizes::grid / 2);
  header->add(product_);
  header->add(verdict_);
  header->add_stretch();
  header->add(uneven_);
  header->add(search_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(header);
  column->addWidget(reason_);
  column->addWidget(scroll_, 1);
  connect(search_, &QPushButton::clicked, this, &Editor::search_wanted);
  connect(uneven_, &QToolButton::toggled, this, [this](bool on) {
    scroll_->setVisible(!on);
    emit uneven_changed(on);
  });
  connect(degrees_, &Degrees::focus_moved, this, [this](const QRect& place) {
    scroll_->ensureVisible(place.center().x(), place.center().y(), place.width() / 2 + 8, place.height() / 2 + 8);
  });
}

bool Editor::uneven() const { return uneven_->isChecked(); }

void Editor::set_sheet(const models::mesh::Sheet& sheet) {
  reason_->hide();
  search_->setEnabled(true);
  sheet_ = sheet;
  show_product();
  degrees_->set_sheet(sheet);
  updateGeometry();
}

void Editor::set_reason(const QString& reason) {
  sheet_ = {};
  show_product();
  degrees_->set_sheet({});
  reason_->setText(reason);
  reason_->setVisible(!reason.isEmpty());
  search_->setEnabled(false);
}

void Editor::show_product() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QStringList factors;
  for (const models::mesh::Factor& factor : sheet_.product)
    factors << QStringLiteral("<span style='color:%1'>%2</span> <b>%3</b>")
                   .arg(theme.muted.name(), factor.name)
                   .arg(factor.degree);
  product_->setText(factors.isEmpty()
                        ? QString()
                        : factors.join(QStringLiteral(" × ")) + QStringLiteral(" = <b>%1</b>").arg(sheet_.total));
  verdict_->setText(sheet_.verdict);
  QPalette colours = verdict_->palette();
  colours.setColor(QPalette::WindowText, sheet_.fits ? theme.good : theme.bad);
  verdict_->setPalette(colours);
}

QSize Editor::sizeHint() const {
  const int header = layout()->itemAt(0)->widget()->sizeHint().height();
  const int rows = uneven() ? 0 : degrees_->minimumHeight();
  return {700, header + (reason_->isHidden() ? rows : reason_->sizeHint().height())};
}

QSize Editor::minimumSizeHint() const {
  const int header = layout()->itemAt(0)->widget()->minimumSizeHint().height();
  return {200, header + (uneven() ? 0 : 60)};
}

void Editor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_product();
}

}  // namespace pipedeck::views::mesh
