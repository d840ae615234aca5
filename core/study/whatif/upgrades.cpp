// SPDX-License-Identifier: Apache-2.0
#include "core/study/whatif/upgrades.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "core/base/parallel_for.hpp"
#include "core/model/explanation.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::whatif {
namespace {

constexpr double times = 2;            ///< wider, or more memory
constexpr std::size_t max_groups = 6;  ///< of links

std::string link_text(const std::string& from, const std::string& to) {
  return from == to ? from : fmt::format("{} – {}", from, to);
}

class Offers {
 public:
  Offers(const Problem& problem, const Sensitivity* sensitivity, const DeviceCatalogue& catalogue)
      : problem_(problem),
        cluster_(*problem.cluster),
        sensitivity_(sensitivity),
        catalogue_(catalogue),
        scales_(scales_of(cluster_)) {}

  std::vector<Purchase> all() {
    kinds_of_links();
    groups_of_links();
    Purchase& node = add(UpgradeKind::node);
    node.places = {cluster_.nodes.back().name};
    node.change.nodes = scales_.nodes + 1;
    devices();
    Purchase& memory = add(UpgradeKind::memory);
    memory.factor = times;
    memory.change.memory = scales_.memory * static_cast<std::int64_t>(times);
    return std::move(offers_);
  }

 private:
  Purchase& add(UpgradeKind kind) {
    Purchase offer;
    offer.kind = kind;
    return offers_.emplace_back(std::move(offer));
  }

  void kinds_of_links() {
    if (scales_.inside) {
      Purchase& offer = add(UpgradeKind::links_inside);
      offer.factor = times;
      offer.change.inside = *scales_.inside * times;
    }
    if (scales_.between) {
      Purchase& offer = add(UpgradeKind::links_between);
      offer.factor = times;
      offer.change.between = *scales_.between * times;
    }
  }

  /// Links that gain alike; a group of all links of a kind is that kind's offer already.
  void groups_of_links() {
    if (!sensitivity_) return;
    std::map<bool, std::size_t> of_kind;
    for (const SensitivityEntry& entry : sensitivity_->entries)
      if (entry.kind == SensitivityKind::link_bandwidth) ++of_kind[entry.from == entry.to];
    std::size_t taken = 0;
    for (const SensitivityGroup& group : grouped(*sensitivity_)) {
      if (group.first().kind != SensitivityKind::link_bandwidth || taken == max_groups) continue;
      for (const bool inside : {false, true}) {
        Purchase offer;
        offer.kind = UpgradeKind::links;
        offer.factor = times;
        for (const SensitivityEntry& entry : group.entries) {
          if ((entry.from == entry.to) != inside) continue;
          offer.places.push_back(link_text(entry.from, entry.to));
          offer.change.links.push_back({entry.from, entry.to, times});
        }
        if (offer.places.empty() || offer.places.size() == of_kind[inside]) continue;
        offers_.push_back(std::move(offer));
        ++taken;
      }
    }
  }

  void devices() {
    const std::vector<Device> devices = devices_of(cluster_);
    every_device();
    std::vector<const Node*> seen;
    DeviceId first;
    for (const Node& node : cluster_.nodes) {
      std::vector<DeviceId> own;
      for (; first.index() < devices.size() && &cluster_.nodes[devices[first.index()].node.index()] == &node;
           ++first.value)
        own.push_back(first);
      const bool alike = std::any_of(seen.begin(), seen.end(), [&](const Node* other) {
        return other->devices == node.devices && other->link == node.link && other->bus == node.bus &&
               other->nic == node.nic;
      });
      seen.push_back(&node);
      if (alike || cluster_.nodes.size() == 1) continue;
      replace(UpgradeKind::node_devices, own, node.name);
    }
    if (const std::optional<DeviceId> best = most_sensitive(); best && devices.size() > 1)
      replace(UpgradeKind::one_device, {*best}, std::to_string(best->value));
  }

  /// By what is next for the first device.
  DeviceType next_of(DeviceId device) const {
    const Device place = devices_of(cluster_)[device.index()];
    return next_type(problem_, cluster_.device_types[static_cast<std::size_t>(place.type)], catalogue_);
  }

  void replace(UpgradeKind kind, std::vector<DeviceId> devices, const std::string& place) {
    const DeviceType next = next_of(devices.front());
    Purchase& offer = add(kind);
    offer.places = {place};
    offer.type = next.name;
    offer.change.swaps = {{std::move(devices), next}};
  }

  void every_device() {
    const DeviceType next = next_of(DeviceId(0));
    Purchase& offer = add(UpgradeKind::every_device);
    offer.type = next.name;
    offer.change.type = next;
  }

  std::optional<DeviceId> most_sensitive() const {
    if (!sensitivity_) return {};
    for (const SensitivityEntry& entry : sensitivity_->entries)
      if (entry.kind == SensitivityKind::device_speed) return entry.device;
    return {};
  }

  const Problem& problem_;
  const Cluster& cluster_;
  const Sensitivity* sensitivity_;
  const DeviceCatalogue& catalogue_;
  ClusterScales scales_;
  std::vector<Purchase> offers_;
};

}  // namespace

std::vector<Purchase> purchases(const Problem& problem, const Sensitivity* sensitivity,
                                const DeviceCatalogue& catalogue) {
  return Offers(problem, sensitivity, catalogue).all();
}

void sort_by_gain(std::vector<PurchaseGain>& gains) {
  std::stable_sort(gains.begin(), gains.end(), [](const PurchaseGain& a, const PurchaseGain& b) {
    if (a.best.has_value() != b.best.has_value()) return a.best.has_value();
    if (a.gain != b.gain) return a.gain > b.gain;
    constexpr double unknown = std::numeric_limits<double>::infinity();
    return a.price_change.value_or(unknown) < b.price_change.value_or(unknown);
  });
}

Result<std::vector<PurchaseGain>> upgrades(const Problem& problem, const PlanCandidate* today,
                                           std::span<const Purchase> purchases,
                                           std::span<const PlannerRequest> planners, const DeviceCatalogue& catalogue,
                                           const SearchOptions& how,
                                           const std::function<void(const PurchaseGain&)>& some) {
  const std::vector<Plan> kept = today ? std::vector{*today->plan} : std::vector<Plan>();
  std::vector<PurchaseGain> gains(purchases.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(purchases.size(), how.threads, [&](std::size_t i) {
    PurchaseGain& gain = gains[i];
    gain.purchase = purchases[i];
    if (how.stop.stop_requested()) return;
    const SearchOptions inner{1, how.stop, how.deadline_token, {}};
    const auto changed = with_change(problem, gain.purchase.change, catalogue);
    const auto answer =
        changed ? best_plan(*changed, planners, kept, 1, inner) : Result<BestPlan>(tl::unexpected(changed.error()));
    if (!answer) {
      gain.failure_reason = answer.error().text();
    } else if (!answer->best) {
      gain.failure_reason = answer->failure_reason;
    } else {
      gain.best = answer->best->found;
      gain.gain = gain.best->samples_per_second - (today ? today->samples_per_second : 0);
      const bool links =
          !gain.purchase.change.links.empty() || gain.purchase.change.inside || gain.purchase.change.between;
      if (!links && gain.purchase.kind != UpgradeKind::memory && gain.best->price_per_hour && today &&
          today->price_per_hour)
        gain.price_change = *gain.best->price_per_hour - *today->price_per_hour;
    }
    const std::lock_guard lock(mutex);
    report(how.progress, static_cast<double>(++done) / static_cast<double>(purchases.size()), "purchases");
    if (some && !how.stop.stop_requested()) some(gain);
  });
  if (how.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  sort_by_gain(gains);
  return gains;
}

}  // namespace pipedeck::study::whatif
