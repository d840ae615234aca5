// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/shortcut_list.hpp"

#include <algorithm>
#include <set>

#include <QAction>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QWidget>

namespace pipedeck::ui::help {

namespace {

struct Shortcuts {
  Q_DECLARE_TR_FUNCTIONS(Shortcuts)
};

QString plain(QString text) {
  text.remove(QLatin1Char('&'));
  while (text.endsWith(QChar(0x2026))) text.chop(1);
  return text;
}

QStringList key_texts(const QAction& action) {
  QStringList texts;
  for (const QKeySequence& key : action.shortcuts()) texts << key.toString(QKeySequence::NativeText);
  return texts;
}

/// Collects the actions of a menu; those of a submenu have names such as "Export: Plan".
void collect(const QMenu& menu, const QString& within, std::vector<Shortcut>& found, std::set<const QAction*>& seen) {
  for (QAction* action : menu.actions()) {
    if (action->menu()) {
      collect(*action->menu(), plain(action->text()), found, seen);
    } else if (!action->shortcuts().isEmpty() && seen.insert(action).second) {
      const QString text = plain(action->iconText());  // without the name of the step to undo
      found.push_back(
          {key_texts(*action), within.isEmpty() ? text : Shortcuts::tr("%1: %2").arg(within, text), action});
    }
  }
}

ShortcutGroup& find_group(std::vector<ShortcutGroup>& groups, const QString& title) {
  const auto it = std::ranges::find(groups, title, &ShortcutGroup::title);
  return it != groups.end() ? *it : groups.emplace_back(ShortcutGroup{title, {}});
}

void add_menus(const QWidget& window, std::vector<ShortcutGroup>& groups, std::set<const QAction*>& seen) {
  const auto* main = qobject_cast<const QMainWindow*>(&window);
  if (!main || !main->menuWidget()) return;
  for (const QAction* title : main->menuWidget()->actions()) {
    std::vector<Shortcut> found;
    if (title->menu()) collect(*title->menu(), {}, found, seen);
    if (!found.empty()) find_group(groups, plain(title->text())).shortcuts = std::move(found);
  }
}

/// Adds the keys of a view. Charts of several plans describe the same keys.
void add_view_keys(const QWidget& view, std::vector<ShortcutGroup>& groups) {
  for (const views::widgets::KeyGroup& told : views::widgets::described_keys(view)) {
    std::vector<Shortcut>& shortcuts = find_group(groups, told.title).shortcuts;
    for (const views::widgets::KeyHelp& key : told.keys) {
      const bool there = std::ranges::any_of(shortcuts, [&](const Shortcut& s) { return s.what == key.what; });
      if (there) continue;
      QStringList keys = key.keys.split(QStringLiteral(", "));
      for (QString& name : keys) name = QCoreApplication::translate("QShortcut", name.toUtf8().constData());
      shortcuts.push_back({keys, key.what, nullptr});
    }
  }
}

}  // namespace

std::vector<ShortcutGroup> shortcuts_of(const QWidget& window) {
  std::vector<ShortcutGroup> groups;
  std::set<const QAction*> seen;
  add_menus(window, groups, seen);
  for (const QWidget* view : window.findChildren<QWidget*>()) add_view_keys(*view, groups);
  for (QAction* action : window.findChildren<QAction*>()) {
    const bool named = !action->text().isEmpty() && !action->shortcuts().isEmpty();
    if (!named || !seen.insert(action).second) continue;
    find_group(groups, Shortcuts::tr("Elsewhere"))
        .shortcuts.push_back({key_texts(*action), plain(action->text()), action});
  }
  return groups;
}

std::vector<ShortcutGroup> matching(const std::vector<ShortcutGroup>& groups, const QString& wanted) {
  const QStringList words = wanted.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  std::vector<ShortcutGroup> found;
  for (const ShortcutGroup& group : groups) {
    ShortcutGroup kept{group.title, {}};
    for (const Shortcut& shortcut : group.shortcuts) {
      const QString text = group.title + QLatin1Char(' ') + shortcut.what + QLatin1Char(' ') + shortcut.keys.join(' ');
      const auto in_text = [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); };
      if (std::ranges::all_of(words, in_text)) kept.shortcuts.push_back(shortcut);
    }
    if (!kept.shortcuts.empty()) found.push_back(std::move(kept));
  }
  return found;
}

}  // namespace pipedeck::ui::help
