// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/part_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <QCoreApplication>

#include "app/models/format.hpp"

namespace pipedeck::models::gantt {

namespace {

struct PartText {
  Q_DECLARE_TR_FUNCTIONS(gantt::Parts)
};

/// The parts inside passes, in the order of ExposedShares.
constexpr std::array<LanePart, exposed_part_count> exposed_parts{LanePart::tensor, LanePart::context, LanePart::expert,
                                                                 LanePart::states};

class Divider {
 public:
  Divider(const Content& content, std::size_t group)
      : content_(content), group_(content.groups[group]), index_(group) {}

  std::shared_ptr<const PartLanes> run() {
    if (group_.compute) divide_passes();
    add(LanePart::compute, passes_[0]);
    for (std::size_t i = 0; i < exposed_parts.size(); ++i) add(exposed_parts[i], passes_[i + 1]);
    if (group_.collective) add(LanePart::data, rows_of(*group_.collective));
    for (std::size_t i = 0; i < content_.links.size(); ++i)
      if (content_.links[i].from == index_) add(LanePart::pipeline, rows_of(content_.links[i].lane), i);
    auto own = std::make_shared<Content>();
    own->end = content_.end;
    for (const TimelineLane& lane : timeline_->lanes) {
      own->pyramids.push_back(build_pyramid(*timeline_, lane));
      own->sums.push_back(sum_lane(*timeline_, lane));
    }
    own->timeline = timeline_;
    parts_->content = std::move(own);
    return parts_;
  }

 private:
  using Rows = std::vector<TimelineRow>;

  Rows rows_of(std::size_t lane) const {
    Rows rows;
    const TimelineLane& of = content_.timeline->lanes[lane];
    for (std::size_t i = of.begin; i < of.end; ++i) rows.push_back(content_.timeline->row(i));
    return rows;
  }

  const TensorParallelTimes* times_of(int stage) const {
    if (*group_.compute >= content_.tensor_parallel.size()) return nullptr;
    const auto& all = content_.tensor_parallel[*group_.compute];
    const auto found = std::ranges::find(all, stage, [](const TensorParallelTimes& own) { return own.stage.value; });
    return found == all.end() ? nullptr : &*found;
  }

  void divide_passes() {
    const ExposedShares shares = content_.exposed_shares_of(*group_.compute);
    for (const TimelineRow& row : rows_of(*group_.compute)) {
      const TensorParallelTimes* const times = times_of(row.operation.stage.value);
      const auto kind = static_cast<std::size_t>(row.operation.kind);
      const std::int64_t exposed = times ? std::min(times->times[kind].count, row.duration.count) : 0;
      std::int64_t begin = row.start.count + row.duration.count - exposed;
      if (begin > row.start.count || exposed == 0)
        passes_[0].push_back({row.start, Nanoseconds(begin - row.start.count), row.operation});
      // Rounded sums, so that the pieces fill the exposed time.
      double share = 0;
      const std::int64_t from = begin;
      for (std::size_t i = 0; i < exposed_parts.size() && exposed > 0; ++i) {
        share += shares[i];
        const std::int64_t end =
            from + std::min<std::int64_t>(exposed, std::llround(share * static_cast<double>(exposed)));
        if (end > begin) passes_[i + 1].push_back({Nanoseconds(begin), Nanoseconds(end - begin), row.operation});
        begin = end;
      }
    }
  }

  void add(LanePart part, const Rows& rows, std::optional<std::size_t> link = {}) {
    PartLane lane{part, link};
    for (const TimelineRow& row : rows) lane.time += row.duration.count;
    if (lane.time == 0 && part != LanePart::compute) return;
    parts_->lanes.push_back(lane);
    timeline_->append_lane({LaneRole::compute, group_.devices.front(), {}}, rows);
  }

  const Content& content_;
  const Group& group_;
  std::size_t index_;
  std::array<Rows, exposed_part_count + 1> passes_;
  std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
  std::shared_ptr<PartLanes> parts_ = std::make_shared<PartLanes>();
};

}  // namespace

std::shared_ptr<const PartLanes> make_part_lanes(const Content& content, std::size_t group) {
  return Divider(content, group).run();
}

QString part_name(const Content& content, const PartLane& lane, const QStringList& device_names) {
  switch (lane.part) {
    case LanePart::compute:
      return PartText::tr("compute");
    case LanePart::tensor:
      return QStringLiteral("TP");
    case LanePart::context:
      return QStringLiteral("CP");
    case LanePart::expert:
      return QStringLiteral("EP");
    case LanePart::states:
      return PartText::tr("DP, shards");
    case LanePart::data:
      return PartText::tr("DP, gradients");
    case LanePart::pipeline:
      break;
  }
  const Group& to = content.groups[content.links[*lane.link].to];
  return QStringLiteral("PP → ") + devices_text(to.devices, device_names);
}

QString part_text(LanePart part) {
  switch (part) {
    case LanePart::compute:
      return PartText::tr("passes without the communication that they wait for");
    case LanePart::tensor:
      return PartText::tr("exposed in the layers of the pass: tensor-parallel collectives, drawn in one piece");
    case LanePart::context:
      return PartText::tr("exposed in the layers of the pass: context-parallel exchanges, drawn in one piece");
    case LanePart::expert:
      return PartText::tr("exposed in the layers of the pass: expert-parallel all-to-all, drawn in one piece");
    case LanePart::states:
      return PartText::tr(
          "exposed in the pass: gathers of sharded weights and scatters of their gradients, drawn in "
          "one piece");
    case LanePart::data:
      return PartText::tr("gradients reduced over data ranks, behind passes where these go on");
    case LanePart::pipeline:
      return PartText::tr("sends to another stage, behind passes");
  }
  return {};
}

}  // namespace pipedeck::models::gantt
