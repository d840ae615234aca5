// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/dialogs.hpp"

#include <QCoreApplication>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/ui/dialogs/cloud_dialog.hpp"
#include "app/ui/dialogs/layer_table_dialog.hpp"
#include "app/ui/dialogs/machine_dialog.hpp"
#include "app/ui/dialogs/planner_dialog.hpp"
#include "app/ui/dialogs/trace_dialog.hpp"
#include "app/ui/dialogs/training_memory_dialog.hpp"
#include "app/ui/dialogs/transformer_dialog.hpp"

namespace pipedeck::ui::dialogs {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Dialogs)
};

/// Shows a box without its own event loop: jobs continue, and several boxes can be open.
void show_error(QWidget* parent, const QString& title, const QString& words) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, words, QMessageBox::Ok, parent);
  box->setTextFormat(Qt::PlainText);
  box->setTextInteractionFlags(Qt::TextBrowserInteraction);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

/// Shows the box and returns the pressed button. The buttons get the widths of their texts in the window's style, which
/// the box does not know before it is shown.
const QAbstractButton* asked(QMessageBox& box) {
  for (QAbstractButton* button : box.buttons()) {
    button->ensurePolished();
    button->setMinimumWidth(button->sizeHint().width());
  }
  box.exec();
  return box.clickedButton();
}

/// Shows a scrolling page that does not block the window.
void show_page(QWidget* parent, const QString& title, const QString& markdown) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  auto* browser = new QTextBrowser;
  browser->setObjectName(QStringLiteral("help_page"));
  browser->setAccessibleName(title);
  browser->setFrameShape(QFrame::NoFrame);
  browser->setMarkdown(markdown);
  browser->document()->setDocumentMargin(16);
  auto* layout = new QVBoxLayout(dialog);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(browser);
  dialog->resize(1000, 700);
  dialog->show();
}

Unsaved ask_unsaved(QWidget* parent, const QString& project) {
  QMessageBox box(QMessageBox::Question, Words::tr("Unsaved changes"),
                  Words::tr("%1 has changes that are not saved.").arg(project), QMessageBox::NoButton, parent);
  const auto* save = box.addButton(Words::tr("Save"), QMessageBox::AcceptRole);
  const auto* discard = box.addButton(Words::tr("Do not save"), QMessageBox::DestructiveRole);
  box.addButton(QMessageBox::Cancel);
  const QAbstractButton* pressed = asked(box);
  if (pressed == save) return Unsaved::save;
  return pressed == discard ? Unsaved::discard : Unsaved::cancel;
}

bool ask_stop_run(QWidget* parent, const QString& run) {
  QMessageBox box(QMessageBox::Question, Words::tr("A run is active"), Words::tr("%1 is being trained.").arg(run),
                  QMessageBox::NoButton, parent);
  box.setInformativeText(Words::tr("It ends with the window. Its measurements so far are saved in the project."));
  const auto* stop = box.addButton(Words::tr("Stop and close"), QMessageBox::AcceptRole);
  box.addButton(Words::tr("Let it continue"), QMessageBox::RejectRole);
  return asked(box) == stop;
}

bool ask_to_confirm(QWidget* parent, const QString& title, const QString& words, const QString& action) {
  QMessageBox box(QMessageBox::Question, title, words, QMessageBox::NoButton, parent);
  const auto* taken = box.addButton(action, QMessageBox::DestructiveRole);
  box.setDefaultButton(box.addButton(QMessageBox::Cancel));
  return asked(box) == taken;
}

QString when(const QDateTime& time) { return QLocale().toString(time, QLocale::ShortFormat); }

session::Recovery ask_recovery(QWidget* parent, const session::RecoveryRequest& question) {
  const bool named = !question.name.isEmpty();
  QMessageBox box(QMessageBox::Question, Words::tr("Restore unsaved changes"),
                  named ? Words::tr("Pipedeck ended before %1 was saved.").arg(question.name)
                        : Words::tr("Pipedeck ended before a new project was saved."),
                  QMessageBox::NoButton, parent);
  QStringList lines{Words::tr("Changes up to %1 can be restored.").arg(when(question.edited))};
  if (!question.problem.isEmpty()) {
    lines << Words::tr("The saved file cannot be read: %1").arg(question.problem);
  } else if (question.saved) {
    lines << Words::tr("The file was last saved %1.").arg(when(*question.saved))
          << Words::tr("Undo and Redo switch between both until the project is closed.");
  }
  box.setInformativeText(lines.join(QLatin1Char('\n')));
  const auto* restore = box.addButton(Words::tr("Restore changes"), QMessageBox::AcceptRole);
  const auto* saved =
      question.problem.isEmpty()
          ? box.addButton(named ? Words::tr("Open last saved") : Words::tr("Throw away"), QMessageBox::DestructiveRole)
          : nullptr;
  box.addButton(Words::tr("Decide later"), QMessageBox::RejectRole);
  const QAbstractButton* pressed = asked(box);
  if (pressed == restore) return session::Recovery::restore;
  return saved && pressed == saved ? session::Recovery::saved : session::Recovery::later;
}

std::optional<int> ask_micro_batch(QWidget* parent, const QString& file) {
  bool given = false;
  const int samples = QInputDialog::getInt(
      parent, Words::tr("Micro-batch of the profile"),
      Words::tr("%1 does not contain its micro-batch size.\nSamples per forward and backward pass:")
          .arg(QFileInfo(file).fileName()),
      1, 1, 1 << 20, 1, &given);
  return given ? std::optional(samples) : std::nullopt;
}

}  // namespace

namespace {

/// The folders in which files were opened and saved last.
class LastFolders {
 public:
  explicit LastFolders(QSettings* settings) : settings_(settings) {}
  /// Returns the folder if it still exists, else an empty text: Qt then takes the folder of its last dialog.
  QString folder(const QString& purpose) const {
    const QString path = settings_ ? settings_->value(key(purpose)).toString() : QString();
    return QFileInfo(path).isDir() ? path : QString();
  }
  QString remember(const QString& purpose, const QString& file) const {
    if (settings_ && !file.isEmpty()) {
      const QFileInfo chosen(file);
      settings_->setValue(key(purpose), chosen.isDir() ? chosen.absoluteFilePath() : chosen.absolutePath());
    }
    return file;
  }

 private:
  static QString key(const QString& purpose) { return QStringLiteral("dialogs/") + purpose; }
  QSettings* settings_;
};

void add_file_dialogs(Dialogs& dialogs, const LastFolders& last) {
  const QString opened = QStringLiteral("opened_in"), saved = QStringLiteral("saved_in");
  dialogs.open_files = [last, opened](QWidget* parent, const QString& title, const QString& filter) {
    const QStringList files = QFileDialog::getOpenFileNames(parent, title, last.folder(opened), filter);
    last.remember(opened, files.value(0));
    return files;
  };
  dialogs.open_folder = [last, opened](QWidget* parent, const QString& title) {
    return last.remember(opened, QFileDialog::getExistingDirectory(parent, title, last.folder(opened)));
  };
  dialogs.save_file = [last, saved](QWidget* parent, const QString& title, const QString& suggested,
                                    const QString& filter) {
    const QString folder = last.folder(saved);
    const bool placed = folder.isEmpty() || QFileInfo(suggested).isAbsolute();
    const QString start = placed ? suggested : folder + QLatin1Char('/') + suggested;
    return last.remember(saved, QFileDialog::getSaveFileName(parent, title, start, filter));
  };
}

}  // namespace

Dialogs interactive_dialogs(QSettings* settings) {
  Dialogs dialogs;
  add_file_dialogs(dialogs, LastFolders(settings));
  dialogs.micro_batch = ask_micro_batch;
  dialogs.text = [](QWidget* parent, const QString& title, const QString& label,
                    const QString& initial) -> std::optional<QString> {
    bool given = false;
    const QString answer = QInputDialog::getText(parent, title, label, QLineEdit::Normal, initial, &given);
    return given ? std::optional(answer) : std::nullopt;
  };
  dialogs.planning = [](QWidget* parent, const session::project::Planning& now, std::shared_ptr<const Profile> profile,
                        std::shared_ptr<const Cluster> cluster) -> std::optional<session::project::Planning> {
    PlannerDialog dialog(now, std::move(profile), std::move(cluster), parent);
    return dialog.exec() == QDialog::Accepted ? std::optional(dialog.planning()) : std::nullopt;
  };
  dialogs.training_state =
      [](QWidget* parent, const session::project::TrainingState& now,
         std::shared_ptr<const Profile> profile) -> std::optional<session::project::TrainingState> {
    TrainingMemoryDialog dialog(now, std::move(profile), parent);
    return dialog.exec() == QDialog::Accepted ? std::optional(dialog.training_state()) : std::nullopt;
  };
  dialogs.machines = [](QWidget* parent, const session::cluster::MachinePreview& preview) -> std::optional<Cluster> {
    MachineDialog dialog(preview, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.cluster() : std::nullopt;
  };
  dialogs.cloud = [](QWidget* parent) -> std::optional<Cluster> {
    CloudDialog dialog(parent);
    return dialog.exec() == QDialog::Accepted ? dialog.cluster() : std::nullopt;
  };
  dialogs.transformer = [](QWidget* parent,
                           const session::project::TransformerPreview& preview) -> std::optional<Profile> {
    TransformerDialog dialog(preview, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.profile() : std::nullopt;
  };
  dialogs.layer_table = [](QWidget* parent, const session::profile::TablePreview& preview) -> std::optional<Profile> {
    LayerTableDialog dialog(preview, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.profile() : std::nullopt;
  };
  dialogs.trace = [](QWidget* parent,
                     const session::profile::TracePreview& preview) -> std::optional<session::profile::TraceAnswer> {
    TraceDialog dialog(preview, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.answer() : std::nullopt;
  };
  dialogs.confirm = ask_to_confirm;
  dialogs.unsaved = ask_unsaved;
  dialogs.stop_run = ask_stop_run;
  dialogs.recovery = ask_recovery;
  dialogs.error = show_error;
  dialogs.page = show_page;
  return dialogs;
}

}  // namespace pipedeck::ui::dialogs
