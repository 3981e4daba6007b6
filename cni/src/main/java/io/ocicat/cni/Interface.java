package io.ocicat.cni;

import io.ocicat.ip.MacAddress;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * An interface that a plugin created or manages. Empty strings and an mtu of 0 mean "not set". An
 * empty sandbox means the host; otherwise it is the CNI_NETNS of the call. {@code mac} is a string
 * because not every hardware address has six bytes.
 */
public record Interface(
    String name,
    String mac,
    int mtu,
    String sandbox,
    String socketPath,
    String pciId,
    Map<String, JsonNode> unknown) {
  public Interface {
    unknown = ExtraMembers.copyOf(unknown);
  }

  /** An interface on the host. */
  public static Interface onHost(String name) {
    return new Interface(name, "", 0, "", "", "", Map.of());
  }

  /** An interface in the container whose network namespace is {@code sandbox}. */
  public static Interface inSandbox(String name, String sandbox) {
    return new Interface(name, "", 0, sandbox, "", "", Map.of());
  }

  public boolean isOnHost() {
    return sandbox.isEmpty();
  }

  /** The hardware address, if it has six bytes. */
  public Optional<MacAddress> macAddress() {
    return MacAddress.tryParse(mac);
  }

  public Interface withMac(MacAddress newMac) {
    return new Interface(name, newMac.toString(), mtu, sandbox, socketPath, pciId, unknown);
  }

  public Interface withMtu(int newMtu) {
    return new Interface(name, mac, newMtu, sandbox, socketPath, pciId, unknown);
  }

  public Interface withPciId(String newPciId) {
    return new Interface(name, mac, mtu, sandbox, socketPath, newPciId, unknown);
  }
}
