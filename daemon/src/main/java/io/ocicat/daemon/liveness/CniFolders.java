package io.ocicat.daemon.liveness;

import java.nio.file.Path;
import java.util.Map;

/**
 * The directories where runtimes keep network configurations and cached results.
 *
 * @param cache libcni's, with {@code results} in it
 * @param conf the networks' configuration
 */
public record CniFolders(Path cache, Path conf) {

  /** The directories that the variables name, or the usual ones. */
  public static CniFolders of(Map<String, String> environment) {
    return new CniFolders(
        folder(environment, "OCICAT_CNI_CACHE_DIR", "/var/lib/cni"),
        folder(environment, "OCICAT_CNI_CONF_DIR", "/etc/cni/net.d"));
  }

  private static Path folder(Map<String, String> environment, String variable, String usual) {
    String value = environment.getOrDefault(variable, "");
    return Path.of(value.isEmpty() ? usual : value).toAbsolutePath();
  }
}
