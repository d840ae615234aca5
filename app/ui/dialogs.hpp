// SPDX-License-Identifier: GPL-3.0-or-later
// Every question that the window asks, as functions, so that tests answer them without anybody clicking.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QString>
#include <QStringList>

#include "app/session/layer_tables.hpp"
#include "app/session/machine_files.hpp"
#include "app/session/planning.hpp"
#include "app/session/session.hpp"
#include "app/session/trace_files.hpp"
#include "app/session/transformer_files.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/profile.hpp"

class QWidget;

namespace pipedeck::app {

enum class Unsaved { save, discard, cancel };

struct Dialogs {
  std::function<QStringList(QWidget* parent, const QString& title, const QString& filter)> open_files;
  std::function<QString(QWidget* parent, const QString& title)> open_folder;  ///< empty: given up
  std::function<QString(QWidget* parent, const QString& title, const QString& suggested, const QString& filter)>
      save_file;  ///< empty: given up
  std::function<std::optional<int>(QWidget* parent, const QString& file)> micro_batch;
  std::function<std::optional<QString>(QWidget* parent, const QString& title, const QString& label,
                                       const QString& text)>
      text;
  /// How planners are to be asked, from how they are; nothing: given up.
  std::function<std::optional<Planning>(QWidget* parent, const Planning& now, std::shared_ptr<const Profile> profile,
                                        std::shared_ptr<const Cluster> cluster)>
      planning;
  /// What training keeps in the devices' memory, from what it keeps now; nothing: given up.
  std::function<std::optional<TrainingState>(QWidget* parent, const TrainingState& now,
                                             std::shared_ptr<const Profile> profile)>
      training_state;
  /// Shows what was understood of machines, and asks what is open; nothing: given up.
  std::function<std::optional<Cluster>(QWidget* parent, const MachinePreview& preview)> machines;
  /// Has a machine of a cloud chosen, and how many; nothing: given up.
  std::function<std::optional<Cluster>(QWidget* parent)> cloud;
  /// Shows what becomes of a transformer's configuration, and asks what is open; nothing: given up.
  std::function<std::optional<Profile>(QWidget* parent, const TransformerPreview& preview)> transformer;
  /// Shows what a table of layers is taken for, and asks what its columns are; nothing: given up.
  std::function<std::optional<Profile>(QWidget* parent, const TablePreview& preview)> layer_table;
  /// Shows what the modules of a trace would be as a profile, and asks what it becomes; nothing: given up.
  std::function<std::optional<TraceAnswer>(QWidget* parent, const TracePreview& preview)> trace;
  std::function<Unsaved(QWidget* parent, const QString& project)> unsaved;
  /// Whether the run under way is to be stopped, so that the window can close.
  std::function<bool(QWidget* parent, const QString& run)> stop_run;
  /// What to do with work that a killed program left behind.
  std::function<Recovery(QWidget* parent, const RecoveryQuestion& question)> recovery;
  std::function<void(QWidget* parent, const QString& title, const QString& text)> error;
  std::function<void(QWidget* parent, const QString& title, const QString& html)> information;
  std::function<void(QWidget* parent, const QString& title, const QString& markdown)> page;  ///< long: scrolls
};

/// The ones people see.
Dialogs real_dialogs();

}  // namespace pipedeck::app
