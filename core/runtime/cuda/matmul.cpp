// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/matmul.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/result.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Maximum workspace of an algorithm: NVIDIA's advice for the H100, and enough for the A100.
constexpr std::uint64_t product_workspace = std::uint64_t{32} << 20;

/// Maximum number of kept algorithms. Experts have other numbers of rows in each step.
constexpr std::size_t most_programs = 16384;

cudaDataType_t type_of(Element element) { return element == Element::fp32 ? CUDA_R_32F : CUDA_R_16BF; }

std::uint32_t alignment_of(const void* address) {
  constexpr std::uintptr_t most = 256;
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return static_cast<std::uint32_t>(bits == 0 ? most : std::min(most, bits & (~bits + 1)));
}

template <class Opaque, auto Destroy>
using Descriptor = std::unique_ptr<Opaque, Destroyer<Destroy>>;
using Layout = Descriptor<cublasLtMatrixLayoutOpaque_t, cublasLtMatrixLayoutDestroy>;
using Operation = Descriptor<cublasLtMatmulDescOpaque_t, cublasLtMatmulDescDestroy>;
using Preference = Descriptor<cublasLtMatmulPreferenceOpaque_t, cublasLtMatmulPreferenceDestroy>;

/// Returns a layout. cublasLt's matrices are column-major: a row-major one is its transpose there.
Layout layout_of(Element element, std::int64_t row_length, std::int64_t rows, std::int64_t stride) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, type_of(element), static_cast<std::uint64_t>(row_length),
                                   static_cast<std::uint64_t>(rows), stride),
        "cublasLtMatrixLayoutCreate");
  return Layout(layout);
}

template <class Value>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute, Value value) {
  check(cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

template <class Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

Operation operation_of(Precision precision) {
  cublasLtMatmulDesc_t operation = nullptr;
  const cublasComputeType_t compute = precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(cublasLtMatmulDescCreate(&operation, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
  return Operation(operation);
}

cublasLtEpilogue_t kind_of(const Epilogue& epilogue) {
  if (epilogue.gelu_derivative) return CUBLASLT_EPILOGUE_DGELU;
  // The right factor is cublasLt's first, A.
  if (epilogue.bias_gradient) return CUBLASLT_EPILOGUE_BGRADA;
  if (!epilogue.gelu) return epilogue.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  if (epilogue.aux_pre_gelu) return epilogue.bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
  return epilogue.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
}

/// Returns the ways in which a split sum may be added: in 32 bits, never in place.
std::uint32_t reductions_of(Element result) {
  constexpr std::uint32_t summed = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  return result == Element::fp32 ? summed | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE : summed;
}

/// Returns the address of the bias, or of its gradient.
const void* bias_of(const Epilogue& epilogue) {
  return epilogue.bias_gradient ? epilogue.bias_gradient : epilogue.bias;
}

Preference preference_of(std::uint32_t first, std::uint32_t second, std::uint32_t result, Element element) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
  Preference preference(made);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, product_workspace);
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions_of(element));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, first);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, second);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, result);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, result);
  return preference;
}

}  // namespace

GemmRunner::GemmRunner(Context& context) : context_(context) {}
GemmRunner::~GemmRunner() = default;

/// The product in cublasLt's form: result^T = right^T left^T, so that the right factor comes first.
struct GemmRunner::Descriptors {
  Descriptors(const Shape& s, const Epilogue& epilogue, Precision precision)
      : operation(operation_of(precision)),
        first(s.right_transposed ? layout_of(s.factors, s.inner, s.columns, s.right_stride)
                                 : layout_of(s.factors, s.columns, s.inner, s.right_stride)),
        second(s.left_transposed ? layout_of(s.factors, s.rows, s.inner, s.left_stride)
                                 : layout_of(s.factors, s.inner, s.rows, s.left_stride)),
        result(layout_of(s.result, s.columns, s.rows, s.result_stride)) {
    set(operation, CUBLASLT_MATMUL_DESC_TRANSA, s.right_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_TRANSB, s.left_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, s.epilogue);
    if (epilogue.aux_pre_gelu) set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, epilogue.aux_stride);
    point_at(epilogue);
  }

  /// Sets the addresses, which differ between products of one shape.
  void point_at(const Epilogue& epilogue) const {
    if (const void* const bias = bias_of(epilogue)) set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    if (epilogue.aux_pre_gelu) set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, epilogue.aux_pre_gelu);
  }

  Operation operation;
  Layout first, second, result;
};

GemmRunner::Shape GemmRunner::shape_of(std::int64_t rows, std::int64_t columns, std::int64_t inner,
                                       const DeviceMatrix& left, const DeviceMatrix& right, const DeviceResult& result,
                                       bool keeps, const Epilogue& epilogue) {
  ensure(left.element == right.element, "factors of a product are of one element");
  const cublasLtEpilogue_t kind = kind_of(epilogue);
  ensure(!keeps || kind == CUBLASLT_EPILOGUE_DEFAULT || kind == CUBLASLT_EPILOGUE_BGRADA, "a sum has no epilogue");
  ensure(!epilogue.aux_pre_gelu || epilogue.gelu || epilogue.gelu_derivative,
         "an argument of gelu is kept where there is gelu");
  ensure(!epilogue.bias_gradient || result.element == Element::fp32, "the gradient of a bias is fp32");
  return {rows,
          columns,
          inner,
          left.stride,
          right.stride,
          result.stride,
          epilogue.aux_stride,
          left.element,
          result.element,
          left.transposed,
          right.transposed,
          keeps,
          kind,
          alignment_of(left.data),
          alignment_of(right.data),
          alignment_of(result.data),
          alignment_of(bias_of(epilogue)),
          alignment_of(epilogue.aux_pre_gelu)};
}

std::optional<GemmRunner::Algorithm> GemmRunner::ask(const Shape& shape, const Descriptors& descriptors) const {
  const Preference preference =
      preference_of(shape.right_alignment, shape.left_alignment, shape.result_alignment, shape.result);
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      context_.blas(), descriptors.operation.get(), descriptors.first.get(), descriptors.second.get(),
      descriptors.result.get(), descriptors.result.get(), preference.get(), 1, &found, &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return std::nullopt;
  check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0 || found.state != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  return Algorithm{found.algo, found.workspaceSize};
}

const GemmRunner::Program& GemmRunner::program(const Shape& shape, const Epilogue& epilogue) {
  if (const auto known = programs_.find(shape); known != programs_.end()) {
    known->second.descriptors->point_at(epilogue);
    return known->second;
  }
  if (programs_.size() >= most_programs) programs_.clear();
  Program made{std::make_unique<Descriptors>(shape, epilogue, context_.precision()), std::nullopt};
  made.algorithm = ask(shape, *made.descriptors);
  return programs_.emplace(shape, std::move(made)).first->second;
}

bool GemmRunner::has_algorithm(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                               const DeviceMatrix& right, const DeviceResult& result, const Epilogue& epilogue,
                               float keep) {
  const Shape shape = shape_of(rows, columns, inner, left, right, result, keep != 0, epilogue);
  return program(shape, epilogue).algorithm.has_value();
}

void GemmRunner::multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                          const DeviceMatrix& right, const DeviceResult& result, float keep, float scale,
                          const Epilogue& epilogue) {
  const Shape shape = shape_of(rows, columns, inner, left, right, result, keep != 0, epilogue);
  const auto& [descriptors, chosen] = program(shape, epilogue);
  if (!chosen)
    throw CudaError(
        fmt::format("GPU {}: cublasLt has no algorithm for a product of {} x {} x {}: take --precision fp32",
                    context_.device(), rows, inner, columns));
  void* const workspace = context_.workspace(chosen->workspace);
  check(cublasLtMatmul(context_.blas(), descriptors->operation.get(), &scale, right.data, descriptors->first.get(),
                       left.data, descriptors->second.get(), &keep, result.data, descriptors->result.get(), result.data,
                       descriptors->result.get(), &chosen->choice, workspace, chosen->workspace, context_.stream()),
        "cublasLtMatmul");
}

}  // namespace pipedeck::runtime::cuda
