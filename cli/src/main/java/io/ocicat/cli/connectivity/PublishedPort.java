package io.ocicat.cli.connectivity;

import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A TCP port of this node that leads to one of a pod on it.
 *
 * @param pod whose it is
 * @param address of the node, to connect to
 */
record PublishedPort(ProbeSource pod, String node, IpAddress address, int port, int containerPort) {

  /** Those that portmap was asked for, for one pod. */
  static List<PublishedPort> of(ProbeSource pod, String node, List<IpAddress> nodeAddresses) {
    List<PublishedPort> found = new ArrayList<>();
    for (CallRecord request : pod.attachment().map(one -> one.requests()).orElse(List.of())) {
      if (request.plugin().equals("portmap")) {
        for (JsonNode mapping : mappings(request)) {
          boolean tcp = mapping.path("protocol").asString("tcp").equalsIgnoreCase("tcp");
          if (tcp && mapping.path("hostPort").asInt() > 0) {
            address(mapping, pod, nodeAddresses)
                .map(
                    address ->
                        new PublishedPort(
                            pod,
                            node,
                            address,
                            mapping.path("hostPort").asInt(),
                            mapping.path("containerPort").asInt()))
                .ifPresent(found::add);
          }
        }
      }
    }
    return found;
  }

  private static List<JsonNode> mappings(CallRecord request) {
    try {
      return PluginConfig.ofRequest(request.stdin())
          .json()
          .at("/runtimeConfig/portMappings")
          .valueStream()
          .toList();
    } catch (CniException _) {
      return List.of();
    }
  }

  /** The address it is published on, else the node's first that the pod has the family of. */
  private static Optional<IpAddress> address(
      JsonNode mapping, ProbeSource pod, List<IpAddress> nodeAddresses) {
    return IpAddress.tryParse(mapping.path("hostIP").asString(""))
        .filter(address -> !address.isUnspecified())
        .or(() -> nodeAddresses.stream().filter(pod::canReach).findFirst());
  }

  String name() {
    return "%s:%d".formatted(node, port);
  }

  /** Connects from this node; where nothing listens in the pod, we do meanwhile. */
  PairResult probe(Duration limit, Explanation explanation) {
    TcpProbe.Outcome outcome;
    try (TcpResponders responder = new TcpResponders();
        NetNs own = NetNs.current()) {
      responder.listen(pod.netns(), containerPort);
      outcome = own.call(() -> TcpProbe.run(address, port, limit));
    } catch (NetlinkException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    // Somebody else's server need not send back what it gets.
    boolean ok = outcome == TcpProbe.Outcome.CARRIED || outcome == TcpProbe.Outcome.STALLED;
    Optional<Discrepancy> cause = ok ? Optional.empty() : explanation.of(pod);
    return new PairResult(
        node,
        name(),
        ok,
        ok
            ? ""
            : cause
                .map(explanation::sentence)
                .orElse(
                    "%s:%d leads to port %d of %s, and the connection is %s; nothing wrong is found on this node"
                        .formatted(address, port, containerPort, pod.name(), outcome.label())),
        cause.map(one -> one.kind().label()).orElse(""),
        0,
        0,
        List.of(new PairResult.AddressResult(address.toString(), ok, 0, 0, outcome.label())));
  }
}
