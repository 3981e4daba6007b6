package io.ocicat.plugins.firewall;

/** Who may open connections to a container through the host. */
enum IngressPolicy {
  /** Anybody whom the host's own rules allow. */
  OPEN("open"),
  /** Also containers on the same bridge, but none on other bridges with such a policy. */
  SAME_BRIDGE("same-bridge"),
  /** No container, on whichever bridge. */
  ISOLATED("isolated");

  private final String text;

  IngressPolicy(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
