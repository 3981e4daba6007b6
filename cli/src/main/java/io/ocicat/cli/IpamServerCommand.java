package io.ocicat.cli;

import io.ocicat.ip.IpAddress;
import io.ocicat.ipamserver.IpamServer;
import io.ocicat.ipamserver.KeyStoreFile;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ocicat ipam-server}: the reference server for the http-ipam plugin, in the foreground. */
@Command(
    name = "ipam-server",
    description = "Serve addresses to the ipam plugin over HTTP.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {"", "Example: ocicat ipam-server --config pools.json --token-file tokens"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:it could not serve",
      "2:the command line is invalid",
      "143:ended by SIGTERM"
    })
final class IpamServerCommand implements Callable<Integer> {
  private static final int MAX_PORT = 65_535;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS:PORT",
      defaultValue = "127.0.0.1:8090",
      description = "Where to listen (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "The pools, as JSON.")
  private Path config = Path.of("");

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      required = true,
      description = "The tokens that are accepted, one per line; read again when it changes.")
  private Path tokenFile = Path.of("");

  @Option(
      names = "--db",
      paramLabel = "FILE",
      defaultValue = "${env:OCICAT_STATE_DIR:-/var/lib/ocicat}/ipam.db",
      description =
          "The database (default: ipam.db in OCICAT_STATE_DIR, else /var/lib/ocicat/ipam.db).")
  private Path database = Path.of("");

  @ArgGroup(exclusive = false)
  private @Nullable Tls tls;

  /** Both or neither. */
  static final class Tls {
    @Option(
        names = "--tls-keystore",
        paramLabel = "FILE",
        required = true,
        description = "Key and certificate (PKCS#12), for HTTPS.")
    private Path keyStore = Path.of("");

    @Option(
        names = "--tls-password-file",
        paramLabel = "FILE",
        required = true,
        description = "The password of the key store.")
    private Path passwordFile = Path.of("");
  }

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress address = address();
    PrintWriter err = spec.commandLine().getErr();
    KeyStoreFile keys = tls == null ? null : new KeyStoreFile(tls.keyStore, tls.passwordFile);
    IpamServer server =
        IpamServer.start(
            new IpamServer.Settings(
                address, database, tokenFile, config, keys, InstantSource.system(), err::println));
    if (keys == null && !address.getAddress().isLoopbackAddress()) {
      err.println("the tokens can be read on the way: use --tls-keystore");
    }
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("ipam-server end")
                .unstarted(
                    () -> {
                      server.close();
                      ended.countDown();
                    }));
    spec.commandLine()
        .getOut()
        .println(
            "listening on %s://%s"
                .formatted(keys == null ? "http" : "https", text(server.address())));
    ended.await();
    return ExitCode.OK;
  }

  /** An address, never a name: this needs no name server. */
  private InetSocketAddress address() {
    int colon = listen.lastIndexOf(':');
    try {
      String host = listen.substring(0, Math.max(colon, 0));
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      int port = Integer.parseInt(listen.substring(colon + 1));
      if (port >= 0 && port <= MAX_PORT) {
        byte[] bytes = IpAddress.parse(host).toByteArray();
        return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
      }
    } catch (IllegalArgumentException | UnknownHostException _) {
      // Reported below.
    }
    throw new ParameterException(
        spec.commandLine(),
        "--listen must be an address and a port such as 127.0.0.1:8090 or [::1]:8090, not \"%s\""
            .formatted(listen));
  }

  private static String text(InetSocketAddress address) {
    IpAddress ip = IpAddress.ofBytes(address.getAddress().getAddress());
    return (ip.isV6() ? "[" + ip + "]" : ip) + ":" + address.getPort();
  }
}
