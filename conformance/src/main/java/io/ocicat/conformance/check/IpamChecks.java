package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.subject.PluginKind.IPAM;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import java.util.List;

/** Checks what other plugins rely on when they delegate to an IPAM plugin. */
final class IpamChecks {
  private static final String SPEC = "spec 5, delegated plugins (IPAM)";

  private IpamChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
                "ipam.abbreviated-result",
                "answers ADD with addresses, and with neither interfaces nor references to them",
                SPEC,
                IpamChecks::abbreviated)
            .on(IPAM)
            .since(SpecVersion.V0_3_0),
        must(
                "ipam.no-netns-needed",
                "serves ADD whatever CNI_NETNS is: it touches no interface",
                SPEC,
                lab ->
                    lab.run(lab.call("ADD").with("CNI_NETNS", lab.files().nowhere().toString()))
                        .document())
            .on(IPAM),
        must(
                "ipam.touches-no-network",
                "changes neither host nor container",
                SPEC,
                IpamChecks::touchesNothing)
            .on(IPAM));
  }

  private static void abbreviated(Lab lab) {
    AddedContainer attached = lab.attach();
    Result result = ChainChecks.read(attached.result(), attached.version());
    Expect.that(
        !result.ips().isEmpty()
            && !attached.result().has("interfaces")
            && result.ips().stream().allMatch(ip -> ip.interfaceIndex() == null),
        "addresses without interfaces",
        Json.compact(attached.result()));
  }

  private static void touchesNothing(Lab lab) {
    var host = lab.host().snapshot();
    var container = lab.container().namespace().snapshot();
    AddedContainer attached = lab.attach();
    Expect.unchanged("the host", host, lab.host()::snapshot);
    Expect.unchanged("the container", container, lab.container().namespace()::snapshot);
    lab.detach(attached);
    Expect.unchanged("the host", host, lab.host()::snapshot);
    Expect.unchanged("the container", container, lab.container().namespace()::snapshot);
  }
}
