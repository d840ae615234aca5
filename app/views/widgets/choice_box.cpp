// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/choice_box.hpp"

#include <algorithm>
#include <map>

#include <QAbstractItemView>
#include <QFontMetrics>
#include <QPainter>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

namespace pipedeck::views::widgets {

namespace {

constexpr QSize picture_size(104, 46);
constexpr int choice_padding = ThemeSizes::grid;
constexpr int gap = 12;
constexpr int choice_text_width = 330;
constexpr double faint = 0.4;  // opacity of unavailable choices

/// A delegate that draws the rows of the open list. It caches the pictures, so that a moving highlight does not redraw
/// them.
class ChoiceDelegate : public QStyledItemDelegate {
 public:
  ChoiceDelegate(const ChoiceBox& box, QObject* parent) : QStyledItemDelegate(parent), box_(box) {}

  void forget() { pictures_.clear(); }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics metrics(caption_font(option.font));
    const QString words = text_of(choice(index));
    const int lines = metrics.boundingRect(QRect(0, 0, choice_text_width, 1000), Qt::TextWordWrap, words).height();
    const int text = QFontMetrics(title_font(option.font)).height() + 2 + lines;
    return {picture_size.width() + gap + choice_text_width + 2 * choice_padding,
            std::max(picture_size.height(), text) + 2 * choice_padding};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Choice& shown = choice(index);
    const Theme& theme = Theme::of(option.palette);
    const bool off = !shown.unavailable_reason.isEmpty();
    painter->save();
    painter->fillRect(option.rect, option.state & QStyle::State_Selected ? theme.accent_soft : theme.panel);
    const QRect inner = option.rect.adjusted(choice_padding, choice_padding, -choice_padding, -choice_padding);
    const QRect frame(inner.left(), inner.center().y() - picture_size.height() / 2, picture_size.width(),
                      picture_size.height());
    painter->setOpacity(off ? faint : 1);
    painter->drawPixmap(frame, picture(index.row(), theme, painter->device()->devicePixelRatioF()));
    painter->setOpacity(1);
    const QRect words = inner.adjusted(picture_size.width() + gap, 0, 0, 0);
    painter->setFont(title_font(option.font));
    painter->setPen(off ? theme.muted : theme.text);
    const int title_height = painter->fontMetrics().height();
    painter->drawText(QRect(words.left(), words.top(), words.width(), title_height), Qt::AlignLeft, shown.title);
    painter->setFont(caption_font(option.font));
    painter->setPen(off ? theme.warning : theme.muted);
    painter->drawText(words.adjusted(0, title_height + 2, 0, 0), Qt::TextWordWrap, text_of(shown));
    painter->restore();
  }

 private:
  static QString text_of(const Choice& choice) {
    return choice.unavailable_reason.isEmpty() ? choice.summary : choice.unavailable_reason;
  }
  const Choice& choice(const QModelIndex& index) const { return box_.choices()[static_cast<std::size_t>(index.row())]; }

  const QPixmap& picture(int row, const Theme& theme, qreal ratio) const {
    const auto key = std::tuple(row, theme.dark, ratio);
    if (const auto known = pictures_.find(key); known != pictures_.end()) return known->second;
    QPixmap drawn(picture_size * ratio);
    drawn.setDevicePixelRatio(ratio);
    drawn.fill(theme.window);
    QPainter painter(&drawn);
    painter.setRenderHint(QPainter::Antialiasing);
    const Choice& shown = box_.choices()[static_cast<std::size_t>(row)];
    if (shown.picture) shown.picture(painter, QRectF(QPointF(0, 0), QSizeF(picture_size)), theme);
    return pictures_[key] = drawn;
  }

  const ChoiceBox& box_;
  mutable std::map<std::tuple<int, bool, qreal>, QPixmap> pictures_;
};

}  // namespace

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent) {
  setItemDelegate(new ChoiceDelegate(*this, this));
  setMaxVisibleItems(8);
  connect(this, &QComboBox::activated, this, &ChoiceBox::activate);
}

void ChoiceBox::set_choices(std::vector<Choice> choices) {
  const QSignalBlocker quiet(this);
  choices_ = std::move(choices);
  static_cast<ChoiceDelegate*>(itemDelegate())->forget();
  auto* items = qobject_cast<QStandardItemModel*>(model());
  items->clear();
  for (const Choice& choice : choices_) {
    auto* item = new QStandardItem(choice.title);
    item->setData(choice.key, Qt::UserRole);
    item->setToolTip(choice.unavailable_reason.isEmpty() ? choice.summary : choice.unavailable_reason);
    item->setData(choice.unavailable_reason.isEmpty() ? choice.summary : choice.unavailable_reason,
                  Qt::AccessibleDescriptionRole);
    item->setEnabled(choice.unavailable_reason.isEmpty());
    items->appendRow(item);
  }
  set_current(shown_);
}

void ChoiceBox::set_current(const QString& key) {
  const QSignalBlocker quiet(this);
  shown_ = key;
  setCurrentIndex(findData(key));
  const int index = currentIndex();
  setToolTip(index < 0 ? QString() : choices_[static_cast<std::size_t>(index)].summary);
}

QString ChoiceBox::current() const { return currentData().toString(); }

void ChoiceBox::showPopup() {
  // The list is wider than the box, so that its lines are readable.
  int width = 0;
  for (int row = 0; row < count(); ++row)
    width = std::max(width, view()->sizeHintForIndex(model()->index(row, 0)).width());
  view()->setMinimumWidth(width + 16);
  QComboBox::showPopup();
}

void ChoiceBox::activate(int index) {
  const QString key = itemData(index).toString();
  if (key == shown_) return;
  emit chosen(key);
  // A listener sets the resulting choice; if it does not, the box resets.
  if (key != shown_) set_current(shown_);
}

}  // namespace pipedeck::views::widgets
