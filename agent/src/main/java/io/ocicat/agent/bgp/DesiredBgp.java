package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpConfiguration;
import io.ocicat.agent.view.BgpFilter;
import io.ocicat.agent.view.BgpNode;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The configuration of BIRD 2 that this node should have: a pure function of its {@link BgpInputs}.
 * It has one form only, sorted throughout, so that nothing but a change of what it depends on
 * changes a byte: BIRD restarts sessions for small differences.
 *
 * <p>An object that cannot be used is left out, or its session is disabled, and a problem names it;
 * the rest works.
 *
 * @param text the file; empty when nothing sensible can be said, and then the last one should stay
 * @param problems what is not as it should be, one line each
 * @param pending whether a password has not been looked for yet: then whoever has sessions should
 *     keep them and ask again
 */
public record DesiredBgp(
    String text, List<ExpectedSession> sessions, List<String> problems, boolean pending) {
  /** A node that is gone must not keep the others' new routes away for BIRD's 240 s. */
  private static final Duration RECOVERY = Duration.ofSeconds(30);

  public DesiredBgp {
    sessions = List.copyOf(sessions);
    problems = List.copyOf(problems);
  }

  public static DesiredBgp of(BgpInputs inputs) {
    Set<String> problems = new TreeSet<>(inputs.settings().problems());
    BgpNode own = inputs.view().bgpNodes().get(inputs.view().localNode());
    if (own == null) {
      return nothing("BGP waits: this node's record is not known", problems);
    }
    boolean unreadable =
        !inputs.view().bgpConfigurations().containsKey(BgpConfiguration.DEFAULT)
            && inputs
                .view()
                .problems()
                .containsKey(ResourceKey.of(Kind.BGP_CONFIGURATION, BgpConfiguration.DEFAULT));
    if (unreadable) {
      return nothing("BGP waits: BGPConfiguration default cannot be used", problems);
    }
    EffectiveBgp bgp = EffectiveBgp.of(inputs, own);
    if (bgp.families().isEmpty()) {
      return nothing(
          "BGP waits: this node has no address: set spec.bgp.ipv4Address of Node " + own.name(),
          problems);
    }
    SessionPasswords passwords = new SessionPasswords(inputs.secrets(), problems);
    List<PeerSession> sessions = sessions(bgp, passwords, problems);
    IpAddress routerId = RouterId.of(own, inputs.settings().routerId(), problems);
    BgpHints.add(bgp, routerId, sessions, problems);
    String text = write(bgp, routerId, sessions, problems);
    return new DesiredBgp(
        text,
        sessions.stream().map(PeerSession::expected).toList(),
        List.copyOf(problems),
        passwords.isPending());
  }

  private static DesiredBgp nothing(String why, Set<String> problems) {
    problems.add(why);
    return new DesiredBgp("", List.of(), List.copyOf(problems), false);
  }

  private static List<PeerSession> sessions(
      EffectiveBgp bgp, SessionPasswords passwords, Set<String> problems) {
    List<PeerSession> sessions = new ArrayList<>(ExplicitSessions.of(bgp, passwords, problems));
    Set<IpAddress> explicit = sessions.stream().map(PeerSession::peer).collect(Collectors.toSet());
    sessions.addAll(MeshSessions.of(bgp, passwords, explicit, problems));
    sessions.sort(Comparator.comparing(PeerSession::name));
    return sessions;
  }

  private static String write(
      EffectiveBgp bgp, IpAddress routerId, List<PeerSession> sessions, Set<String> problems) {
    BirdText text = new BirdText();
    ServicePrefixes services = ServicePrefixes.of(bgp);
    text.line("# Written by the node agent from the cluster's resources: edit those instead.");
    text.line("debug protocols %s;".formatted(debug(bgp.logSeverity())));
    text.line("router id %s;".formatted(routerId));
    // BIRD started again writes no BGP route to the kernel until all peers have announced theirs.
    text.line("graceful restart wait %d;".formatted(RECOVERY.toSeconds()));
    List<IpFamily> families = bgp.families();
    ProtocolText.device(text, bgp);
    for (IpFamily family : families) {
      RouteFilters filters = new RouteFilters(bgp, family, services, problems);
      ProtocolText.statics(text, family, filters.blocks(), services, sessions);
      usedFilters(bgp, sessions, family)
          .forEach(
              filter -> {
                filter
                    .problems()
                    .forEach(
                        why ->
                            problems.add(
                                "BGPFilter %s: %s: correct it".formatted(filter.name(), why)));
                for (FilterFunctions.Direction direction : FilterFunctions.Direction.values()) {
                  FilterFunctions.write(
                      text, filter, direction, family, bgp.normalPriority(family));
                }
              });
      filters.write(text);
      ProtocolText.kernel(text, family);
      ProtocolText.template(text, family, bgp.global().bindsNodeAddress());
    }
    SessionText writer = new SessionText(bgp);
    sessions.forEach(session -> writer.write(text, session));
    return text.toString();
  }

  private static List<BgpFilter> usedFilters(
      EffectiveBgp bgp, List<PeerSession> sessions, IpFamily family) {
    return sessions.stream()
        .filter(session -> session.family() == family)
        .flatMap(session -> session.filters().stream())
        .distinct()
        .sorted()
        .map(name -> bgp.view().bgpFilters().get(name))
        .filter(filter -> filter != null)
        .toList();
  }

  private static String debug(String severity) {
    return switch (severity) {
      case "trace", "debug" -> "all";
      case "info" -> "{ states }";
      default -> "off";
    };
  }
}
