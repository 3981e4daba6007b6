package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;

/** CHECK of a container that, according to the cache, is not attached to the network. */
public final class NotAttachedException extends CniException {
  private static final long serialVersionUID = 1;

  NotAttachedException(NetworkName network, Container container) {
    super(
        ErrorCode.UNKNOWN_CONTAINER,
        "container %s is not attached to network %s as %s: no result of an ADD is cached"
            .formatted(
                Quoted.of(container.id().value()),
                Quoted.of(network.value()),
                Quoted.of(container.ifName().value())));
  }
}
