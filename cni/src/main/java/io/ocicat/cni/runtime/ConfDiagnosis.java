package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonSyntaxException;
import io.ocicat.base.json.JsonValue;
import io.ocicat.base.json.Problems.Problem;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.Dns;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.VersionNumber;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * Finds all mistakes in a configuration that was rejected. The parsers stop at the first one, with
 * libcni's message; here the document is read once more for the person who has to fix it.
 *
 * @param name of the network, if readable
 * @param position where the file stops being JSON; empty when it is JSON
 */
record ConfDiagnosis(String name, String position, List<Problem> problems) {
  private static final List<String> FLAGS =
      List.of("disableCheck", "disableGC", "loadOnlyInlinedPlugins");

  ConfDiagnosis {
    problems = List.copyOf(problems);
  }

  static ConfDiagnosis ofList(byte[] bytes, CniException refusal) {
    return of(bytes, refusal, ConfDiagnosis::readList);
  }

  static ConfDiagnosis ofSingle(byte[] bytes, CniException refusal) {
    return of(
        bytes,
        refusal,
        in -> {
          readName(in);
          readPlugin(in);
        });
  }

  /** Such a file need not name the network: its folder does. */
  static ConfDiagnosis ofFolderPlugin(byte[] bytes, CniException refusal) {
    return of(bytes, refusal, ConfDiagnosis::readPlugin);
  }

  private static ConfDiagnosis of(
      byte[] bytes, CniException refusal, Consumer<JsonFields> reading) {
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      return ofSyntax(e);
    }
    JsonFields in = JsonValue.of(document).object();
    if (in.problems().isEmpty()) {
      reading.accept(in);
    }
    List<Problem> found = in.problems().entries();
    String name = document.path("name").isString() ? document.path("name").stringValue() : "";
    return new ConfDiagnosis(
        name,
        "",
        found.isEmpty() ? List.of(new Problem("", String.valueOf(refusal.getMessage()))) : found);
  }

  private static ConfDiagnosis ofSyntax(CniException refusal) {
    String position = "";
    String message = String.valueOf(refusal.getMessage());
    if (refusal.getCause() instanceof JsonSyntaxException e && e.position().isPresent()) {
      position = e.position().get().toString();
      message = "not valid JSON: " + e.why();
    }
    return new ConfDiagnosis("", position, List.of(new Problem("", message)));
  }

  List<ConfProblem> in(Path file) {
    return problems.stream()
        .map(p -> new ConfProblem(file, position, p.path(), p.message()))
        .toList();
  }

  private static void readList(JsonFields in) {
    readName(in);
    readVersion(in.value("cniVersion"));
    in.value("cniVersions").items().forEach(ConfDiagnosis::readVersion);
    FLAGS.forEach(flag -> readFlag(in.value(flag)));
    JsonValue plugins = in.value("plugins");
    List<JsonFields> elements = plugins.objects();
    if (plugins.isPresent() && elements.isEmpty() && in.problems().isEmpty()) {
      plugins.problem("must have at least one plugin");
    }
    if (!plugins.isPresent() && in.names().contains("plugins")) {
      plugins.problem("must be a list, not null");
    }
    elements.forEach(ConfDiagnosis::readPlugin);
  }

  /** Members of a list match exactly: a name in another case is not recognised. */
  private static void readName(JsonFields in) {
    if (!in.names().contains("name")) {
      in.problem("name", "is missing");
      return;
    }
    in.text("name").map(ConfDiagnosis::checkName, "").required();
  }

  private static String checkName(String name) {
    try {
      return new NetworkName(name).value();
    } catch (CniException e) {
      throw new IllegalArgumentException(
          "must be letters, digits, _ . and - beginning with a letter or digit, not "
              + Quoted.brief(name),
          e);
    }
  }

  private static void readVersion(JsonValue version) {
    version
        .text()
        .map(
            text -> {
              try {
                return VersionNumber.parse(text).toString();
              } catch (CniException e) {
                throw new IllegalArgumentException(
                    "must be a version such as 1.0.0, not " + Quoted.brief(text), e);
              }
            },
            "");
  }

  private static void readFlag(JsonValue flag) {
    boolean textual = flag.raw().filter(JsonNode::isString).isPresent();
    if (!textual) {
      flag.bool();
      return;
    }
    flag.text()
        .map(
            text ->
                switch (text.toLowerCase(Locale.ROOT)) {
                  case "true", "false" -> text;
                  default ->
                      throw new IllegalArgumentException(
                          "must be true or false, not " + Quoted.brief(text));
                },
            "");
  }

  private static void readPlugin(JsonFields in) {
    if (in.path().isEmpty() && in.has("plugins") && !in.has("type")) {
      in.problem("type", "is missing: this is a list, name the file .conflist");
    } else {
      in.text("type").map(ConfDiagnosis::checkType, "").required();
    }
    JsonFields capabilities = in.object("capabilities");
    capabilities.names().forEach(capabilities::bool);
    JsonFields ipam = in.object("ipam");
    ipam.text("type");
    Dns _ = Dns.read(in.object("dns"));
    in.object("prevResult");
  }

  private static String checkType(String type) {
    try {
      return new PluginType(type).value();
    } catch (CniException e) {
      throw new IllegalArgumentException(
          "must be the name of an executable, not " + Quoted.brief(type), e);
    }
  }
}
