package io.ocicat.cri.streaming;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The versions of the protocols that are spoken on upgraded connections. */
enum StreamProtocol {
  V1("channel.k8s.io"),
  V2("v2.channel.k8s.io"),
  V3("v3.channel.k8s.io"),
  V4("v4.channel.k8s.io"),
  V5("v5.channel.k8s.io"),
  PORT_FORWARD("portforward.k8s.io");

  static final List<StreamProtocol> PROCESS_OVER_SPDY = List.of(V4, V3, V2, V1);
  static final List<StreamProtocol> PORTS_OVER_SPDY = List.of(PORT_FORWARD);
  static final List<StreamProtocol> PROCESS_OVER_WEBSOCKET = List.of(V5, V4, V1);
  static final List<StreamProtocol> PORTS_OVER_WEBSOCKET = List.of(V4);

  private final String text;

  StreamProtocol(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /** The first that the client offers and is known here. */
  static Optional<StreamProtocol> choose(List<String> offered, List<StreamProtocol> known) {
    return offered.stream()
        .flatMap(each -> Arrays.stream(values()).filter(it -> it.text.equals(each)))
        .filter(known::contains)
        .findFirst();
  }

  /** Whether the error channel carries a status rather than text. */
  boolean structuredStatus() {
    return this == V4 || this == V5;
  }

  /** Whether there is a channel for the size of the terminal. */
  boolean resizes() {
    return this == V3 || this == V4 || this == V5;
  }
}
