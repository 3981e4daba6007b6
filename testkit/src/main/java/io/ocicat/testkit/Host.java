package io.ocicat.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * A simulated machine for a test: a network namespace with nothing but a loopback that is up.
 *
 * <p>Everything is done by processes ({@code ip}, {@code nsenter}), so that the effects of the
 * product's own netlink code are checked independently. Closing kills what still runs inside and
 * removes the namespace; so does the end of the JVM; the next JVM cleans up after a killed one.
 * Thread-safe.
 */
public final class Host implements AutoCloseable {

  private final String name;
  private final AtomicInteger wires = new AtomicInteger();
  private final ConcurrentLinkedDeque<Background> started = new ConcurrentLinkedDeque<>();
  private final Thread removal;

  private Host(String name) {
    this.name = name;
    this.removal = new Thread(this::remove, "remove " + name);
  }

  public static Host open() {
    Host host = new Host(HostName.next().toString());
    Runtime.getRuntime().addShutdownHook(host.removal);
    try {
      Namespace.create(host.name);
      host.exec("ip", "link", "set", "lo", "up");
      return host;
    } catch (RuntimeException e) {
      host.close();
      throw e;
    }
  }

  /** Its name in {@code ip netns}. */
  public String name() {
    return name;
  }

  /** The file of the namespace, {@code /run/netns/<name>}. */
  public Path path() {
    return Namespace.path(name);
  }

  /**
   * The command, to be run in this host. It shares everything but the network with this JVM,
   * including {@code /sys}: mounting another, as {@code ip netns exec} does, needs more than a user
   * namespace permits.
   */
  public Command command(String... argv) {
    List<String> inside = new ArrayList<>(List.of("nsenter", "--net=" + path(), "--"));
    inside.add(Tool.locate(argv[0]));
    inside.addAll(List.of(argv).subList(1, argv.length));
    return Command.of(inside);
  }

  /** Runs it to the end; a failure is an exception that shows the whole output. */
  public Output exec(String... argv) {
    return command(argv).run();
  }

  /** Runs it to the end, whatever the exit code. */
  public Output tryExec(String... argv) {
    return command(argv).attempt();
  }

  /** The output of {@code ip -j}, {@code tc -j}, {@code bridge -j} or {@code nft -j}. */
  public JsonNode json(String... argv) {
    return exec(argv).json();
  }

  /** Starts it without waiting; it ends with this host at the latest. */
  public Background start(String... argv) {
    Background process = command(argv).start();
    started.push(process);
    return process;
  }

  /** Joins the two by a veth pair and gives each end an address such as {@code 10.0.0.1/24}. */
  public VethLink connect(Host other, String address, String otherAddress) {
    return VethLink.between(this, other, address, otherAddress);
  }

  /** A device name not used here so far. */
  String nextWire() {
    return "wire" + wires.getAndIncrement();
  }

  void address(String device, String address) {
    List<String> argv = new ArrayList<>(List.of("ip", "address", "add", address, "dev", device));
    if (address.contains(":")) {
      // With duplicate detection an IPv6 address is unusable for its first second or two.
      argv.add("nodad");
    }
    exec(argv.toArray(String[]::new));
  }

  void up(String device) {
    exec("ip", "link", "set", device, "up");
  }

  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(removal);
    } catch (IllegalStateException _) {
      // The JVM is going down and runs the hook itself.
    }
  }

  private void remove() {
    // A test that was interrupted, for instance by its timeout, must be cleaned up as well.
    boolean interrupted = Thread.interrupted();
    try {
      started.forEach(Background::close);
    } finally {
      Namespace.remove(name);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
