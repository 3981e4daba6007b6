package io.ocicat.cni;

import io.ocicat.cni.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A network: its name, the version that was negotiated, flags, and the plugins in their order.
 * Immutable: what it hands out are copies.
 */
public final class ConfigList {
  private final ObjectNode json;
  private final byte[] bytes;
  private final String name;
  private final ListVersions versions;
  private final boolean disableCheck;
  private final boolean disableGc;
  private final boolean loadOnlyInlinedPlugins;
  private final List<PluginConfig> plugins;

  private ConfigList(
      ObjectNode json,
      byte[] bytes,
      String name,
      ListVersions versions,
      boolean disableCheck,
      boolean disableGc,
      boolean loadOnlyInlinedPlugins,
      List<PluginConfig> plugins) {
    this.json = json;
    this.bytes = bytes;
    this.name = name;
    this.versions = versions;
    this.disableCheck = disableCheck;
    this.disableGc = disableGc;
    this.loadOnlyInlinedPlugins = loadOnlyInlinedPlugins;
    this.plugins = List.copyOf(plugins);
  }

  /**
   * Reads a list. Without {@code plugins} it has none: they may come from the folder beside its
   * file.
   *
   * @throws CniException with code 6 for what is not JSON, 7 for what is not a list
   */
  public static ConfigList parse(byte[] bytes) {
    ListReader in = ListReader.of(bytes);
    String name = in.name();
    ListVersions versions = in.versions();
    boolean disableCheck = in.flag("disableCheck");
    boolean disableGc = in.flag("disableGC");
    boolean loadOnlyInlinedPlugins = in.flag("loadOnlyInlinedPlugins");
    return new ConfigList(
        in.json(),
        bytes.clone(),
        name,
        versions,
        disableCheck,
        disableGc,
        loadOnlyInlinedPlugins,
        in.plugins(loadOnlyInlinedPlugins));
  }

  public static ConfigList parse(String text) {
    return parse(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A list of one plugin, as single-plugin files are used since 0.3.0. */
  public static ConfigList ofSingle(PluginConfig single) {
    ObjectNode list =
        Json.object().put("name", single.name()).put("cniVersion", single.cniVersion());
    list.putArray("plugins").add(single.json());
    return parse(Json.compactBytes(list));
  }

  /** As it is written; {@link #networkName()} before it becomes a path or an identity. */
  public String name() {
    return name;
  }

  /**
   * The name, checked.
   *
   * @throws CniException with code 7 when it is not a network's name
   */
  public NetworkName networkName() {
    return new NetworkName(name);
  }

  /** The {@code cniVersion} as it is written, possibly empty or nonsense. */
  public String cniVersion() {
    return versions.cniVersion();
  }

  /** The {@code cniVersions} as they are written. */
  public List<String> cniVersions() {
    return versions.cniVersions();
  }

  /** The version every plugin of the list is called with. */
  public String effectiveVersion() {
    return versions.effective();
  }

  public boolean disableCheck() {
    return disableCheck;
  }

  public boolean disableGc() {
    return disableGc;
  }

  public boolean loadOnlyInlinedPlugins() {
    return loadOnlyInlinedPlugins;
  }

  public List<PluginConfig> plugins() {
    return plugins;
  }

  /**
   * This list with more plugins behind its own, as they are found in the folder beside its file.
   */
  public ConfigList plus(List<PluginConfig> more) {
    List<PluginConfig> all = new ArrayList<>(plugins);
    all.addAll(more);
    return new ConfigList(
        json, bytes, name, versions, disableCheck, disableGc, loadOnlyInlinedPlugins, all);
  }

  /** The bytes it was read from: plugins added later are not in them. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The whole list with every plugin it has now. */
  public ObjectNode toJson() {
    ObjectNode all = json.deepCopy();
    ArrayNode array = all.putArray("plugins");
    for (PluginConfig plugin : plugins) {
      JsonNode element = plugin.json();
      array.add(element);
    }
    return all;
  }

  @Override
  public String toString() {
    return "ConfigList[name="
        + name
        + ", effectiveVersion="
        + effectiveVersion()
        + ", plugins="
        + plugins
        + "]";
  }
}
