package io.ocicat.plugins.httpipam;

import io.ocicat.cni.ErrorCode;

/** The meanings of this plugin's own error codes. */
final class HttpIpamErrorCodes {
  static final ErrorCode EXHAUSTED = new ErrorCode(101);
  static final ErrorCode UNAUTHORIZED = new ErrorCode(102);
  static final ErrorCode ADDRESS_IN_USE = new ErrorCode(103);

  /** CHECK: the server's answer differs from the one to ADD. */
  static final ErrorCode DRIFT = new ErrorCode(104);

  private HttpIpamErrorCodes() {}
}
