package io.ocicat.cli;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.OurExecutables;
import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.wire.Answer;
import io.ocicat.daemon.wire.Caller;
import io.ocicat.daemon.wire.Place;
import io.ocicat.daemon.wire.Request;
import io.ocicat.netlink.linux.Fd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A daemon that serves some calls in a training run, so that the AOT cache knows what it needs. The
 * calls lease an address, which changes nothing but files in a directory of its own. Whoever is not
 * root trains it to send callers away, which is better than nothing.
 */
final class DaemonTraining {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NETNS = "/proc/self/ns/net";
  private static final int ROUNDS = 20;

  private DaemonTraining() {}

  static void run() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("ocicat-training-");
    try {
      Folders folders = new Folders(directory.resolve("run"), directory.resolve("state"));
      CallLog log = new CallLog(System.err::println, new CallHistory());
      try (Daemon daemon =
          Daemon.listen(
              new State(folders, BootId.current()),
              folders,
              OurExecutables.fromDistribution(),
              Optional.empty(),
              false,
              log,
              Clock.systemUTC())) {
        Thread serving = Thread.ofPlatform().start(() -> serve(daemon));
        for (int i = 0; i < ROUNDS; i++) {
          for (String verb : List.of("VERSION", "STATUS", "ADD", "CHECK", "DEL")) {
            call(folders.socket(), verb, directory.resolve("leases"));
          }
        }
        daemon.stop();
        serving.join();
      }
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(path);
        }
      }
    }
  }

  private static void serve(Daemon daemon) {
    try {
      daemon.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void call(Path socket, String verb, Path leases) {
    String conf =
        """
        {"cniVersion":"1.1.0","name":"training","type":"bridge",
         "ipam":{"type":"host-local","dataDir":"%s","ranges":[[{"subnet":"10.86.0.0/24"}]]},
         "prevResult":{"cniVersion":"1.1.0","ips":[]}}
        """
            .formatted(leases);
    try (Request request =
        new Request(
            "host-local",
            Map.of(
                CniEnvironment.COMMAND, verb,
                CniEnvironment.CONTAINER_ID, "training",
                CniEnvironment.IFNAME, "eth0",
                CniEnvironment.NETNS, NETNS,
                CniEnvironment.NETNS_OVERRIDE, "1",
                CniEnvironment.PATH, "/nowhere"),
            conf.getBytes(StandardCharsets.UTF_8),
            LIMIT,
            System.nanoTime(),
            Place.own(),
            Optional.of(Fd.open(Path.of(NETNS), Fd.O_RDONLY, 0)),
            Optional.of(Fd.open(Path.of(NETNS), Fd.O_RDONLY, 0)))) {
      Answer answer = new Caller(socket, LIMIT).ask(request);
      if (answer instanceof Answer.Done done && done.reply().exitCode() != 0) {
        throw new IllegalStateException(
            "the daemon failed at %s: %s"
                .formatted(verb, new String(done.reply().stdout(), StandardCharsets.UTF_8)));
      }
    }
  }
}
