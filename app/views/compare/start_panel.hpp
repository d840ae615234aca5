// SPDX-License-Identifier: GPL-3.0-or-later
// The first panel of a new project: model, cluster, compare.
#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace pipedeck::views::compare {

class StartPanel : public QWidget {
  Q_OBJECT

 public:
  explicit StartPanel(QWidget* parent = nullptr);

  /// Sets the names to choose from: the project's, then presets.
  void set_profiles(const QStringList& names, const QString& chosen = {});
  void set_clusters(const QStringList& names, const QString& chosen = {});
  void set_global_batch(int samples);

  QString profile() const;
  QString cluster() const;
  int global_batch() const;

 signals:
  void profile_chosen(const QString& name);
  void cluster_chosen(const QString& name);
  void import_profile_requested();
  void import_cluster_requested();
  void open_project_requested();
  void compare_requested(const QString& profile, const QString& cluster, int global_batch);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_step(int number, const QString& title, const QString& text, const QList<QWidget*>& fields);
  void make_fields();
  void update_ready();
  void apply_theme();

  QComboBox* profile_ = nullptr;
  QComboBox* cluster_ = nullptr;
  QSpinBox* batch_ = nullptr;
  QPushButton* import_profile_ = nullptr;
  QPushButton* import_cluster_ = nullptr;
  QPushButton* open_ = nullptr;
  QPushButton* compare_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* subtitle_ = nullptr;
  QLabel* missing_ = nullptr;
  QList<QWidget*> cards_;
  QList<QLabel*> numbers_, step_titles_, step_texts_;
};

}  // namespace pipedeck::views::compare
