package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;

/** The flows of one try of some cells, and which were answered. For one thread. */
final class ProbeRound implements AutoCloseable {
  private final List<Cell> cells;
  private final Map<Actor, Station> stations;
  private final Selector selector;
  private final IntSupplier ports;
  private final BitSet answered = new BitSet();
  private final Set<Integer> ownPorts = new HashSet<>();
  private final Map<SctpFlow, Integer> sctp = new HashMap<>();
  private final List<Channel> open = new ArrayList<>();

  private record SctpFlow(Actor from, IpAddress to, int port) {}

  private record Sender(Actor from, boolean v4) {}

  ProbeRound(List<Cell> cells, Map<Actor, Station> stations, Selector selector, IntSupplier ports) {
    this.cells = cells;
    this.stations = stations;
    this.selector = selector;
    this.ports = ports;
  }

  BitSet answered() {
    return answered;
  }

  /** Begins a flow for each of these cells, all from one port. */
  void send(BitSet which) {
    int port = ports.getAsInt();
    ownPorts.add(port);
    Map<Sender, DatagramChannel> udp = new HashMap<>();
    Map<Actor, Iterator<SocketChannel>> tcp = openTcp(which, port);
    which.stream()
        .forEach(
            number -> {
              try {
                send(number, port, udp, tcp);
              } catch (IOException _) {
                // The host itself does not let it out: closed.
              }
            });
  }

  private void send(
      int number,
      int port,
      Map<Sender, DatagramChannel> udp,
      Map<Actor, Iterator<SocketChannel>> tcp)
      throws IOException {
    Cell cell = cells.get(number);
    Station station = Objects.requireNonNull(stations.get(cell.from()), cell::toString);
    IpAddress to = cell.to().address(cell.v4());
    switch (cell.service()) {
      case TCP_80, TCP_81 ->
          connect(number, cell, Objects.requireNonNull(tcp.get(cell.from())).next());
      case UDP_80, UDP_81 -> {
        DatagramChannel channel =
            udp.computeIfAbsent(
                new Sender(cell.from(), cell.v4()), it -> openUdp(station, it.v4(), port));
        ByteBuffer payload = ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
        channel.send(payload, Station.socketAddress(to, cell.service().port()));
      }
      case SCTP_80, SCTP_81 -> {
        sctp.put(new SctpFlow(cell.from(), to, cell.service().port()), number);
        int tag = port + 1;
        (cell.v4() ? station.sctp4 : station.sctp6)
            .send(to, Messages.sctp(port, cell.service().port(), Messages.INIT, 0, tag));
      }
      case PING ->
          (cell.v4() ? station.icmp4 : station.icmp6)
              .send(to, Messages.echoRequest(cell.v4(), port, number));
    }
  }

  /** Opens the sockets of each place at once, in the order of its cells. */
  private Map<Actor, Iterator<SocketChannel>> openTcp(BitSet which, int port) {
    Map<Actor, List<IpAddress>> sources = new HashMap<>();
    which.stream()
        .mapToObj(cells::get)
        .filter(cell -> cell.service().isTcp())
        .forEach(
            cell ->
                sources
                    .computeIfAbsent(cell.from(), _ -> new ArrayList<>())
                    .add(cell.from().address(cell.v4())));
    Map<Actor, Iterator<SocketChannel>> channels = new HashMap<>();
    sources.forEach(
        (actor, addresses) -> {
          List<SocketChannel> opened =
              Objects.requireNonNull(stations.get(actor), actor::toString).tcp(addresses, port);
          open.addAll(opened);
          channels.put(actor, opened.iterator());
        });
    return channels;
  }

  private void connect(int number, Cell cell, SocketChannel channel) throws IOException {
    Station.register(
        channel,
        selector,
        SelectionKey.OP_CONNECT,
        () -> {
          if (channel.finishConnect()) {
            answered.set(number);
            Station.reset(channel);
          }
        });
    channel.connect(Station.socketAddress(cell.to().address(cell.v4()), cell.service().port()));
  }

  private DatagramChannel openUdp(Station station, boolean v4, int port) {
    DatagramChannel channel = station.udp(station.actor.address(v4), port);
    open.add(channel);
    ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES);
    try {
      Station.register(
          channel,
          selector,
          SelectionKey.OP_READ,
          () -> {
            while (channel.receive(buffer.clear()) != null) {
              answered.set(buffer.getInt(0));
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return channel;
  }

  /** Notes an answer that may be a late one to another round. */
  void answer(int number, int identifier) {
    if (ownPorts.contains(identifier)) {
      answered.set(number);
    }
  }

  void answerSctp(Actor from, IpAddress to, int port, int ownPort) {
    Integer number = sctp.get(new SctpFlow(from, to, port));
    if (number != null && ownPorts.contains(ownPort)) {
      answered.set(number);
    }
  }

  @Override
  public void close() {
    try {
      for (Channel channel : open) {
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
