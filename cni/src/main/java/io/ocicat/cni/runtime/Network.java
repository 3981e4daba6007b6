package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Plugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A network that containers can be attached to, by the verbs of CNI. Its configuration is a
 * snapshot from when {@link Cni} returned it. Immutable and safe for use by several threads:
 * operations on one container wait for each other.
 *
 * <p>All verbs throw {@link CniException}: with the code and message of the plugin that failed, or
 * why it could not be run.
 */
public final class Network {
  private final RuntimeContext engine;
  private final PluginChain chain;
  private final @Nullable NetworkFile source;

  Network(RuntimeContext engine, PluginChain chain, @Nullable NetworkFile source) {
    this.engine = engine;
    this.chain = chain;
    this.source = source;
  }

  public String name() {
    return chain.network().value();
  }

  /** The file that configures it, if any. */
  public Optional<Path> file() {
    return Optional.ofNullable(source).map(NetworkFile::file);
  }

  /** The same network with another time limit for operations. */
  public Network within(Duration limit) {
    return new Network(engine.within(limit), chain, source);
  }

  /** Including the plugins of its folder. */
  public ConfigList config() {
    return chain.list();
  }

  /** The version its plugins are called with, unless it is negotiated with them. */
  public String version() {
    return chain.version();
  }

  /**
   * Attaches the container and caches the result. When it fails, the caller must {@link #del},
   * unless rollback is enabled.
   *
   * @return the result of the last plugin, in that plugin's version
   */
  public Result add(Container container) {
    return new AddOperation(engine, chain).run(container);
  }

  /**
   * Asks every plugin whether the container is still attached as {@link #add} left it.
   *
   * @throws CheckUnsupportedException when the configuration is too old for that
   */
  public void check(Container container) {
    new CheckOperation(engine, chain).run(container);
  }

  /**
   * Detaches the container and removes it from the cache. Succeeds when it is not attached, and can
   * be repeated when it failed. The arguments of {@link #add} need not be given again.
   */
  public void del(Container container) {
    new DelOperation(engine, chain).run(container);
  }

  /**
   * Removes everything that belongs to attachments of this network other than the {@code valid}
   * ones: cached attachments by DEL, what plugins know beyond that by GC.
   */
  public void gc(Collection<Attachment> valid) {
    gc(valid, _ -> {});
  }

  /**
   * The same.
   *
   * @param detached receives each cached attachment once it is detached, even when others fail
   */
  public void gc(Collection<Attachment> valid, Consumer<Attachment> detached) {
    new GcOperation(engine, chain).run(List.copyOf(valid), detached);
  }

  /**
   * Detaches every cached attachment of this network, and asks plugins to collect garbage without a
   * list of valid attachments.
   */
  public void gcAll() {
    gcAll(_ -> {});
  }

  /**
   * The same.
   *
   * @param detached receives each cached attachment once it is detached, even when others fail
   */
  public void gcAll(Consumer<Attachment> detached) {
    new GcOperation(engine, chain).run(null, detached);
  }

  /**
   * Returns when all plugins are ready for ADD; otherwise throws the error of the first that is
   * not, usually with code 50 or 51. Plugins from before 1.1.0 are not asked.
   */
  public void status() {
    Deadline deadline = engine.settings().deadline();
    PluginChain asked = engine.negotiated(chain, deadline);
    if (!asked.isSurelyAtLeast(SpecVersion.V1_1_0)) {
      return;
    }
    for (PluginConfig plugin : asked.plugins()) {
      PluginCalls.Target target = engine.calls().find(asked, plugin);
      engine.calls().run(Verb.STATUS, target, engine.calls().request(target), deadline);
    }
  }

  /** Finds all reasons why {@link #add} could not work, without doing anything. */
  public Validation validate() {
    return validate(_ -> Optional.empty());
  }

  /**
   * The same, and lets plugins review their configuration as ADD would read it.
   *
   * @param plugins the plugin of an executable, if available; others are only asked for their
   *     versions
   */
  public Validation validate(Function<Path, Optional<Plugin>> plugins) {
    return new NetworkValidator(engine, chain, source, plugins).run();
  }

  /**
   * The result of {@link #add}, in the version of the configuration; empty when the container is
   * not attached according to the cache.
   */
  public Optional<Result> cachedResult(Container container) {
    return engine.cache().find(key(container)).resultIn(chain.specVersion());
  }

  /** The container and the configuration as of {@link #add}. */
  public Optional<CachedAttachment> cachedAttachment(Container container) {
    return switch (engine.cache().find(key(container))) {
      case ResultCache.Found.Attached(CachedAttachment attachment) -> Optional.of(attachment);
      case ResultCache.Found.Nothing _ -> Optional.empty();
      case ResultCache.Found.ResultOnly _ -> Optional.empty();
      case ResultCache.Found.Unusable(CniException why) ->
          throw why.prefixed(
              "failed to unmarshal cached network \"%s\" config: ".formatted(name()));
    };
  }

  private CacheKey key(Container container) {
    return CacheKey.of(chain.network(), container);
  }

  /** All cached attachments of this network. */
  public List<CachedAttachment> attachments() {
    return engine.cache().list().stream()
        .filter(attachment -> attachment.network().equals(chain.network()))
        .toList();
  }

  @Override
  public String toString() {
    return "Network[" + name() + "]";
  }
}
