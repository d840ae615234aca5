// SPDX-License-Identifier: GPL-3.0-or-later
// The explain view of the session's plans. It requests explanations and shows them when they are available.
#pragma once

#include <memory>

#include <QWidget>

#include "app/session/session.hpp"

namespace pipedeck::views::whatif {
class ExplainView;
}  // namespace pipedeck::views::whatif

namespace pipedeck::ui::pages {

class ExplainPage : public QWidget {
  Q_OBJECT

 public:
  explicit ExplainPage(session::Session& session, QWidget* parent = nullptr);

  /// Does nothing while hidden: explanations are computed only for a visible page.
  void refresh();
  views::whatif::ExplainView& view() const { return *view_; }
  /// Shows the waterfall from one plan to another.
  void explain(int from, int to);
  /// Returns the plan at which the waterfall begins; 0: none, below 0: a published run, the nearest -1.
  int from_plan() const { return from_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void choose_plans();
  std::shared_ptr<const session::plans::PublishedResult> published();
  void show_published();
  void show_published_waterfall(const study::accuracy::NearestRun& run, const QString& plan);
  void show_waterfall();
  void show_sensitivity();
  void show_jitter();

  session::Session& session_;
  views::whatif::ExplainView* view_;
  int from_ = 0, to_ = 0;
  int selected_ = 0;  ///< the selection that chose `to_`
};

}  // namespace pipedeck::ui::pages
