// SPDX-License-Identifier: Apache-2.0
#include "core/cost/measured_collectives.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/quantile.hpp"
#include "core/cost/collective.hpp"

namespace pipedeck::cost {
namespace {

double sent_by(const MeasuredCollective& test, double bytes) {
  return test.kind ? bytes_sent(*test.kind, test.ranks, bytes) : bytes;
}

/// Returns the steps of a ring, each of which has the latency of a hop.
double steps_of(const MeasuredCollective& test) {
  if (!test.kind) return 1;
  return (test.kind == CollectiveKind::all_reduce ? 2.0 : 1.0) * (test.ranks - 1);
}

}  // namespace

Seconds reached_time(Seconds time, bool leaves, bool measured, const DeviceEfficiency& reached) {
  if (measured) return time;
  return (leaves ? reached.network_call : reached.link_call) +
         Seconds(time.count / (leaves ? reached.network : reached.link));
}

CollectiveFit fit_of(const MeasuredCollective& test) {
  // Least squares of (latency + sent x - time) / time over latency and x: a 2 x 2 system of sums.
  double one = 0, mixed = 0, square = 0, right_one = 0, right_sent = 0;
  for (const MeasuredCollective::Point& point : test.points) {
    const double a = 1 / point.time.count, b = sent_by(test, point.bytes) / point.time.count;
    one += a * a, mixed += a * b, square += b * b;
    right_one += a, right_sent += b;
  }
  const double determinant = one * square - mixed * mixed;
  double latency = 0, per_byte = right_sent / square;
  if (test.points.size() > 1 && determinant > 1e-9 * one * square) {
    const double found = (right_one * square - right_sent * mixed) / determinant;
    const double slope = (right_sent * one - right_one * mixed) / determinant;
    if (found > 0 && slope > 0) latency = found, per_byte = slope;
  }
  CollectiveFit fit{Seconds(latency), BytesPerSecond(1 / per_byte)};
  std::vector<double> errors;
  for (const MeasuredCollective::Point& point : test.points)
    errors.push_back(std::abs((latency + sent_by(test, point.bytes) * per_byte) / point.time.count - 1));
  std::ranges::sort(errors);
  fit.error = quantile(errors, 0.5);
  return fit;
}

Link link_of(const MeasuredCollective& test) {
  const CollectiveFit fit = fit_of(test);
  return {fit.bus, fit.latency / steps_of(test), true};
}

Result<std::vector<ComparedCollective>> compared(const MeasuredCollective& test, const Network& network,
                                                 const DeviceEfficiency& reached) {
  if (network.device_count() < test.ranks)
    return fail(ErrorCode::bad_input, fmt::format("found a cluster of {} devices, expected the {} ranks of {}",
                                                  network.device_count(), test.ranks, test.test));
  std::vector<DeviceId> devices;
  for (int rank = 0; rank < test.ranks; ++rank) devices.emplace_back(rank);
  const NodeId first = network.node_of(devices.front());
  const bool leaves = std::ranges::any_of(
      devices, [&](DeviceId device) { return !network.in_one_domain(network.node_of(device), first); });
  const bool measured = network.is_measured(first, leaves);
  const GroupRings rings = rings_of(network, devices);
  const Collective collective(network, devices, test.kind.value_or(CollectiveKind::all_gather), Collectives::best_ring);
  std::vector<ComparedCollective> rows;
  for (const MeasuredCollective::Point& point : test.points) {
    const Seconds plain = test.kind ? collective.time(Bytes(std::llround(point.bytes)))
                                    : Seconds(rings.flat.alpha + point.bytes / rings.flat.beta);
    rows.push_back({point.bytes, point.bus, point.time, reached_time(plain, leaves, measured, reached)});
  }
  return rows;
}

}  // namespace pipedeck::cost
