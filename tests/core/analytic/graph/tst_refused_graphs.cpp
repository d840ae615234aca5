// SPDX-License-Identifier: Apache-2.0
// ONNX models that can't become profiles, or only partly: the messages, and their places.
#include <cmath>
#include <cstdint>

#include <QTest>

#include "tests/core/analytic/graph/onnx_profiles.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_refused_graphs {

using namespace pipedeck::test;

using Ints = OnnxBuilder::Ints;

/// Declares that `tensor` has rows of 32, one per sample.
void state_rows_of_32(OnnxBuilder& builder, const std::string& tensor) {
  auto* stated = builder.model().mutable_graph()->add_value_info();
  stated->set_name(tensor);
  auto* type = stated->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_param("batch");
  type->mutable_shape()->add_dim()->set_dim_value(32);
}

/// A length as protobuf writes it.
std::string varint(std::size_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  return bytes + static_cast<char>(value);
}

class TestRefusedGraphs : public QObject {
  Q_OBJECT

 private slots:
  void loops_and_branches_are_told() {
    OnnxBuilder b;
    const std::string x = b.node("MatMul", "m", {b.input("x", {"batch", 32}), b.weight("w", {32, 32})});
    const std::string y = b.node("If", "choose", {x});
    auto* branch = b.model().mutable_graph()->mutable_node(1)->add_attribute();
    branch->set_name("then_branch");
    branch->set_type(onnx::AttributeProto::GRAPH);
    branch->mutable_g()->add_node()->set_op_type("Relu");
    b.output(b.node("Relu", "r", {y}));
    const auto refused = profile_of(b, options_for(1));
    QCOMPARE(refused.error().place, std::string("/graph/node/1"));
    QVERIFY2(refused.error().message.starts_with("If 'choose': found a loop or a branch"),
             refused.error().message.c_str());
    state_rows_of_32(b, y);
    const auto made = profile_of(b, options_for(1));
    QVERIFY(made.has_value());
    QVERIFY(std::ranges::any_of(made->notes, [](const std::string& note) {
      return note.starts_with("Loops and branches count only") && note.ends_with("If 'choose' (/graph/node/1)");
    }));
  }

  void unknown_operators_are_bytes_or_told() {
    OnnxBuilder b;
    const std::string x = b.node("MatMul", "m", {b.input("x", {"batch", 32}), b.weight("w", {32, 32})});
    const std::string y = b.node("Mystery", "what", {x});
    b.output(b.node("Relu", "r", {y}));
    const auto refused = profile_of(b, options_for(1));
    QVERIFY(!refused);
    QCOMPARE(refused.error().place, std::string("/graph/node/1"));
    QVERIFY(refused.error().message.find("Mystery 'what'") != std::string::npos);
    state_rows_of_32(b, y);
    const auto made = profile_of(b, options_for(1));
    QVERIFY(made.has_value());
    QVERIFY(std::ranges::any_of(made->notes, [](const std::string& note) {
      return note.find("Without a formula") != std::string::npos && note.find("Mystery (1)") != std::string::npos;
    }));
  }

  /// Graphs of 8-bit products are for inference: the profile has a note and counts them as bytes.
  void quantised_graphs_say_that_they_are_not_trained() {
    for (const char* type : {"QLinearMatMul", "MatMulInteger", "QGemm"}) {
      OnnxBuilder b;
      const std::string x = b.node("MatMul", "m", {b.input("x", {"batch", 32}), b.weight("w", {32, 32})});
      const std::string y = b.node(type, "product", {x});
      b.output(b.node("Relu", "r", {y}));
      state_rows_of_32(b, y);
      const auto made = profile_of(b, options_for(1));
      QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
      const auto told = [](const std::string& note) {
        return note.starts_with("Products of 8-bit numbers: 1") && note.find("inference") != std::string::npos;
      };
      QCOMPARE(std::ranges::count_if(made->notes, told), 1);
    }
  }

  void broken_graphs_are_told_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const OnnxBuilder& b, const char* said) {
      QTest::newRow(name) << QByteArray::fromStdString(b.bytes()) << said;
    };
    OnnxBuilder circle;
    const std::string x = circle.input("x", {1, 4});
    circle.node("Add", "a", {x, "b_0"});
    circle.node("Add", "b", {x, "a_0"});
    row("circle", circle, "/graph/node/0: found Add 'a' in a circle");
    OnnxBuilder lost;
    lost.node("Relu", "r", {"nowhere"});
    row("lost", lost, "/graph/node/0/input: found 'nowhere'");
    OnnxBuilder twice;
    twice.node("Relu", "r", {twice.input("x", {1, 4})});
    twice.node("Relu", "r", {"x"});
    row("twice", twice, "a second tensor 'r_0'");
    OnnxBuilder negative;
    negative.node("Relu", "r", {negative.input("x", {-7, 4})});
    row("negative", negative, "/graph/input/0: found a size of -7");
    OnnxBuilder weights;
    weights.node("MatMul", "m", {weights.input("x", {1, 4}), weights.weight("w", {4, -4})});
    row("negative weights", weights, "/graph/initializer/0: found a size of -4");
    OnnxBuilder large;
    large.node("MatMul", "m", {large.input("x", {1, 4}), large.weight("w", {1LL << 40, 1LL << 40})});
    row("large weights", large, "/graph/initializer/0: found a tensor of more than");
    OnnxBuilder product;
    product.node("MatMul", "m", {product.input("x", {1, 4}), product.weight("w", {5, 4})});
    row("sizes that do not fit", product, "/graph/node/0: MatMul 'm': found 1 x 4 times 5 x 4");
    OnnxBuilder tile;
    tile.node("Tile", "t", {tile.input("x", {1, 4}), tile.integers("n", {INT64_MAX, INT64_MAX})});
    row("repeated without end", tile, "/graph/node/0: Tile 't'");
    OnnxBuilder nan;
    nan.node("Range", "r", {nan.real("a", 0), nan.real("b", 1), nan.real("c", std::nanf(""))});
    row("not a number", nan, "/graph/node/0: Range 'r'");
    OnnxBuilder empty;
    row("nothing", empty, "/graph/node: found no operators");
    OnnxBuilder data;
    data.node("Relu", "r", {data.weight("w", {3})});
    data.model().mutable_graph()->mutable_initializer(0)->set_raw_data("12345");
    row("too few data", data, "/graph/initializer/0: found 5 bytes of data, expected 3 numbers of 4 bytes");
    OnnxBuilder stride;
    stride.node("Conv", "c", {stride.input("x", {1, 1, 8, 8}), stride.weight("w", {1, 1, 3, 3})},
                {{"strides", Ints{0, 1}}});
    row("stride of 0", stride, "/graph/node/0: Conv 'c': found 0 in strides");
  }
  void broken_graphs_are_told() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, said);
    const auto graph = io::onnx::operators_from_onnx(bytes.toStdString(), "x");
    const auto made = graph.and_then([](const OperatorGraph& read) {
      return analytic::graph::graph_profile(read, presets::catalogue_device("A100-80GB").value(), {});
    });
    QVERIFY(!made);
    QCOMPARE(exit_status(made.error().code), 2);
    QVERIFY2(QString::fromStdString(made.error().text()).contains(said), made.error().text().c_str());
  }

  /// A truncated file is an error or a smaller model, and reported as such.
  void files_that_are_cut_off() {
    const std::string whole = test::gpt(1, 8, 1, 20, 16).bytes();
    for (std::size_t length = 3; length < whole.size(); ++length) {
      const std::string part = whole.substr(0, length);
      QVERIFY(io::onnx::looks_like_onnx(part));
      const auto graph = io::onnx::operators_from_onnx(part, "x");
      if (!graph) QCOMPARE(exit_status(graph.error().code), 2);
    }
    QVERIFY(io::onnx::looks_like_onnx(whole));
    QVERIFY(!io::onnx::looks_like_onnx("{\"format\": \"pipedeck.profile\"}"));
    QVERIFY(!io::onnx::looks_like_onnx("SQLite format 3"));
    QVERIFY(!io::onnx::looks_like_onnx(""));
  }

  /// Two bytes an operator, ten million of them: refused by their number, not held.
  void more_operators_than_any_model_has() {
    std::string graph;
    for (int i = 0; i < 10'000'000; ++i) graph += std::string_view("\x0a\x00", 2);
    const std::string head("\x08\x08\x3a", 3);
    const auto read = io::onnx::operators_from_onnx(head + varint(graph.size()) + graph, "x");
    QVERIFY(!read);
    QCOMPARE(read.error().place, std::string("/graph/node/0/op_type"));
    std::string node("\x0a\x08\x22\x04Relu\x12\x00", 10);
    node[1] = 8;
    graph.clear();
    for (int i = 0; i < 3'000'000; ++i) graph += node;
    const auto many = io::onnx::operators_from_onnx(head + varint(graph.size()) + graph, "x");
    QVERIFY(!many);
    QVERIFY2(many.error().message.find("more than 2000000") != std::string::npos, many.error().text().c_str());
  }

  /// Graphs in attributes of attributes: the outermost alone is looked at.
  void nested_bodies_are_not_entered() {
    std::string inner;
    const auto wrapped = [](char tag, const std::string& bytes) { return tag + varint(bytes.size()) + bytes; };
    for (int i = 0; i < 5000; ++i) inner = wrapped(0x0a, wrapped(0x22, "If") + wrapped(0x2a, wrapped(0x32, inner)));
    const auto read = io::onnx::operators_from_onnx(std::string("\x08\x08", 2) + wrapped(0x3a, inner), "x");
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->operators.size(), std::size_t{1});
  }
};

PIPEDECK_TEST(TestRefusedGraphs)

}  // namespace pipedeck::tst_refused_graphs

#include "tst_refused_graphs.moc"
