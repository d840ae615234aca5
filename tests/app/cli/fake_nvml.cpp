// SPDX-License-Identifier: Apache-2.0
// Replaces NVIDIA's management library on machines without one. It has FAKE_GPUS GPUs, joined through switches by
// FAKE_LANES lanes each, which draw FAKE_POWER watts at FAKE_CLOCK of 1980 MHz. GPU 1 draws 10 W more than GPU 0, and
// so on. The clock of GPU number FAKE_THROTTLED_GPU is throttled for the reasons in FAKE_THROTTLE (hexadecimal).
// FAKE_SILENT lists unsupported figures, separated by commas. With FAKE_MIG the GPUs are slices. FAKE_HANG: after this
// many queries of the power the next one does not return. FAKE_WAVE: power and clock go up and down. All are
// environment variables.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr int not_supported = 3, not_found = 6;

unsigned figure(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}
std::size_t index_of(const void* device) { return reinterpret_cast<std::size_t>(device) - 1; }
void* handle_of(std::size_t index) { return reinterpret_cast<void*>(index + 1); }

/// Returns true for a call that a board may not support; slices support none of these.
bool silent(const char* call) {
  const char* names = std::getenv("FAKE_SILENT");
  return figure("FAKE_MIG", 0) != 0 || (names && std::strstr(names, call));
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
/// From 0 to 1, another for each device.
double wave(const void* device) {
  if (figure("FAKE_WAVE", 0) == 0) return 1;
  const double phase = static_cast<double>(index_of(device));
  return 0.5 + 0.35 * std::sin(2.1 * seconds() + phase) + 0.15 * std::sin(9.7 * seconds() + 2 * phase);
}
unsigned watts(const void* device) { return figure("FAKE_POWER", 350) + 10 * static_cast<unsigned>(index_of(device)); }

std::string uuid_of(std::size_t index) {
  char text[64];
  std::snprintf(text, sizeof text, "%s-00000000-0000-0000-0000-%012zx", figure("FAKE_MIG", 0) ? "MIG" : "GPU",
                index + 1);
  return text;
}

struct Pci {
  char legacy_bus[16];
  unsigned domain, bus, device, vendor_and_device, subsystem;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return figure("FAKE_BROKEN", 0) ? 9 : 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "Driver Not Loaded"; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = figure("FAKE_GPUS", 2), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = handle_of(index);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (std::size_t i = 0; i < figure("FAKE_GPUS", 2); ++i)
    if (uuid_of(i) == uuid) return *device = handle_of(i), 0;
  return not_found;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  unsigned number = 0;
  if (std::sscanf(bus, "00000000:%x:00.0", &number) != 1 || number == 0) return not_found;
  return *device = handle_of(number - 1), 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  std::snprintf(uuid, size, "%s", uuid_of(index_of(device)).c_str());
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned size) {
  const char* called = std::getenv("FAKE_NAME");
  std::snprintf(name, size, "%s", called ? called : "NVIDIA H200");
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  memory->total = 143771ull << 20;
  memory->used = (1000 + 100 * index_of(device)) << 20;
  memory->free = memory->total - memory->used;
  return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  if (silent("power")) return not_supported;
  static std::atomic<unsigned> asked{0};
  if (!std::getenv("FAKE_HANG")) asked = 0;
  while (std::getenv("FAKE_HANG") && asked >= figure("FAKE_HANG", 0))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ++asked;
  return *milliwatts = static_cast<unsigned>(1000 * watts(device) * wave(device)), 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return silent("power") ? not_supported : (*milliwatts = 700'000, 0);
}
int nvmlDeviceGetClockInfo(void* device, unsigned kind, unsigned* megahertz) {
  if (silent("clock") || kind != 1) return not_supported;
  return *megahertz = static_cast<unsigned>(figure("FAKE_CLOCK", 1980) * (0.7 + 0.3 * wave(device))), 0;
}
int nvmlDeviceGetMaxClockInfo(void*, unsigned kind, unsigned* megahertz) {
  return silent("clock") || kind != 1 ? not_supported : (*megahertz = 1980, 0);
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates) {
  if (silent("utilization")) return not_supported;
  return *rates = {static_cast<unsigned>(97 - index_of(device)), 30}, 0;
}
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* degrees) {
  if (silent("temperature") || sensor != 0) return not_supported;
  return *degrees = static_cast<unsigned>(54 + index_of(device)), 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  if (silent("throttle")) return not_supported;
  const char* text = std::getenv("FAKE_THROTTLE");
  const bool this_one = figure("FAKE_THROTTLED_GPU", 0) == index_of(device);
  return *reasons = text && this_one ? std::strtoull(text, nullptr, 16) : 1, 0;  // 1: idle
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (silent("energy")) return not_supported;
  return *millijoules = static_cast<unsigned long long>(1000 * seconds() * watts(device)), 0;
}
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) { return *major = 9, *minor = 0, 0; }
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) { return *generation = 5, 0; }
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* width) { return *width = 16, 0; }
int nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
  pci->vendor_and_device = std::getenv("FAKE_NAME") ? 0xffff10de : 0x233510de;
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02zX:00.0", index_of(device) + 1);
  return 0;
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* active) {
  return *active = link < figure("FAKE_LANES", 18), 0;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned, unsigned* kind) { return *kind = 2, 0; }
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, Pci* pci) {
  std::memset(pci, 0, sizeof *pci);
  return 0;
}
int nvmlDeviceGetTopologyCommonAncestor(void* a, void* b, unsigned* level) {
  return *level = index_of(a) / 2 == index_of(b) / 2 ? 10 : 50, 0;
}
}
