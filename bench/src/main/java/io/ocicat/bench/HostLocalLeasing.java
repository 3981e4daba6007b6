package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures host-local's ADD and DEL in a /16 that holds 10 leases and in one that holds 10,000:
 * ours in this JVM as a daemon would (one instance, warm), ours with a new instance per call (what
 * a process for one call does once it has started), and the Go plugin as a process. All take turns
 * in one run, each on its own directory. Fails when 10,000 leases cost the first more than 1.2 ×
 * what 10 cost.
 *
 * <p>Usage: {@code HostLocalLeasing [rounds [directory]]}
 */
public final class HostLocalLeasing {
  private static final String PLUGIN = "host-local";
  private static final String GO = "/usr/lib/cni/host-local";
  private static final int WARM_UP = 3000;
  private static final int FEW = 10;
  private static final int MANY = 10_000;
  private static final TargetFigure TARGET = TargetFigure.atMost(1.2, "×");

  private HostLocalLeasing() {}

  /** One way of running the plugin, with its directory. */
  private static final class Contender {
    private final Call call;
    private final String network;
    private final byte[] config;
    private final Sample add;
    private final Sample del;

    Contender(String name, Call call, Path dataDir, int leases) throws IOException {
      this.call = call;
      this.network = name.replaceAll("\\W+", "-") + "-" + leases;
      this.add = new Sample("%s, %d, ADD".formatted(name, leases));
      this.del = new Sample("%s, %d, DEL".formatted(name, leases));
      this.config =
          ("{\"cniVersion\":\"1.0.0\",\"name\":\"%s\",\"type\":\"bridge\",\"ipam\":{\"type\":\"%s\","
                  + "\"dataDir\":\"%s\",\"ranges\":[[{\"subnet\":\"10.1.0.0/16\"}]]}}")
              .formatted(network, PLUGIN, dataDir)
              .getBytes(UTF_8);
      fill(Files.createDirectories(dataDir.resolve(network)), leases);
    }

    /** From 10.1.0.2 on, as if they had been leased one after the other. */
    private static void fill(Path directory, int leases) throws IOException {
      String last = "";
      for (int i = 2; i < leases + 2; i++) {
        last = "10.1.%d.%d".formatted(i / 256, i % 256);
        Files.writeString(directory.resolve(last), "%064x\r\neth0".formatted(i));
      }
      Files.writeString(directory.resolve("last_reserved_ip.0"), last);
    }

    void round(int number, boolean measured) throws Exception {
      String id = "bench-" + number;
      long start = System.nanoTime();
      call.run("ADD", id, config);
      long added = System.nanoTime();
      call.run("DEL", id, config);
      long deleted = System.nanoTime();
      if (measured) {
        add.add(added - start);
        del.add(deleted - added);
      }
    }
  }

  /** How a plugin is called. */
  private interface Call {
    void run(String verb, String id, byte[] config) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    Path parent = Path.of(args.length > 1 ? args[1] : "/dev/shm");
    Path dataDir = Files.createTempDirectory(parent, "ocicat-bench-");
    try {
      run(rounds, dataDir);
    } finally {
      delete(dataDir);
    }
  }

  private static void run(int rounds, Path dataDir) throws Exception {
    Plugin resident = plugin();
    Call warm = (verb, id, config) -> ours(resident, verb, id, config);
    Call once = (verb, id, config) -> ours(plugin(), verb, id, config);
    List<Contender> ours =
        List.of(
            new Contender("ours", warm, dataDir, FEW), new Contender("ours", warm, dataDir, MANY));
    List<Contender> slow =
        List.of(
            new Contender("ours, new", once, dataDir, FEW),
            new Contender("ours, new", once, dataDir, MANY),
            new Contender("Go", HostLocalLeasing::go, dataDir, FEW),
            new Contender("Go", HostLocalLeasing::go, dataDir, MANY));
    for (int i = 0; i < WARM_UP + rounds; i++) {
      for (Contender contender : i % 2 == 0 ? ours : ours.reversed()) {
        contender.round(i, i >= WARM_UP);
      }
      // A Go process with many leases takes longer than all the rest together.
      if (i >= WARM_UP && i % 10 == 0) {
        for (Contender contender : slow) {
          contender.round(i, true);
        }
      }
    }
    List<Contender> all = Stream.concat(ours.stream(), slow.stream()).toList();
    all.forEach(contender -> IO.println(contender.add.line(ours.getFirst().add)));
    all.forEach(contender -> IO.println(contender.del.line(ours.getFirst().del)));
    judge("ADD", ours.getLast().add, ours.getFirst().add);
    judge("DEL", ours.getLast().del, ours.getFirst().del);
  }

  private static void judge(String verb, Sample many, Sample few) {
    double ratio = (double) many.percentile(0.5) / few.percentile(0.5);
    IO.println(
        "%s beside %,d leases against %d: %.2f ×, target %s: %s"
            .formatted(verb, MANY, FEW, ratio, TARGET.text(), TARGET.verdict(ratio)));
  }

  private static Plugin plugin() {
    return Plugins.named(PLUGIN, new Datastores()).orElseThrow();
  }

  private static Map<String, String> environment(String verb, String id) {
    return Map.of(
        "CNI_COMMAND",
        verb,
        "CNI_CONTAINERID",
        id,
        "CNI_IFNAME",
        "eth0",
        "CNI_NETNS",
        "/run/netns/not-looked-at",
        "CNI_PATH",
        "/usr/lib/cni");
  }

  private static void ours(Plugin plugin, String verb, String id, byte[] config) {
    PluginReply reply =
        Dispatcher.dispatch(plugin, PluginHost.process(), environment(verb, id), config);
    if (reply.exitCode() != 0) {
      throw new IllegalStateException(new String(reply.stdout(), UTF_8));
    }
  }

  private static void go(String verb, String id, byte[] config) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(GO)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment(verb, id));
    Process process = builder.start();
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(config);
    }
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the Go plugin failed on " + verb);
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (Stream<Path> tree = Files.walk(directory)) {
      tree.forEach(entries::add);
    }
    for (Path entry : entries.reversed()) {
      Files.delete(entry);
    }
  }
}
