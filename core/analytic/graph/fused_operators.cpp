// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/fused_operators.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

tl::unexpected<Error> wrong_sizes(const ShapeInferenceContext& call, const SizedTensor& found,
                                  std::string_view expected) {
  return call.wrong(fmt::format("found {} in '{}', expected {}", sizes_text(found.shape), found.name, expected));
}

/// Returns `width` divided by the number of heads.
Result<std::int64_t> head_width(const ShapeInferenceContext& call, const SizedTensor& tensor, std::int64_t width,
                                std::int64_t heads) {
  if (heads > 0 && width % heads == 0) return width / heads;
  return wrong_sizes(call, tensor, fmt::format("a width that {} heads divide", heads));
}

Result<std::int64_t> heads_of(const ShapeInferenceContext& call, std::string_view name) {
  const std::int64_t heads = call.integer(name, 0);
  if (heads > 0) return heads;
  return call.wrong(fmt::format("found {} heads ({}), expected 1 or more", heads, name));
}

/// Handles samples x tokens x width with weights of width x (queries, keys, values).
Result<AttentionSizes> projecting(const ShapeInferenceContext& call) {
  const auto input = call.needed(0), weights = call.needed(1);
  const auto heads = heads_of(call, "num_heads");
  if (!input) return tl::unexpected(input.error());
  if (!weights) return tl::unexpected(weights.error());
  if (!heads) return tl::unexpected(heads.error());
  const Sizes &x = (*input)->shape, &w = (*weights)->shape;
  if (x.size() != 3) return wrong_sizes(call, **input, "samples x tokens x width");
  if (w.size() != 2 || w[0] != x[2]) return wrong_sizes(call, **weights, "the input's width x that of three results");
  Sizes parts = call.integers("qkv_hidden_sizes").value_or(Sizes(3, w[1] / 3));
  if (parts.size() != 3 || parts[0] != parts[1] || parts[0] + parts[1] + parts[2] != w[1])
    return wrong_sizes(call, **weights, "queries as wide as keys, and values");
  TRY(const auto key, head_width(call, **weights, parts[0], *heads),
      value = head_width(call, **weights, parts[2], *heads));
  if (!value) return tl::unexpected(value.error());
  return AttentionSizes{x[0], x[1],   x[1], *heads, *heads,
                        key,  *value, true, false,  call.integer("unidirectional", 0) != 0};
}

/// Handles queries, keys and values, each samples x tokens x width, or all three of a token adjacent in the first
/// input.
Result<AttentionSizes> of_three(const ShapeInferenceContext& call, std::int64_t heads, std::int64_t key_heads,
                                bool causal) {
  TRY(const auto query, call.needed(0));
  const Sizes& q = query->shape;
  AttentionSizes out{.heads = heads, .key_heads = key_heads, .causal = causal};
  const SizedTensor *key = call.input(1), *value = call.input(2);
  if (q.size() == 5 && !key) {  // samples x tokens x heads x 3 x width
    if (q[2] != heads || q[3] != 3) return wrong_sizes(call, *query, fmt::format("{} heads x 3", heads));
    out.samples = q[0], out.queries = out.keys = q[1], out.key_width = out.value_width = q[4];
    return out;
  }
  if (q.size() != 3) return wrong_sizes(call, *query, "samples x tokens x width");
  out.samples = q[0], out.queries = out.keys = q[1];
  TRY(const auto width, head_width(call, *query, q[2], key ? heads : heads + 2 * key_heads));
  out.key_width = out.value_width = width;
  if (!key) return out;
  const Sizes& k = key->shape;
  if (k.size() == 5) {  // samples x tokens x heads x 2 x width
    if (k[0] != q[0] || k[2] != heads || k[3] != 2 || k[4] != width)
      return wrong_sizes(call, *key, "keys and values as wide as queries");
    out.keys = k[1];
    return out;
  }
  if (!value) return call.wrong("found keys without values, expected both");
  const Sizes& v = value->shape;
  const bool apart = k.size() == 4;  // samples x heads x tokens x width
  if ((k.size() != 3 && !apart) || v.size() != k.size() || k[0] != q[0] || v[0] != q[0] ||
      k[apart ? 2 : 1] != v[apart ? 2 : 1] || (apart && (k[1] != key_heads || v[1] != key_heads)) ||
      (apart ? k[3] : k[2]) != width * (apart ? 1 : key_heads))
    return wrong_sizes(call, *key, "keys that fit queries and values");
  out.keys = k[apart ? 2 : 1];
  TRY(const auto value_width, apart ? Result<std::int64_t>(v[3]) : head_width(call, *value, v[2], key_heads));
  out.value_width = value_width;
  return out;
}

/// Handles ONNX's own operator: as above, or samples x heads x tokens x width each.
Result<AttentionSizes> standard(const ShapeInferenceContext& call) {
  const auto query = call.needed(0), key = call.needed(1), value = call.needed(2);
  for (const auto* one : {&query, &key, &value})
    if (!*one) return tl::unexpected(one->error());
  const bool causal = call.integer("is_causal", 0) != 0;
  const Sizes &q = (*query)->shape, &k = (*key)->shape, &v = (*value)->shape;
  if (q.size() != 4) {
    TRY(const auto heads, heads_of(call, "q_num_heads"), key_heads = heads_of(call, "kv_num_heads"));
    if (!key_heads) return tl::unexpected(key_heads.error());
    return of_three(call, heads, *key_heads, causal);
  }
  if (k.size() != 4 || v.size() != 4 || k[0] != q[0] || v[0] != q[0] || k[1] != v[1] || k[2] != v[2] || k[3] != q[3])
    return wrong_sizes(call, **key, "keys that fit queries and values");
  return AttentionSizes{q[0], q[2], k[2], q[1], k[1], q[3], v[3], false, true, causal};
}

Result<void> attention(const ShapeInferenceContext& call) {
  TRY(const auto sizes, attention_sizes(call));
  const AttentionSizes& s = sizes;
  TRY_VOID(call.set_output(0, Element::real,
                           s.heads_apart ? Sizes{s.samples, s.heads, s.queries, s.value_width}
                                         : Sizes{s.samples, s.queries, s.heads * s.value_width}));
  if (s.projects) return call.set_output(1, Element::real, {2, s.samples, s.heads, s.keys, s.key_width});
  TRY_VOID(call.set_output(1, Element::real, {s.samples, s.key_heads, s.keys, s.key_width}));
  TRY_VOID(call.set_output(2, Element::real, {s.samples, s.key_heads, s.keys, s.value_width}));
  return call.set_output(3, Element::real, {s.samples, s.heads, s.queries, s.keys});
}

Result<void> as_first(const ShapeInferenceContext& call) {
  TRY(const auto first, call.needed(0));
  return call.set_output(0, first->element, first->shape);
}

/// In addition to the result, gives each row's divisor and, last, the normalised sum.
Result<void> skip_norm(const ShapeInferenceContext& call) {
  TRY_VOID(as_first(call));
  const SizedTensor& x = **call.needed(0);
  Sizes rows = x.shape;
  if (!rows.empty()) rows.back() = 1;
  TRY_VOID(call.set_output(1, Element::real, rows));
  TRY_VOID(call.set_output(2, Element::real, rows));
  return call.set_output(3, x.element, x.shape);
}

/// Inputs: words, segments, and the tables of words, positions and segments.
Result<void> embed_norm(const ShapeInferenceContext& call) {
  TRY(const auto words, call.needed(0), table = call.needed(2));
  if (!table) return tl::unexpected(table.error());
  if (words->shape.empty() || (*table)->shape.size() != 2) return wrong_sizes(call, **table, "words x width");
  Sizes made = words->shape;
  made.push_back((*table)->shape[1]);
  TRY_VOID(call.set_output(0, Element::real, made));
  TRY_VOID(call.set_output(1, Element::integer_32, {words->shape[0]}));
  return call.set_output(2, Element::real, made);
}

/// Each matrix may be used with its last two sizes transposed.
Result<void> fused_matmul(const ShapeInferenceContext& call) {
  TRY(const auto left, call.needed(0), right = call.needed(1));
  if (!right) return tl::unexpected(right.error());
  Sizes a = left->shape, b = (*right)->shape;
  const auto wrong = [&] {
    return call.wrong(fmt::format("found {} times {}, expected matrices that fit", sizes_text(left->shape),
                                  sizes_text((*right)->shape)));
  };
  if (a.size() < 2 || b.size() < 2) return wrong();
  if (call.integer("transA", 0) != 0) std::swap(a.back(), a[a.size() - 2]);
  if (call.integer("transB", 0) != 0) std::swap(b.back(), b[b.size() - 2]);
  auto out = broadcast(Sizes(a.begin(), a.end() - 2), Sizes(b.begin(), b.end() - 2));
  if (!out || a.back() != b[b.size() - 2]) return wrong();
  out->push_back(a[a.size() - 2]);
  out->push_back(b.back());
  return call.set_output(0, left->element, *std::move(out));
}

/// Weights of a few bits each, whose sizes are in attributes.
Result<void> few_bits(const ShapeInferenceContext& call) {
  const auto x = call.needed(0);
  if (!x) return tl::unexpected(x.error());
  Sizes made = (*x)->shape;
  const std::int64_t in = call.integer("K", -1), out = call.integer("N", -1);
  if (made.empty() || made.back() != in) return wrong_sizes(call, **x, fmt::format("rows of {} numbers", in));
  made.back() = out;
  return call.set_output(0, (*x)->element, std::move(made));
}

}  // namespace

bool is_standard(const Operator& op) { return op.domain.empty() || op.domain == "ai.onnx"; }

bool is_of_onnx_runtime(const Operator& op) { return op.domain == "com.microsoft"; }

bool runs_inner_graphs(const Operator& op) {
  return std::ranges::any_of(op.attributes,
                             [](const Attribute& one) { return std::holds_alternative<Subgraph>(one.value); });
}

OperatorGraph split_skip_layer_norm(OperatorGraph graph) {
  const std::size_t count = graph.operators.size();
  for (std::size_t i = 0; i < count; ++i) {
    Operator& norm = graph.operators[i];
    const bool plain = norm.type == "SkipLayerNormalization",
               simplified = norm.type == "SkipSimplifiedLayerNormalization";
    const std::size_t weights = plain ? 4 : 3;  // inputs before the optional bias
    if (!is_of_onnx_runtime(norm) || (!plain && !simplified) || norm.inputs.size() < 3 ||
        norm.inputs.size() > weights || norm.outputs.size() != 4 || norm.outputs[0].empty() ||
        norm.outputs[3].empty() || !norm.outputs[1].empty() || !norm.outputs[2].empty())
      continue;
    Operator sum;
    sum.name = norm.name, sum.type = "Add";
    sum.inputs = {norm.inputs[0], norm.inputs[1]};
    sum.outputs = {norm.outputs[3]};
    norm.domain.clear();
    norm.type = plain ? "LayerNormalization" : "SimplifiedLayerNormalization";
    norm.inputs.erase(norm.inputs.begin());
    norm.inputs.front() = norm.outputs[3];
    norm.outputs.resize(1);
    graph.operators.push_back(std::move(sum));
  }
  return graph;
}

bool is_attention(const Operator& op) {
  if (is_standard(op)) return op.type == "Attention";
  static const std::set<std::string_view> types{"Attention", "MultiHeadAttention", "GroupQueryAttention"};
  return is_of_onnx_runtime(op) && types.contains(op.type);
}

Result<AttentionSizes> attention_sizes(const ShapeInferenceContext& call) {
  if (is_standard(call.op())) return standard(call);
  if (call.type() == "Attention") return projecting(call);
  TRY(const auto heads, heads_of(call, "num_heads"));
  if (call.type() == "MultiHeadAttention") return of_three(call, heads, heads, call.integer("unidirectional", 0) != 0);
  TRY(const auto key_heads, heads_of(call, "kv_num_heads"));
  return of_three(call, heads, key_heads, true);
}

ShapeRules attention_shape_rules() { return {{"Attention", attention}, {"RotaryEmbedding", as_first}}; }

ShapeRules onnx_runtime_shape_rules() {
  ShapeRules rules{{"Attention", attention},
                   {"MultiHeadAttention", attention},
                   {"GroupQueryAttention", attention},
                   {"SkipLayerNormalization", skip_norm},
                   {"SkipSimplifiedLayerNormalization", skip_norm},
                   {"EmbedLayerNormalization", embed_norm},
                   {"FusedMatMul", fused_matmul},
                   {"MatMulNBits", few_bits}};
  for (const char* type :
       {"BiasGelu", "FastGelu", "Gelu", "QuickGelu", "RotaryEmbedding", "SimplifiedLayerNormalization"})
    rules.emplace(type, as_first);
  return rules;
}

}  // namespace pipedeck::analytic::graph
