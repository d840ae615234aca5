// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/profile_view.hpp"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/models/profile_table_model.hpp"
#include "app/views/profile_bars.hpp"
#include "app/views/table_style.hpp"
#include "app/views/widget_style.hpp"

namespace pipedeck::app {

namespace {

/// A figure with a faint bar of its share of the column's largest behind it.
class FigureDelegate : public FlatDelegate {
 public:
  using FlatDelegate::FlatDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    FlatDelegate::paint(painter, option, index);
    const QVariant share = index.data(ProfileTableModel::share_role);
    if (!share.isValid()) return;
    const Theme& theme = Theme::of(option.palette);
    const double width = (option.rect.width() - 16) * share.toDouble();
    painter->fillRect(QRectF(option.rect.right() - 8 - width, option.rect.bottom() - 3, width, 2),
                      blended(theme.accent, theme.panel, 0.7));
  }
};

}  // namespace

ProfileView::ProfileView(QWidget* parent)
    : QWidget(parent),
      model_(new ProfileTableModel(this)),
      title_(new QLabel),
      totals_(new QLabel),
      gaps_(new QLabel),
      bars_(new ProfileBars),
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
  column->addWidget(title_);
  column->addWidget(totals_);
  column->addWidget(gaps_);
  column->addSpacing(6);
  column->addWidget(splitter, 1);
  connect(bars_, &ProfileBars::layer_clicked, this, &ProfileView::select_layer);
  apply_theme();
  clear();
}

void ProfileView::make_table() {
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model_);
  sorted->setSortRole(ProfileTableModel::sort_role);
  make_flat(*table_);
  table_->setModel(sorted);
  table_->setItemDelegate(new FigureDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ProfileTableModel::position, Qt::AscendingOrder);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(ProfileTableModel::name, QHeaderView::Stretch);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!current.isValid()) return;
    const int layer = current.siblingAtColumn(ProfileTableModel::position).data(ProfileTableModel::sort_role).toInt();
    bars_->select(layer);
    emit layer_selected(layer);
  });
}

void ProfileView::set_profile(std::shared_ptr<const Profile> profile) {
  model_->set_profile(profile);
  bars_->set_profile(std::move(profile));
  show_totals();
}

void ProfileView::clear() { set_profile(nullptr); }

const Profile* ProfileView::profile() const { return model_->profile(); }

int ProfileView::selected_layer() const {
  const QModelIndex current = table_->currentIndex();
  if (!current.isValid()) return -1;
  return current.siblingAtColumn(ProfileTableModel::position).data(ProfileTableModel::sort_role).toInt();
}

void ProfileView::select_layer(int position) {
  if (!profile() || position < 0 || position >= model_->rowCount()) return;
  const auto* sorted = static_cast<const QSortFilterProxyModel*>(table_->model());
  const QModelIndex index = sorted->mapFromSource(model_->index(position, ProfileTableModel::name));
  table_->setCurrentIndex(index);
  table_->scrollTo(index);
}

void ProfileView::show_totals() {
  const Profile* p = profile();
  bars_->setVisible(p);
  table_->setVisible(p);
  gaps_->setVisible(false);
  if (!p) {
    title_->setText(tr("No model selected"));
    totals_->setText(tr("Import a profile, or choose a model preset, to see its layers."));
    return;
  }
  const ProfileTotals totals = totals_of(*p);
  title_->setText(QString::fromStdString(p->name));
  totals_->setText(tr("%1 layers · forward %2 · backward %3 for %4 samples on %5 · parameters %6 · saved %7 · "
                      "largest output %8")
                       .arg(totals.layers)
                       .arg(format_time(totals.forward), format_time(totals.backward))
                       .arg(p->micro_batch)
                       .arg(p->device.empty() ? tr("an unnamed device") : QString::fromStdString(p->device),
                            format_bytes(totals.parameters), format_bytes(totals.saved),
                            format_bytes(totals.largest_output)));
  const QStringList gaps = gaps_of(*p);
  gaps_->setText(gaps.join(QLatin1Char('\n')));
  gaps_->setVisible(!gaps.isEmpty());
}

void ProfileView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QWidget::changeEvent(event);
}

void ProfileView::apply_theme() {
  const Theme& theme = Theme::of(palette());
  QFont large = title_font(font());
  large.setPointSizeF(large.pointSizeF() * 1.15);
  title_->setFont(large);
  set_text_colour(*title_, theme.text);
  set_text_colour(*totals_, theme.muted);
  set_text_colour(*gaps_, theme.warning);
}

}  // namespace pipedeck::app
