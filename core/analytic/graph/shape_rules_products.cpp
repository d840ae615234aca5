// SPDX-License-Identifier: Apache-2.0
// Matmuls, reductions over axes, recurrent layers, losses.
#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/analytic/graph/shape_rules.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

/// Follows numpy.matmul: a vector gets a dimension of size one, which is removed from the result.
Result<void> matmul(const ShapeInferenceContext& call) {
  TRY(const auto left, call.needed(0), right = call.needed(1));
  if (!right) return tl::unexpected(right.error());
  Sizes a = left->shape, b = (*right)->shape;
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  const auto wrong = [&] {
    return call.wrong(fmt::format("found {} times {}, expected matrices that fit", sizes_text(left->shape),
                                  sizes_text((*right)->shape)));
  };
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return wrong();
  auto out = broadcast(Sizes(a.begin(), a.end() - 2), Sizes(b.begin(), b.end() - 2));
  if (!out) return wrong();
  if (!row) out->push_back(a[a.size() - 2]);
  if (!column) out->push_back(b.back());
  return call.set_output(0, left->element, *std::move(out));
}

Result<void> gemm(const ShapeInferenceContext& call) {
  TRY(const auto left, call.needed(0), right = call.needed(1));
  if (!right) return tl::unexpected(right.error());
  Sizes a = left->shape, b = (*right)->shape;
  if (a.size() == 2 && call.integer("transA", 0) != 0) std::swap(a[0], a[1]);
  if (b.size() == 2 && call.integer("transB", 0) != 0) std::swap(b[0], b[1]);
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0])
    return call.wrong(fmt::format("found {} times {}, expected matrices that fit", sizes_text(left->shape),
                                  sizes_text((*right)->shape)));
  return call.set_output(0, left->element, {a[0], b[1]});
}

/// "bhid,bhjd->bhij": each letter is a dimension.
Result<void> einsum(const ShapeInferenceContext& call) {
  std::string equation = call.text("equation", "");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos)
    return call.wrong(fmt::format("found the equation '{}', expected one letter a size and '->'", equation));
  std::map<char, std::int64_t> sizes;
  std::size_t at = 0, index = 0;
  for (; at <= arrow; ++index) {
    const std::size_t end = std::min(equation.find(',', at), arrow);
    TRY(const auto x, call.needed(index));
    if (x->shape.size() != end - at)
      return call.wrong(fmt::format("found {} for '{}', expected a size a letter", sizes_text(x->shape),
                                    equation.substr(at, end - at)));
    for (std::size_t i = at; i < end; ++i) {
      const auto [known, fresh] = sizes.emplace(equation[i], x->shape[i - at]);
      if (!fresh && known->second != x->shape[i - at])
        return call.wrong(
            fmt::format("found {} and {} for '{}', expected one size", known->second, x->shape[i - at], equation[i]));
    }
    at = end + 1;
  }
  Sizes out;
  for (const char letter : equation.substr(arrow + 2)) {
    const auto known = sizes.find(letter);
    if (known == sizes.end()) return call.wrong(fmt::format("found '{}' in the result alone", letter));
    out.push_back(known->second);
  }
  return call.set_output(0, (*call.needed(0))->element, std::move(out));
}

Result<void> reduce_to(const ShapeInferenceContext& call, Element element, std::optional<Sizes> given) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  std::vector<std::size_t> axes(in.size());
  if (given && !given->empty()) {
    TRY(auto found, call.axes(*given, in.size()));
    axes = std::move(found);
  } else if (call.integer("noop_with_empty_axes", 0) != 0) {
    axes.clear();
  } else {
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool reduced = std::ranges::find(axes, i) != axes.end();
    if (!reduced) out.push_back(in[i]);
    if (reduced && call.integer("keepdims", 1) != 0) out.push_back(1);
  }
  Values values;
  if (x->values && in.size() == 1 && axes.size() == 1 && !x->values->empty()) {
    const auto& v = *x->values;
    if (call.type() == "ReduceProd") values = {{std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>())}};
    if (call.type() == "ReduceSum") values = {{std::accumulate(v.begin(), v.end(), 0.0)}};
    if (call.type() == "ReduceMax") values = {{std::ranges::max(v)}};
    if (call.type() == "ReduceMin") values = {{std::ranges::min(v)}};
  }
  return call.set_output(0, element, std::move(out), std::move(values));
}

Result<void> reduce(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(auto axes, call.elements(1, "axes"));
  return reduce_to(call, x->element, std::move(axes));
}

Result<void> arg_min_max(const ShapeInferenceContext& call) {
  return reduce_to(call, Element::integer_64, Sizes{call.integer("axis", 0)});
}

Result<void> top_k(const ShapeInferenceContext& call) {
  const auto x = call.needed(0);
  if (!x) return tl::unexpected(x.error());
  Sizes out = (*x)->shape;
  TRY(const auto axis, call.axis(call.integer("axis", -1), out.size()));
  TRY(auto k, call.input(1) ? call.needed_numbers(1, "k") : Result<Sizes>(Sizes{call.integer("k", 0)}));
  if (k.size() != 1 || k.front() < 0 || k.front() > out[axis])
    return call.wrong(fmt::format("found another k than one number up to {}", out[axis]));
  out[axis] = k.front();
  TRY_VOID(call.set_output(0, (*x)->element, out));
  return call.set_output(1, Element::integer_64, std::move(out));
}

/// Inputs: steps x samples x elements (or samples first), weights of directions x gates x elements, recurrent weights.
Result<void> recurrent(const ShapeInferenceContext& call) {
  const auto x = call.needed(0), w = call.needed(1), r = call.needed(2);
  for (const auto* one : {&x, &w, &r})
    if (!*one) return tl::unexpected(one->error());
  const Sizes &in = (*x)->shape, &again = (*r)->shape;
  if (in.size() != 3 || again.size() != 3)
    return call.wrong(fmt::format("found an input of {} and recurrent weights of {}, expected three dimensions each",
                                  sizes_text(in), sizes_text(again)));
  const bool samples_first = call.integer("layout", 0) != 0;
  const std::int64_t steps = in[samples_first ? 1 : 0], samples = in[samples_first ? 0 : 1];
  const std::int64_t directions = again[0], width = again[2];
  const Sizes whole =
      samples_first ? Sizes{samples, steps, directions, width} : Sizes{steps, directions, samples, width};
  const Sizes last = samples_first ? Sizes{samples, directions, width} : Sizes{directions, samples, width};
  TRY_VOID(call.set_output(0, (*x)->element, whole));
  TRY_VOID(call.set_output(1, (*x)->element, last));
  return call.set_output(2, (*x)->element, last);
}

/// Outputs a scalar, or one value per sample without a reduction; optionally the probabilities as well.
Result<void> loss(const ShapeInferenceContext& call) {
  TRY(const auto scores, call.needed(0), wanted = call.needed(1));
  if (!wanted) return tl::unexpected(wanted.error());
  const bool each = call.text("reduction", "mean") == "none";
  TRY_VOID(call.set_output(0, scores->element, each ? (*wanted)->shape : Sizes{}));
  return call.set_output(1, scores->element, scores->shape);
}

}  // namespace

ShapeRules product_shape_rules() {
  ShapeRules rules{{"MatMul", matmul},
                   {"Gemm", gemm},
                   {"Einsum", einsum},
                   {"ArgMax", arg_min_max},
                   {"ArgMin", arg_min_max},
                   {"TopK", top_k},
                   {"LSTM", recurrent},
                   {"GRU", recurrent},
                   {"RNN", recurrent},
                   {"SoftmaxCrossEntropyLoss", loss},
                   {"NegativeLogLikelihoodLoss", loss}};
  for (const char* type : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                           "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
    rules.emplace(type, reduce);
  return rules;
}

}  // namespace pipedeck::analytic::graph
