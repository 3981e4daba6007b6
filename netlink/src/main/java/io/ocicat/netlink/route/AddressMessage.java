package io.ocicat.netlink.route;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An address on the wire: struct ifaddrmsg and its attributes (linux/if_addr.h). */
final class AddressMessage {
  private static final int HEADER = 8;
  private static final int INDEX = 4;
  private static final int IFA_ADDRESS = 1;
  private static final int IFA_LOCAL = 2;
  private static final int IFA_LABEL = 3;
  private static final int IFA_BROADCAST = 4;
  private static final int IFA_CACHEINFO = 6;
  private static final int IFA_FLAGS = 8;
  private static final int IFA_RT_PRIORITY = 9;
  private static final int CACHEINFO = 16;

  private AddressMessage() {}

  static Address read(NetlinkMessage message) {
    return FamilyHeader.value(() -> parse(message));
  }

  private static Address parse(NetlinkMessage message) {
    ByteBuffer header = message.header(HEADER);
    IpFamily family = FamilyHeader.familyOf(message);
    Attributes attributes = message.attributes(HEADER);
    // IFA_ADDRESS is the other end of a point-to-point link. IPv6 omits IFA_LOCAL when there is
    // none; IPv4 sends the same address twice.
    IpAddress address = FamilyHeader.address(attributes, IFA_ADDRESS, family);
    IpAddress local = FamilyHeader.address(attributes, IFA_LOCAL, family);
    IpAddress own = local == null ? address : local;
    if (own == null) {
      throw NetlinkException.malformed("an address message without an address");
    }
    return new Address(
        Device.of(header.getInt(INDEX)),
        IpPrefix.of(own, Byte.toUnsignedInt(header.get(1))),
        Objects.equals(own, address) ? null : address,
        attributes.address(IFA_BROADCAST).orElse(null),
        attributes.text(IFA_LABEL, ""),
        new Scope(Byte.toUnsignedInt(header.get(3))),
        AddressFlag.ofBits(attributes.u32(IFA_FLAGS, Byte.toUnsignedInt(header.get(2)))),
        lifetime(attributes),
        Integer.toUnsignedLong(attributes.u32(IFA_RT_PRIORITY, 0)));
  }

  private static Lifetime lifetime(Attributes attributes) {
    return attributes
        .structure(IFA_CACHEINFO, CACHEINFO)
        .map(
            info ->
                new Lifetime(
                    Integer.toUnsignedLong(info.getInt(0)), Integer.toUnsignedLong(info.getInt(4))))
        .orElse(Lifetime.FOREVER);
  }

  /** The whole address, to be added or changed. */
  static void write(MessageWriter out, Address address) {
    int flags = AddressFlag.toBits(address.flags());
    writeName(out, address, flags);
    IpAddress broadcast = address.broadcast();
    if (broadcast != null) {
      out.bytes(IFA_BROADCAST, broadcast.toByteArray());
    }
    out.u32(IFA_FLAGS, flags);
    Lifetime lifetime = address.lifetime();
    if (!lifetime.isEndless()) {
      out.structure(
          IFA_CACHEINFO,
          () ->
              out.field32((int) lifetime.preferred())
                  .field32((int) lifetime.valid())
                  .field64(0)); // Creation and change times, which only the kernel sets.
    }
    if (address.metric() != 0) {
      out.u32(IFA_RT_PRIORITY, (int) address.metric());
    }
  }

  /** The part that identifies an address, to delete it. */
  static void writeName(MessageWriter out, Address address, int flags) {
    header(out, address.family().number(), address.prefix().length(), flags, address);
    IpAddress own = address.prefix().address();
    IpAddress peer = address.peer();
    out.bytes(IFA_LOCAL, own.toByteArray());
    out.bytes(IFA_ADDRESS, (peer == null ? own : peer).toByteArray());
    if (!address.label().isEmpty()) {
      out.text(IFA_LABEL, address.label());
    }
  }

  private static void header(
      MessageWriter out, int family, int length, int flags, Address address) {
    out.field8(family).field8(length).field8(flags).field8(address.scope().number());
    out.field32(address.device().index());
  }

  /** The filter of a listing; the kernel omits everything else. */
  static void writeFilter(MessageWriter out, @Nullable IpFamily family, @Nullable Device device) {
    out.field8(family == null ? 0 : family.number()).zeros(3);
    out.field32(device == null ? 0 : device.index());
  }
}
