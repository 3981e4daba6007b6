package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A class of a qdisc as the kernel reports it.
 *
 * @param link index of the link
 * @param id its name, with the major number of its qdisc
 * @param parent the class above; {@link Handle#ROOT} for those directly below the qdisc
 * @param leaf the qdisc its packets wait in; {@link Handle#NONE} for the kernel's default one
 */
public record TrafficClass(
    int link, Handle id, Handle parent, Handle leaf, ClassOptions options, Counters counters) {
  static TrafficClass read(NetlinkMessage message) {
    return Tc.reading(
        () -> {
          ByteBuffer header = message.header(Tc.TCMSG);
          Attributes attributes = message.attributes(Tc.TCMSG);
          return new TrafficClass(
              header.getInt(Tc.LINK),
              new Handle(header.getInt(Tc.HANDLE)),
              new Handle(header.getInt(Tc.PARENT)),
              new Handle(header.getInt(Tc.INFO)),
              readOptions(attributes),
              Counters.read(attributes.nested(Tc.TCA_STATS2)));
        });
  }

  private static ClassOptions readOptions(Attributes attributes) {
    String kind = attributes.text(Tc.TCA_KIND, "");
    Optional<HtbClass> known =
        kind.equals(HtbClass.KIND)
            ? HtbClass.read(attributes.nested(Tc.TCA_OPTIONS))
            : Optional.empty();
    return known.isPresent() ? known.get() : new ClassOptions.Other(kind);
  }
}
