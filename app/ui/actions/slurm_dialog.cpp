// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/slurm_dialog.hpp"

#include <utility>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/session/project/state.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/exports.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::actions {

namespace {

constexpr int most_nodes = 1 << 20;  // as `export --nodes`
constexpr int shown_lines = 9;

/// Returns the first lines of a script: those that Slurm reads.
QString slurm_lines(const std::string& script) {
  const QStringList all = QString::fromStdString(script).split(QLatin1Char('\n'));
  return all.filter(QStringLiteral("#SBATCH")).join(QLatin1Char('\n'));
}

}  // namespace

SlurmDialog::SlurmDialog(session::Session& session, const dialogs::Dialogs& dialogs, int plan,
                         io::documents::JobOptions how, QWidget* parent)
    : QDialog(parent), session_(session), dialogs_(dialogs), plan_(plan), how_(how) {
  setObjectName(QStringLiteral("slurm_dialog"));
  setWindowTitle(tr("Slurm job"));
  auto* form = new QFormLayout;
  form->setVerticalSpacing(views::widgets::ThemeSizes::grid);
  nodes_ = add_number(*form, tr("&Nodes"), "slurm_nodes", tr("as Slurm places the processes"),
                      tr("Nodes that train, with equally many processes each"));
  segment_ = add_number(*form, tr("Se&gment"), "slurm_segment", tr("anywhere"),
                        tr("Nodes that stay in one block of the network"));
  spare_ = add_number(*form, tr("S&pare nodes"), "slurm_spare", tr("none"),
                      tr("Nodes in addition. They take the places of nodes that do not answer at the start"));
  lines_ = new QPlainTextEdit;
  lines_->setObjectName(QStringLiteral("slurm_lines"));
  lines_->setAccessibleName(tr("Lines for Slurm"));
  lines_->setReadOnly(true);
  lines_->setLineWrapMode(QPlainTextEdit::NoWrap);
  lines_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  lines_->setMinimumHeight(lines_->fontMetrics().lineSpacing() * (shown_lines + 1));
  refusal_ = new QLabel;
  refusal_->setObjectName(QStringLiteral("slurm_refusal"));
  refusal_->setWordWrap(true);
  refusal_->setMinimumHeight(2 * fontMetrics().lineSpacing());
  refusal_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  save_ = buttons->addButton(tr("&Save as…"), QDialogButtonBox::ActionRole);
  save_->setObjectName(QStringLiteral("slurm_save"));
  save_->setDefault(true);
  connect(save_, &QPushButton::clicked, this, &SlurmDialog::save);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(views::widgets::ThemeSizes::grid);
  column->addLayout(form);
  column->addWidget(lines_, 1);
  column->addWidget(refusal_);
  column->addWidget(buttons);
  connect(&session_, &session::Session::state_changed, this,
          [this] { session::project::find_plan(session_.state(), plan_) ? show_lines() : reject(); });
  resize(560, sizeHint().height());
  show_lines();
}

QSpinBox* SlurmDialog::add_number(QFormLayout& form, const QString& caption, const char* name, const QString& none,
                                  const QString& help) {
  auto* box = new QSpinBox;
  box->setObjectName(QLatin1String(name));
  box->setRange(0, most_nodes);
  box->setSpecialValueText(none);
  box->setToolTip(help);
  form.addRow(caption, box);
  connect(box, &QSpinBox::valueChanged, this, &SlurmDialog::show_lines);
  return box;
}

Result<std::string> SlurmDialog::script() const {
  io::documents::JobOptions how = how_;
  how.nodes = {nodes_->value(), segment_->value(), spare_->value()};
  return session::job_script_of(session_.state(), plan_, how);
}

void SlurmDialog::show_lines() {
  const auto made = script();
  if (made) lines_->setPlainText(slurm_lines(*made));
  lines_->setEnabled(made.has_value());
  refusal_->setText(made ? QString() : text::to_qstring(made.error().message));
  views::widgets::set_text_colour(*refusal_, views::widgets::Theme::of(palette()).bad);
  save_->setEnabled(made.has_value());
}

void SlurmDialog::save() {
  const auto made = script();
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), plan_);
  if (!made || !entry) return;
  const QString title = tr("Export job script"), ending = QStringLiteral(".sh");
  const QString file =
      with_ending(dialogs_.save_file(this, title, file_name_of(QString::fromStdString(entry->plan->name)) + ending,
                                     tr("Scripts (*.sh);;All files (*)")),
                  ending);
  if (file.isEmpty()) return;
  const QString failure = session::write_text(file, *made);
  if (!failure.isEmpty()) return dialogs_.error(this, title, failure);
  emit written(file);
  accept();
}

}  // namespace pipedeck::ui::actions
