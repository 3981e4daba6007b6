package io.ocicat.cli.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cli.DaemonCommand;
import io.ocicat.cli.Ocicat;
import io.ocicat.cli.terminal.ErrorReporter;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.start.NetworkCalls;
import io.ocicat.daemon.state.StateFolders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Trains the daemon's AOT cache: runs {@code ocicat daemon} and makes calls of every plugin on
 * every datastore, and the agent where there are servers of those, while the JVM records the
 * classes they need. The servers of the datastores run in a separate process, so that the cache
 * does not get their classes. Without the right to create namespaces it trains what needs none.
 *
 * <p>Usage: {@code DaemonTraining <folder> <container's namespace or ""> [<command that starts the
 * servers…>]}; the folder has networks in {@code net.d} and {@code calico.d}.
 */
public final class DaemonTraining {
  private static final Duration STARTING = Duration.ofSeconds(60);
  private static final String OWN_NETNS = "/proc/self/ns/net";

  /** The second finds what the first has left: blocks, bridges, connections. */
  private static final int ROUNDS = 3;

  private DaemonTraining() {}

  public static void main(String[] args) throws Exception {
    Thread.ofPlatform().daemon().name("serving").start(DaemonTraining::serve);
    StateFolders folders = StateFolders.of(System.getenv());
    await(folders.socket());
    NetworkCalls calls = new NetworkCalls(folders.socket(), Path.of(OWN_NETNS), System.getenv());
    List<ObjectNode> networks = networks(Path.of(args[0]));
    if (args[1].isEmpty()) {
      for (int i = 0; i < ROUNDS; i++) {
        calls.callAll(named(networks, "leases"), OWN_NETNS, "eth0");
      }
      System.exit(0);
    }
    // The loopback device of this namespace is not set up yet, and the servers are reached through
    // it.
    calls.attachOnly(named(networks, "loopback"), OWN_NETNS, "lo");
    if (args.length == 2) {
      attachAll(networks, Map.of(), calls, args[1]);
      System.exit(0);
    }
    Process servers =
        new ProcessBuilder(List.of(args).subList(2, args.length))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      Map<String, String> served = served(servers.inputReader(UTF_8));
      attachAll(networks, served, calls, args[1]);
      AgentTraining.run(served, Path.of(args[0]));
    } finally {
      // They end with their standard input.
      servers.getOutputStream().close();
      servers.waitFor();
    }
    System.exit(0);
  }

  private static void attachAll(
      List<ObjectNode> networks, Map<String, String> served, NetworkCalls calls, String netns) {
    for (int i = 0; i < ROUNDS; i++) {
      for (ObjectNode network : networks) {
        String ifname = network.path("name").asString().equals("loopback") ? "lo" : "eth0";
        TrainingDatastore.in(network, served)
            .ifPresent(prepared -> calls.callAll(prepared, netns, ifname));
      }
    }
  }

  private static void serve() {
    Ocicat.run(
        new DaemonCommand(), new ErrorReporter(new PrintWriter(System.err, true, UTF_8), true));
  }

  private static void await(Path socket) throws InterruptedException {
    long deadline = System.nanoTime() + STARTING.toNanos();
    while (!Files.exists(socket)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the daemon did not start");
      }
      Thread.sleep(10);
    }
  }

  /**
   * The addresses that the servers print: {@code etcd http://127.0.0.1:2379}, then {@code ready}.
   */
  private static Map<String, String> served(BufferedReader said) throws IOException {
    Map<String, String> served = new HashMap<>();
    String line = said.readLine();
    while (line != null && !line.equals("ready")) {
      String[] words = line.split(" ", 2);
      served.put(words[0], words[1]);
      line = said.readLine();
    }
    if (line == null) {
      throw new IllegalStateException("the servers of the datastores did not start");
    }
    return served;
  }

  private static List<ObjectNode> networks(Path folder) throws IOException {
    try (Stream<Path> plain = Files.list(folder.resolve("net.d"));
        Stream<Path> calico = Files.list(folder.resolve("calico.d"))) {
      return Stream.concat(plain.sorted(), calico.sorted()).map(DaemonTraining::read).toList();
    }
  }

  private static ObjectNode read(Path file) {
    try {
      return (ObjectNode) CniJson.parse(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode named(List<ObjectNode> networks, String name) {
    return networks.stream()
        .filter(network -> network.path("name").asString().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
