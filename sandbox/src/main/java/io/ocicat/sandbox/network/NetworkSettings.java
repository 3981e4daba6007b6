package io.ocicat.sandbox.network;

import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The settings of pod networks, with kubelet's defaults.
 *
 * @param lockFolder holds the file by which processes lock pods; must exist
 * @param environment the plugins' environment
 * @param setUpLimit the timeout for attaching a pod, including the wait for other operations on it
 * @param tearDownLimit the same for detaching it
 * @param forgetful whether a directory without any usable file makes the network not ready, as in
 *     containerd; kubelet keeps using the last one
 */
public record NetworkSettings(
    Path confDirectory,
    PluginPath pluginPath,
    Path cacheDirectory,
    Path lockFolder,
    Map<String, String> environment,
    PluginExec exec,
    PluginInvoker.Stderr pluginLog,
    Loopback loopback,
    Duration setUpLimit,
    Duration tearDownLimit,
    boolean forgetful,
    Clock clock,
    Consumer<String> warnings) {
  /** kubelet's: a little below its timeout for RunPodSandbox. */
  public static final Duration USUAL_LIMIT = Duration.ofSeconds(220);

  private static final String LOGGER = NetworkSettings.class.getPackageName();

  /** How a pod's loopback interface is set up. */
  public enum Loopback {
    /** Directly, by one netlink message. */
    NATIVE,
    /** By the plugin {@code loopback}, as in kubelet. */
    PLUGIN
  }

  public NetworkSettings {
    environment = Map.copyOf(environment);
  }

  /** The default directories and timeouts, plugins as processes. */
  public static NetworkSettings usual(Path lockFolder) {
    return new NetworkSettings(
        Path.of("/etc/cni/net.d"),
        PluginPath.of(Path.of("/opt/cni/bin")),
        Path.of("/var/lib/cni"),
        lockFolder,
        System.getenv(),
        new ProcessExec(),
        (invocation, text) ->
            System.getLogger(LOGGER).log(Level.INFO, invocation.executable() + ": " + text),
        Loopback.NATIVE,
        USUAL_LIMIT,
        USUAL_LIMIT,
        false,
        Clock.systemUTC(),
        warning -> System.getLogger(LOGGER).log(Level.WARNING, warning));
  }

  /** With other directories for networks, plugins and the cache of attachments. */
  public NetworkSettings at(Path conf, PluginPath plugins, Path cache) {
    return new NetworkSettings(
        conf,
        plugins,
        cache,
        lockFolder,
        environment,
        exec,
        pluginLog,
        loopback,
        setUpLimit,
        tearDownLimit,
        forgetful,
        clock,
        warnings);
  }

  /** With plugins executed in another way. */
  public NetworkSettings running(
      Map<String, String> inherited, PluginExec how, PluginInvoker.Stderr log) {
    return new NetworkSettings(
        confDirectory,
        pluginPath,
        cacheDirectory,
        lockFolder,
        inherited,
        how,
        log,
        loopback,
        setUpLimit,
        tearDownLimit,
        forgetful,
        clock,
        warnings);
  }

  public NetworkSettings loopback(Loopback how) {
    return new NetworkSettings(
        confDirectory,
        pluginPath,
        cacheDirectory,
        lockFolder,
        environment,
        exec,
        pluginLog,
        how,
        setUpLimit,
        tearDownLimit,
        forgetful,
        clock,
        warnings);
  }

  public NetworkSettings limits(Duration setUp, Duration tearDown) {
    return new NetworkSettings(
        confDirectory,
        pluginPath,
        cacheDirectory,
        lockFolder,
        environment,
        exec,
        pluginLog,
        loopback,
        setUp,
        tearDown,
        forgetful,
        clock,
        warnings);
  }

  public NetworkSettings forgetful(boolean is) {
    return new NetworkSettings(
        confDirectory,
        pluginPath,
        cacheDirectory,
        lockFolder,
        environment,
        exec,
        pluginLog,
        loopback,
        setUpLimit,
        tearDownLimit,
        is,
        clock,
        warnings);
  }
}
