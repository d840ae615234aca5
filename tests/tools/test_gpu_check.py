#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_check.sh where there is no GPU: it refuses with status 2 and the reason, and leaves no report behind. Then
what it packs, unpacked in an empty folder, with the program on the stand-in for NVIDIA's libraries where that is built:
all sections run, a section and the whole have their time, a killed check leaves a readable report, and a failing test
is named with its figures. Last, the table of a step's kernels from what Nsight Compute writes.

    tests/tools/test_gpu_check.py tools/gpu_check.sh [build/release]
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1)).resolve()
BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
STAND_IN = BUILD / "stand_in_program" if BUILD else None
TRACE = SCRIPT.parents[1] / "tests/bench/step_trace.py"
TOOLS = ("bash", "dirname", "sed", "cat")
SMI = "GPU 0: NVIDIA H200 (UUID: GPU-1)"
SECTIONS = ("machine", "build", "tests", "kernels", "oversubscribe", "gpt", "loss", "graphs", "trace", "prediction",
            "profile", "images", "driver", "several", "sanitizer")


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def is_running(arguments):
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if process.read_bytes() == arguments:
                return True
        except OSError:
            pass  # it has ended
    return False


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            found = next(Path(p, tool) for p in ("/usr/bin", "/bin") if Path(p, tool).exists())
            (self.bin / tool).symlink_to(found)
        self.report = Path(self.folder.name) / "report.txt"

    def fake(self, name, text):
        program(self.bin / name, f"#!{self.bin}/bash\n{text}\n")

    def run_script(self, *arguments):
        return subprocess.run([self.bin / "bash", SCRIPT, *arguments], env={"PATH": str(self.bin)},
                              capture_output=True, text=True)

    def refused(self, words, *arguments):
        ended = self.run_script(*(arguments or ("--report", str(self.report))))
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertIn(words, ended.stderr)
        self.assertEqual(ended.stdout, "")
        self.assertFalse(self.report.exists())

    def test_bash_takes_it(self):
        self.assertEqual(subprocess.run([self.bin / "bash", "-n", SCRIPT]).returncode, 0)

    def test_no_driver(self):
        self.refused("found no nvidia-smi")

    def test_driver_without_gpu(self):
        self.fake("nvidia-smi", "echo 'No devices were found'")
        self.refused("No devices were found")

    def test_driver_fails(self):
        self.fake("nvidia-smi", "echo 'GPU access blocked by the operating system'; exit 9")
        self.refused("GPU access blocked")

    def test_nothing_to_build_with(self):
        self.fake("nvidia-smi", f"echo '{SMI}'")
        self.refused("found no cmake")

    def test_nothing_that_was_built(self):
        self.fake("nvidia-smi", f"echo '{SMI}'")
        for tool in ("python3", "timeout", "tee", "find"):
            self.fake(tool, "true")
        self.refused("nowhere/pipedeck-cli, expected it to be built", "--report", str(self.report), "--build", "nowhere",
                     "--no-build")

    def test_options(self):
        self.refused("found '--fast'", "--fast")
        self.refused("--report: found nothing", "--report")
        self.refused("--only: found 'everything'", "--only", "machine,everything")
        self.refused("--limit: found 'long'", "--limit", "long")
        self.refused("--total: found '0'", "--total", "0")
        helped = self.run_script("--help")
        self.assertEqual(helped.returncode, 0)
        self.assertIn("tools/gpu_check.sh [--report FILE]", helped.stdout)
        self.assertIn("\n  " + " ".join(SECTIONS), helped.stdout)


# As Nsight Compute 2025 writes it, of a run of two steps.
NCU = '''#!/usr/bin/env python3
import subprocess, sys
arguments = sys.argv[1:]
assert "--csv" in arguments and "--no-graphs" in arguments, arguments
status = subprocess.run(arguments[next(i for i, a in enumerate(arguments) if a.endswith("pipedeck-cli")):]).returncode
open(arguments[arguments.index("--log-file") + 1], "w").write(open(r"TABLE").read())
sys.exit(status)
'''
COLUMNS = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
           "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value")
NORM = "void pipedeck::cuda::<unnamed>::layer_norm<4>(float *, const float *, long)"
PRODUCT = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1(Params)"
UPDATE = ("void pipedeck::cuda::<unnamed>::each_value<4, pipedeck::cuda::<unnamed>::Update<pipedeck::cuda::<unnamed>::"
          "Adam>>(T2, long)")


def ncu_table(launches):
    """launches: (kernel, ((metric, unit, value), ...))"""
    lines = ["==PROF== Connected to process 4711 (/somewhere/pipedeck-cli)",
             '==PROF== Profiling "layer_norm" - 0: 0%....50%....100% - 4 passes',
             ",".join(f'"{column}"' for column in COLUMNS)]
    for number, (kernel, metrics) in enumerate(launches):
        for metric in metrics:
            lines.append(",".join(f'"{value}"' for value in (
                number, 4711, "pipedeck-cli", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", "(1024, 1, 1)", 0, "9.0",
                "Command line profiler metrics", *metric)))
    return "\n".join([*lines, "==PROF== Disconnected from process 4711", ""])


def metrics(time, unit="ns", moved="3,000,000"):
    return (("dram__bytes.sum", "byte", moved), ("gpu__time_duration.sum", unit, time),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "25.00"))


class StepTrace(unittest.TestCase):
    def trace(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "step.csv"
            file.write_text(text)
            return subprocess.run([TRACE, file], capture_output=True, text=True)

    def test_the_last_step_alone(self):
        first = [(NORM, metrics("9,000,000")), (UPDATE, metrics("9,000,000"))]
        last = [(NORM, metrics("1,000")), (PRODUCT, metrics("6", "us")), (NORM, metrics("2,000")),
                (UPDATE, metrics("0.5", "us")), (UPDATE, metrics("500"))]
        ended = self.trace(ncu_table(first + last))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        lines = ended.stdout.splitlines()
        self.assertIn("5 launches of 3 kernels take 0.010 ms", lines[0])
        self.assertRegex(lines[2], r"^ +0\.006 +60\.0% +1 +6\.0 +500 +25\.0  sm90_xmma_gemm_\w+$")
        self.assertRegex(lines[3], r"^ +0\.003 +30\.0% +2 +1\.5 +2000 +25\.0  layer_norm<4>$")
        self.assertRegex(lines[4], r" +2 +0\.5 .* each_value<4, Update<Adam>>$")

    def test_no_whole_step(self):
        ended = self.trace(ncu_table([(NORM, metrics("1,000")), (UPDATE, metrics("1,000"))]))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("no whole step: 2 launches", ended.stdout)

    def test_a_table_that_ends_early(self):
        table = ncu_table([(NORM, metrics("1,000")), (UPDATE, metrics("1,000"))] * 3)
        ended = self.trace(table[:table.rindex('"gpu__time_duration.sum"')])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("2 launches of 2 kernels", ended.stdout)

    def test_what_is_no_table(self):
        for text, words in (("==ERROR== ERR_NVGPUCTRPERM\n", "found no table"), ('"ID","Kernel Name"\n', "found no column"),
                            (ncu_table([(NORM, metrics("many"))]), "found the value 'many', expected a number"),
                            (ncu_table([(NORM, metrics("1", "days"))]), "line 5: found the unit 'days'")):
            ended = self.trace(text)
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.assertIn(words, ended.stderr)


# Replacements of the slow tests, which run elsewhere.
PASSED = "#!/bin/sh\necho 'Totals: 1 passed, 0 failed, 0 skipped, 0 blacklisted, 1ms'\n"
FAILED = """#!/bin/sh
cat <<'TEXT'
PASS   : TestCudaRows::initTestCase()
FAIL!  : TestCudaRows::layer_norm(bf16 768) 'figure < limit' returned FALSE. (apart: found 0.031, expected less than 0.01)
   Loc: [../../tests/core/runtime/cuda/tst_cuda_rows.cpp(120)]
QINFO  : TestCudaRows::embedding() words
FAIL!  : TestCudaRows::embedding() Compared values are not the same
   Actual   (found): 3
   Expected (wanted): 4
   Loc: [../../tests/core/runtime/cuda/tst_cuda_rows.cpp(180)]
Totals: 1 passed, 2 failed, 0 skipped, 0 blacklisted, 12ms
TEXT
exit 2
"""
# Ignores what asks it to end, as what it has started does.
HANGS = """#!/bin/sh
trap '' TERM
echo 'PASS   : TestCudaNccl::initTestCase()'
sleep 4711 &
wait
"""


@unittest.skipUnless(STAND_IN and (STAND_IN / "pipedeck-cli").exists(), "the program on the stand-in is not built")
class FromThePack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        top = Path(cls.folder.name)
        programs, cls.here, cls.bin = top / "programs", top / "empty", top / "bin"
        for folder in (programs, cls.here, cls.bin):
            folder.mkdir()
        for name in ("pipedeck-cli", "pipedeck-cuda.so", "bench_cuda_kernels"):
            (programs / name).symlink_to(STAND_IN / name)
        true_ones = ("products", "layers", "nccl_alone")
        for name in (*true_ones, "attention", "fused_attention", "rows", "kernels", "decoder_kernels",
                     "expert_kernels", "training", "graphs", "profiles", "memory", "nccl", "divided_tokens",
                     "expert_ranks", "tied_ends", "balanced_experts", "adapters", "offload", "runs"):
            test = programs / f"tst_cuda_{name}_gpu"
            if name in true_ones:
                test.symlink_to(BUILD / f"tests/core/runtime/cuda/tst_cuda_{name}")
            else:
                program(test, PASSED)
        pack = top / "pack.tar.xz"
        packed = subprocess.run([SCRIPT, "--pack", pack, "--build", programs, "--no-build"], capture_output=True, text=True,
                                env={**os.environ, "XZ_OPT": "--lzma2=preset=0,dict=64MiB,depth=1,nice=32"})
        assert packed.returncode == 0, packed.stderr
        assert pack.stat().st_size <= 36_000_000
        subprocess.run([sys.executable, "-m", "tarfile", "-e", pack, cls.here], check=True)
        program(cls.bin / "nvidia-smi", f"#!/bin/sh\necho '{SMI}'\n")
        table = top / "step.csv"
        table.write_text(ncu_table([(NORM, metrics("1,000")), (UPDATE, metrics("1,000"))] * 2))
        program(cls.bin / "ncu", NCU.replace("TABLE", str(table)))

    def setUp(self):
        out = tempfile.TemporaryDirectory(dir=self.folder.name)
        self.addCleanup(out.cleanup)
        self.out = Path(out.name)
        self.report = self.out / "gpu-report.txt"
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "OUT": str(self.out),
                            "TMPDIR": self.folder.name, "FAKE_GPUS": "1", "FAKE_NAMES": "NVIDIA H200",
                            "LD_LIBRARY_PATH": str(BUILD / "tests/app/cli/fake_driver")}
        self.command = [self.here / "tools/gpu_check.sh", "--build", "gpu-check", "--no-build", "--small"]

    def check(self, *arguments):
        began = time.monotonic()
        ended = subprocess.run([*self.command, *arguments], env=self.environment, capture_output=True, text=True)
        self.took = time.monotonic() - began
        report = self.report.read_text(encoding="utf-8")
        self.assertTrue(report.endswith(ended.stdout), ended.stdout)
        return ended.returncode, report

    def raw_lines(self, kind):
        file = self.out / f"gpu-report.{kind}"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def test_the_first_command(self):
        status, report = self.check("--total", "440", "--only", "machine,tests,kernels,oversubscribe,graphs")
        self.assertEqual(status, 0, report)
        self.assertLess(self.took, 440)
        self.assertRegex(report.splitlines()[0], "^Pipedeck on a GPU, .*, commit [0-9a-f]{7,}")
        self.assertIn("cuDNN 9.", report)
        self.assertIn("Libraries of pipedeck-cuda.so", report)
        self.assertRegex(report, "tst_cuda_products_gpu: Totals: [1-9][0-9]* passed, 0 failed")
        self.assertRegex(report, "head 32 x 128, bf16, weights' gradient +[0-9.]+ us")
        self.assertNotIn("REFUSED", report)
        self.assertRegex(report, "10 and 10 steps: losses are at most [0-9.e+-]+ apart")
        self.assertRegex(report, "3 and 3 steps: losses are at most [0-9.e+-]+ apart")
        self.assertEqual(report.count("CUDA_MODULE_LOADING=EAGER: "), 3)
        self.assertIn("\nall well\n", report)
        events = [json.loads(line) for line in self.raw_lines("runs.jsonl")]
        self.assertEqual([event["run"] for event in events if "run" in event],
                         ["mlp-one", "mlp-two", "gpt-one", "gpt-four", "gpt-tiny", "gpt-tiny--no-graphs"])
        self.assertEqual(sum(event.get("event") == "finished" for event in events), 6)
        self.assertIn("PASS   : TestCudaProducts::", "\n".join(self.raw_lines("tests.log")))

    def test_the_other_sections(self):
        status, report = self.check("--only", ",".join(SECTIONS[5:7] + SECTIONS[8:]))
        self.assertEqual(status, 0, report)
        for words in ("bf16       2 Pipedeck, no graphs ", "bf16   2 x 1 Pipedeck ", "fp32       2 Pipedeck ",
                      "2 launches of 2 kernels", "iteration (not summed)", "peak memory: ", "images/s", "all layers",
                      '"gpu_look_ms"', "not run: there is one GPU"):
            self.assertIn(words, report)
        self.assertLess(report.index("bf16 "), report.index("tf32 "))
        times = [json.loads(line) for line in self.raw_lines("times.jsonl")]
        self.assertTrue(all(len(row["steps_ms"]) == 2 for row in times))
        self.assertEqual({row["model"] for row in times}, {"gpt-bytes", "resnet-tiny", "vgg-tiny"})
        losses = self.raw_lines("losses.csv")
        self.assertEqual(losses[0], "precision,who,step,loss")
        self.assertEqual([row.rsplit(",", 1)[0] for row in losses[1:] if ",Pipedeck," in row],
                         [f"{precision},Pipedeck,{step}" for precision in ("bf16", "tf32", "fp32") for step in range(1, 6)])
        self.assertEqual([next(iter(json.loads(line))) for line in self.raw_lines("profiles.jsonl")],
                         ["prediction", "prediction", "profile", "cluster"])
        self.assertIn("==PROF== Connected", self.raw_lines("trace.csv")[0])
        self.assertLessEqual(len(list(self.out.iterdir())), 8)

    def test_sections_share_a_total(self):
        status, report = self.check("--total", "6", "--only", "prediction,oversubscribe,driver")
        self.assertEqual(status, 1, report)
        self.assertLess(self.took, 6 + 10)
        self.assertRegex(report, r"== prediction \(at [01] s, at most [1-4] s\)")  # a second may pass before it
        self.assertIn("FAILED: stopped when the time was over", report)
        self.assertIn("not run: the section's time is over", report)
        self.assertRegex(report, r"(?s)== result\nprediction: FAILED, [0-9]+ s\n.*driver: ")

    def test_a_section_has_its_time(self):
        status, report = self.check("--limit", "2", "--only", "graphs")
        self.assertEqual(status, 1, report)
        self.assertRegex(report, r"== graphs \(at [01] s, at most 2 s\)")  # a second may pass before it
        # The first run may have ended just before.
        self.assertRegex(report, r"FAILED: stopped when the time was over|\nnot all was run: see above\n")
        self.assertIn("not run: the section's time is over", report)
        self.assertNotIn("well", report.split("== result")[1])

    def test_reports_are_added_up(self):
        self.check("--only", "several")
        status, report = self.check("--only", "sanitizer")
        self.assertEqual(status, 0, report)
        self.assertIn("== several", report)
        self.assertIn("== sanitizer", report)

    def with_test(self, name, text):
        """A test program of the pack becomes another until this test is over."""
        file = self.here / "gpu-check" / name
        before = file.read_text()
        self.addCleanup(program, file, before)
        program(file, text)

    def test_failing_tests_are_named_with_their_figures(self):
        self.with_test("tst_cuda_rows_gpu", FAILED)
        self.with_test("tst_cuda_nccl_gpu", HANGS)
        status, report = self.check("--only", "tests", "--limit", "30")
        self.assertEqual(status, 1, report)
        for words in ("FAIL!  : TestCudaRows::layer_norm(bf16 768)", "found 0.031, expected less than 0.01",
                      "TestCudaRows::embedding() Compared", "   Actual   (found): 3", "   Expected (wanted): 4"):
            self.assertIn(words, report)
        self.assertNotIn("words", report)
        self.assertIn("after PASS   : TestCudaNccl::initTestCase()", report)
        self.assertRegex(report, "tst_cuda_runs_gpu: Totals: 1 passed")  # behind the one that hangs
        self.assertFalse(is_running(b"sleep\x004711\x00"))

    def test_killed_at_a_random_moment(self):
        how = random.choice((signal.SIGKILL, signal.SIGTERM))
        wait = random.uniform(0.2, 10)
        with subprocess.Popen([*self.command, "--total", "300", "--only", "trace,prediction,profile,images,driver"],
                              env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as check:
            time.sleep(wait)
            os.killpg(check.pid, how)
        time.sleep(0.5)
        said = f"{how.name} after {wait:.2f} s"
        report = self.report.read_text(encoding="utf-8")
        self.assertTrue(report.startswith("Pipedeck on a GPU, "), said)
        self.assertIn("== trace (at ", report, said)
        self.assertTrue(report.endswith("\n"), said)
        if how == signal.SIGTERM and "== result" not in report:
            self.assertRegex(report, "STOPPED by a signal in section [a-z]+", said)
        for kind in ("runs.jsonl", "times.jsonl", "profiles.jsonl"):
            for line in self.raw_lines(kind)[:-1]:
                json.loads(line)


if __name__ == "__main__":
    unittest.main()
