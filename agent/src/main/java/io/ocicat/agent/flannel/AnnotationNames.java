package io.ocicat.agent.flannel;

import io.ocicat.base.Quoted;
import io.ocicat.netlink.IpFamily;
import java.util.regex.Pattern;

/**
 * The names of flannel's annotations of nodes.
 *
 * @param prefix complete, with the slash or hyphen at its end
 */
public record AnnotationNames(String prefix) {
  static final String USUAL = "flannel.alpha.coreos.com";
  private static final Pattern VALID =
      Pattern.compile("(?:[a-z0-9_-]+\\.)+[a-z0-9_-]+/(?:[a-z0-9_-]+-)?");

  /**
   * Completes a prefix as it is configured: a domain, perhaps with a slash and the beginning of a
   * name.
   *
   * @throws IllegalArgumentException when it cannot be one
   */
  static AnnotationNames of(String configured) {
    if (configured.indexOf('/') != configured.lastIndexOf('/')) {
      throw new IllegalArgumentException(
          "must have at most one slash, not " + Quoted.brief(configured));
    }
    String prefix = configured.contains("/") ? configured : configured + "/";
    if (!prefix.endsWith("/") && !prefix.endsWith("-")) {
      prefix += "-";
    }
    if (!VALID.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "must be a domain in lower case, perhaps with a slash and a word, not "
              + Quoted.brief(configured));
    }
    return new AnnotationNames(prefix);
  }

  /** Present and true on every node that has a lease. */
  String managed() {
    return prefix + "kube-subnet-manager";
  }

  String backendType() {
    return prefix + "backend-type";
  }

  String backendData(IpFamily family) {
    return prefix + (family == IpFamily.V4 ? "backend-data" : "backend-v6-data");
  }

  String publicAddress(IpFamily family) {
    return prefix + ip(family);
  }

  /** Set by an operator: published instead of the node's own. */
  String overwrite(IpFamily family) {
    return prefix + ip(family) + "-overwrite";
  }

  /** Set by an operator: used and published instead of the node's own. */
  String nodePublicAddress(IpFamily family) {
    return prefix + "node-" + ip(family);
  }

  private static String ip(IpFamily family) {
    return family == IpFamily.V4 ? "public-ip" : "public-ipv6";
  }
}
