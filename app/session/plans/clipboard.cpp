// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/clipboard.hpp"

#include <utility>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/text/in_qt.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::session::plans {

namespace {

struct Clipboard {
  Q_DECLARE_TR_FUNCTIONS(Clipboard)
};

Error bad(const QString& message) { return Error{ErrorCode::bad_input, message.toStdString(), {}, {}}; }

/// Returns the documents of an array, or the single document.
Result<std::vector<std::string>> documents_in(const std::string& text) {
  const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text));
  if (json.isObject()) return std::vector{text};
  std::vector<std::string> documents;
  for (const QJsonValue& value : json.array())
    documents.push_back(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact).toStdString());
  if (documents.empty())
    return tl::unexpected(
        bad(Clipboard::tr("The clipboard has no plans. Copy plans from the table, or the text of a plan file "
                          "(*.plan.json), and paste again.")));
  return documents;
}

/// Describes a plan that was made for another profile or cluster but is valid here.
QString origin_note(const Plan& plan, const study::Origin& here) {
  const bool other_profile = !plan.profile_sha256.empty() && plan.profile_sha256 != here.profile_sha256;
  const bool other_cluster = !plan.cluster_sha256.empty() && plan.cluster_sha256 != here.cluster_sha256;
  if (!other_profile && !other_cluster) return {};
  return Clipboard::tr("Made for %1 on %2.")
      .arg(QString::fromStdString(plan.profile), QString::fromStdString(plan.cluster));
}

}  // namespace

Plan with_origin(const project::State& state, const project::PlanEntry& entry) {
  const project::ProfileEntry* profile = project::find_profile(state, entry.profile);
  const project::ClusterEntry* cluster = project::find_cluster(state, entry.cluster);
  if (!profile || !cluster) return *entry.plan;
  return study::with_origin(*entry.plan, project::origin_of(state, entry.profile, entry.cluster));
}

std::string plans_to_text(const project::State& state, const project::Ids& ids) {
  std::string text;
  int count = 0;
  for (const int id : ids) {
    const project::PlanEntry* entry = project::find_plan(state, id);
    if (!entry || !entry->feasible()) continue;
    text += (count++ > 0 ? ",\n" : "") + io::documents::plan_to_json(with_origin(state, *entry));
  }
  return count > 1 ? "[\n" + text + "\n]\n" : text;
}

Result<PastedPlans> with_plans_pasted(const project::State& state, const std::string& text,
                                      const QStringList& remarks) {
  TRY(const auto documents, documents_in(text));
  const project::ProfileEntry* profile = project::find_profile(state, state.question.profile);
  const project::ClusterEntry* cluster = project::find_cluster(state, state.question.cluster);
  if (!profile || !cluster)
    return tl::unexpected(bad(Clipboard::tr("Choose the model and the cluster of the plans, then paste.")));
  PastedPlans pasted{state, {}, {}};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    auto plan = io::documents::plan_from_json(documents[i]);
    const auto valid = plan ? plan::validate(*plan, *profile->profile, *cluster->cluster) : Result<void>();
    if (!plan || !valid) {
      const Error& error = plan ? valid.error() : plan.error();
      const QString name = plan ? QString::fromStdString(plan->name) : Clipboard::tr("Item %1").arg(i + 1);
      if (pasted.warning.isEmpty())
        pasted.warning = Clipboard::tr("%1 is not a plan for %2 on %3: %4")
                             .arg(name, QString::fromStdString(profile->profile->name),
                                  QString::fromStdString(cluster->cluster->name), text::to_qstring(error));
      continue;
    }
    project::PlanEntry entry;
    entry.profile = profile->id;
    entry.cluster = cluster->id;
    entry.note = origin_note(*plan, project::origin_of(state, profile->id, cluster->id));
    entry.remarks = remarks.value(static_cast<qsizetype>(i));
    entry.edited = true;  // a comparison does not replace it
    entry.plan = std::make_shared<const Plan>(*std::move(plan));
    project::Added added = project::with_plan(std::move(pasted.state), std::move(entry));
    pasted.state = std::move(added.state);
    pasted.ids.push_back(added.id);
  }
  if (pasted.ids.empty()) return tl::unexpected(bad(pasted.warning));
  pasted.state.selected_plan = pasted.ids.front();
  pasted.state.question.workload.global_batch =
      project::find_plan(pasted.state, pasted.ids.front())->plan->global_batch;
  return pasted;
}

}  // namespace pipedeck::session::plans
