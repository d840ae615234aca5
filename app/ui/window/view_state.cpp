// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/view_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/views/compare/comparison_pane.hpp"

namespace pipedeck::ui::window {

namespace {

const QString group = QStringLiteral("projects");
constexpr int max_kept = 30;

QString settings_key(const QString& file) {
  return group + QLatin1Char('/') +
         QString::fromLatin1(QCryptographicHash::hash(file.toUtf8(), QCryptographicHash::Sha1).toHex());
}

QString saved_at(const QString& file) { return QFileInfo(file).lastModified().toUTC().toString(Qt::ISODateWithMs); }

void forget_oldest(QSettings& settings) {
  settings.beginGroup(group);
  QStringList keys = settings.childKeys();
  std::ranges::sort(keys, {}, [&](const QString& key) { return settings.value(key).toStringList().value(0); });
  while (keys.size() > max_kept) settings.remove(keys.takeFirst());
  settings.endGroup();
}

}  // namespace

ViewState::ViewState(MainWindow& window, QSettings& settings) : QObject(&window), window_(window), settings_(settings) {
  const views::gantt::TimeAxisController& link = window_.compare_page().charts().link();
  connect(&link, &views::gantt::TimeAxisController::axis_changed, this, &ViewState::zoom_when_drawn);
  connect(&window_.session().jobs(), &session::work::Jobs::ended, this, [this] {
    if (!window_.session().jobs().any_running()) wanted_.reset();  // the charts have another length now
  });
}

std::string ViewState::captured() const {
  QJsonObject json{{"page", page_table[static_cast<std::size_t>(window_.page())].key},
                   {"run", window_.run_page().shown_run()},
                   {"launch", window_.run_page().launch_settings()}};
  const models::gantt::TimeAxis& axis = window_.compare_page().charts().link().axis();
  if (!(axis == axis.fitted()))
    json["charts"] = QJsonObject{{"begin_ns", axis.begin}, {"end_ns", axis.end}, {"full_ns", axis.full}};
  return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

void ViewState::opened() {
  const QString& file = window_.session().file();
  const QStringList here = settings_.value(settings_key(file)).toStringList();
  const bool since_saved = here.size() == 3 && here[1] == saved_at(file);
  apply(since_saved ? here[2].toUtf8() : QByteArray::fromStdString(window_.session().saved_view()));
}

void ViewState::remember() {
  const QString& file = window_.session().file();
  if (file.isEmpty()) return;
  settings_.setValue(settings_key(file), QStringList{QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs),
                                                     saved_at(file), QString::fromStdString(captured())});
  forget_oldest(settings_);
}

void ViewState::apply(const QByteArray& json) {
  const QJsonObject state = QJsonDocument::fromJson(json).object();
  wanted_.reset();
  for (const PageInfo& info : page_table)
    if (state["page"].toString() == QLatin1String(info.key)) window_.show_page(info.page);
  if (const int run = state["run"].toInt(); session::project::find_run(window_.session().state(), run))
    window_.run_page().show_run(run);
  window_.run_page().set_launch_settings(state["launch"].toObject());
  const QJsonObject charts = state["charts"].toObject();
  const models::gantt::TimeAxis axis{charts["begin_ns"].toDouble(), charts["end_ns"].toDouble(),
                                     charts["full_ns"].toDouble()};
  if (axis.full <= 0 || axis.begin < 0 || axis.end > axis.full || axis.span() < 1) return;
  wanted_ = axis;
  zoom_when_drawn();
}

void ViewState::zoom_when_drawn() {
  views::gantt::TimeAxisController& link = window_.compare_page().charts().link();
  constexpr double as_good_as_equal = 1e-9;
  if (!wanted_ || std::abs(link.axis().full - wanted_->full) > as_good_as_equal * wanted_->full) return;
  const models::gantt::TimeAxis wanted{wanted_->begin, wanted_->end, link.axis().full, link.axis().fit};
  wanted_.reset();
  link.set_axis(wanted);
}

}  // namespace pipedeck::ui::window
