// SPDX-License-Identifier: Apache-2.0
// Stands for NVIDIA's management library where there is none: as many GPUs as FAKE_GPUS says, joined through switches
// by FAKE_LANES lanes each; the two are environment variables.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

unsigned figure(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}
std::size_t index_of(const void* device) { return reinterpret_cast<std::size_t>(device) - 1; }

struct Pci {
  char legacy_bus[16];
  unsigned domain, bus, device, vendor_and_device, subsystem;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return figure("FAKE_BROKEN", 0) ? 9 : 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "Driver Not Loaded"; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = figure("FAKE_GPUS", 2), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(std::size_t{index} + 1);
  return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned size) {
  const char* called = std::getenv("FAKE_NAME");
  std::snprintf(name, size, "%s", called ? called : "NVIDIA H200");
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) { return memory->total = 143771ull << 20, 0; }
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
