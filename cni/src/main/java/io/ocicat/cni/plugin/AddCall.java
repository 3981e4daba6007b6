package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import java.util.Map;

/** A call of the verb ADD: attach a container. */
public final class AddCall extends AttachmentCall {
  private final Netns netns;

  AddCall(
      PluginConfig config,
      Map<String, String> environment,
      PluginHost host,
      PluginLog log,
      Netns netns) {
    super(config, environment, host, log);
    this.netns = netns;
  }

  public Netns netns() {
    return netns;
  }

  /**
   * The result of the previous plugins, for a plugin that only works after others.
   *
   * @throws CniException with code 7 when it is the first
   */
  public Result requirePreviousResult() {
    return previousResult()
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "must be called as chained plugin",
                    "the request has no prevResult: put \"%s\" after the plugin that creates the"
                            .formatted(config().type())
                        + " interface"));
  }
}
