// SPDX-License-Identifier: GPL-3.0-or-later
// The real window with its own settings, and dialogs that give a test's answers and record their messages.
#pragma once

#include <functional>
#include <memory>

#include <QAction>
#include <QDir>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/ui/dialogs/cloud_dialog.hpp"
#include "app/ui/dialogs/layer_table_dialog.hpp"
#include "app/ui/dialogs/trace_dialog.hpp"
#include "app/ui/dialogs/transformer_dialog.hpp"
#include "app/ui/window/main_window.hpp"
#include "tests/support/places.hpp"

namespace pipedeck::test {

inline QString command_line_program() { return QStringLiteral(PIPEDECK_BUILD_DIR "/pipedeck-cli"); }

/// Where tests leave pictures for a person to look at; ends with a slash.
inline QString pictures_folder() {
  const QString path = QStringLiteral(PIPEDECK_BUILD_DIR "/pictures/");
  QDir().mkpath(path);
  return path;
}

struct Answers {
  QStringList files_to_open;
  QString file_to_save, folder;
  bool stop_run = true, confirm = true;
  std::optional<int> micro_batch;
  std::optional<QString> text;
  std::optional<session::project::Planning> planning;
  std::optional<session::project::TrainingState> training_state;
  bool cloud = true;        ///< the first machine of a cloud is added
  bool layer_table = true;  ///< the profile is added as its columns are guessed
  bool trace = true;        ///< its modules become a profile, as they are found; else it is drawn as a timeline
  bool transformer = true;  ///< the profile is added as it is computed
  bool machines = true;     ///< what is understood of them is added
  ui::dialogs::Unsaved unsaved = ui::dialogs::Unsaved::discard;
  session::Recovery recovery = session::Recovery::later;
  std::function<void()> meanwhile;  ///< happens while a dialog for files or texts is open
};

class WindowFixture {
 public:
  explicit WindowFixture(const QString& program = command_line_program())
      : settings(directory.filePath("settings.ini"), QSettings::IniFormat),
        window(std::make_unique<ui::window::MainWindow>(
            ui::window::WindowServices{dialogs(), &settings, program, directory.filePath("state")})) {
    window->resize(1680, 1050);
    window->show();
    window->activateWindow();  // keyboard focus goes to windows in front only
    (void)QTest::qWaitForWindowActive(window.get());
  }

  QAction* action(const char* name) const {
    auto* found = window->findChild<QAction*>(QLatin1String(name));
    if (!found) qFatal("no action %s", name);
    return found;
  }
  void trigger(const char* name) const {
    if (!action(name)->isEnabled()) qFatal("action %s is disabled", name);
    action(name)->trigger();
  }
  template <class Widget>
  Widget* child(const char* name) const {
    return window->findChild<Widget*>(QLatin1String(name));
  }
  session::Session& session() const { return window->session(); }
  const session::project::State& state() const { return session().state(); }
  QString path(const char* name) const { return directory.filePath(QLatin1String(name)); }

  [[nodiscard]] bool settle(int milliseconds = 120000) const {
    return QTest::qWaitFor([&] { return !session().jobs().any_running(); }, milliseconds);
  }
  /// Opens the sample and waits until it is compared and the page is laid out for its answers.
  [[nodiscard]] bool open_sample() const {
    window->open_sample();
    if (!settle() || !session().last_comparison()) return false;
    for (int pass = 0; pass < 3; ++pass) QCoreApplication::processEvents();  // charts ask for a layout twice
    return true;
  }

  QTemporaryDir directory;
  Answers answers;
  QStringList errors, questions, informations;
  QSettings settings;
  std::unique_ptr<ui::window::MainWindow> window;

 private:
  ui::dialogs::Dialogs dialogs() {
    ui::dialogs::Dialogs dialogs;
    dialogs.open_files = [this](QWidget*, const QString&, const QString&) {
      if (answers.meanwhile) answers.meanwhile();
      return answers.files_to_open;
    };
    dialogs.save_file = [this](QWidget*, const QString&, const QString&, const QString&) {
      if (answers.meanwhile) answers.meanwhile();
      return answers.file_to_save;
    };
    dialogs.micro_batch = [this](QWidget*, const QString& file) {
      questions << file;
      return answers.micro_batch;
    };
    dialogs.text = [this](QWidget*, const QString& title, const QString&, const QString&) {
      questions << title;
      if (answers.meanwhile) answers.meanwhile();
      return answers.text;
    };
    dialogs.planning = [this](QWidget*, const session::project::Planning&, std::shared_ptr<const Profile>,
                              std::shared_ptr<const Cluster>) { return answers.planning; };
    dialogs.training_state = [this](QWidget*, const session::project::TrainingState&, std::shared_ptr<const Profile>) {
      return answers.training_state;
    };
    dialogs.machines = [this](QWidget*, const session::cluster::MachinePreview& preview) -> std::optional<Cluster> {
      questions << preview.title;
      auto made = answers.machines ? preview.make({}) : Result<presets::ImportedCluster>(tl::unexpected(Error{}));
      return made ? std::optional(std::move(made->cluster)) : std::nullopt;
    };
    dialogs.cloud = [this](QWidget*) {
      questions << QStringLiteral("cloud");
      return answers.cloud ? ui::dialogs::CloudDialog().cluster() : std::nullopt;
    };
    dialogs.open_folder = [this](QWidget*, const QString&) { return answers.folder; };
    dialogs.stop_run = [this](QWidget*, const QString& run) {
      questions << run;
      return answers.stop_run;
    };
    dialogs.transformer = [this](QWidget*, const session::project::TransformerPreview& preview) {
      questions << preview.name;
      return answers.transformer ? ui::dialogs::TransformerDialog(preview).profile() : std::nullopt;
    };
    dialogs.layer_table = [this](QWidget*, const session::profile::TablePreview& preview) {
      questions << preview.name;
      return answers.layer_table ? ui::dialogs::LayerTableDialog(preview).profile() : std::nullopt;
    };
    dialogs.trace = [this](QWidget*, const session::profile::TracePreview& preview) {
      questions << preview.file;
      return answers.trace ? ui::dialogs::TraceDialog(preview).answer() : session::profile::TraceAnswer{};
    };
    dialogs.confirm = [this](QWidget*, const QString& title, const QString& text, const QString&) {
      questions << title + ": " + text;
      return answers.confirm;
    };
    dialogs.unsaved = [this](QWidget*, const QString& project) {
      questions << project;
      return answers.unsaved;
    };
    dialogs.recovery = [this](QWidget*, const session::RecoveryRequest& question) {
      questions << question.name;
      return answers.recovery;
    };
    dialogs.error = [this](QWidget*, const QString& title, const QString& text) { errors << title + ": " + text; };
    dialogs.page = [this](QWidget*, const QString&, const QString& markdown) { informations << markdown; };
    return dialogs;
  }
};

}  // namespace pipedeck::test
