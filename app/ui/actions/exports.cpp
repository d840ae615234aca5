// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/exports.hpp"

#include <algorithm>

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QDate>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QPixmap>
#include <QRegularExpression>
#include <QTableView>
#include <QTimer>

#include "app/session/report_export.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/engine_dialog.hpp"
#include "app/ui/actions/slurm_dialog.hpp"
#include "app/ui/layout/picture.hpp"

namespace pipedeck::ui::actions {

namespace {

constexpr int poll_interval_ms = 100;

/// Returns true for "1", "−8.1 %" and "0.735 s", not for names.
bool is_figure(const QString& text) {
  static const QRegularExpression figure(QStringLiteral("^[+\\-\u2212]?\\d[\\d.,\\s\u00a0]*( ?[^\\s\\d]{1,4})?$"));
  return text.isEmpty() || text == QStringLiteral("–") || figure.match(text).hasMatch();
}

}  // namespace

QString markdown_of(const QTableView& table) {
  const QAbstractItemModel& model = *table.model();
  const QHeaderView& header = *table.horizontalHeader();
  std::vector<int> columns;
  for (int visual = 0; visual < header.count(); ++visual) {
    const int column = header.logicalIndex(visual);
    if (!table.isColumnHidden(column) && !model.headerData(column, Qt::Horizontal).toString().isEmpty())
      columns.push_back(column);
  }
  const auto cell = [&](int row, int column) {
    QString text = model.index(row, column).data().toString().simplified();
    return text.replace(QLatin1Char('|'), QStringLiteral("\\|"));
  };
  const auto line = [&](const auto& text_of) {
    QString text = QStringLiteral("|");
    for (const int column : columns) text += QLatin1Char(' ') + text_of(column) + QStringLiteral(" |");
    return text + QLatin1Char('\n');
  };
  QString text = line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
  text += line([&](int column) {
    bool figures = model.rowCount() > 0;
    for (int row = 0; row < model.rowCount(); ++row) figures = figures && is_figure(cell(row, column));
    return figures ? QStringLiteral("--:") : QStringLiteral("---");
  });
  for (int row = 0; row < model.rowCount(); ++row) text += line([&](int column) { return cell(row, column); });
  return text;
}

QString with_ending(const QString& path, const QString& ending) {
  return path.isEmpty() || !QFileInfo(path).suffix().isEmpty() ? path : path + ending;
}

QString file_name_of(const QString& name) {
  QString plain = name.toLower();
  plain.replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")), QStringLiteral("-"));
  while (plain.endsWith(QLatin1Char('-'))) plain.chop(1);
  return plain.isEmpty() ? QStringLiteral("pipedeck") : plain;
}

Exports::Exports(session::Session& session, dialogs::Dialogs dialogs, ExportContext scene, QWidget* window)
    : QObject(window), session_(session), dialogs_(std::move(dialogs)), scene_(std::move(scene)), window_(window) {}

void Exports::fill(QMenu* menu) {
  menu->setToolTipsVisible(true);
  QAction* report = menu->addAction(tr("&Report…"));
  report->setObjectName(QStringLiteral("action_export_report"));
  report->setToolTip(
      tr("A report of all compared plans, with details and pictures of the ticked ones, as HTML or Markdown"));
  connect(report, &QAction::triggered, this, &Exports::export_report);
  QMenu* tables = menu->addMenu(tr("&Table (CSV)"));
  tables->setObjectName(QStringLiteral("export_table_menu"));
  for (int i = 0; i < session::table_count; ++i) {
    const auto table = static_cast<session::Table>(i);
    QAction* action = tables->addAction(tr("%1…").arg(session::table_title(table)));
    action->setObjectName(QStringLiteral("action_export_table_") + session::table_name(table));
    connect(action, &QAction::triggered, this, [this, table] { export_table(table); });
  }
  QAction* schedule = menu->addAction(tr("&Order of operations (CSV)…"));
  schedule->setObjectName(QStringLiteral("action_export_schedule"));
  schedule->setToolTip(tr("The operations of each device of the selected plan, in PyTorch's schedule format"));
  connect(schedule, &QAction::triggered, this, &Exports::export_schedule);
  QMenu* jobs = menu->addMenu(tr("&Job script"));
  jobs->setToolTipsVisible(true);
  const std::pair<io::documents::JobLauncher, QString> launchers[] = {
      {io::documents::JobLauncher::slurm, tr("&Slurm…")}, {io::documents::JobLauncher::mpirun, tr("&mpirun…")}};
  for (const auto& [launcher, title] : launchers) {
    QAction* action = jobs->addAction(title);
    action->setObjectName(QStringLiteral("action_export_job_") +
                          QLatin1String(launcher == io::documents::JobLauncher::slurm ? "slurm" : "mpirun"));
    action->setToolTip(tr("A script that trains the model with the selected plan by pipedeck-cli run"));
    connect(action, &QAction::triggered, this, [this, launcher = launcher] { export_job(launcher); });
  }
  QAction* engine = menu->addAction(tr("For another &engine…"));
  engine->setObjectName(QStringLiteral("action_export_engine"));
  engine->setToolTip(tr("The selected plan for Megatron-LM, DeepSpeed or PyTorch"));
  connect(engine, &QAction::triggered, this, &Exports::export_for_engine);
}

void Exports::fill_copies(QMenu* menu) {
  const auto add = [this](QMenu* to, const QString& text, const QString& name, const std::function<void()>& run) {
    QAction* action = to->addAction(text);
    action->setObjectName(QStringLiteral("action_copy_") + name);
    connect(action, &QAction::triggered, this, run);
    return action;
  };
  add(menu, tr("Picture of this &page (PNG)"), QStringLiteral("page"), [this] {
    copy_picture(scene_.page());
  })->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  add(menu, tr("Picture of the &charts (PNG)"), QStringLiteral("charts"), [this] { copy_picture(scene_.charts); });
  const std::tuple<CopyFormat, QString, QString> formats[] = {
      {CopyFormat::markdown, tr("Table as &Markdown"), QStringLiteral("markdown_")},
      {CopyFormat::csv, tr("Table as C&SV"), QStringLiteral("csv_")}};
  for (const auto& [format, title, name] : formats) {
    QMenu* tables = menu->addMenu(title);
    for (int i = 0; i < session::table_count; ++i) {
      const auto table = static_cast<session::Table>(i);
      add(tables, session::table_title(table), name + session::table_name(table),
          [this, table, format = format] { copy_table(table, format); });
    }
  }
}

QList<QAction*> Exports::copies_of_plans() {
  const auto make = [this](const QString& text, const std::function<void()>& run) {
    auto* action = new QAction(text, this);
    connect(action, &QAction::triggered, this, run);
    return action;
  };
  return {make(tr("Copy the table as Markdown"), [this] { copy_table(session::Table::plans, CopyFormat::markdown); }),
          make(tr("Copy the table as CSV"), [this] { copy_table(session::Table::plans, CopyFormat::csv); }),
          make(tr("Copy the charts as PNG"), [this] { copy_picture(scene_.charts); })};
}

void Exports::copy_picture(QWidget* of) {
  QGuiApplication::clipboard()->setPixmap(of->grab());
  emit session_.notice(tr("Copied a picture of %1 × %2 pixels").arg(of->width()).arg(of->height()));
}

void Exports::copy_table(session::Table table, CopyFormat format) {
  with_table(table, scene_.tables(), tr("Copy table"), [this, table, format](const QString& csv) {
    QString text = csv;
    if (format == CopyFormat::markdown)
      text = table == session::Table::plans ? markdown_of(*scene_.plans) : session::markdown_of_csv(csv);
    QGuiApplication::clipboard()->setText(text);
    emit session_.notice(tr("Copied the table “%1”").arg(session::table_title(table)));
  });
}

void Exports::offer_in(QWidget* view, const std::vector<session::Table>& tables) {
  if (view->contextMenuPolicy() == Qt::DefaultContextMenu) view->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* copy = new QAction(tr("Copy as PNG"), view);
  connect(copy, &QAction::triggered, this, [this, view] { copy_picture(view); });
  view->addAction(copy);
  auto* picture = new QAction(tr("Export picture…"), view);
  connect(picture, &QAction::triggered, this, [this, view] { export_picture(view); });
  view->addAction(picture);
  for (const session::Table table : tables) {
    auto* action = new QAction(tr("Export %1 as CSV…").arg(session::table_title(table)), view);
    connect(action, &QAction::triggered, this, [this, table] { export_table(table); });
    view->addAction(action);
    auto* as_text = new QAction(tr("Copy %1 as Markdown").arg(session::table_title(table)), view);
    connect(as_text, &QAction::triggered, this, [this, table] { copy_table(table, CopyFormat::markdown); });
    view->addAction(as_text);
  }
}

void Exports::export_picture(QWidget* of) {
  const QString file = with_ending(dialogs_.save_file(window_, tr("Export picture"), QStringLiteral("pipedeck.png"),
                                                      tr("Pictures (*.png *.svg *.pdf);;All files (*)")),
                                   QStringLiteral(".png"));
  if (file.isEmpty()) return;
  const QString failure = layout::write_picture(*of, file);
  failure.isEmpty() ? emit written(file) : dialogs_.error(window_, tr("Export picture"), failure);
}

QString Exports::plan_name() const {
  const session::project::PlanEntry* plan = session::project::find_plan(session_.state(), scene_.tables().plan);
  return plan ? QString::fromStdString(plan->plan->name) : QString();
}

void Exports::export_table(session::Table table) {
  const session::TableContext context = scene_.tables();
  const session::TableText now = session::table_text(session_, table, context);
  if (!now.unavailable_reason.isEmpty()) return dialogs_.error(window_, tr("Export table"), now.unavailable_reason);
  const QString name = file_name_of(plan_name() + QLatin1Char(' ') + session::table_name(table));
  const QString file =
      with_ending(dialogs_.save_file(window_, tr("Export %1").arg(session::table_title(table)),
                                     name + QStringLiteral(".csv"), tr("Tables (*.csv);;All files (*)")),
                  QStringLiteral(".csv"));
  if (file.isEmpty()) return;
  const QString title = tr("Export table");
  with_table(table, context, title, [this, title, file](const QString& csv) { write(title, file, csv.toStdString()); });
}

void Exports::with_table(session::Table table, const session::TableContext& context, const QString& title,
                         const std::function<void(const QString&)>& use, int tries) {
  const session::TableText now = session::table_text(session_, table, context);
  if (!now.unavailable_reason.isEmpty()) return dialogs_.error(window_, title, now.unavailable_reason);
  if (!now.pending) return use(now.csv);
  // The table was requested above and a job computes it. If nothing runs and nothing arrived, the job was cancelled.
  if (tries > 0 && !session_.jobs().any_running())
    return dialogs_.error(window_, title, tr("The figures are not computed yet. Try again."));
  QTimer::singleShot(poll_interval_ms, this, [=, this] { with_table(table, context, title, use, tries + 1); });
}

void Exports::export_schedule() {
  const QString title = tr("Export order of operations");
  const auto order = session::schedule_csv_of(session_.state(), scene_.tables().plan);
  if (!order) return dialogs_.error(window_, title, text::to_qstring(order.error().message));
  const QString file =
      with_ending(dialogs_.save_file(window_, title,
                                     file_name_of(plan_name() + QStringLiteral(" schedule")) + QStringLiteral(".csv"),
                                     tr("Schedules (*.csv);;All files (*)")),
                  QStringLiteral(".csv"));
  if (!file.isEmpty()) write(title, file, *order);
}

void Exports::export_job(io::documents::JobLauncher launcher) {
  const io::documents::JobOptions how{.launcher = launcher,
                                      .steps = scene_.steps(),
                                      .processes = scene_.processes(),
                                      .backend = session_.state().backend};
  const int plan = scene_.tables().plan;
  const auto script = session::job_script_of(session_.state(), plan, how);
  if (!script) return dialogs_.error(window_, tr("Export job script"), text::to_qstring(script.error().message));
  if (launcher == io::documents::JobLauncher::slurm) {
    auto* dialog = new SlurmDialog(session_, dialogs_, plan, how, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SlurmDialog::written, this, &Exports::written);
    return dialog->show();
  }
  const QString file = with_ending(
      dialogs_.save_file(window_, tr("Export job script"), file_name_of(plan_name()) + QStringLiteral(".sh"),
                         tr("Scripts (*.sh);;All files (*)")),
      QStringLiteral(".sh"));
  if (!file.isEmpty()) write(tr("Export job script"), file, *script);
}

void Exports::export_report() {
  const auto refused = [this] {
    const QString why = session::no_report_reason(session_);
    if (!why.isEmpty()) dialogs_.error(window_, tr("Export report"), why);
    return !why.isEmpty();
  };
  if (refused()) return;
  const auto problem = session_.problem();
  const QString name = file_name_of(QString::fromStdString(problem->profile->name) + QStringLiteral(" report"));
  const QString file = with_ending(
      dialogs_.save_file(window_, tr("Export report"), name + QStringLiteral(".html"),
                         tr("Reports (*.html *.md);;HTML (*.html);;Markdown with pictures (*.md);;All files (*)")),
      QStringLiteral(".html"));
  if (file.isEmpty() || refused()) return;  // the project may have changed while the dialog was open
  const QString version = QCoreApplication::applicationVersion();
  session::export_report(session_, {file, QStringLiteral("pipedeck %1").arg(version).trimmed(), QDate::currentDate()},
                         [this, file](const QString& failure) {
                           failure.isEmpty() ? emit written(file)
                                             : dialogs_.error(window_, tr("Export report"), failure);
                         });
}

void Exports::export_for_engine() {
  const int plan = scene_.tables().plan;
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), plan);
  if (!entry || !entry->feasible())
    return dialogs_.error(window_, tr("For another engine"), tr("Select a plan first."));
  auto* dialog = new EngineDialog(session_, dialogs_, plan, window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &EngineDialog::written, this, &Exports::written);
  dialog->show();
}

void Exports::write(const QString& title, const QString& file, const std::string& text) {
  const auto done = session::write_text(file, text);
  done.isEmpty() ? emit written(file) : dialogs_.error(window_, title, done);
}

}  // namespace pipedeck::ui::actions
