// SPDX-License-Identifier: GPL-3.0-or-later
// What stands for a plan's devices in a launch: the processor's threads or GPUs, with their precision and whether
// devices may share one; what GPUs there are, or why none can be used; and the ways out where they can't train the
// plan.
#pragma once

#include <array>

#include <QList>
#include <QString>
#include <QWidget>

#include "core/domain/run_backend.hpp"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QToolButton;

namespace pipedeck::app {

/// What else can be done, a button each.
enum class LaunchOffer { share_gpus, fewer_devices, gpus, processor };
inline constexpr int launch_offer_count = 4;

class LaunchDevices : public QWidget {
  Q_OBJECT

 public:
  /// Rows are added to `form`, whose other rows are the owner's.
  explicit LaunchDevices(QFormLayout* form, QWidget* parent = nullptr);
  /// The offers' buttons, which their owner puts where they belong.
  QWidget* offers() const { return offers_; }

  /// Says nothing of what was chosen: who owns the choice tells.
  void set_backend(const RunBackend& backend);
  const RunBackend& backend() const { return backend_; }
  /// The GPUs of this machine, "2 × NVIDIA H100", or why they can't be used.
  void set_gpus(const QString& words, bool usable);
  /// `fewer`: how the offer of a plan for fewer devices is called.
  void set_offers(const QList<LaunchOffer>& offers, const QString& fewer = {});
  void set_editable(bool on);
  QList<QLabel*> field_names() const { return names_; }

 signals:
  void chosen(const pipedeck::RunBackend& backend);  ///< by a person
  void taken(LaunchOffer offer);

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

}  // namespace pipedeck::app
