package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.RawValue;
import io.ocicat.conformance.lab.Stdin;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** Checks how a plugin treats stdin that is not a valid configuration. */
final class StdinChecks {
  private static final int IO_FAILURE = 5;
  private static final int DECODING = 6;
  private static final int INVALID_CONFIG = 7;
  private static final String SPEC = "spec 2, errors";

  private StdinChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        refused("not-json", "text that is not JSON", _ -> "this is not JSON", DECODING),
        refused("empty", "nothing", _ -> "", DECODING),
        refused(
            "cut-off",
            "a truncated configuration",
            lab -> {
              String config = Json.compact(lab.config());
              return config.substring(0, config.length() / 2);
            },
            DECODING),
        refused("list", "a list", _ -> "[]", DECODING),
        refused("text", "a text", _ -> "\"config\"", DECODING),
        refused("null", "null", _ -> "null", DECODING, INVALID_CONFIG),
        refused(
            "name-missing",
            "a configuration without name",
            lab -> Json.compact(lab.config().without("name")),
            INVALID_CONFIG),
        refused(
            "name-empty",
            "a configuration with an empty name",
            lab -> Json.compact(lab.config().put("name", "")),
            INVALID_CONFIG),
        refused(
            "name-number",
            "a configuration whose name is a number",
            lab -> Json.compact(lab.config().put("name", 5)),
            DECODING,
            INVALID_CONFIG),
        refused(
            "two-documents",
            "two configurations",
            lab -> Json.compact(lab.config()) + Json.compact(lab.config()),
            DECODING),
        refused(
            "garbage-behind",
            "a configuration followed by something else",
            lab -> Json.compact(lab.config()) + " }",
            DECODING),
        should(
            "stdin.closed",
            "refuses ADD when stdin is closed, with code 5 or 6",
            SPEC,
            lab -> {
              var call = lab.call("ADD").stdin(new Stdin.Closed());
              lab.run(call).failsWith(IO_FAILURE, DECODING);
            }),
        should(
            "stdin.args-object",
            "ignores an args object that it does not understand",
            "conventions, args in network config",
            lab -> {
              ObjectNode config = lab.config();
              config.set("args", CniJson.parse("{\"lab.example\":{\"any\":[1,\"x\"]}}"));
              lab.run(lab.call("ADD", config)).succeeds();
            }),
        inProtocol(
            "byte-order-mark",
            "a byte order mark before the configuration",
            lab -> RawValue.raw("\u00ef\u00bb\u00bf").then(Json.compact(lab.config()))),
        inProtocol(
            "duplicate-keys",
            "two values for one key",
            lab -> around(lab, RawValue.of("\"name\":\"other\""))),
        inProtocol(
            "deep-nesting",
            "100,000 nested lists",
            lab ->
                around(
                    lab,
                    RawValue.of("\"deep\":").thenRepeat("[", 100_000).thenRepeat("]", 100_000))),
        inProtocol(
            "huge-numbers",
            "numbers that fit no machine word",
            lab -> around(lab, RawValue.of("\"a\":1e999999999,\"b\":").thenRepeat("9", 5000))),
        inProtocol(
            "five-megabytes",
            "5 MB of text in an unknown member",
            lab ->
                around(lab, RawValue.of("\"ballast\":\"").thenRepeat("x", 5_000_000).then("\""))),
        inProtocol(
            "bad-utf-8",
            "bytes that are not UTF-8",
            lab -> around(lab, RawValue.of("\"ballast\":\"").thenRaw("\u00c3(\u00ff").then("\""))),
        inProtocol(
            "nul-bytes",
            "zero bytes between the configuration's own",
            lab -> around(lab, RawValue.of("\"ballast\":\"").thenRaw("\u0000\u0000").then("\""))));
  }

  /** The configuration with more members, which may be invalid in any way. */
  private static RawValue around(Lab lab, RawValue members) {
    String config = Json.compact(lab.config());
    RawValue value = RawValue.of(config.substring(0, config.length() - 1) + ",");
    for (RawValue.Part part : members.parts()) {
      value = value.then(part);
    }
    return value.then("}");
  }

  private static ConformanceCheck refused(
      String id, String what, Function<Lab, String> stdin, int... codes) {
    String allowed = codes.length == 1 ? "" + codes[0] : codes[0] + " or " + codes[1];
    return must(
        "stdin." + id,
        "refuses ADD with %s on stdin, with code %s".formatted(what, allowed),
        SPEC,
        lab -> lab.run(lab.call("ADD").stdin(stdin.apply(lab))).failsWith(codes));
  }

  /** The plugin may accept or refuse it, but not crash. */
  private static ConformanceCheck inProtocol(
      String id, String what, Function<Lab, RawValue> stdin) {
    return must(
        "stdin." + id,
        "survives %s: either success or an error object".formatted(what),
        SPEC,
        lab -> lab.run(lab.call("ADD").stdin(stdin.apply(lab))).isInProtocol());
  }
}
