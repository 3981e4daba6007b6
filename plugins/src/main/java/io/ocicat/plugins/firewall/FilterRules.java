package io.ocicat.plugins.firewall;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.plugins.iptables.LegacyTable;
import io.ocicat.plugins.iptables.NftTable;
import io.ocicat.plugins.iptables.TableDraft;
import io.ocicat.plugins.net.CurrentRuleset;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rules in the host's {@code filter} tables of both families, changed in one nf_tables
 * transaction.
 *
 * <p>A host that uses legacy xtables gets the same rules there as well: a packet must be accepted
 * by both. The rules in nf_tables are then created first and removed last, because only they name
 * their owner.
 */
final class FilterRules {
  private static final List<String> ACCEPTING = List.of(AcceptRules.CHAIN);
  private static final List<String> ISOLATING = List.of(Isolation.STAGE_1, Isolation.STAGE_2);

  private final NetnsSockets host;

  FilterRules(NetnsSockets host) {
    this.host = host;
  }

  AddressOwners owners() {
    return new AddressOwners(read(ACCEPTING).values());
  }

  /**
   * Creates the rules for an owner's addresses, and removes those for addresses it no longer has.
   */
  void install(String label, AttachmentRules admission) {
    Set<IpAddress> lost = new LinkedHashSet<>();
    CurrentRuleset.change(
        host,
        () -> {
          Map<IpFamily, TableDraft> tables = read(admission.chains());
          lost.clear();
          lost.addAll(new AddressOwners(tables.values()).addressesOf(label));
          admission.addresses().forEach(lost::remove);
          tables.forEach((family, table) -> install(table, family, label, admission, lost));
          return requests(tables);
        });
    changeLegacy(
        admission.chains(), (family, table) -> install(table, family, label, admission, lost));
  }

  private static void install(
      TableDraft table,
      IpFamily family,
      String label,
      AttachmentRules admission,
      Collection<IpAddress> lost) {
    AcceptRules.remove(table, lost);
    if (admission.concerns(family)) {
      admission.install(table, family, label);
    }
  }

  /**
   * Removes the rules for all addresses that an owner has, and for the given ones, except those
   * that another owner has by now.
   *
   * @param last the addresses it had according to the runtime
   */
  void withdraw(String label, Collection<IpAddress> last) {
    Function<AddressOwners, Set<IpAddress>> choice =
        owners -> {
          Set<IpAddress> going = owners.addressesOf(label);
          last.stream().filter(address -> owners.of(address).isEmpty()).forEach(going::add);
          return going;
        };
    Set<IpAddress> going = choice.apply(owners());
    if (going.isEmpty()) {
      return;
    }
    changeLegacy(ACCEPTING, (_, table) -> AcceptRules.remove(table, going));
    CurrentRuleset.change(
        host,
        () -> {
          Map<IpFamily, TableDraft> tables = read(ACCEPTING);
          Set<IpAddress> still = choice.apply(new AddressOwners(tables.values()));
          tables.values().forEach(table -> AcceptRules.remove(table, still));
          return requests(tables);
        });
  }

  /** Removes the isolation rules of bridges that no longer exist. */
  void collectIsolation(Predicate<String> isThere) {
    Consumer<TableDraft> plan = table -> Isolation.collect(table, isThere);
    changeLegacy(ISOLATING, (_, table) -> plan.accept(table));
    CurrentRuleset.change(
        host,
        () -> {
          Map<IpFamily, TableDraft> tables = read(ISOLATING);
          tables.values().forEach(plan);
          return requests(tables);
        });
  }

  /**
   * A rule that is missing, as iptables prints it. It is enough if one backend has all of them: the
   * Go plugin uses only one.
   */
  Optional<String> missing(AttachmentRules admission) {
    for (IpFamily family : IpFamily.values()) {
      if (admission.concerns(family)) {
        TableDraft table = nft(family).read(admission.chains());
        Optional<String> missing = admission.missing(table, family);
        if (missing.isPresent() && !isInLegacy(family, admission)) {
          return missing;
        }
      }
    }
    return Optional.empty();
  }

  private boolean isInLegacy(IpFamily family, AttachmentRules admission) {
    return LegacyTable.of(host, family)
        .map(table -> table.read(admission.chains()))
        .filter(table -> admission.missing(table, family).isEmpty())
        .isPresent();
  }

  private Map<IpFamily, TableDraft> read(List<String> chains) {
    Map<IpFamily, TableDraft> tables = new EnumMap<>(IpFamily.class);
    for (IpFamily family : IpFamily.values()) {
      tables.put(family, nft(family).read(chains));
    }
    return tables;
  }

  private List<NetlinkRequest> requests(Map<IpFamily, TableDraft> tables) {
    List<NetlinkRequest> requests = new ArrayList<>();
    tables.forEach((family, table) -> requests.addAll(nft(family).requests(table)));
    return requests;
  }

  private void changeLegacy(List<String> chains, BiConsumer<IpFamily, TableDraft> plan) {
    for (IpFamily family : IpFamily.values()) {
      LegacyTable.of(host, family)
          .ifPresent(table -> table.change(chains, draft -> plan.accept(family, draft)));
    }
  }

  private NftTable nft(IpFamily family) {
    return new NftTable(host.netfilter(), family);
  }
}
