<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>core</name>
    <message>
        <source>%1 %2 contradicts --pipeline-only</source>
        <translation>%1 %2 widerspricht --pipeline-only</translation>
    </message>
    <message>
        <source>%1 %2 ms: the slowest stage&apos;s time a mini-batch of %3 samples, replicas and transfers counted; NOAM = ceil(%4 / %5) = %6 mini-batches are under way</source>
        <translation>%1 %2 ms: Zeit der langsamsten Stufe je Mini-Batch von %3 Samples, Replikate und Übertragungen mitgezählt; NOAM = ceil(%4 / %5) = %6 Mini-Batches sind unterwegs</translation>
    </message>
    <message>
        <source>%1 (copy %2)</source>
        <translation>%1 (Kopie %2)</translation>
    </message>
    <message>
        <source>%1 (time-out %2 s)</source>
        <translation>%1 (Zeitgrenze %2 s)</translation>
    </message>
    <message>
        <source>%1 CPU %2 of this machine</source>
        <translation>%1 CPU-%2 dieses Rechners</translation>
    </message>
    <message>
        <source>%1 antichains on %2 devices</source>
        <translation>%1 Antiketten auf %2 Geräten</translation>
    </message>
    <message>
        <source>%1 as device %2</source>
        <translation>%1 als Gerät %2</translation>
    </message>
    <message>
        <source>%1 costs %2%3</source>
        <translation>%1 kostet %2%3</translation>
    </message>
    <message>
        <source>%1 devices share %2 CPU cores: the results are the plan&apos;s, the times are not</source>
        <translation>%1 Geräte teilen sich %2 CPU-Kerne: die Ergebnisse sind die des Plans, die Zeiten nicht</translation>
    </message>
    <message>
        <source>%1 has not ended for %2 s (time-out %3 s)</source>
        <translation>%1 ist seit %2 s nicht fertig (Zeitgrenze %3 s)</translation>
    </message>
    <message>
        <source>%1 has waited %2 s for %3</source>
        <translation>%1 wartet seit %2 s auf %3</translation>
    </message>
    <message>
        <source>%1 is %2 quicker%3</source>
        <translation>%1 ist %2 schneller%3</translation>
    </message>
    <message>
        <source>%1 is %2, 1 or more expected</source>
        <translation>%1 ist %2, erwartet: 1 oder mehr</translation>
    </message>
    <message>
        <source>%1 is %2, planner %3 has %4 only</source>
        <translation>%1 ist %2, Planer %3 kennt nur %4</translation>
    </message>
    <message>
        <source>%1 layers cut between unlike copies, %2 at most</source>
        <translation>%1 Schichten über ungleiche Kopien geschnitten, höchstens %2 möglich</translation>
    </message>
    <message>
        <source>%1 layers on %2 devices%3</source>
        <translation>%1 Schichten auf %2 Geräten%3</translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, amp takes at most %3 on %4</source>
        <translation>%1 Schichten auf %2 Geräten, amp nimmt höchstens %3 auf %4</translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, at most %3 devices and layers^2 x devices up to %4 expected</source>
        <translation>%1 Schichten auf %2 Geräten, erwartet: höchstens %3 Geräte und Schichten^2 x Geräte bis %4</translation>
    </message>
    <message>
        <source>%1 layers on %2 devices, layers x devices^2 up to %3 expected</source>
        <translation>%1 Schichten auf %2 Geräten, erwartet: Schichten x Geräte^2 bis %3</translation>
    </message>
    <message>
        <source>%1 micro-batches of %2 ms are %3 of the iteration</source>
        <translation>%1 Mikro-Batches von %2 ms sind %3 der Iteration</translation>
    </message>
    <message>
        <source>%1 micro-batches of %2 samples are not the global batch of %3</source>
        <translation>%1 Mikro-Batches von %2 Samples ergeben nicht den globalen Batch von %3</translation>
    </message>
    <message>
        <source>%1 more %2 like &quot;%3&quot;</source>
        <translation>%1 weitere %2 wie „%3“</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of micro-batch %2 on stage %3</source>
        <translation>%1 von Mikro-Batch %2 auf Stufe %3</translation>
    </message>
    <message>
        <source>%1 on stage %2</source>
        <translation>%1 auf Stufe %2</translation>
    </message>
    <message>
        <source>%1 partitions of %2 layers over %3 devices, at most %4 for --recommender bf expected</source>
        <translation>%1 Aufteilungen von %2 Schichten auf %3 Geräte, erwartet: höchstens %4 für --recommender bf</translation>
    </message>
    <message>
        <source>%1 replicas do not share the %2 samples of a micro-batch, at least one each</source>
        <translation>%1 Replikate teilen die %2 Samples eines Mikro-Batches nicht, jedes braucht mindestens eines</translation>
    </message>
    <message>
        <source>%1 replicas, --dp %2</source>
        <translation>%1 Replikate, --dp %2</translation>
    </message>
    <message>
        <source>%1 stages, --max-stages %2</source>
        <translation>%1 Stufen, --max-stages %2</translation>
    </message>
    <message>
        <source>%1 stages, --pp %2</source>
        <translation>%1 Stufen, --pp %2</translation>
    </message>
    <message>
        <source>%1 states of %2 layers on %3 devices, %4 are the most</source>
        <translation>%1 Zustände von %2 Schichten auf %3 Geräten, höchstens %4 möglich</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 x %2, unequal</source>
        <translation>%1 x %2, ungleich</translation>
    </message>
    <message>
        <source>%1 x split(%2)</source>
        <translation>%1 x split(%2)</translation>
    </message>
    <message>
        <source>%1, %2%3: no lower highest peak memory as CAPTURE predicts it</source>
        <translation>%1, %2%3: kein niedrigerer höchster Spitzenspeicher nach CAPTUREs Vorhersage</translation>
    </message>
    <message>
        <source>%1, stage %2</source>
        <translation>%1, Stufe %2</translation>
    </message>
    <message>
        <source>%1: by T, eq. 4%2</source>
        <translation>%1: nach T, Gl. 4%2</translation>
    </message>
    <message>
        <source>%1: objective: planner %2 bytes, evaluation %3 bytes</source>
        <translation>%1: Zielgröße: Planer %2 Bytes, Nachrechnung %3 Bytes</translation>
    </message>
    <message>
        <source>%1: objective: planner %2 ms, evaluation %3 ms</source>
        <translation>%1: Zielgröße: Planer %2 ms, Nachrechnung %3 ms</translation>
    </message>
    <message>
        <source>%1: stage %2: %3</source>
        <translation>%1: Stufe %2: %3</translation>
    </message>
    <message>
        <source>(the iteration time alone needs %1 GiB)</source>
        <translation>(die Iterationszeit allein braucht %1 GiB)</translation>
    </message>
    <message>
        <source>, %1 copies</source>
        <translation>, %1 Kopien</translation>
    </message>
    <message>
        <source>, on one level</source>
        <translation>, auf einer Ebene</translation>
    </message>
    <message>
        <source>, or %1, one a rank of its pipeline</source>
        <translation>, oder %1, eine je Rang seiner Pipeline</translation>
    </message>
    <message>
        <source>, recomputing in every stage</source>
        <translation>, mit Neuberechnung in jeder Stufe</translation>
    </message>
    <message>
        <source>, some perhaps idle</source>
        <translation>, einige womöglich untätig</translation>
    </message>
    <message>
        <source>, the pins kept</source>
        <translation>, mit den Vorgaben</translation>
    </message>
    <message>
        <source>, under the pins</source>
        <translation>, unter den Vorgaben</translation>
    </message>
    <message>
        <source>, without recompute</source>
        <translation>, ohne Neuberechnung</translation>
    </message>
    <message>
        <source>--as-released: found --levels any, --synchronous, --allow-idle, --printed-objective or pins, which the released program does not have</source>
        <translation>--as-released: gefunden: --levels any, --synchronous, --allow-idle, --printed-objective oder Vorgaben, die das veröffentlichte Programm nicht kennt</translation>
    </message>
    <message>
        <source>--evaluations is %1, 1 to 100000 expected</source>
        <translation>--evaluations ist %1, erwartet: 1 bis 100000</translation>
    </message>
    <message>
        <source>--global-batch is %1, 1 or more expected</source>
        <translation>--global-batch ist %1, erwartet: 1 oder mehr</translation>
    </message>
    <message>
        <source>--micro-batch is %1, 1 or more expected</source>
        <translation>--micro-batch ist %1, erwartet: 1 oder mehr</translation>
    </message>
    <message>
        <source>--pin names devices %1 and %2, planner %3 uses one</source>
        <translation>--pin nennt die Geräte %1 und %2, Planer %3 nutzt nur eines</translation>
    </message>
    <message>
        <source>--pin names more devices than --dp has</source>
        <translation>--pin nennt mehr Geräte, als --dp hat</translation>
    </message>
    <message>
        <source>--pin: found device %1, expected 0 to %2</source>
        <translation>--pin: gefunden: Gerät %1, erwartet: 0 bis %2</translation>
    </message>
    <message>
        <source>--pin: found layer %1, expected 0 to %2</source>
        <translation>--pin: gefunden: Schicht %1, erwartet: 0 bis %2</translation>
    </message>
    <message>
        <source>--planner pipedream without --as-released</source>
        <translation>--planner pipedream ohne --as-released</translation>
    </message>
    <message>
        <source>--pp %1 contradicts --max-stages %2</source>
        <translation>--pp %1 widerspricht --max-stages %2</translation>
    </message>
    <message>
        <source>--pp %1 is more than the profile&apos;s %2 layers</source>
        <translation>--pp %1 ist mehr als die %2 Schichten des Profils</translation>
    </message>
    <message>
        <source>--pp %1 x --dp %2 x --tmp %3 asks for %4 devices, the cluster has %5</source>
        <translation>--pp %1 x --dp %2 x --tmp %3 verlangt %4 Geräte, der Cluster hat %5</translation>
    </message>
    <message>
        <source>--rank-by simulated needs a simulator to judge plans</source>
        <translation>--rank-by simulated braucht einen Simulator, der Pläne bewertet</translation>
    </message>
    <message>
        <source>--tmp %1: no layer of the profile has times for %2 devices</source>
        <translation>--tmp %1: keine Schicht des Profils hat Zeiten für %2 Geräte</translation>
    </message>
    <message>
        <source>1F1B: backwards as early as they can be; warm-up A or B</source>
        <translation>1F1B: rückwärts, so früh es geht; Anlauf A oder B</translation>
    </message>
    <message>
        <source>: layers without a stage</source>
        <translation>: Schichten ohne Stufe</translation>
    </message>
    <message>
        <source>: stages of different degrees, AMP&apos;s eq. 4 knows one of each</source>
        <translation>: Stufen verschiedener Grade, AMPs Gl. 4 kennt nur je einen</translation>
    </message>
    <message>
        <source>: the micro-batches are not the global batch</source>
        <translation>: die Mikro-Batches ergeben nicht den globalen Batch</translation>
    </message>
    <message>
        <source>; %1 % of the V100&apos;s peak of 15.7 TFLOP/s is an assumption</source>
        <translation>; %1 % der V100-Spitze von 15.7 TFLOP/s sind eine Annahme</translation>
    </message>
    <message>
        <source>AMP eq. 4, T</source>
        <translation>AMP Gl. 4, T</translation>
    </message>
    <message>
        <source>AMP eq. 4, v / b as printed</source>
        <translation>AMP Gl. 4, v / b wie gedruckt</translation>
    </message>
    <message>
        <source>AMP&apos;s randomised procedure: placements as domino tilings, by simulated annealing</source>
        <translation>AMPs Zufallsverfahren: Platzierungen als Dominoparkettierungen, mit simulierter Abkühlung</translation>
    </message>
    <message>
        <source>AMP, annealed</source>
        <translation>AMP, mit Abkühlung</translation>
    </message>
    <message>
        <source>Adaptive: the fastest order found for the plan&apos;s own stage times and memory</source>
        <translation>Adaptiv: die schnellste gefundene Reihenfolge für die Stufenzeiten und den Speicher des Plans</translation>
    </message>
    <message>
        <source>Busiest device %1 ms = %2 micro-batches x %3 ms (%4 samples on device %5, %6).</source>
        <translation>Am stärksten belegtes Gerät %1 ms = %2 Mikro-Batches x %3 ms (%4 Samples auf Gerät %5, %6).</translation>
    </message>
    <message>
        <source>CAPTURE highest peak</source>
        <translation>CAPTURE: höchste Spitze</translation>
    </message>
    <message>
        <source>CAPTURE, %1 stages</source>
        <translation>CAPTURE, %1 Stufen</translation>
    </message>
    <message>
        <source>Chimera: two copies of the model, 1F1B in each direction</source>
        <translation>Chimera: zwei Kopien des Modells, 1F1B in jede Richtung</translation>
    </message>
    <message>
        <source>DAPPLE L_max</source>
        <translation>DAPPLE L_max</translation>
    </message>
    <message>
        <source>DAPPLE eq. 2, as printed</source>
        <translation>DAPPLE Gl. 2, wie gedruckt</translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation>Datenparallel</translation>
    </message>
    <message>
        <source>DualPipe: two copies of the model, one in each direction, forwards overlap backwards</source>
        <translation>DualPipe: zwei Kopien des Modells, eine je Richtung, vorwärts überlappt rückwärts</translation>
    </message>
    <message>
        <source>DualPipeV: DualPipe cut in half, one copy along a V, two stages a device</source>
        <translation>DualPipeV: DualPipe halbiert, eine Kopie entlang eines V, zwei Stufen je Gerät</translation>
    </message>
    <message>
        <source>GPipe cut so that the slowest stage is quickest, not by number of layers</source>
        <translation>GPipe, so geschnitten, dass die langsamste Stufe am schnellsten ist, nicht nach Schichtzahl</translation>
    </message>
    <message>
        <source>GPipe, balanced</source>
        <translation>GPipe, ausgewogen</translation>
    </message>
    <message>
        <source>GPipe, even layers</source>
        <translation>GPipe, gleich viele Schichten</translation>
    </message>
    <message>
        <source>GPipe: all forwards, then all backwards; keeps every micro-batch</source>
        <translation>GPipe: erst alle vorwärts, dann alle rückwärts; behält jeden Mikro-Batch</translation>
    </message>
    <message>
        <source>Interleaved 1F1B: v chunks of layers a device in turn; shorter start and end</source>
        <translation>Interleaved 1F1B: v Chunks von Schichten je Gerät im Wechsel; kürzerer Anfang und Schluss</translation>
    </message>
    <message>
        <source>Megatron %1, %2</source>
        <translation>Megatron %1, %2</translation>
    </message>
    <message>
        <source>Megatron-LM&apos;s rules: the least tensor and pipeline parallelism that fits, even stages</source>
        <translation>Megatron-LMs Regeln: so wenig Tensor- und Pipeline-Parallelität, wie passt, gleiche Stufen</translation>
    </message>
    <message>
        <source>One device</source>
        <translation>Ein Gerät</translation>
    </message>
    <message>
        <source>PipeDream as released</source>
        <translation>PipeDream wie veröffentlicht</translation>
    </message>
    <message>
        <source>PipeDream slowest stage A^1, all devices one level</source>
        <translation>PipeDream: langsamste Stufe A^1, alle Geräte auf einer Ebene</translation>
    </message>
    <message>
        <source>PipeDream slowest stage A^L</source>
        <translation>PipeDream: langsamste Stufe A^L</translation>
    </message>
    <message>
        <source>PipeDream slowest stage, as released</source>
        <translation>PipeDream: langsamste Stufe, wie veröffentlicht</translation>
    </message>
    <message>
        <source>PipeDream slowest stage, consecutive devices</source>
        <translation>PipeDream: langsamste Stufe, aufeinanderfolgende Geräte</translation>
    </message>
    <message>
        <source>PipeDream with vertical sync: a mini-batch meets one version everywhere</source>
        <translation>PipeDream mit vertikaler Synchronisation: ein Mini-Batch trifft überall dieselbe Version</translation>
    </message>
    <message>
        <source>PipeDream-2BW: asynchronous 1F1B, one update a batch, two weight versions</source>
        <translation>PipeDream-2BW: asynchrones 1F1B, eine Aktualisierung je Batch, zwei Gewichtsversionen</translation>
    </message>
    <message>
        <source>PipeDream: a value of the table that no stage gives</source>
        <translation>PipeDream: ein Tabellenwert, den keine Stufe ergibt</translation>
    </message>
    <message>
        <source>PipeDream: asynchronous 1F1B, replicas in turn, weights stashed</source>
        <translation>PipeDream: asynchrones 1F1B, Replikate im Wechsel, Gewichte aufbewahrt</translation>
    </message>
    <message>
        <source>SHA-256 is part of every OpenSSL</source>
        <translation>SHA-256 gehört zu jedem OpenSSL</translation>
    </message>
    <message>
        <source>Simulated, a mini-batch takes %1 ms, %2 % more than the slowest stage&apos;s %3 ms: with NOAM = ceil(%4 / %5) = %6 mini-batches under way, transfers or uneven replication leave stages waiting.</source>
        <translation>Simuliert dauert ein Mini-Batch %1 ms, %2 % mehr als die %3 ms der langsamsten Stufe: mit NOAM = ceil(%4 / %5) = %6 Mini-Batches unterwegs lassen Übertragungen oder ungleiche Replikation Stufen warten.</translation>
    </message>
    <message>
        <source>Stage %1 sets the pace, %2 above the average stage: %3.</source>
        <translation>Stufe %1 gibt den Takt vor, %2 über der mittleren Stufe: %3.</translation>
    </message>
    <message>
        <source>Stages on consecutive devices of their own bandwidths are not searched: the cluster is too large.</source>
        <translation>Stufen auf aufeinanderfolgenden Geräten eigener Bandbreite werden nicht gesucht: der Cluster ist zu groß.</translation>
    </message>
    <message>
        <source>T %1 ms = %2 x %3 ms (slowest stage, %4) + %5 ms (one micro-batch through all stages)</source>
        <translation>T %1 ms = %2 x %3 ms (langsamste Stufe, %4) + %5 ms (ein Mikro-Batch durch alle Stufen)</translation>
    </message>
    <message>
        <source>TaskGraph %1: %2, sum of eq. 1 %3</source>
        <translation>TaskGraph %1: %2, Summe von Gl. 1 %3</translation>
    </message>
    <message>
        <source>The layer graph has more than %1 cuts: searched in topological orders of it.</source>
        <translation>Der Schichtgraph hat mehr als %1 Schnitte: gesucht in topologischen Ordnungen von ihm.</translation>
    </message>
    <message>
        <source>The layer graph has too many cuts: planned in one topological order of it.</source>
        <translation>Der Schichtgraph hat zu viele Schnitte: geplant in einer topologischen Ordnung von ihm.</translation>
    </message>
    <message>
        <source>The order of operations that the plan lists for every device</source>
        <translation>Die Reihenfolge der Operationen, die der Plan für jedes Gerät auflistet</translation>
    </message>
    <message>
        <source>V-Half: two chunks a device in a V; half the activations of 1F1B</source>
        <translation>V-Half: zwei Chunks je Gerät in einem V; halb so viele Aktivierungen wie 1F1B</translation>
    </message>
    <message>
        <source>V-Min: two chunks a device in a V; a third of the activations of 1F1B</source>
        <translation>V-Min: zwei Chunks je Gerät in einem V; ein Drittel der Aktivierungen von 1F1B</translation>
    </message>
    <message>
        <source>Whale busiest device</source>
        <translation>Whale: am stärksten belegtes Gerät</translation>
    </message>
    <message>
        <source>ZB-H1: weight gradients put off into the drain; memory of 1F1B</source>
        <translation>ZB-H1: Gewichtsgradienten in den Auslauf verschoben; Speicher wie 1F1B</translation>
    </message>
    <message>
        <source>ZB-H2: no bubble between iterations; memory of twice 1F1B</source>
        <translation>ZB-H2: kein Leerlauf zwischen Iterationen; doppelter Speicher von 1F1B</translation>
    </message>
    <message>
        <source>ZB-V: two chunks a device in a V; no bubble where the passes take equal times</source>
        <translation>ZB-V: zwei Chunks je Gerät in einem V; kein Leerlauf, wo die Durchläufe gleich lange dauern</translation>
    </message>
    <message>
        <source>a JSON text that parsed gives one value</source>
        <translation>ein gelesener JSON-Text ergibt einen Wert</translation>
    </message>
    <message>
        <source>a bandwidth such as &apos;25 Gbit/s&apos; or &apos;3.1 GB/s&apos;</source>
        <translation>eine Bandbreite wie „25 Gbit/s“ oder „3.1 GB/s“</translation>
    </message>
    <message>
        <source>a calibration needs a run to be fitted from</source>
        <translation>eine Kalibrierung braucht einen Lauf, an den sie angepasst wird</translation>
    </message>
    <message>
        <source>a device that another stage has</source>
        <translation>ein Gerät, das eine andere Stufe hat</translation>
    </message>
    <message>
        <source>a global batch of %1, at least 1 expected</source>
        <translation>globaler Batch von %1, erwartet: mindestens 1</translation>
    </message>
    <message>
        <source>a lane holds compute operations only</source>
        <translation>eine Spur enthält nur Rechenoperationen</translation>
    </message>
    <message>
        <source>a layer was asked for a degree of tensor parallelism it does not list</source>
        <translation>von einer Schicht wurde ein Grad an Tensorparallelität verlangt, den sie nicht auflistet</translation>
    </message>
    <message>
        <source>a list of %1</source>
        <translation>eine Liste von %1</translation>
    </message>
    <message>
        <source>a message is sent once</source>
        <translation>eine Nachricht wird einmal gesendet</translation>
    </message>
    <message>
        <source>a number such as &apos;1.5&apos;</source>
        <translation>eine Zahl wie „1.5“</translation>
    </message>
    <message>
        <source>a planner asks for an option that its table does not have:</source>
        <translation>ein Planer fragt nach einer Option, die in seiner Tabelle fehlt:</translation>
    </message>
    <message>
        <source>a profile without layers, at least one expected</source>
        <translation>Profil ohne Schichten, erwartet: mindestens eine</translation>
    </message>
    <message>
        <source>a ranking is empty exactly when it says why</source>
        <translation>eine Rangliste ist genau dann leer, wenn sie sagt, warum</translation>
    </message>
    <message>
        <source>a replica without samples</source>
        <translation>ein Replikat ohne Samples</translation>
    </message>
    <message>
        <source>a row has a field for each column</source>
        <translation>eine Zeile hat ein Feld je Spalte</translation>
    </message>
    <message>
        <source>a share such as &apos;5 %&apos;</source>
        <translation>ein Anteil wie „5 %“</translation>
    </message>
    <message>
        <source>a size such as &apos;16 GiB&apos; or &apos;640 MB&apos;</source>
        <translation>eine Größe wie „16 GiB“ oder „640 MB“</translation>
    </message>
    <message>
        <source>a stage needs a device</source>
        <translation>eine Stufe braucht ein Gerät</translation>
    </message>
    <message>
        <source>a time such as &apos;5 us&apos; or &apos;1.2 ms&apos;</source>
        <translation>eine Zeit wie „5 us“ oder „1.2 ms“</translation>
    </message>
    <message>
        <source>a whole number, 0 or more,</source>
        <translation>eine ganze Zahl, 0 oder größer,</translation>
    </message>
    <message>
        <source>activations of %1 micro-batch%2 in flight</source>
        <translation>Aktivierungen von %1 laufenden Mikro-Batch%2</translation>
    </message>
    <message>
        <source>all %1 plans, by simulated time: it equals their lower bound</source>
        <translation>alle %1 Pläne, nach simulierter Zeit: sie ist gleich ihrer unteren Schranke</translation>
    </message>
    <message>
        <source>all devices one level</source>
        <translation>alle Geräte auf einer Ebene</translation>
    </message>
    <message>
        <source>all layers on every device, gradients all-reduced</source>
        <translation>alle Schichten auf jedem Gerät, Gradienten per All-Reduce gemittelt</translation>
    </message>
    <message>
        <source>all layers on the quickest device</source>
        <translation>alle Schichten auf dem schnellsten Gerät</translation>
    </message>
    <message>
        <source>all or the first components of each level</source>
        <translation>alle oder die ersten Bausteine jeder Ebene</translation>
    </message>
    <message>
        <source>also plans that do not fit</source>
        <translation>auch Pläne, die nicht passen</translation>
    </message>
    <message>
        <source>also plans that do not fit, as in the paper</source>
        <translation>auch Pläne, die nicht passen, wie in der Veröffentlichung</translation>
    </message>
    <message>
        <source>also where it does not fit</source>
        <translation>auch, wo es nicht passt</translation>
    </message>
    <message>
        <source>also with fewer components of a level in use, everywhere as many: devices of a node, nodes</source>
        <translation>auch mit weniger genutzten Bausteinen einer Ebene, überall gleich vielen: Geräte eines Knotens, Knoten</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>an operation of the critical path is not in the timeline</source>
        <translation>eine Operation des kritischen Pfads ist nicht in der Zeitleiste</translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation>eine unbekannte Ausnahme</translation>
    </message>
    <message>
        <source>and does not fit</source>
        <translation>und passt nicht</translation>
    </message>
    <message>
        <source>and keeps the pins</source>
        <translation>und hält die Vorgaben ein</translation>
    </message>
    <message>
        <source>any micro-batch of %1 samples a replica or more</source>
        <translation>alle Mikro-Batches mit %1 Samples oder mehr je Replikat</translation>
    </message>
    <message>
        <source>any: search 1F1B and GPipe; all: and try the best plans under every other synchronous schedule; else this one only. Seeds keep theirs</source>
        <translation>any: 1F1B und GPipe suchen; all: die besten Pläne zusätzlich unter jedem anderen synchronen Ablauf versuchen; sonst nur diesen. Startpläne behalten ihren</translation>
    </message>
    <message>
        <source>as released</source>
        <translation>wie veröffentlicht</translation>
    </message>
    <message>
        <source>as released: with its own rule of memory</source>
        <translation>wie veröffentlicht: mit der eigenen Speicherregel</translation>
    </message>
    <message>
        <source>assigning layers to %1 stages</source>
        <translation>Schichten auf %1 Stufen verteilen</translation>
    </message>
    <message>
        <source>auto: devices in a node, nodes in the cluster, more where bandwidths differ; flat: one level; any: the best of these and of stages on any consecutive devices</source>
        <translation>auto: Geräte im Knoten, Knoten im Cluster, mehr, wo Bandbreiten verschieden sind; flat: eine Ebene; any: das Beste aus diesen und Stufen auf beliebigen aufeinanderfolgenden Geräten</translation>
    </message>
    <message>
        <source>auto: start from all other planners&apos; plans, too</source>
        <translation>auto: auch von den Plänen aller anderen Planer ausgehen</translation>
    </message>
    <message>
        <source>aware: by what devices do; even: as if all were alike, for comparison</source>
        <translation>aware: nach Leistung der Geräte; even: als wären alle gleich, zum Vergleich</translation>
    </message>
    <message>
        <source>balanced blocks on one device each, 1F1B with the quicker warm-up</source>
        <translation>ausgewogene Blöcke auf je einem Gerät, 1F1B mit dem schnelleren Anlauf</translation>
    </message>
    <message>
        <source>bo: of its random choices</source>
        <translation>bo: seiner Zufallswahlen</translation>
    </message>
    <message>
        <source>bo: predictions for each micro-batch size</source>
        <translation>bo: Vorhersagen für jede Mikro-Batch-Größe</translation>
    </message>
    <message>
        <source>bridge: gather by %1%2, %3 MiB a micro-batch each way (%4 with the whole everywhere)</source>
        <translation>Brücke: sammelt nach %1%2, %3 MiB je Mikro-Batch und Richtung (%4 mit dem Ganzen überall)</translation>
    </message>
    <message>
        <source>but does not fit</source>
        <translation>, passt aber nicht</translation>
    </message>
    <message>
        <source>can&apos;t be opened: %1</source>
        <translation>lässt sich nicht öffnen: %1</translation>
    </message>
    <message>
        <source>candidates simulated at most</source>
        <translation>höchstens simulierte Kandidaten</translation>
    </message>
    <message>
        <source>candidates to simulate at most</source>
        <translation>höchstens zu simulierende Kandidaten</translation>
    </message>
    <message>
        <source>capture found stages that have no devices</source>
        <translation>capture hat Stufen ohne Geräte gefunden</translation>
    </message>
    <message>
        <source>capture gave a partition that does not fit</source>
        <translation>capture hat eine Aufteilung geliefert, die nicht passt</translation>
    </message>
    <message>
        <source>capture lost its way through its table</source>
        <translation>capture hat sich in seiner Tabelle verlaufen</translation>
    </message>
    <message>
        <source>columns are written as they lie in memory</source>
        <translation>Spalten werden geschrieben, wie sie im Speicher liegen</translation>
    </message>
    <message>
        <source>communication makes no pass quicker</source>
        <translation>Kommunikation macht keinen Durchlauf schneller</translation>
    </message>
    <message>
        <source>computed from layer shapes at %1 TFLOP/s and %2 GB/s in fp32; shapes: %3</source>
        <translation>aus Schichtformen berechnet mit %1 TFLOP/s und %2 GB/s in fp32; Formen: %3</translation>
    </message>
    <message>
        <source>consecutive devices</source>
        <translation>aufeinanderfolgende Geräte</translation>
    </message>
    <message>
        <source>contiguous stages of any degrees of data and tensor parallelism</source>
        <translation>zusammenhängende Stufen beliebiger Grade an Daten- und Tensorparallelität</translation>
    </message>
    <message>
        <source>cpu: %1 cores, %2</source>
        <translation>cpu: %1 Kerne, %2</translation>
    </message>
    <message>
        <source>cpu: %1 cores, %2 (backend cpu: a thread a device)</source>
        <translation>cpu: %1 Kerne, %2 (Backend cpu: ein Thread je Gerät)</translation>
    </message>
    <message>
        <source>cuda: GPU %1 does not answer: %2</source>
        <translation>cuda: GPU %1 antwortet nicht: %2</translation>
    </message>
    <message>
        <source>cuda: driver %1</source>
        <translation>cuda: Treiber %1</translation>
    </message>
    <message>
        <source>cuda: none; libcuda.so.1 is not the CUDA driver</source>
        <translation>cuda: keine; libcuda.so.1 ist nicht der CUDA-Treiber</translation>
    </message>
    <message>
        <source>cuda: none; libcuda.so.1 is not there, so no NVIDIA driver is installed</source>
        <translation>cuda: keine; libcuda.so.1 fehlt, also ist kein NVIDIA-Treiber installiert</translation>
    </message>
    <message>
        <source>cuda: none; the driver finds no GPU</source>
        <translation>cuda: keine; der Treiber findet keine GPU</translation>
    </message>
    <message>
        <source>cuda: none; the driver says: %1</source>
        <translation>cuda: keine; der Treiber meldet: %1</translation>
    </message>
    <message>
        <source>cuda: the driver lacks calls that are needed</source>
        <translation>cuda: dem Treiber fehlen nötige Aufrufe</translation>
    </message>
    <message>
        <source>cut as gpipe-balanced does</source>
        <translation>schneiden wie gpipe-balanced</translation>
    </message>
    <message>
        <source>dapple searched a plan that does not fit</source>
        <translation>dapple hat einen Plan gesucht, der nicht passt</translation>
    </message>
    <message>
        <source>device %1</source>
        <translation>Gerät %1</translation>
    </message>
    <message>
        <source>device %1 %2(stage %3, micro-batch %4)</source>
        <translation>Gerät %1 %2(Stufe %3, Mikro-Batch %4)</translation>
    </message>
    <message>
        <source>device %1: %2</source>
        <translation>Gerät %1: %2</translation>
    </message>
    <message>
        <source>device %1: %2 of micro-batch %3 on stage %4 can&apos;t come at position %5</source>
        <translation>Gerät %1: %2 von Mikro-Batch %3 auf Stufe %4 ist an Position %5 nicht möglich</translation>
    </message>
    <message>
        <source>device %1: %2: %3</source>
        <translation>Gerät %1: %2: %3</translation>
    </message>
    <message>
        <source>device %1: its thread can&apos;t be started: %2</source>
        <translation>Gerät %1: sein Thread lässt sich nicht starten: %2</translation>
    </message>
    <message>
        <source>does not recompute</source>
        <translation>berechnet nicht neu</translation>
    </message>
    <message>
        <source>eq. 2 as printed</source>
        <translation>Gl. 2 wie gedruckt</translation>
    </message>
    <message>
        <source>error %1</source>
        <translation>Fehler %1</translation>
    </message>
    <message>
        <source>even layers</source>
        <translation>gleich viele Schichten</translation>
    </message>
    <message>
        <source>even layers, one device a stage, all forwards before all backwards</source>
        <translation>gleich viele Schichten, ein Gerät je Stufe, erst alle vorwärts, dann alle rückwärts</translation>
    </message>
    <message>
        <source>even parameters</source>
        <translation>gleich viele Parameter</translation>
    </message>
    <message>
        <source>every device</source>
        <translation>jedes Gerät</translation>
    </message>
    <message>
        <source>every micro-batch of %1 or more samples a replica</source>
        <translation>alle Mikro-Batches mit %1 oder mehr Samples je Replikat</translation>
    </message>
    <message>
        <source>exact: dynamic programme; bf: all partitions, where they are at most 5,000,000; bo: Bayesian optimisation</source>
        <translation>exact: dynamische Programmierung; bf: alle Aufteilungen, wo es höchstens 5.000.000 sind; bo: Bayes-Optimierung</translation>
    </message>
    <message>
        <source>expected %1 rows of %2 figures, one a device</source>
        <translation>erwartet: %1 Zeilen mit %2 Zahlen, eine je Gerät</translation>
    </message>
    <message>
        <source>finding the cuts of the layer graph</source>
        <translation>Schnitte des Schichtgraphen suchen</translation>
    </message>
    <message>
        <source>forward, backward, backward_input, backward_weight, recompute, send, receive, all_reduce, optimizer</source>
        <translation>forward, backward, backward_input, backward_weight, recompute, send, receive, all_reduce, optimizer</translation>
    </message>
    <message>
        <source>found %1 F, %2 B, %3 I and %4 W of micro-batch %5 on stage %6, expected one F, and one B or one I and W</source>
        <translation>gefunden: %1 F, %2 B, %3 I und %4 W von Mikro-Batch %5 auf Stufe %6, erwartet: ein F und ein B oder je ein I und W</translation>
    </message>
    <message>
        <source>found %1 R of micro-batch %2, expected %3: stage %4 %5</source>
        <translation>gefunden: %1 R von Mikro-Batch %2, erwartet: %3: Stufe %4 %5</translation>
    </message>
    <message>
        <source>found %1 a second time, expected it in cell %2 alone</source>
        <translation>gefunden: %1 ein zweites Mal, erwartet: nur in Zelle %2</translation>
    </message>
    <message>
        <source>found %1 a second time, expected it once</source>
        <translation>gefunden: %1 ein zweites Mal, erwartet: einmal</translation>
    </message>
    <message>
        <source>found %1 actions in %2, expected two</source>
        <translation>gefunden: %1 Aktionen in %2, erwartet: zwei</translation>
    </message>
    <message>
        <source>found %1 after %2, expected rising device numbers</source>
        <translation>gefunden: %1 nach %2, erwartet: steigende Gerätenummern</translation>
    </message>
    <message>
        <source>found %1 but %2 the other way, expected a symmetric matrix</source>
        <translation>gefunden: %1, aber %2 in Gegenrichtung, erwartet: eine symmetrische Matrix</translation>
    </message>
    <message>
        <source>found %1 bytes, which are not %2 lanes with %3 operations</source>
        <translation>gefunden: %1 Bytes, die nicht %2 Spuren mit %3 Operationen sind</translation>
    </message>
    <message>
        <source>found %1 chunks a device, expected at least 1</source>
        <translation>gefunden: %1 Chunks je Gerät, erwartet: mindestens 1</translation>
    </message>
    <message>
        <source>found %1 chunks, expected %2 of each of the %3 stages</source>
        <translation>gefunden: %1 Chunks, erwartet: %2 von jeder der %3 Stufen</translation>
    </message>
    <message>
        <source>found %1 copies, expected one: &apos;%2&apos; goes in one direction</source>
        <translation>gefunden: %1 Kopien, erwartet: eine: „%2“ läuft in eine Richtung</translation>
    </message>
    <message>
        <source>found %1 counts, expected one for each of the %2 stages</source>
        <translation>gefunden: %1 Anzahlen, erwartet: eine für jede der %2 Stufen</translation>
    </message>
    <message>
        <source>found %1 devices, expected as many as stage %2 has, whose copy is on them</source>
        <translation>gefunden: %1 Geräte, erwartet: so viele, wie Stufe %2 hat, deren Kopie auf ihnen liegt</translation>
    </message>
    <message>
        <source>found %1 devices, expected at most %2</source>
        <translation>gefunden: %1 Geräte, erwartet: höchstens %2</translation>
    </message>
    <message>
        <source>found %1 figures, expected one for each of memory_curve&apos;s %2 points</source>
        <translation>gefunden: %1 Zahlen, erwartet: eine für jeden der %2 Punkte von memory_curve</translation>
    </message>
    <message>
        <source>found %1 heads, expected a divisor of hidden, %2</source>
        <translation>gefunden: %1 Köpfe, erwartet: ein Teiler von hidden, %2</translation>
    </message>
    <message>
        <source>found %1 joined with the next, expected one behind it</source>
        <translation>gefunden: %1 mit der nächsten verbunden, erwartet: eine dahinter</translation>
    </message>
    <message>
        <source>found %1 layers, expected %2</source>
        <translation>gefunden: %1 Schichten, erwartet: %2</translation>
    </message>
    <message>
        <source>found %1 layers, expected at least %2: &apos;%3&apos; has %4 stages on each of %5 groups of devices</source>
        <translation>gefunden: %1 Schichten, erwartet: mindestens %2: „%3“ hat %4 Stufen auf jeder von %5 Gerätegruppen</translation>
    </message>
    <message>
        <source>found %1 layers, expected at least one and the loss</source>
        <translation>gefunden: %1 Schichten, erwartet: mindestens eine und der Verlust</translation>
    </message>
    <message>
        <source>found %1 lists, expected one for each of the %2 devices used</source>
        <translation>gefunden: %1 Listen, erwartet: eine für jedes der %2 genutzten Geräte</translation>
    </message>
    <message>
        <source>found %1 ms, expected a finite time from 0 to %2 ms</source>
        <translation>gefunden: %1 ms, erwartet: eine endliche Zeit von 0 bis %2 ms</translation>
    </message>
    <message>
        <source>found %1 ms, expected at most backward_ms, %2 ms</source>
        <translation>gefunden: %1 ms, erwartet: höchstens backward_ms, %2 ms</translation>
    </message>
    <message>
        <source>found %1 of value_ms and value_bytes, expected one of them</source>
        <translation>gefunden: %1 von value_ms und value_bytes, erwartet: eines davon</translation>
    </message>
    <message>
        <source>found %1 replicas for a micro-batch of %2, expected a sample for each at least</source>
        <translation>gefunden: %1 Replikate für einen Mikro-Batch von %2, erwartet: mindestens ein Sample für jedes</translation>
    </message>
    <message>
        <source>found %1 rows, expected %2, one a device of the plan%3</source>
        <translation>gefunden: %1 Zeilen, erwartet: %2, eine je Gerät des Plans%3</translation>
    </message>
    <message>
        <source>found %1 rows, expected one for each of the %2 devices</source>
        <translation>gefunden: %1 Zeilen, erwartet: eine für jedes der %2 Geräte</translation>
    </message>
    <message>
        <source>found %1 shards, expected one for each of the %2 ranks</source>
        <translation>gefunden: %1 Teile, erwartet: eines für jeden der %2 Ränge</translation>
    </message>
    <message>
        <source>found %1 shares, expected one for each of the %2 replicas</source>
        <translation>gefunden: %1 Anteile, erwartet: einer für jedes der %2 Replikate</translation>
    </message>
    <message>
        <source>found %1 stages and %2 micro-batches, whose simulation of up to %3 operations would need %4 GiB; expected at most %5 GiB</source>
        <translation>gefunden: %1 Stufen und %2 Mikro-Batches, deren Simulation mit bis zu %3 Operationen %4 GiB bräuchte, erwartet: höchstens %5 GiB</translation>
    </message>
    <message>
        <source>found %1 stages on %2 groups of devices, expected a whole number of stages a group: &apos;%3&apos; goes round them in turn</source>
        <translation>gefunden: %1 Stufen auf %2 Gerätegruppen, erwartet: eine ganze Zahl von Stufen je Gruppe: „%3“ läuft reihum über sie</translation>
    </message>
    <message>
        <source>found %1 stages, expected an even number: &apos;%2&apos; puts each with the one opposite</source>
        <translation>gefunden: %1 Stufen, erwartet: eine gerade Zahl: „%2“ legt jede mit der gegenüberliegenden zusammen</translation>
    </message>
    <message>
        <source>found %1 stages, expected an even number: &apos;%2&apos; puts two of them on each device</source>
        <translation>gefunden: %1 Stufen, erwartet: eine gerade Zahl: „%2“ legt je zwei auf jedes Gerät</translation>
    </message>
    <message>
        <source>found %1 twice, expected once</source>
        <translation>gefunden: %1 zweimal, erwartet: einmal</translation>
    </message>
    <message>
        <source>found %1 waiting for what device %2 never sends, expected a send for every receive</source>
        <translation>gefunden: %1 wartet auf etwas, das Gerät %2 nie sendet, erwartet: ein Senden zu jedem Empfangen</translation>
    </message>
    <message>
        <source>found %1 warm-up counts, expected one for each of the %2 stages</source>
        <translation>gefunden: %1 Anlaufzahlen, erwartet: eine für jede der %2 Stufen</translation>
    </message>
    <message>
        <source>found %1 where device %2 has micro-batch %3 in turn, expected the same order on both sides of a transfer</source>
        <translation>gefunden: %1, wo bei Gerät %2 Mikro-Batch %3 an der Reihe ist, erwartet: dieselbe Reihenfolge auf beiden Seiten einer Übertragung</translation>
    </message>
    <message>
        <source>found %1 without what it needs of its own device, expected the operation before it in the list</source>
        <translation>gefunden: %1 ohne das, was es vom eigenen Gerät braucht, erwartet: die Operation davor in der Liste</translation>
    </message>
    <message>
        <source>found %1%2%3 of micro-batch %4 on stage %5, expected B, or I and W</source>
        <translation>gefunden: %1%2%3 von Mikro-Batch %4 auf Stufe %5, erwartet: B oder I und W</translation>
    </message>
    <message>
        <source>found %1, expected %2 at least for the %3 stages of &apos;%4&apos;</source>
        <translation>gefunden: %1, erwartet: mindestens %2 für die %3 Stufen von „%4“</translation>
    </message>
    <message>
        <source>found %1, expected %2 at least, which are in flight: a smaller batch needs more than two versions of the weights</source>
        <translation>gefunden: %1, erwartet: mindestens %2, die unterwegs sind: ein kleinerer Batch braucht mehr als zwei Versionen der Gewichte</translation>
    </message>
    <message>
        <source>found %1, expected %2, the devices of stage %3: &apos;%4&apos; comes back along a V</source>
        <translation>gefunden: %1, erwartet: %2, die Geräte von Stufe %3: „%4“ kommt entlang eines V zurück</translation>
    </message>
    <message>
        <source>found %1, expected %2, the devices of stage %3: &apos;%4&apos; has copy %5 of stage %6 there</source>
        <translation>gefunden: %1, erwartet: %2, die Geräte von Stufe %3: „%4“ hat dort Kopie %5 von Stufe %6</translation>
    </message>
    <message>
        <source>found %1, expected %2: &apos;%3&apos; needs it</source>
        <translation>gefunden: %1, erwartet: %2: „%3“ braucht es so</translation>
    </message>
    <message>
        <source>found %1, expected 0 to %2, of which it is a part</source>
        <translation>gefunden: %1, erwartet: 0 bis %2, wovon es ein Teil ist</translation>
    </message>
    <message>
        <source>found %1, expected 1, the only version that this program reads</source>
        <translation>gefunden: %1, erwartet: 1, die einzige Version, die dieses Programm liest</translation>
    </message>
    <message>
        <source>found %1, expected 64 lower-case hexadecimal digits</source>
        <translation>gefunden: %1, erwartet: 64 Hexadezimalziffern in Kleinbuchstaben</translation>
    </message>
    <message>
        <source>found %1, expected F, B, I, W or R</source>
        <translation>gefunden: %1, erwartet: F, B, I, W oder R</translation>
    </message>
    <message>
        <source>found %1, expected F, B, I, W or R behind the stage</source>
        <translation>gefunden: %1, erwartet: F, B, I, W oder R hinter der Stufe</translation>
    </message>
    <message>
        <source>found %1, expected [kind, stage, micro-batch]</source>
        <translation>gefunden: %1, erwartet: [kind, stage, micro-batch]</translation>
    </message>
    <message>
        <source>found %1, expected [ms, bytes]</source>
        <translation>gefunden: %1, erwartet: [ms, bytes]</translation>
    </message>
    <message>
        <source>found %1, expected &quot;%2&quot;</source>
        <translation>gefunden: %1, erwartet: „%2“</translation>
    </message>
    <message>
        <source>found %1, expected a degree that layer &apos;%2&apos; has times for</source>
        <translation>gefunden: %1, erwartet: ein Grad, für den Schicht „%2“ Zeiten hat</translation>
    </message>
    <message>
        <source>found %1, expected a divisor of global_batch, %2</source>
        <translation>gefunden: %1, erwartet: ein Teiler von global_batch, %2</translation>
    </message>
    <message>
        <source>found %1, expected a divisor of the stage&apos;s %2 devices</source>
        <translation>gefunden: %1, erwartet: ein Teiler der %2 Geräte der Stufe</translation>
    </message>
    <message>
        <source>found %1, expected a finite number above 0, at most %2</source>
        <translation>gefunden: %1, erwartet: eine endliche Zahl über 0, höchstens %2</translation>
    </message>
    <message>
        <source>found %1, expected a finite number from %2 to %3</source>
        <translation>gefunden: %1, erwartet: eine endliche Zahl von %2 bis %3</translation>
    </message>
    <message>
        <source>found %1, expected a finite number from 0 to %2</source>
        <translation>gefunden: %1, erwartet: eine endliche Zahl von 0 bis %2</translation>
    </message>
    <message>
        <source>found %1, expected a list</source>
        <translation>gefunden: %1, erwartet: eine Liste</translation>
    </message>
    <message>
        <source>found %1, expected a micro-batch number last, as in 0F0</source>
        <translation>gefunden: %1, erwartet: eine Mikro-Batch-Nummer am Ende, wie in 0F0</translation>
    </message>
    <message>
        <source>found %1, expected a multiple of the %2 replicas of stage %3, which take micro-batches in turn</source>
        <translation>gefunden: %1, erwartet: ein Vielfaches der %2 Replikate von Stufe %3, die Mikro-Batches im Wechsel nehmen</translation>
    </message>
    <message>
        <source>found %1, expected a nanosecond or more</source>
        <translation>gefunden: %1, erwartet: eine Nanosekunde oder mehr</translation>
    </message>
    <message>
        <source>found %1, expected a number</source>
        <translation>gefunden: %1, erwartet: eine Zahl</translation>
    </message>
    <message>
        <source>found %1, expected a stage number first, as in 0F0</source>
        <translation>gefunden: %1, erwartet: eine Stufennummer am Anfang, wie in 0F0</translation>
    </message>
    <message>
        <source>found %1, expected a stage that the device runs for that micro-batch</source>
        <translation>gefunden: %1, erwartet: eine Stufe, die das Gerät für diesen Mikro-Batch ausführt</translation>
    </message>
    <message>
        <source>found %1, expected a text</source>
        <translation>gefunden: %1, erwartet: ein Text</translation>
    </message>
    <message>
        <source>found %1, expected a whole number from %2 to %3</source>
        <translation>gefunden: %1, erwartet: eine ganze Zahl von %2 bis %3</translation>
    </message>
    <message>
        <source>found %1, expected a whole number from 0 to %2</source>
        <translation>gefunden: %1, erwartet: eine ganze Zahl von 0 bis %2</translation>
    </message>
    <message>
        <source>found %1, expected an edge: id -- id</source>
        <translation>gefunden: %1, erwartet: eine Kante: id -- id</translation>
    </message>
    <message>
        <source>found %1, expected an even number: &apos;%2&apos; runs half of them in each direction</source>
        <translation>gefunden: %1, erwartet: eine gerade Zahl: „%2“ führt die Hälfte davon in jede Richtung aus</translation>
    </message>
    <message>
        <source>found %1, expected an object</source>
        <translation>gefunden: %1, erwartet: ein Objekt</translation>
    </message>
    <message>
        <source>found %1, expected at least %2</source>
        <translation>gefunden: %1, erwartet: mindestens %2</translation>
    </message>
    <message>
        <source>found %1, expected at most the padded input&apos;s %2</source>
        <translation>gefunden: %1, erwartet: höchstens die %2 der aufgefüllten Eingabe</translation>
    </message>
    <message>
        <source>found %1, expected global_batch / micro_batch = %2</source>
        <translation>gefunden: %1, erwartet: global_batch / micro_batch = %2</translation>
    </message>
    <message>
        <source>found %1, expected micro-batches 0 to %2</source>
        <translation>gefunden: %1, erwartet: Mikro-Batches 0 bis %2</translation>
    </message>
    <message>
        <source>found %1, expected more than 0</source>
        <translation>gefunden: %1, erwartet: mehr als 0</translation>
    </message>
    <message>
        <source>found %1, expected none: stage %2 of the plan does not recompute</source>
        <translation>gefunden: %1, erwartet: keine: Stufe %2 des Plans berechnet nicht neu</translation>
    </message>
    <message>
        <source>found %1, expected one of %2</source>
        <translation>gefunden: %1, erwartet: eines von %2</translation>
    </message>
    <message>
        <source>found %1, expected one of the %2 outputs of &apos;%3&apos;</source>
        <translation>gefunden: %1, erwartet: eine der %2 Ausgaben von „%3“</translation>
    </message>
    <message>
        <source>found %1, expected pipedeck.profile, pipedeck.cluster, pipedeck.plan, pipedeck.simulation, pipedeck.model or pipedeck.calibration</source>
        <translation>gefunden: %1, erwartet: pipedeck.profile, pipedeck.cluster, pipedeck.plan, pipedeck.simulation, pipedeck.model oder pipedeck.calibration</translation>
    </message>
    <message>
        <source>found %1, expected the name of a layer</source>
        <translation>gefunden: %1, erwartet: der Name einer Schicht</translation>
    </message>
    <message>
        <source>found %1, expected the start, %2, or later</source>
        <translation>gefunden: %1, erwartet: der Beginn, %2, oder später</translation>
    </message>
    <message>
        <source>found %1, expected times that begin at 0 and rise</source>
        <translation>gefunden: %1, erwartet: Zeiten, die bei 0 beginnen und steigen</translation>
    </message>
    <message>
        <source>found %1, expected true or false</source>
        <translation>gefunden: %1, erwartet: true oder false</translation>
    </message>
    <message>
        <source>found %1, expected true, false or a list of layer positions</source>
        <translation>gefunden: %1, erwartet: true, false oder eine Liste von Schichtpositionen</translation>
    </message>
    <message>
        <source>found %1, expected two actions as (0F1;1B0)%2</source>
        <translation>gefunden: %1, erwartet: zwei Aktionen wie (0F1;1B0)%2</translation>
    </message>
    <message>
        <source>found %1, expected two actions that do not wait for one another</source>
        <translation>gefunden: %1, erwartet: zwei Aktionen, die nicht aufeinander warten</translation>
    </message>
    <message>
        <source>found %1, expected two layer names, and the output&apos;s number where there are several</source>
        <translation>gefunden: %1, erwartet: zwei Schichtnamen, und die Nummer der Ausgabe, wo es mehrere gibt</translation>
    </message>
    <message>
        <source>found %1=%2, expected bytes from 0 to %3</source>
        <translation>gefunden: %1=%2, erwartet: Bytes von 0 bis %3</translation>
    </message>
    <message>
        <source>found %1=%2, expected milliseconds from 0 to %3</source>
        <translation>gefunden: %1=%2, erwartet: Millisekunden von 0 bis %3</translation>
    </message>
    <message>
        <source>found &apos;%1&apos; as the last layer, expected the loss, softmax_cross_entropy</source>
        <translation>gefunden: „%1“ als letzte Schicht, erwartet: der Verlust, softmax_cross_entropy</translation>
    </message>
    <message>
        <source>found &apos;%1&apos; before &apos;%2&apos;, which feeds it; expected a topological order</source>
        <translation>gefunden: „%1“ vor „%2“, von dem es gespeist wird, erwartet: eine topologische Ordnung</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected %2</source>
        <translation>gefunden: „%1“, erwartet: %2</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected F, B, I, W or R</source>
        <translation>gefunden: „%1“, erwartet: F, B, I, W oder R</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected the name of a node or switch</source>
        <translation>gefunden: „%1“, erwartet: der Name eines Knotens oder Switches</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, which is not offered</source>
        <translation>gefunden: „%1“, was nicht angeboten wird</translation>
    </message>
    <message>
        <source>found &apos;explicit&apos;, expected a schedule that makes its own lists</source>
        <translation>gefunden: „explicit“, erwartet: ein Ablauf, der seine Listen selbst macht</translation>
    </message>
    <message>
        <source>found 0, expected a bandwidth between every two devices</source>
        <translation>gefunden: 0, erwartet: eine Bandbreite zwischen je zwei Geräten</translation>
    </message>
    <message>
        <source>found [%1, %2], expected a range that begins at %3, where the one before ends</source>
        <translation>gefunden: [%1, %2], erwartet: ein Bereich, der bei %3 beginnt, wo der vorige endet</translation>
    </message>
    <message>
        <source>found [%1, %2], expected at least one layer</source>
        <translation>gefunden: [%1, %2], erwartet: mindestens eine Schicht</translation>
    </message>
    <message>
        <source>found &quot;%1&quot;, expected &quot;profile&quot; or &quot;cluster&quot;</source>
        <translation>gefunden: „%1“, erwartet: „profile“ oder „cluster“</translation>
    </message>
    <message>
        <source>found a %1, expected a %2</source>
        <translation>gefunden: ein Dokument der Art %1, erwartet: %2</translation>
    </message>
    <message>
        <source>found a Pipedeck project, expected a single document</source>
        <translation>gefunden: ein Pipedeck-Projekt, erwartet: ein einzelnes Dokument</translation>
    </message>
    <message>
        <source>found a cycle that reaches layer &apos;%1&apos;, expected a graph without cycles</source>
        <translation>gefunden: ein Zyklus, der Schicht „%1“ erreicht, erwartet: ein Graph ohne Zyklen</translation>
    </message>
    <message>
        <source>found a deadlock:</source>
        <translation>gefunden: eine Verklemmung:</translation>
    </message>
    <message>
        <source>found a device of stage %1 among others than that stage&apos;s, expected the same devices in the same order and the same tensor_parallel in all stages that share a device</source>
        <translation>gefunden: ein Gerät von Stufe %1 unter anderen als denen dieser Stufe, erwartet: dieselben Geräte in derselben Reihenfolge und dasselbe tensor_parallel in allen Stufen, die ein Gerät teilen</translation>
    </message>
    <message>
        <source>found a file of another kind, expected a Pipedeck project (SQLite)</source>
        <translation>gefunden: eine Datei anderer Art, erwartet: ein Pipedeck-Projekt (SQLite)</translation>
    </message>
    <message>
        <source>found a folder, expected a file</source>
        <translation>gefunden: ein Ordner, erwartet: eine Datei</translation>
    </message>
    <message>
        <source>found a folder, expected a project file</source>
        <translation>gefunden: ein Ordner, erwartet: eine Projektdatei</translation>
    </message>
    <message>
        <source>found a global batch below 1</source>
        <translation>gefunden: ein globaler Batch unter 1</translation>
    </message>
    <message>
        <source>found a layer of kind &apos;%1&apos;, expected one whose shape is known</source>
        <translation>gefunden: eine Schicht der Art „%1“, erwartet: eine, deren Form bekannt ist</translation>
    </message>
    <message>
        <source>found a layer twice, expected each once</source>
        <translation>gefunden: eine Schicht zweimal, erwartet: jede einmal</translation>
    </message>
    <message>
        <source>found a link from &apos;%1&apos; to itself, expected two ends</source>
        <translation>gefunden: eine Verbindung von „%1“ mit sich selbst, erwartet: zwei Enden</translation>
    </message>
    <message>
        <source>found a list beside the schedule &apos;%1&apos;, expected it with &apos;explicit&apos; only</source>
        <translation>gefunden: eine Liste beim Ablauf „%1“, erwartet: nur bei „explicit“</translation>
    </message>
    <message>
        <source>found a list of %1, expected [first, last)</source>
        <translation>gefunden: eine Liste von %1, erwartet: [first, last)</translation>
    </message>
    <message>
        <source>found a number too large for any figure, expected a finite one</source>
        <translation>gefunden: eine Zahl, die für jede Größe zu groß ist, erwartet: eine endliche</translation>
    </message>
    <message>
        <source>found a plan for %1 layers, expected %2, the layers of %3 without its loss: a job trains the plan&apos;s own model</source>
        <translation>gefunden: ein Plan für %1 Schichten, erwartet: %2, die Schichten von %3 ohne den Verlust: ein Auftrag trainiert das Modell des Plans</translation>
    </message>
    <message>
        <source>found a plan of the asynchronous schedule &apos;%1&apos;, expected a synchronous one: lists end with the iteration</source>
        <translation>gefunden: ein Plan des asynchronen Ablaufs „%1“, erwartet: ein synchroner: Listen enden mit der Iteration</translation>
    </message>
    <message>
        <source>found a row of %1, expected %2</source>
        <translation>gefunden: eine Zeile von %1, erwartet: %2</translation>
    </message>
    <message>
        <source>found a run of the plan &quot;%1&quot;, expected &quot;%2&quot;</source>
        <translation>gefunden: ein Lauf des Plans „%1“, erwartet: „%2“</translation>
    </message>
    <message>
        <source>found a run on %1 devices, expected %2, as the plan has</source>
        <translation>gefunden: ein Lauf auf %1 Geräten, erwartet: %2, wie im Plan</translation>
    </message>
    <message>
        <source>found a run that failed (%1), expected one that ended</source>
        <translation>gefunden: ein Lauf, der gescheitert ist (%1), erwartet: einer, der zu Ende ging</translation>
    </message>
    <message>
        <source>found a schedule that does not end, expected one that does</source>
        <translation>gefunden: ein Ablauf, der nicht endet, erwartet: einer, der endet</translation>
    </message>
    <message>
        <source>found a second device type named &apos;%1&apos;, expected unique names</source>
        <translation>gefunden: ein zweiter Gerätetyp namens „%1“, erwartet: eindeutige Namen</translation>
    </message>
    <message>
        <source>found a second layer named &apos;%1&apos;, expected unique names</source>
        <translation>gefunden: eine zweite Schicht namens „%1“, erwartet: eindeutige Namen</translation>
    </message>
    <message>
        <source>found a second node &apos;%1&apos;, expected unique ids</source>
        <translation>gefunden: ein zweiter Knoten „%1“, erwartet: eindeutige Kennungen</translation>
    </message>
    <message>
        <source>found a second node or switch named &apos;%1&apos;, expected unique names</source>
        <translation>gefunden: ein zweiter Knoten oder Switch namens „%1“, erwartet: eindeutige Namen</translation>
    </message>
    <message>
        <source>found a second point at %1 samples, expected one each</source>
        <translation>gefunden: ein zweiter Punkt bei %1 Samples, erwartet: je einer</translation>
    </message>
    <message>
        <source>found a work copy of version %1, expected %2</source>
        <translation>gefunden: eine Arbeitskopie der Version %1, erwartet: %2</translation>
    </message>
    <message>
        <source>found activation_size=%1, expected a closing ]</source>
        <translation>gefunden: activation_size=%1, erwartet: eine schließende ]</translation>
    </message>
    <message>
        <source>found an SQLite file of another program, expected a Pipedeck project</source>
        <translation>gefunden: eine SQLite-Datei eines anderen Programms, erwartet: ein Pipedeck-Projekt</translation>
    </message>
    <message>
        <source>found an edge from &apos;%1&apos; to itself, expected two layers</source>
        <translation>gefunden: eine Kante von „%1“ zu sich selbst, erwartet: zwei Schichten</translation>
    </message>
    <message>
        <source>found an edge from &apos;%1&apos; to itself, expected two nodes</source>
        <translation>gefunden: eine Kante von „%1“ zu sich selbst, erwartet: zwei Knoten</translation>
    </message>
    <message>
        <source>found an edge of &apos;%1&apos;, expected the id of a node</source>
        <translation>gefunden: eine Kante von „%1“, erwartet: die Kennung eines Knotens</translation>
    </message>
    <message>
        <source>found an empty description, expected the layer&apos;s name</source>
        <translation>gefunden: eine leere Beschreibung, erwartet: der Name der Schicht</translation>
    </message>
    <message>
        <source>found an empty file, expected a row a device</source>
        <translation>gefunden: eine leere Datei, erwartet: eine Zeile je Gerät</translation>
    </message>
    <message>
        <source>found an empty name, expected one</source>
        <translation>gefunden: ein leerer Name, erwartet: einer</translation>
    </message>
    <message>
        <source>found another list than on device %1, expected the same on all devices of a replica</source>
        <translation>gefunden: eine andere Liste als auf Gerät %1, erwartet: dieselbe auf allen Geräten eines Replikats</translation>
    </message>
    <message>
        <source>found bytes that are not UTF-8, expected text</source>
        <translation>gefunden: Bytes, die kein UTF-8 sind, erwartet: Text</translation>
    </message>
    <message>
        <source>found chunks, expected none: &apos;%1&apos; has one chunk a stage, on its devices</source>
        <translation>gefunden: Chunks, erwartet: keine: „%1“ hat einen Chunk je Stufe, auf deren Geräten</translation>
    </message>
    <message>
        <source>found copy %1 of stage %2 a second time, expected each once</source>
        <translation>gefunden: Kopie %1 von Stufe %2 ein zweites Mal, erwartet: jede einmal</translation>
    </message>
    <message>
        <source>found copy %1, expected 0 or 1: &apos;%2&apos; has two</source>
        <translation>gefunden: Kopie %1, erwartet: 0 oder 1: „%2“ hat zwei</translation>
    </message>
    <message>
        <source>found data loading only, expected a layer at least</source>
        <translation>gefunden: nur das Laden von Daten, erwartet: mindestens eine Schicht</translation>
    </message>
    <message>
        <source>found degree %1 a second time, expected one point each</source>
        <translation>gefunden: Grad %1 ein zweites Mal, erwartet: je ein Punkt</translation>
    </message>
    <message>
        <source>found device %1 a second time, expected each in one stage only</source>
        <translation>gefunden: Gerät %1 ein zweites Mal, erwartet: jedes in nur einer Stufe</translation>
    </message>
    <message>
        <source>found device %1, expected 0 to %2, the devices of cluster &apos;%3&apos;</source>
        <translation>gefunden: Gerät %1, erwartet: 0 bis %2, die Geräte des Clusters „%3“</translation>
    </message>
    <message>
        <source>found device %1, which stage %2 has, expected &apos;%3&apos; to have none in common with it</source>
        <translation>gefunden: Gerät %1, das Stufe %2 hat, erwartet: „%3“ ohne gemeinsame Geräte mit ihr</translation>
    </message>
    <message>
        <source>found devices that are no stage&apos;s, expected all %1 of one stage</source>
        <translation>gefunden: Geräte keiner Stufe, erwartet: alle %1 einer Stufe</translation>
    </message>
    <message>
        <source>found layer %1 a second time, expected each once</source>
        <translation>gefunden: Schicht %1 ein zweites Mal, erwartet: jede einmal</translation>
    </message>
    <message>
        <source>found layer &apos;%1&apos; of %2 bytes and %3 s, expected a model of a sensible size</source>
        <translation>gefunden: Schicht „%1“ mit %2 Bytes und %3 s, erwartet: ein Modell vernünftiger Größe</translation>
    </message>
    <message>
        <source>found links beside bandwidth_matrix_gb_per_s, expected one of the two</source>
        <translation>gefunden: Verbindungen neben bandwidth_matrix_gb_per_s, erwartet: eines von beiden</translation>
    </message>
    <message>
        <source>found micro-batch %1 in %2, expected 0 to %3, the plan&apos;s micro_batches</source>
        <translation>gefunden: Mikro-Batch %1 in %2, erwartet: 0 bis %3, die micro_batches des Plans</translation>
    </message>
    <message>
        <source>found micro-batch %1, expected 0 to %2</source>
        <translation>gefunden: Mikro-Batch %1, erwartet: 0 bis %2</translation>
    </message>
    <message>
        <source>found more than %1 bytes, expected at most that</source>
        <translation>gefunden: mehr als %1 Bytes, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found nesting deeper than %1 levels, expected a document of a known format</source>
        <translation>gefunden: mehr als %1 Ebenen Verschachtelung, erwartet: ein Dokument bekannten Formats</translation>
    </message>
    <message>
        <source>found no %1 preset &apos;%2&apos;, expected one of: %3</source>
        <translation>gefunden: keine Vorlage „%2“ für %1, erwartet: eine von: %3</translation>
    </message>
    <message>
        <source>found no %1, expected it</source>
        <translation>es fehlt: %1</translation>
    </message>
    <message>
        <source>found no %1, expected it in a layer of kind &apos;%2&apos;</source>
        <translation>es fehlt: %1, nötig in einer Schicht der Art „%2“</translation>
    </message>
    <message>
        <source>found no %1F%2, expected a forward of every micro-batch on device %3</source>
        <translation>gefunden: kein %1F%2, erwartet: ein Vorwärts jedes Mikro-Batches auf Gerät %3</translation>
    </message>
    <message>
        <source>found no &apos;%1&apos;, expected it</source>
        <translation>es fehlt: „%1“</translation>
    </message>
    <message>
        <source>found no device, expected at least one</source>
        <translation>gefunden: kein Gerät, erwartet: mindestens eines</translation>
    </message>
    <message>
        <source>found no devices, expected at least one</source>
        <translation>gefunden: keine Geräte, erwartet: mindestens eines</translation>
    </message>
    <message>
        <source>found no divisor of global_batch, %1, from %2 to %3, expected one: &apos;%4&apos; cuts each micro-batch over %5 replicas</source>
        <translation>gefunden: kein Teiler von global_batch, %1, von %2 bis %3, erwartet: einer: „%4“ schneidet jeden Mikro-Batch über %5 Replikate</translation>
    </message>
    <message>
        <source>found no edges between layers, expected a connected graph</source>
        <translation>gefunden: keine Kanten zwischen Schichten, erwartet: ein zusammenhängender Graph</translation>
    </message>
    <message>
        <source>found no edges, expected a connected graph, or no &apos;edges&apos; for a chain</source>
        <translation>gefunden: keine Kanten, erwartet: ein zusammenhängender Graph, oder kein „edges“ für eine Kette</translation>
    </message>
    <message>
        <source>found no layers, expected at least one</source>
        <translation>gefunden: keine Schichten, erwartet: mindestens eine</translation>
    </message>
    <message>
        <source>found no list for device %1, expected one</source>
        <translation>gefunden: keine Liste für Gerät %1, erwartet: eine</translation>
    </message>
    <message>
        <source>found no measured operations of a step after the first, expected those of some: run with --timeline-every 1</source>
        <translation>gefunden: keine gemessenen Operationen eines Schritts nach dem ersten, erwartet: die von einigen: mit --timeline-every 1 starten</translation>
    </message>
    <message>
        <source>found no memory for a single micro-batch, expected room for one</source>
        <translation>gefunden: kein Speicher für auch nur einen Mikro-Batch, erwartet: Platz für einen</translation>
    </message>
    <message>
        <source>found no nodes, expected a layer graph</source>
        <translation>gefunden: keine Knoten, erwartet: ein Schichtgraph</translation>
    </message>
    <message>
        <source>found no nodes, expected at least one</source>
        <translation>gefunden: keine Knoten, erwartet: mindestens einer</translation>
    </message>
    <message>
        <source>found no order of operations that comes to an end, expected one</source>
        <translation>gefunden: keine Reihenfolge der Operationen, die ein Ende findet, erwartet: eine</translation>
    </message>
    <message>
        <source>found no path between layers &apos;%1&apos; and &apos;%2&apos;, expected a connected graph</source>
        <translation>gefunden: kein Weg zwischen den Schichten „%1“ und „%2“, erwartet: ein zusammenhängender Graph</translation>
    </message>
    <message>
        <source>found no path between nodes &apos;%1&apos; and &apos;%2&apos;, expected links that connect all nodes</source>
        <translation>gefunden: kein Weg zwischen den Knoten „%1“ und „%2“, erwartet: Verbindungen zwischen allen Knoten</translation>
    </message>
    <message>
        <source>found no point at the profile&apos;s micro-batch of %1, expected the base point among them</source>
        <translation>gefunden: kein Punkt beim Mikro-Batch %1 des Profils, erwartet: der Basispunkt unter ihnen</translation>
    </message>
    <message>
        <source>found no stages, expected at least one</source>
        <translation>gefunden: keine Stufen, erwartet: mindestens eine</translation>
    </message>
    <message>
        <source>found no step after the first, which warms caches up; expected 2 steps or more</source>
        <translation>gefunden: kein Schritt nach dem ersten, der die Caches aufwärmt; erwartet: 2 Schritte oder mehr</translation>
    </message>
    <message>
        <source>found no such file</source>
        <translation>gefunden: keine solche Datei</translation>
    </message>
    <message>
        <source>found no valid JSON:</source>
        <translation>gefunden: kein gültiges JSON:</translation>
    </message>
    <message>
        <source>found node &apos;%1&apos; of %2 devices without a link, expected &quot;link&quot;</source>
        <translation>gefunden: Knoten „%1“ mit %2 Geräten ohne Verbindung, erwartet: „link“</translation>
    </message>
    <message>
        <source>found none, expected a list a device with the schedule &apos;explicit&apos;</source>
        <translation>gefunden: keine, erwartet: eine Liste je Gerät beim Ablauf „explicit“</translation>
    </message>
    <message>
        <source>found one copy of every stage, expected two: &apos;%1&apos; goes in both directions</source>
        <translation>gefunden: eine Kopie jeder Stufe, erwartet: zwei: „%1“ läuft in beide Richtungen</translation>
    </message>
    <message>
        <source>found other bytes than a timeline&apos;s columns</source>
        <translation>gefunden: andere Bytes als die Spalten einer Zeitleiste</translation>
    </message>
    <message>
        <source>found other devices than the stage&apos;s own, expected these for copy 0</source>
        <translation>gefunden: andere Geräte als die der Stufe, erwartet: diese für Kopie 0</translation>
    </message>
    <message>
        <source>found other times than the layer&apos;s own at its micro-batch of %1, expected the same</source>
        <translation>gefunden: andere Zeiten als die der Schicht bei ihrem Mikro-Batch %1, erwartet: dieselben</translation>
    </message>
    <message>
        <source>found outputs of %1 bytes in all, expected output_bytes, %2</source>
        <translation>gefunden: Ausgaben von insgesamt %1 Bytes, erwartet: output_bytes, %2</translation>
    </message>
    <message>
        <source>found project version %1, expected 1 to %2</source>
        <translation>gefunden: Projektversion %1, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>found project version %1, expected at most %2: it was written by a newer Pipedeck; open it with that one</source>
        <translation>gefunden: Projektversion %1, erwartet: höchstens %2: ein neueres Pipedeck hat es geschrieben; damit öffnen</translation>
    </message>
    <message>
        <source>found several copies of stages, expected one: &apos;%1&apos; goes in one direction</source>
        <translation>gefunden: mehrere Kopien von Stufen, erwartet: eine: „%1“ läuft in eine Richtung</translation>
    </message>
    <message>
        <source>found shards of %1 in all, expected 1</source>
        <translation>gefunden: Teile von insgesamt %1, erwartet: 1</translation>
    </message>
    <message>
        <source>found shards, expected none: tensor_parallel is 1, no layer is split</source>
        <translation>gefunden: Teile, erwartet: keine: tensor_parallel ist 1, keine Schicht ist geteilt</translation>
    </message>
    <message>
        <source>found shares of %1 in all, expected micro_batch, %2</source>
        <translation>gefunden: Anteile von insgesamt %1, erwartet: micro_batch, %2</translation>
    </message>
    <message>
        <source>found shares, expected none: this schedule never cuts a micro-batch</source>
        <translation>gefunden: Anteile, erwartet: keine: dieser Ablauf schneidet nie einen Mikro-Batch</translation>
    </message>
    <message>
        <source>found stage %1 for micro-batch %2 on device %3, expected stage %4, which it runs</source>
        <translation>gefunden: Stufe %1 für Mikro-Batch %2 auf Gerät %3, erwartet: Stufe %4, die es ausführt</translation>
    </message>
    <message>
        <source>found stage %1 for micro-batch %2 on device %3, expected stages that the plan has there</source>
        <translation>gefunden: Stufe %1 für Mikro-Batch %2 auf Gerät %3, erwartet: Stufen, die der Plan dort hat</translation>
    </message>
    <message>
        <source>found stage %1 in %2, expected 0 to %3, the plan&apos;s stages</source>
        <translation>gefunden: Stufe %1 in %2, erwartet: 0 bis %3, die Stufen des Plans</translation>
    </message>
    <message>
        <source>found stages of %1 layers, expected %2, the layers of profile &apos;%3&apos;</source>
        <translation>gefunden: Stufen mit %1 Schichten, erwartet: %2, die Schichten des Profils „%3“</translation>
    </message>
    <message>
        <source>found steps of 0 ms, expected more</source>
        <translation>gefunden: Schritte von 0 ms, erwartet: mehr</translation>
    </message>
    <message>
        <source>found the asynchronous schedule %1, expected a synchronous one</source>
        <translation>gefunden: der asynchrone Ablauf %1, erwartet: ein synchroner</translation>
    </message>
    <message>
        <source>found the device type &apos;%1&apos;, expected one of device_types</source>
        <translation>gefunden: der Gerätetyp „%1“, erwartet: einer aus device_types</translation>
    </message>
    <message>
        <source>found the edge %1 -- %2 a second time, expected it once</source>
        <translation>gefunden: die Kante %1 -- %2 ein zweites Mal, erwartet: einmal</translation>
    </message>
    <message>
        <source>found the edge from &apos;%1&apos; to &apos;%2&apos; a second time, expected it once</source>
        <translation>gefunden: die Kante von „%1“ nach „%2“ ein zweites Mal, erwartet: einmal</translation>
    </message>
    <message>
        <source>found the key &apos;%1&apos; a second time, expected it once</source>
        <translation>gefunden: der Schlüssel „%1“ ein zweites Mal, erwartet: einmal</translation>
    </message>
    <message>
        <source>found the kind &apos;%1&apos;, expected one of %2</source>
        <translation>gefunden: die Art „%1“, erwartet: eine von %2</translation>
    </message>
    <message>
        <source>found the last operation joined with the next, expected one behind it</source>
        <translation>gefunden: die letzte Operation mit der nächsten verbunden, erwartet: eine dahinter</translation>
    </message>
    <message>
        <source>found the last range to end at %1, expected %2, the layers of profile &apos;%3&apos;</source>
        <translation>gefunden: der letzte Bereich endet bei %1, erwartet: %2, die Schichten des Profils „%3“</translation>
    </message>
    <message>
        <source>found the loss before the end, expected it as the last layer</source>
        <translation>gefunden: der Verlust vor dem Ende, erwartet: er als letzte Schicht</translation>
    </message>
    <message>
        <source>found the size &apos;%1&apos;, which a layer of kind &apos;%2&apos; has not; expected %3</source>
        <translation>gefunden: die Größe „%1“, die eine Schicht der Art „%2“ nicht hat; erwartet: %3</translation>
    </message>
    <message>
        <source>found the work copy of a project, expected the project itself: open that one, and what was not saved is offered</source>
        <translation>gefunden: die Arbeitskopie eines Projekts, erwartet: das Projekt selbst: dieses öffnen, und das nicht Gespeicherte wird angeboten</translation>
    </message>
    <message>
        <source>found two operations of device %1 at %2 ms, expected one at a time</source>
        <translation>gefunden: zwei Operationen von Gerät %1 bei %2 ms, erwartet: eine zur selben Zeit</translation>
    </message>
    <message>
        <source>graph text</source>
        <translation>Graph-Text</translation>
    </message>
    <message>
        <source>has %1 bytes, expected at least %2 (a sequence and the byte behind it)</source>
        <translation>hat %1 Bytes, erwartet: mindestens %2 (eine Sequenz und das Byte dahinter)</translation>
    </message>
    <message>
        <source>highest peak %1 on stage %2 of %3 (layers %4 to %5, %6 samples a replica) = %7. Its first layer alone on a device %8, added by the %9 behind it %10.</source>
        <translation>höchste Spitze %1 auf Stufe %2 von %3 (Schichten %4 bis %5, %6 Samples je Replikat) = %7. Ihre erste Schicht allein auf einem Gerät %8, durch die %9 dahinter kommen %10 hinzu.</translation>
    </message>
    <message>
        <source>in one topological order of the graph</source>
        <translation>in einer topologischen Ordnung des Graphen</translation>
    </message>
    <message>
        <source>its layers do not follow on</source>
        <translation>ihre Schichten schließen nicht an</translation>
    </message>
    <message>
        <source>its longer direction</source>
        <translation>ihre längere Richtung</translation>
    </message>
    <message>
        <source>jitter: found %1 runs, expected 1 to %2</source>
        <translation>Jitter: gefunden: %1 Läufe, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>jitter: found %1, expected a standard deviation over mean from 0 to %2; 0.05 is 5 %</source>
        <translation>Jitter: gefunden: %1, erwartet: Standardabweichung durch Mittelwert von 0 bis %2; 0.05 sind 5 %</translation>
    </message>
    <message>
        <source>lane %1 goes past its %2 operations</source>
        <translation>Spur %1 geht über ihre %2 Operationen hinaus</translation>
    </message>
    <message>
        <source>layer %1 not on device %2</source>
        <translation>Schicht %1 nicht auf Gerät %2</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2) has no size &apos;%3&apos;</source>
        <translation>Schicht „%1“ (%2) hat keine Größe „%3“</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2): size &apos;%3&apos; is %4, expected %5 to %6</source>
        <translation>Schicht „%1“ (%2): Größe „%3“ ist %4, erwartet: %5 bis %6</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; takes %2 values a sample, but &apos;%3&apos; before it gives %4</source>
        <translation>Schicht „%1“ nimmt %2 Werte je Sample, aber „%3“ davor liefert %4</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: activation is %2, expected 0 (none), 1 (relu) or 2 (gelu)</source>
        <translation>Schicht „%1“: activation ist %2, erwartet: 0 (none), 1 (relu) oder 2 (gelu)</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: causal is %2, expected 0 or 1</source>
        <translation>Schicht „%1“: causal ist %2, erwartet: 0 oder 1</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos;: hidden %2 can&apos;t be cut into %3 heads of one width</source>
        <translation>Schicht „%1“: hidden %2 lässt sich nicht in %3 gleich breite Köpfe schneiden</translation>
    </message>
    <message>
        <source>layer assignments of %1 and micro-batch %2 in this placement%3</source>
        <translation>Schichtzuteilungen von %1 und Mikro-Batch %2 in dieser Platzierung%3</translation>
    </message>
    <message>
        <source>layer graph</source>
        <translation>Schichtgraph</translation>
    </message>
    <message>
        <source>layers [%1, %2) of a model with %3, expected to begin at %4</source>
        <translation>Schichten [%1, %2) eines Modells mit %3, erwartet: Beginn bei %4</translation>
    </message>
    <message>
        <source>least latency of a synchronous iteration; stages replicated over any devices</source>
        <translation>kleinste Dauer einer synchronen Iteration; Stufen über beliebige Geräte repliziert</translation>
    </message>
    <message>
        <source>least samples of a micro-batch on a device; 0: the smallest measured</source>
        <translation>kleinste Zahl Samples eines Mikro-Batches je Gerät; 0: die kleinste gemessene</translation>
    </message>
    <message>
        <source>least samples of a micro-batch on a replica; 0: the smallest measured</source>
        <translation>kleinste Zahl Samples eines Mikro-Batches je Replikat; 0: die kleinste gemessene</translation>
    </message>
    <message>
        <source>least samples of a micro-batch; 0: the smallest measured</source>
        <translation>kleinste Zahl Samples eines Mikro-Batches; 0: die kleinste gemessene</translation>
    </message>
    <message>
        <source>least samples of a replica; 0: the smallest measured</source>
        <translation>kleinste Zahl Samples eines Replikats; 0: die kleinste gemessene</translation>
    </message>
    <message>
        <source>least simulated time over stages, devices, replicas, shares, recompute, schedules and micro-batches</source>
        <translation>kleinste simulierte Zeit über Stufen, Geräte, Replikate, Anteile, Neuberechnung, Abläufe und Mikro-Batches</translation>
    </message>
    <message>
        <source>least time of the slowest stage, over the levels of the cluster; asynchronous</source>
        <translation>kleinste Zeit der langsamsten Stufe, über die Ebenen des Clusters; asynchron</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>line %1%2%3</source>
        <translation>Zeile %1%2%3</translation>
    </message>
    <message>
        <source>line %1, cell %2</source>
        <translation>Zeile %1, Zelle %2</translation>
    </message>
    <message>
        <source>line %1, column %2</source>
        <translation>Zeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>links move something</source>
        <translation>Verbindungen bewegen etwas</translation>
    </message>
    <message>
        <source>making links and devices better</source>
        <translation>Verbindungen und Geräte verbessern</translation>
    </message>
    <message>
        <source>measured on one thread of this machine&apos;s CPU, fp32</source>
        <translation>gemessen auf einem Thread der CPU dieses Rechners, fp32</translation>
    </message>
    <message>
        <source>micro-batch size %1: sizes are 1 or more, ascending</source>
        <translation>Mikro-Batch-Größe %1: Größen sind 1 oder mehr, aufsteigend</translation>
    </message>
    <message>
        <source>micro-batches of %1</source>
        <translation>Mikro-Batches von %1</translation>
    </message>
    <message>
        <source>micro-batches of %1 samples, a divisor of the global batch %2 expected</source>
        <translation>Mikro-Batches von %1 Samples, erwartet: ein Teiler des globalen Batches %2</translation>
    </message>
    <message>
        <source>mini-batches of %1 samples, a divisor of the global batch %2 expected</source>
        <translation>Mini-Batches von %1 Samples, erwartet: ein Teiler des globalen Batches %2</translation>
    </message>
    <message>
        <source>mini-batches of %1 samples, as in the profile, do not divide %2</source>
        <translation>Mini-Batches von %1 Samples, wie im Profil, teilen %2 nicht</translation>
    </message>
    <message>
        <source>model name</source>
        <translation>Modellname</translation>
    </message>
    <message>
        <source>more stages than layers</source>
        <translation>mehr Stufen als Schichten</translation>
    </message>
    <message>
        <source>more than %1 operations with any of the micro-batches</source>
        <translation>mehr als %1 Operationen mit jedem der Mikro-Batches</translation>
    </message>
    <message>
        <source>moving layer &quot;%1&quot; from stage %2 to stage %3</source>
        <translation>Verschieben von Schicht „%1“ aus Stufe %2 in Stufe %3</translation>
    </message>
    <message>
        <source>needs %1 bytes, a device has %2</source>
        <translation>braucht %1 Bytes, ein Gerät hat %2</translation>
    </message>
    <message>
        <source>no %1 fits with micro-batches of %2 samples%3</source>
        <translation>keine %1 passt mit Mikro-Batches von %2 Samples%3</translation>
    </message>
    <message>
        <source>no bridge, %1 MiB a micro-batch each way</source>
        <translation>keine Brücke, %1 MiB je Mikro-Batch und Richtung</translation>
    </message>
    <message>
        <source>no degrees of Megatron&apos;s rules fit the devices&apos; memory</source>
        <translation>keine Grade nach Megatrons Regeln passen in den Speicher der Geräte</translation>
    </message>
    <message>
        <source>no micro-batch gives every device as many samples as were measured</source>
        <translation>kein Mikro-Batch gibt jedem Gerät so viele Samples, wie gemessen wurden</translation>
    </message>
    <message>
        <source>no micro-batch gives every replica at least %1 samples%2</source>
        <translation>kein Mikro-Batch gibt jedem Replikat mindestens %1 Samples%2</translation>
    </message>
    <message>
        <source>no micro-batch gives every replica of the partition as many samples as were measured</source>
        <translation>kein Mikro-Batch gibt jedem Replikat der Aufteilung so viele Samples, wie gemessen wurden</translation>
    </message>
    <message>
        <source>no micro-batch gives every replica the %1 samples that were measured at least</source>
        <translation>kein Mikro-Batch gibt jedem Replikat die %1 Samples, die mindestens gemessen wurden</translation>
    </message>
    <message>
        <source>no micro-batch is as large as the smallest measured</source>
        <translation>kein Mikro-Batch ist so groß wie der kleinste gemessene</translation>
    </message>
    <message>
        <source>no partition fits by the released program&apos;s rule</source>
        <translation>keine Aufteilung passt nach der Regel des veröffentlichten Programms</translation>
    </message>
    <message>
        <source>no partition fits: every stage keeps its weight versions and mini-batches of %1 samples</source>
        <translation>keine Aufteilung passt: jede Stufe hält ihre Gewichtsversionen und Mini-Batches von %1 Samples</translation>
    </message>
    <message>
        <source>no partition over %1 that uses %2 has a quicker slowest stage%3</source>
        <translation>keine Aufteilung über %1, die %2 nutzt, hat eine schnellere langsamste Stufe%3</translation>
    </message>
    <message>
        <source>no partition over these levels has what is pinned</source>
        <translation>keine Aufteilung über diese Ebenen erfüllt die Vorgaben</translation>
    </message>
    <message>
        <source>no pass is beside communication for long enough</source>
        <translation>kein Durchlauf läuft lange genug neben Kommunikation</translation>
    </message>
    <message>
        <source>no pass stands clear of waiting and communication</source>
        <translation>kein Durchlauf ist frei von Warten und Kommunikation</translation>
    </message>
    <message>
        <source>no placement has every pinned layer on its device</source>
        <translation>keine Platzierung hat jede vorgegebene Schicht auf ihrem Gerät</translation>
    </message>
    <message>
        <source>no placement of this planner&apos;s kind has the pinned layers on their devices</source>
        <translation>keine Platzierung dieses Planers hat die vorgegebenen Schichten auf ihren Geräten</translation>
    </message>
    <message>
        <source>no plan fits</source>
        <translation>kein Plan passt</translation>
    </message>
    <message>
        <source>no plan fits the devices&apos; memory</source>
        <translation>kein Plan passt in den Speicher der Geräte</translation>
    </message>
    <message>
        <source>no plan fits the devices&apos; memory, with one micro-batch at a time on every stage</source>
        <translation>kein Plan passt in den Speicher der Geräte, mit einem Mikro-Batch zur Zeit auf jeder Stufe</translation>
    </message>
    <message>
        <source>no plan gives every one of %1 devices at least %2 samples of each micro-batch</source>
        <translation>kein Plan gibt jedem von %1 Geräten mindestens %2 Samples jedes Mikro-Batches</translation>
    </message>
    <message>
        <source>no plan that the placement policies reach keeps to the pins</source>
        <translation>kein Plan, den die Platzierungsregeln erreichen, hält die Vorgaben ein</translation>
    </message>
    <message>
        <source>no pp x dp x tmp of Megatron&apos;s rules uses all devices with %1 samples a replica%2</source>
        <translation>kein pp x dp x tmp nach Megatrons Regeln nutzt alle Geräte mit %1 Samples je Replikat%2</translation>
    </message>
    <message>
        <source>no strategy fits the devices&apos; memory, with one micro-batch at a time on every stage</source>
        <translation>keine Strategie passt in den Speicher der Geräte, mit einem Mikro-Batch zur Zeit auf jeder Stufe</translation>
    </message>
    <message>
        <source>no transfer or all-reduce takes time for its bytes</source>
        <translation>keine Übertragung und kein All-Reduce braucht Zeit für seine Bytes</translation>
    </message>
    <message>
        <source>no worker answers</source>
        <translation>kein Worker antwortet</translation>
    </message>
    <message>
        <source>none of the %1 partitions tried fits</source>
        <translation>keine der %1 versuchten Aufteilungen passt</translation>
    </message>
    <message>
        <source>nothing ends when the iteration does</source>
        <translation>nichts endet mit der Iteration</translation>
    </message>
    <message>
        <source>objective: the plan of least T, eq. 4; simulated: the best simulated one</source>
        <translation>objective: der Plan mit kleinstem T, Gl. 4; simulated: der beste simulierte</translation>
    </message>
    <message>
        <source>of %1 of the columns</source>
        <translation>mit %1 der Spalten</translation>
    </message>
    <message>
        <source>of the random draws: the same seed, the same answer</source>
        <translation>der Zufallszüge: gleicher Startwert, gleiche Antwort</translation>
    </message>
    <message>
        <source>on neighbouring devices: the TaskGraphs of a nested copy, or the replicas of a TaskGraph</source>
        <translation>auf benachbarten Geräten: die TaskGraphs einer verschachtelten Kopie oder die Replikate eines TaskGraphs</translation>
    </message>
    <message>
        <source>one device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>one device a stage, without data or tensor parallelism</source>
        <translation>ein Gerät je Stufe, ohne Daten- oder Tensorparallelität</translation>
    </message>
    <message>
        <source>oneDNN refused a matrix product</source>
        <translation>oneDNN hat ein Matrixprodukt abgelehnt</translation>
    </message>
    <message>
        <source>only finite numbers are written</source>
        <translation>nur endliche Zahlen werden geschrieben</translation>
    </message>
    <message>
        <source>only plans that flush; else the quickest may be asynchronous, on several versions of the weights</source>
        <translation>nur Pläne, die leerlaufen; sonst darf der schnellste asynchron sein, auf mehreren Versionen der Gewichte</translation>
    </message>
    <message>
        <source>operation %1 is of a kind that there is not</source>
        <translation>Operation %1 ist von einer Art, die es nicht gibt</translation>
    </message>
    <message>
        <source>or more</source>
        <translation>oder mehr</translation>
    </message>
    <message>
        <source>other devices than the stages before it in a pipeline of %1</source>
        <translation>andere Geräte als die Stufen davor in einer Pipeline von %1</translation>
    </message>
    <message>
        <source>our own; starts from the plans of all others</source>
        <translation>unser eigener; geht von den Plänen aller anderen aus</translation>
    </message>
    <message>
        <source>passes beside communication took no longer than others</source>
        <translation>Durchläufe neben Kommunikation dauerten nicht länger als andere</translation>
    </message>
    <message>
        <source>passes took less than the profile says, which no overhead explains</source>
        <translation>Durchläufe dauerten kürzer als im Profil, was kein Overhead erklärt</translation>
    </message>
    <message>
        <source>pipeline of one device a stage</source>
        <translation>Pipeline mit einem Gerät je Stufe</translation>
    </message>
    <message>
        <source>pipeline, data and tensor degrees, micro-batch and layer assignment of least estimated time</source>
        <translation>Pipeline-, Daten- und Tensorgrade, Mikro-Batch und Schichtzuteilung mit kleinster geschätzter Zeit</translation>
    </message>
    <message>
        <source>pipelines of %1 stages on one device each</source>
        <translation>Pipelines von %1 Stufen auf je einem Gerät</translation>
    </message>
    <message>
        <source>planner amp can</source>
        <translation>Planer amp kann es</translation>
    </message>
    <message>
        <source>planner data-parallel can</source>
        <translation>Planer data-parallel kann es</translation>
    </message>
    <message>
        <source>planning was cancelled</source>
        <translation>die Planung wurde abgebrochen</translation>
    </message>
    <message>
        <source>plans that leave devices idle, too</source>
        <translation>auch Pläne, die Geräte ungenutzt lassen</translation>
    </message>
    <message>
        <source>plans to simulate at most; large ones count as several</source>
        <translation>höchstens zu simulierende Pläne; große zählen mehrfach</translation>
    </message>
    <message>
        <source>policy A or B of 1F1B; auto: the one that simulates best</source>
        <translation>Anlauf A oder B von 1F1B; auto: der in der Simulation bessere</translation>
    </message>
    <message>
        <source>pp %1, dp %2, tmp %3</source>
        <translation>pp %1, dp %2, tmp %3</translation>
    </message>
    <message>
        <source>precision %1 has no kernels on the CPU, which trains in fp32</source>
        <translation>Genauigkeit %1 hat keine Kernel auf der CPU, die in fp32 trainiert</translation>
    </message>
    <message>
        <source>predict one micro-batch on every stage, as the paper does</source>
        <translation>einen Mikro-Batch auf jeder Stufe vorhersagen, wie in der Veröffentlichung</translation>
    </message>
    <message>
        <source>profiling needs at least one micro-batch size</source>
        <translation>das Messen braucht mindestens eine Mikro-Batch-Größe</translation>
    </message>
    <message>
        <source>profiling was stopped</source>
        <translation>das Messen wurde angehalten</translation>
    </message>
    <message>
        <source>rank with all-reduces beside the backward pass (on), after it (off), or as --overlap says (auto)</source>
        <translation>Rangfolge mit All-Reduces neben dem Rückwärtsdurchlauf (on), danach (off) oder wie --overlap sagt (auto)</translation>
    </message>
    <message>
        <source>replicate, pipeline or split, samples and layers shared out by what unlike devices do</source>
        <translation>replicate, pipeline oder split; Samples und Schichten verteilt nach Leistung ungleicher Geräte</translation>
    </message>
    <message>
        <source>replicate: data parallel; pipeline: several TaskGraphs; split: layers cut by columns</source>
        <translation>replicate: Datenparallelität; pipeline: mehrere TaskGraphs; split: Schichten nach Spalten geschnitten</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>run forwards again before backwards; auto: where memory is short and it pays</source>
        <translation>vorwärts vor rückwärts noch einmal rechnen; auto: wo Speicher knapp ist und es sich lohnt</translation>
    </message>
    <message>
        <source>searching with micro-batches of %1</source>
        <translation>Suche mit Mikro-Batches von %1</translation>
    </message>
    <message>
        <source>sharding %1 x SP1, %2 x SP2, %3 MiB a profile micro-batch (the profile&apos;s all-reduces: %4)</source>
        <translation>Sharding %1 x SP1, %2 x SP2, %3 MiB je Mikro-Batch des Profils (All-Reduces des Profils: %4)</translation>
    </message>
    <message>
        <source>shares by Algorithm 1 exactly as printed</source>
        <translation>Anteile nach Algorithmus 1 genau wie gedruckt</translation>
    </message>
    <message>
        <source>simulated iteration time</source>
        <translation>simulierte Iterationszeit</translation>
    </message>
    <message>
        <source>simulated: the best simulated candidate; objective: the one of least L_max</source>
        <translation>simulated: der beste simulierte Kandidat; objective: der mit kleinstem L_max</translation>
    </message>
    <message>
        <source>simulating the synchronous plans</source>
        <translation>synchrone Pläne simulieren</translation>
    </message>
    <message>
        <source>simulating with jitter</source>
        <translation>mit Jitter simulieren</translation>
    </message>
    <message>
        <source>smallest highest peak memory of any device, then the quickest</source>
        <translation>kleinste höchste Speicherspitze aller Geräte, danach der schnellste</translation>
    </message>
    <message>
        <source>so many TaskGraphs; 0: the best number</source>
        <translation>so viele TaskGraphs; 0: die beste Zahl</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>step %1: found forwards of %2 micro-batches of stages, expected %3 stages x %4: the events are of another plan</source>
        <translation>Schritt %1: gefunden: Vorwärts von %2 Mikro-Batches von Stufen, erwartet: %3 Stufen x %4: die Ereignisse sind von einem anderen Plan</translation>
    </message>
    <message>
        <source>step %1: found operations on %2 devices, expected those of the plan&apos;s %3 devices</source>
        <translation>Schritt %1: gefunden: Operationen auf %2 Geräten, erwartet: die der %3 Geräte des Plans</translation>
    </message>
    <message>
        <source>strategies to draw; 0: 500, fewer in large problems</source>
        <translation>zu ziehende Strategien; 0: 500, in großen Problemen weniger</translation>
    </message>
    <message>
        <source>synchronous plans of whole passes and even shares, whatever their stages, devices, micro-batch and schedule, by simulated time: no other has a closed form below</source>
        <translation>synchrone Pläne aus ganzen Durchläufen und gleichen Anteilen, mit beliebigen Stufen, Geräten, Mikro-Batches und Abläufen, nach simulierter Zeit: kein anderer liegt nach der geschlossenen Form darunter</translation>
    </message>
    <message>
        <source>synchronous: least samples of a micro-batch on a replica; 0: the smallest measured</source>
        <translation>synchron: kleinste Zahl Samples eines Mikro-Batches je Replikat; 0: die kleinste gemessene</translation>
    </message>
    <message>
        <source>syntax error</source>
        <translation>Syntaxfehler</translation>
    </message>
    <message>
        <source>target %1 is none of the %2 classes</source>
        <translation>Ziel %1 ist keine der %2 Klassen</translation>
    </message>
    <message>
        <source>tensor parallelism %1, --tmp %2</source>
        <translation>Tensorparallelität %1, --tmp %2</translation>
    </message>
    <message>
        <source>text needs a model that begins with an embedding, not with &apos;%1&apos;</source>
        <translation>text braucht ein Modell, das mit einer Einbettung beginnt, nicht mit „%1“</translation>
    </message>
    <message>
        <source>text needs a vocabulary and classes of at least 256 (a byte each), the model has %1</source>
        <translation>text braucht ein Vokabular und Klassen von mindestens 256 (je ein Byte), das Modell hat %1</translation>
    </message>
    <message>
        <source>that fit</source>
        <translation>, die passen</translation>
    </message>
    <message>
        <source>that fit and keep the pins</source>
        <translation>, die passen und die Vorgaben einhalten</translation>
    </message>
    <message>
        <source>that keep the pins</source>
        <translation>, die die Vorgaben einhalten</translation>
    </message>
    <message>
        <source>that keeps the pins</source>
        <translation>, das die Vorgaben einhält</translation>
    </message>
    <message>
        <source>the activation</source>
        <translation>die Aktivierung</translation>
    </message>
    <message>
        <source>the devices of stage %1, %2</source>
        <translation>die Geräte von Stufe %1, %2</translation>
    </message>
    <message>
        <source>the explanation was stopped</source>
        <translation>die Erklärung wurde angehalten</translation>
    </message>
    <message>
        <source>the file can&apos;t be opened: %1</source>
        <translation>die Datei lässt sich nicht öffnen: %1</translation>
    </message>
    <message>
        <source>the file can&apos;t be read</source>
        <translation>die Datei ist nicht lesbar</translation>
    </message>
    <message>
        <source>the file can&apos;t be written</source>
        <translation>die Datei ist nicht schreibbar</translation>
    </message>
    <message>
        <source>the file is damaged:</source>
        <translation>die Datei ist beschädigt:</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>die Datei ist leer</translation>
    </message>
    <message>
        <source>the file is empty, expected a Pipedeck project</source>
        <translation>die Datei ist leer, erwartet: ein Pipedeck-Projekt</translation>
    </message>
    <message>
        <source>the first source and what it leads to leave layers out</source>
        <translation>die erste Quelle und was aus ihr folgt lassen Schichten aus</translation>
    </message>
    <message>
        <source>the folder can&apos;t be written: %1</source>
        <translation>der Ordner ist nicht schreibbar: %1</translation>
    </message>
    <message>
        <source>the gradient</source>
        <translation>den Gradienten</translation>
    </message>
    <message>
        <source>the last layer, &apos;%1&apos;, is of kind &apos;%2&apos;; to be trained, a model ends in its loss, softmax_cross_entropy</source>
        <translation>die letzte Schicht, „%1“, ist von der Art „%2“; zum Trainieren endet ein Modell mit seinem Verlust, softmax_cross_entropy</translation>
    </message>
    <message>
        <source>the layer graph has no first source, or more than %1 antichains</source>
        <translation>der Schichtgraph hat keine erste Quelle oder mehr als %1 Antiketten</translation>
    </message>
    <message>
        <source>the levels %1</source>
        <translation>die Ebenen %1</translation>
    </message>
    <message>
        <source>the loss &apos;%1&apos; takes %2 values a sample, but the layer before it gives %3</source>
        <translation>der Verlust „%1“ nimmt %2 Werte je Sample, aber die Schicht davor liefert %3</translation>
    </message>
    <message>
        <source>the model has no layers</source>
        <translation>das Modell hat keine Schichten</translation>
    </message>
    <message>
        <source>the model has no layers to train</source>
        <translation>das Modell hat keine Schichten zum Trainieren</translation>
    </message>
    <message>
        <source>the model is a chain: layers run in list order</source>
        <translation>das Modell ist eine Kette: Schichten laufen in der Reihenfolge der Liste</translation>
    </message>
    <message>
        <source>the other replicas</source>
        <translation>die anderen Replikate</translation>
    </message>
    <message>
        <source>the paper&apos;s eq. 1-3 as printed</source>
        <translation>Gl. 1–3 der Veröffentlichung wie gedruckt</translation>
    </message>
    <message>
        <source>the partition does not fit under a synchronous schedule, whatever the micro-batch</source>
        <translation>die Aufteilung passt unter keinem synchronen Ablauf, mit keinem Mikro-Batch</translation>
    </message>
    <message>
        <source>the plan does not fit its devices with any of the micro-batches</source>
        <translation>der Plan passt mit keinem der Mikro-Batches auf seine Geräte</translation>
    </message>
    <message>
        <source>the plan has no stages</source>
        <translation>der Plan hat keine Stufen</translation>
    </message>
    <message>
        <source>the presets that come with the program are valid</source>
        <translation>die mitgelieferten Vorlagen sind gültig</translation>
    </message>
    <message>
        <source>the project can&apos;t be written: %1</source>
        <translation>das Projekt ist nicht schreibbar: %1</translation>
    </message>
    <message>
        <source>the project is write-protected; save it under another name</source>
        <translation>das Projekt ist schreibgeschützt; unter anderem Namen speichern</translation>
    </message>
    <message>
        <source>the same partition under 1F1B, at the micro-batch that simulates best</source>
        <translation>dieselbe Aufteilung unter 1F1B, mit dem Mikro-Batch, der in der Simulation am besten ist</translation>
    </message>
    <message>
        <source>the schedule has %1 micro-batches, the plan %2</source>
        <translation>der Ablauf hat %1 Mikro-Batches, der Plan %2</translation>
    </message>
    <message>
        <source>the schedule has no lane for device %1</source>
        <translation>der Ablauf hat keine Spur für Gerät %1</translation>
    </message>
    <message>
        <source>the search for an order was stopped</source>
        <translation>die Suche nach einer Reihenfolge wurde angehalten</translation>
    </message>
    <message>
        <source>the simulation stopped before the end of a schedule that cannot deadlock</source>
        <translation>die Simulation endete vor dem Ende eines Ablaufs, der sich nicht verklemmen kann</translation>
    </message>
    <message>
        <source>the simulation was stopped</source>
        <translation>die Simulation wurde angehalten</translation>
    </message>
    <message>
        <source>the stages end at layer %1, the model has %2</source>
        <translation>die Stufen enden bei Schicht %1, das Modell hat %2</translation>
    </message>
    <message>
        <source>the synchronisation term exactly as printed</source>
        <translation>der Synchronisationsterm genau wie gedruckt</translation>
    </message>
    <message>
        <source>the text is empty, expected a JSON object</source>
        <translation>der Text ist leer, erwartet: ein JSON-Objekt</translation>
    </message>
    <message>
        <source>the time-out is more than 0</source>
        <translation>die Zeitgrenze ist größer als 0</translation>
    </message>
    <message>
        <source>the transfer from stage %1 to %2</source>
        <translation>Übertragung von Stufe %1 nach %2</translation>
    </message>
    <message>
        <source>the work copy was never finished</source>
        <translation>die Arbeitskopie wurde nie fertig</translation>
    </message>
    <message>
        <source>these layers and devices cannot be made into TaskGraphs as asked for (a layer is split only where the profile has times for it)</source>
        <translation>aus diesen Schichten und Geräten lassen sich keine solchen TaskGraphs machen (eine Schicht wird nur geteilt, wo das Profil Zeiten dafür hat)</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>this split with each of the %1 micro-batches and warm-ups that fit: by simulated time</source>
        <translation>diese Aufteilung mit jedem der %1 Mikro-Batches und Anläufe, die passen: nach simulierter Zeit</translation>
    </message>
    <message>
        <source>timing micro-batches of %1</source>
        <translation>Zeiten für Mikro-Batches von %1 messen</translation>
    </message>
    <message>
        <source>token %1 is not in the vocabulary of %2</source>
        <translation>Token %1 ist nicht im Vokabular von %2</translation>
    </message>
    <message>
        <source>transfers as printed: v / b, one way, no latency</source>
        <translation>Übertragungen wie gedruckt: v / b, eine Richtung, ohne Latenz</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>unknown members are kept as a JSON object</source>
        <translation>unbekannte Einträge bleiben als JSON-Objekt erhalten</translation>
    </message>
    <message>
        <source>unknown processor</source>
        <translation>unbekannter Prozessor</translation>
    </message>
    <message>
        <source>waits for</source>
        <translation>wartet auf</translation>
    </message>
    <message>
        <source>what %1 of stage %2 and micro-batch %3 waited for until %4 ns is not to be found</source>
        <translation>worauf %1 von Stufe %2 und Mikro-Batch %3 bis %4 ns gewartet hat, ist nicht zu finden</translation>
    </message>
    <message>
        <source>what stages have equally much of</source>
        <translation>wovon Stufen gleich viel haben</translation>
    </message>
    <message>
        <source>what the authors&apos; released program computes, which leaves memory out</source>
        <translation>was das veröffentlichte Programm der Autoren berechnet, das Speicher auslässt</translation>
    </message>
    <message>
        <source>with --rank-by simulated: strategies to simulate at most</source>
        <translation>mit --rank-by simulated: höchstens zu simulierende Strategien</translation>
    </message>
    <message>
        <source>with these pins</source>
        <translation>mit diesen Vorgaben</translation>
    </message>
    <message>
        <source>with v / b as printed</source>
        <translation>mit v / b wie gedruckt</translation>
    </message>
    <message>
        <source>zero is %1: the trainer does not divide states over replicas, expected 0</source>
        <translation>zero ist %1: der Trainer teilt Zustände nicht auf Replikate auf, erwartet: 0</translation>
    </message>
    <message>
        <source>%1%2, %3 GB/s each way</source>
        <translation>%1%2, %3 GB/s je Richtung</translation>
    </message>
    <message>
        <source>%1; %2 at %3 GB/s; %4; %5; about %6 %7 an hour (%8)</source>
        <translation>%1; %2 mit %3 GB/s; %4; %5; etwa %6 %7 je Stunde (%8)</translation>
    </message>
    <message>
        <source>PCIe %1 x%2</source>
        <translation>PCIe %1 x%2</translation>
    </message>
    <message>
        <source>by a bridge</source>
        <translation>über eine Brücke</translation>
    </message>
    <message>
        <source>found no device type &apos;%1&apos;, expected one of: %2</source>
        <translation>gefunden: kein Gerätetyp „%1“, erwartet: einer von: %2</translation>
    </message>
    <message>
        <source>found no fp32 peak, expected one, which all devices are compared by</source>
        <translation>gefunden: keine fp32-Spitze, erwartet: eine, nach der alle Geräte verglichen werden</translation>
    </message>
    <message>
        <source>the devices that come with the program are valid</source>
        <translation>die mitgelieferten Geräte sind gültig</translation>
    </message>
    <message>
        <source>%1 %2 = warm-up %3 (ΣF to the pivot, %4) + %5 x %6 (%7) + %8 (%9)</source>
        <translation>%1 %2 = Anlauf %3 (ΣF bis zum Pivot, %4) + %5 x %6 (%7) + %8 (%9)</translation>
    </message>
    <message>
        <source>%1 gave a plan that breaks a pin: %2</source>
        <translation>%1 lieferte einen Plan, der eine Vorgabe verletzt: %2</translation>
    </message>
    <message>
        <source>%1 gave a plan that is not valid: %2</source>
        <translation>%1 lieferte einen ungültigen Plan: %2</translation>
    </message>
    <message>
        <source>%1 more memory on every device</source>
        <translation>%1 mehr Speicher auf jedem Gerät</translation>
    </message>
    <message>
        <source>%1 searched a plan that does not fit</source>
        <translation>%1 hat einen Plan gesucht, der nicht passt</translation>
    </message>
    <message>
        <source>%1 takes the same time</source>
        <translation>%1 dauert gleich lange</translation>
    </message>
    <message>
        <source>%1, or %2</source>
        <translation>%1, oder %2</translation>
    </message>
    <message>
        <source>--%1 is &apos;%2&apos;, %3 expected</source>
        <translation>--%1 ist „%2“, erwartet: %3</translation>
    </message>
    <message>
        <source>--global-batch %1 with --micro-batch %2</source>
        <translation>--global-batch %1 mit --micro-batch %2</translation>
    </message>
    <message>
        <source>All stages take the same time: %1.</source>
        <translation>Alle Stufen dauern gleich lange: %1.</translation>
    </message>
    <message>
        <source>Its slowest device computes all the while: %1.</source>
        <translation>Sein langsamstes Gerät rechnet die ganze Zeit: %1.</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>davor %1</translation>
    </message>
    <message>
        <source>all %1 of %2 on these devices in this order with micro-batches of %3 that fit: none has a less busy busiest device</source>
        <translation>alle %1 von %2 auf diesen Geräten in dieser Reihenfolge mit Mikro-Batches von %3, die passen: nirgends ist das am stärksten belegte Gerät schwächer belegt</translation>
    </message>
    <message>
        <source>all-reduce of %1, %2, %3</source>
        <translation>All-Reduce von %1, %2, %3</translation>
    </message>
    <message>
        <source>annealing</source>
        <translation>Abkühlung</translation>
    </message>
    <message>
        <source>asking %1</source>
        <translation>fragt %1</translation>
    </message>
    <message>
        <source>asynchronous</source>
        <translation>asynchronen</translation>
    </message>
    <message>
        <source>at least %1 samples a replica</source>
        <translation>mindestens %1 Samples je Replikat</translation>
    </message>
    <message>
        <source>balancing</source>
        <translation>Ausgleich</translation>
    </message>
    <message>
        <source>both</source>
        <translation>beide</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>Stufengrenze</translation>
    </message>
    <message>
        <source>calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>cuts and whole-sample shares</source>
        <translation>Schnitte und Anteile ganzer Samples</translation>
    </message>
    <message>
        <source>cuts, whole-sample shares and shares of columns</source>
        <translation>Schnitte, Anteile ganzer Samples und Spaltenanteile</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>improving</source>
        <translation>Verbesserung</translation>
    </message>
    <message>
        <source>its last backward, %1</source>
        <translation>ihr letzter Rückwärtsdurchlauf, %1</translation>
    </message>
    <message>
        <source>less the backwards from the pivot to it, %1</source>
        <translation>abzüglich der Rückwärtsdurchläufe vom Pivot bis zu ihr, %1</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>no layout of TaskGraphs that was asked for fits its devices with any of the micro-batches</source>
        <translation>keine verlangte Anordnung von TaskGraphs passt mit einem der Mikro-Batches auf ihre Geräte</translation>
    </message>
    <message>
        <source>no layout of TaskGraphs that was asked for gives every replica as many samples as were measured</source>
        <translation>keine verlangte Anordnung von TaskGraphs gibt jedem Replikat so viele Samples, wie gemessen wurden</translation>
    </message>
    <message>
        <source>no planner &apos;%1&apos;, one of %2 expected</source>
        <translation>kein Planer „%1“, erwartet: einer von %2</translation>
    </message>
    <message>
        <source>node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>none has a lower L_max</source>
        <translation>keiner hat ein kleineres L_max</translation>
    </message>
    <message>
        <source>none has less by eq. 2 as printed</source>
        <translation>keiner hat weniger nach Gl. 2 wie gedruckt</translation>
    </message>
    <message>
        <source>none is simulated faster, pipelines without overlap of all-reduces</source>
        <translation>keiner ist in der Simulation schneller, Pipelines ohne Überlappung von All-Reduces</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>on all devices</source>
        <translation>auf allen Geräten</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>eines von %1</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>partition</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>partitioning</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>pins</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>planner %1 cannot honour %2</source>
        <translation>Planer %1 kann %2 nicht einhalten</translation>
    </message>
    <message>
        <source>planner %1 has no option --%2; it has %3</source>
        <translation>Planer %1 hat keine Option --%2; er hat %3</translation>
    </message>
    <message>
        <source>planner %1 needs a simulator to judge plans</source>
        <translation>Planer %1 braucht einen Simulator, der Pläne bewertet</translation>
    </message>
    <message>
        <source>plans%1 that DAPPLE&apos;s three placement policies reach, with %2: %3</source>
        <translation>Pläne%1, die DAPPLEs drei Platzierungsregeln erreichen, mit %2: %3</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>recomputes</source>
        <translation>berechnet neu</translation>
    </message>
    <message>
        <source>reserve</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>searching</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>simulating</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>simulation</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>synchronous</source>
        <translation>synchronen</translation>
    </message>
    <message>
        <source>the last backwards from the pivot to %1, %2</source>
        <translation>letzte Rückwärtsdurchläufe vom Pivot bis %1, %2</translation>
    </message>
    <message>
        <source>thread</source>
        <translation>Thread</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>too large: %1</source>
        <translation>zu groß: %1</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>whole-sample shares</source>
        <translation>Anteile ganzer Samples</translation>
    </message>
    <message>
        <source>whole-sample shares and shares of columns</source>
        <translation>Anteile ganzer Samples und Spaltenanteile</translation>
    </message>
    <message>
        <source>without %1</source>
        <translation>ohne %1</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitspuffer</translation>
    </message>
    <message>
        <source>%1 are not all in one stage: move those of each by themselves</source>
        <translation>%1 sind nicht alle in einer Stufe: die einer jeden für sich verschieben</translation>
    </message>
    <message>
        <source>%1 are used by no stage</source>
        <translation>%1 gehören zu keiner Stufe</translation>
    </message>
    <message>
        <source>%1: &apos;%2&apos; has several stages on the same devices, as many everywhere; choose another number of chunks or another schedule first</source>
        <translation>%1: „%2“ hat mehrere Stufen auf denselben Geräten, überall gleich viele; erst eine andere Zahl Chunks oder einen anderen Ablauf wählen</translation>
    </message>
    <message>
        <source>%1: &apos;%2&apos; runs every stage in both directions and needs the stages as they are; choose another schedule first</source>
        <translation>%1: „%2“ führt jede Stufe in beide Richtungen aus und braucht die Stufen, wie sie sind; erst einen anderen Ablauf wählen</translation>
    </message>
    <message>
        <source>&apos;%1&apos; gives each micro-batch to one replica whole: there are no shares</source>
        <translation>„%1“ gibt jeden Mikro-Batch ganz an ein Replikat: es gibt keine Anteile</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is %2</source>
        <translation>„%1“ wird %2</translation>
    </message>
    <message>
        <source>&apos;%1&apos; runs stages %2 and %3 on each other&apos;s devices, so that both need as many and the same tensor parallelism: exchange two devices instead</source>
        <translation>„%1“ führt die Stufen %2 und %3 auf den Geräten der anderen aus, daher brauchen beide gleich viele und dieselbe Tensorparallelität: stattdessen zwei Geräte tauschen</translation>
    </message>
    <message>
        <source>a micro-batch of %1 does not divide the global batch of %2; the nearest that %3</source>
        <translation>ein Mikro-Batch von %1 teilt den globalen Batch von %2 nicht; am nächsten %3</translation>
    </message>
    <message>
        <source>a stage can&apos;t be split</source>
        <translation>eine Stufe lässt sich nicht teilen</translation>
    </message>
    <message>
        <source>device %1 can&apos;t be exchanged with itself</source>
        <translation>Gerät %1 lässt sich nicht mit sich selbst tauschen</translation>
    </message>
    <message>
        <source>device %1 was named twice</source>
        <translation>Gerät %1 wurde zweimal genannt</translation>
    </message>
    <message>
        <source>do: %1 and %2</source>
        <translation>liegen: %1 und %2</translation>
    </message>
    <message>
        <source>does: %1</source>
        <translation>liegt: %1</translation>
    </message>
    <message>
        <source>each replica needs one sample of a micro-batch at least</source>
        <translation>jedes Replikat braucht mindestens ein Sample eines Mikro-Batches</translation>
    </message>
    <message>
        <source>found %1 shares for the %2 replicas of stage %3: one for each is expected</source>
        <translation>gefunden: %1 Anteile für die %2 Replikate von Stufe %3: erwartet wird einer für jedes</translation>
    </message>
    <message>
        <source>layer %1 is not in stage %2, which has layers %3 to %4</source>
        <translation>Schicht %1 ist nicht in Stufe %2, die die Schichten %3 bis %4 hat</translation>
    </message>
    <message>
        <source>no device was named</source>
        <translation>kein Gerät wurde genannt</translation>
    </message>
    <message>
        <source>not recomputed</source>
        <translation>nicht neu berechnet</translation>
    </message>
    <message>
        <source>recomputed already</source>
        <translation>schon neu berechnet</translation>
    </message>
    <message>
        <source>stage %1 has layers %2 to %3: it can be split before %4 to %5</source>
        <translation>Stufe %1 hat die Schichten %2 bis %3: teilbar vor %4 bis %5</translation>
    </message>
    <message>
        <source>stage %1 has one layer and can&apos;t be split further</source>
        <translation>Stufe %1 hat eine Schicht und lässt sich nicht weiter teilen</translation>
    </message>
    <message>
        <source>stage %1 has one replica and too few devices are spare: the new stage needs %2</source>
        <translation>Stufe %1 hat ein Replikat, und zu wenige Geräte sind frei: die neue Stufe braucht %2</translation>
    </message>
    <message>
        <source>stage %1 is cut over %2 devices and stage %3 over %4: give both the same tensor parallelism before they are merged</source>
        <translation>Stufe %1 ist über %2 Geräte geschnitten und Stufe %3 über %4: vor dem Verbinden beiden dieselbe Tensorparallelität geben</translation>
    </message>
    <message>
        <source>stage %1 is cut over %2 devices, and the profile has no times for layer &apos;%3&apos; cut so</source>
        <translation>Stufe %1 ist über %2 Geräte geschnitten, und das Profil hat für Schicht „%3“ keine solchen Zeiten</translation>
    </message>
    <message>
        <source>stage %1 needs one replica at least</source>
        <translation>Stufe %1 braucht mindestens ein Replikat</translation>
    </message>
    <message>
        <source>stage %1 would be left without a device: merge it with its neighbour instead</source>
        <translation>Stufe %1 bliebe ohne Gerät: stattdessen mit ihrer Nachbarin verbinden</translation>
    </message>
    <message>
        <source>stage %1 would have %2 devices, which can&apos;t be taken %3 by %4 as its tensor parallelism needs: move %5 at once</source>
        <translation>Stufe %1 hätte %2 Geräte, die sich nicht zu je %3 von %4 gruppieren lassen, wie ihre Tensorparallelität verlangt: %5 auf einmal verschieben</translation>
    </message>
    <message>
        <source>stage %1 would have %2 replicas for micro-batches of %3 sample%4, and each replica needs one at least: choose a larger micro-batch or fewer replicas</source>
        <translation>Stufe %1 hätte %2 Replikate für Mikro-Batches von %3 Sample%4, und jedes Replikat braucht mindestens eines: einen größeren Mikro-Batch oder weniger Replikate wählen</translation>
    </message>
    <message>
        <source>stage 0 begins with the model&apos;s first layer: it has no cut before it</source>
        <translation>Stufe 0 beginnt mit der ersten Schicht des Modells: vor ihr liegt kein Schnitt</translation>
    </message>
    <message>
        <source>stage 0 only</source>
        <translation>nur Stufe 0</translation>
    </message>
    <message>
        <source>stages 0 to %1</source>
        <translation>die Stufen 0 bis %1</translation>
    </message>
    <message>
        <source>stages can&apos;t be merged</source>
        <translation>Stufen lassen sich nicht verbinden</translation>
    </message>
    <message>
        <source>tensor parallelism %1 of stage %2 needs %3 more devices than are spare</source>
        <translation>Tensorparallelität %1 von Stufe %2 braucht %3 Geräte mehr, als frei sind</translation>
    </message>
    <message>
        <source>the %1 devices of stage %2 can&apos;t be taken %3 by %4</source>
        <translation>die %1 Geräte von Stufe %2 lassen sich nicht zu je %3 von %4 gruppieren</translation>
    </message>
    <message>
        <source>the cut before stage %1 can go from layer %2 to %3: each stage needs a layer</source>
        <translation>der Schnitt vor Stufe %1 kann von Schicht %2 bis %3 gehen: jede Stufe braucht eine Schicht</translation>
    </message>
    <message>
        <source>the plan lists its operations one by one, and they would not be the right ones any more; only cuts can be moved, or choose a schedule first</source>
        <translation>der Plan listet seine Operationen einzeln auf, und sie wären nicht mehr die richtigen; nur Schnitte sind verschiebbar, oder erst einen Ablauf wählen</translation>
    </message>
    <message>
        <source>the profile has no times for the layers of stage %1 cut over %2 devices; it has them for %3</source>
        <translation>das Profil hat keine Zeiten für die Schichten von Stufe %1 über %2 Geräte; es hat sie für %3</translation>
    </message>
    <message>
        <source>the profile has no times for the layers of stage %1 cut over several devices</source>
        <translation>das Profil hat keine Zeiten für die Schichten von Stufe %1 über mehrere Geräte</translation>
    </message>
    <message>
        <source>the shares are %1 samples in all, and a micro-batch has %2</source>
        <translation>die Anteile sind insgesamt %1 Samples, und ein Mikro-Batch hat %2</translation>
    </message>
    <message>
        <source>there is no device %1: cluster &apos;%2&apos; has devices 0 to %3</source>
        <translation>es gibt kein Gerät %1: Cluster „%2“ hat die Geräte 0 bis %3</translation>
    </message>
    <message>
        <source>there is no layer %1: the model has layers 0 to %2</source>
        <translation>es gibt keine Schicht %1: das Modell hat die Schichten 0 bis %2</translation>
    </message>
    <message>
        <source>there is no stage %1: the plan has %2</source>
        <translation>es gibt keine Stufe %1: der Plan hat %2</translation>
    </message>
    <message>
        <source>with a micro-batch of %1 there are %2, and &apos;%3&apos; needs an even number of them</source>
        <translation>mit einem Mikro-Batch von %1 sind es %2, und „%3“ braucht eine gerade Zahl davon</translation>
    </message>
    <message>
        <source>An order of operations is read from a plan&apos;s file, not chosen</source>
        <translation>Eine Reihenfolge der Operationen wird aus der Datei eines Plans gelesen, nicht gewählt</translation>
    </message>
    <message>
        <source>Micro-batch %1</source>
        <translation>Mikro-Batch %1</translation>
    </message>
    <message>
        <source>Warm-up %1</source>
        <translation>Anlauf %1</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>found a plan for a profile or cluster that is not in the project</source>
        <translation>gefunden: ein Plan für ein Profil oder einen Cluster, die nicht im Projekt sind</translation>
    </message>
    <message>
        <source>found a project; open it instead of importing it</source>
        <translation>gefunden: ein Projekt; öffnen statt importieren</translation>
    </message>
    <message>
        <source>found operations beside an event that is no timeline</source>
        <translation>gefunden: Operationen neben einem Ereignis, das keine Zeitleiste ist</translation>
    </message>
    <message>
        <source>its F + B</source>
        <translation>ihr F + B</translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>Mikro-Batch %1</translation>
    </message>
    <message>
        <source>no micro-batch was given</source>
        <translation>kein Mikro-Batch wurde angegeben</translation>
    </message>
    <message>
        <source>no plan was found</source>
        <translation>kein Plan gefunden</translation>
    </message>
    <message>
        <source>no result</source>
        <translation>kein Ergebnis</translation>
    </message>
    <message>
        <source>only a profile is known of this model, not its layers: import a model file to train it</source>
        <translation>von diesem Modell ist nur ein Profil bekannt, nicht seine Schichten: zum Trainieren eine Modelldatei importieren</translation>
    </message>
    <message>
        <source>select a plan first</source>
        <translation>erst einen Plan wählen</translation>
    </message>
    <message>
        <source>the plan is for cluster &apos;%1&apos;, which is not in the project; import it first</source>
        <translation>der Plan ist für Cluster „%1“, der nicht im Projekt ist; erst diesen importieren</translation>
    </message>
    <message>
        <source>the plan is for profile &apos;%1&apos;, which is not in the project; import it first</source>
        <translation>der Plan ist für Profil „%1“, das nicht im Projekt ist; erst dieses importieren</translation>
    </message>
    <message>
        <source>the project has no cluster &apos;%1&apos; any more</source>
        <translation>das Projekt hat keinen Cluster „%1“ mehr</translation>
    </message>
    <message>
        <source>the project has no profile &apos;%1&apos; any more</source>
        <translation>das Projekt hat kein Profil „%1“ mehr</translation>
    </message>
    <message>
        <source>%1 are spare</source>
        <translation>%1 sind frei</translation>
    </message>
    <message>
        <source>%1 is used by no stage</source>
        <translation>%1 gehört zu keiner Stufe</translation>
    </message>
    <message>
        <source>%1 more devices</source>
        <translation>%1 weitere Geräte</translation>
    </message>
    <message>
        <source>%1 replicas of stage %2 need %3, and %4</source>
        <translation>%1 Replikate von Stufe %2 brauchen %3, und %4</translation>
    </message>
    <message>
        <source>1 is spare</source>
        <translation>1 ist frei</translation>
    </message>
    <message>
        <source>1 more device</source>
        <translation>1 weiteres Gerät</translation>
    </message>
    <message>
        <source>devices %1</source>
        <translation>Geräte %1</translation>
    </message>
    <message>
        <source>none is spare</source>
        <translation>keines ist frei</translation>
    </message>
    <message>
        <source>all %1</source>
        <translation>allen %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>no pp x dp x tmp is %1 devices with a layer for every stage and whole micro-batches of %2 or more samples a replica%3</source>
        <translation>kein pp x dp x tmp ergibt %1 Geräte mit einer Schicht für jede Stufe und ganzen Mikro-Batches von %2 oder mehr Samples je Replikat%3</translation>
    </message>
    <message>
        <source>on any consecutive devices</source>
        <translation>auf beliebigen aufeinanderfolgenden Geräten</translation>
    </message>
    <message>
        <source>pipeline %1 of %2 is the slowest</source>
        <translation>Pipeline %1 von %2 ist die langsamste</translation>
    </message>
    <message>
        <source>pp x dp x tmp on %1 devices, %2, Megatron&apos;s placement, all layer assignments%3</source>
        <translation>pp x dp x tmp auf %1 Geräten, %2, Megatrons Platzierung, alle Schichtzuteilungen%3</translation>
    </message>
    <message>
        <source>gradients of stage %1</source>
        <translation>Gradienten von Stufe %1</translation>
    </message>
    <message>
        <source>its transfers</source>
        <translation>ihre Übertragungen</translation>
    </message>
    <message>
        <source>PipeDream %1, synchronous</source>
        <translation>PipeDream %1, synchron</translation>
    </message>
    <message>
        <source>Allow idle</source>
        <translation>Untätige erlauben</translation>
    </message>
    <message>
        <source>As released</source>
        <translation>Wie veröffentlicht</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>Gleichgewicht</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Evaluations</source>
        <translation>Auswertungen</translation>
    </message>
    <message>
        <source>Ignore memory</source>
        <translation>Ohne Speichergrenze</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>Min slice</source>
        <translation>Kleinster Anteil</translation>
    </message>
    <message>
        <source>Overlap gradients</source>
        <translation>Gradienten überlappen</translation>
    </message>
    <message>
        <source>Paper in flight</source>
        <translation>Unterwegs wie gedruckt</translation>
    </message>
    <message>
        <source>Pipeline only</source>
        <translation>Nur Pipeline</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Printed algorithm</source>
        <translation>Gedruckter Algorithmus</translation>
    </message>
    <message>
        <source>Printed objective</source>
        <translation>Gedruckte Zielgröße</translation>
    </message>
    <message>
        <source>Rank by</source>
        <translation>Rangfolge nach</translation>
    </message>
    <message>
        <source>Recommender</source>
        <translation>Empfehlung</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>Released memory</source>
        <translation>Veröff. Speicherregel</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Startpläne</translation>
    </message>
    <message>
        <source>Simulations</source>
        <translation>Simulationen</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>Synchronous</source>
        <translation>Synchron</translation>
    </message>
    <message>
        <source>Synchronous only</source>
        <translation>Nur synchron</translation>
    </message>
    <message>
        <source>Task graphs</source>
        <translation>TaskGraphs</translation>
    </message>
    <message>
        <source>Warmup</source>
        <translation>Anlauf</translation>
    </message>
    <message>
        <source>a micro-batch of %1 does not divide the global batch of %2</source>
        <translation>ein Mikro-Batch von %1 teilt den globalen Batch von %2 nicht</translation>
    </message>
    <message>
        <source>as many positions as tokens</source>
        <translation>so viele Positionen wie Token</translation>
    </message>
    <message>
        <source>as many values at each position</source>
        <translation>so viele Werte an jeder Position</translation>
    </message>
    <message>
        <source>found %1 bytes of memory, expected from 1 to %2</source>
        <translation>gefunden: %1 Bytes Speicher, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>found %1 nodes, expected from 1 to %2</source>
        <translation>gefunden: %1 Knoten, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>found a bandwidth of %1 bytes/s, expected more than 0</source>
        <translation>gefunden: Bandbreite von %1 Bytes/s, erwartet: mehr als 0</translation>
    </message>
    <message>
        <source>found a global batch of %1, expected at least 1</source>
        <translation>gefunden: ein globaler Batch von %1, erwartet: mindestens 1</translation>
    </message>
    <message>
        <source>found a price of %1 for %2, expected a number from 0</source>
        <translation>gefunden: ein Preis von %1 für %2, erwartet: eine Zahl ab 0</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2): found %3 %4, expected at most %5</source>
        <translation>Schicht „%1“ (%2): gefunden: %3 %4, erwartet: höchstens %5</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2): kernel is %3, expected at most the padded input&apos;s %4</source>
        <translation>Schicht „%1“ (%2): kernel ist %3, erwartet: höchstens die %4 der aufgefüllten Eingabe</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2): padding is %3, expected less than the kernel, %4</source>
        <translation>Schicht „%1“ (%2): padding ist %3, erwartet: weniger als der Kernel, %4</translation>
    </message>
    <message>
        <source>no planner found a plan that fits</source>
        <translation>kein Planer fand einen Plan, der passt</translation>
    </message>
    <message>
        <source>other schedules</source>
        <translation>andere Abläufe</translation>
    </message>
    <message>
        <source>the loss has %1 positions a sample, the first layer takes %2 values: expected %3</source>
        <translation>der Verlust hat %1 Positionen je Sample, die erste Schicht nimmt %2 Werte: erwartet: %3</translation>
    </message>
    <message>
        <source>there is no data for a layer of kind &apos;%1&apos;</source>
        <translation>es gibt keine Daten für eine Schicht der Art „%1“</translation>
    </message>
    <message>
        <source>twice as fast</source>
        <translation>doppelt so schnell</translation>
    </message>
    <message>
        <source>values a sample</source>
        <translation>Werte je Sample</translation>
    </message>
    <message>
        <source>%1; it would fit with %2</source>
        <translation>%1; passen würde es mit %2</translation>
    </message>
    <message>
        <source>%1 %2 in %3 machines</source>
        <translation>%1 %2 in %3 Rechnern</translation>
    </message>
    <message>
        <source>%1 (nvidia-smi) and %2 (NCCL) are taken for one machine</source>
        <translation>%1 (nvidia-smi) und %2 (NCCL) gelten als ein Rechner</translation>
    </message>
    <message>
        <source>%1 GPUs in %2 machines</source>
        <translation>%1 GPUs in %2 Rechnern</translation>
    </message>
    <message>
        <source>%1 does not name the GPUs: %2 NVLink lanes are taken for %3</source>
        <translation>%1 nennt die GPUs nicht: %2 NVLink-Lanes gelten als %3</translation>
    </message>
    <message>
        <source>%1 does not name the GPUs: compute capability %2.%3 is taken for %4</source>
        <translation>%1 nennt die GPUs nicht: Compute Capability %2.%3 gilt als %4</translation>
    </message>
    <message>
        <source>%1 is not in the catalogue: it is taken to be as fast as a V100-16GB, without a price</source>
        <translation>%1 ist nicht im Katalog: gilt als so schnell wie eine V100-16GB, ohne Preis</translation>
    </message>
    <message>
        <source>%1 links lead to GPUs that the dump does not have; they were left out</source>
        <translation>%1 Verbindungen führen zu GPUs, die der Auszug nicht hat; sie wurden weggelassen</translation>
    </message>
    <message>
        <source>%1 processor threads; built without hwloc, which would tell cores</source>
        <translation>%1 Prozessor-Threads; ohne hwloc gebaut, das Kerne nennen würde</translation>
    </message>
    <message>
        <source>%1: %2 %3 of %4 GB/s are %5 GB/s each way</source>
        <translation>%1: %2 %3 mit %4 GB/s ergeben %5 GB/s je Richtung</translation>
    </message>
    <message>
        <source>%1: %2 more pairs contradict alike</source>
        <translation>%1: %2 weitere Paare widersprechen ebenso</translation>
    </message>
    <message>
        <source>%1: %2 network %3 with %4 together</source>
        <translation>%1: %2 Netzwerk%3 mit zusammen %4</translation>
    </message>
    <message>
        <source>%1: %2, from %3</source>
        <translation>%1: %2, aus %3</translation>
    </message>
    <message>
        <source>%1: between %2 and %3 nvidia-smi tells %4, NCCL %5; NCCL&apos;s is used</source>
        <translation>%1: zwischen %2 und %3 nennt nvidia-smi %4, NCCL %5; das von NCCL gilt</translation>
    </message>
    <message>
        <source>%1: found %2 &apos;%3&apos;, which is not in the catalogue, expected a type of it: --device TYPE</source>
        <translation>%1: gefunden: %2 „%3“, nicht im Katalog, erwartet: ein Typ daraus: --device TYPE</translation>
    </message>
    <message>
        <source>%1: found GPUs without their names, expected a type: --device TYPE, or the lines of nvidia-smi -L in the same file</source>
        <translation>%1: gefunden: GPUs ohne Namen, erwartet: ein Typ: --device TYPE, oder die Zeilen von nvidia-smi -L in derselben Datei</translation>
    </message>
    <message>
        <source>%1: nvidia-smi tells %2 GPUs, NCCL %3; NCCL&apos;s are used</source>
        <translation>%1: nvidia-smi nennt %2 GPUs, NCCL %3; die von NCCL gelten</translation>
    </message>
    <message>
        <source>%1: pairs reach from %2 to %3; its one link has the narrowest</source>
        <translation>%1: Paare reichen von %2 bis %3; die eine Verbindung hat die kleinste Bandbreite</translation>
    </message>
    <message>
        <source>%1: the network is not told: %2 are assumed</source>
        <translation>%1: das Netz ist nicht genannt: angenommen werden %2</translation>
    </message>
    <message>
        <source>%1: the speed of %2 network cards is not told: %3 each are assumed</source>
        <translation>%1: das Tempo der %2 Netzwerkkarten ist nicht genannt: angenommen werden je %3</translation>
    </message>
    <message>
        <source>... and %1 more</source>
        <translation>... und %1 weitere</translation>
    </message>
    <message>
        <source>A latency of %1 µs is assumed inside of the machine</source>
        <translation>Im Rechner wird eine Latenz von %1 µs angenommen</translation>
    </message>
    <message>
        <source>A matrix of %1 devices would be too large: links are used</source>
        <translation>Eine Matrix von %1 Geräten wäre zu groß: stattdessen Verbindungen</translation>
    </message>
    <message>
        <source>Between sockets %1 GB/s are assumed, NCCL&apos;s estimate%2</source>
        <translation>Zwischen Sockeln werden %1 GB/s angenommen, NCCLs Schätzung%2</translation>
    </message>
    <message>
        <source>Latencies are assumed: %1 µs inside of machines, %2 µs to the network</source>
        <translation>Latenzen sind angenommen: %1 µs in Rechnern, %2 µs zum Netz</translation>
    </message>
    <message>
        <source>NCCL topology</source>
        <translation>NCCL-Topologie</translation>
    </message>
    <message>
        <source>NVML does not answer: %1</source>
        <translation>NVML antwortet nicht: %1</translation>
    </message>
    <message>
        <source>NVML finds no GPU</source>
        <translation>NVML findet keine GPU</translation>
    </message>
    <message>
        <source>NVML gives access to no GPU</source>
        <translation>NVML gibt keine GPU frei</translation>
    </message>
    <message>
        <source>PCI Express of the GPUs is not told: generation %1 with %2 lanes is assumed, %3 GB/s each way</source>
        <translation>PCI Express der GPUs ist nicht genannt: angenommen wird Generation %1 mit %2 Lanes, %3 GB/s je Richtung</translation>
    </message>
    <message>
        <source>Pairs of GPUs differ: the cluster keeps a bandwidth for every pair, without latencies</source>
        <translation>Paare von GPUs sind verschieden: der Cluster hat je Paar eine Bandbreite, ohne Latenzen</translation>
    </message>
    <message>
        <source>as many rows as columns</source>
        <translation>so viele Zeilen wie Spalten</translation>
    </message>
    <message>
        <source>found %1 GPUs, expected at most %2 in a machine</source>
        <translation>gefunden: %1 GPUs, erwartet: höchstens %2 in einem Rechner</translation>
    </message>
    <message>
        <source>found %1 between %2 and %3, expected X for a GPU and itself alone</source>
        <translation>gefunden: %1 zwischen %2 und %3, erwartet: X nur für eine GPU und sich selbst</translation>
    </message>
    <message>
        <source>found %1 between %2 and %3, expected X, NV#, PIX, PXB, PHB, NODE or SYS</source>
        <translation>gefunden: %1 zwischen %2 und %3, erwartet: X, NV#, PIX, PXB, PHB, NODE oder SYS</translation>
    </message>
    <message>
        <source>found %1 between %2 and %3, expected what the other&apos;s row has</source>
        <translation>gefunden: %1 zwischen %2 und %3, erwartet: dasselbe wie in der Zeile der anderen</translation>
    </message>
    <message>
        <source>found %1 bytes, expected at most %2 of a topology</source>
        <translation>gefunden: %1 Bytes, erwartet: höchstens %2 einer Topologie</translation>
    </message>
    <message>
        <source>found %1 copies, expected from 1 to %2</source>
        <translation>gefunden: %1 Kopien, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>found %1 entries of %2, expected one for each of the %3 GPUs</source>
        <translation>gefunden: %1 Einträge von %2, erwartet: einer für jede der %3 GPUs</translation>
    </message>
    <message>
        <source>found %1 rows under the heading, expected one for each of the %2 GPUs</source>
        <translation>gefunden: %1 Zeilen unter der Überschrift, erwartet: eine für jede der %2 GPUs</translation>
    </message>
    <message>
        <source>found %1=%2, expected a whole number from %3 to %4</source>
        <translation>gefunden: %1=%2, erwartet: eine ganze Zahl von %3 bis %4</translation>
    </message>
    <message>
        <source>found XML without a system, expected the file that NCCL_TOPO_DUMP_FILE names</source>
        <translation>gefunden: XML ohne system, erwartet: die Datei, die NCCL_TOPO_DUMP_FILE nennt</translation>
    </message>
    <message>
        <source>found a GPU outside of a pci with a busid</source>
        <translation>gefunden: eine GPU außerhalb eines pci mit busid</translation>
    </message>
    <message>
        <source>found a link without a target</source>
        <translation>gefunden: ein link ohne target</translation>
    </message>
    <message>
        <source>found a network that moves nothing, expected a bandwidth above 0</source>
        <translation>gefunden: ein Netz, das nichts bewegt, erwartet: eine Bandbreite über 0</translation>
    </message>
    <message>
        <source>found a topology of machines, expected a %1; pipedeck-cli convert makes a cluster of it, and says what it assumes</source>
        <translation>gefunden: eine Topologie von Rechnern, erwartet: %1; pipedeck-cli convert macht einen Cluster daraus und sagt, was es annimmt</translation>
    </message>
    <message>
        <source>found link_speed=%1, expected transfers such as 16 GT/s</source>
        <translation>gefunden: link_speed=%1, erwartet: Übertragungen wie 16 GT/s</translation>
    </message>
    <message>
        <source>found more GPUs, expected at most %1 of a host and %2 of a dump</source>
        <translation>gefunden: mehr GPUs, erwartet: höchstens %1 eines Rechners und %2 eines Auszugs</translation>
    </message>
    <message>
        <source>found more links than any GPU has</source>
        <translation>gefunden: mehr Verbindungen, als eine GPU hat</translation>
    </message>
    <message>
        <source>found more machines than there may be devices</source>
        <translation>gefunden: mehr Rechner, als es Geräte geben darf</translation>
    </message>
    <message>
        <source>found nesting deeper than any machine&apos;s</source>
        <translation>gefunden: tiefere Verschachtelung als in irgendeinem Rechner</translation>
    </message>
    <message>
        <source>found no GPU, expected at least one gpu inside of system, cpu, pci</source>
        <translation>gefunden: keine GPU, erwartet: mindestens ein gpu in system, cpu, pci</translation>
    </message>
    <message>
        <source>found no machine</source>
        <translation>gefunden: kein Rechner</translation>
    </message>
    <message>
        <source>found no matrix of GPUs, expected what nvidia-smi topo -m prints</source>
        <translation>gefunden: keine Matrix von GPUs, erwartet: was nvidia-smi topo -m ausgibt</translation>
    </message>
    <message>
        <source>found no valid XML: %1</source>
        <translation>gefunden: kein gültiges XML: %1</translation>
    </message>
    <message>
        <source>found the column %1, expected GPU%2</source>
        <translation>gefunden: die Spalte %1, erwartet: GPU%2</translation>
    </message>
    <message>
        <source>found too many network cards</source>
        <translation>gefunden: zu viele Netzwerkkarten</translation>
    </message>
    <message>
        <source>hwloc: %1 cores with %2 threads, %3 %4, %5 NUMA %6</source>
        <translation>hwloc: %1 Kerne mit %2 Threads, %3 %4, %5 NUMA-%6</translation>
    </message>
    <message>
        <source>libnvidia-ml.so.1 is not there, so no NVIDIA driver is installed</source>
        <translation>libnvidia-ml.so.1 fehlt, also ist kein NVIDIA-Treiber installiert</translation>
    </message>
    <message>
        <source>nvidia-smi topo -m</source>
        <translation>nvidia-smi topo -m</translation>
    </message>
    <message>
        <source>topology of machines</source>
        <translation>Topologie von Rechnern</translation>
    </message>
    <message>
        <source>%1 GPUs in 1 machine</source>
        <translation>%1 GPUs in 1 Rechner</translation>
    </message>
    <message>
        <source>1 GPU in 1 machine</source>
        <translation>1 GPU in 1 Rechner</translation>
    </message>
    <message>
        <source>card</source>
        <translation>karte</translation>
    </message>
    <message>
        <source>cards</source>
        <translation>karten</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>für %1</translation>
    </message>
    <message>
        <source>lane</source>
        <translation>Lane</translation>
    </message>
    <message>
        <source>lanes</source>
        <translation>Lanes</translation>
    </message>
    <message>
        <source>machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>socket</source>
        <translation>Sockel</translation>
    </message>
    <message>
        <source>sockets</source>
        <translation>Sockel</translation>
    </message>
    <message>
        <source>that of %1</source>
        <translation>wie die von %1</translation>
    </message>
    <message>
        <source>%1 x %2 pixels of %3 %4</source>
        <translation>%1 x %2 Pixel mit %3 %4</translation>
    </message>
    <message>
        <source>can&apos;t be listed: %1</source>
        <translation>ist nicht auflistbar: %1</translation>
    </message>
    <message>
        <source>can&apos;t be read: %1</source>
        <translation>ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>data of kind &apos;%1&apos;, expected one of synthetic, text, idx, images</source>
        <translation>Daten der Art „%1“, erwartet: synthetic, text, idx oder images</translation>
    </message>
    <message>
        <source>ends after %1 of the %2 bytes of %3</source>
        <translation>endet nach %1 der %2 Bytes: %3</translation>
    </message>
    <message>
        <source>found %1 %2 %3 %4, expected 00 00 08 %5: an IDX file of bytes with %6 dimensions</source>
        <translation>gefunden: %1 %2 %3 %4, erwartet: 00 00 08 %5: eine IDX-Datei von Bytes mit %6 Dimensionen</translation>
    </message>
    <message>
        <source>found %1 bytes of pixels, expected %2</source>
        <translation>gefunden: %1 Bytes Pixel, erwartet: %2</translation>
    </message>
    <message>
        <source>found %1 bytes, expected at most %2: they are kept in memory</source>
        <translation>gefunden: %1 Bytes, erwartet: höchstens %2: sie werden im Speicher gehalten</translation>
    </message>
    <message>
        <source>found %1 channels, expected %2 as the images before it have</source>
        <translation>gefunden: %1 Kanäle, erwartet: %2 wie in den Bildern davor</translation>
    </message>
    <message>
        <source>found %1 class folders, expected 1 to %2, the model&apos;s classes</source>
        <translation>gefunden: %1 Klassenordner, erwartet: 1 bis %2, die Klassen des Modells</translation>
    </message>
    <message>
        <source>found %1 labels, expected %2, one an image</source>
        <translation>gefunden: %1 Labels, erwartet: %2, eines je Bild</translation>
    </message>
    <message>
        <source>found %1 x %2 pixels, expected 1 to %3 each way</source>
        <translation>gefunden: %1 x %2 Pixel, erwartet: 1 bis %3 in jeder Richtung</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected one of synthetic, text, idx, images</source>
        <translation>gefunden: „%1“, erwartet: synthetic, text, idx oder images</translation>
    </message>
    <message>
        <source>found a broken head, expected width, height and largest value</source>
        <translation>gefunden: ein beschädigter Kopf, erwartet: Breite, Höhe und größter Wert</translation>
    </message>
    <message>
        <source>found a dimension of %1, expected 1 or more</source>
        <translation>gefunden: eine Dimension von %1, erwartet: 1 oder mehr</translation>
    </message>
    <message>
        <source>found a file among the classes, expected folders only</source>
        <translation>gefunden: eine Datei unter den Klassen, erwartet: nur Ordner</translation>
    </message>
    <message>
        <source>found a folder, expected an IDX file</source>
        <translation>gefunden: ein Ordner, erwartet: eine IDX-Datei</translation>
    </message>
    <message>
        <source>found a largest value of %1, expected 1 to 255</source>
        <translation>gefunden: ein größter Wert von %1, erwartet: 1 bis 255</translation>
    </message>
    <message>
        <source>found images of %1, %2 values; expected %3 values: what the model takes</source>
        <translation>gefunden: Bilder mit %1, %2 Werte; erwartet: %3 Werte: was das Modell nimmt</translation>
    </message>
    <message>
        <source>found images of %1, expected %2: what the model takes</source>
        <translation>gefunden: Bilder mit %1, erwartet: %2: was das Modell nimmt</translation>
    </message>
    <message>
        <source>found label %1 at place %2, expected less than %3, the model&apos;s classes</source>
        <translation>gefunden: Label %1 an Stelle %2, erwartet: weniger als %3, die Klassen des Modells</translation>
    </message>
    <message>
        <source>found more than %1 bytes of pixels, expected less: they are kept in memory</source>
        <translation>gefunden: mehr als %1 Bytes Pixel, erwartet: weniger: sie werden im Speicher gehalten</translation>
    </message>
    <message>
        <source>found more than the %1 bytes that its dimensions say</source>
        <translation>gefunden: mehr als die %1 Bytes, die seine Dimensionen nennen</translation>
    </message>
    <message>
        <source>found no &apos;images&apos; in the file&apos;s name, expected it: the labels lie beside it under the same name with &apos;labels&apos; instead</source>
        <translation>gefunden: kein „images“ im Dateinamen, erwartet: eines: die Labels liegen daneben unter demselben Namen mit „labels“</translation>
    </message>
    <message>
        <source>found no folder, expected one with a folder a class</source>
        <translation>gefunden: kein Ordner, erwartet: einer mit einem Ordner je Klasse</translation>
    </message>
    <message>
        <source>found no image, expected a binary PGM or PPM, a PNG or a JPEG</source>
        <translation>gefunden: kein Bild, erwartet: ein binäres PGM oder PPM, ein PNG oder ein JPEG</translation>
    </message>
    <message>
        <source>found no image, expected at least one</source>
        <translation>gefunden: kein Bild, erwartet: mindestens eines</translation>
    </message>
    <message>
        <source>found no path, expected that of the %1</source>
        <translation>gefunden: kein Pfad, erwartet: der von %1</translation>
    </message>
    <message>
        <source>found the data &apos;%1&apos;, expected synthetic, synthetic:SEED, text:FILE, idx:FILE or images:FOLDER</source>
        <translation>gefunden: die Daten „%1“, erwartet: synthetic, synthetic:SEED, text:FILE, idx:FILE oder images:FOLDER</translation>
    </message>
    <message>
        <source>images have one class each, the model&apos;s loss has %1 positions</source>
        <translation>Bilder haben je eine Klasse, der Verlust des Modells hat %1 Positionen</translation>
    </message>
    <message>
        <source>images need a model that does not begin with an embedding</source>
        <translation>Bilder brauchen ein Modell, das nicht mit einer Einbettung beginnt</translation>
    </message>
    <message>
        <source>is no whole JPEG: %1</source>
        <translation>ist kein vollständiges JPEG: %1</translation>
    </message>
    <message>
        <source>is no whole PNG: %1</source>
        <translation>ist kein vollständiges PNG: %1</translation>
    </message>
    <message>
        <source>the evaluation was stopped</source>
        <translation>die Auswertung wurde angehalten</translation>
    </message>
    <message>
        <source>the head of an IDX file</source>
        <translation>der Kopf einer IDX-Datei</translation>
    </message>
    <message>
        <source>channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>channels</source>
        <translation>Kanälen</translation>
    </message>
    <message>
        <source>images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>labels</source>
        <translation>Labels</translation>
    </message>
    <message>
        <source>there is no plan to edit</source>
        <translation>es gibt keinen Plan zum Bearbeiten</translation>
    </message>
    <message>
        <source>%1 for device %2</source>
        <translation>%1 statt Gerät %2</translation>
    </message>
    <message>
        <source>%1 for every device</source>
        <translation>%1 statt jedes Geräts</translation>
    </message>
    <message>
        <source>%1 for the devices of %2</source>
        <translation>%1 statt der Geräte von %2</translation>
    </message>
    <message>
        <source>%1 x the bandwidth between nodes</source>
        <translation>%1 x Bandbreite zwischen Knoten</translation>
    </message>
    <message>
        <source>%1 x the bandwidth inside nodes</source>
        <translation>%1 x Bandbreite in Knoten</translation>
    </message>
    <message>
        <source>%1 x the bandwidth of %2</source>
        <translation>%1 x Bandbreite von %2</translation>
    </message>
    <message>
        <source>%1 x the memory of every device</source>
        <translation>%1 x Speicher jedes Geräts</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>one more node like %1</source>
        <translation>ein weiterer Knoten wie %1</translation>
    </message>
    <message>
        <source>%1 chunks of %2 stages, expected %3 of each</source>
        <translation>%1 Chunks von %2 Stufen, erwartet: %3 von jeder</translation>
    </message>
    <message>
        <source>%1 micro-batches a batch: with two versions of the weights no fewer than the %2 under way, and a multiple of the %3 replicas of stage %4</source>
        <translation>%1 Mikro-Batches je Batch: mit zwei Versionen der Gewichte nicht weniger als die %2 unterwegs, und ein Vielfaches der %3 Replikate von Stufe %4</translation>
    </message>
    <message>
        <source>%1 shards, expected one above 0 for each of the %2 ranks</source>
        <translation>%1 Anteile, erwartet: einer über 0 für jeden der %2 Ränge</translation>
    </message>
    <message>
        <source>%1 steps of %2 mini-batches, expected %3 mini-batches at most in an asynchronous run</source>
        <translation>%1 Schritte von %2 Mini-Batches, erwartet: höchstens %3 Mini-Batches in einem asynchronen Lauf</translation>
    </message>
    <message>
        <source>a device runs what gives before what takes</source>
        <translation>ein Gerät führt aus, was gibt, bevor was nimmt</translation>
    </message>
    <message>
        <source>a layer is cut over more devices than it has columns</source>
        <translation>eine Schicht ist auf mehr Geräte geschnitten, als sie Spalten hat</translation>
    </message>
    <message>
        <source>bytes of another process are whole</source>
        <translation>Bytes eines anderen Prozesses sind vollständig</translation>
    </message>
    <message>
        <source>device %1 does not run forward and backward of every micro-batch on stage %2</source>
        <translation>Gerät %1 führt auf Stufe %2 nicht jeden Mikro-Batch vorwärts und rückwärts aus</translation>
    </message>
    <message>
        <source>device %1 is used twice: stages that share devices have all of them in common, and only schedules of several stages a device have such</source>
        <translation>Gerät %1 ist zweimal benutzt: Stufen, die Geräte teilen, haben alle gemeinsam, und nur Abläufe mit mehreren Stufen je Gerät haben solche</translation>
    </message>
    <message>
        <source>device %1: an asynchronous device runs the turns of its replica forward and back, in turn</source>
        <translation>Gerät %1: ein asynchrones Gerät führt, was an seinem Replikat ist, abwechselnd vorwärts und rückwärts aus</translation>
    </message>
    <message>
        <source>device %1: processor core %2 is not to be had</source>
        <translation>Gerät %1: Prozessorkern %2 ist nicht zu haben</translation>
    </message>
    <message>
        <source>each copy of each stage once, on the devices of a stage with as many</source>
        <translation>jede Kopie jeder Stufe einmal, auf den Geräten einer Stufe mit gleich vielen</translation>
    </message>
    <message>
        <source>feed-forward columns</source>
        <translation>Feed-Forward-Spalten</translation>
    </message>
    <message>
        <source>found %1 cores, expected %2, one for each device of the plan</source>
        <translation>gefunden: %1 Kerne, erwartet: %2, einer für jedes Gerät des Plans</translation>
    </message>
    <message>
        <source>found core %1, expected one of %2, those that may be used here</source>
        <translation>gefunden: Kern %1, erwartet: einer von %2, denen, die hier benutzt werden dürfen</translation>
    </message>
    <message>
        <source>hidden values</source>
        <translation>verborgene Werte</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2) can&apos;t be cut over several devices</source>
        <translation>Schicht „%1“ (%2) lässt sich nicht auf mehrere Geräte schneiden</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2) has %3 %4, which can&apos;t be cut over %5 devices</source>
        <translation>Schicht „%1“ (%2) hat %3 %4, was sich nicht auf %5 Geräte schneiden lässt</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; (%2) takes %3 columns and gives %4, which can&apos;t be cut over %5 devices</source>
        <translation>Schicht „%1“ (%2) nimmt %3 Spalten und gibt %4, was sich nicht auf %5 Geräte schneiden lässt</translation>
    </message>
    <message>
        <source>steps, timeline_every and sample_every are 0 or more</source>
        <translation>steps, timeline_every und sample_every sind 0 oder mehr</translation>
    </message>
    <message>
        <source>tensor_parallel is %1, expected a divisor of the stage&apos;s %2 devices</source>
        <translation>tensor_parallel ist %1, erwartet: ein Teiler der %2 Geräte der Stufe</translation>
    </message>
    <message>
        <source>the other devices of its replica</source>
        <translation>die anderen Geräte seines Replikats</translation>
    </message>
    <message>
        <source>the plan&apos;s %1 is %2, the schedule %3</source>
        <translation>%1 des Plans ist %2, der Ablauf %3</translation>
    </message>
    <message>
        <source>the schedule has %1 copies of every stage, the plan %2</source>
        <translation>der Ablauf hat %1 Kopien jeder Stufe, der Plan %2</translation>
    </message>
    <message>
        <source>a line needs points at two places</source>
        <translation>eine Gerade braucht Punkte an zwei Stellen</translation>
    </message>
    <message>
        <source>a replay has layers and samples</source>
        <translation>eine Wiedergabe hat Schichten und Samples</translation>
    </message>
    <message>
        <source>a summary is of one value or more</source>
        <translation>eine Zusammenfassung ist von einem Wert oder mehreren</translation>
    </message>
    <message>
        <source>degree of tensor parallelism %1: degrees are 2 or more, ascending</source>
        <translation>Grad %1 der Tensorparallelität: Grade sind 2 oder mehr, aufsteigend</translation>
    </message>
    <message>
        <source>found %1 values, expected two: the lower and the upper quartile</source>
        <translation>gefunden: %1 Werte, erwartet: zwei, das untere und das obere Quartil</translation>
    </message>
    <message>
        <source>found a lower quartile of %1 ms above the upper one, %2 ms</source>
        <translation>gefunden: ein unteres Quartil von %1 ms über dem oberen, %2 ms</translation>
    </message>
    <message>
        <source>found another event, expected &quot;progress&quot;</source>
        <translation>gefunden: ein anderes Ereignis, erwartet: „progress“</translation>
    </message>
    <message>
        <source>timing layers cut over %1 devices</source>
        <translation>Messen der auf %1 Geräte geschnittenen Schichten</translation>
    </message>
    <message>
        <source>%1 of %2 kernels were launched under no annotation that says forward, backward or optimizer; their names were asked, and what says nothing is drawn as forward</source>
        <translation>%1 von %2 Kernels wurden unter keiner Anmerkung gestartet, die vorwärts, rückwärts oder Optimierer sagt; ihre Namen wurden befragt, und was nichts sagt, ist als vorwärts gezeichnet</translation>
    </message>
    <message>
        <source>%1 operations before the first step were left out</source>
        <translation>%1 Operationen vor dem ersten Schritt sind ausgelassen</translation>
    </message>
    <message>
        <source>%1 operations that ran wholly beside another of their device are not drawn</source>
        <translation>%1 Operationen, die ganz neben einer anderen ihres Geräts liefen, sind nicht gezeichnet</translation>
    </message>
    <message>
        <source>%1 steps, a timeline each</source>
        <translation>%1 Schritte, je eine Zeitleiste</translation>
    </message>
    <message>
        <source>(on %1)</source>
        <translation>(auf %1)</translation>
    </message>
    <message>
        <source>MPI can&apos;t be used: %1</source>
        <translation>MPI ist nicht benutzbar: %1</translation>
    </message>
    <message>
        <source>MPI can&apos;t be used: pipedeck-mpi.so is not there: install the package pipedeck-mpi, or build the program where libopenmpi-dev is installed</source>
        <translation>MPI ist nicht benutzbar: pipedeck-mpi.so fehlt: das Paket pipedeck-mpi installieren oder das Programm dort bauen, wo libopenmpi-dev installiert ist</translation>
    </message>
    <message>
        <source>a piece is sent once</source>
        <translation>ein Stück wird einmal gesendet</translation>
    </message>
    <message>
        <source>a transfer is refused</source>
        <translation>eine Übertragung wird abgelehnt</translation>
    </message>
    <message>
        <source>between two steps</source>
        <translation>zwischen zwei Schritten</translation>
    </message>
    <message>
        <source>byte %1</source>
        <translation>Byte %1</translation>
    </message>
    <message>
        <source>can&apos;t be reached:</source>
        <translation>ist nicht erreichbar:</translation>
    </message>
    <message>
        <source>device %1: %2:</source>
        <translation>Gerät %1: %2:</translation>
    </message>
    <message>
        <source>device %1: receiving %2 bytes: %3</source>
        <translation>Gerät %1: Empfangen von %2 Bytes: %3</translation>
    </message>
    <message>
        <source>event %1</source>
        <translation>Ereignis %1</translation>
    </message>
    <message>
        <source>found %1 events begun in one another, expected them to end</source>
        <translation>gefunden: %1 ineinander begonnene Ereignisse, erwartet: dass sie enden</translation>
    </message>
    <message>
        <source>found &quot;%1&quot;: %2, expected microseconds</source>
        <translation>gefunden: „%1“: %2, erwartet: Mikrosekunden</translation>
    </message>
    <message>
        <source>found a duration of %1 us, expected 0 or more</source>
        <translation>gefunden: eine Dauer von %1 us, erwartet: 0 oder mehr</translation>
    </message>
    <message>
        <source>found a folder, expected a trace</source>
        <translation>gefunden: ein Ordner, erwartet: ein Trace</translation>
    </message>
    <message>
        <source>found a text as &quot;%1&quot;, expected microseconds</source>
        <translation>gefunden: ein Text als „%1“, erwartet: Mikrosekunden</translation>
    </message>
    <message>
        <source>found a text of more than %1 MiB, expected a trace&apos;s short ones</source>
        <translation>gefunden: ein Text von mehr als %1 MiB, erwartet: die kurzen eines Traces</translation>
    </message>
    <message>
        <source>found an end before its begin, expected it after</source>
        <translation>gefunden: ein Ende vor seinem Anfang, erwartet: danach</translation>
    </message>
    <message>
        <source>found another version, expected version %1: install pipedeck-mpi of this program&apos;s version</source>
        <translation>gefunden: eine andere Version, erwartet: Version %1: pipedeck-mpi in der Version dieses Programms installieren</translation>
    </message>
    <message>
        <source>found bytes that are not UTF-8</source>
        <translation>gefunden: Bytes, die kein UTF-8 sind</translation>
    </message>
    <message>
        <source>found more than %1 levels in one another, expected a trace&apos;s few</source>
        <translation>gefunden: mehr als %1 Ebenen ineinander, erwartet: die wenigen eines Traces</translation>
    </message>
    <message>
        <source>found more than %1 threads, expected a lane each</source>
        <translation>gefunden: mehr als %1 Threads, erwartet: je eine Spur</translation>
    </message>
    <message>
        <source>found no JSON:</source>
        <translation>gefunden: kein JSON:</translation>
    </message>
    <message>
        <source>found no &quot;ts&quot;, expected microseconds</source>
        <translation>gefunden: kein „ts“, erwartet: Mikrosekunden</translation>
    </message>
    <message>
        <source>found no list &quot;traceEvents&quot;, expected a Chrome trace: what PyTorch&apos;s profiler or Perfetto export</source>
        <translation>gefunden: keine Liste „traceEvents“, erwartet: ein Chrome-Trace, wie ihn der Profiler von PyTorch oder Perfetto exportiert</translation>
    </message>
    <message>
        <source>found no operations within the trace&apos;s steps, expected some</source>
        <translation>gefunden: keine Operationen in den Schritten des Traces, erwartet: einige</translation>
    </message>
    <message>
        <source>found operations on a track named &apos;%1&apos;, expected &quot;device 3&quot; or &quot;0 to 1&quot;</source>
        <translation>gefunden: Operationen auf einer Spur namens „%1“, erwartet: „device 3“ oder „0 to 1“</translation>
    </message>
    <message>
        <source>groups of a worker have different numbers</source>
        <translation>Gruppen eines Workers haben verschiedene Nummern</translation>
    </message>
    <message>
        <source>has been silent for %1 (time-out %2): it is stopped, or its host can&apos;t be reached</source>
        <translation>schweigt seit %1 (Zeitgrenze %2): er ist angehalten, oder sein Rechner ist nicht erreichbar</translation>
    </message>
    <message>
        <source>has ended: it was killed, or ran out of memory (its host&apos;s log says which)</source>
        <translation>ist beendet: er wurde abgeschossen, oder ihm ging der Speicher aus (was von beiden, sagt das Log seines Rechners)</translation>
    </message>
    <message>
        <source>keys count from 0</source>
        <translation>Schlüssel zählen ab 0</translation>
    </message>
    <message>
        <source>members of a collective agree on what each has</source>
        <translation>Mitglieder eines Kollektivs sind einig, was jedes hat</translation>
    </message>
    <message>
        <source>mpi: %1 (transport mpi: one process or more, started by mpirun or srun)</source>
        <translation>mpi: %1 (Transport mpi: ein Prozess oder mehr, von mpirun oder srun gestartet)</translation>
    </message>
    <message>
        <source>mpi: none; %1</source>
        <translation>mpi: keines; %1</translation>
    </message>
    <message>
        <source>process %1 on %2</source>
        <translation>Prozess %1 auf %2</translation>
    </message>
    <message>
        <source>reading the trace</source>
        <translation>Lesen des Traces</translation>
    </message>
    <message>
        <source>the file can&apos;t be opened:</source>
        <translation>die Datei lässt sich nicht öffnen:</translation>
    </message>
    <message>
        <source>the file can&apos;t be read on:</source>
        <translation>die Datei lässt sich nicht weiterlesen:</translation>
    </message>
    <message>
        <source>the file ends in the middle: it was cut off; record or copy it again</source>
        <translation>die Datei endet mittendrin: sie ist abgeschnitten; neu aufnehmen oder neu kopieren</translation>
    </message>
    <message>
        <source>the processes can&apos;t be joined:</source>
        <translation>die Prozesse lassen sich nicht verbinden:</translation>
    </message>
    <message>
        <source>this MPI library was built for programs of one thread</source>
        <translation>diese MPI-Bibliothek wurde für Programme mit einem Thread gebaut</translation>
    </message>
    <message>
        <source>too long</source>
        <translation>zu lang</translation>
    </message>
    <message>
        <source>%1 (%2): size &apos;%3&apos;</source>
        <translation>%1 (%2): Größe „%3“</translation>
    </message>
    <message>
        <source>%1 is %2, expected %3, the model&apos;s: go on with the model that the checkpoint was made of, or begin anew in another folder</source>
        <translation>%1 ist %2, erwartet wird %3, wie im Modell: mit dem Modell des Checkpoints fortfahren oder in einem anderen Ordner neu beginnen</translation>
    </message>
    <message>
        <source>%1 with seed %2</source>
        <translation>%1 mit Startwert %2</translation>
    </message>
    <message>
        <source>%1%2 missing</source>
        <translation>%1%2 fehlt</translation>
    </message>
    <message>
        <source>, and there is none at all</source>
        <translation>, und es gibt gar keinen</translation>
    </message>
    <message>
        <source>: passed over</source>
        <translation>: übergangen</translation>
    </message>
    <message>
        <source>Encoder and decoder are taken as long as each other</source>
        <translation>Encoder und Decoder werden gleich lang angenommen</translation>
    </message>
    <message>
        <source>The blocks that predict further tokens (num_nextn_predict_layers) are left out</source>
        <translation>Die Blöcke, die weitere Tokens vorhersagen (num_nextn_predict_layers), sind weggelassen</translation>
    </message>
    <message>
        <source>The head is that of masked language modelling; a pooler or another head is left out</source>
        <translation>Der Kopf ist der für maskierte Wörter; ein Pooler oder ein anderer Kopf ist weggelassen</translation>
    </message>
    <message>
        <source>The part that reads text is taken (text_config); what sees or hears is left out</source>
        <translation>Genommen wird der Teil, der Text liest (text_config); was sieht oder hört, ist weggelassen</translation>
    </message>
    <message>
        <source>a block lies outside of it</source>
        <translation>ein Block liegt außerhalb</translation>
    </message>
    <message>
        <source>a checkpoint can&apos;t be written: %1</source>
        <translation>ein Checkpoint lässt sich nicht schreiben: %1</translation>
    </message>
    <message>
        <source>a part has as many values as it says</source>
        <translation>ein Teil hat so viele Werte, wie er angibt</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>alle Schichten</translation>
    </message>
    <message>
        <source>behind step %1</source>
        <translation>hinter Schritt %1</translation>
    </message>
    <message>
        <source>can&apos;t be made:</source>
        <translation>lässt sich nicht anlegen:</translation>
    </message>
    <message>
        <source>can&apos;t be made: %1</source>
        <translation>lässt sich nicht anlegen: %1</translation>
    </message>
    <message>
        <source>can&apos;t be opened</source>
        <translation>lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>can&apos;t be read</source>
        <translation>lässt sich nicht lesen</translation>
    </message>
    <message>
        <source>can&apos;t be removed: %1</source>
        <translation>lässt sich nicht löschen: %1</translation>
    </message>
    <message>
        <source>can&apos;t be written</source>
        <translation>lässt sich nicht schreiben</translation>
    </message>
    <message>
        <source>checkpoint of step %1 in %2: the files of other devices have not come for %3 s: all processes of a run need one folder in common</source>
        <translation>Checkpoint von Schritt %1 in %2: die Dateien anderer Geräte sind seit %3 s nicht gekommen: alle Prozesse eines Laufs brauchen einen gemeinsamen Ordner</translation>
    </message>
    <message>
        <source>corrupt: a header of %1 bytes</source>
        <translation>beschädigt: ein Kopf von %1 Bytes</translation>
    </message>
    <message>
        <source>corrupt: found %1 bytes, expected %2</source>
        <translation>beschädigt: gefunden %1 Bytes, erwartet %2</translation>
    </message>
    <message>
        <source>corrupt: the %1 of layer %2 &apos;%3&apos; are not those that were written</source>
        <translation>beschädigt: %1 der Schicht %2 „%3“ sind nicht die, die geschrieben wurden</translation>
    </message>
    <message>
        <source>corrupt: the header is not the one that was written</source>
        <translation>beschädigt: der Kopf ist nicht der, der geschrieben wurde</translation>
    </message>
    <message>
        <source>device %1: checkpoint of step %2: %3; make room, or name another folder with --checkpoint</source>
        <translation>Gerät %1: Checkpoint von Schritt %2: %3; Platz schaffen oder mit --checkpoint einen anderen Ordner nennen</translation>
    </message>
    <message>
        <source>device %1: its parameters: %2</source>
        <translation>Gerät %1: seine Parameter: %2</translation>
    </message>
    <message>
        <source>first moment</source>
        <translation>erstes Moment</translation>
    </message>
    <message>
        <source>flushing to disk</source>
        <translation>beim Sichern auf die Platte</translation>
    </message>
    <message>
        <source>found %1 experts a token, expected at most the %2 there are</source>
        <translation>gefunden %1 Experten je Token, erwartet höchstens die %2, die es gibt</translation>
    </message>
    <message>
        <source>found %1 heads of keys and values, expected a number that divides %2 heads</source>
        <translation>gefunden %1 Köpfe für Schlüssel und Werte, erwartet eine Zahl, die %2 Köpfe teilt</translation>
    </message>
    <message>
        <source>found %1 heads, expected a number that divides the hidden size, %2</source>
        <translation>gefunden %1 Köpfe, erwartet eine Zahl, die die verborgene Größe %2 teilt</translation>
    </message>
    <message>
        <source>found %1, expected started, step, timeline, sample, paused, resumed, checkpoint, warning, failed or finished</source>
        <translation>gefunden %1, erwartet started, step, timeline, sample, paused, resumed, checkpoint, warning, failed oder finished</translation>
    </message>
    <message>
        <source>found &quot;%1&quot;, expected one of: %2</source>
        <translation>gefunden „%1“, erwartet eines von: %2</translation>
    </message>
    <message>
        <source>found a checkpoint of step %1, expected none %2: go on from it with --resume, or name another folder</source>
        <translation>gefunden ein Checkpoint von Schritt %1, erwartet keiner %2: mit --resume daran anknüpfen oder einen anderen Ordner nennen</translation>
    </message>
    <message>
        <source>found a file that is no part of a checkpoint</source>
        <translation>gefunden eine Datei, die kein Teil eines Checkpoints ist</translation>
    </message>
    <message>
        <source>found a file, expected a folder of checkpoints</source>
        <translation>gefunden eine Datei, erwartet ein Ordner mit Checkpoints</translation>
    </message>
    <message>
        <source>found a transformer&apos;s configuration, expected a %1; pipedeck-cli convert makes a profile of it for a device type, and says what it assumes</source>
        <translation>gefunden die Konfiguration eines Transformers, erwartet %1; pipedeck-cli convert macht daraus ein Profil für einen Gerätetyp und sagt, was es annimmt</translation>
    </message>
    <message>
        <source>found no &apos;format&apos;, expected it to say what the file is (or a &apos;model_type&apos;, which transformers have)</source>
        <translation>kein „format“ gefunden, das sagt, was die Datei ist (und kein „model_type“, wie Transformer es haben)</translation>
    </message>
    <message>
        <source>found no checkpoint that is complete, expected one step at least that every stage has%1</source>
        <translation>kein vollständiger Checkpoint gefunden, erwartet mindestens ein Schritt, den jede Stufe hat%1</translation>
    </message>
    <message>
        <source>found no plain file, expected a part of a checkpoint</source>
        <translation>keine gewöhnliche Datei gefunden, erwartet ein Teil eines Checkpoints</translation>
    </message>
    <message>
        <source>found no such folder</source>
        <translation>diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>found step %1, expected %2, its folder&apos;s</source>
        <translation>gefunden Schritt %1, erwartet %2 wie sein Ordner</translation>
    </message>
    <message>
        <source>found the checkpoints of a run that is under way (process %1), expected a folder that no other run writes into: wait for it, stop it, or name another folder</source>
        <translation>gefunden die Checkpoints eines laufenden Trainings (Prozess %1), erwartet ein Ordner, in den kein anderer Lauf schreibt: abwarten, ihn stoppen oder einen anderen Ordner nennen</translation>
    </message>
    <message>
        <source>found version %1, expected %2, the only one that this program reads</source>
        <translation>gefunden Version %1, erwartet %2, die einzige, die dieses Programm liest</translation>
    </message>
    <message>
        <source>it has a negative number where there is none</source>
        <translation>es hat eine negative Zahl, wo es keine gibt</translation>
    </message>
    <message>
        <source>it names an optimizer that there is not</source>
        <translation>es nennt einen Optimierer, den es nicht gibt</translation>
    </message>
    <message>
        <source>its header does not end where it says</source>
        <translation>sein Kopf endet nicht, wo er sagt</translation>
    </message>
    <message>
        <source>its layers are not those of its hash</source>
        <translation>seine Schichten sind nicht die seiner Prüfsumme</translation>
    </message>
    <message>
        <source>its optimizer is %1, expected %2, the plan&apos;s: what an optimizer remembers is of no use to another one; resume with a plan of optimizer %3</source>
        <translation>sein Optimierer ist %1, erwartet %2 wie im Plan: was ein Optimierer sich merkt, nützt keinem anderen; mit einem Plan mit Optimierer %3 fortfahren</translation>
    </message>
    <message>
        <source>layer %1 (&apos;%2&apos;)</source>
        <translation>Schicht %1 („%2“)</translation>
    </message>
    <message>
        <source>layer %1 has %2 parameters, expected %3, as many as this program gives it</source>
        <translation>Schicht %1 hat %2 Parameter, erwartet %3, so viele wie dieses Programm ihr gibt</translation>
    </message>
    <message>
        <source>layers %1 to %2 (&apos;%3&apos; to &apos;%4&apos;)</source>
        <translation>Schichten %1 bis %2 („%3“ bis „%4“)</translation>
    </message>
    <message>
        <source>more parameters than it has</source>
        <translation>mehr Parameter, als es hat</translation>
    </message>
    <message>
        <source>no number of parameters</source>
        <translation>keine Zahl von Parametern</translation>
    </message>
    <message>
        <source>no thread can be started to write checkpoints: %1</source>
        <translation>kein Thread zum Schreiben der Checkpoints lässt sich starten: %1</translation>
    </message>
    <message>
        <source>not the values that its optimizer keeps</source>
        <translation>nicht die Werte, die sein Optimierer behält</translation>
    </message>
    <message>
        <source>numbers are written as they lie in memory</source>
        <translation>Zahlen werden geschrieben, wie sie im Speicher liegen</translation>
    </message>
    <message>
        <source>of another model: its number of layers</source>
        <translation>von einem anderen Modell: seine Zahl von Schichten</translation>
    </message>
    <message>
        <source>of another model: layer %1 &apos;%2&apos;</source>
        <translation>von einem anderen Modell: Schicht %1 „%2“</translation>
    </message>
    <message>
        <source>of another run</source>
        <translation>von einem anderen Lauf</translation>
    </message>
    <message>
        <source>of kind</source>
        <translation>der Art</translation>
    </message>
    <message>
        <source>older parameters</source>
        <translation>ältere Parameter</translation>
    </message>
    <message>
        <source>out of memory: found %1 bytes in use and %2 more needed, expected %3 at most</source>
        <translation>Speicher erschöpft: %1 Bytes belegt und %2 mehr gebraucht, erwartet höchstens %3</translation>
    </message>
    <message>
        <source>out of memory: the system has no more; a smaller micro-batch, recomputation or more stages take less</source>
        <translation>Speicher erschöpft: das System hat keinen mehr; ein kleinerer Mikro-Batch, Neuberechnung oder mehr Stufen brauchen weniger</translation>
    </message>
    <message>
        <source>second moment</source>
        <translation>zweites Moment</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>the checkpoint in %1 has not got on for %2 s: the disk does not answer</source>
        <translation>der Checkpoint in %1 kommt seit %2 s nicht voran: die Platte antwortet nicht</translation>
    </message>
    <message>
        <source>the checkpoint was trained on %1, now on %2: training goes on at sample %3 of it</source>
        <translation>der Checkpoint wurde mit %1 trainiert, jetzt mit %2: das Training geht bei dessen Beispiel %3 weiter</translation>
    </message>
    <message>
        <source>the checkpoint&apos;s learning rate was %1, now %2</source>
        <translation>die Lernrate des Checkpoints war %1, jetzt %2</translation>
    </message>
    <message>
        <source>the model has no such layer</source>
        <translation>das Modell hat keine solche Schicht</translation>
    </message>
    <message>
        <source>transformer configuration</source>
        <translation>Transformer-Konfiguration</translation>
    </message>
    <message>
        <source>truncated: found %1 bytes, expected %2</source>
        <translation>abgeschnitten: gefunden %1 Bytes, erwartet %2</translation>
    </message>
    <message>
        <source>truncated: found %1 bytes, expected %2 at least</source>
        <translation>abgeschnitten: gefunden %1 Bytes, erwartet mindestens %2</translation>
    </message>
    <message>
        <source>what it says of layer %1 breaks the format: %2</source>
        <translation>was es von Schicht %1 sagt, verletzt das Format: %2</translation>
    </message>
    <message>
        <source>writing runs</source>
        <translation>Läufe werden geschrieben</translation>
    </message>
    <message>
        <source>%1 does not end with the others: it is stopped, or its host can&apos;t be reached</source>
        <translation>%1 endet nicht mit den anderen: er ist angehalten, oder sein Rechner ist nicht erreichbar</translation>
    </message>
    <message>
        <source>another process</source>
        <translation>ein anderer Prozess</translation>
    </message>
    <message>
        <source>%1 tokens a sample, micro-batches of %2, %3, %4</source>
        <translation>%1 Tokens je Sample, Mikro-Batches von %2, %3, %4</translation>
    </message>
    <message>
        <source>%1: %2 parameters</source>
        <translation>%1: %2 Parameter</translation>
    </message>
    <message>
        <source>: activation&apos;s input</source>
        <translation>: Eingabe der Aktivierung</translation>
    </message>
    <message>
        <source>: dropout mask</source>
        <translation>: Dropout-Maske</translation>
    </message>
    <message>
        <source>Degrees of tensor parallelism that do not divide %1 heads are left out</source>
        <translation>Tensorparallele Grade, die %1 Köpfe nicht teilen, fehlen</translation>
    </message>
    <message>
        <source>Large products reach %1 % of the peak, the rest of a layer %2 % of the memory&apos;s bandwidth</source>
        <translation>Große Produkte erreichen %1 % der Spitzenleistung, der Rest einer Schicht %2 % der Speicherbandbreite</translation>
    </message>
    <message>
        <source>The head&apos;s weights are the embedding&apos;s: each stage that has one of them holds a copy, so both count them</source>
        <translation>Die Gewichte des Kopfes sind die der Einbettung: jede Stufe mit einem von beiden hat eine Kopie, also zählen beide sie</translation>
    </message>
    <message>
        <source>The model takes up to %1 tokens; %2 are assumed</source>
        <translation>Das Modell nimmt bis zu %1 Tokens; angenommen sind %2</translation>
    </message>
    <message>
        <source>Tokens spread evenly over the experts</source>
        <translation>Die Tokens verteilen sich gleichmäßig auf die Experten</translation>
    </message>
    <message>
        <source>attention input</source>
        <translation>Eingabe der Attention</translation>
    </message>
    <message>
        <source>attention norm</source>
        <translation>Norm der Attention</translation>
    </message>
    <message>
        <source>attention output</source>
        <translation>Ausgabe der Attention</translation>
    </message>
    <message>
        <source>attention output: input</source>
        <translation>Ausgabe der Attention: Eingabe</translation>
    </message>
    <message>
        <source>attention&apos;s dropout</source>
        <translation>Dropout der Attention</translation>
    </message>
    <message>
        <source>attention&apos;s dropout mask</source>
        <translation>Dropout-Maske der Attention</translation>
    </message>
    <message>
        <source>attention&apos;s weights not stored</source>
        <translation>Gewichte der Attention nicht gespeichert</translation>
    </message>
    <message>
        <source>attention&apos;s weights stored</source>
        <translation>Gewichte der Attention gespeichert</translation>
    </message>
    <message>
        <source>computed from %1&apos;s configuration (%2) for %3 in %4: %5 tokens a sample, %6</source>
        <translation>aus der Konfiguration von %1 (%2) für %3 in %4 berechnet: %5 Tokens je Sample, %6</translation>
    </message>
    <message>
        <source>cross-attention keys and values</source>
        <translation>Schlüssel und Werte der Kreuz-Attention</translation>
    </message>
    <message>
        <source>cross-attention norm</source>
        <translation>Norm der Kreuz-Attention</translation>
    </message>
    <message>
        <source>cross-attention queries</source>
        <translation>Anfragen der Kreuz-Attention</translation>
    </message>
    <message>
        <source>cross-attention queries and keys</source>
        <translation>Anfragen und Schlüssel der Kreuz-Attention</translation>
    </message>
    <message>
        <source>cross-attention queries: input</source>
        <translation>Anfragen der Kreuz-Attention: Eingabe</translation>
    </message>
    <message>
        <source>cross-attention values</source>
        <translation>Werte der Kreuz-Attention</translation>
    </message>
    <message>
        <source>degrees of tensor parallelism are 2 or more, ascending</source>
        <translation>tensorparallele Grade sind 2 oder mehr, aufsteigend</translation>
    </message>
    <message>
        <source>dropout mask</source>
        <translation>Dropout-Maske</translation>
    </message>
    <message>
        <source>encoder&apos;s last norm</source>
        <translation>letzte Norm des Encoders</translation>
    </message>
    <message>
        <source>encoder&apos;s output</source>
        <translation>Ausgabe des Encoders</translation>
    </message>
    <message>
        <source>experts in</source>
        <translation>Experten hinein</translation>
    </message>
    <message>
        <source>experts out</source>
        <translation>Experten hinaus</translation>
    </message>
    <message>
        <source>experts out: input</source>
        <translation>Experten hinaus: Eingabe</translation>
    </message>
    <message>
        <source>experts: activation&apos;s input</source>
        <translation>Experten: Eingabe der Aktivierung</translation>
    </message>
    <message>
        <source>experts: input</source>
        <translation>Experten: Eingabe</translation>
    </message>
    <message>
        <source>experts: output, before it is weighed</source>
        <translation>Experten: Ausgabe vor der Gewichtung</translation>
    </message>
    <message>
        <source>feed-forward norm</source>
        <translation>Norm der Feed-Forward-Schicht</translation>
    </message>
    <message>
        <source>feed-forward: input</source>
        <translation>Feed-Forward-Schicht: Eingabe</translation>
    </message>
    <message>
        <source>found %1 layers, expected at most %2</source>
        <translation>%1 Schichten gefunden, höchstens %2 erwartet</translation>
    </message>
    <message>
        <source>found a micro-batch of %1, expected 1 to %2</source>
        <translation>einen Mikro-Batch von %1 gefunden, 1 bis %2 erwartet</translation>
    </message>
    <message>
        <source>found a sequence of %1 tokens, expected 1 to %2</source>
        <translation>eine Sequenz von %1 Tokens gefunden, 1 bis %2 erwartet</translation>
    </message>
    <message>
        <source>found a sequence of %1 tokens, expected at most the %2 that %3 has positions for</source>
        <translation>eine Sequenz von %1 Tokens gefunden, höchstens die %2 erwartet, für die %3 Positionen hat</translation>
    </message>
    <message>
        <source>found precision &apos;%1&apos;, expected one that the data sheet of %2 has: %3</source>
        <translation>Genauigkeit &apos;%1&apos; gefunden, eine aus dem Datenblatt von %2 erwartet: %3</translation>
    </message>
    <message>
        <source>head norms</source>
        <translation>Normen der Köpfe</translation>
    </message>
    <message>
        <source>head norms: input</source>
        <translation>Normen der Köpfe: Eingabe</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>Schlüssel und Werte</translation>
    </message>
    <message>
        <source>keys and values, narrowed</source>
        <translation>Schlüssel und Werte, verengt</translation>
    </message>
    <message>
        <source>narrowed keys and values and their norm</source>
        <translation>verengte Schlüssel und Werte und ihre Norm</translation>
    </message>
    <message>
        <source>narrowed keys&apos; norm</source>
        <translation>Norm der verengten Schlüssel</translation>
    </message>
    <message>
        <source>narrowed queries and their norm</source>
        <translation>verengte Anfragen und ihre Norm</translation>
    </message>
    <message>
        <source>narrowed queries&apos; norm</source>
        <translation>Norm der verengten Anfragen</translation>
    </message>
    <message>
        <source>out: input</source>
        <translation>hinaus: Eingabe</translation>
    </message>
    <message>
        <source>queries and keys</source>
        <translation>Anfragen und Schlüssel</translation>
    </message>
    <message>
        <source>queries, keys, values</source>
        <translation>Anfragen, Schlüssel, Werte</translation>
    </message>
    <message>
        <source>queries, keys, values: input</source>
        <translation>Anfragen, Schlüssel, Werte: Eingabe</translation>
    </message>
    <message>
        <source>queries, narrowed</source>
        <translation>Anfragen, verengt</translation>
    </message>
    <message>
        <source>relative positions</source>
        <translation>relative Positionen</translation>
    </message>
    <message>
        <source>router and shared experts: input</source>
        <translation>Router und gemeinsame Experten: Eingabe</translation>
    </message>
    <message>
        <source>router&apos;s scores</source>
        <translation>Punkte des Routers</translation>
    </message>
    <message>
        <source>row sums</source>
        <translation>Zeilensummen</translation>
    </message>
    <message>
        <source>shared experts</source>
        <translation>gemeinsame Experten</translation>
    </message>
    <message>
        <source>shared experts&apos; gate</source>
        <translation>Tor der gemeinsamen Experten</translation>
    </message>
    <message>
        <source>time: forward %1 ms, backward %2 ms; %3 MB moved beside products</source>
        <translation>Zeit: vorwärts %1 ms, rückwärts %2 ms; %3 MB neben den Produkten bewegt</translation>
    </message>
    <message>
        <source>transform&apos;s norm</source>
        <translation>Norm der Transformation</translation>
    </message>
    <message>
        <source>transform: activation&apos;s input</source>
        <translation>Transformation: Eingabe der Aktivierung</translation>
    </message>
    <message>
        <source>transform: input</source>
        <translation>Transformation: Eingabe</translation>
    </message>
    <message>
        <source>weighted values</source>
        <translation>gewichtete Werte</translation>
    </message>
    <message>
        <source>kept, %1: %2 = %3 bytes</source>
        <translation>behalten, %1: %2 = %3 Byte</translation>
    </message>
    <message>
        <source>operations, %1: %2 = %3</source>
        <translation>Operationen, %1: %2 = %3</translation>
    </message>
    <message>
        <source>weights, %1: %2 = %3</source>
        <translation>Gewichte, %1: %2 = %3</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>%1 and %2 more: %3 each, from %4</source>
        <translation>%1 und %2 weitere: je %3, aus %4</translation>
    </message>
    <message>
        <source>%1 devices in %2 %3, bandwidths in %4</source>
        <translation>%1 Geräte in %2 %3, Bandbreiten in %4</translation>
    </message>
    <message>
        <source>%1 does not tell what joins the GPUs of a machine: %2 between %3, %4 GB/s each way, is assumed</source>
        <translation>%1 sagt nicht, was die GPUs eines Rechners verbindet: %2 zwischen %3, %4 GB/s je Richtung, wird angenommen</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 Switches</translation>
    </message>
    <message>
        <source>%1: %2 × %3%4, network %5 Gbit/s (%6)</source>
        <translation>%1: %2 × %3%4, Netz %5 Gbit/s (%6)</translation>
    </message>
    <message>
        <source>%1: figures as published in %2: %3</source>
        <translation>%1: Zahlen wie veröffentlicht, Stand %2: %3</translation>
    </message>
    <message>
        <source>, PCI Express</source>
        <translation>, PCI Express</translation>
    </message>
    <message>
        <source>A latency of %1 µs is assumed between switches</source>
        <translation>Zwischen Switches wird eine Latenz von %1 µs angenommen</translation>
    </message>
    <message>
        <source>All partitions are taken, with their machines: %1</source>
        <translation>Alle Partitionen werden genommen, mit ihren Rechnern: %1</translation>
    </message>
    <message>
        <source>Links between switches are assumed to carry everything below them at once</source>
        <translation>Von Verbindungen zwischen Switches wird angenommen, dass sie alles darunter zugleich tragen</translation>
    </message>
    <message>
        <source>Machines below no switch were left out: %1</source>
        <translation>Rechner unter keinem Switch wurden weggelassen: %1</translation>
    </message>
    <message>
        <source>Nodes that are down or drained were left out: %1</source>
        <translation>Knoten außer Betrieb wurden weggelassen: %1</translation>
    </message>
    <message>
        <source>Nodes without GPUs were left out: %1</source>
        <translation>Knoten ohne GPUs wurden weggelassen: %1</translation>
    </message>
    <message>
        <source>PCI Express</source>
        <translation>PCI Express</translation>
    </message>
    <message>
        <source>The cluster keeps a bandwidth for every pair, without latencies</source>
        <translation>Der Cluster behält eine Bandbreite für jedes Paar, ohne Latenzen</translation>
    </message>
    <message>
        <source>The switches form %1 trees that nothing joins: no plan reaches over them</source>
        <translation>Die Switches bilden %1 Bäume, die nichts verbindet: kein Plan reicht über sie hinweg</translation>
    </message>
    <message>
        <source>Two ways between devices differ by up to %1 times: the slower one is kept for both</source>
        <translation>Zwei Richtungen zwischen Geräten unterscheiden sich bis um das %1-Fache: für beide gilt die langsamere</translation>
    </message>
    <message>
        <source>What the devices are is not told: %1 is assumed</source>
        <translation>Welche Geräte es sind, steht nicht da: %1 wird angenommen</translation>
    </message>
    <message>
        <source>bandwidths between %1 devices</source>
        <translation>Bandbreiten zwischen %1 Geräten</translation>
    </message>
    <message>
        <source>found %1 %2 between %3 and %4, expected at most %5 bytes a second</source>
        <translation>gefunden: %1 %2 zwischen %3 und %4, erwartet: höchstens %5 Byte je Sekunde</translation>
    </message>
    <message>
        <source>found %1 GPUs of a node, expected a whole number from 0 to %2</source>
        <translation>gefunden: %1 GPUs eines Knotens, erwartet: eine ganze Zahl von 0 bis %2</translation>
    </message>
    <message>
        <source>found %1 apart from other devices of %2, expected them side by side</source>
        <translation>gefunden: %1 getrennt von anderen Geräten von %2, erwartet: sie nebeneinander</translation>
    </message>
    <message>
        <source>found %1 below %2 and below %3, expected one switch above it</source>
        <translation>gefunden: %1 unter %2 und unter %3, erwartet: ein Switch darüber</translation>
    </message>
    <message>
        <source>found %1 between %2 and %3, expected a bandwidth above 0</source>
        <translation>gefunden: %1 zwischen %2 und %3, erwartet: eine Bandbreite über 0</translation>
    </message>
    <message>
        <source>found %1 in NVLinkBandwidth, expected megabytes a second</source>
        <translation>gefunden: %1 in NVLinkBandwidth, erwartet: Megabyte je Sekunde</translation>
    </message>
    <message>
        <source>found %1 nodes and no GPU among them, expected Gres=gpu:TYPE:COUNT of some</source>
        <translation>gefunden: %1 Knoten und keine GPU darunter, erwartet: Gres=gpu:TYP:ANZAHL bei einigen</translation>
    </message>
    <message>
        <source>found %1 of %2, expected either Nodes or Switches</source>
        <translation>gefunden: %1 von %2, erwartet: entweder Nodes oder Switches</translation>
    </message>
    <message>
        <source>found %1 rows under %2 devices, expected one each</source>
        <translation>gefunden: %1 Zeilen unter %2 Geräten, erwartet: je eine</translation>
    </message>
    <message>
        <source>found %1 values of NVLinkBandwidth between %2 objects, expected a square</source>
        <translation>gefunden: %1 Werte von NVLinkBandwidth zwischen %2 Objekten, erwartet: ein Quadrat</translation>
    </message>
    <message>
        <source>found %1 values, expected one for each of the %2 devices</source>
        <translation>gefunden: %1 Werte, erwartet: einer für jedes der %2 Geräte</translation>
    </message>
    <message>
        <source>found %1, expected a device of the catalogue</source>
        <translation>gefunden: %1, erwartet: ein Gerät des Katalogs</translation>
    </message>
    <message>
        <source>found %1, expected at most parameter_bytes, %2</source>
        <translation>gefunden: %1, erwartet: höchstens parameter_bytes, %2</translation>
    </message>
    <message>
        <source>found %1, expected nvlink, of a device that has some, or pcie</source>
        <translation>gefunden: %1, erwartet: nvlink, bei einem Gerät, das es hat, oder pcie</translation>
    </message>
    <message>
        <source>found XML without a topology, expected what lstopo --of xml writes</source>
        <translation>gefunden: XML ohne topology, erwartet: was lstopo --of xml schreibt</translation>
    </message>
    <message>
        <source>found a bandwidth of uplinks without a tree of switches, expected topology.conf</source>
        <translation>gefunden: eine Bandbreite nach oben ohne Baum von Switches, erwartet: topology.conf</translation>
    </message>
    <message>
        <source>found a node without a name, expected NodeName=NAME</source>
        <translation>gefunden: einen Knoten ohne Namen, erwartet: NodeName=NAME</translation>
    </message>
    <message>
        <source>found a quote that is not closed</source>
        <translation>gefunden: ein Anführungszeichen, das nicht geschlossen wird</translation>
    </message>
    <message>
        <source>found a row of %1, expected that of %2</source>
        <translation>gefunden: eine Zeile von %1, erwartet: die von %2</translation>
    </message>
    <message>
        <source>found a table of bandwidths beside other files, expected it alone</source>
        <translation>gefunden: eine Tabelle von Bandbreiten neben anderen Dateien, erwartet: sie allein</translation>
    </message>
    <message>
        <source>found a unit without a table of bandwidths, expected one</source>
        <translation>gefunden: eine Einheit ohne Tabelle von Bandbreiten, erwartet: eine</translation>
    </message>
    <message>
        <source>found copies or a matrix of machines in a tree of switches, expected neither</source>
        <translation>gefunden: Kopien oder eine Matrix von Rechnern in einem Baum von Switches, erwartet: keins von beiden</translation>
    </message>
    <message>
        <source>found copies, a network, links or a partition with a table, which has all pairs</source>
        <translation>gefunden: Kopien, ein Netz, Verbindungen oder eine Partition bei einer Tabelle, die alle Paare enthält</translation>
    </message>
    <message>
        <source>found fewer than two devices, expected their names in the heading</source>
        <translation>gefunden: weniger als zwei Geräte, erwartet: ihre Namen in der Kopfzeile</translation>
    </message>
    <message>
        <source>found lanes that are no symmetric square of all devices, expected one</source>
        <translation>gefunden: Lanes, die kein symmetrisches Quadrat aller Geräte sind, erwartet: eins</translation>
    </message>
    <message>
        <source>found more than %1 GPUs, expected at most that</source>
        <translation>gefunden: mehr als %1 GPUs, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 columns or %2 fields, expected at most that</source>
        <translation>gefunden: mehr als %1 Spalten oder %2 Felder, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 hosts, expected at most that</source>
        <translation>gefunden: mehr als %1 Rechner, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 nodes, expected at most that</source>
        <translation>gefunden: mehr als %1 Knoten, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 rows, expected at most that</source>
        <translation>gefunden: mehr als %1 Zeilen, erwartet: höchstens so viele</translation>
    </message>
    <message>
        <source>found no cloud shape &apos;%1&apos;, expected one of: %2</source>
        <translation>gefunden: keinen Cloud-Rechner „%1“, erwartet: einer von: %2</translation>
    </message>
    <message>
        <source>found no partition &apos;%1&apos; with GPUs, expected one of: %2</source>
        <translation>gefunden: keine Partition „%1“ mit GPUs, erwartet: eine von: %2</translation>
    </message>
    <message>
        <source>found no table of bandwidths, expected a heading with devices</source>
        <translation>gefunden: keine Tabelle von Bandbreiten, erwartet: eine Kopfzeile mit Geräten</translation>
    </message>
    <message>
        <source>found no unit of the bandwidths, expected GB/s or the like in the table&apos;s corner, or --unit</source>
        <translation>gefunden: keine Einheit der Bandbreiten, erwartet: GB/s oder Ähnliches in der Ecke der Tabelle oder --unit</translation>
    </message>
    <message>
        <source>found switches without machines, expected the text of scontrol show nodes beside them</source>
        <translation>gefunden: Switches ohne Rechner, erwartet: der Text von scontrol show nodes daneben</translation>
    </message>
    <message>
        <source>found text behind a closed quote, expected a separator</source>
        <translation>gefunden: Text hinter einem schließenden Anführungszeichen, erwartet: ein Trennzeichen</translation>
    </message>
    <message>
        <source>found the device %1, expected a name of its own</source>
        <translation>gefunden: das Gerät %1, erwartet: ein eigener Name</translation>
    </message>
    <message>
        <source>found the list of hosts %1, expected names such as node[01-16,20]</source>
        <translation>gefunden: die Liste von Rechnern %1, erwartet: Namen wie node[01-16,20]</translation>
    </message>
    <message>
        <source>found the node %1 twice, expected each once</source>
        <translation>gefunden: den Knoten %1 zweimal, erwartet: jeder einmal</translation>
    </message>
    <message>
        <source>found the switch %1 above itself or below more than %2 others, expected a tree</source>
        <translation>gefunden: den Switch %1 über sich selbst oder unter mehr als %2 anderen, erwartet: ein Baum</translation>
    </message>
    <message>
        <source>found the switch %1 below %2, expected a line SwitchName=%3</source>
        <translation>gefunden: den Switch %1 unter %2, erwartet: eine Zeile SwitchName=%3</translation>
    </message>
    <message>
        <source>found the switch %1 twice, expected each once</source>
        <translation>gefunden: den Switch %1 zweimal, erwartet: jeder einmal</translation>
    </message>
    <message>
        <source>found the unit &apos;%1&apos;, expected GB/s, Gbit/s or the like</source>
        <translation>gefunden: die Einheit „%1“, erwartet: GB/s, Gbit/s oder Ähnliches</translation>
    </message>
    <message>
        <source>found two trees of switches, expected one</source>
        <translation>gefunden: zwei Bäume von Switches, erwartet: einer</translation>
    </message>
    <message>
        <source>found version %1 of hwloc&apos;s topologies, expected 2</source>
        <translation>gefunden: Version %1 der Topologien von hwloc, erwartet: 2</translation>
    </message>
    <message>
        <source>machines</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>the shapes that come with the program are valid</source>
        <translation>die Cloud-Rechner, die mit dem Programm kommen, sind gültig</translation>
    </message>
    <message>
        <source>found backward_weight_ms above backward_ms, expected a part of it</source>
        <translation>gefunden: backward_weight_ms über backward_ms, erwartet: ein Teil davon</translation>
    </message>
    <message>
        <source>found layers without their micro-batch, expected --profile-micro-batch N or -pbs-N in the file&apos;s name</source>
        <translation>gefunden: Schichten ohne ihren Mikro-Batch, erwartet: --profile-micro-batch N oder -pbs-N im Dateinamen</translation>
    </message>
    <message>
        <source>found no column %1, expected it, or --columns %2=HEADING</source>
        <translation>gefunden: keine Spalte %1, erwartet: sie, oder --columns %2=ÜBERSCHRIFT</translation>
    </message>
    <message>
        <source>found no layers, expected a heading and a row a layer</source>
        <translation>gefunden: keine Schichten, erwartet: eine Kopfzeile und eine Zeile je Schicht</translation>
    </message>
    <message>
        <source>found the column &apos;%1&apos;, expected KEY=HEADING[:UNIT] with one of: %2</source>
        <translation>gefunden: die Spalte „%1“, erwartet: KEY=HEADING[:UNIT] mit einem von: %2</translation>
    </message>
    <message>
        <source>found the columns &apos;%1&apos;, expected KEY=HEADING[:UNIT],...</source>
        <translation>gefunden: die Spalten „%1“, erwartet: KEY=HEADING[:UNIT],...</translation>
    </message>
    <message>
        <source>found the layer %1, expected a name of its own</source>
        <translation>gefunden: die Schicht %1, erwartet: ein eigener Name</translation>
    </message>
    <message>
        <source>found %1 for %2, expected a size from 0 to %3 bytes</source>
        <translation>gefunden: %1 für %2, erwartet: eine Größe von 0 bis %3 Byte</translation>
    </message>
    <message>
        <source>found %1 for %2, expected a time from 0 to %3 s</source>
        <translation>gefunden: %1 für %2, erwartet: eine Zeit von 0 bis %3 s</translation>
    </message>
    <message>
        <source>, and the backward pass for twice the forward one</source>
        <translation>, und der Rückwärtslauf für das Doppelte des Vorwärtslaufs</translation>
    </message>
    <message>
        <source>; nodes that accelerators can&apos;t run have a processor&apos;s times</source>
        <translation>; Knoten, die Beschleuniger nicht ausführen, haben die Zeiten eines Prozessors</translation>
    </message>
    <message>
        <source>a workload of Piper; a third of the time is taken for the forward pass, and tensor parallelism and recomputation are left out</source>
        <translation>eine Arbeitslast von Piper; ein Drittel der Zeit gilt als Vorwärtslauf, Tensorparallelität und Neuberechnung sind weggelassen</translation>
    </message>
    <message>
        <source>a workload of dnn-partitioning; a node&apos;s memory is taken for its parameters</source>
        <translation>eine Arbeitslast von dnn-partitioning; der Speicher eines Knotens gilt als der seiner Parameter</translation>
    </message>
    <message>
        <source>found a cost alone, which is a time, expected the size in bytes beside it</source>
        <translation>gefunden: nur cost, eine Zeit, erwartet: die Größe in Byte daneben</translation>
    </message>
    <message>
        <source>found no variant that recomputes nothing, expected one of a single device</source>
        <translation>gefunden: keine Variante ohne Neuberechnung, erwartet: eine für ein einzelnes Gerät</translation>
    </message>
    <message>
        <source>found the backward node %1 without a forward node of its colorClass, expected one</source>
        <translation>gefunden: der Rückwärtsknoten %1 ohne Vorwärtsknoten seiner colorClass, erwartet: einer</translation>
    </message>
    <message>
        <source>found the node %1, expected one of nodes</source>
        <translation>gefunden: der Knoten %1, erwartet: einer aus nodes</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>Knoten %1</translation>
    </message>
    <message>
        <source>%1 of %2 points</source>
        <translation>%1 von %2 Punkten</translation>
    </message>
    <message>
        <source>a profile that can have one layer can have more</source>
        <translation>ein Profil, das eine Schicht haben kann, kann mehr haben</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected a count such as &apos;300B&apos;, &apos;1.5T&apos; or &apos;20000&apos;</source>
        <translation>„%1“ gefunden, eine Anzahl wie „300B“, „1.5T“ oder „20000“ erwartet</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, expected a sum of %2 such as &apos;%3&apos; or &apos;50k&apos;</source>
        <translation>„%1“ gefunden, ein Betrag in %2 wie „%3“ oder „50k“ erwartet</translation>
    </message>
    <message>
        <source>found a profile (&apos;%1&apos;) that is %2, expected a chain in which layers of one kind follow one another, of which there can be more or fewer</source>
        <translation>ein Profil gefunden („%1“, %2), eine Kette erwartet, in der Schichten einer Art aufeinander folgen, von denen es mehr oder weniger geben kann</translation>
    </message>
    <message>
        <source>found a step of %1, expected a multiple of %2, a head of keys with those of its queries</source>
        <translation>eine Schrittweite von %1 gefunden, ein Vielfaches von %2 erwartet: ein Kopf von Schlüsseln mit denen seiner Anfragen</translation>
    </message>
    <message>
        <source>found no data sheet of device type &apos;%1&apos;, expected a type of the catalogue to compute a model&apos;s times for</source>
        <translation>kein Datenblatt des Gerätetyps „%1“ gefunden, ein Typ des Katalogs erwartet, für den sich Zeiten eines Modells berechnen lassen</translation>
    </message>
    <message>
        <source>found no device type &apos;%1&apos;, expected one of the cluster or of the catalogue</source>
        <translation>keinen Gerätetyp „%1“ gefunden, einer des Clusters oder des Katalogs erwartet</translation>
    </message>
    <message>
        <source>found no size to look at, expected at least one</source>
        <translation>keine Größe zum Ansehen gefunden, mindestens eine erwartet</translation>
    </message>
    <message>
        <source>found sizes up to %1, expected at least one step of %2</source>
        <translation>Größen bis %1 gefunden, mindestens ein Schritt von %2 erwartet</translation>
    </message>
    <message>
        <source>hidden size</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>no chain</source>
        <translation>keine Kette</translation>
    </message>
    <message>
        <source>of a different kind in every layer</source>
        <translation>in jeder Schicht von anderer Art</translation>
    </message>
    <message>
        <source>plans are written as JSON</source>
        <translation>Pläne werden als JSON geschrieben</translation>
    </message>
    <message>
        <source>size %1</source>
        <translation>Größe %1</translation>
    </message>
    <message>
        <source>%1 devices share %2 GPUs: the results are the plan&apos;s, the times are not</source>
        <translation>%1 Geräte teilen sich %2 GPUs: Die Ergebnisse sind die des Plans, die Zeiten nicht</translation>
    </message>
    <message>
        <source>%1 offers no algorithm that gives the same bits every time: take --precision fp32</source>
        <translation>%1 hat kein Verfahren, das jedes Mal dieselben Bits ergibt: --precision fp32 nehmen</translation>
    </message>
    <message>
        <source>%1%2: %3 (error %4)%5%6</source>
        <translation>%1%2: %3 (Fehler %4)%5%6</translation>
    </message>
    <message>
        <source>--backend cuda: %1</source>
        <translation>--backend cuda: %1</translation>
    </message>
    <message>
        <source>2 b a s^2 d x pairs seen</source>
        <translation>2 b a s^2 d x gesehene Paare</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES leaves fewer GPUs than the plan wants: see pipedeck-cli list devices</source>
        <translation>CUDA_VISIBLE_DEVICES lässt weniger GPUs übrig, als der Plan braucht: siehe pipedeck-cli list devices</translation>
    </message>
    <message>
        <source>Duplicate GPU</source>
        <translation>GPU doppelt</translation>
    </message>
    <message>
        <source>GPU %1 receives from worker %2</source>
        <translation>GPU %1 empfängt von Arbeiter %2</translation>
    </message>
    <message>
        <source>GPU %1 sends to worker %2</source>
        <translation>GPU %1 sendet an Arbeiter %2</translation>
    </message>
    <message>
        <source>GPU %1:</source>
        <translation>GPU %1:</translation>
    </message>
    <message>
        <source>GPU %1: cublasLt has no algorithm for a product of %2 x %3 x %4: take --precision fp32</source>
        <translation>GPU %1: cublasLt hat kein Verfahren für ein Produkt von %2 x %3 x %4: --precision fp32 nehmen</translation>
    </message>
    <message>
        <source>GPUs can&apos;t be used: %1: cublasLt, cuDNN 9 and NCCL 2 have to be installed, and be found by the system&apos;s loader (ldconfig, or LD_LIBRARY_PATH)</source>
        <translation>GPUs sind nicht nutzbar: %1: cublasLt, cuDNN 9 und NCCL 2 müssen installiert sein und vom Lader des Systems gefunden werden (ldconfig oder LD_LIBRARY_PATH)</translation>
    </message>
    <message>
        <source>GPUs can&apos;t be used: pipedeck-cuda.so is not there: install the package pipedeck-cuda, or build the program where nvcc, cuDNN 9 and NCCL are installed; --backend cpu runs on processor threads</source>
        <translation>GPUs sind nicht nutzbar: pipedeck-cuda.so fehlt: das Paket pipedeck-cuda installieren oder das Programm dort bauen, wo nvcc, cuDNN 9 und NCCL installiert sind; --backend cpu läuft auf Fäden des Prozessors</translation>
    </message>
    <message>
        <source>NCCL takes one worker a GPU: give the run as many GPUs as the plan has devices, or run with --oversubscribe</source>
        <translation>NCCL nimmt einen Arbeiter je GPU: dem Lauf so viele GPUs geben, wie der Plan Geräte hat, oder mit --oversubscribe laufen</translation>
    </message>
    <message>
        <source>NCCL_DEBUG=WARN says more</source>
        <translation>NCCL_DEBUG=WARN sagt mehr</translation>
    </message>
    <message>
        <source>a defect of this program, or of the GPU: run again under compute-sanitizer</source>
        <translation>ein Fehler dieses Programms oder der GPU: noch einmal unter compute-sanitizer laufen lassen</translation>
    </message>
    <message>
        <source>a link between GPUs is damaged (NVLink): see nvidia-smi nvlink -e, then go on with --resume</source>
        <translation>eine Verbindung zwischen GPUs ist beschädigt (NVLink): siehe nvidia-smi nvlink -e, dann mit --resume fortfahren</translation>
    </message>
    <message>
        <source>a peer was lost, or the network between the machines does not answer: look at the other workers&apos; messages; NCCL_DEBUG=WARN says more</source>
        <translation>ein Partner ging verloren, oder das Netz zwischen den Maschinen antwortet nicht: die Meldungen der anderen Arbeiter ansehen; NCCL_DEBUG=WARN sagt mehr</translation>
    </message>
    <message>
        <source>a sum has no epilogue</source>
        <translation>eine Summe hat keinen Nachlauf</translation>
    </message>
    <message>
        <source>a transfer between GPUs</source>
        <translation>eine Übertragung zwischen GPUs</translation>
    </message>
    <message>
        <source>after the last step: %1</source>
        <translation>nach dem letzten Schritt: %1</translation>
    </message>
    <message>
        <source>an LSTM has one direction or two</source>
        <translation>ein LSTM hat eine Richtung oder zwei</translation>
    </message>
    <message>
        <source>an argument of gelu is kept where there is gelu</source>
        <translation>ein Argument von GELU wird behalten, wo es GELU gibt</translation>
    </message>
    <message>
        <source>another program has the GPU for itself (compute mode exclusive): end it, or see nvidia-smi -c</source>
        <translation>ein anderes Programm hat die GPU für sich allein (exklusiver Rechenmodus): es beenden, oder siehe nvidia-smi -c</translation>
    </message>
    <message>
        <source>attention&apos;s weights computed again</source>
        <translation>Gewichte der Attention neu berechnet</translation>
    </message>
    <message>
        <source>cuDNN&apos;s libraries are of several versions: install one</source>
        <translation>cuDNNs Bibliotheken haben verschiedene Versionen: eine installieren</translation>
    </message>
    <message>
        <source>cuda: GPU %1, %2, %3 GiB</source>
        <translation>cuda: GPU %1, %2, %3 GiB</translation>
    </message>
    <message>
        <source>cuda: no runs; %1</source>
        <translation>cuda: keine Läufe; %1</translation>
    </message>
    <message>
        <source>factors of a product are of one element</source>
        <translation>Faktoren eines Produkts sind von einer Art</translation>
    </message>
    <message>
        <source>found %1 of what the data sheet promises, expected above 0 and at most 1</source>
        <translation>%1 dessen gefunden, was das Datenblatt verspricht, erwartet mehr als 0 und höchstens 1</translation>
    </message>
    <message>
        <source>found a size of %1, expected %2 at most in cuDNN: take a smaller micro-batch</source>
        <translation>Größe %1 gefunden, in cuDNN höchstens %2 erwartet: einen kleineren Mikro-Stapel nehmen</translation>
    </message>
    <message>
        <source>found another version, expected version %1: install pipedeck-cuda of this program&apos;s version</source>
        <translation>andere Version gefunden, erwartet Version %1: pipedeck-cuda in der Version dieses Programms installieren</translation>
    </message>
    <message>
        <source>install a newer NVIDIA driver, or run with --backend cpu</source>
        <translation>einen neueren NVIDIA-Treiber installieren, oder mit --backend cpu laufen</translation>
    </message>
    <message>
        <source>install all of cuDNN 9&apos;s libraries</source>
        <translation>alle Bibliotheken von cuDNN 9 installieren</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; is of kind &apos;%2&apos;, which can&apos;t be trained on %3; there are: %4</source>
        <translation>Schicht &apos;%1&apos; ist von der Art &apos;%2&apos;, die auf %3 nicht trainiert werden kann; es gibt: %4</translation>
    </message>
    <message>
        <source>look at nvidia-smi and CUDA_VISIBLE_DEVICES, or run with --backend cpu</source>
        <translation>nvidia-smi und CUDA_VISIBLE_DEVICES ansehen, oder mit --backend cpu laufen</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>kein Speicher mehr</translation>
    </message>
    <message>
        <source>take a smaller micro-batch, recomputation or more stages, or end other programs on this GPU</source>
        <translation>einen kleineren Mikro-Stapel, Neuberechnung oder mehr Stufen nehmen, oder andere Programme auf dieser GPU beenden</translation>
    </message>
    <message>
        <source>the CPU</source>
        <translation>dem Prozessor</translation>
    </message>
    <message>
        <source>the GPU fell off the bus or its driver was reset: look at dmesg for Xid messages, reset or replace it, then go on with --resume</source>
        <translation>die GPU ist vom Bus gefallen, oder ihr Treiber wurde zurückgesetzt: in dmesg nach Xid-Meldungen sehen, sie zurücksetzen oder ersetzen, dann mit --resume fortfahren</translation>
    </message>
    <message>
        <source>the GPU has no room for cuBLAS, or no driver</source>
        <translation>die GPU hat keinen Platz für cuBLAS, oder keinen Treiber</translation>
    </message>
    <message>
        <source>the GPU is too old for this precision: take fp32</source>
        <translation>die GPU ist für diese Genauigkeit zu alt: fp32 nehmen</translation>
    </message>
    <message>
        <source>the GPU&apos;s memory is damaged (ECC): reset the GPU, replace it where it happens again, then go on with --resume</source>
        <translation>der Speicher der GPU ist beschädigt (ECC): die GPU zurücksetzen, bei Wiederholung ersetzen, dann mit --resume fortfahren</translation>
    </message>
    <message>
        <source>the libcuda.so.1 that was found is the toolkit&apos;s stub: take its folder out of LD_LIBRARY_PATH</source>
        <translation>das gefundene libcuda.so.1 ist der Platzhalter des Toolkits: seinen Ordner aus LD_LIBRARY_PATH nehmen</translation>
    </message>
    <message>
        <source>the machine&apos;s fabric manager is not running: start nvidia-fabricmanager</source>
        <translation>der Fabric-Manager der Maschine läuft nicht: nvidia-fabricmanager starten</translation>
    </message>
    <message>
        <source>this build has code for GPUs from the A100 on (compute capability 8.0)</source>
        <translation>dieser Bau hat Code für GPUs ab der A100 (Compute Capability 8.0)</translation>
    </message>
    <message>
        <source>after the last step: out of memory: the system has no more</source>
        <translation>nach dem letzten Schritt: kein Speicher mehr: Das System hat keinen mehr</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>a program for PyTorch&apos;s pipelining</source>
        <translation>ein Programm für PyTorchs Pipelining</translation>
    </message>
    <message>
        <source>arguments for Megatron-LM</source>
        <translation>Argumente für Megatron-LM</translation>
    </message>
    <message>
        <source>configuration for DeepSpeed</source>
        <translation>Konfiguration für DeepSpeed</translation>
    </message>
    <message>
        <source>counts of its own</source>
        <translation>eigene Zahlen</translation>
    </message>
    <message>
        <source>micro-batches: found %1, an interleaved schedule takes a multiple of the %2 pipeline ranks</source>
        <translation>Mikro-Batches: gefunden: %1; ein verschränkter Ablauf nimmt ein Vielfaches der %2 Pipeline-Ränge</translation>
    </message>
    <message>
        <source>model: found layer &apos;%1&apos; feeding &apos;%2&apos;, %3 takes layers that each feed the next in the list</source>
        <translation>Modell: gefunden: Schicht „%1“ speist „%2“; %3 nimmt Schichten, von denen jede die nächste der Liste speist</translation>
    </message>
    <message>
        <source>model: found layer &apos;%1&apos; of kind &apos;%2&apos;, Megatron-LM trains an embedding, transformer blocks and a head</source>
        <translation>Modell: gefunden: Schicht „%1“ der Art „%2“; Megatron-LM trainiert eine Einbettung, Transformer-Blöcke und einen Kopf</translation>
    </message>
    <message>
        <source>optimizer: found %1, which %2 does not have</source>
        <translation>Optimierer: gefunden: %1, den %2 nicht hat</translation>
    </message>
    <message>
        <source>order: found layers in another order than the model&apos;s list</source>
        <translation>Reihenfolge: gefunden: Schichten in anderer Reihenfolge als in der Liste des Modells</translation>
    </message>
    <message>
        <source>schedule: found %1, %2 has %3</source>
        <translation>Ablauf: gefunden: %1; %2 hat %3</translation>
    </message>
    <message>
        <source>stage %1: found %2 %3, expected %4, as many as stage 0 has</source>
        <translation>Stufe %1: gefunden: %2 %3, erwartet: %4, so viele wie Stufe 0</translation>
    </message>
    <message>
        <source>stage %1: found %2 recomputed, expected all layers of all stages or none</source>
        <translation>Stufe %1: gefunden: %2 neu berechnet, erwartet: alle Schichten aller Stufen oder keine</translation>
    </message>
    <message>
        <source>stage %1: found a cut before layer &apos;%2&apos;, where %3 can&apos;t cut</source>
        <translation>Stufe %1: gefunden: ein Schnitt vor Schicht „%2“, wo %3 nicht schneiden kann</translation>
    </message>
    <message>
        <source>stage %1: found replicas with %2 samples of a micro-batch, expected as many on each</source>
        <translation>Stufe %1: gefunden: Replikate mit %2 Samples eines Mikro-Batches, erwartet: gleich viele auf jedem</translation>
    </message>
    <message>
        <source>stage %1: found uneven shards, expected even ones</source>
        <translation>Stufe %1: gefunden: ungleiche Teile, erwartet: gleiche</translation>
    </message>
    <message>
        <source>tensor parallelism: found degree %1, %2 leaves cutting layers to the layers themselves</source>
        <translation>Tensorparallelität: gefunden: Grad %1; %2 überlässt es den Schichten selbst, sich zu teilen</translation>
    </message>
    <message>
        <source>tensor-parallel devices</source>
        <translation>tensorparallele Geräte</translation>
    </message>
    <message>
        <source>the folder can&apos;t be made: %1</source>
        <translation>der Ordner kann nicht angelegt werden: %1</translation>
    </message>
    <message>
        <source>the stages as a PipelineModule of DeepSpeed</source>
        <translation>die Stufen als PipelineModule von DeepSpeed</translation>
    </message>
    <message>
        <source>warm-up: found %1, %2 starts with as many forwards as there are stages behind, and one (A)</source>
        <translation>Anlauf: gefunden: %1; %2 beginnt mit so vielen Vorwärtsläufen, wie Stufen dahinter liegen, und einem (A)</translation>
    </message>
    <message>
        <source>zero: found stage %1, %2 with a pipeline has at most %3</source>
        <translation>ZeRO: gefunden: Stufe %1; %2 hat mit einer Pipeline höchstens %3</translation>
    </message>
    <message>
        <source>%1 and what follows: input</source>
        <translation>%1 und was folgt: Eingang</translation>
    </message>
    <message>
        <source>%1 functions of the file&apos;s own are not entered</source>
        <translation>%1 eigene Funktionen der Datei werden nicht betreten</translation>
    </message>
    <message>
        <source>%1 operators (ONNX %2, %3) in %4 layers: %5</source>
        <translation>%1 Operatoren (ONNX %2, %3) in %4 Schichten: %5</translation>
    </message>
    <message>
        <source>%1 weights are used by several layers: each holds a copy, so each counts them</source>
        <translation>%1 Gewichte werden von mehreren Schichten benutzt: jede hält eine Kopie, daher zählt jede sie</translation>
    </message>
    <message>
        <source>%1: %2 parameters, %3 G multiply-adds forward a micro-batch of %4</source>
        <translation>%1: %2 Parameter, %3 G Multiplikationen mit Addition vorwärts je Mikro-Batch von %4</translation>
    </message>
    <message>
        <source>%1: found an operator that is not known, whose output &apos;%2&apos; has no sizes in the file, expected them (onnx.shape_inference writes them)</source>
        <translation>%1: unbekannter Operator gefunden, dessen Ausgang &apos;%2&apos; in der Datei keine Größen hat; erwartet werden sie (onnx.shape_inference schreibt sie)</translation>
    </message>
    <message>
        <source>%1: gates and states</source>
        <translation>%1: Gatter und Zustände</translation>
    </message>
    <message>
        <source>%1: input</source>
        <translation>%1: Eingang</translation>
    </message>
    <message>
        <source>%1: mask</source>
        <translation>%1: Maske</translation>
    </message>
    <message>
        <source>%1: output</source>
        <translation>%1: Ausgang</translation>
    </message>
    <message>
        <source>%1: scores</source>
        <translation>%1: Bewertungen</translation>
    </message>
    <message>
        <source>%1: where the largest are</source>
        <translation>%1: wo die größten sind</translation>
    </message>
    <message>
        <source>, step by step</source>
        <translation>, Schritt für Schritt</translation>
    </message>
    <message>
        <source>--dim %1=N for &apos;%2&apos; of input &apos;%3&apos;</source>
        <translation>--dim %1=N für &apos;%2&apos; des Eingangs &apos;%3&apos;</translation>
    </message>
    <message>
        <source>--sequence N (or --dim %1=N) for &apos;%2&apos; of input &apos;%3&apos;</source>
        <translation>--sequence N (oder --dim %1=N) für &apos;%2&apos; des Eingangs &apos;%3&apos;</translation>
    </message>
    <message>
        <source>No size looks like a batch: the file is taken for one sample</source>
        <translation>Keine Größe sieht nach einem Batch aus: die Datei gilt für eine Probe</translation>
    </message>
    <message>
        <source>ONNX model</source>
        <translation>ONNX-Modell</translation>
    </message>
    <message>
        <source>Size &apos;%1&apos; is taken for the micro-batch</source>
        <translation>Größe &apos;%1&apos; gilt als der Mikro-Batch</translation>
    </message>
    <message>
        <source>Size &apos;%1&apos; is taken for the sequence</source>
        <translation>Größe &apos;%1&apos; gilt als die Sequenz</translation>
    </message>
    <message>
        <source>The file has no loss: none is counted</source>
        <translation>Die Datei hat keinen Verlust: keiner wird gezählt</translation>
    </message>
    <message>
        <source>The file is for batches of %1, its inputs&apos; first size</source>
        <translation>Die Datei ist für Batches von %1, die erste Größe ihrer Eingänge</translation>
    </message>
    <message>
        <source>The file is for batches of %1: its inputs&apos; first sizes are taken to be %2</source>
        <translation>Die Datei ist für Batches von %1: die ersten Größen ihrer Eingänge gelten als %2</translation>
    </message>
    <message>
        <source>Trained in %1, whatever the file&apos;s numbers are stored in; degrees of tensor parallelism are not computed from a graph</source>
        <translation>Trainiert in %1, worin auch immer die Zahlen der Datei gespeichert sind; Grade der Tensorparallelität werden aus einem Graphen nicht berechnet</translation>
    </message>
    <message>
        <source>Without a formula, counted as the bytes that go in and out: %1</source>
        <translation>Ohne Formel, gezählt als die Bytes, die hinein- und hinausgehen: %1</translation>
    </message>
    <message>
        <source>a chain, cut where one tensor crosses</source>
        <translation>eine Kette, geschnitten, wo ein Tensor kreuzt</translation>
    </message>
    <message>
        <source>a graph, for more than one tensor crosses some cuts</source>
        <translation>ein Graph, denn manche Schnitte kreuzt mehr als ein Tensor</translation>
    </message>
    <message>
        <source>an ONNX file</source>
        <translation>eine ONNX-Datei</translation>
    </message>
    <message>
        <source>computed from %1 operators of %2 for %3 in %4</source>
        <translation>berechnet aus %1 Operatoren von %2 für %3 in %4</translation>
    </message>
    <message>
        <source>found %1 &apos;%2&apos; computed from the batch, expected numbers that follow from sizes</source>
        <translation>%1 &apos;%2&apos; aus dem Batch berechnet gefunden, erwartet werden Zahlen, die aus Größen folgen</translation>
    </message>
    <message>
        <source>found %1 and %2 for &apos;%3&apos;, expected one size</source>
        <translation>%1 und %2 für &apos;%3&apos; gefunden, erwartet wird eine Größe</translation>
    </message>
    <message>
        <source>found %1 behind %2, expected sizes alike but of axis %3</source>
        <translation>%1 hinter %2 gefunden, erwartet werden bis auf Achse %3 gleiche Größen</translation>
    </message>
    <message>
        <source>found %1 beside %2, expected sizes that are alike or 1</source>
        <translation>%1 neben %2 gefunden, erwartet werden Größen, die gleich oder 1 sind</translation>
    </message>
    <message>
        <source>found %1 bytes of data, expected %2 numbers of %3 bytes</source>
        <translation>%1 Bytes Daten gefunden, erwartet werden %2 Zahlen von %3 Bytes</translation>
    </message>
    <message>
        <source>found %1 bytes, expected at most %2</source>
        <translation>%1 Bytes gefunden, erwartet werden höchstens %2</translation>
    </message>
    <message>
        <source>found %1 for &apos;%2&apos;, expected a size a letter</source>
        <translation>%1 für &apos;%2&apos; gefunden, erwartet wird eine Größe je Buchstabe</translation>
    </message>
    <message>
        <source>found %1 for --dim %2, expected 1 to %3</source>
        <translation>%1 für --dim %2 gefunden, erwartet wird 1 bis %3</translation>
    </message>
    <message>
        <source>found %1 in %2, expected numbers from %3 to %4</source>
        <translation>%1 in %2 gefunden, erwartet werden Zahlen von %3 bis %4</translation>
    </message>
    <message>
        <source>found %1 in a circle of operators, or behind one, expected none</source>
        <translation>%1 in einem Kreis von Operatoren oder dahinter gefunden, erwartet wird keiner</translation>
    </message>
    <message>
        <source>found %1 numbers in %2, expected %3</source>
        <translation>%1 Zahlen in %2 gefunden, erwartet werden %3</translation>
    </message>
    <message>
        <source>found %1 numbers with their border, expected at least the window&apos;s %2</source>
        <translation>%1 Zahlen mit ihrem Rand gefunden, erwartet werden mindestens die %2 des Fensters</translation>
    </message>
    <message>
        <source>found %1 numbers, expected %2</source>
        <translation>%1 Zahlen gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found %1 repeats of %2, expected a result that a model can have</source>
        <translation>%1 Wiederholungen von %2 gefunden, erwartet wird ein Ergebnis, das ein Modell haben kann</translation>
    </message>
    <message>
        <source>found %1 repeats, expected %2</source>
        <translation>%1 Wiederholungen gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found %1 scales that follow from sizes, expected %2</source>
        <translation>%1 Maßstäbe gefunden, die aus Größen folgen, erwartet werden %2</translation>
    </message>
    <message>
        <source>found %1 sizes of borders, expected %2</source>
        <translation>%1 Randgrößen gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found %1 sizes, expected %2</source>
        <translation>%1 Größen gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found %1 times %2, expected matrices that fit</source>
        <translation>%1 mal %2 gefunden, erwartet werden Matrizen, die zusammenpassen</translation>
    </message>
    <message>
        <source>found %1 to be repeated to %2, expected sizes that are alike or 1</source>
        <translation>%1 soll auf %2 wiederholt werden, erwartet werden Größen, die gleich oder 1 sind</translation>
    </message>
    <message>
        <source>found %1 to be seen as %2, expected as many numbers (a batch that the file fixes is changed with a dynamic axis where it is exported)</source>
        <translation>%1 soll als %2 gesehen werden, erwartet werden ebenso viele Zahlen (ein Batch, den die Datei festlegt, wird mit einer dynamischen Achse beim Export geändert)</translation>
    </message>
    <message>
        <source>found &apos;%1&apos; in the result alone</source>
        <translation>&apos;%1&apos; allein im Ergebnis gefunden</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, which no operator makes, expected a tensor</source>
        <translation>&apos;%1&apos; gefunden, das kein Operator erzeugt, erwartet wird ein Tensor</translation>
    </message>
    <message>
        <source>found --dim %1, expected a size that the file leaves open: %2</source>
        <translation>--dim %1 gefunden, erwartet wird eine Größe, die die Datei offen lässt: %2</translation>
    </message>
    <message>
        <source>found a border larger than any is</source>
        <translation>ein Rand gefunden, der größer ist als jeder</translation>
    </message>
    <message>
        <source>found a message that is cut off after %1 bytes, expected it whole</source>
        <translation>eine Nachricht gefunden, die nach %1 Bytes abbricht, erwartet wird sie ganz</translation>
    </message>
    <message>
        <source>found a micro-batch of %1 for a file without a batch, expected 1</source>
        <translation>ein Mikro-Batch von %1 für eine Datei ohne Batch gefunden, erwartet wird 1</translation>
    </message>
    <message>
        <source>found a range from %1 to %2 by %3, expected one that ends</source>
        <translation>ein Bereich von %1 bis %2 in Schritten von %3 gefunden, erwartet wird einer, der endet</translation>
    </message>
    <message>
        <source>found a result larger than any is</source>
        <translation>ein Ergebnis gefunden, das größer ist als jedes</translation>
    </message>
    <message>
        <source>found a result of %1 dimensions, expected at most %2</source>
        <translation>ein Ergebnis mit %1 Dimensionen gefunden, erwartet werden höchstens %2</translation>
    </message>
    <message>
        <source>found a result of %1, expected sizes of 0 or more and at most 2^49 numbers</source>
        <translation>ein Ergebnis von %1 gefunden, erwartet werden Größen ab 0 und höchstens 2^49 Zahlen</translation>
    </message>
    <message>
        <source>found a second tensor &apos;%1&apos;, expected one of a name</source>
        <translation>ein zweiter Tensor &apos;%1&apos; gefunden, erwartet wird einer je Name</translation>
    </message>
    <message>
        <source>found a sequence of %1, expected none: the file leaves no size open that looks like one</source>
        <translation>eine Sequenz von %1 gefunden, erwartet wird keine: die Datei lässt keine Größe offen, die danach aussieht</translation>
    </message>
    <message>
        <source>found a size of %1 at axis %2, expected 1</source>
        <translation>eine Größe von %1 an Achse %2 gefunden, erwartet wird 1</translation>
    </message>
    <message>
        <source>found a size of %1, expected 0 or more</source>
        <translation>eine Größe von %1 gefunden, erwartet wird 0 oder mehr</translation>
    </message>
    <message>
        <source>found a size of %1, expected 1 or more</source>
        <translation>eine Größe von %1 gefunden, erwartet wird 1 oder mehr</translation>
    </message>
    <message>
        <source>found a step of 0, expected another</source>
        <translation>ein Schritt von 0 gefunden, erwartet wird ein anderer</translation>
    </message>
    <message>
        <source>found a tensor of more than %1 numbers, expected at most that</source>
        <translation>ein Tensor von mehr als %1 Zahlen gefunden, erwartet werden höchstens so viele</translation>
    </message>
    <message>
        <source>found a window of %1, expected 1 or more</source>
        <translation>ein Fenster von %1 gefunden, erwartet wird 1 oder mehr</translation>
    </message>
    <message>
        <source>found an ONNX model, expected a %1; pipedeck-cli convert makes a profile of it for a device type, and says what it assumes</source>
        <translation>ein ONNX-Modell gefunden, erwartet wird: %1; pipedeck-cli convert macht daraus ein Profil für einen Gerätetyp und sagt, was es annimmt</translation>
    </message>
    <message>
        <source>found an input of %1 and recurrent weights of %2, expected three dimensions each</source>
        <translation>ein Eingang von %1 und rekurrente Gewichte von %2 gefunden, erwartet werden je drei Dimensionen</translation>
    </message>
    <message>
        <source>found an input of %1 for blocks of %2, expected sizes that they divide</source>
        <translation>ein Eingang von %1 für Blöcke von %2 gefunden, erwartet werden Größen, die sie teilen</translation>
    </message>
    <message>
        <source>found an input of %1, expected samples x channels x sizes</source>
        <translation>ein Eingang von %1 gefunden, erwartet werden Proben x Kanäle x Größen</translation>
    </message>
    <message>
        <source>found an order of %1 axes, expected %2</source>
        <translation>eine Reihenfolge von %1 Achsen gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found another k than one number up to %1</source>
        <translation>ein anderes k als eine Zahl bis %1 gefunden</translation>
    </message>
    <message>
        <source>found axis %1 twice, expected it once</source>
        <translation>Achse %1 zweimal gefunden, erwartet wird sie einmal</translation>
    </message>
    <message>
        <source>found axis %1, expected one of %2</source>
        <translation>Achse %1 gefunden, erwartet wird eine von %2</translation>
    </message>
    <message>
        <source>found bounds that do not follow from sizes, expected three numbers</source>
        <translation>Grenzen gefunden, die nicht aus Größen folgen, erwartet werden drei Zahlen</translation>
    </message>
    <message>
        <source>found field %1 of a kind that ONNX has not, expected a number or bytes</source>
        <translation>Feld %1 von einer Art gefunden, die ONNX nicht hat, erwartet wird eine Zahl oder Bytes</translation>
    </message>
    <message>
        <source>found indices of %1 into %2, expected as many as there are axes at most</source>
        <translation>Indizes von %1 in %2 gefunden, erwartet werden höchstens so viele, wie es Achsen gibt</translation>
    </message>
    <message>
        <source>found input &apos;%1&apos; of more than 2^49 numbers, expected at most that</source>
        <translation>Eingang &apos;%1&apos; von mehr als 2^49 Zahlen gefunden, erwartet werden höchstens so viele</translation>
    </message>
    <message>
        <source>found input &apos;%1&apos; without sizes, expected a tensor with some</source>
        <translation>Eingang &apos;%1&apos; ohne Größen gefunden, erwartet wird ein Tensor mit Größen</translation>
    </message>
    <message>
        <source>found more channels than any model has</source>
        <translation>mehr Kanäle gefunden, als ein Modell hat</translation>
    </message>
    <message>
        <source>found more than %1 numbers, expected at most that</source>
        <translation>mehr als %1 Zahlen gefunden, erwartet werden höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 operators, tensors and attributes in all, expected at most that</source>
        <translation>insgesamt mehr als %1 Operatoren, Tensoren und Attribute gefunden, erwartet werden höchstens so viele</translation>
    </message>
    <message>
        <source>found no depth, expected one number</source>
        <translation>keine Tiefe gefunden, erwartet wird eine Zahl</translation>
    </message>
    <message>
        <source>found no graph, expected a model with one</source>
        <translation>keinen Graphen gefunden, erwartet wird ein Modell mit einem</translation>
    </message>
    <message>
        <source>found no input %1, expected one</source>
        <translation>keinen Eingang %1 gefunden, erwartet wird einer</translation>
    </message>
    <message>
        <source>found no kernel_shape, expected one</source>
        <translation>kein kernel_shape gefunden, erwartet wird eines</translation>
    </message>
    <message>
        <source>found no name, expected one</source>
        <translation>keinen Namen gefunden, erwartet wird einer</translation>
    </message>
    <message>
        <source>found no numbers for %1, expected some</source>
        <translation>keine Zahlen für %1 gefunden, erwartet werden welche</translation>
    </message>
    <message>
        <source>found no op_type, expected one</source>
        <translation>keinen op_type gefunden, erwartet wird einer</translation>
    </message>
    <message>
        <source>found no operators, expected at least one</source>
        <translation>keine Operatoren gefunden, erwartet wird mindestens einer</translation>
    </message>
    <message>
        <source>found no value, expected a tensor or numbers</source>
        <translation>keinen Wert gefunden, erwartet wird ein Tensor oder Zahlen</translation>
    </message>
    <message>
        <source>found numbers of the batch, expected some that follow from sizes: how many are not 0 decides sizes</source>
        <translation>Zahlen aus dem Batch gefunden, erwartet werden solche, die aus Größen folgen: wie viele nicht 0 sind, bestimmt Größen</translation>
    </message>
    <message>
        <source>found parts of %1 in all, expected %2</source>
        <translation>Teile von insgesamt %1 gefunden, erwartet werden %2</translation>
    </message>
    <message>
        <source>found parts that are not %1 in %2, expected %3 of them</source>
        <translation>Teile gefunden, die nicht %1 in %2 sind, erwartet werden %3 davon</translation>
    </message>
    <message>
        <source>found size &apos;%1&apos; of input &apos;%2&apos; without a number, expected one: --dim %3=N</source>
        <translation>Größe &apos;%1&apos; des Eingangs &apos;%2&apos; ohne Zahl gefunden, erwartet wird eine: --dim %3=N</translation>
    </message>
    <message>
        <source>found sizes that do not fit, expected sizes that are alike or 1</source>
        <translation>Größen gefunden, die nicht zusammenpassen, erwartet werden Größen, die gleich oder 1 sind</translation>
    </message>
    <message>
        <source>found sizes that the file leaves open, expected %1</source>
        <translation>Größen gefunden, die die Datei offen lässt, erwartet wird %1</translation>
    </message>
    <message>
        <source>found sparse weights, expected dense ones</source>
        <translation>dünn besetzte Gewichte gefunden, erwartet werden dichte</translation>
    </message>
    <message>
        <source>found starts, ends, axes and steps of different counts, expected one of each</source>
        <translation>Anfänge, Enden, Achsen und Schritte in verschiedener Anzahl gefunden, erwartet wird je einer</translation>
    </message>
    <message>
        <source>found the equation &apos;%1&apos;, expected one letter a size and &apos;-&gt;&apos;</source>
        <translation>die Gleichung &apos;%1&apos; gefunden, erwartet wird ein Buchstabe je Größe und &apos;-&gt;&apos;</translation>
    </message>
    <message>
        <source>found weights of %1 for an input of %2, expected %3 channels first</source>
        <translation>Gewichte von %1 für einen Eingang von %2 gefunden, erwartet werden zuerst %3 Kanäle</translation>
    </message>
    <message>
        <source>found weights of %1 for an input of %2, expected as many dimensions</source>
        <translation>Gewichte von %1 für einen Eingang von %2 gefunden, erwartet werden ebenso viele Dimensionen</translation>
    </message>
    <message>
        <source>found weights of %1 in %2 groups for an input of %3, expected %4 channels a group</source>
        <translation>Gewichte von %1 in %2 Gruppen für einen Eingang von %3 gefunden, erwartet werden %4 Kanäle je Gruppe</translation>
    </message>
    <message>
        <source>found weights that are computed of one another in too many ways, expected fewer</source>
        <translation>Gewichte gefunden, die auf zu viele Weisen auseinander berechnet werden, erwartet werden weniger</translation>
    </message>
    <message>
        <source>it leaves none</source>
        <translation>sie lässt keine</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>to later layers, %1: %2 bytes</source>
        <translation>an spätere Schichten, %1: %2 Bytes</translation>
    </message>
    <message>
        <source>found a part of a run&apos;s operations, expected all of them</source>
        <translation>gefunden: ein Teil der Operationen eines Laufs, erwartet: alle</translation>
    </message>
    <message>
        <source>found %1, expected a degree in which layer &apos;%2&apos; can be cut where it stands: none of the profile&apos;s ways leads to a whole output</source>
        <translation>gefunden: %1, erwartet: ein Grad, in dem sich Schicht „%2“ an ihrer Stelle zerlegen lässt: keine der Weisen des Profils führt zu einer ganzen Ausgabe</translation>
    </message>
    <message>
        <source>layer &apos;%1&apos; of stage %2 can&apos;t be cut over %3 devices: the profile tells no way that takes and gives whole tensors</source>
        <translation>Schicht „%1“ der Stufe %2 lässt sich nicht über %3 Geräte zerlegen: das Profil nennt keine Weise, die ganze Tensoren nimmt und gibt</translation>
    </message>
    <message>
        <source>found %1, expected a number that divides %2 heads</source>
        <translation>gefunden: %1, erwartet: eine Zahl, die %2 Köpfe teilt</translation>
    </message>
    <message>
        <source>found a profile (&apos;%1&apos;) that does not say which transformer it was computed from, so that it has no %2 to change, expected one imported from the model&apos;s config.json</source>
        <translation>gefunden: ein Profil („%1“), das nicht sagt, aus welchem Transformer es berechnet wurde, sodass sich darin nichts ändern lässt: %2; erwartet: eines, das aus der config.json des Modells importiert wurde</translation>
    </message>
    <message>
        <source>found a profile (&apos;%1&apos;) whose layers were changed since they were computed from a transformer&apos;s configuration, expected them as computed: import the config.json again</source>
        <translation>gefunden: ein Profil („%1“), dessen Schichten geändert wurden, seit sie aus der Konfiguration eines Transformers berechnet wurden, erwartet: Schichten wie berechnet; importieren Sie die config.json noch einmal</translation>
    </message>
    <message>
        <source>found no transformer preset &apos;%1&apos;, expected one of: %2</source>
        <translation>gefunden: keine Transformer-Vorlage „%1“, erwartet: eine von: %2</translation>
    </message>
    <message>
        <source>%1%2 of %3</source>
        <translation>%1%2 von %3</translation>
    </message>
    <message>
        <source>--backend cuda: found %1 GPUs, expected one for each of the plan&apos;s %2 devices%3: a plan for fewer, or --oversubscribe, which places several devices on a GPU</source>
        <translation>--backend cuda: gefunden: %1 GPUs, erwartet: eine für jedes der %2 Geräte des Plans%3: ein Plan für weniger, oder --oversubscribe, das mehrere Geräte auf eine GPU setzt</translation>
    </message>
    <message>
        <source>--backend cuda: found a MIG slice (%1), expected whole GPUs, for NCCL joins no slices: nvidia-smi -mig 0%2</source>
        <translation>--backend cuda: gefunden: ein MIG-Teil (%1), erwartet: ganze GPUs, denn NCCL verbindet keine Teile: nvidia-smi -mig 0%2</translation>
    </message>
    <message>
        <source>--backend cuda: found an NCCL before 2.18, expected a later one to join GPUs%1</source>
        <translation>--backend cuda: gefunden: ein NCCL vor 2.18, erwartet: ein späteres, um GPUs zu verbinden%1</translation>
    </message>
    <message>
        <source>; --oversubscribe joins devices by copies</source>
        <translation>; --oversubscribe verbindet Geräte durch Kopien</translation>
    </message>
    <message>
        <source>CUDA %1.%2, cublasLt %3.%4.%5, cuDNN %6.%7.%8, %9</source>
        <translation>CUDA %1.%2, cublasLt %3.%4.%5, cuDNN %6.%7.%8, %9</translation>
    </message>
    <message>
        <source>NCCL %1.%2.%3</source>
        <translation>NCCL %1.%2.%3</translation>
    </message>
    <message>
        <source>copies within and between GPUs</source>
        <translation>Kopien in und zwischen GPUs</translation>
    </message>
    <message>
        <source>in this process</source>
        <translation>in diesem Prozess</translation>
    </message>
    <message>
        <source>tensors on GPUs are waited for by their worker</source>
        <translation>auf Tensoren auf GPUs wartet ihr Arbeiter</translation>
    </message>
    <message>
        <source>the GPUs are not alike (%1): the slowest sets the pace</source>
        <translation>die GPUs sind nicht gleich (%1): die langsamste bestimmt das Tempo</translation>
    </message>
    <message>
        <source>the other devices to join it</source>
        <translation>dass die anderen Geräte dazukommen</translation>
    </message>
    <message>
        <source>who has to do with each other is known before a run</source>
        <translation>wer miteinander zu tun hat, steht vor einem Lauf fest</translation>
    </message>
    <message>
        <source>busy cores are the processor&apos;s</source>
        <translation>beschäftigte Kerne gibt es nur beim Prozessor</translation>
    </message>
    <message>
        <source>boundary %1 GiB</source>
        <translation>Stufengrenze %1 GiB</translation>
    </message>
    <message>
        <source>communication %1 GiB</source>
        <translation>Kommunikation %1 GiB</translation>
    </message>
    <message>
        <source>gradients %1 GiB</source>
        <translation>Gradienten %1 GiB</translation>
    </message>
    <message>
        <source>optimizer %1 GiB</source>
        <translation>Optimierer %1 GiB</translation>
    </message>
    <message>
        <source>reserve %1 GiB</source>
        <translation>Reserve %1 GiB</translation>
    </message>
    <message>
        <source>weights %1 GiB</source>
        <translation>Gewichte %1 GiB</translation>
    </message>
    <message>
        <source>workspace %1 GiB</source>
        <translation>Arbeitspuffer %1 GiB</translation>
    </message>
    <message>
        <source>found %1, expected 2.22 or later, which tells what it expects</source>
        <translation>%1 gefunden, 2.22 oder neuer erwartet, das seine Schätzungen nennt</translation>
    </message>
    <message>
        <source>%1 are not recorded: %2</source>
        <translation>%1 werden nicht aufgezeichnet: %2</translation>
    </message>
    <message>
        <source>%1 but of layers that are cut over devices</source>
        <translation>%1, außer von Schichten, die über Geräte geteilt sind</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA-Graphen</translation>
    </message>
    <message>
        <source>a block of memory more is wanted than in the step before</source>
        <translation>ein Speicherblock mehr als im Schritt davor wird gebraucht</translation>
    </message>
    <message>
        <source>a block that is taken again is at hand</source>
        <translation>ein Block, der wieder genommen wird, liegt bereit</translation>
    </message>
    <message>
        <source>another device waits for what it computes</source>
        <translation>ein anderes Gerät wartet auf das, was es rechnet</translation>
    </message>
    <message>
        <source>backward passes</source>
        <translation>Rückwärtsdurchläufe</translation>
    </message>
    <message>
        <source>backward passes of inputs</source>
        <translation>Rückwärtsdurchläufe der Eingaben</translation>
    </message>
    <message>
        <source>backward passes of weights</source>
        <translation>Rückwärtsdurchläufe der Gewichte</translation>
    </message>
    <message>
        <source>forward passes</source>
        <translation>Vorwärtsdurchläufe</translation>
    </message>
    <message>
        <source>it waits for another device</source>
        <translation>es wartet auf ein anderes Gerät</translation>
    </message>
    <message>
        <source>no %1, for all layers are cut over devices</source>
        <translation>keine %1, denn alle Schichten sind über Geräte geteilt</translation>
    </message>
    <message>
        <source>recomputed forward passes</source>
        <translation>neu berechnete Vorwärtsdurchläufe</translation>
    </message>
    <message>
        <source>the host reads values</source>
        <translation>der Rechner liest Werte</translation>
    </message>
    <message>
        <source>the host waits for it</source>
        <translation>der Rechner wartet darauf</translation>
    </message>
    <message>
        <source>there are too many different ones</source>
        <translation>es gibt zu viele verschiedene</translation>
    </message>
    <message>
        <source>this device records no work</source>
        <translation>dieses Gerät zeichnet keine Arbeit auf</translation>
    </message>
    <message>
        <source>values come from the host</source>
        <translation>Werte kommen vom Rechner</translation>
    </message>
    <message>
        <source>policy B</source>
        <translation>Regel B</translation>
    </message>
    <message>
        <source>what libraries work in has to grow</source>
        <translation>der Arbeitsspeicher der Bibliotheken muss wachsen</translation>
    </message>
    <message>
        <source>, without %1: %2</source>
        <translation>, ohne %1: %2</translation>
    </message>
    <message>
        <source>found %1 fields, expected at most %2, as many as headings (figures with a decimal comma stand in quotes, or between semicolons)</source>
        <translation>%1 Felder gefunden, erwartet höchstens %2, so viele wie Überschriften (Zahlen mit Dezimalkomma stehen in Anführungszeichen oder zwischen Semikola)</translation>
    </message>
    <message>
        <source>found %1 for %2, expected one decimal sign in all of the table, &apos;%3&apos; as above</source>
        <translation>%1 für %2 gefunden, erwartet ein Dezimalzeichen in der ganzen Tabelle, „%3“ wie weiter oben</translation>
    </message>
    <message>
        <source>found %1 for %2, expected whole bytes, without marks between thousands</source>
        <translation>%1 für %2 gefunden, erwartet ganze Bytes, ohne Zeichen zwischen Tausendern</translation>
    </message>
    <message>
        <source>found &apos;%1&apos;, which several cloud shapes begin with, expected one of: %2</source>
        <translation>„%1“ gefunden, womit mehrere Maschinen von Clouds beginnen, erwartet eine von: %2</translation>
    </message>
    <message>
        <source>found more than %1 in the list, expected at most that</source>
        <translation>mehr als %1 in der Liste gefunden, erwartet höchstens so viele</translation>
    </message>
    <message>
        <source>found more than %1 values, expected at most that</source>
        <translation>mehr als %1 Werte gefunden, erwartet höchstens so viele</translation>
    </message>
    <message>
        <source>found the headings %1, expected those of a table of layers: name, forward_ms, backward_ms, output_bytes, parameter_bytes; --columns KEY=HEADING[:UNIT],... says which column is which</source>
        <translation>die Überschriften %1 gefunden, erwartet die einer Tabelle von Schichten: name, forward_ms, backward_ms, output_bytes, parameter_bytes; --columns KEY=ÜBERSCHRIFT[:EINHEIT],... sagt, welche Spalte welche ist</translation>
    </message>
    <message>
        <source>%1 heads x 3</source>
        <translation>%1 Köpfe x 3</translation>
    </message>
    <message>
        <source>%1 of %2 blocks see %3 positions at most: all are counted as if they saw every one</source>
        <translation>%1 von %2 Blöcken sehen höchstens %3 Positionen: gezählt ist, als sähen alle jede</translation>
    </message>
    <message>
        <source>%1 operators have weights of few bits: these are not trained, and no parameters</source>
        <translation>%1 Operatoren haben Gewichte aus wenigen Bits: Diese werden nicht trainiert und sind keine Parameter</translation>
    </message>
    <message>
        <source>%1: found a loop or a branch, whose operators are not looked into and whose output &apos;%2&apos; has no sizes in the file, expected them (onnx.shape_inference writes them), or a model that was exported without loops and branches</source>
        <translation>%1: eine Schleife oder Verzweigung gefunden, in deren Operatoren nicht hineingesehen wird und deren Ausgabe „%2“ in der Datei keine Größen hat, erwartet diese (onnx.shape_inference schreibt sie) oder ein Modell, das ohne Schleifen und Verzweigungen exportiert wurde</translation>
    </message>
    <message>
        <source>%1: queries, keys, values</source>
        <translation>%1: Anfragen, Schlüssel, Werte</translation>
    </message>
    <message>
        <source>%1: row sums</source>
        <translation>%1: Zeilensummen</translation>
    </message>
    <message>
        <source>%1: sum, the norm&apos;s input</source>
        <translation>%1: Summe, die Eingabe der Normierung</translation>
    </message>
    <message>
        <source>, queries, keys, values</source>
        <translation>, Anfragen, Schlüssel, Werte</translation>
    </message>
    <message>
        <source>What loops and branches run is not counted, only the bytes that go in and out of them: %1</source>
        <translation>Was Schleifen und Verzweigungen ausführen, ist nicht gezählt, nur die Bytes, die hinein- und herausgehen: %1</translation>
    </message>
    <message>
        <source>a width that %1 heads divide</source>
        <translation>eine Breite, die %1 Köpfe teilen</translation>
    </message>
    <message>
        <source>found %1 heads (%2), expected 1 or more</source>
        <translation>%1 Köpfe gefunden (%2), erwartet 1 oder mehr</translation>
    </message>
    <message>
        <source>found %1 in &apos;%2&apos;, expected %3</source>
        <translation>%1 in „%2“ gefunden, erwartet %3</translation>
    </message>
    <message>
        <source>found keys without values, expected both</source>
        <translation>Schlüssel ohne Werte gefunden, erwartet beide</translation>
    </message>
    <message>
        <source>keys and values as wide as queries</source>
        <translation>Schlüssel und Werte, so breit wie die Anfragen</translation>
    </message>
    <message>
        <source>keys that fit queries and values</source>
        <translation>Schlüssel, die zu Anfragen und Werten passen</translation>
    </message>
    <message>
        <source>queries as wide as keys, and values</source>
        <translation>Anfragen, so breit wie die Schlüssel, und Werte</translation>
    </message>
    <message>
        <source>rows of %1 numbers</source>
        <translation>Zeilen aus %1 Zahlen</translation>
    </message>
    <message>
        <source>samples x tokens x width</source>
        <translation>Beispiele x Token x Breite</translation>
    </message>
    <message>
        <source>the input&apos;s width x that of three results</source>
        <translation>Breite der Eingabe x die von drei Ergebnissen</translation>
    </message>
    <message>
        <source>words x width</source>
        <translation>Wörter x Breite</translation>
    </message>
    <message>
        <source>%1 MB / (%2 GB/s x %3 %)</source>
        <translation>%1 MB / (%2 GB/s x %3 %)</translation>
    </message>
    <message>
        <source>all-reduced by tensor-parallel devices: %1 bytes forward, %2 bytes backward</source>
        <translation>All-Reduce tensorparalleler Geräte: %1 Bytes vorwärts, %2 Bytes rückwärts</translation>
    </message>
    <message>
        <source>forward, %1: %2</source>
        <translation>vorwärts, %1: %2</translation>
    </message>
    <message>
        <source>forward, all else: %1</source>
        <translation>vorwärts, alles andere: %1</translation>
    </message>
    <message>
        <source>to the next layer: %1 = %2 bytes</source>
        <translation>zur nächsten Schicht: %1 = %2 Bytes</translation>
    </message>
    <message>
        <source>%1 at %2 (device %3): heat holds its clocks back%4: look at its cooling</source>
        <translation>%1 auf %2 (Gerät %3): Wärme bremst ihren Takt%4: die Kühlung ansehen</translation>
    </message>
    <message>
        <source>%1 at %2 (device %3): its hardware holds its clocks back%4: heat or power</source>
        <translation>%1 auf %2 (Gerät %3): ihre Hardware bremst den Takt%4: Wärme oder Leistung</translation>
    </message>
    <message>
        <source>%1 at %2 (device %3): its power limit holds its clocks back%4</source>
        <translation>%1 auf %2 (Gerät %3): die Leistungsgrenze bremst ihren Takt%4</translation>
    </message>
    <message>
        <source>%1 at %2 (device %3): the power supply brakes its clocks%4: look at the machine&apos;s supply</source>
        <translation>%1 auf %2 (Gerät %3): die Stromversorgung bremst ihren Takt%4: das Netzteil der Maschine ansehen</translation>
    </message>
    <message>
        <source>(%1 of %2 MHz)</source>
        <translation>(%1 von %2 MHz)</translation>
    </message>
    <message>
        <source>NVML does not answer within %1 s</source>
        <translation>NVML antwortet nicht innerhalb von %1 s</translation>
    </message>
    <message>
        <source>NVML knows none of the run&apos;s GPUs</source>
        <translation>NVML kennt keine der GPUs des Laufs</translation>
    </message>
    <message>
        <source>found %1, expected a name</source>
        <translation>gefunden: %1, erwartet: ein Name</translation>
    </message>
    <message>
        <source>the GPUs&apos; power, clocks and memory are not told: %1</source>
        <translation>Leistung, Takt und Speicher der GPUs sind nicht zu erfahren: %1</translation>
    </message>
    <message>
        <source>found %1 processes, expected at most %2, the plan&apos;s devices</source>
        <translation>gefunden: %1 Prozesse; erwartet: höchstens %2, so viele Geräte hat der Plan</translation>
    </message>
    <message>
        <source>found %1, expected %2, as the point has</source>
        <translation>gefunden: %1; erwartet: %2, wie der Punkt</translation>
    </message>
    <message>
        <source>found %1, expected %2: the fullest device needs %3 of %4 bytes</source>
        <translation>gefunden: %1; erwartet: %2: das vollste Gerät braucht %3 von %4 Byte</translation>
    </message>
    <message>
        <source>found no samples, expected more than 0</source>
        <translation>gefunden: keine Samples; erwartet: mehr als 0</translation>
    </message>
    <message>
        <source>found the point a second time, expected each once</source>
        <translation>gefunden: den Punkt ein zweites Mal; erwartet: jeder einmal</translation>
    </message>
    <message>
        <source>micro-batches: found %1, %2 takes %3 or more with this schedule</source>
        <translation>Mikro-Batches: gefunden: %1; %2 nimmt bei diesem Ablauf mindestens %3</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is taken for %2, and may be %3 (--device TYPE)</source>
        <translation>„%1“ gilt als %2, kann aber auch %3 sein (--device TYP)</translation>
    </message>
    <message>
        <source>BERT-48 is a preset</source>
        <translation>BERT-48 ist eine Vorlage</translation>
    </message>
    <message>
        <source>BERT-48 with %1 blocks, as in DAPPLE (PPoPP 2021, Table VIII)</source>
        <translation>BERT-48 mit %1 Blöcken, wie in DAPPLE (PPoPP 2021, Tabelle VIII)</translation>
    </message>
    <message>
        <source>found preset &apos;%1&apos;, which is a profile, expected a model of layers to train</source>
        <translation>gefunden: Vorlage „%1“, die ein Profil ist, erwartet: ein Modell aus Schichten, das sich trainieren lässt</translation>
    </message>
    <message>
        <source>made of the figures that DAPPLE (PPoPP 2021) gives: Tables I, II and V, section VI-C</source>
        <translation>aus den Zahlen in DAPPLE (PPoPP 2021): Tabellen I, II und V, Abschnitt VI-C</translation>
    </message>
    <message>
        <source>Assumed are heads of 128, the 21,128 words of the Chinese BERT and 512 tokens a sample</source>
        <translation>Angenommen sind Köpfe zu 128, die 21 128 Wörter des chinesischen BERT und 512 Token je Sample</translation>
    </message>
    <message>
        <source>Assumed are one expert a token, the 21,128 words of the Chinese BERT and 512 tokens a sample</source>
        <translation>Angenommen sind ein Experte je Token, die 21 128 Wörter des chinesischen BERT und 512 Token je Sample</translation>
    </message>
    <message>
        <source>found version %1, expected 1 or 2</source>
        <translation>gefunden: Version %1, erwartet: 1 oder 2</translation>
    </message>
    <message>
        <source>found %1 nodes with GPUs, all of them down or drained, expected one that is up</source>
        <translation>gefunden: %1 Knoten mit GPUs, alle ausgefallen oder aus dem Betrieb genommen, erwartet: einen, der läuft</translation>
    </message>
    <message>
        <source>found no single name of a switch or block, expected SwitchName=NAME or BlockName=NAME</source>
        <translation>gefunden: nicht genau einen Namen eines Switches oder Blocks, erwartet: SwitchName=NAME oder BlockName=NAME</translation>
    </message>
    <message>
        <source>The file says of no device that it is a gpu: %1 are taken for GPUs by their class</source>
        <translation>Die Datei nennt kein Gerät eine gpu: %1 gelten nach ihrer Klasse als GPUs</translation>
    </message>
    <message>
        <source>The %1 blocks are assumed to be below one switch</source>
        <translation>Es wird angenommen, dass die %1 Blöcke unter einem Switch liegen</translation>
    </message>
    <message>
        <source>%1 % of the backward pass belong to no layer and were left out</source>
        <translation>%1 % des Rückwärtsdurchlaufs gehören zu keiner Schicht und wurden weggelassen</translation>
    </message>
    <message>
        <source>%1 layers of %2 modules that annotations (record_function) name</source>
        <translation>%1 Schichten aus %2 Modulen, die Anmerkungen (record_function) nennen</translation>
    </message>
    <message>
        <source>%1 layers of %2 modules that the profiler names</source>
        <translation>%1 Schichten aus %2 Modulen, die der Profiler nennt</translation>
    </message>
    <message>
        <source>%1 ms of communication between GPUs were left out: plans have their own</source>
        <translation>%1 ms Kommunikation zwischen GPUs wurden weggelassen: Pläne haben ihre eigene</translation>
    </message>
    <message>
        <source>%1 samples a micro-batch: the first size of what the first layer takes</source>
        <translation>%1 Samples je Mikro-Batch: die erste Größe dessen, was die erste Schicht nimmt</translation>
    </message>
    <message>
        <source>found %1 different sizes of inputs, expected some that come again</source>
        <translation>gefunden: %1 verschiedene Größen von Eingaben, erwartet: welche, die wiederkehren</translation>
    </message>
    <message>
        <source>found %1 modules that would be layers, expected at most %2</source>
        <translation>gefunden: %1 Module, die Schichten würden, erwartet: höchstens %2</translation>
    </message>
    <message>
        <source>found a micro-batch of %1 samples, expected at most %2</source>
        <translation>gefunden: ein Mikro-Batch von %1 Samples, erwartet: höchstens %2</translation>
    </message>
    <message>
        <source>found modules that took no time, expected some that computed</source>
        <translation>gefunden: Module, die keine Zeit brauchten, erwartet: welche, die rechneten</translation>
    </message>
    <message>
        <source>found modules within backward passes alone, expected a forward pass</source>
        <translation>gefunden: Module nur in Rückwärtsdurchläufen, erwartet: ein Vorwärtsdurchlauf</translation>
    </message>
    <message>
        <source>found more than %1 different names, expected modules and operators that come again</source>
        <translation>gefunden: mehr als %1 verschiedene Namen, erwartet: Module und Operatoren, die wiederkehren</translation>
    </message>
    <message>
        <source>found more than %1 modules in one another at &quot;%2&quot;, expected a model&apos;s few</source>
        <translation>gefunden: mehr als %1 Module ineinander bei „%2“, erwartet: die wenigen eines Modells</translation>
    </message>
    <message>
        <source>found more than %1 threads, expected a few</source>
        <translation>gefunden: mehr als %1 Threads, erwartet: wenige</translation>
    </message>
    <message>
        <source>found no modules among %1 events, expected those that torch.profiler.profile(with_stack=True, record_shapes=True) or record_function around each module write</source>
        <translation>gefunden: keine Module unter %1 Ereignissen, erwartet: die, die torch.profiler.profile(with_stack=True, record_shapes=True) oder record_function um jedes Modul schreiben</translation>
    </message>
    <message>
        <source>Half of a layer&apos;s backward pass is assumed to be for its weights</source>
        <translation>Die Hälfte des Rückwärtsdurchlaufs einer Schicht wird für ihre Gewichte angenommen</translation>
    </message>
    <message>
        <source>No backward pass was recorded: it is assumed to take %1 times the forward pass</source>
        <translation>Kein Rückwärtsdurchlauf wurde aufgezeichnet: Angenommen wird das %1-Fache des Vorwärtsdurchlaufs</translation>
    </message>
    <message>
        <source>Nobody says how many samples a micro-batch has: 1 is assumed</source>
        <translation>Niemand sagt, wie viele Samples ein Mikro-Batch hat: 1 wird angenommen</translation>
    </message>
    <message>
        <source>Of %1 all inputs are taken for kept</source>
        <translation>Von %1 gelten alle Eingaben als behalten</translation>
    </message>
    <message>
        <source>Parameters are counted by their gradients; frozen ones are not among them</source>
        <translation>Parameter sind nach ihren Gradienten gezählt; eingefrorene sind nicht darunter</translation>
    </message>
    <message>
        <source>Parameters are counted by what known operators take</source>
        <translation>Parameter sind nach dem gezählt, was bekannte Operatoren nehmen</translation>
    </message>
    <message>
        <source>Some outputs are as large as what the next layer takes; the last one&apos;s is then 0</source>
        <translation>Manche Ausgaben sind so groß wie das, was die nächste Schicht nimmt; die der letzten ist dann 0</translation>
    </message>
    <message>
        <source>The device is &quot;%1&quot;, in the catalogue %2</source>
        <translation>Das Gerät ist „%1“, im Katalog %2</translation>
    </message>
    <message>
        <source>The first pass, which warms up, was left out</source>
        <translation>Der erste Durchlauf, der aufwärmt, wurde weggelassen</translation>
    </message>
    <message>
        <source>The trace does not name its device: it is called GPU</source>
        <translation>Der Trace nennt sein Gerät nicht: Es heißt GPU</translation>
    </message>
    <message>
        <source>The trace has no sizes: outputs, parameters and what is kept are 0; record with record_shapes=True</source>
        <translation>Der Trace hat keine Größen: Ausgaben, Parameter und Behaltenes sind 0; mit record_shapes=True aufzeichnen</translation>
    </message>
    <message>
        <source>What a model does between its modules counts into the layer before, the loss into the last one</source>
        <translation>Was ein Modell zwischen seinen Modulen tut, zählt zur Schicht davor, der Verlust zur letzten</translation>
    </message>
    <message>
        <source>What is kept for the backward pass is estimated, operator by operator</source>
        <translation>Was für den Rückwärtsdurchlauf behalten wird, ist geschätzt, Operator für Operator</translation>
    </message>
    <message>
        <source>What is kept for the backward pass is not known without one: outputs alone</source>
        <translation>Was für den Rückwärtsdurchlauf behalten wird, ist ohne einen nicht bekannt: nur die Ausgaben</translation>
    </message>
    <message>
        <source>a device that it does not name</source>
        <translation>einem Gerät, das es nicht nennt</translation>
    </message>
    <message>
        <source>found %1, expected one of: %2</source>
        <translation>gefunden: %1, erwartet: eines von: %2</translation>
    </message>
    <message>
        <source>found a device, expected a file</source>
        <translation>gefunden: ein Gerät, erwartet: eine Datei</translation>
    </message>
    <message>
        <source>the profile is of %1, which the cluster does not list: %2 counts as %3 times as quick, where data sheets say %4; a profile for %5 is right</source>
        <translation>Das Profil ist von %1, das der Cluster nicht führt: %2 gilt als %3-mal so schnell, wo Datenblätter %4 sagen; ein Profil für %5 ist richtig</translation>
    </message>
    <message>
        <source>the profile is of %1, whose speed nobody tells: %2 counts as %3 times as quick</source>
        <translation>Das Profil ist von %1, dessen Tempo niemand nennt: %2 gilt als %3-mal so schnell</translation>
    </message>
    <message>
        <source>found the columns %1 and %2 for %3, expected one of them; --columns %4=HEADING chooses</source>
        <translation>gefunden: die Spalten %1 und %2 für %3, erwartet: eine davon; --columns %4=HEADING wählt</translation>
    </message>
    <message>
        <source>found the sum of all other rows in %1, expected layers alone</source>
        <translation>gefunden: die Summe aller anderen Zeilen in %1, erwartet: nur Schichten</translation>
    </message>
    <message>
        <source>%1: the display adapter %2 was left out</source>
        <translation>%1: die Bildschirmkarte %2 wurde weggelassen</translation>
    </message>
    <message>
        <source>found more GPUs, expected at most %1 of a host</source>
        <translation>gefunden: mehr GPUs, erwartet: höchstens %1 eines Rechners</translation>
    </message>
    <message>
        <source>found no GPU, expected a PCIDev of class 03; lstopo leaves devices out without --whole-io</source>
        <translation>gefunden: keine GPU, erwartet: ein PCIDev der Klasse 03; ohne --whole-io lässt lstopo Geräte weg</translation>
    </message>
    <message>
        <source>found no operations among %1 events, expected kernels of a GPU (PyTorch&apos;s profiler with ProfilerActivity.CUDA) or events whose names say forward, backward or optimizer (torch.profiler.record_function)</source>
        <translation>gefunden: keine Operationen unter %1 Ereignissen, erwartet: Kernel einer GPU (PyTorchs Profiler mit ProfilerActivity.CUDA) oder Ereignisse, deren Namen forward, backward oder optimizer sagen (torch.profiler.record_function)</translation>
    </message>
    <message>
        <source>found pci_link_speed=%1, expected gigabytes a second</source>
        <translation>gefunden: pci_link_speed=%1, erwartet: Gigabyte je Sekunde</translation>
    </message>
    <message>
        <source>found pci_type=%1, expected a class and an id such as 0302 [10de:20b2]</source>
        <translation>gefunden: pci_type=%1, erwartet: eine Klasse und eine Nummer wie 0302 [10de:20b2]</translation>
    </message>
    <message>
        <source>no kernels of a GPU and no annotations of passes: the outermost operators are drawn</source>
        <translation>keine Kernel einer GPU und keine Anmerkungen zu Durchläufen: Die äußersten Operatoren werden gezeichnet</translation>
    </message>
    <message>
        <source>no kernels of a GPU: the annotations that say forward, backward or optimizer are drawn</source>
        <translation>keine Kernel einer GPU: Die Anmerkungen, die forward, backward oder optimizer sagen, werden gezeichnet</translation>
    </message>
    <message>
        <source>, joined by</source>
        <translation>, verbunden durch</translation>
    </message>
    <message>
        <source>, layers cut</source>
        <translation>, geschnittene Schichten</translation>
    </message>
    <message>
        <source>G operations / (%1 TFLOP/s x %2 %</source>
        <translation>G Operationen / (%1 TFLOP/s x %2 %</translation>
    </message>
    <message>
        <source>another rank has ended</source>
        <translation>ein anderer Rank ist beendet</translation>
    </message>
    <message>
        <source>backward, %1: %2</source>
        <translation>rückwärts, %1: %2</translation>
    </message>
    <message>
        <source>backward, all else: %1</source>
        <translation>rückwärts, alles andere: %1</translation>
    </message>
    <message>
        <source>backward, input of %1: %2</source>
        <translation>rückwärts, Eingabe von %1: %2</translation>
    </message>
    <message>
        <source>backward, weights of %1: %2</source>
        <translation>rückwärts, Gewichte von %1: %2</translation>
    </message>
    <message>
        <source>by all ranks at once</source>
        <translation>von allen Ranks zugleich</translation>
    </message>
    <message>
        <source>launches x %1 us</source>
        <translation>Kernelstarts x %1 us</translation>
    </message>
    <message>
        <source>x %1 % of its shape)</source>
        <translation>x %1 % wegen der Form)</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>by one rank alone (found %1)</source>
        <translation>von einem Rank allein (gefunden: %1)</translation>
    </message>
    <message>
        <source>cuda: no GPUs; %1</source>
        <translation>cuda: keine GPUs; %1</translation>
    </message>
    <message>
        <source>cuda: runs on %1; %2 (run --backend cuda)</source>
        <translation>cuda: läuft auf %1; %2 (run --backend cuda)</translation>
    </message>
    <message>
        <source>Published are 1 trillion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-T, arXiv 2105.15082); chosen to have as many: 24 blocks of hidden 1,024 and 960 experts of 21,248</source>
        <translation>Veröffentlicht ist 1 Billion Parameter (Whale, USENIX ATC 2022, Abschnitt 5.3.2, zu M6-T, arXiv 2105.15082); so gewählt, dass es so viele sind: 24 Blöcke der Breite 1024 mit 960 Experten zu 21 248</translation>
    </message>
    <message>
        <source>Published are 10 trillion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-10T, arXiv 2110.03888); chosen to have as many: 48 blocks of hidden 1,024 and 10,240 experts of 9,984</source>
        <translation>Veröffentlicht sind 10 Billionen Parameter (Whale, USENIX ATC 2022, Abschnitt 5.3.2, zu M6-10T, arXiv 2110.03888); so gewählt, dass es so viele sind: 48 Blöcke der Breite 1024 mit 10 240 Experten zu 9984</translation>
    </message>
    <message>
        <source>Published are 100 billion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-T, arXiv 2105.15082); chosen to have as many: 24 blocks of hidden 1,024 and 512 experts of 4,096</source>
        <translation>Veröffentlicht sind 100 Milliarden Parameter (Whale, USENIX ATC 2022, Abschnitt 5.3.2, zu M6-T, arXiv 2105.15082); so gewählt, dass es so viele sind: 24 Blöcke der Breite 1024 mit 512 Experten zu 4096</translation>
    </message>
    <message>
        <source>Published are 24 encoder and 24 decoder blocks and 10 billion parameters (Whale, USENIX ATC 2022, section 5.3.1); chosen to have as many: blocks without attention to an encoder, 4,096 wide</source>
        <translation>Veröffentlicht sind 24 Encoder- und 24 Decoderblöcke und 10 Milliarden Parameter (Whale, USENIX ATC 2022, Abschnitt 5.3.1); so gewählt, dass es so viele sind: 4096 breite Blöcke ohne Attention auf einen Encoder</translation>
    </message>
    <message>
        <source>found a driver for CUDA %1, expected one for CUDA %2 or later: install a newer one, or run with --backend cpu</source>
        <translation>einen Treiber für CUDA %1 gefunden, erwartet einer für CUDA %2 oder neuer: einen neueren installieren, oder mit --backend cpu laufen</translation>
    </message>
    <message>
        <source>found a trace, expected a %1; pipedeck-cli convert --to profile makes a profile of the modules in it, and says what it assumes</source>
        <translation>einen Trace gefunden, erwartet wird: %1; pipedeck-cli convert --to profile macht aus seinen Modulen ein Profil und sagt, was es annimmt</translation>
    </message>
    <message>
        <source>found no NVIDIA driver, expected one for CUDA %1 or later: install it, or run with --backend cpu</source>
        <translation>kein NVIDIA-Treiber gefunden, erwartet einer für CUDA %1 oder neuer: ihn installieren, oder mit --backend cpu laufen</translation>
    </message>
    <message>
        <source>%1 devices share one GPU: the results are the plan&apos;s, the times are not</source>
        <translation>%1 Geräte teilen sich eine GPU: Die Ergebnisse sind die des Plans, die Zeiten nicht</translation>
    </message>
    <message>
        <source>%1 (%2) and %3 (%4) are taken for one machine</source>
        <translation>%1 (%2) und %3 (%4) gelten als ein Rechner</translation>
    </message>
    <message>
        <source>%1: %2 of %3 pairs were not measured</source>
        <translation>%1: %2 von %3 Paaren wurden nicht gemessen</translation>
    </message>
    <message>
        <source>found %1 above a column, expected GPU %2</source>
        <translation>gefunden: %1 über einer Spalte, erwartet: GPU %2</translation>
    </message>
    <message>
        <source>found %1 rows in the table, expected one for each of the %2 GPUs</source>
        <translation>gefunden: %1 Zeilen in der Tabelle, erwartet: je eine der %2 GPUs</translation>
    </message>
    <message>
        <source>found %1 values of GPU %2, expected one for each of the %3 GPUs</source>
        <translation>gefunden: %1 Werte von GPU %2, erwartet: je einer der %3 GPUs</translation>
    </message>
    <message>
        <source>found a file of no known format, expected JSON with a &apos;format&apos;, a layer graph, a topology of nvidia-smi, NCCL, lstopo or Slurm, copies that nvbandwidth measured, a table of layers or of bandwidths, an ONNX model or a Pipedeck project</source>
        <translation>eine Datei ohne bekanntes Format gefunden, erwartet wird JSON mit einem &apos;format&apos;, ein Schichtgraph, eine Topologie von nvidia-smi, NCCL, lstopo oder Slurm, Kopien, die nvbandwidth gemessen hat, eine Tabelle von Schichten oder Bandbreiten, ein ONNX-Modell oder ein Pipedeck-Projekt</translation>
    </message>
    <message>
        <source>found a row of %1, expected that of GPU %2</source>
        <translation>gefunden: eine Zeile von %1, erwartet: die von GPU %2</translation>
    </message>
    <message>
        <source>found a title without a table, expected one below it</source>
        <translation>gefunden: eine Überschrift ohne Tabelle, erwartet: eine darunter</translation>
    </message>
    <message>
        <source>found no bandwidths of copies in one direction, expected what p2pBandwidthLatencyTest or nvbandwidth prints between GPUs</source>
        <translation>gefunden: keine Bandbreiten von Kopien in einer Richtung, erwartet: was p2pBandwidthLatencyTest oder nvbandwidth zwischen GPUs ausgibt</translation>
    </message>
    <message>
        <source>found %1 between GPU %2 and GPU %3, expected a figure above 0</source>
        <translation>gefunden: %1 zwischen GPU %2 und GPU %3, erwartet: eine Zahl über 0</translation>
    </message>
    <message>
        <source>found %1 columns, expected from 1 to %2</source>
        <translation>gefunden: %1 Spalten, erwartet: 1 bis %2</translation>
    </message>
    <message>
        <source>found %1 columns, expected the %2 of the table before</source>
        <translation>gefunden: %1 Spalten, erwartet: die %2 der Tabelle davor</translation>
    </message>
    <message>
        <source>1 operator has weights of few bits: these are not trained, and no parameters</source>
        <translation>1 Operator hat Gewichte von wenigen Bits: diese werden nicht trainiert und sind keine Parameter</translation>
    </message>
    <message>
        <source>1 weight is used by several layers: each holds a copy, so each counts it</source>
        <translation>1 Gewicht wird von mehreren Schichten benutzt: jede hält eine Kopie, daher zählt jede es</translation>
    </message>
    <message>
        <source>A latency of %1 µs to the network is assumed</source>
        <translation>Eine Latenz von %1 µs zum Netz ist angenommen</translation>
    </message>
    <message>
        <source>%1 of Slurm and %2 (%3) are taken for one machine</source>
        <translation>%1 von Slurm und %2 (%3) gelten als ein Rechner</translation>
    </message>
    <message>
        <source>%1 of Slurm and %2 more are taken to be like %3 (%4)</source>
        <translation>%1 von Slurm und %2 weitere gelten als Rechner wie %3 (%4)</translation>
    </message>
    <message>
        <source>Modules that ran again within the backward pass (recomputation): %1; their time is no layer&apos;s, and kept bytes are those without it</source>
        <translation>Module, die im Rückwärtsdurchlauf noch einmal liefen (Neuberechnung): %1; ihre Zeit zählt zu keiner Schicht, und behaltene Bytes sind die ohne sie</translation>
    </message>
    <message>
        <source>Modules that ran on other threads were left out: %1</source>
        <translation>Weggelassene Module, die auf anderen Threads liefen: %1</translation>
    </message>
    <message>
        <source>Passes that ran other modules were left out: %1</source>
        <translation>Weggelassene Durchläufe, in denen andere Module liefen: %1</translation>
    </message>
    <message>
        <source>Passes without a backward pass were left out: %1</source>
        <translation>Weggelassene Durchläufe ohne Rückwärtsdurchlauf: %1</translation>
    </message>
    <message>
        <source>Products of 8-bit numbers: %1; the graph is for inference and can&apos;t be trained, and these products count as bytes alone; take the model as it was before it was quantised</source>
        <translation>Produkte von 8-Bit-Zahlen: %1; der Graph dient der Inferenz und lässt sich nicht trainieren, und diese Produkte zählen nur als Bytes; das Modell nehmen, wie es vor der Quantisierung war</translation>
    </message>
    <message>
        <source>Runs of element-wise operators that follow from one tensor (normalisations, activations spelled out), each taken as one kernel: %1</source>
        <translation>Folgen elementweiser Operatoren aus einem Tensor (ausgeschriebene Normalisierungen, Aktivierungen), die als je ein Kernel gelten: %1</translation>
    </message>
    <message>
        <source>The first of %1 steps, which warms up, was left out; passes in it: %2</source>
        <translation>Der erste von %1 Schritten, der aufwärmt, wurde weggelassen; Durchläufe darin: %2</translation>
    </message>
    <message>
        <source>Times are medians of the passes (%1) on the processor, from a layer&apos;s begin to the next one&apos;s</source>
        <translation>Zeiten sind Mediane der Durchläufe (%1) auf dem Prozessor, vom Beginn einer Schicht bis zu dem der nächsten</translation>
    </message>
    <message>
        <source>Times are medians of the passes (%1): of a layer&apos;s kernels on the GPU, one after another</source>
        <translation>Zeiten sind Mediane der Durchläufe (%1): der Kernel einer Schicht auf der GPU, einer nach dem anderen</translation>
    </message>
    <message>
        <source>recorded by PyTorch&apos;s profiler; medians of the passes (%1)</source>
        <translation>von PyTorchs Profiler aufgezeichnet; Mediane der Durchläufe (%1)</translation>
    </message>
    <message>
        <source>found the partition &apos;%1&apos; asked for, expected none: no machine tells its own</source>
        <translation>gefunden: die Partition „%1“ ist verlangt, erwartet: keine, denn kein Rechner nennt seine</translation>
    </message>
    <message>
        <source>%1 ranks of one run</source>
        <translation>%1 Ränge eines Laufs</translation>
    </message>
    <message>
        <source>Steps that not all ranks have, left out: %1</source>
        <translation>Weggelassene Schritte, die nicht alle Ränge haben: %1</translation>
    </message>
    <message>
        <source>The ranks&apos; clocks differ by more than a step lasts: each rank is drawn from its own begin of a step</source>
        <translation>Die Uhren der Ränge gehen weiter auseinander, als ein Schritt dauert: jeder Rang ist von seinem eigenen Beginn eines Schritts an gezeichnet</translation>
    </message>
    <message>
        <source>found no rank (&quot;distributedInfo&quot;), expected one: several traces are those of one run&apos;s ranks</source>
        <translation>kein Rang („distributedInfo“) gefunden, erwartet: einer, denn mehrere Traces sind die der Ränge eines Laufs</translation>
    </message>
    <message>
        <source>found no step that all ranks have, expected one at least</source>
        <translation>kein Schritt gefunden, den alle Ränge haben, erwartet: mindestens einer</translation>
    </message>
    <message>
        <source>found device %1 in %2 too, expected traces of different ranks of one run</source>
        <translation>gefunden: Gerät %1 auch in %2, erwartet: Traces verschiedener Ränge eines Laufs</translation>
    </message>
    <message>
        <source>found rank %1 in %2 too, expected traces of different ranks of one run</source>
        <translation>gefunden: Rang %1 auch in %2, erwartet: Traces verschiedener Ränge eines Laufs</translation>
    </message>
    <message>
        <source>Blocks that see chunks of %1 positions are counted as if they saw every one</source>
        <translation>Blöcke, die Abschnitte von %1 Positionen sehen, sind so gezählt, als sähen sie jede</translation>
    </message>
    <message>
        <source>The indexer of sparse attention (index_topk) is left out: attention is counted over every position</source>
        <translation>Der Indexer der dünnen Attention (index_topk) ist weggelassen: Attention ist über jede Position gezählt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::BackendChoice</name>
    <message>
        <source>Train on GPUs</source>
        <translation>Auf GPUs trainieren</translation>
    </message>
    <message>
        <source>Train on the processor</source>
        <translation>Auf dem Prozessor trainieren</translation>
    </message>
    <message>
        <source>Share GPUs</source>
        <translation>GPUs teilen</translation>
    </message>
    <message>
        <source>A GPU for each device</source>
        <translation>Eine GPU je Gerät</translation>
    </message>
    <message>
        <source>Precision %1</source>
        <translation>Genauigkeit %1</translation>
    </message>
    <message>
        <source>Compare again with a smaller micro-batch or with planners that recompute, end other programs on the GPU, or train on the processor.</source>
        <translation>Mit kleinerem Mikro-Batch oder mit Planern, die neu berechnen, noch einmal vergleichen, andere Programme auf der GPU beenden oder auf dem Prozessor trainieren.</translation>
    </message>
    <message>
        <source>What was measured until then is kept. Train on the processor, or, once the GPU is well again, go on from the last checkpoint (More &gt; Go on from) where some were written.</source>
        <translation>Was bis dahin gemessen wurde, bleibt. Auf dem Prozessor trainieren oder, sobald die GPU wieder gesund ist, vom letzten Kontrollpunkt aus weitermachen (Mehr &gt; Weiter ab), wo welche geschrieben wurden.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::BackendOffer</name>
    <message>
        <source>mpirun is not there: install Open MPI (openmpi-bin) to train in several processes</source>
        <translation>mpirun ist nicht da: Open MPI (openmpi-bin) installieren, um in mehreren Prozessen zu trainieren</translation>
    </message>
    <message>
        <source>it could not be found out whether there is MPI: %1</source>
        <translation>Es ließ sich nicht feststellen, ob es MPI gibt: %1</translation>
    </message>
    <message>
        <source>it could not be found out whether there are GPUs: %1</source>
        <translation>Es ließ sich nicht feststellen, ob es GPUs gibt: %1</translation>
    </message>
    <message>
        <source>GPUs can&apos;t be used: %1</source>
        <translation>GPUs sind nicht nutzbar: %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::BandwidthMap</name>
    <message>
        <source>BANDWIDTH BETWEEN DEVICES</source>
        <translation>BANDBREITE ZWISCHEN GERÄTEN</translation>
    </message>
    <message>
        <source>Bandwidth between devices</source>
        <translation>Bandbreite zwischen Geräten</translation>
    </message>
    <message>
        <source>BANDWIDTH BETWEEN NODES</source>
        <translation>BANDBREITE ZWISCHEN KNOTEN</translation>
    </message>
    <message>
        <source>not joined</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>inside %1: %2</source>
        <translation>in %1: %2</translation>
    </message>
    <message>
        <source>%1 – %2: %3</source>
        <translation>%1 – %2: %3</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::BuyPane</name>
    <message>
        <source>What to buy first</source>
        <translation>Was zuerst kaufen</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Write the purchases as a table for other programs</source>
        <translation>Die Anschaffungen als Tabelle für andere Programme schreiben</translation>
    </message>
    <message>
        <source>Purchase</source>
        <translation>Anschaffung</translation>
    </message>
    <message>
        <source>Gain · per price</source>
        <translation>Gewinn · je Preis</translation>
    </message>
    <message>
        <source>What to buy first, a row a purchase</source>
        <translation>Was zuerst kaufen, eine Zeile je Anschaffung</translation>
    </message>
    <message>
        <source>Samples per second more than now · how many of them one more per hour gives, where prices are known</source>
        <translation>Mehr Samples je Sekunde als jetzt · wie viele davon je Euro oder Dollar mehr in der Stunde, wo Preise bekannt sind</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Find &amp;out</source>
        <translation>&amp;Ermitteln</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CalibrationDialog</name>
    <message>
        <source>Mean error of %1 %2: %3 before, %4 after.</source>
        <translation>Mittlerer Fehler, %1 %2: %3 vorher, %4 nachher.</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>fitted from</source>
        <translation>angepasst</translation>
    </message>
    <message>
        <source>left out in turn, each predicted by a fit from the others</source>
        <translation>reihum ausgelassen, jeder aus einer Anpassung an die anderen vorhergesagt</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>No run was held out: these errors say nothing of other runs.</source>
        <translation>Kein Lauf wurde zurückgehalten: diese Fehler sagen nichts über andere Läufe.</translation>
    </message>
    <message>
        <source>%1: overhead %2, slow-down %3, link efficiency %4</source>
        <translation>%1: Overhead %2, Verlangsamung %3, Verbindungseffizienz %4</translation>
    </message>
    <message>
        <source>Calibrate from runs</source>
        <translation>Aus Läufen kalibrieren</translation>
    </message>
    <message>
        <source>The project&apos;s calibration: %1.
%2</source>
        <translation>Die Kalibrierung des Projekts: %1.
%2</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Nutzung</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Error before</source>
        <translation>Fehler vorher</translation>
    </message>
    <message>
        <source>Error after</source>
        <translation>Fehler nachher</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Auf</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>Quartiles</source>
        <translation>Quartile</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Anpassen</translation>
    </message>
    <message>
        <source>Use this calibration</source>
        <translation>Diese Kalibrierung nutzen</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter…</translation>
    </message>
    <message>
        <source>Hold out</source>
        <translation>Zurückhalten</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Use of %1</source>
        <translation>Nutzung von %1</translation>
    </message>
    <message>
        <source>can&apos;t be used: %1</source>
        <translation>nicht nutzbar: %1</translation>
    </message>
    <message>
        <source>This project has no runs yet: launch plans, then fit predictions to what was measured.</source>
        <translation>Dieses Projekt hat noch keine Läufe: Pläne starten, dann die Vorhersagen an das Gemessene anpassen.</translation>
    </message>
    <message>
        <source>Runs are fitted from or held out, to see how far predictions are off for runs that the fit never saw. Where none is held out, each is left out in turn.</source>
        <translation>An Läufe wird angepasst, oder sie werden zurückgehalten, um zu sehen, wie weit Vorhersagen bei Läufen abweichen, die die Anpassung nie gesehen hat. Wo keiner zurückgehalten wird, wird jeder reihum ausgelassen.</translation>
    </message>
    <message>
        <source>Fitting …</source>
        <translation>Anpassung läuft …</translation>
    </message>
    <message>
        <source>Overhead of an operation</source>
        <translation>Overhead einer Operation</translation>
    </message>
    <message>
        <source>Slow-down beside communication</source>
        <translation>Verlangsamung neben Kommunikation</translation>
    </message>
    <message>
        <source>Efficiency of links</source>
        <translation>Effizienz der Verbindungen</translation>
    </message>
    <message>
        <source>not determined</source>
        <translation>nicht bestimmt</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Tick a run to fit from.</source>
        <translation>Einen Lauf zum Anpassen ankreuzen.</translation>
    </message>
    <message>
        <source>Save calibration</source>
        <translation>Kalibrierung speichern</translation>
    </message>
    <message>
        <source>Calibration (*.calibration.json *.json)</source>
        <translation>Kalibrierung (*.calibration.json *.json)</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CapacityPane</name>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Time · price</source>
        <translation>Zeit · Preis</translation>
    </message>
    <message>
        <source>How long the training takes, a row a cluster</source>
        <translation>Wie lange das Training dauert, eine Zeile je Cluster</translation>
    </message>
    <message>
        <source>How many devices?</source>
        <translation>Wie viele Geräte?</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Write the points as a table for other programs</source>
        <translation>Die Punkte als Tabelle für andere Programme schreiben</translation>
    </message>
    <message>
        <source>Train with</source>
        <translation>Trainieren mit</translation>
    </message>
    <message>
        <source>Samples in all, or tokens where it is said how many a sample has: 20M, 300B</source>
        <translation>Samples insgesamt, oder Tokens, wo gesagt ist, wie viele ein Sample hat: 20M, 300B</translation>
    </message>
    <message>
        <source>Tokens per sample</source>
        <translation>Tokens je Sample</translation>
    </message>
    <message>
        <source>How many tokens a sample has; empty: samples are counted</source>
        <translation>Wie viele Tokens ein Sample hat; leer: Samples werden gezählt</translation>
    </message>
    <message>
        <source>Within</source>
        <translation>Binnen</translation>
    </message>
    <message>
        <source>The longest that it may take: 30d, 12h; empty: as long as it takes</source>
        <translation>Wie lange es höchstens dauern darf: 30d, 12h; leer: so lange es dauert</translation>
    </message>
    <message>
        <source>For at most</source>
        <translation>Für höchstens</translation>
    </message>
    <message>
        <source>The most that it may cost: $50000, 50k; empty: whatever it costs</source>
        <translation>Wie viel es höchstens kosten darf: $50000, 50k; leer: was es auch kostet</translation>
    </message>
    <message>
        <source>Every size of the cluster from one node to so many</source>
        <translation>Jede Größe des Clusters von einem Knoten bis zu so vielen</translation>
    </message>
    <message>
        <source>Nodes up to</source>
        <translation>Knoten bis</translation>
    </message>
    <message>
        <source>All devices become each of these types</source>
        <translation>Alle Geräte werden nacheinander von jedem dieser Typen</translation>
    </message>
    <message>
        <source>as today</source>
        <translation>wie heute</translation>
    </message>
    <message>
        <source>every type of the catalogue</source>
        <translation>jeder Typ des Katalogs</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Find out</source>
        <translation>Herausfinden</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>Punkte</translation>
    </message>
    <message>
        <source>Keep what is found in a file, and go on from it another day</source>
        <translation>Behält in einer Datei, was gefunden wird; an einem anderen Tag geht es von dort weiter</translation>
    </message>
    <message>
        <source>&amp;Keep in a file…</source>
        <translation>In einer Datei &amp;behalten…</translation>
    </message>
    <message>
        <source>&amp;Go on from a file…</source>
        <translation>Von einer Datei &amp;weitermachen…</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CapacityRows</name>
    <message>
        <source>1 node</source>
        <translation>1 Knoten</translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation>%1 Knoten</translation>
    </message>
    <message>
        <source>%1 too little memory</source>
        <translation>%1 zu wenig Speicher</translation>
    </message>
    <message>
        <source>no plan</source>
        <translation>kein Plan</translation>
    </message>
    <message>
        <source>%1 too long</source>
        <translation>%1 zu lang</translation>
    </message>
    <message>
        <source>%1 too much</source>
        <translation>%1 zu viel</translation>
    </message>
    <message>
        <source>no price is known</source>
        <translation>kein Preis bekannt</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>peak %1 of %2</source>
        <translation>Spitze %1 von %2</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 Samples/s</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Tokens/s</translation>
    </message>
    <message>
        <source>%1 iterations</source>
        <translation>%1 Iterationen</translation>
    </message>
    <message>
        <source>%1 device-hours</source>
        <translation>%1 Gerätestunden</translation>
    </message>
    <message>
        <source>Double-click to take the plan into the project</source>
        <translation>Doppelklick nimmt den Plan ins Projekt</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 d</translation>
    </message>
    <message>
        <source>To take: %1, %2.</source>
        <translation>Zu nehmen: %1, %2.</translation>
    </message>
    <message>
        <source>None meets this; nearest: %1, %2.</source>
        <translation>Keiner genügt; am nächsten: %1, %2.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CapacityStudy</name>
    <message>
        <source>point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>points</source>
        <translation>Punkte</translation>
    </message>
    <message>
        <source>How many devices</source>
        <translation>Wie viele Geräte</translation>
    </message>
    <message>
        <source>There is no question yet.</source>
        <translation>Es gibt noch keine Frage.</translation>
    </message>
    <message>
        <source>found points of another question (model, cluster, conventions, planners, prices or version of the program), expected those of this one</source>
        <translation>Punkte einer anderen Frage gefunden (Modell, Cluster, Konventionen, Planer, Preise oder Version des Programms), erwartet werden die dieser Frage</translation>
    </message>
    <message>
        <source>found no point of the question&apos;s batch, expected at least one</source>
        <translation>keinen Punkt mit dem Batch der Frage gefunden, erwartet wird mindestens einer</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ChartActions</name>
    <message>
        <source>Find in c&amp;harts…</source>
        <translation>In &amp;Diagrammen suchen…</translation>
    </message>
    <message>
        <source>Operations by micro-batch, stage, device and kind</source>
        <translation>Operationen nach Mikro-Batch, Stufe, Gerät und Art</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>&amp;Nächste suchen</translation>
    </message>
    <message>
        <source>The next operation that was found</source>
        <translation>Die nächste gefundene Operation</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>Vorige suc&amp;hen</translation>
    </message>
    <message>
        <source>The operation found before this one</source>
        <translation>Die vorige gefundene Operation</translation>
    </message>
    <message>
        <source>&amp;Measure between two cursors</source>
        <translation>Zwischen zwei Cursorn &amp;messen</translation>
    </message>
    <message>
        <source>Sets one cursor, then the other; they snap to operations and can be dragged</source>
        <translation>Setzt einen Cursor, dann den anderen; sie rasten an Operationen ein und lassen sich ziehen</translation>
    </message>
    <message>
        <source>Remo&amp;ve the measure</source>
        <translation>Mess&amp;ung entfernen</translation>
    </message>
    <message>
        <source>Takes both cursors away</source>
        <translation>Nimmt beide Cursor weg</translation>
    </message>
    <message>
        <source>Zoom to the selected operation</source>
        <translation>Auf die gewählte Operation zoomen</translation>
    </message>
    <message>
        <source>As wide as a third of the chart</source>
        <translation>So breit wie ein Drittel des Diagramms</translation>
    </message>
    <message>
        <source>Charts &amp;side by side</source>
        <translation>Diagramme nebene&amp;inander</translation>
    </message>
    <message>
        <source>As many beside one another as there is room for</source>
        <translation>So viele nebeneinander, wie Platz haben</translation>
    </message>
    <message>
        <source>Lanes of &amp;links</source>
        <translation>&amp;Jede Verbindung als Spur</translation>
    </message>
    <message>
        <source>A lane a link, with its transfers</source>
        <translation>Eine Spur je Verbindung, mit ihren Übertragungen</translation>
    </message>
    <message>
        <source>&amp;Overview strip</source>
        <translation>&amp;Übersichtsstreifen</translation>
    </message>
    <message>
        <source>The whole time, with what is shown as a frame</source>
        <translation>Die ganze Zeit, das Gezeigte als Rahmen</translation>
    </message>
    <message>
        <source>&amp;Difference to</source>
        <translation>Differen&amp;z zu</translation>
    </message>
    <message>
        <source>OPERATIONS</source>
        <translation>OPERATIONEN</translation>
    </message>
    <message>
        <source>&amp;Table of operations</source>
        <translation>T&amp;abelle der Operationen</translation>
    </message>
    <message>
        <source>The chart&apos;s operations as rows: filter, sort, copy</source>
        <translation>Die Operationen des Diagramms als Zeilen: filtern, sortieren, kopieren</translation>
    </message>
    <message>
        <source>Tick two plans to see their difference</source>
        <translation>Zwei Pläne ankreuzen, um ihre Differenz zu sehen</translation>
    </message>
    <message>
        <source>A lane under the chart: what is gained and lost</source>
        <translation>Eine Spur unter dem Diagramm: was gewonnen und verloren wird</translation>
    </message>
    <message>
        <source>Explain the difference to %1</source>
        <translation>Die Differenz zu %1 erklären</translation>
    </message>
    <message>
        <source>&amp;Zoom to it</source>
        <translation>Hin&amp;zoomen</translation>
    </message>
    <message>
        <source>&amp;Copy its text</source>
        <translation>Text &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Find micro-batch %1</source>
        <translation>Mikro-Batch %1 &amp;suchen</translation>
    </message>
    <message>
        <source>&amp;Measure it</source>
        <translation>&amp;Messen</translation>
    </message>
    <message>
        <source>Show in the &amp;table</source>
        <translation>In der &amp;Tabelle zeigen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ChartSearch</name>
    <message>
        <source>Find operations</source>
        <translation>Operationen suchen</translation>
    </message>
    <message>
        <source>Find operations: B 12 s3</source>
        <translation>Operationen suchen: B 12 s3</translation>
    </message>
    <message>
        <source>12 · s3 · G5 · F B W R · transfer · all-reduce — Enter: next, Shift+Enter: previous</source>
        <translation>12 · s3 · G5 · F B W R · transfer · all-reduce — Eingabe: nächste, Umschalt+Eingabe: vorige</translation>
    </message>
    <message>
        <source>Previous match (Shift+Enter)</source>
        <translation>Voriger Treffer (Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>Next match (Enter)</source>
        <translation>Nächster Treffer (Eingabe)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>sucht…</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>nichts gefunden</translation>
    </message>
    <message>
        <source>%L1 found</source>
        <translation>%L1 gefunden</translation>
    </message>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L1 von %L2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CheckpointList</name>
    <message>
        <source>step %1: incomplete, %2 missing</source>
        <translation>Schritt %1: unvollständig, es fehlt %2</translation>
    </message>
    <message>
        <source>step %1: %2 with %3, %4</source>
        <translation>Schritt %1: %2 mit %3, %4</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>there are no checkpoints in this folder</source>
        <translation>in diesem Ordner liegen keine Checkpoints</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ChildProcess</name>
    <message>
        <source>%1 could not be started: %2</source>
        <translation>%1 ließ sich nicht starten: %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Choices</name>
    <message>
        <source>Ideal</source>
        <translation>Ideal</translation>
    </message>
    <message>
        <source>Every transfer has the whole bandwidth of its way; those between the same two nodes go one after another.</source>
        <translation>Jede Übertragung hat die volle Bandbreite ihres Wegs; die zwischen denselben zwei Knoten folgen nacheinander.</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>Geteilt</translation>
    </message>
    <message>
        <source>Whatever crosses a link at the same time shares its bandwidth fairly, all-reduces included.</source>
        <translation>Was gleichzeitig über eine Verbindung geht, teilt sich ihre Bandbreite fair, auch All-Reduces.</translation>
    </message>
    <message>
        <source>After backward</source>
        <translation>Nach rückwärts</translation>
    </message>
    <message>
        <source>A stage&apos;s gradients are all-reduced once its last backward is done.</source>
        <translation>Die Gradienten einer Stufe gehen ins All-Reduce, sobald ihr letzter Rückwärtsdurchlauf fertig ist.</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>Je Schicht</translation>
    </message>
    <message>
        <source>Each layer&apos;s gradients are all-reduced as soon as they are there, behind the backward.</source>
        <translation>Die Gradienten jeder Schicht gehen ins All-Reduce, sobald sie da sind, hinter dem Rückwärtsdurchlauf.</translation>
    </message>
    <message>
        <source>By bucket</source>
        <translation>Je Bucket</translation>
    </message>
    <message>
        <source>Gradients of several layers are all-reduced together as soon as they fill a bucket.</source>
        <translation>Gradienten mehrerer Schichten gehen gemeinsam ins All-Reduce, sobald sie einen Bucket füllen.</translation>
    </message>
    <message>
        <source>Fastest ring</source>
        <translation>Bester Ring</translation>
    </message>
    <message>
        <source>The faster of a flat and a hierarchical ring, for each all-reduce.</source>
        <translation>Der schnellere aus flachem und hierarchischem Ring, für jedes All-Reduce.</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>One ring over all devices; its slowest hop holds back the others.</source>
        <translation>Ein Ring über alle Geräte; der langsamste Abschnitt bremst die anderen.</translation>
    </message>
    <message>
        <source>Hierarchical</source>
        <translation>Hierarchisch</translation>
    </message>
    <message>
        <source>Rings inside the nodes, then one over the nodes.</source>
        <translation>Ringe in den Knoten, dann einer über die Knoten.</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>A double binary tree: few steps, for many devices and little data.</source>
        <translation>Ein doppelter Binärbaum: wenige Schritte, für viele Geräte und wenig Daten.</translation>
    </message>
    <message>
        <source>NCCL</source>
        <translation>NCCL</translation>
    </message>
    <message>
        <source>What NCCL&apos;s own estimate of algorithms and protocols chooses.</source>
        <translation>Was NCCLs eigene Schätzung aus Algorithmen und Protokollen wählt.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Clipboard</name>
    <message>
        <source>There are no plans on the clipboard. Copy some in the table of plans, or the text of a plan file (*.plan.json), then paste again.</source>
        <translation>Keine Pläne in der Zwischenablage. Welche in der Plantabelle kopieren, oder den Text einer Plandatei (*.plan.json), dann erneut einfügen.</translation>
    </message>
    <message>
        <source>Made for %1 on %2.</source>
        <translation>Gemacht für %1 auf %2.</translation>
    </message>
    <message>
        <source>Choose the model and the cluster that the plans are for, then paste.</source>
        <translation>Modell und Cluster der Pläne wählen, dann einfügen.</translation>
    </message>
    <message>
        <source>Item %1</source>
        <translation>Eintrag %1</translation>
    </message>
    <message>
        <source>%1 is no plan of %2 on %3: %4</source>
        <translation>%1 ist kein Plan von %2 auf %3: %4</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CloudDialog</name>
    <message>
        <source>Machines of a cloud</source>
        <translation>Rechner einer Cloud</translation>
    </message>
    <message>
        <source>&amp;Add cluster</source>
        <translation>&amp;Cluster hinzufügen</translation>
    </message>
    <message>
        <source>Search: aws h100, 8 NVLink</source>
        <translation>Suchen: aws h100, 8 NVLink</translation>
    </message>
    <message>
        <source>Search machines</source>
        <translation>Rechner suchen</translation>
    </message>
    <message>
        <source>Machines that clouds rent out</source>
        <translation>Rechner, die Clouds vermieten</translation>
    </message>
    <message>
        <source>Figures as published in %1; prices: about list prices of %2 for the devices, on demand, to be edited in the cluster.</source>
        <translation>Angaben wie veröffentlicht (%1); Preise: etwa die Listenpreise der Geräte von %2 ohne Bindung, im Cluster zu ändern.</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Cloud</source>
        <translation>Cloud</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Joined by</source>
        <translation>Innen durch</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>An hour</source>
        <translation>Je Stunde</translation>
    </message>
    <message>
        <source>Figures of %1, price of %2</source>
        <translation>Angaben von %1, Preis von %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CloudOffers</name>
    <message>
        <source>PCI Express</source>
        <translation>PCI Express</translation>
    </message>
    <message>
        <source>NVLink</source>
        <translation>NVLink</translation>
    </message>
    <message>
        <source>Machines of a cloud</source>
        <translation>Rechner einer Cloud</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ClusterEdits</name>
    <message>
        <source>The clipboard holds no part of a cluster: copy nodes or switches first.</source>
        <translation>Die Zwischenablage enthält keinen Teil eines Clusters: erst Knoten oder Switches kopieren.</translation>
    </message>
    <message>
        <source>A cluster with a bandwidth matrix can&apos;t be added to: turn the matrix into links first.</source>
        <translation>Ein Cluster mit Bandbreitenmatrix lässt sich nicht erweitern: erst die Matrix in Verbindungen umwandeln.</translation>
    </message>
    <message>
        <source>The bandwidths of this cluster are a matrix, device by device. Turn it into links first (Cluster &gt; Links instead of the matrix).</source>
        <translation>Die Bandbreiten dieses Clusters sind eine Matrix, Gerät für Gerät. Erst in Verbindungen umwandeln (Cluster &gt; Verbindungen statt Matrix).</translation>
    </message>
    <message>
        <source>A cluster keeps one node at least. To be rid of it all, delete the cluster.</source>
        <translation>Ein Cluster behält mindestens einen Knoten. Um alles loszuwerden, den Cluster löschen.</translation>
    </message>
    <message>
        <source>Nodes and switches need a name.</source>
        <translation>Knoten und Switches brauchen einen Namen.</translation>
    </message>
    <message>
        <source>There is a node or switch named %1 already.</source>
        <translation>Es gibt schon einen Knoten oder Switch namens %1.</translation>
    </message>
    <message>
        <source>A node has one device at least.</source>
        <translation>Ein Knoten hat mindestens ein Gerät.</translation>
    </message>
    <message>
        <source>Give %1 a bandwidth inside before its latency.</source>
        <translation>%1 erst eine Bandbreite im Knoten geben, dann eine Latenz.</translation>
    </message>
    <message>
        <source>A device type needs a name.</source>
        <translation>Ein Gerätetyp braucht einen Namen.</translation>
    </message>
    <message>
        <source>There is a device type named %1 already.</source>
        <translation>Es gibt schon einen Gerätetyp namens %1.</translation>
    </message>
    <message>
        <source>This cluster has links already.</source>
        <translation>Dieser Cluster hat schon Verbindungen.</translation>
    </message>
    <message>
        <source>Select nodes or switches to group them in a rack.</source>
        <translation>Knoten oder Switches wählen, um sie in einem Rack zu gruppieren.</translation>
    </message>
    <message>
        <source>A rack needs a name.</source>
        <translation>Ein Rack braucht einen Namen.</translation>
    </message>
    <message>
        <source>There is a rack named %1 already.</source>
        <translation>Es gibt schon ein Rack namens %1.</translation>
    </message>
    <message>
        <source>rack %1</source>
        <translation>Rack %1</translation>
    </message>
    <message>
        <source>A link joins two different ends.</source>
        <translation>Eine Verbindung verbindet zwei verschiedene Enden.</translation>
    </message>
    <message>
        <source>%1 and %2 are joined already.</source>
        <translation>%1 und %2 sind schon verbunden.</translation>
    </message>
    <message>
        <source>%1 has devices of type %2: give it others first.</source>
        <translation>%1 hat Geräte vom Typ %2: ihm zuerst andere geben.</translation>
    </message>
    <message>
        <source>There is no device type named %1: choose one of the list, or add it from the palette.</source>
        <translation>Es gibt keinen Gerätetyp namens %1: Einen aus der Liste wählen oder ihn aus der Palette hinzufügen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ComparePage</name>
    <message>
        <source>Choose a model and a cluster, then press Compare.</source>
        <translation>Modell und Cluster wählen, dann auf Vergleichen klicken.</translation>
    </message>
    <message>
        <source>Choose a cluster, then press Compare.</source>
        <translation>Cluster wählen, dann auf Vergleichen klicken.</translation>
    </message>
    <message>
        <source>Press Compare, then select a plan: its layers are cut into stages here.</source>
        <translation>Auf Vergleichen klicken, dann einen Plan wählen: hier werden seine Schichten in Stufen geschnitten.</translation>
    </message>
    <message>
        <source>This planner found no plan: %1</source>
        <translation>Dieser Planer fand keinen Plan: %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ComparisonPane</name>
    <message>
        <source>Compared plans</source>
        <translation>Verglichene Pläne</translation>
    </message>
    <message>
        <source>Tick plans in the table to compare their charts here.</source>
        <translation>Pläne in der Tabelle ankreuzen, um ihre Diagramme hier zu vergleichen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::CoreFields</name>
    <message>
        <source>Processor cores of the devices</source>
        <translation>Prozessorkerne der Geräte</translation>
    </message>
    <message>
        <source>any: chosen by the system</source>
        <translation>vom System gewählt</translation>
    </message>
    <message>
        <source>The processor core of each device, in their order, such as 0-3,4-7; two devices may share one. Empty: the operating system chooses</source>
        <translation>Der Prozessorkern jedes Geräts, in ihrer Reihenfolge, etwa 0-3,4-7; zwei Geräte dürfen sich einen teilen. Leer: das Betriebssystem wählt</translation>
    </message>
    <message>
        <source>Each…</source>
        <translation>Einzeln…</translation>
    </message>
    <message>
        <source>A line for each device</source>
        <translation>Eine Zeile je Gerät</translation>
    </message>
    <message>
        <source>Processor core of each device</source>
        <translation>Prozessorkern jedes Geräts</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Core</source>
        <translation>Kern</translation>
    </message>
    <message>
        <source>Cores: expected %1, one for each device, such as 0-3,4-7.</source>
        <translation>Kerne: erwartet werden %1, einer je Gerät, etwa 0-3,4-7.</translation>
    </message>
    <message>
        <source>Cores: there is no core %1 to use here, only %2.</source>
        <translation>Kerne: Kern %1 ist hier nicht zu haben, nur %2.</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::DeviceGroupsEdit</name>
    <message>
        <source>several</source>
        <translation>mehrere</translation>
    </message>
    <message>
        <source>+ another type</source>
        <translation>+ weiterer Typ</translation>
    </message>
    <message>
        <source>Devices of another type in the same node</source>
        <translation>Geräte eines anderen Typs im selben Knoten</translation>
    </message>
    <message>
        <source>Take these devices out</source>
        <translation>Diese Geräte herausnehmen</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>Wie viele</translation>
    </message>
    <message>
        <source>Device type</source>
        <translation>Gerätetyp</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::DeviceTypeEdit</name>
    <message>
        <source>Device type</source>
        <translation>Gerätetyp</translation>
    </message>
    <message>
        <source>Memory each</source>
        <translation>Speicher je Gerät</translation>
    </message>
    <message>
        <source>For example 16 GiB</source>
        <translation>Zum Beispiel 16 GiB</translation>
    </message>
    <message>
        <source>Relative speed</source>
        <translation>Relatives Tempo</translation>
    </message>
    <message>
        <source>Twice as large is twice as fast, where a profile says no more</source>
        <translation>Doppelt so groß ist doppelt so schnell, wo ein Profil nicht mehr sagt</translation>
    </message>
    <message>
        <source>Memory at</source>
        <translation>Speicher mit</translation>
    </message>
    <message>
        <source>Bandwidth of the device&apos;s own memory; may be unknown</source>
        <translation>Bandbreite des eigenen Gerätespeichers; kann unbekannt sein</translation>
    </message>
    <message>
        <source>Price an hour</source>
        <translation>Preis je Stunde</translation>
    </message>
    <message>
        <source>Of one device, in any currency; may be unknown</source>
        <translation>Eines Geräts, in beliebiger Währung; kann unbekannt sein</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Remove type</source>
        <translation>Typ entfernen</translation>
    </message>
    <message>
        <source>No node has devices of this type</source>
        <translation>Kein Knoten hat Geräte dieses Typs</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Dialogs</name>
    <message>
        <source>Unsaved changes</source>
        <translation>Nicht gespeicherte Änderungen</translation>
    </message>
    <message>
        <source>%1 has changes that are not saved.</source>
        <translation>%1 hat nicht gespeicherte Änderungen.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Do not save</source>
        <translation>Nicht speichern</translation>
    </message>
    <message>
        <source>Restore unsaved changes</source>
        <translation>Änderungen wiederherstellen</translation>
    </message>
    <message>
        <source>Pipedeck ended without saving %1.</source>
        <translation>Pipedeck endete, ohne %1 zu speichern.</translation>
    </message>
    <message>
        <source>Pipedeck ended without saving a new project.</source>
        <translation>Pipedeck endete, ohne ein neues Projekt zu speichern.</translation>
    </message>
    <message>
        <source>Changes up to %1 were kept.</source>
        <translation>Änderungen bis %1 sind erhalten.</translation>
    </message>
    <message>
        <source>The saved file can&apos;t be read: %1</source>
        <translation>Die gespeicherte Datei ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>The file was last saved %1.</source>
        <translation>Die Datei wurde zuletzt %1 gespeichert.</translation>
    </message>
    <message>
        <source>Either can be had back with Undo and Redo until the project is closed.</source>
        <translation>Bis das Projekt geschlossen wird, sind beide mit Rückgängig und Wiederholen erreichbar.</translation>
    </message>
    <message>
        <source>Restore changes</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Open last saved</source>
        <translation>Gespeicherte öffnen</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Decide later</source>
        <translation>Später entscheiden</translation>
    </message>
    <message>
        <source>Micro-batch of the profile</source>
        <translation>Mikro-Batch des Profils</translation>
    </message>
    <message>
        <source>%1 does not say how many samples its times are for.
Samples of one forward and backward pass:</source>
        <translation>%1 sagt nicht, für wie viele Samples seine Zeiten gelten.
Samples eines Vorwärts- und Rückwärtsdurchlaufs:</translation>
    </message>
    <message>
        <source>A run is under way</source>
        <translation>Ein Lauf ist im Gang</translation>
    </message>
    <message>
        <source>%1 is being trained.</source>
        <translation>%1 wird trainiert.</translation>
    </message>
    <message>
        <source>It ends with the window. What it measured so far is kept in the project.</source>
        <translation>Er endet mit dem Fenster. Was er bisher gemessen hat, bleibt im Projekt.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Let it go on</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::DifferenceView</name>
    <message>
        <source>Difference between two plans</source>
        <translation>Differenz zwischen zwei Plänen</translation>
    </message>
    <message>
        <source>Difference to %1: being computed…</source>
        <translation>Differenz zu %1: wird berechnet…</translation>
    </message>
    <message>
        <source>Difference to %1: %2 of device time gained, %3 lost</source>
        <translation>Differenz zu %1: %2 Gerätezeit gewonnen, %3 verloren</translation>
    </message>
    <message>
        <source>only %1 is busy: gained</source>
        <translation>nur %1 arbeitet: gewonnen</translation>
    </message>
    <message>
        <source>only %1 is busy: lost</source>
        <translation>nur %1 arbeitet: verloren</translation>
    </message>
    <message>
        <source>different operations</source>
        <translation>verschiedene Operationen</translation>
    </message>
    <message>
        <source>below: the operation starts earlier (hatched: by little)</source>
        <translation>unten: die Operation beginnt früher (schraffiert: nur wenig)</translation>
    </message>
    <message>
        <source>later</source>
        <translation>später</translation>
    </message>
    <message>
        <source>%1 %2, stage %3, %4</source>
        <translation>%1 %2, Stufe %3, %4</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>untätig</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>starts when it does in %1</source>
        <translation>beginnt wie in %1</translation>
    </message>
    <message>
        <source>starts %1 earlier than in %2</source>
        <translation>beginnt %1 früher als in %2</translation>
    </message>
    <message>
        <source>starts %1 later than in %2</source>
        <translation>beginnt %1 später als in %2</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::EmptyStates</name>
    <message>
        <source>Which model is to be trained?</source>
        <translation>Welches Modell soll trainiert werden?</translation>
    </message>
    <message>
        <source>Choose one of the presets, or import a profile of yours: times and bytes of each layer.</source>
        <translation>Eine der Vorlagen wählen oder ein eigenes Profil importieren: Zeiten und Bytes jeder Schicht.</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Import a profile…</source>
        <translation>Profil importieren…</translation>
    </message>
    <message>
        <source>Take the sample</source>
        <translation>Beispiel nehmen</translation>
    </message>
    <message>
        <source>What is it to be trained on?</source>
        <translation>Worauf soll es trainiert werden?</translation>
    </message>
    <message>
        <source>Choose one of the presets, or import a cluster of yours: devices and what joins them.</source>
        <translation>Eine der Vorlagen wählen oder einen eigenen Cluster importieren: Geräte und was sie verbindet.</translation>
    </message>
    <message>
        <source>Choose a cluster</source>
        <translation>Cluster wählen</translation>
    </message>
    <message>
        <source>Import a cluster…</source>
        <translation>Cluster importieren…</translation>
    </message>
    <message>
        <source>Comparing plans</source>
        <translation>Pläne werden verglichen</translation>
    </message>
    <message>
        <source>Each planner answers by itself; the first plans come in a moment.</source>
        <translation>Jeder Planer antwortet für sich; die ersten Pläne kommen gleich.</translation>
    </message>
    <message>
        <source>All planners answer for %1 on %2 with %3 samples an iteration, and one simulator judges them.</source>
        <translation>Alle Planer antworten für %1 auf %2 mit %3 Samples je Iteration, und ein Simulator bewertet sie.</translation>
    </message>
    <message>
        <source>Nothing is compared yet</source>
        <translation>Noch nichts verglichen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>Noch kein Lauf</translation>
    </message>
    <message>
        <source>A plan is what is run. Compare plans first, then launch one of them on this machine.</source>
        <translation>Ein Plan ist es, was läuft. Erst Pläne vergleichen, dann einen davon auf diesem Rechner starten.</translation>
    </message>
    <message>
        <source>Launch trains the selected plan on this machine. Throughput, loss, busy time and memory are drawn here while it runs, the measured beside the predicted.</source>
        <translation>Starten trainiert den gewählten Plan auf diesem Rechner. Durchsatz, Verlust, belegte Zeit und Speicher werden hier gezeichnet, während er läuft, das Gemessene neben dem Vorhergesagten.</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Starten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::EngineDialog</name>
    <message>
        <source>&amp;Engine</source>
        <translation>&amp;Framework</translation>
    </message>
    <message>
        <source>What the engine can&apos;t run</source>
        <translation>Was das Framework nicht ausführen kann</translation>
    </message>
    <message>
        <source>Text for the engine</source>
        <translation>Text für das Framework</translation>
    </message>
    <message>
        <source>The nearest plan that it can run</source>
        <translation>Der nächste Plan, den es ausführen kann</translation>
    </message>
    <message>
        <source>&amp;Add this plan to the comparison</source>
        <translation>Diesen Plan zum Vergleich &amp;hinzufügen</translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation>&amp;Speichern unter…</translation>
    </message>
    <message>
        <source>%1 for another engine</source>
        <translation>%1 für ein anderes Framework</translation>
    </message>
    <message>
        <source>Looking at what %1 can run…</source>
        <translation>Was %1 ausführen kann, wird gesucht…</translation>
    </message>
    <message>
        <source>%1 runs this plan as it is.</source>
        <translation>%1 führt diesen Plan aus, wie er ist.</translation>
    </message>
    <message>
        <source>%1 can&apos;t run this plan as it is:</source>
        <translation>%1 kann diesen Plan so nicht ausführen:</translation>
    </message>
    <message>
        <source>What it takes</source>
        <translation>Was es bekommt</translation>
    </message>
    <message>
        <source>There is none: no plan of these layers on these devices would do.</source>
        <translation>Es gibt keinen: kein Plan dieser Schichten auf diesen Geräten ginge.</translation>
    </message>
    <message>
        <source>%1, %2, %3 micro-batches of %4: %5 an iteration instead of %6 (%7).</source>
        <translation>%1, %2, %3 Mikro-Batches von %4: %5 je Iteration statt %6 (%7).</translation>
    </message>
    <message>
        <source> It needs more memory than the devices have.</source>
        <translation> Er braucht mehr Speicher, als die Geräte haben.</translation>
    </message>
    <message>
        <source>What it takes of the nearest plan</source>
        <translation>Was es vom nächsten Plan bekommt</translation>
    </message>
    <message>
        <source>It is in the comparison</source>
        <translation>Er steht im Vergleich</translation>
    </message>
    <message>
        <source>Add plan for %1</source>
        <translation>Plan für %1 hinzufügen</translation>
    </message>
    <message>
        <source>Plan for %1</source>
        <translation>Plan für %1</translation>
    </message>
    <message>
        <source>%1 (*%2);;All files (*)</source>
        <translation>%1 (*%2);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::EngineOffer</name>
    <message>
        <source>%1 for other engines</source>
        <translation>%1 für andere Frameworks</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1 für %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Explain</name>
    <message>
        <source>Forward and backward passes of the average device</source>
        <translation>Vorwärts- und Rückwärtsdurchläufe des mittleren Geräts</translation>
    </message>
    <message>
        <source>What the busiest device computes more than the average one</source>
        <translation>Was das am stärksten belegte Gerät mehr rechnet als das mittlere</translation>
    </message>
    <message>
        <source>What the passes take beyond the busiest device&apos;s, communication left aside</source>
        <translation>Was die Durchläufe über das am stärksten belegte Gerät hinaus brauchen, ohne Kommunikation</translation>
    </message>
    <message>
        <source>Forward passes that run again before the backward</source>
        <translation>Vorwärtsdurchläufe, die vor rückwärts noch einmal laufen</translation>
    </message>
    <message>
        <source>Optimizer steps</source>
        <translation>Optimierer-Schritte</translation>
    </message>
    <message>
        <source>All-reduces inside the passes of tensor-parallel layers</source>
        <translation>All-Reduces in den Durchläufen tensorparalleler Schichten</translation>
    </message>
    <message>
        <source>Transfers between stages that nothing hides</source>
        <translation>Übertragungen zwischen Stufen, die nichts verdeckt</translation>
    </message>
    <message>
        <source>All-reduces of gradients that nothing hides</source>
        <translation>All-Reduces der Gradienten, die nichts verdeckt</translation>
    </message>
    <message>
        <source>link inside %1</source>
        <translation>Verbindung in %1</translation>
    </message>
    <message>
        <source>link %1–%2</source>
        <translation>Verbindung %1–%2</translation>
    </message>
    <message>
        <source>%1 + %2 more, each</source>
        <translation>%1 + %2 weitere, je</translation>
    </message>
    <message>
        <source>speed of %1</source>
        <translation>Tempo von %1</translation>
    </message>
    <message>
        <source>memory of %1</source>
        <translation>Speicher von %1</translation>
    </message>
    <message>
        <source>speed of %1, each</source>
        <translation>Tempo von %1, je</translation>
    </message>
    <message>
        <source>memory of %1, each</source>
        <translation>Speicher von %1, je</translation>
    </message>
    <message>
        <source>Bandwidth of links</source>
        <translation>Bandbreite der Verbindungen</translation>
    </message>
    <message>
        <source>Speed of devices</source>
        <translation>Tempo der Geräte</translation>
    </message>
    <message>
        <source>Memory of devices</source>
        <translation>Speicher der Geräte</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>imbalance of stages</source>
        <translation>Ungleichheit der Stufen</translation>
    </message>
    <message>
        <source>pipeline bubble</source>
        <translation>Pipeline-Leerlauf (Bubble)</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>tensor parallelism</source>
        <translation>Tensorparallelität</translation>
    </message>
    <message>
        <source>transfers between stages</source>
        <translation>Übertragungen zwischen Stufen</translation>
    </message>
    <message>
        <source>all-reduce tail</source>
        <translation>Rest des All-Reduce</translation>
    </message>
    <message>
        <source>Iteration of %1</source>
        <translation>Iteration von %1</translation>
    </message>
    <message>
        <source>%1 in %2, %3 in %4</source>
        <translation>%1 in %2, %3 in %4</translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation>%1 von %2: %3</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ExplainPage</name>
    <message>
        <source>Compare plans first: a waterfall leads from one to another.</source>
        <translation>Erst Pläne vergleichen: ein Wasserfall führt vom einen zum anderen.</translation>
    </message>
    <message>
        <source>Being computed…</source>
        <translation>Wird berechnet…</translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation>Erst einen Plan wählen.</translation>
    </message>
    <message>
        <source>Find out which link, device or memory %1 would gain from.</source>
        <translation>Ermitteln, was %1 nützt: Verbindung, Gerät oder Speicher.</translation>
    </message>
    <message>
        <source>Make a plan first.</source>
        <translation>Erst einen Plan machen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ExplainView</name>
    <message>
        <source>Where two plans differ</source>
        <translation>Worin sich zwei Pläne unterscheiden</translation>
    </message>
    <message>
        <source>&amp;From</source>
        <translation>&amp;Von</translation>
    </message>
    <message>
        <source>&amp;To</source>
        <translation>&amp;Nach</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the rows, with tabs between columns</source>
        <translation>Zeilen kopieren, mit Tabulatoren zwischen den Spalten</translation>
    </message>
    <message>
        <source>Part of the iteration</source>
        <translation>Teil der Iteration</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Waterfall between two plans</source>
        <translation>Wasserfall zwischen zwei Plänen</translation>
    </message>
    <message>
        <source>What would shorten the iteration</source>
        <translation>Was die Iteration verkürzen würde</translation>
    </message>
    <message>
        <source>Each link and device 10 % better by itself, simulated again.</source>
        <translation>Jede Verbindung und jedes Gerät für sich 10 % besser, neu simuliert.</translation>
    </message>
    <message>
        <source>10 % more</source>
        <translation>10 % mehr</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Change of the iteration, a row a link or device</source>
        <translation>Änderung der Iteration, eine Zeile je Verbindung oder Gerät</translation>
    </message>
    <message>
        <source>How much the iteration varies</source>
        <translation>Wie stark die Iteration schwankt</translation>
    </message>
    <message>
        <source>Passes &amp;vary by</source>
        <translation>Durchläufe sch&amp;wanken um</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Standard deviation of every pass&apos;s time, over its mean</source>
        <translation>Standardabweichung der Zeit jedes Durchlaufs, durch ihren Mittelwert</translation>
    </message>
    <message>
        <source>Bars lead from p5 to p95 of %1 iterations, with a line at p50; dashed: nothing varies.</source>
        <translation>Balken reichen von p5 bis p95 aus %1 Iterationen, mit Strich bei p50; gestrichelt: nichts schwankt.</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>p5 / p50 / p95</source>
        <translation>p5 / p50 / p95</translation>
    </message>
    <message>
        <source>How much the iteration varies, a row a plan</source>
        <translation>Wie stark die Iteration schwankt, eine Zeile je Plan</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Find &amp;out</source>
        <translation>&amp;Ermitteln</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Explainer</name>
    <message>
        <source>Explain %1</source>
        <translation>%1 erklären</translation>
    </message>
    <message>
        <source>Sensitivity of %1</source>
        <translation>Sensitivität von %1</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>Sensitivität</translation>
    </message>
    <message>
        <source>%1 links and devices</source>
        <translation>%1 Verbindungen und Geräte</translation>
    </message>
    <message>
        <source>Jitter of %1</source>
        <translation>Jitter von %1</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>It could not be computed.</source>
        <translation>Die Berechnung ist nicht gelungen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Exports</name>
    <message>
        <source>&amp;Table (CSV)</source>
        <translation>&amp;Tabelle (CSV)</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>&amp;Job script</source>
        <translation>&amp;Job-Skript</translation>
    </message>
    <message>
        <source>&amp;Slurm…</source>
        <translation>&amp;Slurm…</translation>
    </message>
    <message>
        <source>&amp;mpirun…</source>
        <translation>&amp;mpirun…</translation>
    </message>
    <message>
        <source>A script that trains the model with the selected plan by pipedeck-cli run</source>
        <translation>Ein Skript, das das Modell mit dem gewählten Plan per pipedeck-cli run trainiert</translation>
    </message>
    <message>
        <source>Export picture…</source>
        <translation>Bild exportieren…</translation>
    </message>
    <message>
        <source>Export %1 as CSV…</source>
        <translation>%1 als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>Bild exportieren</translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf);;All files (*)</source>
        <translation>Bilder (*.png *.svg *.pdf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Export table</source>
        <translation>Tabelle exportieren</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>%1 exportieren</translation>
    </message>
    <message>
        <source>Tables (*.csv);;All files (*)</source>
        <translation>Tabellen (*.csv);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The figures were not computed: try again.</source>
        <translation>Die Zahlen wurden nicht berechnet: bitte erneut versuchen.</translation>
    </message>
    <message>
        <source>Export job script</source>
        <translation>Job-Skript exportieren</translation>
    </message>
    <message>
        <source>Scripts (*.sh);;All files (*)</source>
        <translation>Skripte (*.sh);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Report…</source>
        <translation>B&amp;ericht…</translation>
    </message>
    <message>
        <source>The plans compared, the ticked ones in detail with their pictures: HTML or Markdown</source>
        <translation>Die Pläne im Vergleich, die angekreuzten im Einzelnen mit ihren Bildern: HTML oder Markdown</translation>
    </message>
    <message>
        <source>For another &amp;engine…</source>
        <translation>Für ein anderes &amp;Framework…</translation>
    </message>
    <message>
        <source>The selected plan for Megatron-LM, DeepSpeed or PyTorch</source>
        <translation>Der gewählte Plan für Megatron-LM, DeepSpeed oder PyTorch</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>Reports (*.html *.md);;HTML (*.html);;Markdown with pictures (*.md);;All files (*)</source>
        <translation>Berichte (*.html *.md);;HTML (*.html);;Markdown mit Bildern (*.md);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>For another engine</source>
        <translation>Für ein anderes Framework</translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation>Erst einen Plan wählen.</translation>
    </message>
    <message>
        <source>&amp;Order of operations (CSV)…</source>
        <translation>Reihenfolge der &amp;Operationen (CSV)…</translation>
    </message>
    <message>
        <source>What each device of the selected plan does, in PyTorch&apos;s format of schedules</source>
        <translation>Was jedes Gerät des gewählten Plans tut, im Format der Abläufe von PyTorch</translation>
    </message>
    <message>
        <source>Export order of operations</source>
        <translation>Reihenfolge der Operationen exportieren</translation>
    </message>
    <message>
        <source>Schedules (*.csv);;All files (*)</source>
        <translation>Abläufe (*.csv);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Front</name>
    <message>
        <source>Peak memory</source>
        <translation>Spitzenspeicher</translation>
    </message>
    <message>
        <source>Price per hour</source>
        <translation>Preis je Stunde</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Price per 1 M samples</source>
        <translation>Preis je 1 Mio. Samples</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>%1 samples/s · %2 an iteration</source>
        <translation>%1 Samples/s · %2 je Iteration</translation>
    </message>
    <message>
        <source>peak memory %1 of %2</source>
        <translation>Spitzenspeicher %1 von %2</translation>
    </message>
    <message>
        <source>devices: %1 · nodes: %2</source>
        <translation>Geräte: %1 · Knoten: %2</translation>
    </message>
    <message>
        <source>price %1 per hour, %2 per 1 M samples</source>
        <translation>Preis %1 je Stunde, %2 je 1 Mio. Samples</translation>
    </message>
    <message>
        <source>without a flush: weights of several versions</source>
        <translation>ohne Leerlaufen: Gewichte mehrerer Versionen</translation>
    </message>
    <message>
        <source>nothing beats it in throughput, memory and price</source>
        <translation>nichts schlägt ihn in Durchsatz, Speicher und Preis</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::FrontPane</name>
    <message>
        <source>In the front of plans</source>
        <translation>In der Front der Pläne</translation>
    </message>
    <message>
        <source>Along the front</source>
        <translation>Entlang der Front</translation>
    </message>
    <message>
        <source>To its ends</source>
        <translation>Zu ihren Enden</translation>
    </message>
    <message>
        <source>Take the plan into the project</source>
        <translation>Den Plan ins Projekt übernehmen</translation>
    </message>
    <message>
        <source>Let go of the selected plan</source>
        <translation>Den gewählten Plan loslassen</translation>
    </message>
    <message>
        <source>Front of plans</source>
        <translation>Front der Pläne</translation>
    </message>
    <message>
        <source>&amp;Across</source>
        <translation>&amp;Quer</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>&amp;Größe</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The same plans as a table</source>
        <translation>Dieselben Pläne als Tabelle</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Write the plans as a table for other programs</source>
        <translation>Die Pläne als Tabelle für andere Programme schreiben</translation>
    </message>
    <message>
        <source>Plans of the front</source>
        <translation>Pläne der Front</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Find &amp;plans</source>
        <translation>Pläne &amp;suchen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::FrontTableModel</name>
    <message>
        <source>on the front</source>
        <translation>auf der Front</translation>
    </message>
    <message>
        <source>beaten by another</source>
        <translation>von einem anderen geschlagen</translation>
    </message>
    <message>
        <source>Beaten by none in throughput, memory and price</source>
        <translation>Von keinem in Durchsatz, Speicher und Preis geschlagen</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Front</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Samples/s</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitzenspeicher</translation>
    </message>
    <message>
        <source>Price/h</source>
        <translation>Preis/h</translation>
    </message>
    <message>
        <source>Price/1 M</source>
        <translation>Preis/1 Mio.</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Mikro-Batch</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::FrontView</name>
    <message>
        <source>Front of throughput, memory and price</source>
        <translation>Front aus Durchsatz, Speicher und Preis</translation>
    </message>
    <message>
        <source>plans: %1</source>
        <translation>Pläne: %1</translation>
    </message>
    <message>
        <source>Samples per second</source>
        <translation>Samples je Sekunde</translation>
    </message>
    <message>
        <source>%1:</source>
        <translation>%1:</translation>
    </message>
    <message>
        <source>%1: %2 everywhere</source>
        <translation>%1: %2 überall</translation>
    </message>
    <message>
        <source>%1: unknown</source>
        <translation>%1: unbekannt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::GanttPreview</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Iterations on one time scale</source>
        <translation>Iterationen auf einer Zeitskala</translation>
    </message>
    <message>
        <source>Too many operations for a preview: keep the plan to see it</source>
        <translation>Zu viele Operationen für eine Vorschau: den Plan behalten, um ihn zu sehen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::GanttQuery</name>
    <message>
        <source>“%1” is no micro-batch, stage, device or kind</source>
        <translation>„%1“ ist kein Mikro-Batch, keine Stufe, kein Gerät und keine Art</translation>
    </message>
    <message>
        <source>“%1” is one too many: give each once</source>
        <translation>„%1“ ist eines zu viel: jedes nur einmal angeben</translation>
    </message>
    <message>
        <source>12 or mb 12: micro-batch 12
s3: stage 3
G5: device 5
F, B, W, R: forward, backward, weight gradient, recompute
transfer, all-reduce, optimizer: these
B 12 s3: all of it at once</source>
        <translation>12 oder mb 12: Mikro-Batch 12
s3: Stufe 3
G5: Gerät 5
F, B, W, R: vorwärts, rückwärts, Gewichtsgradient, Neuberechnung
transfer, all-reduce, optimizer: diese
B 12 s3: alles zugleich</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::GanttView</name>
    <message>
        <source>stages %1</source>
        <translation>Stufen %1</translation>
    </message>
    <message>
        <source>Nothing to show yet</source>
        <translation>Noch nichts zu zeigen</translation>
    </message>
    <message>
        <source>Gantt chart</source>
        <translation>Gantt-Diagramm</translation>
    </message>
    <message>
        <source>Operations of every device over time. Arrow keys go from operation to operation.</source>
        <translation>Operationen jedes Geräts über der Zeit. Pfeiltasten gehen von Operation zu Operation.</translation>
    </message>
    <message>
        <source>waited %1 for the activation from %2</source>
        <translation>wartete %1 auf die Aktivierung von %2</translation>
    </message>
    <message>
        <source>waited %1 for the gradient from %2</source>
        <translation>wartete %1 auf den Gradienten von %2</translation>
    </message>
    <message>
        <source>waited %1 for the all-reduce</source>
        <translation>wartete %1 auf das All-Reduce</translation>
    </message>
    <message>
        <source>after %1 idle</source>
        <translation>nach %1 Leerlauf</translation>
    </message>
    <message>
        <source>started without waiting</source>
        <translation>begann ohne zu warten</translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>Mikro-Batch %1</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>chunk %1 of %2</source>
        <translation>Chunk %1 von %2</translation>
    </message>
    <message>
        <source>%1  (%2)</source>
        <translation>%1  (%2)</translation>
    </message>
    <message>
        <source>stage %1 · %2 of %3 devices shown</source>
        <translation>Stufe %1 · %2 von %3 Geräten gezeigt</translation>
    </message>
    <message>
        <source>The others take other micro-batches in turn.</source>
        <translation>Die anderen nehmen im Wechsel andere Mikro-Batches.</translation>
    </message>
    <message>
        <source>Click to see a lane a device.</source>
        <translation>Klicken, um eine Spur je Gerät zu sehen.</translation>
    </message>
    <message>
        <source>%L1 operations</source>
        <translation>%L1 Operationen</translation>
    </message>
    <message>
        <source>%1, stage %2 on %3, %4</source>
        <translation>%1, Stufe %2 auf %3, %4</translation>
    </message>
    <message>
        <source>%1 %2, stage %3 on %4, %5</source>
        <translation>%1 %2, Stufe %3 auf %4, %5</translation>
    </message>
    <message>
        <source>begins the critical path</source>
        <translation>beginnt den kritischen Pfad</translation>
    </message>
    <message>
        <source>waited for the operation before it on %1</source>
        <translation>wartete auf die Operation davor auf %1</translation>
    </message>
    <message>
        <source>waited for what the stage before hands on</source>
        <translation>wartete auf das, was die Stufe davor weitergibt</translation>
    </message>
    <message>
        <source>waited for the gradient of the stage behind</source>
        <translation>wartete auf den Gradienten der Stufe dahinter</translation>
    </message>
    <message>
        <source>waited until another transfer let it pass</source>
        <translation>wartete, bis eine andere Übertragung vorbei war</translation>
    </message>
    <message>
        <source>waited for the all-reduce of its stage</source>
        <translation>wartete auf das All-Reduce ihrer Stufe</translation>
    </message>
    <message>
        <source>waited with the operation that it is joined to</source>
        <translation>wartete mit der Operation, mit der sie verbunden ist</translation>
    </message>
    <message>
        <source>critical path, %L1 of %L2: %3</source>
        <translation>kritischer Pfad, %L1 von %L2: %3</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Help</name>
    <message>
        <source>&lt;h3&gt;Pipedeck %1&lt;/h3&gt;&lt;p&gt;Plans pipeline-parallel training of deep networks, compares the plans side by side, and runs them on this machine.&lt;/p&gt;&lt;p&gt;Planners after DAPPLE, PipeDream, mCAP and CAPTURE; one simulator judges them all.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Pipedeck %1&lt;/h3&gt;&lt;p&gt;Plant pipeline-paralleles Training tiefer Netze, vergleicht die Pläne nebeneinander und führt sie auf diesem Rechner aus.&lt;/p&gt;&lt;p&gt;Planer nach DAPPLE, PipeDream, mCAP und CAPTURE; ein Simulator bewertet sie alle.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;The window (app/session, app/models, app/views, app/ui) is free software under the GNU General Public License, version 3 or later; it links Qt and Qt Charts.&lt;/p&gt;&lt;p&gt;The core and the command line are under the Apache License 2.0.&lt;/p&gt;&lt;p&gt;There is no warranty. The full texts lie in the folder LICENSES of the source.&lt;/p&gt;</source>
        <translation>&lt;p&gt;Das Fenster (app/session, app/models, app/views, app/ui) ist freie Software unter der GNU General Public License, Version 3 oder neuer; es bindet Qt und Qt Charts ein.&lt;/p&gt;&lt;p&gt;Der Kern und die Kommandozeile stehen unter der Apache License 2.0.&lt;/p&gt;&lt;p&gt;Es gibt keine Gewährleistung. Die vollen Texte liegen im Ordner LICENSES des Quelltexts.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::HelpBrowser</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::HelpPages</name>
    <message>
        <source>User guide</source>
        <translation>Benutzerhandbuch</translation>
    </message>
    <message>
        <source>Planners</source>
        <translation>Planer</translation>
    </message>
    <message>
        <source>The simulator</source>
        <translation>Der Simulator</translation>
    </message>
    <message>
        <source>Files and command line</source>
        <translation>Dateien und Kommandozeile</translation>
    </message>
    <message>
        <source>The papers&apos; tables</source>
        <translation>Tabellen der Veröffentlichungen</translation>
    </message>
    <message>
        <source>About the project</source>
        <translation>Über das Projekt</translation>
    </message>
    <message>
        <source>Plans for other engines</source>
        <translation>Pläne für andere Systeme</translation>
    </message>
    <message>
        <source>How true computed profiles are</source>
        <translation>Wie genau berechnete Profile sind</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::HelpWindow</name>
    <message>
        <source>Pipedeck help</source>
        <translation>Pipedeck-Hilfe</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>Hilfe durchsuchen</translation>
    </message>
    <message>
        <source>Search all pages (Ctrl+F)</source>
        <translation>Alle Seiten durchsuchen (Strg+F)</translation>
    </message>
    <message>
        <source>Find the one before</source>
        <translation>Vorheriges suchen</translation>
    </message>
    <message>
        <source>Find the next one</source>
        <translation>Nächstes suchen</translation>
    </message>
    <message>
        <source>%1 is part of the source, not of this help</source>
        <translation>%1 gehört zum Quelltext, nicht zu dieser Hilfe</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>“%1” is on no page. Try a part of the word.</source>
        <translation>„%1“ steht auf keiner Seite. Einen Teil des Wortes versuchen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Import</name>
    <message>
        <source>cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The plan was made for a profile &apos;%1&apos; that differs from the one in this project.</source>
        <translation>Der Plan wurde für ein Profil „%1“ gemacht, das von dem in diesem Projekt abweicht.</translation>
    </message>
    <message>
        <source>The plan was made for a cluster &apos;%1&apos; that differs from the one in this project.</source>
        <translation>Der Plan wurde für einen Cluster „%1“ gemacht, der von dem in diesem Projekt abweicht.</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>a simulation, imported from %1</source>
        <translation>eine Simulation, importiert aus %1</translation>
    </message>
    <message>
        <source>simulation</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>The simulation holds no operations to draw: pipedeck-cli simulate --intervals writes them.</source>
        <translation>Die Simulation enthält keine Operationen zum Zeichnen: pipedeck-cli simulate --intervals schreibt sie.</translation>
    </message>
    <message>
        <source>imported from %1</source>
        <translation>importiert aus %1</translation>
    </message>
    <message>
        <source>run log</source>
        <translation>Laufprotokoll</translation>
    </message>
    <message>
        <source>calibration</source>
        <translation>Kalibrierung</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Inspector</name>
    <message>
        <source>by layer, as gradients get ready</source>
        <translation>je Schicht, sobald Gradienten bereit sind</translation>
    </message>
    <message>
        <source>by bucket, as gradients fill it</source>
        <translation>je Bucket, sobald Gradienten ihn füllen</translation>
    </message>
    <message>
        <source>after the last backward</source>
        <translation>nach dem letzten Rückwärtsdurchlauf</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Forward, backward and recompute; mean over the plan&apos;s devices</source>
        <translation>Vorwärts, rückwärts und Neuberechnung; Mittel über die Geräte des Plans</translation>
    </message>
    <message>
        <source>pipeline fill and drain</source>
        <translation>Füllen und leeren</translation>
    </message>
    <message>
        <source>Before a device&apos;s first operation %1, after its last %2</source>
        <translation>Vor der ersten Operation eines Geräts %1, nach seiner letzten %2</translation>
    </message>
    <message>
        <source>waiting for other stages</source>
        <translation>Warten auf Stufen</translation>
    </message>
    <message>
        <source>For activations %1, for gradients %2, transfers that nothing hides included</source>
        <translation>Auf Aktivierungen %1, auf Gradienten %2, samt Übertragungen, die nichts verdeckt</translation>
    </message>
    <message>
        <source>all-reduce tail</source>
        <translation>Rest des All-Reduce</translation>
    </message>
    <message>
        <source>Gradient all-reduce after the last backward, before the optimizer</source>
        <translation>All-Reduce der Gradienten nach dem letzten Rückwärtsdurchlauf, vor dem Optimierer</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Optimizer step of each device</source>
        <translation>Optimierer-Schritt jedes Geräts</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation>Optimierer-Zustand</translation>
    </message>
    <message>
        <source>stashed weights</source>
        <translation>aufbewahrte Gewichte</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>Stufengrenze</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitspuffer</translation>
    </message>
    <message>
        <source>communication buffers</source>
        <translation>Kommunikationspuffer</translation>
    </message>
    <message>
        <source>reserve</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>G%1 (stage %2)</source>
        <translation>G%1 (Stufe %2)</translation>
    </message>
    <message>
        <source>G%1 (stages %2)</source>
        <translation>G%1 (Stufen %2)</translation>
    </message>
    <message>
        <source>Peak %1 of %2 on %3 at %4, with %5 micro-batches kept</source>
        <translation>Spitze %1 von %2 auf %3 bei %4, mit %5 gehaltenen Mikro-Batches</translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2, %3 more than its %4</source>
        <translation>Passt nicht: %1 braucht %2, %3 mehr als seine %4</translation>
    </message>
    <message>
        <source>; %1 at most, however long operations take%2</source>
        <translation>; höchstens %1, wie lange Operationen auch dauern%2</translation>
    </message>
    <message>
        <source>, more than it has</source>
        <translation>, mehr als es hat</translation>
    </message>
    <message>
        <source>Optimal: meets the lower bound of all plans, %1.</source>
        <translation>Optimal: erreicht die untere Schranke aller Pläne, %1.</translation>
    </message>
    <message>
        <source>At most %1 above any plan of this problem: no plan can take less than %2.</source>
        <translation>Höchstens %1 über jedem Plan dieses Problems: kein Plan kann weniger als %2 brauchen.</translation>
    </message>
    <message>
        <source>No lower bound is known for this plan.</source>
        <translation>Für diesen Plan ist keine untere Schranke bekannt.</translation>
    </message>
    <message>
        <source>The planner&apos;s own formula (%1) gives %2 a mini-batch.</source>
        <translation>Die eigene Formel des Planers (%1) ergibt %2 je Mini-Batch.</translation>
    </message>
    <message>
        <source>The planner&apos;s own formula (%1) gives %2; the simulation is %3 %4 it.</source>
        <translation>Die eigene Formel des Planers (%1) ergibt %2; die Simulation liegt %3 %4.</translation>
    </message>
    <message>
        <source>under</source>
        <translation>darunter</translation>
    </message>
    <message>
        <source>over</source>
        <translation>darüber</translation>
    </message>
    <message>
        <source>The planner minimised %1: %2.</source>
        <translation>Der Planer hat minimiert: %1: %2.</translation>
    </message>
    <message>
        <source>These stages take at least %1 under this schedule.</source>
        <translation>Diese Stufen brauchen unter diesem Ablauf mindestens %1.</translation>
    </message>
    <message>
        <source>Proven: %1.</source>
        <translation>Bewiesen: %1.</translation>
    </message>
    <message>
        <source>A time budget cut the planner&apos;s search short.</source>
        <translation>Ein Zeitbudget hat die Suche des Planers abgekürzt.</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 Samples/s</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Speedup</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>Bubble</translation>
    </message>
    <message>
        <source>Only communication</source>
        <translation>Nur Komm.</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>Mikro-Batches</translation>
    </message>
    <message>
        <source>%1 of %2 samples</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1, %2 bytes a parameter</source>
        <translation>%1, %2 Bytes je Parameter</translation>
    </message>
    <message>
        <source>, own warm-up</source>
        <translation>, eigener Anlauf</translation>
    </message>
    <message>
        <source>, warm-up %1</source>
        <translation>, Anlauf %1</translation>
    </message>
    <message>
        <source>, steady state</source>
        <translation>, eingeschwungen</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>ideal: transfers don&apos;t share links</source>
        <translation>ideal: Übertragungen teilen keine Verbindungen</translation>
    </message>
    <message>
        <source>shared: transfers share links fairly</source>
        <translation>geteilt: Übertragungen teilen Verbindungen fair</translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation>All-Reduce</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Being simulated.</source>
        <translation>Wird simuliert.</translation>
    </message>
    <message>
        <source>Why this plan</source>
        <translation>Warum dieser Plan</translation>
    </message>
    <message>
        <source>Where the iteration goes</source>
        <translation>Wohin die Iteration geht</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation>Nachweis</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Kennzahlen</translation>
    </message>
    <message>
        <source>Conventions in force</source>
        <translation>Geltende Konventionen</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Select a plan to see its figures and the reasons for them.</source>
        <translation>Einen Plan wählen, um seine Zahlen und ihre Gründe zu sehen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ItemCurves</name>
    <message>
        <source>Memory by item of %1</source>
        <translation>Speicher nach Posten von %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Jitter</name>
    <message>
        <source>Of %1 iterations whose passes vary by %2 %, 5 % take at most %3, half at most %4, 95 % at most %5; on average %6, %7 against none that vary</source>
        <translation>Von %1 Iterationen, deren Durchläufe um %2 % schwanken, brauchen 5 % höchstens %3, die Hälfte höchstens %4, 95 % höchstens %5; im Mittel %6, %7 gegen keine Schwankung</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Jobs</name>
    <message>
        <source>Internal error</source>
        <translation>Interner Fehler</translation>
    </message>
    <message>
        <source>%1 failed: %2.
This is a fault of the program, not of your input. Your work is unchanged.</source>
        <translation>%1 ist gescheitert: %2.
Das ist ein Fehler des Programms, nicht der Eingabe. Die Arbeit ist unverändert.</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::JobsPanel</name>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>gescheitert: %1</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Auftrag</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Largest</name>
    <message>
        <source>The next, %1, does not fit</source>
        <translation>Der nächste Wert, %1, passt nicht</translation>
    </message>
    <message>
        <source>%1: its weights, gradients and optimizer states alone take %2, all devices together have %3.</source>
        <translation>%1: Gewichte, Gradienten und Optimiererzustände allein brauchen %2, alle Geräte zusammen haben %3.</translation>
    </message>
    <message>
        <source>%1: the nearest plan, %2, lacks %3 on its fullest device.</source>
        <translation>%1: dem nächstliegenden Plan, %2, fehlen %3 auf seinem vollsten Gerät.</translation>
    </message>
    <message>
        <source>No %1 fits, not even the smallest.</source>
        <translation>Nichts passt (%1), nicht einmal der kleinste Wert.</translation>
    </message>
    <message>
        <source>The largest %1 that fits: %2</source>
        <translation>Größter Wert, der passt (%1): %2</translation>
    </message>
    <message>
        <source>%1: %2 an iteration, %3 samples/s, the fullest device holds %4 of %5.</source>
        <translation>%1: %2 je Iteration, %3 Samples/s, das vollste Gerät hält %4 von %5.</translation>
    </message>
    <message>
        <source>Nothing larger was looked at: “Up to” looks further.</source>
        <translation>Größeres wurde nicht angesehen: „Bis zu“ sucht weiter.</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LargestPane</name>
    <message>
        <source>Planned for</source>
        <translation>Geplant für</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Sizes that were planned for, a row each</source>
        <translation>Werte, für die geplant wurde, je eine Zeile</translation>
    </message>
    <message>
        <source>How large?</source>
        <translation>Wie groß?</translation>
    </message>
    <message>
        <source>Keep the plan</source>
        <translation>Plan behalten</translation>
    </message>
    <message>
        <source>Take the answer&apos;s plan into the project, and its model where that is new</source>
        <translation>Nimmt den Plan der Antwort ins Projekt, und sein Modell, wo es neu ist</translation>
    </message>
    <message>
        <source>What grows until no plan fits any more; all else stays</source>
        <translation>Was wächst, bis kein Plan mehr passt; alles andere bleibt</translation>
    </message>
    <message>
        <source>The largest</source>
        <translation>Möglichst groß</translation>
    </message>
    <message>
        <source>Sizes that are looked at: every so many</source>
        <translation>Werte, die angesehen werden: jeder so vielte</translation>
    </message>
    <message>
        <source>In steps of</source>
        <translation>In Schritten von</translation>
    </message>
    <message>
        <source>The largest size that is looked at</source>
        <translation>Der größte Wert, der angesehen wird</translation>
    </message>
    <message>
        <source>Up to</source>
        <translation>Bis zu</translation>
    </message>
    <message>
        <source>as usual</source>
        <translation>wie üblich</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Find out</source>
        <translation>Herausfinden</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LargestStudy</name>
    <message>
        <source>The largest %1 that fits</source>
        <translation>Größter Wert, der passt (%1)</translation>
    </message>
    <message>
        <source>none fits</source>
        <translation>keiner passt</translation>
    </message>
    <message>
        <source>number of layers</source>
        <translation>Zahl der Schichten</translation>
    </message>
    <message>
        <source>hidden size</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>Sequenz</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>Mikro-Batch</translation>
    </message>
    <message>
        <source>global batch</source>
        <translation>globaler Batch</translation>
    </message>
    <message>
        <source>%1, %2 layers</source>
        <translation>%1, %2 Schichten</translation>
    </message>
    <message>
        <source>%1, hidden size %2</source>
        <translation>%1, Breite %2</translation>
    </message>
    <message>
        <source>%1, %2 tokens</source>
        <translation>%1, %2 Tokens</translation>
    </message>
    <message>
        <source>%1 does not say which transformer it is: its %2 can&apos;t be changed. Import the model&apos;s config.json (File menu, Import), choose it above, and ask again.</source>
        <translation>%1 sagt nicht, welcher Transformer es ist; nicht zu ändern ist daher: %2. Importieren Sie die config.json des Modells (Menü Datei, Importieren), wählen Sie es oben aus und fragen Sie noch einmal.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Launch</name>
    <message>
        <source>the process ended with status %1</source>
        <translation>der Prozess endete mit Status %1</translation>
    </message>
    <message>
        <source>only a profile is known of this model: a launch needs a model preset or a model file</source>
        <translation>von diesem Modell ist nur ein Profil bekannt: zum Starten braucht es eine Modellvorlage oder eine Modelldatei</translation>
    </message>
    <message>
        <source>%1 is too large to train on this machine&apos;s processor; choose a model such as gpt-tiny</source>
        <translation>%1 ist zu groß, um auf dem Prozessor dieses Rechners zu trainieren; ein Modell wie gpt-tiny wählen</translation>
    </message>
    <message>
        <source>there is no plan</source>
        <translation>es gibt keinen Plan</translation>
    </message>
    <message>
        <source>no temporary folder can be made: %1</source>
        <translation>kein temporärer Ordner anlegbar: %1</translation>
    </message>
    <message>
        <source>measuring the layers of %1 on this machine</source>
        <translation>Schichten von %1 auf diesem Rechner messen</translation>
    </message>
    <message>
        <source>stopped while measuring</source>
        <translation>beim Messen angehalten</translation>
    </message>
    <message>
        <source>Measuring the layers failed: %1</source>
        <translation>Das Messen der Schichten ist gescheitert: %1</translation>
    </message>
    <message>
        <source>predicting with the measured times</source>
        <translation>Vorhersage mit den gemessenen Zeiten</translation>
    </message>
    <message>
        <source>stopped before the first step</source>
        <translation>vor dem ersten Schritt angehalten</translation>
    </message>
    <message>
        <source>The plan can&apos;t be predicted with the measured profile: %1</source>
        <translation>Der Plan lässt sich mit dem gemessenen Profil nicht vorhersagen: %1</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>not understood: %1</source>
        <translation>nicht verstanden: %1</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>%1 (measured here)</source>
        <translation>%1 (hier gemessen)</translation>
    </message>
    <message>
        <source>the process was killed by signal %1. %2</source>
        <translation>der Prozess wurde durch Signal %1 beendet. %2</translation>
    </message>
    <message>
        <source>%1 It happened after step %2. If the machine ran out of memory, choose a plan with less memory a device or a smaller micro-batch; what was measured until then is kept.</source>
        <translation>%1 Es geschah nach Schritt %2. Ging dem Rechner der Speicher aus, einen Plan mit weniger Speicher je Gerät oder einen kleineren Mikro-Batch wählen; was bis dahin gemessen wurde, bleibt.</translation>
    </message>
    <message>
        <source>predicting as it was planned</source>
        <translation>Vorhersage wie geplant</translation>
    </message>
    <message>
        <source>The plan can&apos;t be predicted: %1</source>
        <translation>Der Plan lässt sich nicht vorhersagen: %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LaunchCheck</name>
    <message>
        <source>the check ended with status %1</source>
        <translation>die Prüfung endete mit Status %1</translation>
    </message>
    <message>
        <source>ready: %1 with %2 on %3 devices, %4 samples a step</source>
        <translation>bereit: %1 mit %2 auf %3 Geräten, %4 Samples je Schritt</translation>
    </message>
    <message>
        <source>, data without end</source>
        <translation>, Daten ohne Ende</translation>
    </message>
    <message>
        <source>, data of %1 samples</source>
        <translation>, Daten mit %1 Samples</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LaunchDevices</name>
    <message>
        <source>share GPUs if need be</source>
        <translation>GPUs notfalls teilen</translation>
    </message>
    <message>
        <source>processor, a thread a device</source>
        <translation>Prozessor, ein Thread je Gerät</translation>
    </message>
    <message>
        <source>GPUs, one a device</source>
        <translation>GPUs, eine je Gerät</translation>
    </message>
    <message>
        <source>What stands for the plan&apos;s devices on this machine</source>
        <translation>Was auf dieser Maschine für die Geräte des Plans steht</translation>
    </message>
    <message>
        <source>Of the factors of matrix products; weights, gradients and sums stay fp32</source>
        <translation>Der Faktoren von Matrixprodukten; Gewichte, Gradienten und Summen bleiben fp32</translation>
    </message>
    <message>
        <source>Where there are fewer GPUs than the plan has devices; times are not the plan&apos;s then</source>
        <translation>Wo es weniger GPUs gibt, als der Plan Geräte hat; die Zeiten sind dann nicht die des Plans</translation>
    </message>
    <message>
        <source>O&amp;n</source>
        <translation>A&amp;uf</translation>
    </message>
    <message>
        <source>Prec&amp;ision</source>
        <translation>&amp;Genauigkeit</translation>
    </message>
    <message>
        <source>Let devices share a GPU</source>
        <translation>Geräte eine GPU teilen lassen</translation>
    </message>
    <message>
        <source>Train on GPUs</source>
        <translation>Auf GPUs trainieren</translation>
    </message>
    <message>
        <source>Train on the processor</source>
        <translation>Auf dem Prozessor trainieren</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LaunchMore</name>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Checkpoints, several processes, timelines, limits</source>
        <translation>Checkpoints, mehrere Prozesse, Zeitverläufe, Grenzen</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Folder of the checkpoints</source>
        <translation>Ordner der Checkpoints</translation>
    </message>
    <message>
        <source>none are written</source>
        <translation>es werden keine geschrieben</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>A folder: parameters and optimizer state are kept there, to go on from after the last step or a stop</source>
        <translation>Ein Ordner: Dort werden Parameter und Zustand des Optimierers abgelegt, um nach dem letzten Schritt oder einem Halt von da aus fortzufahren</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> Schritte</translation>
    </message>
    <message>
        <source>at the end alone</source>
        <translation>nur am Ende</translation>
    </message>
    <message>
        <source>  every</source>
        <translation>  alle</translation>
    </message>
    <message>
        <source>How many steps lie between two checkpoints; one is written at the end, too</source>
        <translation>Wie viele Schritte zwischen zwei Checkpoints liegen; auch am Ende wird einer geschrieben</translation>
    </message>
    <message>
        <source> checkpoints</source>
        <translation> Checkpoints</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>  keep</source>
        <translation>  behalten</translation>
    </message>
    <message>
        <source>How many checkpoints stay in the folder: the last ones</source>
        <translation>Wie viele Checkpoints im Ordner bleiben: die letzten</translation>
    </message>
    <message>
        <source>Folder of the checkpoints to go on from</source>
        <translation>Ordner der Checkpoints, von denen aus es weitergeht</translation>
    </message>
    <message>
        <source>from the beginning</source>
        <translation>von Anfang an</translation>
    </message>
    <message>
        <source>Go on from</source>
        <translation>Weiter ab</translation>
    </message>
    <message>
        <source>A folder of checkpoints, of any plan of this model: the last complete one is taken. Steps counts those before it, too</source>
        <translation>Ein Ordner mit Checkpoints, von einem beliebigen Plan dieses Modells: Der letzte vollständige wird genommen. Schritte zählt die davor mit</translation>
    </message>
    <message>
        <source>threads of one process</source>
        <translation>Threads eines Prozesses</translation>
    </message>
    <message>
        <source>several processes (mpirun)</source>
        <translation>mehrere Prozesse (mpirun)</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>Transport</translation>
    </message>
    <message>
        <source> processes</source>
        <translation> Prozesse</translation>
    </message>
    <message>
        <source>  of</source>
        <translation>  aus</translation>
    </message>
    <message>
        <source>Processes that mpirun starts; they share the plan&apos;s devices</source>
        <translation>Prozesse, die mpirun startet; sie teilen sich die Geräte des Plans</translation>
    </message>
    <message>
        <source>some twenty a run</source>
        <translation>etwa zwanzig je Lauf</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>Zeitverläufe</translation>
    </message>
    <message>
        <source>Every how many steps the operations are measured one by one</source>
        <translation>Alle wie viele Schritte die Operationen einzeln gemessen werden</translation>
    </message>
    <message>
        <source> MiB</source>
        <translation> MiB</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory of each device; a run that needs more fails and says where</source>
        <translation>Speicher jedes Geräts; ein Lauf, der mehr braucht, scheitert und sagt, wo</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>Time-out</source>
        <translation>Zeitgrenze</translation>
    </message>
    <message>
        <source>The run fails when no device has got on for so long</source>
        <translation>Der Lauf scheitert, wenn so lange kein Gerät vorangekommen ist</translation>
    </message>
    <message>
        <source>Whether the devices are threads of one process or several processes joined by MPI</source>
        <translation>Ob die Geräte Threads eines Prozesses sind oder mehrere Prozesse, die MPI verbindet</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LaunchOptions</name>
    <message>
        <source>What the model is trained on; every file is looked at before anything starts</source>
        <translation>Worauf das Modell trainiert wird; jede Datei wird angesehen, bevor etwas startet</translation>
    </message>
    <message>
        <source>as the model says</source>
        <translation>wie das Modell sagt</translation>
    </message>
    <message>
        <source>made up (synthetic)</source>
        <translation>erfunden (synthetisch)</translation>
    </message>
    <message>
        <source>a text, byte by byte</source>
        <translation>ein Text, Byte für Byte</translation>
    </message>
    <message>
        <source>images in MNIST&apos;s format</source>
        <translation>Bilder im Format von MNIST</translation>
    </message>
    <message>
        <source>a folder of images</source>
        <translation>ein Ordner mit Bildern</translation>
    </message>
    <message>
        <source>&amp;Data</source>
        <translation>&amp;Daten</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Learning rate: how far one step changes the weights, such as 0.001</source>
        <translation>Lernrate: wie weit ein Schritt die Gewichte ändert, etwa 0.001</translation>
    </message>
    <message>
        <source>&amp;Rate</source>
        <translation>&amp;Rate</translation>
    </message>
    <message>
        <source>C&amp;ores</source>
        <translation>&amp;Kerne</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>File or folder of the data</source>
        <translation>Datei oder Ordner der Daten</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Command line of this launch</source>
        <translation>Befehlszeile dieses Starts</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the command line that trains this</source>
        <translation>Die Befehlszeile kopieren, die dies trainiert</translation>
    </message>
    <message>
        <source>folder with a folder a class</source>
        <translation>Ordner mit einem Ordner je Klasse</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Choose what the data is read from.</source>
        <translation>Wählen, woraus die Daten gelesen werden.</translation>
    </message>
    <message>
        <source>Which cores work for GPUs the system chooses</source>
        <translation>Welche Kerne für GPUs arbeiten, wählt das System</translation>
    </message>
    <message>
        <source>Devices share GPUs within one process: choose that under More &gt; Transport.</source>
        <translation>Geräte teilen sich GPUs innerhalb eines Prozesses: Das ist unter Mehr &gt; Transport zu wählen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LayerTableDialog</name>
    <message>
        <source>Profile of the table %1</source>
        <translation>Profil der Tabelle %1</translation>
    </message>
    <message>
        <source>&amp;Add profile</source>
        <translation>Profil &amp;hinzufügen</translation>
    </message>
    <message>
        <source>Samples that the times of a forward and a backward pass are of</source>
        <translation>Samples, für die die Zeiten eines Vorwärts- und eines Rückwärtslaufs gelten</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Micro-batch</source>
        <translation>&amp;Mikro-Batch</translation>
    </message>
    <message>
        <source>The first rows, and what their columns mean</source>
        <translation>Die ersten Zeilen, und was ihre Spalten bedeuten</translation>
    </message>
    <message>
        <source>is</source>
        <translation>ist</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>What column %1 is</source>
        <translation>Was Spalte %1 ist</translation>
    </message>
    <message>
        <source>left alone</source>
        <translation>nicht gelesen</translation>
    </message>
    <message>
        <source>Unit of column %1</source>
        <translation>Einheit von Spalte %1</translation>
    </message>
    <message>
        <source>as they say, else %1</source>
        <translation>Angabe, sonst %1</translation>
    </message>
    <message>
        <source>What is wrong, assumed and understood</source>
        <translation>Was falsch ist, angenommen und verstanden wurde</translation>
    </message>
    <message>
        <source>Click what is wrong to see its cell</source>
        <translation>Ein Klick auf einen Fehler zeigt seine Zelle</translation>
    </message>
    <message>
        <source>Wrong, assumed and understood</source>
        <translation>Falsch, angenommen und verstanden</translation>
    </message>
    <message>
        <source>1 thing is wrong.</source>
        <translation>1 Fehler.</translation>
    </message>
    <message>
        <source>%1 things are wrong.</source>
        <translation>%1 Fehler.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LayerTableImports</name>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>%1 importieren</translation>
    </message>
    <message>
        <source>Imported profile %1</source>
        <translation>Profil %1 importiert</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LayerTables</name>
    <message>
        <source>tabs</source>
        <translation>Tabulatoren</translation>
    </message>
    <message>
        <source>semicolons</source>
        <translation>Semikola</translation>
    </message>
    <message>
        <source>commas</source>
        <translation>Kommas</translation>
    </message>
    <message>
        <source>No column is chosen for: %1</source>
        <translation>Keine Spalte ist gewählt für: %1</translation>
    </message>
    <message>
        <source>Below the heading there is no layer.</source>
        <translation>Unter der Überschrift steht keine Schicht.</translation>
    </message>
    <message>
        <source>Line %1, column %2 (%3)</source>
        <translation>Zeile %1, Spalte %2 (%3)</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>%1: figures without a unit are in %2</source>
        <translation>%1: Zahlen ohne Einheit sind in %2</translation>
    </message>
    <message>
        <source>The times are of %1: the table does not say</source>
        <translation>Die Zeiten gelten für %1: die Tabelle sagt es nicht</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>Sample</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Samples</translation>
    </message>
    <message>
        <source>Kinds of layers: by their names</source>
        <translation>Arten der Schichten: nach ihren Namen</translation>
    </message>
    <message>
        <source>Gradients of weights: half of the backward time, where a layer has parameters</source>
        <translation>Gewichtsgradienten: die halbe Rückwärtszeit, wo eine Schicht Parameter hat</translation>
    </message>
    <message>
        <source>Kept for the backward pass: as large as the output</source>
        <translation>Für den Rückwärtslauf behalten: so groß wie die Ausgabe</translation>
    </message>
    <message>
        <source>Workspace: none</source>
        <translation>Arbeitsspeicher der Kernel: keiner</translation>
    </message>
    <message>
        <source>%1, a row each, fields between %2</source>
        <translation>%1, je eine Zeile, Felder zwischen %2</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>The file&apos;s name says the micro-batch</source>
        <translation>Der Dateiname nennt den Mikro-Batch</translation>
    </message>
    <message>
        <source>%1: column %2</source>
        <translation>%1: Spalte %2</translation>
    </message>
    <message>
        <source>%1: column %2, in %3</source>
        <translation>%1: Spalte %2, in %3</translation>
    </message>
    <message>
        <source>Left alone: %1</source>
        <translation>Nicht gelesen: %1</translation>
    </message>
    <message>
        <source>The table is empty: expected a heading and a row for each layer.</source>
        <translation>Die Tabelle ist leer: erwartet werden eine Überschrift und eine Zeile je Schicht.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Forward time</source>
        <translation>Vorwärtszeit</translation>
    </message>
    <message>
        <source>Backward time</source>
        <translation>Rückwärtszeit</translation>
    </message>
    <message>
        <source>Gradient of weights</source>
        <translation>Gewichtsgradient</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Kept for backward</source>
        <translation>Für rückwärts behalten</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>bars</source>
        <translation>Striche</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LegendView</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>%1 chunks of the model on a device</source>
        <translation>%1 Chunks des Modells auf einem Gerät</translation>
    </message>
    <message>
        <source>chunk of the device</source>
        <translation>Chunk des Geräts</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::LiveChart</name>
    <message>
        <source>%1 over training steps, in %2</source>
        <translation>%1 über Trainingsschritte, in %2</translation>
    </message>
    <message>
        <source>%1 (%2) by step; long runs are decimated, extremes kept</source>
        <translation>%1 (%2) je Schritt; lange Läufe sind ausgedünnt, Extremwerte bleiben</translation>
    </message>
    <message>
        <source>%1 · decimated</source>
        <translation>%1 · ausgedünnt</translation>
    </message>
    <message>
        <source>%1 by second</source>
        <translation>%1 je Sekunde</translation>
    </message>
    <message>
        <source>%1 by step</source>
        <translation>%1 je Schritt</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MachineDialog</name>
    <message>
        <source>&amp;Add cluster</source>
        <translation>&amp;Cluster hinzufügen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MachineFiles</name>
    <message>
        <source>The file describes no machine.</source>
        <translation>Die Datei beschreibt keinen Rechner.</translation>
    </message>
    <message>
        <source>Cluster from descriptions of machines</source>
        <translation>Cluster aus Beschreibungen von Rechnern</translation>
    </message>
    <message>
        <source>Cluster of this machine</source>
        <translation>Cluster aus diesem Rechner</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MachineForm</name>
    <message>
        <source>What was understood and assumed</source>
        <translation>Was verstanden und angenommen wurde</translation>
    </message>
    <message>
        <source>Understood and assumed</source>
        <translation>Verstanden und angenommen</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>As they are described</source>
        <translation>Wie sie beschrieben sind</translation>
    </message>
    <message>
        <source>&amp;GPUs are</source>
        <translation>&amp;GPUs sind</translation>
    </message>
    <message>
        <source>All of them</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>&amp;Partition</source>
        <translation>&amp;Partition</translation>
    </message>
    <message>
        <source>&amp;Unit</source>
        <translation>Ein&amp;heit</translation>
    </message>
    <message>
        <source>Such &amp;machines</source>
        <translation>Solche &amp;Rechner</translation>
    </message>
    <message>
        <source>Of each &amp;machine</source>
        <translation>Von jedem &amp;Rechner</translation>
    </message>
    <message>
        <source>&amp;Joined with</source>
        <translation>&amp;Verbunden mit</translation>
    </message>
    <message>
        <source>by their network cards; 100 Gbit/s</source>
        <translation>nach ihren Netzwerkkarten; 100 Gbit/s</translation>
    </message>
    <message>
        <source>S&amp;witches joined with</source>
        <translation>S&amp;witches verbunden mit</translation>
    </message>
    <message>
        <source>as wide as all that hangs below</source>
        <translation>so breit wie alles, was darunter hängt</translation>
    </message>
    <message>
        <source>As fits: links where all pairs of a machine are alike</source>
        <translation>Passend: Verbindungen, wo Paare gleich sind</translation>
    </message>
    <message>
        <source>One link a machine, as wide as its narrowest pair: simple to edit</source>
        <translation>Eine Verbindung je Rechner, so breit wie ihr engstes Paar: leicht zu bearbeiten</translation>
    </message>
    <message>
        <source>Every pair its own</source>
        <translation>Jedes Paar seine eigene</translation>
    </message>
    <message>
        <source>&amp;Bandwidths</source>
        <translation>&amp;Bandbreiten</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>machine</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>machines</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>about %1 USD an hour</source>
        <translation>etwa %1 USD je Stunde</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MachineImports</name>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>%1 importieren</translation>
    </message>
    <message>
        <source>Imported cluster %1</source>
        <translation>Cluster %1 importiert</translation>
    </message>
    <message>
        <source>Import this machine</source>
        <translation>Diesen Rechner importieren</translation>
    </message>
    <message>
        <source>This machine could not be looked at: %1</source>
        <translation>Dieser Rechner ließ sich nicht untersuchen: %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MainWindow</name>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>Topologie</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>PROJECT</source>
        <translation>PROJEKT</translation>
    </message>
    <message>
        <source>INSPECTOR</source>
        <translation>INSPEKTOR</translation>
    </message>
    <message>
        <source>JOBS</source>
        <translation>AUFTRÄGE</translation>
    </message>
    <message>
        <source>devices here: %1 — Launch trains on threads</source>
        <translation>Geräte hier: %1 — Starten trainiert auf Threads</translation>
    </message>
    <message>
        <source>processor core</source>
        <translation>Prozessorkern</translation>
    </message>
    <message>
        <source>processor cores</source>
        <translation>Prozessorkerne</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>&amp;Neu</translation>
    </message>
    <message>
        <source>Open &amp;sample project</source>
        <translation>Beispiel&amp;projekt öffnen</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Speichern &amp;unter…</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exportieren</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>%1 geschrieben</translation>
    </message>
    <message>
        <source>&amp;Plan…</source>
        <translation>&amp;Plan…</translation>
    </message>
    <message>
        <source>Chrome t&amp;race…</source>
        <translation>Chrome-T&amp;race…</translation>
    </message>
    <message>
        <source>Export Chrome trace</source>
        <translation>Chrome-Trace exportieren</translation>
    </message>
    <message>
        <source>Chrome traces (*.trace.json *.json);;All files (*)</source>
        <translation>Chrome-Traces (*.trace.json *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>P&amp;icture of this page…</source>
        <translation>&amp;Bild dieser Seite…</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleich</translation>
    </message>
    <message>
        <source>&amp;Explain</source>
        <translation>&amp;Erklärung</translation>
    </message>
    <message>
        <source>&amp;Profile</source>
        <translation>&amp;Profil</translation>
    </message>
    <message>
        <source>&amp;Topology</source>
        <translation>&amp;Topologie</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>Ver&amp;größern</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>Ver&amp;kleinern</translation>
    </message>
    <message>
        <source>Critical &amp;path</source>
        <translation>Kritischer P&amp;fad</translation>
    </message>
    <message>
        <source>Bring out the operations that decide the iteration</source>
        <translation>Die Operationen hervorheben, die über die Iteration entscheiden</translation>
    </message>
    <message>
        <source>Zoom to &amp;fit</source>
        <translation>Einpa&amp;ssen</translation>
    </message>
    <message>
        <source>Reset &amp;layout</source>
        <translation>Anordnung zurü&amp;cksetzen</translation>
    </message>
    <message>
        <source>Memory by &amp;item</source>
        <translation>Speicher nach P&amp;osten</translation>
    </message>
    <message>
        <source>A strip a device: weights, activations and all else piled up</source>
        <translation>Ein Streifen je Gerät: Gewichte, Aktivierungen und alles andere gestapelt</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>Erscheinungs&amp;bild</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>Sp&amp;rache</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The window has this language from its next start.</source>
        <translation>Das Fenster hat diese Sprache ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>&amp;Plan</translation>
    </message>
    <message>
        <source>&amp;Planners and options…</source>
        <translation>&amp;Planer und Optionen…</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Calibrate from runs…</source>
        <translation>Aus Läufen &amp;kalibrieren…</translation>
    </message>
    <message>
        <source>&amp;Predict with the calibration</source>
        <translation>Mit der Kalibrierung &amp;vorhersagen</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>The &amp;papers&apos; tables</source>
        <translation>Tabellen der &amp;Veröffentlichungen</translation>
    </message>
    <message>
        <source>The papers&apos; tables</source>
        <translation>Tabellen der Veröffentlichungen</translation>
    </message>
    <message>
        <source>&amp;Licences</source>
        <translation>&amp;Lizenzen</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>&amp;About Pipedeck</source>
        <translation>&amp;Über Pipedeck</translation>
    </message>
    <message>
        <source>About Pipedeck</source>
        <translation>Über Pipedeck</translation>
    </message>
    <message>
        <source>&amp;Undo %1</source>
        <translation>&amp;Rückgängig: %1</translation>
    </message>
    <message>
        <source>&amp;Redo %1</source>
        <translation>&amp;Wiederholen: %1</translation>
    </message>
    <message>
        <source>Pipedeck projects (*.pipedeck);;All files (*)</source>
        <translation>Pipedeck-Projekte (*.pipedeck);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>This project</source>
        <translation>Dieses Projekt</translation>
    </message>
    <message>
        <source>Open project</source>
        <translation>Projekt öffnen</translation>
    </message>
    <message>
        <source>Save project as</source>
        <translation>Projekt speichern unter</translation>
    </message>
    <message>
        <source>Save a copy</source>
        <translation>Kopie speichern</translation>
    </message>
    <message>
        <source>untitled.pipedeck</source>
        <translation>unbenannt.pipedeck</translation>
    </message>
    <message>
        <source>%1 copy.pipedeck</source>
        <translation>%1 Kopie.pipedeck</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Export plan</source>
        <translation>Plan exportieren</translation>
    </message>
    <message>
        <source>Plans (*.plan.json);;All files (*)</source>
        <translation>Pläne (*.plan.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>No projects yet</source>
        <translation>Noch keine Projekte</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>lower bound %1</source>
        <translation>Schranke %1</translation>
    </message>
    <message>
        <source>untitled</source>
        <translation>unbenannt</translation>
    </message>
    <message>
        <source>%1[*] — Pipedeck</source>
        <translation>%1[*] — Pipedeck</translation>
    </message>
    <message>
        <source>%1[*] (read-only) — Pipedeck</source>
        <translation>%1[*] (schreibgeschützt) — Pipedeck</translation>
    </message>
    <message>
        <source>Not saved yet</source>
        <translation>Noch nicht gespeichert</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>Gespeichert %1</translation>
    </message>
    <message>
        <source>%1 · %2 since</source>
        <translation>%1 · %2 seitdem</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>%1 · changed since</source>
        <translation>%1 · seitdem geändert</translation>
    </message>
    <message>
        <source>Choose a model and a cluster, then press Compare.</source>
        <translation>Modell und Cluster wählen, dann auf Vergleichen klicken.</translation>
    </message>
    <message>
        <source>Select a plan to see where its time and memory go, and why.</source>
        <translation>Einen Plan wählen, um zu sehen, wohin seine Zeit und sein Speicher gehen, und warum.</translation>
    </message>
    <message>
        <source>calibrated: %1</source>
        <translation>kalibriert: %1</translation>
    </message>
    <message>
        <source>calibration off</source>
        <translation>Kalibrierung aus</translation>
    </message>
    <message>
        <source>Predictions are calibrated. %1.
Click to predict without.</source>
        <translation>Vorhersagen sind kalibriert. %1.
Klicken, um ohne sie vorherzusagen.</translation>
    </message>
    <message>
        <source>%1.
Click to predict with it.</source>
        <translation>%1.
Klicken, um mit ihr vorherzusagen.</translation>
    </message>
    <message>
        <source>&amp;User guide</source>
        <translation>&amp;Benutzerhandbuch</translation>
    </message>
    <message>
        <source>C&amp;luster</source>
        <translation>&amp;Cluster</translation>
    </message>
    <message>
        <source>What-if</source>
        <translation>Was wäre wenn</translation>
    </message>
    <message>
        <source>&amp;What-if</source>
        <translation>&amp;Was wäre wenn</translation>
    </message>
    <message>
        <source>Import this &amp;machine…</source>
        <translation>Diesen &amp;Rechner importieren…</translation>
    </message>
    <message>
        <source>&amp;Pause or go on</source>
        <translation>&amp;Pausieren oder weiter</translation>
    </message>
    <message>
        <source>Saving… %1 %</source>
        <translation>Wird gespeichert … %1 %</translation>
    </message>
    <message>
        <source>%1 is not there any more. It was taken off the list of recent projects; where it was moved, open it from there.</source>
        <translation>%1 ist nicht mehr da und steht nicht mehr in der Liste der zuletzt geöffneten Projekte; wurde es verschoben, dort öffnen.</translation>
    </message>
    <message>
        <source>Add c&amp;loud machines…</source>
        <translation>C&amp;loud-Rechner hinzufügen…</translation>
    </message>
    <message>
        <source>Profiles, tables of layers, graphs, clusters, machines, plans, models, simulations, run logs, traces (*.json *.jsonl *.txt *.csv *.tsv *.xml *.conf *.json.gz *.onnx);;All files (*)</source>
        <translation>Profile, Schichttabellen, Graphen, Cluster, Maschinen, Pläne, Modelle, Simulationen, Laufprotokolle, Traces (*.json *.jsonl *.txt *.csv *.tsv *.xml *.conf *.json.gz *.onnx);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>What training &amp;keeps…</source>
        <translation>Was das Training &amp;behält…</translation>
    </message>
    <message>
        <source>Launch trains on GPUs</source>
        <translation>Starten trainiert auf GPUs</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MeasureBar</name>
    <message>
        <source>Measure between two cursors</source>
        <translation>Messung zwischen zwei Cursorn</translation>
    </message>
    <message>
        <source>A at %1. M or Shift+click sets B; Esc removes it.</source>
        <translation>A bei %1. M oder Umschalt+Klick setzt B; Esc entfernt ihn.</translation>
    </message>
    <message>
        <source>A to B: %1  (%2)</source>
        <translation>A bis B: %1  (%2)</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>idle %1</source>
        <translation>untätig %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Measurement</name>
    <message>
        <source>Choose a model first.</source>
        <translation>Erst ein Modell wählen.</translation>
    </message>
    <message>
        <source>Only a profile is known of this model, not its layers: there is nothing to run.</source>
        <translation>Von diesem Modell ist nur ein Profil bekannt, nicht seine Schichten: es gibt nichts auszuführen.</translation>
    </message>
    <message>
        <source>Measure on this machine</source>
        <translation>Auf dieser Maschine messen</translation>
    </message>
    <message>
        <source>Measure %1</source>
        <translation>%1 messen</translation>
    </message>
    <message>
        <source>no temporary folder can be made: %1</source>
        <translation>kein temporärer Ordner anlegbar: %1</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>the process was killed or crashed. %1</source>
        <translation>der Prozess wurde beendet oder ist abgestürzt. %1</translation>
    </message>
    <message>
        <source>%1 (measured here)</source>
        <translation>%1 (hier gemessen)</translation>
    </message>
    <message>
        <source>The measurement failed: %1</source>
        <translation>Die Messung ist fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>%1 (measured on a GPU)</source>
        <translation>%1 (auf einer GPU gemessen)</translation>
    </message>
    <message>
        <source>%1. The layers were measured before and are kept.</source>
        <translation>%1. Die Schichten wurden davor gemessen und bleiben.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MemoryView</name>
    <message>
        <source>does not fit: %1 too much</source>
        <translation>passt nicht: %1 zu viel</translation>
    </message>
    <message>
        <source>at most %1, however long operations take: more than it has</source>
        <translation>höchstens %1, wie lange Operationen auch dauern: mehr als es hat</translation>
    </message>
    <message>
        <source>at most %1, however long operations take</source>
        <translation>höchstens %1, wie lange Operationen auch dauern</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>Speicher über der Zeit</translation>
    </message>
    <message>
        <source>%1: peak %2 of %3</source>
        <translation>%1: Spitze %2 von %3</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>memory · %1</source>
        <translation>Speicher · %1</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>peak %1 of %2, at %3</source>
        <translation>Spitze %1 von %2, bei %3</translation>
    </message>
    <message>
        <source>    %1  %2</source>
        <translation>    %1  %2</translation>
    </message>
    <message>
        <source>  › %1  %2</source>
        <translation>  › %1  %2</translation>
    </message>
    <message>
        <source>, at the peak %1</source>
        <translation>, in der Spitze %1</translation>
    </message>
    <message>
        <source>%1: peak %2 of %3, at %4</source>
        <translation>%1: Spitze %2 von %3, bei %4</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::MinimapView</name>
    <message>
        <source>Overview</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Drag the frame or its edges; click to go there; double click to see all</source>
        <translation>Den Rahmen oder seine Kanten ziehen; klicken, um hinzugehen; Doppelklick zeigt alles</translation>
    </message>
    <message>
        <source>%1 of %2 shown</source>
        <translation>%1 von %2 gezeigt</translation>
    </message>
    <message>
        <source>overview</source>
        <translation>Übersicht</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::NextStep</name>
    <message>
        <source>The file was left as it is: open a copy of it made earlier, if there is one.</source>
        <translation>Die Datei blieb, wie sie ist: Falls es eine frühere Kopie gibt, diese öffnen.</translation>
    </message>
    <message>
        <source>Mend the file there and open it again; “pipedeck-cli validate” tells everything that is wrong in it.</source>
        <translation>Die Datei an dieser Stelle berichtigen und erneut öffnen; „pipedeck-cli validate“ nennt alles, was an ihr falsch ist.</translation>
    </message>
    <message>
        <source>See whether the file is there and may be read and written and its disk has room, or choose another place, then try again.</source>
        <translation>Nachsehen, ob die Datei da ist, gelesen und geschrieben werden darf und ihr Datenträger Platz hat, oder einen anderen Ort wählen; dann noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Try more devices, a smaller micro-batch or planners that recompute layers.</source>
        <translation>Mehr Geräte, einen kleineren Micro-Batch oder Planer versuchen, die Schichten neu berechnen.</translation>
    </message>
    <message>
        <source>This is a fault of the program, not of your input: please report it. Your work is unchanged.</source>
        <translation>Das ist ein Fehler des Programms, nicht der Eingabe: Bitte melden. Die Arbeit ist unverändert.</translation>
    </message>
    <message>
        <source>Choose another file: the user guide, under Help, tells which kinds can be opened.</source>
        <translation>Eine andere Datei wählen: Das Benutzerhandbuch, unter Hilfe, nennt die Arten, die sich öffnen lassen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::NotesEdit</name>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Notes about the plan</source>
        <translation>Notizen zum Plan</translation>
    </message>
    <message>
        <source>What is to be remembered about this plan</source>
        <translation>Was zu diesem Plan zu merken ist</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::OperationTable</name>
    <message>
        <source>Filter: B 12 s3</source>
        <translation>Filter: B 12 s3</translation>
    </message>
    <message>
        <source>Filter operations</source>
        <translation>Operationen filtern</translation>
    </message>
    <message>
        <source>Rows before these</source>
        <translation>Zeilen davor</translation>
    </message>
    <message>
        <source>Rows after these</source>
        <translation>Zeilen danach</translation>
    </message>
    <message>
        <source>Operations of the chart</source>
        <translation>Operationen des Diagramms</translation>
    </message>
    <message>
        <source>Select a plan to see its operations.</source>
        <translation>Einen Plan wählen, um seine Operationen zu sehen.</translation>
    </message>
    <message>
        <source>%L1 – %L2 of %L3 operations</source>
        <translation>%L1 – %L2 von %L3 Operationen</translation>
    </message>
    <message>
        <source>1 operation</source>
        <translation>1 Operation</translation>
    </message>
    <message>
        <source>%L1 operations</source>
        <translation>%L1 Operationen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::OperationTableModel</name>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>the activation from %1</source>
        <translation>die Aktivierung von %1</translation>
    </message>
    <message>
        <source>the gradient from %1</source>
        <translation>den Gradienten von %1</translation>
    </message>
    <message>
        <source>the all-reduce</source>
        <translation>das All-Reduce</translation>
    </message>
    <message>
        <source>%1 ns</source>
        <translation>%1 ns</translation>
    </message>
    <message>
        <source>µs</source>
        <translation>µs</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Mikro-Batch</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Start, %1</source>
        <translation>Beginn, %1</translation>
    </message>
    <message>
        <source>End, %1</source>
        <translation>Ende, %1</translation>
    </message>
    <message>
        <source>Duration, %1</source>
        <translation>Dauer, %1</translation>
    </message>
    <message>
        <source>Idle before, %1</source>
        <translation>Leerlauf davor, %1</translation>
    </message>
    <message>
        <source>Waited for</source>
        <translation>Wartete auf</translation>
    </message>
    <message>
        <source>%L1 operations are too many to sort: narrow them down to %L2 by a filter.</source>
        <translation>%L1 Operationen sind zu viele zum Sortieren: mit einem Filter auf %L2 eingrenzen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Picture</name>
    <message>
        <source>%1: found the ending &apos;%2&apos;, expected png, svg or pdf</source>
        <translation>%1: gefunden: Endung „%2“, erwartet: png, svg oder pdf</translation>
    </message>
    <message>
        <source>%1 can&apos;t be written: %2. Choose another folder or name.</source>
        <translation>%1 ist nicht schreibbar: %2. Einen anderen Ordner oder Namen wählen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanActions</name>
    <message>
        <source>Cu&amp;t</source>
        <translation>&amp;Ausschneiden</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>A&amp;lles auswählen</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>&amp;Duplizieren</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>&amp;Umbenennen</translation>
    </message>
    <message>
        <source>&amp;Notes</source>
        <translation>&amp;Notizen</translation>
    </message>
    <message>
        <source>&amp;Show or hide charts</source>
        <translation>Diagramme &amp;zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>De&amp;lete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Copy the selected plans, then delete them</source>
        <translation>Die gewählten Pläne kopieren, dann löschen</translation>
    </message>
    <message>
        <source>The selected plans as text, for this or another project</source>
        <translation>Die gewählten Pläne als Text, für dieses oder ein anderes Projekt</translation>
    </message>
    <message>
        <source>Plans from the clipboard, for the model and cluster that are chosen</source>
        <translation>Pläne aus der Zwischenablage, für das gewählte Modell und den gewählten Cluster</translation>
    </message>
    <message>
        <source>Notes on %1</source>
        <translation>Notizen zu %1</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>%1 ausschneiden</translation>
    </message>
    <message>
        <source>Cut %1 plans</source>
        <translation>%1 Pläne ausschneiden</translation>
    </message>
    <message>
        <source>Copied %1</source>
        <translation>%1 kopiert</translation>
    </message>
    <message>
        <source>Copied %1 plans</source>
        <translation>%1 Pläne kopiert</translation>
    </message>
    <message>
        <source>Paste plans</source>
        <translation>Pläne einfügen</translation>
    </message>
    <message>
        <source>Paste %1</source>
        <translation>%1 einfügen</translation>
    </message>
    <message>
        <source>Paste %1 plans</source>
        <translation>%1 Pläne einfügen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Duplicate plan</source>
        <translation>Plan duplizieren</translation>
    </message>
    <message>
        <source>Duplicate %1 plans</source>
        <translation>%1 Pläne duplizieren</translation>
    </message>
    <message>
        <source>Rename plan</source>
        <translation>Plan umbenennen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Rename model</source>
        <translation>Modell umbenennen</translation>
    </message>
    <message>
        <source>Rename cluster</source>
        <translation>Cluster umbenennen</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>Lauf umbenennen</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation>%1 ausblenden</translation>
    </message>
    <message>
        <source>Show %1 plans</source>
        <translation>%1 Pläne zeigen</translation>
    </message>
    <message>
        <source>Hide %1 plans</source>
        <translation>%1 Pläne ausblenden</translation>
    </message>
    <message>
        <source>Delete %1 plans</source>
        <translation>%1 Pläne löschen</translation>
    </message>
    <message>
        <source>Delete %1 entries</source>
        <translation>%1 Einträge löschen</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Delete run %1</source>
        <translation>Lauf %1 löschen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanBar</name>
    <message>
        <source>C&amp;hunks</source>
        <translation>Chun&amp;ks</translation>
    </message>
    <message>
        <source>&amp;Schedule</source>
        <translation>Abla&amp;uf</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Chunks of the model on each device</source>
        <translation>Chunks des Modells auf jedem Gerät</translation>
    </message>
    <message>
        <source>Chunks of the model on each device: more of them shorten start and end, and send more</source>
        <translation>Chunks des Modells auf jedem Gerät: mehr davon verkürzen Anfang und Schluss und senden mehr</translation>
    </message>
    <message>
        <source>&amp;Micro-batch</source>
        <translation>&amp;Mikro-Batch</translation>
    </message>
    <message>
        <source>Samples of a micro-batch</source>
        <translation>Samples eines Mikro-Batches</translation>
    </message>
    <message>
        <source>Samples of a whole micro-batch; the list has what divides the global batch</source>
        <translation>Samples eines ganzen Mikro-Batches; die Liste hat, was den globalen Batch teilt</translation>
    </message>
    <message>
        <source>× %1</source>
        <translation>× %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanPanel</name>
    <message>
        <source>%1, %2 stages</source>
        <translation>%1, %2 Stufen</translation>
    </message>
    <message>
        <source>Simulating…</source>
        <translation>Wird simuliert…</translation>
    </message>
    <message>
        <source>bubble %1</source>
        <translation>Bubble %1</translation>
    </message>
    <message>
        <source>asynchronous</source>
        <translation>asynchron</translation>
    </message>
    <message>
        <source>may not fit: see memory&apos;s upper estimate</source>
        <translation>passt vielleicht nicht: siehe obere Schätzung des Speichers</translation>
    </message>
    <message>
        <source>does not fit in memory</source>
        <translation>passt nicht in den Speicher</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanReasons</name>
    <message>
        <source>%1 stages, each within one server: gradients are reduced over links inside, and only activations cross the network.</source>
        <translation>%1 Stufen, jede in einem Server: Gradienten laufen nur über Verbindungen im Server, nur Aktivierungen gehen über das Netz.</translation>
    </message>
    <message>
        <source>%1 stages; replicas of at least one of them lie in several servers, so its gradients cross the network.</source>
        <translation>%1 Stufen; Replikate mindestens einer davon liegen in mehreren Servern, also gehen ihre Gradienten über das Netz.</translation>
    </message>
    <message>
        <source>All-reduce of %1 of gradients over %2 devices takes at least %3; %4 of it is not hidden behind the backward.</source>
        <translation>All-Reduce von %1 Gradienten über %2 Geräte dauert mindestens %3; davon verdeckt der Rückwärtsdurchlauf %4 nicht.</translation>
    </message>
    <message>
        <source>Replicating all %1 of weights on %2 devices would cost at least %3 of all-reduce at %4; this plan waits %5 for its own.</source>
        <translation>Alle %1 Gewichte auf %2 Geräten zu replizieren, würde mindestens %3 All-Reduce bei %4 kosten; dieser Plan wartet %5 auf seines.</translation>
    </message>
    <message>
        <source>The cut before layer %1 sends %2 a micro-batch each way.</source>
        <translation>Der Schnitt vor Schicht %1 sendet %2 je Mikro-Batch und Richtung.</translation>
    </message>
    <message>
        <source>The widest of its %1 cuts sends %2 a micro-batch each way.</source>
        <translation>Der breiteste seiner %1 Schnitte sendet %2 je Mikro-Batch und Richtung.</translation>
    </message>
    <message>
        <source>All stages are equally busy.</source>
        <translation>Alle Stufen sind gleich belegt.</translation>
    </message>
    <message>
        <source>Stage %1 is the busiest; stage %2 has %3 less to do.</source>
        <translation>Stufe %1 ist am stärksten belegt; Stufe %2 hat %3 weniger zu tun.</translation>
    </message>
    <message>
        <source>%1 micro-batches over %2 equal stages would leave devices idle for %3; here it is %4.</source>
        <translation>%1 Mikro-Batches über %2 gleiche Stufen ließen Geräte %3 untätig; hier sind es %4.</translation>
    </message>
    <message>
        <source>Forward runs again before backward on stage %1, to save memory.</source>
        <translation>Auf Stufe %1 läuft vorwärts vor rückwärts noch einmal, um Speicher zu sparen.</translation>
    </message>
    <message>
        <source>One micro-batch over %1 equal stages would leave devices idle for %2; here it is %3.</source>
        <translation>Ein Mikro-Batch über %1 gleiche Stufen ließe Geräte %2 untätig; hier sind es %3.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanRows</name>
    <message>
        <source>the same</source>
        <translation>gleich lange</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Warm-up %1. Policy %2 would take %3</source>
        <translation>Anlauf %1. Mit Anlauf %2 dauert es %3</translation>
    </message>
    <message>
        <source> and not fit</source>
        <translation> und passt nicht</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>untätig</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanSteps</name>
    <message>
        <source>Move cut before %1</source>
        <translation>Schnitt vor %1 verschieben</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>Leave out %1</source>
        <translation>%1 herausnehmen</translation>
    </message>
    <message>
        <source>Move %1 within stage %2</source>
        <translation>%1 in Stufe %2 umordnen</translation>
    </message>
    <message>
        <source>Move %1 to stage %2</source>
        <translation>%1 in Stufe %2 verschieben</translation>
    </message>
    <message>
        <source>Exchange %1 and %2</source>
        <translation>%1 und %2 tauschen</translation>
    </message>
    <message>
        <source>Split stage %1 before %2</source>
        <translation>Stufe %1 vor %2 teilen</translation>
    </message>
    <message>
        <source>Merge stages %1 and %2</source>
        <translation>Stufen %1 und %2 verbinden</translation>
    </message>
    <message>
        <source>Replicas of stage %1: %2</source>
        <translation>Replikate von Stufe %1: %2</translation>
    </message>
    <message>
        <source>Tensor parallelism %1 of stage %2</source>
        <translation>Tensorparallelität %1 von Stufe %2</translation>
    </message>
    <message>
        <source>Shares of stage %1</source>
        <translation>Anteile von Stufe %1</translation>
    </message>
    <message>
        <source>Recompute stage %1</source>
        <translation>Stufe %1 neu berechnen</translation>
    </message>
    <message>
        <source>Recompute nothing of stage %1</source>
        <translation>Nichts in Stufe %1 neu berechnen</translation>
    </message>
    <message>
        <source>Recompute %1</source>
        <translation>%1 neu berechnen</translation>
    </message>
    <message>
        <source>Keep activations of %1</source>
        <translation>Aktivierungen von %1 behalten</translation>
    </message>
    <message>
        <source>Micro-batch of %1</source>
        <translation>Mikro-Batch von %1</translation>
    </message>
    <message>
        <source> (edited)</source>
        <translation> (bearbeitet)</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanTable</name>
    <message>
        <source>steady state</source>
        <translation>eingeschwungen</translation>
    </message>
    <message>
        <source>steady</source>
        <translation>stabil</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>Pläne</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlanTableModel</name>
    <message>
        <source>no plan</source>
        <translation>kein Plan</translation>
    </message>
    <message>
        <source>Being simulated</source>
        <translation>Wird simuliert</translation>
    </message>
    <message>
        <source>%1 · %2 micro-batches of %3 samples · %4</source>
        <translation>%1 · %2 Mikro-Batches mit %3 Samples · %4</translation>
    </message>
    <message>
        <source>%1 ms from the first forward to the end of the last optimizer step, %2 samples/s</source>
        <translation>%1 ms vom ersten Vorwärts bis zum Ende des letzten Optimierer-Schritts, %2 Samples/s</translation>
    </message>
    <message>
        <source>Steady state: %1 ms for as many samples as the global batch has, %2 samples/s</source>
        <translation>Eingeschwungen: %1 ms für so viele Samples, wie der globale Batch hat, %2 Samples/s</translation>
    </message>
    <message>
        <source>G%1 holds %2 of %3 at %4; %5 at most, however long operations take</source>
        <translation>G%1 hält %2 von %3 bei %4; höchstens %5, wie lange Operationen auch dauern</translation>
    </message>
    <message>
        <source>No plan of this problem can be faster than %1</source>
        <translation>Kein Plan dieses Problems kann schneller sein als %1</translation>
    </message>
    <message>
        <source>No lower bound is known</source>
        <translation>Keine untere Schranke bekannt</translation>
    </message>
    <message numerus="yes">
        <source>Every device is expected to hold its share, but %n may need more than they have: G%1 up to %2 of %3</source>
        <translation>
            <numerusform>Jedes Gerät sollte seinen Anteil fassen, aber %n könnte mehr brauchen, als es hat: G%1 bis zu %2 von %3</numerusform>
            <numerusform>Jedes Gerät sollte seinen Anteil fassen, aber %n könnten mehr brauchen, als sie haben: G%1 bis zu %2 von %3</numerusform>
        </translation>
    </message>
    <message>
        <source>Every device holds its share, however long operations take</source>
        <translation>Jedes Gerät fasst seinen Anteil, wie lange Operationen auch dauern</translation>
    </message>
    <message>
        <source>G%1 would need %2 more than it has</source>
        <translation>G%1 bräuchte %2 mehr, als es hat</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>fits, but not by the upper estimate</source>
        <translation>passt, aber nicht nach der oberen Schätzung</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>show %1 below</source>
        <translation>%1 unten zeigen</translation>
    </message>
    <message>
        <source>Shown as Gantt chart and memory curves below</source>
        <translation>Unten als Gantt-Diagramm und Speicherkurven gezeigt</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Planner, devices a stage and layers a stage</source>
        <translation>Planer, Geräte je Stufe und Schichten je Stufe</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Simulated time of one global batch</source>
        <translation>Simulierte Zeit eines globalen Batches</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Samples/s</translation>
    </message>
    <message>
        <source>Global batch over iteration time</source>
        <translation>Globaler Batch durch Iterationszeit</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Speedup</translation>
    </message>
    <message>
        <source>Over the whole model on one device</source>
        <translation>Gegenüber dem ganzen Modell auf einem Gerät</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>Bubble</translation>
    </message>
    <message>
        <source>Share of device time in which nothing is computed</source>
        <translation>Leerlauf: Anteil der Gerätezeit, in dem nichts gerechnet wird</translation>
    </message>
    <message>
        <source>Comm.</source>
        <translation>Komm.</translation>
    </message>
    <message>
        <source>Share of the iteration in which no device computes, but data moves</source>
        <translation>Anteil der Iteration, in dem kein Gerät rechnet, aber Daten unterwegs sind</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitzenspeicher</translation>
    </message>
    <message>
        <source>Of the fullest device, against its capacity</source>
        <translation>Des vollsten Geräts, gegen seine Kapazität</translation>
    </message>
    <message>
        <source>Over bound</source>
        <translation>Üb. Schranke</translation>
    </message>
    <message>
        <source>Iteration above the lower bound of all plans</source>
        <translation>Iteration über der unteren Schranke aller Pläne</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Whether every device holds its share</source>
        <translation>Ob jedes Gerät seinen Anteil fasst</translation>
    </message>
    <message>
        <source>%1 samples/s: %2 samples in %3 ms</source>
        <translation>%1 Samples/s: %2 Samples in %3 ms</translation>
    </message>
    <message>
        <source>One device would take %1</source>
        <translation>Ein Gerät bräuchte %1</translation>
    </message>
    <message>
        <source>The time on one device is not known</source>
        <translation>Die Zeit auf einem Gerät ist nicht bekannt</translation>
    </message>
    <message>
        <source>Devices compute nothing for %1 % of their time</source>
        <translation>Geräte rechnen %1 % ihrer Zeit nichts</translation>
    </message>
    <message>
        <source>No device computes, but data moves, for %1 % of the iteration</source>
        <translation>%1 % der Iteration rechnet kein Gerät, aber Daten sind unterwegs</translation>
    </message>
    <message>
        <source>%1, with notes</source>
        <translation>%1, mit Notizen</translation>
    </message>
    <message>
        <source>%1 fastest</source>
        <comment>a measured time</comment>
        <translation>%1 am schnellsten</translation>
    </message>
    <message>
        <source>A step of the newest run of this plan on this machine took %1; the run&apos;s own prediction stands in the list of runs</source>
        <translation>Ein Schritt des neuesten Laufs dieses Plans auf diesem Rechner dauerte %1; die Vorhersage des Laufs selbst steht in der Liste der Läufe</translation>
    </message>
    <message>
        <source>This plan was not run to its end on this machine</source>
        <translation>Dieser Plan lief auf diesem Rechner noch nicht bis zum Ende</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>A step of the newest run of the plan on this machine, by its throughput</source>
        <translation>Ein Schritt des neuesten Laufs des Plans auf diesem Rechner, nach seinem Durchsatz</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::PlannerDialog</name>
    <message>
        <source>Planners and options</source>
        <translation>Planer und Optionen</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>Every plan must have</source>
        <translation>Jeder Plan muss haben</translation>
    </message>
    <message>
        <source>&amp;stages</source>
        <translation>&amp;Stufen</translation>
    </message>
    <message>
        <source>Exactly so many stages (--pp)</source>
        <translation>Genau so viele Stufen (--pp)</translation>
    </message>
    <message>
        <source>at &amp;most</source>
        <translation>&amp;höchstens</translation>
    </message>
    <message>
        <source>At most so many stages (--max-stages)</source>
        <translation>Höchstens so viele Stufen (--max-stages)</translation>
    </message>
    <message>
        <source>&amp;replicas</source>
        <translation>&amp;Replikate</translation>
    </message>
    <message>
        <source>So many replicas of every stage (--dp)</source>
        <translation>So viele Replikate jeder Stufe (--dp)</translation>
    </message>
    <message>
        <source>&amp;tensor parallelism</source>
        <translation>&amp;Tensorparallel</translation>
    </message>
    <message>
        <source>Devices over which each layer of a stage is split (--tmp)</source>
        <translation>Geräte, auf die jede Schicht einer Stufe geteilt wird (--tmp)</translation>
    </message>
    <message>
        <source>layer=device, layer=device</source>
        <translation>Schicht=Gerät, Schicht=Gerät</translation>
    </message>
    <message>
        <source>These layers (by name or number) on these devices (by number): --pin</source>
        <translation>Diese Schichten (Name oder Nummer) auf diesen Geräten (Nummer): --pin</translation>
    </message>
    <message>
        <source>&amp;Layers on devices</source>
        <translation>Schichten auf &amp;Geräten</translation>
    </message>
    <message>
        <source>Planners; ticked ones are compared</source>
        <translation>Planer; angekreuzte werden verglichen</translation>
    </message>
    <message>
        <source>Found &quot;%1&quot;, expected layer=device.</source>
        <translation>„%1“ gefunden, erwartet: Schicht=Gerät.</translation>
    </message>
    <message>
        <source>The profile has no layer &quot;%1&quot;.</source>
        <translation>Das Profil hat keine Schicht „%1“.</translation>
    </message>
    <message>
        <source>Choose a profile first.</source>
        <translation>Erst ein Profil wählen.</translation>
    </message>
    <message>
        <source>Tick at least one planner.</source>
        <translation>Mindestens einen Planer ankreuzen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileActions</name>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>&amp;Set…</source>
        <translation>&amp;Setzen…</translation>
    </message>
    <message>
        <source>S&amp;cale…</source>
        <translation>S&amp;kalieren…</translation>
    </message>
    <message>
        <source>&amp;Insert layer above</source>
        <translation>Schicht darüber &amp;einfügen</translation>
    </message>
    <message>
        <source>&amp;Duplicate layers</source>
        <translation>Schichten &amp;duplizieren</translation>
    </message>
    <message>
        <source>&amp;Merge layers</source>
        <translation>Schichten &amp;zusammenfassen</translation>
    </message>
    <message>
        <source>D&amp;elete layers</source>
        <translation>Schichten &amp;löschen</translation>
    </message>
    <message>
        <source>C&amp;opy layers</source>
        <translation>Schichten k&amp;opieren</translation>
    </message>
    <message>
        <source>&amp;Paste layers</source>
        <translation>Schichten e&amp;infügen</translation>
    </message>
    <message>
        <source>&amp;Rename model…</source>
        <translation>Modell &amp;umbenennen…</translation>
    </message>
    <message>
        <source>D&amp;uplicate model</source>
        <translation>&amp;Modell duplizieren</translation>
    </message>
    <message>
        <source>The same figure for all selected layers, in the column of the cell that is current</source>
        <translation>Dieselbe Zahl für alle gewählten Schichten, in der Spalte der aktuellen Zelle</translation>
    </message>
    <message>
        <source>The column&apos;s figure of all selected layers times a factor</source>
        <translation>Die Zahl der Spalte aller gewählten Schichten mal einen Faktor</translation>
    </message>
    <message>
        <source>One layer with the sums of the selected ones</source>
        <translation>Eine Schicht mit den Summen der gewählten</translation>
    </message>
    <message>
        <source>The selected layers as rows for a spreadsheet</source>
        <translation>Die gewählten Schichten als Zeilen für eine Tabellenkalkulation</translation>
    </message>
    <message>
        <source>Rows of a spreadsheet: under a heading by the layers&apos; names, else cells from the current one on</source>
        <translation>Zeilen einer Tabellenkalkulation: unter einer Überschrift nach den Namen der Schichten, sonst Zellen ab der aktuellen</translation>
    </message>
    <message>
        <source>%1 no longer fit the model and went; Undo brings them back.</source>
        <translation>%1 passten nicht mehr zum Modell und sind weg; Rückgängig holt sie zurück.</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Rename layer %1</source>
        <translation>Schicht %1 umbenennen</translation>
    </message>
    <message>
        <source>Kind of layer %1</source>
        <translation>Art von Schicht %1</translation>
    </message>
    <message>
        <source>Edit layer %1</source>
        <translation>Schicht %1 bearbeiten</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>%1 setzen</translation>
    </message>
    <message>
        <source>Time of each, such as 8.1 ms</source>
        <translation>Zeit von jeder, wie 8,1 ms</translation>
    </message>
    <message>
        <source>Bytes of each, such as 12 MiB</source>
        <translation>Bytes von jeder, wie 12 MiB</translation>
    </message>
    <message>
        <source>Scale %1</source>
        <translation>%1 skalieren</translation>
    </message>
    <message>
        <source>Choose a cell of the column to scale first: a time or bytes.</source>
        <translation>Erst eine Zelle der Spalte wählen, die skaliert wird: eine Zeit oder Bytes.</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>Insert layer</source>
        <translation>Schicht einfügen</translation>
    </message>
    <message>
        <source>Duplicate %1</source>
        <translation>%1 duplizieren</translation>
    </message>
    <message>
        <source>Merge %1</source>
        <translation>%1 zusammenfassen</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Paste layers</source>
        <translation>Schichten einfügen</translation>
    </message>
    <message>
        <source>Rename model</source>
        <translation>Modell umbenennen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Rename %1</source>
        <translation>%1 umbenennen</translation>
    </message>
    <message>
        <source>Assume even shares</source>
        <translation>Gleiche Anteile annehmen</translation>
    </message>
    <message>
        <source>Delete layers without time</source>
        <translation>Schichten ohne Zeit löschen</translation>
    </message>
    <message>
        <source>Device of the times</source>
        <translation>Gerät der Zeiten</translation>
    </message>
    <message>
        <source>Device type, such as V100-16GB</source>
        <translation>Gerätetyp, wie V100-16GB</translation>
    </message>
    <message>
        <source>Name the device</source>
        <translation>Das Gerät benennen</translation>
    </message>
    <message>
        <source>&amp;Measure on this machine</source>
        <translation>Auf dieser Maschine m&amp;essen</translation>
    </message>
    <message>
        <source>A measurement is under way.</source>
        <translation>Eine Messung läuft.</translation>
    </message>
    <message>
        <source>Runs every layer here at several micro-batch sizes, and measures this machine&apos;s links and memory: both are chosen for the next comparison</source>
        <translation>Führt jede Schicht hier mit mehreren Mikro-Batch-Größen aus und misst Verbindungen und Speicher dieser Maschine: beides wird für den nächsten Vergleich gewählt</translation>
    </message>
    <message>
        <source>Runs every layer on the first GPU at several micro-batch sizes, as the Run page says, and the links between this machine&apos;s GPUs: both are chosen for the next comparison</source>
        <translation>Lässt jede Schicht auf der ersten GPU in mehreren Mikro-Batch-Größen laufen, wie es die Seite „Lauf“ sagt, und misst die Verbindungen zwischen den GPUs dieser Maschine: Beides ist für den nächsten Vergleich gewählt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileBars</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Layers as bars; the table below has the same figures</source>
        <translation>Schichten als Balken; die Tabelle darunter hat dieselben Zahlen</translation>
    </message>
    <message>
        <source>max %1</source>
        <translation>max. %1</translation>
    </message>
    <message>
        <source>layer 0</source>
        <translation>Schicht 0</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;layer %1 · %2&lt;/b&gt;&lt;br&gt;forward %3, backward %4&lt;br&gt;saved %5, output %6, parameters %7</source>
        <translation>&lt;b&gt;Schicht %1 · %2&lt;/b&gt;&lt;br&gt;vorwärts %3, rückwärts %4&lt;br&gt;behalten %5, Ausgabe %6, Parameter %7</translation>
    </message>
    <message>
        <source>layer %1 · %2: forward %3, backward %4, saved %5, output %6, parameters %7</source>
        <translation>Schicht %1 · %2: vorwärts %3, rückwärts %4, behalten %5, Ausgabe %6, Parameter %7</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileEdits</name>
    <message>
        <source>A time is from 0 to %1 s.</source>
        <translation>Eine Zeit liegt zwischen 0 und %1 s.</translation>
    </message>
    <message>
        <source>Bytes are from 0 to %1.</source>
        <translation>Bytes liegen zwischen 0 und %1.</translation>
    </message>
    <message>
        <source>There is no such layer.</source>
        <translation>Es gibt keine solche Schicht.</translation>
    </message>
    <message>
        <source>A factor is a number of at least 0.</source>
        <translation>Ein Faktor ist eine Zahl von mindestens 0.</translation>
    </message>
    <message>
        <source>A layer has a name.</source>
        <translation>Eine Schicht hat einen Namen.</translation>
    </message>
    <message>
        <source>Another layer is called %1 already.</source>
        <translation>Eine andere Schicht heißt schon %1.</translation>
    </message>
    <message>
        <source>new layer</source>
        <translation>neue Schicht</translation>
    </message>
    <message>
        <source>A model has one layer at least.</source>
        <translation>Ein Modell hat mindestens eine Schicht.</translation>
    </message>
    <message>
        <source>A device type has a name.</source>
        <translation>Ein Gerätetyp hat einen Namen.</translation>
    </message>
    <message>
        <source>Choose two layers or more to merge.</source>
        <translation>Zum Zusammenfassen zwei Schichten oder mehr wählen.</translation>
    </message>
    <message>
        <source>Only layers that follow one another can be merged.</source>
        <translation>Nur aufeinanderfolgende Schichten lassen sich zusammenfassen.</translation>
    </message>
    <message>
        <source>%1 … %2</source>
        <translation>%1 … %2</translation>
    </message>
    <message>
        <source>row %1, %2</source>
        <translation>Zeile %1, %2</translation>
    </message>
    <message>
        <source>The clipboard holds no rows of layers.</source>
        <translation>Die Zwischenablage enthält keine Zeilen von Schichten.</translation>
    </message>
    <message>
        <source>There is no text to paste.</source>
        <translation>Es gibt keinen Text zum Einfügen.</translation>
    </message>
    <message>
        <source>There are more than %1 rows to paste.</source>
        <translation>Mehr als %1 Zeilen zum Einfügen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfilePreview</name>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>For the backward pass, of one micro-batch</source>
        <translation>Für den Rückwärtsdurchlauf, eines Mikro-Batches</translation>
    </message>
    <message>
        <source>What was understood and assumed</source>
        <translation>Was verstanden und angenommen wurde</translation>
    </message>
    <message>
        <source>Understood and assumed</source>
        <translation>Verstanden und angenommen</translation>
    </message>
    <message>
        <source>%1 · %2 of weights · %3 kept · %4 a micro-batch on one device</source>
        <translation>%1 · %2 Gewichte · %3 behalten · %4 je Mikro-Batch auf einem Gerät</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileTableModel</name>
    <message>
        <source>%1, of which weight gradient %2</source>
        <translation>%1, davon Gewichtsgradient %2</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Bytes</translation>
    </message>
    <message>
        <source>Time of one forward pass of one micro-batch</source>
        <translation>Zeit eines Vorwärtsdurchlaufs eines Mikro-Batches</translation>
    </message>
    <message>
        <source>Time of one backward pass: input and weight gradient</source>
        <translation>Zeit eines Rückwärtsdurchlaufs: Eingabe- und Gewichtsgradient</translation>
    </message>
    <message>
        <source>What goes to the next layer for one micro-batch</source>
        <translation>Was für einen Mikro-Batch an die nächste Schicht geht</translation>
    </message>
    <message>
        <source>What forward keeps for backward, for one micro-batch</source>
        <translation>Was vorwärts für rückwärts behält, für einen Mikro-Batch</translation>
    </message>
    <message>
        <source>Weights in the precision of the profile</source>
        <translation>Gewichte in der Genauigkeit des Profils</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>%1 of %2 layers are measured at one micro-batch size only: other sizes are taken as proportional.</source>
        <translation>%1 von %2 Schichten sind nur bei einer Mikro-Batch-Größe gemessen: andere Größen gelten als proportional.</translation>
    </message>
    <message>
        <source>%1 of %2 layers have no tensor-parallel times: they can&apos;t be split.</source>
        <translation>%1 von %2 Schichten haben keine tensorparallelen Zeiten: sie lassen sich nicht teilen.</translation>
    </message>
    <message>
        <source>%1 of %2 layers take no time.</source>
        <translation>%1 von %2 Schichten brauchen keine Zeit.</translation>
    </message>
    <message>
        <source>The device that the times are for is not named.</source>
        <translation>Das Gerät, für das die Zeiten gelten, ist nicht genannt.</translation>
    </message>
    <message>
        <source>Assume even shares</source>
        <translation>Gleiche Anteile annehmen</translation>
    </message>
    <message>
        <source>Delete them</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Name it…</source>
        <translation>Benennen…</translation>
    </message>
    <message>
        <source>Median of %1; half of them between %2 and %3</source>
        <translation>Median von %1; die Hälfte davon zwischen %2 und %3</translation>
    </message>
    <message>
        <source>%1 bytes, of which %2 are whole on every device where the layer is cut over several</source>
        <translation>%1 Bytes, davon %2 vollständig auf jedem Gerät, wo die Schicht auf mehrere zerlegt ist</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProfileView</name>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>No model selected</source>
        <translation>Kein Modell gewählt</translation>
    </message>
    <message>
        <source>Import a profile, or choose a model preset, to see its layers.</source>
        <translation>Ein Profil importieren oder eine Modellvorlage wählen, um die Schichten zu sehen.</translation>
    </message>
    <message>
        <source>%1 layers · forward %2 · backward %3 for %4 samples on %5 · parameters %6 · saved %7 · largest output %8</source>
        <translation>%1 Schichten · vorwärts %2 · rückwärts %3 für %4 Samples auf %5 · Parameter %6 · behalten %7 · größte Ausgabe %8</translation>
    </message>
    <message>
        <source>an unnamed device</source>
        <translation>unbenanntem Gerät</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Edits change the times of a micro-batch of %1; what was measured at other sizes stays.</source>
        <translation>Bearbeitet werden die Zeiten eines Mikro-Batches von %1; was bei anderen Größen gemessen wurde, bleibt.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProjectTree</name>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ProjectTreeModel</name>
    <message>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Models: times and bytes of each layer</source>
        <translation>Modelle: Zeiten und Bytes jeder Schicht</translation>
    </message>
    <message>
        <source>Devices and what joins them</source>
        <translation>Geräte und was sie verbindet</translation>
    </message>
    <message>
        <source>How a model is cut over a cluster</source>
        <translation>Wie ein Modell über einen Cluster geschnitten ist</translation>
    </message>
    <message>
        <source>Trainings launched from here</source>
        <translation>Von hier gestartete Trainings</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::QuantityEdit</name>
    <message>
        <source>Expected more than %1</source>
        <translation>Erwartet: mehr als %1</translation>
    </message>
    <message>
        <source>Expected at least %1</source>
        <translation>Erwartet: mindestens %1</translation>
    </message>
    <message>
        <source>Expected at most %1</source>
        <translation>Erwartet: höchstens %1</translation>
    </message>
    <message>
        <source>Expected a whole number</source>
        <translation>Erwartet: eine ganze Zahl</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::QuestionBar</name>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>&amp;Model profile</source>
        <translation>&amp;Modellprofil</translation>
    </message>
    <message>
        <source>&amp;Cluster</source>
        <translation>&amp;Cluster</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>&amp;Global batch</source>
        <translation>&amp;Globaler Batch</translation>
    </message>
    <message>
        <source>M&amp;icro-batch</source>
        <translation>M&amp;ikro-Batch</translation>
    </message>
    <message>
        <source>Samples of one iteration: 1024, 1 024, 1k or 1Ki</source>
        <translation>Samples einer Iteration: 1024, 1 024, 1k oder 1Ki</translation>
    </message>
    <message>
        <source>Samples of one micro-batch; auto leaves the choice to each planner</source>
        <translation>Samples eines Mikro-Batches; auto überlässt jedem Planer die Wahl</translation>
    </message>
    <message>
        <source>&amp;Network</source>
        <translation>&amp;Netz</translation>
    </message>
    <message>
        <source>&amp;All-reduce</source>
        <translation>All-&amp;Reduce</translation>
    </message>
    <message>
        <source>All-reduce al&amp;gorithm</source>
        <translation>A&amp;lgorithmus</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>▶ Launch</source>
        <translation>▶ Starten</translation>
    </message>
    <message>
        <source>choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>choose a cluster</source>
        <translation>Cluster wählen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop comparing (Esc)</source>
        <translation>Vergleich abbrechen (Esc)</translation>
    </message>
    <message>
        <source>Plan with every planner and simulate the answers (Ctrl+R)</source>
        <translation>Mit jedem Planer planen und die Antworten simulieren (Strg+R)</translation>
    </message>
    <message>
        <source>■ Stop</source>
        <translation>■ Stopp</translation>
    </message>
    <message>
        <source>Stop the run (Shift+F5)</source>
        <translation>Den Lauf anhalten (Umschalt+F5)</translation>
    </message>
    <message>
        <source>Train the selected plan on this machine (F5)</source>
        <translation>Den gewählten Plan auf diesem Rechner trainieren (F5)</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ReadOnlyBar</name>
    <message>
        <source>Save a copy…</source>
        <translation>Kopie speichern…</translation>
    </message>
    <message>
        <source>Keep the project under another name, where it can be saved</source>
        <translation>Das Projekt unter anderem Namen behalten, wo es sich speichern lässt</translation>
    </message>
    <message>
        <source>Read-only: %1 What you change here is not written to the file.</source>
        <translation>Schreibgeschützt: %1 Änderungen hier gelangen nicht in die Datei.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ReportExport</name>
    <message>
        <source>Choose a model and a cluster first.</source>
        <translation>Zuerst ein Modell und einen Cluster wählen.</translation>
    </message>
    <message>
        <source>There are no plans yet: press Compare first.</source>
        <translation>Noch keine Pläne: erst auf Vergleichen klicken.</translation>
    </message>
    <message>
        <source>Report %1</source>
        <translation>Bericht %1</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>a date and a machine</comment>
        <translation>%1 auf %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RulerView</name>
    <message>
        <source>Time scale</source>
        <translation>Zeitskala</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunModel</name>
    <message>
        <source>started %1 on %2 devices (%3) · plan %4 · %5 steps</source>
        <translation>%1 auf %2 Geräten gestartet (%3) · Plan %4 · %5 Schritte</translation>
    </message>
    <message>
        <source>timeline of step %1: %2 operations in %3 ms</source>
        <translation>Zeitleiste von Schritt %1: %2 Operationen in %3 ms</translation>
    </message>
    <message>
        <source>failed at step %1: %2</source>
        <translation>gescheitert bei Schritt %1: %2</translation>
    </message>
    <message>
        <source>stopped on request after %1 steps</source>
        <translation>auf Wunsch angehalten nach %1 Schritten</translation>
    </message>
    <message>
        <source>finished %1 steps</source>
        <translation>%1 Schritte fertig</translation>
    </message>
    <message>
        <source>paused after step %1</source>
        <translation>pausiert nach Schritt %1</translation>
    </message>
    <message>
        <source>going on</source>
        <translation>geht weiter</translation>
    </message>
    <message>
        <source>checkpoint of step %1: %2 MiB in %3 ms, %4</source>
        <translation>Checkpoint von Schritt %1: %2 MiB in %3 ms, %4</translation>
    </message>
    <message>
        <source>heat</source>
        <translation>Wärme</translation>
    </message>
    <message>
        <source>power supply</source>
        <translation>Stromversorgung</translation>
    </message>
    <message>
        <source>hardware slowdown</source>
        <translation>Bremse der Hardware</translation>
    </message>
    <message>
        <source>power limit</source>
        <translation>Leistungsgrenze</translation>
    </message>
    <message>
        <source>energy of the GPUs: %1 (%2 Wh), %3 a sample</source>
        <translation>Energie der GPUs: %1 (%2 Wh), %3 je Sample</translation>
    </message>
    <message>
        <source>recorded: %1 steps of %2 devices</source>
        <translation>aufgezeichnet: %1 Schritte von %2 Geräten</translation>
    </message>
    <message>
        <source>%1 in %2 s · median step %3 ms</source>
        <translation>%1 in %2 s · Median je Schritt %3 ms</translation>
    </message>
    <message>
        <source> · last loss %1</source>
        <translation> · letzter Verlust %1</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunPage</name>
    <message>
        <source>measuring the layers of %1 and this machine first</source>
        <translation>erst die Schichten von %1 und diesen Rechner messen</translation>
    </message>
    <message>
        <source>Show run</source>
        <translation>Lauf zeigen</translation>
    </message>
    <message>
        <source>Train another model</source>
        <translation>Anderes Modell trainieren</translation>
    </message>
    <message>
        <source>Models (*.json);;All files (*)</source>
        <translation>Modelle (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Train on images</source>
        <translation>Auf Bildern trainieren</translation>
    </message>
    <message>
        <source>MNIST&apos;s format (*idx*);;All files (*)</source>
        <translation>Format von MNIST (*idx*);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Train on a file</source>
        <translation>Auf einer Datei trainieren</translation>
    </message>
    <message>
        <source>Compare runs</source>
        <translation>Läufe vergleichen</translation>
    </message>
    <message>
        <source>THIS RUN OVER THE OTHER</source>
        <translation>DIESER LAUF ÜBER DEM ANDEREN</translation>
    </message>
    <message>
        <source>it is being looked whether there is MPI</source>
        <translation>Es wird nachgesehen, ob es MPI gibt</translation>
    </message>
    <message>
        <source>Go on from a checkpoint</source>
        <translation>Ab einem Checkpoint weitermachen</translation>
    </message>
    <message>
        <source>Keep checkpoints</source>
        <translation>Checkpoints ablegen</translation>
    </message>
    <message>
        <source>Two plans at least must fit and be trainable here: compare first.</source>
        <translation>Mindestens zwei Pläne müssen passen und sich hier trainieren lassen: zuerst vergleichen.</translation>
    </message>
    <message>
        <source>Trying plan %1 of %2.</source>
        <translation>Plan %1 von %2 wird erprobt.</translation>
    </message>
    <message>
        <source>%1 is the fastest measured and now selected.</source>
        <translation>%1 ist der schnellste gemessene und jetzt ausgewählt.</translation>
    </message>
    <message>
        <source>None of the plans could be measured.</source>
        <translation>Keiner der Pläne ließ sich messen.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: measured %2, predicted %3</source>
        <translation>%1: gemessen %2, vorhergesagt %3</translation>
    </message>
    <message>
        <source>%1: measured %2</source>
        <translation>%1: gemessen %2</translation>
    </message>
    <message>
        <source>The others were not begun.</source>
        <translation>Die übrigen wurden nicht begonnen.</translation>
    </message>
    <message>
        <source>GPUs here: %1</source>
        <translation>GPUs hier: %1</translation>
    </message>
    <message>
        <source>The plan wants %1 GPUs, one a device; found here: %2.</source>
        <translation>Der Plan braucht %1 GPUs, eine je Gerät; hier gefunden: %2.</translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation>%1 wählen</translation>
    </message>
    <message>
        <source>MEASURED</source>
        <translation>GEMESSEN</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::RunView</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>There is no plan yet: compare first.</source>
        <translation>Noch kein Plan: erst vergleichen.</translation>
    </message>
    <message>
        <source>There is no model that can be trained here.</source>
        <translation>Hier gibt es kein trainierbares Modell.</translation>
    </message>
    <message>
        <source>Train the model with this plan on this machine</source>
        <translation>Das Modell mit diesem Plan auf diesem Rechner trainieren</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 Samples/s</translation>
    </message>
    <message>
        <source> (%1 of the prediction)</source>
        <translation> (%1 der Vorhersage)</translation>
    </message>
    <message>
        <source>starting…</source>
        <translation>startet…</translation>
    </message>
    <message>
        <source>nothing launched yet</source>
        <translation>noch nichts gestartet</translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation>%1 · noch %2</translation>
    </message>
    <message>
        <source>finished · %1</source>
        <translation>fertig · %1</translation>
    </message>
    <message>
        <source>stopped at %1 · %2</source>
        <translation>angehalten bei %1 · %2</translation>
    </message>
    <message>
        <source>failed at step %1: %2</source>
        <translation>gescheitert bei Schritt %1: %2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>vorhergesagt %1</translation>
    </message>
    <message>
        <source>dashed: predicted</source>
        <translation>gestrichelt: vorhergesagt</translation>
    </message>
    <message>
        <source>dashed: predicted peak</source>
        <translation>gestrichelt: vorhergesagte Spitze</translation>
    </message>
    <message>
        <source>measured %1 against predicted</source>
        <translation>gemessen %1 gegen vorhergesagt</translation>
    </message>
    <message>
        <source>shown when a run has measured its operations</source>
        <translation>erscheint, wenn ein Lauf seine Operationen gemessen hat</translation>
    </message>
    <message>
        <source>MEASURED OVER PREDICTED</source>
        <translation>GEMESSEN ÜBER VORHERGESAGT</translation>
    </message>
    <message>
        <source>LAUNCH</source>
        <translation>STARTEN</translation>
    </message>
    <message>
        <source>Iterations to train, each one global batch</source>
        <translation>Zu trainierende Iterationen, jede ein globaler Batch</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>&amp;Plan</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>&amp;Schritte</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>S&amp;tarten</translation>
    </message>
    <message>
        <source>Stop after the step at hand</source>
        <translation>Nach dem laufenden Schritt anhalten</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>PREDICTED AGAINST MEASURED</source>
        <translation>VORHERGESAGT GEGEN GEMESSEN</translation>
    </message>
    <message>
        <source>A step</source>
        <translation>Ein Schritt</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Predicted against measured</source>
        <translation>Vorhergesagt gegen gemessen</translation>
    </message>
    <message>
        <source>Time of each kind of operation in a step, summed over devices</source>
        <translation>Zeit jeder Art von Operation in einem Schritt, über die Geräte summiert</translation>
    </message>
    <message>
        <source>RUNS</source>
        <translation>LÄUFE</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>share of time</source>
        <translation>Anteil der Zeit</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>Noch kein Lauf</translation>
    </message>
    <message>
        <source>The measured timeline appears here when a run sends one.</source>
        <translation>Die gemessene Zeitleiste erscheint hier, wenn ein Lauf eine sendet.</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>Protokoll des Laufs</translation>
    </message>
    <message>
        <source>LOG</source>
        <translation>PROTOKOLL</translation>
    </message>
    <message>
        <source>paused at %1</source>
        <translation>pausiert bei %1</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>this run</source>
        <translation>dieser Lauf</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Anderer</translation>
    </message>
    <message>
        <source>This</source>
        <translation>Dieser</translation>
    </message>
    <message>
        <source>this run %1 against the other</source>
        <translation>dieser Lauf %1 gegen den anderen</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Train another model of as many layers: choose its file (*.model.json)</source>
        <translation>Ein anderes Modell mit gleich vielen Schichten trainieren: seine Datei wählen (*.model.json)</translation>
    </message>
    <message>
        <source>Wait after the step at hand; nothing is lost</source>
        <translation>Nach dem laufenden Schritt warten; nichts geht verloren</translation>
    </message>
    <message>
        <source>Ctrl and click on a second run compares the two; while a run is under way, one click does</source>
        <translation>Strg und Klick auf einen zweiten Lauf vergleicht die beiden; während ein Lauf im Gang ist, genügt ein Klick</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Samples/s</translation>
    </message>
    <message>
        <source>cross-entropy</source>
        <translation>Kreuzentropie</translation>
    </message>
    <message>
        <source>What throughput and loss are drawn over</source>
        <translation>Worüber Durchsatz und Verlust gezeichnet werden</translation>
    </message>
    <message>
        <source>Throughput and loss over steps, or over seconds of training</source>
        <translation>Durchsatz und Verlust über Schritten oder über Sekunden des Trainings</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>je Zeit</translation>
    </message>
    <message>
        <source>Train the best plans on this machine one after the other, for as many steps as above, and select the fastest measured</source>
        <translation>Die besten Pläne auf diesem Rechner nacheinander trainieren, jeden so viele Schritte wie oben, und den schnellsten gemessenen auswählen</translation>
    </message>
    <message>
        <source>How many of the best plans are tried</source>
        <translation>Wie viele der besten Pläne erprobt werden</translation>
    </message>
    <message>
        <source>best </source>
        <comment>of plans, before their number</comment>
        <translation>beste </translation>
    </message>
    <message>
        <source>Try on this machine</source>
        <translation>Hier erproben</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>A step, by the run&apos;s throughput</source>
        <translation>Ein Schritt, nach dem Durchsatz des Laufs</translation>
    </message>
    <message>
        <source>%1 Wh; %2 a sample, all GPUs together</source>
        <translation>%1 Wh; %2 je Sample, alle GPUs zusammen</translation>
    </message>
    <message>
        <source> · %1, %2 a sample</source>
        <translation> · %1, %2 je Sample</translation>
    </message>
    <message>
        <source>%1 W</source>
        <translation>%1 W</translation>
    </message>
    <message>
        <source>%1 MHz</source>
        <translation>%1 MHz</translation>
    </message>
    <message>
        <source>%1 °C</source>
        <translation>%1 °C</translation>
    </message>
    <message>
        <source>%1 % used</source>
        <translation>%1 % genutzt</translation>
    </message>
    <message>
        <source>%1 held back: %2</source>
        <translation>%1 gebremst: %2</translation>
    </message>
    <message>
        <source>dashed: limit</source>
        <translation>gestrichelt: Grenze</translation>
    </message>
    <message>
        <source>dashed: highest</source>
        <translation>gestrichelt: höchster</translation>
    </message>
    <message>
        <source>GPU of %1</source>
        <translation>GPU von %1</translation>
    </message>
    <message>
        <source>dotted: whole GPU</source>
        <translation>gepunktet: ganze GPU</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>Of the run&apos;s GPUs, as their driver counts it</source>
        <translation>Der GPUs des Laufs, wie ihr Treiber sie zählt</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>W</source>
        <comment>watts</comment>
        <translation>W</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>Takt</translation>
    </message>
    <message>
        <source>MHz</source>
        <translation>MHz</translation>
    </message>
    <message>
        <source>The driver tells nothing of the GPUs&apos; power.</source>
        <translation>Der Treiber sagt nichts über die Leistung der GPUs.</translation>
    </message>
    <message>
        <source>The driver tells nothing of the GPUs&apos; clocks.</source>
        <translation>Der Treiber sagt nichts über den Takt der GPUs.</translation>
    </message>
    <message>
        <source>What the GPUs of this run do now, as their driver tells it</source>
        <translation>Was die GPUs dieses Laufs gerade tun, wie ihr Treiber es sagt</translation>
    </message>
    <message>
        <source>1 GPU</source>
        <translation>1 GPU</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 GPUs</translation>
    </message>
    <message>
        <source>A step, as it was predicted with what was measured right before the run; on GPUs as it was planned</source>
        <translation>Ein Schritt, wie er mit dem vorhergesagt wurde, was unmittelbar vor dem Lauf gemessen wurde; auf GPUs wie geplant</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Saver</name>
    <message>
        <source>Save %1</source>
        <translation>%1 speichern</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ScheduleChoices</name>
    <message>
        <source>Explicit order</source>
        <translation>Vorgegebene Reihenfolge</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ScheduleTitle</name>
    <message>
        <source>Interleaved 1F1B</source>
        <translation>Interleaved 1F1B</translation>
    </message>
    <message>
        <source>Adaptive</source>
        <translation>Adaptiv</translation>
    </message>
    <message>
        <source>PipeDream with vertical sync</source>
        <translation>PipeDream mit vertikaler Synchronisation</translation>
    </message>
    <message>
        <source>Explicit order</source>
        <translation>Ausdrückliche Reihenfolge</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Session</name>
    <message>
        <source>Choose model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Choose model %1</source>
        <translation>Modell %1 wählen</translation>
    </message>
    <message>
        <source>Model preset</source>
        <translation>Modellvorlage</translation>
    </message>
    <message>
        <source>Choose cluster</source>
        <translation>Cluster wählen</translation>
    </message>
    <message>
        <source>Choose cluster %1</source>
        <translation>Cluster %1 wählen</translation>
    </message>
    <message>
        <source>Cluster preset</source>
        <translation>Clustervorlage</translation>
    </message>
    <message>
        <source>Set global batch %1</source>
        <translation>Globalen Batch auf %1 setzen</translation>
    </message>
    <message>
        <source>Set micro-batch %1</source>
        <translation>Mikro-Batch auf %1 setzen</translation>
    </message>
    <message>
        <source>Leave micro-batch to planners</source>
        <translation>Mikro-Batch den Planern überlassen</translation>
    </message>
    <message>
        <source>Change planner options</source>
        <translation>Planer-Optionen ändern</translation>
    </message>
    <message>
        <source>Change how plans are judged</source>
        <translation>Bewertung der Pläne ändern</translation>
    </message>
    <message>
        <source>Choose a model profile first.</source>
        <translation>Erst ein Modellprofil wählen.</translation>
    </message>
    <message>
        <source>Choose a cluster first.</source>
        <translation>Erst einen Cluster wählen.</translation>
    </message>
    <message>
        <source>Micro-batch %1 does not divide global batch %2.</source>
        <translation>Mikro-Batch %1 teilt den globalen Batch %2 nicht.</translation>
    </message>
    <message>
        <source>Choose a planner first (Plan &gt; Planners and options).</source>
        <translation>Erst einen Planer wählen (Plan &gt; Planer und Optionen).</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Calibrate from %1</source>
        <translation>Kalibrieren: %1</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>fitted</source>
        <translation>angepasst</translation>
    </message>
    <message>
        <source>Use calibration</source>
        <translation>Kalibrierung nutzen</translation>
    </message>
    <message>
        <source>Switch calibration on</source>
        <translation>Kalibrierung einschalten</translation>
    </message>
    <message>
        <source>Switch calibration off</source>
        <translation>Kalibrierung ausschalten</translation>
    </message>
    <message>
        <source>Save calibration</source>
        <translation>Kalibrierung speichern</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Choose schedule</source>
        <translation>Ablauf wählen</translation>
    </message>
    <message>
        <source>Sample project</source>
        <translation>Beispielprojekt</translation>
    </message>
    <message>
        <source>Open project</source>
        <translation>Projekt öffnen</translation>
    </message>
    <message>
        <source>Restore unsaved changes</source>
        <translation>Änderungen wiederherstellen</translation>
    </message>
    <message>
        <source>Opened %1 to read only: %2</source>
        <translation>%1 nur zum Lesen geöffnet: %2</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>%1 geöffnet</translation>
    </message>
    <message>
        <source>Save project</source>
        <translation>Projekt speichern</translation>
    </message>
    <message>
        <source>%1 is open to read only: %2 Save a copy under another name instead.</source>
        <translation>%1 ist nur zum Lesen geöffnet: %2 Stattdessen eine Kopie unter anderem Namen speichern.</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>%1 importieren</translation>
    </message>
    <message>
        <source>Imported %1 %2</source>
        <translation>Importiert: %1 %2</translation>
    </message>
    <message>
        <source>Export plan</source>
        <translation>Plan exportieren</translation>
    </message>
    <message>
        <source>There is no plan to export: select one in the table.</source>
        <translation>Kein Plan zum Exportieren: einen in der Tabelle wählen.</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>%1 exportiert</translation>
    </message>
    <message>
        <source> It would fit with: %1.</source>
        <translation> Passen würde es mit: %1.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare plans for %1</source>
        <translation>Pläne für %1 vergleichen</translation>
    </message>
    <message>
        <source>%1 in %2 s</source>
        <translation>%1 in %2 s</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Compare plans</source>
        <translation>Pläne vergleichen</translation>
    </message>
    <message>
        <source>Simulate plans</source>
        <translation>Pläne simulieren</translation>
    </message>
    <message>
        <source>Not simulated: %1</source>
        <translation>Nicht simuliert: %1</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Zu %1 gehen</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation>%1 ausblenden</translation>
    </message>
    <message>
        <source>Rename plan</source>
        <translation>Plan umbenennen</translation>
    </message>
    <message>
        <source>Duplicate plan</source>
        <translation>Plan duplizieren</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>the file is write-protected.</source>
        <translation>die Datei ist schreibgeschützt.</translation>
    </message>
    <message>
        <source>it is open in another window.</source>
        <translation>es ist in einem anderen Fenster geöffnet.</translation>
    </message>
    <message>
        <source>Changes to %1 that were not saved can&apos;t be read: %2
They are kept as %3.</source>
        <translation>Nicht gespeicherte Änderungen an %1 sind nicht lesbar: %2
Sie bleiben als %3 erhalten.</translation>
    </message>
    <message>
        <source>Restore unsaved work</source>
        <translation>Nicht gespeicherte Arbeit wiederherstellen</translation>
    </message>
    <message>
        <source>Changes are not safe</source>
        <translation>Änderungen sind nicht gesichert</translation>
    </message>
    <message>
        <source>What is not saved would be lost with this program: %1
Save the project.</source>
        <translation>Was nicht gespeichert ist, ginge mit diesem Programm verloren: %1
Das Projekt speichern.</translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation>Erst einen Plan wählen.</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>A run is under way: stop it first.</source>
        <translation>Ein Lauf ist im Gange: erst anhalten.</translation>
    </message>
    <message>
        <source>Train %1 with %2</source>
        <translation>%1 mit %2 trainieren</translation>
    </message>
    <message>
        <source>Measure %1</source>
        <translation>%1 messen</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>Der Lauf ist gescheitert</translation>
    </message>
    <message>
        <source>Delete run %1</source>
        <translation>Lauf %1 löschen</translation>
    </message>
    <message>
        <source>Imported trace %1, drawn over the prediction of the selected plan</source>
        <translation>Trace %1 importiert, über die Vorhersage des gewählten Plans gezeichnet</translation>
    </message>
    <message>
        <source>Imported trace %1</source>
        <translation>Trace %1 importiert</translation>
    </message>
    <message>
        <source>The project opens as it was last saved.</source>
        <translation>Das Projekt öffnet sich, wie es zuletzt gespeichert wurde.</translation>
    </message>
    <message>
        <source>Work that was not saved can&apos;t be read: %1
It is kept as %2: delete it when you need it no more.</source>
        <translation>Nicht gespeicherte Arbeit ist nicht lesbar: %1
Sie bleibt als %2 erhalten: löschen, wenn sie nicht mehr gebraucht wird.</translation>
    </message>
    <message>
        <source>%1 can&apos;t be written: %2 Save under another name instead.</source>
        <translation>%1 ist nicht schreibbar: %2 Stattdessen unter einem anderen Namen speichern.</translation>
    </message>
    <message>
        <source>Change what training keeps</source>
        <translation>Ändern, was das Training behält</translation>
    </message>
    <message>
        <source>Import %1 traces</source>
        <translation>%1 Traces importieren</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ShortcutOverlay</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>Tastenkürzel suchen</translation>
    </message>
    <message>
        <source>Search, e.g. zoom</source>
        <translation>Suchen, z. B. zoom</translation>
    </message>
    <message>
        <source>No shortcut is called that. Try another word, or clear the field to see all.</source>
        <translation>Kein Tastenkürzel heißt so. Ein anderes Wort versuchen, oder das Feld leeren, um alle zu sehen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Shortcuts</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>Sonst</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::SplitEditor</name>
    <message>
        <source>SPLIT</source>
        <translation>AUFTEILUNG</translation>
    </message>
    <message>
        <source>Select a plan to edit its split</source>
        <translation>Einen Plan wählen, um seine Aufteilung zu bearbeiten</translation>
    </message>
    <message>
        <source>Split editor</source>
        <translation>Aufteilung bearbeiten</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>stage %1 (chunk %2)</source>
        <translation>Stufe %1 (Chunk %2)</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>layers %1–%2</source>
        <translation>Schichten %1–%2</translation>
    </message>
    <message>
        <source>%1 too much</source>
        <translation>%1 zu viel</translation>
    </message>
    <message>
        <source>on %1</source>
        <translation>auf %1</translation>
    </message>
    <message>
        <source>%1 replicas on %2</source>
        <translation>%1 Replikate auf %2</translation>
    </message>
    <message>
        <source>&lt;br&gt;tensor parallel over %1 devices</source>
        <translation>&lt;br&gt;tensorparallel über %1 Geräte</translation>
    </message>
    <message>
        <source>&lt;br&gt;a second copy on %1</source>
        <translation>&lt;br&gt;eine zweite Kopie auf %1</translation>
    </message>
    <message>
        <source>&lt;br&gt;chunk %1 of %2 on its devices</source>
        <translation>&lt;br&gt;Chunk %1 von %2 auf seinen Geräten</translation>
    </message>
    <message>
        <source>The model as a strip of layers: width is time, height is memory. Drag a cut or a device; double click a layer to split its stage there; Ctrl+click a layer to recompute it; Ctrl+wheel zooms. By keyboard: Tab goes from item to item, arrows move it, Enter keeps the change, Esc puts it back.</source>
        <translation>Das Modell als Streifen von Schichten: Breite ist Zeit, Höhe ist Speicher. Einen Schnitt oder ein Gerät ziehen; Doppelklick auf eine Schicht teilt dort die Stufe; Strg+Klick auf eine Schicht berechnet sie neu; Strg+Mausrad vergrößert. Mit der Tastatur: Tab geht von Teil zu Teil, Pfeile bewegen ihn, Eingabe behält die Änderung, Esc setzt sie zurück.</translation>
    </message>
    <message>
        <source>Visible part of the model</source>
        <translation>Sichtbarer Teil des Modells</translation>
    </message>
    <message>
        <source>The profile has no times for the layers of stage %1 cut over several devices.</source>
        <translation>Das Profil hat keine Zeiten für die Schichten von Stufe %1 über mehrere Geräte.</translation>
    </message>
    <message>
        <source>&amp;Merge stages %1 and %2</source>
        <translation>Stufen %1 und %2 &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Split stage %1 before %2</source>
        <translation>Stufe %1 vor %2 &amp;teilen</translation>
    </message>
    <message>
        <source>Merge with stage %1</source>
        <translation>Mit Stufe %1 verbinden</translation>
    </message>
    <message>
        <source>Keep the activations of %1</source>
        <translation>Aktivierungen von %1 behalten</translation>
    </message>
    <message>
        <source>Recompute %1</source>
        <translation>%1 neu berechnen</translation>
    </message>
    <message>
        <source>&amp;Recompute all of stage %1</source>
        <translation>&amp;Alles in Stufe %1 neu berechnen</translation>
    </message>
    <message>
        <source>Recompute &amp;nothing of stage %1</source>
        <translation>&amp;Nichts in Stufe %1 neu berechnen</translation>
    </message>
    <message>
        <source>One replica &amp;more</source>
        <translation>Ein Replikat &amp;mehr</translation>
    </message>
    <message>
        <source>One replica &amp;less</source>
        <translation>Ein Replikat &amp;weniger</translation>
    </message>
    <message>
        <source>Tensor parallelism %1</source>
        <translation>Tensorparallelität %1</translation>
    </message>
    <message>
        <source>&amp;Move %1 to</source>
        <translation>%1 ver&amp;schieben nach</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>&amp;Take %1 out of the plan</source>
        <translation>%1 aus dem Plan &amp;herausnehmen</translation>
    </message>
    <message>
        <source>%1 %2 too much</source>
        <translation>%1 %2 zu viel</translation>
    </message>
    <message>
        <source>Enter keeps the change, Esc puts it back</source>
        <translation>Eingabe behält die Änderung, Esc setzt sie zurück</translation>
    </message>
    <message>
        <source>Let %1 go over a stage or the tray; with Ctrl over a device they trade places</source>
        <translation>%1 über einer Stufe oder der Ablage loslassen; mit Strg über einem Gerät tauschen sie die Plätze</translation>
    </message>
    <message>
        <source>&lt;b&gt;Cut before %1&lt;/b&gt;&lt;br&gt;drag it, onto its neighbour to merge two stages</source>
        <translation>&lt;b&gt;Schnitt vor %1&lt;/b&gt;&lt;br&gt;ziehen, auf den Nachbarn, um zwei Stufen zu verbinden</translation>
    </message>
    <message>
        <source>Devices that the plan does not use: drag them into a stage, or out of one</source>
        <translation>Geräte, die der Plan nicht nutzt: in eine Stufe ziehen, oder aus einer heraus</translation>
    </message>
    <message>
        <source>&lt;b&gt;layer %1 · %2&lt;/b&gt;&lt;br&gt;forward and backward %3 for %4 samples</source>
        <translation>&lt;b&gt;Schicht %1 · %2&lt;/b&gt;&lt;br&gt;vorwärts und rückwärts %3 für %4 Samples</translation>
    </message>
    <message>
        <source>&lt;br&gt;at its device&apos;s peak %1: weights and their state %2, activations %3</source>
        <translation>&lt;br&gt;in der Spitze ihres Geräts %1: Gewichte und ihr Zustand %2, Aktivierungen %3</translation>
    </message>
    <message>
        <source>&lt;br&gt;weights %1, activations %2</source>
        <translation>&lt;br&gt;Gewichte %1, Aktivierungen %2</translation>
    </message>
    <message>
        <source>&lt;br&gt;recomputed before its backward</source>
        <translation>&lt;br&gt;vor ihrem Rückwärtsdurchlauf neu berechnet</translation>
    </message>
    <message>
        <source>spare: drag it into a stage</source>
        <translation>frei: in eine Stufe ziehen</translation>
    </message>
    <message>
        <source>drag takes %1; zoom in to see each device</source>
        <translation>Ziehen nimmt %1; vergrößern, um jedes Gerät zu sehen</translation>
    </message>
    <message>
        <source>drag it to another stage or to the spare devices</source>
        <translation>in eine andere Stufe oder zu den freien Geräten ziehen</translation>
    </message>
    <message>
        <source>in stage %1</source>
        <translation>in Stufe %1</translation>
    </message>
    <message>
        <source>cut before %1, where stage %2 begins</source>
        <translation>Schnitt vor %1, wo Stufe %2 beginnt</translation>
    </message>
    <message>
        <source>recomputed</source>
        <translation>neu berechnet</translation>
    </message>
    <message>
        <source>partly recomputed</source>
        <translation>teils neu berechnet</translation>
    </message>
    <message>
        <source>%1 in stage %2</source>
        <translation>%1 in Stufe %2</translation>
    </message>
    <message>
        <source>%1, spare</source>
        <translation>%1, frei</translation>
    </message>
    <message>
        <source>Spare devices</source>
        <translation>Freie Geräte</translation>
    </message>
    <message>
        <source>at layer %1, %2</source>
        <translation>bei Schicht %1, %2</translation>
    </message>
    <message>
        <source>SPARE DEVICES</source>
        <translation>FREIE GERÄTE</translation>
    </message>
    <message>
        <source>SPLIT — drag a cut or a device, double click a layer to split a stage</source>
        <translation>AUFTEILUNG — Schnitt oder Gerät ziehen, Doppelklick auf eine Schicht teilt die Stufe</translation>
    </message>
    <message>
        <source>every device is used; drag one here to leave it out</source>
        <translation>alle Geräte sind genutzt; eines hierher ziehen, um es herauszunehmen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::SplitFigures</name>
    <message>
        <source>%1 → %2 (%3)</source>
        <translation>%1 → %2 (%3)</translation>
    </message>
    <message>
        <source>%1 → %2 samples/s</source>
        <translation>%1 → %2 Samples/s</translation>
    </message>
    <message>
        <source>peak %1 → %2</source>
        <translation>Spitze %1 → %2</translation>
    </message>
    <message>
        <source>%1   %2   peak %3</source>
        <translation>%1   %2   Spitze %3</translation>
    </message>
    <message>
        <source>%1 (stage %2): %3 more than its %4</source>
        <translation>%1 (Stufe %2): %3 mehr als seine %4</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::StageCard</name>
    <message>
        <source>Selected stage</source>
        <translation>Gewählte Stufe</translation>
    </message>
    <message>
        <source>Sta&amp;ge</source>
        <translation>Stu&amp;fe</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>The stage that the fields beside show</source>
        <translation>Die Stufe, die die Felder daneben zeigen</translation>
    </message>
    <message>
        <source>from &amp;layer</source>
        <translation>ab &amp;Schicht</translation>
    </message>
    <message>
        <source>First layer of the stage</source>
        <translation>Erste Schicht der Stufe</translation>
    </message>
    <message>
        <source>The layer that the stage begins with</source>
        <translation>Die Schicht, mit der die Stufe beginnt</translation>
    </message>
    <message>
        <source>Rep&amp;licas</source>
        <translation>Rep&amp;likate</translation>
    </message>
    <message>
        <source>Replicas of the stage</source>
        <translation>Replikate der Stufe</translation>
    </message>
    <message>
        <source>Copies of the stage that share each micro-batch; devices for more come from the spare ones</source>
        <translation>Kopien der Stufe, die sich jeden Mikro-Batch teilen; Geräte für weitere kommen von den freien</translation>
    </message>
    <message>
        <source>&amp;Tensor parallel</source>
        <translation>&amp;Tensorpar.</translation>
    </message>
    <message>
        <source>Devices each layer of the stage is cut over</source>
        <translation>Geräte, über die jede Schicht der Stufe geschnitten ist</translation>
    </message>
    <message>
        <source>even</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>Samples of a micro-batch for each replica, as in 3, 3, 2; empty: as even as can be</source>
        <translation>Samples eines Mikro-Batches je Replikat, wie in 3, 3, 2; leer: so gleich wie möglich</translation>
    </message>
    <message>
        <source>S&amp;hares</source>
        <translation>A&amp;nteile</translation>
    </message>
    <message>
        <source>Samples of a micro-batch for each replica</source>
        <translation>Samples eines Mikro-Batches je Replikat</translation>
    </message>
    <message>
        <source>&amp;Recompute</source>
        <translation>&amp;Neu ber.</translation>
    </message>
    <message>
        <source>Layers of the stage that are recomputed</source>
        <translation>Schichten der Stufe, die neu berechnet werden</translation>
    </message>
    <message>
        <source>Layers whose activations are computed again before their backward instead of kept</source>
        <translation>Schichten, deren Aktivierungen vor ihrem Rückwärtsdurchlauf neu berechnet statt behalten werden</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Teilen</translation>
    </message>
    <message>
        <source>Cut the stage in two where its time is halved</source>
        <translation>Die Stufe da teilen, wo ihre Zeit halbiert ist</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Make this stage and the next one</source>
        <translation>Aus dieser Stufe und der nächsten eine machen</translation>
    </message>
    <message>
        <source>Devices that each layer of the stage is cut over</source>
        <translation>Geräte, über die jede Schicht der Stufe geschnitten ist</translation>
    </message>
    <message>
        <source>The profile has no times for the layers of this stage cut over several devices: import or measure such a profile</source>
        <translation>Das Profil hat keine Zeiten für die Schichten dieser Stufe über mehrere Geräte: ein solches Profil importieren oder messen</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>alle Schichten</translation>
    </message>
    <message>
        <source>%1 of %2 layers</source>
        <translation>%1 von %2 Schichten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::StartPanel</name>
    <message>
        <source>Compare training plans in three steps</source>
        <translation>Trainingspläne in drei Schritten vergleichen</translation>
    </message>
    <message>
        <source>Everything here can be changed later, and undone.</source>
        <translation>Alles hier lässt sich später ändern und rückgängig machen.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Times and bytes of each layer, from a preset or a file of yours.</source>
        <translation>Zeiten und Bytes jeder Schicht, aus einer Vorlage oder eigenen Datei.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>The devices to train on, and what joins them.</source>
        <translation>Die Geräte, auf denen trainiert wird, und was sie verbindet.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>All planners side by side, for this many samples an iteration.</source>
        <translation>Alle Planer nebeneinander, für so viele Samples je Iteration.</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>Globaler Batch</translation>
    </message>
    <message>
        <source>Samples an iteration, over all devices and micro-batches</source>
        <translation>Samples je Iteration, über alle Geräte und Mikro-Batches</translation>
    </message>
    <message>
        <source> samples an iteration</source>
        <translation> Samples je Iteration</translation>
    </message>
    <message>
        <source>Import a profile…</source>
        <translation>Profil importieren…</translation>
    </message>
    <message>
        <source>Import a cluster…</source>
        <translation>Cluster importieren…</translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation>Projekt öffnen…</translation>
    </message>
    <message>
        <source>Choose or import a model first.</source>
        <translation>Erst ein Modell wählen oder importieren.</translation>
    </message>
    <message>
        <source>Choose or import a cluster first.</source>
        <translation>Erst einen Cluster wählen oder importieren.</translation>
    </message>
    <message>
        <source>Run all planners on this model and cluster</source>
        <translation>Alle Planer auf diesem Modell und Cluster ausführen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::StopSlider</name>
    <message>
        <source>Back to today&apos;s</source>
        <translation>Zurück zum heutigen Wert</translation>
    </message>
    <message>
        <source>%1: back to today&apos;s</source>
        <translation>%1: zurück zum heutigen Wert</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Tables</name>
    <message>
        <source>Plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Layers of the profile</source>
        <translation>Schichten des Profils</translation>
    </message>
    <message>
        <source>Stages of the plan</source>
        <translation>Stufen des Plans</translation>
    </message>
    <message>
        <source>Devices of the plan</source>
        <translation>Geräte des Plans</translation>
    </message>
    <message>
        <source>Memory by item</source>
        <translation>Speicher nach Posten</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>Speicher über der Zeit</translation>
    </message>
    <message>
        <source>Operations of the plan</source>
        <translation>Operationen des Plans</translation>
    </message>
    <message>
        <source>Parts of the iteration</source>
        <translation>Teile der Iteration</translation>
    </message>
    <message>
        <source>Waterfall between two plans</source>
        <translation>Wasserfall zwischen zwei Plänen</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>Kritischer Pfad</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>Sensitivität</translation>
    </message>
    <message>
        <source>Steps of the run</source>
        <translation>Schritte des Laufs</translation>
    </message>
    <message>
        <source>There are no plans yet: press Compare first.</source>
        <translation>Noch keine Pläne: erst auf Vergleichen klicken.</translation>
    </message>
    <message>
        <source>Choose two plans on the Explain page first.</source>
        <translation>Erst zwei Pläne auf der Seite Erklärung wählen.</translation>
    </message>
    <message>
        <source>Select a plan first.</source>
        <translation>Erst einen Plan wählen.</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Erst ein Modell wählen.</translation>
    </message>
    <message>
        <source>Select a run first.</source>
        <translation>Erst einen Lauf wählen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Theme</name>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>input gradient</source>
        <translation>Eingabegradient</translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation>Gewichtsgradient</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>All-Reduce</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation>Optimierer-Zustand</translation>
    </message>
    <message>
        <source>stashed weights</source>
        <translation>aufbewahrte Gewichte</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>stage inputs and outputs</source>
        <translation>Ein- und Ausgaben der Stufe</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitspuffer</translation>
    </message>
    <message>
        <source>communication buffers</source>
        <translation>Kommunikationspuffer</translation>
    </message>
    <message>
        <source>reserve</source>
        <translation>Reserve</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Topology</name>
    <message>
        <source>bus %1</source>
        <translation>Bus %1</translation>
    </message>
    <message>
        <source>%1 ports · full duplex</source>
        <translation>%1 Ports · vollduplex</translation>
    </message>
    <message>
        <source>%1 Gbit/s</source>
        <translation>%1 Gbit/s</translation>
    </message>
    <message>
        <source>%1 Mbit/s</source>
        <translation>%1 Mbit/s</translation>
    </message>
    <message>
        <source>&lt;b&gt;G%1&lt;/b&gt; · %2 in %3</source>
        <translation>&lt;b&gt;G%1&lt;/b&gt; · %2 in %3</translation>
    </message>
    <message>
        <source>memory %1 GiB · relative speed %2</source>
        <translation>Speicher %1 GiB · relatives Tempo %2</translation>
    </message>
    <message>
        <source>%1 TFLOP/s %2</source>
        <translation>%1 TFLOP/s %2</translation>
    </message>
    <message>
        <source>memory at %1</source>
        <translation>Speicher mit %1</translation>
    </message>
    <message>
        <source>%1 an hour</source>
        <translation>%1 je Stunde</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; · %2</translation>
    </message>
    <message>
        <source>&lt;br&gt;inside: %1, latency %2 µs, %3</source>
        <translation>&lt;br&gt;innen: %1, Latenz %2 µs, %3</translation>
    </message>
    <message>
        <source>one bus for all</source>
        <translation>ein Bus für alle</translation>
    </message>
    <message>
        <source>a full-duplex port each</source>
        <translation>je ein Vollduplex-Port</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; · switch</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; · Switch</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1 – %2&lt;/b&gt;&lt;br&gt;%3 (%4) each way, latency %5 µs</source>
        <translation>&lt;b&gt;%1 – %2&lt;/b&gt;&lt;br&gt;%3 (%4) je Richtung, Latenz %5 µs</translation>
    </message>
    <message>
        <source>1 node</source>
        <translation>1 Knoten</translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation>%1 Knoten</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>1 Gerät</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>1 port · full duplex</source>
        <translation>1 Port · vollduplex</translation>
    </message>
    <message>
        <source>no uplink</source>
        <translation>kein Uplink</translation>
    </message>
    <message>
        <source>1 uplink · %1</source>
        <translation>1 Uplink · %1</translation>
    </message>
    <message>
        <source>%1 uplinks · %2</source>
        <translation>%1 Uplinks · %2</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1 links, %2</source>
        <translation>%1 Verbindungen, %2</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyActions</name>
    <message>
        <source>In a cluster&apos;s drawing</source>
        <translation>In der Zeichnung eines Clusters</translation>
    </message>
    <message>
        <source>Move what is selected, with Shift by a pixel</source>
        <translation>Das Gewählte bewegen, mit Umschalt um ein Pixel</translation>
    </message>
    <message>
        <source>Select the neighbour</source>
        <translation>Den Nachbarn wählen</translation>
    </message>
    <message>
        <source>Select the next and the one before</source>
        <translation>Das Nächste und das Vorige wählen</translation>
    </message>
    <message>
        <source>Hold it and drag to move the view; so does the middle button</source>
        <translation>Halten und ziehen, um die Ansicht zu bewegen; auch mit der mittleren Taste</translation>
    </message>
    <message>
        <source>With clicks and rubber bands: select several</source>
        <translation>Mit Klicks und Auswahlrahmen: mehrere wählen</translation>
    </message>
    <message>
        <source>Give up a drag, let go of the selection</source>
        <translation>Ein Ziehen aufgeben, die Auswahl loslassen</translation>
    </message>
    <message>
        <source>&amp;New cluster</source>
        <translation>&amp;Neuer Cluster</translation>
    </message>
    <message>
        <source>D&amp;uplicate cluster</source>
        <translation>Cluster &amp;duplizieren</translation>
    </message>
    <message>
        <source>Rena&amp;me cluster</source>
        <translation>Cluster &amp;umbenennen</translation>
    </message>
    <message>
        <source>&amp;Links instead of the matrix</source>
        <translation>&amp;Verbindungen statt Matrix</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>&amp;Ausschneiden</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>Du&amp;plizieren</translation>
    </message>
    <message>
        <source>Again beside it, joined to the same switches</source>
        <translation>Noch einmal daneben, an dieselben Switches angeschlossen</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>U&amp;mbenennen</translation>
    </message>
    <message>
        <source>D&amp;elete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>Alles aus&amp;wählen</translation>
    </message>
    <message>
        <source>Add n&amp;ode</source>
        <translation>Knoten &amp;hinzufügen</translation>
    </message>
    <message>
        <source>Add &amp;switch</source>
        <translation>&amp;Switch hinzufügen</translation>
    </message>
    <message>
        <source>Lin&amp;k what is selected</source>
        <translation>Auswahl ver&amp;binden</translation>
    </message>
    <message>
        <source>&amp;Group in a rack</source>
        <translation>In Rack &amp;gruppieren</translation>
    </message>
    <message>
        <source>Ungr&amp;oup</source>
        <translation>Gruppe au&amp;flösen</translation>
    </message>
    <message>
        <source>Co&amp;llapse rack</source>
        <translation>Ra&amp;ck zuklappen</translation>
    </message>
    <message>
        <source>Open rac&amp;k</source>
        <translation>&amp;Rack aufklappen</translation>
    </message>
    <message>
        <source>La&amp;y out</source>
        <translation>An&amp;ordnen</translation>
    </message>
    <message>
        <source>&amp;Fit the view</source>
        <translation>Ansicht e&amp;inpassen</translation>
    </message>
    <message>
        <source>Align &amp;left</source>
        <translation>&amp;Linksbündig</translation>
    </message>
    <message>
        <source>Align &amp;centres</source>
        <translation>&amp;Zentriert</translation>
    </message>
    <message>
        <source>Align &amp;right</source>
        <translation>&amp;Rechtsbündig</translation>
    </message>
    <message>
        <source>Align &amp;top</source>
        <translation>&amp;Oben</translation>
    </message>
    <message>
        <source>Align &amp;middles</source>
        <translation>&amp;Mittig</translation>
    </message>
    <message>
        <source>Align &amp;bottom</source>
        <translation>&amp;Unten</translation>
    </message>
    <message>
        <source>Spread &amp;across</source>
        <translation>&amp;Waagerecht verteilen</translation>
    </message>
    <message>
        <source>Spread &amp;down</source>
        <translation>&amp;Senkrecht verteilen</translation>
    </message>
    <message>
        <source>&amp;Align</source>
        <translation>Ausrich&amp;ten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyCanvas</name>
    <message>
        <source>Link %1 – %2, %3</source>
        <translation>Verbindung %1 – %2, %3</translation>
    </message>
    <message>
        <source>Node %1, %2</source>
        <translation>Knoten %1, %2</translation>
    </message>
    <message>
        <source>Switch %1, %2</source>
        <translation>Switch %1, %2</translation>
    </message>
    <message>
        <source>Rack %1, %2, %3</source>
        <translation>Rack %1, %2, %3</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>Topologie</translation>
    </message>
    <message>
        <source>Drag from the palette to add, from port to port to link, on the ground to select. Arrow keys move what is selected, Alt and arrow keys select the neighbour, Page Up and Page Down go through everything.</source>
        <translation>Aus der Palette ziehen, um hinzuzufügen, von Port zu Port, um zu verbinden, auf dem Grund, um zu wählen. Pfeiltasten bewegen das Gewählte, Alt und Pfeiltasten wählen den Nachbarn, Bild auf und Bild ab gehen durch alles.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Open the rack to link what is in it.</source>
        <translation>Das Rack öffnen, um zu verbinden, was darin ist.</translation>
    </message>
    <message>
        <source>+ 1 in %1</source>
        <translation>+ 1 in %1</translation>
    </message>
    <message>
        <source>Select a cluster to see what joins its devices, or draw one.</source>
        <translation>Einen Cluster wählen, um zu sehen, was seine Geräte verbindet, oder einen zeichnen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyEditing</name>
    <message>
        <source>Move %1</source>
        <translation>%1 verschieben</translation>
    </message>
    <message>
        <source>Move %1 boxes</source>
        <translation>%1 Kästen verschieben</translation>
    </message>
    <message>
        <source>Link %1 – %2</source>
        <translation>%1 – %2 verbinden</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Collapse %1</source>
        <translation>%1 zuklappen</translation>
    </message>
    <message>
        <source>Rename %1 to %2</source>
        <translation>%1 in %2 umbenennen</translation>
    </message>
    <message>
        <source>Change devices</source>
        <translation>Geräte ändern</translation>
    </message>
    <message>
        <source>Bandwidth inside %1</source>
        <translation>Bandbreite in %1</translation>
    </message>
    <message>
        <source>Latency inside</source>
        <translation>Latenz im Knoten</translation>
    </message>
    <message>
        <source>One bus for all devices</source>
        <translation>Ein Bus für alle Geräte</translation>
    </message>
    <message>
        <source>A port for each device</source>
        <translation>Ein Port je Gerät</translation>
    </message>
    <message>
        <source>Bandwidth %1</source>
        <translation>Bandbreite %1</translation>
    </message>
    <message>
        <source>Change latency</source>
        <translation>Latenz ändern</translation>
    </message>
    <message>
        <source>Change device type %1</source>
        <translation>Gerätetyp %1 ändern</translation>
    </message>
    <message>
        <source>1 plan does not fit the changed cluster and is gone; Undo brings it back.</source>
        <translation>1 Plan passt nicht zum geänderten Cluster und ist weg; Rückgängig holt ihn zurück.</translation>
    </message>
    <message>
        <source>%1 plans do not fit the changed cluster and are gone; Undo brings them back.</source>
        <translation>%1 Pläne passen nicht zum geänderten Cluster und sind weg; Rückgängig holt sie zurück.</translation>
    </message>
    <message>
        <source>New cluster</source>
        <translation>Neuer Cluster</translation>
    </message>
    <message>
        <source>Duplicate cluster</source>
        <translation>Cluster duplizieren</translation>
    </message>
    <message>
        <source>Rename cluster to %1</source>
        <translation>Cluster in %1 umbenennen</translation>
    </message>
    <message>
        <source>Links instead of the matrix</source>
        <translation>Verbindungen statt Matrix</translation>
    </message>
    <message>
        <source>Add a %1 to %2</source>
        <translation>%1 in %2 hinzufügen</translation>
    </message>
    <message>
        <source>Add switch</source>
        <translation>Switch hinzufügen</translation>
    </message>
    <message>
        <source>Add rack</source>
        <translation>Rack hinzufügen</translation>
    </message>
    <message>
        <source>Add node</source>
        <translation>Knoten hinzufügen</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Delete link</source>
        <translation>Verbindung löschen</translation>
    </message>
    <message>
        <source>Delete %1 parts</source>
        <translation>%1 Teile löschen</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Select two ends, or a switch and what it is to be linked to.</source>
        <translation>Zwei Enden wählen, oder einen Switch und was an ihn angeschlossen werden soll.</translation>
    </message>
    <message>
        <source>Link what is selected</source>
        <translation>Auswahl verbinden</translation>
    </message>
    <message>
        <source>Select two boxes or more to put them in line.</source>
        <translation>Zwei Kästen oder mehr wählen, um sie auszurichten.</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>Ausrichten</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>Anordnen</translation>
    </message>
    <message>
        <source>Group in a rack</source>
        <translation>In Rack gruppieren</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Gruppe auflösen</translation>
    </message>
    <message>
        <source>Collapse racks</source>
        <translation>Racks zuklappen</translation>
    </message>
    <message>
        <source>Open racks</source>
        <translation>Racks öffnen</translation>
    </message>
    <message>
        <source>IN THIS CLUSTER</source>
        <translation>IN DIESEM CLUSTER</translation>
    </message>
    <message>
        <source>CATALOGUE</source>
        <translation>KATALOG</translation>
    </message>
    <message>
        <source>CONNECT</source>
        <translation>VERBINDEN</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Rack</source>
        <translation>Rack</translation>
    </message>
    <message>
        <source>a switch and %1 nodes</source>
        <translation>Switch, %1 Knoten</translation>
    </message>
    <message>
        <source>Drag onto the drawing, or press Enter</source>
        <translation>Auf die Zeichnung ziehen, oder Eingabe drücken</translation>
    </message>
    <message>
        <source>Remove device type %1</source>
        <translation>Gerätetyp %1 entfernen</translation>
    </message>
    <message>
        <source>IMPORT</source>
        <translation>IMPORTIEREN</translation>
    </message>
    <message>
        <source>Files…</source>
        <translation>Dateien…</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>by NVML and hwloc</source>
        <translation>mit NVML und hwloc</translation>
    </message>
    <message>
        <source>Looks at the devices of this machine and at what joins them</source>
        <translation>Sieht sich die Geräte dieses Rechners an und was sie verbindet</translation>
    </message>
    <message>
        <source>nvidia-smi, NCCL, Slurm</source>
        <translation>nvidia-smi, NCCL, Slurm</translation>
    </message>
    <message>
        <source>Cloud machines…</source>
        <translation>Cloud-Rechner…</translation>
    </message>
    <message>
        <source>AWS, Azure, Google</source>
        <translation>AWS, Azure, Google</translation>
    </message>
    <message>
        <source>Machines that clouds rent out, by their names: devices, network and price an hour</source>
        <translation>Rechner, die Clouds vermieten, nach ihren Namen: Geräte, Netz und Preis je Stunde</translation>
    </message>
    <message>
        <source>What nvidia-smi topo -m, lstopo, p2pBandwidthLatencyTest and nvbandwidth print, NCCL&apos;s topology XML, Slurm&apos;s nodes and switches, a table of bandwidths, a cluster&apos;s JSON; several files are several nodes</source>
        <translation>Was nvidia-smi topo -m, lstopo, p2pBandwidthLatencyTest und nvbandwidth ausgeben, NCCLs Topologie-XML, Knoten und Switches von Slurm, eine Tabelle von Bandbreiten, ein Cluster als JSON; mehrere Dateien sind mehrere Knoten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyFacts</name>
    <message>
        <source>1 device</source>
        <translation>1 Gerät</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>CLUSTER</source>
        <translation>CLUSTER</translation>
    </message>
    <message>
        <source>NODE %1</source>
        <translation>KNOTEN %1</translation>
    </message>
    <message>
        <source>SWITCH %1</source>
        <translation>SWITCH %1</translation>
    </message>
    <message>
        <source>LINK %1 – %2</source>
        <translation>VERBINDUNG %1 – %2</translation>
    </message>
    <message>
        <source>1 NODE</source>
        <translation>1 KNOTEN</translation>
    </message>
    <message>
        <source>%1 NODES</source>
        <translation>%1 KNOTEN</translation>
    </message>
    <message>
        <source>1 SWITCH</source>
        <translation>1 SWITCH</translation>
    </message>
    <message>
        <source>%1 SWITCHES</source>
        <translation>%1 SWITCHES</translation>
    </message>
    <message>
        <source>1 LINK</source>
        <translation>1 VERBINDUNG</translation>
    </message>
    <message>
        <source>%1 LINKS</source>
        <translation>%1 VERBINDUNGEN</translation>
    </message>
    <message>
        <source>%1 · %2 an hour</source>
        <translation>%1 · %2 je Stunde</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyPalette</name>
    <message>
        <source>Palette</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>Drag onto the drawing, or press Enter or double click to add.</source>
        <translation>Auf die Zeichnung ziehen, oder mit Eingabe oder Doppelklick hinzufügen.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyProblems</name>
    <message>
        <source>Device type %1 has no memory</source>
        <translation>Gerätetyp %1 hat keinen Speicher</translation>
    </message>
    <message>
        <source>Two device types are named %1</source>
        <translation>Zwei Gerätetypen heißen %1</translation>
    </message>
    <message>
        <source>%1 has devices of type %2, which is not described</source>
        <translation>%1 hat Geräte des Typs %2, der nicht beschrieben ist</translation>
    </message>
    <message>
        <source>Two nodes or switches are named %1</source>
        <translation>Zwei Knoten oder Switches heißen %1</translation>
    </message>
    <message>
        <source>%1 has no device</source>
        <translation>%1 hat kein Gerät</translation>
    </message>
    <message>
        <source>Nothing joins the %1 devices inside %2: give it a bandwidth inside</source>
        <translation>Nichts verbindet die %1 Geräte in %2: eine Bandbreite im Knoten angeben</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>The link %1 has no bandwidth</source>
        <translation>Die Verbindung %1 hat keine Bandbreite</translation>
    </message>
    <message>
        <source>The link %1 leads nowhere</source>
        <translation>Die Verbindung %1 führt nirgends hin</translation>
    </message>
    <message>
        <source>The link %1 leads back to itself</source>
        <translation>Die Verbindung %1 führt zu sich selbst zurück</translation>
    </message>
    <message>
        <source>%1 are joined twice: paths take one link, the wider</source>
        <translation>%1 sind doppelt verbunden: Wege nehmen eine Verbindung, die breitere</translation>
    </message>
    <message>
        <source>No link leads to switch %1</source>
        <translation>Keine Verbindung führt zu Switch %1</translation>
    </message>
    <message>
        <source>Only one link leads to switch %1</source>
        <translation>Nur eine Verbindung führt zu Switch %1</translation>
    </message>
    <message>
        <source>There is no node: add one from the palette</source>
        <translation>Es gibt keinen Knoten: einen aus der Palette hinzufügen</translation>
    </message>
    <message>
        <source>%1 can&apos;t be reached from %2: join them, or join both to a switch</source>
        <translation>%1 ist von %2 aus nicht erreichbar: beide verbinden oder beide an einen Switch anschließen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyProperties</name>
    <message>
        <source>Each way. For example 25 Gbit/s or 3.1 GB/s.</source>
        <translation>Je Richtung. Zum Beispiel 25 Gbit/s oder 3,1 GB/s.</translation>
    </message>
    <message>
        <source>For example 5 us.</source>
        <translation>Zum Beispiel 5 us.</translation>
    </message>
    <message>
        <source>several</source>
        <translation>mehrere</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Eigenschaften</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Bandwidth inside</source>
        <translation>Bandbreite innen</translation>
    </message>
    <message>
        <source>Latency inside</source>
        <translation>Latenz innen</translation>
    </message>
    <message>
        <source>One bus for all</source>
        <translation>Ein Bus für alle Geräte</translation>
    </message>
    <message>
        <source>All devices share the bandwidth, instead of a port of their own each</source>
        <translation>Alle Geräte teilen sich die Bandbreite, statt je einen eigenen Port zu haben</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>EVERYTHING DRAWN</source>
        <translation>ALLES GEZEICHNETE</translation>
    </message>
    <message>
        <source>Everything drawn</source>
        <translation>Alles Gezeichnete</translation>
    </message>
    <message>
        <source>PROPERTIES</source>
        <translation>EIGENSCHAFTEN</translation>
    </message>
    <message>
        <source>Name of the cluster</source>
        <translation>Name des Clusters</translation>
    </message>
    <message>
        <source>%1 · switch</source>
        <translation>%1 · Switch</translation>
    </message>
    <message>
        <source>%1 – %2 · %3</source>
        <translation>%1 – %2 · %3</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologySummary</name>
    <message>
        <source>WHAT THIS CLUSTER IS GOOD AT</source>
        <translation>WOZU DIESER CLUSTER TAUGT</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>NO PROBLEMS</source>
        <translation>KEINE PROBLEME</translation>
    </message>
    <message>
        <source>PROBLEMS: %1</source>
        <translation>PROBLEME: %1</translation>
    </message>
    <message>
        <source>No plan can be made like this</source>
        <translation>So ist kein Plan möglich</translation>
    </message>
    <message>
        <source>Hardly meant</source>
        <translation>Wohl nicht gemeint</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyView</name>
    <message>
        <source>New cluster</source>
        <translation>Neuer Cluster</translation>
    </message>
    <message>
        <source>Smaller (wheel)</source>
        <translation>Kleiner (Mausrad)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>All of it (F)</source>
        <translation>Alles (F)</translation>
    </message>
    <message>
        <source>Larger (wheel)</source>
        <translation>Größer (Mausrad)</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>Rack of %1 nodes</source>
        <translation>Rack mit %1 Knoten</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TopologyWords</name>
    <message>
        <source>One device, a %1.</source>
        <translation>Ein Gerät, %1.</translation>
    </message>
    <message>
        <source>%1, all alike: equal stages suit it.</source>
        <translation>%1, alle gleich: gleiche Stufen passen dazu.</translation>
    </message>
    <message>
        <source>%1, about equally fast.</source>
        <translation>%1, etwa gleich schnell.</translation>
    </message>
    <message>
        <source>%1: a %2 is %3 times slower than a %4; planners give it fewer layers or samples.</source>
        <translation>%1: %2 ist %3-mal langsamer als %4; Planer geben ihm weniger Schichten oder Samples.</translation>
    </message>
    <message>
        <source>%1 of gradients</source>
        <translation>%1 Gradienten</translation>
    </message>
    <message>
        <source>the %1 of gradients of %2</source>
        <translation>%1 Gradienten (%2)</translation>
    </message>
    <message>
        <source>All-reduce of %1 takes %2.</source>
        <translation>All-Reduce von %1 dauert %2.</translation>
    </message>
    <message>
        <source>Across nodes %1: all-reduce of %2 over all devices takes %3, inside a node %4; keep replicas inside nodes.</source>
        <translation>Über Knoten hinweg %1: All-Reduce von %2 über alle Geräte dauert %3, in einem Knoten %4; Replikate in Knoten lassen.</translation>
    </message>
    <message>
        <source>Across nodes %1: all-reduce of %2 over all devices takes %3.</source>
        <translation>Über Knoten hinweg %1: All-Reduce von %2 über alle Geräte dauert %3.</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>Narrowest cut: %1 | rest, %2 each way.</source>
        <translation>Engster Schnitt: %1 | Rest, %2 je Richtung.</translation>
    </message>
    <message>
        <source>As long as not all devices reach one another, no plan can be made for it.</source>
        <translation>Solange nicht alle Geräte einander erreichen, ist kein Plan dafür möglich.</translation>
    </message>
    <message>
        <source>%1 TF</source>
        <translation>%1 TF</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TraceDialog</name>
    <message>
        <source>Modules in the trace %1</source>
        <translation>Module im Trace %1</translation>
    </message>
    <message>
        <source>Use as a &amp;profile</source>
        <translation>Als &amp;Profil nehmen</translation>
    </message>
    <message>
        <source>Draw as a measured &amp;timeline</source>
        <translation>Als gemessene &amp;Zeitleiste zeichnen</translation>
    </message>
    <message>
        <source>Over the prediction of the selected plan where it uses the same devices</source>
        <translation>Über die Vorhersage des gewählten Plans, wo er dieselben Geräte nutzt</translation>
    </message>
    <message>
        <source>Blocks that repeat, found by themselves</source>
        <translation>Blöcke, die sich wiederholen, von selbst gefunden</translation>
    </message>
    <message>
        <source>Modules at depth </source>
        <translation>Module in Tiefe </translation>
    </message>
    <message>
        <source>0 are the outermost modules; those without modules in them are layers at any depth</source>
        <translation>0 sind die äußersten Module; solche ohne Module darin sind in jeder Tiefe Schichten</translation>
    </message>
    <message>
        <source>Samples that a forward and a backward pass of the trace are of</source>
        <translation>Samples, für die ein Vorwärts- und ein Rückwärtsdurchlauf des Traces gelten</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Device type</source>
        <translation>&amp;Gerätetyp</translation>
    </message>
    <message>
        <source>&amp;Layers</source>
        <translation>&amp;Schichten</translation>
    </message>
    <message>
        <source>&amp;Micro-batch</source>
        <translation>&amp;Mikro-Batch</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TraceExport</name>
    <message>
        <source>There is no plan to export: select one in the table.</source>
        <translation>Kein Plan zum Exportieren: einen in der Tabelle wählen.</translation>
    </message>
    <message>
        <source>The plan is not simulated yet. Try again when its chart is there.</source>
        <translation>Der Plan ist noch nicht simuliert. Erneut versuchen, wenn sein Diagramm da ist.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TraceImport</name>
    <message>
        <source>a trace, imported from %1</source>
        <translation>ein Trace, importiert aus %1</translation>
    </message>
    <message>
        <source>traces, imported from %1 and %2 more</source>
        <translation>Traces, importiert aus %1 und %2 weiteren</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TraceImports</name>
    <message>
        <source>Import %1</source>
        <translation>%1 importieren</translation>
    </message>
    <message>
        <source>Imported profile %1</source>
        <translation>Profil %1 importiert</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>no modules to make a profile of: a measured timeline</source>
        <translation>keine Module für ein Profil: eine gemessene Zeitleiste</translation>
    </message>
    <message>
        <source>modules found</source>
        <translation>Module gefunden</translation>
    </message>
    <message>
        <source>Read %1</source>
        <translation>%1 lesen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TrainingDialog</name>
    <message>
        <source>What training keeps</source>
        <translation>Was das Training behält</translation>
    </message>
    <message>
        <source>Two moments of each parameter</source>
        <translation>Zwei Momente je Parameter</translation>
    </message>
    <message>
        <source>One moment of each parameter</source>
        <translation>Ein Moment je Parameter</translation>
    </message>
    <message>
        <source>SGD with momentum</source>
        <translation>SGD mit Momentum</translation>
    </message>
    <message>
        <source>Nothing of its own</source>
        <translation>Nichts Eigenes</translation>
    </message>
    <message>
        <source>None: no step, nothing kept</source>
        <translation>Keiner: kein Schritt, nichts behalten</translation>
    </message>
    <message>
        <source>fp32 (16 bytes a parameter with Adam)</source>
        <translation>fp32 (16 Byte je Parameter mit Adam)</translation>
    </message>
    <message>
        <source>Weights, gradients and moments in 32 bits</source>
        <translation>Gewichte, Gradienten und Momente in 32 Bit</translation>
    </message>
    <message>
        <source>mixed, 16 bytes a parameter with Adam</source>
        <translation>gemischt, 16 Byte je Parameter mit Adam</translation>
    </message>
    <message>
        <source>Weights and gradients in 16 bits; a copy of the weights and the moments in 32</source>
        <translation>Gewichte und Gradienten in 16 Bit; eine Kopie der Gewichte und die Momente in 32</translation>
    </message>
    <message>
        <source>mixed, 18 bytes: gradients in 32 bits</source>
        <translation>gemischt, 18 Byte: Gradienten in 32 Bit</translation>
    </message>
    <message>
        <source>As the one before, gradients in 32 bits</source>
        <translation>Wie zuvor, Gradienten in 32 Bit</translation>
    </message>
    <message>
        <source>mixed, 20 bytes: gradients in 16 and 32 bits</source>
        <translation>gemischt, 20 Byte: Gradienten in 16 und 32 Bit</translation>
    </message>
    <message>
        <source>As the one before, and gradients in 16 bits, too</source>
        <translation>Wie zuvor, und Gradienten auch in 16 Bit</translation>
    </message>
    <message>
        <source>0: nothing is divided</source>
        <translation>0: nichts wird geteilt</translation>
    </message>
    <message>
        <source>Every replica keeps everything</source>
        <translation>Jedes Replikat behält alles</translation>
    </message>
    <message>
        <source>1: the optimizer&apos;s state</source>
        <translation>1: der Zustand des Optimierers</translation>
    </message>
    <message>
        <source>Divided over the replicas of a stage</source>
        <translation>Geteilt auf die Replikate einer Stufe</translation>
    </message>
    <message>
        <source>2: and the gradients</source>
        <translation>2: und die Gradienten</translation>
    </message>
    <message>
        <source>3: and the weights</source>
        <translation>3: und die Gewichte</translation>
    </message>
    <message>
        <source>&amp;Optimizer</source>
        <translation>&amp;Optimierer</translation>
    </message>
    <message>
        <source>&amp;Precision</source>
        <translation>&amp;Genauigkeit</translation>
    </message>
    <message>
        <source>&amp;ZeRO stage</source>
        <translation>&amp;ZeRO-Stufe</translation>
    </message>
    <message>
        <source>Kept &amp;free</source>
        <translation>&amp;Frei gehalten</translation>
    </message>
    <message>
        <source>Of every device, for what is not the model&apos;s: the driver, other programs</source>
        <translation>Auf jedem Gerät, für alles außer dem Modell: Treiber, andere Programme</translation>
    </message>
    <message>
        <source>&amp;Communicators</source>
        <translation>&amp;Kommunikatoren</translation>
    </message>
    <message>
        <source>Buffers of one communicator, on each of its devices</source>
        <translation>Puffer eines Kommunikators, auf jedem seiner Geräte</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Part of a device&apos;s memory lost between blocks: counts in the upper estimate alone</source>
        <translation>Teil des Gerätespeichers, der zwischen Blöcken verloren geht: zählt nur in der oberen Schätzung</translation>
    </message>
    <message>
        <source>&amp;Lost between blocks</source>
        <translation>&amp;Verloren zwischen Blöcken</translation>
    </message>
    <message>
        <source>The whole model on one device: %1 (weights %2, gradients %3, optimizer %4).</source>
        <translation>Das ganze Modell auf einem Gerät: %1 (Gewichte %2, Gradienten %3, Optimierer %4).</translation>
    </message>
    <message>
        <source>On each of %1 replicas: %2.</source>
        <translation>Auf jedem von %1 Replikaten: %2.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TransformerDialog</name>
    <message>
        <source>Dro&amp;pout as configured</source>
        <translation>Dro&amp;pout wie konfiguriert</translation>
    </message>
    <message>
        <source>Tensor-parallel devices divide the se&amp;quence too</source>
        <translation>Tensorparallele Geräte teilen auch die Se&amp;quenz</translation>
    </message>
    <message>
        <source>Profile of %1</source>
        <translation>Profil von %1</translation>
    </message>
    <message>
        <source>&amp;Add profile</source>
        <translation>Profil &amp;hinzufügen</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>Fused: its weights are not stored</source>
        <translation>Verschmolzen: ihre Gewichte werden nicht gespeichert</translation>
    </message>
    <message>
        <source>Its weights are stored</source>
        <translation>Ihre Gewichte werden gespeichert</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Device type</source>
        <translation>&amp;Gerätetyp</translation>
    </message>
    <message>
        <source>P&amp;recision</source>
        <translation>G&amp;enauigkeit</translation>
    </message>
    <message>
        <source>&amp;Sequence</source>
        <translation>&amp;Sequenz</translation>
    </message>
    <message>
        <source>&amp;Micro-batch</source>
        <translation>&amp;Mikro-Batch</translation>
    </message>
    <message>
        <source>A&amp;ttention</source>
        <translation>A&amp;ttention</translation>
    </message>
    <message>
        <source>Formulas of the layer</source>
        <translation>Formeln der Schicht</translation>
    </message>
    <message>
        <source>b samples, s tokens of a sample, n = b s, h hidden, a heads, g heads of keys and values, d head width, f feed-forward, V vocabulary, e experts, k experts a token, w bytes of a number</source>
        <translation>b Beispiele, s Tokens eines Beispiels, n = b s, h verborgene Größe, a Köpfe, g Köpfe für Schlüssel und Werte, d Breite eines Kopfs, f Feed-forward, V Vokabular, e Experten, k Experten je Token, w Bytes einer Zahl</translation>
    </message>
    <message>
        <source>Its weights are computed again</source>
        <translation>Ihre Gewichte werden neu berechnet</translation>
    </message>
    <message>
        <source>The model leaves this size open</source>
        <translation>Das Modell lässt diese Größe offen</translation>
    </message>
    <message>
        <source>Size &quot;%1&quot;</source>
        <translation>Größe „%1“</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TransformerFiles</name>
    <message>
        <source>The file is neither a transformer&apos;s configuration nor an ONNX model: choose a model&apos;s config.json or an .onnx file.</source>
        <translation>Die Datei ist weder die Konfiguration eines Transformers noch ein ONNX-Modell: wählen Sie die config.json eines Modells oder eine .onnx-Datei.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::TransformerImports</name>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>%1 importieren</translation>
    </message>
    <message>
        <source>Imported profile %1</source>
        <translation>Profil %1 importiert</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::Trials</name>
    <message>
        <source>it could not be started</source>
        <translation>er ließ sich nicht starten</translation>
    </message>
    <message>
        <source>no step was measured</source>
        <translation>kein Schritt wurde gemessen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::ViewKeys</name>
    <message>
        <source>In the table of plans</source>
        <translation>In der Plantabelle</translation>
    </message>
    <message>
        <source>Show or hide the charts of the selected plans</source>
        <translation>Diagramme der gewählten Pläne zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>Show the plan in the inspector</source>
        <translation>Den Plan im Inspektor zeigen</translation>
    </message>
    <message>
        <source>With arrows or clicks: select several plans</source>
        <translation>Mit Pfeilen oder Klicks: mehrere Pläne wählen</translation>
    </message>
    <message>
        <source>In the split editor</source>
        <translation>In der Aufteilung</translation>
    </message>
    <message>
        <source>Move the cut as far as it goes</source>
        <translation>Den Schnitt so weit wie möglich bewegen</translation>
    </message>
    <message>
        <source>In a chart</source>
        <translation>In einem Diagramm</translation>
    </message>
    <message>
        <source>Zoom in and out at the cursor; so does the wheel</source>
        <translation>Am Cursor vergrößern und verkleinern; auch mit dem Mausrad</translation>
    </message>
    <message>
        <source>Earlier and later; so does dragging</source>
        <translation>Früher und später; auch durch Ziehen</translation>
    </message>
    <message>
        <source>Fit the whole iteration</source>
        <translation>Die ganze Iteration einpassen</translation>
    </message>
    <message>
        <source>To the beginning and the end</source>
        <translation>Zum Anfang und Ende</translation>
    </message>
    <message>
        <source>From device to device</source>
        <translation>Von Gerät zu Gerät</translation>
    </message>
    <message>
        <source>Open or close a folded lane</source>
        <translation>Eine gefaltete Spur öffnen oder schließen</translation>
    </message>
    <message>
        <source>To the next cut, stage or device; Up and Down between their rows</source>
        <translation>Zum nächsten Schnitt, zur nächsten Stufe oder zum nächsten Gerät; Hoch und Runter zwischen ihren Reihen</translation>
    </message>
    <message>
        <source>Move the cut by a layer, with Shift by five; the device by a stage; the mark on a layer</source>
        <translation>Den Schnitt um eine Schicht bewegen, mit Umschalt um fünf; das Gerät um eine Stufe; die Marke um eine Schicht</translation>
    </message>
    <message>
        <source>Change the order of a stage&apos;s devices</source>
        <translation>Die Reihenfolge der Geräte einer Stufe ändern</translation>
    </message>
    <message>
        <source>To the stage before and after</source>
        <translation>Zur Stufe davor und danach</translation>
    </message>
    <message>
        <source>One replica more or less</source>
        <translation>Ein Replikat mehr oder weniger</translation>
    </message>
    <message>
        <source>Recompute the stage, with Shift the marked layer</source>
        <translation>Die Stufe neu berechnen, mit Umschalt die markierte Schicht</translation>
    </message>
    <message>
        <source>More tensor parallelism, with Shift less</source>
        <translation>Mehr Tensorparallelität, mit Umschalt weniger</translation>
    </message>
    <message>
        <source>Split the stage before the marked layer</source>
        <translation>Die Stufe vor der markierten Schicht teilen</translation>
    </message>
    <message>
        <source>Merge two stages; leave a device out</source>
        <translation>Zwei Stufen verbinden; ein Gerät herausnehmen</translation>
    </message>
    <message>
        <source>Zoom the strip; so does Ctrl+wheel</source>
        <translation>Den Streifen vergrößern; auch mit Strg+Mausrad</translation>
    </message>
    <message>
        <source>Show the whole strip</source>
        <translation>Den ganzen Streifen zeigen</translation>
    </message>
    <message>
        <source>Keep the change</source>
        <translation>Die Änderung behalten</translation>
    </message>
    <message>
        <source>Put everything back</source>
        <translation>Alles zurücksetzen</translation>
    </message>
    <message>
        <source>From operation to operation, along the critical path where that is shown</source>
        <translation>Von Operation zu Operation, entlang des kritischen Pfads, wo er gezeigt ist</translation>
    </message>
    <message>
        <source>With a click: set a cursor of a measure</source>
        <translation>Mit einem Klick: einen Cursor einer Messung setzen</translation>
    </message>
    <message>
        <source>Remove the measure, let go of the selected operation</source>
        <translation>Die Messung entfernen, die gewählte Operation loslassen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::WhatIf</name>
    <message>
        <source>%1 (what if)</source>
        <translation>%1 (was wäre wenn)</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Samples per second</source>
        <translation>Samples je Sekunde</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitzenspeicher</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Price per hour</source>
        <translation>Preis je Stunde</translation>
    </message>
    <message>
        <source>Price per 1 M samples</source>
        <translation>Preis je 1 Mio. Samples</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>%1 less per hour</source>
        <translation>%1 weniger je Stunde</translation>
    </message>
    <message>
        <source>%1 more per hour</source>
        <translation>%1 mehr je Stunde</translation>
    </message>
    <message>
        <source>%1 · cheaper</source>
        <translation>%1 · billiger</translation>
    </message>
    <message>
        <source>%1 samples/s with %2</source>
        <translation>%1 Samples/s mit %2</translation>
    </message>
    <message>
        <source>What it costs is not known</source>
        <translation>Was es kostet, ist nicht bekannt</translation>
    </message>
    <message>
        <source>%1 samples/s for one more per hour</source>
        <translation>%1 Samples/s je Einheit mehr in der Stunde</translation>
    </message>
    <message>
        <source>Click to see it in the sliders</source>
        <translation>Klicken, um es in den Reglern zu sehen</translation>
    </message>
    <message>
        <source>Best plan</source>
        <translation>Bester Plan</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>Mikro-Batches</translation>
    </message>
    <message>
        <source>%1 × %2 · %3</source>
        <translation>%1 × %2 · %3</translation>
    </message>
    <message>
        <source>Devices · nodes</source>
        <translation>Geräte · Knoten</translation>
    </message>
    <message>
        <source>Today nothing fits; here %1 does.</source>
        <translation>Heute passt nichts; hier passt %1.</translation>
    </message>
    <message>
        <source>As today: nothing is gained or lost.</source>
        <translation>Alles wie heute.</translation>
    </message>
    <message>
        <source>%1 more samples per second</source>
        <translation>%1 mehr Samples je Sekunde</translation>
    </message>
    <message>
        <source>%1 fewer samples per second</source>
        <translation>%1 weniger Samples je Sekunde</translation>
    </message>
    <message>
        <source>Equally many samples per second</source>
        <translation>Gleich viele Samples je Sekunde</translation>
    </message>
    <message>
        <source>%1; the price is not known.</source>
        <translation>%1; der Preis ist nicht bekannt.</translation>
    </message>
    <message>
        <source>%1, at the same price per sample.</source>
        <translation>%1, zum selben Preis je Sample.</translation>
    </message>
    <message>
        <source>%1, and a sample is %2.</source>
        <translation>%1, und ein Sample ist %2.</translation>
    </message>
    <message>
        <source>%1 dearer</source>
        <translation>%1 teurer</translation>
    </message>
    <message>
        <source>%1 cheaper</source>
        <translation>%1 billiger</translation>
    </message>
    <message>
        <source>Times on %1 are the profile&apos;s own.</source>
        <translation>Zeiten auf %1 sind die des Profils.</translation>
    </message>
    <message>
        <source>Times scaled by %1 from %2, by the devices&apos; peaks.</source>
        <translation>Zeiten auf %1 aus %2 umgerechnet, nach den Spitzen der Geräte.</translation>
    </message>
    <message>
        <source>Nothing is known of %1 against %2: taken as equally fast.</source>
        <translation>Nichts bekannt über %1 gegen %2: gilt als gleich schnell.</translation>
    </message>
    <message>
        <source>%1 × bandwidth inside nodes</source>
        <translation>%1 × Bandbreite in Knoten</translation>
    </message>
    <message>
        <source>%1 × bandwidth between nodes</source>
        <translation>%1 × Bandbreite zwischen Knoten</translation>
    </message>
    <message>
        <source>%1 × bandwidth of %2</source>
        <translation>%1 × Bandbreite von %2</translation>
    </message>
    <message>
        <source>One more node like %1</source>
        <translation>Ein weiterer Knoten wie %1</translation>
    </message>
    <message>
        <source>%1 for every device</source>
        <translation>%1 statt jedes Geräts</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>%1 for device G%2</source>
        <translation>%1 statt Gerät G%2</translation>
    </message>
    <message>
        <source>%1 × memory of every device</source>
        <translation>%1 × Speicher jedes Geräts</translation>
    </message>
    <message>
        <source>nothing fits</source>
        <translation>nichts passt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::WhatIfPage</name>
    <message>
        <source>Export plans</source>
        <translation>Pläne exportieren</translation>
    </message>
    <message>
        <source>Export purchases</source>
        <translation>Anschaffungen exportieren</translation>
    </message>
    <message>
        <source>Choose a model and a cluster above: here they are asked what would be with other hardware.</source>
        <translation>Oben Modell und Cluster wählen: hier wird gefragt, was mit anderer Hardware wäre.</translation>
    </message>
    <message>
        <source>No plan: %1</source>
        <translation>Kein Plan: %1</translation>
    </message>
    <message>
        <source>Picked: %1</source>
        <translation>Gewählt: %1</translation>
    </message>
    <message>
        <source>The search was cancelled. Move a slider to plan again.</source>
        <translation>Die Suche wurde abgebrochen. Einen Regler bewegen, um neu zu planen.</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Picked</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Dann</translation>
    </message>
    <message>
        <source>Planning with every planner, size and schedule. Plans so far: %1.</source>
        <translation>Planung mit jedem Planer, jeder Größe und jedem Ablauf. Pläne bisher: %1.</translation>
    </message>
    <message>
        <source>Every plan of all planners, sizes of the cluster, micro-batches and schedules as a point.</source>
        <translation>Jeder Plan aller Planer, Clustergrößen, Mikro-Batches und Abläufe als Punkt.</translation>
    </message>
    <message>
        <source>Cancelled: there may be more plans.</source>
        <translation>Abgebrochen: es kann mehr Pläne geben.</translation>
    </message>
    <message>
        <source>Of the sliders as they were; find plans again for what they are now.</source>
        <translation>Für die Regler, wie sie waren; Pläne erneut suchen für das, was sie jetzt sind.</translation>
    </message>
    <message>
        <source>Planning with each purchase…</source>
        <translation>Planung mit jeder Anschaffung…</translation>
    </message>
    <message>
        <source>Find out what a wider link, another node, other devices or more memory would gain, planned anew.</source>
        <translation>Ermitteln, was eine breitere Verbindung, ein weiterer Knoten, andere Geräte oder mehr Speicher brächten, neu geplant.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>For the sliders as they were.</source>
        <translation>Für die Regler, wie sie waren.</translation>
    </message>
    <message>
        <source>Add cluster %1</source>
        <translation>Cluster %1 hinzufügen</translation>
    </message>
    <message>
        <source>%1 is in the project now.</source>
        <translation>%1 ist jetzt im Projekt.</translation>
    </message>
    <message>
        <source>%1 is in the project already.</source>
        <translation>%1 ist schon im Projekt.</translation>
    </message>
    <message>
        <source>Keep plan %1</source>
        <translation>Plan %1 behalten</translation>
    </message>
    <message>
        <source>Tables (*.csv);;All files (*)</source>
        <translation>Tabellen (*.csv);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>%1 geschrieben</translation>
    </message>
    <message>
        <source>Plans and purchases</source>
        <translation>Pläne und Anschaffungen</translation>
    </message>
    <message>
        <source>How many devices</source>
        <translation>Wie viele Geräte</translation>
    </message>
    <message>
        <source>Export points</source>
        <translation>Punkte exportieren</translation>
    </message>
    <message>
        <source>Say what is to be trained: every size of the cluster is planned for, and what it takes is shown.</source>
        <translation>Angeben, was zu trainieren ist: für jede Größe des Clusters wird geplant und gezeigt, wie lange es dauert und was es kostet.</translation>
    </message>
    <message>
        <source>Points of sweeps (*.points.json *.json);;All files (*)</source>
        <translation>Punkte von Durchläufen (*.points.json *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>How large</source>
        <translation>Wie groß</translation>
    </message>
    <message>
        <source>Go on from points</source>
        <translation>Von Punkten weitermachen</translation>
    </message>
    <message>
        <source>Keep points</source>
        <translation>Punkte behalten</translation>
    </message>
    <message>
        <source>Points are kept in %1.</source>
        <translation>Punkte werden in %1 behalten.</translation>
    </message>
    <message>
        <source>Planning: %1</source>
        <translation>Plant: %1</translation>
    </message>
    <message>
        <source>Say what is to grow: sizes are planned for until the largest that fits is found.</source>
        <translation>Sagen, was wachsen soll: für Werte wird geplant, bis der größte gefunden ist, der passt.</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::WhatIfPanel</name>
    <message>
        <source>What if it were…</source>
        <translation>Was wäre mit…</translation>
    </message>
    <message>
        <source>&amp;As today</source>
        <translation>&amp;Wie heute</translation>
    </message>
    <message>
        <source>Put everything back to today&apos;s</source>
        <translation>Alles auf den heutigen Wert zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>&amp;Geräte</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>All devices become of this type</source>
        <translation>Alle Geräte werden von diesem Typ</translation>
    </message>
    <message>
        <source>&amp;Nodes</source>
        <translation>&amp;Knoten</translation>
    </message>
    <message>
        <source>&amp;Bandwidth between nodes</source>
        <translation>&amp;Bandbreite zwischen Knoten</translation>
    </message>
    <message>
        <source>Bandwidth &amp;inside nodes</source>
        <translation>Bandbreite &amp;in Knoten</translation>
    </message>
    <message>
        <source>&amp;Memory of a device</source>
        <translation>&amp;Speicher eines Geräts</translation>
    </message>
    <message>
        <source>Mi&amp;cro-batch</source>
        <translation>Mikro-Ba&amp;tch</translation>
    </message>
    <message>
        <source>&amp;Global batch</source>
        <translation>Glo&amp;baler Batch</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Without these</source>
        <translation>Ohne diese</translation>
    </message>
    <message>
        <source>Without the single devices and links that are changed</source>
        <translation>Ohne die einzeln geänderten Geräte und Verbindungen</translation>
    </message>
    <message>
        <source>Price of a device per hour</source>
        <translation>Preis eines Geräts je Stunde</translation>
    </message>
    <message>
        <source>as today, several types</source>
        <translation>wie heute, mehrere Typen</translation>
    </message>
    <message>
        <source>%1, as today</source>
        <translation>%1, wie heute</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Where none is given: %1. Prices can be edited.</source>
        <translation>Wo keiner genannt ist: %1. Preise sind änderbar.</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1 für %2</translation>
    </message>
    <message>
        <source>%1 bandwidth of %2</source>
        <translation>%1 Bandbreite von %2</translation>
    </message>
    <message>
        <source>And: %1</source>
        <translation>Und: %1</translation>
    </message>
    <message>
        <source>Price of %1 per hour</source>
        <translation>Preis von %1 je Stunde</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::WhatIfStudy</name>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Was wäre wenn</translation>
    </message>
    <message>
        <source>%1, list prices of about %2</source>
        <translation>%1, Listenpreise um %2</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Front</translation>
    </message>
    <message>
        <source>Front of throughput, memory and price</source>
        <translation>Front aus Durchsatz, Speicher und Preis</translation>
    </message>
    <message>
        <source>No plan fits.</source>
        <translation>Kein Plan passt.</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Buy first</source>
        <translation>Zuerst kaufen</translation>
    </message>
    <message>
        <source>purchase</source>
        <translation>Anschaffung</translation>
    </message>
    <message>
        <source>purchases</source>
        <translation>Anschaffungen</translation>
    </message>
    <message>
        <source>What to buy first</source>
        <translation>Was zuerst kaufen</translation>
    </message>
</context>
<context>
    <name>pipedeck::app::WhatIfSummary</name>
    <message>
        <source>planning…</source>
        <translation>plant…</translation>
    </message>
    <message>
        <source>Add as cl&amp;uster</source>
        <translation>Als Cl&amp;uster hinzufügen</translation>
    </message>
    <message>
        <source>The changed cluster becomes one of the project&apos;s</source>
        <translation>Der geänderte Cluster wird einer des Projekts</translation>
    </message>
    <message>
        <source>&amp;Keep the plan</source>
        <translation>&amp;Plan behalten</translation>
    </message>
    <message>
        <source>The plan, and the cluster that it is for, become part of the project</source>
        <translation>Der Plan und der Cluster, für den er ist, werden Teil des Projekts</translation>
    </message>
    <message>
        <source>The best plan of today and with what was changed</source>
        <translation>Der beste Plan von heute und mit den Änderungen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Dann</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>%1 an iteration, %2 samples/s, bubble %3, exposed communication %4.</source>
        <translation>%1 je Iteration, %2 Samples/s, Leerlauf %3, sichtbare Kommunikation %4.</translation>
    </message>
    <message>
        <source>%1 does not fit in memory.</source>
        <translation>%1 passt nicht in den Speicher.</translation>
    </message>
    <message>
        <source>%1 fits in memory, but not by the upper estimate on %2 of %3 devices.</source>
        <translation>%1 passt in den Speicher, nach der oberen Schätzung aber nicht auf %2 von %3 Geräten.</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>%1 links of %2 each way</source>
        <translation>%1 Verbindungen mit je %2 in jede Richtung</translation>
    </message>
    <message>
        <source>%1 nodes of %2</source>
        <translation>%1 Knoten mit je %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2 (%3 %)</source>
        <translation>%1 von %2 (%3 %)</translation>
    </message>
    <message>
        <source>%1 stages</source>
        <translation>%1 Stufen</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 to %2: %3 … %4</source>
        <translation>%1 bis %2: %3 … %4</translation>
    </message>
    <message>
        <source>%1 trains asynchronously, on several versions of the weights: its steps are not those of one device.</source>
        <translation>%1 trainiert asynchron, auf mehreren Fassungen der Gewichte: die Schritte sind nicht die eines einzelnen Geräts.</translation>
    </message>
    <message>
        <source>%1 was made for another cluster than the one that it is judged on.</source>
        <translation>%1 ist für einen anderen Cluster gemacht als den, auf dem er beurteilt wird.</translation>
    </message>
    <message>
        <source>%1 was made for another profile than the one that it is judged by.</source>
        <translation>%1 ist für ein anderes Profil gemacht als das, nach dem er beurteilt wird.</translation>
    </message>
    <message>
        <source>%1, %2 inside</source>
        <translation>%1, innen %2</translation>
    </message>
    <message>
        <source>%1, %2 micro-batches of %3 (global batch %4), optimizer %5, precision %6, ZeRO stage %7.</source>
        <translation>%1, %2 Mikro-Batches zu %3 (globaler Batch %4), Optimierer %5, Genauigkeit %6, ZeRO-Stufe %7.</translation>
    </message>
    <message>
        <source>%1, %2 micro-batches of %3 (global batch %4), optimizer %5, precision %6.</source>
        <translation>%1, %2 Mikro-Batches zu %3 (globaler Batch %4), Optimierer %5, Genauigkeit %6.</translation>
    </message>
    <message>
        <source>%1, %2 shared inside</source>
        <translation>%1, innen geteilte %2</translation>
    </message>
    <message>
        <source>%1, a chain</source>
        <translation>%1, eine Kette</translation>
    </message>
    <message>
        <source>%1, a graph</source>
        <translation>%1, ein Graph</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 Schicht</translation>
    </message>
    <message>
        <source>1 link of %1 each way</source>
        <translation>1 Verbindung mit %1 in jede Richtung</translation>
    </message>
    <message>
        <source>1 node of %1</source>
        <translation>1 Knoten mit %1</translation>
    </message>
    <message>
        <source>1 stage</source>
        <translation>1 Stufe</translation>
    </message>
    <message>
        <source>A time limit cut the search for %1 short: there may be a better one.</source>
        <translation>Eine Zeitgrenze hat die Suche nach %1 abgekürzt: es kann einen besseren Plan geben.</translation>
    </message>
    <message>
        <source>All plans are judged by one simulator, whoever made them. Nothing in this report was measured by running a plan.</source>
        <translation>Alle Pläne beurteilt derselbe Simulator, von wem sie auch stammen. Nichts in diesem Bericht ist an einem laufenden Plan gemessen.</translation>
    </message>
    <message>
        <source>All-reduces: %1.</source>
        <translation>All-Reduces: %1.</translation>
    </message>
    <message>
        <source>Assumptions</source>
        <translation>Annahmen</translation>
    </message>
    <message>
        <source>At most GiB</source>
        <translation>Höchstens GiB</translation>
    </message>
    <message>
        <source>Beside computation most time goes to %1: %2 of the iteration.</source>
        <translation>Neben dem Rechnen kostet am meisten Zeit: %1, %2 der Iteration.</translation>
    </message>
    <message>
        <source>Between nodes</source>
        <translation>Zwischen Knoten</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>Leerlauf</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Ausgelastet</translation>
    </message>
    <message>
        <source>Calibrated from measured runs (%1): %2 µs between operations, compute %3 times as long beside communication, links %4 times as fast as their files say.</source>
        <translation>Nach gemessenen Läufen kalibriert (%1): %2 µs zwischen Operationen, Rechnen neben Kommunikation %3-mal so lang, Verbindungen %4-mal so schnell, wie ihre Dateien sagen.</translation>
    </message>
    <message>
        <source>Calibrated from measured runs: %1 µs between operations, compute %2 times as long beside communication, links %3 times as fast as their files say.</source>
        <translation>Nach gemessenen Läufen kalibriert: %1 µs zwischen Operationen, Rechnen neben Kommunikation %2-mal so lang, Verbindungen %3-mal so schnell, wie ihre Dateien sagen.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Every device holds %1 in reserve and %2 for each communicator that it is in.</source>
        <translation>Jedes Gerät hält %1 in Reserve und %2 für jeden Kommunikator, dem es angehört.</translation>
    </message>
    <message>
        <source>Exposed comm.</source>
        <translation>Sichtbare Komm.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>GiB at the peak of</source>
        <translation>GiB beim Höchststand von</translation>
    </message>
    <message>
        <source>Gradients are all-reduced beside the backward pass, in buckets of %1.</source>
        <translation>Das All-Reduce der Gradienten läuft neben dem Rückwärtsdurchlauf, in Paketen zu %1.</translation>
    </message>
    <message>
        <source>Gradients are all-reduced when the last backward pass of their stage is over.</source>
        <translation>Das All-Reduce der Gradienten beginnt nach dem letzten Rückwärtsdurchlauf ihrer Stufe.</translation>
    </message>
    <message>
        <source>Gradients of each layer are all-reduced as soon as they are there, beside the backward pass.</source>
        <translation>Das All-Reduce der Gradienten jeder Schicht beginnt, sobald sie da sind, neben dem Rückwärtsdurchlauf.</translation>
    </message>
    <message>
        <source>Iteration ms</source>
        <translation>Iteration (ms)</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Made by hand.</source>
        <translation>Von Hand gemacht.</translation>
    </message>
    <message>
        <source>Made by the planner %1.</source>
        <translation>Vom Planer %1 gemacht.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory of %1 on %2 devices</source>
        <translation>Speicher von %1 auf %2 Geräten</translation>
    </message>
    <message>
        <source>Memory of %1 on 1 device</source>
        <translation>Speicher von %1 auf 1 Gerät</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>Mikro-Batches</translation>
    </message>
    <message>
        <source>Micro-batches kept</source>
        <translation>Gehaltene Mikro-Batches</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Network ideal: each pair of nodes, and of devices inside one, carries one transfer at a time each way; different pairs do not slow one another down.</source>
        <translation>Netz ideal: jedes Paar von Knoten, und von Geräten innerhalb eines Knotens, überträgt in jede Richtung eines nach dem anderen; verschiedene Paare bremsen einander nicht.</translation>
    </message>
    <message>
        <source>Network shared: transfers and all-reduces that use a link at the same time share its bandwidth.</source>
        <translation>Netz geteilt: Übertragungen und All-Reduces, die eine Verbindung gleichzeitig nutzen, teilen sich deren Bandbreite.</translation>
    </message>
    <message>
        <source>No plan fits in memory and trains as one device would.</source>
        <translation>Kein Plan passt in den Speicher und trainiert, wie ein einzelnes Gerät es täte.</translation>
    </message>
    <message>
        <source>No plan of this problem ends an iteration before %1 ms; this one takes %2 longer.</source>
        <translation>Kein Plan für diese Aufgabe beendet eine Iteration vor %1 ms; dieser braucht %2 länger.</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Not drawn: %1 of %2 devices.</source>
        <translation>Nicht gezeichnet: %1 von %2 Geräten.</translation>
    </message>
    <message>
        <source>Nothing but computation takes time.</source>
        <translation>Nur das Rechnen kostet Zeit.</translation>
    </message>
    <message>
        <source>Of GiB</source>
        <translation>Von GiB</translation>
    </message>
    <message>
        <source>On device</source>
        <translation>Auf Gerät</translation>
    </message>
    <message>
        <source>Over bound</source>
        <translation>Über Schranke</translation>
    </message>
    <message>
        <source>Peak GiB</source>
        <translation>Spitze GiB</translation>
    </message>
    <message>
        <source>Peaks are estimates; &quot;at most&quot; is what they can be however long operations take, with %1 lost to fragmentation.</source>
        <translation>Spitzen sind Schätzungen; „höchstens“ ist, was sie sein können, wie lange Operationen auch dauern, wenn %1 durch Fragmentierung verloren gehen.</translation>
    </message>
    <message>
        <source>Peaks are estimates; &quot;at most&quot; is what they can be however long operations take.</source>
        <translation>Spitzen sind Schätzungen; „höchstens“ ist, was sie sein können, wie lange Operationen auch dauern.</translation>
    </message>
    <message>
        <source>Per million samples</source>
        <translation>Je Million Samples</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Price an hour</source>
        <translation>Preis je Stunde</translation>
    </message>
    <message>
        <source>Prices are of whole nodes, all their devices together, as the cluster says.</source>
        <translation>Preise gelten für ganze Knoten, alle Geräte zusammen, wie der Cluster sie angibt.</translation>
    </message>
    <message>
        <source>Prices are of whole nodes, all their devices together: the cluster&apos;s own, else list prices of about %1 (%2).</source>
        <translation>Preise gelten für ganze Knoten, alle Geräte zusammen: die des Clusters, sonst Listenpreise von etwa %1 (%2).</translation>
    </message>
    <message>
        <source>Proven best in its space: %1.</source>
        <translation>Nachweislich der Beste in seinem Raum: %1.</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>Remarks: %1</source>
        <translation>Notizen: %1</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>Replikate</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Samples/s</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Schedule of %1: %2 on %3 devices, %4 an iteration</source>
        <translation>Ablauf von %1: %2 auf %3 Geräten, %4 je Iteration</translation>
    </message>
    <message>
        <source>Schedule of %1: %2 on 1 device, %3 an iteration</source>
        <translation>Ablauf von %1: %2 auf 1 Gerät, %3 je Iteration</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>Tensorparallel</translation>
    </message>
    <message>
        <source>The critical path has %1 links.</source>
        <translation>Der kritische Pfad hat %1 Glieder.</translation>
    </message>
    <message>
        <source>The critical path has %1 links; it is longest on stage %2 (%3).</source>
        <translation>Der kritische Pfad hat %1 Glieder; am längsten ist er auf Stufe %2 (%3).</translation>
    </message>
    <message>
        <source>The critical path has 1 link.</source>
        <translation>Der kritische Pfad hat 1 Glied.</translation>
    </message>
    <message>
        <source>The critical path has 1 link; it is longest on stage %1 (%2).</source>
        <translation>Der kritische Pfad hat 1 Glied; am längsten ist er auf Stufe %1 (%2).</translation>
    </message>
    <message>
        <source>The critical path is in</source>
        <translation>Der kritische Pfad liegt in</translation>
    </message>
    <message>
        <source>The fastest synchronous plan that fits is %1: %2 samples/s, %3 an iteration of %4 samples, on %5 devices.</source>
        <translation>Der schnellste synchrone Plan, der passt, ist %1: %2 Samples/s, %3 je Iteration mit %4 Samples, auf %5 Geräten.</translation>
    </message>
    <message>
        <source>The fastest synchronous plan that fits is %1: %2 samples/s, %3 an iteration of %4 samples, on 1 device.</source>
        <translation>Der schnellste synchrone Plan, der passt, ist %1: %2 Samples/s, %3 je Iteration mit %4 Samples, auf 1 Gerät.</translation>
    </message>
    <message>
        <source>The first %1 of %2 stages.</source>
        <translation>Die ersten %1 von %2 Stufen.</translation>
    </message>
    <message>
        <source>The iteration consists of</source>
        <translation>Die Iteration besteht aus</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>To get the same figures</source>
        <translation>Dieselben Zahlen erhalten</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>What bounds it</source>
        <translation>Was ihn begrenzt</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>alle Schichten</translation>
    </message>
    <message>
        <source>all reduce</source>
        <translation>All-Reduce</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>All-Reduce</translation>
    </message>
    <message>
        <source>at the peak, by item</source>
        <translation>beim Höchststand, nach Posten</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>backward input</source>
        <translation>Eingabegradient</translation>
    </message>
    <message>
        <source>backward weight</source>
        <translation>Gewichtsgradient</translation>
    </message>
    <message>
        <source>bandwidths between all pairs of devices, measured</source>
        <translation>Bandbreiten zwischen allen Gerätepaaren, gemessen</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>Leerlauf</translation>
    </message>
    <message>
        <source>communication buffers</source>
        <translation>Kommunikationspuffer</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>dashed: the device&apos;s memory; the tick behind a bar: the most that the peak can be</source>
        <translation>gestrichelt: der Speicher des Geräts; der Strich hinter einem Balken: die höchste mögliche Spitze</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>forward %1 ms, backward %2 ms for a micro-batch of %3 on %4</source>
        <translation>vorwärts %1 ms, rückwärts %2 ms für einen Mikro-Batch von %3 auf %4</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>hierarchical</source>
        <translation>hierarchisch</translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation>Ungleichheit der Stufen</translation>
    </message>
    <message>
        <source>in all</source>
        <translation>insgesamt</translation>
    </message>
    <message>
        <source>input gradient</source>
        <translation>Eingabegradient</translation>
    </message>
    <message>
        <source>nccl</source>
        <translation>wie NCCL</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>no plan was found</source>
        <translation>kein Plan gefunden</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation>Optimierer-Zustand</translation>
    </message>
    <message>
        <source>over the iteration</source>
        <translation>über die Iteration</translation>
    </message>
    <message>
        <source>peak of memory, GiB</source>
        <translation>Spitzenspeicher, GiB</translation>
    </message>
    <message>
        <source>point to point</source>
        <translation>Übertragungen</translation>
    </message>
    <message>
        <source>receive</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>reserve</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>slowed by others</source>
        <translation>von anderen gebremst</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>stage inputs and outputs</source>
        <translation>Ein- und Ausgaben der Stufe</translation>
    </message>
    <message>
        <source>stages %1</source>
        <translation>Stufen %1</translation>
    </message>
    <message>
        <source>stashed weights</source>
        <translation>aufbewahrte Gewichte</translation>
    </message>
    <message>
        <source>tensor parallel</source>
        <translation>Tensorparallelität</translation>
    </message>
    <message>
        <source>the quicker of a flat and a hierarchical ring</source>
        <translation>der schnellere von flachem und hierarchischem Ring</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation>Gewichtsgradient</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitspuffer</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>yes (at most: no)</source>
        <translation>ja (höchstens: nein)</translation>
    </message>
</context>
</TS>
