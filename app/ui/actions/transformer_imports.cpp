// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/transformer_imports.hpp"

#include <QCoreApplication>

#include "app/session/project/configured_profile.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/dialogs/transformer_dialog.hpp"

namespace pipedeck::ui::actions {

namespace {

struct TransformerText {
  Q_DECLARE_TR_FUNCTIONS(TransformerImports)
};

/// `source`: the file or "preset:NAME" of the preview.
void add_profile(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                 const session::project::TransformerPreview& preview, const QString& source) {
  auto profile =
      dialogs.transformer ? dialogs.transformer(&window, preview) : dialogs::TransformerDialog(preview).profile();
  if (!profile) return;
  const QString name = QString::fromStdString(profile->name);
  session.change(TransformerText::tr("Import %1").arg(name),
                 session::project::with_configured_profile(session.state(), *std::move(profile), source));
  emit session.notice(TransformerText::tr("Imported profile %1").arg(name));
}

}  // namespace

void import_transformer(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                        const QString& file) {
  auto preview = session::project::transformer_in(file);
  if (!preview) return emit session.error(TransformerText::tr("Import"), text::to_qstring(preview.error()));
  if (const std::string known = session::project::known_device_type(session.state()); !known.empty())
    preview->device = QString::fromStdString(known);
  add_profile(window, session, dialogs, *preview, file);
}

void choose_transformer_preset(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                               const QString& name) {
  add_profile(window, session, dialogs, session::project::preset_transformer(name, session.state()),
              QStringLiteral("preset:%1").arg(name));
}

}  // namespace pipedeck::ui::actions
