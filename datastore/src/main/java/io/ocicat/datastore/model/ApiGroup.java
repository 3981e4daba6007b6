package io.ocicat.datastore.model;

import io.ocicat.datastore.resource.Kind;
import java.util.Locale;

/** The two Kubernetes API groups of Calico's custom resources. */
public enum ApiGroup {
  /**
   * The backing store of Calico's own API server: metadata is kept in an annotation, UIDs are not
   * those shown.
   */
  V1("crd.projectcalico.org", "v1"),
  /** Calico's API itself. */
  V3("projectcalico.org", "v3");

  private final String group;
  private final String version;

  ApiGroup(String group, String version) {
    this.group = group;
    this.version = version;
  }

  /** As in Calico, everything but the newer group means the older. */
  public static ApiGroup configured(String text) {
    return text.toLowerCase(Locale.ROOT).equals(V3.apiVersion()) ? V3 : V1;
  }

  public String group() {
    return group;
  }

  public String version() {
    return version;
  }

  public String apiVersion() {
    return group + "/" + version;
  }

  /**
   * Returns the kind of the custom resource for a kind. IPAM's settings are two records in etcd,
   * and one in each of the groups.
   */
  public Kind backing(Kind kind) {
    return switch (kind) {
      case IPAM_CONFIG, IPAM_CONFIGURATION ->
          this == V1 ? Kind.IPAM_CONFIG : Kind.IPAM_CONFIGURATION;
      default -> kind;
    };
  }
}
