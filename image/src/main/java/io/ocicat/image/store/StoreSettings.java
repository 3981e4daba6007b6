package io.ocicat.image.store;

import io.ocicat.base.CrashPoints;
import io.ocicat.image.Platform;
import io.ocicat.image.archive.ArchiveLimits;
import io.ocicat.image.registry.RegistrySettings;
import io.ocicat.image.unpack.DevicePolicy;
import java.nio.file.Path;

/**
 * The settings of a store.
 *
 * @param root its folder
 * @param overlay false copies layers for every container, as where overlayfs is not possible
 */
public record StoreSettings(
    Path root,
    Platform platform,
    RegistrySettings registry,
    ArchiveLimits limits,
    DevicePolicy devices,
    boolean overlay,
    CrashPoints points) {
  public static final Path USUAL_ROOT = Path.of("/var/lib/ocicat/images");

  public StoreSettings {
    root = root.toAbsolutePath().normalize();
  }

  public static StoreSettings usual(Path root) {
    return new StoreSettings(
        root,
        Platform.current(),
        RegistrySettings.USUAL,
        ArchiveLimits.USUAL,
        DevicePolicy.HARMLESS,
        true,
        CrashPoints.IGNORED);
  }

  public StoreSettings registry(RegistrySettings newRegistry) {
    return new StoreSettings(root, platform, newRegistry, limits, devices, overlay, points);
  }

  public StoreSettings limits(ArchiveLimits newLimits) {
    return new StoreSettings(root, platform, registry, newLimits, devices, overlay, points);
  }

  public StoreSettings overlay(boolean newOverlay) {
    return new StoreSettings(root, platform, registry, limits, devices, newOverlay, points);
  }

  /** Reports each step, for tests that kill the process there. */
  public StoreSettings points(CrashPoints newPoints) {
    return new StoreSettings(root, platform, registry, limits, devices, overlay, newPoints);
  }
}
