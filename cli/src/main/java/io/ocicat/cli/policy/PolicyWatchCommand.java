package io.ocicat.cli.policy;

import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.agent.policy.explain.ProtocolNames;
import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nflog.LoggedPacket;
import io.ocicat.netlink.nflog.PacketLog;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.ns.NetNs;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat policy watch}: the packets that this node's policy denies, while it does. */
@Command(
    name = "watch",
    description = {
      "Print each packet that policy denies on this node, with the rule that denied it.",
      "One program at a time can watch. Pods are shown by name where the datastore knows the address."
    },
    footer = {
      "",
      "Example: ocicat policy watch --denied",
      "         ocicat policy watch --denied --for 10s --json"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the time or the number of packets is reached",
      "1:another program watches, or there is no permission",
      "2:the command line is invalid; nothing was done",
      "130:interrupted"
    })
final class PolicyWatchCommand extends ResourceCommand {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,6})(ms|s|m|h)?");
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final Duration FOREVER = Duration.ofDays(10_000);

  @Option(
      names = "--denied",
      required = true,
      description = "Watch denied packets: those that are allowed are not reported by the kernel.")
  private boolean denied;

  @Option(names = "--count", paramLabel = "N", description = "End after N packets.")
  private @Nullable Integer count;

  @Option(names = "--for", paramLabel = "DURATION", description = "End after 10s, 5m or 1h.")
  private @Nullable String limit;

  @Option(names = "--json", description = "Print JSON: an object for each packet, one a line.")
  private boolean json;

  PolicyWatchCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    if (count != null && count < 1) {
      throw new UsageException("--count must be at least 1, not " + count);
    }
    Duration time = limit == null ? FOREVER : duration(limit);
    AddressNames names = new AddressNames(connection, context, InstantSource.system());
    try (NetNs own = NetNs.current();
        Monitor<LoggedPacket> packets = open(own)) {
      if (!isEnforced(own)) {
        err()
            .println(
                "ocicat: no policy is enforced here (there is no table %s): \"ocicat node\" does it"
                    .formatted(PolicyTable.ID));
      }
      watch(packets, names, System.nanoTime() + time.toNanos());
    }
    return 0;
  }

  private static Monitor<LoggedPacket> open(NetNs namespace) {
    try {
      return PacketLog.open(namespace, PolicyTable.DENIED_GROUP);
    } catch (NetlinkException e) {
      throw new CommandException(
          "denied packets cannot be watched (%s): another program does so already, or this one is not root"
              .formatted(e.getMessage()),
          e);
    }
  }

  private static boolean isEnforced(NetNs namespace) {
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.NETFILTER, namespace)) {
      return socket.list(Tables.all()).stream()
          .anyMatch(table -> table.id().equals(PolicyTable.ID));
    } catch (NetlinkException _) {
      return false;
    }
  }

  private void watch(Monitor<LoggedPacket> packets, AddressNames names, long end) {
    int seen = 0;
    while (count == null || seen < count) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      if (left.isNegative()) {
        return;
      }
      Optional<Monitor.Event<LoggedPacket>> event = packets.poll(left);
      switch (event.orElse(null)) {
        case null -> {}
        case Monitor.Changed<LoggedPacket>(LoggedPacket packet) -> {
          print(packet, names);
          seen++;
        }
        case Monitor.Removed<LoggedPacket> _ -> {}
        case Monitor.Lost<LoggedPacket> _ ->
            err().println("ocicat: some packets are missing: there were too many");
      }
    }
  }

  private void print(LoggedPacket packet, AddressNames names) {
    DeniedReason reason = new DeniedReason(packet.prefix().strip());
    Instant now = Instant.now();
    Optional<LoggedPacket.Addresses> addresses = packet.addresses();
    if (json) {
      ObjectNode line = Json.object().put("time", now.toString());
      addresses.ifPresent(
          it -> {
            line.put("protocol", ProtocolNames.of(it.protocol()));
            line.set("from", end(it.source(), it.sourcePort(), names));
            line.set("to", end(it.destination(), it.destinationPort(), names));
          });
      reason.addTo(line);
      out().println(Json.compact(line));
    } else {
      String flow =
          addresses
              .map(
                  it ->
                      "%s → %s %s"
                          .formatted(
                              text(it.source(), it.sourcePort(), names),
                              text(it.destination(), it.destinationPort(), names),
                              ProtocolNames.of(it.protocol())))
              .orElse("a packet that is not IP");
      out()
          .println(
              "%s %s %s"
                  .formatted(
                      LocalTime.ofInstant(now, ZoneId.systemDefault()).format(TIME),
                      flow,
                      reason.sentence()));
    }
    out().flush();
  }

  private static ObjectNode end(IpAddress address, int port, AddressNames names) {
    ObjectNode end = Json.object().put("address", address.toString());
    if (port != 0) {
      end.put("port", port);
    }
    names.find(address).ifPresent(name -> end.put("name", name));
    return end;
  }

  private static String text(IpAddress address, int port, AddressNames names) {
    String shown = names.find(address).orElse(address.toString());
    return port == 0 ? shown : shown + (shown.contains(":") ? " port " : ":") + port;
  }

  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException("--for \"%s\" is not a duration, as in 10s".formatted(text));
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2) == null ? "s" : matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofSeconds(number);
    };
  }
}
