package io.ocicat.netlink;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A request to change or read something: a message, and a description of the operation for the
 * error message. Requests are built by the packages of each kind of object and sent by {@link
 * NetlinkSocket}, alone or many together.
 */
public final class NetlinkRequest {
  /** Fails with EEXIST when the object exists. */
  public static final int EXCLUSIVE = 0x200;

  public static final int CREATE = 0x400;
  public static final int REPLACE = 0x100;
  public static final int APPEND = 0x800;

  private final int type;
  private final int flags;
  private final Consumer<MessageWriter> body;
  private final Supplier<String> operation;
  private final boolean read;

  private NetlinkRequest(
      int type, int flags, Consumer<MessageWriter> body, Supplier<String> operation, boolean read) {
    this.read = read;
    this.type = type;
    this.flags = flags;
    this.body = body;
    this.operation = operation;
  }

  /**
   * Describes a change.
   *
   * @param type the netlink message type, for instance RTM_NEWLINK
   * @param flags {@link #CREATE}, {@link #EXCLUSIVE}, … or 0; request and acknowledgement flags are
   *     added on sending
   * @param body writes the family header and the attributes
   * @param operation verb and object, as in {@code add address 10.0.0.2/24 dev 7}; only called when
   *     something fails
   */
  public static NetlinkRequest of(
      int type, int flags, Consumer<MessageWriter> body, Supplier<String> operation) {
    return new NetlinkRequest(type, flags, body, operation, false);
  }

  /** Describes a question that changes nothing. */
  static NetlinkRequest read(
      int type, int flags, Consumer<MessageWriter> body, Supplier<String> operation) {
    return new NetlinkRequest(type, flags, body, operation, true);
  }

  /** Whether it only reads. */
  public boolean isRead() {
    return read;
  }

  public String operation() {
    return operation.get();
  }

  public ObjectKind subject() {
    return ObjectKind.of(type);
  }

  int type() {
    return type;
  }

  int flags() {
    return flags;
  }

  void writeBody(MessageWriter out) {
    body.accept(out);
  }

  @Override
  public String toString() {
    return operation();
  }
}
