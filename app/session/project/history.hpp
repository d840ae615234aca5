// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo as a list of complete states, each with the name of its step. States share unchanged parts, so that a
// step costs the memory of its change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <QString>

namespace pipedeck::session::project {

template <class State>
class History {
 public:
  explicit History(State initial, std::size_t max_steps = 500) : max_steps_(max_steps) {
    steps_.push_back({{}, std::move(initial), next_id_++});
  }

  const State& state() const { return steps_[at_].state; }

  /// Adds a step and drops undone ones. A state equal to the current one adds no step and returns false.
  bool push(const QString& name, State next) {
    if (next == state()) return false;
    steps_.resize(at_ + 1);
    if (clean_ > static_cast<std::ptrdiff_t>(at_)) clean_ = never;
    steps_.push_back({name, std::move(next), next_id_++});
    ++at_;
    if (steps_.size() > max_steps_ + 1) forget_oldest();
    return true;
  }

  /// Changes the current state without a step, for view changes such as the selection.
  template <class Change>
  void amend(const Change& change) {
    change(steps_[at_].state);
  }

  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < steps_.size(); }
  QString undo_name() const { return can_undo() ? steps_[at_].name : QString(); }
  QString redo_name() const { return can_redo() ? steps_[at_ + 1].name : QString(); }
  void undo() { at_ -= can_undo() ? 1 : 0; }
  void redo() { at_ += can_redo() ? 1 : 0; }

  bool clean() const { return clean_ == static_cast<std::ptrdiff_t>(at_); }
  /// Returns the unique number of the current step.
  std::size_t step_id() const { return steps_[at_].id; }
  /// Marks that step as saved. If it does not exist any more, no step is marked as saved.
  void mark_clean(std::size_t id) {
    const auto saved = std::ranges::find(steps_, id, &Step::id);
    clean_ = saved == steps_.end() ? never : saved - steps_.begin();
  }
  void mark_clean() { clean_ = static_cast<std::ptrdiff_t>(at_); }
  std::size_t steps() const { return steps_.size() - 1; }
  /// Returns the number of steps between the current and the saved state; -1 if the saved state does not exist any
  /// more.
  int changes_since_clean() const {
    if (clean_ == never) return -1;
    const auto distance = static_cast<std::ptrdiff_t>(at_) - clean_;
    return static_cast<int>(distance < 0 ? -distance : distance);
  }

 private:
  struct Step {
    QString name;
    State state;
    std::size_t id = 0;
  };

  void forget_oldest() {
    steps_.erase(steps_.begin());
    --at_;
    clean_ = clean_ > 0 ? clean_ - 1 : never;
  }

  static constexpr std::ptrdiff_t never = -1;
  std::size_t next_id_ = 0;
  std::vector<Step> steps_;
  std::size_t at_ = 0;
  std::ptrdiff_t clean_ = 0;
  std::size_t max_steps_;
};

}  // namespace pipedeck::session::project
