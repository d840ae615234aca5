// SPDX-License-Identifier: GPL-3.0-or-later
// A view that launches a plan, follows its training and compares it with the prediction.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QElapsedTimer>
#include <QString>
#include <QWidget>

#include "app/models/run/run_model.hpp"
#include "app/views/run/launch_options.hpp"
#include "core/base/units.hpp"
#include "core/model/run.hpp"

class QComboBox;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTimer;
class QToolButton;
class QTreeWidget;
class QVBoxLayout;

namespace pipedeck::views::run {

class LiveChart;

struct LaunchChoice {
  int id = 0;
  QString name;
  QString unavailable_reason;  ///< empty: can be launched; else shown next to the disabled button
};

struct LaunchRequest {
  int plan = 0;
  QString model;
  int steps = 1;
  LaunchSettings settings{};
  bool operator==(const LaunchRequest&) const = default;
};

struct Prediction {
  double samples_per_second = 0;  ///< 0: none
  std::vector<double> busy;       ///< per device, [0, 1]
  std::vector<Bytes> memory;      ///< peak per device
};

/// A time of one kind of operation in an iteration, the mean of the devices.
struct Difference {
  QString kind;  ///< as displayed: "forward"
  Seconds predicted, measured;
  bool total = false;  ///< the last row, in bold
};

struct ListEntry {
  int id = 0;
  QString name;
  int steps = 0;                               ///< requested
  QString outcome;                             ///< shown if nothing was measured: "failed"
  std::optional<Seconds> measured, predicted;  ///< per step; measured: from the throughput
  QString tool_tip;
  bool failed = false;
  std::optional<double> energy{}, energy_a_sample{};  ///< joules of its GPUs, in all and per sample
  std::optional<int> steps_done{};                    ///< fewer than `steps` of a run that was stopped
};

class View : public QWidget {
  Q_OBJECT

 public:
  explicit View(QWidget* parent = nullptr);

  void set_plans(const std::vector<LaunchChoice>& plans);
  void set_models(const std::vector<LaunchChoice>& models);  ///< ids are not used
  void select_plan(int id);
  void set_model(const QString& name);
  void set_steps(int steps);
  LaunchRequest request() const;
  LaunchOptions& options() const { return *options_; }
  /// Sets whether the selected plan has points at which all its devices can pause.
  void set_pausable(bool on);
  /// Acts like the button; does nothing while that is disabled.
  void toggle_pause();
  /// Sets how many of the best plans can be tried, and why none can be.
  void set_trials(int most, const QString& why_not);
  /// Several plans run one after the other; `words` describes the progress or the result.
  void set_trying(bool on, const QString& words);
  /// Shows the result of the launch check; a problem disables the launch. Empty: nothing was checked.
  void set_answer(const QString& words, bool problem);

  /// Prepares for a new run: clears charts and log, turns Launch into Stop.
  void start_run(const QString& title);
  void append(const RunEvent& event);
  /// Ends the run after its child process has exited, with or without success.
  void end_run();
  bool running() const { return running_; }
  /// Shows all events of a stored run at once, without making the launch panel busy.
  void show_run(const QString& title, const std::vector<RunEvent>& events);
  const models::run::Model& model() const { return model_; }

  void set_prediction(const Prediction& prediction);
  void set_differences(const std::vector<Difference>& differences);
  /// Shows the curves of another run next to this one, and the operations of both instead of the prediction.
  /// `predicted` of each row is the other run's. No events: none.
  void set_other(const QString& title, const std::vector<RunEvent>& events, const std::vector<Difference>& differences);
  bool comparing() const { return other_.steps_done() > 0; }
  void set_runs(const std::vector<ListEntry>& runs);
  void select_run(int id);
  /// Takes ownership; nullptr empties the slot.
  void set_timeline_widget(QWidget* widget, const QString& heading = {});
  void set_timeline_heading(const QString& heading);  ///< empty: measured over predicted
  void log(const models::run::LogLine& line);
  /// Updates the charts immediately, for tests and pictures. Otherwise they update at most 10 times per second.
  void refresh_now();

 signals:
  void launch_requested(const LaunchRequest& request);
  void stop_requested();
  void trials_requested(int plans);
  void pause_requested(bool paused);
  void request_changed();
  void model_file_requested();
  void run_selected(int id);
  void runs_compared(int first, int second);
  void plan_chosen(int id);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_launch_panel();
  QWidget* make_pictures();
  QWidget* make_history();
  void make_launch_form(QVBoxLayout* column);
  void make_progress(QVBoxLayout* column);
  void make_trials(QVBoxLayout* column);
  void make_tables(QVBoxLayout* column);
  void connect_launch();
  void mark_stale();
  void begin(const QString& title);
  void update_launchable();
  void update_progress();
  std::array<LiveChart*, 6> charts() const { return {throughput_, loss_, busy_, memory_, power_, clock_}; }
  void refresh_next();
  void update_chart(LiveChart& chart);
  void draw_devices(LiveChart& chart, const models::run::Model::Points& (models::run::Model::*points)(int) const);
  void draw_memory();
  void draw_gpus(LiveChart& chart, const models::run::Model::Points& (models::run::Model::*points)(int) const);
  void update_gpus();
  void draw_runs(LiveChart& chart, const models::run::Model::Points& shown, const models::run::Model::Points& other);
  void update_predictions();
  void fill_differences();
  QString unavailable_reason() const;
  QString progress_text() const;
  void apply_theme();

  models::run::Model model_, other_;
  QString other_title_;
  Prediction prediction_;
  std::vector<LaunchChoice> plans_, models_;
  std::vector<Difference> differences_;
  bool running_ = false;
  bool stopping_ = false;
  bool pausable_ = true, trying_ = false;
  QString no_trials_reason_;
  QString problem_;

  QWidget* panel_ = nullptr;
  QComboBox* plan_ = nullptr;
  QComboBox* model_choice_ = nullptr;
  QSpinBox* steps_ = nullptr;
  QPushButton* launch_ = nullptr;
  QPushButton* stop_ = nullptr;
  QPushButton* pause_ = nullptr;
  QToolButton* model_file_ = nullptr;
  QPushButton* try_ = nullptr;
  QSpinBox* try_count_ = nullptr;
  QLabel* trial_text_ = nullptr;
  LaunchOptions* options_ = nullptr;
  QComboBox* axis_ = nullptr;
  QLabel* unavailable_reason_ = nullptr;
  QLabel* progress_text_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QTreeWidget* difference_table_ = nullptr;
  QLabel* difference_summary_ = nullptr;
  QTreeWidget* runs_ = nullptr;
  LiveChart* throughput_ = nullptr;
  LiveChart* loss_ = nullptr;
  LiveChart* busy_ = nullptr;
  LiveChart* memory_ = nullptr;
  LiveChart* power_ = nullptr;
  LiveChart* clock_ = nullptr;
  QLabel* gpus_ = nullptr;
  QGridLayout* grid_ = nullptr;  ///< of the charts
  QLabel* title_ = nullptr;
  QLabel* timeline_heading_ = nullptr;
  QLabel* timeline_empty_ = nullptr;
  QVBoxLayout* timeline_slot_ = nullptr;
  QWidget* timeline_widget_ = nullptr;
  QPlainTextEdit* log_ = nullptr;
  QTimer* refresh_ = nullptr;
  QElapsedTimer refreshing_;
  std::size_t next_chart_ = 0;  ///< of the refresh in progress
  bool stale_ = false;          ///< events arrived since it began
  QList<QLabel*> headings_, field_names_;
};

}  // namespace pipedeck::views::run
