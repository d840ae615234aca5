// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/autopsy_dialog.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/text/in_qt.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/memory/pile_chart.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::dialogs {

namespace {

namespace model = models::memory;
using model::PileClass;

/// Returns the class that the chart stacks a use in.
PileClass class_of(std::string_view use) {
  if (use == "weights") return PileClass::weights;
  if (use == "optimizer") return PileClass::optimizer;
  if (use == "gradients" || use == "backward") return PileClass::gradients;
  if (use == "activations") return PileClass::activations;
  return use == "communication" ? PileClass::communication : PileClass::untold;
}

/// Returns a recorded moment; times in microseconds become milliseconds.
template <class Point>
model::PilePoint point_of(const Point& from, bool timed) {
  model::PilePoint point;
  point.time = static_cast<double>(from.time) / (timed ? 1e3 : 1);
  for (std::size_t i = 0; i < from.live.bytes.size(); ++i)
    point.parts[static_cast<std::size_t>(class_of(session::autopsy::name_of_use(i)))] += from.live.bytes[i];
  point.reserved = from.reserved;
  return point;
}

model::MeasuredPile model_of(const session::autopsy::ShownPile& shown) {
  model::MeasuredPile pile;
  pile.title = shown.title;
  pile.timed = shown.pile.timed;
  for (const auto& point : shown.pile.points) pile.points.push_back(point_of(point, pile.timed));
  pile.peak = point_of(shown.pile.peak, pile.timed);
  pile.capacity = shown.capacity;
  if (shown.rows.empty()) return pile;
  pile.predicted.emplace();
  for (const auto& row : shown.rows) {
    if (!row.predicted) continue;
    if (row.name == "reserved at most") pile.predicted_reserved = *row.predicted;
    if (row.name == "weights") (*pile.predicted)[static_cast<std::size_t>(PileClass::weights)] = *row.predicted;
    if (row.name == "optimizer") (*pile.predicted)[static_cast<std::size_t>(PileClass::optimizer)] = *row.predicted;
    if (row.name == "activations") (*pile.predicted)[static_cast<std::size_t>(PileClass::activations)] = *row.predicted;
    if (row.name == "gradients and workspace")
      (*pile.predicted)[static_cast<std::size_t>(PileClass::gradients)] = *row.predicted;
  }
  return pile;
}

QString html_cell(const std::string& text) { return text::to_qstring(text).toHtmlEscaped(); }

}  // namespace

AutopsyDialog::AutopsyDialog(std::shared_ptr<const session::autopsy::Report> report, QWidget* parent)
    : QDialog(parent),
      report_(std::move(report)),
      piles_(new QComboBox),
      chart_(new views::memory::PileChart),
      text_(new QTextBrowser) {
  setObjectName(QStringLiteral("autopsy_dialog"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(report_->plan.isEmpty() ? tr("Autopsy of a run")
                                         : tr("Autopsy of a run by the plan %1").arg(report_->plan));
  piles_->setObjectName(QStringLiteral("autopsy_piles"));
  piles_->setAccessibleName(tr("Device"));
  for (const session::autopsy::ShownPile& pile : report_->piles) piles_->addItem(pile.title);
  piles_->setVisible(report_->piles.size() > 1);
  chart_->setVisible(!report_->piles.empty());
  text_->setObjectName(QStringLiteral("autopsy_text"));
  text_->setAccessibleName(tr("Report"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* copy = buttons->addButton(tr("&Copy report"), QDialogButtonBox::ActionRole);
  connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text_->toPlainText()); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(piles_, &QComboBox::currentIndexChanged, this, &AutopsyDialog::show_pile);
  auto* column = new QVBoxLayout(this);
  column->addWidget(piles_);
  column->addWidget(chart_, 1);
  column->addWidget(text_, 1);
  column->addWidget(buttons);
  layout::resize_within_window(*this, {1040, 760});
  if (!report_->piles.empty()) show_pile(0);
  write();
}

void AutopsyDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && text_) write();
}

void AutopsyDialog::show_pile(int number) {
  chart_->set_pile(model_of(report_->piles[static_cast<std::size_t>(number)]));
}

void AutopsyDialog::write() { text_->setHtml(html()); }

QString AutopsyDialog::html() const {
  const auto& theme = views::widgets::Theme::of(palette());
  QString all = QStringLiteral("<body style=\"color:%1\">").arg(theme.text.name());
  for (const auto& section : report_->sections) {
    all += QStringLiteral("<h3>%1</h3>").arg(html_cell(section.title));
    for (const std::string& sentence : section.sentences) all += QStringLiteral("<p>%1</p>").arg(html_cell(sentence));
    if (section.rows.empty()) continue;
    all += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"4\"><tr>");
    for (const std::string& heading : section.headings)
      all += QStringLiteral("<th align=\"left\" style=\"color:%1\">%2&nbsp;&nbsp;</th>")
                 .arg(theme.muted.name(), html_cell(heading));
    for (const auto& row : section.rows) {
      all += QStringLiteral("</tr><tr>");
      for (const std::string& text : row) all += QStringLiteral("<td>%1&nbsp;&nbsp;</td>").arg(html_cell(text));
    }
    all += QStringLiteral("</tr></table>");
  }
  return all + QStringLiteral("</body>");
}

}  // namespace pipedeck::ui::dialogs
