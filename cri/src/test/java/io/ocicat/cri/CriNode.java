package io.ocicat.cri;

import io.ocicat.image.ImageStore;
import io.ocicat.image.store.LocalImageStore;
import io.ocicat.image.store.StoreSettings;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.life.ConmonContainers;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A machine with a CRI server, all its files in a folder of the test. */
final class CriNode implements AutoCloseable {
  private static final String BRIDGE =
      """
      {"cniVersion":"1.0.0","name":"blue","plugins":[
        {"type":"bridge","bridge":"blue0","isGateway":true,"ipMasq":true,"hairpinMode":true,
         "ipam":{"type":"host-local","dataDir":"@folder@/leases","subnet":"10.65.0.0/24",
                 "routes":[{"dst":"0.0.0.0/0"}]}},
        {"type":"portmap","capabilities":{"portMappings":true},"snat":true}]}
      """;

  final TestNode machine;
  final ImageStore images;
  final Containers containers;
  final PodSandboxes sandboxes;
  final PodNetworks networks;
  final List<String> log = new CopyOnWriteArrayList<>();
  private final Path folder;
  private CriServer server;

  CriNode(Path folder, Host host) {
    this.folder = folder;
    machine = new TestNode(folder, host);
    machine.network("10-blue.conflist", BRIDGE);
    images = LocalImageStore.open(StoreSettings.usual(folder.resolve("images")));
    TestImages.load(images, folder, TestImages.BUSYBOX, "sh", "-c", "sleep 1000");
    containers =
        new ConmonContainers(
            ContainerSettings.usual(
                folder.resolve("containers"),
                folder.resolve("c"),
                Path.of("/usr/bin/conmon"),
                RuncInfra.find("runc", "/usr/sbin:/usr/bin").orElseThrow()),
            new SnapshotRoots(() -> images));
    networks = machine.networks();
    sandboxes = new PodSandboxes(machine.sandboxSettings(infra(folder)), networks, containers);
    containers.watch();
    server = serve();
  }

  private static RuncInfra infra(Path folder) {
    Path pause = folder.resolve("pause");
    Command.of(
            Path.of("../sandbox/src/main/c/build").toAbsolutePath().normalize().toString(),
            pause.toString())
        .limit(Duration.ofMinutes(2))
        .run();
    return new RuncInfra(
        RuncInfra.find("runc", "/usr/sbin:/usr/bin").orElseThrow(),
        pause,
        folder.resolve("run/runc"));
  }

  private CriServer serve() {
    return CriServer.start(
        new CriServer.Settings(
            socket(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false, "0.1.0"),
        new CriServer.Machine(sandboxes, networks, containers, images),
        log::add);
  }

  Path folder() {
    return folder;
  }

  Path socket() {
    return folder.resolve("cri/cri.sock");
  }

  /** A second server at the same place. */
  void serveAgain() {
    serve().close();
  }

  void restartServer() {
    server.close();
    server = serve();
  }

  @Override
  public void close() {
    try {
      server.close();
      sandboxes.list(SandboxFilter.ALL).forEach(pod -> sandboxes.remove(pod.id()));
      containers.close();
      images.close();
    } finally {
      machine.close();
    }
  }
}
