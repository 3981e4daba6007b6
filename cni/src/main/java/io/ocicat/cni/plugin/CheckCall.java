package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import java.util.Map;

/** A call of the verb CHECK: is the container still attached as ADD left it? */
public final class CheckCall extends AttachmentCall {
  private final Netns netns;

  CheckCall(
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
   * The final result of ADD.
   *
   * @throws CniException with code 7 when the runtime did not supply it
   */
  public Result requirePreviousResult() {
    return previousResult()
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INVALID_NETWORK_CONFIG,
                    "required prevResult missing",
                    "the runtime must supply on CHECK what ADD returned"));
  }
}
