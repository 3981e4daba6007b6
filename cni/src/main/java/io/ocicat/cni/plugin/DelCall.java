package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call of the verb DEL: detach a container, of which nothing but the id may be left. */
public final class DelCall extends AttachmentCall {
  private final @Nullable Netns netns;

  DelCall(
      PluginConfig config,
      Map<String, String> environment,
      PluginHost host,
      PluginLog log,
      @Nullable Netns netns) {
    super(config, environment, host, log);
    this.netns = netns;
  }

  /** Empty when the runtime named none, because it is gone. Even a named one may be gone. */
  public Optional<Netns> netns() {
    return Optional.ofNullable(netns);
  }

  /** The final result of ADD, if available and readable. */
  @Override
  public Optional<Result> previousResult() {
    try {
      return super.previousResult();
    } catch (CniException e) {
      log("prevResult is ignored: " + e.getMessage());
      return Optional.empty();
    }
  }
}
