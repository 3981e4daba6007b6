package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks whether attachments are still what ADD made them: in the container, on the host, and in
 * the plugins' own records. Changes nothing. The host is read once for all attachments, so an
 * instance is for one command. Not thread-safe.
 */
public final class AttachmentCheck implements AutoCloseable {
  private final ExpectedAttachments expectedAttachments;
  private final PluginCheck plugins;
  private final Map<NamespaceId, Optional<NamespaceState>> hosts = new HashMap<>();

  /**
   * @param plugins ours, by name
   */
  public AttachmentCheck(
      ExpectedAttachments expectedAttachments, Function<String, Optional<Plugin>> plugins) {
    this.expectedAttachments = expectedAttachments;
    this.plugins = new PluginCheck(plugins);
  }

  /** Everything that is wrong with it; empty when all that was checked is as it should be. */
  public List<Discrepancy> run(ExpectedAttachment expected) {
    if (expected.netns().isEmpty()) {
      return List.of();
    }
    if (!expected.netnsIsThere()) {
      return List.of(
          netns(
              expected,
              "%s no longer refers to the original namespace".formatted(expected.netns())));
    }
    try (NamespaceState container = NamespaceState.open(Path.of(expected.netns()))) {
      return inside(expected, container);
    } catch (NetlinkException e) {
      return List.of(netns(expected, "it cannot be entered: " + e.getMessage()));
    }
  }

  private static Discrepancy netns(ExpectedAttachment expected, String how) {
    return new Discrepancy(
        Kind.NETNS,
        "its network namespace",
        how,
        "",
        "the container has ended: DEL, or `ocicat doctor --fix`, removes what is left of %s"
            .formatted(expected.key().containerId()));
  }

  private List<Discrepancy> inside(ExpectedAttachment expected, NamespaceState container) {
    Optional<Link> link = container.link(expected.key().ifName());
    if (link.isEmpty()) {
      return List.of(
          new Discrepancy(
              Kind.INTERFACE,
              "interface " + expected.key().ifName(),
              "there is none in %s any more".formatted(expected.netns()),
              "",
              "somebody removed it: DEL and ADD, that is, restart the pod"));
    }
    ContainerCheck check = new ContainerCheck(expected, container, link.get());
    List<Discrepancy> found = new ArrayList<>(check.run());
    Optional<NamespaceState> host = host(expected.hostNetns());
    if (host.isEmpty()) {
      found.add(
          new Discrepancy(
              Kind.UNKNOWN,
              "the host's side",
              "could not be checked: the namespace that the plugins were called from is nowhere"
                  + " to be found",
              "",
              "run the command in that namespace"));
      return found;
    }
    if (!link.get().isLoopback()) {
      expected.addresses().forEach(ip -> duplicates(expected, ip, host.get(), found));
    }
    if (link.get().kind().equals("veth")) {
      found.addAll(new HostCheck(expected, host.get(), link.get(), !check.isMoving()).run());
    }
    if (found.isEmpty()) {
      // CHECK stops at the first error, which has already been reported more precisely.
      asPluginsSay(expected, host.get(), found);
    }
    return found;
  }

  private Optional<NamespaceState> host(NamespaceId id) {
    return hosts.computeIfAbsent(id, AttachmentCheck::open);
  }

  private static Optional<NamespaceState> open(NamespaceId id) {
    try {
      return id.isNone() ? Optional.empty() : id.find().map(NamespaceState::open);
    } catch (NetlinkException _) {
      return Optional.empty();
    }
  }

  private void asPluginsSay(
      ExpectedAttachment expected, NamespaceState host, List<Discrepancy> found) {
    expected
        .result()
        .ifPresent(
            result -> {
              for (CallRecord request : expected.requests()) {
                plugins.run(request, host.path(), result).ifPresent(found::add);
              }
            });
  }

  private void duplicates(
      ExpectedAttachment expected, IpPrefix ip, NamespaceState host, List<Discrepancy> found) {
    IpAddress address = ip.address();
    host.holderOf(address)
        .ifPresent(link -> found.add(duplicate(address, "the host's " + link.name())));
    for (ExpectedAttachment other : expectedAttachments.having(address)) {
      if (!other.key().equals(expected.key())
          && other.netnsIsThere()
          && other.hostNetns().equals(expected.hostNetns())) {
        found.add(duplicate(address, other.name(expectedAttachments.shortIds())));
      }
    }
  }

  private static Discrepancy duplicate(IpAddress address, String holder) {
    return new Discrepancy(
        Kind.DUPLICATE_ADDRESS,
        "address " + address,
        "%s has it as well".formatted(holder),
        "",
        "restart one of the two with another address; `ocicat ipam why %s` shows whose it should be"
            .formatted(address));
  }

  @Override
  public void close() {
    hosts.values().forEach(host -> host.ifPresent(NamespaceState::close));
    hosts.clear();
  }
}
