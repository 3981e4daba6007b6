package io.ocicat.netlink;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a message, or inside another attribute, found by type. Everything the kernel
 * (or anyone) sends is checked against its length before it is read: bytes that are no attributes
 * end in a {@link NetlinkException}, never further.
 */
public final class Attributes {
  private static final int HEADER = 4;
  private static final int TYPE_MASK = 0x3fff;

  /** One attribute: its type without flags, and its content. */
  private record Attribute(int type, ByteBuffer value) {}

  private final List<Attribute> all;

  private Attributes(List<Attribute> all) {
    this.all = all;
  }

  public static Attributes parse(ByteBuffer in) {
    List<Attribute> all = new ArrayList<>();
    int at = 0;
    while (in.limit() - at >= HEADER) {
      int length = Short.toUnsignedInt(in.getShort(at));
      if (length < HEADER || length > in.limit() - at) {
        throw NetlinkException.malformed(
            "an attribute claims %d bytes where %d are left".formatted(length, in.limit() - at));
      }
      int type = Short.toUnsignedInt(in.getShort(at + 2)) & TYPE_MASK;
      all.add(new Attribute(type, slice(in, at + HEADER, length - HEADER)));
      at += Math.min((length + 3) & ~3, in.limit() - at);
    }
    return new Attributes(all);
  }

  public boolean has(int type) {
    return find(type) != null;
  }

  public int u8(int type, int otherwise) {
    ByteBuffer value = find(type, 1);
    return value == null ? otherwise : Byte.toUnsignedInt(value.get(0));
  }

  public int u16(int type, int otherwise) {
    ByteBuffer value = find(type, 2);
    return value == null ? otherwise : Short.toUnsignedInt(value.getShort(0));
  }

  public int u32(int type, int otherwise) {
    ByteBuffer value = find(type, 4);
    return value == null ? otherwise : value.getInt(0);
  }

  public long u64(int type, long otherwise) {
    ByteBuffer value = find(type, 8);
    return value == null ? otherwise : value.getLong(0);
  }

  public int be16(int type, int otherwise) {
    ByteBuffer value = find(type, 2);
    return value == null ? otherwise : Short.toUnsignedInt(bigEndian(value).getShort(0));
  }

  public int be32(int type, int otherwise) {
    ByteBuffer value = find(type, 4);
    return value == null ? otherwise : bigEndian(value).getInt(0);
  }

  public long be64(int type, long otherwise) {
    ByteBuffer value = find(type, 8);
    return value == null ? otherwise : bigEndian(value).getLong(0);
  }

  /** A string, with or without its terminating zero. */
  public Optional<String> text(int type) {
    return bytes(type).map(Attributes::untilZero);
  }

  /** The strings of all attributes of one type, in order. */
  public List<String> texts(int type) {
    return all.stream()
        .filter(attribute -> attribute.type() == type)
        .map(attribute -> untilZero(copy(attribute.value())))
        .toList();
  }

  public Optional<byte[]> bytes(int type) {
    ByteBuffer value = find(type);
    return value == null ? Optional.empty() : Optional.of(copy(value));
  }

  /** An IPv4 or IPv6 address, told apart by their size. */
  public Optional<IpAddress> address(int type) {
    return bytes(type)
        .map(
            bytes -> {
              if (bytes.length != 4 && bytes.length != 16) {
                throw NetlinkException.malformed(
                    "attribute %d has %d bytes, which is no IP address"
                        .formatted(type, bytes.length));
              }
              return IpAddress.ofBytes(bytes);
            });
  }

  /** The content as a structure of at least {@code size} bytes, in the machine's byte order. */
  public Optional<ByteBuffer> structure(int type, int size) {
    return Optional.ofNullable(find(type, size));
  }

  /** The same for an attribute that comes several times: each one's content, in order. */
  public List<ByteBuffer> structures(int type, int size) {
    return all.stream()
        .filter(attribute -> attribute.type() == type)
        .map(attribute -> atLeast(size, attribute))
        .toList();
  }

  /** The attributes inside an attribute; none when it is absent. */
  public Attributes nested(int type) {
    ByteBuffer value = find(type);
    return value == null ? new Attributes(List.of()) : parse(value);
  }

  /**
   * What a list attribute holds: each element's attributes, in order, whatever type numbers the
   * elements have.
   */
  public List<Attributes> elements(int type) {
    return nested(type).all.stream().map(element -> parse(element.value())).toList();
  }

  /** The types present, in the order they came. */
  public List<Integer> types() {
    return all.stream().map(Attribute::type).toList();
  }

  private @Nullable ByteBuffer find(int type) {
    for (Attribute attribute : all) {
      if (attribute.type() == type) {
        return attribute.value();
      }
    }
    return null;
  }

  private @Nullable ByteBuffer find(int type, int size) {
    ByteBuffer value = find(type);
    return value == null ? null : atLeast(size, new Attribute(type, value));
  }

  private static ByteBuffer atLeast(int size, Attribute attribute) {
    ByteBuffer value = attribute.value();
    if (value.limit() < size) {
      throw NetlinkException.malformed(
          "attribute %d has %d bytes instead of %d"
              .formatted(attribute.type(), value.limit(), size));
    }
    return value;
  }

  private static ByteBuffer slice(ByteBuffer in, int at, int length) {
    return in.slice(at, length).order(ByteOrder.nativeOrder());
  }

  private static ByteBuffer bigEndian(ByteBuffer value) {
    return value.duplicate().order(ByteOrder.BIG_ENDIAN);
  }

  private static byte[] copy(ByteBuffer value) {
    byte[] bytes = new byte[value.limit()];
    value.get(0, bytes);
    return bytes;
  }

  private static String untilZero(byte[] bytes) {
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, UTF_8);
  }
}
