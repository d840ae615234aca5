// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/appearance.hpp"

#include <QApplication>
#include <QEvent>
#include <QPalette>
#include <QStyleFactory>
#include <QWidget>

#include "app/views/widgets/theme.hpp"

// Outside any namespace: the macro declares a function in the global namespace.
static void load_icons() { Q_INIT_RESOURCE(pipedeck); }

namespace pipedeck::ui::layout {

namespace {

/// Replaces colour names in the rules below: %window% and so on.
QString with_colors(QString rules, const views::widgets::Theme& theme) {
  const std::pair<const char*, QColor> colors[] = {
      {"%window%", theme.window},
      {"%panel%", theme.panel},
      {"%raised%", theme.raised},
      {"%border%", theme.border},
      {"%text%", theme.text},
      {"%muted%", theme.muted},
      {"%accent%", theme.accent},
      {"%accent-soft%", theme.accent_soft},
      {"%on-soft%", theme.dark ? theme.text : theme.accent},
      {"%button%", theme.button},
      {"%on-button%", theme.on(theme.button)},
      {"%button-hover%", views::widgets::blended(theme.text, theme.button, 0.12)},
      {"%hover%", views::widgets::blended(theme.text, theme.panel, 0.06)},
      {"%handle%", views::widgets::blended(theme.muted, theme.window, 0.45)},
      {"%disabled%", theme.impossible},
  };
  rules.replace(QLatin1String("%scheme%"), QLatin1String(theme.dark ? "dark" : "light"));
  for (const auto& [name, color] : colors) rules.replace(QLatin1String(name), color.name());
  return rules;
}

const char* const rules = R"(
QMenuBar { background: %raised%; padding: 2px 6px; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: %accent-soft%; }
QStatusBar { background: %raised%; color: %muted%; border-top: 1px solid %border%; }
QStatusBar QLabel { color: %muted%; padding: 0 6px; }
QStatusBar::item { border: none; }
QToolBar { background: %panel%; border: none; border-bottom: 1px solid %border%; padding: 4px 8px; spacing: 0; }
QMainWindow::separator { background: %border%; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: %accent%; }
QDockWidget { color: %muted%; }
QDockWidget::title { background: %panel%; padding: 8px 10px 4px 14px; }
QTabWidget::pane { border: none; }
QTabWidget::tab-bar { left: 10px; }
QTabBar { background: transparent; }
QTabBar::tab { padding: 5px 14px; margin: 4px 3px; border-radius: 5px; color: %text%; background: transparent; }
QTabBar::tab:hover { background: %hover%; }
QTabBar::tab:selected { background: %accent-soft%; color: %on-soft%; }
QPushButton { background: %panel%; color: %text%; border: 1px solid %border%; border-radius: 4px; padding: 4px 14px; }
QPushButton:hover { background: %hover%; }
QPushButton:focus { border-color: %accent%; }
QPushButton:pressed { background: %accent-soft%; }
QPushButton:disabled { color: %disabled%; }
QDialogButtonBox QPushButton { min-width: 56px; }
QDialogButtonBox QPushButton:default { background: %button%; color: %on-button%; border-color: %button%; }
QDialogButtonBox QPushButton:default:hover { background: %button-hover%; border-color: %button-hover%; }
QDialogButtonBox QPushButton:default:focus { border-color: %text%; }
QDialogButtonBox QPushButton:default:disabled { background: %disabled%; border-color: %disabled%; color: %panel%; }
QPushButton#primary { background: %button%; color: %on-button%; border: 1px solid %button%; border-radius: 4px;
                      padding: 4px 18px; font-weight: 600; }
QPushButton#primary:hover { background: %button-hover%; border-color: %button-hover%; }
QPushButton#primary:focus { border-color: %text%; }
QPushButton#primary:disabled { background: %disabled%; border-color: %disabled%; color: %panel%; }
QLabel#caption, QLabel#summary { color: %muted%; }
QToolBar#rail { padding: 8px 4px; border-bottom: none; border-right: 1px solid %border%; spacing: 4px; }
QToolBar#rail QToolButton { padding: 5px; border: 1px solid transparent; border-radius: 4px; }
QToolBar#rail QToolButton:hover, #menu_corner QToolButton:hover { background: %hover%; }
QToolBar#rail QToolButton:focus, #menu_corner QToolButton:focus { border-color: %accent%; }
#menu_corner QToolButton { padding: 3px; border: 1px solid transparent; border-radius: 4px; }
#menu_corner QToolButton:checked { background: %accent-soft%; }
#rail_project, #corner_project { qproperty-icon: url(:/icons/panel-left-%scheme%.svg); }
#corner_inspector { qproperty-icon: url(:/icons/panel-right-%scheme%.svg); }
#rail_profiles { qproperty-icon: url(:/icons/profiles-%scheme%.svg); }
#rail_clusters { qproperty-icon: url(:/icons/clusters-%scheme%.svg); }
#rail_plans { qproperty-icon: url(:/icons/plans-%scheme%.svg); }
#rail_runs { qproperty-icon: url(:/icons/runs-%scheme%.svg); }
#search_popup, #assumptions_popup, #jobs_popup { background: %panel%; border: 1px solid %border%; border-radius: 6px; }
#search_list { background: transparent; }
#search_list::item { padding: 3px 4px; }
#search_list::item:selected { background: %accent-soft%; color: %text%; }
#project_tree { selection-background-color: transparent; border: none; }
QComboBox, QAbstractSpinBox, QLineEdit { background: %panel%; color: %text%; border: 1px solid %border%; border-radius: 4px;
                                 padding: 3px 4px 3px 8px; min-height: 19px; selection-background-color: %accent-soft%; }
QComboBox:hover, QAbstractSpinBox:hover { border-color: %muted%; }
QComboBox:focus, QAbstractSpinBox:focus, QLineEdit:focus { border-color: %accent%; }
QComboBox QLineEdit, QComboBox QLineEdit:focus { border: none; padding: 0; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow, QAbstractSpinBox::down-arrow { image: url(:/icons/down-%scheme%.svg); width: 9px; height: 9px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/up-%scheme%.svg); width: 9px; height: 9px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 18px; background: transparent; }
QComboBox QAbstractItemView { border: 1px solid %border%; background: %panel%; outline: none; }
QDockWidget { titlebar-close-icon: url(:/icons/close-%scheme%.svg); }
QDockWidget::close-button { border: none; background: transparent; padding: 0; icon-size: 10px; }
QDockWidget::close-button:hover { background: %hover%; border-radius: 3px; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: %handle%; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: %muted%; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QCheckBox::indicator, QAbstractItemView::indicator, QGroupBox::indicator { width: 13px; height: 13px; border: 1px solid %muted%;
                                   border-radius: 3px; background: %panel%; }
QCheckBox::indicator:hover, QAbstractItemView::indicator:hover { border-color: %accent%; }
QCheckBox::indicator:focus { border-color: %accent%; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked, QGroupBox::indicator:checked { background: %button%;
                                   border-color: %button%; image: url(:/icons/check.svg); }
QCheckBox::indicator:disabled, QAbstractItemView::indicator:disabled { border-color: %disabled%; }
QToolButton[autoRaise="false"] { background: %panel%; color: %text%; border: 1px solid %border%; border-radius: 4px; padding: 3px 5px; }
QToolButton[autoRaise="false"]:hover { background: %hover%; }
QToolButton[autoRaise="false"]:focus { border-color: %accent%; }
QToolButton[autoRaise="false"]:checked { background: %accent-soft%; color: %on-soft%; }
QToolButton[autoRaise="false"]:disabled { color: %disabled%; }
QToolButton[segment="first"], QToolButton[segment="middle"], QToolButton[segment="last"] { border-radius: 0; padding: 3px 9px; }
QToolButton[segment="middle"], QToolButton[segment="last"] { margin-left: -1px; }
QToolButton[segment="first"] { border-top-left-radius: 4px; border-bottom-left-radius: 4px; }
QToolButton[segment="last"] { border-top-right-radius: 4px; border-bottom-right-radius: 4px; }
QToolButton[segment="first"]:checked, QToolButton[segment="middle"]:checked, QToolButton[segment="last"]:checked { border-color: %accent%; }
QToolButton#run_more { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 3px 6px; }
QToolButton#run_more:hover { background: %hover%; }
QToolButton#run_more:focus { border-color: %accent%; }
QGroupBox { border: 1px solid %border%; border-radius: 6px; margin-top: 22px; padding: 6px 4px 4px 4px; background: transparent; }
QGroupBox::title { subcontrol-origin: margin; left: 2px; top: 2px; color: %muted%; }
QDialog QListWidget, QDialog QPlainTextEdit { background: %panel%; border: 1px solid %border%; border-radius: 4px;
                                   padding: 4px; outline: none; }
QDialog QListWidget:focus, QDialog QPlainTextEdit:focus { border-color: %accent%; }
QDialog QListWidget::item { padding: 2px 4px; border-radius: 3px; }
QDialog QListWidget::item:selected { background: %accent-soft%; color: %text%; }
QSplitter::handle:horizontal { background: %border%; width: 1px; }
QSplitter::handle:vertical { background: %border%; height: 1px; }
QSplitter#accuracy_splitter::handle, QSplitter#what_if_splitter::handle, QSplitter#profile_splitter::handle, QSplitter#profile_preview_splitter::handle, QSplitter#cloud_splitter::handle { background: transparent; }
QSplitter#accuracy_splitter::handle:hover, QSplitter#what_if_splitter::handle:hover, QSplitter#profile_splitter::handle:hover, QSplitter#profile_preview_splitter::handle:hover, QSplitter#cloud_splitter::handle:hover { background: %accent-soft%; }
QToolTip { color: %text%; background: %panel%; border: 1px solid %border%; padding: 4px; }
)";

const views::widgets::Theme& system_theme() {
  static const views::widgets::Theme& theme =
      views::widgets::Theme::of(QApplication::palette());  // before this program sets its own
  return theme;
}

}  // namespace

QString appearance_name(Appearance appearance) {
  switch (appearance) {
    case Appearance::system:
      return QStringLiteral("system");
    case Appearance::light:
      return QStringLiteral("light");
    case Appearance::dark:
      return QStringLiteral("dark");
  }
  return {};
}

Appearance parse_appearance(const QString& name) {
  for (const Appearance appearance : {Appearance::light, Appearance::dark}) {
    if (name == appearance_name(appearance)) return appearance;
  }
  return Appearance::system;
}

void apply_appearance(Appearance appearance) {
  load_icons();
  const views::widgets::Theme& system = system_theme();
  const views::widgets::Theme& theme = appearance == Appearance::light  ? views::widgets::Theme::light()
                                       : appearance == Appearance::dark ? views::widgets::Theme::night()
                                                                        : system;
  // Only once: under a style sheet the style is a proxy, which must not be replaced while in use.
  if (qApp->styleSheet().isEmpty()) QApplication::setStyle(QStyleFactory::create(QStringLiteral("fusion")));
  QApplication::setPalette(theme.palette());
  qApp->setStyleSheet(with_colors(QString::fromLatin1(rules), theme));
  reapply_own_colours();
}

void reapply_own_colours() {
  for (QWidget* widget : QApplication::allWidgets()) {
    QEvent changed(QEvent::PaletteChange);
    QApplication::sendEvent(widget, &changed);
  }
}

}  // namespace pipedeck::ui::layout
