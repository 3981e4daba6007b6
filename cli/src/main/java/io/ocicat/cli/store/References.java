package io.ocicat.cli.store;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Finds resources that refer to others that do not exist. */
final class References {
  private static final Set<String> TIERS_ALWAYS_THERE =
      Set.of("default", "kube-admin", "kube-baseline");

  /** Kubernetes' namespaces and service accounts, and the profile that Calico provides. */
  private static final List<String> PROFILES_OF_OTHERS =
      List.of("kns.", "ksa.", "projectcalico-default-allow");

  private final Map<Kind, List<Resource>> all;
  private final List<String> found = new ArrayList<>();

  References(Map<Kind, List<Resource>> all) {
    this.all = all;
  }

  /** One line for each, with what to do. */
  List<String> dangling() {
    nodes();
    profiles();
    tiers();
    filters();
    blocks();
    handles();
    return found;
  }

  private List<Resource> of(Kind kind) {
    return all.getOrDefault(kind, List.of());
  }

  private Set<String> names(Kind kind) {
    return of(kind).stream().map(resource -> resource.key().name()).collect(Collectors.toSet());
  }

  private void missing(Resource resource, String field, String what, String remedy) {
    found.add(
        "%s: %s names %s, which does not exist: %s"
            .formatted(resource.describe(), field, what, remedy));
  }

  /** Machines without Calico's agents have no nodes at all; then nothing can be checked. */
  private void nodes() {
    Set<String> nodes = names(Kind.NODE);
    if (nodes.isEmpty()) {
      return;
    }
    for (Kind kind : List.of(Kind.WORKLOAD_ENDPOINT, Kind.HOST_ENDPOINT, Kind.BGP_PEER)) {
      for (Resource resource : of(kind)) {
        String node = resource.text("spec", "node").orElse("");
        if (!node.isEmpty() && !nodes.contains(node)) {
          missing(resource, "spec.node", "Node " + node, "delete it, or create the node");
        }
      }
    }
    for (Resource affinity : of(Kind.BLOCK_AFFINITY)) {
      if (affinity.key() instanceof ResourceKey.Affinity key
          && key.type() == AffinityType.HOST
          && !nodes.contains(key.host())) {
        missing(affinity, "its key", "Node " + key.host(), "release the node's blocks");
      }
    }
  }

  private void profiles() {
    Set<String> profiles = names(Kind.PROFILE);
    for (Kind kind : List.of(Kind.WORKLOAD_ENDPOINT, Kind.HOST_ENDPOINT)) {
      for (Resource resource : of(kind)) {
        for (String name : texts(resource, "profiles")) {
          boolean others = PROFILES_OF_OTHERS.stream().anyMatch(name::startsWith);
          if (!others && !profiles.contains(name)) {
            missing(resource, "spec.profiles", "Profile " + name, "create it");
          }
        }
      }
    }
  }

  private static List<String> texts(Resource resource, String member) {
    return resource.<JsonNode>read(content -> content.path("spec").path(member)).values().stream()
        .map(value -> value.asString(""))
        .toList();
  }

  private void tiers() {
    Set<String> tiers = new HashSet<>(names(Kind.TIER));
    tiers.addAll(TIERS_ALWAYS_THERE);
    for (Kind kind : Arrays.stream(Kind.values()).filter(Kind::isTiered).toList()) {
      for (Resource policy : of(kind)) {
        String tier = policy.text("spec", "tier").orElse("");
        if (!tier.isEmpty() && !tiers.contains(tier)) {
          missing(policy, "spec.tier", "Tier " + tier, "create it, or delete the policy");
        }
      }
    }
  }

  private void filters() {
    Set<String> filters = names(Kind.BGP_FILTER);
    for (Resource peer : of(Kind.BGP_PEER)) {
      for (String name : texts(peer, "filters")) {
        if (!filters.contains(name)) {
          missing(peer, "spec.filters", "BGPFilter " + name, "create it");
        }
      }
    }
  }

  private void blocks() {
    Set<String> blocks = names(Kind.IPAM_BLOCK);
    Set<String> affinities = names(Kind.BLOCK_AFFINITY);
    for (Resource affinity : of(Kind.BLOCK_AFFINITY)) {
      ResourceKey.Affinity key = (ResourceKey.Affinity) affinity.key();
      boolean confirmed =
          affinity
              .<JsonNode>read(content -> content.path("state"))
              .asString("")
              .equals("confirmed");
      if (confirmed && !blocks.contains(key.cidr().toString())) {
        missing(affinity, "its key", "IPAMBlock " + key.cidr(), "release the affinity");
      }
    }
    List<IpPrefix> pools = of(Kind.IP_POOL).stream().map(pool -> IpPool.of(pool).cidr()).toList();
    for (Resource block : of(Kind.IPAM_BLOCK)) {
      String owner = block.text("affinity").orElse("");
      if (!owner.isEmpty() && !affinities.contains(owner + ":" + block.key().name())) {
        missing(block, "affinity", "BlockAffinity " + owner, "run \"ocicat ipam check\"");
      }
      IpPrefix cidr = ((ResourceKey.Block) block.key()).cidr();
      if (pools.stream().noneMatch(pool -> pool.overlaps(cidr))) {
        found.add(
            "%s: its addresses are in no IPPool: create the pool again, or release them"
                .formatted(block.describe()));
      }
    }
  }

  private void handles() {
    Set<String> blocks = names(Kind.IPAM_BLOCK);
    for (Resource handle : of(Kind.IPAM_HANDLE)) {
      for (String cidr :
          handle.<List<String>>read(
              content -> List.copyOf(content.path("block").propertyNames()))) {
        if (!blocks.contains(cidr)) {
          missing(handle, "block", "IPAMBlock " + cidr, "run \"ocicat ipam check\"");
        }
      }
    }
  }
}
