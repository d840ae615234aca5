// SPDX-License-Identifier: Apache-2.0
#include "core/io/importers.hpp"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/share.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/jobs/accelerate.hpp"
#include "core/io/jobs/axolotl.hpp"
#include "core/io/jobs/deepspeed.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_bridge.hpp"
#include "core/io/jobs/nemo.hpp"
#include "core/io/jobs/nemo_recipe.hpp"
#include "core/io/jobs/torchtitan.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/io/jobs/trl.hpp"
#include "core/io/json/value.hpp"
#include "core/io/onnx/model.hpp"
#include "core/io/profiles/csv.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/io/profiles/partitioning.hpp"
#include "core/io/simulators/calculon.hpp"
#include "core/io/simulators/galvatron.hpp"
#include "core/io/simulators/simumax.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/topology/bandwidth_matrix.hpp"
#include "core/io/topology/gpu_copies.hpp"
#include "core/io/topology/gpu_copies_json.hpp"
#include "core/io/topology/hwloc.hpp"
#include "core/io/topology/ibstat.hpp"
#include "core/io/topology/kubernetes.hpp"
#include "core/io/topology/nccl.hpp"
#include "core/io/topology/nccl_tests.hpp"
#include "core/io/topology/nvidia_smi.hpp"
#include "core/io/topology/rocm_smi.hpp"
#include "core/io/topology/slurm.hpp"
#include "core/io/traces/events.hpp"

namespace pipedeck::io {
namespace {

namespace fs = std::filesystem;

/// Returns the first character that is not white space; 0: there is none.
char first_character(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? '\0' : text[first];
}

/// Returns whether a text is neither an object nor an array of JSON.
bool is_plain(const Content& content) {
  const char first = first_character(content.text);
  return first != '{' && first != '[';
}

template <class T>
Result<Document> as_document(Result<T> result) {
  if (!result) return tl::unexpected(std::move(result).error());
  return Document(*std::move(result));
}

// --- names of documents that have none

std::string stem_of(const Source& source) { return text::to_utf8(fs::path(source.path).stem().string()); }

/// Returns the name up to its first point: "node-7" of "node-7.topo.txt".
std::string machine_of(const Source& source) {
  const std::string name = text::to_utf8(fs::path(source.path).filename().string());
  return name.substr(0, name.find('.', 1));
}

/// Returns the name of a model from its configuration's file, or from its folder if the file is "config.json".
std::string model_of(const Source& source) {
  constexpr std::array<std::string_view, 2> endings{".config.json", ".json"};
  const fs::path file(source.path);
  std::string name = text::to_utf8(file.filename().string());
  if (name == "config.json" && file.has_parent_path()) return text::to_utf8(file.parent_path().filename().string());
  for (const std::string_view ending : endings)
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  return name;
}

// --- Pipedeck's own documents

bool format_is(const Content& content, std::string_view expected) {
  const json::Value* format = content.json ? content.json->find("format") : nullptr;
  const std::string* word = format ? format->as<std::string>() : nullptr;
  return word && *word == expected;
}

/// Returns the importer of JSON documents that `from_json` reads.
template <auto from_json>
constexpr Importer document(std::string_view name, std::string_view ending, std::string_view summary, FileKind kind,
                            bool (*recognises)(const Content&)) {
  return {name, ending, summary, kind, "the member 'format' names it", recognises, [](const Source& source) {
            auto read = from_json(source.text);
            if (read && source.options.share) *source.options.share = documents::share_of(source.text, *read);
            return as_document(std::move(read));
          }};
}

// --- the share of a file that was understood

/// Returns the share of a text whose reader refuses lines that it does not understand.
ImportShare share_of_lines(const std::string& text) {
  text::LineTally tally;
  text::for_lines(text, [&](std::string_view line, int) {
    if (!text::trimmed(line).empty()) tally.understand();
    return true;
  });
  return tally.share();
}

/// Names the format in the shares of a document that has its own. Returns that of one file; null: the document has
/// none.
const ImportShare* share_in(Document& document, std::string_view format) {
  if (auto* found = std::get_if<FoundMachines>(&document)) {
    for (ImportShare& share : found->shares) share.format = format;
    return found->shares.empty() ? nullptr : &found->shares.back();
  }
  if (auto* model = std::get_if<ParsedTransformer>(&document)) {
    model->share.format = format;
    return &model->share;
  }
  if (auto* graph = std::get_if<OperatorGraph>(&document)) {
    graph->share.format = format;
    return &graph->share;
  }
  const auto* job = std::get_if<jobs::TrainingJob>(&document);
  return job ? &job->share : nullptr;
}

// --- layers without their micro-batch

Result<int> micro_batch_of(const Source& source) {
  const std::optional<int> micro_batch = source.options.profile_micro_batch
                                             ? source.options.profile_micro_batch
                                             : profiles::micro_batch_in_file_name(source.path);
  if (micro_batch) return *micro_batch;
  return fail(ErrorCode::bad_input,
              "found layers without their micro-batch, expected --profile-micro-batch N or -pbs-N in the file's name");
}

// --- errors

tl::unexpected<Error> named(Error error, const std::string& path) {
  error.file = path;
  return tl::unexpected<Error>(std::move(error));
}

tl::unexpected<Error> unknown_json(const json::Value& value) {
  const json::Value* format = value.find("format");
  if (!format)
    return fail(ErrorCode::bad_input,
                "found no 'format', expected the name of a file format (or a transformer's 'model_type')", "/format");
  return fail(ErrorCode::bad_input,
              fmt::format("found {}, expected pipedeck.profile, pipedeck.cluster, pipedeck.plan, pipedeck.simulation, "
                          "pipedeck.model or pipedeck.calibration",
                          json::describe(*format)),
              "/format");
}

tl::unexpected<Error> unknown_text(const std::string& content) {
  if (const auto headings = profiles::unrecognised_headings(content))
    return fail(ErrorCode::bad_input,
                fmt::format("found the headings {}, expected those of a table of layers: name, forward_ms, "
                            "backward_ms, output_bytes, parameter_bytes; --columns KEY=HEADING[:UNIT],... maps others",
                            *headings),
                "line 1");
  return fail(ErrorCode::bad_input,
              "found a file of no known format, expected JSON with a 'format', a layer graph, a topology of "
              "nvidia-smi, NCCL, lstopo or Slurm, copies that nvbandwidth measured, a table of layers or of "
              "bandwidths, an ONNX model or a Pipedeck project");
}

Result<Document> read_untraced(const std::string& path, std::string_view expected, const ReadOptions& options) {
  if (traces::looks_like_trace(path))
    return fail(ErrorCode::bad_input,
                fmt::format("found a trace, expected a {}; pipedeck-cli convert --to profile makes a profile of its "
                            "modules and lists its assumptions",
                            expected),
                {}, path);
  return read_document(path, options);
}

template <class T>
Result<T> value_in(Document document, const std::string& path, std::string_view expected) {
  if (T* value = std::get_if<T>(&document)) return std::move(*value);
  if (std::holds_alternative<FoundMachines>(document))
    return fail(ErrorCode::bad_input,
                fmt::format("found a topology of machines, expected a {}; pipedeck-cli convert makes a cluster of it "
                            "and lists its assumptions",
                            expected),
                {}, path);
  if (std::holds_alternative<ParsedTransformer>(document))
    return fail(ErrorCode::bad_input,
                fmt::format("found a transformer's configuration, expected a {}; pipedeck-cli convert makes a profile "
                            "of it for a device type and lists its assumptions",
                            expected),
                {}, path);
  if (std::holds_alternative<OperatorGraph>(document))
    return fail(ErrorCode::bad_input,
                fmt::format("found an ONNX model, expected a {}; pipedeck-cli convert makes a profile of it for a "
                            "device type and lists its assumptions",
                            expected),
                {}, path);
  if (std::holds_alternative<jobs::TrainingJob>(document))
    return fail(ErrorCode::bad_input,
                fmt::format("found a training job of another engine, expected a {}; pipedeck-cli convert makes a plan "
                            "or a profile of it, and pipedeck-cli check reports on it",
                            expected),
                {}, path);
  constexpr std::array<std::string_view, 6> names{"profile", "cluster", "plan", "simulation", "model", "calibration"};
  return fail(ErrorCode::bad_input, fmt::format("found a {}, expected a {}", names[document.index()], expected), {},
              path);
}

template <class T>
Result<T> read_as(const std::string& path, std::string_view expected, const ReadOptions& options = {}) {
  TRY(auto document, read_untraced(path, expected, options));
  return value_in<T>(std::move(document), path, expected);
}

}  // namespace

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::profile:
      return "profile";
    case FileKind::graph_text:
      return "graph text";
    case FileKind::cluster:
      return "cluster";
    case FileKind::plan:
      return "plan";
    case FileKind::simulation:
      return "simulation";
    case FileKind::model:
      return "model";
    case FileKind::calibration:
      return "calibration";
    case FileKind::project:
      return "project";
    case FileKind::machines:
      return "topology of machines";
    case FileKind::transformer:
      return "transformer configuration";
    case FileKind::operators:
      return "ONNX model";
    case FileKind::job:
      return "training job";
  }
  return "?";
}

std::span<const Importer> importers() {
  static const std::array table{
      Importer{"project", ".pipedeck", "all of the window's work in one SQLite file (read)", FileKind::project,
               "it begins as an SQLite database",
               [](const Content& c) { return c.text.starts_with(std::string_view("SQLite format 3\0", 16)); },
               [](const Source&) -> Result<Document> {
                 return fail(ErrorCode::bad_input, "found a Pipedeck project, expected a single document");
               }},
      Importer{"onnx", ".onnx", "a model's operators and the sizes of its weights, of any program (read)",
               FileKind::operators, "it begins with the version of ONNX's format, as a protocol buffer",
               [](const Content& c) { return onnx::looks_like_onnx(c.text); },
               [](const Source& s) { return as_document(onnx::operators_from_onnx(s.text, stem_of(s))); }},
      Importer{"simumax-model", ".simumax.json", "model of the simulator SimuMax: a transformer's sizes (read)",
               FileKind::transformer, "the keys head_num and layer_num",
               [](const Content& c) { return c.json && simulators::looks_like_simumax_model(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(simulators::model_from_simumax(value, model_of(s)));
               }},
      Importer{"simumax-system", ".simumax-system.json", "system of the simulator SimuMax: a machine's figures (read)",
               FileKind::machines, "the keys accelerator and networks",
               [](const Content& c) { return c.json && simulators::looks_like_simumax_system(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(simulators::machines_from_simumax(value, stem_of(s)));
               }},
      Importer{"calculon-model", ".calculon.json", "model of the simulator Calculon: a transformer's sizes (read)",
               FileKind::transformer, "the keys attn_heads and num_blocks",
               [](const Content& c) { return c.json && simulators::looks_like_calculon_model(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(simulators::model_from_calculon(value, model_of(s)));
               }},
      Importer{"calculon-system", ".calculon-system.json",
               "system of the simulator Calculon: a machine's figures (read)", FileKind::machines,
               "the keys mem1 and networks",
               [](const Content& c) { return c.json && simulators::looks_like_calculon_system(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(simulators::machines_from_calculon(value, stem_of(s)));
               }},
      Importer{"galvatron-hardware", ".galvatron.json",
               "measured hardware of the planner Galvatron: bandwidths and times of collectives (read)",
               FileKind::machines, "keys such as allreduce_size_8_consec_1",
               [](const Content& c) { return c.json && simulators::looks_like_galvatron_hardware(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(simulators::machines_from_galvatron(value, s.path));
               }},
      Importer{"hugging-face", "config.json", "a transformer's configuration: its layers' sizes (read)",
               FileKind::transformer, "a JSON object with a 'model_type', 'architectures' or the keys of a family",
               [](const Content& c) { return c.json && huggingface::looks_like_hugging_face(*c.json); },
               [](const Source& s) {
                 return as_document(huggingface::transformer_from_hugging_face(
                     s.text, model_of(s), {s.options.as_llama, s.options.multi_token}));
               }},
      Importer{"kubernetes", ".nodes.json", "list of Kubernetes' nodes, as JSON or YAML: GPUs by their labels (read)",
               FileKind::machines, "apiVersion v1 and the kind Node, NodeList or List",
               [](const Content& c) {
                 return c.json ? topology::looks_like_kubernetes_nodes(*c.json)
                               : is_plain(c) && topology::looks_like_kubernetes_nodes(c.text);
               },
               [](const Source& s) -> Result<Document> {
                 if (first_character(s.text) != '{') return as_document(topology::machines_from_kubernetes(s.text));
                 TRY(const auto value, json::parse(s.text));
                 return as_document(topology::machines_from_kubernetes(value));
               }},
      Importer{"gpu-copies", ".p2p.txt", "output of p2pBandwidthLatencyTest or nvbandwidth (read)", FileKind::machines,
               "titles of bandwidth tables between GPUs, or a member nvbandwidth",
               [](const Content& c) {
                 return c.json ? topology::looks_like_gpu_copies(*c.json) : topology::looks_like_gpu_copies(c.text);
               },
               [](const Source& s) -> Result<Document> {
                 if (first_character(s.text) != '{')
                   return as_document(topology::machines_from_gpu_copies(s.text, machine_of(s)));
                 TRY(const auto value, json::parse(s.text));
                 return as_document(topology::machines_from_gpu_copies(value, machine_of(s)));
               }},
      Importer{"deepspeed", "ds_config.json", "configuration of DeepSpeed: a plan of data-parallel ranks (read)",
               FileKind::job, "a JSON object with DeepSpeed's keys of batches or ZeRO",
               [](const Content& c) { return c.json && jobs::looks_like_deepspeed(*c.json); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto value, json::parse(s.text));
                 return as_document(jobs::job_from_deepspeed(value, stem_of(s)));
               }},
      Importer{"workload", ".workload.json", "layers as the programs dnn-partitioning and Piper take them (read)",
               FileKind::profile, "a JSON object with maxFPGAs (dnn-partitioning) or maxDevices (Piper)",
               [](const Content& c) { return c.json && profiles::looks_like_partitioning_json(c.text); },
               [](const Source& s) {
                 return as_document(profiles::profile_from_partitioning_json(
                     s.text, stem_of(s), {s.options.time_unit, nullptr, s.options.share}));
               }},
      document<documents::profile_from_json>("profile", ".profile.json",
                                             "layers of a model: times and bytes (read, written)", FileKind::profile,
                                             [](const Content& c) { return format_is(c, "pipedeck.profile"); }),
      document<documents::cluster_from_json>("cluster", ".cluster.json", "devices, nodes and links (read, written)",
                                             FileKind::cluster,
                                             [](const Content& c) { return format_is(c, "pipedeck.cluster"); }),
      document<documents::plan_from_json>("plan", ".plan.json", "stages, devices, schedule (read, written)",
                                          FileKind::plan,
                                          [](const Content& c) { return format_is(c, "pipedeck.plan"); }),
      document<documents::simulation_from_json>("simulation", ".simulation.json",
                                                "predicted time and memory (read, written)", FileKind::simulation,
                                                [](const Content& c) { return format_is(c, "pipedeck.simulation"); }),
      document<documents::model_from_json>("model", ".model.json",
                                           "layer shapes that the runtime trains (read, written)", FileKind::model,
                                           [](const Content& c) { return format_is(c, "pipedeck.model"); }),
      document<documents::calibration_from_json>(
          "calibration", ".calibration.json", "figures fitted from measured runs (read, written)",
          FileKind::calibration, [](const Content& c) { return format_is(c, "pipedeck.calibration"); }),
      Importer{"training-log", ".log",
               "log of a training by Megatron-LM, torchtitan, DeepSpeed or Hugging Face: a plan if it prints its job, "
               "and a row of accuracy (read)",
               FileKind::job, "lines with the time of a training step",
               [](const Content& c) { return jobs::looks_like_training_log(c.text); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto log, jobs::training_log_from(s.text, stem_of(s)));
                 if (log.job) return Document(*log.job);
                 return fail(ErrorCode::bad_input,
                             fmt::format("found a log of {} that does not print its job, expected its arguments or "
                                         "configuration; pipedeck-cli accuracy compares the log with a prediction",
                                         log.engine));
               }},
      Importer{"megatron", ".sh", "arguments of Megatron-LM, alone or in a job's script: a plan and its model (read)",
               FileKind::job, "arguments of Megatron-LM in a script or a list",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_megatron(c.text); },
               [](const Source& s) {
                 return as_document(jobs::job_from_megatron(s.text, stem_of(s), s.options.variables));
               }},
      Importer{"torchtitan", ".toml", "configuration of torchtitan: a plan and, of some models, their shape (read)",
               FileKind::job, "TOML with torchtitan's sections",
               [](const Content& c) { return !c.json && jobs::looks_like_torchtitan(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_torchtitan(s.text, stem_of(s))); }},
      Importer{"nemo", ".yaml", "configuration of NeMo 1: a plan and its model (read)", FileKind::job,
               "YAML with NeMo's trainer and model",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_nemo(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_nemo(s.text, stem_of(s))); }},
      Importer{"nemo-recipe", ".py", "settings of a NeMo 2 recipe in Python: a plan and its model (read)",
               FileKind::job, "assignments to a recipe's strategy",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_nemo_recipe(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_nemo_recipe(s.text, stem_of(s))); }},
      Importer{"megatron-bridge", ".yaml", "configuration of Megatron-Bridge: a plan and its model (read)",
               FileKind::job, "YAML with Megatron-Bridge's model and another of its sections",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_bridge(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_bridge(s.text, stem_of(s))); }},
      Importer{"accelerate", ".yaml",
               "configuration of Hugging Face's Accelerate: a plan of data-parallel ranks (read)", FileKind::job,
               "YAML with Accelerate's distributed_type or compute_environment",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_accelerate(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_accelerate(s.text, stem_of(s))); }},
      Importer{"trl", ".yaml", "arguments of TRL's trainers: the batch of data-parallel ranks (read)", FileKind::job,
               "YAML with per_device_train_batch_size",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_trl(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_trl(s.text, stem_of(s))); }},
      Importer{"axolotl", ".yaml", "configuration of Axolotl: a plan of data-parallel ranks (read)", FileKind::job,
               "YAML with micro_batch_size and sequence_len",
               [](const Content& c) { return is_plain(c) && jobs::looks_like_axolotl(c.text); },
               [](const Source& s) { return as_document(jobs::job_from_axolotl(s.text, stem_of(s))); }},
      Importer{"galvatron-model", ".yaml", "model of the planner Galvatron: a transformer's sizes (read)",
               FileKind::transformer, "YAML with hidden_size, num_layers and num_attention_heads",
               [](const Content& c) { return is_plain(c) && simulators::looks_like_galvatron_model(c.text); },
               [](const Source& s) { return as_document(simulators::model_from_galvatron(s.text, model_of(s))); }},
      Importer{"rocm-smi", ".rocm.txt", "output of rocm-smi --showtopo: AMD's GPUs and their links (read)",
               FileKind::machines, "the title 'Link Type between two GPUs'",
               [](const Content& c) { return is_plain(c) && topology::looks_like_rocm_smi_topology(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_rocm_smi(s.text, machine_of(s))); }},
      Importer{"nvidia-smi", ".topo.txt", "output of nvidia-smi topo -m: GPUs and their links (read)",
               FileKind::machines, "a heading GPU0 GPU1 ... of a matrix of links",
               [](const Content& c) { return !c.json && topology::looks_like_nvidia_smi_topology(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_nvidia_smi(s.text, machine_of(s))); }},
      Importer{"nccl-tests", ".nccl-tests.txt",
               "output of nccl-tests: collectives that were measured between GPUs (read)", FileKind::machines,
               "the heading of a table: size, time, algbw, busbw",
               [](const Content& c) { return !c.json && topology::looks_like_nccl_tests(c.text); },
               [](const Source& s) {
                 return as_document(topology::machines_from_nccl_tests(s.text, machine_of(s), s.path));
               }},
      Importer{"lstopo", ".lstopo.xml", "output of lstopo --of xml (hwloc 2): GPUs, PCI links, network cards (read)",
               FileKind::machines, "XML with the element topology",
               [](const Content& c) { return !c.json && topology::looks_like_hwloc_topology(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_hwloc(s.text, machine_of(s))); }},
      Importer{"nccl-topology", ".xml", "file of NCCL_TOPO_DUMP_FILE: GPUs, links, network cards (read)",
               FileKind::machines, "XML of another kind",
               [](const Content& c) { return !c.json && topology::looks_like_xml(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_nccl(s.text, machine_of(s))); }},
      Importer{"ibstat", ".ibstat.txt",
               "output of ibstat: rates of a machine's network cards, for another description of it (read)",
               FileKind::machines, "a line CA 'NAME' above its type or ports",
               [](const Content& c) { return is_plain(c) && topology::looks_like_ibstat(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_ibstat(s.text, machine_of(s))); }},
      Importer{"slurm", ".slurm.txt", "output of scontrol show nodes, and topology.conf: nodes, GPUs, switches (read)",
               FileKind::machines, "records NodeName=, SwitchName= or BlockName=",
               [](const Content& c) { return is_plain(c) && topology::looks_like_slurm(c.text); },
               [](const Source& s) { return as_document(topology::machines_from_slurm(s.text)); }},
      Importer{"layer-table", ".csv", "table of a model's layers: one per row, columns by name or --columns (read)",
               FileKind::graph_text, "a heading with the names and the forward times of layers",
               [](const Content& c) { return is_plain(c) && profiles::looks_like_profile_csv(c.text); },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto micro_batch, micro_batch_of(s));
                 return as_document(profiles::profile_from_csv(s.text, stem_of(s), micro_batch, {}, s.options.share));
               }},
      Importer{"graph-text", ".txt", "layer graph of PipeDream's and DAPPLE's programs (read, written)",
               FileKind::graph_text, "lines of the form id -- description -- figures",
               [](const Content& c) { return is_plain(c) && c.text.find(" -- ") != c.text.npos; },
               [](const Source& s) -> Result<Document> {
                 TRY(const auto micro_batch, micro_batch_of(s));
                 if (s.options.share) *s.options.share = share_of_lines(s.text);
                 return as_document(profiles::profile_from_graph_text(s.text, stem_of(s), micro_batch));
               }},
      Importer{"bandwidths", ".bandwidths.csv", "bandwidths between any two devices as a table (read)",
               FileKind::machines, "a table whose first row has the name of its first column",
               [](const Content& c) { return is_plain(c) && topology::looks_like_bandwidth_matrix(c.text); },
               [](const Source& s) { return as_document(topology::matrix_from_csv(s.text, machine_of(s))); }}};
  return table;
}

Result<const Importer*> importer_of(const std::string& content) {
  const bool binary = onnx::looks_like_onnx(content);
  const char first = first_character(content);
  if (first == '\0' && !binary) return fail(ErrorCode::bad_input, "the file is empty");
  std::optional<json::Value> object;
  if (first == '{' && !binary) {
    TRY(auto value, huggingface::parse(content));
    object = std::move(value);
  }
  const Content looked{content, object ? &*object : nullptr};
  for (const Importer& importer : importers())
    if (importer.recognises(looked)) return &importer;
  if (object) return unknown_json(*object);
  if (first != '[') return unknown_text(content);
  TRY(const auto value, json::parse(content));
  return unknown_json(value);
}

Result<FileKind> detect_file_kind(const std::string& content) {
  TRY(const auto importer, importer_of(content));
  return importer->kind;
}

Result<Document> read_document(const std::string& path, const ReadOptions& options) {
  const Result<std::string> content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  return read_document(path, *content, options);
}

Result<Document> read_document(const std::string& path, const std::string& content, const ReadOptions& options) {
  const auto importer = importer_of(content);
  if (!importer) return named(importer.error(), path);
  Result<Document> document = (*importer)->read({content, path, options});
  if (!document) return named(std::move(document).error(), path);
  const ImportShare* share = share_in(*document, (*importer)->name);
  if (!options.share) return document;
  if (share) *options.share = *share;
  options.share->format = (*importer)->name;
  return document;
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options) {
  return read_as<Profile>(path, "profile", options);
}
Result<std::variant<Profile, ParsedTransformer>> read_profile_or_transformer(const std::string& path,
                                                                             const ReadOptions& options) {
  TRY(auto document, read_untraced(path, "profile", options));
  if (auto* transformer = std::get_if<ParsedTransformer>(&document)) return std::move(*transformer);
  TRY(auto profile, value_in<Profile>(std::move(document), path, "profile"));
  return profile;
}
Result<Cluster> read_cluster(const std::string& path) { return read_as<Cluster>(path, "cluster"); }
Result<Plan> read_plan(const std::string& path) { return read_as<Plan>(path, "plan"); }
Result<ModelSpec> read_model(const std::string& path) { return read_as<ModelSpec>(path, "model"); }
Result<CalibrationRecord> read_calibration(const std::string& path) {
  return read_as<CalibrationRecord>(path, "calibration");
}

}  // namespace pipedeck::io
