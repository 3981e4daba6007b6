package io.ocicat.cni.plugin;

import io.ocicat.cni.CniException;
import io.ocicat.cni.Result;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** DEL: detach a container, of which nothing but the id need be left. */
public final class DelCall extends AttachmentCall {
  private final @Nullable Netns netns;

  DelCall(CallContext context, @Nullable Netns netns) {
    super(context);
    this.netns = netns;
  }

  /** Empty when the runtime named none: it is gone. Even a named one may be. */
  public Optional<Netns> netns() {
    return Optional.ofNullable(netns);
  }

  /** What ADD returned at the end of the list, if it is at hand; an unreadable one is not. */
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
