// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/about_dialog.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFile>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QIcon>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/session/work/child_process.hpp"
#include "app/ui/help/help_pages.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::help {

namespace {

constexpr int icon_size = 56;

QLabel* selectable(const QString& text) {
  auto* label = new QLabel(text);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setWordWrap(true);
  return label;
}

}  // namespace

AboutDialog::AboutDialog(const QString& commit, const QString& runner, const QString& folder, QWidget* parent)
    : QDialog(parent),
      name_(tr("Pipedeck %1").arg(QCoreApplication::applicationVersion()) +
            (commit.isEmpty() ? QString() : tr(", commit %1").arg(commit))),
      runner_(runner),
      libraries_(libraries_in(folder)),
      list_(new QTreeWidget),
      text_(new QPlainTextEdit),
      copy_(new QPushButton(tr("&Copy for a report"))),
      note_(new QLabel),
      doctor_(new session::work::ChildProcess(this)) {
  setObjectName(QStringLiteral("about"));
  setWindowTitle(tr("About Pipedeck"));
  const QString version = QCoreApplication::applicationVersion(), licences = QStringLiteral(":/help/licences/%1.txt");
  libraries_.insert(libraries_.begin(),
                    {{tr("Pipedeck: core, command line"), version, "Apache-2.0", licences.arg("Apache-2.0")},
                     {tr("Pipedeck: window"), version, "GPL-3.0-or-later", licences.arg("GPL-3.0-or-later")}});

  auto* icon = new QLabel;
  icon->setPixmap(QIcon(QStringLiteral(":/icons/pipedeck.svg")).pixmap(layout::zoomed(icon_size)));
  auto* title = selectable(name_);
  title->setObjectName(QStringLiteral("about_version"));
  title->setFont(views::widgets::title_font(font()));
  auto* words = new QVBoxLayout;
  words->addWidget(title);
  words->addWidget(
      selectable(tr("Plans parallel training of deep networks, compares the plans side by side, and runs "
                    "them on this machine. Free software, without warranty.")));
  auto* head = new QHBoxLayout;
  head->addWidget(icon, 0, Qt::AlignTop);
  head->addSpacing(views::widgets::ThemeSizes::grid);
  head->addLayout(words, 1);

  list_->setObjectName(QStringLiteral("about_libraries"));
  list_->setAccessibleName(tr("Parts with their licences"));
  list_->setHeaderLabels({tr("Part"), tr("Version"), tr("Licence")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  for (const Library& library : libraries_)
    new QTreeWidgetItem(list_, QStringList{library.name, library.version, library.licence});
  for (const int column : {0, 1}) list_->resizeColumnToContents(column);
  text_->setObjectName(QStringLiteral("about_licence"));
  text_->setAccessibleName(tr("Licence"));
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
  QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  fixed.setPointSizeF(views::widgets::caption_font(font()).pointSizeF());  // follows the zoom
  text_->setFont(fixed);
  auto* split = new QSplitter;
  split->addWidget(list_);
  split->addWidget(text_);
  split->setSizes({layout::zoomed(440), layout::zoomed(560)});  // a line of a licence has 80 letters
  connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item) show_licence(libraries_[static_cast<std::size_t>(list_->indexOfTopLevelItem(item))]);
  });
  list_->setCurrentItem(list_->topLevelItem(0));

  copy_->setObjectName(QStringLiteral("about_copy"));
  copy_->setToolTip(tr("Copy what pipedeck-cli doctor prints: versions, libraries and devices"));
  copy_->setAutoDefault(false);
  note_->setObjectName(QStringLiteral("about_note"));
  note_->setWordWrap(true);
  connect(copy_, &QPushButton::clicked, this, &AboutDialog::copy_report);
  connect(doctor_, &session::work::ChildProcess::output_line, this,
          [this](const QByteArray& line) { report_ += QString::fromUtf8(line) + QLatin1Char('\n'); });
  connect(doctor_, &session::work::ChildProcess::ended, this, [this](const session::work::ProcessEnd& end) {
    copy_->setEnabled(true);
    if (!end.started || end.crashed || end.exit_status != 0)
      return note_->setText(tr("pipedeck-cli doctor failed: %1").arg(end.messages));
    QApplication::clipboard()->setText(name_ + QLatin1String("\n\n") + report_);
    note_->setText(tr("Copied. The text names no person, host or folder."));
  });
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* foot = new QHBoxLayout;
  foot->addWidget(copy_);
  foot->addWidget(note_, 1);
  foot->addWidget(buttons);
  auto* column = new QVBoxLayout(this);
  column->addLayout(head);
  column->addWidget(split, 1);
  column->addLayout(foot);
  layout::resize_within_window(*this, QSize(layout::zoomed(1000), layout::zoomed(640)));
}

void AboutDialog::show_licence(const Library& library) {
  QFile file(library.file);
  text_->setPlainText(
      !library.file.isEmpty() && file.open(QIODevice::ReadOnly)
          ? QString::fromUtf8(file.readAll())
          : tr("%1 is under %2.\n\nIts full text comes with the library. The self-contained archive of Pipedeck has it "
               "in the folder LICENSES.")
                .arg(library.name, library.licence));
}

void AboutDialog::copy_report() {
  report_.clear();
  copy_->setEnabled(false);
  note_->setText(tr("Looking at this installation…"));
  doctor_->start(runner_, {QStringLiteral("doctor")});
}

}  // namespace pipedeck::ui::help
