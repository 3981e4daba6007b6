package io.ocicat.agent.bird;

import io.ocicat.base.CrashPoints;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A reconciler of BIRD in a test's own namespace. BIRD itself ends with the namespace. */
final class TestBird implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(20);

  final BirdFiles files;
  final List<String> log = new CopyOnWriteArrayList<>();
  final NetNs namespace;
  final BirdReconciler reconciler;

  TestBird(Host host, Path folder) {
    this(host, folder, settings(CrashPoints.IGNORED));
  }

  TestBird(Host host, Path folder, BirdSettings settings) {
    this.files = new BirdFiles(folder);
    this.namespace = NetNs.open(host.path());
    this.reconciler = BirdReconciler.start(namespace, folder, settings, log::add);
  }

  /** Without waiting for peers to come, and with little patience for a BIRD that hangs. */
  static BirdSettings settings(CrashPoints crashPoints) {
    return new BirdSettings(
        "bird", Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ZERO, crashPoints);
  }

  /**
   * One node's configuration.
   *
   * @param address of this node and of its peer: 10.7.0.1 and 10.7.0.2, for instance
   * @param more further statements within the protocol
   */
  static String mesh(String address, String peer, int peerAs, String more, int routes) {
    StringBuilder text = new StringBuilder();
    text.append("router id ").append(address).append(";\n");
    text.append("protocol device { scan time 2; }\n");
    text.append("protocol direct direct1 { ipv4; interface \"*\"; }\n");
    text.append("protocol static static4 { ipv4;\n");
    String last = address.substring(address.lastIndexOf('.') + 1);
    for (int i = 0; i < routes; i++) {
      text.append("route 10.%s.%d.%d/32 blackhole;\n".formatted(last, i / 250, i % 250));
    }
    text.append("}\n");
    text.append(
        """
        protocol kernel kernel4 { learn; persist; graceful restart; scan time 2; metric 0;
          ipv4 { import all; export where source != RTS_DEVICE; }; }
        protocol bgp Mesh_%s {
          local %s as 64512; neighbor %s as %d; multihop; graceful restart on;
          connect delay time 1; connect retry time 1; error wait time 1, 2; %s
          ipv4 { import all; export where source = RTS_STATIC; gateway recursive; };
        }
        """
            .formatted(peer.replace('.', '_'), address, peer, peerAs, more));
    return text.toString();
  }

  static String mesh(String address, String peer) {
    return mesh(address, peer, 64512, "", 1);
  }

  TestBird want(String configuration) {
    reconciler.want(configuration);
    return this;
  }

  TestBird awaitRunning() {
    Eventually.await(
        "BIRD runs; log: " + log, LIMIT, () -> status().filter(BgpStatus::isRunning).isPresent());
    return this;
  }

  Optional<BgpStatus> status() {
    return reconciler.status();
  }

  List<BgpSession> sessions() {
    return status().map(BgpStatus::sessions).orElse(List.of());
  }

  /** The only session, once BIRD has told about it. */
  BgpSession session() {
    return sessions().getFirst();
  }

  /** 0 while there is none. */
  long pid() {
    return new BirdProcess(files, namespace, "bird").pidInFile().orElse(0);
  }

  BirdControl connect() {
    return BirdControl.connect(files.socket(), Duration.ofSeconds(5));
  }

  @Override
  public void close() {
    reconciler.close();
    namespace.close();
  }
}
