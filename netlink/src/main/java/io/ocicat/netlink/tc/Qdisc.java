package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A queueing discipline as the kernel reports it.
 *
 * @param link index of the link
 * @param handle its own; {@link Handle#NONE} for those the kernel created by itself
 * @param parent its position: {@link Handle#ROOT}, {@link Handle#INGRESS} or a class
 */
public record Qdisc(
    int link, Handle handle, Handle parent, QdiscOptions discipline, Counters counters) {
  static Qdisc read(NetlinkMessage message) {
    return Tc.reading(
        () -> {
          ByteBuffer header = message.header(Tc.TCMSG);
          Attributes attributes = message.attributes(Tc.TCMSG);
          return new Qdisc(
              header.getInt(Tc.LINK),
              new Handle(header.getInt(Tc.HANDLE)),
              new Handle(header.getInt(Tc.PARENT)),
              readDiscipline(attributes),
              Counters.read(attributes.nested(Tc.TCA_STATS2)));
        });
  }

  private static QdiscOptions readDiscipline(Attributes attributes) {
    String kind = attributes.text(Tc.TCA_KIND, "");
    Optional<? extends QdiscOptions> known =
        switch (kind) {
          case Tbf.KIND -> Tbf.read(attributes.nested(Tc.TCA_OPTIONS));
          case Htb.KIND -> Htb.read(attributes.nested(Tc.TCA_OPTIONS));
          // The options of others need not be attributes at all.
          default -> Optional.empty();
        };
    return known.isPresent() ? known.get() : new QdiscOptions.Plain(kind);
  }
}
