// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a model in the Profile view, from its table, menu and keys. Each is one undo step; failures are reported.
#pragma once

#include <functional>
#include <memory>

#include <QObject>

#include "app/session/measurement.hpp"
#include "app/session/profile/edits.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QAction;

namespace pipedeck::views::profile {
class View;
}  // namespace pipedeck::views::profile

namespace pipedeck::ui::actions {

struct ProfileContext {
  session::Session* session = nullptr;
  QWidget* window = nullptr;
  views::profile::View* view = nullptr;
  std::function<int()> shown;  ///< the visible profile; 0: none
  std::function<void(int)> show;
  dialogs::Dialogs dialogs;
  QString runner;  ///< pipedeck-cli
};

class ProfileActions : public QObject {
  Q_OBJECT

 public:
  explicit ProfileActions(ProfileContext scene);

 private:
  QAction* make(const QString& text, const char* name, const QKeySequence& shortcut, void (ProfileActions::*run)());
  void separate();
  void update();
  void offer_measurement();
  void update_measurement();
  std::shared_ptr<const Profile> profile() const;
  void change(const QString& name, const Result<Profile>& edited);
  void apply_edit(int layer, int column, const QVariant& value);
  void set_figure();
  void scale();
  void insert();
  void duplicate();
  void merge();
  void remove();
  void copy();
  void paste();
  void rename();
  void duplicate_profile();
  void quick_fix(int kind);
  void measure();

  ProfileContext scene_;
  session::Measurement measurement_;
  QAction *set_, *scale_, *insert_, *duplicate_, *merge_, *remove_, *copy_, *paste_, *rename_, *duplicate_profile_,
      *measure_;
};

}  // namespace pipedeck::ui::actions
