// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/share.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/io/documents/profile_extra.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::documents {
namespace {

/// Members of a profile that are kept as unknown ones and have readers of their own.
constexpr std::array<std::string_view, 2> read_elsewhere{transformer_key, weights_key};

int members_in(const json::Value& value) {
  int count = 0;
  if (const auto* members = value.as<json::Members>())
    for (const auto& [key, member] : *members) count += 1 + members_in(member);
  if (const auto* list = value.as<json::List>())
    for (const json::Value& member : *list) count += members_in(member);
  return count;
}

class MemberCount {
 public:
  explicit MemberCount(const std::string& text) {
    share_.unit = "member";
    if (const auto value = json::parse(text)) share_.understood = members_in(*value);
  }

  /// Takes the unknown members of an object, as JSON text.
  void leave_out(const std::string& extra) {
    if (extra.empty()) return;
    const auto value = json::parse(extra);
    const auto* members = value ? value->as<json::Members>() : nullptr;
    if (!members) return;
    for (const auto& [key, member] : *members) {
      if (std::ranges::find(read_elsewhere, key) != read_elsewhere.end()) continue;
      const int inside = members_in(member);
      share_.understood -= 1 + inside;
      share_.leave_out(text::printable(key));
      share_.unlisted += inside;
    }
  }

  template <class Parts>
  void leave_out_of(const Parts& parts) {
    for (const auto& part : parts) leave_out(part.extra);
  }

  ImportShare take() { return share_; }

 private:
  ImportShare share_;
};

/// Returns the share of a document whose unknown members are all at its top.
template <class Document>
ImportShare share_at_top(const std::string& text, const Document& document) {
  MemberCount count(text);
  count.leave_out(document.extra);
  return count.take();
}

}  // namespace

ImportShare share_of(const std::string& text, const Profile& profile) {
  MemberCount count(text);
  count.leave_out(profile.extra);
  count.leave_out_of(profile.layers);
  return count.take();
}

ImportShare share_of(const std::string& text, const Cluster& cluster) {
  MemberCount count(text);
  count.leave_out(cluster.extra);
  count.leave_out_of(cluster.device_types);
  count.leave_out_of(cluster.nodes);
  ImportShare share = count.take();
  share.assumed = cluster.assumptions;
  return share;
}

ImportShare share_of(const std::string& text, const Plan& plan) {
  MemberCount count(text);
  count.leave_out(plan.extra);
  count.leave_out_of(plan.stages);
  return count.take();
}

ImportShare share_of(const std::string& text, const Simulation& simulation) { return share_at_top(text, simulation); }

ImportShare share_of(const std::string& text, const ModelSpec& model) { return share_at_top(text, model); }

ImportShare share_of(const std::string& text, const CalibrationRecord& record) { return share_at_top(text, record); }

}  // namespace pipedeck::io::documents
