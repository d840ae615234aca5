<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>QObject</name>
    <message>
        <source>Explicit order</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>%1 %2 = warm-up %3 (㨿 to the pivot, %4) + %5 x %6 (%7) + %8 (</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 contradicts --pipeline-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 ms: the slowest stage&apos;s time a mini-batch of %3 samples, replicas and transfers counted; NOAM = ceil(%4 / %5) = %6 mini-batches are under way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (copy %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (time-out %2 s)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 CPU %2 of this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 antichains on %2 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 as device %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 costs %2%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 devices share %2 CPU cores: the results are the plan&apos;s, the times are not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has not ended for %2 s (time-out %3 s)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has waited %2 s for %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is %2 quicker%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is %2, 1 or more expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is %2, planner %3 has %4 only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 last backwards from the pivot to %2, %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers cut between unlike copies, %2 at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers on %2 devices%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, amp takes at most %3 on %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, at most %3 devices and layers^2 x devices up to %4 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, layers x devices^2 up to %3 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 micro-batches of %2 ms are %3 of the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 micro-batches of %2 samples are not the global batch of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more %2 like &quot;%3&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of micro-batch %2 on stage %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on stage %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 partitions of %2 layers over %3 devices, at most %4 for --recommender bf expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 replicas do not share the %2 samples of a micro-batch, at least one each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 replicas, --dp %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 stages, --max-stages %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 stages, --pp %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 states of %2 layers on %3 devices, %4 are the most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 x %2, unequal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 x split(%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2%3: no lower highest peak memory as CAPTURE predicts it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, stage %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: by T, eq. 4%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: objective: planner %2 bytes, evaluation %3 bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: objective: planner %2 ms, evaluation %3 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: stage %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1its last backward, %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&apos;, one of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(the iteration time alone needs %1 GiB)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+ %1 ms (gradients of stage %2); pipeline %3 of %4 is the slowest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+ %1 ms (its transfers)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 copies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, on one level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, or %1, one a rank of its pipeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, or on any consecutive devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, recomputing in every stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, some perhaps idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, the pins kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, under the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, with at least %1 samples a replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, with micro-batches of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, without recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--as-released: found --levels any, --synchronous, --allow-idle, --printed-objective or pins, which the released program does not have</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--evaluations is %1, 1 to 100000 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--global-batch is %1, 1 or more expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--micro-batch is %1, 1 or more expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pin names devices %1 and %2, planner %3 uses one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pin names more devices than --dp has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pin: found device %1, expected 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pin: found layer %1, expected 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--planner pipedream without --as-released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pp %1 contradicts --max-stages %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pp %1 is more than the profile&apos;s %2 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--pp %1 x --dp %2 x --tmp %3 asks for %4 devices, the cluster has %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--rank-by simulated needs a simulator to judge plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--tmp %1: no layer of the profile has times for %2 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/bandwidth_matrix_gb_per_s/%1/%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/chunks/%1/%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/chunks/%1/copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/chunks/%1/devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/layers/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/layers/%1/name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/links/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/nodes/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/operations/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/operations/%1/%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/order/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/stages/%1/%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/stages/%1/devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1F1B: backwards as early as they can be; warm-up A or B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: layers without a stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: none has a lower L_max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: none has less by eq. 2 as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: none is simulated faster, pipelines without overlap of all-reduces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: stages of different degrees, AMP&apos;s eq. 4 knows one of each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>: the micro-batches are not the global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 % of the V100&apos;s peak of 15.7 TFLOP/s is an assumption</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; it has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>AMP eq. 4, T</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>AMP eq. 4, v / b as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>AMP&apos;s randomised procedure: placements as domino tilings, by simulated annealing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>AMP, annealed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adaptive: the fastest order found for the plan&apos;s own stage times and memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All stages take the same time:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Busiest device %1 ms = %2 micro-batches x %3 ms (%4 samples on device %5, %6).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CAPTURE highest peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CAPTURE, %1 stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chimera: two copies of the model, 1F1B in each direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DAPPLE L_max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DAPPLE eq. 2, as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DualPipe: two copies of the model, one in each direction, forwards overlap backwards</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DualPipeV: DualPipe cut in half, one copy along a V, two stages a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPipe cut so that the slowest stage is quickest, not by number of layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPipe, balanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPipe, even layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPipe: all forwards, then all backwards; keeps every micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interleaved 1F1B: v chunks of layers a device in turn; shorter start and end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its slowest device computes all the while:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Megatron %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Megatron-LM&apos;s rules: the least tensor and pipeline parallelism that fits, even stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream as released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream slowest stage A^1, all devices one level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream slowest stage A^L</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream slowest stage, as released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream slowest stage, consecutive devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream with vertical sync: a mini-batch meets one version everywhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream-2BW: asynchronous 1F1B, one update a batch, two weight versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream: a value of the table that no stage gives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PipeDream: asynchronous 1F1B, replicas in turn, weights stashed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256 is part of every OpenSSL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SQLite format 3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated, a mini-batch takes %1 ms, %2 % more than the slowest stage&apos;s %3 ms: with NOAM = ceil(%4 / %5) = %6 mini-batches under way, transfers or uneven replication leave stages waiting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stage %1 sets the pace, %2 above the average stage: %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages on consecutive devices of their own bandwidths are not searched: the cluster is too large.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>T %1 ms = %2 x %3 ms (slowest stage, %4) + %5 ms (one micro-batch through all stages)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TaskGraph %1: %2, sum of eq. 1 %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The layer graph has more than %1 cuts: searched in topological orders of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The layer graph has too many cuts: planned in one topological order of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The order of operations that the plan lists for every device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V-Half: two chunks a device in a V; half the activations of 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>V-Min: two chunks a device in a V; a third of the activations of 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whale busiest device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-H1: weight gradients put off into the drain; memory of 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-H2: no bubble between iterations; memory of twice 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-V: two chunks a device in a V; no bubble where the passes take equal times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;fit&quot;, &quot;held-out&quot;, &quot;in-turn&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;fp32&quot;, &quot;mixed-16&quot;, &quot;mixed-18&quot;, &quot;mixed-20&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;gpipe&quot;, &quot;1f1b&quot;, &quot;interleaved&quot;, &quot;zb-h1&quot;, &quot;zb-h2&quot;, &quot;zb-v&quot;, &quot;v-half&quot;, &quot;v-min&quot;, &quot;dualpipe&quot;, &quot;dualpipev&quot;, &quot;chimera&quot;, &quot;adaptive&quot;, &quot;pipedream&quot;, &quot;pipedream-vertical&quot;, &quot;pipedream-2bw&quot;, &quot;explicit&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;ideal&quot;, &quot;shared&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;least&quot;, &quot;ring&quot;, &quot;hierarchical&quot;, &quot;tree&quot;, &quot;nccl&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;name&quot;:%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;none&quot;, &quot;layer&quot;, &quot;bucket&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&quot;none&quot;, &quot;sgd&quot;, &quot;momentum&quot;, &quot;adam&quot;, &quot;rmsprop&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a JSON text that parsed gives one value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a bandwidth such as &apos;25 Gbit/s&apos; or &apos;3.1 GB/s&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a calibration needs a run to be fitted from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a device that another stage has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a global batch of %1, at least 1 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a lane holds compute operations only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a layer was asked for a degree of tensor parallelism it does not list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a list of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a message is sent once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a number such as &apos;1.5&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a planner asks for an option that its table does not have:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a profile without layers, at least one expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a ranking is empty exactly when it says why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica without samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a row has a field for each column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a share such as &apos;5 %&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a size such as &apos;16 GiB&apos; or &apos;640 MB&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a stage needs a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time such as &apos;5 us&apos; or &apos;1.2 ms&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a whole number, 0 or more,</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations of %1 micro-batch%2 in flight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all %1 plans, by simulated time: it equals their lower bound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all %1whole-sample shares%2 of %3 on these devices in this order with micro-batches of %4 that fit: none has a less busy busiest device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all devices one level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all layers on every device, gradients all-reduced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all layers on the quickest device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all or the first components of each level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce of %1, %2,</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also plans that do not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also plans that do not fit, as in the paper</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also where it does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also with fewer components of a level in use, everywhere as many: devices of a node, nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an operation of the critical path is not in the timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and keeps the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and shares of columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any micro-batch of %1 samples a replica or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any: search 1F1B and GPipe; all: and try the best plans under every other synchronous schedule; else this one only. Seeds keep theirs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as released: with its own rule of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>assigning layers to %1 stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asynchronous schedules keep several versions of the weights, which the trainer does not: choose gpipe or 1f1b</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto: devices in a node, nodes in the cluster, more where bandwidths differ; flat: one level; any: the best of these and of stages on any consecutive devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto: start from all other planners&apos; plans, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>aware: by what devices do; even: as if all were alike, for comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>balanced blocks on one device each, 1F1B with the quicker warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bo: of its random choices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bo: predictions for each micro-batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bridge: gather by %1%2, %3 MiB a micro-batch each way (%4 with the whole everywhere)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>but does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can&apos;t be opened: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can&apos;t be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>candidates simulated at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>candidates to simulate at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot honour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>capture found stages that have no devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>capture gave a partition that does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>capture lost its way through its table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cat &gt; &quot;$folder/%1&quot; &lt;&lt;&apos;%2&apos;
%3%4
</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>columns are written as they lie in memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>communication makes no pass quicker</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computed from layer shapes at %1 TFLOP/s and %2 GB/s in fp32; shapes: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>consecutive devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>contiguous stages of any degrees of data and tensor parallelism</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cpu: %1 cores, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cpu: %1 cores, %2 (backend cpu: a thread a device)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: GPU %1 does not answer: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: GPU %1, %2, %3 GiB (seen; this version trains on the CPU)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: driver %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: none; libcuda.so.1 is not the CUDA driver</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: none; libcuda.so.1 is not there, so no NVIDIA driver is installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: none; the driver finds no GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: none; the driver says: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuda: the driver lacks calls that are needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut as gpipe-balanced does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuts and</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dapple searched a plan that does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data of kind &apos;%1&apos;, expected &apos;synthetic&apos; or &apos;text&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1 %2(stage %3, micro-batch %4)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1 does not run forward and backward of every micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1 is used twice: a CPU thread runs one stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1: %2 of micro-batch %3 on stage %4 can&apos;t come at position %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1: %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1: its thread can&apos;t be started: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device_%1_busy_fraction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device_%1_memory_bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>devices/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>eq. 2 as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>even layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>even layers, one device a stage, all forwards before all backwards</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>even parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every micro-batch of %1 or more samples a replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact: dynamic programme; bf: all partitions, where they are at most 5,000,000; bo: Bayesian optimisation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expected %1 rows of %2 figures, one a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finding the cuts of the layer graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits its devices with any of the micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folder=&quot;$%1/%2-%3&quot;
</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward, backward, backward_input, backward_weight, recompute, send, receive, all_reduce, optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 F, %2 B, %3 I and %4 W of micro-batch %5 on stage %6, expected one F, and one B or one I and W</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 R of micro-batch %2, expected %3: stage %4 %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 a second time, expected it in cell %2 alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 a second time, expected it once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 actions in %2, expected two</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 after %2, expected rising device numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 but %2 the other way, expected a symmetric matrix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 bytes, which are not %2 lanes with %3 operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 chunks a device, expected at least 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 chunks, expected %2 of each of the %3 stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 copies, expected one: &apos;%2&apos; goes in one direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 counts, expected one for each of the %2 stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 devices, expected as many as stage %2 has, whose copy is on them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 devices, expected at most %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 figures, expected one for each of memory_curve&apos;s %2 points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 heads, expected a divisor of hidden, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 joined with the next, expected one behind it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 layers, expected %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 layers, expected at least %2: &apos;%3&apos; has %4 stages on each of %5 groups of devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 layers, expected at least one and the loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 lists, expected one for each of the %2 devices used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 ms, expected a finite time from 0 to %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 ms, expected at most backward_ms, %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 of value_ms and value_bytes, expected one of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 replicas for a micro-batch of %2, expected a sample for each at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 rows, expected %2, one a device of the plan%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 rows, expected one for each of the %2 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 shards, expected one for each of the %2 ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 shares, expected one for each of the %2 replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 stages and %2 micro-batches, whose simulation of up to %3 operations would need %4 GiB; expected at most %5 GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 stages on %2 groups of devices, expected a whole number of stages a group: &apos;%3&apos; goes round them in turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 stages, expected an even number: &apos;%2&apos; puts each with the one opposite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 stages, expected an even number: &apos;%2&apos; puts two of them on each device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 twice, expected once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 waiting for what device %2 never sends, expected a send for every receive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 warm-up counts, expected one for each of the %2 stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 where device %2 has micro-batch %3 in turn, expected the same order on both sides of a transfer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1 without what it needs of its own device, expected the operation before it in the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1%2%3 of micro-batch %4 on stage %5, expected B, or I and W</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected %2 at least for the %3 stages of &apos;%4&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected %2 at least, which are in flight: a smaller batch needs more than two versions of the weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected %2, the devices of stage %3: &apos;%4&apos; comes back along a V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected %2, the devices of stage %3: &apos;%4&apos; has copy %5 of stage %6 there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected %2: &apos;%3&apos; needs it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected 0 to %2, of which it is a part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected 1, the only version that this program reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected 64 lower-case hexadecimal digits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected F, B, I, W or R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected F, B, I, W or R behind the stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected [kind, stage, micro-batch]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected [ms, bytes]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected &quot;%2&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a degree that layer &apos;%2&apos; has times for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a divisor of global_batch, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a divisor of the stage&apos;s %2 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a finite number above 0, at most %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a finite number from %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a finite number from 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a micro-batch number last, as in 0F0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a multiple of the %2 replicas of stage %3, which take micro-batches in turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a nanosecond or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a stage number first, as in 0F0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a stage that the device runs for that micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a whole number from %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected a whole number from 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected an edge: id -- id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected an even number: &apos;%2&apos; runs half of them in each direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected an object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected at least %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected at most the padded input&apos;s %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected global_batch / micro_batch = %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected micro-batches 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected more than 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected none: stage %2 of the plan does not recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected one of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected one of the %2 outputs of &apos;%3&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected pipedeck.profile, pipedeck.cluster, pipedeck.plan, pipedeck.simulation, pipedeck.model or pipedeck.calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected started, step, timeline, warning, failed or finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected the name of a layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected the start, %2, or later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected times that begin at 0 and rise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected true or false</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected true, false or a list of layer positions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected two actions as (0F1;1B0)%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected two actions that do not wait for one another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1, expected two layer names, and the output&apos;s number where there are several</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1=%2, expected bytes from 0 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found %1=%2, expected milliseconds from 0 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos; as the last layer, expected the loss, softmax_cross_entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos; before &apos;%2&apos;, which feeds it; expected a topological order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected F, B, I, W or R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected synthetic or text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected the name of a node or switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, which is not offered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &apos;explicit&apos;, expected a schedule that makes its own lists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found 0, expected a bandwidth between every two devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found [%1, %2], expected a range that begins at %3, where the one before ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found [%1, %2], expected at least one layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found &quot;%1&quot;, expected &quot;profile&quot; or &quot;cluster&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a %1, expected a %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a Pipedeck project, expected a single document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a cycle that reaches layer &apos;%1&apos;, expected a graph without cycles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a deadlock:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a device of stage %1 among others than that stage&apos;s, expected the same devices in the same order and the same tensor_parallel in all stages that share a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a file of another kind, expected a Pipedeck project (SQLite)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a file of no known format, expected JSON with a &apos;format&apos;, a layer graph or a Pipedeck project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a folder, expected a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a folder, expected a project file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a global batch below 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a layer graph without its micro-batch, expected --profile-micro-batch N or -pbs-N in the file&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a layer of kind &apos;%1&apos;, expected one whose shape is known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a layer twice, expected each once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a link from &apos;%1&apos; to itself, expected two ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a list beside the schedule &apos;%1&apos;, expected it with &apos;explicit&apos; only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a list of %1, expected [first, last)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a number too large for any figure, expected a finite one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a plan for %1 layers, expected %2, the layers of %3 without its loss: a job trains the plan&apos;s own model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a plan of the asynchronous schedule &apos;%1&apos;, expected a synchronous one: lists end with the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a row of %1, expected %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a run of the plan &quot;%1&quot;, expected &quot;%2&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a run on %1 devices, expected %2, as the plan has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a run that failed (%1), expected one that ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a schedule that does not end, expected one that does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a second device type named &apos;%1&apos;, expected unique names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a second layer named &apos;%1&apos;, expected unique names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a second node &apos;%1&apos;, expected unique ids</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a second node or switch named &apos;%1&apos;, expected unique names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a second point at %1 samples, expected one each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found a work copy of version %1, expected %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found activation_size=%1, expected a closing ]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an SQLite file of another program, expected a Pipedeck project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an edge from &apos;%1&apos; to itself, expected two layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an edge from &apos;%1&apos; to itself, expected two nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an edge of &apos;%1&apos;, expected the id of a node</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an empty description, expected the layer&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an empty file, expected a row a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found an empty name, expected one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found another list than on device %1, expected the same on all devices of a replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found bytes that are not UTF-8, expected text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found chunks, expected none: &apos;%1&apos; has one chunk a stage, on its devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found copy %1 of stage %2 a second time, expected each once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found copy %1, expected 0 or 1: &apos;%2&apos; has two</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found data loading only, expected a layer at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found degree %1 a second time, expected one point each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found device %1 a second time, expected each in one stage only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found device %1, expected 0 to %2, the devices of cluster &apos;%3&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found device %1, which stage %2 has, expected &apos;%3&apos; to have none in common with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found devices that are no stage&apos;s, expected all %1 of one stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found layer %1 a second time, expected each once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found layer &apos;%1&apos; of %2 bytes and %3 s, expected a model of a sensible size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found links beside bandwidth_matrix_gb_per_s, expected one of the two</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found micro-batch %1 in %2, expected 0 to %3, the plan&apos;s micro_batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found micro-batch %1, expected 0 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found more than %1 bytes, expected at most that</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found nesting deeper than %1 levels, expected a document of a known format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no %1 preset &apos;%2&apos;, expected one of: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no %1, expected it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no %1, expected it in a layer of kind &apos;%2&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no %1F%2, expected a forward of every micro-batch on device %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no &apos;%1&apos;, expected it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no &apos;format&apos;, expected it to say what the file is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no device, expected at least one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no devices, expected at least one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no divisor of global_batch, %1, from %2 to %3, expected one: &apos;%4&apos; cuts each micro-batch over %5 replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no edges between layers, expected a connected graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no edges, expected a connected graph, or no &apos;edges&apos; for a chain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no layers, expected at least one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no list for device %1, expected one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no measured operations of a step after the first, expected those of some: run with --timeline-every 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no memory for a single micro-batch, expected room for one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no nodes, expected a layer graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no nodes, expected at least one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no order of operations that comes to an end, expected one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no path between layers &apos;%1&apos; and &apos;%2&apos;, expected a connected graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no path between nodes &apos;%1&apos; and &apos;%2&apos;, expected links that connect all nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no path, expected the text file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no point at the profile&apos;s micro-batch of %1, expected the base point among them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no stages, expected at least one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no step after the first, which warms caches up; expected 2 steps or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no such file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found no valid JSON:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found node &apos;%1&apos; of %2 devices without a link, expected &quot;link&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found none, expected a list a device with the schedule &apos;explicit&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found one copy of every stage, expected two: &apos;%1&apos; goes in both directions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found other bytes than a timeline&apos;s columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found other devices than the stage&apos;s own, expected these for copy 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found other times than the layer&apos;s own at its micro-batch of %1, expected the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found outputs of %1 bytes in all, expected output_bytes, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found project version %1, expected 1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found project version %1, expected at most %2: it was written by a newer Pipedeck; open it with that one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found several copies of stages, expected one: &apos;%1&apos; goes in one direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found shards of %1 in all, expected 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found shards, expected none: tensor_parallel is 1, no layer is split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found shares of %1 in all, expected micro_batch, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found shares, expected none: this schedule never cuts a micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found stage %1 for micro-batch %2 on device %3, expected stage %4, which it runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found stage %1 for micro-batch %2 on device %3, expected stages that the plan has there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found stage %1 in %2, expected 0 to %3, the plan&apos;s stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found stages of %1 layers, expected %2, the layers of profile &apos;%3&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found steps of 0 ms, expected more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the asynchronous schedule %1, expected a synchronous one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the device type &apos;%1&apos;, expected one of device_types</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the edge %1 -- %2 a second time, expected it once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the edge from &apos;%1&apos; to &apos;%2&apos; a second time, expected it once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the key &apos;%1&apos; a second time, expected it once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the kind &apos;%1&apos;, expected one of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the last operation joined with the next, expected one behind it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the last range to end at %1, expected %2, the layers of profile &apos;%3&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the loss before the end, expected it as the last layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the size &apos;%1&apos;, which a layer of kind &apos;%2&apos; has not; expected %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found the work copy of a project, expected the project itself: open that one, and what was not saved is offered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>found two operations of device %1 at %2 ms, expected one at a time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gave a plan that breaks a pin:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gave a plan that is not valid:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives every replica as many samples as were measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>graph text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>has %1 bytes, expected at least %2 (a sequence and the byte behind it)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>has no option --</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highest peak %1 on stage %2 of %3 (layers %4 to %5, %6 samples a replica) = %7. Its first layer alone on a device %8, added by the %9 behind it %10.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in one topological order of the graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its layers do not follow on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its longer direction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>jitter: found %1 runs, expected 1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>jitter: found %1, expected a standard deviation over mean from 0 to %2; 0.05 is 5 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane %1 goes past its %2 operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1 not on device %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2) has no size &apos;%3&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2): size &apos;%3&apos; is %4, expected %5 to %6</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; is of kind &apos;%2&apos;, which can&apos;t be trained on the CPU; there are: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; takes %2 values a sample, but &apos;%3&apos; before it gives %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: activation is %2, expected 0 (none), 1 (relu) or 2 (gelu)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: causal is %2, expected 0 or 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: hidden %2 can&apos;t be cut into %3 heads of one width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer assignments of %1 and micro-batch %2 in this placement%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer graph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layers [%1, %2) of a model with %3, expected to begin at %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least latency of a synchronous iteration; stages replicated over any devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least samples of a micro-batch on a device; 0: the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least samples of a micro-batch on a replica; 0: the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least samples of a micro-batch; 0: the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least samples of a replica; 0: the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least simulated time over stages, devices, replicas, shares, recompute, schedules and micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least time of the slowest stage, over the levels of the cluster; asynchronous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less the backwards from the pivot to it, %1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line %1%2%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line %1, cell %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line %1, column %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>links move something</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>making links and devices better</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured on one thread of this machine&apos;s CPU, fp32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batch size %1: sizes are 1 or more, ascending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batches of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batches of %1 samples, a divisor of the global batch %2 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mini-batches of %1 samples, a divisor of the global batch %2 expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mini-batches of %1 samples, as in the profile, do not divide %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mkdir -p &quot;$folder&quot;
</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more memory on every device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more stages than layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than %1 operations with any of the micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moving layer &quot;%1&quot; from stage %2 to stage %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mpirun -np 1 --bind-to none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs %1 bytes, a device has %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs a simulator to judge plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no %1 fits with micro-batches of %2 samples%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no bridge, %1 MiB a micro-batch each way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no degrees of Megatron&apos;s rules fit the devices&apos; memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no layout of TaskGraphs that was asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch gives every device as many samples as were measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch gives every replica at least %1 samples%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch gives every replica of the partition as many samples as were measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch gives every replica the %1 samples that were measured at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch is as large as the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no partition fits by the released program&apos;s rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no partition fits: every stage keeps its weight versions and mini-batches of %1 samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no partition over %1 that uses %2 has a quicker slowest stage%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no partition over these levels has what is pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no pass is beside communication for long enough</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no pass stands clear of waiting and communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no placement has every pinned layer on its device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no placement of this planner&apos;s kind has the pinned layers on their devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no plan fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no plan fits the devices&apos; memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no plan fits the devices&apos; memory, with one micro-batch at a time on every stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no plan gives every one of %1 devices at least %2 samples of each micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no plan that the placement policies reach keeps to the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no planner &apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no pp x dp x tmp %1 %2 devices with a layer for every stage and whole micro-batches of %3 or more samples a replica%4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no pp x dp x tmp of Megatron&apos;s rules uses all devices with %1 samples a replica%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no strategy fits the devices&apos; memory, with one micro-batch at a time on every stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no transfer or all-reduce takes time for its bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no worker answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>node%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none of the %1 partitions tried fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing ends when the iteration does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>objective: the plan of least T, eq. 4; simulated: the best simulated one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of %1 of the columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the random draws: the same seed, the same answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on neighbouring devices: the TaskGraphs of a nested copy, or the replicas of a TaskGraph</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one device a stage, without data or tensor parallelism</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>oneDNN refused a matrix product</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only finite numbers are written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only plans that flush; else the quickest may be asynchronous, on several versions of the weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operation %1 is of a kind that there is not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other devices than the stages before it in a pipeline of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>our own; starts from the plans of all others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>passes beside communication took no longer than others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>passes took less than the profile says, which no overhead explains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline of one device a stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline, data and tensor degrees, micro-batch and layer assignment of least estimated time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipelines of %1 stages on one device each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>planner amp can</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>planner data-parallel can</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>planning was cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plans on all devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plans that leave devices idle, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plans to simulate at most; large ones count as several</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>policy A or B of 1F1B; auto: the one that simulates best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pp %1, dp %2, tmp %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pp x dp x tmp %1 %2 devices, %3, Megatron&apos;s placement, all layer assignments%4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>precision %1 has no kernels on the CPU, which trains in fp32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predict one micro-batch on every stage, as the paper does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>profiling needs at least one micro-batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>profiling was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rank with all-reduces beside the backward pass (on), after it (off), or as --overlap says (auto)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replicate(%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replicate, pipeline or split, samples and layers shared out by what unlike devices do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replicate: data parallel; pipeline: several TaskGraphs; split: layers cut by columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run forwards again before backwards; auto: where memory is short and it pays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>searched a plan that does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>searching with micro-batches of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sharding %1 x SP1, %2 x SP2, %3 MiB a profile micro-batch (the profile&apos;s all-reduces: %4)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shards/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shares by Algorithm 1 exactly as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shares/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulated iteration time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulated: the best simulated candidate; objective: the one of least L_max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulating the synchronous plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>simulating with jitter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smallest highest peak memory of any device, then the quickest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>so many TaskGraphs; 0: the best number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>split(%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>srun --ntasks=1 --cpu-bind=none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1: found forwards of %2 micro-batches of stages, expected %3 stages x %4: the events are of another plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1: found operations on %2 devices, expected those of the plan&apos;s %3 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps and timeline_every are 0 or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>strategies to draw; 0: 500, fewer in large problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>synchronous plans of whole passes and even shares, whatever their stages, devices, micro-batch and schedule, by simulated time: no other has a closed form below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>synchronous: least samples of a micro-batch on a replica; 0: the smallest measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>syntax error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>takes the same time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target %1 is none of the %2 classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor parallelism %1, --tmp %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor_parallel is %1: layers can&apos;t be cut over CPU threads, expected 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text needs a model that begins with an embedding, not with &apos;%1&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text needs a vocabulary and classes of at least 256 (a byte each), the model has %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that DAPPLE&apos;s three placement policies reach</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that fit and keep the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that keep the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that keeps the pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the activation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the devices of stage %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the explanation was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file can&apos;t be opened: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file can&apos;t be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file can&apos;t be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is damaged:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is empty, expected a Pipedeck project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the first source and what it leads to leave layers out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder can&apos;t be written: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the last layer, &apos;%1&apos;, is of kind &apos;%2&apos;; to be trained, a model ends in its loss, softmax_cross_entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the layer graph has no first source, or more than %1 antichains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the levels %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the loss &apos;%1&apos; takes %2 values a sample, but the layer before it gives %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the loss has %1 positions a sample, the first layer %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model has no layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model has no layers to train</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model is a chain: layers run in list order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the other replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the paper&apos;s eq. 1-3 as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the partition does not fit under a synchronous schedule, whatever the micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the plan does not fit its devices with any of the micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the plan has no stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the presets that come with the program are valid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project can&apos;t be written: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the project is write-protected; save it under another name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same partition under 1F1B, at the micro-batch that simulates best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the schedule has %1 micro-batches, the plan %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the schedule has no lane for device %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the search for an order was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the simulation stopped before the end of a schedule that cannot deadlock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the simulation was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the stages end at layer %1, the model has %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the synchronisation term exactly as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the text is empty, expected a JSON object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the time-out is more than 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the transfer from stage %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the work copy was never finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>these layers and devices cannot be made into TaskGraphs as asked for (a layer is split only where the profile has times for it)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this split with each of the %1 micro-batches and warm-ups that fit: by simulated time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>timing micro-batches of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>token %1 is not in the vocabulary of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too large:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfers as printed: v / b, one way, no latency</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>true or false</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown members are kept as a JSON object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what %1 of stage %2 and micro-batch %3 waited for until %4 ns is not to be found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what stages have equally much of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what the authors&apos; released program computes, which leaves memory out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with --micro-batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with --rank-by simulated: strategies to simulate at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with these pins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with v / b as printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>zero is %1: the trainer does not divide states over replicas, expected 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SQLite format 3<byte value="x0"/></source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::BandwidthMap</name>
    <message>
        <source>BANDWIDTH BETWEEN DEVICES</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 – G%2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 – G%2: not joined</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CalibrationDialog</name>
    <message>
        <source>Mean error of %1 %2: %3 before, %4 after.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fitted from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>left out in turn, each predicted by a fit from the others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>held out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run was held out: these errors say nothing of other runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: overhead %2, slow-down %3, link efficiency %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate from runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project&apos;s calibration: %1.
%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quartiles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hold out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can&apos;t be used: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This project has no runs yet: launch plans, then fit predictions to what was measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs are fitted from or held out, to see how far predictions are off for runs that the fit never saw. Where none is held out, each is left out in turn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fitting …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Overhead of an operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slow-down beside communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Efficiency of links</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not determined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick a run to fit from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibration (*.calibration.json *.json)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ChildProcess</name>
    <message>
        <source>%1 could not be started: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Choices</name>
    <message>
        <source>Ideal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every transfer has the whole bandwidth of its way; those between the same two nodes go one after another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whatever crosses a link at the same time shares its bandwidth fairly, all-reduces included.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A stage&apos;s gradients are all-reduced once its last backward is done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each layer&apos;s gradients are all-reduced as soon as they are there, behind the backward.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By bucket</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradients of several layers are all-reduced together as soon as they fill a bucket.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fastest ring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The faster of a flat and a hierarchical ring, for each all-reduce.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One ring over all devices; its slowest hop holds back the others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hierarchical</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rings inside the nodes, then one over the nodes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A double binary tree: few steps, for many devices and little data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NCCL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What NCCL&apos;s own estimate of algorithms and protocols chooses.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ComparePage</name>
    <message>
        <source>Choose a model and a cluster, then press Compare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a cluster, then press Compare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Compare, then select a plan: its layers are cut into stages here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This planner found no plan: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ComparisonPane</name>
    <message>
        <source>Compared plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick plans in the table to compare their charts here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Dialogs</name>
    <message>
        <source>Unsaved changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has changes that are not saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore unsaved changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipedeck ended without saving %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipedeck ended without saving a new project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes up to %1 were kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The saved file can&apos;t be read: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file was last saved %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Either can be had back with Undo and Redo until the project is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open last saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decide later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batch of the profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not say how many samples its times are for.
Samples of one forward and backward pass:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Explain</name>
    <message>
        <source>Forward and backward passes of the average device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the busiest device computes more than the average one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the passes take beyond the busiest device&apos;s, communication left aside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward passes that run again before the backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduces inside the passes of tensor-parallel layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transfers between stages that nothing hides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduces of gradients that nothing hides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link inside %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link %1–%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 + %2 more, each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed of %1, each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory of %1, each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bandwidth of links</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed of devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>imbalance of stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensor parallelism</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfers between stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce tail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Iteration of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2, %3 in %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ExplainPage</name>
    <message>
        <source>Compare plans first: a waterfall leads from one to another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Being computed…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find out which link, device or memory %1 would gain from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a plan first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ExplainView</name>
    <message>
        <source>Where two plans differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the rows, with tabs between columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part of the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waterfall between two plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would shorten the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each link and device 10 % better by itself, simulated again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>10 % more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change of the iteration, a row a link or device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much the iteration varies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passes &amp;vary by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Standard deviation of every pass&apos;s time, over its mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bars lead from p5 to p95 of %1 iterations, with a line at p50; dashed: nothing varies.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p5 / p50 / p95</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much the iteration varies, a row a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find &amp;out</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Explainer</name>
    <message>
        <source>Explain %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sensitivity of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 links and devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jitter of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It could not be computed.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Exports</name>
    <message>
        <source>&amp;Table (CSV)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Job script</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Slurm…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;mpirun…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A script that trains the model with the selected plan by pipedeck-cli run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export %1 as CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tables (*.csv);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The figures were not computed: try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export job script</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scripts (*.sh);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::GanttView</name>
    <message>
        <source>stages %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to show yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gantt chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations of every device over time. Arrow keys go from operation to operation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waited %1 for the activation from %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waited %1 for the gradient from %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waited %1 for the all-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after %1 idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started without waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chunk %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1  (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1 · %2 of %3 devices shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The others take other micro-batches in turn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click to see a lane a device.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Help</name>
    <message>
        <source>&lt;h3&gt;Pipedeck %1&lt;/h3&gt;&lt;p&gt;Plans pipeline-parallel training of deep networks, compares the plans side by side, and runs them on this machine.&lt;/p&gt;&lt;p&gt;Planners after DAPPLE, PipeDream, mCAP and CAPTURE; one simulator judges them all.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;p&gt;The window (app/session, app/models, app/views, app/ui) is free software under the GNU General Public License, version 3 or later; it links Qt and Qt Charts.&lt;/p&gt;&lt;p&gt;The core and the command line are under the Apache License 2.0.&lt;/p&gt;&lt;p&gt;There is no warranty. The full texts lie in the folder LICENSES of the source.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Inspector</name>
    <message>
        <source>by layer, as gradients get ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by bucket, as gradients fill it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the last backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward, backward and recompute; mean over the plan&apos;s devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline fill and drain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before a device&apos;s first operation %1, after its last %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for other stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For activations %1, for gradients %2, transfers that nothing hides included</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce tail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient all-reduce after the last backward, before the optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer step of each device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stashed weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>boundary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>communication buffers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 (stage %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 (stages %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Peak %1 of %2 on %3 at %4, with %5 micro-batches kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2, %3 more than its %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 at most, however long operations take%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, more than it has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimal: meets the lower bound of all plans, %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most %1 above any plan of this problem: no plan can take less than %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lower bound is known for this plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The planner&apos;s own formula (%1) gives %2 a mini-batch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The planner&apos;s own formula (%1) gives %2; the simulation is %3 %4 it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>under</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The planner minimised %1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These stages take at least %1 under this schedule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proven: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A time budget cut the planner&apos;s search short.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 bytes a parameter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, own warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, warm-up %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, steady state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ideal: transfers don&apos;t share links</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shared: transfers share links fairly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Being simulated.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the iteration goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conventions in force</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan to see its figures and the reasons for them.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ItemCurves</name>
    <message>
        <source>Memory by item of %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Jitter</name>
    <message>
        <source>Of %1 iterations whose passes vary by %2 %, 5 % take at most %3, half at most %4, 95 % at most %5; on average %6, %7 against none that vary</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Jobs</name>
    <message>
        <source>Internal error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 failed: %2.
This is a fault of the program, not of your input. Your work is unchanged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::JobsPanel</name>
    <message>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Launch</name>
    <message>
        <source>the process was killed or crashed. %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the process ended with status %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only a profile is known of this model: a launch needs a model preset or a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is too large to train on this machine&apos;s processor; choose a model such as gpt-tiny</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asynchronous schedules can&apos;t be run yet: choose a synchronous plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no temporary folder can be made: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measuring the layers of %1 on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped while measuring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring the layers failed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicting with the measured times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped before the first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan can&apos;t be predicted with the measured profile: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not understood: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LegendView</name>
    <message>
        <source>Legend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 chunks of the model on a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chunk of the device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LiveChart</name>
    <message>
        <source>%1 over training steps, in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2) by step; long runs are decimated, extremes kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · decimated</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MainWindow</name>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Topology</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PROJECT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>INSPECTOR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JOBS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>devices here: %1 — Launch trains on threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>processor core</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>processor cores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;sample project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chrome t&amp;race…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export Chrome trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chrome traces (*.trace.json *.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>P&amp;icture of this page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Explain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Topology</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Critical &amp;path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring out the operations that decide the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom to &amp;fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset &amp;layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory by &amp;item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A strip a device: weights, activations and all else piled up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window has this language from its next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Planners and options…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>De&amp;lete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Calibrate from runs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Predict with the calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The &amp;papers&apos; tables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The papers&apos; tables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipedeck projects (*.pipedeck);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profiles, graphs, clusters, plans, models, simulations, run logs (*.json *.jsonl *.txt);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save project as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save a copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>untitled.pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 copy.pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans (*.plan.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No projects yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not there any more. It was taken off the list of recent projects.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lower bound %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1[*] — Pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1[*] (read-only) — Pipedeck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · changed since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model and a cluster, then press Compare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan to see where its time and memory go, and why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>calibrated: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>calibration off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predictions are calibrated. %1.
Click to predict without.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1.
Click to predict with it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MemoryView</name>
    <message>
        <source>does not fit: %1 too much</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most %1, however long operations take: more than it has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most %1, however long operations take</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: peak %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory · %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak %1 of %2, at %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>    %1  %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  › %1  %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, at the peak %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Picture</name>
    <message>
        <source>%1 can&apos;t be written: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: found the ending &apos;%2&apos;, expected png, svg or pdf</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanBar</name>
    <message>
        <source>C&amp;hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chunks of the model on each device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chunks of the model on each device: more of them shorten start and end, and send more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanReasons</name>
    <message>
        <source>%1 stages, each within one server: gradients are reduced over links inside, and only activations cross the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 stages; replicas of at least one of them lie in several servers, so its gradients cross the network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduce of %1 of gradients over %2 devices takes at least %3; %4 of it is not hidden behind the backward.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicating all %1 of weights on %2 devices would cost at least %3 of all-reduce at %4; this plan waits %5 for its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cut before layer %1 sends %2 a micro-batch each way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The widest of its %1 cuts sends %2 a micro-batch each way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All stages are equally busy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stage %1 is the busiest; stage %2 has %3 less to do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 micro-batches over %2 equal stages would leave devices idle for %3; here it is %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward runs again before backward on stage %1, to save memory.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanRows</name>
    <message>
        <source>the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up %1. Policy %2 would take %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> and not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 · %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanTable</name>
    <message>
        <source>steady state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steady</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanTableModel</name>
    <message>
        <source>no plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Being simulated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 micro-batches of %3 samples · %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms from the first forward to the end of the last optimizer step, %2 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steady state: %1 ms for as many samples as the global batch has, %2 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 holds %2 of %3 at %4; %5 at most, however long operations take</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plan of this problem can be faster than %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lower bound is known</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Every device is expected to hold its share, but %n may need more than they have: G%1 up to %2 of %3</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Every device holds its share, however long operations take</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>G%1 would need %2 more than it has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits, but not by the upper estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show %1 below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shown as Gantt chart and memory curves below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Planner, devices a stage and layers a stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulated time of one global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global batch over iteration time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over the whole model on one device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of device time in which nothing is computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comm.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the iteration in which no device computes, but data moves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the fullest device, against its capacity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over bound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Iteration above the lower bound of all plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether every device holds its share</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlannerDialog</name>
    <message>
        <source>Planners and options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every plan must have</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exactly so many stages (--pp)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at &amp;most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most so many stages (--max-stages)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>So many replicas of every stage (--dp)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;tensor parallelism</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices over which each layer of a stage is split (--tmp)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer=device, layer=device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These layers (by name or number) on these devices (by number): --pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Layers on devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Planners; ticked ones are compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found &quot;%1&quot;, expected layer=device.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The profile has no layer &quot;%1&quot;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a profile first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick at least one planner.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileBars</name>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers as bars; the table below has the same figures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;layer %1 · %2&lt;/b&gt;&lt;br&gt;forward %3, backward %4&lt;br&gt;saved %5, output %6, parameters %7</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileTableModel</name>
    <message>
        <source>%1, of which weight gradient %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of one forward pass of one micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of one backward pass: input and weight gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What goes to the next layer for one micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What forward keeps for backward, for one micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights in the precision of the profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>#</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 layers are measured at one micro-batch size only: other sizes are taken as proportional.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 layers have no tensor-parallel times: they can&apos;t be split.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 layers take no time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The device that the times are for is not named.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileView</name>
    <message>
        <source>Layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a profile, or choose a model preset, to see its layers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers · forward %2 · backward %3 for %4 samples on %5 · parameters %6 · saved %7 · largest output %8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an unnamed device</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProjectTree</name>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProjectTreeModel</name>
    <message>
        <source>Profiles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models: times and bytes of each layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices and what joins them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How a model is cut over a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trainings launched from here</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::QuantityEdit</name>
    <message>
        <source>Expected more than %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expected at least %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expected at most %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expected a whole number</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::QuestionBar</name>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Model profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>M&amp;icro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples of one iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples of one micro-batch; auto leaves the choice to each planner</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;All-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduce al&amp;gorithm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>▶ Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop comparing (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan with every planner and simulate the answers (Ctrl+R)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>■ Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the run (Shift+F5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train the selected plan on this machine (F5)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ReadOnlyBar</name>
    <message>
        <source>Save a copy…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the project under another name, where it can be saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-only: %1 What you change here is not written to the file.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RulerView</name>
    <message>
        <source>Time scale</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunModel</name>
    <message>
        <source>started %1 on %2 devices (%3) · plan %4 · %5 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>timeline of step %1: %2 operations in %3 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed at step %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped on request after %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2 s · median step %3 ms · last loss %4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunPage</name>
    <message>
        <source>measuring the layers of %1 and this machine first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunView</name>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no plan yet: compare first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no model that can be trained here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train the model with this plan on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (%1 of the prediction)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing launched yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished · %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped at %1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed at step %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dashed: predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dashed: predicted peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured %1 against predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shown when a run has measured its operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MEASURED OVER PREDICTED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LAUNCH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Iterations to train, each one global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop after the step at hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PREDICTED AGAINST MEASURED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted against measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of each kind of operation in a step, summed over devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RUNS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples/s by step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cross-entropy by step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Busy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share of time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The measured timeline appears here when a run sends one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LOG</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Session</name>
    <message>
        <source>Choose model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose model %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose cluster %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cluster preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set global batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set micro-batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave micro-batch to planners</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change planner options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change how plans are judged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model profile first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a cluster first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batch %1 does not divide global batch %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a planner first (Plan &gt; Planners and options).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fitted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch calibration on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch calibration off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save calibration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (edited)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore unsaved changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opened %1 to read only: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is open to read only: %2 Save a copy under another name instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 can&apos;t be written: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Imported %1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no plan to export: select one in the table.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> It would fit with: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare plans for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulate plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not simulated: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is write-protected.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is open in another window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes to %1 that were not saved can&apos;t be read: %2
They are kept as %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore unsaved work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work that was not saved can&apos;t be read: %1
It is kept as %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes are not safe</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is not saved would be lost with this program: %1
Save the project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is under way: stop it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Train %1 with %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete run %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::SplitEditor</name>
    <message>
        <source>SPLIT — drag a cut; the old plan stays as a ghost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SPLIT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1   %2   peak %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan to edit its split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model as a strip of layers: width is time, height is memory. Drag a cut, or Tab to it, move it with Left and Right, and press Enter; Esc puts it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage %1 (chunk %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layers %1–%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 too much</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;layer %1 · %2&lt;/b&gt;&lt;br&gt;forward and backward %3 for %4 samples&lt;br&gt;weights and activations %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 replicas on %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;br&gt;tensor parallel over %1 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;br&gt;a second copy on %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;br&gt;chunk %1 of %2 on its devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut before stage %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::StartPanel</name>
    <message>
        <source>Compare training plans in three steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything here can be changed later, and undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Times and bytes of each layer, from a preset or a file of yours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The devices to train on, and what joins them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All planners side by side, for this many samples an iteration.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples an iteration, over all devices and micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> samples an iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a profile…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a cluster…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose or import a model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose or import a cluster first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run all planners on this model and cluster</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Tables</name>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers of the profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory by item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of the iteration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waterfall between two plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no plans yet: press Compare first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose two plans on the Explain page first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a run first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Theme</name>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>input gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stashed weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage inputs and outputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>communication buffers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserve</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Topology</name>
    <message>
        <source>bus %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ports · full duplex</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 Gbit/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 Mbit/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;G%1&lt;/b&gt; · %2 in %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory %1 GiB · relative speed %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 TFLOP/s %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 an hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;br&gt;inside: %1, latency %2 µs, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one bus for all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a full-duplex port each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;b&gt;%1 – %2&lt;/b&gt;&lt;br&gt;%3 (%4) each way, latency %5 µs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 node</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyView</name>
    <message>
        <source>Topology</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a cluster to see what joins its devices</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TraceExport</name>
    <message>
        <source>There is no plan to export: select one in the table.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan is not simulated yet. Try again when its chart is there.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
