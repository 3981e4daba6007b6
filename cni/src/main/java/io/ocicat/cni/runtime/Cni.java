package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.exec.TraceContext;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Attaches containers to networks the way kubelet, containerd and podman do: by running the plugins
 * that a configuration names. The first attachment:
 *
 * <pre>{@code
 * Cni cni = Cni.at(Path.of("/etc/cni/net.d"), Path.of("/opt/cni/bin"));
 * Network blue = cni.network("blue");
 * Container container = Container.of("c1", Path.of("/run/netns/c1"));
 * Result result = blue.add(container);
 * System.out.println(result.ips());
 * }</pre>
 *
 * and later, in this process or in another one, {@code blue.del(container)}.
 *
 * <p>The caller creates and removes the network namespace; plugins do the rest in it and on the
 * host, which is this process's namespace. Attachments are cached under {@code /var/lib/cni}, in
 * the format of libcni, so Go runtimes and this one can take over each other's containers. That is
 * also why DEL works when the configuration has changed or is gone:
 *
 * <pre>{@code
 * for (CachedAttachment attachment : cni.attachments("c1")) {
 *   cni.network(attachment).del(attachment.container());
 * }
 * }</pre>
 *
 * <p>Everything else is an option of {@link #builder()}: other directories, time limits, rollback
 * of failed ADDs, what DEL does about failures, where warnings and logs go.
 *
 * <p>Immutable and safe for use by any number of threads. Operations on one container exclude each
 * other, and GC excludes all operations on its network: within this process, and among all
 * processes that use Ocicat with the same cache directory. One object per process is enough and
 * best.
 */
public final class Cni {
  private final RuntimeContext engine;

  private Cni(RuntimeSettings settings) {
    this.engine = RuntimeContext.of(settings);
  }

  /** With networks from one directory, plugins from others, and defaults for the rest. */
  public static Cni at(Path confDirectory, Path... pluginDirectories) {
    return builder().confDirectory(confDirectory).pluginDirectories(pluginDirectories).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * The network of this name in the configuration directory.
   *
   * @throws NetworkNotFoundException when it does not exist
   * @throws CniException when it exists and is invalid
   */
  public Network network(String name) {
    return network(engine.settings().confDirectory().load(name));
  }

  /**
   * A network of {@link #networks()}.
   *
   * @throws CniException when its name is invalid
   */
  public Network network(NetworkFile file) {
    return new Network(engine, PluginChain.of(file.list()), file);
  }

  /**
   * A network that is configured here rather than in a file.
   *
   * @throws CniException when its name is invalid
   */
  public Network network(ConfigList list) {
    return new Network(engine, PluginChain.of(list), null);
  }

  /**
   * A network of a single plugin, from before lists existed; the plugin's errors are not wrapped.
   *
   * @throws CniException when it does not name its network
   */
  public Network network(PluginConfig single) {
    return new Network(engine, PluginChain.of(single), null);
  }

  /**
   * The network of an attachment as of its ADD, whatever happened to its configuration since.
   *
   * @throws CniException when the cached configuration is invalid
   */
  public Network network(CachedAttachment attachment) {
    return new Network(engine, PluginChain.of(attachment, folderOf(attachment)), null);
  }

  private List<PluginConfig> folderOf(CachedAttachment attachment) {
    try {
      String name = attachment.network().value();
      return PluginChain.of(engine.settings().confDirectory().load(name).list()).fromFolder();
    } catch (CniException _) {
      return List.of();
    }
  }

  /** The network of the first usable file, as kubelet and containerd choose it. */
  public Optional<Network> defaultNetwork() {
    return engine.settings().confDirectory().first().map(this::network);
  }

  /** All networks of the configuration directory, and what is wrong with the other files. */
  public ConfListing networks() {
    return engine.settings().confDirectory().list();
  }

  /** All cached attachments, of any network. */
  public List<CachedAttachment> attachments() {
    return engine.cache().list();
  }

  /**
   * The cached attachments of one container.
   *
   * @throws CniException when the id is invalid
   */
  public List<CachedAttachment> attachments(String containerId) {
    return engine.cache().list(new ContainerId(containerId));
  }

  /**
   * Removes an attachment from the cache that somebody other than its runtime has undone. Takes no
   * lock: the caller ensures that nobody attaches it meanwhile.
   */
  public void forget(CachedAttachment undone) {
    engine.cache().remove(CacheKey.of(undone.network(), undone.container()));
  }

  /**
   * The CNI versions a plugin supports.
   *
   * @throws CniException when the plugin does not exist or does not answer
   */
  public VersionReply versions(String pluginType) {
    return engine.versions().of(engine.calls().find(pluginType), engine.settings().deadline());
  }

  /** The options, each with its default. Not thread-safe; {@link Cni} itself is. */
  public static final class Builder {
    private static final String LOGGER = Cni.class.getPackageName();

    private Path confDirectory = Path.of("/etc/cni/net.d");
    private PluginPath pluginPath = PluginPath.of(Path.of("/opt/cni/bin"));
    private Path cacheDirectory = Path.of("/var/lib/cni");
    private @Nullable Map<String, String> environment;
    private PluginExec exec = new ProcessExec();
    private PluginInvoker.Stderr pluginLog =
        (invocation, text) ->
            System.getLogger(LOGGER).log(Level.INFO, invocation.executable() + ": " + text);
    private Duration limit = Duration.ofMinutes(2);
    private Duration rollbackLimit = Duration.ZERO;
    private boolean delPrefersCachedConfig = true;
    private boolean delContinuesOnFailure;
    private boolean delSkipsMissingPlugins;
    private boolean checkNeedsCachedResult = true;
    private boolean negotiatesWithPlugins;
    private boolean requestsKeepCapabilities;
    private Supplier<Optional<TraceContext>> trace = Optional::empty;
    private Consumer<PluginRun> observer = _ -> {};
    private Consumer<String> warnings =
        warning -> System.getLogger(LOGGER).log(Level.WARNING, warning);

    private Builder() {}

    /** The directory of network configurations: {@code /etc/cni/net.d}. */
    public Builder confDirectory(Path directory) {
      this.confDirectory = directory;
      return this;
    }

    /** The directories that are searched for plugins, in this order: {@code /opt/cni/bin}. */
    public Builder pluginDirectories(Path... directories) {
      return pluginPath(PluginPath.of(directories));
    }

    /** See {@link #pluginDirectories}. */
    public Builder pluginPath(PluginPath path) {
      this.pluginPath = path;
      return this;
    }

    /** The cache directory of attachments: {@code /var/lib/cni}. */
    public Builder cacheDirectory(Path directory) {
      this.cacheDirectory = directory;
      return this;
    }

    /** What plugins inherit: the environment of this process. */
    public Builder environment(Map<String, String> inherited) {
      this.environment = Map.copyOf(inherited);
      return this;
    }

    /** How plugins are run: as processes. */
    public Builder exec(PluginExec how) {
      this.exec = how;
      return this;
    }

    /** Where the plugins' standard error goes: to the system logger. */
    public Builder pluginLog(PluginInvoker.Stderr log) {
      this.pluginLog = log;
      return this;
    }

    /**
     * How long an operation may take, including the wait for others: two minutes. In GC, each DEL
     * and each plugin may take that long.
     */
    public Builder timeLimit(Duration forOperation) {
      if (!forOperation.isPositive()) {
        throw new IllegalArgumentException("a time limit must be positive, not " + forOperation);
      }
      this.limit = forOperation;
      return this;
    }

    /**
     * Runs DEL when ADD has failed, with that time limit: by default the caller has to. Failures of
     * that DEL are added to the error of ADD.
     */
    public Builder rollBackFailedAdds(Duration forRollback) {
      this.rollbackLimit = forRollback;
      return this;
    }

    /**
     * Whether DEL uses the configuration of the ADD, if it is in the cache, rather than the current
     * one: true.
     */
    public Builder delPrefersCachedConfig(boolean does) {
      this.delPrefersCachedConfig = does;
      return this;
    }

    /**
     * Whether DEL continues with the other plugins when one has failed, and reports all failures:
     * false, as the specification has it. Either way the attachment stays in the cache and DEL can
     * be repeated.
     */
    public Builder delContinuesOnFailure(boolean does) {
      this.delContinuesOnFailure = does;
      return this;
    }

    /**
     * Whether DEL skips plugins that are no longer installed: false, because what they created
     * stays.
     */
    public Builder delSkipsMissingPlugins(boolean does) {
      this.delSkipsMissingPlugins = does;
      return this;
    }

    /**
     * Whether CHECK fails when the cache does not have the result of ADD: true. Otherwise plugins
     * are called without it.
     */
    public Builder checkNeedsCachedResult(boolean does) {
      this.checkNeedsCachedResult = does;
      return this;
    }

    /**
     * Whether a list that declares several versions is called with the highest that all its plugins
     * support: false, then it is the highest that this runtime supports.
     */
    public Builder negotiatesWithPlugins(boolean does) {
      this.negotiatesWithPlugins = does;
      return this;
    }

    /**
     * Whether plugins receive {@code capabilities}: false, as the specification has it. libcni
     * leaves them in.
     */
    public Builder requestsKeepCapabilities(boolean does) {
      this.requestsKeepCapabilities = does;
      return this;
    }

    /** Supplies the trace that plugins belong to, before each is run: none. */
    public Builder traceContext(Supplier<Optional<TraceContext>> current) {
      this.trace = current;
      return this;
    }

    /** Is notified of every finished execution of a plugin. */
    public Builder observer(Consumer<PluginRun> watching) {
      this.observer = watching;
      return this;
    }

    /** Receives warnings: the system logger. */
    public Builder warnings(Consumer<String> sink) {
      this.warnings = sink;
      return this;
    }

    public Cni build() {
      return new Cni(
          new RuntimeSettings(
              new ConfDirectory(confDirectory),
              pluginPath,
              cacheDirectory,
              environment == null ? System.getenv() : environment,
              exec,
              pluginLog,
              limit,
              rollbackLimit,
              delPrefersCachedConfig,
              delContinuesOnFailure,
              delSkipsMissingPlugins,
              checkNeedsCachedResult,
              negotiatesWithPlugins,
              requestsKeepCapabilities,
              trace,
              observer,
              warnings));
    }
  }
}
