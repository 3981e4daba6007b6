package io.ocicat.netlink.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A value of one type, in the form of a register. Several in a row make a key or the data of a map.
 *
 * @param bytes in the byte order of the type
 */
public record Value(DataType type, Bytes bytes) {
  public Value {
    if (type != DataType.OPAQUE && bytes.length() != type.size()) {
      throw new IllegalArgumentException(
          "a value of type %s has %d bytes, not %d".formatted(type, type.size(), bytes.length()));
    }
  }

  public static Value address(IpAddress address) {
    return new Value(
        address.isV4() ? DataType.IPV4_ADDR : DataType.IPV6_ADDR, Bytes.of(address.toByteArray()));
  }

  public static Value mac(MacAddress address) {
    return new Value(DataType.ETHER_ADDR, Bytes.of(address.toByteArray()));
  }

  public static Value protocol(L4Protocol protocol) {
    return number(DataType.INET_PROTO, protocol.number());
  }

  public static Value port(int port) {
    return number(DataType.INET_SERVICE, port);
  }

  public static Value mark(int mark) {
    return number(DataType.MARK, Integer.toUnsignedLong(mark));
  }

  public static Value interfaceIndex(int index) {
    return number(DataType.IFACE_INDEX, index);
  }

  public static Value interfaceName(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    if (bytes.length == 0 || bytes.length >= DataType.IFNAME.size() || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "\"%s\" cannot name an interface: 1 to %d bytes, none of them zero"
              .formatted(name, DataType.IFNAME.size() - 1));
    }
    return new Value(DataType.IFNAME, Bytes.of(Arrays.copyOf(bytes, DataType.IFNAME.size())));
  }

  /** A value of any numeric type. */
  public static Value number(DataType type, long number) {
    if (type.size() == 0 || type.size() > Long.BYTES) {
      throw new IllegalArgumentException("type " + type + " is no number");
    }
    if (number < 0 || number >>> (8 * type.size() - 1) > 1) {
      throw new IllegalArgumentException(
          "%s %d is out of range: 0 to %d".formatted(type, number, (1L << (8 * type.size())) - 1));
    }
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    Bytes bigEndian = Bytes.of(bytes).slice(Long.BYTES - type.size(), type.size());
    return new Value(type, type.isBigEndian() ? bigEndian : nativeOrder(bigEndian));
  }

  /** What was passed to {@link #number}. */
  public long number() {
    return new BigInteger(1, bigEndianBytes().toByteArray()).longValueExact();
  }

  public IpAddress address() {
    return IpAddress.ofBytes(bytes.toByteArray());
  }

  public MacAddress mac() {
    return MacAddress.ofBytes(bytes.toByteArray());
  }

  public String interfaceName() {
    byte[] name = bytes.toByteArray();
    int length = 0;
    while (length < name.length && name[length] != 0) {
      length++;
    }
    return new String(name, 0, length, UTF_8);
  }

  /** In the byte order in which bytes compare like numbers. */
  Bytes bigEndianBytes() {
    return type.isBigEndian() || type == DataType.IFNAME || type == DataType.OPAQUE
        ? bytes
        : nativeOrder(bytes);
  }

  private static Bytes nativeOrder(Bytes bigEndian) {
    if (ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN) {
      return bigEndian;
    }
    byte[] reversed = bigEndian.toByteArray();
    for (int i = 0; i < reversed.length / 2; i++) {
      byte swapped = reversed[i];
      reversed[i] = reversed[reversed.length - 1 - i];
      reversed[reversed.length - 1 - i] = swapped;
    }
    return Bytes.of(reversed);
  }

  /** In nft's syntax. */
  @Override
  public String toString() {
    return switch (type) {
      case IPV4_ADDR, IPV6_ADDR -> address().toString();
      case ETHER_ADDR -> mac().toString();
      case IFNAME -> '"' + interfaceName() + '"';
      case MARK -> "0x%08x".formatted(number());
      case ETHER_TYPE -> Layer.etherTypeWord(number());
      case NF_PROTO -> number() == TableFamily.IP.number() ? "ipv4" : "ipv6";
      case INET_PROTO -> Symbol.wordFor(L4Protocol.values(), number());
      case CT_STATE -> Symbol.wordsFor(CtState.values(), number());
      case CT_STATUS -> Symbol.wordsFor(CtStatus.values(), number());
      case CT_DIR -> Symbol.wordFor(Direction.values(), number());
      case FIB_ADDRTYPE -> Symbol.wordFor(AddressType.values(), number());
      case PKT_TYPE -> Symbol.wordFor(PacketType.values(), number());
      case BOOLEAN -> number() == 0 ? "missing" : "exists";
      case INTEGER,
          ARP_OP,
          INET_SERVICE,
          ICMP_TYPE,
          ICMP_CODE,
          ICMPV6_TYPE,
          ICMPV6_CODE,
          IFACE_INDEX,
          IFACE_TYPE,
          DEVGROUP ->
          Long.toString(number());
      case OPAQUE -> "0x" + bytes;
    };
  }
}
