package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;

/** The configuration directory does not contain the requested network. */
public final class NetworkNotFoundException extends CniException {
  private static final long serialVersionUID = 1;

  NetworkNotFoundException(String msg, String details) {
    super(ErrorCode.INVALID_NETWORK_CONFIG, msg, details);
  }
}
