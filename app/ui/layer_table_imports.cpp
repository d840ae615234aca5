// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layer_table_imports.hpp"

#include <QCoreApplication>

#include "app/session/transformer_files.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::LayerTableImports)
};

std::optional<Profile> as_guessed(Session& session, const TablePreview& preview) {
  TableReading reading = preview.read(preview.guessed, preview.name, preview.micro_batch.value_or(1));
  if (!reading.profile) emit session.error(Text::tr("Import"), reading.findings.front().text);
  return std::move(reading.profile);
}

}  // namespace

void import_layer_table(QWidget& window, Session& session, const Dialogs& dialogs, const QString& file) {
  const auto preview = layer_table_in(file);
  if (!preview) return emit session.error(Text::tr("Import"), in_qt(preview.error()));
  auto profile = dialogs.layer_table ? dialogs.layer_table(&window, *preview) : as_guessed(session, *preview);
  if (!profile) return;
  const QString name = QString::fromStdString(profile->name);
  session.change(Text::tr("Import %1").arg(name), with_imported_profile(session.state(), *std::move(profile)));
  emit session.notice(Text::tr("Imported profile %1").arg(name));
}

}  // namespace pipedeck::app
