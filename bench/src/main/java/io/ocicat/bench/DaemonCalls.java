package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.ns.NamedNetNs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * bridge with host-local as a runtime calls it: Debian's Go plugins against ours behind a running
 * daemon, and without one. cnicall.c executes them in turns, in namespaces of this run's own.
 *
 * <p>Usage: {@code DaemonCalls <cnicall> <distribution> [quick]}
 */
public final class DaemonCalls {
  private static final String GO = "/usr/lib/cni";
  private static final String HOST = "ocicat-bench";
  private static final int PODS = 100;
  private static final int ATTACHED = 500;
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final Path cnicall;
  private final Path home;
  private final Path folder;
  private final Path plot;
  private final boolean quick;
  private final List<String> rows = new ArrayList<>();
  private final BarChart chart = new BarChart();

  private DaemonCalls(Path cnicall, Path home, Path folder, boolean quick) {
    this.cnicall = cnicall;
    this.plot = cnicall.resolveSibling("daemon.svg");
    this.home = home;
    this.folder = folder;
    this.quick = quick;
  }

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-bench-");
    try {
      new DaemonCalls(
              Path.of(args[0]).toAbsolutePath(),
              Path.of(args[1]).toRealPath(),
              folder,
              args.length > 2 && args[2].equals("quick"))
          .run();
    } finally {
      try (Stream<Path> tree = Files.walk(folder)) {
        tree.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    }
  }

  private void run() throws Exception {
    config("go", "10.78.0.0/16", false);
    config("ours", "10.79.0.0/16", false);
    NamedNetNs named = NamedNetNs.standard();
    List<String> names = new ArrayList<>();
    try {
      for (int i = -1; i < PODS; i++) {
        String name = i < 0 ? HOST : HOST + i;
        named.create(name).close();
        names.add(name);
      }
      measure();
    } finally {
      names.forEach(named::remove);
    }
    IO.println("%-46s %12s %12s %8s   %s".formatted("", "Go", "ours", "ratio", "target"));
    rows.forEach(IO::println);
    Files.writeString(plot, chart.svg());
    IO.println("drawn in " + plot);
  }

  private void measure() throws Exception {
    Process daemon = startDaemon();
    try {
      call("each", 1, quick ? 200 : 1000, ours());
      Map<String, Sample> each = call("each", 1, quick ? 100 : 500, go(), ours());
      row("ADD one at a time, p50", each, "add", 0.5, "≤ 1/5");
      row("ADD one at a time, p99", each, "add", 0.99, "≤ 1/4");
      row("DEL one at a time, p50", each, "del", 0.5, "≤ 1.1 × floor (22 of Go's 24 ms)");
      config("go", "10.78.0.0/16", true);
      config("ours", "10.79.0.0/16", true);
      call("each", 1, quick ? 50 : 200, ours());
      Map<String, Sample> masked = call("each", 1, quick ? 50 : 200, go(), ours());
      row("ADD one at a time with ipMasq, p50", masked, "add", 0.5, "");
      row("DEL one at a time with ipMasq, p50", masked, "del", 0.5, "");
      config("go", "10.78.0.0/16", false);
      config("ours", "10.79.0.0/16", false);
      Map<String, Sample> deletions = call("burst", 32, quick ? 3 : 10, go(), ours());
      row("32 DELs at once, wall, p50", deletions, "del", 0.5, "≤ 1/4");
      Map<String, Sample> burst = call("burst", PODS, quick ? 2 : 5, go(), ours());
      row("100 ADDs at once, wall, p50", burst, "add", 0.5, "≤ 1/5");
      Map<String, Double> cycles = loop(16, quick ? 5 : 60);
      double byGo = cycles.getOrDefault("go", 0.0);
      double byUs = cycles.getOrDefault("ours", 0.0);
      rows.add(
          "%-46s %10.1f/s %10.1f/s %7.2f×   ≥ 5 ×"
              .formatted("ADD+DEL cycles, 16 clients", byGo, byUs, byUs / byGo));
      chart.add("ADD+DEL cycles, 16 clients", "/s", byGo, byUs);
      rows.add(
          "%-46s %12s %9d KiB %8s   ≤ 92160 KiB"
              .formatted("memory of the daemon afterwards", "", rss(daemon), ""));
    } finally {
      stop(daemon);
    }
    beginAgain();
    Map<String, Sample> alone = call("each", 1, quick ? 5 : 20, go(), ours());
    row("no daemon: ADD in a JVM of its own, p50", alone, "add", 0.5, "≤ 250 ms");
  }

  /** A daemon that finds 500 attachments when it starts: how soon it serves, how large it is. */
  private void beginAgain() throws Exception {
    Process before = startDaemon();
    call("many", ATTACHED, 1, ours());
    stop(before);
    long start = System.nanoTime();
    Process daemon = startDaemon();
    try {
      Map<String, Sample> first = call("each", 1, 1, ours());
      long served = System.nanoTime() - start;
      rows.add(
          "%-46s %12s %9.0f ms %8s   ≤ 500 ms"
              .formatted("start to first ADD, 500 attachments there", "", served / 1e6, ""));
      rows.add(
          "%-46s %12s %9d KiB %8s   ≤ 92160 KiB"
              .formatted("memory of a daemon with 500 attachments", "", rss(daemon), ""));
      Map<String, Sample> beside = call("each", 1, quick ? 30 : 100, ours());
      rows.add(
          "%-46s %12s %9.2f ms %8s"
              .formatted("ADD beside 500 attachments, p50", "", time(beside, "ours add", 0.5), ""));
      long cpu = cpuMillis(daemon);
      Thread.sleep(IDLE);
      rows.add(
          "%-46s %12s %10.2f %% %8s   ≤ 0.1 %%"
              .formatted(
                  "CPU of an idle daemon",
                  "",
                  100.0 * (cpuMillis(daemon) - cpu) / IDLE.toMillis(),
                  ""));
      if (first.isEmpty()) {
        throw new IOException("no call was made");
      }
    } finally {
      call("unmany", ATTACHED, 1, ours());
      stop(daemon);
    }
  }

  private static void stop(Process daemon) throws InterruptedException {
    daemon.destroy();
    daemon.waitFor(60, TimeUnit.SECONDS);
  }

  private static long cpuMillis(Process daemon) {
    return daemon.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
  }

  private void row(
      String what, Map<String, Sample> times, String verb, double quantile, String target) {
    double go = time(times, "go " + verb, quantile);
    double ours = time(times, "ours " + verb, quantile);
    rows.add("%-46s %9.2f ms %9.2f ms %7.2f×   %s".formatted(what, go, ours, ours / go, target));
    chart.add(what, "ms", go, ours);
  }

  private static double time(Map<String, Sample> times, String what, double quantile) {
    Sample sample = times.get(what);
    return sample == null ? Double.NaN : sample.percentile(quantile) / 1e6;
  }

  private String go() {
    return "go=%s:%s".formatted(GO, folder.resolve("go.conf"));
  }

  private String ours() {
    return "ours=%s:%s".formatted(home.resolve("cni"), folder.resolve("ours.conf"));
  }

  private void config(String name, String subnet, boolean masquerade) throws IOException {
    Files.writeString(
        folder.resolve(name + ".conf"),
        """
        {"cniVersion":"1.0.0","name":"%s","type":"bridge","bridge":"br-%s","isGateway":true,"ipMasq":%s,
         "ipam":{"type":"host-local","subnet":"%s","dataDir":"%s/leases"}}"""
            .formatted(name, name, masquerade, subnet, folder));
  }

  private ProcessBuilder command(List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("OCICAT_RUN_DIR", folder.resolve("run").toString());
    builder.environment().put("OCICAT_STATE_DIR", folder.resolve("state").toString());
    return builder;
  }

  private Process startDaemon() throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Process daemon =
        command(List.of(home.resolve("bin/ocicat").toString(), "daemon"))
            .redirectError(log.toFile())
            .start();
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!Files.exists(log) || !Files.readString(log).contains("serving")) {
      if (System.nanoTime() > deadline || !daemon.isAlive()) {
        throw new IOException("the daemon did not start: " + Files.readString(log));
      }
      Thread.sleep(10);
    }
    return daemon;
  }

  /** Runs cnicall in the host's namespace and sorts its lines by contender and verb. */
  private Map<String, Sample> call(String mode, int count, int rounds, String... contenders)
      throws Exception {
    Map<String, Sample> samples = new LinkedHashMap<>();
    for (String line : lines(mode, count, rounds, contenders)) {
      String[] words = line.split(" ", -1);
      samples
          .computeIfAbsent(words[0] + " " + words[1], Sample::new)
          .add((long) (Double.parseDouble(words[2]) * 1e6));
    }
    return samples;
  }

  private Map<String, Double> loop(int clients, int seconds) throws Exception {
    Map<String, Double> cycles = new LinkedHashMap<>();
    for (String line : lines("loop", clients, seconds, go(), ours())) {
      String[] words = line.split(" ", -1);
      cycles.put(words[0], Double.parseDouble(words[2]));
    }
    return cycles;
  }

  private List<String> lines(String mode, int count, int rounds, String... contenders)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "nsenter",
                "--net=/run/netns/" + HOST,
                cnicall.toString(),
                mode,
                Integer.toString(count),
                Integer.toString(rounds),
                HOST));
    command.addAll(List.of(contenders));
    Process process = command(command).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("cnicall %s: some calls failed, see above".formatted(mode));
    }
    return out.lines().toList();
  }

  private static long rss(Process daemon) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/%d/status".formatted(daemon.pid())))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("the daemon is gone");
  }
}
