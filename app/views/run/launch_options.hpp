// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a training run: processor or GPUs, data, learning rate, the cores of the plan's devices; and the
// resulting command line.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include "app/views/run/launch_devices.hpp"
#include "app/views/run/launch_more.hpp"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QTimer;
class QToolButton;

namespace pipedeck::views::widgets {
class CoreFields;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::run {

struct LaunchSettings {
  QString data;              ///< as for `run --data`; empty: the model's default
  double learning_rate = 0;  ///< 0: the model's default
  QList<int> cores;          ///< one per device; empty: any
  LaunchMoreSettings more{};
  bool operator==(const LaunchSettings&) const = default;
};

class LaunchOptions : public QWidget {
  Q_OBJECT

 public:
  /// Adds fields to `form`; its other rows belong to the owner.
  explicit LaunchOptions(QFormLayout* form, QWidget* parent = nullptr);

  /// Sets the names of the plan's devices and the cores of this machine.
  void set_devices(const QStringList& devices, const QList<int>& cores);
  void set_settings(const LaunchSettings& settings);
  LaunchSettings settings() const;
  /// Returns what is missing before the launch can be checked; empty if nothing is.
  QString incomplete() const;
  void set_path(const QString& path);
  void set_command(const QString& command);
  /// Shows the result of the data check; a `problem` in the colour of a warning.
  void set_answer(const QString& words, bool problem);
  void set_editable(bool on);
  /// Sets the backend, which belongs to the project and not to the settings.
  void set_backend(const RunBackend& backend);
  LaunchDevices& launch_devices() const { return *backend_; }
  LaunchMore& more() const { return *more_; }
  const QList<QLabel*>& field_names() const { return names_; }

 signals:
  void changed();  ///< shortly after the last change
  void browse_requested(const QString& kind);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void add_row(QFormLayout* form, const QString& name, QWidget* field);
  QWidget* make_path_row();
  QWidget* make_command_row();
  void choose_kind();
  void follow_backend();
  void update_cores();
  void mark_changed();
  void apply_theme();
  QString kind() const;

  LaunchDevices* backend_;
  QComboBox* data_;
  QWidget* path_row_ = nullptr;
  QLineEdit* path_ = nullptr;
  QToolButton* browse_ = nullptr;
  QLineEdit* learning_rate_;
  widgets::CoreFields* cores_;
  LaunchMore* more_;
  QLineEdit* command_ = nullptr;
  QLabel* answer_;
  QTimer* settling_;
  QList<QLabel*> names_;
  bool problem_ = false, editable_ = true;
};

}  // namespace pipedeck::views::run
