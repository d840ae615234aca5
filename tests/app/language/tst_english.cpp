// SPDX-License-Identifier: GPL-3.0-or-later
// In English every text stays as it was written.
#include <QTest>

#include "app/language/core_text.hpp"
#include "app/language/core_texts.hpp"
#include "app/language/language.hpp"
#include "app/models/format.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

class TestEnglish : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { install_language(*QCoreApplication::instance(), QStringLiteral("en")); }

  void theCoresSentencesStay() {
    QVERIFY(core_texts().size() > 500);
    for (const char* text : core_texts()) QCOMPARE(core_text(QString::fromUtf8(text)), QString::fromUtf8(text));
  }
  void errorsAreAsTheCommandLineSaysThem() {
    const Error error{ErrorCode::bad_input, "found -1, expected a finite number from 0 to 5", "bert.profile.json",
                      "/layers/3/forward_ms"};
    QCOMPARE(core_text(error), QString::fromStdString(error.text()));
    const Error of_no_file{error.code, error.message, {}, error.place};
    QCOMPARE(core_text(of_no_file), QString::fromStdString(error.message));
  }
  void figuresHaveAPoint() {
    QCOMPARE(decimal(0.5, 1), QStringLiteral("0.5"));
    QCOMPARE(format_bytes(Bytes(12025908429)), QStringLiteral("11.2\u00a0GiB"));
  }
  void aLanguageThatIsNotThereIsEnglish() {
    QCOMPARE(language_for(QStringLiteral("de")), QStringLiteral("de"));
    QVERIFY(languages().contains(language_for(QStringLiteral("tlh"))));
  }
};

QTEST_GUILESS_MAIN(TestEnglish)
#include "tst_english.moc"
