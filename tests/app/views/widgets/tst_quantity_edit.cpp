// SPDX-License-Identifier: GPL-3.0-or-later
// The field typed into as a user does.
#include <memory>

#include <QLocale>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/theme.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_quantity_edit {

class TestQuantityEdit : public QObject {
  Q_OBJECT

  std::unique_ptr<QWidget> window_;
  views::widgets::QuantityEdit* field_ = nullptr;
  QLineEdit* other_ = nullptr;

  void type(const char* text) {
    field_->setFocus();
    field_->selectAll();
    QTest::keyClicks(field_, QString::fromUtf8(text));
  }

 private slots:
  void init() {
    window_ = std::make_unique<QWidget>();
    auto* layout = new QVBoxLayout(window_.get());
    field_ = new views::widgets::QuantityEdit(QuantityKind::rate, QStringLiteral("GB/s"));
    field_->set_range(0, 1e15, true);
    field_->set_value(130e9);
    other_ = new QLineEdit;
    layout->addWidget(field_);
    layout->addWidget(other_);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }

  void showsTheFigure() { QCOMPARE(field_->text(), QStringLiteral("130\u00a0GB/s")); }

  void readsUnits_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("value");
    QTest::newRow("bits") << QByteArray("25 Gbit/s") << 3.125e9;
    QTest::newRow("bytes") << QByteArray("3.1 GB/s") << 3.1e9;
    QTest::newRow("without a unit") << QByteArray("12") << 12e9;
  }
  void readsUnits() {
    QFETCH(QByteArray, text);
    QFETCH(double, value);
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    type(text.constData());
    QVERIFY(edited.isEmpty());
    QTest::keyClick(field_, Qt::Key_Return);
    QCOMPARE(edited.size(), 1);
    QCOMPARE(*field_->value(), value);
    QTest::keyClick(field_, Qt::Key_Return);
    QCOMPARE(edited.size(), 1);
  }

  void readsCommaAndPointAndShowsTheSignOfTheLocale() {
    const QLocale before;
    const auto put_back = qScopeGuard([&] { QLocale::setDefault(before); });
    QLocale::setDefault(QLocale(QLocale::German));
    for (const char* text : {"3,1 GB/s", "3.1 GB/s"}) {
      field_->set_value(1e9);
      type(text);
      QTest::keyClick(field_, Qt::Key_Return);
      QCOMPARE(*field_->value(), 3.1e9);
      QCOMPARE(field_->text(), QStringLiteral("3,10\u00a0GB/s"));
    }
    views::widgets::QuantityEdit price(QuantityKind::number);
    price.set_value(3.06);
    QCOMPARE(price.text(), QStringLiteral("3,06"));
    QCOMPARE(models::format_bytes(Bytes(12025908429)), QStringLiteral("11,2\u00a0GiB"));
  }

  void saysWhatIsWrong() {
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    type("5 GB");
    QVERIFY(field_->problem().contains(QStringLiteral("expected a bandwidth")));
    QTest::keyClick(field_, Qt::Key_Return);
    QCOMPARE(field_->text(), QStringLiteral("5 GB"));
    type("0");
    QVERIFY(field_->problem().contains(QStringLiteral("more than")));
    other_->setFocus();
    QVERIFY(edited.isEmpty());
    // Nothing is dropped in silence: the text stays, with its reason.
    QCOMPARE(field_->text(), QStringLiteral("0"));
    QVERIFY(field_->toolTip().contains(QStringLiteral("more than")));
    QVERIFY(field_->styleSheet().contains(views::widgets::Theme::of(field_->palette()).bad.name()));
    field_->setFocus();
    QTest::keyClick(field_, Qt::Key_Escape);
    QVERIFY(field_->problem().isEmpty() && field_->toolTip().isEmpty() && field_->styleSheet().isEmpty());
    QCOMPARE(field_->text(), QStringLiteral("130\u00a0GB/s"));
  }

  void leavingTakesWhatWasTyped() {
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    type("7");
    other_->setFocus();
    QCOMPARE(edited.size(), 1);
    QCOMPARE(*field_->value(), 7e9);
  }

  void escapePutsBack() {
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    type("7");
    QTest::keyClick(field_, Qt::Key_Escape);
    other_->setFocus();
    QVERIFY(edited.isEmpty());
    QCOMPARE(*field_->value(), 130e9);
  }

  void arrowsStep() {
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    field_->setFocus();
    QTest::keyClick(field_, Qt::Key_Up);
    QCOMPARE(*field_->value(), 143e9);
    QTest::keyClick(field_, Qt::Key_Down);
    QCOMPARE(edited.size(), 2);
  }

  void anOptionalFigureMayBeEmpty() {
    field_->set_optional(QStringLiteral("not known"));
    QSignalSpy edited(field_, &views::widgets::QuantityEdit::edited);
    field_->setFocus();
    field_->selectAll();
    QTest::keyClick(field_, Qt::Key_Delete);
    QTest::keyClick(field_, Qt::Key_Return);
    QCOMPARE(edited.size(), 1);
    QVERIFY(!field_->value());
  }

  void wholeNumbersOnly() {
    views::widgets::QuantityEdit count(QuantityKind::number, {}, window_.get());
    count.set_whole(true);
    count.set_range(1, 64);
    count.set_value(8);
    count.show();
    count.setFocus();
    count.selectAll();
    QTest::keyClicks(&count, QStringLiteral("2.5"));
    QVERIFY(!count.problem().isEmpty());
    count.selectAll();
    QTest::keyClicks(&count, QStringLiteral("65"));
    QVERIFY(count.problem().contains(QStringLiteral("at most 64")));
    QTest::keyClick(&count, Qt::Key_Escape);
    QTest::keyClick(&count, Qt::Key_Up);
    QCOMPARE(*count.value(), 9.0);
  }
};

PIPEDECK_WINDOW_TEST(TestQuantityEdit)

}  // namespace pipedeck::tst_quantity_edit

#include "tst_quantity_edit.moc"
