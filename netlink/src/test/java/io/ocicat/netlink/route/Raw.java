package io.ocicat.netlink.route;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.NetlinkMessage;
import io.ocicat.netlink.NetlinkQuery;
import java.util.function.Consumer;

/** The kernel's raw responses: to see what it left out, and as input for malformed messages. */
final class Raw {
  private Raw() {}

  static NetlinkQuery<NetlinkMessage> answers(int type, Consumer<MessageWriter> body) {
    return NetlinkQuery.all(type, body, message -> message, () -> "list messages of type " + type);
  }
}
