package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.CHAINED;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.Mismatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks what a chained plugin does with the result of those before it. */
final class ChainChecks {
  private static final String SPEC = "spec 2, ADD";

  private record Odd(String id, String what, String prevResult) {}

  private static final List<Odd> ODD =
      List.of(
          new Odd("prev-result-text", "a prevResult that is a string", "\"none\""),
          new Odd("prev-result-list", "a prevResult that is a list", "[]"),
          new Odd("prev-result-empty", "an empty prevResult", "{}"),
          new Odd(
              "prev-result-of-tomorrow",
              "a prevResult of a future version",
              "{\"cniVersion\":\"99.0.0\"}"),
          new Odd(
              "prev-result-with-null",
              "a prevResult whose lists hold null",
              "{\"cniVersion\":\"1.0.0\",\"interfaces\":[null],\"ips\":[null],\"routes\":[null]}"),
          new Odd(
              "prev-result-with-bad-index",
              "a prevResult with an address of an interface that does not exist",
              "{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"eth0\",\"sandbox\":\"/x\"}],"
                  + "\"ips\":[{\"interface\":7,\"address\":\"10.0.0.2/24\"},"
                  + "{\"interface\":-1,\"address\":\"10.0.0.3/24\"}]}"));

  private ChainChecks() {}

  static List<ConformanceCheck> all() {
    List<ConformanceCheck> all = new ArrayList<>();
    all.add(
        must(
                "chain.result-handed-on",
                "answers ADD with the previous result: all its interfaces, addresses, routes and dns",
                SPEC,
                ChainChecks::handedOn)
            .on(CHAINED)
            .since(SpecVersion.V0_3_0));
    all.add(
        must(
                "chain.result-unchanged",
                "answers ADD with exactly the previous result when it changes nothing that is in there",
                SPEC,
                ChainChecks::unchanged)
            .on(CHAINED)
            .since(SpecVersion.V0_3_0)
            .unless(
                (profile, _) ->
                    profile.keepsResult()
                        ? Optional.empty()
                        : Optional.of("the plugin may change the result")));
    all.add(
        should(
                "chain.result-missing",
                "refuses ADD without a prevResult",
                SPEC,
                lab -> lab.run(lab.call("ADD", lab.config().without("prevResult"))).fails())
            .on(CHAINED));
    for (Odd odd : ODD) {
      all.add(
          must(
              "chain." + odd.id,
              "survives %s: either success or an error object".formatted(odd.what),
              SPEC,
              lab -> survives(lab, odd)));
    }
    return all;
  }

  private static void survives(Lab lab, Odd odd) {
    ObjectNode config = lab.config();
    config.set("prevResult", CniJson.parse(odd.prevResult));
    lab.run(lab.call("ADD", config)).isInProtocol();
  }

  private static void handedOn(Lab lab) {
    Result previous = previous(lab);
    AddedContainer attached = lab.attach();
    Result result = read(attached.result(), lab.version());
    for (var link : previous.interfaces()) {
      Expect.that(
          result.interfaces().stream()
              .anyMatch(l -> l.name().equals(link.name()) && l.sandbox().equals(link.sandbox())),
          "interface %s in the result".formatted(link.name()),
          Json.compact(attached.result()));
    }
    Expect.same(previous.ips(), result.ips(), "ips");
    Expect.same(previous.routes(), result.routes(), "routes");
    Expect.same(previous.dns(), result.dns(), "dns");
  }

  private static void unchanged(Lab lab) {
    Result previous = previous(lab);
    Expect.same(
        Json.compact(previous.toJson()),
        Json.compact(read(lab.attach().result(), lab.version()).toJson()),
        "the result");
  }

  private static Result previous(Lab lab) {
    return Objects.requireNonNull(lab.container().previous()).convertTo(lab.version());
  }

  static Result read(JsonNode result, SpecVersion version) {
    try {
      return Result.parse(result, version);
    } catch (CniException e) {
      throw new Mismatch(
          "a result of version %s (%s)".formatted(version, e.getMessage()), Json.compact(result));
    }
  }
}
