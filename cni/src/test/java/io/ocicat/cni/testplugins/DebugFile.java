package io.ocicat.cni.testplugins;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.SpecVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The script of a {@link NoopPlugin}, and its record of how it was called. Its members have the
 * names that upstream's noop plugin gave them.
 *
 * @param result a result, PASSTHROUGH, INJECT-DNS or nothing
 * @param error the message of a failure, or nothing
 * @param errorCode 0 for a failure without a code
 * @param exitCode a sudden end, or 0
 * @param supported the versions to declare; none for the usual ones
 */
public record DebugFile(
    String result,
    String error,
    int errorCode,
    String stderr,
    int exitCode,
    List<String> supported,
    String command,
    Args args) {
  public static final String PASSTHROUGH = "PASSTHROUGH";
  public static final String INJECT_DNS = "INJECT-DNS";

  /** As the plugin was called. */
  public record Args(
      String containerId, String netns, String ifName, String args, String path, String stdin) {
    public static final Args NONE = new Args("", "", "", "", "", "");

    ObjectNode toJson() {
      return Json.object()
          .put("ContainerID", containerId)
          .put("Netns", netns)
          .put("IfName", ifName)
          .put("Args", args)
          .put("Path", path)
          .put("StdinData", stdin);
    }

    static Args read(JsonFields in) {
      return new Args(
          in.text("ContainerID").or(""),
          in.text("Netns").or(""),
          in.text("IfName").or(""),
          in.text("Args").or(""),
          in.text("Path").or(""),
          in.text("StdinData").or(""));
    }
  }

  /** One line of a command log. */
  public record Logged(String command, Args args) {}

  public DebugFile {
    supported = List.copyOf(supported);
  }

  public static DebugFile result(String result) {
    return new DebugFile(result, "", 0, "", 0, List.of(), "", Args.NONE);
  }

  public static DebugFile error(int code, String message) {
    return new DebugFile("", message, code, "", 0, List.of(), "", Args.NONE);
  }

  public DebugFile withStderr(String text) {
    return new DebugFile(result, error, errorCode, text, exitCode, supported, command, args);
  }

  public DebugFile withExitCode(int code) {
    return new DebugFile(result, error, errorCode, stderr, code, supported, command, args);
  }

  public DebugFile withVersions(List<String> versions) {
    return new DebugFile(result, error, errorCode, stderr, exitCode, versions, command, args);
  }

  DebugFile called(String newCommand, Args newArgs) {
    return new DebugFile(
        result, error, errorCode, stderr, exitCode, supported, newCommand, newArgs);
  }

  List<String> versions() {
    if (!supported.isEmpty()) {
      return supported;
    }
    List<String> usual = new ArrayList<>(List.of("0.-42.0"));
    usual.addAll(SpecVersion.textsFrom(SpecVersion.V0_1_0));
    return usual;
  }

  public static DebugFile read(Path file) {
    return CniJson.read(
        (ObjectNode) parse(file),
        in ->
            new DebugFile(
                in.text("ReportResult").or(""),
                in.text("ReportError").or(""),
                in.integer("ReportErrorCode", 0, Integer.MAX_VALUE).or(0),
                in.text("ReportStderr").or(""),
                in.integer("ExitWithCode", 0, 255).or(0),
                in.texts("ReportVersionSupport").or(List.of()),
                in.text("Command").or(""),
                Args.read(in.object("CmdArgs"))));
  }

  public Path write(Path file) {
    ObjectNode json =
        Json.object()
            .put("ReportResult", result)
            .put("ReportError", error)
            .put("ReportErrorCode", errorCode)
            .put("ReportStderr", stderr)
            .put("ExitWithCode", exitCode)
            .put("Command", command);
    json.set("ReportVersionSupport", Json.array(supported));
    json.set("CmdArgs", args.toJson());
    return write(file, json);
  }

  static void append(Path log, String command, Args args) {
    JsonNode all = Files.exists(log) ? parse(log) : Json.array();
    ObjectNode entry = Json.object().put("Command", command);
    entry.set("CmdArgs", args.toJson());
    ((ArrayNode) all).add(entry);
    write(log, all);
  }

  /** What plugins whose configuration has a {@code commandLog} wrote there, in order. */
  public static List<Logged> readLog(Path log) {
    List<Logged> entries = new ArrayList<>();
    for (JsonNode entry : parse(log)) {
      JsonFields in = JsonFields.of((ObjectNode) entry);
      entries.add(new Logged(in.text("Command").or(""), Args.read(in.object("CmdArgs"))));
    }
    return entries;
  }

  private static JsonNode parse(Path file) {
    try {
      return CniJson.parse(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e.toString(), e);
    }
  }

  private static Path write(Path file, JsonNode json) {
    try {
      return Files.write(file, Json.prettyBytes(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e.toString(), e);
    }
  }
}
