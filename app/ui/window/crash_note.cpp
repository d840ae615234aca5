// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/crash_note.hpp"

#include <QDesktopServices>
#include <QFileInfo>
#include <QLocale>
#include <QSettings>
#include <QUrl>

#include "app/text/in_qt.hpp"
#include "app/ui/layout/settings_file.hpp"
#include "core/base/crash_report.hpp"

namespace pipedeck::ui::window {

CrashNote::CrashNote(const QString& state_folder, QSettings& settings, QWidget* parent) : HintBar(parent) {
  setObjectName(QStringLiteral("crash_note"));
  if (state_folder.isEmpty()) return;
  const std::vector<std::string> reports = crash_reports(crash_folder(state_folder.toStdString()));
  if (reports.empty()) return;
  const QFileInfo newest(text::to_qstring(reports.back()));
  if (newest.fileName() <= settings.value(layout::announced_crash_key).toString()) return;  // names begin with the time
  settings.setValue(layout::announced_crash_key, newest.fileName());
  set_texts(tr("Pipedeck crashed on %1. The report %2 is on this machine. Nothing was sent.")
                .arg(QLocale().toString(newest.lastModified(), QLocale::ShortFormat), newest.fileName()),
            tr("Show in folder"));
  set_dismissible(tr("Dismiss"));
  connect(this, &HintBar::accepted, this, [this, folder = newest.absolutePath()] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
    hide();
  });
  show();
}

}  // namespace pipedeck::ui::window
