// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/trace_imports.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "app/session/project/transformer_files.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

struct TraceText {
  Q_DECLARE_TR_FUNCTIONS(TraceImports)
};

using Ask = std::function<std::optional<session::profile::TraceAnswer>(QWidget* parent,
                                                                       const session::profile::TracePreview& preview)>;

void add(QWidget& window, session::Session& session, const Ask& ask, const session::profile::TracePreview& preview) {
  auto answer = ask(&window, preview);
  if (!answer) return;
  if (!answer->profile) {
    session.import_traces({preview.file});
    return;
  }
  const QString name = QString::fromStdString(answer->profile->name);
  session.change(TraceText::tr("Import %1").arg(name),
                 session::project::with_imported_profile(session.state(), *std::move(answer->profile)));
  emit session.notice(TraceText::tr("Imported profile %1").arg(name));
}

}  // namespace

void import_trace(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs, const QString& file) {
  if (!dialogs.trace) {
    session.import_traces({file});
    return;
  }
  const auto read = [&window, &session, ask = dialogs.trace,
                     file](const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
    auto preview = session::profile::traced_modules_in(file, context.stop, context.progress);
    return [&window, &session, ask, file, preview = std::move(preview)]() -> QString {
      if (!preview) {
        emit session.error(TraceText::tr("Import"), text::to_qstring(preview.error()));
        return text::to_qstring(preview.error());
      }
      if (!*preview) {
        session.import_traces({file});
        return TraceText::tr("no modules for a profile: a measured timeline");
      }
      // Asked after this job has ended, so that no job is active while the user decides.
      QTimer::singleShot(0, &window,
                         [&window, &session, ask, preview = *preview] { add(window, session, ask, *preview); });
      return TraceText::tr("modules found");
    };
  };
  session.jobs().start(TraceText::tr("Read %1").arg(QFileInfo(file).fileName()), read);
}

}  // namespace pipedeck::ui::actions
