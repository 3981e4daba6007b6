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
 * Where the network of pods comes from, with what is usual for kubelet.
 *
 * @param lockFolder holds the file by which processes keep pods apart; must be there
 * @param environment what plugins inherit
 * @param setUpLimit for attaching a pod, waiting for other operations on it included
 * @param tearDownLimit the same for detaching it
 * @param forgetful whether a directory without any usable file makes the network not ready, as
 *     containerd has it; kubelet goes on with the last one
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
  /** kubelet's: a little below what it gives the whole of RunPodSandbox. */
  public static final Duration USUAL_LIMIT = Duration.ofSeconds(220);

  private static final String LOGGER = NetworkSettings.class.getPackageName();

  /** How a pod's loopback interface comes up. */
  public enum Loopback {
    /** By one message of ours to the kernel. */
    NATIVE,
    /** By the plugin {@code loopback}, as kubelet does it. */
    PLUGIN
  }

  public NetworkSettings {
    environment = Map.copyOf(environment);
  }

  /** The usual directories and limits, plugins as processes. */
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

  /** With networks and plugins from elsewhere, and attachments remembered elsewhere. */
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

  /** With plugins run in another way. */
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
