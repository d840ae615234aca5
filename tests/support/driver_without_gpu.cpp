// SPDX-License-Identifier: Apache-2.0
// A driver (libcuda.so.1) without a GPU, for cuDNN's plans for GPUs that are not present: it takes every compiled
// kernel and starts none. A library of this name is found before the machine's own.
namespace {

/// CUDA_ERROR_NO_DEVICE.
constexpr int no_device = 100;
int place_of_nothing = 0;

}  // namespace

extern "C" {

int cuLibraryLoadData(void** library) {
  *library = &place_of_nothing;
  return 0;
}
int cuLibraryGetKernel(void** kernel) {
  *kernel = &place_of_nothing;
  return 0;
}
int cuLibraryUnload() { return 0; }
int cuGetErrorString(int, const char** words) {
  *words = "a driver without a GPU";
  return 0;
}
int cuGetErrorName(int, const char** words) {
  *words = "CUDA_ERROR_NO_DEVICE";
  return 0;
}

// cuDNN looks all of these up before it compiles a kernel.
#define PIPEDECK_NO_DEVICE(function) \
  int function() { return no_device; }
PIPEDECK_NO_DEVICE(cuCtxGetCurrent)
PIPEDECK_NO_DEVICE(cuCtxGetDevice)
PIPEDECK_NO_DEVICE(cuCtxGetLimit)
PIPEDECK_NO_DEVICE(cuCtxPopCurrent)
PIPEDECK_NO_DEVICE(cuCtxPushCurrent)
PIPEDECK_NO_DEVICE(cuDeviceGet)
PIPEDECK_NO_DEVICE(cuDeviceGetAttribute)
PIPEDECK_NO_DEVICE(cuDeviceGetCount)
PIPEDECK_NO_DEVICE(cuDevicePrimaryCtxRelease)
PIPEDECK_NO_DEVICE(cuDevicePrimaryCtxReset)
PIPEDECK_NO_DEVICE(cuDevicePrimaryCtxRetain)
PIPEDECK_NO_DEVICE(cuDriverGetVersion)
PIPEDECK_NO_DEVICE(cuFuncGetAttribute)
PIPEDECK_NO_DEVICE(cuFuncSetAttribute)
PIPEDECK_NO_DEVICE(cuInit)
PIPEDECK_NO_DEVICE(cuKernelGetAttribute)
PIPEDECK_NO_DEVICE(cuKernelSetAttribute)
PIPEDECK_NO_DEVICE(cuLaunchCooperativeKernel)
PIPEDECK_NO_DEVICE(cuLaunchKernel)
PIPEDECK_NO_DEVICE(cuLaunchKernelEx)
PIPEDECK_NO_DEVICE(cuLibraryLoadFromFile)
PIPEDECK_NO_DEVICE(cuLinkAddData)
PIPEDECK_NO_DEVICE(cuLinkAddData_v2)
PIPEDECK_NO_DEVICE(cuLinkAddFile_v2)
PIPEDECK_NO_DEVICE(cuLinkComplete)
PIPEDECK_NO_DEVICE(cuLinkCreate)
PIPEDECK_NO_DEVICE(cuLinkCreate_v2)
PIPEDECK_NO_DEVICE(cuLinkDestroy)
PIPEDECK_NO_DEVICE(cuMemcpyDtoH_v2)
PIPEDECK_NO_DEVICE(cuModuleGetFunction)
PIPEDECK_NO_DEVICE(cuModuleGetGlobal_v2)
PIPEDECK_NO_DEVICE(cuModuleLoadData)
PIPEDECK_NO_DEVICE(cuModuleLoadDataEx)
PIPEDECK_NO_DEVICE(cuModuleLoadFatBinary)
PIPEDECK_NO_DEVICE(cuModuleUnload)
PIPEDECK_NO_DEVICE(cuOccupancyMaxActiveBlocksPerMultiprocessor)
PIPEDECK_NO_DEVICE(cuOccupancyMaxPotentialClusterSize)
PIPEDECK_NO_DEVICE(cuStreamGetCtx)
PIPEDECK_NO_DEVICE(cuStreamSynchronize)
PIPEDECK_NO_DEVICE(cuTensorMapEncodeTiled)

}  // extern "C"
