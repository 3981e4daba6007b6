package io.ocicat.cli.cri;

import io.ocicat.cli.options.CniOptions;
import io.ocicat.cli.pod.ContainerChoice;
import io.ocicat.ip.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code ocicat cri}; without any it is what {@code ocicat node --cri} serves. */
public final class CriOptions {
  private static final int LAST_PORT = 65_535;

  /** Who makes cgroups. */
  enum Driver {
    cgroupfs,
    systemd
  }

  /** What runs containers. */
  enum OciRuntime {
    runc,
    crun
  }

  @Option(
      names = "--socket",
      paramLabel = "FILE",
      description = "Where to listen (default: cri.sock in OCICAT_RUN_DIR, else /run/ocicat).")
  private @Nullable Path socket;

  @Option(
      names = "--image-root",
      paramLabel = "DIR",
      description =
          "Where images are kept (default: images in OCICAT_STATE_DIR, else /var/lib/ocicat).")
  private @Nullable Path imageRoot;

  @Option(
      names = "--runtime",
      paramLabel = "NAME",
      defaultValue = "runc",
      description = "What runs containers: runc or crun (default: ${DEFAULT-VALUE}).")
  private OciRuntime runtime = OciRuntime.runc;

  @Option(
      names = "--cgroup-driver",
      paramLabel = "NAME",
      defaultValue = "cgroupfs",
      description =
          "Who makes cgroups: cgroupfs or systemd, as kubelet is configured; kubelet 1.31 and newer"
              + " ask (default: ${DEFAULT-VALUE}).")
  private Driver driver = Driver.cgroupfs;

  @Option(
      names = "--streaming-address",
      paramLabel = "ADDRESS:PORT",
      defaultValue = "127.0.0.1:0",
      description =
          "Where exec, attach and port-forward are served, on loopback; port 0 is any (default:"
              + " ${DEFAULT-VALUE}).")
  private String streaming = "127.0.0.1:0";

  @Mixin private CniOptions cni = new CniOptions();

  Path socket(Path runDirectory) {
    return socket != null ? socket : runDirectory.resolve("cri.sock");
  }

  ContainerChoice choice(Path stateDirectory) {
    return new ContainerChoice(
        imageRoot != null ? imageRoot : stateDirectory.resolve("images"),
        runtime.name(),
        systemd());
  }

  boolean systemd() {
    return driver == Driver.systemd;
  }

  String runtime() {
    return runtime.name();
  }

  String driver() {
    return driver.name();
  }

  CniOptions cni() {
    return cni;
  }

  /** Empty when it is not an address of loopback and a port. */
  Optional<InetSocketAddress> streaming() {
    int colon = streaming.lastIndexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    String host = streaming.substring(0, colon).replaceAll("^\\[(.*)]$", "$1");
    try {
      int port = Integer.parseInt(streaming.substring(colon + 1));
      InetAddress address = InetAddress.getByAddress(IpAddress.parse(host).toByteArray());
      return port >= 0 && port <= LAST_PORT && address.isLoopbackAddress()
          ? Optional.of(new InetSocketAddress(address, port))
          : Optional.empty();
    } catch (IllegalArgumentException | UnknownHostException _) {
      return Optional.empty();
    }
  }
}
