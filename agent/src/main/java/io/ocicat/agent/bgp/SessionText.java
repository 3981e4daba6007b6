package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpFilter;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes sessions as protocols of BIRD. */
final class SessionText {
  /** BIRD's own. */
  private static final long HOLD_TIME = 240;

  private static final int KEEPALIVES = 3;

  private final EffectiveBgp bgp;

  SessionText(EffectiveBgp bgp) {
    this.bgp = bgp;
  }

  void write(BirdText text, PeerSession session) {
    String suffix = RouteFilters.suffix(session.family());
    text.open("protocol bgp %s from peers%s".formatted(session.name(), suffix));
    text.line("description \"%s\";".formatted(session.description()));
    if (session.disabled()) {
      text.line("disabled;");
    }
    IpAddress source = session.source();
    int port = bgp.port(bgp.own().name());
    text.line(
        "local %s%sas %d;"
            .formatted(
                source == null ? "" : source + " ",
                port == 0 ? "" : "port " + port + " ",
                session.localAs()));
    text.line(
        "neighbor %s %sas %d;"
            .formatted(
                session.peer(),
                session.port() == 0 ? "" : "port " + session.port() + " ",
                session.peerAs()));
    if (session.hops() > 0) {
      text.line("multihop %d;".formatted(session.hops()));
      text.line("ttl security on;");
    } else {
      text.line("multihop;");
    }
    if (session.passive()) {
      text.line("passive on;");
    }
    if (!session.password().isEmpty()) {
      text.line("password \"%s\";".formatted(session.password()));
    }
    writeTimes(text, session);
    if (session.allowedLocalAs() > 0) {
      text.line("allow local as %d;".formatted(session.allowedLocalAs()));
    }
    if (!session.clusterId().isEmpty()) {
      text.line("rr client;");
      text.line("rr cluster id %s;".formatted(session.clusterId()));
    }
    writeChannel(text, session, suffix);
    text.close();
  }

  /** BIRD refuses a keepalive time that is longer than the hold time. */
  private static void writeTimes(BirdText text, PeerSession session) {
    if (session.restartTime() > 0) {
      text.line("graceful restart time %d;".formatted(session.restartTime()));
    }
    if (session.keepaliveTime() > HOLD_TIME) {
      text.line("hold time %d;".formatted(KEEPALIVES * session.keepaliveTime()));
    }
    if (session.keepaliveTime() > 0) {
      text.line("keepalive time %d;".formatted(session.keepaliveTime()));
    }
  }

  private void writeChannel(BirdText text, PeerSession session, String suffix) {
    text.open(ProtocolText.channel(session.family()));
    List<String> imports = calls(session, FilterFunctions.Direction.IMPORT);
    List<String> exports = calls(session, FilterFunctions.Direction.EXPORT);
    text.line(
        imports.isEmpty()
            ? "import filter import%s;".formatted(suffix)
            : "import filter { import_priority%s(); %s accept; };"
                .formatted(suffix, String.join(" ", imports)));
    text.line(
        exports.isEmpty()
            ? "export filter export_%s%s;"
                .formatted(session.isInternal() ? "internal" : "external", suffix)
            : "export filter { export_priority%s(); %s export_routes%s(%s); reject; };"
                .formatted(suffix, String.join(" ", exports), suffix, session.isInternal()));
    switch (session.nextHop()) {
      case USUAL -> {}
      case SELF -> text.line("next hop self;");
      case KEEP -> text.line("next hop keep;");
    }
    text.closeChannel();
  }

  private List<String> calls(PeerSession session, FilterFunctions.Direction direction) {
    IpFamily family = session.family();
    List<String> calls = new ArrayList<>();
    for (String name : session.filters()) {
      Optional.ofNullable(bgp.view().bgpFilters().get(name))
          .flatMap(
              (BgpFilter filter) ->
                  FilterFunctions.call(filter, direction, family, session.isInternal()))
          .ifPresent(calls::add);
    }
    return calls;
  }
}
