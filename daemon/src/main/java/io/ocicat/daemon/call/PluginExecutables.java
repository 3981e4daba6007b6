package io.ocicat.daemon.call;

import io.ocicat.cni.plugin.Plugin;
import io.ocicat.datastore.Datastores;
import io.ocicat.plugins.Plugins;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Finds our plugins by name and by executable: those in the distribution, and copies of the shim
 * anywhere. A file is read once, until it changes. There is one instance of each plugin, because
 * some keep caches. Owns the datastores that they use; a process that ends with its one call need
 * not close them.
 */
public final class PluginExecutables implements AutoCloseable {
  private static final long MAX_SHIM = 1 << 20;
  private static final int MOST_KNOWN = 1000;

  /** What is known of a file while it has this size and age. */
  private record FileInfo(long size, long modifiedNanos, boolean isShim) {}

  private final byte[] shim;
  private final Map<Object, FileInfo> files = new ConcurrentHashMap<>();
  private final Map<String, Plugin> plugins;
  private final List<Consumer<Plugin>> introductions = new CopyOnWriteArrayList<>();
  private final Datastores datastores = new Datastores();

  private PluginExecutables(byte[] shim, Map<String, Plugin> plugins) {
    this.shim = shim;
    this.plugins = new ConcurrentHashMap<>(plugins);
  }

  /** For tests, which have plugins of their own. */
  static PluginExecutables of(Map<String, Plugin> plugins) {
    return new PluginExecutables(new byte[0], plugins);
  }

  /** Without any plugins. */
  public static PluginExecutables none() {
    return of(Map.of());
  }

  /** The plugins of the distribution that this JVM was started from, if it was. */
  public static PluginExecutables fromDistribution() {
    String home = System.getProperty("ocicat.home");
    return home == null ? none() : of(Path.of(home));
  }

  /** The plugins of the distribution in this folder, and its shim's copies. */
  public static PluginExecutables of(Path home) {
    try {
      return new PluginExecutables(Files.readAllBytes(home.resolve("lib/shim")), Map.of());
    } catch (IOException _) {
      return none();
    }
  }

  /** The plugin with this name. */
  public Optional<Plugin> named(String name) {
    Plugin present = plugins.get(name);
    if (present != null) {
      return Optional.of(present);
    }
    return Plugins.names().contains(name)
        ? Optional.of(plugins.computeIfAbsent(name, this::create))
        : Optional.empty();
  }

  private Plugin create(String name) {
    Plugin created = Plugins.named(name, datastores).orElseThrow();
    introductions.forEach(introduction -> introduction.accept(created));
    return created;
  }

  /**
   * Gives something to every plugin of this type: to those that exist now, and to others when they
   * are created. May happen twice to one that is created at the same time.
   */
  public <T> void introduce(Class<T> type, Consumer<T> introduction) {
    introductions.add(
        plugin -> {
          if (type.isInstance(plugin)) {
            introduction.accept(type.cast(plugin));
          }
        });
    used(type).forEach(introduction);
  }

  /** The plugins that have been used and are of this type. */
  public <T> List<T> used(Class<T> type) {
    return plugins.values().stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Why the plugins' datastores cannot be written now. */
  public List<String> datastoreTroubles() {
    return datastores.writeProblems();
  }

  /** The plugin that an executable is, if it is one of ours. */
  public Optional<Plugin> find(Path executable) {
    Path name = executable.getFileName();
    if (shim.length == 0 || name == null || !Plugins.names().contains(name.toString())) {
      return Optional.empty();
    }
    return isShim(executable) ? named(name.toString()) : Optional.empty();
  }

  /** Closes the datastores. No call may be in progress, and none may follow. */
  @Override
  public void close() {
    datastores.close();
  }

  private boolean isShim(Path executable) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(executable, BasicFileAttributes.class);
      Object file = Objects.requireNonNull(attributes.fileKey(), "no device and inode");
      long modified = attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS);
      FileInfo before = files.get(file);
      if (before != null
          && before.size() == attributes.size()
          && before.modifiedNanos() == modified) {
        return before.isShim();
      }
      boolean isShim =
          attributes.size() == shim.length
              && attributes.size() <= MAX_SHIM
              && Arrays.equals(Files.readAllBytes(executable), shim);
      if (files.size() >= MOST_KNOWN) {
        files.clear();
      }
      files.put(file, new FileInfo(attributes.size(), modified, isShim));
      return isShim;
    } catch (IOException e) {
      // Executing it will show what is wrong with it.
      return false;
    }
  }
}
