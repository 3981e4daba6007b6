package io.ocicat.agent.desired;

import io.ocicat.agent.desired.Source.Origin;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.nft.TableId;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the node's kernel should have. {@link CalicoNetwork} and flannel's network compute it, each
 * for its own part; the reconcilers bring the kernel to it. For one thread.
 */
public final class DesiredState {
  private final Contributions<DesiredRoute.Key, DesiredRoute> routes =
      new Contributions<>(Comparator.comparing(DesiredRoute::purpose));
  private final Contributions<LinkNeighbour, MacAddress> neighbours = new Contributions<>();
  private final Contributions<ForwardingKey, IpAddress> forwarding = new Contributions<>();
  private final Map<String, DesiredTunnel> tunnels = new TreeMap<>();
  private final Map<TableId, TableContent> tables = new LinkedHashMap<>();
  private final Map<Origin, List<OwnedRange>> ownedRanges = new EnumMap<>(Origin.class);

  public Contributions<DesiredRoute.Key, DesiredRoute> routes() {
    return routes;
  }

  public Contributions<LinkNeighbour, MacAddress> neighbours() {
    return neighbours;
  }

  /** The forwarding entries of VXLAN devices. */
  public Contributions<ForwardingKey, IpAddress> forwarding() {
    return forwarding;
  }

  /** What should become of a device. */
  public Optional<DesiredTunnel> tunnel(String name) {
    return Optional.ofNullable(tunnels.get(name));
  }

  public Set<String> tunnels() {
    return Collections.unmodifiableSet(tunnels.keySet());
  }

  public void setTunnel(String name, DesiredTunnel wanted) {
    tunnels.put(name, wanted);
  }

  /** Whether everything on the link of this name is the agent's: routes and entries. */
  public boolean ownsLink(String name) {
    return tunnels.containsKey(name) && !name.equals(IpipDevice.NAME);
  }

  public Map<TableId, TableContent> tables() {
    return Collections.unmodifiableMap(tables);
  }

  /** Wants a table as described; equal content should be the same object. */
  public void setTable(TableContent content) {
    tables.put(content.table(), content);
  }

  /** Wants the table not to exist. */
  public void removeTable(TableId table) {
    tables.remove(table);
  }

  /** The routes on the node's own links that are the agent's. */
  public List<OwnedRange> ownedRanges() {
    return ownedRanges.values().stream().flatMap(List::stream).toList();
  }

  public void setOwnedRanges(Origin origin, List<OwnedRange> ranges) {
    ownedRanges.put(origin, List.copyOf(ranges));
  }
}
