// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/command_line.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include "app/ui/window/page.hpp"
#include "app/ui/window/thumbnail.hpp"

namespace pipedeck::ui::window {

namespace {
const QStringList views = [] {
  QStringList all;
  for (const PageInfo& info : page_table) all << QLatin1String(info.id);
  return all << "gantt"
             << "memory"
             << "split"
             << "window";
}();
const QStringList appearances{"system", "light", "dark"};
}  // namespace

WindowCommand parse_command_line(const QStringList& arguments) {
  WindowCommand command;
  bool options = true;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    const QString& argument = arguments[i];
    if (!options || !argument.startsWith(QLatin1Char('-'))) {
      command.files << argument;
    } else if (argument == QLatin1String("--")) {
      options = false;
    } else if (argument == QLatin1String("--compare")) {
      command.compare = true;
    } else if (argument == QLatin1String("--reset-layout")) {
      command.reset_layout = true;
    } else if (argument == QLatin1String("--export-settings") || argument == QLatin1String("--import-settings")) {
      QString& file = argument.startsWith(QLatin1String("--e")) ? command.export_settings : command.import_settings;
      file = arguments.value(++i);
      if (file.isEmpty()) command.error = QStringLiteral("%1: expected a file").arg(argument);
      if (file.isEmpty()) return command;
    } else if (argument == QLatin1String("--reset-settings")) {
      command.reset_settings = true;
    } else if (argument == QLatin1String("--start-time")) {
      command.start_time = true;
    } else if (argument == QLatin1String("--help") || argument == QLatin1String("-h")) {
      command.help = true;
    } else if (argument == QLatin1String("--version")) {
      command.version = true;
    } else if (argument == QLatin1String("--appearance")) {
      command.appearance = arguments.value(++i);
      if (!appearances.contains(command.appearance)) {
        command.error = QStringLiteral("%1: found '%2', expected one of %3")
                            .arg(argument, command.appearance, appearances.join(QStringLiteral(", ")));
        return command;
      }
    } else if (argument == QLatin1String("--thumbnail")) {
      command.thumbnail = arguments.value(++i).toInt();
      if (command.thumbnail < least_thumbnail || command.thumbnail > most_thumbnail) {
        command.error = QStringLiteral("--thumbnail: found '%1', expected pixels from %2 to %3")
                            .arg(arguments.value(i))
                            .arg(least_thumbnail)
                            .arg(most_thumbnail);
        return command;
      }
    } else if (argument == QLatin1String("--screenshot")) {
      if (i + 2 >= arguments.size()) {
        command.error = QStringLiteral("--screenshot: expected a view and a file");
        return command;
      }
      command.screenshots.push_back({arguments[i + 1], arguments[i + 2]});
      i += 2;
      const Screenshot& wanted = command.screenshots.back();
      static const QStringList endings{"png", "svg", "pdf"};
      if (!endings.contains(QFileInfo(wanted.file).suffix().toLower())) {
        command.error = QStringLiteral("--screenshot: found file '%1', expected one that ends in .png, .svg or .pdf")
                            .arg(wanted.file);
        return command;
      }
      if (!views.contains(wanted.view)) {
        command.error = QStringLiteral("--screenshot: found view '%1', expected one of %2")
                            .arg(wanted.view, views.join(QStringLiteral(", ")));
        return command;
      }
    } else {
      command.error = QStringLiteral("found option '%1', which there is not; see --help").arg(argument);
      return command;
    }
  }
  if (command.thumbnail > 0 && command.files.size() != 2)
    command.error =
        QStringLiteral("--thumbnail: found %1 files, expected a project and a picture").arg(command.files.size());
  return command;
}

QString usage_text() {
  return QStringLiteral(
      "Usage: pipedeck [OPTION ...] [FILE ...]\n\n"
      "Opens the window. Files may be projects (*.pipedeck), profiles, layer graphs, clusters, plans,\n"
      "models, simulations and logs of runs; without any, work that was not saved is offered, else the\n"
      "start page is shown.\n\n"
      "  --compare               compare plans at once\n"
      "  --screenshot VIEW FILE  draw a view into a PNG, SVG or PDF file when it is ready, then end;\n"
      "                          may be repeated; VIEW is compare, gantt, memory (compare, by item), split,\n"
      "                          explain, what-if, profile, topology, run, accuracy or window\n"
      "  --thumbnail SIZE FILE PNG  draw a project's selected plan for the desktop, then end\n"
      "  --appearance WHICH      system, light or dark, for this time\n"
      "  --reset-layout          put docks and sizes back as they were at first\n"
      "  --export-settings FILE  write the choices of Preferences and of the charts as JSON, then end\n"
      "  --import-settings FILE  replace them by those of a file, then end\n"
      "  --reset-settings        forget all settings, recent projects and layouts, then end\n"
      "  --start-time            print how long it took until the window could be used\n"
      "  --help, --version\n\n"
      "Without a display: QT_QPA_PLATFORM=offscreen pipedeck --screenshot window window.png\n");
}

}  // namespace pipedeck::ui::window
