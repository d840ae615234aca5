// SPDX-License-Identifier: Apache-2.0
// Configurations of transformers: which family reads them, what its output layer is, what is refused, and the notes.
#include <QTest>

#include <algorithm>

#include "core/io/huggingface/config.hpp"
#include "core/io/huggingface/expression.hpp"
#include "core/io/huggingface/families.hpp"
#include "core/io/importers.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_families {

using io::huggingface::ReadAs;

Result<ParsedTransformer> read(const std::string& text, const ReadAs& as = ReadAs()) {
  return io::huggingface::transformer_from_hugging_face(text, "x", as);
}

ParsedTransformer understood(const std::string& text, const ReadAs& as = ReadAs()) {
  const auto made = read(text, as);
  if (!made) qFatal("%s", made.error().text().c_str());
  return *made;
}

bool has_note(const ParsedTransformer& model, const std::string& words) {
  return std::ranges::any_of(model.notes, [&](const std::string& note) { return note.find(words) != note.npos; });
}

/// Keys without a family, and definitions for expressions.
class Keys : public io::huggingface::Scope {
 public:
  explicit Keys(const std::string& text) : file_(io::json::parse(text).value()) {}
  const io::json::Value* find(std::string_view key) override { return file_.find(key); }
  io::huggingface::Datum definition(const std::string& name) override { return {name == "hidden" ? 64.0 : 2.0}; }
  void used_default(const std::string& key) override { assumed.push_back(key); }
  void mistake(const io::huggingface::Datum&, std::string_view expected) override { mistakes.emplace_back(expected); }
  std::vector<std::string> assumed, mistakes;

 private:
  io::json::Value file_;
};

const char* const like_llama = R"("hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 100)";

class TestFamilies : public QObject {
  Q_OBJECT

 private slots:
  void expressions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, double value) { QTest::newRow(text) << text << value; };
    row("1 + 2 * 3 - 4 / 3", 6);
    row("(1 + 2) * 3 % 4", 1);
    row("$n ?? 5", 7);
    row("$missing ?? 5", 5);
    row("$nothing ?? 5", 5);
    row("$missing ?? $n ?? 5", 7);
    row("$n > 6 && $n <= 7 ? 1 : 2", 1);
    row("!$off || false ? 3 : 4", 3);
    row("$?nothing && !$?missing ? 1 : 0", 1);
    row("$word == 'abc' ? 1 : 0", 1);
    row("$word[1] == 'b' ? 1 : 0", 1);
    row("$list[1]", 20);
    row("$list[9] ?? 4", 4);
    row("20 in $list ? 1 : 0", 1);
    row("30 in $missing ? 1 : 0", 0);
    row("$object.inner.n", 3);
    row("$object.none.n ?? 8", 8);
    row("count($list, 10) + length($list) + length($word) + length($object)", 9);
    row("min(hidden, 5) + max(1, i)", 8);
    row("starts($word, 'ab') ? 1 : 0", 1);
    row("-$n + 10", 3);
    row("2.5 * 4", 10);
  }
  void expressions() {
    QFETCH(QString, text);
    QFETCH(double, value);
    Keys keys(R"({"n": 7, "nothing": null, "off": false, "word": "abc", "list": [10, 20, 10],
                  "object": {"inner": {"n": 3}}})");
    keys.block = 3;
    const auto found = evaluate(io::huggingface::parse_expression(text.toStdString()), keys);
    QVERIFY(found.number());
    QCOMPARE(*found.number(), value);
    QVERIFY(keys.mistakes.empty());
  }

  void defaults_and_mistakes_are_reported() {
    Keys keys(R"({"word": "abc", "zero": 0})");
    evaluate(io::huggingface::parse_expression("$n ?? 5"), keys);
    evaluate(io::huggingface::parse_expression("$m ?? false"), keys);  // nothing is assumed to be there
    QCOMPARE(keys.assumed, std::vector<std::string>{"n"});
    evaluate(io::huggingface::parse_expression("$word * 2"), keys);
    evaluate(io::huggingface::parse_expression("2 / $zero"), keys);
    QCOMPARE(keys.mistakes.size(), std::size_t{2});
  }

  /// Each family's definitions are known ones, end, and have the kinds of values that they are for.
  void every_family_reads_what_has_usual_keys() {
    for (const std::string& family : io::huggingface::families()) {
      const auto bare = read("{\"model_type\": \"" + family + "\"}");
      const auto usual = read("{\"model_type\": \"" + family + "\", " + like_llama + "}");
      const auto nested = read("{\"model_type\": \"" + family + "\", \"text_config\": {" + like_llama + "}}");
      for (const auto& one : {bare, usual, nested}) {
        if (!one) QVERIFY2(!one.error().message.empty(), family.c_str());
        if (one) QVERIFY2(one->notes.back().starts_with("Read as "), family.c_str());
      }
    }
  }

  /// Keys that several families have are no name of one.
  void keys_of_no_family_are_refused() {
    const auto bare = read("{" + std::string(like_llama) + "}");
    QVERIFY(!bare && bare.error().message.find("--as-llama") != std::string::npos);
    QVERIFY(read("{" + std::string(like_llama) + "}", {.llama = true}).has_value());
    QVERIFY(!io::huggingface::looks_like_hugging_face(io::json::parse(R"({"dim": 4, "n_layers": 2})").value()));
    const auto wrong = read(R"({"dim": "wide", "n_layers": 2, "n_heads": 2})");
    QVERIFY(!wrong && wrong.error().place.find("dim") != std::string::npos);
  }

  void outputs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<OutputHead>("head");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* type, const char* architecture, OutputHead head, const char* said) {
      QTest::newRow(architecture)
          << QString(R"({"model_type": "%1", "architectures": ["%2"], "num_labels": 3})").arg(type, architecture)
          << head << said;
    };
    row("llama", "LlamaForCausalLM", OutputHead::linear, "");
    row("llama", "LLaMAForCausalLM", OutputHead::linear, "");
    row("llama", "LlamaModel", OutputHead::none, "without a loss");
    row("llama", "LlamaForSequenceClassification", OutputHead::classes, "of 3 classes");
    row("llama", "SkyForCausalLM", OutputHead::linear, "Assumed: SkyForCausalLM is built as");
    row("llama", "MistralForCausalLM", OutputHead::linear, "the latter is taken");
    row("kimi_k2", "DeepseekV3ForCausalLM", OutputHead::linear, "");
    row("bert", "BertForMaskedLM", OutputHead::masked_language, "head is that of masked");
    row("bert", "BertModel", OutputHead::none, "without a loss");
    row("t5", "T5EncoderModel", OutputHead::none, "without a loss");
    row("chatglm", "ChatGLMModel", OutputHead::linear, "");
    row("vit", "ViTForImageClassification", OutputHead::classes, "");
  }
  void outputs() {
    QFETCH(QString, text);
    QFETCH(OutputHead, head);
    QFETCH(QString, said);
    const ParsedTransformer model = understood(text.toStdString());
    QCOMPARE(model.config.head, head);
    QVERIFY2(said.isEmpty() || has_note(model, said.toStdString()), model.notes.front().c_str());
    QCOMPARE(model.config.pooler, model.config.family == "bert" && head == OutputHead::none);
    if (model.config.family == "t5") QCOMPARE(model.config.decoder_layers, 0);
  }

  void refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const QString& text, const char* place, const char* words) {
      QTest::newRow(name) << text << place << words;
    };
    row("draft", R"({"model_type": "llama", "architectures": ["LlamaForCausalLMEagle3"]})", "/architectures", "drafts");
    row("draft by its words",
        R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "draft_vocab_size": 9})", "/architectures",
        "drafts");
    row("unknown ending", R"({"model_type": "llama", "architectures": ["LlamaForDreams"]})", "/architectures",
        "expected an architecture that ends");
    row("unknown", R"({"model_type": "dream"})", "/model_type", "docs/formats.md");
    row("unknown like Llama", QString(R"({"model_type": "dream", %1})").arg(like_llama), "/model_type", "--as-llama");
    row("no family, sizes under other names", R"({"architectures": ["LlamaForCausalLM"], "width": 64})", "/hidden_size",
        "whose model_type is not known");
    row("no family at all", R"({"architectures": ["DreamForCausalLM"]})", "/model_type", "found none");
    row("streams", R"({"model_type": "gemma3n", "text_config": {}})", "/text_config", "several streams");
    row("nested", R"({"model_type": "kimi_k25", "text_config": {"hidden_size": 0}})", "/text_config/hidden_size",
        "from 1 to");
    row("heads of a block", R"({"model_type": "mimo_v2_flash", "hidden_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 4, "intermediate_size": 9, "vocab_size": 9, "hybrid_layer_pattern": [1],
        "swa_num_key_value_heads": 3})",
        "/swa_num_key_value_heads", "divides 4 heads");
    row("a text for a number", R"({"model_type": "gemma2", "sliding_window": "wide"})", "/sliding_window",
        "expected a whole number");
    row("a text in arithmetic", R"({"model_type": "roberta", "max_position_embeddings": "514"})",
        "/max_position_embeddings", "expected a number");
    row("a number for a truth", R"({"model_type": "qwen3", "attention_bias": 1.5})", "/attention_bias",
        "expected true or false");
    row("a step of 0", R"({"model_type": "qwen2_moe", "decoder_sparse_step": 0})", "/decoder_sparse_step",
        "other than 0");
    row("experts a token", R"({"model_type": "gpt_oss", "num_experts_per_tok": 200})", "/num_experts_per_tok",
        "at most the 128");
  }
  void refused() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto made = read(text.toStdString());
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(made.error().place), place);
    QVERIFY2(QString::fromStdString(made.error().message).contains(words), made.error().message.c_str());
  }

  /// A model that is taken for Llama has Llama's sizes, and a note.
  void as_llama() {
    const std::string keys = std::string(like_llama) + "}";
    const ParsedTransformer asked = understood("{\"model_type\": \"dream\", " + keys, {.llama = true});
    ParsedTransformer llama = understood("{\"model_type\": \"llama\", " + keys);
    QVERIFY(has_note(asked, "Assumed, as asked (--as-llama): dream is built as Llama"));
    llama.config.family = "dream";
    QCOMPARE(asked.config, llama.config);
    QVERIFY(!read(R"({"model_type": "dream", "width": 64})", {.llama = true}));
  }

  void the_last_note_says_what_was_left_out() {
    const ParsedTransformer model =
        understood(R"({"model_type": "llama", "rope_theta": 1, "vocab_size": 100, "dream_size": 3})");
    QVERIFY2(model.notes.back().starts_with("Read as llama; assumed"), model.notes.back().c_str());
    QVERIFY(model.notes.back().find("hidden_size, num_hidden_layers") != std::string::npos);
    QVERIFY(model.notes.back().ends_with("left out: dream_size"));
    QCOMPARE(model.share.understood, 1);
    QCOMPARE(model.share.without_effect, 2);  // model_type and rope_theta
    QCOMPARE(model.share.left_out, std::vector<std::string>{"dream_size"});
  }

  /// Blocks of several kinds are kept apart; those of one kind are the model's own sizes.
  void kinds_of_blocks() {
    const TransformerConfig mixed = understood(R"({"model_type": "gemma3_text", "num_hidden_layers": 12})").config;
    QCOMPARE(mixed.kinds.size(), std::size_t{2});
    QCOMPARE(mixed.kind_of, (std::vector<int>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
    QCOMPARE(mixed.kinds[0].window, 4096);
    QCOMPARE(mixed.kinds[1].window, 0);
    const TransformerConfig same = understood(R"({"model_type": "mistral"})").config;
    QVERIFY(same.kinds.empty() && same.kind_of.empty());
    QCOMPARE(same.window, 4096);
    const TransformerConfig jamba = understood(R"({"model_type": "jamba"})").config;
    QCOMPARE(std::ranges::count(jamba.kind_of, jamba.kind_of[4]), 4);  // one of eight blocks attends
    QCOMPARE(jamba.experts->dense.size(), std::size_t{16});            // every second one has experts
    QCOMPARE(jamba.experts->dense[1], 2);
  }

  void further_tokens_are_asked_for() {
    const std::string text = R"({"model_type": "deepseek_v3", "num_nextn_predict_layers": 2})";
    QCOMPARE(understood(text).config.multi_token, 0);
    QVERIFY(has_note(understood(text), "--multi-token counts them"));
    QCOMPARE(understood(text, {.multi_token = true}).config.multi_token, 2);
  }

  /// Python writes what JSON lacks.
  void infinity() {
    const auto with = [](const std::string& value) {
      const std::string quoted = "\"a\": \"Infinity \\\" NaN \\\\\"";
      return "{\"model_type\": \"llama\", " + quoted + ", \"time_step_limit\": [0.0, " + value + "]}";
    };
    for (const char* value : {"Infinity", "-Infinity", "NaN"}) {
      QVERIFY(io::detect_file_kind(with(value)).has_value());
      QCOMPARE(understood(with(value)).config, understood(with("null")).config);
    }
    QVERIFY(!read(with("Infinite")));
  }
};

PIPEDECK_TEST(TestFamilies)

}  // namespace pipedeck::tst_families

#include "tst_families.moc"
