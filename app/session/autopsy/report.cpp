// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/autopsy/report.hpp"

#include <QCoreApplication>

#include "app/session/session.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/dumps/files.hpp"

namespace pipedeck::session::autopsy {

namespace {

struct AutopsyText {
  Q_DECLARE_TR_FUNCTIONS(Autopsy)
};

ShownPile shown_pile(const study::autopsy::RankMemory& memory, const study::autopsy::MeasuredPile& pile,
                     const study::autopsy::RankPlaces& places, const study::autopsy::Predicted& predicted) {
  ShownPile shown;
  shown.title = AutopsyText::tr("%1, device %2")
                    .arg(memory.rank ? text::to_qstring(places.text(*memory.rank)) : AutopsyText::tr("a rank"))
                    .arg(pile.device);
  shown.pile = pile;
  if (!memory.rank) return shown;
  if (const SimulatedDevice* device = device_of(predicted, *memory.rank)) {
    shown.rows = beside_prediction(pile, *device, predicted.simulation->fragmentation);
    shown.capacity = device->capacity;
  }
  return shown;
}

}  // namespace

bool is_dump_file(const QString& path) { return io::dumps::looks_like_dump(path.toStdString()); }

std::string_view name_of_use(std::size_t position) {
  return io::dumps::name_of(static_cast<study::autopsy::MemoryUse>(position));
}

Known selected_plan(Session& session) {
  Known known;
  const project::PlanEntry* entry = project::find_plan(session.state(), session.state().selected_plan);
  if (!entry || !entry->feasible()) return known;
  known.plan = entry->plan;
  const auto problem = project::make_problem(session.state(), *entry);
  if (!problem) return known;
  known.cluster = problem->cluster;
  if (const auto found = session.plan_simulator().find(*problem, *entry->plan)) known.simulation = found->simulation;
  return known;
}

Result<std::shared_ptr<const Report>> read_report(const QStringList& files, const Known& known,
                                                  const work::Jobs::Context& context) {
  std::vector<std::string> paths;
  for (const QString& file : files)
    for (std::string& path : study::autopsy::autopsy_files_in(file.toStdString())) paths.push_back(std::move(path));
  TRY(const auto found, study::autopsy::read_autopsy(paths, {}, context.stop, context.progress));
  study::autopsy::RankPlaces places;
  const study::autopsy::Predicted predicted{known.plan.get(), known.simulation.get()};
  auto report = std::make_shared<Report>();
  if (known.plan) {
    TRY(places, study::autopsy::RankPlaces::of(*known.plan, known.cluster.get()));
    report->plan = QString::fromStdString(known.plan->name);
  }
  report->sections = report_of(found, places, predicted);
  for (const study::autopsy::RankMemory& memory : found.memory)
    for (const study::autopsy::MeasuredPile& pile : memory.piles)
      report->piles.push_back(shown_pile(memory, pile, places, predicted));
  return report;
}

}  // namespace pipedeck::session::autopsy
