// SPDX-License-Identifier: GPL-3.0-or-later
// The selected plan of format version 2 in all its dimensions, with what a step along each would change. Sheets are
// computed off the window's thread; at most one is, for the newest plan and locks.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include <QObject>
#include <QString>
#include <QThreadPool>

#include "core/model/workload.hpp"
#include "core/study/mesh_editing/rows.hpp"

namespace pipedeck::session::plans {

class MeshStudy : public QObject {
  Q_OBJECT

 public:
  using Dimension = study::mesh_editing::Dimension;

  explicit MeshStudy(QObject* parent = nullptr);
  ~MeshStudy() override;

  /// Sets the plan. Locks stay while the profile does.
  void set_plan(const Problem& problem, const std::shared_ptr<const Plan>& plan);
  void clear();

  /// Returns the sheet of the plan, or of the plan before until it is computed; null if there is none.
  const study::mesh_editing::Sheet* sheet() const { return sheet_.get(); }
  const study::mesh_editing::Mesh* mesh() const { return mesh_ ? &*mesh_ : nullptr; }
  /// Returns true if sheet() is the plan's.
  bool current() const { return sheet_ != nullptr && !running_; }
  /// Returns why there is no sheet; empty if there is or will be one.
  const QString& reason() const { return reason_; }

  const std::set<Dimension>& locked() const { return locked_; }
  void toggle_lock(Dimension dimension);

  /// Returns the plan with that value, or the rule that it breaks.
  Result<Plan> changed(Dimension dimension, int value) const;
  /// Returns the name of that change in the Edit menu: "TP 8", "Overlap TP gathers".
  QString change_name(Dimension dimension, int value) const;

 signals:
  void changed_sheet();

 private:
  struct Answer {
    std::optional<study::mesh_editing::Mesh> mesh;
    std::shared_ptr<const study::mesh_editing::Sheet> sheet;
    QString reason;
  };
  void request();
  void receive(int generation, Answer answer);

  QThreadPool pool_;
  std::optional<Problem> problem_;
  std::shared_ptr<const Plan> plan_;
  std::set<Dimension> locked_;
  std::optional<study::mesh_editing::Mesh> mesh_;
  std::shared_ptr<const study::mesh_editing::Sheet> sheet_;
  QString reason_;
  int generation_ = 0;
  bool running_ = false, again_ = false;
};

}  // namespace pipedeck::session::plans
