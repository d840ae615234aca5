// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/inspector.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/views/compare/stacked_bar.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::compare {

namespace {

/// Returns true if two contents need the same widgets, so that a drag changes only texts.
bool same_shape(const models::compare::InspectorContent& a, const models::compare::InspectorContent& b) {
  return a.subtitle.isEmpty() == b.subtitle.isEmpty() && a.alarm.isEmpty() == b.alarm.isEmpty() &&
         a.memory_text.isEmpty() == b.memory_text.isEmpty() && a.why.size() == b.why.size() &&
         a.iteration.size() == b.iteration.size() && a.memory.size() == b.memory.size() &&
         a.certificate.size() == b.certificate.size() && a.figures.size() == b.figures.size() &&
         a.conventions.size() == b.conventions.size();
}

}  // namespace

/// A page's widgets in order of creation. They are refilled in the same order.
struct InspectorPage {
  QWidget* widget = nullptr;
  std::vector<QLabel*> labels;
  std::vector<StackedBar*> bars;
  std::vector<LegendRow*> rows;
};

namespace {

/// A builder that goes through the page from top to bottom. It creates the widgets, or refills existing ones.
class Page {
 public:
  Page(InspectorPage& page, const models::compare::InspectorContent& content, const widgets::Theme& theme,
       const QFont& font)
      : page_(page), reuse_(page.widget), content_(content), theme_(theme), font_(font) {
    if (reuse_) return;
    page_.widget = new QWidget;
    page_.widget->setObjectName(QStringLiteral("inspector_page"));
    page_.widget->setMinimumWidth(1);  // never wider than the visible area: wrapped labels request more than they need
    column_ = new QVBoxLayout(page_.widget);
    column_->setContentsMargins(widgets::ThemeSizes::margin, 12, widgets::ThemeSizes::margin,
                                widgets::ThemeSizes::margin);
    column_->setSpacing(4);
  }

  void empty(const QString& hint) {
    add(label(hint, theme_.muted, QStringLiteral("inspector_hint")));
    stretch();
  }

  void full() {
    head();
    if (!content_.alarm.isEmpty()) add(label(content_.alarm, theme_.bad, QStringLiteral("inspector_alarm")));
    sentences(Inspector::tr("Why this plan"), content_.why, QStringLiteral("inspector_why"));
    parts(Inspector::tr("Where the iteration goes"), {}, content_.iteration, 1);
    parts(Inspector::tr("Memory"), content_.memory_text, content_.memory, content_.capacity_share,
          content_.memory_marks);
    sentences(Inspector::tr("Certificate"), content_.certificate, QStringLiteral("inspector_certificate"));
    facts(Inspector::tr("Figures"), content_.figures);
    facts(Inspector::tr("Conventions in force"), content_.conventions);
    stretch();
  }

 private:
  void add(QWidget* widget) {
    if (!reuse_) column_->addWidget(widget);
  }

  void space(int pixels) {
    if (!reuse_) column_->addSpacing(pixels);
  }

  void stretch() {
    if (!reuse_) column_->addStretch();
  }

  QLabel* label(const QString& text, const QColor& colour, const QString& name = {}) {
    if (reuse_) {
      QLabel* there = page_.labels[next_label_++];
      if (there->text() != text) there->setText(text);
      if (there->palette().color(QPalette::WindowText) != colour) widgets::set_text_colour(*there, colour);
      return there;
    }
    auto* made = new QLabel(text);
    made->setObjectName(name);
    made->setWordWrap(true);
    made->setTextFormat(Qt::PlainText);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    widgets::set_text_colour(*made, colour);
    page_.labels.push_back(made);
    return made;
  }

  void head() {
    QLabel* title = label(content_.title, theme_.text, QStringLiteral("inspector_title"));
    QFont large = widgets::title_font(font_);
    large.setPointSizeF(large.pointSizeF() * 1.15);
    if (!reuse_) title->setFont(large);
    add(title);
    if (!content_.subtitle.isEmpty()) add(label(content_.subtitle, theme_.muted));
  }

  void heading(const QString& text) {
    space(10);
    QLabel* made = label(text, theme_.text);
    if (!reuse_) made->setFont(widgets::title_font(font_));
    add(made);
  }

  void sentences(const QString& title, const std::vector<QString>& lines, const QString& name) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i == 0) heading(title);
      add(label(lines[i], theme_.text, i == 0 ? name : QString()));
      space(2);
    }
  }

  void parts(const QString& title, const QString& sentence, const std::vector<models::compare::InspectorPart>& parts,
             double mark, const std::vector<models::compare::InspectorMark>& marks = {}) {
    if (parts.empty()) return;
    heading(title);
    if (!sentence.isEmpty())
      add(label(sentence, content_.fits ? theme_.text : theme_.bad, QStringLiteral("inspector_memory")));
    if (!reuse_) {
      page_.bars.push_back(new StackedBar);
      add(page_.bars.back());
    }
    page_.bars[next_bar_]->set_parts(parts, mark);
    page_.bars[next_bar_++]->set_marks(marks);
    if (!marks.empty()) {
      QStringList words;
      for (const models::compare::InspectorMark& one : marks) words << one.label + QLatin1Char(' ') + one.text;
      add(label(words.join(QStringLiteral(" · ")), theme_.muted, QStringLiteral("inspector_marks")));
    }
    for (const models::compare::InspectorPart& part : parts) {
      if (!reuse_) {
        page_.rows.push_back(new LegendRow);
        add(page_.rows.back());
      }
      page_.rows[next_row_++]->set_part(part);
    }
  }

  void facts(const QString& title, const std::vector<models::compare::InspectorFact>& facts) {
    if (facts.empty()) return;
    heading(title);
    auto* grid = reuse_ ? nullptr : new QGridLayout;
    for (std::size_t row = 0; row < facts.size(); ++row) {
      QLabel* left = label(facts[row].first, theme_.muted);
      QLabel* right = label(facts[row].second, theme_.text);
      right->setWordWrap(facts[row].second.size() > 22);  // "87.1 samples/s" would break at its slash
      if (reuse_) continue;
      left->setWordWrap(facts[row].first.size() > 16);
      right->setAlignment(Qt::AlignRight | Qt::AlignTop);
      grid->addWidget(left, static_cast<int>(row), 0, Qt::AlignTop);
      grid->addWidget(right, static_cast<int>(row), 1);
    }
    if (reuse_) return;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    column_->addLayout(grid);
  }

  InspectorPage& page_;
  const bool reuse_;
  QVBoxLayout* column_ = nullptr;
  const models::compare::InspectorContent& content_;
  const widgets::Theme& theme_;
  QFont font_;
  std::size_t next_label_ = 0, next_bar_ = 0, next_row_ = 0;
};

}  // namespace

Inspector::Inspector(QWidget* parent) : QScrollArea(parent), page_(std::make_unique<InspectorPage>()) {
  setObjectName(QStringLiteral("inspector"));
  setAccessibleName(tr("Inspector"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(240);
  clear();
}

Inspector::~Inspector() = default;

void Inspector::set_content(const models::compare::InspectorContent& content) {
  if (!empty_ && content == content_) return;
  const bool reuse = !empty_ && same_shape(content, content_);
  content_ = content;
  empty_ = false;
  if (reuse) {
    Page(*page_, content_, widgets::Theme::of(palette()), font()).full();
  } else {
    rebuild();
  }
}

void Inspector::clear(const QString& hint) {
  content_ = {};
  empty_ = true;
  hint_ = hint.isEmpty() ? tr("Select a plan to see its figures and the reasons for them.") : hint;
  rebuild();
}

void Inspector::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
  QScrollArea::changeEvent(event);
}

void Inspector::rebuild() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  *page_ = {};
  Page page(*page_, content_, theme, font());
  if (empty_) {
    page.empty(hint_);
  } else {
    page.full();
  }
  widgets::set_ground(*page_->widget, theme.panel);
  // Deleted later: a style change iterates over all widgets, and none may disappear meanwhile.
  if (QWidget* old = takeWidget()) old->deleteLater();
  setWidget(page_->widget);
}

}  // namespace pipedeck::views::compare
