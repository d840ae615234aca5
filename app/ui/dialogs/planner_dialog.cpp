// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/planner_dialog.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <limits>

#include "app/text/in_qt.hpp"
#include "app/ui/layout/dialog_size.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::ui::dialogs {

namespace {

constexpr int list_width = 200;
constexpr int most = 1 << 20;

/// Returns "Min slice" for "min-slice".
QString caption_of(const planner::OptionInfo& option) {
  QString caption = text::to_qstring(option.name).replace('-', ' ');
  if (!caption.isEmpty()) caption[0] = caption[0].toUpper();
  return caption;
}

QString help_of(const planner::OptionInfo& option) {
  return QStringLiteral("%1\n--%2").arg(text::to_qstring(option.help), text::to_qstring(option.name));
}

QString layers_text(const PlanConstraints& pins, const Profile* profile) {
  QStringList pairs;
  for (const auto& [layer, device] : pins.layers) {
    const bool named = profile && layer.index() < profile->layers.size();
    pairs << QStringLiteral("%1=%2")
                 .arg(named ? text::to_qstring(profile->layers[layer.index()].name) : QString::number(layer.value))
                 .arg(device.value);
  }
  return pairs.join(QStringLiteral(", "));
}

std::optional<LayerId> find_layer(const Profile& profile, const QString& name) {
  for (std::size_t i = 0; i < profile.layers.size(); ++i)
    if (text::to_qstring(profile.layers[i].name) == name) return LayerId(i);
  bool number = false;
  const int position = name.toInt(&number);
  return number ? std::optional(LayerId(position)) : std::nullopt;
}

}  // namespace

PlannerDialog::PlannerDialog(session::project::Planning planning, std::shared_ptr<const Profile> profile,
                             std::shared_ptr<const Cluster> cluster, QWidget* parent)
    : QDialog(parent), planning_(std::move(planning)), profile_(std::move(profile)), cluster_(std::move(cluster)) {
  setWindowTitle(tr("Planners and options"));
  auto* column = new QVBoxLayout(this);
  column->addWidget(make_pins());
  column->addWidget(make_planners(), 1);
  problem_ = new QLabel;
  problem_->setObjectName(QStringLiteral("planning_problem"));
  problem_->setWordWrap(true);
  column->addWidget(problem_);
  buttons_ = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons_->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
          &PlannerDialog::restore_defaults);
  column->addWidget(buttons_);
  layout::resize_within_window(*this, {820, 560});
  check_all();
}

session::project::Planning PlannerDialog::planning() const {
  session::project::Planning planning = planning_;
  std::erase_if(planning.planners, [](const auto& entry) { return entry.second == session::project::PlannerChoice(); });
  return planning;
}

QSpinBox* PlannerDialog::degree_box(std::optional<int> PlanConstraints::*degree, const char* name) {
  auto* box = new QSpinBox;
  box->setObjectName(QLatin1String(name));
  box->setRange(0, most);
  box->setSpecialValueText(tr("any"));
  box->setValue((planning_.pins.*degree).value_or(0));
  connect(box, &QSpinBox::valueChanged, this, [this, degree](int value) {
    planning_.pins.*degree = value > 0 ? std::optional(value) : std::nullopt;
    check_all();
  });
  return box;
}

QGroupBox* PlannerDialog::make_pins() {
  auto* group = new QGroupBox(tr("Every plan must have"));
  auto* form = new QFormLayout(group);
  auto* row = new QHBoxLayout;
  const auto add = [&](const QString& caption, QSpinBox* box, const QString& help) {
    auto* label = new QLabel(caption);
    label->setBuddy(box);
    box->setToolTip(help);
    row->addWidget(label);
    row->addWidget(box);
    row->addSpacing(12);
  };
  add(tr("&stages"), degree_box(&PlanConstraints::stages, "pin_stages"), tr("Exact number of stages (--pp)"));
  add(tr("at &most"), degree_box(&PlanConstraints::max_stages, "pin_max_stages"),
      tr("Maximum number of stages (--max-stages)"));
  add(tr("&replicas"), degree_box(&PlanConstraints::replicas, "pin_replicas"), tr("Replicas of every stage (--dp)"));
  add(tr("&tensor parallelism"), degree_box(&PlanConstraints::tensor_parallel, "pin_tensor_parallel"),
      tr("Tensor-parallel devices per replica (--tmp)"));
  row->addStretch();
  form->addRow(row);
  auto* layers = new QLineEdit(layers_text(planning_.pins, profile_.get()));
  layers->setObjectName(QStringLiteral("pin_layers"));
  layers->setPlaceholderText(tr("layer=device, layer=device"));
  layers->setToolTip(tr("Layers (by name or number) pinned to devices (by number): --pin"));
  connect(layers, &QLineEdit::textChanged, this, &PlannerDialog::read_layers);
  form->addRow(tr("&Layers on devices"), layers);
  return group;
}

QWidget* PlannerDialog::make_planners() {
  auto* both = new QWidget;
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  list_ = new QListWidget;
  list_->setObjectName(QStringLiteral("planner_list"));
  list_->setAccessibleName(tr("Planners: ticked ones are compared"));
  list_->setFixedWidth(list_width);
  list_->setSpacing(views::widgets::ThemeSizes::grid / 4);
  pages_ = new QStackedWidget;
  const std::vector<study::PlannerRequest> chosen = session::project::chosen_planners(planning_, profile_.get());
  std::vector<const planner::PlannerInfo*> all;
  for (const planner::PlannerInfo& planner : planner::planners()) all.push_back(&planner);
  for (const auto& [name, choice] : planning_.planners)
    if (const auto program = planner::find_planner(name); program && (*program)->external) all.push_back(*program);
  for (const planner::PlannerInfo* planner : all)
    add_row(*planner, std::ranges::count(chosen, planner, &study::PlannerRequest::planner) > 0);
  connect(list_, &QListWidget::currentRowChanged, pages_, &QStackedWidget::setCurrentIndex);
  connect(list_, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) { set_compared(list_->row(item)); });
  list_->setCurrentRow(0);
  auto* left = new QVBoxLayout;
  left->addWidget(list_, 1);
  auto* add = new QPushButton(tr("&Add a program..."));
  add->setObjectName(QStringLiteral("add_program"));
  add->setToolTip(tr("Compare a planner of your own: a program that reads the question and prints plans"));
  connect(add, &QPushButton::clicked, this, &PlannerDialog::choose_program);
  left->addWidget(add);
  row->addLayout(left);
  row->addWidget(pages_, 1);
  return both;
}

void PlannerDialog::add_row(const planner::PlannerInfo& planner, bool compared) {
  shown_.push_back(&planner);
  auto* item = new QListWidgetItem(text::to_qstring(planner.title));
  item->setToolTip(text::to_qstring(planner.external ? planner.source : planner.summary));
  item->setCheckState(compared ? Qt::Checked : Qt::Unchecked);
  pages_->addWidget(make_options(planner));
  list_->addItem(item);
}

void PlannerDialog::choose_program() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Add a program"));
  if (!path.isEmpty()) add_program(path);
}

void PlannerDialog::add_program(const QString& path) {
  const auto program = session::project::program_at(path);
  if (!program) return;
  auto place = std::ranges::find(shown_, *program);
  if (place == shown_.end()) {
    add_row(**program, false);
    place = shown_.end() - 1;
  }
  const int row = static_cast<int>(place - shown_.begin());
  list_->setCurrentRow(row);
  list_->item(row)->setCheckState(Qt::Checked);
}

QWidget* PlannerDialog::make_options(const planner::PlannerInfo& planner) {
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setVerticalSpacing(views::widgets::ThemeSizes::grid * 3 / 2);
  auto* words = new QLabel(QStringLiteral("<b>%1</b><br>%2<br><i>%3</i>")
                               .arg(text::to_qstring(planner.title).toHtmlEscaped(),
                                    text::to_qstring(planner.summary).toHtmlEscaped(),
                                    text::to_qstring(planner.source).toHtmlEscaped()));
  words->setWordWrap(true);
  form->addRow(words);
  if (planner.external) {
    auto* consent =
        new QLabel(tr("Ticked, it runs on this computer with your rights. A project that is opened again "
                      "asks for the tick again."));
    consent->setObjectName(QStringLiteral("consent"));
    consent->setWordWrap(true);
    form->addRow(consent);
  }
  for (const planner::OptionInfo& option : planner.options) {
    QWidget* field = make_field(planner, option);
    field->setObjectName(text::to_qstring(planner.name + "/" + option.name));
    field->setToolTip(help_of(option));
    auto* label = new QLabel(caption_of(option));
    label->setToolTip(help_of(option));
    label->setBuddy(field);
    auto* help = new QLabel(text::to_qstring(option.help));
    help->setWordWrap(true);
    help->setEnabled(false);
    auto* both = new QVBoxLayout;
    both->setSpacing(views::widgets::ThemeSizes::grid / 4);
    both->addWidget(field);
    both->addWidget(help);
    form->addRow(label, both);
  }
  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  return scroll;
}

QWidget* PlannerDialog::make_field(const planner::PlannerInfo& planner, const planner::OptionInfo& option) {
  const planner::PlannerOptions& given = planning_.planners[planner.name].options;
  const auto found = given.find(option.name);
  const std::string value = found == given.end() ? option.default_value : found->second;
  const auto set = [this, &planner, &option](const QString& text) { set_option(planner, option, text.toStdString()); };
  switch (option.type) {
    case planner::OptionType::flag: {
      auto* box = new QCheckBox;
      box->setChecked(value == "true");
      connect(box, &QCheckBox::toggled, this, [set](bool on) { set(on ? "true" : "false"); });
      return box;
    }
    case planner::OptionType::integer: {
      auto* box = new QSpinBox;
      box->setRange(0, std::numeric_limits<int>::max());
      box->setValue(text::to_qstring(value).toInt());
      connect(box, &QSpinBox::valueChanged, this, [set](int number) { set(QString::number(number)); });
      return box;
    }
    case planner::OptionType::choice:
      break;
  }
  auto* box = new QComboBox;
  for (const std::string& choice : option.choices) box->addItem(text::to_qstring(choice));
  box->setCurrentText(text::to_qstring(value));
  connect(box, &QComboBox::currentTextChanged, this, set);
  return box;
}

void PlannerDialog::set_option(const planner::PlannerInfo& planner, const planner::OptionInfo& option,
                               const std::string& value) {
  planner::PlannerOptions& options = planning_.planners[planner.name].options;
  if (value == option.default_value)
    options.erase(option.name);
  else
    options[option.name] = value;
}

void PlannerDialog::set_compared(int row) {
  const planner::PlannerInfo& planner = *shown_[static_cast<std::size_t>(row)];
  const bool compared = list_->item(row)->checkState() == Qt::Checked;
  if (planner.external) {
    planning_.planners[planner.name].compared = planning_.planners[planner.name].allowed = compared;
    return check_all();
  }
  planning_.planners[planner.name].compared =
      compared == study::compared_by_default(planner, profile_ && study::is_language_model(*profile_))
          ? std::nullopt
          : std::optional(compared);
  check_all();
}

void PlannerDialog::read_layers(const QString& text) {
  planning_.pins.layers.clear();
  layers_problem_.clear();
  for (const QString& pair : text.split(',', Qt::SkipEmptyParts)) {
    const QString layer = pair.section('=', 0, -2).trimmed();
    bool number = false;
    const int device = pair.section('=', -1).toInt(&number);
    const auto id = profile_ ? find_layer(*profile_, layer) : std::nullopt;
    if (layer.isEmpty() || !number) {
      layers_problem_ = tr("Found \"%1\", expected layer=device.").arg(pair.trimmed());
    } else if (!id) {
      layers_problem_ = profile_ ? tr("The profile has no layer \"%1\".").arg(layer) : tr("Choose a profile first.");
    } else {
      planning_.pins.layers.emplace_back(*id, DeviceId(device));
    }
  }
  check_all();
}

void PlannerDialog::restore_defaults() {
  // Accepted unchanged: the fields of a closing dialog need no update.
  const Seconds budget = planning_.budget;  // is no option of a planner
  planning_ = {};
  planning_.budget = budget;
  layers_problem_.clear();
  accept();
}

/// Lays the list out again, with the padding of the style sheet, which it has only now.
void PlannerDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  list_->doItemsLayout();
}

void PlannerDialog::check_all() {
  if (!buttons_) return;  // still being built
  QString problem = layers_problem_;
  if (problem.isEmpty() && profile_ && cluster_) {
    const auto valid = check(planning_.pins, *profile_, *cluster_);
    if (!valid) problem = text::to_qstring(valid.error().message);
  }
  if (problem.isEmpty() && session::project::chosen_planners(planning_, profile_.get()).empty())
    problem = tr("Tick at least one planner.");
  problem_->setText(problem);
  views::widgets::set_text_colour(*problem_, views::widgets::Theme::of(palette()).bad);
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

}  // namespace pipedeck::ui::dialogs
