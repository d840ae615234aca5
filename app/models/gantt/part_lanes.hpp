// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a group of devices, divided by dimension of parallelism: a lane for compute and one for each kind
// of communication that the devices have.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "app/models/gantt/content.hpp"

namespace pipedeck::models::gantt {

/// A part of a device's time. The parts from tensor to states are exposed: the device waits for them inside passes.
enum class LanePart { compute, tensor, context, expert, states, data, pipeline };

struct PartLane {
  LanePart part = LanePart::compute;
  std::optional<std::size_t> link;  ///< index into the content's links; pipeline alone
  std::int64_t time = 0;            ///< ns: the sum of its operations
  bool operator==(const PartLane&) const = default;
};

struct PartLanes {
  std::vector<PartLane> lanes;             ///< those with operations, compute first
  std::shared_ptr<const Content> content;  ///< lane i of its timeline is the i-th of `lanes`; it has no groups
};

/// Divides the operations of a group. Its exposed communication is known for each kind of pass as a whole, and its
/// dimensions have the same shares in all passes. It is drawn in one piece at the end of the pass.
std::shared_ptr<const PartLanes> make_part_lanes(const Content& content, std::size_t group);

/// Returns the name before the lane: "TP", "PP → G8–G15".
QString part_name(const Content& content, const PartLane& lane, const QStringList& device_names = {});
/// Returns what the lane has, as a sentence.
QString part_text(LanePart part);

}  // namespace pipedeck::models::gantt
