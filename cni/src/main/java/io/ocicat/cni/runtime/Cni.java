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
 * Attaches containers to networks, the way kubelet, containerd and podman do it: by running the
 * plugins that a configuration names. The first attachment:
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
 * <p>The network namespace is the caller's to create and to remove; plugins do the rest in it and
 * on the host, which is wherever this process is. What was attached is remembered under {@code
 * /var/lib/cni}, in the format of libcni, so Go runtimes and this one can take over each other's
 * containers. That is also why DEL works when the configuration has changed or is gone:
 *
 * <pre>{@code
 * for (CachedAttachment attachment : cni.attachments("c1")) {
 *   cni.network(attachment).del(attachment.container());
 * }
 * }</pre>
 *
 * <p>Everything else is a choice of {@link #builder()}: other directories, time limits, rollback of
 * failed ADDs, what DEL does about failures, where warnings and logs go.
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

  /** With networks from one directory, plugins from others, and the usual choices for the rest. */
  public static Cni at(Path confDirectory, Path... pluginDirectories) {
    return builder().confDirectory(confDirectory).pluginDirectories(pluginDirectories).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * The network of this name in the configuration directory.
   *
   * @throws NetworkNotFoundException when it is not there
   * @throws CniException when it is there and broken
   */
  public Network network(String name) {
    return network(engine.settings().confDirectory().load(name));
  }

  /**
   * A network of {@link #networks()}.
   *
   * @throws CniException when its name is none
   */
  public Network network(NetworkFile file) {
    return new Network(engine, PluginChain.of(file.list()), file);
  }

  /**
   * A network that is configured here rather than in a file.
   *
   * @throws CniException when its name is none
   */
  public Network network(ConfigList list) {
    return new Network(engine, PluginChain.of(list), null);
  }

  /**
   * A network of a single plugin, as there were before lists; errors of the plugin come as they
   * are.
   *
   * @throws CniException when it does not name its network
   */
  public Network network(PluginConfig single) {
    return new Network(engine, PluginChain.of(single), null);
  }

  /**
   * The network of an attachment as it was on ADD, whatever has become of its configuration.
   *
   * @throws CniException when the cached configuration cannot be understood
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

  /** What is attached, to any network, as far as the cache knows. */
  public List<CachedAttachment> attachments() {
    return engine.cache().list();
  }

  /**
   * What of one container is attached.
   *
   * @throws CniException when the id is none
   */
  public List<CachedAttachment> attachments(String containerId) {
    return engine.cache().list(new ContainerId(containerId));
  }

  /**
   * Forgets an attachment that was undone by somebody other than its runtime. Takes no lock:
   * whoever calls this has seen to it that nobody attaches it meanwhile.
   */
  public void forget(CachedAttachment undone) {
    engine.cache().remove(CacheKey.of(undone.network(), undone.container()));
  }

  /**
   * The CNI versions a plugin supports.
   *
   * @throws CniException when there is no such plugin or it does not tell
   */
  public VersionReply versions(String pluginType) {
    return engine.versions().of(engine.calls().find(pluginType), engine.settings().deadline());
  }

  /** The choices, each with what is usual. Not thread-safe; {@link Cni} itself is. */
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
    private boolean delGoesOn;
    private boolean delSkipsMissingPlugins;
    private boolean checkNeedsCachedResult = true;
    private boolean negotiatesWithPlugins;
    private boolean requestsKeepCapabilities;
    private Supplier<Optional<TraceContext>> trace = Optional::empty;
    private Consumer<PluginRun> observer = _ -> {};
    private Consumer<String> warnings =
        warning -> System.getLogger(LOGGER).log(Level.WARNING, warning);

    private Builder() {}

    /** Where networks are configured: {@code /etc/cni/net.d}. */
    public Builder confDirectory(Path directory) {
      this.confDirectory = directory;
      return this;
    }

    /** Where plugins are looked for, in this order: {@code /opt/cni/bin}. */
    public Builder pluginDirectories(Path... directories) {
      return pluginPath(PluginPath.of(directories));
    }

    /** See {@link #pluginDirectories}. */
    public Builder pluginPath(PluginPath path) {
      this.pluginPath = path;
      return this;
    }

    /** Where attachments are remembered: {@code /var/lib/cni}. */
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

    /** Where goes what plugins write to their standard error: to the system logger. */
    public Builder pluginLog(PluginInvoker.Stderr log) {
      this.pluginLog = log;
      return this;
    }

    /**
     * How long an operation may take, waiting for others included: two minutes. Of GC, each DEL and
     * each plugin may take that long.
     */
    public Builder timeLimit(Duration forOperation) {
      if (!forOperation.isPositive()) {
        throw new IllegalArgumentException("a time limit must be positive, not " + forOperation);
      }
      this.limit = forOperation;
      return this;
    }

    /**
     * Runs DEL when ADD has failed, with that long for it: by default the caller has to. What fails
     * in turn is added to the error of ADD.
     */
    public Builder rollBackFailedAdds(Duration forRollback) {
      this.rollbackLimit = forRollback;
      return this;
    }

    /**
     * Whether DEL runs the configuration that ADD ran, if the cache has it, rather than the present
     * one: true.
     */
    public Builder delPrefersCachedConfig(boolean does) {
      this.delPrefersCachedConfig = does;
      return this;
    }

    /**
     * Whether DEL asks the other plugins, too, when one has failed, and reports all failures:
     * false, as the specification has it. Either way the attachment stays in the cache and DEL can
     * be repeated.
     */
    public Builder delGoesOn(boolean does) {
      this.delGoesOn = does;
      return this;
    }

    /**
     * Whether DEL leaves out plugins that are not installed any more: false, because what they made
     * stays.
     */
    public Builder delSkipsMissingPlugins(boolean does) {
      this.delSkipsMissingPlugins = does;
      return this;
    }

    /**
     * Whether CHECK fails when the cache does not have the result of ADD: true. Otherwise plugins
     * are asked without it.
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
     * Whether plugins find {@code capabilities} in what they read: false, as the specification has
     * it. libcni leaves them in.
     */
    public Builder requestsKeepCapabilities(boolean does) {
      this.requestsKeepCapabilities = does;
      return this;
    }

    /** The trace that plugins belong to, asked for before each is run: none. */
    public Builder traceContext(Supplier<Optional<TraceContext>> current) {
      this.trace = current;
      return this;
    }

    /** Is told of every execution of a plugin that has ended. */
    public Builder observer(Consumer<PluginRun> watching) {
      this.observer = watching;
      return this;
    }

    /** Is told what is wrong without being an error: the system logger. */
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
              delGoesOn,
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
