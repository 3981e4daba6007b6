package io.ocicat.datastore.resource;

/** Who a block may belong to. */
public enum AffinityType {
  HOST("host"),
  /** A name that is no host; the only one in use is {@code load-balancer}. */
  VIRTUAL("virtual");

  private final String text;

  AffinityType(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
