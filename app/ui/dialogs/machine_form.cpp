// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/dialogs/machine_form.hpp"

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/session/cluster/bandwidths.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "app/views/widgets/wrapped_lines.hpp"
#include "core/base/limits.hpp"

namespace pipedeck::ui::dialogs {

namespace {

/// Larger clusters are described in text: drawing them while the user types takes too long.
constexpr std::size_t max_drawn = 1024;

QStringList rate_units() {
  return {QStringLiteral("GB/s"), QStringLiteral("Gbit/s"), QStringLiteral("MB/s"), QStringLiteral("GiB/s")};
}

double price_of(const Cluster& cluster) {
  double price = 0;
  for (const Device& device : devices_of(cluster))
    price += cluster.device_types[static_cast<std::size_t>(device.type)].price_per_hour.value_or(0);
  return price;
}

}  // namespace

MachineForm::MachineForm(session::cluster::MachinePreview preview, QWidget* parent)
    : QWidget(parent),
      preview_(std::move(preview)),
      summary_(new QLabel),
      drawing_(new views::topology::View),
      notes_(new QListWidget) {
  summary_->setObjectName(QStringLiteral("machine_summary"));
  summary_->setWordWrap(true);
  summary_->setFont(views::widgets::title_font(font()));
  drawing_->setMinimumHeight(200);
  drawing_->show_picture_only();
  notes_->setObjectName(QStringLiteral("machine_notes"));
  notes_->setAccessibleName(tr("Recognised and assumed"));
  views::widgets::wrap_lines(*notes_);
  notes_->setSelectionMode(QAbstractItemView::NoSelection);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(drawing_);
  splitter->addWidget(views::widgets::titled(*notes_, tr("Understood and assumed")));
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->addWidget(make_questions());
  column->addWidget(summary_);
  column->addWidget(splitter, 1);
  splitter->setSizes({420, 220});
  refresh();
}

void MachineForm::set_machine(session::cluster::MachinePreview preview) {
  preview_.make = std::move(preview.make);
  refresh();
}

QWidget* MachineForm::make_questions() {
  auto* fields = new QWidget;
  auto* form = new QFormLayout(fields);
  form->setContentsMargins({});
  name_ = new QLineEdit;
  name_->setObjectName(QStringLiteral("machine_name"));
  form->addRow(tr("&Name"), name_);
  connect(name_, &QLineEdit::textChanged, this, &MachineForm::refresh);
  if (!preview_.questions) return fields;
  if (preview_.types) add_types(*form);
  add_table_questions(*form);
  if (preview_.countable) add_counts(*form);
  if (preview_.network) add_network(*form);
  if (preview_.countable) add_shape(*form);
  return fields;
}

void MachineForm::add_types(QFormLayout& form) {
  device_ = new QComboBox;
  device_->setObjectName(QStringLiteral("machine_device"));
  device_->addItem(tr("As described"));
  device_->addItems(session::cluster::device_type_list());
  form.addRow(tr("&GPUs are"), device_);
  connect(device_, &QComboBox::currentIndexChanged, this, &MachineForm::refresh);
}

void MachineForm::add_table_questions(QFormLayout& form) {
  if (preview_.partitions.size() > 1) {
    partition_ = new QComboBox;
    partition_->setObjectName(QStringLiteral("machine_partition"));
    partition_->addItem(tr("All of them"));
    partition_->addItems(preview_.partitions);
    form.addRow(tr("&Partition"), partition_);
    connect(partition_, &QComboBox::currentIndexChanged, this, &MachineForm::refresh);
  }
  if (preview_.unit) {
    unit_ = new QComboBox;
    unit_->setObjectName(QStringLiteral("machine_unit"));
    unit_->addItems(rate_units());
    form.addRow(tr("&Unit"), unit_);
    connect(unit_, &QComboBox::currentIndexChanged, this, &MachineForm::refresh);
  }
}

void MachineForm::add_counts(QFormLayout& form) {
  copies_ = new QSpinBox;
  copies_->setObjectName(QStringLiteral("machine_copies"));
  copies_->setRange(1, static_cast<int>(limits::devices));
  copies_->setPrefix(QStringLiteral("× "));
  form.addRow(preview_.machines == 1 ? tr("Copies of the &machine") : tr("Copies of each &machine"), copies_);
  connect(copies_, &QSpinBox::valueChanged, this, &MachineForm::refresh);
}

void MachineForm::add_network(QFormLayout& form) {
  network_ = add_rate(form, tr("&Network"), "machine_network", tr("from their network cards, else 100 Gbit/s"));
  if (preview_.uplinks)
    uplink_ = add_rate(form, tr("S&witch links"), "machine_uplink", tr("as wide as all links below"));
}

views::widgets::QuantityEdit* MachineForm::add_rate(QFormLayout& form, const QString& caption, const char* name,
                                                    const QString& unsaid) {
  auto* rate = new views::widgets::QuantityEdit(QuantityKind::rate, QStringLiteral("GB/s"));
  rate->setObjectName(QLatin1String(name));
  rate->set_range(0, 1e18, true);
  rate->set_optional(unsaid);
  form.addRow(caption, rate);
  connect(rate, &views::widgets::QuantityEdit::edited, this, &MachineForm::refresh);
  return rate;
}

void MachineForm::add_shape(QFormLayout& form) {
  shape_ = new QComboBox;
  shape_->setObjectName(QStringLiteral("machine_shape"));
  shape_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);  // its texts are long
  shape_->setMinimumContentsLength(20);
  shape_->addItem(tr("Automatic: links if all pairs of a machine are alike"));
  shape_->addItem(tr("One link per machine, as wide as its narrowest pair: simple to edit"));
  shape_->addItem(tr("Every pair its own"));
  form.addRow(tr("&Bandwidths"), shape_);
  connect(shape_, &QComboBox::currentIndexChanged, this, &MachineForm::refresh);
}

presets::MachineImport MachineForm::answers() const {
  presets::MachineImport how;
  how.name = name_->text().trimmed().toStdString();
  if (!preview_.questions) return how;
  if (device_ && device_->currentIndex() > 0) how.device = device_->currentText().toStdString();
  if (partition_ && partition_->currentIndex() > 0) how.partition = partition_->currentText().toStdString();
  if (unit_) how.unit = unit_->currentText().toStdString();
  if (copies_) how.copies = copies_->value();
  if (const auto rate = network_ ? network_->value() : std::nullopt) how.network = BytesPerSecond(*rate);
  if (const auto rate = uplink_ ? uplink_->value() : std::nullopt) how.uplink = BytesPerSecond(*rate);
  if (shape_) how.shape = static_cast<presets::ClusterShape>(shape_->currentIndex());
  return how;
}

void MachineForm::refresh() {
  const auto made = preview_.make(answers());
  cluster_.reset();
  notes_->clear();
  if (!made) {
    draw();
    summary_->setText(text::to_qstring(made.error()));
    colour_summary();
    emit changed();
    return;
  }
  cluster_ = made->cluster;
  colour_summary();
  const std::size_t devices = devices_of(*cluster_).size();
  limit_copies(static_cast<int>(devices));
  name_->setPlaceholderText(QString::fromStdString(cluster_->name));
  QStringList parts{
      session::work::format_count(static_cast<qint64>(devices), tr("device"), tr("devices")),
      session::work::format_count(static_cast<qint64>(cluster_->nodes.size()), tr("machine"), tr("machines"))};
  if (const double price = price_of(*cluster_); price > 0)
    parts << tr("about %1 per hour").arg(models::format_price(price));
  summary_->setText(parts.join(QStringLiteral(" · ")));
  for (const std::string& note : made->notes) notes_->addItem(text::to_qstring(note));
  draw();
  emit changed();
}

/// Allows as many copies as a cluster file may have devices.
void MachineForm::limit_copies(int devices) {
  if (!copies_ || devices == 0) return;
  const QSignalBlocker quiet(copies_);
  copies_->setMaximum(static_cast<int>(limits::devices) / (devices / copies_->value()));
}

/// Draws the cluster, and its bandwidths once they are computed. Hides the drawing if there is none or it is too large.
void MachineForm::draw() {
  bandwidths_.cancel();
  const bool drawn = cluster_ && devices_of(*cluster_).size() <= max_drawn;
  drawing_->setVisible(drawn);
  if (!drawn) return drawing_->clear();
  const auto cluster = std::make_shared<const Cluster>(*cluster_);
  drawing_->set_cluster(cluster);
  bandwidths_.start([this, cluster](const std::stop_token&) {
    return
        [this, table = session::cluster::bandwidths_of(*cluster)] { drawing_->summary_part().set_bandwidths(table); };
  });
}

void MachineForm::colour_summary() {
  const views::widgets::Theme& theme = views::widgets::Theme::of(palette());
  views::widgets::set_text_colour(*summary_, cluster_ ? theme.text : theme.bad);
}

void MachineForm::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) colour_summary();
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::ui::dialogs
