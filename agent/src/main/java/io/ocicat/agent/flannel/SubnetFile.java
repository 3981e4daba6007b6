package io.ocicat.agent.flannel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.file.WholeFile;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;

/**
 * The file {@code subnet.env}, by which the flannel plugin knows the node's subnets. Replaced as a
 * whole, and only when its content changes.
 */
record SubnetFile(Path path) {
  private static final int MAX_BYTES = 64 << 10;

  /** The content, byte for byte as flanneld writes it. */
  static String content(NetConf conf, LeaseSubnets own, int mtu, boolean masquerade) {
    StringBuilder text = new StringBuilder();
    for (IpFamily family : conf.enabled()) {
      String name = family == IpFamily.V4 ? "FLANNEL_" : "FLANNEL_IPV6_";
      IpPrefix subnet = own.of(family).orElseThrow();
      text.append(name).append("NETWORK=").append(conf.network(family).orElseThrow()).append('\n');
      text.append(name)
          .append("SUBNET=")
          .append(IpPrefix.of(subnet.first().next(), subnet.length()))
          .append('\n');
    }
    return text.append("FLANNEL_MTU=")
        .append(mtu)
        .append("\nFLANNEL_IPMASQ=")
        .append(masquerade)
        .append('\n')
        .toString();
  }

  /**
   * Makes the file have this content.
   *
   * @throws FlannelException when that fails
   */
  void write(String text) {
    byte[] content = text.getBytes(UTF_8);
    try {
      if (has(content)) {
        return;
      }
      Path folder = path.toAbsolutePath().getParent();
      if (folder != null && !Files.isDirectory(folder)) {
        Files.createDirectories(folder);
        // Whatever the process's umask is: plugins of other users read the file.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      WholeFile.at(path).mode("rw-r--r--").durable().write(content);
    } catch (IOException e) {
      throw new FlannelException("%s cannot be written: %s".formatted(path, e), e);
    }
  }

  /** What somebody did to the file that had this content. */
  Optional<String> damage(String text) {
    if (has(text.getBytes(UTF_8))) {
      return Optional.empty();
    }
    return Optional.of(Files.exists(path) ? "changed" : "removed");
  }

  private boolean has(byte[] content) {
    try {
      return Arrays.equals(RegularFile.read(path, MAX_BYTES), content);
    } catch (IOException _) {
      return false;
    }
  }

  /** The subnets that an earlier start has written; bad lines count as none. */
  Optional<LeaseSubnets> previous() {
    String text;
    try {
      text = new String(RegularFile.read(path, MAX_BYTES), UTF_8);
    } catch (IOException _) {
      return Optional.empty();
    }
    IpPrefix v4 = subnet(text, "FLANNEL_SUBNET=").filter(IpPrefix::isV4).orElse(null);
    IpPrefix v6 = subnet(text, "FLANNEL_IPV6_SUBNET=").filter(IpPrefix::isV6).orElse(null);
    return v4 == null && v6 == null ? Optional.empty() : Optional.of(new LeaseSubnets(v4, v6));
  }

  private static Optional<IpPrefix> subnet(String text, String key) {
    return text.lines()
        .filter(line -> line.startsWith(key))
        .reduce((_, last) -> last)
        .flatMap(line -> IpPrefix.tryParse(line.substring(key.length())))
        .map(IpPrefix::network);
  }
}
