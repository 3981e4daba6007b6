package io.ocicat.netlink.nft;

import io.ocicat.netlink.linux.NetlinkException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The types of a key, or of the data of a map: one type, or several concatenated as in {@code
 * inet_proto . inet_service}. inet_service}. Concatenated values each start at a multiple of four
 * bytes, where the next register starts.
 *
 * @param number the types as nft packs them into one number, six bits each
 * @param length bytes altogether
 * @param types empty when the number contains types that {@link DataType} does not have; then the
 *     whole is a single opaque value
 */
public record KeyLayout(int number, int length, List<DataType> types) {
  private static final int TYPE_BITS = 6;
  private static final int TYPE_MASK = (1 << TYPE_BITS) - 1;

  /** Registers have 64 bytes together. */
  private static final int MAX_BYTES = 64;

  private static final int MAX_TYPES = 5;

  public KeyLayout {
    types = List.copyOf(types);
  }

  public static KeyLayout of(DataType... types) {
    return of(List.of(types));
  }

  static KeyLayout of(List<DataType> types) {
    if (types.isEmpty() || types.size() > MAX_TYPES || types.contains(DataType.OPAQUE)) {
      throw new IllegalArgumentException(
          "a key is made of 1 to %d known types, not of %s".formatted(MAX_TYPES, types));
    }
    int number = 0;
    int length = 0;
    for (DataType type : types) {
      number = number << TYPE_BITS | type.number();
      length += padded(type.size());
    }
    if (length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "%s needs %d bytes of registers, there are %d".formatted(text(types), length, MAX_BYTES));
    }
    return new KeyLayout(number, types.size() == 1 ? types.getFirst().size() : length, types);
  }

  /** From what the kernel stored; if types and length disagree, it is opaque. */
  static KeyLayout read(int number, int length) {
    if (length < 1 || length > MAX_BYTES) {
      throw NetlinkException.malformed("a set has keys or data of " + length + " bytes");
    }
    List<DataType> types = new ArrayList<>();
    for (int rest = number; rest != 0 && types.size() < MAX_TYPES; rest >>>= TYPE_BITS) {
      DataType.of(rest & TYPE_MASK).ifPresent(types::addFirst);
    }
    if (!types.isEmpty()) {
      int paddedLength = types.stream().mapToInt(type -> padded(type.size())).sum();
      if (paddedLength <= MAX_BYTES) {
        KeyLayout known = of(types);
        if (known.number == number && known.length == length) {
          return known;
        }
      }
    }
    return new KeyLayout(number, length, List.of());
  }

  /** The bytes of these values, which must be of these types. */
  Bytes join(List<Value> values) {
    if (!fits(values)) {
      String given = text(values.stream().map(Value::type).toList());
      throw new IllegalArgumentException(
          "%s is of type %s, not %s".formatted(valueText(values), given, this));
    }
    if (types.size() == 1) {
      return values.getFirst().bytes();
    }
    byte[] joined = new byte[length];
    int at = 0;
    for (Value value : values) {
      byte[] bytes = value.bytes().toByteArray();
      System.arraycopy(bytes, 0, joined, at, bytes.length);
      at += padded(bytes.length);
    }
    return Bytes.of(joined);
  }

  private boolean fits(List<Value> values) {
    if (types.isEmpty() || values.size() != types.size()) {
      return false;
    }
    for (int i = 0; i < types.size(); i++) {
      if (!values.get(i).type().equals(types.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** The values in these bytes. */
  List<Value> split(Bytes joined) {
    if (joined.length() != length) {
      throw NetlinkException.malformed(
          "a key or datum has %d bytes instead of %d".formatted(joined.length(), length));
    }
    if (types.isEmpty()) {
      return List.of(new Value(DataType.OPAQUE, joined));
    }
    List<Value> values = new ArrayList<>(types.size());
    int at = 0;
    for (DataType type : types) {
      values.add(new Value(type, joined.slice(at, type.size())));
      at += padded(type.size());
    }
    return values;
  }

  boolean isJoined() {
    return types.size() > 1;
  }

  /** Whether the order of the bytes is the order of the values, as intervals need it. */
  boolean isOrdered() {
    return !types.isEmpty() && types.stream().allMatch(DataType::isBigEndian);
  }

  /** NFTNL_UDATA_SET_KEYBYTEORDER: 0 unknown or mixed, 1 the machine's, 2 big-endian. */
  int byteOrder() {
    if (types.size() != 1) {
      return 0;
    }
    return types.getFirst().isBigEndian() ? 2 : 1;
  }

  static String valueText(List<Value> values) {
    return values.stream().map(Value::toString).collect(Collectors.joining(" . "));
  }

  private static String text(List<DataType> types) {
    return types.stream().map(DataType::toString).collect(Collectors.joining(" . "));
  }

  private static int padded(int size) {
    return (size + 3) & ~3;
  }

  @Override
  public String toString() {
    return types.isEmpty() ? "type " + number : text(types);
  }
}
