package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.PluginConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import tools.jackson.databind.node.ObjectNode;

/** A test's own environment: directories, simulated plugins, and the warnings. */
final class Lab {
  static final String NETNS = "/run/netns/lab";

  final Path conf;
  final Path plugins;
  final Path cache;
  final Recorder recorder = new Recorder();
  final List<String> warnings = new CopyOnWriteArrayList<>();

  Lab(Path directory) {
    this.conf = create(directory.resolve("net.d"));
    this.plugins = create(directory.resolve("bin"));
    this.cache = directory.resolve("cache");
  }

  private static Path create(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Installs files of these names in the plugin directory; the recorder simulates them. */
  Lab install(String... names) {
    for (String name : names) {
      write(plugins.resolve(name), "#!/bin/false\n");
    }
    return this;
  }

  static Path write(Path file, String content) {
    try {
      Files.createDirectories(file.getParent());
      return Files.writeString(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With these directories and the recorder; everything else has its default. */
  Cni.Builder builder() {
    return Cni.builder()
        .confDirectory(conf)
        .pluginDirectories(plugins)
        .cacheDirectory(cache)
        .exec(recorder)
        .warnings(warnings::add);
  }

  Cni cni() {
    return builder().build();
  }

  /** A list of plugins without configuration, all of them installed. */
  Network network(String version, String... types) {
    install(types);
    return cni().network(list(version, types));
  }

  static ConfigList list(String version, String... types) {
    String plugins =
        String.join(",", Stream.of(types).map("{\"type\":\"%s\"}"::formatted).toList());
    return ConfigList.parse(
        "{\"name\":\"net\",\"cniVersion\":\"%s\",\"plugins\":[%s]}".formatted(version, plugins));
  }

  static PluginConfig single(String version, String type) {
    return PluginConfig.parse(
        "{\"name\":\"net\",\"cniVersion\":\"%s\",\"type\":\"%s\"}"
            .formatted(version, type)
            .getBytes(StandardCharsets.UTF_8));
  }

  static Container container() {
    return Container.of("c1", NETNS);
  }

  Path cacheFile(String name) {
    return cache.resolve("results").resolve(name);
  }

  /** The names of the files in the cache, without our own additional ones. */
  List<String> cacheFiles() {
    Path results = cache.resolve("results");
    if (!Files.exists(results)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(results)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("."))
          .sorted(Comparator.naturalOrder())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ObjectNode cacheJson(String name) {
    try {
      return (ObjectNode) CniJson.parse(Files.readAllBytes(cacheFile(name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ThrowableAssertAlternative<CniException> fails(ThrowingCallable call) {
    return Assertions.assertThatExceptionOfType(CniException.class).isThrownBy(call);
  }

  /** Runs all concurrently and to the end; the first failure is the caller's. */
  static void together(List<Runnable> tasks) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      tasks.forEach(task -> running.add(threads.submit(task)));
      for (Future<?> one : running) {
        one.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }
}
