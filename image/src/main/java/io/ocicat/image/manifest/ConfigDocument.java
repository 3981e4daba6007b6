package io.ocicat.image.manifest;

import io.ocicat.base.json.JsonFields;
import io.ocicat.image.Digest;
import io.ocicat.image.ImageConfig;
import io.ocicat.image.Platform;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of an image (OCI image specification, config.md), as far as it matters here:
 * unknown fields are ignored, null is absent.
 */
public record ConfigDocument(
    Platform platform, String created, ImageConfig config, List<Digest> diffIds) {
  private static final Digest PLACEHOLDER = new Digest("0".repeat(64));

  public ConfigDocument {
    diffIds = List.copyOf(diffIds);
  }

  /**
   * Reads a configuration.
   *
   * @throws io.ocicat.image.ImageException naming {@code what} and every bad field
   */
  public static ConfigDocument parse(byte[] bytes, String what) {
    return Manifest.document(bytes, what, ConfigDocument::read);
  }

  private static ConfigDocument read(JsonFields in) {
    JsonFields rootfs = in.object("rootfs");
    rootfs.text("type").check("layers"::equals, "must be \"layers\"").or("");
    List<Digest> diffIds = new ArrayList<>();
    rootfs
        .value("diff_ids")
        .items()
        .forEach(item -> diffIds.add(item.text().map(Digest::parse, PLACEHOLDER).required()));
    JsonFields config = in.object("config");
    return new ConfigDocument(
        new Platform(
            in.text("os").or("linux"), in.text("architecture").or(""), in.text("variant").or("")),
        in.text("created").or(""),
        new ImageConfig(
            config.text("User").or(""),
            config.texts("Env").or(List.of()),
            config.texts("Entrypoint").or(List.of()),
            config.texts("Cmd").or(List.of()),
            config.text("WorkingDir").or(""),
            List.copyOf(config.object("Volumes").names()),
            config.text("StopSignal").or(""),
            List.copyOf(config.object("ExposedPorts").names()),
            Descriptor.texts(config.object("Labels"))),
        diffIds);
  }
}
