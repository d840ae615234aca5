// SPDX-License-Identifier: GPL-3.0-or-later
// The report on files that a run left behind, next to the selected plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/session/work/jobs.hpp"
#include "core/study/autopsy/autopsy.hpp"

namespace pipedeck::session {
class Session;
}

namespace pipedeck::session::autopsy {

/// Returns true for a memory snapshot or a dump of NCCL's flight recorder.
bool is_dump_file(const QString& path);

/// Returns the name of the use at a position of UsedBytes: "weights".
std::string_view name_of_use(std::size_t position);

/// The selected plan, if one is feasible.
struct Known {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Cluster> cluster;
  std::shared_ptr<const Simulation> simulation;
};
Known selected_plan(Session& session);

/// A device's measured memory, and the rows next to its prediction.
struct ShownPile {
  QString title;  ///< "rank 3 (stage 1, TP 0), device 0"
  study::autopsy::MeasuredPile pile;
  std::vector<study::autopsy::PileRow> rows;  ///< empty: there is no prediction
  Bytes capacity;                             ///< 0: not known
};

struct Report {
  std::vector<study::autopsy::Section> sections;
  std::vector<ShownPile> piles;
  QString plan;  ///< its name; empty: none is selected
};

/// Reads the files. Errors name the file.
Result<std::shared_ptr<const Report>> read_report(const QStringList& files, const Known& known,
                                                  const work::Jobs::Context& context);

}  // namespace pipedeck::session::autopsy
