package io.ocicat.plugins.firewall;

import io.ocicat.ip.IpAddress;
import io.ocicat.plugins.iptables.TableDraft;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which attachment each address belongs to, by the notes on its rules. For iptables a note is not
 * part of a rule, so the Go plugin still recognises the rule, and when it removes the rule the note
 * goes with it.
 */
final class AddressOwners {
  private final Map<IpAddress, String> labels = new LinkedHashMap<>();

  AddressOwners(Collection<TableDraft> tables) {
    for (TableDraft table : tables) {
      table
          .notes(AcceptRules.CHAIN)
          .forEach(
              (rule, label) -> {
                IpAddress address = rule.source() != null ? rule.source() : rule.destination();
                if (address != null) {
                  labels.put(address, label);
                }
              });
    }
  }

  /** The label of the address's owner. */
  Optional<String> of(IpAddress address) {
    return Optional.ofNullable(labels.get(address));
  }

  /** The addresses of an owner. */
  Set<IpAddress> addressesOf(String label) {
    Set<IpAddress> addresses = new LinkedHashSet<>();
    labels.forEach(
        (address, owner) -> {
          if (owner.equals(label)) {
            addresses.add(address);
          }
        });
    return addresses;
  }

  /** The labels of all owners. */
  Set<String> labels() {
    return new LinkedHashSet<>(labels.values());
  }
}
