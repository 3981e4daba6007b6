package io.ocicat.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * Measures how much longer an ADD takes with many attachments than with ten. Uses ptp, because a
 * bridge has at most 1,023 ports. The many share some namespaces; those of the measured ADDs have
 * nothing else in them.
 */
final class ManyAttachments {
  private static final String HOST = "ocicat-crowd";
  private static final int FEW = 10;
  private static final int PODS = 66;

  private final Path cnicall;
  private final Path home;

  ManyAttachments(Path cnicall, Path home) {
    this.cnicall = cnicall;
    this.home = home;
  }

  /**
   * How much longer an ADD takes.
   *
   * @param ratio ours with many, as a multiple of ours with ten
   * @param goMillis how much longer Go's takes with as many: that is the kernel's share
   */
  record Slowdown(double ratio, double goMillis, double oursMillis) {}

  Slowdown slowdown(int many, int rounds) throws IOException, InterruptedException {
    try (BenchHost benchHost = BenchHost.create(cnicall, home, HOST, PODS)) {
      String go = contender(benchHost, "go", BenchHost.GO, "10.64.0.0/12");
      String ours = contender(benchHost, "ours", home.resolve("cni").toString(), "10.80.0.0/12");
      // Never detached one by one: all go with the namespaces.
      try (OwnDaemon _ = OwnDaemon.start(benchHost)) {
        benchHost.call("each", 2, 10 * rounds, ours);
        benchHost.call("crowd", FEW, 0, ours);
        Map<String, Sample> few = benchHost.call("each", 2, rounds, go, ours);
        benchHost.call("crowd", many, FEW, ours);
        Map<String, Sample> beside = benchHost.call("each", 2, rounds, go, ours);
        return new Slowdown(
            addMillis(beside, "ours") / addMillis(few, "ours"),
            addMillis(beside, "go") - addMillis(few, "go"),
            addMillis(beside, "ours") - addMillis(few, "ours"));
      }
    }
  }

  private static String contender(BenchHost benchHost, String name, String plugins, String subnet)
      throws IOException {
    benchHost.config(
        name,
        """
        {"cniVersion":"1.0.0","name":"crowd-%s","type":"ptp",
         "ipam":{"type":"host-local","subnet":"%s","dataDir":"%s/leases"}}\
        """
            .formatted(name, subnet, benchHost.folder()));
    return benchHost.contender(name, plugins, name, "ptp");
  }

  private static double addMillis(Map<String, Sample> calls, String who) {
    return Objects.requireNonNull(calls.get(who + " add"), "nobody called ADD").percentile(0.5)
        / 1e6;
  }
}
