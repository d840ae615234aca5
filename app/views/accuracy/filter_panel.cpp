// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/accuracy/filter_panel.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::accuracy {

FilterPanel::FilterPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("accuracy_filter"));
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(make_head());
  auto* lists = new QWidget;
  auto* column = new QVBoxLayout(lists);
  column->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                             widgets::ThemeSizes::grid);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  for (int i = 0; i < models::accuracy::section_count; ++i)
    make_group(static_cast<models::accuracy::Section>(i), column);
  column->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("accuracy_filter_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(lists);
  rows->addWidget(scroll, 1);
  rows->addWidget(make_foot());
  apply_theme();
}

QWidget* FilterPanel::make_head() {
  auto* head = new QWidget;
  auto* rows = new QVBoxLayout(head);
  rows->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                           widgets::ThemeSizes::grid / 2);
  rows->setSpacing(widgets::ThemeSizes::grid / 2);
  auto* line = new QHBoxLayout;
  title_ = new QLabel(tr("Filter"));
  reset_ = new QToolButton;
  reset_->setObjectName(QStringLiteral("accuracy_reset"));
  reset_->setAutoRaise(true);
  reset_->setText(tr("Reset"));
  reset_->setToolTip(tr("Show all runs"));
  reset_->setFocusPolicy(Qt::StrongFocus);
  connect(reset_, &QToolButton::clicked, this, [this] {
    set_filter({});
    emit filter_changed();
  });
  line->addWidget(title_, 1);
  line->addWidget(reset_);
  rows->addLayout(line);
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("accuracy_search"));
  search_->setPlaceholderText(tr("model, mapping, row"));
  search_->setAccessibleName(tr("Search the runs"));
  search_->setToolTip(tr("Shows runs with all of these words: llama h100 tp 4 fp8"));
  search_->setClearButtonEnabled(true);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
    filter_.words = words;
    emit filter_changed();
  });
  rows->addWidget(search_);
  return head;
}

QWidget* FilterPanel::make_foot() {
  auto* foot = new QWidget;
  auto* rows = new QVBoxLayout(foot);
  rows->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::grid, widgets::ThemeSizes::margin,
                           widgets::ThemeSizes::grid);
  rows->setSpacing(widgets::ThemeSizes::grid / 2);
  add_ = new QPushButton(tr("Add your own runs…"));
  add_->setObjectName(QStringLiteral("accuracy_add"));
  connect(add_, &QPushButton::clicked, this, &FilterPanel::add_requested);
  hint_ = new QLabel(tr("CSV with the same columns"));
  rows->addWidget(add_);
  rows->addWidget(hint_);
  return foot;
}

void FilterPanel::make_group(models::accuracy::Section section, QVBoxLayout* column) {
  Group& group = groups_[static_cast<std::size_t>(section)];
  group.heading = new QLabel(models::accuracy::section_text(section));
  group.column = new QVBoxLayout;
  group.column->setSpacing(widgets::ThemeSizes::grid / 2);
  group.column->setContentsMargins(0, 0, 0, widgets::ThemeSizes::grid);
  column->addWidget(group.heading);
  column->addLayout(group.column);
}

void FilterPanel::make_lines(models::accuracy::Section section,
                             const std::vector<models::accuracy::FilterChoice>& choices) {
  Group& group = groups_[static_cast<std::size_t>(section)];
  for (const Line& line : group.lines) delete line.box;
  group.lines.clear();
  for (const models::accuracy::FilterChoice& choice : choices) {
    Line line{choice.key, new QWidget, new QCheckBox(choice.text), new QLabel};
    line.check->setObjectName(
        QStringLiteral("accuracy_filter_%1_%2").arg(static_cast<int>(section)).arg(group.lines.size()));
    auto* row = new QHBoxLayout(line.box);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(line.check, 1);
    row->addWidget(line.count);
    connect(line.check, &QCheckBox::clicked, this, [this, section, key = choice.key] { toggle(section, key); });
    group.column->addWidget(line.box);
    group.lines.push_back(line);
  }
  apply_theme();
}

void FilterPanel::toggle(models::accuracy::Section section, const QString& key) {
  QSet<QString>& keys = filter_.of(section);
  if (!keys.remove(key)) keys.insert(key);
  emit filter_changed();
}

void FilterPanel::set_choices(const models::accuracy::RunChoices& choices) {
  for (int i = 0; i < models::accuracy::section_count; ++i) {
    const auto section = static_cast<models::accuracy::Section>(i);
    const std::vector<models::accuracy::FilterChoice> shown = choices.choices(section, filter_);
    Group& group = groups_[static_cast<std::size_t>(i)];
    const bool same = std::ranges::equal(
        group.lines, shown, {}, [](const Line& line) { return line.key + line.check->text(); },
        [](const models::accuracy::FilterChoice& choice) { return choice.key + choice.text; });
    if (!same) make_lines(section, shown);
    group.heading->setVisible(!shown.empty());
    for (std::size_t line = 0; line < shown.size(); ++line) {
      group.lines[line].check->setChecked(shown[line].on);
      group.lines[line].count->setText(QLocale().toString(shown[line].count));
      group.lines[line].check->setAccessibleDescription(
          models::counted(shown[line].count, tr("one run"), tr("%1 runs")));
    }
  }
  reset_->setEnabled(filter_ != models::accuracy::RunFilter());
}

void FilterPanel::set_filter(const models::accuracy::RunFilter& filter) {
  filter_ = filter;
  const QSignalBlocker quiet(search_);
  search_->setText(filter.words);
}

void FilterPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void FilterPanel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_ground(*this, theme.panel);
  if (auto* scroll = findChild<QScrollArea*>(QStringLiteral("accuracy_filter_scroll")))
    widgets::set_ground(*scroll->widget(), theme.panel);
  title_->setFont(widgets::title_font(font()));
  hint_->setFont(widgets::caption_font(font()));
  widgets::set_text_colour(*hint_, theme.muted);
  for (const Group& group : groups_) {
    group.heading->setFont(widgets::section_font(font()));
    widgets::set_text_colour(*group.heading, theme.muted);
    for (const Line& line : group.lines) widgets::set_text_colour(*line.count, theme.muted);
  }
}

}  // namespace pipedeck::views::accuracy
