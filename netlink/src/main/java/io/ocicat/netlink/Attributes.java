package io.ocicat.netlink;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The attributes of a message, or inside another attribute, found by type. Every length is checked
 * before the content is read: malformed bytes end in a {@link NetlinkException}.
 *
 * <p>Parsing records only the positions of the attributes: a link has fifty of them, and most
 * readers want three.
 */
public final class Attributes {
  private static final int HEADER = 4;
  private static final int TYPE_MASK = 0x3fff;
  private static final int ABSENT = -1;
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final Attributes NONE = new Attributes(new byte[0], new int[0]);

  private final byte[] in;
  private final int[] places;

  private Attributes(byte[] in, int[] places) {
    this.in = in;
    this.places = places;
  }

  /** The attributes in an array-backed buffer, from its start to its limit. */
  public static Attributes parse(ByteBuffer in) {
    return parse(in.array(), in.arrayOffset(), in.arrayOffset() + in.limit());
  }

  private static Attributes parse(byte[] in, int from, int to) {
    int[] places = new int[16];
    int count = 0;
    int at = from;
    while (to - at >= HEADER) {
      int length = get16(in, at);
      if (length < HEADER || length > to - at) {
        throw NetlinkException.malformed(
            "an attribute claims %d bytes where %d are left".formatted(length, to - at));
      }
      if (count == places.length) {
        places = Arrays.copyOf(places, count * 2);
      }
      places[count++] = at;
      at += Math.min((length + 3) & ~3, to - at);
    }
    return new Attributes(in, Arrays.copyOf(places, count));
  }

  public boolean has(int type) {
    return find(type) != ABSENT;
  }

  public int u8(int type, int otherwise) {
    int at = find(type, 1);
    return at == ABSENT ? otherwise : Byte.toUnsignedInt(in[at + HEADER]);
  }

  public int u16(int type, int otherwise) {
    int at = find(type, 2);
    return at == ABSENT ? otherwise : get16(in, at + HEADER);
  }

  public int u32(int type, int otherwise) {
    int at = find(type, 4);
    return at == ABSENT ? otherwise : get32(in, at + HEADER);
  }

  public long u64(int type, long otherwise) {
    int at = find(type, 8);
    return at == ABSENT ? otherwise : get64(in, at + HEADER);
  }

  public int be16(int type, int otherwise) {
    int at = find(type, 2);
    if (at == ABSENT) {
      return otherwise;
    }
    int value = get16(in, at + HEADER);
    return LITTLE ? Short.toUnsignedInt(Short.reverseBytes((short) value)) : value;
  }

  public int be32(int type, int otherwise) {
    int at = find(type, 4);
    if (at == ABSENT) {
      return otherwise;
    }
    int value = get32(in, at + HEADER);
    return LITTLE ? Integer.reverseBytes(value) : value;
  }

  public long be64(int type, long otherwise) {
    int at = find(type, 8);
    if (at == ABSENT) {
      return otherwise;
    }
    long value = get64(in, at + HEADER);
    return LITTLE ? Long.reverseBytes(value) : value;
  }

  /** A string, with or without its terminating zero. */
  public Optional<String> text(int type) {
    int at = find(type);
    return at == ABSENT ? Optional.empty() : Optional.of(textAt(at));
  }

  public String text(int type, String otherwise) {
    int at = find(type);
    return at == ABSENT ? otherwise : textAt(at);
  }

  /** The strings of all attributes of one type, in order. */
  public List<String> texts(int type) {
    return placesOf(type).mapToObj(this::textAt).toList();
  }

  public Optional<byte[]> bytes(int type) {
    int at = find(type);
    return at == ABSENT ? Optional.empty() : Optional.of(bytesAt(at));
  }

  /** An IPv4 or IPv6 address, distinguished by its size. */
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
    int at = find(type, size);
    return at == ABSENT ? Optional.empty() : Optional.of(valueAt(at));
  }

  /** The same for an attribute that comes several times: each one's content, in order. */
  public List<ByteBuffer> structures(int type, int size) {
    return placesOf(type).mapToObj(at -> valueAt(atLeast(size, at))).toList();
  }

  /** The attributes inside an attribute; none when it is absent. */
  public Attributes nested(int type) {
    int at = find(type);
    return at == ABSENT ? NONE : nestedAt(at);
  }

  /**
   * The elements of a list attribute: each element's attributes, in order, whatever type numbers
   * the elements have.
   */
  public List<Attributes> elements(int type) {
    Attributes list = nested(type);
    return IntStream.of(list.places).mapToObj(list::nestedAt).toList();
  }

  /** The types present, in the order they came. */
  public List<Integer> types() {
    return IntStream.of(places).mapToObj(this::typeAt).toList();
  }

  private int find(int type) {
    for (int at : places) {
      if (typeAt(at) == type) {
        return at;
      }
    }
    return ABSENT;
  }

  private int find(int type, int size) {
    int at = find(type);
    return at == ABSENT ? ABSENT : atLeast(size, at);
  }

  private IntStream placesOf(int type) {
    return IntStream.of(places).filter(at -> typeAt(at) == type);
  }

  private int atLeast(int size, int at) {
    if (sizeAt(at) < size) {
      throw NetlinkException.malformed(
          "attribute %d has %d bytes instead of %d".formatted(typeAt(at), sizeAt(at), size));
    }
    return at;
  }

  private int typeAt(int at) {
    return get16(in, at + 2) & TYPE_MASK;
  }

  private int sizeAt(int at) {
    return get16(in, at) - HEADER;
  }

  private Attributes nestedAt(int at) {
    return parse(in, at + HEADER, at + HEADER + sizeAt(at));
  }

  private ByteBuffer valueAt(int at) {
    return ByteBuffer.wrap(in, at + HEADER, sizeAt(at)).slice().order(ByteOrder.nativeOrder());
  }

  private byte[] bytesAt(int at) {
    return Arrays.copyOfRange(in, at + HEADER, at + HEADER + sizeAt(at));
  }

  private String textAt(int at) {
    int from = at + HEADER;
    int end = from + sizeAt(at);
    int to = from;
    while (to < end && in[to] != 0) {
      to++;
    }
    return new String(in, from, to - from, UTF_8);
  }

  private static int get16(byte[] in, int at) {
    int first = Byte.toUnsignedInt(in[at]);
    int second = Byte.toUnsignedInt(in[at + 1]);
    return LITTLE ? first | second << 8 : first << 8 | second;
  }

  private static int get32(byte[] in, int at) {
    int first = get16(in, at);
    int second = get16(in, at + 2);
    return LITTLE ? first | second << 16 : first << 16 | second;
  }

  private static long get64(byte[] in, int at) {
    long first = Integer.toUnsignedLong(get32(in, at));
    long second = Integer.toUnsignedLong(get32(in, at + 4));
    return LITTLE ? first | second << 32 : first << 32 | second;
  }
}
