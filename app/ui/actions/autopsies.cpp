// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/autopsies.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "app/session/autopsy/report.hpp"
#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/dialogs/autopsy_dialog.hpp"

namespace pipedeck::ui::actions {

namespace {

struct AutopsyText {
  Q_DECLARE_TR_FUNCTIONS(Autopsies)
};

}  // namespace

void show_autopsy(QWidget& window, session::Session& session, const QStringList& files) {
  const auto read = [&window, &session, files, known = session::autopsy::selected_plan(session)](
                        const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
    auto report = session::autopsy::read_report(files, known, context);
    return [&window, &session, report = std::move(report)]() -> QString {
      if (!report) {
        emit session.error(AutopsyText::tr("Autopsy"), text::to_qstring(report.error()));
        return text::to_qstring(report.error());
      }
      // Shown after this job has ended, so that no job is active meanwhile.
      QTimer::singleShot(0, &window,
                         [&window, report = *report] { (new dialogs::AutopsyDialog(report, &window))->show(); });
      return AutopsyText::tr("read");
    };
  };
  session.jobs().start(files.size() == 1 ? AutopsyText::tr("Read %1").arg(QFileInfo(files.front()).fileName())
                                         : AutopsyText::tr("Read %1 files").arg(files.size()),
                       read);
}

void open_autopsy(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs) {
  const QStringList files = dialogs.open_files(
      &window, AutopsyText::tr("Autopsy"),
      AutopsyText::tr("Memory snapshots, NCCL dumps, traces of ranks (*.pickle *.json *.json.gz *);;All files (*)"));
  if (!files.isEmpty()) show_autopsy(window, session, files);
}

}  // namespace pipedeck::ui::actions
