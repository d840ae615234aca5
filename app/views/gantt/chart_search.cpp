// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/chart_search.hpp"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>

#include "app/views/gantt/view.hpp"

namespace pipedeck::views::gantt {

namespace {

QToolButton* button(const QString& text, const QString& name, const char* object, QWidget* parent) {
  auto* made = new QToolButton(parent);
  made->setText(text);
  made->setAccessibleName(name);
  made->setToolTip(name);
  made->setObjectName(QLatin1String(object));
  made->setAutoRaise(true);
  return made;
}

}  // namespace

ChartSearch::ChartSearch(TimeAxisController* link, std::function<std::vector<View*>()> charts, QWidget* parent)
    : QWidget(parent), link_(link), charts_(std::move(charts)), background_(this) {
  setObjectName(QStringLiteral("chart_search"));
  build();
  apply_theme();
  connect(field_, &QLineEdit::textChanged, this, &ChartSearch::search);
  connect(next_, &QToolButton::clicked, this, &ChartSearch::next);
  connect(previous_, &QToolButton::clicked, this, &ChartSearch::previous);
  connect(close_, &QToolButton::clicked, this, &ChartSearch::close_search);
  connect(link_, &TimeAxisController::selection_changed, this, [this] {
    if (isVisible()) tell();
  });
  hide();
}

void ChartSearch::build() {
  field_ = new QLineEdit(this);
  field_->setObjectName(QStringLiteral("chart_search_field"));
  field_->setAccessibleName(tr("Find operations"));
  field_->setPlaceholderText(tr("Find operations: B 12 s3"));
  field_->setToolTip(models::gantt::query_help());
  field_->setClearButtonEnabled(true);
  field_->setMaximumWidth(260);
  field_->installEventFilter(this);
  told_ = new QLabel(this);
  told_->setObjectName(QStringLiteral("chart_search_count"));
  syntax_ = new QLabel(tr("12 · s3 · G5 · F B W R · transfer · all-reduce — Enter: next, Shift+Enter: previous"), this);
  syntax_->setObjectName(QStringLiteral("chart_search_syntax"));
  syntax_->setToolTip(models::gantt::query_help());
  syntax_->setMinimumWidth(0);
  syntax_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  previous_ = button(QStringLiteral("↑"), tr("Previous match (Shift+Enter)"), "chart_search_previous", this);
  next_ = button(QStringLiteral("↓"), tr("Next match (Enter)"), "chart_search_next", this);
  close_ = button(QStringLiteral("✕"), tr("Close (Esc)"), "chart_search_close", this);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(widgets::ThemeSizes::margin, 4, widgets::ThemeSizes::margin, 4);
  row->setSpacing(widgets::ThemeSizes::grid);
  row->addWidget(field_, 2);
  row->addWidget(previous_);
  row->addWidget(next_);
  row->addWidget(told_);
  row->addWidget(syntax_, 3);
  row->addWidget(close_);
}

QString ChartSearch::text() const { return field_->text(); }

void ChartSearch::open(const QString& text) {
  show();
  if (!text.isNull()) field_->setText(text);
  field_->selectAll();
  field_->setFocus(Qt::ShortcutFocusReason);
  search();
}

void ChartSearch::close_search() {
  background_.cancel();
  found_.clear();
  for (View* chart : charts_()) chart->set_matches(nullptr);
  hide();
  emit closed();
}

void ChartSearch::refresh() {
  if (isVisible() && contents() != searched_) search();
}

std::vector<std::shared_ptr<const models::gantt::Content>> ChartSearch::contents() const {
  std::vector<std::shared_ptr<const models::gantt::Content>> all;
  for (const View* chart : charts_())
    all.push_back(chart->content() && !chart->content()->preview ? chart->content() : nullptr);
  return all;
}

std::size_t ChartSearch::count() const {
  std::size_t count = 0;
  for (const auto& matches : found_)
    if (matches) count += matches->count();
  return count;
}

void ChartSearch::search() {
  background_.cancel();
  found_.clear();
  problem_ = false;
  searched_ = contents();
  models::gantt::QueryWords words;
  for (int kind = 0; kind < op_kind_count; ++kind) words.kinds << widgets::kind_text(static_cast<OpKind>(kind));
  for (const View* chart : charts_())
    if (words.devices.isEmpty()) words.devices = chart->device_names();
  const models::gantt::ParsedQuery parsed = models::gantt::parse_gantt_query(field_->text(), words);
  problem_ = !parsed.problem.isEmpty();
  if (problem_ || parsed.query.empty()) {
    take({});
    return say(parsed.problem, problem_);
  }
  say(tr("searching…"), false);
  background_.start([this, contents = searched_, query = parsed.query](const std::stop_token& stop) {
    std::vector<std::shared_ptr<const models::gantt::Matches>> found;
    for (const auto& content : contents)
      found.push_back(content ? models::gantt::find_matches(content, query, stop) : nullptr);
    return [this, found] { take(found); };
  });
}

void ChartSearch::take(const std::vector<std::shared_ptr<const models::gantt::Matches>>& found) {
  found_ = found;
  const std::vector<View*> charts = charts_();
  found_.resize(charts.size());
  for (std::size_t i = 0; i < charts.size(); ++i) charts[i]->set_matches(found_[i]);
  tell();
}

std::optional<ChartSearch::Place> ChartSearch::current() const {
  const auto& selection = link_->selection();
  const std::vector<View*> charts = charts_();
  if (!selection) return std::nullopt;
  for (std::size_t i = 0; i < std::min(charts.size(), found_.size()); ++i)
    if (charts[i]->chart_id() == selection->chart && found_[i] && found_[i]->content == charts[i]->content() &&
        selection->position < found_[i]->found.size())
      return Place{i, selection->position};
  return std::nullopt;
}

/// Searches the chart of the selection, then those after it, then from the beginning.
std::optional<ChartSearch::Place> ChartSearch::step(bool forward) const {
  const auto from = current();
  const std::size_t charts = found_.size();
  const auto in = [&](std::size_t chart, std::optional<std::size_t> after) -> std::optional<Place> {
    if (!found_[chart]) return std::nullopt;
    const auto operation = forward ? found_[chart]->next(after) : found_[chart]->previous(after);
    return operation ? std::optional(Place{chart, *operation}) : std::nullopt;
  };
  if (!from) {
    // Nothing is selected: the visible part comes first.
    for (std::size_t chart = 0; chart < charts; ++chart)
      if (const auto& matches = found_[chart]; matches && matches->count() > 0)
        if (const auto operation = matches->from(link_->axis().begin)) return Place{chart, *operation};
    return std::nullopt;
  }
  if (const auto here = in(from->chart, from->operation)) return here;
  for (std::size_t k = 1; k <= charts; ++k) {
    const std::size_t chart = (from->chart + (forward ? k : 2 * charts - k)) % charts;
    if (const auto there = in(chart, std::nullopt)) return there;
  }
  return std::nullopt;
}

void ChartSearch::go(bool forward) {
  const auto place = step(forward);
  if (!place) return;
  charts_()[place->chart]->show_operation(place->operation);
  tell();
}

void ChartSearch::tell() {
  if (problem_ || background_.running()) return;
  const std::size_t all = count();
  previous_->setEnabled(all > 0);
  next_->setEnabled(all > 0);
  if (field_->text().trimmed().isEmpty()) return say({}, false);
  if (all == 0) return say(tr("nothing found"), false);
  const auto at = current();
  if (!at || !found_[at->chart]->found.contains(at->operation)) return say(tr("%L1 found").arg(all), false);
  std::size_t before = found_[at->chart]->before(at->operation);
  for (std::size_t chart = 0; chart < at->chart; ++chart)
    if (found_[chart]) before += found_[chart]->count();
  say(tr("%L1 of %L2").arg(before + 1).arg(all), false);
}

void ChartSearch::say(const QString& text, bool problem) {
  told_->setText(text);
  told_->setAccessibleName(text);
  QPalette colours = told_->palette();
  const widgets::Theme& theme = widgets::Theme::of(palette());
  colours.setColor(QPalette::WindowText, problem ? theme.bad : theme.text);
  told_->setPalette(colours);
}

bool ChartSearch::eventFilter(QObject* watched, QEvent* event) {
  if (watched == field_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
      case Qt::Key_Return:
      case Qt::Key_Enter:
        go(!(key->modifiers() & Qt::ShiftModifier));
        return true;
      case Qt::Key_Down:
        next();
        return true;
      case Qt::Key_Up:
        previous();
        return true;
      case Qt::Key_Escape:
        close_search();
        return true;
      default:
        break;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void ChartSearch::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) apply_theme();
  QWidget::changeEvent(event);
}

void ChartSearch::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPalette quiet = syntax_->palette();
  if (quiet.color(QPalette::WindowText) == theme.muted) return;
  quiet.setColor(QPalette::WindowText, theme.muted);
  syntax_->setPalette(quiet);
  syntax_->setFont(widgets::caption_font(font()));
}

}  // namespace pipedeck::views::gantt
