package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.subject.PluginKind.INTERFACE;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.Decoy;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.subject.Profile;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks how a plugin calls its IPAM plugin: every verb reaches it, and no other program is run.
 */
final class DelegationChecks {
  private static final String SPEC = "spec 4, delegated plugin execution";
  private static final IpPrefix ADDRESS = IpPrefix.parse("10.90.0.7/24");
  private static final IpAddress GATEWAY = IpAddress.parse("10.90.0.1");
  private static final Result ANSWER =
      Result.empty().withIp(IpConfig.of(ADDRESS).withGateway(GATEWAY));

  private DelegationChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        check(
            "unknown-plugin",
            "refuses ADD when CNI_PATH has no IPAM plugin of that name",
            lab -> lab.run(lab.call("ADD", withIpam(lab.config(), "ocicat-no-such-ipam"))).fails()),
        check(
            "type-with-path",
            "refuses an ipam.type with a path in it, and runs nothing outside of CNI_PATH",
            DelegationChecks::typeWithPath),
        check(
            "add",
            "calls its IPAM plugin with the same variables and the whole configuration, and uses its result",
            DelegationChecks::add),
        check("check", "hands CHECK on to its IPAM plugin", lab -> handsOn(lab, "CHECK"))
            .since(SpecVersion.V0_4_0),
        check("del", "hands DEL on to its IPAM plugin", lab -> handsOn(lab, "DEL")),
        check(
                "del-after-failure",
                "calls its IPAM plugin with DEL when ADD fails after that has given an address",
                DelegationChecks::delAfterFailure)
            .unless((profile, _) -> leavesRoutesAlone(profile)),
        check("gc", "hands GC on to its IPAM plugin", lab -> handsOn(lab, "GC"))
            .since(SpecVersion.V1_1_0),
        check("status", "hands STATUS on to its IPAM plugin", lab -> handsOn(lab, "STATUS"))
            .since(SpecVersion.V1_1_0));
  }

  private static ConformanceCheck check(String id, String sentence, Trial trial) {
    return must("delegation." + id, sentence, SPEC, trial)
        .on(INTERFACE)
        .since(SpecVersion.V0_3_0)
        .unless((profile, _) -> namesNoIpam(profile));
  }

  private static Optional<String> namesNoIpam(Profile profile) {
    return profile.config().at("/ipam/type").isString()
        ? Optional.empty()
        : Optional.of("its configuration names no IPAM plugin");
  }

  /** An impossible route makes ADD fail after its IPAM plugin was called. */
  private static Optional<String> leavesRoutesAlone(Profile profile) {
    return profile.setsIpamRoutes()
        ? namesNoIpam(profile)
        : Optional.of("it does not set the routes that its IPAM plugin answers with");
  }

  private static ObjectNode withIpam(ObjectNode config, String type) {
    config.set("ipam", Json.object().put("type", type));
    return config;
  }

  private static void typeWithPath(Lab lab) {
    Decoy decoy = lab.decoy("elsewhere", "decoy", Json.compact(ANSWER.toJson(lab.version())));
    Path directory = decoy.directory().resolve("bin");
    for (String type : List.of("../decoy", decoy.directory().resolve(decoy.name()).toString())) {
      CallResult answer =
          lab.run(
              lab.call("ADD", withIpam(lab.config(), type)).with("CNI_PATH", directory.toString()));
      Expect.that(
          decoy.calls().isEmpty(), "that nothing outside of CNI_PATH runs", "it ran " + type);
      answer.fails();
    }
  }

  private static void add(Lab lab) {
    Decoy ipam = ipam(lab, ANSWER);
    AddedContainer attached = attach(lab, ipam);
    Expect.same(List.of(line(lab, "ADD")), ipam.calls(), "calls");
    Expect.same(
        Json.compact(withIpam(lab.config(), "ipam")),
        Json.compact(CniJson.parse(ipam.request("ADD"))),
        "on the IPAM plugin's stdin");
    // Not its length: a plugin that routes to each container gives it the address alone.
    List<IpAddress> addresses =
        ChainChecks.read(attached.result(), lab.version()).ips().stream()
            .map(ip -> ip.address().address())
            .toList();
    Expect.same(List.of(ADDRESS.address()), addresses, "addresses");
  }

  private static void handsOn(Lab lab, String verb) {
    Decoy ipam = ipam(lab, ANSWER);
    AddedContainer attached = attach(lab, ipam);
    ObjectNode config = withIpam(lab.config(attached), "ipam");
    boolean ofNoContainer = verb.equals("GC") || verb.equals("STATUS");
    if (ofNoContainer) {
      config.remove("prevResult");
    }
    if (verb.equals("GC")) {
      GcChecks.valid(config, List.of());
    }
    LabCall call = lab.call(verb, config).with("CNI_PATH", directory(ipam));
    lab.run(ofNoContainer ? call.without("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME") : call)
        .succeeds();
    Expect.that(
        ipam.calls().stream().anyMatch(line -> line.startsWith(verb + " ")),
        verb + " at the IPAM plugin",
        ipam.calls().toString());
  }

  private static void delAfterFailure(Lab lab) {
    Route nowhere = Route.to(IpPrefix.parse("203.0.113.0/24")).via(IpAddress.parse("192.0.2.77"));
    Decoy ipam = ipam(lab, ANSWER.withRoute(nowhere));
    lab.run(lab.call("ADD", withIpam(lab.config(), "ipam")).with("CNI_PATH", directory(ipam)))
        .fails();
    Expect.same(List.of(line(lab, "ADD"), line(lab, "DEL")), ipam.calls(), "calls");
  }

  private static Decoy ipam(Lab lab, Result answer) {
    return lab.decoy("bin", "ipam", Json.compact(answer.toJson(lab.version())));
  }

  private static AddedContainer attach(Lab lab, Decoy ipam) {
    LabCall add = lab.call("ADD", withIpam(lab.config(), "ipam")).with("CNI_PATH", directory(ipam));
    return new AddedContainer(lab.container(), lab.version(), lab.run(add).document());
  }

  private static String directory(Decoy ipam) {
    return ipam.directory().toString();
  }

  private static String line(Lab lab, String verb) {
    var container = lab.container();
    return "%s %s %s %s"
        .formatted(verb, container.id(), container.namespace().path(), container.ifName());
  }
}
