// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo as a list of complete states, each with the name of its step. States share unchanged parts, so that a
// step costs the memory of its change. A state does not move or change in memory: a reference to it stays valid while a
// step has it, and afterwards until release_replaced().
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <QString>

namespace pipedeck::session::project {

template <class State>
class History {
 public:
  explicit History(State initial, std::size_t max_steps = 500) : max_steps_(max_steps) {
    add_step({}, std::move(initial));
  }

  const State& state() const { return *steps_[at_].state; }

  /// Adds a step and drops undone ones. A state equal to the current one adds no step and returns false.
  bool push(const QString& name, State next) {
    if (next == state()) return false;
    drop_steps(at_ + 1, steps_.size());
    if (clean_ > static_cast<std::ptrdiff_t>(at_)) clean_ = never;
    add_step(name, std::move(next));
    ++at_;
    if (steps_.size() > max_steps_ + 1) forget_oldest();
    return true;
  }

  /// Changes the current state without a step, for view changes such as the selection.
  template <class Change>
  void amend(const Change& change) {
    State next = state();
    change(next);
    replaced_.push_back(std::exchange(steps_[at_].state, std::make_shared<const State>(std::move(next))));
  }

  /// Drops all steps and starts with this state, which is saved.
  void restart(State initial) {
    drop_steps(0, steps_.size());
    add_step({}, std::move(initial));
    at_ = 0;
    clean_ = 0;
  }

  /// Frees the states that no step has any more. References to them end here.
  void release_replaced() { replaced_.clear(); }
  std::size_t replaced() const { return replaced_.size(); }

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
    std::shared_ptr<const State> state;
    std::size_t id = 0;
  };

  void add_step(const QString& name, State state) {
    steps_.push_back({name, std::make_shared<const State>(std::move(state)), next_id_++});
  }

  /// Drops the steps from `first` to before `last`.
  void drop_steps(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) replaced_.push_back(std::move(steps_[i].state));
    const auto begin = steps_.begin();
    steps_.erase(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
  }

  void forget_oldest() {
    drop_steps(0, 1);
    --at_;
    clean_ = clean_ > 0 ? clean_ - 1 : never;
  }

  static constexpr std::ptrdiff_t never = -1;
  std::size_t next_id_ = 0;
  std::vector<Step> steps_;
  std::vector<std::shared_ptr<const State>> replaced_;
  std::size_t at_ = 0;
  std::ptrdiff_t clean_ = 0;
  std::size_t max_steps_;
};

}  // namespace pipedeck::session::project
