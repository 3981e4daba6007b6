package io.ocicat.sandbox;

/**
 * Which seccomp or AppArmor profile applies. A CRI message that is absent means unconfined, one
 * that is empty the runtime's default.
 *
 * @param localhost the name or the file of a local profile; empty otherwise
 */
public record SecurityProfile(Kind kind, String localhost) {
  /** Names and numbers are CRI's. */
  public enum Kind {
    RUNTIME_DEFAULT,
    UNCONFINED,
    LOCALHOST
  }

  public static final SecurityProfile RUNTIME_DEFAULT =
      new SecurityProfile(Kind.RUNTIME_DEFAULT, "");
  public static final SecurityProfile UNCONFINED = new SecurityProfile(Kind.UNCONFINED, "");

  public static SecurityProfile local(String profile) {
    return new SecurityProfile(Kind.LOCALHOST, profile);
  }
}
