# SPDX-License-Identifier: Apache-2.0
"""deepspeed_bounds.py PROGRAM LAYERS REPLICAS: for each process the layers that PlannedPipeline of PROGRAM gives it.

The base class stands for deepspeed.pipe.PipelineModule as deepspeed/runtime/pipe/{module,topology}.py at commit 12e65a6
have it: processes are numbered by stage, then replica; __init__ calls _partition_layers(method=...), which sets parts
and bounds.
"""
import runpy
import sys
import types


class Topology:
    def __init__(self, stages, replicas):
        self.sizes = {"pipe": stages, "data": replicas}

    def get_dim(self, axis):
        return self.sizes[axis]

    def get_coord(self, rank):
        return types.SimpleNamespace(pipe=rank // self.sizes["data"], data=rank % self.sizes["data"])


class PipelineModule:
    processes = 1
    global_rank = 0

    def __init__(self, layers, num_stages=None, loss_fn=None, partition_method="parameters",
                 activation_checkpoint_interval=0):
        if self.processes % num_stages != 0:
            raise ValueError("num_stages must divide the processes")
        self._layer_specs = list(layers)
        self._topo = Topology(num_stages, self.processes // num_stages)
        self.activation_checkpoint_interval = activation_checkpoint_interval
        self._partition_layers(method=partition_method)

    def _partition_layers(self, method="uniform"):
        raise NotImplementedError(method)

    def _set_bounds(self, start=None, stop=None):
        self._local_start, self._local_stop = start, stop


sys.modules["deepspeed"] = types.ModuleType("deepspeed")
sys.modules["deepspeed.pipe"] = types.ModuleType("deepspeed.pipe")
sys.modules["deepspeed.pipe"].PipelineModule = PipelineModule
program = runpy.run_path(sys.argv[1])
layers, replicas = int(sys.argv[2]), int(sys.argv[3])
PipelineModule.processes = (len(program["PARTS"]) - 1) * replicas
for PipelineModule.global_rank in range(PipelineModule.processes):
    pipeline = program["PlannedPipeline"](range(layers), loss_fn=print)
    print(pipeline._local_start, pipeline._local_stop, pipeline.activation_checkpoint_interval)
