package io.ocicat.ip;

import java.util.Random;

/** Random addresses that hit the edge cases more often than chance would. */
final class Addresses {
  private Addresses() {}

  static IpAddress any(Random random) {
    return random.nextBoolean() ? v4(random) : v6(random);
  }

  static IpAddress v4(Random random) {
    return IpAddress.ofV4(random.nextInt(8) == 0 ? edge(random) : random.nextInt());
  }

  static IpAddress v6(Random random) {
    return IpAddress.ofV6(word(random), word(random));
  }

  /** Groups are often zero or all ones, so that "::" and carries happen. */
  private static long word(Random random) {
    long word = 0;
    for (int group = 0; group < 4; group++) {
      int value =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> 0xffff;
            default -> random.nextInt(0x10000);
          };
      word = word << 16 | value;
    }
    return word;
  }

  private static int edge(Random random) {
    return random.nextBoolean() ? random.nextInt(2) : -1 - random.nextInt(2);
  }

  static IpPrefix prefix(Random random) {
    IpAddress address = any(random);
    return IpPrefix.of(address, random.nextInt(address.bitLength() + 1));
  }
}
