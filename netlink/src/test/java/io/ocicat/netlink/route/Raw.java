package io.ocicat.netlink.route;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import java.util.function.Consumer;

/** The kernel's answers as they are: to see what it left out, and as material for garbage. */
final class Raw {
  private Raw() {}

  static NetlinkQuery<NetlinkMessage> answers(int type, Consumer<MessageWriter> body) {
    return NetlinkQuery.all(type, body, message -> message, () -> "list messages of type " + type);
  }
}
