// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/profile_preview.hpp"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QRegularExpression>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "app/views/widgets/wrapped_lines.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int kept_column = 4;

QString unbroken(QString text) {
  static const QRegularExpression between_groups(QStringLiteral("(?<=\\d) (?=\\d{3}\\b)"));
  return text.replace(between_groups, QString(QChar(QChar::Nbsp)));
}

}  // namespace

ProfilePreview::ProfilePreview(const QString& dialog, QWidget* beside)
    : summary_(new QLabel), layers_(new QTableWidget(0, 6)), notes_(new QListWidget) {
  summary_->setObjectName(dialog + QStringLiteral("_summary"));
  summary_->setWordWrap(true);
  summary_->setFont(views::widgets::title_font(font()));
  make_table(dialog);
  auto* across = new QSplitter(Qt::Horizontal);
  across->setObjectName(QStringLiteral("profile_preview_splitter"));
  across->setChildrenCollapsible(false);
  across->setHandleWidth(views::widgets::ThemeSizes::grid);
  across->addWidget(layers_);
  if (beside) across->addWidget(beside);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  auto* down = new QSplitter(Qt::Vertical);
  down->setChildrenCollapsible(false);
  down->addWidget(across);
  down->addWidget(make_notes(dialog));
  down->setStretchFactor(0, 3);
  down->setStretchFactor(1, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->addWidget(summary_);
  column->addWidget(down, 1);
}

void ProfilePreview::make_table(const QString& dialog) {
  layers_->setObjectName(dialog + QStringLiteral("_layers"));
  layers_->setAccessibleName(tr("Layers"));
  views::widgets::make_flat(*layers_);
  layers_->setItemDelegate(new views::widgets::FlatDelegate(layers_));
  layers_->setHorizontalHeaderLabels(
      {tr("Layer"), tr("Forward"), tr("Backward"), tr("Output"), tr("Saved"), tr("Parameters")});
  for (int column = 0; column < layers_->columnCount(); ++column)
    layers_->horizontalHeaderItem(column)->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) |
                                                            Qt::AlignVCenter);
  layers_->horizontalHeaderItem(kept_column)->setToolTip(tr("Saved for the backward pass, per micro-batch"));
  layers_->horizontalHeader()->setSectionsClickable(false);
  layers_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  layers_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

QWidget* ProfilePreview::make_notes(const QString& dialog) {
  notes_->setObjectName(dialog + QStringLiteral("_notes"));
  notes_->setAccessibleName(tr("Recognised and assumed"));
  views::widgets::wrap_lines(*notes_);
  notes_->setSelectionMode(QAbstractItemView::NoSelection);
  return views::widgets::titled(*notes_, tr("Understood and assumed"));
}

void ProfilePreview::show_profile(const Profile& profile, const std::vector<std::string>& notes) {
  wrong_ = false;
  colour_summary();
  summary_->setText(profile_sum(profile));
  notes_->clear();
  add_lines(*notes_, notes, true);
  layers_->setRowCount(static_cast<int>(profile.layers.size()));
  for (int row = 0; row < layers_->rowCount(); ++row) {
    const Layer& layer = profile.layers[static_cast<std::size_t>(row)];
    layers_->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(layer.name)));
    int column = 1;
    for (const QString& figure :
         {models::format_time(layer.forward), models::format_time(layer.backward), models::format_bytes(layer.output),
          models::format_bytes(layer.saved), models::format_bytes(layer.parameters)}) {
      auto* item = new QTableWidgetItem(figure);
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      layers_->setItem(row, column++, item);
    }
  }
}

void ProfilePreview::show_error(const Error& error) {
  wrong_ = true;
  colour_summary();
  summary_->setText(text::to_qstring(error));
  notes_->clear();
  layers_->setRowCount(0);
}

void ProfilePreview::colour_summary() {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  views::widgets::set_text_colour(*summary_, wrong_ ? theme.bad : theme.text);
}

void ProfilePreview::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) colour_summary();
  QWidget::changeEvent(event);
}

QString profile_sum(const Profile& profile) {
  Bytes parameters, kept;
  Seconds time;
  for (const Layer& layer : profile.layers) {
    parameters += layer.parameters, kept += layer.saved;
    time += layer.forward + layer.backward;
  }
  return ProfilePreview::tr("%1 · %2 of weights · %3 saved · %4 per micro-batch on one device")
      .arg(session::work::format_count(static_cast<qint64>(profile.layers.size()), ProfilePreview::tr("layer"),
                                       ProfilePreview::tr("layers")),
           models::format_bytes(parameters), models::format_bytes(kept), models::format_time(time));
}

void add_lines(QListWidget& list, const std::vector<std::string>& lines, bool tips) {
  for (const std::string& line : lines) {
    auto* item = new QListWidgetItem(unbroken(text::to_qstring(line)), &list);
    if (tips) item->setToolTip(item->text());
  }
}

}  // namespace pipedeck::ui::dialogs
