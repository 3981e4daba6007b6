package io.ocicat.netlink.link;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** An option that is on, off, or unset and left unchanged. */
interface Toggle {
  /** The number of its attribute. */
  int attribute();

  /** Most are a byte, some a word. */
  default boolean isWord() {
    return false;
  }

  static <E extends Enum<E> & Toggle> Map<E, Boolean> with(
      Map<E, Boolean> options, E option, boolean on) {
    Map<E, Boolean> more = new HashMap<>(options);
    more.put(option, on);
    return Map.copyOf(more);
  }

  static <E extends Enum<E> & Toggle> void write(MessageWriter out, Map<E, Boolean> options) {
    new TreeMap<>(options)
        .forEach(
            (option, on) -> {
              if (option.isWord()) {
                out.u32(option.attribute(), on ? 1 : 0);
              } else {
                out.u8(option.attribute(), on ? 1 : 0);
              }
            });
  }

  static <E extends Enum<E> & Toggle> Map<E, Boolean> read(Attributes in, Class<E> type) {
    Map<E, Boolean> options = new EnumMap<>(type);
    for (E option : type.getEnumConstants()) {
      int attribute = option.attribute();
      if (in.has(attribute)) {
        int value = option.isWord() ? in.u32(attribute, 0) : in.u8(attribute, 0);
        options.put(option, value != 0);
      }
    }
    return options;
  }

  /** In the format of {@code ip}: {@code hairpin on, learning off}. */
  static <E extends Enum<E> & Toggle> String words(Map<E, Boolean> options) {
    return String.join(
        ", ",
        new TreeMap<>(options)
            .entrySet().stream()
                .map(option -> option.getKey() + (option.getValue() ? " on" : " off"))
                .toList());
  }
}
