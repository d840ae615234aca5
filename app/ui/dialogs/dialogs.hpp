// SPDX-License-Identifier: GPL-3.0-or-later
// All questions of the window as functions, so that tests can answer them without user input.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QString>
#include <QStringList>

#include "app/session/cluster/machine_files.hpp"
#include "app/session/profile/layer_tables.hpp"
#include "app/session/profile/trace_files.hpp"
#include "app/session/project/planning.hpp"
#include "app/session/project/transformer_files.hpp"
#include "app/session/session.hpp"
#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"

class QSettings;
class QWidget;

namespace pipedeck::ui::dialogs {

enum class Unsaved { save, discard, cancel };

struct Dialogs {
  std::function<QStringList(QWidget* parent, const QString& title, const QString& filter)> open_files;
  std::function<QString(QWidget* parent, const QString& title)> open_folder;  ///< empty: cancelled
  std::function<QString(QWidget* parent, const QString& title, const QString& suggested, const QString& filter)>
      save_file;  ///< empty: cancelled
  std::function<std::optional<int>(QWidget* parent, const QString& file)> micro_batch;
  std::function<std::optional<QString>(QWidget* parent, const QString& title, const QString& label,
                                       const QString& text)>
      text;
  /// Edits the planners' settings, starting from the current ones; nothing if cancelled.
  std::function<std::optional<session::project::Planning>(QWidget* parent, const session::project::Planning& now,
                                                          std::shared_ptr<const Profile> profile,
                                                          std::shared_ptr<const Cluster> cluster)>
      planning;
  /// Edits the training memory of the devices, starting from the current settings; nothing if cancelled.
  std::function<std::optional<session::project::TrainingState>(
      QWidget* parent, const session::project::TrainingState& now, std::shared_ptr<const Profile> profile)>
      training_state;
  /// Shows the recognised machines and asks open questions; nothing if cancelled.
  std::function<std::optional<Cluster>(QWidget* parent, const session::cluster::MachinePreview& preview)> machines;
  /// Lets the user choose a cloud machine and a count; nothing if cancelled.
  std::function<std::optional<Cluster>(QWidget* parent)> cloud;
  /// Shows the profile of a transformer's configuration and asks open questions; nothing if cancelled.
  std::function<std::optional<Profile>(QWidget* parent, const session::project::TransformerPreview& preview)>
      transformer;
  /// Shows how a table of layers is interpreted and asks what its columns mean; nothing if cancelled.
  std::function<std::optional<Profile>(QWidget* parent, const session::profile::TablePreview& preview)> layer_table;
  /// Shows the modules of a trace as a profile and asks what to import; nothing if cancelled.
  std::function<std::optional<session::profile::TraceAnswer>(QWidget* parent,
                                                             const session::profile::TracePreview& preview)>
      trace;
  /// Asks before a step that cannot be undone; `action` is the text of the button that takes it.
  std::function<bool(QWidget* parent, const QString& title, const QString& text, const QString& action)> confirm;
  std::function<Unsaved(QWidget* parent, const QString& project)> unsaved;
  /// Returns true if the active run should be stopped so that the window can close.
  std::function<bool(QWidget* parent, const QString& run)> stop_run;
  /// Asks what to do with unsaved work of a killed program.
  std::function<session::Recovery(QWidget* parent, const session::RecoveryRequest& question)> recovery;
  std::function<void(QWidget* parent, const QString& title, const QString& text)> error;
  std::function<void(QWidget* parent, const QString& title, const QString& markdown)> page;  ///< long text that scrolls
};

/// Returns the interactive dialogs. Dialogs of files start in the folder where one was chosen last, also in an earlier
/// session if there are settings.
Dialogs interactive_dialogs(QSettings* settings = nullptr);

}  // namespace pipedeck::ui::dialogs
