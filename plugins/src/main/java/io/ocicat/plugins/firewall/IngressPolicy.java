package io.ocicat.plugins.firewall;

/** Who may open connections to a container, of those whose packets pass through the host. */
enum IngressPolicy {
  /** Whoever the host's own rules allow. */
  OPEN("open"),
  /** Also containers on the same bridge, but none on other bridges that have such a policy. */
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
