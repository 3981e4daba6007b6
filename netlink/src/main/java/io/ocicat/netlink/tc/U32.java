package io.ocicat.netlink.tc;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A filter that compares 32-bit words of the packet, all of which must match.
 *
 * @param at the filter's own handle
 * @param flow the class the packet goes to; {@link Handle#NONE} for none
 * @param jump another hash table to go on in, instead of ending here
 * @param actions done in order
 */
public record U32(
    U32Handle at, List<Key> keys, Handle flow, Optional<Jump> jump, List<Action> actions)
    implements Classifier {
  static final String KIND = "u32";
  private static final int CLASSID = 1;
  private static final int HASH = 2;
  private static final int LINK = 3;
  private static final int SEL = 5;
  private static final int ACT = 7;

  private static final int TERMINAL = 1;
  // struct tc_u32_sel: flags, shift, number of keys, three offsets, hash offset, hash mask.
  private static final int KEY_COUNT = 2;
  private static final int HASH_OFFSET = 10;
  private static final int HASH_MASK = 12;
  private static final int SEL_SIZE = 16;
  private static final int KEY_SIZE = 16;
  private static final int MAX_KEYS = 255;

  /**
   * One comparison: the word at {@code offset} bytes from the start of the network header, of which
   * only the bits in {@code mask} count.
   */
  public record Key(int value, int mask, int offset) {
    private static final Key EVERYTHING = new Key(0, 0, 0);

    /** As tc prints it: {@code 0a010000/ffff0000 at 16}. */
    @Override
    public String toString() {
      return "%08x/%08x at %d".formatted(value, mask, offset);
    }
  }

  /**
   * Goes on in a hash table, in the bucket that the word at {@code hashOffset} chooses: its bits in
   * {@code hashMask}, shifted down.
   */
  public record Jump(U32Handle table, int hashMask, int hashOffset) {}

  public U32 {
    keys = List.copyOf(keys);
    actions = List.copyOf(actions);
    if (keys.size() > MAX_KEYS) {
      throw new IllegalArgumentException(
          "a u32 filter compares at most 255 words, not " + keys.size());
    }
  }

  /** A filter for every packet. */
  public static U32 everything() {
    return matching(List.of(Key.EVERYTHING));
  }

  /** A filter for packets that match all keys, for instance those of an {@link IpMatch}. */
  public static U32 matching(List<Key> keys) {
    List<Key> some = keys.isEmpty() ? List.of(Key.EVERYTHING) : keys;
    return new U32(U32Handle.NONE, some, Handle.NONE, Optional.empty(), List.of());
  }

  /** With a handle, or at least a hash table and bucket, of its own. */
  public U32 at(U32Handle handle) {
    return new U32(handle, keys, flow, jump, actions);
  }

  public U32 flow(Handle to) {
    return new U32(at, keys, to, jump, actions);
  }

  public U32 jump(Jump to) {
    return new U32(at, keys, flow, Optional.of(to), actions);
  }

  /** With one more action. */
  public U32 action(Action action) {
    List<Action> more = new ArrayList<>(actions);
    more.add(action);
    return new U32(at, keys, flow, jump, more);
  }

  @Override
  public String kind() {
    return KIND;
  }

  static Optional<U32> read(int handle, Attributes options) {
    return options.structure(SEL, SEL_SIZE).map(in -> read(new U32Handle(handle), in, options));
  }

  private static U32 read(U32Handle at, ByteBuffer in, Attributes options) {
    ByteBuffer packet = in.duplicate().order(ByteOrder.BIG_ENDIAN);
    int count = Byte.toUnsignedInt(in.get(KEY_COUNT));
    if (in.limit() < SEL_SIZE + count * KEY_SIZE) {
      throw new IllegalArgumentException(
          "a u32 filter of %d keys in %d bytes".formatted(count, in.limit()));
    }
    List<Key> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int key = SEL_SIZE + i * KEY_SIZE;
      keys.add(new Key(packet.getInt(key + 4), packet.getInt(key), in.getInt(key + 8)));
    }
    Optional<Jump> jump =
        options.has(LINK)
            ? Optional.of(
                new Jump(
                    new U32Handle(options.u32(LINK, 0)),
                    packet.getInt(HASH_MASK),
                    in.getShort(HASH_OFFSET)))
            : Optional.empty();
    Handle flow = new Handle(options.u32(CLASSID, 0));
    return new U32(at, keys, flow, jump, Actions.read(options, ACT));
  }

  void write(MessageWriter out) {
    if (!flow.equals(Handle.NONE)) {
      out.u32(CLASSID, flow.value());
    }
    if (at.table() != 0) {
      out.u32(HASH, at.withoutNode());
    }
    jump.ifPresent(to -> out.u32(LINK, to.table().value()));
    Actions.write(out, ACT, actions);
    out.structure(SEL, () -> writeSelector(out));
  }

  private void writeSelector(MessageWriter out) {
    out.field8(jump.isPresent() ? 0 : TERMINAL).field8(0).field8(keys.size()).zeros(7);
    out.field16(jump.map(Jump::hashOffset).orElse(0));
    out.fieldBe32(jump.map(Jump::hashMask).orElse(0));
    for (Key key : keys) {
      out.fieldBe32(key.mask()).fieldBe32(key.value()).field32(key.offset()).field32(0);
    }
  }
}
