package io.ocicat.plugins.httpipam;

import io.ocicat.cni.ErrorCode;

/** What this plugin's own error codes mean. */
final class HttpIpamErrorCodes {
  static final ErrorCode EXHAUSTED = new ErrorCode(101);
  static final ErrorCode UNAUTHORIZED = new ErrorCode(102);
  static final ErrorCode ADDRESS_IN_USE = new ErrorCode(103);

  /** CHECK: the server does not say what ADD said. */
  static final ErrorCode DRIFT = new ErrorCode(104);

  private HttpIpamErrorCodes() {}
}
