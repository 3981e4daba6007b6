package io.ocicat.agent.view;

import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;

/** Which part of a {@link WatchedCluster} is different now. */
public sealed interface ViewChange {
  record NodeChanged(String name) implements ViewChange {}

  record BlockChanged(IpPrefix cidr) implements ViewChange {}

  record EndpointChanged(ResourceKey key) implements ViewChange {}

  record PoolsChanged() implements ViewChange {}

  /** FelixConfiguration of any name. */
  record SettingsChanged() implements ViewChange {}

  /** The ranges of service addresses in BGPConfiguration. */
  record ServicesChanged() implements ViewChange {}

  /** Whether the datastore is ready, in ClusterInformation. */
  record ReadinessChanged() implements ViewChange {}

  /** BGPConfigurations, BGPPeers, BGPFilters, or what BGP needs to know of a node. */
  record BgpChanged() implements ViewChange {}
}
