// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide as Help shows it: from the program itself, every link and picture in it there.
#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QDir>
#include <QImageReader>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTreeWidget>

#include "app/ui/help/help_browser.hpp"
#include "app/ui/help/help_pages.hpp"
#include "app/ui/help/help_window.hpp"
#include "app/ui/layout/picture.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_help {

using namespace pipedeck::test;

class TestHelp : public QObject {
  Q_OBJECT

 private:
  QList<QUrl> outside_;
  std::unique_ptr<ui::help::HelpWindow> window_;

  static QStringList targets_in(const QString& markdown) {
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)\\s]+)\\)"));
    QStringList targets;
    for (auto it = link.globalMatch(markdown); it.hasNext();) targets << it.next().captured(1);
    return targets;
  }
  void follow(const QString& link) const { emit window_->browser().anchorClicked(QUrl(link)); }

  /// Returns the blocks that end right of the view, one a line. It lays out the whole page; the view does so bit by
  /// bit.
  QString too_wide() const {
    const QTextDocument& page = *window_->browser().document();
    QStringList blocks;
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next())
      if (!block.text().isEmpty() &&
          page.documentLayout()->blockBoundingRect(block).right() > window_->browser().viewport()->width())
        blocks << window_->file() + ": " + block.text();
    return blocks.join('\n');
  }

 private slots:
  void init() {
    outside_.clear();
    window_ = std::make_unique<ui::help::HelpWindow>([this](const QUrl& url) { outside_ << url; });
    window_->show_page("user-guide.md");
    window_->show();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::qWait(200);  // set out for its width
  }

  void f1_opens_the_chapter_of_the_page() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.trigger("action_page_run");
    fixture.trigger("action_user_guide");
    auto* help = fixture.window->findChild<ui::help::HelpWindow*>();
    QVERIFY(help && help->isVisible());
    QCOMPARE(help->file(), QString("user-guide.md"));
    QTRY_COMPARE(help->heading(), QString("4. Run"));
    QTest::keyClick(help, Qt::Key_Escape);
    QVERIFY(!help->isVisible());
  }

  void every_page_is_there() {
    for (const ui::help::HelpPage& page : ui::help::help_pages()) {
      QVERIFY2(ui::help::help_text(page.file).size() > 1000, qPrintable(page.file));
      window_->show_page(page.file);
      QVERIFY2(!ui::help::headings_of(*window_->browser().document()).empty(), qPrintable(page.file));
    }
  }

  /// In the guide itself: the named chapters and pictures exist.
  void links_and_pictures_lead_somewhere() {
    for (const QString& target : targets_in(ui::help::help_text("user-guide.md"))) {
      const QUrl url(target);
      if (!url.scheme().isEmpty()) continue;
      if (target.startsWith("pictures/")) {
        QVERIFY2(QImageReader(":/help/" + target).canRead(), qPrintable(target));
        continue;
      }
      const QString file = url.path().isEmpty() ? QString("user-guide.md") : url.path().section('/', -1);
      QVERIFY2(!ui::help::help_text(file).isEmpty(), qPrintable(target));
      if (!url.hasFragment()) continue;
      QTextDocument document;
      document.setMarkdown(ui::help::help_text(file));
      const auto headings = ui::help::headings_of(document);
      QVERIFY2(std::ranges::any_of(headings, [&](const ui::help::HelpHeading& h) { return h.slug == url.fragment(); }),
               qPrintable(target));
    }
  }

  /// Also in the source's folder, where Qt finds pictures as files if the pages do not have them.
  void every_page_fits_its_width() {
    QDir::setCurrent(QString::fromStdString(source_dir()));
    for (const int width : {1180, 700}) {
      window_->resize(width, 800);
      for (const ui::help::HelpPage& page : ui::help::help_pages()) {
        window_->show_page(page.file);
        QTest::qWait(300);  // set out for its width
        QCOMPARE(too_wide(), QString());
      }
    }
  }

  void pictures_are_drawn_no_wider_than_the_page() {
    for (const int width : {1180, 700}) {
      window_->resize(width, 800);
      QTest::qWait(300);
      int pictures = 0;
      const QTextDocument& document = *window_->browser().document();
      for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
          const QTextImageFormat format = it.fragment().charFormat().toImageFormat();
          if (!format.isValid() || format.name().isEmpty()) continue;
          const QImage shown = document.resource(QTextDocument::ImageResource, QUrl(format.name())).value<QImage>();
          QVERIFY2(!shown.isNull(), qPrintable(format.name()));
          QVERIFY2(shown.width() / shown.devicePixelRatio() <= window_->browser().viewport()->width(),
                   qPrintable(format.name()));
          ++pictures;
        }
      }
      QVERIFY(pictures >= 10);
    }
  }

  void links_are_followed_and_gone_back_from() {
    follow("simulator.md#schedules");
    QCOMPARE(window_->file(), QString("simulator.md"));
    QCOMPARE(window_->heading(), QString("Schedules"));
    window_->findChild<QAction*>("help_back")->trigger();
    QCOMPARE(window_->file(), QString("user-guide.md"));
    window_->findChild<QAction*>("help_forward")->trigger();
    QCOMPARE(window_->file(), QString("simulator.md"));
    QVERIFY(outside_.isEmpty());
    follow("https://ui.perfetto.dev");
    QCOMPARE(outside_, (QList<QUrl>{QUrl("https://ui.perfetto.dev")}));
    follow("../core/sim/engine/engine.cpp");  // no page: a message, nothing opened
    QCOMPARE(window_->file(), QString("simulator.md"));
    QCOMPARE(outside_.size(), 1);
  }

  void contents_lead_to_headings() {
    auto* contents = window_->findChild<QTreeWidget*>("help_contents");
    QTreeWidgetItem* guide = contents->topLevelItem(0);
    QVERIFY(guide->childCount() >= 5);
    QTreeWidgetItem* files = nullptr;
    for (int i = 0; i < guide->childCount(); ++i)
      if (guide->child(i)->text(0).contains("Files")) files = guide->child(i);
    QVERIFY(files);
    emit contents->itemActivated(files, 0);
    QCOMPARE(window_->heading(), files->text(0));
    QCOMPARE(contents->currentItem(), files);
    const auto planners = [&] { return contents->findItems("Planners", Qt::MatchExactly); };
    QCOMPARE(planners().size(), 1);
    emit contents->itemActivated(planners().front(), 0);
    QCOMPARE(window_->file(), QString("planners.md"));
    QVERIFY(planners().front()->childCount() > 0);
  }

  void search_goes_through_all_pages() {
    auto* field = window_->findChild<QLineEdit*>("help_search");
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    QTRY_COMPARE(QApplication::focusWidget(), field);
    QTest::keyClicks(field, "critical path");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(window_->file(), QString("user-guide.md"));
    QCOMPARE(window_->browser().textCursor().selectedText().toLower(), QString("critical path"));
    const int first = window_->browser().textCursor().position();
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(window_->browser().textCursor().position() != first || window_->file() != "user-guide.md");
    field->setText("bucket");  // not in the guide's text alone
    for (int i = 0; i < 20 && window_->file() == "user-guide.md"; ++i) QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(window_->file() != "user-guide.md");
    field->setText("no such words anywhere");
    QTest::keyClick(field, Qt::Key_Return);
    const auto labels = window_->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) { return label->text().contains("was not found"); }));
  }

  void drawn() {
    window_->show_page("user-guide.md", "2-compare");
    QTest::qWait(300);
    QCOMPARE(ui::layout::write_picture(*window_, pictures_folder() + "help.png"), QString());
  }
};

PIPEDECK_WINDOW_TEST(TestHelp)

}  // namespace pipedeck::tst_help

#include "tst_help.moc"
