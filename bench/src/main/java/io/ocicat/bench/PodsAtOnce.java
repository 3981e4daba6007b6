package io.ocicat.bench;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Invocation;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.Plugins;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.network.ClusterPods;
import io.ocicat.sandbox.network.NetworkSettings;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures as many pods as a node has by default, all at once: up, then down. The same pod manager
 * calls three sets of plugins in turn, each on its own host: ours in this JVM, ours as executables
 * with a daemon, and Debian's, written in Go. Pods have no infra process, which would cost all of
 * them the same.
 *
 * <p>Usage: {@code PodsAtOnce <distribution> [rounds [pods]]}
 */
public final class PodsAtOnce {
  private static final String NETWORK =
      """
      {"cniVersion":"0.4.0","name":"bench","plugins":[
        {"type":"bridge","bridge":"bench0","isGateway":true,
         "ipam":{"type":"host-local","dataDir":"@folder@/leases","subnet":"10.65.0.0/22"}},
        {"type":"portmap","capabilities":{"portMappings":true}}]}
      """;
  private static final Path GO = Path.of("/usr/lib/cni");
  private static final int USUAL_PODS = 110;

  private PodsAtOnce() {}

  /** One of the three, with everything it keeps. */
  private static final class Contender {
    private final String name;
    private final PodSandboxes pods;
    private final Sample up;
    private final Sample down;
    private double upSeconds;
    private double downSeconds;

    private Contender(String name, PodSandboxes pods) {
      this.name = name;
      this.pods = pods;
      this.up = new Sample(name + " up");
      this.down = new Sample(name + " down");
    }
  }

  public static void main(String[] args) throws Exception {
    Path distribution = Path.of(args[0]).toAbsolutePath();
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    int count = args.length > 2 ? Integer.parseInt(args[2]) : USUAL_PODS;
    Path folder = Files.createTempDirectory("ocicat-bench-pods");
    try (NetNs host = NetNs.create()) {
      Process daemon = daemon(distribution, folder.resolve("daemon"), host);
      try {
        List<Contender> all =
            List.of(
                ours(folder.resolve("ours")),
                executed(
                    "ours by shim and daemon",
                    folder.resolve("daemon"),
                    distribution.resolve("cni"),
                    host),
                executed("Go", folder.resolve("go"), GO, host));
        round(all, Math.min(count, 10), -1);
        all.forEach(PodsAtOnce::forget);
        for (int i = 0; i < rounds; i++) {
          round(all, count, i);
        }
        print(all, rounds * count, daemon.pid());
      } finally {
        daemon.destroy();
        if (!daemon.waitFor(20, TimeUnit.SECONDS)) {
          daemon.destroyForcibly();
        }
        List<String> mounts =
            List.of("ours/run/netns", "daemon/run/netns", "go/run/netns", "ours/host");
        for (String mount : mounts) {
          Path directory = folder.resolve(mount);
          new ProcessBuilder("umount", "-R", "-l", directory.toString()).start().waitFor();
        }
        new ProcessBuilder("rm", "-rf", "--one-file-system", folder.toString()).start().waitFor();
      }
    }
  }

  private static Process daemon(Path distribution, Path folder, NetNs host) throws Exception {
    Files.createDirectories(folder);
    ProcessBuilder builder =
        new ProcessBuilder(distribution.resolve("bin/ocicat").toString(), "daemon")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("daemon.log").toFile());
    builder.environment().putAll(variables(folder));
    Process process = host.call(builder::start);
    for (int i = 0; i < 200 && Files.notExists(folder.resolve("ocicat-run/ocicatd.sock")); i++) {
      Thread.sleep(50);
    }
    return process;
  }

  private static Map<String, String> variables(Path folder) {
    return Map.of(
        "OCICAT_RUN_DIR", folder.resolve("ocicat-run").toString(),
        "OCICAT_STATE_DIR", folder.resolve("ocicat-state").toString());
  }

  /** In a namespace that lives as long as this process. */
  private static Contender ours(Path folder) throws IOException {
    NamedNetNs named = new NamedNetNs(folder.resolve("host"));
    named.create("host").close();
    Datastores datastores = new Datastores();
    Map<String, Plugin> plugins = new ConcurrentHashMap<>();
    PluginExec exec =
        new InProcessExec(
            file ->
                Optional.of(
                    plugins.computeIfAbsent(
                        file.getFileName().toString(),
                        name -> Plugins.named(name, datastores).orElseThrow())),
            new ProcessExec(),
            new Namespaces(named.pathOf("host"), Map.of()));
    return contender("ours in this JVM", folder, GO, exec);
  }

  private static Contender executed(String name, Path folder, Path plugins, NetNs host)
      throws IOException {
    return contender(name, folder, plugins, invocation -> inHost(host, invocation));
  }

  private static PluginReply inHost(NetNs host, Invocation invocation) {
    try {
      return host.call(() -> new ProcessExec().run(invocation));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CniException(ErrorCode.INTERNAL, "cannot execute a plugin", e);
    }
  }

  private static Contender contender(String name, Path folder, Path plugins, PluginExec exec)
      throws IOException {
    Path conf = Files.createDirectories(folder.resolve("net.d"));
    String bridge = "bench" + Math.abs(name.hashCode() % 1000);
    Files.writeString(
        conf.resolve("10-bench.conflist"),
        NETWORK.replace("@folder@", folder.toString()).replace("bench0", bridge));
    Path run = Files.createDirectories(folder.resolve("run"));
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(variables(folder));
    PodNetworks networks =
        new PodNetworks(
            NetworkSettings.usual(run)
                .at(conf, PluginPath.of(plugins), folder.resolve("cache"))
                .running(environment, exec, (_, _) -> {}));
    return new Contender(
        name,
        new PodSandboxes(
            SandboxSettings.usual(
                folder.resolve("state"), run, List.of(new NoInfra()), ClusterPods.NOBODY),
            networks));
  }

  /** They take turns at being first. */
  private static void round(List<Contender> all, int count, int number) throws Exception {
    for (int i = 0; i < all.size(); i++) {
      Contender contender = all.get(Math.floorMod(number + i, all.size()));
      List<Callable<String>> runs = new ArrayList<>();
      for (int pod = 0; pod < count; pod++) {
        PodConfig config = PodConfig.of(new PodMetadata("p" + pod, "bench", "u" + pod, 0)).build();
        runs.add(() -> contender.pods.run(config, ""));
      }
      long start = System.nanoTime();
      List<String> ids = atOnce(runs, contender.up);
      contender.upSeconds += (System.nanoTime() - start) / 1e9;
      List<Callable<String>> ends = new ArrayList<>();
      for (String id : ids) {
        ends.add(
            () -> {
              contender.pods.remove(id);
              return id;
            });
      }
      start = System.nanoTime();
      atOnce(ends, contender.down);
      contender.downSeconds += (System.nanoTime() - start) / 1e9;
    }
  }

  private static List<String> atOnce(List<Callable<String>> work, Sample times) throws Exception {
    List<Future<String>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (Callable<String> each : work) {
        all.add(
            threads.submit(
                () -> {
                  long start = System.nanoTime();
                  String result = each.call();
                  synchronized (times) {
                    times.add(System.nanoTime() - start);
                  }
                  return result;
                }));
      }
    }
    List<String> results = new ArrayList<>();
    for (Future<String> each : all) {
      results.add(each.get());
    }
    return results;
  }

  /** The first round only warms up. */
  private static void forget(Contender contender) {
    contender.up.clear();
    contender.down.clear();
    contender.upSeconds = 0;
    contender.downSeconds = 0;
  }

  private static void print(List<Contender> all, int pods, long daemon) throws IOException {
    Contender base = all.getLast();
    for (Contender contender : all) {
      System.out.println(contender.up.line(base.up));
      System.out.println(contender.down.line(base.down));
      System.out.printf(
          Locale.ROOT,
          "%-28s %.1f pods/s up, %.1f pods/s down%n",
          contender.name,
          pods / contender.upSeconds,
          pods / contender.downSeconds);
    }
    System.out.println(
        "memory: manager %s, daemon %s".formatted(memory("self"), memory(Long.toString(daemon))));
  }

  private static String memory(String process) throws IOException {
    return Files.readAllLines(Path.of("/proc", process, "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .map(line -> line.substring("VmRSS:".length()).strip())
        .findFirst()
        .orElse("?");
  }
}
