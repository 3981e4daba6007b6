package io.ocicat.agent.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tries cells of the truth table with real packets, all at once: one thread sends the first packet
 * of every flow, answers what arrives, and waits for the answers. Every try uses ports and
 * identifiers of its own, so that connection tracking knows none of its flows.
 *
 * <p>A cell without an answer within {@link #LOST} is closed. One that should be open is tried once
 * more, because a busy machine also loses time. For one thread.
 */
public final class Prober implements AutoCloseable {
  static final Duration LOST = Duration.ofMillis(300);
  private static final Duration LOST_AGAIN = Duration.ofMillis(1500);
  private static final int FIRST_PORT = 10_000;
  private static final int LAST_PORT = 59_999;

  private final Selector selector;
  private final Map<Actor, Station> stations = new HashMap<>();
  private RawSockets rawSockets = new RawSockets(List.of());
  private int nextPort = FIRST_PORT;
  private @Nullable ProbeRound round;
  private long cells;

  public Prober() {
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens the sockets of a place. */
  public void add(Actor actor, Path namespace) {
    stations.put(actor, new Station(actor, namespace, selector));
    listen();
  }

  public void remove(Actor actor) {
    Station station = stations.remove(actor);
    if (station != null) {
      station.close();
      listen();
    }
  }

  private void listen() {
    rawSockets.close();
    rawSockets =
        new RawSockets(stations.values().stream().flatMap(it -> it.listeners().stream()).toList());
  }

  /** How many cells were tried so far. */
  public long cells() {
    return cells;
  }

  /**
   * Tries cells.
   *
   * @param open by their numbers, those that should be open
   * @param hasty returns as soon as a cell answers that should not
   * @return those that are open
   */
  public BitSet probe(List<Cell> wanted, BitSet open, boolean hasty) {
    cells += wanted.size();
    try (ProbeRound current = new ProbeRound(wanted, stations, selector, this::nextPort)) {
      round = current;
      BitSet closed = (BitSet) open.clone();
      closed.flip(0, wanted.size());
      BitSet all = new BitSet();
      all.set(0, wanted.size());
      current.send(all);
      long limit = System.nanoTime() + LOST.toNanos();
      boolean again = false;
      while (true) {
        serve();
        BitSet missing = minus(open, current.answered());
        boolean late = System.nanoTime() - limit >= 0;
        boolean wrong = current.answered().intersects(closed);
        if ((missing.isEmpty() && (late || closed.isEmpty())) || (hasty && wrong)) {
          return current.answered();
        }
        if (late && again) {
          return current.answered();
        }
        if (late) {
          current.send(missing);
          limit = System.nanoTime() + LOST_AGAIN.toNanos();
          again = true;
        }
      }
    } finally {
      round = null;
    }
  }

  /**
   * Tries cells once, and returns as soon as those that should be open have answered: by then, any
   * other that is open has answered as well.
   *
   * @param limit for an answer
   */
  public BitSet probeOnce(List<Cell> wanted, BitSet open, Duration limit) {
    cells += wanted.size();
    try (ProbeRound current = new ProbeRound(wanted, stations, selector, this::nextPort)) {
      round = current;
      BitSet closed = (BitSet) open.clone();
      closed.flip(0, wanted.size());
      current.send(closed);
      current.send(open);
      long end = System.nanoTime() + limit.toNanos();
      do {
        serve();
      } while (!minus(open, current.answered()).isEmpty() && System.nanoTime() - end < 0);
      return current.answered();
    } finally {
      round = null;
    }
  }

  private static BitSet minus(BitSet from, BitSet what) {
    BitSet rest = (BitSet) from.clone();
    rest.andNot(what);
    return rest;
  }

  /** The port that flows are sent from next. */
  int nextSourcePort() {
    return nextPort;
  }

  private int nextPort() {
    int port = nextPort;
    nextPort = port == LAST_PORT ? FIRST_PORT : port + 1;
    return port;
  }

  private void serve() {
    try {
      selector.selectNow(
          key -> {
            try {
              if (key.isValid() && key.attachment() instanceof Station.Reaction reaction) {
                reaction.run();
              }
            } catch (IOException _) {
              // Refused or unreachable: closed.
              key.cancel();
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (RawListener listener : rawSockets.awaitPackets()) {
      RawSocket.Received packet;
      while ((packet = listener.socket().receive()) != null) {
        if (listener.protocol() == Messages.SCTP) {
          serveSctp(listener, packet);
        } else {
          serveIcmp(packet);
        }
      }
    }
  }

  private void serveSctp(RawListener listener, RawSocket.Received packet) {
    Messages.SctpHead head = Messages.SctpHead.of(packet.payload());
    if (head.chunk() == Messages.INIT) {
      listener.socket().send(packet.source(), Messages.initAck(head));
    } else if (head.chunk() == Messages.INIT_ACK && round != null) {
      round.answerSctp(
          listener.actor(), packet.source(), head.sourcePort(), head.destinationPort());
    }
  }

  private void serveIcmp(RawSocket.Received packet) {
    int cell = Messages.answeredCell(packet.source().isV4(), packet.payload());
    if (cell >= 0 && round != null) {
      round.answer(cell, Messages.identifier(packet.payload()));
    }
  }

  @Override
  public void close() {
    rawSockets.close();
    stations.values().forEach(Station::close);
    try {
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
