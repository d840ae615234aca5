// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/span_panel.hpp"

#include <algorithm>

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QTableWidget>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int span_row_height = 22;
constexpr int shown_rows = 6;
constexpr int idle_kind = -1, overlapped_kind = -2;  // in place of an OpKind

enum Roles { kind_role = Qt::UserRole, share_role, exposed_role };

/// Draws the colour of a kind before its name, and bars: of one kind, or of work and exposed all-reduce of a place.
class SpanDelegate : public widgets::FlatDelegate {
 public:
  using widgets::FlatDelegate::FlatDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariant kind = index.data(kind_role), share = index.data(share_role);
    if (!kind.isValid() && !share.isValid()) return FlatDelegate::paint(painter, option, index);
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    painter->save();
    paint_background(painter, option, theme);
    const QRect cell = content_rect(option);
    if (share.isValid())
      paint_share(painter, cell, kind.isValid() ? color_of(kind.toInt(), theme) : theme.muted, share.toDouble(),
                  index.data(exposed_role).toDouble(), theme);
    else
      paint_kind(painter, cell, kind.toInt(), index.data().toString(), option.font, theme);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize text = FlatDelegate::sizeHint(option, index);
    return {text.width() + (index.data(kind_role).isValid() ? swatch + swatch_room : 0), text.height()};
  }

 private:
  static constexpr int swatch = 10, swatch_room = 8;

  static QColor color_of(int kind, const widgets::Theme& theme) {
    return kind >= 0 ? theme.of(static_cast<OpKind>(kind)) : widgets::blended(theme.muted, theme.panel, 0.4);
  }

  static void paint_kind(QPainter* painter, const QRect& cell, int kind, const QString& text, const QFont& font,
                         const widgets::Theme& theme) {
    const QRectF box(cell.left(), cell.center().y() - swatch / 2 + 1, swatch, swatch);
    painter->setRenderHint(QPainter::Antialiasing);
    if (kind >= 0) {
      draw_swatch(*painter, box, static_cast<OpKind>(kind), theme);
    } else if (kind == idle_kind) {
      painter->setPen(QPen(theme.border, 1));
      painter->setBrush(theme.panel);
      painter->drawRoundedRect(box, widgets::ThemeSizes::box_radius, widgets::ThemeSizes::box_radius);
    }
    painter->setFont(font);
    painter->setPen(kind == overlapped_kind ? theme.muted : theme.text);
    paint_text(painter, cell.adjusted(swatch + swatch_room, 0, 0, 0), text, Qt::AlignLeft | Qt::AlignVCenter);
  }

  static void paint_share(QPainter* painter, const QRect& cell, const QColor& color, double share, double exposed,
                          const widgets::Theme& theme) {
    const QRectF bar(cell.left(), cell.center().y() - 4, cell.width(), 9);
    widgets::paint_bar(painter, bar, share, color, theme);
    if (exposed <= 0) return;
    QRectF part = bar;
    part.setLeft(bar.left() + bar.width() * share);
    part.setWidth(std::max(1.5, bar.width() * exposed));
    painter->fillRect(part, theme.of(OpKind::all_reduce));
  }
};

QTableWidget* span_table(const QStringList& header, const char* name, const QString& spoken) {
  auto* table = new QTableWidget;
  table->setObjectName(QLatin1String(name));
  table->setAccessibleName(spoken);
  table->setColumnCount(static_cast<int>(header.size()));
  table->setHorizontalHeader(new widgets::FlatHeader(Qt::Horizontal, table));
  table->setHorizontalHeaderLabels(header);
  widgets::make_flat(*table);
  table->setItemDelegate(new SpanDelegate(table));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->verticalHeader()->setMinimumSectionSize(span_row_height);
  table->verticalHeader()->setDefaultSectionSize(span_row_height);
  table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setTabKeyNavigation(false);
  return table;
}

QTableWidgetItem* span_item(const QString& text, const QString& tool_tip = {}) {
  auto* made = new QTableWidgetItem(text);
  made->setToolTip(tool_tip);
  return made;
}

QTableWidgetItem* span_figure(const QString& text) {
  auto* made = new QTableWidgetItem(text);
  made->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return made;
}

QString span_kind_name(int kind) {
  if (kind == idle_kind) return SpanPanel::tr("idle");
  if (kind == overlapped_kind) return SpanPanel::tr("all-reduce, overlapped");
  return static_cast<OpKind>(kind) == OpKind::all_reduce ? SpanPanel::tr("all-reduce, exposed")
                                                         : widgets::kind_text(static_cast<OpKind>(kind));
}

/// A line of the sums by kind.
struct KindLine {
  int kind = 0;
  std::int64_t count = 0, time = 0;
};

std::vector<KindLine> span_lines(const models::gantt::PlaceSums& place) {
  std::vector<KindLine> lines;
  for (int kind = 0; kind < op_kind_count; ++kind) {
    const auto k = static_cast<std::size_t>(kind);
    if (place.count[k] > 0 || place.busy[k] > 0) lines.push_back({kind, place.count[k], place.busy[k]});
  }
  lines.push_back({idle_kind, 0, place.idle});
  if (place.overlapped > 0) lines.push_back({overlapped_kind, 0, place.overlapped});
  return lines;
}

Nanoseconds whole_time(double time) { return Nanoseconds(static_cast<std::int64_t>(std::max(0.0, time))); }

}  // namespace

SpanPanel::SpanPanel(TimeAxisController* link, QWidget* parent) : QWidget(parent), link_(link) {
  setObjectName(QStringLiteral("span_panel"));
  setAccessibleName(tr("Selected span"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  build();
  apply_theme();
  connect(link, &TimeAxisController::measure_changed, this, &SpanPanel::refresh);
  connect(link, &TimeAxisController::cursor_changed, this, [this] {
    if (link_->measure() && !link_->measure()->to) heading_->setText(title());
  });
  hide();
}

QToolButton* SpanPanel::add_button(QHBoxLayout* row, const QString& text, const char* name, const QString& tool_tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setObjectName(QLatin1String(name));
  button->setToolTip(tool_tip);
  row->addWidget(button);
  return button;
}

void SpanPanel::build() {
  heading_ = new QLabel;
  heading_->setObjectName(QStringLiteral("span_title"));
  heading_->setFont(widgets::title_font(font()));
  length_ = new QLabel;
  length_->setObjectName(QStringLiteral("span_length"));
  details_ = new QLabel;
  details_->setObjectName(QStringLiteral("span_details"));
  details_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  buttons_ = new QWidget;
  auto* buttons = new QHBoxLayout(buttons_);
  buttons->setContentsMargins({});
  connect(add_button(buttons, tr("Zoom to span"), "span_zoom", tr("Show the span over the whole width")),
          &QToolButton::clicked, this, [this] {
            if (const auto span = link_->span()) link_->zoom_to(span->first, span->second);
          });
  connect(add_button(buttons, tr("Keep as flag"), "span_flag", tr("Keep the span on the time scale, with a note")),
          &QToolButton::clicked, this, [this] {
            if (const auto span = link_->span()) link_->add_flag({span->first, span->second});
          });
  QToolButton* copy = add_button(buttons, tr("Copy as CSV"), "span_copy", tr("Copy the sums of every stage and kind"));
  connect(copy, &QToolButton::clicked, this, [this, copy] {
    QGuiApplication::clipboard()->setText(csv());
    QToolTip::showText(copy->mapToGlobal(QPoint(0, -2 * copy->height())), tr("Copied"), copy);
  });
  QToolButton* close = add_button(buttons, QStringLiteral("✕"), "span_close", tr("Remove the span (Esc)"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Remove the span"));
  connect(close, &QToolButton::clicked, this, [this] { link_->set_measure(std::nullopt); });
  auto* head = new QHBoxLayout;
  head->setContentsMargins(widgets::ThemeSizes::margin, 4, widgets::ThemeSizes::grid, 2);
  head->setSpacing(widgets::ThemeSizes::grid * 2);
  head->addWidget(heading_);
  head->addWidget(length_);
  head->addWidget(details_, 1);
  head->addWidget(buttons_);
  kinds_ = span_table({tr("Kind"), tr("Count"), tr("Time"), tr("Mean"), tr("Share"), QString()}, "span_kinds",
                      tr("Device time of the span by kind"));
  places_ =
      span_table({tr("Busy by stage"), QString(), tr("Busy")}, "span_places", tr("Device time of the span by stage"));
  places_->setToolTip(tr("Select a stage for its sums by kind"));
  connect(places_, &QTableWidget::itemSelectionChanged, this, [this] {
    const auto rows = places_->selectionModel()->selectedRows();
    set_place(rows.isEmpty() ? std::nullopt : std::optional(static_cast<std::size_t>(rows.front().row())));
  });
  tables_ = new QWidget;
  tables_->setFixedHeight(span_row_height * (shown_rows + 1) + 8);
  auto* both = new QHBoxLayout(tables_);
  both->setContentsMargins({});
  both->setSpacing(1);
  both->addWidget(kinds_, 3);
  both->addWidget(places_, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(tables_);
}

void SpanPanel::set_chart(View* chart, const QString& name) {
  if (chart_ != chart) {
    if (chart_) chart_->disconnect(this);
    chart_ = chart;
    place_.reset();
    if (chart) connect(chart, &View::content_changed, this, &SpanPanel::refresh);
  }
  name_ = name;
  refresh();
}

void SpanPanel::set_place(std::optional<std::size_t> place) {
  place_ = place;
  if (sums_) fill_kinds();
}

void SpanPanel::refresh() {
  setVisible(link_->measure().has_value());
  sums_.reset();
  if (!link_->measure()) return;
  const auto span = link_->span();
  const auto content = chart_ ? chart_->content() : nullptr;
  if (span && content && !content->preview) sums_ = models::gantt::sum_span(*content, span->first, span->second);
  if (sums_ && place_ && *place_ >= sums_->places.size()) place_.reset();
  heading_->setText(title());
  buttons_->setVisible(span.has_value());
  tables_->setVisible(sums_.has_value());
  length_->setText(span ? models::format_time(whole_time(span->second - span->first)) : QString());
  details_->clear();
  if (!sums_) return;
  details_->setText(tr("%1 · %2, %3 of device time")
                        .arg(name_, models::counted(std::ssize(sums_->all.stages), tr("1 stage"), tr("%1 stages")),
                             models::format_time(Nanoseconds(sums_->all.total()))));
  fill_places();
  fill_kinds();
  setAccessibleDescription(lines().join(QStringLiteral("; ")));
}

QString SpanPanel::title() const {
  if (const auto span = link_->span())
    return tr("Span  %1").arg(models::format_span(whole_time(span->first), whole_time(span->second)));
  return tr("Span from %1. M or Shift+click sets its end; Esc removes it.")
      .arg(models::format_time(whole_time(link_->measure()->from)));
}

QString SpanPanel::place_name(const models::gantt::PlaceSums& place) const {
  QStringList stages;
  for (const int stage : place.stages) stages << QString::number(stage);
  const QString devices = models::devices_text(place.devices, chart_ ? chart_->device_names() : QStringList());
  return QStringLiteral("S%1  %2").arg(stages.join(QStringLiteral(", ")), devices);
}

void SpanPanel::fill_kinds() {
  const models::gantt::PlaceSums& place = place_ ? sums_->places[*place_] : sums_->all;
  const std::vector<KindLine> rows = span_lines(place);
  const QString none = QStringLiteral("–");
  kinds_->setRowCount(static_cast<int>(rows.size()));
  for (int i = 0; i < kinds_->rowCount(); ++i) {
    const KindLine& line = rows[static_cast<std::size_t>(i)];
    auto* name = span_item(span_kind_name(line.kind));
    name->setData(kind_role, line.kind);
    if (line.kind == overlapped_kind) name->setToolTip(tr("At the same time as computation; not part of the sum"));
    kinds_->setItem(i, 0, name);
    kinds_->setItem(i, 1, span_figure(line.count > 0 ? QLocale().toString(line.count) : none));
    kinds_->setItem(i, 2, span_figure(models::format_time(Nanoseconds(line.time))));
    kinds_->setItem(i, 3,
                    span_figure(line.count > 0 ? models::format_time(Nanoseconds(line.time / line.count)) : none));
    kinds_->setItem(i, 4, span_figure(models::format_percent(place.share(line.time))));
    auto* bar = span_item({});
    bar->setData(kind_role, line.kind);
    bar->setData(share_role, place.share(line.time));
    kinds_->setItem(i, 5, bar);
  }
  QHeaderView* header = kinds_->horizontalHeader();
  for (int column = 0; column < 5; ++column) header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(5, QHeaderView::Stretch);
}

void SpanPanel::fill_places() {
  const QSignalBlocker quiet(places_);
  places_->setRowCount(static_cast<int>(sums_->places.size()));
  for (int i = 0; i < places_->rowCount(); ++i) {
    const models::gantt::PlaceSums& place = sums_->places[static_cast<std::size_t>(i)];
    const std::int64_t exposed = place.busy[static_cast<std::size_t>(OpKind::all_reduce)];
    const double busy = place.share(place.working() - exposed);
    const QString tip =
        tr("%1: computing %2, exposed all-reduce %3, idle %4")
            .arg(place_name(place), models::format_percent(busy), models::format_percent(place.share(exposed)),
                 models::format_percent(place.share(place.idle)));
    places_->setItem(i, 0, span_item(place_name(place), tip));
    auto* bar = span_item({}, tip);
    bar->setData(share_role, busy);
    bar->setData(exposed_role, place.share(exposed));
    places_->setItem(i, 1, bar);
    auto* text = span_figure(models::format_percent(busy));
    text->setToolTip(tip);
    places_->setItem(i, 2, text);
  }
  QHeaderView* header = places_->horizontalHeader();
  header->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(1, QHeaderView::Stretch);
  header->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  header->setMaximumSectionSize(220);
}

QStringList SpanPanel::lines() const {
  if (!link_->measure()) return {};
  QStringList all{title()};
  if (!sums_) return all;
  const auto parts = [](const models::gantt::PlaceSums& place) {
    QStringList words;
    for (const KindLine& line : span_lines(place))
      words << QStringLiteral("%1 %2").arg(span_kind_name(line.kind), models::format_percent(place.share(line.time)));
    return words.join(QStringLiteral(" · "));
  };
  all << tr("%1: %2").arg(name_, parts(sums_->all));
  for (const models::gantt::PlaceSums& place : sums_->places) all << tr("%1: %2").arg(place_name(place), parts(place));
  return all;
}

QString SpanPanel::csv() const {
  QString text = QStringLiteral("place,stages,devices,kind,operations,time_s,share\n");
  if (!sums_) return text;
  const auto add = [&](const QString& name, const models::gantt::PlaceSums& place) {
    QStringList stages, devices;
    for (const int stage : place.stages) stages << QString::number(stage);
    for (const DeviceId device : place.devices) devices << QString::number(device.value);
    for (const KindLine& line : span_lines(place)) {
      const std::string kind = line.kind == idle_kind         ? "idle"
                               : line.kind == overlapped_kind ? "all_reduce_overlapped"
                                                              : std::string(name_of(static_cast<OpKind>(line.kind)));
      text += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
                  .arg(name, stages.join(u' '), devices.join(u' '), QString::fromStdString(kind))
                  .arg(line.count)
                  .arg(static_cast<double>(line.time) / 1e9, 0, 'f', 9)
                  .arg(place.share(line.time), 0, 'f', 6);
    }
  };
  add(QStringLiteral("all"), sums_->all);
  for (std::size_t i = 0; i < sums_->places.size(); ++i) add(QString::number(i), sums_->places[i]);
  return text;
}

void SpanPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && details_) apply_theme();
  QWidget::changeEvent(event);
}

void SpanPanel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_text_colour(*length_, theme.accent);
  widgets::set_text_colour(*details_, theme.muted);
}

}  // namespace pipedeck::views::gantt
