// SPDX-License-Identifier: GPL-3.0-or-later
// Fields that map a plan's devices to hardware in a launch: processor threads or GPUs, the precision, and whether
// devices may share a GPU. They list the available GPUs, or why none can be used, and offer alternatives where the plan
// cannot be trained.
#pragma once

#include <array>

#include <QList>
#include <QString>
#include <QWidget>

#include "core/model/run_backend.hpp"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QToolButton;

namespace pipedeck::views::run {

/// An alternative launch, one button each.
enum class LaunchFallback { share_gpus, fewer_devices, gpus, processor };
inline constexpr int launch_offer_count = 4;

class LaunchDevices : public QWidget {
  Q_OBJECT

 public:
  /// Adds rows to `form`; its other rows belong to the owner.
  explicit LaunchDevices(QFormLayout* form, QWidget* parent = nullptr);
  /// Returns the buttons of the offers, which the owner places.
  QWidget* offers() const { return offers_; }

  /// Emits no signal.
  void set_backend(const RunBackend& backend);
  const RunBackend& backend() const { return backend_; }
  /// Sets the GPUs of this machine, "2 × NVIDIA H100", or why they cannot be used.
  void set_gpus(const QString& words, bool usable);
  /// Sets the offers; `fewer` is the caption of the offer of a plan for fewer devices.
  void set_offers(const QList<LaunchFallback>& offers, const QString& fewer = {});
  void set_editable(bool on);
  QList<QLabel*> field_names() const { return names_; }

 signals:
  void chosen(const pipedeck::RunBackend& backend);  ///< by the user
  void taken(LaunchFallback offer);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_offers();
  void take_choice();
  void show_rows();
  void apply_theme();

  QComboBox* on_;
  QComboBox* precision_;
  QCheckBox* share_;
  QLabel* gpus_;
  QWidget* offers_;
  std::array<QToolButton*, launch_offer_count> buttons_{};
  QList<QLabel*> names_;
  RunBackend backend_;
  bool usable_ = true;
};

}  // namespace pipedeck::views::run
