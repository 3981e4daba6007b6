package io.ocicat.plugins.masquerade;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.CurrentRuleset;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.support.BestEffort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Masquerades containers: what a container sends outside its own subnet leaves with the address of
 * the host's outgoing interface. Multicast is not changed.
 *
 * <p>Thread-safe, also with respect to other processes that do the same: each change is one
 * transaction.
 */
public final class Masquerade {
  /** One to find the table missing, one to find the address in use, and one to succeed. */
  private static final int ATTEMPTS = 4;

  private Masquerade() {}

  /**
   * Masquerades these addresses, and no others that the owner may have had. An address of another
   * owner changes hands.
   *
   * @param addresses each with the prefix length of its subnet, as in 10.1.2.5/24
   */
  public static void install(NetnsSockets host, AttachmentOwner owner, List<IpPrefix> addresses) {
    List<IpPrefix> distinct = distinct(addresses);
    AddressHolders holdings = new AddressHolders(host.netfilter());
    boolean fresh = true;
    for (int attempt = 1; ; attempt++) {
      try {
        if (fresh) {
          host.netfilter().transact(AddressHolders.grant(owner.label(), distinct));
        } else {
          CurrentRuleset.change(host, () -> holdings.exchange(owner.label(), distinct));
        }
        return;
      } catch (NetlinkException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        } else if (e.is(Errno.ENOENT)) {
          MasqueradeTable.ensure(host, distinct);
        } else if (e.is(Errno.EEXIST)) {
          fresh = false;
        } else {
          throw e;
        }
      }
    }
  }

  /**
   * Stops masquerading the owner, even when a Go plugin started it; doing nothing is not an error.
   */
  public static void remove(NetnsSockets host, AttachmentOwner owner) {
    BestEffort.all(() -> remove(host, owner.label()), () -> GoMasquerade.remove(host, owner));
  }

  /**
   * Removes the addresses of a network's owners that are not among the valid ones, including what
   * Go plugins left, and restores rules of ours that somebody removed.
   *
   * @param valid the attachments to this network that are still in use
   */
  public static void collect(NetnsSockets host, NetworkName network, Set<Attachment> valid) {
    Set<String> keep =
        valid.stream()
            .flatMap(attachment -> AttachmentOwner.of(network, attachment).stream())
            .map(AttachmentOwner::label)
            .collect(Collectors.toSet());
    BestEffort.all(
        () -> removeExcept(host, network, keep), () -> GoMasquerade.collect(host, network, valid));
  }

  /** Removes the addresses of all owners on a network that is now masqueraded differently. */
  public static void removeAll(NetnsSockets host, NetworkName network) {
    removeExcept(host, network, Set.of());
  }

  private static void removeExcept(NetnsSockets host, NetworkName network, Set<String> keep) {
    if (!host.hasNfTables()) {
      return;
    }
    for (String label : new AddressHolders(host.netfilter()).labels()) {
      if (label.startsWith(AttachmentOwner.labelPrefix(network)) && !keep.contains(label)) {
        remove(host, label);
      }
    }
    MasqueradeTable.restore(host);
  }

  /**
   * Checks that {@link #install}, or the Go plugin's equivalent, is still in effect.
   *
   * @throws CniException naming what is missing
   */
  public static void verify(NetnsSockets host, AttachmentOwner owner, List<IpPrefix> addresses) {
    List<IpPrefix> ours = new ArrayList<>();
    for (IpPrefix address : distinct(addresses)) {
      if (isInstalled(host, owner, address)) {
        ours.add(address);
      } else if (!GoMasquerade.isInstalled(host, owner, IpFamily.of(address.address()))) {
        throw new CniException(
                ErrorCode.INTERNAL,
                "address %s of %s is not masqueraded".formatted(address, owner.label()))
            .because(FailureReason.MASQUERADE_MISSING);
      }
    }
    MasqueradeTable.requireRules(host, ours);
  }

  private static boolean isInstalled(NetnsSockets host, AttachmentOwner owner, IpPrefix address) {
    AddressHolders holdings = new AddressHolders(host.netfilter());
    String label = owner.label();
    return holdings.holderOf(address.address()).filter(label::equals).isPresent()
        && holdings.holderOf(address).filter(label::equals).isPresent();
  }

  static void remove(NetnsSockets host, String label) {
    if (!host.hasNfTables()) {
      return;
    }
    AddressHolders holdings = new AddressHolders(host.netfilter());
    List<IpPrefix> held = holdings.of(label);
    if (held.isEmpty()) {
      return;
    }
    if (!isListedSeveral(held)) {
      try {
        host.netfilter().transact(AddressHolders.revoke(label, held));
        return;
      } catch (NetlinkException e) {
        if (!e.is(Errno.ENOENT)) {
          throw e;
        }
      }
    }
    CurrentRuleset.change(host, () -> holdings.release(label));
  }

  /**
   * An entry that lists several addresses may be replaced by a shorter one between reading and
   * removing it; one that lists a single address can only be removed.
   */
  private static boolean isListedSeveral(List<IpPrefix> held) {
    long v4 = held.stream().filter(IpPrefix::isV4).count();
    return v4 > 1 || held.size() - v4 > 1;
  }

  private static List<IpPrefix> distinct(List<IpPrefix> addresses) {
    Map<IpAddress, IpPrefix> distinct = new LinkedHashMap<>();
    addresses.forEach(address -> distinct.putIfAbsent(address.address(), address));
    return new ArrayList<>(distinct.values());
  }
}
