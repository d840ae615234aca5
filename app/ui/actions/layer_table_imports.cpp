// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/layer_table_imports.hpp"

#include <QCoreApplication>

#include "app/session/project/transformer_files.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

struct LayerTableText {
  Q_DECLARE_TR_FUNCTIONS(LayerTableImports)
};

std::optional<Profile> default_mapping(session::Session& session, const session::profile::TablePreview& preview) {
  session::profile::TableReading reading = preview.read(preview.guessed, preview.name, preview.micro_batch.value_or(1));
  if (!reading.profile) emit session.error(LayerTableText::tr("Import"), reading.findings.front().text);
  return std::move(reading.profile);
}

}  // namespace

void import_layer_table(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                        const QString& file) {
  const auto preview = session::profile::layer_table_in(file);
  if (!preview) return emit session.error(LayerTableText::tr("Import"), text::to_qstring(preview.error()));
  auto profile = dialogs.layer_table ? dialogs.layer_table(&window, *preview) : default_mapping(session, *preview);
  if (!profile) return;
  const QString name = QString::fromStdString(profile->name);
  session.change(LayerTableText::tr("Import %1").arg(name),
                 session::project::with_imported_profile(session.state(), *std::move(profile)));
  emit session.notice(LayerTableText::tr("Imported profile %1").arg(name));
}

}  // namespace pipedeck::ui::actions
