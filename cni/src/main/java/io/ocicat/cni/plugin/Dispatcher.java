package io.ocicat.cni.plugin;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.Verb;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Implements the CNI protocol for a plugin: turns an environment and stdin into an exit code and
 * stdout, which is exactly one document or empty. It does not touch the process itself, so that a
 * one-shot executable, a daemon and a library can all use it.
 *
 * <p>The order of the steps and the messages are those of Go's skeleton, which people and programs
 * know, with two differences: the container's namespace is verified before the plugin runs rather
 * than afterwards, and nothing is printed before everything has succeeded.
 */
public final class Dispatcher {
  private static final byte[] NOTHING = {};
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
   * @param stdin read to its end, unless the verb does not use it
   */
  public static PluginReply dispatch(
      Plugin plugin, PluginHost host, Map<String, String> environment, InputStream stdin) {
    return new Dispatcher(plugin, host, environment).dispatch(stdin);
  }

  public static PluginReply dispatch(
      Plugin plugin, PluginHost host, Map<String, String> environment, byte[] stdin) {
    return dispatch(plugin, host, environment, new ByteArrayInputStream(stdin));
  }

  private PluginReply dispatch(InputStream stdin) {
    try {
      return new PluginReply(0, answer(stdin), log.text());
    } catch (Throwable e) {
      CniException error = errorOf(e);
      byte[] stdout = Json.prettyBytes(error.toJson(version.text()));
      return new PluginReply(1, stdout, log.text(), error.reason().orElse(null));
    }
  }

  private byte[] answer(InputStream stdin) {
    List<String> supported = List.copyOf(plugin.supportedVersions());
    if (supported.isEmpty()) {
      throw new IllegalStateException(plugin.getClass() + " supports no version of CNI");
    }
    version = newest(supported);
    String command = environment.getOrDefault(CniEnvironment.COMMAND, "");
    if (command.isEmpty() && !plugin.about().isEmpty()) {
      log.line(plugin.about());
      log.line("CNI protocol versions supported: " + String.join(", ", supported));
      return NOTHING;
    }
    RequiredVariables.check(environment);
    if (command.equals(Verb.VERSION.name())) {
      String asker =
          VersionRequest.cniVersion(stdin, STDIN_TIMEOUT).orElse(SpecVersion.LATEST.text());
      VersionReply reply = new VersionReply(asker, supported);
      return (Json.compact(reply.toJson()) + "\n").getBytes(StandardCharsets.UTF_8);
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

  private PluginConfig config(InputStream stdin, boolean lenient) {
    byte[] request;
    try {
      request = stdin.readNBytes(CniJson.MAX_BYTES + 1);
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE, "error reading from stdin: " + e.getMessage(), e);
    }
    PluginConfig config =
        lenient ? PluginConfig.ofDelRequest(request) : PluginConfig.ofRequest(request);
    version = SpecVersion.find(config.cniVersion()).orElse(version);
    if (config.name().isEmpty()) {
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "missing network name");
    }
    new NetworkName(config.name());
    return config;
  }

  private byte[] call(Verb verb, PluginConfig config, VersionRules versions) {
    CallContext context = new CallContext(config, environment, host, log);
    switch (verb) {
      case ADD -> {
        versions.requireSupported();
        AddCall call = new AddCall(context, netns());
        NetnsGuard.requireOther(call.hostNetns(), call.netns(), environment);
        Result result = plugin.add(call);
        try {
          return Json.prettyBytes(result.toJson(call.version()));
        } catch (CniException e) {
          undo(new DelCall(context, call.netns()), e);
          throw e;
        }
      }
      case DEL -> {
        versions.requireSupported();
        boolean gone = context.variable(CniEnvironment.NETNS).isEmpty();
        DelCall call = new DelCall(context, gone ? null : netns());
        call.netns()
            .ifPresent(netns -> NetnsGuard.requireOther(call.hostNetns(), netns, environment));
        plugin.del(call);
      }
      case CHECK -> {
        versions.requireSince(SpecVersion.V0_4_0, verb);
        plugin.check(new CheckCall(context, netns()));
      }
      case GC -> {
        versions.requireSince(SpecVersion.V1_1_0, verb);
        plugin.gc(new GcCall(context));
      }
      case STATUS -> {
        versions.requireSince(SpecVersion.V1_1_0, verb);
        plugin.status(new StatusCall(context));
      }
      case VERSION -> throw new IllegalStateException("VERSION needs no request");
    }
    return NOTHING;
  }

  /**
   * A result that cannot be expressed in the requested version makes it a failed ADD, which must
   * leave nothing behind.
   */
  private void undo(DelCall del, CniException failure) {
    try {
      plugin.del(del);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
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
