package io.ocicat.cni;

/** The type of a plugin: the name of an executable, never a path. */
public record PluginType(String value) {
  /**
   * Checks the type.
   *
   * @throws CniException with code 7 when it is empty or would lead out of the plugin directories
   */
  public PluginType {
    if (value.isEmpty()) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "no plugin name provided");
    }
    boolean path = value.indexOf('/') >= 0 || value.indexOf('\\') >= 0 || value.indexOf(0) >= 0;
    if (path || value.equals(".") || value.equals("..")) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "invalid plugin name: " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
