package io.ocicat.netlink.nflog;

import io.ocicat.netlink.MessageWriter;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.Topic;
import io.ocicat.netlink.ns.NetNs;
import java.util.List;
import java.util.function.Consumer;

/**
 * Receives the packets that rules send to a log group ({@code log group N}), with at most the first
 * 128 bytes of each. A group has one listener in a namespace; closing the monitor frees it.
 */
public final class PacketLog {
  private static final int SUBSYSTEM = 4 << 8;
  private static final int PACKET = SUBSYSTEM;
  private static final int CONFIG = SUBSYSTEM | 1;

  private static final int CFG_COMMAND = 1;
  private static final int CFG_MODE = 2;
  private static final int CFG_THRESHOLD = 5;

  private static final int COMMAND_BIND = 1;
  private static final int MODE_PACKET = 2;
  private static final int COPIED_BYTES = 128;

  private PacketLog() {}

  /**
   * Binds the group. Packets come as {@link Monitor.Changed}; {@link Monitor.Lost} means that some
   * are missing.
   *
   * @throws io.ocicat.netlink.linux.NetlinkException EPERM when somebody else listens to the group
   */
  public static Monitor<LoggedPacket> open(NetNs namespace, int group) {
    Topic<LoggedPacket> packets =
        Topic.of(Protocol.NETFILTER, PACKET, PACKET, LoggedPacket::read, new int[0]);
    return Monitor.open(
        namespace,
        List.of(
            config(group, "bind", out -> out.bytes(CFG_COMMAND, (byte) COMMAND_BIND)),
            config(
                group,
                "set the copied bytes of",
                out ->
                    out.structure(
                        CFG_MODE, () -> out.fieldBe32(COPIED_BYTES).field8(MODE_PACKET).field8(0))),
            // Every packet at once: it is for people who watch.
            config(group, "set the threshold of", out -> out.be32(CFG_THRESHOLD, 1))),
        packets);
  }

  private static NetlinkRequest config(int group, String verb, Consumer<MessageWriter> attributes) {
    return NetlinkRequest.of(
        CONFIG,
        0,
        out -> {
          out.field8(0).field8(0).fieldBe16(group);
          attributes.accept(out);
        },
        () -> verb + " netlink log group " + group);
  }
}
