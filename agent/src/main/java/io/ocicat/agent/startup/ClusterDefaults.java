package io.ocicat.agent.startup;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates the settings of the cluster that every node expects, as calico/node does: only what is
 * missing, so that any number of nodes may do it at the same time and nothing that a user set is
 * changed. In particular a datastore that is locked stays locked.
 *
 * @param kubernetes whether the datastore is the Kubernetes API
 */
record ClusterDefaults(Datastore datastore, StartupSettings settings, boolean kubernetes) {
  private static final int ATTEMPTS = 10;
  private static final String DEFAULT = "default";
  private static final String OWN_TYPE = "ocicat";

  void ensure(String node) {
    ensure(Kind.CLUSTER_INFORMATION, DEFAULT, this::information);
    ensure(Kind.TIER, DEFAULT, tier(1_000_000, "Deny"));
    ensure(Kind.TIER, "kube-admin", tier(1_000, "Pass"));
    ensure(Kind.TIER, "kube-baseline", tier(10_000_000, "Pass"));
    ensure(
        Kind.FELIX_CONFIGURATION,
        DEFAULT,
        spec -> {
          fill(spec, "reportingInterval", "0s");
          fill(spec, "logSeverityScreen", "Info");
        });
    if (!kubernetes) {
      ensure(
          Kind.FELIX_CONFIGURATION,
          "node." + node,
          spec -> fill(spec, "defaultEndpointToHostAction", "Return"));
    }
    create(
        Kind.BGP_CONFIGURATION,
        spec ->
            spec.put("logSeverityScreen", "Info").put("serviceLoadBalancerAggregation", "Enabled"));
    create(
        Kind.IPAM_CONFIGURATION,
        spec -> spec.put("strictAffinity", false).put("autoAllocateBlocks", true));
  }

  private void information(ObjectNode spec) {
    fill(spec, "clusterGUID", UUID.randomUUID().toString().replace("-", ""));
    Set<String> types = new LinkedHashSet<>(words(spec.path("clusterType").asString("")));
    types.addAll(words(settings.text("CLUSTER_TYPE")));
    if (kubernetes) {
      types.add("kdd");
    }
    spec.put("clusterType", types.isEmpty() ? OWN_TYPE : String.join(",", types));
    if (!spec.path("datastoreReady").isBoolean()) {
      spec.put("datastoreReady", true);
    }
  }

  private static List<String> words(String list) {
    return Stream.of(list.split(",")).map(String::strip).filter(word -> !word.isEmpty()).toList();
  }

  private static Consumer<ObjectNode> tier(int order, String action) {
    return spec -> {
      if (!spec.has("order")) {
        spec.put("order", order);
      }
      fill(spec, "defaultAction", action);
    };
  }

  private static void fill(ObjectNode spec, String member, String value) {
    if (spec.path(member).asString("").isEmpty()) {
      spec.put(member, value);
    }
  }

  /** Creates a resource, or completes the existing one. */
  private void ensure(Kind kind, String name, Consumer<ObjectNode> complete) {
    ResourceKey.Named key = new ResourceKey.Named(kind, "", name);
    for (int attempt = 1; ; attempt++) {
      try {
        Resource before = datastore.get(key);
        Resource after = before.edit(document -> complete.accept(document.withObject("/spec")));
        if (!after.equals(before)) {
          datastore.update(after);
        }
        return;
      } catch (NotFoundException _) {
        if (create(key, complete)) {
          return;
        }
      } catch (ConflictException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void create(Kind kind, Consumer<ObjectNode> spec) {
    ResourceKey.Named key = new ResourceKey.Named(kind, "", DEFAULT);
    try {
      datastore.get(key);
    } catch (NotFoundException _) {
      create(key, spec);
    }
  }

  /** Returns false where another node was faster. */
  private boolean create(ResourceKey.Named key, Consumer<ObjectNode> spec) {
    try {
      datastore.create(Resource.of(key, spec));
      return true;
    } catch (ExistsException _) {
      return false;
    }
  }
}
