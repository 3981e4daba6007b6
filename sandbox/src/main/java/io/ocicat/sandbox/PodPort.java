package io.ocicat.sandbox;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.ip.IpAddress;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A port of a pod, published on the host or not.
 *
 * @param hostPort 0 for none
 * @param hostIp on which of the host's addresses; empty for all
 */
public record PodPort(Protocol protocol, int containerPort, int hostPort, String hostIp) {
  private static final int LAST = 65535;

  void check(List<String> problems) {
    if (containerPort < 1 || containerPort > LAST) {
      problems.add("port %d of the container must be 1–%d".formatted(containerPort, LAST));
    }
    if (hostPort < 0 || hostPort > LAST) {
      problems.add("port %d of the host must be 0–%d".formatted(hostPort, LAST));
    }
    if (!hostIp.isEmpty() && IpAddress.tryParse(hostIp).isEmpty()) {
      problems.add(
          "host port %d: %s is not a valid address".formatted(hostPort, Quoted.brief(hostIp)));
    }
  }

  public boolean isPublished() {
    return hostPort > 0;
  }

  /** Returns the entry of the capability {@code portMappings}. */
  public ObjectNode toCapability() {
    return Json.object()
        .put("hostPort", hostPort)
        .put("containerPort", containerPort)
        .put("protocol", protocol.text())
        .put("hostIP", hostIp);
  }
}
