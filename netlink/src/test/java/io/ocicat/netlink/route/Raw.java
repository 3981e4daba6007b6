package io.ocicat.netlink.route;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.Query;
import java.util.function.Consumer;

/** The kernel's answers as they are: to see what it left out, and as material for garbage. */
final class Raw {
  private Raw() {}

  static Query<NetlinkMessage> answers(int type, Consumer<MessageWriter> body) {
    return Query.all(type, body, message -> message, () -> "list messages of type " + type);
  }
}
