package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PluginType;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionNumber;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The plugins of a network in order, with their configurations. Immutable.
 *
 * @param version the one all plugins are called with, as written
 * @param list what is run, as a list
 * @param config the bytes it was read from, which is what libcni caches
 * @param single whether these are the bytes of a single plugin rather than of a list
 */
@SuppressWarnings("ArrayRecordComponent") // Chains are never compared.
record PluginChain(
    NetworkName network, String version, ConfigList list, byte[] config, boolean single) {

  static PluginChain of(ConfigList list) {
    return new PluginChain(list.networkName(), list.effectiveVersion(), list, list.bytes(), false);
  }

  static PluginChain of(PluginConfig plugin) {
    ConfigList list = ConfigList.ofSingle(plugin);
    return new PluginChain(list.networkName(), list.effectiveVersion(), list, plugin.bytes(), true);
  }

  /**
   * The chain that ADD ran. An entry of ours is complete; one of libcni's lacks the plugins of the
   * network's folder, for which today's have to do.
   *
   * @throws CniException when the cached configuration is invalid
   */
  static PluginChain of(CachedAttachment cached, List<PluginConfig> folder) {
    PluginChain chain = read(cached, folder);
    if (!chain.network.equals(cached.network())) {
      throw refuse("the cached configuration is of network " + Quoted.of(chain.network.value()));
    }
    if (chain.plugins().isEmpty()) {
      throw refuse("the cached configuration has no plugins");
    }
    for (PluginConfig plugin : chain.plugins()) {
      PluginType _ = new PluginType(plugin.type());
    }
    return chain;
  }

  private static CniException refuse(String why) {
    return new CniException(ErrorCode.INVALID_NETWORK_CONFIG, why);
  }

  private static PluginChain read(CachedAttachment cached, List<PluginConfig> folder) {
    Optional<ObjectNode> effective = cached.effectiveList();
    if (effective.isPresent()) {
      ConfigList list = ConfigList.parse(Json.compactBytes(effective.get()));
      return new PluginChain(
          list.networkName(), list.effectiveVersion(), list, cached.config(), false);
    }
    JsonNode document = CniJson.parse(cached.config());
    if (document.has("type") && !document.has("plugins")) {
      return of(PluginConfig.parse(cached.config()));
    }
    ConfigList list = ConfigList.parse(cached.config());
    return of(list.loadOnlyInlinedPlugins() ? list : list.plus(folder));
  }

  /** The plugins that are not in the bytes the list was read from. */
  List<PluginConfig> fromFolder() {
    int inlined = ConfigList.parse(list.bytes()).plugins().size();
    return list.plugins().subList(inlined, list.plugins().size());
  }

  /** The same plugins, called with another version. */
  PluginChain withVersion(String other) {
    return new PluginChain(network, other, list, config, single);
  }

  List<PluginConfig> plugins() {
    return list.plugins();
  }

  /**
   * The version, as one that results can have.
   *
   * @throws CniException with code 1 when the specification has no such version
   */
  SpecVersion specVersion() {
    return SpecVersion.of(version);
  }

  /**
   * Whether its version is at least that.
   *
   * @throws CniException with code 6 when it is invalid
   */
  boolean isAtLeast(SpecVersion other) {
    return VersionNumber.parse(version).isAtLeast(other);
  }

  /** The same for verbs that are skipped when it is invalid. */
  boolean isSurelyAtLeast(SpecVersion other) {
    try {
      return isAtLeast(other);
    } catch (CniException _) {
      return false;
    }
  }

  /** The list that is run, when it differs from {@link #config}. */
  Optional<ObjectNode> effectiveList() {
    boolean sameVersion = version.equals(list.effectiveVersion());
    if (sameVersion && (single || fromFolder().isEmpty())) {
      return Optional.empty();
    }
    ObjectNode json = list.toJson();
    json.put("cniVersion", version);
    json.remove("cniVersions");
    return Optional.of(json);
  }

  /** The error of one plugin, in libcni's wording: {@code plugin type="x" failed (add): …}. */
  CniException failed(PluginConfig plugin, String how, CniException cause) {
    if (single) {
      return cause;
    }
    String name = plugin.name().isEmpty() ? "" : " name=" + Quoted.of(plugin.name());
    return cause.prefixed(
        "plugin type=%s%s failed (%s): ".formatted(Quoted.of(plugin.type()), name, how));
  }
}
