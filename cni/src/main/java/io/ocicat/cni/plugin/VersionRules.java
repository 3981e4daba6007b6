package io.ocicat.cni.plugin;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionNumber;
import io.ocicat.cni.exec.Verb;
import java.util.List;

/**
 * Decides whether a plugin may be called with a configuration of some version.
 *
 * @param config the version as written, possibly empty
 * @param supported the versions that the plugin declares, in its order
 */
record VersionRules(String config, List<String> supported) {
  /**
   * By text: "1.0" is not "1.0.0".
   *
   * @throws CniException with code 1
   */
  void requireSupported() {
    String version = config.isEmpty() ? SpecVersion.V0_1_0.text() : config;
    if (!supported.contains(version)) {
      throw new CniException(
          ErrorCode.INCOMPATIBLE_VERSION,
          "incompatible CNI versions",
          "config is %s, plugin supports %s".formatted(Quoted.of(version), Quoted.list(supported)));
    }
  }

  /**
   * For a verb introduced in {@code first}: the configuration must be at least that new, and the
   * plugin at least as new as the configuration.
   *
   * @throws CniException with code 1, or 6 for an invalid version
   */
  void requireSince(SpecVersion first, Verb verb) {
    VersionNumber wanted = VersionNumber.parse(config);
    if (!wanted.isAtLeast(first)) {
      throw new CniException(
          ErrorCode.INCOMPATIBLE_VERSION,
          "config version does not allow " + verb,
          "config is %s, %s exists since %s".formatted(Quoted.of(config), verb, first));
    }
    for (String version : supported) {
      if (VersionNumber.parse(version).compareTo(wanted) >= 0) {
        requireSupported();
        return;
      }
    }
    throw new CniException(
        ErrorCode.INCOMPATIBLE_VERSION,
        "plugin version does not allow " + verb,
        "config is %s, plugin supports %s".formatted(Quoted.of(config), Quoted.list(supported)));
  }
}
