// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/help_window.hpp"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "app/ui/help/help_browser.hpp"
#include "app/ui/help/help_pages.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::help {

namespace {

enum Role { file_role = Qt::UserRole, position_role };
const QSize first_size(1180, 800);
constexpr int deepest_heading = 3;

}  // namespace

HelpWindow::HelpWindow(std::function<void(const QUrl&)> open_outside, QWidget* parent)
    : QWidget(parent, Qt::Window), open_outside_(std::move(open_outside)), browser_(new HelpBrowser) {
  setObjectName(QStringLiteral("help_window"));
  setWindowTitle(tr("Pipedeck help"));
  auto* parts = new QSplitter;
  parts->setObjectName(QStringLiteral("help_splitter"));
  parts->setHandleWidth(1);
  parts->addWidget(make_side());
  parts->addWidget(browser_);
  parts->setStretchFactor(1, 1);
  parts->setCollapsible(0, false);
  parts->setCollapsible(1, false);
  parts->setSizes({250, 930});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->setSpacing(0);
  column->addWidget(make_bar());
  column->addWidget(parts, 1);
  resize(first_size);
  connect(browser_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
  connect(browser_, &HelpBrowser::scrolled, this, &HelpWindow::mark_current);
  update_history();
}

QWidget* HelpWindow::make_side() {
  contents_ = new QTreeWidget;
  contents_->setObjectName(QStringLiteral("help_contents"));
  contents_->setAccessibleName(tr("Contents"));
  contents_->setHeaderHidden(true);
  contents_->setFrameShape(QFrame::NoFrame);
  contents_->setTextElideMode(Qt::ElideRight);
  contents_->setMinimumWidth(160);
  contents_->setStyleSheet(QStringLiteral("QTreeView::item { padding: 3px 0; } QTreeView { padding-top: 8px; }"));
  connect(contents_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    remember();
    go_to({item->data(0, file_role).toString(), item->data(0, position_role).toInt()});
  });
  connect(contents_, &QTreeWidget::itemClicked, contents_, &QTreeWidget::itemActivated);
  return contents_;
}

QWidget* HelpWindow::make_bar() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(10, 6, 10, 6);
  row->setSpacing(6);
  const auto button = [&](const QString& text, const QString& tip, const char* name, const QKeySequence& key,
                          const std::function<void()>& run) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(key);
    action->setToolTip(tr("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, run);
    addAction(action);
    auto* shown = new QToolButton;
    shown->setDefaultAction(action);
    shown->setAutoRaise(true);
    shown->setAccessibleName(tip);
    row->addWidget(shown);
    return action;
  };
  const auto travel = [this](std::vector<Place>& from, std::vector<Place>& to) {
    if (from.empty()) return;
    to.push_back({file_, browser_->top_position()});
    const Place place = from.back();
    from.pop_back();
    go_to(place);
  };
  back_ = button(QStringLiteral("←"), tr("Back"), "help_back", QKeySequence(Qt::ALT | Qt::Key_Left),
                 [this, travel] { travel(past_, future_); });
  forward_ = button(QStringLiteral("→"), tr("Forward"), "help_forward", QKeySequence(Qt::ALT | Qt::Key_Right),
                    [this, travel] { travel(future_, past_); });
  row->addStretch();
  found_ = new QLabel;
  found_->setObjectName(QStringLiteral("caption"));
  row->addWidget(found_);
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("help_search"));
  search_->setAccessibleName(tr("Search help"));
  search_->setPlaceholderText(tr("Search all pages (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->setFixedWidth(300);
  row->addWidget(search_);
  connect(search_, &QLineEdit::returnPressed, this, [this] { find(false); });
  connect(search_, &QLineEdit::textEdited, this, [this] { found_->clear(); });
  button(QStringLiteral("↑"), tr("Find the one before"), "help_find_back", QKeySequence(Qt::SHIFT | Qt::Key_F3),
         [this] { find(true); });
  button(QStringLiteral("↓"), tr("Find the next one"), "help_find_next", QKeySequence(Qt::Key_F3),
         [this] { find(false); });
  auto* to_search = new QAction(this);
  to_search->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_F));
  connect(to_search, &QAction::triggered, this, [this] {
    search_->setFocus();
    search_->selectAll();
  });
  addAction(to_search);
  return bar;
}

void HelpWindow::show_page(const QString& file, const QString& slug) {
  if (!file_.isEmpty()) remember();
  load(file);
  int position = 0;
  for (const HelpHeading& heading : headings_of(*browser_->document()))
    if (!slug.isEmpty() && heading.slug == slug) position = heading.position;
  browser_->scroll_to(position);
  mark_current();
}

void HelpWindow::load(const QString& file) {
  if (file == file_) return;
  file_ = file;
  browser_->show_markdown(help_text(file));
  fill_contents();
}

/// Lists the headings of the visible page under its name, and the names of the other pages.
void HelpWindow::fill_contents() {
  contents_->clear();
  for (const HelpPage& page : help_pages()) {
    auto* top = new QTreeWidgetItem(contents_, {page.title});
    top->setFont(0, views::widgets::title_font(font()));
    top->setData(0, file_role, page.file);
    if (page.file != file_) continue;
    QTreeWidgetItem* above = top;
    for (const HelpHeading& heading : headings_of(*browser_->document())) {
      if (heading.level == 1 || heading.level > deepest_heading) continue;
      auto* item = new QTreeWidgetItem(heading.level == 2 ? top : above, {heading.title});
      item->setToolTip(0, heading.title);
      item->setData(0, file_role, file_);
      item->setData(0, position_role, heading.position);
      if (heading.level == 2) above = item;
    }
    top->setExpanded(true);
    for (int i = 0; i < top->childCount(); ++i) top->child(i)->setExpanded(true);
  }
}

void HelpWindow::follow(const QUrl& link) {
  const QString file = link.path().section(QLatin1Char('/'), -1);
  if (link.scheme().isEmpty() && (file.isEmpty() || !help_text(file).isEmpty())) {
    show_page(file.isEmpty() ? file_ : file, link.fragment());
  } else if (!link.scheme().isEmpty()) {
    open_outside_(link);
  } else {
    found_->setText(tr("%1 is in the source, not in this help").arg(link.path()));
  }
}

void HelpWindow::remember() {
  past_.push_back({file_, browser_->top_position()});
  future_.clear();
  update_history();
}

void HelpWindow::go_to(const Place& place) {
  load(place.file);
  browser_->scroll_to(place.position);
  mark_current();
  update_history();
}

void HelpWindow::update_history() {
  back_->setEnabled(!past_.empty());
  forward_->setEnabled(!future_.empty());
}

QString HelpWindow::heading() const {
  QString title;
  // A line that was scrolled to the top is a little below the edge.
  const int at = browser_->cursorForPosition(QPoint(40, 30)).position();
  for (const HelpHeading& heading : headings_of(*browser_->document()))
    if (heading.position <= at) title = heading.title;
  return title;
}

void HelpWindow::mark_current() {
  const QString title = heading();
  for (auto it = QTreeWidgetItemIterator(contents_); *it; ++it) {
    const bool here = (*it)->data(0, file_role).toString() == file_ && (*it)->text(0) == title;
    if (here) return contents_->setCurrentItem(*it);
  }
}

bool HelpWindow::find_in_page(const QString& words, bool backward, bool from_edge) {
  if (from_edge) {
    QTextCursor cursor(browser_->document());
    if (backward) cursor.movePosition(QTextCursor::End);
    browser_->setTextCursor(cursor);
  }
  return browser_->find(words, backward ? QTextDocument::FindBackward : QTextDocument::FindFlags());
}

/// Searches the rest of this page, then the others, and wraps around.
void HelpWindow::find(bool backward) {
  const QString words = search_->text().trimmed();
  if (words.isEmpty()) return;
  if (find_in_page(words, backward, false)) return found_->clear();
  const std::vector<HelpPage> pages = help_pages();
  const int count = static_cast<int>(pages.size());
  int at = 0;
  for (int i = 0; i < count; ++i)
    if (pages[static_cast<std::size_t>(i)].file == file_) at = i;
  for (int step = 1; step <= count; ++step) {
    const HelpPage& page = pages[static_cast<std::size_t>((at + (backward ? count - step % count : step)) % count)];
    if (!help_text(page.file).contains(words, Qt::CaseInsensitive)) continue;
    remember();
    load(page.file);
    if (find_in_page(words, backward, true)) {
      mark_current();
      return found_->setText(tr("in %1").arg(page.title));
    }
  }
  found_->setText(tr("“%1” was not found. Try a part of the word.").arg(words));
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    close();
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace pipedeck::ui::help
