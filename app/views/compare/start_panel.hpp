// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: a question from lists, a place to drop files, the recent projects, unsaved work, and examples.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "core/model/simulation.hpp"

class QCheckBox;
class QFrame;
class QGridLayout;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace pipedeck::views::widgets {
class SearchBox;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::compare {

class ExampleCard;

class StartPanel : public QWidget {
  Q_OBJECT

 public:
  explicit StartPanel(QWidget* parent = nullptr);

  /// Sets the names to choose from, with their groups in the list.
  void set_profiles(const QStringList& names, const QString& chosen = {},
                    const std::map<QString, QString>& groups = {});
  void set_clusters(const QStringList& names, const QString& chosen = {},
                    const std::map<QString, QString>& groups = {});
  void set_global_batch(int samples);

  struct Recent {
    QString file, name, about, best, date;
    bool operator==(const Recent&) const = default;
  };
  void set_recent(const std::vector<Recent>& projects);
  struct Unsaved {
    QString text;
    QString other;  ///< the button next to Restore
    bool operator==(const Unsaved&) const = default;
  };
  void set_unsaved(const std::vector<Unsaved>& works);
  /// Sets the examples: title and text of each.
  void set_examples(const std::vector<std::pair<QString, QString>>& examples);
  /// Sets the plan that an example's picture shows.
  void set_example_plan(int example, const QString& plan, const std::shared_ptr<const Simulation>& simulation);
  void set_shown_at_start(bool on);

  QString profile() const;
  QString cluster() const;
  int global_batch() const;
  const QList<ExampleCard*>& examples() const { return cards_; }

 signals:
  void profile_chosen(const QString& name);
  void cluster_chosen(const QString& name);
  void import_requested();
  void new_cluster_requested();
  void open_project_requested();
  void guide_requested();
  void compare_requested(const QString& profile, const QString& cluster, int global_batch);
  void recent_chosen(const QString& file);
  void restore_requested(int work);
  void other_requested(int work);  ///< the saved state, or no state at all
  void example_chosen(int example);
  void shown_at_start_chosen(bool on);
  /// The page became visible; its examples need pictures.
  void shown();

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_fields();
  QFrame* make_question();
  QFrame* make_files();
  QWidget* make_lists();
  QFrame* make_card(const QString& title, QVBoxLayout*& column);
  void fill_recent();
  void place_examples();
  void update_ready();
  void apply_theme();

  widgets::SearchBox* profile_ = nullptr;
  widgets::SearchBox* cluster_ = nullptr;
  QSpinBox* batch_ = nullptr;
  QPushButton *compare_ = nullptr, *open_ = nullptr, *import_ = nullptr, *new_cluster_ = nullptr, *guide_ = nullptr;
  QCheckBox* at_start_ = nullptr;
  QLabel *title_ = nullptr, *subtitle_ = nullptr, *missing_ = nullptr, *counts_ = nullptr, *drop_text_ = nullptr;
  QFrame *drop_ = nullptr, *recent_ = nullptr;
  QVBoxLayout* recent_rows_ = nullptr;
  QGridLayout* example_grid_ = nullptr;
  QList<QFrame*> frames_;
  QList<QLabel*> headings_;
  QList<ExampleCard*> cards_;
  std::vector<Recent> projects_;
  std::vector<Unsaved> works_;
};

}  // namespace pipedeck::views::compare
