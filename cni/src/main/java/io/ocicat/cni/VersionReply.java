package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A plugin's response to VERSION. */
public record VersionReply(String cniVersion, List<String> supportedVersions) {
  private static final String DECODING = "decoding version info: ";

  /** A plugin without this verb is as old as 0.1.0. */
  public static final VersionReply BEFORE_VERSION = new VersionReply("0.1.0", List.of("0.1.0"));

  public VersionReply {
    supportedVersions = List.copyOf(supportedVersions);
  }

  /**
   * Reads a response; plugins of 0.2.0 did not list what they support.
   *
   * @throws CniException with code 6
   */
  public static VersionReply parse(byte[] stdout) {
    JsonNode document;
    try {
      document = CniJson.parse(stdout);
    } catch (CniException e) {
      throw e.prefixed(DECODING);
    }
    JsonFields in = JsonValue.of(document).object();
    String version = in.text("cniVersion").or("");
    List<String> supported = in.texts("supportedVersions").or(List.of());
    if (!in.problems().isEmpty()) {
      throw refuse(in.problems().describe());
    }
    if (version.isEmpty()) {
      throw refuse("missing field cniVersion");
    }
    if (supported.isEmpty() && version.equals("0.2.0")) {
      return new VersionReply(version, List.of("0.1.0", "0.2.0"));
    }
    if (supported.isEmpty()) {
      throw refuse("missing field supportedVersions");
    }
    return new VersionReply(version, supported);
  }

  private static CniException refuse(String why) {
    return new CniException(ErrorCode.DECODING_FAILURE, DECODING + why);
  }

  /** By text: "1.0" is not "1.0.0". An empty version means 0.1.0. */
  public boolean supports(String version) {
    return supportedVersions.contains(version.isEmpty() ? "0.1.0" : version);
  }

  public ObjectNode toJson() {
    ObjectNode json = Json.object().put("cniVersion", cniVersion);
    json.set("supportedVersions", Json.array(supportedVersions));
    return json;
  }
}
