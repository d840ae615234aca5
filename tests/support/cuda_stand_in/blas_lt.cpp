// SPDX-License-Identifier: Apache-2.0
// cublasLt: descriptors, heuristics and the product. An algorithm remembers the problem that it was found for and the
// alignments that were promised: another problem, or an address that breaks the promise, is refused.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "tests/support/cuda_stand_in/machine.hpp"
#include "tests/support/cuda_stand_in/state.hpp"

namespace cuda_stand_in {
namespace {

constexpr const char* handle_kind = "cublasLt handle";
constexpr const char* layout_kind = "cublasLt matrix layout";
constexpr const char* operation_kind = "cublasLt product";
constexpr const char* preference_kind = "cublasLt preference";
constexpr std::size_t workspace_wanted = 4096;

struct Handle {
  int device;
};
struct Layout {
  cudaDataType_t type;
  std::int64_t rows, columns, leading;
  Values::Type values() const { return type == CUDA_R_32F ? Values::Type::f32 : Values::Type::bf16; }
  std::size_t bytes() const { return static_cast<std::size_t>((columns - 1) * leading + rows) * bytes_of(values()); }
};
struct Operation {
  cublasComputeType_t compute;
  cublasOperation_t first = CUBLAS_OP_N, second = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  void* kept = nullptr;
  std::int64_t kept_leading = 0;
  bool has(int flag) const { return (static_cast<int>(epilogue) & flag) != 0; }
  bool sums_first() const { return epilogue == CUBLASLT_EPILOGUE_BGRADA; }
  bool has_bias() const { return !sums_first() && has(CUBLASLT_EPILOGUE_BIAS); }
  bool has_gelu() const { return has(CUBLASLT_EPILOGUE_GELU); }
  bool has_gelu_derivative() const { return epilogue == CUBLASLT_EPILOGUE_DGELU; }
  bool keeps() const { return has(128); }
};
struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t alignment[4] = {256, 256, 256, 256};
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
};

/// The content of an algorithm's 64 bytes.
struct Found {
  std::uint64_t problem, workspace;
  std::uint32_t alignment[4], bias_alignment, kept_alignment;  ///< the last ones of the addresses that are set
};
static_assert(sizeof(Found) <= sizeof(cublasLtMatmulAlgo_t));

template <class Mine, class Opaque>
Mine& mine(Opaque* opaque, const char* kind) {
  check_alive(opaque, kind);
  return *reinterpret_cast<Mine*>(const_cast<std::remove_const_t<Opaque>*>(opaque));
}

template <class Mine, class Opaque>
void make(Opaque** to, Mine value, const char* kind) {
  auto* made_one = new Mine(value);
  made(made_one, kind);
  *to = reinterpret_cast<Opaque*>(made_one);
}

template <class Mine, class Opaque>
void destroy(Opaque* opaque, const char* kind) {
  destroyed(opaque, kind);
  delete reinterpret_cast<const Mine*>(opaque);
}

template <class Value>
Value read(const void* from, std::size_t bytes) {
  require(from != nullptr && bytes == sizeof(Value), "an attribute of another size");
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return bits == 0 ? 1 : static_cast<std::uint32_t>(std::min<std::uintptr_t>(256, bits & (~bits + 1)));
}

struct Problem {
  const Operation& operation;
  const Layout &first, &second, &result;
  std::int64_t rows() const { return result.rows; }
  std::int64_t columns() const { return result.columns; }
  std::int64_t inner() const { return operation.first == CUBLAS_OP_N ? first.columns : first.rows; }

  void check() const {
    const auto rows_of = [](const Layout& l, cublasOperation_t op) { return op == CUBLAS_OP_N ? l.rows : l.columns; };
    const auto columns_of = [](const Layout& l, cublasOperation_t op) {
      return op == CUBLAS_OP_N ? l.columns : l.rows;
    };
    require(rows_of(first, operation.first) == rows() && columns_of(second, operation.second) == columns() &&
                rows_of(second, operation.second) == inner(),
            "the factors do not fit each other and the result");
    require(first.type == second.type, "the factors are of two types", CUBLAS_STATUS_NOT_SUPPORTED);
    require(first.type == result.type || (first.type == CUDA_R_16BF && result.type == CUDA_R_32F),
            "no such types of factors and result", CUBLAS_STATUS_NOT_SUPPORTED);
    require(operation.compute == CUBLAS_COMPUTE_32F || first.type == CUDA_R_32F, "16-bit factors are no tf32",
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (operation.keeps())
      require(operation.kept_leading % 8 == 0 && operation.kept_leading >= rows(),
              "what is kept of gelu has a leading dimension of a multiple of 8", CUBLAS_STATUS_NOT_SUPPORTED);
  }

  /// Sums that are split are added in the result's type with one of the schemes.
  void check_reductions(std::uint32_t schemes) const {
    require(result.type == CUDA_R_32F || (schemes & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE) == 0,
            "parts of a sum could be rounded to 16 bits");
  }

  /// With refuse_epilogues.
  void check_epilogue() const {
    require(operation.epilogue == CUBLASLT_EPILOGUE_DEFAULT, "no algorithm with this epilogue",
            CUBLAS_STATUS_NOT_SUPPORTED);
  }

  /// With refuse_unaligned_products.
  void check_rows(const std::uint32_t (&alignment)[4]) const {
    const auto begin_aligned = [](const Layout& layout, std::uint32_t promised) {
      return promised >= 16 && static_cast<std::size_t>(layout.leading) * bytes_of(layout.values()) % 16 == 0;
    };
    require(begin_aligned(first, alignment[0]) && begin_aligned(second, alignment[1]) &&
                begin_aligned(result, alignment[3]),
            "no algorithm at this alignment", CUBLAS_STATUS_NOT_SUPPORTED);
  }

  std::uint64_t number() const {
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto mix = [&](auto value) { hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001b3u; };
    mix(operation.compute), mix(operation.first), mix(operation.second), mix(operation.epilogue);
    mix(operation.kept_leading);
    for (const Layout* layout : {&first, &second, &result})
      mix(layout->type), mix(layout->rows), mix(layout->columns), mix(layout->leading);
    return hash;
  }
};

/// To tf32's 10 bits of mantissa, to the nearest.
double rounded_to_tf32(double value) {
  constexpr std::uint32_t dropped = 0x1fff;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + (dropped >> 1) + ((bits >> 13) & 1)) & ~dropped);
}

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

double gelu_derivative(double x) {
  const double scale = std::sqrt(2 / std::numbers::pi), t = std::tanh(scale * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

struct Product {
  Operation operation;
  Layout first, second, result;
  const void *first_data, *second_data;
  void* result_data;
  double alpha, beta;

  std::vector<double> factor(const void* data, const Layout& layout, bool transposed) const {
    // Rows of inner values each: the summands are contiguous.
    std::vector<double> all(static_cast<std::size_t>(layout.rows * layout.columns));
    const Values values(data, layout.values());
    std::size_t at = 0;
    const std::int64_t outer = transposed ? layout.rows : layout.columns;
    const std::int64_t steps = transposed ? layout.columns : layout.rows;
    for (std::int64_t i = 0; i < outer; ++i)
      for (std::int64_t k = 0; k < steps; ++k, ++at) {
        all[at] = values.get(transposed ? k * layout.leading + i : i * layout.leading + k);
        if (operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32) all[at] = rounded_to_tf32(all[at]);
      }
    return all;
  }

  void run() const {
    const auto a = factor(first_data, first, operation.first == CUBLAS_OP_N);
    const auto b = factor(second_data, second, operation.second != CUBLAS_OP_N);
    const auto inner = static_cast<std::size_t>(operation.first == CUBLAS_OP_N ? first.columns : first.rows);
    Values to(result_data, result.values()), kept(operation.kept, result.values());
    Values bias(operation.bias, result.values());
    for (std::int64_t row = 0; operation.sums_first() && row < result.rows; ++row) {
      Sum all;
      for (std::size_t k = 0; k < inner; ++k) all.add(a[static_cast<std::size_t>(row) * inner + k]);
      bias.set(row, all.result(static_cast<std::uint64_t>(row)));
    }
    for (std::int64_t column = 0; column < result.columns; ++column)
      for (std::int64_t row = 0; row < result.rows; ++row) {
        const double* x = a.data() + static_cast<std::size_t>(row) * inner;
        const double* y = b.data() + static_cast<std::size_t>(column) * inner;
        Sum products;
        for (std::size_t k = 0; k < inner; ++k) products.add(x[k] * y[k]);
        const std::int64_t at = column * result.leading + row;
        double sum = alpha * products.result(static_cast<std::uint64_t>(at));
        if (beta != 0) sum += beta * to.get(at);
        if (operation.has_bias()) sum += bias.get(row);
        if (operation.has_gelu_derivative()) sum *= gelu_derivative(kept.get(column * operation.kept_leading + row));
        if (operation.has_gelu() && operation.keeps()) kept.set(column * operation.kept_leading + row, sum);
        to.set(at, operation.has_gelu() ? gelu(sum) : sum);
      }
  }
};

void check_addresses(const Product& p, int device, const Found& found, const void* workspace, std::size_t bytes) {
  check_device_memory(p.first_data, p.first.bytes(), device, "the first factor");
  check_device_memory(p.second_data, p.second.bytes(), device, "the second factor");
  check_device_memory(p.result_data, p.result.bytes(), device, "the result");
  check_aligned(p.first_data, found.alignment[0], "the first factor");
  check_aligned(p.second_data, found.alignment[1], "the second factor");
  check_aligned(p.result_data, found.alignment[3], "the result");
  require(bytes >= found.workspace, "the workspace is smaller than the algorithm wants");
  if (found.workspace > 0) {
    check_device_memory(workspace, bytes, device, "the workspace");
    check_aligned(workspace, 256, "the workspace");
  }
  const auto rows = static_cast<std::size_t>(p.result.rows);
  if (p.operation.has_bias() || p.operation.sums_first())
    check_aligned(p.operation.bias, found.bias_alignment, "the bias");
  if (p.operation.keeps()) check_aligned(p.operation.kept, found.kept_alignment, "what is kept of gelu");
  if (p.operation.has_bias() || p.operation.sums_first())
    check_device_memory(p.operation.bias, rows * bytes_of(p.result.values()), device, "the bias");
  if (p.operation.keeps())
    check_device_memory(p.operation.kept,
                        (static_cast<std::size_t>((p.result.columns - 1) * p.operation.kept_leading) + rows) *
                            bytes_of(p.result.values()),
                        device, "what is kept of gelu");
}

template <class Body>
cublasStatus_t blas_call(const char* function, Body body, cublasStatus_t failed_work = CUBLAS_STATUS_EXECUTION_FAILED) {
  return call(function, failed_work, CUBLAS_STATUS_INVALID_VALUE, body);
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    default:
      return "a status of the stand-in";
  }
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return blas_call(
      "cublasLtCreate", [&] { make(handle, Handle{current_device()}, handle_kind); }, CUBLAS_STATUS_ALLOC_FAILED);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return call("cublasLtDestroy", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED,
              [&] { destroy<Handle>(handle, handle_kind); });
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t leading) {
  return blas_call("cublasLtMatrixLayoutCreate", [&] {
    require(type == CUDA_R_32F || type == CUDA_R_16BF, "a type that the stand-in does not know");
    require(rows > 0 && columns > 0, "a matrix without values");
    require(leading >= static_cast<std::int64_t>(rows), "the leading dimension is less than the rows");
    make(layout, Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading},
         layout_kind);
  });
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return call("cublasLtMatrixLayoutDestroy", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INVALID_VALUE,
              [&] { destroy<Layout>(layout, layout_kind); });
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return blas_call("cublasLtMatmulDescCreate", [&] {
    require(compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32, "another way to compute");
    require(scale == CUDA_R_32F, "scales of such sums are 32-bit floats");
    Operation made_one{};
    made_one.compute = compute;
    make(operation, made_one, operation_kind);
  });
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return call("cublasLtMatmulDescDestroy", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INVALID_VALUE,
              [&] { destroy<Operation>(operation, operation_kind); });
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t opaque, cublasLtMatmulDescAttributes_t attribute,
                                              const void* from, std::size_t bytes) {
  return blas_call("cublasLtMatmulDescSetAttribute", [&] {
    auto& operation = mine<Operation>(opaque, operation_kind);
    switch (attribute) {
      case CUBLASLT_MATMUL_DESC_TRANSA:
        operation.first = read<cublasOperation_t>(from, bytes);
        break;
      case CUBLASLT_MATMUL_DESC_TRANSB:
        operation.second = read<cublasOperation_t>(from, bytes);
        break;
      case CUBLASLT_MATMUL_DESC_EPILOGUE:
        operation.epilogue = read<cublasLtEpilogue_t>(from, bytes);
        break;
      case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        operation.bias = read<const void*>(from, bytes);
        break;
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        operation.kept = read<void*>(from, bytes);
        break;
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        operation.kept_leading = read<std::int64_t>(from, bytes);
        break;
      default:
        throw Refused("an attribute that the stand-in does not know");
    }
  });
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return blas_call("cublasLtMatmulPreferenceCreate", [&] { make(preference, Preference{}, preference_kind); });
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return call("cublasLtMatmulPreferenceDestroy", CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_INVALID_VALUE,
              [&] { destroy<Preference>(preference, preference_kind); });
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t opaque,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* from,
                                                    std::size_t bytes) {
  return blas_call("cublasLtMatmulPreferenceSetAttribute", [&] {
    auto& preference = mine<Preference>(opaque, preference_kind);
    switch (attribute) {
      case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        preference.workspace = read<std::uint64_t>(from, bytes);
        break;
      case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        preference.reductions = read<std::uint32_t>(from, bytes);
        break;
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: {
        const auto alignment = read<std::uint32_t>(from, bytes);
        require(std::has_single_bit(alignment) && alignment <= 256, "an alignment is a power of two");
        preference.alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES] = alignment;
        break;
      }
      default:
        throw Refused("an attribute that the stand-in does not know");
    }
  });
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t first, cublasLtMatrixLayout_t second,
                                              cublasLtMatrixLayout_t third, cublasLtMatrixLayout_t result,
                                              cublasLtMatmulPreference_t opaque, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  return blas_call("cublasLtMatmulAlgoGetHeuristic", [&] {
    mine<Handle>(handle, handle_kind);
    const auto& preference = mine<Preference>(opaque, preference_kind);
    require(wanted > 0, "no result is wanted");
    require(third == result, "the stand-in adds in place");
    const Problem problem{mine<Operation>(operation, operation_kind), mine<Layout>(first, layout_kind),
                          mine<Layout>(second, layout_kind), mine<Layout>(result, layout_kind)};
    *count = 0;
    problem.check();
    problem.check_reductions(preference.reductions);
    if (machine().aligned_products_only) problem.check_rows(preference.alignment);
    if (machine().plain_products_only) problem.check_epilogue();
    Found found{problem.number(), std::min<std::uint64_t>(preference.workspace, workspace_wanted), {}, 1, 1};
    std::memcpy(found.alignment, preference.alignment, sizeof found.alignment);
    found.bias_alignment = alignment_of(problem.operation.bias);
    found.kept_alignment = alignment_of(problem.operation.kept);
    results[0] = {};
    std::memcpy(&results[0].algo, &found, sizeof found);
    results[0].workspaceSize = found.workspace;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    *count = 1;
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* first, cublasLtMatrixLayout_t first_layout, const void* second,
                              cublasLtMatrixLayout_t second_layout, const void* beta, const void* third,
                              cublasLtMatrixLayout_t third_layout, void* result, cublasLtMatrixLayout_t result_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, std::size_t workspace_bytes,
                              cudaStream_t stream) {
  return blas_call("cublasLtMatmul", [&] {
    const auto& owner = mine<Handle>(handle, handle_kind);
    check_stream(stream);
    require(device_of(stream) == owner.device, "the handle is another device's");
    require(third == result && third_layout == result_layout, "the stand-in adds in place");
    require(algorithm != nullptr && alpha && beta, "no algorithm, or no scale");
    const Product product{mine<Operation>(operation, operation_kind),
                          mine<Layout>(first_layout, layout_kind),
                          mine<Layout>(second_layout, layout_kind),
                          mine<Layout>(result_layout, layout_kind),
                          first,
                          second,
                          result,
                          *static_cast<const float*>(alpha),
                          *static_cast<const float*>(beta)};
    const Problem problem{product.operation, product.first, product.second, product.result};
    problem.check();
    Found found{};
    std::memcpy(&found, algorithm, sizeof found);
    require(found.problem == problem.number(), "the algorithm was found for another problem");
    check_addresses(product, owner.device, found, workspace, workspace_bytes);
    put_kernel(stream, [product] { product.run(); });
  });
}

}  // extern "C"
