// SPDX-License-Identifier: GPL-3.0-or-later
// The question on other hardware, planned again while sliders move. At most one search runs, for the newest change, and
// better plans are reported as they are found. The front and the purchases are separate jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include "app/session/work/jobs.hpp"
#include "core/model/what_if.hpp"
#include "core/model/workload.hpp"
#include "core/study/whatif/best_plan.hpp"

namespace pipedeck::session::whatif {

/// A question before any change.
struct StudyRequest {
  Problem problem;
  std::vector<study::PlannerRequest> planners;
};
bool is_same_setup(const StudyRequest& a, const StudyRequest& b);

/// Returns the change with a purchase that was searched with it.
WhatIf with_purchase(const WhatIf& change, const WhatIf& purchase);

/// An answer to one change; a better plan may follow until `final` is set.
struct StudyAnswer {
  WhatIf change;
  std::optional<Problem> problem;  ///< with the change; absent: the change is impossible (`failure_reason`)
  std::optional<study::whatif::Candidate> best;
  QString failure_reason;  ///< empty during the search and if there is a plan
  bool final = false;
};

/// A list that takes a while: the front or the purchases.
template <class Item>
struct StudyList {
  std::vector<Item> items;
  std::optional<WhatIf> of;  ///< the change it belongs to; absent: not requested
  bool complete = false;
  QString failure_reason;
};

class WhatIfStudy : public QObject {
  Q_OBJECT

 public:
  explicit WhatIfStudy(work::Jobs& jobs, QObject* parent = nullptr);
  ~WhatIfStudy() override;

  /// Sets the question. If it differs from the last one, all results and changes are dropped.
  void ask(const StudyRequest& question);
  void forget();
  /// Starts to plan with this change and stops the search for another one.
  void set_change(const WhatIf& change);
  const std::optional<StudyRequest>& question() const { return question_; }
  const WhatIf& change() const { return change_; }
  bool searching() const { return running_; }

  const StudyAnswer& current() const { return current_; }
  /// Returns the answer to the newest change, or to the previous one until a plan is found.
  const StudyAnswer& now() const { return now_; }
  /// Returns how the profile's times are scaled to a type in this question.
  std::optional<TimeScale> times_on(const DeviceType& type) const;
  /// Returns the types that can replace devices; price_source() names currency and dates of their prices.
  static const std::vector<DeviceType>& device_types();
  static QString price_source();
  static ClusterScales scales(const Cluster& cluster);

  void find_front();
  void find_purchases();
  void cancel_front() { jobs_->cancel(front_job_); }
  void cancel_purchases() { jobs_->cancel(purchases_job_); }
  /// Lets the front and the purchases stand still, or continue.
  void pause(bool on) {
    if (!jobs_) return;
    jobs_->pause(front_job_, on);
    jobs_->pause(purchases_job_, on);
  }
  bool finding_front() const { return jobs_ && jobs_->running(front_job_); }
  bool finding_purchases() const { return jobs_ && jobs_->running(purchases_job_); }
  const StudyList<PlanCandidate>& front() const { return front_; }
  const StudyList<PurchaseGain>& purchases() const { return purchases_; }

  /// Returns the list as the command line writes it.
  std::string front_csv() const;
  std::string purchases_csv() const;

  /// Sets the time after which slow planners return their best plan so far.
  void set_budget(int milliseconds) { hurry_timer_.setInterval(milliseconds); }

 signals:
  void today_changed();
  void now_changed();
  void front_changed();
  void purchases_changed();
  void failed(const QString& title, const QString& text);

 private:
  struct Request {
    std::int64_t generation = 0;
    StudyRequest question;
    WhatIf change;
    std::optional<StudyAnswer> current;
    std::vector<Plan> kept;
  };
  void start_search();
  void run(const Request& request, const study::whatif::SearchOptions& how);
  void tell(std::int64_t generation, bool today, StudyAnswer answer);
  void keep(const StudyAnswer& answer);
  void end_search();
  void end_job(work::JobState state, const QString& detail);
  void stop();

  /// A link from other threads to the study, valid during its lifetime.
  struct CallbackGuard {
    std::mutex mutex;
    WhatIfStudy* owner = nullptr;
    void post(std::function<void()> what);
  };
  QPointer<work::Jobs> jobs_;  ///< a window's session is destroyed before its pages
  std::shared_ptr<CallbackGuard> guard_;
  QThreadPool pool_;
  QTimer hurry_timer_;
  std::stop_source stop_, hurry_;
  std::optional<StudyRequest> question_;
  WhatIf change_;
  StudyAnswer current_, now_;
  std::vector<Plan> kept_;  ///< best plans so far: candidates for each change
  std::int64_t generation_ = 0;
  bool running_ = false, again_ = false;
  int search_job_ = 0, front_job_ = 0, purchases_job_ = 0;
  StudyList<PlanCandidate> front_;
  StudyList<PurchaseGain> purchases_;
};

}  // namespace pipedeck::session::whatif
