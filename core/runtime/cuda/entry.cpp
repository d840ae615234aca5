// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <fmt/format.h>

#include "core/runtime/cuda/interface.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::cuda {
namespace {

class TheModule final : public Module {
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
    int runtime = 0, nccl = 0;
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    check(ncclGetVersion(&nccl), "ncclGetVersion");
    const std::size_t dnn = cudnnGetVersion(), blas = cublasLtGetVersion();
    return fmt::format("CUDA {}.{}, cublasLt {}.{}.{}, cuDNN {}.{}.{}, NCCL {}.{}.{}", runtime / 1000,
                       runtime % 1000 / 10, blas / 10000, blas / 100 % 100, blas % 100, dnn / 10000, dnn / 100 % 100,
                       dnn % 100, nccl / 10000, nccl / 100 % 100, nccl % 100);
  }

  Backend backend(Precision precision, std::vector<int> gpus) const override {
    Backend backend(cuda_kernels(precision));
    backend.name = "cuda";
    backend.device = [precision, gpus = std::move(gpus)](std::size_t worker) {
      return std::make_shared<CudaDevice>(gpus[worker], precision);
    };
    backend.loss = cuda_loss;
    return backend;
  }
};

}  // namespace
}  // namespace pipedeck::cuda

extern "C" __attribute__((visibility("default"))) const pipedeck::cuda::Module* pipedeck_cuda(const char* version) {
  static const pipedeck::cuda::TheModule module;
  return std::string_view(version) == PIPEDECK_CUDA_INTERFACE ? &module : nullptr;
}
