package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.ns.NamedNetNs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures ADD and DEL of bridge with host-local and ipMasq, each as a process, without a daemon:
 * the Go plugins, and the distribution's executables, which start a JVM for the call. Both take
 * turns in one run, each with its own host and container. Fails when our ADD takes longer than its
 * target on an idle machine; the time of {@code nsenter}, which brings the process into its host,
 * is part of both.
 *
 * <p>Usage: {@code OneShotCalls <directory of our executables> [rounds]}
 */
public final class OneShotCalls {
  private static final Path GO = Path.of("/usr/lib/cni");
  private static final int WARM_UP = 3;
  private static final long ALLOWED_MILLIS = 250;

  private OneShotCalls() {}

  /** One set of plugins, with its own host. */
  private static final class Contender implements AutoCloseable {
    private final NamedNetNs namespaces = NamedNetNs.standard();
    private final Path executables;
    private final String host;
    private final String container;
    private final Path dataDir;
    private final Sample add;
    private final Sample del;

    Contender(String name, Path executables) throws IOException {
      this.executables = executables;
      this.add = new Sample(name + ", ADD");
      this.del = new Sample(name + ", DEL");
      this.host = "bench-%d-%s-host".formatted(ProcessHandle.current().pid(), name);
      this.container = "bench-%d-%s-pod".formatted(ProcessHandle.current().pid(), name);
      this.dataDir = Files.createTempDirectory("ocicat-bench-");
      namespaces.create(host).close();
      namespaces.create(container).close();
    }

    void round(boolean measured) throws Exception {
      long start = System.nanoTime();
      call("ADD");
      long added = System.nanoTime();
      call("DEL");
      long deleted = System.nanoTime();
      if (measured) {
        add.add(added - start);
        del.add(deleted - added);
      }
    }

    private void call(String verb) throws Exception {
      ProcessBuilder builder =
          new ProcessBuilder(
                  "nsenter",
                  "--net=" + namespaces.pathOf(host),
                  executables.resolve("bridge").toString())
              .redirectErrorStream(true);
      builder.environment().put("CNI_COMMAND", verb);
      builder.environment().put("CNI_CONTAINERID", container);
      builder.environment().put("CNI_IFNAME", "eth0");
      builder.environment().put("CNI_NETNS", namespaces.pathOf(container).toString());
      builder.environment().put("CNI_PATH", executables.toString());
      builder.environment().put("OCICAT_RUN_DIR", dataDir.resolve("no-daemon").toString());
      Process process = builder.start();
      try (OutputStream stdin = process.getOutputStream()) {
        stdin.write(config());
      }
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(verb + " failed: " + said);
      }
    }

    private byte[] config() {
      return """
      { "cniVersion": "1.0.0", "name": "bench", "type": "bridge", "bridge": "bench0",
        "isGateway": true, "ipMasq": true,
        "ipam": { "type": "host-local", "dataDir": "%s", "ranges": [[{ "subnet": "10.88.0.0/16" }]],
                  "routes": [{ "dst": "0.0.0.0/0" }] } }
      """
          .formatted(dataDir)
          .getBytes(UTF_8);
    }

    @Override
    public void close() throws IOException {
      namespaces.remove(container);
      namespaces.remove(host);
      try (Stream<Path> tree = Files.walk(dataDir)) {
        for (Path entry : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 50;
    try (Contender go = new Contender("Go", GO);
        Contender ours = new Contender("ours", Path.of(args[0]).toRealPath())) {
      for (int i = 0; i < WARM_UP + rounds; i++) {
        for (Contender contender : i % 2 == 0 ? List.of(go, ours) : List.of(ours, go)) {
          contender.round(i >= WARM_UP);
        }
      }
      IO.println(go.add.line(go.add));
      IO.println(ours.add.line(go.add));
      IO.println(go.del.line(go.del));
      IO.println(ours.del.line(go.del));
      require(ours.add);
    }
  }

  private static void require(Sample add) {
    long millis = add.percentile(0.5) / 1_000_000;
    if (millis > ALLOWED_MILLIS) {
      throw new IllegalStateException(
          "ADD took %d ms, allowed are %d".formatted(millis, ALLOWED_MILLIS));
    }
  }
}
