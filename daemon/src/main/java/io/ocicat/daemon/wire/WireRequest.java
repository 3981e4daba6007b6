package io.ocicat.daemon.wire;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Verb;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.UnixSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A call as the shim sent it. Owns the descriptors that came with it.
 *
 * @param plugin the name the shim was called by
 * @param startedNanos when it was started, by the clock that counts from boot
 * @param hostNetns the shim's own network namespace
 * @param containerNetns what CNI_NETNS led to, if it led anywhere
 * @param directory the caller's working directory; empty when that no longer exists
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares requests
public record WireRequest(
    String plugin,
    Map<String, String> environment,
    byte[] stdin,
    Duration limit,
    long startedNanos,
    FilesystemView place,
    Optional<Fd> hostNetns,
    Optional<Fd> containerNetns,
    String directory)
    implements AutoCloseable {
  static final int HEADER = 40 + FilesystemView.SIZE;
  private static final int MAX_NAME = 256;
  private static final int MAX_ENVIRONMENT = 1 << 20;
  private static final int MAX_STDIN = (4 << 20) + 1;

  /** After the frame's start and the three lengths. */
  private static final int LIMIT_AT = 20;

  private static final String DEL_VARIABLE = CniEnvironment.COMMAND + "=" + Verb.DEL.name() + "\0";

  private static final int HAS_HOST = 1;
  private static final int HAS_CONTAINER = 2;

  /** The working directory's name among the variables, of which none is empty. */
  private static final String DIRECTORY = "";

  public static final String OWN_DIRECTORY = Path.of("").toAbsolutePath().toString();

  /** Most requests fit. */
  private static final int FIRST_READ = 16 << 10;

  private static final int MORE = 256 << 10;

  /** A request of this process, with its working directory. */
  public WireRequest(
      String plugin,
      Map<String, String> environment,
      byte[] stdin,
      Duration limit,
      long startedNanos,
      FilesystemView place,
      Optional<Fd> hostNetns,
      Optional<Fd> containerNetns) {
    this(
        plugin,
        environment,
        stdin,
        limit,
        startedNanos,
        place,
        hostNetns,
        containerNetns,
        OWN_DIRECTORY);
  }

  /** Limits the memory of requests that are being read. */
  @FunctionalInterface
  public interface Room {
    /**
     * Reserves memory for a request; called before most of it is read.
     *
     * @param limit how much time its caller has; zero when it does not say
     * @param del whether it is a DEL, as far as that is known by now
     * @return false when there is none left
     */
    boolean reserve(int bytes, Duration limit, boolean del);
  }

  /**
   * Waits for a complete request.
   *
   * @param room for it; asked before most of it is read
   * @return empty when the peer left before
   * @throws WireException when it is not a valid request
   */
  public static Optional<WireRequest> receive(UnixSocket socket, Duration limit, Room room) {
    List<Fd> descriptors = new ArrayList<>();
    boolean complete = false;
    try {
      long deadline = System.nanoTime() + limit.toNanos();
      Optional<Received> first = socket.receive(FIRST_READ, 2, limit);
      if (first.isEmpty()) {
        return Optional.empty();
      }
      descriptors.addAll(first.get().descriptors());
      byte[] bytes = first.get().bytes();
      Optional<byte[]> start = fill(socket, bytes, HEADER, deadline);
      if (start.isPresent()
          && !room.reserve(size(start.get()), callersLimit(start.get()), isDel(start.get()))) {
        throw new WireException(
            "no memory for a request of %d bytes now".formatted(size(start.get())));
      }
      long untilAll = System.nanoTime() + limit.toNanos();
      Optional<byte[]> frame =
          start.flatMap(header -> fill(socket, header, size(header), untilAll));
      Optional<WireRequest> request = frame.map(whole -> parse(whole, descriptors));
      complete = request.isPresent();
      return request;
    } finally {
      if (!complete) {
        descriptors.forEach(Fd::close);
      }
    }
  }

  private static Optional<byte[]> fill(
      UnixSocket socket, byte[] sofar, int wanted, long deadlineNanos) {
    if (sofar.length >= wanted) {
      return Optional.of(sofar);
    }
    byte[] frame = Arrays.copyOf(sofar, wanted);
    int at = sofar.length;
    while (at < wanted) {
      Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
      Optional<Received> more = socket.receive(Math.min(MORE, wanted - at), 0, left);
      if (more.isEmpty()) {
        return Optional.empty();
      }
      byte[] bytes = more.get().bytes();
      System.arraycopy(bytes, 0, frame, at, bytes.length);
      at += bytes.length;
    }
    return Optional.of(frame);
  }

  private static Duration callersLimit(byte[] header) {
    return Duration.ofMillis(Integer.toUnsignedLong(Frames.view(header).getInt(LIMIT_AT)));
  }

  /** Searches the part of the environment that has arrived, which nearly always is all of it. */
  private static boolean isDel(byte[] sofar) {
    String text = new String(sofar, HEADER, sofar.length - HEADER, StandardCharsets.ISO_8859_1);
    return text.contains(DEL_VARIABLE);
  }

  private static int size(byte[] header) {
    ByteBuffer frame = Frames.view(header);
    Frames.checkStart(frame);
    return HEADER
        + Frames.length(frame, MAX_NAME, "the plugin's name")
        + Frames.length(frame, MAX_ENVIRONMENT, "the environment")
        + Frames.length(frame, MAX_STDIN, "stdin");
  }

  /** Takes ownership of the descriptors unless it fails. */
  static WireRequest parse(byte[] bytes, List<Fd> descriptors) {
    if (bytes.length < HEADER) {
      throw new WireException("a request has at least %d bytes".formatted(HEADER));
    }
    ByteBuffer frame = Frames.view(bytes);
    Frames.checkStart(frame);
    byte[] name = new byte[Frames.length(frame, MAX_NAME, "the plugin's name")];
    byte[] environment = new byte[Frames.length(frame, MAX_ENVIRONMENT, "the environment")];
    byte[] stdin = new byte[Frames.length(frame, MAX_STDIN, "stdin")];
    long limitMillis = Integer.toUnsignedLong(frame.getInt());
    long startedNanos = frame.getLong();
    int which = frame.getInt();
    frame.getInt();
    FilesystemView place = FilesystemView.read(frame);
    if (frame.remaining() != name.length + environment.length + stdin.length) {
      throw new WireException(
          "%d bytes received, %d announced"
              .formatted(frame.remaining(), name.length + environment.length + stdin.length));
    }
    if (Integer.bitCount(which & (HAS_HOST | HAS_CONTAINER)) != descriptors.size()) {
      throw new WireException(
          "%d descriptors received, not those announced (%#x)"
              .formatted(descriptors.size(), which));
    }
    frame.get(name).get(environment).get(stdin);
    boolean hasHost = (which & HAS_HOST) != 0;
    boolean hasContainer = (which & HAS_CONTAINER) != 0;
    Map<String, String> variables = variables(environment);
    String directory = Objects.requireNonNullElse(variables.remove(DIRECTORY), OWN_DIRECTORY);
    return new WireRequest(
        new String(name, StandardCharsets.UTF_8),
        variables,
        stdin,
        Duration.ofMillis(limitMillis),
        startedNanos,
        place,
        hasHost ? Optional.of(descriptors.getFirst()) : Optional.empty(),
        hasContainer ? Optional.of(descriptors.getLast()) : Optional.empty(),
        directory);
  }

  private static Map<String, String> variables(byte[] block) {
    Map<String, String> variables = new LinkedHashMap<>();
    int start = 0;
    for (int at = 0; at < block.length; at++) {
      if (block[at] == 0) {
        String variable = new String(block, start, at - start, StandardCharsets.UTF_8);
        start = at + 1;
        int equals = variable.indexOf('=');
        if (equals >= 0) {
          // As getenv(3) has it, the first one counts.
          variables.putIfAbsent(variable.substring(0, equals), variable.substring(equals + 1));
        }
      }
    }
    if (start != block.length) {
      throw new WireException("the environment does not end with a 0");
    }
    return variables;
  }

  /** As the shim writes it, for tests and for clients in Java. */
  public byte[] bytes() {
    byte[] name = plugin.getBytes(StandardCharsets.UTF_8);
    StringBuilder block = new StringBuilder(DIRECTORY + "=" + directory + "\0");
    environment.forEach((key, value) -> block.append(key).append('=').append(value).append('\0'));
    byte[] variables = block.toString().getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = Frames.allocate(HEADER + name.length + variables.length + stdin.length);
    Frames.putStart(frame);
    frame.putInt(name.length).putInt(variables.length).putInt(stdin.length);
    frame.putInt((int) Math.min(limit.toMillis(), Integer.MAX_VALUE)).putLong(startedNanos);
    frame.putInt(
        (hostNetns.isPresent() ? HAS_HOST : 0) | (containerNetns.isPresent() ? HAS_CONTAINER : 0));
    frame.putInt(0);
    place.write(frame);
    return Frames.bytes(frame.put(name).put(variables).put(stdin));
  }

  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  @Override
  public void close() {
    hostNetns.ifPresent(Fd::close);
    containerNetns.ifPresent(Fd::close);
  }
}
