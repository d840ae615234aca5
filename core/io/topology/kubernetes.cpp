// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/kubernetes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::topology {
namespace {

using json::Value;

constexpr std::int64_t most_gpus_of_node = 256;

std::string text_at(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* at = &value;
  for (const std::string_view key : keys)
    if (!(at = at->find(key))) return {};
  const auto* text = at->as<std::string>();
  const auto* number = at->as<json::Number>();
  return text ? *text : number ? number->token : std::string();
}

bool is_true(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* at = &value;
  for (const std::string_view key : keys)
    if (!(at = at->find(key))) return false;
  const bool* truth = at->as<bool>();
  const auto* text = at->as<std::string>();
  return truth ? *truth : text && *text == "true";
}

/// Returns true unless the node's condition Ready is another than True.
bool is_ready(const Value& node) {
  const Value* status = node.find("status");
  const Value* conditions = status ? status->find("conditions") : nullptr;
  const auto* list = conditions ? conditions->as<json::List>() : nullptr;
  if (!list) return true;
  return std::ranges::none_of(*list, [](const Value& condition) {
    const std::string state = text_at(condition, {"status"});
    return text_at(condition, {"type"}) == "Ready" && state != "True" && state != "true";
  });
}

class NodesReader {
 public:
  Result<FoundMachines> read(const Value& document) {
    const Value* items = document.find("items");
    const auto* list = items ? items->as<json::List>() : nullptr;
    if (items && !list)
      return fail(ErrorCode::bad_input, fmt::format("found {}, expected a list of nodes", json::describe(*items)),
                  "/items");
    if (!list) TRY_VOID(add(document, ""));
    for (std::size_t i = 0; list && i < list->size(); ++i) TRY_VOID(add((*list)[i], "/items" + json::step(i)));
    if (found_.machines.empty())
      return fail(ErrorCode::bad_input,
                  fmt::format("found no node with GPUs among {}, expected labels nvidia.com/gpu.product or a capacity "
                              "of nvidia.com/gpu",
                              share_.parts()));
    if (share_.without_effect > 0)
      found_.notes.push_back(fmt::format("Nodes without GPUs were left out: {}", share_.without_effect));
    for (const std::string& part : share_.left_out) found_.notes.push_back("Left out: " + part);
    share_.understood = static_cast<int>(found_.machines.size());
    found_.shares.push_back(std::move(share_));
    return std::move(found_);
  }

 private:
  Result<void> add(const Value& node, const std::string& place) {
    const std::string kind = text_at(node, {"kind"});
    if (!kind.empty() && kind != "Node") {
      share_.leave_out(fmt::format("an object of kind {}", text::printable(kind)));
      return {};
    }
    const std::string name = text_at(node, {"metadata", "name"});
    if (name.empty())
      return fail(ErrorCode::bad_input, "found a node without a name, expected metadata.name",
                  place + "/metadata/name");
    const std::string shown = text::printable(name);
    TRY(const std::int64_t count, gpus_of(node, place));
    if (count == 0) {
      ++share_.without_effect;
      return {};
    }
    std::string product = label(node, "nvidia.com/gpu.product");
    if (product.empty()) product = label(node, "amd.com/gpu.product-name");
    if (product.find("MIG-") != product.npos) return leave_out(shown + " divides its GPUs (MIG)");
    if (!is_ready(node)) return leave_out(shown + " is not ready");
    if (is_true(node, {"spec", "unschedulable"})) return leave_out(shown + " is not schedulable");
    if (product.ends_with("-SHARED")) product.resize(product.size() - 7);
    devices_ += count;
    if (devices_ > limits::devices)
      return fail(ErrorCode::bad_input, fmt::format("found more than {} GPUs, expected at most that", limits::devices),
                  place);
    return add_machine(node, name, product, static_cast<std::size_t>(count), place);
  }

  Result<void> leave_out(std::string what) {
    share_.leave_out(std::move(what));
    return {};
  }

  static std::string label(const Value& node, std::string_view key) {
    return text_at(node, {"metadata", "labels", key});
  }

  static Result<std::int64_t> number(const std::string& text, std::int64_t most, const std::string& place) {
    const auto value = text::decimal_to_integer(text);
    if (value && *value >= 0 && *value <= most) return *value;
    return fail(ErrorCode::bad_input,
                fmt::format("found {}, expected a whole number from 0 to {}", json::describe(Value(text)), most),
                place);
  }

  static Result<std::int64_t> gpus_of(const Value& node, const std::string& place) {
    if (const std::string told = label(node, "nvidia.com/gpu.count"); !told.empty())
      return number(told, most_gpus_of_node, place + "/metadata/labels/nvidia.com~1gpu.count");
    for (const char* resource : {"nvidia.com/gpu", "amd.com/gpu"})
      if (const std::string told = text_at(node, {"status", "capacity", resource}); !told.empty())
        return number(told, most_gpus_of_node, place + "/status/capacity" + json::step(std::string_view(resource)));
    return 0;
  }

  Result<void> add_machine(const Value& node, const std::string& name, const std::string& product, std::size_t count,
                           const std::string& place) {
    DetectedMachine machine;
    machine.name = name;
    machine.source = "Kubernetes";
    std::optional<Bytes> memory;
    if (const std::string told = label(node, "nvidia.com/gpu.memory"); !told.empty()) {
      TRY(const std::int64_t mebibytes,
          number(told, limits::bytes >> 20, place + "/metadata/labels/nvidia.com~1gpu.memory"));
      if (mebibytes > 0) memory = Bytes(mebibytes << 20);
    }
    for (std::size_t i = 0; i < count; ++i) {
      FoundGpu& gpu = machine.gpus.emplace_back();
      gpu.label = fmt::format("GPU{}", i);
      gpu.name = product;
      gpu.memory = memory;
    }
    machine.joints.assign(count, std::vector<Interconnect>(count, Interconnect{InterconnectKind::unknown, 0, {}}));
    for (std::size_t i = 0; i < count; ++i) machine.joints[i][i] = Interconnect{};
    found_.machines.push_back(std::move(machine));
    return {};
  }

  ImportShare share_{.unit = "node"};
  std::int64_t devices_ = 0;
  FoundMachines found_;
};

}  // namespace

bool looks_like_kubernetes_nodes(const Value& document) {
  const std::string kind = text_at(document, {"kind"});
  if (text_at(document, {"apiVersion"}) != "v1") return false;
  if (kind == "Node" || kind == "NodeList") return true;
  const Value* items = kind == "List" ? document.find("items") : nullptr;
  const auto* list = items ? items->as<json::List>() : nullptr;
  return list && !list->empty() && text_at(list->front(), {"kind"}) == "Node";
}

bool looks_like_kubernetes_nodes(const std::string& yaml) {
  constexpr std::size_t nodes_head = std::size_t{1} << 18;
  bool version = false, node = false;
  text::for_lines(std::string_view(yaml).substr(0, nodes_head), [&](std::string_view line, int) {
    version = version || line.starts_with("apiVersion: v1");
    const std::string_view fact = text::trimmed(line, " \t\r\n-");
    node = node || fact == "kind: Node" || fact == "kind: NodeList";
    return !(version && node);
  });
  return version && node;
}

Result<FoundMachines> machines_from_kubernetes(const Value& document) { return NodesReader().read(document); }

Result<FoundMachines> machines_from_kubernetes(const std::string& yaml) {
  constexpr std::size_t most_text = std::size_t{16} << 20;
  constexpr int most_values = 1'000'000;
  TRY(const auto tree, jobs::tree_from_yaml(yaml, {most_text, most_values}));
  return NodesReader().read(tree);
}

}  // namespace pipedeck::io::topology
