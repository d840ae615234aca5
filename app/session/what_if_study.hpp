// SPDX-License-Identifier: GPL-3.0-or-later
// The question on other hardware, planned anew while sliders move: at most one search runs, the newest change counts,
// better plans are told as they are found. The front and what to buy first are jobs of their own.
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

#include "app/session/jobs.hpp"
#include "core/domain/what_if.hpp"
#include "core/domain/workload.hpp"
#include "core/whatif/best_plan.hpp"

namespace pipedeck::app {

/// What is asked, before anything is changed.
struct StudyQuestion {
  Problem problem;
  std::vector<AskedPlanner> planners;
};
bool same_question(const StudyQuestion& a, const StudyQuestion& b);

/// What a purchase adds to the changes that it was looked for with.
WhatIf with_purchase(const WhatIf& change, const WhatIf& purchase);

/// Of one change; while `final` is not set a better plan may follow.
struct StudyAnswer {
  WhatIf change;
  std::optional<Problem> problem;  ///< as changed; absent: it can't be (`why_none`)
  std::optional<JudgedPlan> best;
  QString why_none;  ///< empty while plans are looked for, and where there is one
  bool final = false;
};

/// A list that takes a while: the front, or the purchases.
template <class Item>
struct StudyList {
  std::vector<Item> items;
  std::optional<WhatIf> of;  ///< the change it was made for; absent: nobody has asked
  bool complete = false;
  QString why_none;
};

class WhatIfStudy : public QObject {
  Q_OBJECT

 public:
  explicit WhatIfStudy(Jobs& jobs, QObject* parent = nullptr);
  ~WhatIfStudy() override;

  /// Another question: everything starts anew, with nothing changed. The same one again changes nothing.
  void ask(const StudyQuestion& question);
  void forget();
  /// Plans with this change, at once; what is running for another one stops.
  void set_change(const WhatIf& change);
  const std::optional<StudyQuestion>& question() const { return question_; }
  const WhatIf& change() const { return change_; }
  bool searching() const { return running_; }

  const StudyAnswer& today() const { return today_; }
  /// Of the newest change, or of the one before while nothing is found yet for it.
  const StudyAnswer& now() const { return now_; }
  /// How the profile's times are taken to a type, in this question.
  std::optional<TimeScale> times_on(const DeviceType& type) const;
  /// The types that devices can be exchanged for, and where and when their prices are from.
  static const std::vector<DeviceType>& device_types();
  static QString price_source();
  static ClusterScales scales(const Cluster& cluster);

  void find_front();
  void find_purchases();
  void cancel_front() { jobs_->cancel(front_job_); }
  void cancel_purchases() { jobs_->cancel(purchases_job_); }
  bool finding_front() const { return jobs_ && jobs_->running(front_job_); }
  bool finding_purchases() const { return jobs_ && jobs_->running(purchases_job_); }
  const StudyList<FoundPlan>& front() const { return front_; }
  const StudyList<PurchaseGain>& purchases() const { return purchases_; }

  /// As the command line writes them.
  std::string front_csv() const;
  std::string purchases_csv() const;

  /// Planners that take long answer with what they have after so long.
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
    StudyQuestion question;
    WhatIf change;
    std::optional<StudyAnswer> today;
    std::vector<Plan> kept;
  };
  void start_search();
  void run(const Request& request, const SearchHow& how);
  void tell(std::int64_t generation, bool today, StudyAnswer answer);
  void keep(const StudyAnswer& answer);
  void end_search();
  void end_job(JobState state, const QString& detail);
  void stop();

  /// How other threads reach the study, while there is one.
  struct Door {
    std::mutex mutex;
    WhatIfStudy* owner = nullptr;
    void post(std::function<void()> what);
  };
  QPointer<Jobs> jobs_;  ///< a window's session ends before its pages
  std::shared_ptr<Door> door_;
  QThreadPool pool_;
  QTimer hurry_timer_;
  std::stop_source stop_, hurry_;
  std::optional<StudyQuestion> question_;
  WhatIf change_;
  StudyAnswer today_, now_;
  std::vector<Plan> kept_;  ///< the best plans so far: candidates for every change
  std::int64_t generation_ = 0;
  bool running_ = false, again_ = false;
  int search_job_ = 0, front_job_ = 0, purchases_job_ = 0;
  StudyList<FoundPlan> front_;
  StudyList<PurchaseGain> purchases_;
};

}  // namespace pipedeck::app
