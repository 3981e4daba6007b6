package io.ocicat.agent.flannel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.agent.view.ResourceFollower;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Leases as the ranges that the cluster gives to its nodes ({@code podCIDRs}), and annotations of
 * the nodes. They never end; whoever gives a node its range is responsible that no two overlap. On
 * Kubernetes a Node is Kubernetes' own, elsewhere it is Calico's.
 */
final class NodeLeaseRegistry implements LeaseRegistry {
  private static final int MAX_CONFIGURATION = 1 << 20;
  private static final int ATTEMPTS = 10;

  private final Datastore datastore;
  private final String self;
  private final AnnotationNames annotations;
  private final Path netConfFile;
  private final RepairLog log;
  private final Runnable changed;
  private final ResourceFollower follower;
  private volatile @Nullable Map<String, AnnotatedNode> nodes;
  private volatile @Nullable String problem;

  NodeLeaseRegistry(
      Datastore datastore, String self, FlannelSettings settings, RepairLog log, Runnable changed) {
    this.datastore = datastore;
    this.self = self;
    this.annotations = settings.annotations();
    this.netConfFile = settings.netConf();
    this.log = log;
    this.changed = changed;
    this.follower = ResourceFollower.start(datastore, ResourceQuery.of(Kind.NODE), this::follow);
  }

  /** Called by one thread at a time. */
  private void follow(ViewEvent event) {
    Map<String, AnnotatedNode> known = nodes;
    Map<String, AnnotatedNode> now = new HashMap<>(known == null ? Map.of() : known);
    switch (event) {
      case ViewEvent.Listed(Kind _, List<Resource> all, _) -> {
        now.clear();
        all.forEach(node -> now.put(node.key().name(), AnnotatedNode.of(node)));
      }
      case ViewEvent.Changed(Kind _, List<ResourceEvent> events) ->
          events.forEach(it -> apply(it, now));
      case ViewEvent.Unreachable(Kind _, String why) -> report(why);
      case ViewEvent.Reachable _ -> report(null);
    }
    // Most changes of a Kubernetes node are heartbeats.
    boolean listed = known != null || event instanceof ViewEvent.Listed;
    if (listed && !now.equals(known)) {
      nodes = Map.copyOf(now);
      changed.run();
    }
  }

  private void report(@Nullable String what) {
    problem = what;
    changed.run();
  }

  private static void apply(ResourceEvent event, Map<String, AnnotatedNode> nodes) {
    switch (event) {
      case ResourceEvent.Added(Resource node) ->
          nodes.put(node.key().name(), AnnotatedNode.of(node));
      case ResourceEvent.Modified(Resource node) ->
          nodes.put(node.key().name(), AnnotatedNode.of(node));
      case ResourceEvent.Deleted deleted -> nodes.remove(deleted.key().name());
      case ResourceEvent.Unreadable unreadable -> nodes.remove(unreadable.key().name());
    }
  }

  @Override
  public boolean isKnown() {
    return nodes != null;
  }

  @Override
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  private Map<String, AnnotatedNode> nodes() {
    Map<String, AnnotatedNode> known = nodes;
    if (known == null) {
      throw new FlannelException("the nodes have not been read yet");
    }
    return known;
  }

  private AnnotatedNode own() {
    AnnotatedNode own = nodes().get(self);
    if (own == null) {
      throw new FlannelException("node %s does not exist in the datastore".formatted(self));
    }
    return own;
  }

  @Override
  public NetConf configuration() {
    try {
      return NetConf.read(
          netConfFile.toString(),
          new String(RegularFile.read(netConfFile, MAX_CONFIGURATION), UTF_8));
    } catch (IOException e) {
      throw new FlannelException(
          "the network is not configured: the file %s of FLANNELD_NET_CONFIG_PATH cannot be read: %s"
              .formatted(netConfFile, e),
          e);
    }
  }

  @Override
  public Map<IpFamily, IpAddress> publicAddresses() {
    Map<IpFamily, IpAddress> addresses = new EnumMap<>(IpFamily.class);
    for (IpFamily family : IpFamily.values()) {
      own()
          .address(annotations.nodePublicAddress(family), family)
          .ifPresent(address -> addresses.put(family, address));
    }
    return addresses;
  }

  @Override
  public Optional<LeaseAttributes> published(LeaseAttributes self) {
    return own().attributes(annotations);
  }

  @Override
  public SubnetLease ensure(NetConf conf, LeaseAttributes wanted, Optional<LeaseSubnets> previous) {
    AnnotatedNode own = own();
    LeaseSubnets subnets = subnets(conf, own);
    LeaseAttributes published = overwritten(own, wanted);
    Map<String, String> texts = texts(published);
    if (!own.annotations().entrySet().containsAll(texts.entrySet())) {
      annotate(texts);
    }
    return new SubnetLease(self, subnets, published, 0, true);
  }

  private LeaseSubnets subnets(NetConf conf, AnnotatedNode own) {
    Map<IpFamily, IpPrefix> subnets = new EnumMap<>(IpFamily.class);
    for (IpFamily family : conf.enabled()) {
      IpPrefix subnet =
          own.podCidr(family)
              .orElseThrow(
                  () ->
                      new FlannelException(
                          "node %s has no %s range for pods (podCIDRs): whoever allocates them, such as kube-controller-manager with --allocate-node-cidrs, must do so"
                              .formatted(self, family)));
      IpPrefix network = conf.network(family).orElseThrow();
      if (!network.contains(subnet)) {
        throw new FlannelException(
            "the range %s of node %s is not in the network %s: the configuration in %s and the cluster's range must agree"
                .formatted(subnet, self, network, netConfFile));
      }
      subnets.put(family, subnet);
    }
    return new LeaseSubnets(subnets.get(IpFamily.V4), subnets.get(IpFamily.V6));
  }

  /** An operator's address replaces what the others see; this node itself uses its own. */
  private LeaseAttributes overwritten(AnnotatedNode own, LeaseAttributes wanted) {
    return new LeaseAttributes(
        wanted.publicIp() == null
            ? null
            : own.address(annotations.overwrite(IpFamily.V4), IpFamily.V4)
                .orElse(wanted.publicIp()),
        wanted.publicIpv6() == null
            ? null
            : own.address(annotations.overwrite(IpFamily.V6), IpFamily.V6)
                .orElse(wanted.publicIpv6()),
        wanted.backendType(),
        wanted.vtep(),
        wanted.vtepV6());
  }

  /** As flanneld writes them: a back end without data has {@code null}. */
  private Map<String, String> texts(LeaseAttributes attributes) {
    Map<String, String> texts = new TreeMap<>();
    texts.put(annotations.managed(), "true");
    texts.put(annotations.backendType(), attributes.backendType());
    for (IpFamily family : IpFamily.values()) {
      attributes
          .publicAddress(family)
          .ifPresent(
              address -> {
                texts.put(annotations.publicAddress(family), address.toString());
                texts.put(
                    annotations.backendData(family),
                    attributes.vtep(family).map(VtepData::text).orElse("null"));
              });
    }
    return texts;
  }

  private void annotate(Map<String, String> texts) {
    for (int attempt = 1; true; attempt++) {
      try {
        Resource node = datastore.get(ResourceKey.of(Kind.NODE, self));
        datastore.update(
            node.edit(
                document -> {
                  ObjectNode annotated = document.withObject("/metadata/annotations");
                  texts.forEach(annotated::put);
                }));
        log.write("node %s is annotated with its lease".formatted(self));
        return;
      } catch (ConflictException e) {
        // The kubelet writes the node as well.
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  @Override
  public List<SubnetLease> others() {
    List<SubnetLease> leases = new ArrayList<>();
    new TreeMap<>(nodes())
        .forEach(
            (name, node) -> {
              if (!name.equals(self)) {
                node.lease(name, annotations).ifPresent(leases::add);
              }
            });
    return leases;
  }

  @Override
  public List<String> unreadable() {
    return List.of();
  }

  @Override
  public void renew() {}

  @Override
  public Optional<Instant> renewal() {
    return Optional.empty();
  }

  @Override
  public void close() {
    follower.close();
  }
}
