// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/trace_imports.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "app/session/transformer_files.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::TraceImports)
};

using Ask = std::function<std::optional<TraceAnswer>(QWidget* parent, const TracePreview& preview)>;

void add(QWidget& window, Session& session, const Ask& ask, const TracePreview& preview) {
  auto answer = ask(&window, preview);
  if (!answer) return;
  if (!answer->profile) {
    session.import_traces({preview.file});
    return;
  }
  const QString name = QString::fromStdString(answer->profile->name);
  session.change(Text::tr("Import %1").arg(name), with_imported_profile(session.state(), *std::move(answer->profile)));
  emit session.notice(Text::tr("Imported profile %1").arg(name));
}

}  // namespace

void import_trace(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file) {
  if (!dialogs.trace) {
    session.import_traces({file});
    return;
  }
  const auto read = [&window, &session, ask = dialogs.trace, file](const Jobs::Context& context) -> Jobs::Apply {
    auto preview = traced_modules_in(file, context.stop, context.progress);
    return [&window, &session, ask, file, preview = std::move(preview)]() -> QString {
      if (!preview) {
        emit session.error(Text::tr("Import"), in_qt(preview.error()));
        return in_qt(preview.error());
      }
      if (!*preview) {
        session.import_traces({file});
        return Text::tr("no modules to make a profile of: a measured timeline");
      }
      // Asked after this job has ended, so that no job is active while the user decides.
      QTimer::singleShot(0, &window,
                         [&window, &session, ask, preview = *preview] { add(window, session, ask, *preview); });
      return Text::tr("modules found");
    };
  };
  session.jobs().start(Text::tr("Read %1").arg(QFileInfo(file).fileName()), read);
}

}  // namespace pipedeck::app
