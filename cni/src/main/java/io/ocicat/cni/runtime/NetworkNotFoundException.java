package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;

/** A configuration directory does not have the network that was asked for. */
public final class NetworkNotFoundException extends CniException {
  private static final long serialVersionUID = 1;

  NetworkNotFoundException(String msg, String details) {
    super(ErrorCode.INVALID_NETWORK_CONFIG, msg, details);
  }
}
