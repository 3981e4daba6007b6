package io.ocicat.cni.runtime;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Bandwidth;
import io.ocicat.cni.Capability;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.PortMapping;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * A container and its interface on a network, with everything that is passed to plugins. Immutable:
 * {@code Container.of("c1", netns).ifName("eth1").arg("K8S_POD_NAME", "web-0")}.
 *
 * @param netns the path of the container's network namespace, such as {@code /run/netns/blue}; may
 *     be empty for DEL, when it is gone
 * @param capabilityArgs by capability; each plugin receives those it declares
 */
public record Container(
    ContainerId id,
    String netns,
    InterfaceName ifName,
    CniArgs args,
    Map<String, JsonNode> capabilityArgs) {
  private static final InterfaceName ETH0 = new InterfaceName("eth0");

  public Container {
    Map<String, JsonNode> copies = new LinkedHashMap<>();
    capabilityArgs.forEach((capability, value) -> copies.put(capability, value.deepCopy()));
    capabilityArgs = Collections.unmodifiableMap(copies);
  }

  /**
   * A container whose interface is called eth0.
   *
   * @throws io.ocicat.cni.CniException when the id is invalid
   */
  public static Container of(String id, String netns) {
    return new Container(new ContainerId(id), netns, ETH0, CniArgs.NONE, Map.of());
  }

  /** See {@link #of(String, String)}. */
  public static Container of(String id, Path netns) {
    return of(id, netns.toString());
  }

  /**
   * With another interface name.
   *
   * @throws io.ocicat.cni.CniException when Linux would reject it
   */
  public Container ifName(String name) {
    return new Container(id, netns, new InterfaceName(name), args, capabilityArgs);
  }

  public Container netns(String path) {
    return new Container(id, path, ifName, args, capabilityArgs);
  }

  /** With one more pair in CNI_ARGS, at the end. */
  public Container arg(String key, String value) {
    List<CniArgs.Arg> more = new ArrayList<>(args.args());
    more.add(new CniArgs.Arg(key, value));
    return args(new CniArgs(more));
  }

  public Container args(CniArgs replacement) {
    return new Container(id, netns, ifName, replacement, capabilityArgs);
  }

  /** With an argument for plugins that have {@code capability}; see {@link Capability}. */
  public Container capability(String capability, JsonNode value) {
    Map<String, JsonNode> more = new LinkedHashMap<>(capabilityArgs);
    more.put(capability, value);
    return new Container(id, netns, ifName, args, more);
  }

  public Container portMappings(PortMapping... mappings) {
    ArrayNode list = Json.array();
    for (PortMapping mapping : mappings) {
      list.add(mapping.toJson());
    }
    return capability(Capability.PORT_MAPPINGS, list);
  }

  public Container bandwidth(Bandwidth limits) {
    return capability(Capability.BANDWIDTH, limits.toJson());
  }

  /** This container, with unset values taken from its ADD. */
  Container orAsCached(Container cached) {
    return new Container(
        id,
        netns,
        ifName,
        args.args().isEmpty() ? cached.args : args,
        capabilityArgs.isEmpty() ? cached.capabilityArgs : capabilityArgs);
  }
}
