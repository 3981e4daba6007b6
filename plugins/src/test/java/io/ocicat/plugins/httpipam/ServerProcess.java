package io.ocicat.plugins.httpipam;

import io.ocicat.cni.CniJson;
import io.ocicat.ipamserver.IpamServer;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The reference server in a separate process, which can be killed without warning and may be in
 * another network namespace: a server in this JVM that was started in one would leave carrier
 * threads behind there.
 */
final class ServerProcess implements AutoCloseable {
  private static final Duration STARTED_WITHIN = Duration.ofSeconds(60);

  private final Path directory;
  private final Function<List<String>, Command> command;
  private Background process;
  private int port;

  private ServerProcess(Path directory, Function<List<String>, Command> command)
      throws IOException {
    this.directory = directory;
    this.command = command;
    Files.writeString(directory.resolve("pools.json"), RunningServer.POOLS);
    Files.writeString(directory.resolve("tokens"), RunningServer.TOKEN);
    this.process = start();
  }

  static ServerProcess on(Host host, Path directory) throws IOException {
    return new ServerProcess(directory, argv -> host.command(argv.toArray(String[]::new)));
  }

  static ServerProcess onLoopback(Path directory) throws IOException {
    return new ServerProcess(directory, Command::of);
  }

  /** In the other process: serves until it is killed. */
  static void main(String[] args) throws InterruptedException {
    Path directory = Path.of(args[0]);
    IpamServer server =
        IpamServer.start(
            new IpamServer.Settings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1])),
                directory.resolve("ipam.db"),
                directory.resolve("tokens"),
                directory.resolve("pools.json"),
                null,
                InstantSource.system(),
                _ -> {}));
    System.out.println(server.address().getPort());
    Thread.sleep(Duration.ofMinutes(10));
  }

  private Background start() {
    Background started =
        command
            .apply(
                List.of(
                    System.getProperty("java.home") + "/bin/java",
                    "--enable-native-access=ALL-UNNAMED",
                    // When it is killed, the files that it unpacks stay there.
                    "-Dorg.sqlite.tmpdir=" + directory,
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ServerProcess.class.getName(),
                    directory.toString(),
                    Integer.toString(port)))
            .start();
    String line =
        Eventually.value(
            "the server to listen",
            STARTED_WITHIN,
            () -> Optional.of(started.stdout()).filter(text -> text.endsWith("\n")));
    port = Integer.parseInt(line.strip());
    return started;
  }

  /** SIGKILL: nothing is closed, nothing is finished. */
  void kill() {
    process.close();
  }

  /** On the same port. */
  void restart() {
    process = start();
  }

  /** The addresses that it reports as allocated. */
  List<String> allocated() {
    String answer =
        command
            .apply(
                List.of(
                    "curl",
                    "-s",
                    "-H",
                    "Authorization: Bearer " + RunningServer.TOKEN,
                    url() + "/v1/allocations"))
            .run()
            .stdout();
    List<String> addresses = new ArrayList<>();
    for (JsonNode item : CniJson.parse(answer).path("items")) {
      addresses.add(item.at("/addresses/0/address").asString());
    }
    return addresses;
  }

  ObjectNode config() {
    return RunningServer.config(url());
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.close();
  }
}
