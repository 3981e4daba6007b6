package io.ocicat.cli.store;

import io.ocicat.cli.resource.RejectedException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.model.BuiltInProfile;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists everything in a datastore, kind by kind, in an order in which it can be created again:
 * tiers before their policies, pools before the blocks that are allocated from them.
 */
final class DatastoreContents {
  /** What is created before everything else. */
  private static final List<Kind> FIRST =
      List.of(
          Kind.CLUSTER_INFORMATION,
          Kind.TIER,
          Kind.IP_POOL,
          Kind.NODE,
          Kind.PROFILE,
          Kind.BGP_FILTER);

  /**
   * What Kubernetes derives from its own objects: pods, namespaces with their service accounts,
   * nodes, and services. We cannot copy them there, and they do not conflict with a copy.
   */
  private static final Set<Kind> OF_KUBERNETES =
      Set.of(Kind.WORKLOAD_ENDPOINT, Kind.PROFILE, Kind.NODE, Kind.NAMESPACE, Kind.ENDPOINT_SLICE);

  private DatastoreContents() {}

  /** Whether resources of a kind can be copied to a datastore at all. */
  static boolean isCopied(Kind kind, boolean toKubernetes) {
    return !(toKubernetes && OF_KUBERNETES.contains(kind));
  }

  /** All kinds. {@link Kind#IPAM_HOST} belongs to versions long gone. */
  static List<Kind> kinds() {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind != Kind.IPAM_HOST)
        .sorted(
            Comparator.comparingInt(
                kind -> FIRST.contains(kind) ? FIRST.indexOf(kind) : FIRST.size()))
        .toList();
  }

  /**
   * All stored resources of a kind.
   *
   * @throws RejectedException when one cannot be read
   */
  static List<Resource> of(Datastore datastore, Kind kind) {
    ResourcePage page = page(datastore, kind);
    if (!page.unreadable().isEmpty()) {
      List<String> reasons = new ArrayList<>();
      page.unreadable().forEach(it -> reasons.add(it.problem()));
      reasons.add("some resources cannot be read: see \"ocicat datastore check\"");
      throw new RejectedException(reasons);
    }
    return page.items();
  }

  /** The same with the unreadable ones listed separately. */
  static ResourcePage page(Datastore datastore, Kind kind) {
    if (kind == Kind.IPAM_CONFIG) {
      try {
        return new ResourcePage(
            "", List.of(datastore.get(new ResourceKey.IpamConfig())), List.of(), null);
      } catch (NotFoundException _) {
        return new ResourcePage("", List.of(), List.of(), null);
      }
    }
    ResourcePage page;
    try {
      page = datastore.list(ResourceQuery.of(kind));
    } catch (UnsupportedException _) {
      // A cluster that does not define the kind holds none.
      return new ResourcePage("", List.of(), List.of(), null);
    }
    List<Resource> stored =
        page.items().stream().filter(item -> BuiltInProfile.find(item.key()).isEmpty()).toList();
    return new ResourcePage(page.revision(), stored, page.unreadable(), null);
  }

  /** A resource as it is after being stored, so that defaults make no difference. */
  static ObjectNode normal(Resource resource) {
    try {
      return ResourceAdmission.standard().forUpdate(resource.withRevision("1")).content();
    } catch (InvalidException _) {
      return resource.content();
    }
  }
}
