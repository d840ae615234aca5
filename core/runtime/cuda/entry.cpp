// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <fmt/format.h>

#include "core/runtime/cuda/interface.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/nccl_estimate.hpp"
#include "core/runtime/cuda/nccl_transport.hpp"

namespace pipedeck::runtime::cuda {
namespace {

std::string nccl_here() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  return nccl_text(version);
}

std::unique_ptr<transport::Transport> can_use_nccl(std::unique_ptr<transport::Transport> hosts,
                                                   const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                                   const transport::WorkerLinks& links,
                                                   transport::RunControl& control) {
  std::map<std::size_t, NcclDevice> workers;
  for (std::size_t i = 0; i < memories.size(); ++i)
    if (hosts->is_local(i)) workers.emplace(i, NcclDevice(memories[i]));
  return std::make_unique<NcclTransport>(std::move(workers), memories.size(), std::move(hosts), links, control);
}

/// Identifies a GPU by the names that NVML also uses: CUDA and NVML number GPUs differently.
machine::PlacedGpu device_of_worker(int gpu) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
  std::string uuid;
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += fmt::format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return {0, properties.name, uuid,
          fmt::format("{:08x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID, properties.pciDeviceID)};
}

class CudaModule final : public Module {
 public:
  std::vector<std::string> gpus() const override {
    std::vector<std::string> lines;
    for (int gpu = 0; gpu < count_devices(); ++gpu) {
      cudaDeviceProp properties{};
      check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
      lines.push_back(
          fmt::format("{}, {:.1f} GiB", properties.name, static_cast<double>(properties.totalGlobalMem) / (1 << 30)));
    }
    return lines;
  }

  std::string libraries() const override {
    int runtime = 0;
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const std::size_t dnn = cudnnGetVersion(), blas = cublasLtGetVersion();
    return fmt::format("CUDA {}.{}, cublasLt {}.{}.{}, cuDNN {}.{}.{}, {}", runtime / 1000, runtime % 1000 / 10,
                       blas / 10000, blas / 100 % 100, blas % 100, dnn / 10000, dnn / 100 % 100, dnn % 100,
                       nccl_here());
  }

  std::string nccl() const override { return NcclTransport::possible() ? nccl_here() : std::string(); }

  transport::AllReduceMeasurement all_reduces(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                              const std::vector<Bytes>& sizes) const override {
    return measure_all_reduces(memories, sizes);
  }

  layers::Backend backend(Precision precision, std::vector<int> gpus, bool by_nccl) const override {
    layers::Backend backend;
    backend.kernels = cuda_kernels(precision);
    backend.name = "cuda";
    backend.precision = precision == Precision::fp32 ? "fp32" : precision == Precision::tf32 ? "tf32" : "bf16";
    backend.recorded = "CUDA graphs";
    backend.offloads = true;
    backend.gpu = [gpus](std::size_t worker) { return device_of_worker(gpus[worker]); };
    backend.device = [precision, gpus = std::move(gpus), by_nccl](std::size_t worker) {
      auto device = std::make_shared<CudaDevice>(gpus[worker], precision);
      device->share_memory(gpus);
      if (!by_nccl) device->enable_peer_access(gpus);
      return device;
    };
    backend.loss = cuda_loss;
    if (by_nccl) backend.join = can_use_nccl;
    return backend;
  }
};

}  // namespace
}  // namespace pipedeck::runtime::cuda

extern "C" __attribute__((visibility("default"))) const pipedeck::runtime::cuda::Module* pipedeck_cuda(
    const char* version) {
  static const pipedeck::runtime::cuda::CudaModule module;
  return std::string_view(version) == PIPEDECK_CUDA_INTERFACE ? &module : nullptr;
}
