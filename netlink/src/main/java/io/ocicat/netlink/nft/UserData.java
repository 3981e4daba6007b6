package io.ocicat.netlink.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The user data that the kernel stores with an object: comments, and what nft needs to print a set.
 * The kernel does not interpret it; the format is libnftnl's: type byte, length byte, content.
 */
final class UserData {
  /** The comment of a table, chain, rule or element. */
  static final int COMMENT = 0;

  /** Our own type: far above the few numbers that nft and iptables use. */
  static final int NOTE = 0xc1;

  static final int SET_KEY_ORDER = 0;
  static final int SET_DATA_ORDER = 1;
  static final int SET_DATA_INTERVAL = 6;
  static final int SET_COMMENT = 7;
  static final int ELEMENT_FLAGS = 1;

  private static final int HEADER = 2;

  private final ByteArrayOutputStream notes = new ByteArrayOutputStream();

  /** The user data for a comment; none when it is empty. */
  UserData text(int type, String text) {
    if (!text.isEmpty()) {
      byte[] bytes = text.getBytes(UTF_8);
      notes.write(type);
      notes.write(bytes.length + 1);
      notes.writeBytes(bytes);
      notes.write(0);
    }
    return this;
  }

  UserData u32(int type, int value) {
    notes.write(type);
    notes.write(Integer.BYTES);
    notes.writeBytes(
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(value).array());
    return this;
  }

  void write(MessageWriter out, int attribute) {
    if (notes.size() > 0) {
      out.bytes(attribute, notes.toByteArray());
    }
  }

  /** Anyone may have written anything here, so what cannot be read is not a comment. */
  static String readText(Attributes attributes, int attribute, int type) {
    byte[] notes = attributes.bytes(attribute).orElse(new byte[0]);
    int at = 0;
    while (at + HEADER <= notes.length) {
      int length = Byte.toUnsignedInt(notes[at + 1]);
      int content = at + HEADER;
      if (content + length > notes.length) {
        return "";
      }
      if (Byte.toUnsignedInt(notes[at]) == type) {
        boolean terminated = length > 0 && notes[content + length - 1] == 0;
        return new String(notes, content, terminated ? length - 1 : length, UTF_8);
      }
      at = content + length;
    }
    return "";
  }
}
