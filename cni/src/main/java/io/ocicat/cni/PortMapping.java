package io.ocicat.cni;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.ip.IpAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One element of the portMappings capability: a host port, on one of the host's addresses or (null)
 * on all of them, that is forwarded to a port of the container.
 */
public record PortMapping(
    int hostPort, int containerPort, Protocol protocol, @Nullable IpAddress hostIp) {
  private static final int LAST_PORT = 65535;

  /** The protocols that can be mapped. */
  public enum Protocol {
    TCP,
    UDP,
    SCTP;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    private static Protocol parse(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "", "tcp" -> TCP;
        case "udp" -> UDP;
        case "sctp" -> SCTP;
        default ->
            throw new IllegalArgumentException(
                "must be tcp, udp or sctp, not " + Quoted.brief(text));
      };
    }
  }

  /** The protocol is case-insensitive, because Kubernetes and Docker write it differently. */
  public static PortMapping read(JsonFields in) {
    // Callers know the Go plugin's message for a bad port, and that it checks this one first.
    int containerPort = port(in, "containerPort", "container");
    return new PortMapping(
        port(in, "hostPort", "host"),
        containerPort,
        in.text("protocol").map(Protocol::parse, Protocol.TCP).or(Protocol.TCP),
        in.ip("hostIP").orNull());
  }

  private static int port(JsonFields in, String name, String whose) {
    return in.longInteger(name, Long.MIN_VALUE, Long.MAX_VALUE)
        .map(
            number -> {
              if (number < 1 || number > LAST_PORT) {
                throw new IllegalArgumentException(
                    "must be 1–%d: Invalid %s port number: %d".formatted(LAST_PORT, whose, number));
              }
              return number.intValue();
            },
            1)
        .required();
  }

  public ObjectNode toJson() {
    ObjectNode json =
        Json.object()
            .put("hostPort", hostPort)
            .put("containerPort", containerPort)
            .put("protocol", protocol.text());
    if (hostIp != null) {
      json.put("hostIP", hostIp.toString());
    }
    return json;
  }
}
