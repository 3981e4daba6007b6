package io.ocicat.agent.flannel;

import io.ocicat.datastore.kv.KeyValue;
import java.util.Optional;

/**
 * The keys of a flannel network.
 *
 * @param prefix without a slash at its end
 */
record LeaseKeys(String prefix) {
  /** What all of them start with. */
  String all() {
    return prefix + "/";
  }

  String configuration() {
    return prefix + "/config";
  }

  String subnets() {
    return prefix + "/subnets/";
  }

  /** Changed by every allocation of an agent; flanneld does not know it. */
  String allocations() {
    return prefix + "/ocicat/allocations";
  }

  String key(String lease) {
    return subnets() + lease;
  }

  /** Reads a lease; empty when the key is another one, or cannot be read. */
  Optional<SubnetLease> lease(KeyValue entry) {
    if (!entry.key().startsWith(subnets())) {
      return Optional.empty();
    }
    String name = entry.key().substring(subnets().length());
    return LeaseSubnets.parse(name)
        .map(
            subnets ->
                new SubnetLease(
                    name, subnets, attributes(entry), entry.created(), entry.lease() == 0));
  }

  /** The subnet counts as leased whatever the value is. */
  private static LeaseAttributes attributes(KeyValue entry) {
    try {
      return LeaseAttributes.parse(entry.value());
    } catch (IllegalArgumentException _) {
      return new LeaseAttributes(null, null, "", null, null);
    }
  }

  /** Why the entry is not a lease that can be used; empty when it is, or is another key. */
  Optional<String> problem(KeyValue entry) {
    if (!entry.key().startsWith(subnets())) {
      return Optional.empty();
    }
    if (LeaseSubnets.parse(entry.key().substring(subnets().length())).isEmpty()) {
      return Optional.of("key %s is ignored: it is not that of a lease".formatted(entry.key()));
    }
    try {
      LeaseAttributes.parse(entry.value());
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("lease %s is ignored: %s".formatted(entry.key(), e.getMessage()));
    }
  }
}
