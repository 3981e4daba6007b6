package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ipam.assign.AssignPrefetch;
import io.ocicat.ipam.assign.ReleasePrefetch;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.plugins.calicocluster.IpamPrefetch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks ahead for calls that calico will delegate, by the IPAM that will serve them. */
record CalicoIpamPrefetch(IpamCache ipams, Datastore datastore) implements IpamPrefetch.Asker {
  @Override
  public Optional<AssignPrefetch> ofAdd(AddCall call) {
    CalicoIpamConf conf = CalicoIpamConf.read(call.config());
    String node = conf.node().require();
    List<IpVersion> versions = new ArrayList<>();
    if (conf.v4()) {
      versions.add(IpVersion.V4);
    }
    if (conf.v6()) {
      versions.add(IpVersion.V6);
    }
    return ipams.find(datastore).flatMap(ipam -> ipam.prefetchAssign(node, versions));
  }

  @Override
  public Optional<ReleasePrefetch> ofDel(DelCall call) {
    String handle =
        CalicoConventions.containerHandle(call.network().value(), call.containerId().value());
    return ipams.find(datastore).flatMap(ipam -> ipam.prefetchRelease(handle));
  }
}
