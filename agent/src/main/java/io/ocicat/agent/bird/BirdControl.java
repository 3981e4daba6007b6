package io.ocicat.agent.bird;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A connection to BIRD's control socket: one command at a time, each with its answer. Every command
 * ends within the limit, whatever BIRD does; after a failure other than BIRD's own refusal the
 * connection is of no more use. Confined to one thread at a time.
 */
public final class BirdControl implements AutoCloseable {
  private static final int WELCOME = 1;
  private static final int INVALID_CONFIGURATION = 8002;
  private static final int BUFFER = 64 << 10;

  /** A line of a route is some hundred bytes long. */
  private static final int LONGEST_ANSWER = 256 << 20;

  private final Path socket;
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final Duration limit;
  private final ByteBuffer received = ByteBuffer.allocate(BUFFER).limit(0);

  private BirdControl(Path socket, SocketChannel channel, Selector selector, Duration limit)
      throws IOException {
    this.socket = socket;
    this.channel = channel;
    this.selector = selector;
    this.limit = limit;
    channel.configureBlocking(false);
    this.key = channel.register(selector, 0);
  }

  /**
   * Connects and reads the greeting.
   *
   * @param limit how long connecting, and later each command, may take
   * @throws BirdException when nobody answers there, or somebody who is not BIRD
   */
  public static BirdControl connect(Path socket, Duration limit) {
    try {
      Selector selector = Selector.open();
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      BirdControl control;
      try {
        control = new BirdControl(socket, channel, selector, limit);
      } catch (IOException e) {
        channel.close();
        selector.close();
        throw e;
      }
      return control.greeted();
    } catch (IOException e) {
      throw unreachable(socket, e);
    }
  }

  private BirdControl greeted() {
    boolean done = false;
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.finishConnect();
      BirdReply greeting = readReply(deadline());
      if (greeting.code() != WELCOME) {
        throw new BirdException.Malformed(
            "%s is not BIRD's socket: it greets with \"%s\"".formatted(socket, greeting.outcome()));
      }
      done = true;
      return this;
    } catch (IOException | IllegalArgumentException e) {
      throw unreachable(socket, e);
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /**
   * Sends a command and returns the answer.
   *
   * @throws BirdException.Refused when BIRD does not accept the command
   * @throws BirdException.InvalidConfiguration when BIRD does not accept a configuration
   * @throws BirdException when there is no complete answer
   */
  public BirdReply command(String command) {
    if (command.chars().anyMatch(c -> c < ' ')) {
      throw new IllegalArgumentException("a command is one line: " + command);
    }
    long deadline = deadline();
    BirdReply reply;
    try {
      send(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)), deadline);
      reply = readReply(deadline);
    } catch (IOException e) {
      throw unreachable(socket, e);
    }
    if (reply.code() == INVALID_CONFIGURATION) {
      throw BirdException.InvalidConfiguration.of(reply.outcome());
    }
    if (reply.isFailure()) {
      throw new BirdException.Refused(command, reply.code(), reply.outcome());
    }
    return reply;
  }

  /** From now on BIRD refuses whatever changes something. */
  public BirdControl restricted() {
    command("restrict");
    return this;
  }

  public BirdDaemon daemon() {
    return BirdDaemon.of(command("show status"));
  }

  /** All protocols, without details. */
  public List<BirdProtocol> protocols() {
    return BirdProtocol.listOf(command("show protocols"));
  }

  /** All protocols, with addresses, numbers of routes and the last error. */
  public List<BirdProtocol> protocolsInDetail() {
    return BirdProtocol.listOf(command("show protocols all"));
  }

  public List<BirdRoute> routes() {
    return BirdRoute.listOf(command("show route"));
  }

  private long deadline() {
    return System.nanoTime() + limit.toNanos();
  }

  private void send(ByteBuffer bytes, long deadline) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        await(SelectionKey.OP_WRITE, deadline);
      }
    }
  }

  private BirdReply readReply(long deadline) throws IOException {
    BirdReplyReader reader = new BirdReplyReader();
    long size = 0;
    while (true) {
      String line = readLine(deadline);
      size += line.length();
      if (size > LONGEST_ANSWER) {
        throw new BirdException.Malformed("BIRD's answer is longer than 256 MiB");
      }
      if (reader.add(line)) {
        return reader.reply();
      }
    }
  }

  private String readLine(long deadline) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      while (received.hasRemaining()) {
        byte next = received.get();
        if (next == '\n') {
          return line.toString(StandardCharsets.UTF_8);
        }
        line.write(next);
        if (line.size() > BUFFER) {
          throw new BirdException.Malformed("BIRD's answer has a line longer than 64 KiB");
        }
      }
      fill(deadline);
    }
  }

  private void fill(long deadline) throws IOException {
    received.clear();
    int count = 0;
    try {
      count = channel.read(received);
      while (count == 0) {
        await(SelectionKey.OP_READ, deadline);
        count = channel.read(received);
      }
    } finally {
      received.flip();
    }
    if (count < 0) {
      throw new BirdException.Unreachable("BIRD has closed the connection at " + socket, null);
    }
  }

  private void await(int operation, long deadline) throws IOException {
    key.interestOps(operation);
    while (true) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new BirdException.NoAnswer(
            "BIRD did not answer at %s within %d ms".formatted(socket, limit.toMillis()));
      }
      selector.selectedKeys().clear();
      if (selector.select(Math.max(1, left / 1_000_000)) > 0) {
        return;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new BirdException.NoAnswer("interrupted while waiting for BIRD at " + socket);
      }
    }
  }

  private static BirdException.Unreachable unreachable(Path socket, Exception cause) {
    return new BirdException.Unreachable(
        "BIRD cannot be reached at %s: %s".formatted(socket, cause.getMessage()), cause);
  }

  @Override
  public void close() {
    try {
      channel.close();
      selector.close();
    } catch (IOException _) {
      // Nothing was promised about the connection's end.
    }
  }
}
