package io.ocicat.cni.plugin;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Implements the CNI protocol for a plugin: turns an environment and a request into a reply, whose
 * stdout is exactly one document or empty. It does not touch the process itself, so that a one-shot
 * executable, a daemon and a library can all use it.
 *
 * <p>The order of the steps and the messages are those of Go's skeleton, which people and programs
 * know, with two differences: the container's namespace is verified before the plugin runs rather
 * than afterwards, and nothing is printed before everything has succeeded.
 */
public final class Dispatcher {
  private static final int MAX_CAUSES = 100;

  /** A runtime has written its request before we run; a person at a terminal writes none. */
  private static final Duration STDIN_TIMEOUT = Duration.ofSeconds(1);

  private final Plugin plugin;
  private final PluginHost host;
  private final Map<String, String> environment;
  private final PluginLog log;

  /** The version for an error; until the request is read, the plugin's newest. */
  private SpecVersion version = SpecVersion.LATEST;

  private Dispatcher(Plugin plugin, PluginHost host, Map<String, String> environment) {
    this.plugin = plugin;
    this.host = host;
    this.environment = environment;
    this.log = new PluginLog(host.stderr());
  }

  /**
   * Calls the plugin. Never throws: every failure is in the reply.
   *
   * @param environment the caller's, complete, because delegates inherit it
   * @param stdin not used by every verb
   */
  public static PluginReply dispatch(
      Plugin plugin, PluginHost host, Map<String, String> environment, PluginStdin stdin) {
    return new Dispatcher(plugin, host, environment).dispatch(stdin);
  }

  public static PluginReply dispatch(
      Plugin plugin, PluginHost host, Map<String, String> environment, byte[] stdin) {
    return dispatch(plugin, host, environment, PluginStdin.of(stdin));
  }

  private PluginReply dispatch(PluginStdin stdin) {
    try {
      return answer(stdin);
    } catch (Throwable e) {
      CniException error = errorOf(e).answering(version.text());
      return PluginReply.failed(error, log.text());
    }
  }

  private PluginReply answer(PluginStdin stdin) {
    List<String> supported = List.copyOf(plugin.supportedVersions());
    if (supported.isEmpty()) {
      throw new IllegalStateException(plugin.getClass() + " supports no version of CNI");
    }
    version = newest(supported);
    String command = environment.getOrDefault(CniEnvironment.COMMAND, "");
    if (command.isEmpty() && !plugin.about().isEmpty()) {
      log.line(plugin.about());
      log.line("CNI protocol versions supported: " + String.join(", ", supported));
      return PluginReply.done(log.text());
    }
    RequiredVariables.check(environment);
    if (command.equals(Verb.VERSION.name())) {
      String asker =
          VersionRequest.cniVersion(stdin.stream(), STDIN_TIMEOUT)
              .orElse(SpecVersion.LATEST.text());
      String reply = Json.compact(new VersionReply(asker, supported).toJson()) + "\n";
      return new PluginReply(0, reply.getBytes(StandardCharsets.UTF_8), log.text());
    }
    boolean lenient = command.equals(Verb.DEL.name());
    PluginConfig config = config(stdin, lenient);
    Verb verb =
        Verb.find(command)
            .orElseThrow(
                () ->
                    new CniException(
                        ErrorCode.INVALID_ENVIRONMENT, "unknown CNI_COMMAND: " + command));
    return call(verb, config, new VersionRules(config.cniVersion(), supported));
  }

  private static SpecVersion newest(List<String> supported) {
    Optional<SpecVersion> newest = Optional.empty();
    for (String text : supported) {
      Optional<SpecVersion> known = SpecVersion.find(text);
      if (known.isPresent() && (newest.isEmpty() || known.get().isAtLeast(newest.get()))) {
        newest = known;
      }
    }
    return newest.orElse(SpecVersion.LATEST);
  }

  private PluginConfig config(PluginStdin stdin, boolean lenient) {
    PluginConfig config = lenient ? stdin.configForDel() : stdin.config();
    version = SpecVersion.find(config.cniVersion()).orElse(version);
    if (config.name().isEmpty()) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "missing network name");
    }
    new NetworkName(config.name());
    return config;
  }

  private PluginReply call(Verb verb, PluginConfig config, VersionRules versions) {
    switch (verb) {
      case ADD -> {
        versions.requireSupported();
        AddCall call = new AddCall(config, environment, host, log, netns());
        NetnsGuard.requireOther(call.hostNetns(), call.netns(), environment);
        return PluginReply.added(add(call), log.text());
      }
      case DEL -> {
        versions.requireSupported();
        boolean gone = environment.getOrDefault(CniEnvironment.NETNS, "").isEmpty();
        DelCall call = del(config, gone ? null : netns());
        call.netns()
            .ifPresent(netns -> NetnsGuard.requireOther(call.hostNetns(), netns, environment));
        plugin.del(call);
      }
      case CHECK -> {
        versions.requireSince(SpecVersion.V0_4_0, verb);
        plugin.check(new CheckCall(config, environment, host, log, netns()));
      }
      case GC -> {
        versions.requireSince(SpecVersion.V1_1_0, verb);
        plugin.gc(new GcCall(config, environment, host, log));
      }
      case STATUS -> {
        versions.requireSince(SpecVersion.V1_1_0, verb);
        plugin.status(new StatusCall(config, environment, host, log));
      }
      case VERSION -> throw new IllegalStateException("VERSION needs no request");
    }
    return PluginReply.done(log.text());
  }

  /**
   * Runs ADD. A result that cannot be expressed in the requested version makes it a failed ADD,
   * which must leave nothing behind.
   */
  private Result add(AddCall call) {
    Result result = plugin.add(call);
    try {
      return result.convertTo(call.version());
    } catch (CniException failure) {
      try {
        plugin.del(del(call.config(), call.netns()));
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
      throw failure;
    }
  }

  private DelCall del(PluginConfig config, @Nullable Netns netns) {
    return new DelCall(config, environment, host, log, netns);
  }

  private Netns netns() {
    return host.namespaces().container(environment.getOrDefault(CniEnvironment.NETNS, ""));
  }

  /** A CNI error anywhere among the causes is the plugin's own error. */
  private CniException errorOf(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      for (Throwable suppressed : cause.getSuppressed()) {
        if (!Objects.equals(suppressed.getMessage(), cause.getMessage())) {
          log.line(String.valueOf(suppressed.getMessage()));
        }
      }
      if (cause instanceof CniException error) {
        return error;
      }
      cause = cause.getCause();
    }
    if (isUnforeseen(thrown) || "1".equals(environment.get("OCICAT_DEBUG"))) {
      StringWriter trace = new StringWriter();
      thrown.printStackTrace(new PrintWriter(trace));
      log.write(trace.toString());
    }
    String message = thrown.getMessage();
    return new CniException(
        ErrorCode.INTERNAL, message == null || message.isBlank() ? thrown.toString() : message);
  }

  /** Exceptions of our own modules have a message that names the object; Java's own are bugs. */
  private static boolean isUnforeseen(Throwable thrown) {
    return !thrown.getClass().getName().startsWith("io.ocicat.");
  }
}
