package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A filter as the kernel reports it.
 *
 * @param handle distinguishes it from the others at its position; a {@link U32Handle} for u32. The
 *     kernel also reports the position itself, before its filters, with a handle of 0
 */
public record Filter(FilterPosition place, int handle, Classifier classifier) {
  static Filter read(NetlinkMessage message) {
    return Tc.reading(
        () -> {
          ByteBuffer header = message.header(Tc.TCMSG);
          int handle = header.getInt(Tc.HANDLE);
          FilterPosition place =
              FilterPosition.read(
                  header.getInt(Tc.LINK),
                  new Handle(header.getInt(Tc.PARENT)),
                  header.getInt(Tc.INFO));
          Attributes attributes = message.attributes(Tc.TCMSG);
          return new Filter(place, handle, readClassifier(handle, attributes));
        });
  }

  private static Classifier readClassifier(int handle, Attributes attributes) {
    String kind = attributes.text(Tc.TCA_KIND, "");
    Optional<? extends Classifier> known =
        switch (kind) {
          case U32.KIND -> readU32(handle, attributes.nested(Tc.TCA_OPTIONS));
          case MatchAll.KIND -> Optional.of(MatchAll.read(attributes.nested(Tc.TCA_OPTIONS)));
          default -> Optional.empty();
        };
    return known.isPresent() ? known.get() : new Classifier.Other(kind);
  }

  private static Optional<? extends Classifier> readU32(int handle, Attributes options) {
    return U32Table.isIn(options)
        ? Optional.of(U32Table.read(handle, options))
        : U32.read(handle, options);
  }
}
