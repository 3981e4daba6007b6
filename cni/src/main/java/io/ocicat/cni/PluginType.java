package io.ocicat.cni;

import io.ocicat.base.Quoted;

/** The type of a plugin: the name of an executable, never a path. */
public record PluginType(String value) {
  /**
   * Checks the type.
   *
   * @throws CniException with code 7 when it is empty or would lead outside the plugin directories
   */
  public PluginType {
    if (value.isEmpty()) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "no plugin name provided");
    }
    boolean path = value.indexOf('/') >= 0 || value.indexOf('\\') >= 0 || value.indexOf(0) >= 0;
    if (path || value.equals(".") || value.equals("..")) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "invalid plugin name: " + (NativeText.hasControls(value) ? Quoted.of(value) : value));
    }
    if (NativeText.hasControls(value)) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "invalid plugin name: " + Quoted.of(value),
          "it has control characters");
    }
    if (!NativeText.isFileName(value)) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "invalid plugin name: " + Quoted.of(value),
          NativeText.advice());
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
