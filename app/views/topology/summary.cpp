// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/summary.hpp"

#include <algorithm>

#include <QBoxLayout>
#include <QEvent>
#include <QIcon>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr int narrow_width = 560, min_height = 150;     ///< pixels
constexpr int min_map_height = 120, stacked_map = 200;  ///< pixels of the map's height, next to and below the text
constexpr int margin = 10;                              ///< pixels above and below the content
constexpr std::size_t max_problems_seen = 3;            ///< without scrolling the list

/// Returns the mark of the drawing: filled if it prevents planning, hollow for a warning.
QIcon mark_icon(models::topology::TopologyProblem::Severity severity, const widgets::Theme& theme) {
  QPixmap picture(32, 32);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool prevents = severity == models::topology::TopologyProblem::error;
  const QColor colour = prevents ? theme.bad : theme.warning;
  const QPointF triangle[] = {{16, 4}, {29, 27}, {3, 27}};
  painter.setPen(QPen(colour, 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(prevents ? colour : theme.panel);
  painter.drawPolygon(triangle, 3);
  painter.setPen(QPen(prevents ? theme.on(colour) : theme.text, 3, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(16, 12), QPointF(16, 19));
  painter.drawPoint(QPointF(16, 24));
  return QIcon(picture);
}

}  // namespace

Summary::Summary(QWidget* parent)
    : QWidget(parent),
      map_(new BandwidthMap),
      dimensions_title_(new QLabel(tr("COMMUNICATION OF THE PLAN"))),
      dimensions_(new QLabel),
      strengths_title_(new QLabel(tr("STRENGTHS OF THIS CLUSTER"))),
      strengths_(new QLabel),
      problems_title_(new QLabel),
      problems_list_(new QListWidget) {
  setObjectName(QStringLiteral("topology_summary"));
  dimensions_->setObjectName(QStringLiteral("topology_dimensions"));
  dimensions_->setTextFormat(Qt::RichText);
  dimensions_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  strengths_->setObjectName(QStringLiteral("topology_strengths"));
  strengths_->setWordWrap(true);
  strengths_->setTextFormat(Qt::PlainText);
  strengths_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  strengths_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  problems_list_->setObjectName(QStringLiteral("topology_problems"));
  problems_list_->setAccessibleName(tr("Problems"));
  problems_list_->setFrameShape(QFrame::NoFrame);
  problems_list_->setWordWrap(true);
  problems_list_->viewport()->setAutoFillBackground(false);
  problems_title_->setBuddy(problems_list_);
  for (QLabel* title : {dimensions_title_, strengths_title_, problems_title_})
    title->setFont(widgets::section_font(font()));
  make_content();
  const auto choose = [this](const QListWidgetItem* item) {
    if (item) emit problem_chosen(problems_[static_cast<std::size_t>(problems_list_->row(item))].at);
  };
  connect(problems_list_, &QListWidget::itemClicked, this, choose);
  connect(problems_list_, &QListWidget::itemActivated, this, choose);
  follow_theme();
  map_->hide();
  set_problems(false, {});
  set_dimensions({});
}

/// Makes all content reachable by scrolling, however little room there is.
void Summary::make_content() {
  auto* words = new QVBoxLayout;
  words->setSpacing(6);
  words->addWidget(dimensions_title_);
  words->addWidget(dimensions_);
  words->addWidget(strengths_title_);
  words->addWidget(strengths_);
  words->addSpacing(6);
  words->addWidget(problems_title_);
  words->addWidget(problems_list_, 1);
  words->addStretch(0);
  // Their heights follow the available room, not the reverse.
  for (QWidget* part : {static_cast<QWidget*>(map_), static_cast<QWidget*>(problems_list_)})
    part->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  auto* content = new QWidget;
  row_ = new QBoxLayout(QBoxLayout::RightToLeft, content);
  row_->setContentsMargins(18, margin, 18, margin);
  row_->setSpacing(24);
  row_->addLayout(words, 3);
  auto* map = new QVBoxLayout;  // at the top
  map->addWidget(map_, 1000);
  map->addStretch(1);
  row_->addLayout(map, 2);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("topology_summary_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  for (QWidget* ground : {content, scroll->viewport()}) ground->setAutoFillBackground(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins({});
  all->addWidget(scroll);
  setMinimumHeight(min_height);
  arrange();
}

/// Places text and map side by side, or the text above the map if the row is too narrow.
void Summary::arrange() {
  const bool narrow = width() < narrow_width;
  row_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::RightToLeft);
  map_->setMinimumHeight(!map_->sizeHint().isEmpty() ? (narrow ? stacked_map : min_map_height) : 0);
  map_->setMaximumHeight(narrow ? QWIDGETSIZE_MAX : std::max(min_map_height, height() - 2 * margin));  // always whole
}

void Summary::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void Summary::set_bandwidths(Bandwidths table) {
  map_->set_bandwidths(std::move(table));
  arrange();
}

void Summary::set_problems(bool of_cluster, const std::vector<models::topology::TopologyProblem>& problems) {
  problems_ = problems;
  problems_title_->setVisible(of_cluster);
  problems_title_->setText(problems.empty() ? tr("NO PROBLEMS")
                                            : tr("PROBLEMS: %1").arg(static_cast<qlonglong>(problems.size())));
  problems_list_->setVisible(!problems.empty());
  const QSignalBlocker quiet(problems_list_);
  problems_list_->clear();
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (const models::topology::TopologyProblem& problem : problems) {
    auto* item = new QListWidgetItem(mark_icon(problem.severity, theme), problem.text, problems_list_);
    item->setData(Qt::AccessibleDescriptionRole, problem.severity == models::topology::TopologyProblem::error
                                                     ? tr("This cluster has errors")
                                                     : tr("Hardly meant"));
  }
  const auto seen = static_cast<int>(std::min(problems.size(), max_problems_seen));
  problems_list_->setMinimumHeight(seen * (problems_list_->fontMetrics().height() + 10));
}

void Summary::set_dimensions(std::vector<DimensionRow> rows) {
  rows_ = std::move(rows);
  dimensions_title_->setVisible(!rows_.empty());
  dimensions_->setVisible(!rows_.empty());
  show_dimensions();
}

void Summary::show_dimensions() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const auto cell = [](const QString& text, const QColor& colour, const char* align) {
    return QStringLiteral("<td align=\"%1\" style=\"color: %2; padding: 1px 14px 3px 0\">%3</td>")
        .arg(QLatin1String(align), colour.name(), text.toHtmlEscaped());
  };
  const auto line = [&](const DimensionRow& row, const QColor& text, const QColor& figures) {
    return QStringLiteral("<tr>%1%2%3%4</tr>")
        .arg(cell(row.name, text, "left"), cell(row.where, figures, "left"), cell(row.bytes, figures, "right"),
             cell(row.exposed, text, "right"));
  };
  QString table =
      line({tr("Dimension"), tr("Groups"), tr("Sent per device and step"), tr("Exposed")}, theme.muted, theme.muted);
  for (const DimensionRow& row : rows_) table += line(row, theme.text, row.crosses ? theme.bad : theme.text);
  dimensions_->setText(QStringLiteral("<table cellspacing=\"0\">%1</table>").arg(table));
}

void Summary::set_strengths(const QStringList& sentences) {
  QStringList lines;
  for (const QString& sentence : sentences) lines << QStringLiteral("• ") + sentence;
  strengths_->setText(lines.join(QLatin1Char('\n')));
  strengths_title_->setVisible(!sentences.isEmpty());
}

QStringList Summary::strengths() const { return strengths_->text().split(QLatin1Char('\n')); }

void Summary::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) follow_theme();
  QWidget::changeEvent(event);
}

void Summary::follow_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_ground(*this, theme.window);
  for (QLabel* title : {dimensions_title_, strengths_title_, problems_title_})
    widgets::set_text_colour(*title, theme.muted);
  show_dimensions();
  for (std::size_t i = 0; i < problems_.size(); ++i)
    problems_list_->item(static_cast<int>(i))->setIcon(mark_icon(problems_[i].severity, theme));
}

}  // namespace pipedeck::views::topology
