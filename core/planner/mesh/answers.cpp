// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/answers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/planner/mesh/why.hpp"

namespace pipedeck::planner::mesh {
namespace {

/// Returns what a step costs: money, or device-hours.
double cost_of(const Simulated& mesh, const Fleet& fleet) { return mesh.time.count / 3600 * fleet.rate(); }

bool is_near(const Simulated& mesh, const Simulated& fastest) { return mesh.time < fastest.time * (1 + near_share); }

/// Returns "0.50 % slower", or "1.92 times as long" from twice the share on.
std::string slower_text(const Simulated& mesh, const Simulated& fastest) {
  const double ratio = mesh.time.count / fastest.time.count;
  if (ratio < 1 + 2 * near_share) return fmt::format("{:.2f} % slower", 100 * (ratio - 1));
  return fmt::format("a step takes {:.2f} times as long", ratio);
}

}  // namespace

int devices_of_part(const Cluster& cluster) {
  const auto nodes = static_cast<int>(cluster.nodes.size());
  const std::vector<int> divisors = divisors_of(nodes);
  if (divisors.size() < 2) return 0;
  int devices = 0;
  for (int n = 0; n < nodes / divisors[1]; ++n) devices += device_count(cluster.nodes[static_cast<std::size_t>(n)]);
  return devices;
}

Seconds time_of_cheaper(const Found& all, const Fleet& fleet, const Fleet& part) {
  return all.simulated.front().time * ((1 - least_saving) * fleet.rate() / part.rate());
}

std::vector<Answer> short_list(const Question& base, const Found& all, const Fleet& fleet, const Found& part,
                               const Fleet& part_fleet) {
  const Simulated& fastest = all.simulated.front();
  std::size_t simplest = 0, smallest = 0;
  for (std::size_t i = 1; i < all.simulated.size(); ++i) {
    const Simulated& one = all.simulated[i];
    if (!is_near(one, fastest)) break;  // by time
    if (complexity(base, one.point) < complexity(base, all.simulated[simplest].point)) simplest = i;
    if (one.needed < all.simulated[smallest].needed) smallest = i;
  }
  if (all.simulated[smallest].needed > (1 - least_saving) * fastest.needed) smallest = 0;
  const bool part_is_cheapest = !part.simulated.empty() && cost_of(part.simulated.front(), part_fleet) <
                                                               (1 - least_saving) * cost_of(fastest, fleet);
  std::vector<Answer> list{{fastest, false, {Merit::fastest}}};
  std::vector<std::size_t> listed{0};
  const auto add = [&](std::size_t position, Merit merit) {
    const auto known = std::ranges::find(listed, position);
    if (known == listed.end()) {
      list.push_back({all.simulated[position], false, {merit}});
      listed.push_back(position);
    } else {
      list[static_cast<std::size_t>(known - listed.begin())].merits.push_back(merit);
    }
  };
  add(simplest, Merit::simplest);
  add(smallest, Merit::least_memory);
  if (part_is_cheapest)
    list.push_back({part.simulated.front(), true, {Merit::cheapest}});
  else
    add(0, Merit::cheapest);
  for (std::size_t i = 1; i < all.simulated.size(); ++i)
    if (std::ranges::find(listed, i) == listed.end()) list.push_back({all.simulated[i], false, {}});
  return list;
}

std::vector<std::string> merit_texts(const Question& base, const Space& space, const Answer& answer,
                                     const Answer& fastest, const Fleet& fleet, const Fleet& part_fleet, bool all_near,
                                     const std::string& currency) {
  std::vector<std::string> texts;
  const std::string name = name_of(space, answer.mesh.point), slower = slower_text(answer.mesh, fastest.mesh);
  const std::string within =
      fmt::format("within {:.0f} %{}", 100 * near_share, all_near ? "" : " of the meshes that were looked at");
  for (const Merit merit : answer.merits) {
    if (merit == Merit::simplest && &answer != &fastest)
      texts.push_back(fmt::format("Simplest {}: {}, complexity {} instead of {}, {}.", within, name,
                                  complexity(base, answer.mesh.point), complexity(base, fastest.mesh.point), slower));
    if (merit == Merit::least_memory && &answer != &fastest)
      texts.push_back(fmt::format("Least memory {}: {}, {:.1f} GiB less, {}.", within, name,
                                  (fastest.mesh.needed - answer.mesh.needed) / 0x1p30, slower));
    if (merit != Merit::cheapest || !answer.on_part) continue;
    const double own = cost_of(answer.mesh, part_fleet), other = cost_of(fastest.mesh, fleet);
    const bool priced = part_fleet.price_per_hour > 0;
    const double hours = own / part_fleet.rate() * part_fleet.devices, all_hours = other / fleet.rate() * fleet.devices;
    const bool by_hours = std::abs(own / other - hours / all_hours) < 1e-9;  // all devices have one price
    std::string text = fmt::format("Cheapest: {} of {} devices {} {:.1f} % {} a step: {}, {}", part_fleet.devices,
                                   fleet.devices, by_hours ? "need" : "cost", 100 * (1 - own / other),
                                   by_hours ? "fewer device-hours" : "less", name, slower);
    if (priced) text += fmt::format(", {:.3g} instead of {:.3g} {}", own, other, currency);
    texts.push_back(text + ".");
  }
  return texts;
}

}  // namespace pipedeck::planner::mesh
