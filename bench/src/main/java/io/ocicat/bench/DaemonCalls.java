package io.ocicat.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Measures bridge with host-local as a runtime calls it: Debian's Go plugins against ours, with a
 * running daemon and without one. The contenders take turns, in namespaces of this run. Covers
 * every target of the design that concerns calls, and the other targets of the daemon.
 *
 * <p>Usage: {@code DaemonCalls <directory of the C programs> <distribution> [quick]}
 */
public final class DaemonCalls {
  private static final int PODS = 100;
  private static final int ATTACHED = 500;
  private static final int CLIENTS = 16;
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** Until code that runs only now and then is compiled. */
  private static final Duration SETTLING = Duration.ofSeconds(30);

  private static final TargetFigure MEMORY = TargetFigure.atMost(90, "MiB");

  private final Path tools;
  private final Path home;
  private final BenchHost benchHost;
  private final boolean quick;
  private final ResultTable table = new ResultTable();

  private DaemonCalls(Path tools, Path home, BenchHost benchHost, boolean quick) {
    this.tools = tools;
    this.home = home;
    this.benchHost = benchHost;
    this.quick = quick;
  }

  public static void main(String[] args) throws Exception {
    Path tools = Path.of(args[0]).toAbsolutePath();
    Path home = Path.of(args[1]).toRealPath();
    boolean quick = args.length > 2 && args[2].equals("quick");
    try (BenchHost benchHost =
        BenchHost.create(tools.resolve("cnicall"), home, "ocicat-bench", PODS)) {
      new DaemonCalls(tools, home, benchHost, quick).run();
    }
  }

  private void run() throws Exception {
    configure(false);
    double add;
    try (OwnDaemon daemon = OwnDaemon.start(benchHost)) {
      add = oneAtATime();
      masqueraded();
      atOnce();
      loops(daemon);
    }
    observation(add);
    beginAgain();
    ColdCalls cold = new ColdCalls(benchHost, home, table, quick);
    cold.afterStart(go(), ours());
    withoutDaemon();
    cold.withoutDaemon();
    shimAlone();
    int many = quick ? 1_000 : 10_000;
    ManyAttachments.Slowdown slowdown =
        new ManyAttachments(tools.resolve("cnicall"), home).slowdown(many, quick ? 20 : 100);
    table.add(
        "ADD beside %,d attachments against 10 (ptp)".formatted(many),
        slowdown.ratio(),
        "×",
        TargetFigure.atMost(1.2, "×"));
    table.compare(
        "  what an ADD takes longer there",
        slowdown.goMillis(),
        slowdown.oursMillis(),
        "ms",
        TargetFigure.NONE);
    table.print();
    Path plot = tools.resolve("daemon.svg");
    Files.writeString(plot, table.svg());
    IO.println("drawn in " + plot);
  }

  /** Returns the median of our ADDs, in milliseconds. */
  private double oneAtATime() throws Exception {
    benchHost.call("each", 1, quick ? 200 : 1000, ours());
    Map<String, Sample> each = benchHost.call("each", 1, quick ? 100 : 500, floor(), go(), ours());
    row("ADD one at a time, p50", each, "add", 0.5, TargetFigure.atMost(0.2, "×"));
    row("ADD one at a time, p99", each, "add", 0.99, TargetFigure.atMost(0.25, "×"));
    // Go waits for the kernel's own 22 of its 24 ms: 1.1 times those are its 24.
    row("DEL one at a time, p50", each, "del", 0.5, TargetFigure.atMost(1.01, "×"));
    return millis(each, "ours add", 0.5);
  }

  private void masqueraded() throws Exception {
    configure(true);
    benchHost.call("each", 1, quick ? 50 : 200, ours());
    Map<String, Sample> masked = benchHost.call("each", 1, quick ? 50 : 200, go(), ours());
    row("ADD one at a time with ipMasq, p50", masked, "add", 0.5, TargetFigure.NONE);
    row("DEL one at a time with ipMasq, p50", masked, "del", 0.5, TargetFigure.NONE);
    configure(false);
  }

  private void atOnce() throws Exception {
    Map<String, Sample> deletions =
        benchHost.call("burst", 32, quick ? 3 : 10, floor(), go(), ours());
    row("32 DELs at once, wall, p50", deletions, "del", 0.5, TargetFigure.atMost(0.25, "×"));
    Map<String, Sample> burst = benchHost.call("burst", PODS, quick ? 2 : 5, floor(), go(), ours());
    row("100 ADDs at once, wall, p50", burst, "add", 0.5, TargetFigure.atMost(0.2, "×"));
  }

  private void loops(OwnDaemon daemon) throws Exception {
    int seconds = quick ? 5 : 60;
    Map<String, Double> cycles = benchHost.loop(CLIENTS, seconds, floor(), go(), ours());
    table.compare(
        "ADD+DEL cycles, 16 clients, no error",
        cycles.getOrDefault("floor", 0.0),
        cycles.getOrDefault("go", 0.0),
        cycles.getOrDefault("ours", 0.0),
        "/s",
        TargetFigure.atLeast(5, "×"));
    double before = daemon.residentMib();
    // 100,000 cycles at the pace of the loop before; a few seconds of it say little.
    int longer = quick ? seconds : (int) (100_000 / cycles.getOrDefault("ours", 100.0));
    double made = longer * benchHost.loop(CLIENTS, longer, ours()).getOrDefault("ours", 0.0);
    table.add(
        "memory, growth in %,.0f cycles per 100,000".formatted(made),
        (daemon.residentMib() - before) / made * 100_000,
        "MiB",
        TargetFigure.atMost(1, "MiB"));
    table.add("memory after all this", daemon.residentMib(), "MiB", TargetFigure.NONE);
  }

  private void observation(double add) {
    table.add(
        "traces, metrics, log: share of ADD's p50",
        100 * ObservationCost.millis() / add,
        "%",
        TargetFigure.atMost(3, "%"));
  }

  /** A daemon that finds 500 attachments when it starts: how soon it serves, how large it is. */
  private void beginAgain() throws Exception {
    try (OwnDaemon _ = OwnDaemon.start(benchHost)) {
      benchHost.call("many", ATTACHED, 1, ours());
    }
    long start = System.nanoTime();
    try (OwnDaemon daemon = OwnDaemon.start(benchHost)) {
      benchHost.call("each", 1, 1, ours());
      long served = System.nanoTime() - start;
      table.add(
          "start to first ADD, 500 attachments there",
          served / 1e6,
          "ms",
          TargetFigure.atMost(500, "ms"));
      table.add("memory with 500 attachments", daemon.residentMib(), "MiB", MEMORY);
      Map<String, Sample> beside =
          benchHost.call("each", 1, quick ? 30 : 100, goOnOurBridge(), ours());
      row("ADD as port 501 of one bridge, p50", beside, "add", 0.5, TargetFigure.NONE);
      Thread.sleep(SETTLING);
      long cpu = daemon.cpuTime().toMillis();
      Thread.sleep(IDLE);
      table.add(
          "CPU of an idle daemon",
          100.0 * (daemon.cpuTime().toMillis() - cpu) / IDLE.toMillis(),
          "%",
          TargetFigure.atMost(0.1, "%"));
      benchHost.call("unmany", ATTACHED, 1, ours());
    }
  }

  private void withoutDaemon() throws Exception {
    Map<String, Sample> alone = benchHost.call("each", 1, quick ? 5 : 20, go(), ours());
    table.add(
        "no daemon: ADD in a JVM of its own, p50",
        millis(alone, "ours add", 0.5),
        "ms",
        TargetFigure.atMost(250, "ms"));
  }

  /** From exec to exit, by a daemon that replies at once. */
  private void shimAlone() throws IOException, InterruptedException {
    Path socket = benchHost.folder().resolve("run/ocicatd.sock");
    Files.deleteIfExists(socket);
    Process yes = benchHost.command(tools.resolve("yes").toString(), socket.toString()).start();
    try {
      for (int i = 0; i < 1000 && !Files.exists(socket); i++) {
        Thread.sleep(1);
      }
      Map<String, Sample> times = benchHost.call("each", 1, quick ? 200 : 1000, ours());
      table.add(
          "shim from exec to exit, p50",
          millis(times, "ours add", 0.5),
          "ms",
          TargetFigure.atMost(0.5, "ms"));
    } finally {
      yes.destroy();
    }
  }

  private void row(
      String what, Map<String, Sample> times, String verb, double quantile, TargetFigure target) {
    double go = millis(times, "go " + verb, quantile);
    double ours = millis(times, "ours " + verb, quantile);
    if (times.containsKey("floor " + verb)) {
      table.compare(what, millis(times, "floor " + verb, quantile), go, ours, "ms", target);
    } else {
      table.compare(what, go, ours, "ms", target);
    }
  }

  private static double millis(Map<String, Sample> times, String what, double quantile) {
    Sample sample = times.get(what);
    return sample == null ? Double.NaN : sample.percentile(quantile) / 1e6;
  }

  /** A program that makes only the necessary kernel requests: floor.c. */
  private String floor() {
    return benchHost.contender("floor", tools.toString(), "ours", "floor");
  }

  private String go() {
    return benchHost.contender("go", BenchHost.GO, "go", "bridge");
  }

  /** The same on the bridge where our attachments are. */
  private String goOnOurBridge() {
    return benchHost.contender("go", BenchHost.GO, "beside", "bridge");
  }

  private String ours() {
    return benchHost.contender("ours", home.resolve("cni").toString(), "ours", "bridge");
  }

  private void configure(boolean masquerade) throws IOException {
    configure("go", "go", "10.78.0.0/16", "", masquerade);
    configure("ours", "ours", "10.79.0.0/16", "", masquerade);
    // Addresses of the same subnet, because a bridge has one; they are leased separately from ours.
    configure("beside", "ours", "10.79.0.0/16", ",\"rangeStart\":\"10.79.128.1\"", masquerade);
  }

  private void configure(
      String name, String bridge, String subnet, String range, boolean masquerade)
      throws IOException {
    benchHost.config(
        name,
        """
        {"cniVersion":"1.0.0","name":"%s","type":"bridge","bridge":"br-%s","isGateway":true,"ipMasq":%s,
         "ipam":{"type":"host-local","subnet":"%s"%s,"dataDir":"%s/leases"}}\
        """
            .formatted(name, bridge, masquerade, subnet, range, benchHost.folder()));
  }
}
