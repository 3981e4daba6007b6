package io.ocicat.image;

import java.util.Locale;

/**
 * What an image runs on, in Go's words.
 *
 * @param variant empty where the architecture has none, such as {@code v8} of arm64
 */
public record Platform(String os, String architecture, String variant) {

  /** The platform of this machine. */
  public static Platform current() {
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (arch) {
      case "amd64", "x86_64" -> new Platform("linux", "amd64", "");
      case "aarch64" -> new Platform("linux", "arm64", "v8");
      default -> new Platform("linux", arch, "");
    };
  }

  /** Whether something for {@code offered} runs here; an offer without a variant does. */
  public boolean runs(Platform offered) {
    return os.equals(offered.os)
        && architecture.equals(offered.architecture)
        && (offered.variant.isEmpty() || variant.isEmpty() || variant.equals(offered.variant));
  }

  @Override
  public String toString() {
    return os + "/" + architecture + (variant.isEmpty() ? "" : "/" + variant);
  }
}
