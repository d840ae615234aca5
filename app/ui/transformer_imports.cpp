// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/transformer_imports.hpp"

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "app/ui/transformer_dialog.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::TransformerImports)
};

void add_profile(QWidget& window, Session& session, const Dialogs& dialogs, const TransformerPreview& preview) {
  auto profile = dialogs.transformer ? dialogs.transformer(&window, preview) : TransformerDialog(preview).profile();
  if (!profile) return;
  const QString name = QString::fromStdString(profile->name);
  session.change(Text::tr("Import %1").arg(name), with_imported_profile(session.state(), *std::move(profile)));
  emit session.notice(Text::tr("Imported profile %1").arg(name));
}

}  // namespace

void import_transformer(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file) {
  const auto preview = transformer_in(file);
  if (!preview) return emit session.error(Text::tr("Import"), in_qt(preview.error()));
  add_profile(window, session, dialogs, *preview);
}

void choose_transformer_preset(QWidget& window, Session& session, const Dialogs& dialogs, const QString& name) {
  add_profile(window, session, dialogs, preset_transformer(name, session.state()));
}

}  // namespace pipedeck::app
