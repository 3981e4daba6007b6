package io.ocicat.datastore.resource;

/** The type of a block's owner. */
public enum AffinityType {
  HOST("host"),
  /** An owner that is not a host; the only one in use is {@code load-balancer}. */
  VIRTUAL("virtual");

  private final String text;

  AffinityType(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
