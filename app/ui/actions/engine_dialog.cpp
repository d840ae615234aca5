// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/engine_dialog.hpp"

#include <algorithm>

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QToolTip>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/session/table_export.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/exports.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::actions {

namespace {

/// Returns "Arguments for Megatron-LM", or "DeepSpeed: configuration" if the summary does not name the engine.
QString engine_title(const session::EngineText& text) {
  if (!text.summary.contains(text.engine)) return QStringLiteral("%1: %2").arg(text.engine, text.summary);
  return text.summary.left(1).toUpper() + text.summary.mid(1);
}

QLabel* make_label(const char* name, bool strong = false) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setWordWrap(true);
  if (strong) label->setFont(views::widgets::title_font(label->font()));
  return label;
}

}  // namespace

EngineDialog::EngineDialog(session::Session& session, const dialogs::Dialogs& dialogs, int plan, QWidget* parent)
    : QDialog(parent), session_(session), dialogs_(dialogs), plan_(plan), texts_(session::engine_texts()) {
  setObjectName(QStringLiteral("engine_dialog"));
  layout::resize_within_window(*this, {820, 760});
  make_parts();
  make_buttons();
  connect(engine_, &QComboBox::currentIndexChanged, this, &EngineDialog::look);
  connect(&session_, &session::Session::state_changed, this, &EngineDialog::look);
  // Not on destruction: when the window closes, the session is destroyed first.
  connect(this, &QDialog::finished, this, [this] { session_.jobs().cancel(job_); });
  look();
}

void EngineDialog::make_parts() {
  engine_ = new QComboBox;
  engine_->setObjectName(QStringLiteral("engine_choice"));
  for (const session::EngineText& text : texts_) engine_->addItem(engine_title(text));
  auto* form = new QFormLayout;
  form->addRow(tr("&Engine"), engine_);
  verdict_ = make_label("engine_verdict", true);
  misfits_ = new QListWidget;
  misfits_->setObjectName(QStringLiteral("engine_misfits"));
  misfits_->setAccessibleName(tr("Not supported by the engine"));
  misfits_->setWordWrap(true);
  misfits_->setSelectionMode(QAbstractItemView::NoSelection);
  misfits_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  misfits_->setMaximumHeight(misfits_->fontMetrics().lineSpacing() * 8);
  preview_of_ = make_label("engine_preview_of", true);
  preview_ = new QPlainTextEdit;
  preview_->setObjectName(QStringLiteral("engine_preview"));
  preview_->setAccessibleName(tr("Text for the engine"));
  preview_->setReadOnly(true);
  preview_->setLineWrapMode(QPlainTextEdit::NoWrap);
  preview_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  auto* column = new QVBoxLayout(this);
  column->setSpacing(views::widgets::ThemeSizes::grid);
  column->addLayout(form);
  column->addWidget(verdict_);
  column->addWidget(misfits_);
  column->addWidget(make_nearest());
  column->addWidget(preview_of_);
  column->addWidget(preview_, 1);
}

QWidget* EngineDialog::make_nearest() {
  nearest_ = new QWidget;
  auto* heading = make_label("engine_nearest_heading", true);
  heading->setText(tr("Nearest supported plan"));
  cost_ = make_label("engine_cost");
  add_ = new QPushButton(tr("&Add this plan to the comparison"));
  add_->setObjectName(QStringLiteral("engine_add"));
  add_->setAutoDefault(false);
  connect(add_, &QPushButton::clicked, this, &EngineDialog::add_plan);
  auto* column = new QVBoxLayout(nearest_);
  column->setContentsMargins(0, views::widgets::ThemeSizes::grid, 0, views::widgets::ThemeSizes::grid);
  column->addWidget(heading);
  column->addWidget(cost_);
  column->addWidget(add_, 0, Qt::AlignLeft);
  return nearest_;
}

void EngineDialog::make_buttons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  save_ = buttons->addButton(tr("&Save as…"), QDialogButtonBox::ActionRole);
  save_->setObjectName(QStringLiteral("engine_save"));
  save_->setDefault(true);
  connect(save_, &QPushButton::clicked, this, &EngineDialog::save);
  copy_ = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
  copy_->setObjectName(QStringLiteral("engine_copy"));
  copy_->setAutoDefault(false);
  connect(copy_, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(text());
    QToolTip::showText(copy_->mapToGlobal(QPoint(0, -2 * copy_->height())), tr("Copied"), copy_);
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout()->addWidget(buttons);
}

const session::EngineText& EngineDialog::chosen() const {
  return texts_[static_cast<std::size_t>(engine_->currentIndex())];
}

void EngineDialog::look() {
  const auto question = session::engine_question(session_.state(), plan_, chosen().name);
  if (!question) return reject();  // the plan was deleted, or its last stages undone
  if (question->plan == asked_ && chosen().name == asked_text_) return;
  asked_ = question->plan;
  asked_text_ = chosen().name;
  setWindowTitle(tr("%1 for another engine").arg(text::to_qstring(asked_->name)));
  session_.jobs().cancel(job_);
  show_nothing_yet();
  job_ = session::find_engine_offer(
      session_, *question,
      [dialog = QPointer(this), plan = asked_, text = asked_text_](const Result<session::ExportPreview>& offer) {
        if (dialog && dialog->asked_ == plan && dialog->asked_text_ == text) dialog->show_offer(offer);
      });
}

void EngineDialog::show_nothing_yet() {
  offer_ = {};
  verdict_->setText(tr("Looking for plans that %1 supports…").arg(chosen().engine));
  misfits_->hide();
  nearest_->hide();
  preview_of_->clear();
  preview_->clear();
  for (QPushButton* button : {save_, copy_}) button->setEnabled(false);
}

void EngineDialog::show_offer(const Result<session::ExportPreview>& offer) {
  if (!offer) {
    verdict_->setText(text::to_qstring(offer.error()));
    return;
  }
  offer_ = *offer;
  const bool fits = offer_.unsupported_features.isEmpty();
  verdict_->setText(fits ? tr("%1 supports this plan.").arg(chosen().engine)
                         : tr("%1 does not support this plan:").arg(chosen().engine));
  misfits_->clear();
  misfits_->addItems(offer_.unsupported_features);
  misfits_->setVisible(!fits);
  nearest_->setVisible(!fits);
  add_->setVisible(offer_.closest.has_value());
  if (fits) {
    preview_of_->setText(tr("Supported by the engine"));
    preview_->setPlainText(offer_.text);
  } else if (offer_.closest) {
    show_nearest(*offer_.closest);
  } else {
    cost_->setText(tr("There is none: no plan of these layers on these devices is supported."));
  }
  for (QPushButton* button : {save_, copy_}) button->setEnabled(fits || offer_.closest);
}

void EngineDialog::show_nearest(const session::NearestPlan& nearest) {
  const Plan& plan = *nearest.plan;
  const Seconds own = to_seconds(nearest.of->iteration), near = to_seconds(nearest.simulation->iteration);
  QString text =
      tr("%1, %2, %3 of %4: %5 per iteration instead of %6 (%7).")
          .arg(text::to_qstring(stage_shape_text(plan)), text::to_qstring(std::string(traits_of(plan.schedule).title)))
          .arg(models::counted(plan.micro_batches, tr("1 micro-batch"), tr("%1 micro-batches")))
          .arg(plan.micro_batch)
          .arg(models::format_time(near), models::format_time(own),
               own.count > 0 ? models::format_change(near.count / own.count - 1) : QStringLiteral("–"));
  if (!nearest.simulation->fits) text += tr(" It does not fit into the devices' memory.");
  cost_->setText(text);
  preview_of_->setText(tr("Unsupported features of the plan"));
  preview_->setPlainText(nearest.text);
  const bool there = std::ranges::any_of(session_.state().plans, [&](const session::project::PlanEntry& entry) {
    return entry.feasible() && entry.plan->stages == plan.stages && entry.plan->schedule == plan.schedule &&
           entry.plan->micro_batch == plan.micro_batch && entry.id != plan_;
  });
  add_->setEnabled(!there);
  add_->setToolTip(there ? tr("Added to the comparison") : QString());
}

/// Returns the exact bytes: the editor may display a text differently.
QString EngineDialog::text() const {
  QString whole = offer_.closest ? offer_.closest->text : offer_.text;
  return whole.endsWith(QLatin1Char('\n')) ? whole : whole + QLatin1Char('\n');
}

void EngineDialog::add_plan() {
  if (!offer_.closest) return;
  const session::project::Added added =
      session::with_nearest_plan(session_.state(), plan_, *offer_.closest->plan, chosen().engine);
  session_.change(tr("Add plan for %1").arg(chosen().engine), added.state);
  show_nearest(*offer_.closest);
}

void EngineDialog::save() {
  const QString name =
      file_name_of(text::to_qstring(asked_->name) + QLatin1Char(' ') + chosen().name) + chosen().ending;
  const QString file =
      with_ending(dialogs_.save_file(this, tr("Plan for %1").arg(chosen().engine), name,
                                     tr("%1 (*%2);;All files (*)").arg(chosen().engine, chosen().ending)),
                  chosen().ending);
  if (file.isEmpty()) return;
  const QString failure = session::write_text(file, text().toStdString());
  failure.isEmpty() ? emit written(file) : dialogs_.error(this, tr("Plan for %1").arg(chosen().engine), failure);
}

}  // namespace pipedeck::ui::actions
