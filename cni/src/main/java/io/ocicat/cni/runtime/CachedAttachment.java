package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cached ADD: its network and container, the configuration that was used, and the result.
 * Immutable.
 */
public final class CachedAttachment {
  private final NetworkName network;
  private final Container container;
  private final byte[] config;
  private final @Nullable ObjectNode effectiveList;
  private final @Nullable ObjectNode result;

  /**
   * @param config the bytes of the list, or of the single plugin
   * @param effectiveList what was run, if it differs from {@code config}
   */
  CachedAttachment(
      NetworkName network,
      Container container,
      byte[] config,
      @Nullable ObjectNode effectiveList,
      @Nullable ObjectNode result) {
    this.network = network;
    this.container = container;
    this.config = config.clone();
    this.effectiveList = effectiveList == null ? null : effectiveList.deepCopy();
    this.result = result == null ? null : result.deepCopy();
  }

  public NetworkName network() {
    return network;
  }

  /** With the arguments it was added with. */
  public Container container() {
    return container;
  }

  /** The configuration as written, without the plugins of its folder. */
  public byte[] config() {
    return config.clone();
  }

  /** The whole list that was run, when its plugins or version differ from the configuration's. */
  Optional<ObjectNode> effectiveList() {
    return Optional.ofNullable(effectiveList).map(ObjectNode::deepCopy);
  }

  Optional<ObjectNode> rawResult() {
    return Optional.ofNullable(result).map(ObjectNode::deepCopy);
  }

  /**
   * The result of ADD, in the version of the last plugin.
   *
   * @throws CniException when it is invalid
   */
  public Optional<Result> result() {
    return rawResult().map(json -> Result.parse(json, SpecVersion.V0_1_0));
  }

  @Override
  public String toString() {
    return "CachedAttachment[network=" + network + ", container=" + container + "]";
  }
}
