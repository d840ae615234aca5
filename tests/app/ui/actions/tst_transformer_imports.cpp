// SPDX-License-Identifier: GPL-3.0-or-later
// Published configurations on their way into the window: opened as any file, shown with their formulas, one step of
// undo.
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableWidget>
#include <QUrl>

#include "app/ui/dialogs/transformer_dialog.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_transformer_imports {

using namespace pipedeck::test;

QString fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/") + QLatin1String(name); }

/// Nothing of this goes through the window system, which has no drags in tests.
void drop_on(ui::window::MainWindow& window, const QString& file) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &enter);
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &event);
}

QString onnx_fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/onnx/") + QLatin1String(name); }

template <class T>
T& part(const ui::dialogs::TransformerDialog& dialog, const char* name) {
  return *dialog.findChild<T*>(QLatin1String(name));
}

class TestTransformerImports : public QObject {
  Q_OBJECT

 private slots:
  void a_file_becomes_a_profile_in_one_step() {
    WindowFixture window;
    window.session().open_sample();
    const auto profiles = window.state().profiles.size();
    window.window->open_files({fixture("llama-3-8b.config.json")});
    QVERIFY(window.errors.isEmpty());
    QCOMPARE(window.state().profiles.size(), profiles + 1);
    QCOMPARE(session::project::find_profile(window.state(), window.state().question.profile)->profile->name,
             std::string("llama-3-8b"));
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import llama-3-8b"));
    window.trigger("action_undo");
    QCOMPARE(window.state().profiles.size(), profiles);
    window.answers.transformer = false;
    window.window->open_files({fixture("gpt2.config.json")});
    QCOMPARE(window.state().profiles.size(), profiles);
  }

  /// A transformer of the catalogue is shown like a file's, for the devices of the cluster that is asked about.
  void presets_of_the_model_box_are_shown_first() {
    WindowFixture window;
    window.session().open_sample();
    auto* box = window.window->findChild<QComboBox*>("profile_box");
    const auto pick = [&] {
      box->setCurrentIndex(box->findText("Llama 3 8B"));
      emit box->activated(box->currentIndex());
    };
    const QString before = box->currentText();
    window.answers.transformer = false;
    pick();
    QVERIFY(!window.session().can_undo());
    QCOMPARE(box->currentText(), before);
    window.answers.transformer = true;
    pick();
    const Profile& profile = *session::project::find_profile(window.state(), window.state().question.profile)->profile;
    QCOMPARE(profile.name, std::string("Llama 3 8B"));
    QCOMPARE(profile.device, window.session().problem()->cluster->device_types.front().name);
    QCOMPARE(box->currentText(), QStringLiteral("Llama 3 8B"));
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import Llama 3 8B"));
    QVERIFY(window.errors.isEmpty());
  }

  void broken_files_are_told() {
    WindowFixture window;
    window.session().open_sample();
    QFile file(window.path("broken.json"));
    QVERIFY(file.open(QFile::WriteOnly));
    file.write(R"({"model_type": "gpt2", "n_head": 7})");
    file.close();
    window.window->open_files({file.fileName()});
    QCOMPARE(window.errors.size(), 1);
    QVERIFY2(window.errors.first().contains("/n_head"), qPrintable(window.errors.first()));
    QVERIFY(!window.session().can_undo());
  }

  void the_dialog_follows_its_answers() {
    ui::dialogs::TransformerDialog dialog(session::project::transformer_in(fixture("gpt2.config.json")).value());
    const auto kept = [&] { return dialog.profile()->layers[1].saved.count; };
    auto& sequence = part<QSpinBox>(dialog, "transformer_sequence");
    auto& ok = *dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QCOMPARE(sequence.value(), 1024);
    QCOMPARE(dialog.profile()->name, std::string("gpt2"));
    const auto fused = kept();
    auto& attention = part<QComboBox>(dialog, "transformer_attention");
    attention.setCurrentIndex(1);  // computed again: not even the row sums of a fused kernel
    QVERIFY(kept() < fused);
    attention.setCurrentIndex(2);
    QVERIFY(kept() > fused);
    part<QCheckBox>(dialog, "transformer_dropout").setChecked(false);
    const auto without = kept();
    part<QSpinBox>(dialog, "transformer_micro_batch").setValue(4);
    QCOMPARE(kept(), 4 * without);
    part<QLineEdit>(dialog, "transformer_name").setText("mine");
    QCOMPARE(dialog.profile()->name, std::string("mine"));
    sequence.setValue(1025);  // GPT-2 has 1024 positions
    QVERIFY(!dialog.profile());
    QVERIFY(!ok.isEnabled());
    QVERIFY(part<QLabel>(dialog, "transformer_summary").text().contains("1024"));
    sequence.setValue(512);
    QVERIFY(ok.isEnabled());
  }

  void weights_stored_in_few_bits_are_a_note() {
    QTemporaryDir directory;
    const QString path = directory.filePath("config.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"model_type": "deepseek_v3", "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"}})");
    file.close();
    const auto preview = session::project::transformer_in(path);
    QVERIFY(preview.has_value());
    ui::dialogs::TransformerDialog dialog(*preview);
    const auto& notes = part<QListWidget>(dialog, "transformer_notes");
    QCOMPARE(notes.findItems("stored in fp8", Qt::MatchContains).size(), 1);
  }

  /// The shared dialog: a graph has no attention settings, but its open sizes.
  void an_onnx_model_asks_for_its_open_sizes() {
    const auto preview = session::project::transformer_in(onnx_fixture("tokens.onnx"));
    QVERIFY(preview.has_value());
    ui::dialogs::TransformerDialog dialog(*preview);
    dialog.show();
    QVERIFY(!part<QComboBox>(dialog, "transformer_attention").isVisible());
    QVERIFY(!part<QSpinBox>(dialog, "transformer_sequence").isVisible());
    auto& size = part<QSpinBox>(dialog, "transformer_size_0");
    QVERIFY(size.isVisible());
    QVERIFY(!dialog.profile());  // 128 are more than the 16 positions
    QVERIFY(!part<QLabel>(dialog, "transformer_summary").text().isEmpty());
    size.setValue(16);
    QVERIFY(dialog.profile().has_value());
    const auto kept = dialog.profile()->layers[1].saved.count;
    part<QSpinBox>(dialog, "transformer_micro_batch").setValue(4);
    QCOMPARE(dialog.profile()->layers[1].saved.count, 4 * kept);
    QVERIFY(part<QListWidget>(dialog, "transformer_formulas").count() > 0);
    QVERIFY(!part<QListWidget>(dialog, "transformer_notes").findItems("560 parameters", Qt::MatchContains).isEmpty());
  }

  void an_onnx_model_becomes_a_profile_in_one_step() {
    WindowFixture window;
    window.session().open_sample();
    const auto profiles = window.state().profiles.size();
    window.window->open_files({onnx_fixture("pictures.onnx")});
    QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
    QCOMPARE(window.state().profiles.size(), profiles + 1);
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import pictures"));
    window.trigger("action_undo");
    QCOMPARE(window.state().profiles.size(), profiles);
  }

  /// Dropped on the window: what was understood and assumed is shown, with the operators of ONNX Runtime's optimizer
  /// among the formulas; then it is a profile, in one step.
  void an_onnx_model_is_dropped() {
    WindowFixture window;
    window.session().open_sample();
    const auto profiles = window.state().profiles.size();
    drop_on(*window.window, onnx_fixture("gpt2-runtime.onnx"));
    QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
    QCOMPARE(window.state().profiles.size(), profiles + 1);
    QCOMPARE(session::project::find_profile(window.state(), window.state().question.profile)->profile->name,
             std::string("gpt2-runtime"));
    window.trigger("action_undo");
    QCOMPARE(window.state().profiles.size(), profiles);

    ui::dialogs::TransformerDialog dialog(session::project::transformer_in(onnx_fixture("gpt2-runtime.onnx")).value());
    auto& notes = part<QListWidget>(dialog, "transformer_notes");
    for (const char* said :
         {"124\u00a0439\u00a0808 parameters", "113 operators", "'batch' is taken for the micro-batch", "no loss"})
      QVERIFY2(!notes.findItems(said, Qt::MatchContains).isEmpty(), said);
    auto& layers = part<QTableWidget>(dialog, "transformer_layers");
    layers.setCurrentCell(2, 0);
    auto& formulas = part<QListWidget>(dialog, "transformer_formulas");
    for (const char* said : {"scores: 2 x ", "row sums: 4 x ", "TFLOP/s x 77 %"})
      QVERIFY2(!formulas.findItems(said, Qt::MatchContains).isEmpty(), said);
  }

  /// Errors have file, place and name, before there is anything to add.
  void onnx_models_that_cannot_be_taken_are_told() {
    WindowFixture window;
    window.session().open_sample();
    QFile whole(onnx_fixture("gpt2-runtime.onnx"));
    QVERIFY(whole.open(QFile::ReadOnly));
    const QByteArray bytes = whole.readAll();
    const auto dropped = [&](const char* name, const QByteArray& content) {
      QFile file(window.path(name));
      if (!file.open(QFile::WriteOnly)) qFatal("not written");
      file.write(content);
      file.close();
      return file.fileName();
    };
    drop_on(*window.window, dropped("cut.onnx", bytes.left(bytes.size() / 2)));
    QCOMPARE(window.errors.size(), 1);
    QVERIFY2(window.errors.first().contains("cut.onnx") && window.errors.first().contains("cut off"),
             qPrintable(window.errors.first()));
    QByteArray unknown = bytes;
    unknown.replace("FastGelu", "FastGulp");  // as long: lengths in the file stay right
    ui::dialogs::TransformerDialog dialog(session::project::transformer_in(dropped("unknown.onnx", unknown)).value());
    const auto& summary = part<QLabel>(dialog, "transformer_summary");
    QVERIFY2(summary.text().contains("com.microsoft.FastGulp '/h.0.mlp/FastGulp'") &&
                 summary.text().startsWith("unknown.onnx: /graph/node/"),
             qPrintable(summary.text()));
    QVERIFY(!dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
    QVERIFY(!window.session().can_undo());
  }

  void precisions_are_the_device_types() {
    ui::dialogs::TransformerDialog dialog(session::project::transformer_in(fixture("gpt2.config.json")).value());
    auto& precision = part<QComboBox>(dialog, "transformer_precision");
    QCOMPARE(precision.currentText(), QStringLiteral("bf16"));
    part<QComboBox>(dialog, "transformer_device").setCurrentText("V100-16GB");
    QCOMPARE(precision.currentText(), QStringLiteral("fp16"));
    QCOMPARE(precision.findText("bf16"), -1);
    QCOMPARE(dialog.profile()->device, std::string("V100-16GB"));
  }

  void every_layer_has_its_formulas() {
    ui::dialogs::TransformerDialog dialog(
        session::project::transformer_in(fixture("mixtral-8x7b.config.json")).value());
    auto& layers = part<QTableWidget>(dialog, "transformer_layers");
    auto& formulas = part<QListWidget>(dialog, "transformer_formulas");
    QCOMPARE(layers.rowCount(), static_cast<int>(dialog.profile()->layers.size()));
    for (int row = 0; row < layers.rowCount(); ++row) {
      layers.setCurrentCell(row, 0);
      QVERIFY(formulas.count() > 0);
    }
    layers.setCurrentCell(2, 0);
    QCOMPARE(layers.item(2, 0)->text(), QStringLiteral("block_0.experts"));
    QVERIFY(!formulas.findItems("experts in", Qt::MatchContains).isEmpty());
  }

  /// A layer with more formulas than the list has room for: its bar takes width, lines break before it.
  void formulas_end_at_the_lists_edge() {
    ui::dialogs::TransformerDialog dialog(
        session::project::transformer_in(fixture("mixtral-8x7b.config.json")).value());
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    auto& formulas = part<QListWidget>(dialog, "transformer_formulas");
    for (const int row : {2, 0, 1, 2}) {
      part<QTableWidget>(dialog, "transformer_layers").setCurrentCell(row, 0);
      const auto past_the_edge = [&] {
        return formulas.visualItemRect(formulas.item(0)).right() > formulas.viewport()->rect().right();
      };
      QTRY_VERIFY(!past_the_edge());  // lines are laid out again once the bar stands
      QVERIFY(!formulas.horizontalScrollBar()->isVisible());
      for (int i = 0; i < formulas.count(); ++i) {
        const QRect line = formulas.visualItemRect(formulas.item(i));
        QVERIFY2(line.right() <= formulas.viewport()->rect().right(), qPrintable(formulas.item(i)->text()));
        QStyleOptionViewItem option;
        option.initFrom(&formulas);
        option.rect = line;
        option.features = QStyleOptionViewItem::WrapText | QStyleOptionViewItem::HasDisplay;
        option.text = formulas.item(i)->text();
        const int margin = formulas.style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1;
        const QRect room = formulas.style()
                               ->subElementRect(QStyle::SE_ItemViewItemText, &option, &formulas)
                               .adjusted(margin, 0, -margin, 1000);
        const QRect words =
            QFontMetrics(formulas.font()).boundingRect(room, Qt::TextWordWrap, formulas.item(i)->text());
        QVERIFY2(words.height() <= line.height(), qPrintable(formulas.item(i)->text()));
      }
    }
    QVERIFY(formulas.verticalScrollBar()->maximum() > 0);
  }

  /// Names of a file's operators may be longer than the list is wide: a tip has them whole.
  void long_names_are_in_tips() {
    ui::dialogs::TransformerDialog dialog(session::project::transformer_in(onnx_fixture("gpt2-runtime.onnx")).value());
    part<QSpinBox>(dialog, "transformer_size_0").setValue(64);
    auto& formulas = part<QListWidget>(dialog, "transformer_formulas");
    QVERIFY(formulas.count() > 0);
    for (int i = 0; i < formulas.count(); ++i) QCOMPARE(formulas.item(i)->toolTip(), formulas.item(i)->text());
  }
};

PIPEDECK_WINDOW_TEST(TestTransformerImports)

}  // namespace pipedeck::tst_transformer_imports

#include "tst_transformer_imports.moc"
