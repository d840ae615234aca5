// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/palette.hpp"

#include <utility>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr int index_role = Qt::UserRole;  ///< of the entry; none: the title of a section

class EntryDelegate : public QStyledItemDelegate {
 public:
  EntryDelegate(const std::vector<PaletteEntry>& entries, QObject* parent)
      : QStyledItemDelegate(parent), entries_(entries) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int line = QFontMetrics(option.font).height();
    const PaletteEntry* entry = entry_of(index);
    if (!entry) return {100, line + 14};
    return {100,
            (entry->detail.isEmpty() ? line : line + QFontMetrics(widgets::caption_font(option.font)).height()) + 14};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (const PaletteEntry* entry = entry_of(index)) {
      paint_entry(*painter, option, *entry, theme);
    } else {
      painter->setFont(widgets::section_font(option.font));
      painter->setPen(theme.muted);
      painter->drawText(option.rect.adjusted(10, 6, -6, -2), Qt::AlignLeft | Qt::AlignBottom, index.data().toString());
    }
    painter->restore();
  }

 private:
  const PaletteEntry* entry_of(const QModelIndex& index) const {
    const QVariant at = index.data(index_role);
    return at.isValid() ? &entries_[static_cast<std::size_t>(at.toInt())] : nullptr;
  }

  static void paint_entry(QPainter& painter, const QStyleOptionViewItem& option, const PaletteEntry& entry,
                          const widgets::Theme& theme) {
    const QRectF box = QRectF(option.rect).adjusted(8, 2, -8, -2);
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    const bool hot = option.state.testFlag(QStyle::State_MouseOver);
    painter.setPen(QPen(chosen || hot ? theme.accent : theme.border, chosen ? 1.6 : 1.1));
    painter.setBrush(chosen ? theme.accent_soft : theme.panel);
    painter.drawRoundedRect(box, 4, 4);
    if (entry.kind == PaletteEntry::device) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(entry.colour >= 0 ? theme.of_group(entry.colour) : theme.muted);
      painter.drawRoundedRect(QRectF(box.left(), box.top(), 4, box.height()), 2, 2);
    }
    const QRectF text = box.adjusted(11, 4, -6, -4);
    painter.setFont(entry.detail.isEmpty() ? option.font : widgets::title_font(option.font));
    painter.setPen(theme.text);
    const auto fit = [&](const QString& words) {
      return painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(text.width()));
    };
    painter.drawText(text, Qt::AlignLeft | (entry.detail.isEmpty() ? Qt::AlignVCenter : Qt::AlignTop),
                     fit(entry.title));
    painter.setFont(widgets::caption_font(option.font));
    painter.setPen(theme.muted);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignBottom, fit(entry.detail));
  }

  const std::vector<PaletteEntry>& entries_;
};

}  // namespace

Palette::Palette(QWidget* parent) : QListWidget(parent) {
  setObjectName(QStringLiteral("topology_palette"));
  setAccessibleName(tr("Palette"));
  setWhatsThis(tr("Drag onto the drawing, or press Enter or double-click to add."));
  setItemDelegate(new EntryDelegate(entries_, this));
  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSelectionMode(QAbstractItemView::SingleSelection);
  connect(this, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    if (const PaletteEntry* chosen = entry(item)) take(PaletteEntry(*chosen));
  });
}

void Palette::set_sections(const std::vector<Section>& sections) {
  const QString current = currentItem() ? currentItem()->text() : QString();
  clear();
  entries_.clear();
  for (const Section& section : sections) {
    if (section.entries.empty()) continue;
    auto* title = new QListWidgetItem(section.title, this);
    title->setFlags(Qt::NoItemFlags);
    for (const PaletteEntry& next : section.entries) {
      auto* item = new QListWidgetItem(next.title, this);
      item->setData(index_role, static_cast<int>(entries_.size()));
      item->setData(Qt::AccessibleDescriptionRole, next.detail);
      item->setToolTip(next.tip);
      entries_.push_back(next);
      if (next.title == current) setCurrentItem(item);
    }
  }
}

/// Emits the request of a pressed or dropped entry. Importers have no place in the drawing.
void Palette::take(const PaletteEntry& chosen) {
  chosen.imports() ? emit import_requested(chosen.kind) : emit add_requested(chosen);
}

const PaletteEntry* Palette::entry(const QListWidgetItem* item) const {
  const QVariant at = item ? item->data(index_role) : QVariant();
  return at.isValid() ? &entries_[static_cast<std::size_t>(at.toInt())] : nullptr;
}

QListWidgetItem* Palette::find_item(const QString& title) const {
  for (int i = 0; i < count(); ++i)
    if (entry(item(i)) && item(i)->text() == title) return item(i);
  return nullptr;
}

void Palette::mousePressEvent(QMouseEvent* event) {
  QListWidget::mousePressEvent(event);
  const PaletteEntry* under = event->button() == Qt::LeftButton ? entry(itemAt(event->pos())) : nullptr;
  taken_ = under && !under->imports() ? std::optional(*under) : std::nullopt;
  pressed_ = event->pos();
}

void Palette::mouseMoveEvent(QMouseEvent* event) {
  if (!taken_) return QListWidget::mouseMoveEvent(event);
  if (!dragging_ && (event->pos() - pressed_).manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  setCursor(Qt::ClosedHandCursor);
  emit dragged(*taken_, event->globalPosition().toPoint());
}

void Palette::mouseReleaseEvent(QMouseEvent* event) {
  const bool was_dragging = dragging_;
  const std::optional<PaletteEntry> taken = std::exchange(taken_, std::nullopt);
  dragging_ = false;
  unsetCursor();
  if (was_dragging && taken) return emit dropped(*taken, event->globalPosition().toPoint());
  QListWidget::mouseReleaseEvent(event);
}

void Palette::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && dragging_) {
    dragging_ = false;
    taken_.reset();
    unsetCursor();
    emit drag_cancelled();
    return;
  }
  QListWidget::keyPressEvent(event);
}

}  // namespace pipedeck::views::topology
