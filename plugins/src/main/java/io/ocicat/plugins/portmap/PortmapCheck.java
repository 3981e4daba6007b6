package io.ocicat.plugins.portmap;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Optional;

/** Implements CHECK: compares the rules and elements in the kernel with the expected ones. */
final class PortmapCheck {
  private final NetnsSockets host;
  private final HostPorts ports;

  PortmapCheck(NetnsSockets host, Deadline deadline) {
    this.host = host;
    this.ports = new HostPorts(host.netfilter(), deadline);
  }

  /**
   * Checks the rules that all ports need.
   *
   * @throws CniException with that code when one is missing, or there are others
   */
  void requireTable(ErrorCode code) {
    List<Step> present =
        host.netfilter().list(Rules.in(PortmapTable.TABLE)).stream()
            .filter(rule -> !rule.chain().equals(PortmapTable.CONDITIONAL))
            .map(Step::of)
            .toList();
    for (Rule rule : PortmapTable.rules()) {
      if (!present.contains(Step.of(rule))) {
        throw damaged(code, "rule \"%s\" is missing".formatted(rule));
      }
    }
    if (present.size() != PortmapTable.rules().size()) {
      throw damaged(code, "there are rules in it that are not ours");
    }
  }

  private static CniException damaged(ErrorCode code, String how) {
    return new CniException(
        code,
        "table %s is damaged: %s".formatted(PortmapTable.TABLE, how),
        "GC of any network with port mappings puts it right");
  }

  /** What a rule does, and in which chain. */
  private record Step(String chain, List<Expression> expressions) {
    static Step of(Rule rule) {
      return new Step(rule.chain().name(), rule.expressions());
    }

    static Step of(InstalledRule rule) {
      return new Step(rule.chain().name(), rule.expressions());
    }
  }

  /**
   * Checks everything that ADD created, or that the Go plugin creates in its place.
   *
   * @throws CniException naming the first that is missing or different
   */
  void require(AttachmentOwner owner, PortClaim claim) {
    if (!ports.hasAny(claim.label()) && isForwardedByGo(owner, claim)) {
      return;
    }
    // Where it stands among others matters only when something is not as if it were the first.
    if (problem(claim).isPresent()) {
      Optional<String> problem = problem(claim.at(PortConflicts.of(claim, ports)));
      if (problem.isPresent()) {
        throw wrong(claim, problem.get());
      }
    }
    List<Step> present = ports.rules(claim.label()).stream().map(Step::of).toList();
    List<Step> wanted = claim.rules().stream().map(Step::of).toList();
    if (!present.equals(wanted)) {
      throw wrong(
          claim,
          "of %d rules with conditions there are %d".formatted(wanted.size(), present.size()));
    }
    requireTable(ErrorCode.INTERNAL);
    for (ContainerAddress containerAddress : claim.loopbackAddresses()) {
      if (!LoopbackAccess.isOpen(host, containerAddress)) {
        throw wrong(claim, "route_localnet of \"%s\" is off".formatted(containerAddress.link()));
      }
    }
  }

  private Optional<String> problem(PortClaim claim) {
    for (SetElement entry : claim.entries()) {
      Optional<Element> found = ports.find(entry.key());
      if (found.isEmpty()) {
        return Optional.of("%s is missing".formatted(entry));
      }
      String owner = found.get().comment();
      if (!owner.equals(claim.label())) {
        return Optional.of("%s belongs to %s".formatted(entry, owner));
      }
      if (!found.get().data().equals(entry.element().data())) {
        return Optional.of("instead of %s there is %s".formatted(entry, found.get()));
      }
    }
    return Optional.empty();
  }

  private boolean isForwardedByGo(AttachmentOwner owner, PortClaim claim) {
    return claim.forwards().stream()
        .map(forward -> FamilySets.of(forward).family)
        .distinct()
        .allMatch(family -> GoPortmap.isInstalled(host, owner, family));
  }

  private static CniException wrong(PortClaim claim, String how) {
    return new CniException(
        ErrorCode.INTERNAL,
        "host ports of %s are not forwarded as they should be: %s".formatted(claim.label(), how));
  }
}
