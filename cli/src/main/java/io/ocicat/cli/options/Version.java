package io.ocicat.cli.options;

import io.ocicat.daemon.metrics.BuildInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/**
 * Composes the version text of {@code ocicat --version}. The commit comes from the distribution's
 * launcher options and is not compiled in: the jars of two commits with the same sources are the
 * same bytes.
 */
public final class Version implements IVersionProvider {

  public static final String COMMIT_PROPERTY = "ocicat.commit";

  @Override
  public String[] getVersion() {
    BuildInfo build = build();
    return new String[] {
      "ocicat %s (commit %s, JDK %s)".formatted(build.version(), build.commit(), jdk())
    };
  }

  public static String jdk() {
    return System.getProperty("java.version", "unknown");
  }

  public static BuildInfo build() {
    return new BuildInfo(release(), System.getProperty(COMMIT_PROPERTY, "unknown"));
  }

  /** For file names: tells one build from another. */
  public static String id() {
    return release() + "-" + System.getProperty(COMMIT_PROPERTY, "unknown");
  }

  private static String release() {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        throw new IllegalStateException("version.properties is missing next to " + Version.class);
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read version.properties", e);
    }
    return properties.getProperty("version", "unknown");
  }
}
