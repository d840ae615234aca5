// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/profile/view.hpp"

#include <algorithm>

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <QValidator>

#include "app/models/format.hpp"
#include "app/models/profile/profile_table_model.hpp"
#include "app/views/profile/bars.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::profile {

namespace {

/// Keeps an editor open while its text is no figure.
class FigureValidator : public QValidator {
 public:
  explicit FigureValidator(widgets::QuantityEdit& field) : QValidator(&field), field_(field) {}
  State validate(QString&, int&) const override { return field_.problem().isEmpty() ? Acceptable : Intermediate; }

 private:
  const widgets::QuantityEdit& field_;
};

/// A delegate that shows a number over a faint bar of its share of the column's largest.
class FigureDelegate : public widgets::FlatDelegate {
 public:
  using widgets::FlatDelegate::FlatDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    widgets::FlatDelegate::paint(painter, option, index);
    const QVariant share = index.data(models::profile::TableModel::share_role);
    if (!share.isValid()) return;
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    const double width = (option.rect.width() - 16) * share.toDouble();
    painter->fillRect(QRectF(option.rect.right() - 8 - width, option.rect.bottom() - 3, width, 2), theme.of_group(0));
  }

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariant measure = index.data(models::profile::TableModel::measure_role);
    if (!measure.isValid()) return widgets::FlatDelegate::createEditor(parent, option, index);
    const auto of = static_cast<QuantityKind>(measure.toInt());
    auto* field =
        new widgets::QuantityEdit(of, of == QuantityKind::time ? QStringLiteral("ms") : QStringLiteral("B"), parent);
    field->setFrame(false);
    field->setValidator(new FigureValidator(*field));
    field->setAccessibleName(index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
    return field;
  }

  /// Sets all digits; the cell shows a rounded number.
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    auto* field = qobject_cast<widgets::QuantityEdit*>(editor);
    if (!field) return widgets::FlatDelegate::setEditorData(editor, index);
    const double figure = index.data(Qt::EditRole).toDouble();
    const bool time = index.data(models::profile::TableModel::measure_role).toInt() == int(QuantityKind::time);
    field->set_value(figure);
    field->setText(time ? QStringLiteral("%1 ms").arg(figure * 1e3, 0, 'g', 10)
                        : QStringLiteral("%1 B").arg(static_cast<qint64>(figure)));
    field->selectAll();
  }

  /// Makes room for all digits.
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override {
    widgets::FlatDelegate::updateEditorGeometry(editor, option, index);
    QRect room = editor->geometry();
    const int missing = editor->fontMetrics().averageCharWidth() * 24 - room.width();
    if (qobject_cast<widgets::QuantityEdit*>(editor) && missing > 0) room.setLeft(room.left() - missing);
    editor->setGeometry(room);
  }

  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    const auto* field = qobject_cast<widgets::QuantityEdit*>(editor);
    if (!field) return widgets::FlatDelegate::setModelData(editor, model, index);
    if (!field->problem().isEmpty()) {
      QToolTip::showText(editor->mapToGlobal(QPoint(0, editor->height())), field->problem(), editor->parentWidget());
      return;
    }
    if (!field->value()) return;
    model->setData(index, *field->value(), Qt::EditRole);
  }
};

}  // namespace

View::View(QWidget* parent)
    : QWidget(parent),
      model_(new models::profile::TableModel(this)),
      head_(new QHBoxLayout),
      title_(new QLabel),
      totals_(new QLabel),
      gaps_(new QLabel),
      bars_(new Bars),
      table_(new QTableView) {
  setObjectName(QStringLiteral("profile_view"));
  title_->setObjectName(QStringLiteral("profile_title"));
  totals_->setObjectName(QStringLiteral("profile_totals"));
  gaps_->setObjectName(QStringLiteral("profile_gaps"));
  table_->setObjectName(QStringLiteral("profile_table"));
  table_->setAccessibleName(tr("Layers"));
  for (QLabel* label : {title_, totals_, gaps_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  make_table();
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setObjectName(QStringLiteral("profile_splitter"));
  splitter->addWidget(bars_);
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 2);
  splitter->setStretchFactor(1, 3);
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(10);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(4);
  head_->addWidget(title_, 1);
  column->addLayout(head_);
  column->addWidget(totals_);
  column->addWidget(gaps_);
  column->addSpacing(6);
  column->addWidget(splitter, 1);
  gaps_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  connect(gaps_, &QLabel::linkActivated, this, &View::follow_link);
  // Queued, so that the cell's editor closes before the table changes under it.
  connect(model_, &models::profile::TableModel::edited, this, &View::edited, Qt::QueuedConnection);
  connect(bars_, &Bars::layer_clicked, this, &View::select_layer);
  apply_theme();
  clear();
}

void View::offer(QAction* action) {
  auto* button = new QToolButton;
  button->setObjectName(action->objectName() + QStringLiteral("_button"));
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setFocusPolicy(Qt::StrongFocus);
  head_->addWidget(button, 0, Qt::AlignTop);
}

void View::make_table() {
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model_);
  sorted->setSortRole(models::profile::TableModel::sort_role);
  widgets::make_flat(*table_);
  table_->setModel(sorted);
  table_->setItemDelegate(new FigureDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(models::profile::TableModel::position, Qt::AscendingOrder);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(models::profile::TableModel::name, QHeaderView::Stretch);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                          QAbstractItemView::AnyKeyPressed);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &View::selection_changed);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!current.isValid()) return;
    const int layer = current.siblingAtColumn(models::profile::TableModel::position)
                          .data(models::profile::TableModel::sort_role)
                          .toInt();
    bars_->select(layer);
    emit layer_selected(layer);
  });
}

/// Sets the profile. If the number of layers changes, the selected positions stay, so that one edit can follow another.
void View::set_profile(std::shared_ptr<const Profile> profile) {
  const std::vector<int> layers = selected_layers();
  const QModelIndex current = table_->currentIndex();
  const int row = selected_layer(), column = current.column(), rows = model_->rowCount();
  model_->set_profile(profile);
  bars_->set_profile(std::move(profile));
  show_totals();
  if (row < 0 || !this->profile() || rows == model_->rowCount()) return;
  select_layer(std::min(row, model_->rowCount() - 1));
  if (layers.size() > 1) select_layers(layers);
  if (column >= 0)
    table_->selectionModel()->setCurrentIndex(table_->currentIndex().siblingAtColumn(column),
                                              QItemSelectionModel::NoUpdate);
}

void View::clear() { set_profile(nullptr); }

const Profile* View::profile() const { return model_->profile(); }

int View::selected_layer() const {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return -1;
  return current.siblingAtColumn(models::profile::TableModel::position)
      .data(models::profile::TableModel::sort_role)
      .toInt();
}

void View::select_layer(int position) {
  if (!profile() || position < 0 || position >= model_->rowCount()) return;
  const auto* sorted = static_cast<const QSortFilterProxyModel*>(table_->model());
  const QModelIndex index = sorted->mapFromSource(model_->index(position, models::profile::TableModel::name));
  // Not by the view's own function, which depends on the pressed modifier keys.
  table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  table_->scrollTo(index);
}

std::vector<int> View::selected_layers() const {
  std::vector<int> layers;
  for (const QModelIndex& row : table_->selectionModel()->selectedRows(models::profile::TableModel::position))
    layers.push_back(row.data(models::profile::TableModel::sort_role).toInt());
  std::ranges::sort(layers);
  return layers;
}

void View::select_layers(const std::vector<int>& positions) {
  const auto* sorted = static_cast<const QSortFilterProxyModel*>(table_->model());
  QItemSelection selection;
  for (const int position : positions) {
    const QModelIndex index = sorted->mapFromSource(model_->index(position, 0));
    if (index.isValid()) selection.select(index, index);
  }
  if (selection.isEmpty()) return;
  table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  table_->scrollTo(selection.first().topLeft());
}

int View::current_column() const { return table_->currentIndex().column(); }

void View::edit_current() {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return;
  const int column = std::max<int>(current.column(), models::profile::TableModel::name);
  table_->setFocus();
  table_->edit(current.siblingAtColumn(column));
}

void View::show_totals() {
  const Profile* p = profile();
  bars_->setVisible(p);
  table_->setVisible(p);
  gaps_->setVisible(false);
  if (!p) {
    title_->setText(tr("No model selected"));
    totals_->setText(tr("Import a profile, or choose a model preset, to see its layers."));
    return;
  }
  const models::profile::Totals totals = models::profile::totals_of(*p);
  title_->setText(QString::fromStdString(p->name));
  totals_->setText(tr("%1 · forward %2 · backward %3 for %4 on %5 · parameters %6 · saved %7 · largest output %8")
                       .arg(models::counted(totals.layers, tr("1 layer"), tr("%1 layers")),
                            models::format_time(totals.forward), models::format_time(totals.backward),
                            models::counted(p->micro_batch, tr("1 sample"), tr("%1 samples")),
                            p->device.empty() ? tr("an unnamed device") : QString::fromStdString(p->device),
                            models::format_bytes(totals.parameters), models::format_bytes(totals.saved),
                            models::format_bytes(totals.largest_output)));
  show_gaps();
}

/// Shows one line per gap, with links to its layers and to possible fixes.
void View::show_gaps() {
  const std::vector<models::profile::Gap> gaps = models::profile::missing_data(*profile());
  const QColor link = widgets::Theme::of(palette()).accent;
  const auto anchor = [&](const QString& target, models::profile::Gap::Kind kind, const QString& words) {
    return QStringLiteral(" <a href=\"%1:%2\" style=\"color:%3\">%4</a>")
        .arg(target)
        .arg(int(kind))
        .arg(link.name(), words.toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;")));
  };
  QStringList lines;
  for (const models::profile::Gap& gap : gaps) {
    QString line = gap.text.toHtmlEscaped();
    if (!gap.layers.empty()) line += anchor(QStringLiteral("show"), gap.kind, tr("Show"));
    if (!gap.offer.isEmpty()) line += anchor(QStringLiteral("do"), gap.kind, gap.offer);
    lines << line;
  }
  if (std::ranges::any_of(profile()->layers, [](const Layer& layer) { return layer.at.size() > 1; }))
    lines << tr("Edits change the times at a micro-batch of %1. Times at other sizes stay.")
                 .arg(profile()->micro_batch)
                 .toHtmlEscaped();
  gaps_->setText(lines.join(QStringLiteral("<br>")));
  gaps_->setVisible(!lines.isEmpty());
}

void View::follow_link(const QString& link) {
  if (!profile()) return;
  const int kind = link.section(QLatin1Char(':'), 1).toInt();
  if (link.startsWith(QLatin1String("do:"))) return emit quick_fix_requested(kind);
  for (const models::profile::Gap& gap : models::profile::missing_data(*profile())) {
    if (gap.kind != kind) continue;
    select_layer(gap.layers.front());
    select_layers(gap.layers);
    table_->setFocus();
  }
}

void View::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void View::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QFont large = widgets::title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.15);
  title_->setFont(large);
  widgets::set_text_colour(*title_, theme.text);
  widgets::set_text_colour(*totals_, theme.muted);
  widgets::set_text_colour(*gaps_, theme.warning);
  if (profile()) show_gaps();  // links have their own colours
}

}  // namespace pipedeck::views::profile
