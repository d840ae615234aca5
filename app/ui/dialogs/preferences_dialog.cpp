// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/preferences_dialog.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/ui/layout/zoom.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::dialogs {

PreferencesDialog::PreferencesDialog(const Preferences& now, QWidget* parent) : QDialog(parent), preferences_(now) {
  setObjectName(QStringLiteral("preferences"));
  setWindowTitle(tr("Preferences"));
  auto* appearance = new QComboBox;
  appearance->setObjectName(QStringLiteral("preferences_appearance"));
  const std::pair<layout::Appearance, QString> choices[] = {{layout::Appearance::system, tr("As the system")},
                                                            {layout::Appearance::light, tr("Light")},
                                                            {layout::Appearance::dark, tr("Dark")}};
  for (const auto& [value, text] : choices) appearance->addItem(text, static_cast<int>(value));
  appearance->setCurrentIndex(appearance->findData(static_cast<int>(now.appearance)));
  auto* zoom = new QSpinBox;
  zoom->setObjectName(QStringLiteral("preferences_zoom"));
  zoom->setRange(layout::least_zoom, layout::most_zoom);
  zoom->setSingleStep(5);
  zoom->setSuffix(tr(" %"));
  zoom->setKeyboardTracking(false);
  zoom->setValue(now.zoom);
  auto* start = new QCheckBox(tr("Show the start page"));
  start->setObjectName(QStringLiteral("preferences_start_page"));
  start->setChecked(now.start_page);
  auto* budget = new QComboBox;
  budget->setObjectName(QStringLiteral("preferences_budget"));
  for (const double seconds : {1.0, 10.0, 60.0, 600.0, 0.0})
    budget->addItem(seconds > 0 ? tr("%1 s").arg(seconds) : tr("unlimited"), seconds);
  if (budget->findData(now.budget) < 0) budget->addItem(tr("%1 s").arg(now.budget), now.budget);
  budget->setCurrentIndex(budget->findData(now.budget));
  auto* note = new QLabel(tr("Ctrl+= and Ctrl+− change the zoom, Ctrl+0 resets it."));
  views::widgets::set_text_colour(*note, views::widgets::Theme::of(palette()).muted);
  auto* budget_note = new QLabel(tr("For new projects. The question's own budget is in the bar."));
  views::widgets::set_text_colour(*budget_note, views::widgets::Theme::of(palette()).muted);
  auto* form = new QFormLayout;
  form->addRow(tr("&Appearance"), appearance);
  form->addRow(tr("&Zoom of the interface"), zoom);
  form->addRow({}, note);
  form->addRow(tr("&Budget per planner"), budget);
  form->addRow({}, budget_note);
  form->addRow(tr("At start"), start);
  auto* all = new QWidget;
  auto* row = new QHBoxLayout(all);
  row->setContentsMargins({});
  const auto add = [this, row](const QString& text, const char* name, const QString& tool_tip,
                               void (PreferencesDialog::*requested)()) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tool_tip);
    button->setAutoDefault(false);
    row->addWidget(button);
    connect(button, &QPushButton::clicked, this, requested);
  };
  add(tr("E&xport…"), "preferences_export", tr("Write these choices into a file"),
      &PreferencesDialog::export_requested);
  add(tr("&Import…"), "preferences_import", tr("Replace these choices by those of a file"),
      &PreferencesDialog::import_requested);
  add(tr("&Reset…"), "preferences_reset", tr("Return to the program's defaults"), &PreferencesDialog::reset_requested);
  row->addStretch(1);
  form->addRow(tr("All settings"), all);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  column->addSpacing(views::widgets::ThemeSizes::grid);
  column->addWidget(buttons);
  connect(appearance, &QComboBox::currentIndexChanged, this, [this, appearance] {
    preferences_.appearance = static_cast<layout::Appearance>(appearance->currentData().toInt());
    emit changed(preferences_);
  });
  connect(zoom, &QSpinBox::valueChanged, this, [this](int percent) {
    preferences_.zoom = percent;
    emit changed(preferences_);
  });
  connect(budget, &QComboBox::currentIndexChanged, this, [this, budget] {
    preferences_.budget = budget->currentData().toDouble();
    emit changed(preferences_);
  });
  connect(start, &QCheckBox::toggled, this, [this](bool on) {
    preferences_.start_page = on;
    emit changed(preferences_);
  });
}

}  // namespace pipedeck::ui::dialogs
