// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/io/topology/pci_tree.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::presets {
namespace {

// Bandwidth between GPUs of two sockets over the CPUs, GB/s: NCCL's own estimates, far below the capacity of the links.
constexpr double between_sockets_amd = 16, between_sockets_power = 32, between_sockets = 10;

constexpr std::string_view power = "IBM";

const DeviceModel* match_by_pci_id(const std::string& id) {
  for (const DeviceModel& model : device_catalogue())
    if (!id.empty() && std::ranges::find(model.pci_ids, id) != model.pci_ids.end()) return &model;
  return nullptr;
}

/// The type of an architecture that is the most used for training.
const DeviceModel* match_by_architecture(int architecture) {
  constexpr std::array<std::pair<int, std::string_view>, 8> usual{{{60, "P100-16GB"},
                                                                   {70, "V100-16GB"},
                                                                   {75, "T4"},
                                                                   {80, "A100-40GB"},
                                                                   {86, "RTX-3090"},
                                                                   {89, "L40S"},
                                                                   {90, "H100-SXM"},
                                                                   {100, "B200"}}};
  for (const auto& [number, name] : usual)
    if (number == architecture) return find_device_model(device_catalogue(), name);
  return nullptr;
}

/// By the most lanes that a GPU has to another one through switches, or to all of them together.
const DeviceModel* match_by_lanes(const DetectedMachine& machine, std::size_t gpu, int& lanes) {
  int most = 0, sum = 0;
  for (const Interconnect& joint : machine.joints[gpu])
    if (joint.kind == InterconnectKind::nvlink) {
      most = std::max(most, joint.lanes);
      sum += joint.lanes;
    }
  lanes = most > 6 ? most : sum;
  constexpr std::array<std::pair<int, std::string_view>, 3> usual{
      {{6, "V100-16GB"}, {12, "A100-40GB"}, {18, "H100-SXM"}}};
  for (const auto& [number, name] : usual)
    if (number == lanes) return find_device_model(device_catalogue(), name);
  return nullptr;
}

/// A type that only the driver knows: the driver's values, and the speed of the reference.
DeviceModel unknown_model(const FoundGpu& gpu, ImportMessages& notes) {
  DeviceModel model;
  model.type.name = gpu.name;
  model.type.memory = *gpu.memory;
  model.title = gpu.name;
  if (gpu.pcie) model.pcie = *gpu.pcie;
  notes.add(
      fmt::format("{} is not in the catalogue: it is taken to be as fast as a V100-16GB, without a price", gpu.name));
  return model;
}

/// Returns a type by the figures of a file. Its speed is that of its peaks against the reference's.
DeviceModel described_model(const DeviceType& type, ImportMessages& notes) {
  DeviceModel model;
  model.type = type;
  model.title = type.name;
  model.matrix_units = true;
  const DeviceModel& reference = device_catalogue().front();
  for (const char* precision : {"fp16", "bf16"}) {
    const auto peak = type.peak_tflops.find(precision), other = reference.type.peak_tflops.find("fp16");
    if (peak == type.peak_tflops.end() || other == reference.type.peak_tflops.end() || peak->second <= 0) continue;
    model.type.relative_speed = peak->second / other->second;
    break;
  }
  notes.add(fmt::format("{} has the file's memory and peaks, {:.3g} times the speed of a {} by them, without a price",
                        type.name, model.type.relative_speed, reference.type.name));
  return model;
}

/// The driver reports the memory that is really there, which error correction reduces. A card with PCIe in its name has
/// no link of its own, though its type in the catalogue is the module's.
DeviceModel as_reported(DeviceModel model, const FoundGpu& gpu) {
  if (gpu.memory && gpu.memory->count > 0) model.type.memory = *gpu.memory;
  if (("-" + device_name_key(gpu.name) + "-").find("-pcie-") != std::string::npos) model.link.reset();
  return model;
}

bool has_own_link(const DeviceModel& model) { return model.link && !model.link->by_bridge; }

std::string rate_text(BytesPerSecond rate) { return fmt::format("{:.4g}", in_gigabytes_per_second(rate)); }

BytesPerSecond over_link(const Interconnect& joint, const DeviceModel& one, const DeviceModel& other,
                         ImportMessages& notes) {
  const auto lane = [](const DeviceModel& model) {
    return model.link ? model.link->lane : gigabytes_per_second(model.type.name == "P100-16GB" ? 20 : 25);
  };
  const BytesPerSecond rate = std::min(lane(one), lane(other));
  const std::string kind = one.link ? one.link->kind : joint.link ? "The GPUs' link" : "NVLink";
  if (joint.link) {
    notes.add(fmt::format("{}: {} GB/s each way", kind, rate_text(*joint.link)));
    return *joint.link;
  }
  const BytesPerSecond bandwidth = rate * joint.lanes;
  notes.add(fmt::format("{}: {} {} of {} GB/s are {} GB/s each way", kind, joint.lanes,
                        joint.lanes == 1 ? "lane" : "lanes", rate_text(rate), rate_text(bandwidth)));
  return bandwidth;
}

/// Returns the bandwidth for an unknown interconnect: that of such cards in servers that are made for them.
BytesPerSecond usual_bandwidth(const DeviceModel& one, const DeviceModel& other, const DetectedMachine& machine,
                               ImportMessages& notes) {
  const bool by_link = has_own_link(one) && has_own_link(other);
  const BytesPerSecond rate = by_link ? std::min(one.link->bandwidth(), other.link->bandwidth())
                                      : std::min(pcie_bandwidth(one.pcie), pcie_bandwidth(other.pcie));
  notes.assume(
      fmt::format("{} has no bandwidth between the GPUs of a machine: {} between {}, {} GB/s each way, is assumed",
                  machine.source, by_link ? one.link->kind : "PCI Express", one.type.name, rate_text(rate)));
  return rate;
}

/// Returns the bandwidth of the types' own link, which the description can't show. POWER shares a GPU's lanes between
/// its processor and the other GPUs of its socket.
BytesPerSecond over_hidden_link(const Interconnect& joint, const DeviceModel& one, const DeviceModel& other,
                                const DetectedMachine& machine, ImportMessages& notes) {
  BytesPerSecond rate = std::min(one.link->bandwidth(), other.link->bandwidth());
  if (machine.processor_vendor == power) {
    const auto of_socket = [](const Interconnect& to) { return to.kind != InterconnectKind::system; };
    const auto ends = std::ranges::count_if(machine.joints.front(), of_socket);  // the processor in place of itself
    rate = joint.kind == InterconnectKind::system ? gigabytes_per_second(between_sockets_power)
                                                  : rate / static_cast<double>(ends);
  }
  notes.assume(fmt::format("{} does not show {}: {} GB/s each way are assumed between {}{}", machine.source,
                           one.link->kind, rate_text(rate), one.type.name,
                           joint.kind == InterconnectKind::system ? " of two sockets" : ""));
  return rate;
}

/// Returns the bandwidth of a PCI Express path. A path in generation 1 between newer GPUs is at rest.
BytesPerSecond over_pcie(const Interconnect& joint, const DeviceModel& one, const DeviceModel& other,
                         ImportMessages& notes) {
  constexpr int old_generation = 2;
  const BytesPerSecond usual = std::min(pcie_bandwidth(one.pcie), pcie_bandwidth(other.pcie));
  const bool rests = joint.pcie && io::topology::first_generation_lanes(*joint.pcie) && *joint.pcie < usual &&
                     std::min(one.pcie.generation, other.pcie.generation) > old_generation;
  if (joint.pcie && !rests) return *joint.pcie;
  const std::string found = rests ? fmt::format("at rest ({} GB/s)", rate_text(*joint.pcie)) : "unknown";
  notes.assume(fmt::format("PCI Express of the GPUs is {}: generation {} with {} lanes is assumed, {} GB/s each way",
                           found, one.pcie.generation, one.pcie.lanes, rate_text(usual)));
  return usual;
}

/// Returns the types whose names continue this one: "a100" alone leaves several.
std::vector<const DeviceModel*> namesakes(std::string_view name) {
  std::vector<const DeviceModel*> found;
  const std::string begin = device_name_key(name) + "-";
  for (const DeviceModel& model : device_catalogue())
    if (device_name_key(model.type.name).starts_with(begin)) found.push_back(&model);
  return found;
}

void note_namesakes(const FoundGpu& gpu, const DeviceModel& taken, ImportMessages& notes) {
  std::string others;
  for (const DeviceModel* model : namesakes(gpu.name))
    if (model->type.name != taken.type.name) others += (others.empty() ? "" : ", ") + model->type.name;
  if (!others.empty())
    notes.add(fmt::format("'{}' is taken for {}, and may be {} (--device TYPE)", gpu.name, taken.type.name, others));
}

GpuKind kind_of(const FoundGpu& gpu) {
  if (const DeviceModel* model = match_by_pci_id(gpu.pci_id)) return {true, gpu.name, {model}};
  GpuKind kind{!gpu.name.empty(), gpu.name, namesakes(gpu.name)};
  if (const DeviceModel* model = find_device_model(device_catalogue(), gpu.name)) kind.types.push_back(model);
  return kind;
}

bool may_be_one(const GpuKind& a, const GpuKind& b) {
  if (!a.told || !b.told || (!a.name.empty() && a.name == b.name)) return true;
  return std::ranges::find_first_of(a.types, b.types) != a.types.end();
}

}  // namespace

Result<DeviceModel> model_of(const DetectedMachine& machine, std::size_t position, const MachineImport& how,
                             ImportMessages& notes) {
  const FoundGpu& gpu = machine.gpus[position];
  if (how.device) return catalogue_device(*how.device);
  if (gpu.type) return described_model(*gpu.type, notes);
  if (const DeviceModel* model = match_by_pci_id(gpu.pci_id)) return as_reported(*model, gpu);
  if (const DeviceModel* model = gpu.name.empty() ? nullptr : find_device_model(device_catalogue(), gpu.name)) {
    if (!gpu.memory) note_namesakes(gpu, *model, notes);
    return as_reported(*model, gpu);
  }
  if (!gpu.name.empty() && gpu.memory && gpu.memory->count > 0) return unknown_model(gpu, notes);
  if (!gpu.name.empty())
    return fail(ErrorCode::bad_input,
                fmt::format("{}: found {} '{}', which is not in the catalogue, expected a type of it: --device TYPE",
                            machine.name, gpu.label, gpu.name));
  if (const DeviceModel* model = match_by_architecture(gpu.architecture)) {
    notes.add(fmt::format("{} does not name the GPUs: compute capability {}.{} is taken for {}", machine.source,
                          gpu.architecture / 10, gpu.architecture % 10, model->type.name));
    return *model;
  }
  int lanes = 0;
  if (const DeviceModel* model = match_by_lanes(machine, position, lanes)) {
    notes.add(fmt::format("{} does not name the GPUs: {} NVLink lanes are taken for {}", machine.source, lanes,
                          model->type.name));
    return *model;
  }
  return fail(ErrorCode::bad_input,
              fmt::format("{}: found GPUs without their names, expected a type: --device TYPE, "
                          "or lines of nvidia-smi -L or rocm-smi --showproductname in the same file",
                          machine.name));
}

std::vector<GpuKind> kinds_of(const DetectedMachine& machine, const MachineImport& how) {
  std::vector<GpuKind> kinds(machine.gpus.size());
  if (!how.device) std::ranges::transform(machine.gpus, kinds.begin(), kind_of);
  return kinds;
}

bool may_be_alike(const std::vector<GpuKind>& one, const std::vector<GpuKind>& other) {
  return std::ranges::equal(one, other, may_be_one);
}

BytesPerSecond bandwidth_between(const Interconnect& joint, const DeviceModel& one, const DeviceModel& other,
                                 const DetectedMachine& machine, ImportMessages& notes) {
  if (joint.measured) return joint.measured->bandwidth;
  if (joint.kind == InterconnectKind::nvlink) return over_link(joint, one, other, notes);
  if (joint.kind == InterconnectKind::unknown) return usual_bandwidth(one, other, machine, notes);
  if (!machine.shows_links && has_own_link(one) && has_own_link(other))
    return over_hidden_link(joint, one, other, machine, notes);
  const BytesPerSecond pcie = over_pcie(joint, one, other, notes);
  if (joint.kind != InterconnectKind::system) return pcie;
  const bool amd = machine.processor_vendor == "AuthenticAMD";
  const BytesPerSecond sockets = gigabytes_per_second(amd                                 ? between_sockets_amd
                                                      : machine.processor_vendor == power ? between_sockets_power
                                                                                          : between_sockets);
  if (sockets < pcie)
    notes.assume(fmt::format("Between sockets {} GB/s are assumed, NCCL's estimate{}", rate_text(sockets),
                             machine.processor_vendor.empty() ? "" : " for " + machine.processor_vendor));
  return std::min(sockets, pcie);
}

}  // namespace pipedeck::presets
