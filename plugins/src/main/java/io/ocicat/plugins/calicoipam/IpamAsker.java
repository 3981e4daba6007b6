package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.IpVersion;
import io.ocicat.ipam.AssignQuestions;
import io.ocicat.ipam.Conventions;
import io.ocicat.ipam.ReleaseQuestions;
import io.ocicat.plugins.calicocluster.EarlyQuestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks ahead for calls that calico will delegate, by the IPAM that will serve them. */
record IpamAsker(Ipams ipams, Datastore datastore) implements EarlyQuestions.Asker {
  @Override
  public Optional<AssignQuestions> ofAdd(AddCall call) {
    CalicoIpamConf conf = CalicoIpamConf.read(call.config());
    String node = conf.node().require();
    List<IpVersion> versions = new ArrayList<>();
    if (conf.v4()) {
      versions.add(IpVersion.V4);
    }
    if (conf.v6()) {
      versions.add(IpVersion.V6);
    }
    return ipams.find(datastore).flatMap(ipam -> ipam.askToAssign(node, versions));
  }

  @Override
  public Optional<ReleaseQuestions> ofDel(DelCall call) {
    String handle = Conventions.containerHandle(call.network().value(), call.containerId().value());
    return ipams.find(datastore).flatMap(ipam -> ipam.askToRelease(handle));
  }
}
