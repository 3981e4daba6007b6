package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures cold calls, which most users meet: of a daemon that has just been started, and without a
 * daemon. Go's plugins and ours take turns.
 */
record ColdCalls(BenchHost benchHost, Path home, ResultTable table, boolean quick) {
  private static final int CONTAINERS = 20;
  private static final int FIRST_CALLS = 50;

  /** A chain of five executables; none of them needs iptables, as some of Go's would. */
  private static final List<String> CHAIN =
      List.of(
          "{\"type\": \"loopback\"}",
          "{\"type\": \"bridge\", \"bridge\": \"br-%1$s\", \"isGateway\": true,"
              + " \"ipam\": {\"type\": \"host-local\", \"subnet\": \"%2$s\", \"dataDir\": \"%3$s\"}}",
          "{\"type\": \"tuning\", \"dataDir\": \"%3$s-tuning\", \"mtu\": 1400}",
          "{\"type\": \"bandwidth\", \"ingressRate\": 8000000, \"ingressBurst\": 8000000}",
          "{\"type\": \"portmap\", \"capabilities\": {\"portMappings\": true}}");

  /** Calls one after the other, from the moment the daemon reports that it serves. */
  void afterStart(String go, String ours) throws Exception {
    int starts = quick ? 5 : 15;
    Map<String, int[]> parts =
        Map.of("first", new int[] {1, 1}, "2–20", new int[] {2, 20}, "21–50", new int[] {21, 50});
    Map<String, Sample> all = new HashMap<>();
    Sample serving = new Sample("serving");
    for (int i = 0; i < starts; i++) {
      long begin = System.nanoTime();
      try (OwnDaemon _ = OwnDaemon.start(benchHost)) {
        serving.add(System.nanoTime() - begin);
        Map<String, Sample> calls = benchHost.call("each", 1, FIRST_CALLS, go, ours);
        for (String who : List.of("go", "ours")) {
          for (String verb : List.of("add", "del")) {
            parts.forEach(
                (part, range) ->
                    all.computeIfAbsent(who + verb + part, Sample::new)
                        .addAll(
                            Objects.requireNonNull(calls.get(who + " " + verb)),
                            range[0],
                            range[1]));
          }
        }
      }
    }
    table.add("start to serving, p50", millis(serving), "ms", TargetFigure.atMost(450, "ms"));
    for (String verb : List.of("add", "del")) {
      for (String part : List.of("first", "2–20", "21–50")) {
        table.compare(
            "after a start: %s %s, p50".formatted(verb.toUpperCase(Locale.ROOT), part),
            millis(Objects.requireNonNull(all.get("go" + verb + part))),
            millis(Objects.requireNonNull(all.get("ours" + verb + part))),
            "ms",
            target(verb, part));
      }
    }
  }

  private static TargetFigure target(String verb, String part) {
    if (verb.equals("del")) {
      return TargetFigure.atMost(1, "×");
    }
    return TargetFigure.atMost(part.equals("first") ? 2 : 0.5, "×");
  }

  /** From a folder where no daemon has ever run, with one that is started on demand and without. */
  void withoutDaemon() throws Exception {
    for (String onDemand : List.of("0", "1")) {
      Sample one = new Sample("one");
      Sample goOne = new Sample("go one");
      Sample twenty = new Sample("twenty");
      Sample goTwenty = new Sample("go twenty");
      for (int i = 0; i < (quick ? 2 : 5); i++) {
        goOne.add(timed(BenchHost.GO, "go", 1, onDemand));
        one.add(timed(home.resolve("cni").toString(), "ours", 1, onDemand));
        goTwenty.add(timed(BenchHost.GO, "go", CONTAINERS, onDemand));
        twenty.add(timed(home.resolve("cni").toString(), "ours", CONTAINERS, onDemand));
      }
      String how = onDemand.equals("0") ? "no daemon" : "on demand";
      table.compare(
          how + ": one container × 5", millis(goOne), millis(one), "ms", TargetFigure.NONE);
      table.compare(
          how + ": 20 containers × 5",
          millis(goTwenty),
          millis(twenty),
          "ms",
          onDemand.equals("0") ? TargetFigure.NONE : TargetFigure.atMost(1.5, "×"));
    }
  }

  /** How long ADDs of all plugins take for some containers at once; their DELs are not counted. */
  private long timed(String directory, String who, int containers, String onDemand)
      throws Exception {
    Path cold = Files.createTempDirectory(benchHost.folder(), "cold-");
    try (ExecutorService threads = Executors.newFixedThreadPool(containers)) {
      long begin = System.nanoTime();
      all(threads, containers, i -> attach(directory, who, i, cold, onDemand));
      long took = System.nanoTime() - begin;
      all(threads, containers, i -> detach(directory, who, i, cold, onDemand));
      return took;
    } finally {
      endDaemonOf(cold);
    }
  }

  private interface Step {
    void run(int container) throws Exception;
  }

  private static void all(ExecutorService threads, int count, Step step) throws Exception {
    List<Callable<Boolean>> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int container = i;
      steps.add(
          () -> {
            step.run(container);
            return true;
          });
    }
    for (Future<Boolean> done : threads.invokeAll(steps)) {
      done.get();
    }
  }

  private void attach(String directory, String who, int container, Path cold, String onDemand)
      throws Exception {
    JsonNode result = null;
    for (String template : CHAIN) {
      ObjectNode conf = conf(template, who, cold);
      if (result != null) {
        conf.set("prevResult", result);
      }
      byte[] answer = call(directory, "ADD", conf, container, cold, onDemand);
      result = conf.path("type").asString().equals("loopback") ? null : CniJson.parse(answer);
    }
  }

  private void detach(String directory, String who, int container, Path cold, String onDemand)
      throws Exception {
    for (String template : CHAIN.reversed()) {
      call(directory, "DEL", conf(template, who, cold), container, cold, onDemand);
    }
  }

  private ObjectNode conf(String template, String who, Path cold) {
    String subnet = who.equals("go") ? "10.76.0.0/16" : "10.77.0.0/16";
    ObjectNode conf = (ObjectNode) CniJson.parse(template.formatted("cold-" + who, subnet, cold));
    return conf.put("cniVersion", "1.0.0").put("name", "cold-" + who);
  }

  private byte[] call(
      String directory, String verb, ObjectNode conf, int container, Path cold, String onDemand)
      throws IOException, InterruptedException {
    String type = conf.path("type").asString();
    ProcessBuilder builder =
        benchHost.command(
            "nsenter", "--net=/run/netns/" + benchHost.host(), directory + "/" + type);
    builder.environment().put("OCICAT_RUN_DIR", cold.resolve("run").toString());
    builder.environment().put("OCICAT_STATE_DIR", cold.resolve("state").toString());
    builder.environment().put("OCICAT_ON_DEMAND", onDemand);
    builder.environment().put("CNI_COMMAND", verb);
    builder.environment().put("CNI_CONTAINERID", "cold-" + container);
    builder.environment().put("CNI_NETNS", "/run/netns/" + benchHost.host() + container);
    builder.environment().put("CNI_IFNAME", type.equals("loopback") ? "lo" : "eth0");
    builder.environment().put("CNI_PATH", directory);
    Process process = builder.start();
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(Json.compactBytes(conf));
    }
    byte[] answer = process.getInputStream().readAllBytes();
    if (process.waitFor() != 0) {
      throw new IOException(
          "%s of %s/%s: %s".formatted(verb, directory, type, new String(answer, UTF_8)));
    }
    return answer;
  }

  /** A daemon that was started on demand would stay for minutes. */
  private static void endDaemonOf(Path cold) {
    String mark = "OCICAT_RUN_DIR=" + cold.resolve("run");
    ProcessHandle.allProcesses()
        .filter(process -> environmentOf(process).contains(mark + "\0"))
        .forEach(
            process -> {
              process.destroy();
              process.onExit().join();
            });
  }

  private static String environmentOf(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/%d/environ".formatted(process.pid()))) + "\0";
    } catch (IOException _) {
      return "";
    }
  }

  private static double millis(Sample sample) {
    return sample.percentile(0.5) / 1e6;
  }
}
