package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.INTERFACE;

import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ErrorObject;
import io.ocicat.conformance.lab.Lab;
import java.util.List;

/**
 * Checks a container namespace that is the plugin's own, as happens when a runtime names it by the
 * id of a process that is gone: the host's network would be changed.
 */
final class NetnsChecks {
  private static final int INVALID_NETNS = 8;
  private static final String SKEL = "skel, netns check";

  private NetnsChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        should(
            "netns.own",
            "refuses ADD when CNI_NETNS is its own namespace, with code 8",
            SKEL,
            lab -> lab.run(lab.call("ADD").with("CNI_NETNS", own(lab))).failsWith(INVALID_NETNS)),
        should(
            "netns.own-by-process",
            "refuses ADD when CNI_NETNS is /proc/self/ns/net, with code 8",
            SKEL,
            lab ->
                lab.run(lab.call("ADD").with("CNI_NETNS", "/proc/self/ns/net"))
                    .failsWith(INVALID_NETNS)),
        should(
            "netns.own-unchanged",
            "changes nothing on the host when CNI_NETNS is its own namespace",
            SKEL,
            NetnsChecks::unchanged),
        should(
                "netns.own-del",
                "removes no interface of the host at DEL when CNI_NETNS is its own namespace",
                SKEL,
                NetnsChecks::del)
            .on(INTERFACE),
        should(
            "netns.override",
            "does not refuse its own namespace when CNI_NETNS_OVERRIDE is 1 or true",
            SKEL,
            NetnsChecks::override),
        should(
            "netns.override-off",
            "refuses its own namespace when CNI_NETNS_OVERRIDE is 0, with code 8",
            SKEL,
            lab ->
                lab.run(lab.call("ADD").with("CNI_NETNS", own(lab)).with("CNI_NETNS_OVERRIDE", "0"))
                    .failsWith(INVALID_NETNS)),
        must(
                "netns.directory",
                "survives a CNI_NETNS that is a directory, and refuses it",
                "spec 2, ADD",
                lab -> lab.run(lab.call("ADD").with("CNI_NETNS", "/")).fails())
            .on(INTERFACE));
  }

  private static String own(Lab lab) {
    return lab.host().path().toString();
  }

  private static void unchanged(Lab lab) {
    var before = lab.host().snapshot();
    lab.run(lab.call("ADD").with("CNI_NETNS", own(lab)));
    Expect.unchanged("the host", before, lab.host()::snapshot);
  }

  private static void del(Lab lab) {
    String ifName = lab.container().ifName();
    lab.host().addForeignLink(ifName);
    lab.run(lab.call("DEL").with("CNI_NETNS", own(lab)));
    Expect.that(
        lab.host().hasLink(ifName), "the host's interface " + ifName, "the plugin deleted it");
  }

  private static void override(Lab lab) {
    for (String yes : List.of("1", "TRUE")) {
      CallResult answer =
          lab.run(lab.call("ADD").with("CNI_NETNS", own(lab)).with("CNI_NETNS_OVERRIDE", yes));
      if (answer instanceof CallResult.Ended ended && ended.exitCode() != 0) {
        ErrorObject error = answer.fails();
        Expect.that(
            error.code() != INVALID_NETNS,
            "no error with code 8 with CNI_NETNS_OVERRIDE=" + yes,
            answer.describe());
      }
    }
  }
}
