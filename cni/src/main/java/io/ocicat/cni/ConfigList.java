package io.ocicat.cni;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A network configuration list: its name, the negotiated version, flags, and the plugins in order.
 * Immutable: getters return copies.
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
   * Reads a list. {@code plugins} may be missing: they may come from the folder next to its file.
   *
   * @throws CniException with code 6 for invalid JSON, 7 for an invalid list
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

  /** A list of one plugin, from a single-plugin file. */
  public static ConfigList ofSingle(PluginConfig single) {
    ObjectNode list =
        Json.object().put("name", single.name()).put("cniVersion", single.cniVersion());
    list.putArray("plugins").add(single.json());
    return parse(Json.compactBytes(list));
  }

  /** As written; use {@link #networkName()} before it becomes a path or an identity. */
  public String name() {
    return name;
  }

  /**
   * The name, checked.
   *
   * @throws CniException with code 7 when it is not a valid network name
   */
  public NetworkName networkName() {
    return new NetworkName(name);
  }

  /** The {@code cniVersion} as written, possibly empty or invalid. */
  public String cniVersion() {
    return versions.cniVersion();
  }

  /** The {@code cniVersions} as written. */
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

  /** This list with more plugins after its own, from the folder next to its file. */
  public ConfigList plus(List<PluginConfig> more) {
    List<PluginConfig> all = new ArrayList<>(plugins);
    all.addAll(more);
    return new ConfigList(
        json, bytes, name, versions, disableCheck, disableGc, loadOnlyInlinedPlugins, all);
  }

  /** The bytes it was read from, without plugins added later. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The whole list with all its current plugins. */
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
