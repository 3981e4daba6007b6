package io.ocicat.cli.conformance;

import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.RequiredService;
import io.ocicat.ipamserver.IpamServer;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/**
 * Runs the reference IPAM server on the loopback of the host on which the http-ipam plugin is
 * checked.
 */
public final class ReferenceIpam implements RequiredService {
  private static final int PORT = 8090;

  private static final String POOLS =
      """
      {"cooldownSeconds": 0, "pools": [{"name": "conformance", "ranges": [{"subnet": "10.88.0.0/24"}]}]}
      """
          .strip();

  private static final String TOKEN = "a-token-for-conformance";

  @Override
  public Running start(NetNs host, Path directory) {
    try {
      IpamServer server =
          IpamServer.start(
              new IpamServer.Settings(
                  new InetSocketAddress(loopback(), PORT),
                  directory.resolve("ipam.db"),
                  Files.writeString(directory.resolve("tokens"), TOKEN),
                  Files.writeString(directory.resolve("pools.json"), POOLS),
                  null,
                  InstantSource.system(),
                  _ -> {}),
              host::visit);
      return server::close;
    } catch (IOException e) {
      throw new ConformanceException(
          "cannot write the files of an IPAM server: " + e.getMessage(), e);
    }
  }

  /** Of four bytes, because the plugin is configured with 127.0.0.1. */
  private static InetAddress loopback() throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  @Override
  public String command(Path directory) {
    return "cd %s && printf %%s '%s' >pools.json && printf %%s %s >tokens && exec %s"
        .formatted(
            directory,
            POOLS,
            TOKEN,
            "ocicat ipam-server --listen 127.0.0.1:%d --config pools.json --token-file tokens --db ipam.db"
                .formatted(PORT));
  }
}
