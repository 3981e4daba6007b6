package io.ocicat.image.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.json.Json;
import io.ocicat.image.Digest;
import io.ocicat.image.Platform;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An image in memory: blobs by digest, a configuration and a manifest. */
public final class TestImage {
  public static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  public static final String INDEX = "application/vnd.oci.image.index.v1+json";

  private final Map<Digest, byte[]> blobs = new LinkedHashMap<>();
  private final List<byte[]> tars = new ArrayList<>();
  private final List<Digest> layers = new ArrayList<>();
  private final ObjectNode config = Json.object();
  private Platform platform = Platform.current();

  /** Of layers that are tar archives, compressed with gzip in the registry. */
  public static TestImage of(byte[]... tars) {
    TestImage image = new TestImage();
    for (byte[] tar : tars) {
      image.layer(tar, gzip(tar));
    }
    return image;
  }

  /** One layer with one file. */
  public static TestImage small(String content) {
    return of(new TarBuilder().directory("etc/").file("etc/motd", content).build());
  }

  /** Adds a layer as a registry has it. */
  public TestImage layer(byte[] tar, byte[] compressed) {
    tars.add(tar);
    Digest digest = Digest.of(compressed);
    blobs.put(digest, compressed);
    layers.add(digest);
    return this;
  }

  /** How containers run, such as {@code {"User": "1000"}}. */
  public ObjectNode config() {
    return config;
  }

  public TestImage platform(Platform newPlatform) {
    platform = newPlatform;
    return this;
  }

  public List<Digest> layers() {
    return List.copyOf(layers);
  }

  public byte[] blob(Digest digest) {
    return blobs.getOrDefault(digest, new byte[0]);
  }

  public byte[] configBytes() {
    ObjectNode document = Json.object().put("os", platform.os());
    document.put("architecture", platform.architecture());
    document.set("config", config);
    ObjectNode rootfs = document.putObject("rootfs").put("type", "layers");
    rootfs.set("diff_ids", Json.array(tars.stream().map(tar -> Digest.of(tar) + "").toList()));
    return Json.compactBytes(document);
  }

  public Digest id() {
    return Digest.of(configBytes());
  }

  public byte[] manifest() {
    ObjectNode manifest = Json.object().put("schemaVersion", 2).put("mediaType", MANIFEST);
    byte[] configBytes = configBytes();
    manifest.set("config", descriptor("application/vnd.oci.image.config.v1+json", configBytes));
    ArrayNode list = manifest.putArray("layers");
    layers.forEach(
        layer -> list.add(descriptor("application/vnd.oci.image.layer.v1.tar+gzip", blob(layer))));
    return Json.compactBytes(manifest);
  }

  public Digest digest() {
    return Digest.of(manifest());
  }

  /** An index that has this image among others for other machines. */
  public byte[] index() {
    ObjectNode index = Json.object().put("schemaVersion", 2).put("mediaType", INDEX);
    ArrayNode list = index.putArray("manifests");
    list.add(item("{}".getBytes(UTF_8), "linux", "s390x"));
    list.add(item("[]".getBytes(UTF_8), "unknown", "unknown"));
    list.add(item(manifest(), platform.os(), platform.architecture()));
    return Json.compactBytes(index);
  }

  private static ObjectNode item(byte[] manifest, String os, String architecture) {
    ObjectNode item = descriptor(MANIFEST, manifest);
    item.putObject("platform").put("os", os).put("architecture", architecture);
    return item;
  }

  private static ObjectNode descriptor(String mediaType, byte[] content) {
    return Json.object()
        .put("mediaType", mediaType)
        .put("digest", Digest.of(content).toString())
        .put("size", content.length);
  }

  /** As docker's archive. */
  public byte[] dockerArchive(String tag) {
    ObjectNode item = Json.object().put("Config", "config.json");
    item.set("RepoTags", Json.array(List.of(tag)));
    ArrayNode names = item.putArray("Layers");
    TarBuilder archive = new TarBuilder();
    for (int i = 0; i < tars.size(); i++) {
      names.add(i + "/layer.tar");
      archive.file(i + "/layer.tar", tars.get(i));
    }
    archive.file("config.json", configBytes());
    archive.file("manifest.json", Json.compactBytes(Json.array().add(item)));
    return archive.build();
  }

  /** As OCI's archive. */
  public byte[] ociArchive(String name) {
    TarBuilder archive = new TarBuilder();
    archive.file("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
    layers.forEach(layer -> archive.file("blobs/sha256/" + layer.hex(), blob(layer)));
    archive.file("blobs/sha256/" + id().hex(), configBytes());
    archive.file("blobs/sha256/" + digest().hex(), manifest());
    ObjectNode index = Json.object().put("schemaVersion", 2);
    ObjectNode item = descriptor(MANIFEST, manifest());
    item.putObject("annotations").put("org.opencontainers.image.ref.name", name);
    index.putArray("manifests").add(item);
    return archive.file("index.json", Json.compactBytes(index)).build();
  }

  public Path write(Path file, byte[] bytes) {
    try {
      return Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
