// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <ctime>
#include <fstream>
#include <new>
#include <string>

#include <unistd.h>

#include <QApplication>
#include <QDir>
#include <QFontDatabase>
#include <QLocale>
#include <QSettings>
#include <QTimer>

#include "app/ui/layout/appearance.hpp"
#include "app/ui/layout/settings_file.hpp"
#include "app/ui/window/command_line.hpp"
#include "app/ui/window/end_on_signal.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/ui/window/screenshots.hpp"
#include "app/ui/window/thumbnail.hpp"
#include "core/base/allocator.hpp"
#include "core/base/commit.hpp"
#include "core/base/crash_report.hpp"
#include "core/base/standard_streams.hpp"

using namespace pipedeck;

namespace {

constexpr int bad_input = 2;
const QString organization = QStringLiteral("pipedeck");

/// Returns the seconds since the start of this process, including the loading of libraries.
double seconds_since_start() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t after_name = line.rfind(')');
  if (after_name == std::string::npos) return 0;
  const QStringList fields = QString::fromStdString(line.substr(after_name + 2)).split(QLatin1Char(' '));
  constexpr int start_time_field = 19;  // the 22nd of proc(5), counted from the one after the name
  const double started = fields.value(start_time_field).toDouble() / static_cast<double>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started;
}

/// Prints lines without the control characters of names in them.
void print(FILE* stream, QString text) {
  text.removeIf([](QChar c) { return c.category() == QChar::Other_Control && c != QLatin1Char('\n'); });
  std::fputs(text.toUtf8().constData(), stream);
}

void open_asked_for(ui::window::MainWindow& window, const ui::window::WindowCommand& command) {
  if (command.files.isEmpty()) {
    // A comparison or pictures without files are of the sample.
    return command.compare || !command.screenshots.empty() ? window.open_sample() : window.start();
  }
  window.open_files(command.files);
  if (!command.compare) return;
  window.complete_question();
  window.session().compare();
}

/// Returns dialogs for screenshots: no user can answer, and a file that cannot be opened ends the program.
ui::dialogs::Dialogs scripted_dialogs(bool& failed) {
  ui::dialogs::Dialogs dialogs = ui::dialogs::interactive_dialogs();
  dialogs.error = [&failed](QWidget*, const QString&, const QString& text) {
    failed = true;
    print(stderr, QStringLiteral("pipedeck: %1\n").arg(text));
  };
  dialogs.micro_batch = [&failed](QWidget*, const QString& file) -> std::optional<int> {
    failed = true;
    print(stderr,
          QStringLiteral("pipedeck: %1: found no micro-batch, expected a name that ends in -pbs-N.txt\n").arg(file));
    return std::nullopt;
  };
  return dialogs;
}

/// Sets the system's decimal sign for all figures that the window shows, without signs between groups of digits.
void show_figures_as_the_system() {
  QLocale locale = QLocale::system();
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  QLocale::setDefault(locale);
}

/// Adds the fonts in the program's folder: a self-contained archive has some, for systems without any.
void add_own_fonts() {
  const QDir folder(QApplication::applicationDirPath() + "/fonts");
  for (const QString& name : folder.entryList({QStringLiteral("*.ttf")}))
    QFontDatabase::addApplicationFont(folder.filePath(name));
}

/// Prints an error and returns the exit status of it; 0 if there is none.
int ended(const Result<void>& done) {
  if (done) return 0;
  print(stderr, QStringLiteral("pipedeck: %1\n").arg(QString::fromStdString(done.error().text())));
  return exit_status(done.error().code);
}

int thumbnail(const ui::window::WindowCommand& command) {
  ui::window::limit_for_thumbnail();
  try {
    return ended(ui::window::write_thumbnail(command.files[0], command.thumbnail, command.files[1]));
  } catch (const std::bad_alloc&) {
    return ended(fail(ErrorCode::io, "out of memory", {}, command.files[0].toStdString()));
  }
}

/// Resets, imports and exports settings, in this order, without a window.
Result<void> change_settings(const ui::window::WindowCommand& command) {
  QSettings settings(organization, organization);
  if (command.reset_settings) ui::layout::reset_settings(settings);
  if (!command.import_settings.isEmpty()) TRY_VOID(ui::layout::read_settings_file(settings, command.import_settings));
  if (!command.export_settings.isEmpty()) TRY_VOID(ui::layout::write_settings_file(settings, command.export_settings));
  settings.sync();
  if (settings.status() == QSettings::NoError) return {};
  return fail(ErrorCode::io, "found no settings that can be written", {}, settings.fileName().toStdString());
}

int run_window(const ui::window::WindowCommand& command) {
  QSettings settings(organization, organization);
  show_figures_as_the_system();
  const bool pictures = !command.screenshots.empty();
  bool failed = false;
  ui::window::MainWindow window({pictures ? scripted_dialogs(failed) : ui::dialogs::interactive_dialogs(&settings),
                                 &settings, QApplication::applicationDirPath() + "/pipedeck-cli",
                                 QString::fromStdString(state_folder()), pictures, store::read_project,
                                 QString::fromLatin1(commit)});
  if (command.reset_layout) window.reset_layout();
  if (!command.appearance.isEmpty()) ui::layout::apply_appearance(ui::layout::parse_appearance(command.appearance));
  window.show();
  QTimer::singleShot(0, &window, [&] {  // after the first paint: the window appears before the files are read
    if (command.start_time) {
      print(stderr, QStringLiteral("usable after %1 s\n").arg(seconds_since_start(), 0, 'f', 2));
    }
    open_asked_for(window, command);
    if (pictures && failed) return QApplication::exit(bad_input);
    if (pictures) ui::window::take_screenshots(window, command.screenshots);
  });
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  harden_streams();
  report_crashes("pipedeck", PIPEDECK_VERSION, crash_folder(state_folder()));
  keep_freed_memory();
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  const ui::window::WindowCommand command = ui::window::parse_command_line(arguments);
  if (!command.error.isEmpty()) {
    print(stderr, QStringLiteral("pipedeck: %1\n").arg(command.error));
    return bad_input;
  }
  if (command.help) {
    print(stdout, ui::window::usage_text());
    return 0;
  }
  if (command.version) {
    print(stdout, QStringLiteral("pipedeck %1\nlicence: GPL-3.0-or-later\n").arg(QLatin1String(PIPEDECK_VERSION)));
    return 0;
  }
  if (command.thumbnail > 0) return thumbnail(command);
  if (command.reset_settings || !command.import_settings.isEmpty() || !command.export_settings.isEmpty())
    return ended(change_settings(command));
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("pipedeck"));
  QApplication::setApplicationVersion(QStringLiteral(PIPEDECK_VERSION));
  const ui::window::EndOnSignal end_on_signal;
  add_own_fonts();
  return run_window(command);
}
