package io.ocicat.sandbox.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The minimum for tearing down a sandbox's network, in dockershim's checkpoint format.
 *
 * <p>The checksum is FNV-1a of 32 bits over the data as a Go program prints it with all its types;
 * name and namespace are not included.
 */
public record Checkpoint(String name, String namespace, List<PodPort> ports, boolean hostNetwork) {
  private static final String VERSION = "v1";
  private static final int FNV_OFFSET = 0x811c9dc5;
  private static final int FNV_PRIME = 0x01000193;
  private static final int LAST_PORT = 65535;

  public Checkpoint {
    ports = List.copyOf(ports);
  }

  public static Checkpoint of(PodConfig config) {
    return new Checkpoint(
        config.metadata().name(),
        config.metadata().namespace(),
        config.ports(),
        config.hostNetwork());
  }

  public byte[] bytes() {
    ObjectNode data = Json.object();
    if (!ports.isEmpty()) {
      ArrayNode list = data.putArray("port_mappings");
      for (PodPort port : ports) {
        ObjectNode entry =
            list.addObject()
                .put("protocol", port.protocol().text())
                .put("container_port", port.containerPort())
                .put("host_port", port.hostPort());
        if (!port.hostIp().isEmpty()) {
          entry.put("host_ip", port.hostIp());
        }
      }
    }
    if (hostNetwork) {
      data.put("host_network", true);
    }
    ObjectNode json =
        Json.object().put("version", VERSION).put("name", name).put("namespace", namespace);
    json.set("data", data);
    json.put("checksum", checksum());
    return Json.compactBytes(json);
  }

  /**
   * Parses what {@link #bytes} wrote.
   *
   * @throws SandboxException when it is damaged
   */
  public static Checkpoint parse(byte[] bytes) {
    try {
      if (!(CniJson.parse(bytes) instanceof ObjectNode document)) {
        throw damaged("it is not a JSON object");
      }
      return CniJson.read(document, Checkpoint::read);
    } catch (CniException e) {
      throw damaged(SandboxException.text(e));
    }
  }

  private static Checkpoint read(JsonFields in) {
    JsonFields data = in.object("data");
    List<PodPort> ports = new ArrayList<>();
    for (JsonFields port : data.objects("port_mappings")) {
      ports.add(
          new PodPort(
              protocol(port.text("protocol").or("tcp")),
              port.integer("container_port", 0, LAST_PORT).or(0),
              port.integer("host_port", 0, LAST_PORT).or(0),
              port.text("host_ip").or("")));
    }
    Checkpoint read =
        new Checkpoint(
            in.text("name").or(""),
            in.text("namespace").or(""),
            ports,
            data.bool("host_network").or(false));
    BigInteger checksum = in.unsigned64("checksum").or(BigInteger.ZERO);
    if (!checksum.equals(BigInteger.valueOf(read.checksum()))) {
      throw damaged("its checksum is %s, not %d".formatted(checksum, read.checksum()));
    }
    return read;
  }

  private static Protocol protocol(String text) {
    return switch (text) {
      case "udp" -> Protocol.UDP;
      case "sctp" -> Protocol.SCTP;
      default -> Protocol.TCP;
    };
  }

  private static SandboxException damaged(String why) {
    return new SandboxException(Reason.CORRUPT, "the checkpoint is damaged: " + why);
  }

  public long checksum() {
    int hash = FNV_OFFSET;
    for (byte each : printed().getBytes(UTF_8)) {
      hash = (hash ^ (each & 0xff)) * FNV_PRIME;
    }
    return Integer.toUnsignedLong(hash);
  }

  private String printed() {
    StringBuilder text =
        new StringBuilder("(dockershim.CheckpointData){PortMappings:([]*dockershim.PortMapping)");
    if (ports.isEmpty()) {
      text.append("<nil>");
    } else {
      text.append('[');
      String gap = "";
      for (PodPort port : ports) {
        text.append(gap)
            .append("<*>{Protocol:(*dockershim.Protocol)")
            .append(port.protocol().text())
            .append(" ContainerPort:(*int32)")
            .append(port.containerPort())
            .append(" HostPort:(*int32)")
            .append(port.hostPort())
            .append(" HostIP:(string)")
            .append(port.hostIp())
            .append('}');
        gap = " ";
      }
      text.append(']');
    }
    return text.append(" HostNetwork:(bool)").append(hostNetwork).append('}').toString();
  }
}
