// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/palette/palette.hpp"

#include <algorithm>

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QSettings>
#include <QStandardItemModel>
#include <QTextLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::palette {

namespace {

constexpr int palette_width = 640, from_top = 48, line_height = 32, heading_height = 26, most_lines = 10;
constexpr int most_recent_entries = 6;
constexpr int side = 16;
const QString recent_entries_key = QStringLiteral("palette/recent");

enum Roles { detail_role = Qt::UserRole, keys_role, marked_role, heading_role, usable_role };

/// Draws headings with their counts, and lines: text with the matched letters, detail, shortcut.
class LineDelegate : public views::widgets::FlatDelegate {
 public:
  using views::widgets::FlatDelegate::FlatDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return {palette_width - 2, index.data(heading_role).toBool() ? heading_height : line_height};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const auto& theme = views::widgets::Theme::of(QApplication::palette());  // the list's own ground is transparent
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (index.data(heading_role).toBool())
      paint_heading(painter, option, index, theme);
    else
      paint_line(painter, option, index, theme);
    painter->restore();
  }

 private:
  static void paint_heading(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                            const views::widgets::Theme& theme) {
    const QRect cell = option.rect.adjusted(side, 0, -side, 0);
    painter->setFont(views::widgets::section_font(option.font));
    painter->setPen(theme.muted);
    painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter, index.data(detail_role).toString());
  }

  static void paint_line(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                         const views::widgets::Theme& theme) {
    const bool usable = index.data(usable_role).toBool();
    if (option.state & QStyle::State_Selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.accent_soft);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(6, 1, -6, -1), 6, 6);
    }
    QRect cell = option.rect.adjusted(side, 0, -side, 0);
    cell.setRight(paint_keys(painter, cell, option.font, index.data(keys_role).toString(), theme));
    const int used = paint_text_of(painter, cell, option.font, index, usable ? theme.text : theme.muted, theme);
    const QRect rest = cell.adjusted(used + 12, 0, -8, 0);
    if (rest.width() < 24) return;
    painter->setFont(views::widgets::caption_font(option.font));
    painter->setPen(theme.muted);
    painter->drawText(
        rest, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data(detail_role).toString(), Qt::ElideRight, rest.width()));
  }

  /// Returns the left end of the keys.
  static int paint_keys(QPainter* painter, const QRect& cell, const QFont& font, const QString& keys,
                        const views::widgets::Theme& theme) {
    if (keys.isEmpty()) return cell.right();
    painter->setFont(views::widgets::caption_font(font));
    const int width = painter->fontMetrics().horizontalAdvance(keys) + 12, height = painter->fontMetrics().height() + 4;
    const QRectF cap(cell.right() - width, cell.center().y() - height / 2.0, width, height);
    painter->setPen(QPen(theme.border, 1));
    painter->setBrush(theme.raised);
    painter->drawRoundedRect(cap, 4, 4);
    painter->setPen(theme.muted);
    painter->drawText(cap, Qt::AlignCenter, keys);
    return static_cast<int>(cap.left()) - 8;
  }

  /// Returns the width of the text.
  static int paint_text_of(QPainter* painter, const QRect& cell, const QFont& font, const QModelIndex& index,
                           const QColor& color, const views::widgets::Theme& theme) {
    const QString whole = index.data().toString();
    const QString text = QFontMetrics(font).elidedText(whole, Qt::ElideRight, cell.width());
    QTextLayout layout(text, font);
    QList<QTextLayout::FormatRange> formats;
    QTextCharFormat marked;
    marked.setFont(views::widgets::title_font(font));
    marked.setForeground(theme.dark ? theme.text : theme.accent);
    for (const QVariant& at : index.data(marked_role).toList())
      if (at.toInt() < text.size()) formats.append({at.toInt(), 1, marked});
    layout.setFormats(formats);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(cell.width() + 40);
    layout.endLayout();
    painter->setPen(color);
    layout.draw(painter, QPointF(cell.left(), cell.center().y() - line.height() / 2 + 1));
    return static_cast<int>(line.naturalTextWidth());
  }
};

}  // namespace

Palette::Palette(QWidget* window, QSettings* settings, Sources sources)
    : QFrame(window), settings_(settings), sources_(std::move(sources)) {
  setObjectName(QStringLiteral("command_palette"));
  setAccessibleName(tr("Command palette"));
  build();
  hide();
}

void Palette::build() {
  field_ = new QLineEdit(this);
  field_->setObjectName(QStringLiteral("palette_field"));
  field_->setAccessibleName(tr("Search or run a command"));
  field_->setPlaceholderText(tr("Search or run a command"));
  field_->setFrame(false);
  field_->setMinimumHeight(40);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(side - 6, 0, side, 0);
  head->addWidget(field_, 1);
  const std::pair<QString, QString> prefixes[] = {{QStringLiteral(">"), tr("> actions")},
                                                  {QStringLiteral("@"), tr("@ plans")},
                                                  {QStringLiteral("#"), tr("# operations")}};
  for (const auto& [prefix, text] : prefixes) {
    auto* chip = new QToolButton(this);
    chip->setText(text);
    chip->setFont(views::widgets::caption_font(font()));
    chip->setFocusPolicy(Qt::NoFocus);
    chip->setObjectName(QStringLiteral("palette_chip"));
    connect(chip, &QToolButton::clicked, this, [this, prefix = prefix] {
      field_->setText(prefix + parse_request(field_->text()).words);
      field_->setFocus();
    });
    head->addWidget(chip);
  }
  model_ = new QStandardItemModel(this);
  list_ = new QListView(this);
  list_->setObjectName(QStringLiteral("palette_list"));
  list_->setAccessibleName(tr("Found"));
  list_->setModel(model_);
  list_->setItemDelegate(new LineDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setMouseTracking(true);
  connect(list_, &QListView::entered, this, [this](const QModelIndex& index) {
    if (index.flags() & Qt::ItemIsSelectable) list_->setCurrentIndex(index);
  });
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) {
    list_->setCurrentIndex(index);
    run(QApplication::keyboardModifiers() & Qt::ControlModifier);
  });
  auto* foot = new QLabel(tr("↑ ↓ choose   ·   Enter run   ·   Ctrl+Enter run and stay   ·   Esc close"));
  foot->setObjectName(QStringLiteral("palette_foot"));
  foot->setFont(views::widgets::caption_font(font()));
  foot->setContentsMargins(side, 6, side, 8);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(1, 4, 1, 1);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(list_, 1);
  column->addWidget(foot);
  connect(field_, &QLineEdit::textChanged, this, &Palette::search);
}

void Palette::apply_theme() {
  const auto& theme = views::widgets::Theme::of(palette());
  setStyleSheet(QStringLiteral("#command_palette { background: %1; border: 1px solid %2; border-radius: 8px; }"
                               "#palette_field { background: transparent; border: none; font-size: 14px; }"
                               "#palette_list { background: transparent; border: none; border-top: 1px solid %2; "
                               "outline: none; }"
                               "#palette_foot { color: %3; border-top: 1px solid %2; }"
                               "#palette_chip { color: %3; background: %4; border: 1px solid %2; border-radius: 4px; "
                               "padding: 1px 6px; }")
                    .arg(theme.panel.name(), theme.border.name(), theme.muted.name(), theme.raised.name()));
}

void Palette::open(const QString& text) {
  if (isVisible()) {
    field_->setText(text.isEmpty() ? field_->text() : text);
    field_->selectAll();
    return field_->setFocus();
  }
  focus_before_ = QApplication::focusWidget();
  entries_ = sources_.all();  // before the focus moves: it decides what some actions apply to
  apply_theme();
  {
    const QSignalBlocker quiet(field_);
    field_->setText(text);
  }
  search();
  qApp->installEventFilter(this);
  show();
  raise();
  field_->setFocus(Qt::PopupFocusReason);
}

void Palette::close_palette() {
  if (!isVisible()) return;
  qApp->removeEventFilter(this);
  const bool inside = isAncestorOf(QApplication::focusWidget());
  hide();
  if (inside && focus_before_) focus_before_->setFocus(Qt::PopupFocusReason);
}

void Palette::search() {
  const Request request = parse_request(field_->text());
  const QStringList recent = settings_ ? settings_->value(recent_entries_key).toStringList() : QStringList();
  fill(find_entries(request.prefix == u'#' ? sources_.operations(request.words) : entries_, request, recent));
}

void Palette::fill(const std::vector<Section>& sections) {
  model_->clear();
  listed_.clear();
  const auto add = [this](QStandardItem* item, const Entry& entry) {
    model_->appendRow(item);
    listed_.push_back(entry);
  };
  for (const Section& section : sections) {
    auto* heading = new QStandardItem(section.title);
    heading->setData(true, heading_role);
    heading->setData(QString::number(section.found), detail_role);
    heading->setFlags(Qt::NoItemFlags);
    add(heading, {});
    for (const Line& line : section.lines) {
      const Entry& entry = line.entry;
      const bool usable = entry.unavailable_reason.isEmpty();
      auto* item = new QStandardItem(entry.text);
      item->setData(usable ? entry.detail : entry.unavailable_reason, detail_role);
      item->setData(entry.keys, keys_role);
      item->setData(usable, usable_role);
      QVariantList marked;
      for (const int at : line.marked) marked << at;
      item->setData(marked, marked_role);
      item->setToolTip(usable ? entry.detail : entry.unavailable_reason);
      item->setData(
          QStringList{entry.text, usable ? entry.detail : tr("not available: %1").arg(entry.unavailable_reason),
                      entry.keys}
              .join(QStringLiteral(", ")),
          Qt::AccessibleTextRole);
      item->setEditable(false);
      add(item, entry);
    }
  }
  if (sections.empty()) {
    auto* none = new QStandardItem(tr("Nothing matches"));
    none->setData(true, heading_role);
    none->setFlags(Qt::NoItemFlags);
    add(none, {});
  }
  list_->scrollToTop();
  step(1);
  place();
}

/// Chooses the next line; from the last one the first.
void Palette::step(int by) {
  const int rows = model_->rowCount();
  int row = list_->currentIndex().isValid() ? list_->currentIndex().row() : by > 0 ? -1 : rows;
  for (int tries = 0; tries < rows; ++tries) {
    row = (row + by + rows) % rows;
    const QModelIndex index = model_->index(row, 0);
    if (!(index.flags() & Qt::ItemIsSelectable)) continue;
    list_->setCurrentIndex(index);
    if (row <= 1) list_->scrollToTop();  // with the heading
    return;
  }
}

QStringList Palette::shown() const {
  QStringList texts;
  for (const Entry& entry : listed_)
    if (!entry.text.isEmpty()) texts << entry.text;
  return texts;
}

void Palette::remember(const QString& id) {
  if (id.isEmpty() || !settings_) return;
  QStringList recent = settings_->value(recent_entries_key).toStringList();
  recent.removeAll(id);
  recent.prepend(id);
  settings_->setValue(recent_entries_key, QStringList(recent.mid(0, most_recent_entries)));
}

void Palette::run(bool stay) {
  const QModelIndex current = list_->currentIndex();
  if (!current.isValid() || !(current.flags() & Qt::ItemIsSelectable)) return;
  const Entry entry = listed_[static_cast<std::size_t>(current.row())];
  if (!entry.unavailable_reason.isEmpty() || !entry.run) return;
  remember(entry.id);
  running_ = true;
  // The action applies to what had the focus.
  if (stay && focus_before_)
    focus_before_->setFocus(Qt::PopupFocusReason);
  else if (!stay)
    close_palette();
  entry.run();
  running_ = false;
  if (!stay) return;
  entries_ = sources_.all();
  const int row = current.row();
  search();
  if (const QModelIndex same = model_->index(row, 0); same.flags() & Qt::ItemIsSelectable) list_->setCurrentIndex(same);
  raise();
  field_->setFocus(Qt::PopupFocusReason);
}

void Palette::place() {
  const QWidget* window = parentWidget();
  int lines = 0;
  for (int row = 0; row < model_->rowCount() && row < most_lines + 2; ++row)
    lines += model_->index(row, 0).data(heading_role).toBool() ? heading_height : line_height;
  const int width = std::min(palette_width, window->width() - 2 * views::widgets::ThemeSizes::margin);
  const int around = field_->sizeHint().height() + 64;
  resize(width, std::min(lines + around, window->height() - from_top - views::widgets::ThemeSizes::margin));
  move((window->width() - width) / 2, from_top);
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) place();
  if (event->type() == QEvent::MouseButtonPress && watched->isWidgetType() && !running_) {
    const auto* widget = static_cast<QWidget*>(watched);
    if (widget != this && !isAncestorOf(widget) && widget->window() == window()) close_palette();
    return false;
  }
  if (watched != field_ || event->type() != QEvent::KeyPress) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Down:
      step(1);
      return true;
    case Qt::Key_Up:
      step(-1);
      return true;
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
      for (int i = 0; i < most_lines - 1; ++i) step(key->key() == Qt::Key_PageDown ? 1 : -1);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      run(key->modifiers() & Qt::ControlModifier);
      return true;
    case Qt::Key_Escape:
      close_palette();
      return true;
    default:
      return false;
  }
}

void Palette::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible() && !running_) apply_theme();
}

}  // namespace pipedeck::ui::palette
