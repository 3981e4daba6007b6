package io.ocicat.netlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.testkit.Seeded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Malformed messages that no kernel would send, for readers that must survive them. */
public final class Garbage {
  private static final int ROUNDS = 20_000;

  private Garbage() {}

  /**
   * Reads random bytes, and real messages cut short, with bytes changed and pieces swapped: each
   * must give a value or a {@link NetlinkException}; any other exception fails.
   */
  public static void feed(List<NetlinkMessage> real, Function<NetlinkMessage, ?> read) {
    Seeded.forAll(
        ROUNDS,
        random -> {
          byte[] bytes = random.nextInt(4) == 0 ? noise(random) : mutation(random, real);
          ByteBuffer payload = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
          try {
            assertThat(read.apply(new NetlinkMessage(0, 0, 1, payload))).asString().isNotEmpty();
          } catch (NetlinkException _) {
            // A clean exception: the sender is to blame.
          }
        });
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    if (bytes.length > 0 && random.nextBoolean()) {
      bytes[0] = (byte) (random.nextBoolean() ? 2 : 10);
    }
    return bytes;
  }

  private static byte[] mutation(Random random, List<NetlinkMessage> real) {
    byte[] bytes = bytes(pick(random, real));
    for (int change = random.nextInt(4); change >= 0; change--) {
      if (bytes.length == 0) {
        return bytes;
      }
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes = Arrays.copyOf(bytes, at);
        case 3 -> bytes[at] = (byte) (random.nextBoolean() ? 0 : 0xff);
        default -> {
          byte[] other = bytes(pick(random, real));
          int from = Math.min(at, other.length);
          int length = Math.min(bytes.length - at, other.length - from);
          System.arraycopy(other, from, bytes, at, length);
        }
      }
    }
    return bytes;
  }

  private static NetlinkMessage pick(Random random, List<NetlinkMessage> real) {
    return real.get(random.nextInt(real.size()));
  }

  private static byte[] bytes(NetlinkMessage message) {
    byte[] bytes = new byte[message.payload().limit()];
    message.payload().get(0, bytes);
    return bytes;
  }
}
