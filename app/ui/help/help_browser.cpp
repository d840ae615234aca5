// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/help_browser.hpp"

#include <algorithm>

#include <QAbstractTextDocumentLayout>
#include <QPointer>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::help {

namespace {
constexpr int page_margin = 28;
constexpr int widest_picture = 1100;
constexpr int settle_ms = 120;  // after the last resize of the window
}  // namespace

HelpBrowser::HelpBrowser(QWidget* parent) : QTextBrowser(parent) {
  setObjectName(QStringLiteral("help_page"));
  setAccessibleName(tr("Help"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, &HelpBrowser::set_out);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &HelpBrowser::scrolled);
  connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { wanted_ = -1; });
}

void HelpBrowser::show_markdown(const QString& markdown) {
  markdown_ = markdown;
  set_width_ = 0;
  wanted_ = 0;
  set_out();
}

/// Lays out the page again if the width has changed, at the same text position. It is made without a view, which would
/// lay it out again at each block.
void HelpBrowser::set_out() {
  if (set_width_ == picture_width()) return;
  const int position = wanted_ >= 0 ? wanted_ : set_width_ > 0 ? top_position() : 0;
  set_width_ = picture_width();
  auto* page = new QTextDocument(this);
  page->setUndoRedoEnabled(false);
  page->setDefaultFont(font());
  page->setDocumentMargin(page_margin);
  page->setMarkdown(markdown_);
  apply_style(*page);
  const QPointer<QTextDocument> before = document();
  setDocument(page);
  delete before.data();  // null if the view owned it: then it is gone
  scroll_to(position);
}

/// Styles elements that Markdown leaves plain: tables get lines and padding, headings get space above.
void HelpBrowser::apply_style(QTextDocument& page) const {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  QTextCursor cursor(&page);
  cursor.beginEditBlock();
  for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    const bool heading = format.headingLevel() > 0;
    const bool in_table = QTextCursor(block).currentTable() != nullptr;
    format.setTopMargin(heading ? 18 : in_table ? 0 : format.topMargin());
    format.setBottomMargin(heading ? 8 : in_table ? 0 : 9);
    const bool picture = block.text() == QString(QChar::ObjectReplacementCharacter);
    format.setNonBreakableLines(false);  // code wraps: a page never scrolls sideways
    format.setLineHeight(heading || picture ? 100 : 118, QTextBlockFormat::ProportionalHeight);
    QTextCursor(block).setBlockFormat(format);
    QTextTable* table = QTextCursor(block).currentTable();
    if (!table || table->format().cellPadding() > 0) continue;
    QTextTableFormat lines = table->format();
    lines.setBorder(1);
    lines.setBorderCollapse(true);
    lines.setBorderBrush(theme.border);
    lines.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    lines.setCellPadding(5);
    lines.setCellSpacing(0);
    lines.setTopMargin(4);
    lines.setBottomMargin(12);
    table->setFormat(lines);
  }
  cursor.endEditBlock();
}

int HelpBrowser::picture_width() const {
  return std::clamp(viewport()->width() - 2 * page_margin - 16, 120, widest_picture);
}

int HelpBrowser::top_position() const { return cursorForPosition(QPoint(page_margin, 4)).position(); }

void HelpBrowser::scroll_to(int position) {
  wanted_ = position;
  QTextCursor cursor(document());
  cursor.setPosition(std::clamp(position, 0, std::max(0, document()->characterCount() - 1)));
  setTextCursor(cursor);
  verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect(cursor).top() - 12);
}

QVariant HelpBrowser::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::ImageResource) return {};          // nothing is loaded from outside
  if (!isVisible()) return QImage(1, 1, QImage::Format_RGB32);  // scaled when there is a width to draw for
  const double ratio = devicePixelRatioF();
  const int room = static_cast<int>(picture_width() * ratio);
  QImage& kept = pictures_[{name.path(), room}];
  if (!kept.isNull()) return kept;
  // Pages name pictures from where they are: "docs/pictures/gantt.png" in README.md. Qt looks in the working folder for
  // whatever is not found here.
  QImage picture(QStringLiteral(":/help/pictures/") + name.path().section(QStringLiteral("pictures/"), -1));
  if (picture.isNull()) return QImage(1, 1, QImage::Format_RGB32);
  if (room < picture.width()) picture = picture.scaledToWidth(room, Qt::SmoothTransformation);
  picture.setDevicePixelRatio(ratio);
  return kept = picture;
}

void HelpBrowser::showEvent(QShowEvent* event) {
  QTextBrowser::showEvent(event);
  set_width_ = 0;
  if (!markdown_.isEmpty()) later_.start(0);
}

void HelpBrowser::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (isVisible() && !markdown_.isEmpty() && set_width_ != picture_width()) later_.start(settle_ms);
}

void HelpBrowser::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || markdown_.isEmpty()) return;
  set_width_ = 0;
  later_.start(settle_ms);
}

}  // namespace pipedeck::ui::help
