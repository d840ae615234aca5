// SPDX-License-Identifier: GPL-3.0-or-later
// What widgets show: all of their texts, those that were not translated, those that have too little room.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QGroupBox>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QXmlStreamReader>

namespace pipedeck::app::test {

/// A text as it is seen: without the marks of its letters to press.
inline QString seen(QString text) { return text.remove(QLatin1Char('&')); }

/// English texts that German has others for. What some place says as English does (a name) is left out.
inline QSet<QString> english_texts() {
  QFile file(QStringLiteral(PIPEDECK_TRANSLATIONS));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QSet<QString> english, german;
  QString source;
  for (QXmlStreamReader xml(&file); !xml.atEnd(); xml.readNext()) {
    if (xml.isStartElement() && xml.name() == QLatin1String("source")) source = xml.readElementText();
    if (!xml.isStartElement() || xml.name() != QLatin1String("translation")) continue;
    const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
    for (const QString& one : {source, seen(source)}) english.insert(one);
    for (const QString& one : {text, seen(text)}) german.insert(one);
  }
  english.subtract(german);
  return english;
}

struct Shown {
  QString text, where;
};

/// Of a planner's option: what the command line takes, in one language.
inline bool holds_values(const QObject& widget) {
  for (const QObject* one = &widget; one; one = one->parent())
    if (one->objectName().contains(QLatin1Char('/'))) return true;
  return false;
}

class Collector {
 public:
  void add(const QString& text, const QObject& from, const char* what) {
    if (text.size() < 2) return;
    all_.push_back(
        {text, QStringLiteral("%1 %2 '%3'")
                   .arg(QLatin1String(from.metaObject()->className()), QLatin1String(what), from.objectName())});
  }

  void add_action(const QAction& action) {
    add(action.text(), action, "text");
    add(action.toolTip(), action, "tool tip");
    add(action.statusTip(), action, "status tip");
  }

  void add_model(const QAbstractItemModel& model, const QModelIndex& parent, int depth = 0) {
    constexpr int deepest = 4, most_rows = 60;
    const int columns = model.columnCount(parent);
    if (depth == 0)
      for (int column = 0; column < columns; ++column)
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
          add(model.headerData(column, Qt::Horizontal, role).toString(), model, "header");
    for (int row = 0; row < std::min(model.rowCount(parent), most_rows); ++row) {
      for (int column = 0; column < columns; ++column)
        for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)})
          add(model.index(row, column, parent).data(role).toString(), model, "cell");
      if (depth < deepest) add_model(model, model.index(row, 0, parent), depth + 1);
    }
  }

  void add_widget(const QWidget& widget) {
    add(widget.toolTip(), widget, "tool tip");
    add(widget.accessibleName(), widget, "accessible name");
    add(widget.accessibleDescription(), widget, "accessible description");
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) add(label->text(), *label, "text");
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) add(button->text(), *button, "text");
    if (const auto* edit = qobject_cast<const QLineEdit*>(&widget)) add(edit->placeholderText(), *edit, "placeholder");
    if (const auto* box = qobject_cast<const QGroupBox*>(&widget)) add(box->title(), *box, "title");
    if (const auto* spin = qobject_cast<const QSpinBox*>(&widget))
      add(spin->specialValueText(), *spin, "special value");
    if (const auto* dock = qobject_cast<const QDockWidget*>(&widget)) add(dock->windowTitle(), *dock, "title");
    if (const auto* dialog = qobject_cast<const QDialog*>(&widget)) add(dialog->windowTitle(), *dialog, "title");
    if (const auto* menu = qobject_cast<const QMenu*>(&widget)) add(menu->title(), *menu, "title");
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
      for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i), *tabs, "tab");
    if (const auto* box = qobject_cast<const QComboBox*>(&widget); box && !holds_values(*box))
      add_model(*box->model(), {});
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model())
      if (!holds_values(*view) && !qobject_cast<const QHeaderView*>(view)) add_model(*view->model(), {});
  }

  void add_all(const QWidget& root) {
    add_widget(root);
    for (const QWidget* widget : root.findChildren<QWidget*>()) add_widget(*widget);
    for (const QAction* action : root.findChildren<QAction*>()) add_action(*action);
  }

  /// Those of them that are English.
  QStringList passed_by(const QSet<QString>& english) const {
    QStringList found;
    for (const Shown& shown : all_)
      if (english.contains(seen(shown.text)) || english.contains(shown.text))
        found << QStringLiteral("%1: %2").arg(shown.where, shown.text);
    found.removeDuplicates();
    return found;
  }
  /// Those with a figure that has a point in front of its unit.
  QStringList with_decimal_point() const {
    static const QRegularExpression figure(
        QStringLiteral("(?<![\\w.])\\d+\\.\\d+[ \u00a0](?:%|\u00b5s|ms|s|[KMG]iB|GB/s|USD|[Ss]amples)(?!\\w)"));
    QStringList found;
    for (const Shown& shown : all_)
      if (figure.match(shown.text).hasMatch()) found << QStringLiteral("%1: %2").arg(shown.where, shown.text);
    found.removeDuplicates();
    return found;
  }
  qsizetype size() const { return qsizetype(all_.size()); }

 private:
  std::vector<Shown> all_;
};

inline QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  return {};
}

/// A text of words in several lines that has less height than it needs.
inline bool is_cut_below(const QLabel& label) { return label.height() < label.heightForWidth(label.width()); }

inline int width_of(const QWidget& widget, const QString& text) {
  return widget.fontMetrics().horizontalAdvance(seen(text));
}

/// Beside its arrow.
inline int room_in(const QComboBox& box) {
  QStyleOptionComboBox option;
  option.initFrom(&box);
  return box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box).width();
}

/// A column's name, a tab's, what is chosen in a list: cut off with no tool tip to make up for it.
inline QStringList cut_parts(const QWidget& widget) {
  QStringList parts;
  if (const auto* header = qobject_cast<const QHeaderView*>(&widget); header && header->model()) {
    for (int s = 0; s < header->count(); ++s) {
      const QString name = header->model()->headerData(s, header->orientation()).toString();
      const bool shown = !header->isSectionHidden(s) && header->orientation() == Qt::Horizontal;
      if (shown && header->sectionSize(s) < width_of(widget, name.section(QLatin1Char('\n'), 0, 0))) parts << name;
    }
  }
  if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabRect(i).width() < width_of(widget, tabs->tabText(i))) parts << tabs->tabText(i);
  const auto* box = qobject_cast<const QComboBox*>(&widget);  // those of the tool bar end with dots
  if (box && !box->isEditable() && qobject_cast<const QDialog*>(widget.window()))
    if (room_in(*box) < width_of(widget, box->currentText())) parts << box->currentText();
  if (const auto* edit = qobject_cast<const QLineEdit*>(&widget); edit && edit->text().isEmpty())
    if (edit->width() < width_of(widget, edit->placeholderText())) parts << edit->placeholderText();
  return parts;
}

/// A text in one line that has less room than it needs.
inline bool cuts_off(const QWidget& widget) {
  if (!widget.isVisible() || text_of(widget).isEmpty()) return false;
  if (const auto* label = qobject_cast<const QLabel*>(&widget); label && label->wordWrap()) return is_cut_below(*label);
  if (widget.minimumWidth() == 1) return false;  // the first to give way, with dots
  return widget.width() < widget.minimumSizeHint().width();
}

/// All that is cut off in what is seen of `root`, by the names of the widgets.
inline QStringList cut_texts(const QWidget& root) {
  QStringList found;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (cuts_off(*widget)) found << widget->objectName() + QStringLiteral(": ") + text_of(*widget);
    for (const QString& part : cut_parts(*widget))
      found << QStringLiteral("%1 %2: %3")
                   .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(), part);
  }
  found.removeDuplicates();
  return found;
}

}  // namespace pipedeck::app::test
